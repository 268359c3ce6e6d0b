#include "profile/profile.h"

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

static bool heavier(const struct profile *p, uint32_t a, uint32_t b)
{
    const struct profile_track *ta = &p->tracks[a], *tb = &p->tracks[b];
    uint32_t weight = profile_weight_value(p);
    uint64_t wa = profile_total(p, ta->first, weight), wb = profile_total(p, tb->first, weight);

    if (wa != wb)
        return wa > wb;
    return ta->id < tb->id;
}

/* Heapsort: no recursion, no memory, and the same order everywhere. The heap's top is the lightest. */
static void sift(const struct profile *p, uint32_t *order, uint32_t at, uint32_t n)
{
    for (;;) {
        uint32_t child = 2 * at + 1;
        if (child >= n)
            return;
        if (child + 1 < n && heavier(p, order[child], order[child + 1]))
            child++;
        if (!heavier(p, order[at], order[child]))
            return;
        uint32_t moved = order[at];
        order[at] = order[child];
        order[child] = moved;
        at = child;
    }
}

void profile_tracks_by_weight(const struct profile *p, uint32_t *order)
{
    uint32_t n = p->n_tracks;

    for (uint32_t i = 0; i < n; i++)
        order[i] = i;
    for (uint32_t i = n / 2; i > 0; i--)
        sift(p, order, i - 1, n);
    for (uint32_t end = n; end > 1; end--) {
        uint32_t lightest = order[0];
        order[0] = order[end - 1];
        order[end - 1] = lightest;
        sift(p, order, 0, end - 1);
    }
}

struct str profile_fact(const struct profile *p, struct str name)
{
    for (uint32_t i = 0; i < p->n_facts; i++)
        if (str_eq(p->facts[i].name, name))
            return p->facts[i].value;
    return STR("");
}
