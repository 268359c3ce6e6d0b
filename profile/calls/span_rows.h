/* Calls in the order of time under filters: those that the rows of call_rows.h tell, as spans of one or
 * several tracks.
 *
 * A call is shown from where it began to where it ended, though stacks in between may have been dropped;
 * its self is what its frame has in the filtered profile. It stands below the calls that are open around
 * it and shown, so that calls of one depth never overlap: only recursion=collapse-all makes that deeper
 * than the filtered stack, which it cuts back. */
#ifndef PROFILE_CALLS_SPAN_ROWS_H
#define PROFILE_CALLS_SPAN_ROWS_H

#include "core/hash.h"
#include "profile/calls/call_rows.h"
#include "profile/calls/span.h"

/* What is shown of a profile, and what has to be known for that beforehand. */
struct span_filter {
    const struct profile *profile;
    struct filter_stacks stacks; /* of it */
    const uint32_t *tracks;      /* that count: indexes of profile->tracks, ascending */
    uint32_t n_tracks;
    struct hash_seed seed;
};

struct span_rows;

/* `sinks`: of each of the filter's tracks, what its calls are put into; it outlives this. Lives in the
 * arena; NULL when it gives no more. */
struct span_rows *span_rows_new(struct arena *arena, const struct span_filter *filter, bool open_to_end,
                                struct span_sink *const *sinks) __attribute__((warn_unused_result));
/* In place of the sinks' own; of a replay of all, since stacks outside of a window decide what calls in it show. */
struct replay_sink span_rows_replay(struct span_rows *s);

#endif
