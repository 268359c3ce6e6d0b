/* All calls of a profile, one by one, each told when it has ended: made by reading the profile's bytes a second time.
 *
 *     sink = call_rows_new(&arena, &request);
 *     builder_watch(reader.builder, call_rows_watcher(sink));      before the first byte
 *     reader_feed .. reader_finish                                 the same bytes, from the beginning
 *     ok = call_rows_done(sink);
 *
 * The order is that of the ends: a call comes behind all that it called. Threads take turns as in the file; calls that are
 * never left come last, thread by thread, the innermost first. So only what is open is in memory, however many calls there
 * are.
 *
 * Under filters a call has a row if its frame is shown in the stacks of the filtered profile that it took part in; its self is what
 * this frame has there of it, and its depth counts the frames that are shown. What re-roots has to be known beforehand for
 * that: see call_roots.h. */
#ifndef PROFILE_CALLS_CALL_ROWS_H
#define PROFILE_CALLS_CALL_ROWS_H

#include "core/arena.h"
#include "profile/calls/call_roots.h"
#include "profile/calls/span.h"
#include "profile/calls/window.h"
#include "profile/filter/filter.h"
#include "profile/profile.h"
#include "profile/watcher.h"

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
    const struct profile *profile; /* of the first reading, timed; outlives the sink */
    const uint32_t *tracks;        /* that count: indexes of profile->tracks, ascending */
    uint32_t n_tracks;
    bool open_to_end; /* calls that are never left last up to the trace's last record, on the wall clock */
    const struct window *window; /* NULL: all; else only calls are told that were entered in it, whole */
    const struct filter_stacks *filter; /* of the profile; NULL: none */
    const struct call_roots *roots;     /* of each of `tracks`; only with a filter */
    bool
        nested; /* with a filter: depth counts the shown frames among the calls that are open, see span_rows.h */
    /* Is told of each row. False ends the reading. */
    bool (*row)(void *context, const struct call_row *row);
    void *context;
};

struct call_rows;

/* Lives in the arena; NULL when it gives no more. */
struct call_rows *call_rows_new(struct arena *arena, const struct call_rows_request *request,
                                struct hash_seed seed) __attribute__((warn_unused_result));
struct watcher *call_rows_watcher(struct call_rows *s);
/* Whether all rows were told. False: the arena has given no more, or `row` has ended it. */
bool call_rows_done(const struct call_rows *s);

#endif
