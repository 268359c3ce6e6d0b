#include "render/table/table.h"

struct table_sums table_sums(const struct table *t, uint32_t row)
{
    const uint64_t *sums = t->sums + row * table_stride(t);
    const uint64_t *calls = sums + 2u * t->n_counted;

    return (struct table_sums){sums, sums + t->n_counted, calls[0], calls[1]};
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

uint64_t table_samples(const struct table *t, uint32_t row, uint32_t measure)
{
    struct measure counts;
    const uint64_t *sums = table_sums(t, row).inclusive;

    if (measure >= t->n_measures || !measure_counts(t->profile, &t->measures[measure], &counts))
        return UINT64_MAX;
    return measure_samples(sums[measure], sums[table_measure(t, counts.name)], t->profile->sampled_bytes);
}
