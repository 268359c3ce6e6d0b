/* All calls of a profile, one by one, each told when it has ended: made by replaying the profile's log.
 *
 *     sink = call_rows_new(&arena, &request, seed);
 *     replay(.. in_order, looks_at_self, with call_rows_replay(sink) ..);
 *
 * The order is that of the ends: a call comes behind all that it called. Threads take turns as in the
 * file; calls that are never left come last, thread by thread, the innermost first. So only what is open
 * is in memory, however many calls there are.
 *
 * Under filters a call has a row if its frame is shown in the stacks of the filtered profile that it took
 * part in; its self is what this frame has there of it, and its depth counts the frames that are shown. So
 * a replay with filters goes to the end. */
#pragma once

#include "core/arena.h"
#include "core/hash.h"
#include "profile/calls/span.h"
#include "profile/filter/filter.h"

struct call_row {
    uint32_t track; /* index of profile->tracks */
    frame_id frame;
    uint32_t depth;            /* 1: nothing is shown above it but the track */
    uint64_t begin_ns, end_ns; /* first clock */
    uint64_t self_ns;          /* first clock: less what it called, and is shown */
    uint64_t cpu_ns;           /* the CPU clock, if there is one */
    uint8_t flags;             /* enum span_flag */
};

struct call_rows_request {
    const struct profile *profile; /* that is replayed; outlives the sink */
    bool open_to_end; /* calls that are never left last up to the trace's last record, on the wall clock */
    const struct window *window; /* NULL: all; else only calls are told that were entered in it, whole */
    const struct filter_stacks *filter; /* of the profile; NULL: none */
    /* With a filter: depth counts the shown frames among the calls that are open, see below. */
    bool nested;
    /* Is told of each row. False ends the replay. */
    bool (*row)(void *context, const struct call_row *row);
    void *context;
};

struct call_rows;

/* Lives in the arena; NULL when it gives no more. */
struct call_rows *call_rows_new(struct arena *arena, const struct call_rows_request *request,
                                struct hash_seed seed) MUST_CHECK;
struct replay_sink call_rows_replay(struct call_rows *s);

/* ---- as spans ----
 *
 * Calls in the order of time under filters: the rows above, as spans of one or several tracks.
 *
 * A call is shown from where it began to where it ended, though stacks in between may have been dropped;
 * its self is what its frame has in the filtered profile. It stands below the calls that are open around
 * it and shown, so that calls of one depth never overlap: only recursion=collapse-all makes that deeper
 * than the filtered stack, which it cuts back. */

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
                                struct span_sink *const *sinks) MUST_CHECK;
/* In place of the sinks' own; of a replay of all, since stacks outside of a window decide what calls in it show. */
struct replay_sink span_rows_replay(struct span_rows *s);
