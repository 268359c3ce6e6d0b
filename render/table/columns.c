#include "render/table/columns.h"

#include <string.h>

#include "core/buf.h"
#include "core/clean.h"
#include "core/diag.h"
#include "core/order.h"
#include "profile/frame/own_code.h"
#include "render/table/diff_pairs.h"
#include "render/table/table.h"
#include "render/view/view.h"

/* ---- columns ---- */

enum { NS_PER_US = 1000 };

static const char *const NAMES[] = {
    [COLUMN_CLASS] = "class",         [COLUMN_METHOD] = "method",       [COLUMN_SIGNATURE] = "signature",
    [COLUMN_FILE] = "file",           [COLUMN_LINE] = "line",           [COLUMN_MODULE] = "module",
    [COLUMN_PACKAGE] = "package",     [COLUMN_ORIGIN] = "origin",       [COLUMN_TRACK] = "track",
    [COLUMN_NAME] = "name",           [COLUMN_CALLS] = "calls",         [COLUMN_RECURSIVE] = "recursive",
    [COLUMN_INCLUSIVE] = "_incl",     [COLUMN_EXCLUSIVE] = "_excl", /* behind the value's name */
    [COLUMN_LONGEST] = "_longest",    [COLUMN_CALLS_A] = "calls_a",     [COLUMN_CALLS_B] = "calls_b",
    [COLUMN_INCLUSIVE_A] = "_incl_a", [COLUMN_INCLUSIVE_B] = "_incl_b", [COLUMN_EXCLUSIVE_A] = "_excl_a",
    [COLUMN_EXCLUSIVE_B] = "_excl_b", [COLUMN_PER_CALL] = "_per_call",
};

/* The columns that tell what a row is. */
static uint32_t put_keys(enum table_group group, struct column *c)
{
    uint32_t n = 0;

    switch (group) {
    case GROUP_METHOD:
        for (unsigned field = COLUMN_CLASS; field <= COLUMN_MODULE; field++)
            c[n++] = (struct column){(enum column_field)field, 0};
        break;
    case GROUP_CLASS:
        c[n++] = (struct column){COLUMN_CLASS, 0};
        break;
    case GROUP_PACKAGE:
        c[n++] = (struct column){COLUMN_PACKAGE, 0};
        break;
    case GROUP_ORIGIN:
        c[n++] = (struct column){COLUMN_ORIGIN, 0};
        break;
    case GROUP_THREAD:
        c[n++] = (struct column){COLUMN_TRACK, 0};
        c[n++] = (struct column){COLUMN_NAME, 0};
        break;
    }
    return n;
}

/* A comparison has no file, which builds change, and no line. */
static uint32_t columns_of_diff(const struct table *t, struct column c[COLUMNS_MAX])
{
    struct column keys[COLUMNS_MAX];
    uint32_t n_keys = put_keys(t->group, keys), n = 0;

    for (uint32_t i = 0; i < n_keys; i++)
        if (keys[i].field != COLUMN_FILE && keys[i].field != COLUMN_LINE)
            c[n++] = keys[i];
    c[n++] = (struct column){COLUMN_CALLS_A, 0};
    c[n++] = (struct column){COLUMN_CALLS_B, 0};
    for (uint32_t v = 0; v < t->diff->n_values; v++)
        for (unsigned field = COLUMN_INCLUSIVE_A; field <= COLUMN_EXCLUSIVE_B; field++)
            c[n++] = (struct column){(enum column_field)field, v};
    return n;
}

uint32_t columns_of(const struct table *t, struct column c[COLUMNS_MAX])
{
    if (t->diff != NULL)
        return columns_of_diff(t, c);
    uint32_t n = put_keys(t->group, c);

    c[n++] = (struct column){COLUMN_CALLS, 0};
    c[n++] = (struct column){COLUMN_RECURSIVE, 0};
    for (uint32_t m = 0; m < t->n_measures; m++) {
        c[n++] = (struct column){COLUMN_INCLUSIVE, m};
        c[n++] = (struct column){COLUMN_EXCLUSIVE, m};
        if (t->longest != NULL && m < t->n_clocks)
            c[n++] = (struct column){COLUMN_LONGEST, m};
    }
    return n;
}

/* Whether the rows of a group are called by it; of a column that calls none, true. */
static bool is_key_of(enum table_group group, struct str name)
{
    struct column keys[COLUMNS_MAX];
    uint32_t n = put_keys(group, keys);
    bool is_key = false;

    for (unsigned field = COLUMN_CLASS; field <= COLUMN_NAME; field++)
        is_key = is_key || str_eq(name, str_of(NAMES[field]));
    for (uint32_t i = 0; i < n; i++)
        if (str_eq(name, str_of(NAMES[keys[i].field])))
            return true;
    return !is_key;
}

/* False: no profile's table has a column of that name where rows are of this group, with or without longest calls. */
static bool column_may_be(struct str name, enum table_group group, bool longest)
{
    if (str_ends(name, str_of(NAMES[COLUMN_LONGEST])))
        return longest && group != GROUP_THREAD;
    return is_key_of(group, name);
}

/* What rows of a comparison can be sorted by beside the columns: how large changes are. Fills c behind
 * those of columns_of, and returns how many; of other tables 0. */
static uint32_t columns_orders(const struct table *t, struct column *c)
{
    uint32_t n = 0;

    if (t->diff == NULL)
        return 0;
    for (uint32_t v = 0; v < t->diff->n_values; v++) {
        c[n++] = (struct column){COLUMN_INCLUSIVE, v};
        c[n++] = (struct column){COLUMN_EXCLUSIVE, v};
        if (t->diff->has_calls)
            c[n++] = (struct column){COLUMN_PER_CALL, v};
    }
    if (t->diff->has_calls)
        c[n++] = (struct column){COLUMN_CALLS, 0};
    return n;
}

/* Of a column from COLUMN_INCLUSIVE on. */
static struct str value_name(const struct table *t, struct column c)
{
    return t->diff != NULL ? t->diff->values[c.measure].name : t->measures[c.measure].name;
}

void column_name(struct buf *b, const struct table *t, struct column c)
{
    if (c.field >= COLUMN_INCLUSIVE)
        clean_text(b, value_name(t, c));
    buf_z(b, NAMES[c.field]);
}

static bool is_called(const struct table *t, struct column c, struct str name)
{
    struct str own = str_of(NAMES[c.field]), value = {NULL, 0};

    if (c.field >= COLUMN_INCLUSIVE)
        value = value_name(t, c);
    return name.n == value.n + own.n && str_starts(name, value) && str_ends(name, own);
}

/* False: the table has no column of that name. */
static bool column_by_name(const struct table *t, struct str name, struct column *c)
{
    struct column all[COLUMNS_MAX];
    uint32_t n = columns_of(t, all), i = 0;

    n += columns_orders(t, all + n);
    while (i < n && !is_called(t, all[i], name))
        i++;
    if (i < n)
        *c = all[i];
    return i < n;
}

/* Whether its cells are numbers, or empty. */
static bool column_is_number(struct column c)
{
    return c.field == COLUMN_LINE || c.field == COLUMN_TRACK || c.field >= COLUMN_CALLS;
}

static struct cell text_of(struct str text)
{
    return (struct cell){.empty = text.n == 0, .text = text};
}

static struct cell number_of(bool known, uint64_t value)
{
    return (struct cell){.number = true, .empty = !known, .value = {known ? value : 0, false}};
}

static struct cell signed_of(struct net value)
{
    return (struct cell){.number = true, .value = value};
}

/* The method's cells; its row stands for one frame. */
static struct cell frame_cell(const struct table *t, enum column_field field, uint32_t row)
{
    const struct profile_frame *frame = &t->profile->frames[t->frame[row]];

    switch (field) {
    case COLUMN_CLASS:
        return text_of(names_parts(t->names, t->frame[row]).scope);
    case COLUMN_METHOD:
        return text_of(names_parts(t->names, t->frame[row]).name);
    case COLUMN_SIGNATURE:
        return text_of(profile_string(t->profile, frame->signature));
    case COLUMN_FILE:
        return text_of(profile_string(t->profile, frame->file));
    case COLUMN_MODULE:
        return text_of(profile_string(t->profile, frame->module));
    case COLUMN_ORIGIN:
        return text_of(str_of(origin_word((enum origin)names_of(t->names, t->frame[row])->origin)));
    default: /* COLUMN_LINE: no frame has a line */
        return number_of(false, 0);
    }
}

/* The inclusive value by calls; zero where there are none. */
static struct diff_pair diff_per_call(const struct table *t, uint32_t row, uint32_t value)
{
    struct diff_pair whole = diff_inclusive(t, row, value), calls = diff_calls(t, row);

    return (struct diff_pair){calls.a > 0 ? whole.a / calls.a : 0, calls.b > 0 ? whole.b / calls.b : 0, 0};
}

static struct cell diff_cell(const struct table *t, struct column c, uint32_t row)
{
    bool calls = c.field == COLUMN_CALLS_A || c.field == COLUMN_CALLS_B || c.field == COLUMN_CALLS;
    bool inclusive =
        c.field == COLUMN_INCLUSIVE || c.field == COLUMN_INCLUSIVE_A || c.field == COLUMN_INCLUSIVE_B;
    struct diff_pair pair = calls                        ? diff_calls(t, row)
                            : c.field == COLUMN_PER_CALL ? diff_per_call(t, row, c.measure)
                            : inclusive                  ? diff_inclusive(t, row, c.measure)
                                                         : diff_exclusive(t, row, c.measure);
    switch (c.field) {
    case COLUMN_CALLS:
    case COLUMN_INCLUSIVE:
    case COLUMN_EXCLUSIVE:
    case COLUMN_PER_CALL:
        return number_of(true, diff_size(pair));
    case COLUMN_CALLS_A:
    case COLUMN_INCLUSIVE_A:
    case COLUMN_EXCLUSIVE_A:
        return number_of(!calls || t->diff->has_calls, pair.a);
    default:
        return number_of(!calls || t->diff->has_calls, pair.b);
    }
}

struct cell column_cell(const struct table *t, struct column c, uint32_t row)
{
    if (t->diff != NULL && c.field >= COLUMN_CALLS)
        return diff_cell(t, c, row);
    struct table_sums sums = table_sums(t, row);

    switch (c.field) {
    case COLUMN_CALLS:
        return number_of(t->has_calls, sums.calls);
    case COLUMN_RECURSIVE:
        return number_of(t->has_calls, sums.recursive);
    case COLUMN_INCLUSIVE:
        return signed_of(table_net(t, sums.inclusive, c.measure));
    case COLUMN_EXCLUSIVE:
        return signed_of(table_net(t, sums.exclusive, c.measure));
    case COLUMN_LONGEST:
        return number_of(true, t->longest[(size_t)row * t->n_clocks + c.measure]);
    case COLUMN_TRACK:
        return number_of(true, t->profile->tracks[t->tracks[row]].id);
    case COLUMN_NAME:
    case COLUMN_PACKAGE:
        return text_of(table_name(t, row));
    default:
        return frame_cell(t, c.field, row);
    }
}

struct net column_shown(const struct table *t, struct column c, struct net value)
{
    if (c.field < COLUMN_INCLUSIVE)
        return value;
    enum unit unit = t->diff != NULL ? t->diff->values[c.measure].unit : t->measures[c.measure].unit;

    return unit == UNIT_NS ? net_divided(value, NS_PER_US) : value;
}

/* ---- rows that are asked for ---- */

/* Which rows of the table are shown, and in which order. */

/* The name of the sort column, without the direction; empty: it is the usual one. */
static struct str table_sort_name(const struct table_request *request)
{
    struct str name = str_of(request->sort);
    bool reversed = name.n > 1 && name.p[0] == '-';

    return reversed ? str_from(name, 1) : name;
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
