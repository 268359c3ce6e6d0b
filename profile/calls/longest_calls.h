/* A list of calls that keeps those with the largest key: the longest, the first or the last of millions, in the memory of a
 * few. Adding costs the logarithm of the list's size. Knows nothing of replays and tracks. */
#ifndef PROFILE_CALLS_LONGEST_CALLS_H
#define PROFILE_CALLS_LONGEST_CALLS_H

#include "core/arena.h"
#include "profile/profile.h"

struct listed_call {
    uint64_t key;
    uint64_t begin_ns, end_ns;
    uint32_t track; /* as the caller counts them */
    uint32_t depth; /* 1: nothing above it but the track */
    frame_id frame;
    uint8_t flags; /* enum span_flag */
};

struct longest_calls {
    struct listed_call *list; /* a heap with the smallest key on top, until longest_calls_sort */
    uint32_t n, max;
};

/* An empty list of max calls, in the arena. False when it gives no more. */
bool longest_calls_init(struct longest_calls *c, struct arena *arena, uint32_t max)
    __attribute__((warn_unused_result));

/* Equal keys: the earlier call is kept, then that of the smaller track, then the outer one, the shorter one, the one
 * of the smaller frame: so the list does not depend on the order in which calls are added. */
void longest_calls_add(struct longest_calls *c, const struct listed_call *call);

/* The largest key first, equal ones as above. Nothing can be added behind it. */
void longest_calls_sort(struct longest_calls *c);

#endif
