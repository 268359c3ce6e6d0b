#include "render/table/diff.h"

#include <stddef.h>
#include <string.h>

#include "core/clean.h"
#include "core/number.h"
#include "profile/compare/compare.h"
#include "profile/transform/transform.h"
#include "render/table/diff_pairs.h"
#include "render/table/table.h"
#include "render/table/table_format.h"
#include "render/view/input.h"
#include "render/view/view.h"

/* ---- a comparison as a profile of both sides ---- */

void diff_sides_value(struct diff_sides *s, uint32_t value)
{
    struct str name = measure_key(s->in.profile->values[value].name);

    memset(s->view.value, 0, sizeof(s->view.value));
    memcpy(s->view.value, name.p, name.n);
}

bool diff_sides_open(struct diff_sides *s, const struct table *t, const struct render_input *in,
                     struct diag *diag)
{
    static const uint32_t VALUES[] = {
        [WIDE_B] = COMPARE_SIDE_B, [WIDE_A] = COMPARE_SIDE_A, [WIDE_LARGER] = COMPARE_LARGER};
    const struct table_diff *d = t->diff;
    uint32_t calls = d->has_calls ? d->calls_base : in->profile->compared->n_bases;

    *s = (struct diff_sides){*in, *in->view};
    s->in.profile = compare_sides(in->profile, d->base_of[d->value], calls, &d->scale, in->scratch);
    if (s->in.profile == NULL)
        return fail_arena(in->scratch, diag);
    diff_sides_value(s, VALUES[d->wide]);
    if (s->view.palette == COLOURS_ORIGIN)
        s->view.palette = COLOURS_CHANGE;
    return true;
}

/* ---- the comparison ---- */

/* What makes sides comparable that did not do the same amount of work: the numbers of each run are
 * multiplied so that it has as much of something as the first run of A. */
enum diff_normalise {
    NORMALISE_NOT,
    NORMALISE_TOTAL, /* of each value, its total */
    NORMALISE_CALLS, /* calls of a method */
    NORMALISE_TIME   /* time from the first record to the last */
};

enum { QUOTED_BYTES = 60, RUNS_MAX = PROFILE_VALUES_MAX };

struct maker {
    const struct table *table;
    const struct profile_compared *compared;
    struct table_diff *diff;
};

/* ---- what is asked ---- */

/* What is asked for; with NORMALISE_CALLS *method is the id of a method or its text, then of all overloads. */
static enum diff_normalise diff_normalise(const struct diff_request *r, struct str *method)
{
    static const struct str CALLS = STR_INIT("calls:");
    struct str text = str_of(r->normalise);

    *method = STR("");
    if (!str_starts(text, CALLS))
        return str_eq(text, STR("total"))  ? NORMALISE_TOTAL
               : str_eq(text, STR("time")) ? NORMALISE_TIME
                                           : NORMALISE_NOT;
    *method = str_from(text, CALLS.n);
    return NORMALISE_CALLS;
}

/* ---- one number ---- */

/* `numbers`: of each value of the comparison. */
static struct diff_pair pair_of(const struct maker *m, uint32_t base, const uint64_t *numbers)
{
    uint64_t of_run[PROFILE_VALUES_MAX] = {0};

    for (uint32_t r = 0; r < compare_runs(m->compared); r++)
        of_run[r] = numbers[compare_value(m->compared, base, r)];
    return diff_pair_of_runs(m->compared, &m->diff->scale, base, of_run);
}

/* ---- scaling ---- */

static bool is_named(const struct table *t, uint32_t row, struct str name, struct sha256 *h)
{
    char id[TABLE_ID_DIGITS + 1];

    return str_eq(table_name(t, row), name) ||
           (t->group == GROUP_METHOD && table_id(t, row, h, id) && str_eq(str_of(id), name));
}

/* Adds up what the rows of this name were called in each run. False: diag. */
static bool count_calls(const struct maker *m, struct str name, uint64_t *calls, struct diag *diag)
{
    const struct table *t = m->table;
    struct sha256 *h = sha256_new();
    bool found = false;

    if (h == NULL)
        return diag_no_memory(diag, "No memory is left to look for a method.");
    for (uint32_t row = 0; row < t->n; row++) {
        if (!t->present[row] || !is_named(t, row, name, h))
            continue;
        found = true;
        for (uint32_t r = 0; r < compare_runs(m->compared); r++)
            calls[r] = number_add(
                calls[r], table_sums(t, row).exclusive[compare_value(m->compared, m->diff->calls_base, r)]);
    }
    sha256_free(h);
    return found || diag_set(diag, DIAG_USAGE, "no such method",
                             "Name one as the table does, package.Class.method, or by its id.",
                             "normalise=calls:%.*s: no method has this name.",
                             (int)clean_cut(name, QUOTED_BYTES).n, name.p);
}

/* One measure for all values of a run. False: diag. */
static bool scale_by(struct maker *m, const uint64_t *of_run, const char *what, struct diag *diag)
{
    for (uint32_t r = 0; r < compare_runs(m->compared); r++)
        if (of_run[r] == 0)
            return diag_set(diag, DIAG_USAGE, "nothing to scale by", "Leave the option normalise out.",
                            "%s has %s 0 in a profile.", what,
                            m->compared->elapsed_ns == of_run ? "a length of" : "a count of");
    for (uint32_t k = 0; k < m->compared->n_bases; k++) {
        m->diff->scale.reference[k] = of_run[0];
        for (uint32_t r = 0; r < compare_runs(m->compared); r++)
            m->diff->scale.own[compare_value(m->compared, k, r)] = of_run[r];
    }
    return true;
}

static bool set_scale(struct maker *m, const struct diff_request *request, struct diag *diag)
{
    const struct profile_compared *c = m->compared;
    uint64_t calls[RUNS_MAX] = {0};
    struct str method;

    switch (diff_normalise(request, &method)) {
    case NORMALISE_NOT:
        break;
    case NORMALISE_TOTAL:
        for (uint32_t k = 0; k < c->n_bases; k++) {
            m->diff->scale.reference[k] = m->table->total[compare_value(c, k, 0)];
            for (uint32_t r = 0; r < compare_runs(c); r++)
                m->diff->scale.own[compare_value(c, k, r)] = m->table->total[compare_value(c, k, r)];
        }
        break;
    case NORMALISE_TIME:
        return scale_by(m, c->elapsed_ns, "The recording", diag);
    case NORMALISE_CALLS:
        if (!m->diff->has_calls)
            return diag_set(diag, DIAG_USAGE, "nothing to scale by", "Leave the option normalise out.",
                            "normalise=calls: the profiles count no calls.");
        return count_calls(m, method, calls, diag) && scale_by(m, calls, "The method", diag);
    }
    return true;
}

/* ---- the table ---- */

static void find_values(struct maker *m)
{
    const struct profile_compared *c = m->compared;

    for (uint32_t k = 0; k < c->n_bases; k++) {
        if (c->bases[k].role == ROLE_CALLS && !m->diff->has_calls && c->n_bases > 1) {
            m->diff->has_calls = true;
            m->diff->calls_base = k;
            continue;
        }
        m->diff->base_of[m->diff->n_values] = k;
        m->diff->values[m->diff->n_values++] =
            (struct diff_value){c->bases[k].name, c->bases[k].label, c->bases[k].unit};
    }
}

/* The name may have a side behind it. */
static bool choose_value(struct maker *m, struct str name, struct diag *diag)
{
    struct table_diff *d = m->diff;
    size_t side = str_find_last(name, '_');
    struct buf b = {0};

    d->value = name.n == 0 ? 0 : diff_value_named(d, name);
    for (unsigned i = 0; d->value == d->n_values && side < name.n && key_word("wide", i) != NULL; i++)
        if (str_eq(str_from(name, side + 1), str_of(key_word("wide", i)))) {
            d->value = diff_value_named(d, (struct str){name.p, side});
            d->wide = i;
        }
    if (d->value < d->n_values)
        return true;
    diff_list_values(d, &b);
    diag_set(diag, DIAG_USAGE, "no such value", "Name one of its values, or leave the option out.",
             "value=%.*s: the profiles do not share it. They have %.*s.",
             (int)clean_cut(name, QUOTED_BYTES).n, name.p, (int)b.n, b.n > 0 ? b.p : "nothing but calls");
    buf_free(&b);
    return false;
}

static void put_pairs(const struct maker *m, struct diff_pair *pairs)
{
    uint32_t n = m->diff->n_values;

    for (uint32_t row = 0; row < m->table->n; row++, pairs += 2 * (size_t)n + 1) {
        struct table_sums sums = table_sums(m->table, row);
        for (uint32_t v = 0; v < n; v++) {
            pairs[v] = pair_of(m, m->diff->base_of[v], sums.inclusive);
            pairs[n + v] = pair_of(m, m->diff->base_of[v], sums.exclusive);
        }
        if (m->diff->has_calls)
            pairs[2 * n] = pair_of(m, m->diff->calls_base, sums.exclusive);
    }
}

const struct table *diff_new(const struct table *t, const struct diff_request *request, struct arena *arena,
                             struct diag *diag)
{
    struct table *with = arena_alloc(arena, sizeof(*with));
    struct table_diff *diff = arena_alloc(arena, sizeof(*diff));
    struct maker m = {.table = t, .compared = t->profile->compared, .diff = diff};

    if (with == NULL || diff == NULL)
        return NULL;
    find_values(&m);
    diff->all = request->all;
    diff->request = request;
    diff->wide = request->wide;
    diff->only = (enum diff_only)request->only;
    if (!choose_value(&m, str_of(request->value), diag) || !set_scale(&m, request, diag))
        return NULL;
    struct diff_pair *pairs = arena_array(arena, t->n, (2 * (size_t)diff->n_values + 1) * sizeof(*pairs));
    if (pairs == NULL)
        return NULL;
    put_pairs(&m, pairs);
    diff->pairs = pairs;
    for (uint32_t v = 0; v < diff->n_values; v++) {
        diff->total[v] = pair_of(&m, diff->base_of[v], t->total);
        diff->top[v] = pair_of(&m, diff->base_of[v], t->top);
    }
    *with = *t;
    with->diff = diff;
    return with;
}

/* ---- in words ---- */

void diff_put_change(struct buf *b, enum unit unit, struct diff_pair pair)
{
    change_put(b, unit, pair.a, pair.b);
}

void diff_put_percent(struct buf *b, struct diff_pair pair)
{
    change_put_percent(b, pair.a, pair.b);
}

/* ---- formats ---- */

const struct table_format *const DIFF_FORMATS[] = {&TABLE_TSV, &TABLE_CSV, &TABLE_JSON, &DIFF_TXT,
                                                   &DIFF_MD,   &DIFF_SVG,  &DIFF_FOLDED};

const size_t DIFF_FORMATS_COUNT = sizeof(DIFF_FORMATS) / sizeof(*DIFF_FORMATS);

const struct table_format *diff_format_by_name(struct str name)
{
    for (size_t i = 0; i < DIFF_FORMATS_COUNT; i++)
        if (str_eq(name, str_of(DIFF_FORMATS[i]->text.name)))
            return DIFF_FORMATS[i];
    return NULL;
}

bool diff_write(const struct table *t, const struct render_input *in, const struct table_request *request,
                const struct table_format *format, struct buf *out, struct diag *diag)
{
    struct arena *arena = in->scratch;
    struct table_output o = {.table = t, .request = request, .measure = t->diff->value, .arena = arena};

    if (format->draw != NULL)
        return format->draw(t, in, out, diag) && (!out->failed || fail_buf(out, diag));
    if (!table_select(t, request, t->diff->values[t->diff->value].name, &o.selection, arena, diag))
        return false;
    o.n_columns = columns_of(t, o.columns);
    if (!format->write(&o, out))
        return arena->failure != ARENA_OK ? fail_arena(arena, diag)
                                          : diag_no_memory(diag, "No memory is left to write the table.");
    return !out->failed || fail_buf(out, diag);
}
