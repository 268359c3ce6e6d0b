/* How long calls were, one by one: of each row (a method, or a group of methods) the longest, and of one
 * row also how its calls are distributed. Only outermost calls count: those during which no other call of
 * the row is open on the same thread. A profile does not hold them; they are made by replaying its log:
 *
 *     sink = calls_sink_new(&arena, &request);
 *     replay(.. of the same tracks and window, with calls_sink_replay(sink) ..);
 *     const struct calls *calls = calls_sink_finish(sink);
 *
 * Memory grows with threads, methods and the depth of stacks, not with the number of calls. Durations are
 * kept exactly where they are below 128 ns, and else in 128 classes for each power of two: a percentile is
 * the upper end of its class, and so at most 1/128 (0.8 %) above the true one, and never below. All else
 * is exact. */
#pragma once

#include "core/arena.h"
#include "profile/calls/replay.h"
#include "profile/profile.h"

struct calls_sink;

#define CALLS_NO_ROW UINT32_MAX

struct calls_request {
    const struct profile *profile; /* of the first reading; outlives the sink */
    const uint32_t *row_of_frame;  /* by frame; CALLS_NO_ROW: is not looked at. Outlives the sink. */
    uint32_t n_rows;
    const uint32_t *tracks; /* that count: indexes of profile->tracks, ascending */
    uint32_t n_tracks;
    bool open_to_end;   /* calls that are never left last up to the trace's last record, on the wall clock */
    uint32_t looked_at; /* the row whose distribution is wanted, or CALLS_NO_ROW */
    /* NULL: all; else only calls count that were entered in it, as long as they lasted. */
    const struct window *window;
};

enum {
    CALLS_CLOCKS_MAX = PROFILE_CLOCKS_MAX,
    CALLS_LISTED_MAX = 10,
    CALLS_BARS = 59,   /* of a histogram: 0, 1 to 2, 2 to 5, 5 to 10, 10 to 20 ns, ... */
    CALLS_OCTAVES = 58 /* of the classes */
};

struct call {
    uint32_t track; /* index of profile->tracks */
    uint64_t begin_ns;
    uint64_t duration_ns[CALLS_CLOCKS_MAX]; /* by clock */
};

/* How long the outermost calls of a row took, by one clock. */
struct call_durations {
    uint64_t n;
    uint64_t min_ns, max_ns, sum_ns; /* 0 where n is */
    uint64_t bars[CALLS_BARS];       /* calls of at least calls_bar_from(i) ns, and less than the next */
    struct call longest[CALLS_LISTED_MAX]; /* by this clock; equal ones by time and track */
    uint32_t n_longest;
    uint64_t *classes[CALLS_OCTAVES]; /* for calls_percentile */
};

struct calls {
    uint32_t n_clocks;       /* the first so many values of the profile are their times */
    const uint64_t *longest; /* ns, by row and clock: longest[row * n_clocks + clock] */
    struct call_durations looked_at[CALLS_CLOCKS_MAX];
};

/* Lives in the arena; NULL when it gives no more. */
struct calls_sink *calls_sink_new(struct arena *arena, const struct calls_request *request) MUST_CHECK;
struct replay_sink calls_sink_replay(struct calls_sink *s);

/* Slices of time, side by side: a sink of each, with its window, counts the calls that begin there. Adds what one of them found to a
 * sink of the same request, which was told nothing. */
void calls_sink_join(struct calls_sink *s, const struct calls *slice);

/* The sink's own; NULL: the arena has given no more. */
const struct calls *calls_sink_finish(struct calls_sink *s);

/* The least duration that at least `permille` / 1000 of the calls do not pass; see above for how exact. 0
 * without calls. */
uint64_t calls_percentile_ns(const struct call_durations *d, unsigned permille);

/* Where a bar of the histogram begins; UINT64_MAX behind the last one. */
uint64_t calls_bar_from_ns(uint32_t bar);

/* A list of calls that keeps those with the largest key: the longest, the first or the last of millions,
 * in the memory of a few. Adding costs the logarithm of the list's size. Knows nothing of replays and
 * tracks. */

struct listed_call {
    uint64_t key;
    uint64_t begin_ns, end_ns;
    uint32_t track; /* as the caller counts them */
    uint32_t depth; /* 1: nothing above it but the track */
    frame_id frame;
    uint8_t flags; /* enum span_flag */
};

struct longest_calls {
    struct listed_call *list; /* a heap with the smallest key on top, until longest_calls_sort */
    uint32_t n, max;
};

/* An empty list of max calls, in the arena. False when it gives no more. */
bool longest_calls_init(struct longest_calls *c, struct arena *arena, uint32_t max) MUST_CHECK;

/* Equal keys: the earlier call is kept, then that of the smaller track, then the outer one, the shorter one, the one
 * of the smaller frame: so the list does not depend on the order in which calls are added. */
void longest_calls_add(struct longest_calls *c, const struct listed_call *call);

/* The largest key first, equal ones as above. Nothing can be added behind it. */
void longest_calls_sort(struct longest_calls *c);
