/* What a view can measure: the values of the profile, and those derived from them. */
#ifndef RENDER_VIEW_MEASURE_H
#define RENDER_VIEW_MEASURE_H

#include "profile/profile.h"

struct measure {
    struct str name, label;
    enum unit unit;
    bool waiting;   /* max(0, value - minus) of each node's self; not a value of the profile */
    uint32_t value; /* index of the profile's value */
    uint32_t minus; /* with `waiting` */
};

enum { MEASURES_MAX = PROFILE_VALUES_MAX + 1 };

/* Fills m with the profile's values, in its order, and "waiting" (wall time minus thread-CPU time) behind
 * them where both are recorded and no value has that name. Returns how many there are. */
uint32_t measures_of(const struct profile *p, struct measure m[MEASURES_MAX]);

/* What view_options.value holds of a name: as much as fits, up to the first NUL. */
struct str measure_key(struct str name);
/* By that key. False if there is none. */
bool measure_by_name(const struct profile *p, const char *name, struct measure *m);

/* About how many samples stand behind sizes and counts that are estimated from samples: a sample stands for `every` bytes, or for
 * one allocation that is larger. Rounded up. */
static inline uint64_t measure_samples(uint64_t bytes, uint64_t count, uint64_t every)
{
    uint64_t n = bytes / every + (bytes % every > 0);

    return count < n ? count : n;
}

/* Of a measure in bytes that is estimated so, the one that counts the same allocations: "unreleased-count" of "unreleased".
 * False if there is none. */
bool measure_counts(const struct profile *p, const struct measure *bytes, struct measure *counts);

static inline uint64_t measure_self(const struct profile *p, const struct measure *m, node_id node)
{
    return m->waiting ? profile_waiting(p, node, m->value, m->minus) : profile_self(p, node, m->value);
}

#endif
