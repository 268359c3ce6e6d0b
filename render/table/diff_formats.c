/* How a comparison is written beside the formats of all tables: folded stacks, pictures, txt and Markdown. */
#include <string.h>

#include "core/clean.h"
#include "core/order.h"
#include "render/output.h"
#include "render/table/diff.h"
#include "render/table/diff_words.h"
#include "render/table/table_format.h"
#include "render/table/text_line.h"
#include "render/view/key.h"
#include "render/view/view.h"

/* ---- folded ---- */

/* Format "folded" of a comparison: one line for each stack, `frame;frame;frame A B`, as difffolded.pl
 * writes it: what it has by itself in A and in B. Stacks and numbers are those of the output "folded" of
 * either side (render/folded.c), sorted bytewise by the stack; what both have nothing of is left out. */

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
            l->number[l->n++] = space < line.n ? str_from(line, space + 1) : STR("0");
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

static bool draw_folded(const struct table *t, const struct render_input *in, struct buf *out,
                        struct diag *diag)
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
    .draw = draw_folded,
};

/* ---- pictures ---- */

/* Formats of a comparison that draw_svg it: its flame graph, as that of any profile but with the widths,
 * colours and numbers of both sides (profile/transform/transform.h), and the pieces of data that the
 * picture's script fetches. */

static void put_key(void *context, const char *key, struct str value)
{
    struct buf *b = context;

    if (str_eq(str_of(key), STR("value"))) /* which the script says itself */
        return;
    buf_printf(b, "&%s=", key);
    buf_percent(b, value);
}

/* What the comparison was made of, for the script's requests; filters and own code it knows. */
static void put_query(const struct diff_request *r, struct buf *b)
{
    struct view_options plain;
    struct buf link = {0};

    if (r->asked == NULL)
        return;
    view_defaults(&plain);
    plain.from_ns = r->asked->from_ns;
    plain.to_ns = r->asked->to_ns;
    plain.moment = r->asked->moment;
    plain.mode = r->asked->mode;
    plain.open = r->asked->open;
    buf_z(b, "track=");
    key_text(key_by_name(STR("track")), r->asked, b);
    diff_each(r, put_key, b, b);
    view_link(&link, &plain, "&");
    if (link.n > 0) {
        buf_char(b, '&'); /* in place of its question mark */
        buf_bytes(b, link.p + 1, link.n - 1);
    }
    b->failed = b->failed || link.failed;
    buf_free(&link);
}

static bool draw_svg(const struct table *t, const struct render_input *in, const struct output *output,
                     struct buf *out, struct diag *diag)
{
    struct diff_sides sides;
    struct buf query = {0};

    if (!diff_sides_open(&sides, t, in, diag))
        return false;
    put_query(t->diff->request, &query);
    sides.in.view = &sides.view;
    sides.in.compared = buf_view(&query);
    bool ok = output->render(&sides.in, out, diag);
    out->failed = out->failed || query.failed;
    buf_free(&query);
    return ok;
}

static bool draw_picture(const struct table *t, const struct render_input *in, struct buf *out,
                         struct diag *diag)
{
    return draw_svg(t, in, &OUTPUT_SVG, out, diag);
}

static bool draw_tree(const struct table *t, const struct render_input *in, struct buf *out,
                      struct diag *diag)
{
    return draw_svg(t, in, &OUTPUT_TREE, out, diag);
}

const struct table_format DIFF_SVG = {
    .text = {"svg", "image/svg+xml", "a flame graph of both", 2},
    .draw = draw_picture,
};

const struct table_format DIFF_TREE = {
    .text = {"tree", "text/plain; charset=utf-8", "part of that tree, for its script", 1},
    .draw = draw_tree,
};

/* ---- text ---- */

/* Formats "txt" and "md" of a comparison: one value for people, aligned or as a table of GitHub's
 * Markdown.
 *
 *     wall time: 120 ms in A, 150 ms in B: +30 ms (+25 %) in 3 tracks; 12 of 340 rows differ, by wall_excl
 *
 *        change        %   excl A   excl B   incl change        %   calls A   calls B  method
 *          0 ns      0 %     1 ms     1 ms        +30 ms    +25 %                      (toplevel)
 *        +30 ms    +50 %    60 ms    90 ms        +30 ms    +50 %        10        10  com.example.Foo.bar
 *
 * and in front of it the comparison in words (diff_words.h).
 *
 * A change that does not count, being within the spread of several runs, has `~` behind it. A method whose
 * two names were paired by a rule has `(by rule)` behind its name. */

enum { DIGITS = 4 };

enum { COLUMNS = 8, COLUMNS_OF_CALLS = 2 };

static const char *const TITLES[COLUMNS] = {"change",      "%", "excl A",  "excl B",
                                            "incl change", "%", "calls A", "calls B"};

struct writer {
    const struct table_output *o;
    struct text_line line;
};

static void add_change(struct text_line *l, enum unit unit, struct diff_pair pair)
{
    diff_put_change(&l->text, unit, pair);
    buf_z(&l->text, pair.a != pair.b && !diff_counts(pair) ? "~" : "");
    text_line_end_cell(l);
    diff_put_percent(&l->text, pair);
    text_line_end_cell(l);
}

static void add_both(struct text_line *l, enum unit unit, struct diff_pair pair)
{
    buf_value(&l->text, unit, pair.a, DIGITS);
    text_line_end_cell(l);
    buf_value(&l->text, unit, pair.b, DIGITS);
    text_line_end_cell(l);
}

static unsigned columns(const struct table *t)
{
    return t->diff->has_calls ? COLUMNS : COLUMNS - COLUMNS_OF_CALLS;
}

static void set_titles(struct writer *w)
{
    text_line_begin(&w->line);
    for (unsigned i = 0; i < columns(w->o->table); i++)
        text_line_add(&w->line, TITLES[i]);
}

/* TABLE_NO_ROW: the (toplevel) row, which nobody calls. */
static void set_row(struct writer *w, uint32_t row)
{
    const struct table *t = w->o->table;
    uint32_t value = w->o->measure;
    enum unit unit = t->diff->values[value].unit;
    bool top = row == TABLE_NO_ROW;
    struct diff_pair exclusive = top ? t->diff->top[value] : diff_exclusive(t, row, value);

    text_line_begin(&w->line);
    add_change(&w->line, unit, exclusive);
    add_both(&w->line, unit, exclusive);
    add_change(&w->line, unit, top ? t->diff->total[value] : diff_inclusive(t, row, value));
    if (!t->diff->has_calls)
        return;
    if (!top) {
        add_both(&w->line, UNIT_COUNT, diff_calls(t, row));
    } else {
        text_line_end_cell(&w->line);
        text_line_end_cell(&w->line);
    }
}

static void put_name(const struct table *t, uint32_t row, struct buf *out)
{
    table_txt_name(out, t, row);
    if (t->group == GROUP_METHOD && t->profile->compared->paired[t->frame[row]] != 0)
        buf_z(out, " (by rule)");
}

static bool has_top(const struct table_output *o)
{
    return o->table->group != GROUP_THREAD && o->request->grep[0] == '\0' && o->request->offset == 0;
}

/* Names are hostile: what means something to Markdown has a stroke in front. */
static void put_escaped(struct buf *out, struct str text)
{
    for (size_t i = 0; i < text.n; i++) {
        if (memchr("\\`*_{}[]<>#|~", text.p[i], 14) != NULL)
            buf_char(out, '\\');
        buf_char(out, text.p[i]);
    }
}

/* In md each sentence is an item of a list. */
static bool put_words(const struct table_output *o, bool md, struct buf *out)
{
    struct buf words = {0};
    struct diff_words says;

    bool ok = diff_words(o->table, &says, &words, o->arena);
    for (uint32_t i = 0; ok && i < says.n && !words.failed; i++) {
        struct str sentence = {words.p + says.list[i].at, says.list[i].n};
        buf_z(out, md ? "- " : "");
        if (md)
            put_escaped(out, sentence);
        else
            buf_str(out, sentence);
        buf_char(out, '\n');
    }
    buf_char(out, '\n');
    buf_part_end(out, &words);
    return ok;
}

static void put_head(const struct table_output *o, struct buf *out)
{
    const struct table *t = o->table;
    const struct diff_value *v = &t->diff->values[o->measure];
    struct diff_pair total = t->diff->total[o->measure];

    clean_text(out, v->label);
    buf_z(out, ": ");
    buf_value(out, v->unit, total.a, DIGITS);
    buf_z(out, " in A, ");
    buf_value(out, v->unit, total.b, DIGITS);
    buf_z(out, " in B: ");
    diff_put_change(out, v->unit, total);
    buf_z(out, " (");
    diff_put_percent(out, total);
    buf_printf(out, ") in %u track%s; ", t->n_tracks, t->n_tracks == 1 ? "" : "s");
    buf_u64_grouped(out, o->selection.n_matching);
    buf_z(out, " of ");
    buf_u64_grouped(out, o->selection.n_present);
    buf_z(out, t->diff->all ? " rows match, by " : " rows differ, by ");
    column_name(out, t, o->selection.sorted);
    buf_z(out, "\n\n");
}

/* Calls put for (toplevel), where it is shown, and for each row. */
static void each_row(struct writer *w, void (*put)(struct writer *w, uint32_t row, struct buf *out),
                     struct buf *out)
{
    if (has_top(w->o)) {
        set_row(w, TABLE_NO_ROW);
        out->failed = out->failed || w->line.text.failed;
        put(w, TABLE_NO_ROW, out);
    }
    for (uint32_t i = 0; i < w->o->selection.n && !out->failed; i++) {
        set_row(w, w->o->selection.rows[i]);
        out->failed = out->failed || w->line.text.failed;
        put(w, w->o->selection.rows[i], out);
    }
}

/* ---- txt ---- */

static void widen(struct writer *w, uint32_t row, struct buf *out)
{
    (void)row, (void)out;
    text_line_widen(&w->line);
}

static void put_txt_row(struct writer *w, uint32_t row, struct buf *out)
{
    text_line_put(&w->line, out);
    if (row == TABLE_NO_ROW)
        buf_z(out, "(toplevel)");
    else
        put_name(w->o->table, row, out);
    buf_char(out, '\n');
}

static bool write_txt(const struct table_output *o, struct buf *out)
{
    struct writer w = {.o = o};

    each_row(&w, widen, out);
    set_titles(&w);
    out->failed = out->failed || w.line.text.failed;
    widen(&w, TABLE_NO_ROW, out);
    bool ok = put_words(o, false, out);
    put_head(o, out);
    text_line_put(&w.line, out);
    buf_z(out, table_group_word(o->table->group));
    buf_char(out, '\n');
    each_row(&w, put_txt_row, out);
    text_line_free(&w.line);
    return ok;
}

/* ---- md ---- */

/* Names are hostile: within a span of code only its own mark and the border of a cell mean something. */
static void put_code(struct buf *out, struct str text)
{
    buf_char(out, '`');
    for (size_t i = 0; i < text.n; i++)
        if (text.p[i] == '|')
            buf_z(out, "\\|");
        else
            buf_char(out, text.p[i] == '`' ? '\'' : text.p[i]);
    buf_char(out, '`');
}

static void put_md_cells(const struct writer *w, struct buf *out)
{
    for (unsigned i = 0; i < w->line.cells; i++) {
        buf_z(out, "| ");
        buf_str(out, text_line_cell(&w->line, i));
        buf_char(out, ' ');
    }
    buf_z(out, "| ");
}

static void put_md_row(struct writer *w, uint32_t row, struct buf *out)
{
    struct buf name = {0};

    put_md_cells(w, out);
    if (row == TABLE_NO_ROW)
        buf_z(&name, "(toplevel)");
    else
        put_name(w->o->table, row, &name);
    out->failed = out->failed || name.failed;
    put_code(out, buf_view(&name));
    buf_z(out, " |\n");
    buf_free(&name);
}

static bool write_md(const struct table_output *o, struct buf *out)
{
    struct writer w = {.o = o};
    bool ok = put_words(o, true, out);

    put_head(o, out);
    set_titles(&w);
    out->failed = out->failed || w.line.text.failed;
    put_md_cells(&w, out);
    buf_printf(out, "%s |\n", table_group_word(o->table->group));
    for (unsigned i = 0; i < w.line.cells; i++)
        buf_z(out, "| ---: ");
    buf_z(out, "| :--- |\n");
    each_row(&w, put_md_row, out);
    text_line_free(&w.line);
    return ok;
}

const struct table_format DIFF_TXT = {
    .text = {"txt", "text/plain; charset=utf-8", "aligned, one value, for people", 2},
    .write = write_txt,
};

const struct table_format DIFF_MD = {
    .text = {"md", "text/markdown; charset=utf-8", "one value, for comments on GitHub and the like", 2},
    .write = write_md,
};
