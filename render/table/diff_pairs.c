#include "render/table/diff_pairs.h"

#include "core/clean.h"

enum { NS_PER_US = 1000 };

/* Sorts the few numbers. The median of an even number of runs is the middle of the two in the middle,
 * rounded down. */
static uint64_t median(uint64_t *numbers, uint32_t n, uint64_t *spread)
{
    for (uint32_t i = 1; i < n; i++)
        for (uint32_t k = i; k > 0 && numbers[k] < numbers[k - 1]; k--) {
            uint64_t other = numbers[k];
            numbers[k] = numbers[k - 1];
            numbers[k - 1] = other;
        }
    *spread = numbers[n - 1] - numbers[0];
    uint64_t low = numbers[(n - 1) / 2], high = numbers[n / 2];
    return low + (high - low) / 2;
}

struct diff_pair diff_pair_of_runs(const struct profile_compared *c, const struct compare_scale *scale,
                                   uint32_t base, const uint64_t *of_run)
{
    uint64_t scaled[PROFILE_VALUES_MAX] = {0}, spread_a, spread_b;
    struct diff_pair pair;

    for (uint32_t r = 0; r < compare_runs(c); r++)
        scaled[r] = compare_scaled(scale, base, compare_value(c, base, r), of_run[r]);
    pair.a = median(scaled, c->n_a, &spread_a);
    pair.b = median(scaled + c->n_a, c->n_b, &spread_b);
    pair.spread = spread_a > spread_b ? spread_a : spread_b;
    return pair;
}

uint64_t diff_size(struct diff_pair pair)
{
    return pair.a > pair.b ? pair.a - pair.b : pair.b - pair.a;
}

bool diff_counts(struct diff_pair pair)
{
    return diff_size(pair) > pair.spread;
}

static const struct diff_pair *row_of(const struct table *t, uint32_t row)
{
    return t->diff->pairs + row * (2 * (size_t)t->diff->n_values + 1);
}

struct diff_pair diff_inclusive(const struct table *t, uint32_t row, uint32_t value)
{
    return row_of(t, row)[value];
}

struct diff_pair diff_exclusive(const struct table *t, uint32_t row, uint32_t value)
{
    return row_of(t, row)[t->diff->n_values + value];
}

struct diff_pair diff_calls(const struct table *t, uint32_t row)
{
    return row_of(t, row)[2 * t->diff->n_values];
}

static bool differs_shown(struct diff_pair pair, enum unit unit)
{
    uint64_t unit_size = unit == UNIT_NS ? NS_PER_US : 1;

    return pair.a / unit_size != pair.b / unit_size && diff_counts(pair);
}

/* Whether a number of the row differs, as it is shown, and the change counts. */
static bool diff_differs(const struct table *t, uint32_t row)
{
    for (uint32_t v = 0; v < t->diff->n_values; v++)
        if (differs_shown(diff_inclusive(t, row, v), t->diff->values[v].unit) ||
            differs_shown(diff_exclusive(t, row, v), t->diff->values[v].unit))
            return true;
    return differs_shown(diff_calls(t, row), UNIT_COUNT);
}

bool diff_wants(const struct table *t, uint32_t row)
{
    struct diff_pair own = diff_exclusive(t, row, t->diff->value),
                     whole = diff_inclusive(t, row, t->diff->value);

    if (!t->diff->all && !diff_differs(t, row))
        return false;
    switch (t->diff->only) {
    case ONLY_NEW:
        return whole.a == 0 && whole.b > 0;
    case ONLY_GONE:
        return whole.b == 0 && whole.a > 0;
    case ONLY_MORE:
        return own.b > own.a && diff_counts(own);
    case ONLY_LESS:
        return own.b < own.a && diff_counts(own);
    case ONLY_DIFFERENT:
        break;
    }
    return true;
}

uint32_t diff_value_named(const struct table_diff *d, struct str name)
{
    uint32_t v = 0;

    while (v < d->n_values && !str_eq(d->values[v].name, name))
        v++;
    return v;
}

void diff_list_values(const struct table_diff *d, struct buf *b)
{
    for (uint32_t i = 0; i < d->n_values; i++) {
        buf_z(b, i == 0 ? "" : ", ");
        clean_text(b, d->values[i].name);
    }
}
