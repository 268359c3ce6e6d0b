#include "render/table/select.h"

#include <string.h>

#include "core/clean.h"
#include "core/order.h"
#include "render/table/diff_pairs.h"
#include "render/view/fail.h"

struct str table_sort_name(const struct table_request *request)
{
    struct str name = str_of(request->sort);
    bool reversed = name.n > 1 && name.p[0] == '-';

    return reversed ? (struct str){name.p + 1, name.n - 1} : name;
}

void table_forget_sort(struct table_request *request)
{
    if (!column_may_be(table_sort_name(request), request->group, request->longest))
        request->sort[0] = '\0';
}

enum { QUOTED_BYTES = 60 };

/* ---- the column ---- */

static bool refuse_column(const struct table *t, struct str name, struct diag *diag)
{
    struct column all[COLUMNS_MAX];
    uint32_t n = columns_of(t, all);
    struct buf b = {0}, v = {0};

    n += columns_orders(t, all + n);

    for (uint32_t i = 0; i < n; i++) {
        buf_z(&b, i == 0 ? "" : ", ");
        column_name(&b, t, all[i]);
    }
    clean_text(&v, clean_cut(name, QUOTED_BYTES));
    diag_set(diag, DIAG_USAGE, "no such column", "Name one of its columns, or leave the option out.",
             "sort=%.*s: the table has no such column. It has %.*s.", (int)v.n, v.n > 0 ? v.p : "", (int)b.n,
             b.n > 0 ? b.p : "");
    buf_free(&b);
    buf_free(&v);
    return false;
}

static bool find_column(const struct table *t, const struct table_request *request, struct str value,
                        struct selection *s, struct diag *diag)
{
    struct str name = table_sort_name(request);
    uint32_t m = t->diff != NULL ? t->diff->value : table_measure(t, value);

    if (name.n == 0 && t->diff != NULL) {
        s->sorted = (struct column){COLUMN_EXCLUSIVE, m};
        return true;
    }
    if (name.n == 0) {
        s->sorted =
            m < t->n_measures ? (struct column){COLUMN_INCLUSIVE, m} : (struct column){COLUMN_CALLS, 0};
        return true;
    }
    s->reversed = name.p != request->sort;
    return column_by_name(t, name, &s->sorted) || refuse_column(t, name, diag);
}

/* ---- the filter ---- */

/* ASCII letters only. */
static void put_lower(struct buf *b, struct str s)
{
    buf_clear(b);
    buf_str(b, s);
    for (size_t i = 0; !b->failed && i < b->n; i++)
        if (b->p[i] >= 'A' && b->p[i] <= 'Z')
            b->p[i] = (char)(b->p[i] + ('a' - 'A'));
}

/* memmem is linear in the text, whatever the text and what is looked for are made of. */
static bool choose(const struct table *t, struct str grep, struct selection *s, uint32_t *rows)
{
    struct buf part = {0}, name = {0};

    put_lower(&part, grep);
    for (uint32_t row = 0; row < t->n && !part.failed && !name.failed; row++) {
        if (!t->present[row])
            continue;
        s->n_present++;
        if (t->diff != NULL && !diff_wants(t, row))
            continue;
        if (part.n > 0)
            put_lower(&name, table_name(t, row));
        if (part.n == 0 || (name.n > 0 && memmem(name.p, name.n, part.p, part.n) != NULL))
            rows[s->n_matching++] = row;
    }
    bool ok = !part.failed && !name.failed;
    buf_free(&part);
    buf_free(&name);
    return ok;
}

/* ---- the order ---- */

struct keys {
    const struct net *key; /* by row */
    bool reversed;
};

static bool before(const void *context, uint32_t a, uint32_t b)
{
    const struct keys *k = context;

    if (!net_equal(k->key[a], k->key[b]))
        return net_greater(k->key[a], k->key[b]) != k->reversed;
    return a < b;
}

static bool sort_numbers(const struct table *t, struct selection *s, uint32_t *rows, struct arena *arena)
{
    struct net *key = arena_array(arena, t->n, sizeof(*key));
    uint32_t *next = arena_array(arena, t->n, sizeof(*next)), n = s->n_matching;
    struct keys keys = {key, s->reversed};

    if (key == NULL || next == NULL)
        return false;
    for (uint32_t i = 0; i < n; i++) {
        key[rows[i]] = column_cell(t, s->sorted, rows[i]).value;
        next[rows[i]] = i + 1 < n ? rows[i + 1] : ORDER_NONE;
    }
    uint32_t at = order_list(n > 0 ? rows[0] : ORDER_NONE, next, before, &keys);
    for (uint32_t i = 0; at != ORDER_NONE; at = next[at])
        rows[i++] = at;
    return true;
}

static bool sort_texts(const struct table *t, struct selection *s, uint32_t *rows, struct arena *arena)
{
    struct str *texts = arena_array(arena, t->n, sizeof(*texts));

    if (texts == NULL)
        return false;
    /* Sorting is stable; rows of equal text are turned round here to stand in the order of names again in the end. */
    if (s->reversed)
        order_reverse(rows, s->n_matching);
    for (uint32_t i = 0; i < s->n_matching; i++)
        texts[rows[i]] = column_cell(t, s->sorted, rows[i]).text;
    if (!order_strings(rows, s->n_matching, texts, arena))
        return false;
    if (s->reversed)
        order_reverse(rows, s->n_matching);
    return true;
}

bool table_select(const struct table *t, const struct table_request *request, struct str value,
                  struct selection *s, struct arena *arena, struct diag *diag)
{
    uint32_t *rows = arena_array(arena, t->n, sizeof(*rows));

    *s = (struct selection){0};
    if (rows == NULL)
        return fail_arena(arena, diag);
    if (!find_column(t, request, value, s, diag))
        return false;
    if (!choose(t, str_of(request->grep), s, rows))
        return fail_arena(arena, diag); /* not its failure: no memory */
    if (!(column_is_number(s->sorted) ? sort_numbers(t, s, rows, arena) : sort_texts(t, s, rows, arena)))
        return fail_arena(arena, diag);
    uint32_t first = request->offset < s->n_matching ? request->offset : s->n_matching,
             left = s->n_matching - first;
    s->rows = rows + first;
    s->n = request->limit < left ? request->limit : left;
    return true;
}
