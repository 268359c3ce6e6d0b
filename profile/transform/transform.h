/* The one door from a profile to the profile that a view is drawn from.
 *
 * A transform makes a profile of a profile: the names of a mapping, one moment of a series, the time of frames that were never
 * left, filters, and later windows.
 * Each is one row of the table in transform.c, and a file of its own beside it. For all of them holds:
 *
 * - The result lives in the arena that is given, and shares what did not change with its input, which must outlive it.
 *   The input stays as it is. A transform that changes nothing returns its input.
 * - It keeps tracks, warnings and facts. Where it makes a warning untrue, it puts a true one in its place.
 * - What is asked of it is part of the view's options, whose canonical text is in every cache key; of symbols and mappings it is
 *   part of what a profile is made from, which is so, too. Anything else here would mix up cached views.
 * - Views see one profile, and do not ask where it came from. */
#ifndef PROFILE_TRANSFORM_TRANSFORM_H
#define PROFILE_TRANSFORM_TRANSFORM_H

#include "core/arena.h"
#include "profile/filter/filter.h"
#include "profile/mapping/mapping_apply.h"
#include "profile/symbols/symbols.h"
#include "profile/transform/moment.h"

/* What is asked of the transforms; all zero: nothing. Symbols and mappings are asked for when a profile is read, before its names are looked
 * at; the rest for each view. */
struct transform_request {
    const struct symbols *symbols;      /* NULL: none; see symbols.h */
    const struct mapping_use *mappings; /* see mapping_apply.h */
    uint32_t n_mappings;
    struct moment_request moment; /* see moment.h */
    bool open_to_end;             /* see open_frames.h */
    struct filter_request filter; /* see filter.h */
};

/* The profile after all transforms that are asked for, in the order of the table; `p` itself if none changes it. NULL when
 * the arena gives no more, or diag is set. */
const struct profile *transform_apply(const struct profile *p, const struct transform_request *request,
                                      struct arena *arena, struct diag *diag)
    __attribute__((warn_unused_result));

#endif
