/* The one door from a profile to the profile that a view is drawn from.
 *
 * A transform makes a profile of a profile: the time of frames that were never left, filters, and later names, windows.
 * Each is one row of the table in transform.c, and a file of its own beside it. For all of them holds:
 *
 * - The result lives in the arena that is given, and shares what did not change with its input, which must outlive it.
 *   The input stays as it is. A transform that changes nothing returns its input.
 * - It keeps tracks, warnings and facts. Where it makes a warning untrue, it puts a true one in its place.
 * - What is asked of it is part of the view's options, whose canonical text is in every cache key. A field here without
 *   such an option would mix up cached views.
 * - Views see one profile, and do not ask where it came from. */
#ifndef PROFILE_TRANSFORM_H
#define PROFILE_TRANSFORM_H

#include "core/arena.h"
#include "profile/filter.h"

/* What is asked of the transforms; all zero: nothing. */
struct transform_request {
    bool open_to_end;             /* see open_frames.h */
    struct filter_request filter; /* see filter.h */
};

/* The profile after all transforms that are asked for, in the order of the table; `p` itself if none changes it. NULL when
 * the arena gives no more, or diag is set. */
const struct profile *transform_apply(const struct profile *p, const struct transform_request *request,
                                      struct arena *arena, struct diag *diag)
    __attribute__((warn_unused_result));

#endif
