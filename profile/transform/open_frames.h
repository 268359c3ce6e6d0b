/* Methods that are never left have their time up to the last record of their thread. A thread that was sampled, or that
 * waits, may have none for a long time: so the profile can be shown with that wall time, too. */
#ifndef PROFILE_TRANSFORM_OPEN_FRAMES_H
#define PROFILE_TRANSFORM_OPEN_FRAMES_H

#include "core/arena.h"
#include "profile/profile.h"

/* The profile as it is if, in wall time alone, each thread with open frames stays in the innermost of them until the last
 * record of all threads: that frame's self and the totals above it grow, all else is shared with `p`, which must outlive
 * the result. Says so in the warning about open frames. `p` itself if nothing changes; NULL when the arena gives no more. */
const struct profile *open_frames_to_end(const struct profile *p, struct arena *a)
    __attribute__((warn_unused_result));

#endif
