/* Format "folded" of a comparison: one line for each stack, `frame;frame;frame A B`, as difffolded.pl writes it: what it has by
 * itself in A and in B. Stacks and numbers are those of the output "folded" of either side (render/folded.c), sorted bytewise by the
 * stack; what both have nothing of is left out. */

#include "core/order.h"
#include "render/output.h"
#include "render/table/diff.h"
#include "render/table/diff_sides.h"
#include "render/view/fail.h"

enum { SIDES = 2 };

struct lines {
    struct buf text[SIDES];
    struct str *stack, *number; /* of each line, those of A before those of B */
    uint32_t n, n_of_a;
};

static bool write_sides(const struct diff_sides *s, struct lines *l, size_t limit, struct diag *diag)
{
    for (uint32_t side = 0; side < SIDES; side++) {
        struct diff_sides one = *s;
        diff_sides_value(&one, side);
        one.view.view = VIEW_FLAME;
        one.in.view = &one.view;
        buf_init(&l->text[side], limit);
        if (!OUTPUT_FOLDED.render(&one.in, &l->text[side], diag))
            return false;
        if (l->text[side].failed)
            return fail_buf(&l->text[side], diag);
    }
    return true;
}

static uint32_t count_lines(struct str text)
{
    uint32_t n = 0;

    for (size_t i = 0; i < text.n; i++)
        n += text.p[i] == '\n';
    return n;
}

static bool split(struct lines *l, struct arena *arena)
{
    uint32_t n = count_lines(buf_view(&l->text[0])) + count_lines(buf_view(&l->text[1]));

    l->stack = arena_array(arena, n, sizeof(*l->stack));
    l->number = arena_array(arena, n, sizeof(*l->number));
    if (l->stack == NULL || l->number == NULL)
        return false;
    for (uint32_t side = 0; side < SIDES; side++) {
        struct str rest = buf_view(&l->text[side]), line;
        while (l->n < n && rest.n > 0 && str_split(&rest, '\n', &line)) {
            size_t space = str_find_last(line, ' ');
            l->stack[l->n] = (struct str){line.p, space};
            l->number[l->n++] =
                space < line.n ? (struct str){line.p + space + 1, line.n - space - 1} : STR("0");
        }
        if (side == 0)
            l->n_of_a = l->n;
    }
    return true;
}

static void put_number(struct buf *out, const struct lines *l, const uint32_t *line)
{
    buf_char(out, ' ');
    buf_str(out, line != NULL ? l->number[*line] : STR("0"));
}

/* Equal stacks stand together then, that of A first. */
static bool put_sorted(const struct lines *l, struct arena *arena, struct buf *out)
{
    uint32_t *order = arena_array(arena, l->n, sizeof(*order));

    if (order == NULL)
        return false;
    for (uint32_t i = 0; i < l->n; i++)
        order[i] = i;
    if (!order_strings(order, l->n, l->stack, arena))
        return false;
    for (uint32_t i = 0; i < l->n && !out->failed;) {
        const uint32_t *a = order[i] < l->n_of_a ? &order[i] : NULL, *b = a == NULL ? &order[i] : NULL;
        struct str stack = l->stack[order[i++]];
        if (a != NULL && i < l->n && str_eq(l->stack[order[i]], stack))
            b = &order[i++];
        buf_str(out, stack);
        put_number(out, l, a);
        put_number(out, l, b);
        buf_char(out, '\n');
    }
    return true;
}

static bool draw(const struct table *t, const struct render_input *in, struct buf *out, struct diag *diag)
{
    struct lines l = {.n = 0};
    struct diff_sides sides;
    bool ok = diff_sides_open(&sides, t, in, diag) && write_sides(&sides, &l, out->limit, diag);

    if (ok && !(split(&l, in->scratch) && put_sorted(&l, in->scratch, out)))
        ok = fail_arena(in->scratch, diag);
    buf_free(&l.text[0]);
    buf_free(&l.text[1]);
    return ok;
}

const struct table_format DIFF_FOLDED = {
    .text = {"folded", "text/plain; charset=utf-8", "stacks with what A and B have, as difffolded.pl", 1},
    .draw = draw,
};
