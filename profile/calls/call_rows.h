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
#ifndef PROFILE_CALLS_CALL_ROWS_H
#define PROFILE_CALLS_CALL_ROWS_H

#include "core/arena.h"
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
    /* With a filter: depth counts the shown frames among the calls that are open, see span.h. */
    bool nested;
    /* Is told of each row. False ends the replay. */
    bool (*row)(void *context, const struct call_row *row);
    void *context;
};

struct call_rows;

/* Lives in the arena; NULL when it gives no more. */
struct call_rows *call_rows_new(struct arena *arena, const struct call_rows_request *request,
                                struct hash_seed seed) __attribute__((warn_unused_result));
struct replay_sink call_rows_replay(struct call_rows *s);

#endif
