/* A profile with moments, as it was at one of them, or what changed from an earlier one to it.
 *
 * A cumulative moment sums all changes up to it. Of a track that has fewer moments it is the last one. An interval has the
 * changes behind the earlier moment only, and so values that go down: they become signed (profile.minus). What a track has no
 * moments for has no changes. Tracks without moments stay as they are. Nodes of which nothing is left, and nothing below them, go. */
#ifndef PROFILE_TRANSFORM_MOMENT_H
#define PROFILE_TRANSFORM_MOMENT_H

#include "core/arena.h"
#include "profile/profile.h"

struct moment_request {
    uint32_t number; /* from 1 in each track; 0: the last one */
    bool interval;
    uint32_t since; /* of an interval, the earlier moment; 0: the one before `number` */
};

/* NULL when the arena gives no more. */
const struct profile *moment_apply(const struct profile *p, const struct moment_request *request,
                                   struct arena *arena) __attribute__((warn_unused_result));

/* What a track has in all at each of its moments, as moment_apply counts it: fills totals[moment * n_values + value], which has
 * n_moments * n_values places. */
void moment_totals(const struct profile *p, const struct profile_track *t, int64_t *totals);

/* The largest number of moments that a track has; 0 of a profile that is no series. */
uint32_t moment_count(const struct profile *p);

#endif
