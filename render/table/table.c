#include "render/table/table.h"

struct table_sums table_sums(const struct table *t, uint32_t row)
{
    const uint64_t *sums = t->sums + row * table_stride(t);
    const uint64_t *calls = sums + 2u * t->n_measures;

    return (struct table_sums){sums, sums + t->n_measures, calls[0], calls[1]};
}

struct str table_name(const struct table *t, uint32_t row)
{
    if (t->frame == NULL)
        return profile_string(t->profile, t->profile->tracks[t->tracks[row]].name);
    return groups_name(t->names, t->group, t->frame[row]);
}

uint32_t table_measure(const struct table *t, struct str name)
{
    uint32_t m = 0;

    while (m < t->n_measures && !str_eq(measure_key(t->measures[m].name), name))
        m++;
    return m;
}
