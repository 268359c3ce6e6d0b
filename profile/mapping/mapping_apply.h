/* TRANSFORM: the names of a release build become those of its sources, as mapping.txt files tell them.
 * Names only: times, calls and ids of tracks stay as they were. Frames that get equal names are one, and
 * so are equal stacks. In profiles of samples a method that is known to be made of others only is drawn as
 * the stack that it was inlined from, and one that several methods were given a piece of (an outline) is
 * passed over; in traces of calls each call stays one.
 *
 * It says as facts which mappings these were and how many names they knew ("map_id", "map_hash",
 * "mapped_names", "mappable_names"; of no names nothing is said), and as warnings what is doubtful about it
 * (warning.h). */
#pragma once

#include "profile/mapping/mapping.h"

/* A mapping, and which processes it is of: of that package (`com.foo` and `com.foo:remote`), or of any if
 * it is empty. Of what no process is known is of any. */
struct mapping_use {
    struct mapping *mapping;
    struct str package;
};

/* The profile with names from these mappings, which were read with the names of `p`; of several that know
 * a name, the one that knows more of it, then the first. `p` and the arena must outlive the result, the
 * mappings need not. NULL when the arena, or one of a mapping, gives no more. */
const struct profile *mapping_apply(const struct profile *p, const struct mapping_use *mappings, uint32_t n,
                                    struct arena *arena) MUST_CHECK;
