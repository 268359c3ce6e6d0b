/* The one door from a profile to the profile that a view is drawn from.
 *
 * A transform makes a profile of a profile: the names of a mapping, one moment of a series, the time of
 * frames that were never left, filters, and later windows. Each is one row of the table in transform.c,
 * and a file of its own beside it. For all of them holds:
 *
 * - The result lives in the arena that is given, and shares what did not change with its input, which must outlive it.
 *   The input stays as it is. A transform that changes nothing returns its input.
 * - It keeps tracks, warnings and facts. Where it makes a warning untrue, it puts a true one in its place.
 * - What is asked of it is part of the view's options, whose canonical text is in every cache key; of symbols and mappings it is
 *   part of what a profile is made from, which is so, too. Anything else here would mix up cached views.
 * - Views see one profile, and do not ask where it came from. */
#pragma once

#include "core/arena.h"
#include "core/number.h"
#include "profile/filter/filter.h"
#include "profile/mapping/mapping_apply.h"
#include "profile/symbols/symbols.h"

struct moment_request {
    uint32_t number; /* from 1 in each track; 0: the last one */
    bool interval;
    uint32_t since; /* of an interval, the earlier moment; 0: the one before `number` */
};

/* NULL when the arena gives no more. */
const struct profile *moment_apply(const struct profile *p, const struct moment_request *request,
                                   struct arena *arena) MUST_CHECK;

/* What a track has in all at each of its moments, as moment_apply counts it: fills totals[moment *
 * n_values + value], which has n_moments * n_values places. */
void moment_totals(const struct profile *p, const struct profile_track *t, int64_t *totals);

/* The largest number of moments that a track has; 0 of a profile that is no series. */
uint32_t moment_count(const struct profile *p);

/* Calls that are never left have their time up to the last record of their thread. A thread that was
 * sampled, or that waits, may have none for a long time: so the profile can be shown with that wall time,
 * too. */

/* The profile as it is if, in wall time alone, each thread with open frames stays in the innermost of them
 * until the last record of all threads: that frame's self and the totals above it grow, all else is shared
 * with `p`, which must outlive the result. Says so in the warning about open frames. `p` itself if nothing
 * changes; NULL when the arena gives no more. */
const struct profile *open_frames_to_end(const struct profile *p, struct arena *a) MUST_CHECK;

/* TRANSFORM: a comparison as pictures show it. Of one of its bases three values: what A has, what B has,
 * and the larger of the two in each stack; of the calls, if there are any, what A and B have. Numbers of
 * several runs are those of the first run of each side. Scaling is by rational numbers: sums are rounded,
 * not each node, so that the total of every stack is that of the scaled comparison but for one. */

/* Each number of a run is multiplied with reference[base] and divided by own[value of the comparison],
 * unless that is 0. */
struct compare_scale {
    uint64_t reference[PROFILE_VALUES_MAX];
    uint64_t own[PROFILE_VALUES_MAX];
};

/* What a number of that value and base becomes; rounded. */
static inline uint64_t compare_scaled(const struct compare_scale *s, uint32_t base, uint32_t value,
                                      uint64_t number)
{
    uint64_t own = s->own[value], reference = s->reference[base];

    return own == reference || own == 0 ? number : number_ratio(number, own, reference);
}

/* The values, in their order. */
enum { COMPARE_SIDE_A, COMPARE_SIDE_B, COMPARE_LARGER, COMPARE_CALLS_A, COMPARE_CALLS_B };

/* `calls`: a base, or n_bases: there are none. The result shares all but its values with `p`, and also
 * what stands before filters has these values. NULL: the arena gives no more. */
const struct profile *compare_sides(const struct profile *p, uint32_t base, uint32_t calls,
                                    const struct compare_scale *scale, struct arena *a) MUST_CHECK;

/* What is asked of the transforms; all zero: nothing. Symbols and mappings are asked for when a profile is
 * read, before its names are looked at; the rest for each view. */
struct transform_request {
    const struct symbols *symbols;      /* NULL: none; see symbols.h */
    const struct mapping_use *mappings; /* see mapping_apply.h */
    uint32_t n_mappings;
    struct moment_request moment; /* of profiles with a series */
    bool open_to_end; /* frames that are open at the end get the time up to the last record of all */
    struct filter_request filter; /* see filter.h */
};

/* The profile after all transforms that are asked for, in the order of the table; `p` itself if none
 * changes it. NULL when the arena gives no more, or diag is set. */
const struct profile *transform_apply(const struct profile *p, const struct transform_request *request,
                                      struct arena *arena, struct diag *diag) MUST_CHECK;
