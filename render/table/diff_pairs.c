#include "render/table/diff_pairs.h"

#include "core/clean.h"

enum { NS_PER_US = 1000 };

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

struct diff_pair diff_per_call(const struct table *t, uint32_t row, uint32_t value)
{
    struct diff_pair whole = diff_inclusive(t, row, value), calls = diff_calls(t, row);

    return (struct diff_pair){calls.a > 0 ? whole.a / calls.a : 0, calls.b > 0 ? whole.b / calls.b : 0, 0};
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
