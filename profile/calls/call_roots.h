/* Which frames turn out to enclose all of a track so far: calls that were entered before its first record and left later. Found
 * by reading a profile's bytes a second time, for readings that have to know them from the beginning. */
#ifndef PROFILE_CALLS_CALL_ROOTS_H
#define PROFILE_CALLS_CALL_ROOTS_H

#include "core/arena.h"
#include "profile/profile.h"
#include "profile/watcher.h"

struct call_roots {
    frame_id *frames; /* the first one first */
    size_t n, capacity;
};

struct call_roots_sink;

/* Lives in the arena; NULL when it gives no more. `tracks`: indexes of p->tracks, ascending. */
struct call_roots_sink *call_roots_new(struct arena *arena, const struct profile *p, const uint32_t *tracks,
                                       uint32_t n_tracks) __attribute__((warn_unused_result));
struct watcher *call_roots_watcher(struct call_roots_sink *s);
/* Of each of the tracks, in their order. NULL: the arena has given no more. */
const struct call_roots *call_roots_finish(const struct call_roots_sink *s);

#endif
