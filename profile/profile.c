#include "profile/profile.h"

#include <stdlib.h>

uint32_t profile_value_by_role(const struct profile *p, enum profile_role role)
{
    uint32_t i = 0;

    while (i < p->n_values && p->values[i].role != role)
        i++;
    return i;
}

uint32_t profile_value_by_name(const struct profile *p, struct str name)
{
    uint32_t i = 0;

    while (i < p->n_values && !str_eq(p->values[i].name, name))
        i++;
    return i;
}

bool profile_waits(const struct profile *p, uint32_t *wall, uint32_t *cpu)
{
    *wall = profile_value_by_role(p, ROLE_WALL);
    *cpu = profile_value_by_role(p, ROLE_CPU);
    return *wall < p->n_values && *cpu < p->n_values && p->values[*wall].unit == UNIT_NS &&
           p->values[*cpu].unit == UNIT_NS && profile_value_by_name(p, STR("waiting")) == p->n_values;
}

const struct profile_track *profile_track_by_id(const struct profile *p, uint32_t id)
{
    uint32_t lo = 0, hi = p->n_tracks;

    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (p->tracks[mid].id < id)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < p->n_tracks && p->tracks[lo].id == id ? &p->tracks[lo] : NULL;
}

uint32_t profile_weight_value(const struct profile *p)
{
    uint32_t cpu = profile_value_by_role(p, ROLE_CPU);

    return cpu < p->n_values ? cpu : 0;
}

/* For qsort_r: the heavier track first. Ids are unique, so the order is the same everywhere. */
static int by_weight(const void *a, const void *b, void *profile)
{
    const struct profile *p = profile;
    const struct profile_track *ta = &p->tracks[*(const uint32_t *)a], *tb = &p->tracks[*(const uint32_t *)b];
    uint32_t weight = profile_weight_value(p);
    uint64_t wa = profile_total(p, ta->first, weight), wb = profile_total(p, tb->first, weight);

    if (wa != wb)
        return wa > wb ? -1 : 1;
    return ta->id < tb->id ? -1 : ta->id > tb->id;
}

void profile_tracks_by_weight(const struct profile *p, uint32_t *order)
{
    for (uint32_t i = 0; i < p->n_tracks; i++)
        order[i] = i;
    if (p->n_tracks > 0)
        qsort_r(order, p->n_tracks, sizeof(*order), by_weight, (void *)(uintptr_t)p);
}

struct str profile_fact(const struct profile *p, struct str name)
{
    for (uint32_t i = 0; i < p->n_facts; i++)
        if (str_eq(p->facts[i].name, name))
            return p->facts[i].value;
    return STR("");
}
