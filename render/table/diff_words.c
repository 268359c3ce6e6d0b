#include "render/table/diff_words.h"

#include "core/clean.h"
#include "core/number.h"
#include "core/order.h"
#include "profile/compare/compare.h"
#include "profile/frame/origin.h"
#include "render/table/diff.h"

enum { DIGITS = 4, NOISE_SHARE = 1000 };

/* The rows of one sentence. */
enum sort {
    OWN_GREW,
    OTHERS_GREW,
    SHRANK,
    NEW,
    GONE,
    NOISE_OF_CALLS,
    NOISE_OF_CLOCK,
    NOISE_OF_SAMPLES,
    SORTS
};

struct found {
    uint32_t rows[DIFF_NAMED_MAX]; /* those that changed most, the most first */
    uint32_t n;                    /* of all */
    uint64_t size;                 /* sum of the changes */
};

struct words {
    const struct table *t;
    uint32_t value, samples; /* samples: the value that counts them, or n_values */
    struct found found[SORTS];
    struct diff_words *says;
};

static struct diff_pair pair_at(const struct words *w, uint32_t row)
{
    return diff_exclusive(w->t, row, w->value);
}

static bool is_small(const struct words *w, uint32_t row)
{
    struct diff_pair total = w->t->diff->total[w->value];
    uint64_t whole = total.a > total.b ? total.a : total.b;

    return diff_size(pair_at(w, row)) < whole / NOISE_SHARE;
}

static bool is_called_seldom(const struct words *w, uint32_t row)
{
    struct diff_pair calls = diff_calls(w->t, row);

    return w->t->diff->has_calls && calls.a < DIFF_NOISE_CALLS && calls.b < DIFF_NOISE_CALLS &&
           is_small(w, row);
}

static bool is_of_clock(const struct words *w, uint32_t row)
{
    struct diff_pair calls = diff_calls(w->t, row);
    uint64_t cost, overhead_ns = w->t->profile->compared->overhead_ns;

    return w->t->diff->values[w->value].unit == UNIT_NS &&
           (__builtin_mul_overflow(calls.a > calls.b ? calls.a : calls.b, overhead_ns, &cost) ||
            diff_size(pair_at(w, row)) <= cost);
}

static bool is_seen_seldom(const struct words *w, uint32_t row)
{
    struct diff_pair samples;

    if (w->samples == w->t->diff->n_values || w->t->diff->has_calls)
        return false;
    samples = diff_exclusive(w->t, row, w->samples);
    return samples.a < DIFF_NOISE_SAMPLES && samples.b < DIFF_NOISE_SAMPLES && is_small(w, row);
}

static enum sort sort_of(const struct words *w, uint32_t row)
{
    struct diff_pair pair = pair_at(w, row), whole = diff_inclusive(w->t, row, w->value);

    if (is_called_seldom(w, row))
        return NOISE_OF_CALLS;
    if (is_of_clock(w, row))
        return NOISE_OF_CLOCK;
    if (is_seen_seldom(w, row))
        return NOISE_OF_SAMPLES;
    if (whole.a == 0)
        return NEW;
    if (whole.b == 0)
        return GONE;
    if (pair.b < pair.a)
        return SHRANK;
    return names_of(w->t->names, w->t->frame[row])->origin == ORIGIN_APP ? OWN_GREW : OTHERS_GREW;
}

static void keep_row(const struct words *w, struct found *f, uint32_t row)
{
    uint32_t kept = f->n < DIFF_NAMED_MAX ? f->n : DIFF_NAMED_MAX, at = kept;
    uint64_t size = diff_size(pair_at(w, row));

    f->n++;
    f->size = number_add(f->size, size);
    while (at > 0 && size > diff_size(pair_at(w, f->rows[at - 1])))
        at--;
    order_insert(f->rows, &kept, DIFF_NAMED_MAX, at, &row, sizeof(row));
}

static void find(struct words *w)
{
    for (uint32_t row = 0; row < w->t->n; row++)
        if (w->t->present[row] && pair_at(w, row).a != pair_at(w, row).b && diff_counts(pair_at(w, row)))
            keep_row(w, &w->found[sort_of(w, row)], row);
}

/* ---- sentences ---- */

/* What is said from here on, up to end_sentence. There are no more sentences than room. */
static struct diff_sentence *begin_sentence(const struct words *w, const struct buf *out)
{
    struct diff_sentence *s = &w->says->list[w->says->n++];

    *s = (struct diff_sentence){.at = out->n};
    return s;
}

static void end_sentence(struct diff_sentence *s, struct buf *out)
{
    s->n = out->n - s->at;
    buf_char(out, '\n');
}

static void put_name(const struct words *w, uint32_t row, struct diff_sentence *s, struct buf *out)
{
    size_t at = out->n;

    clean_text(out, table_name(w->t, row));
    s->methods[s->n_methods++] = (struct diff_mention){at, out->n - at};
}

static void put_calls(const struct words *w, uint32_t row, struct buf *out)
{
    struct diff_pair calls = diff_calls(w->t, row);

    if (!w->t->diff->has_calls)
        return;
    buf_z(out, ", ");
    buf_u64_grouped(out, calls.b);
    buf_z(out, calls.b == 1 ? " call" : " calls");
    if (calls.a == calls.b) {
        buf_z(out, " as before");
    } else {
        buf_z(out, " instead of ");
        buf_u64_grouped(out, calls.a);
    }
}

static void put_rows(const struct words *w, const struct found *f, bool changes, struct diff_sentence *s,
                     struct buf *out)
{
    enum unit unit = w->t->diff->values[w->value].unit;

    for (uint32_t i = 0; i < f->n && i < DIFF_NAMED_MAX; i++) {
        buf_z(out, i == 0 ? " " : "; ");
        put_name(w, f->rows[i], s, out);
        buf_char(out, ' ');
        diff_put_change(out, unit, pair_at(w, f->rows[i]));
        if (!changes)
            continue;
        buf_z(out, " (");
        diff_put_percent(out, pair_at(w, f->rows[i]));
        put_calls(w, f->rows[i], out);
        buf_char(out, ')');
    }
    if (f->n > DIFF_NAMED_MAX) {
        buf_z(out, "; and ");
        buf_u64_grouped(out, f->n - DIFF_NAMED_MAX);
        buf_z(out, " more");
    }
    buf_char(out, '.');
}

static void say_total(const struct words *w, struct buf *out)
{
    const struct diff_value *v = &w->t->diff->values[w->value];
    struct diff_pair total = w->t->diff->total[w->value];
    struct diff_sentence *s = begin_sentence(w, out);

    clean_text(out, v->label);
    buf_z(out, " of B is ");
    buf_value(out, v->unit, total.b, DIGITS);
    if (total.a == total.b || !diff_counts(total)) {
        buf_z(out, total.a == total.b ? ", as much as that of A."
                                      : ", as much as that of A within what its runs differ by.");
        end_sentence(s, out);
        return;
    }
    buf_z(out, ", ");
    buf_value(out, v->unit, diff_size(total), DIGITS);
    buf_z(out, total.b > total.a ? " more than the " : " less than the ");
    buf_value(out, v->unit, total.a, DIGITS);
    buf_z(out, " of A (");
    diff_put_percent(out, total);
    buf_z(out, ").");
    end_sentence(s, out);
}

static void say_sort(const struct words *w, enum sort sort, const char *words, enum diff_only only,
                     struct buf *out)
{
    const struct found *f = &w->found[sort];

    if (f->n == 0)
        return;
    struct diff_sentence *s = begin_sentence(w, out);
    s->only = only;
    buf_z(out, words);
    put_rows(w, f, sort != NEW && sort != GONE, s, out);
    end_sentence(s, out);
}

static void say_noise(const struct words *w, enum sort sort, struct buf *out)
{
    const struct found *f = &w->found[sort];

    if (f->n == 0)
        return;
    struct diff_sentence *s = begin_sentence(w, out);
    buf_printf(out, "Taken for noise, and not named: %u method%s ", f->n, f->n == 1 ? "" : "s");
    switch (sort) {
    case NOISE_OF_CALLS:
        buf_printf(out, "called fewer than %d times, ", DIFF_NOISE_CALLS);
        break;
    case NOISE_OF_CLOCK:
        buf_z(out, "that changed by no more than reading the clock costs, ");
        buf_value(out, UNIT_NS, w->t->profile->compared->overhead_ns, DIGITS);
        buf_z(out, " a call: ");
        break;
    default:
        buf_printf(out, "seen in fewer than %d samples, ", DIFF_NOISE_SAMPLES);
    }
    buf_value(out, w->t->diff->values[w->value].unit, f->size, DIGITS);
    buf_z(out, " together.");
    end_sentence(s, out);
}

static uint32_t find_samples(const struct table *t)
{
    uint32_t v = 0;

    while (v < t->diff->n_values && t->profile->compared->bases[t->diff->base_of[v]].role != ROLE_SAMPLES)
        v++;
    return v;
}

void diff_words(const struct table *t, struct diff_words *says, struct buf *out)
{
    struct words w = {.t = t, .value = t->diff->value, .samples = find_samples(t), .says = says};

    says->n = 0;
    if (t->group != GROUP_METHOD)
        return;
    find(&w);
    say_total(&w, out);
    say_sort(&w, OWN_GREW, "More in own code, exclusive:", ONLY_MORE, out);
    say_sort(&w, OTHERS_GREW, "More elsewhere:", ONLY_MORE, out);
    say_sort(&w, SHRANK, "Less:", ONLY_LESS, out);
    say_sort(&w, NEW, "Only in B:", ONLY_NEW, out);
    say_sort(&w, GONE, "Only in A:", ONLY_GONE, out);
    for (enum sort noise = NOISE_OF_CALLS; noise < SORTS; noise++)
        say_noise(&w, noise, out);
}
