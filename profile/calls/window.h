/* A window of time: the profile of what happened in [from, to), made by reading the bytes of a profile a second time, with
 * what the first reading found:
 *
 *     sink = window_sink_new(&arena, &scratch, &request);
 *     builder_watch(reader.builder, window_sink_watcher(sink));      before the first byte
 *     reader_feed .. reader_finish                                   the same bytes, from the beginning
 *     const struct profile *window = window_sink_finish(sink);
 *
 * Times are those of the first clock, since the trace's start: wall time where it was recorded, else each thread's own CPU
 * time. The rules:
 *
 * - The time between two records of a thread is on top of its stack. The part of it within the window is credited. Where the
 *   clocks of two neighbouring records are (w1, c1) and (w2, c2), the second clock has at t the value
 *   c1 + floor((c2 - c1)(t - w1) / (w2 - w1)), in ticks; if w1 is w2, all that it went on belongs to w1. So windows that part
 *   a trace credit each tick exactly once, and what they credit adds up to the profile of the whole.
 * - Stacks, re-rooting, names and open frames are those of the whole reading.
 * - A call counts in the window in which it was entered; one that was entered before its thread's first record, in that of this
 *   record. A call that an edge of the window cuts is shown with what lies within, and counted in a warning.
 * - A sample that has a time but no clocks of its own counts in the window of its time, with all its values.
 * - A window in which there is nothing is a profile without stacks, and a warning says so. */
#ifndef PROFILE_CALLS_WINDOW_H
#define PROFILE_CALLS_WINDOW_H

#include "core/arena.h"
#include "core/hash.h"
#include "profile/profile.h"
#include "profile/watcher.h"

#define WINDOW_NO_END UINT64_MAX

struct window {
    uint64_t from_ns, to_ns; /* from < to; WINDOW_NO_END: all from from_ns on */
};

/* Whether a time is in the window. */
static inline bool window_has(const struct window *w, uint64_t ns)
{
    return ns >= w->from_ns && (ns < w->to_ns || w->to_ns == WINDOW_NO_END);
}

/* The time, or the edge of the window that is nearest to it. */
static inline uint64_t window_clip(const struct window *w, uint64_t ns)
{
    return ns < w->from_ns ? w->from_ns : ns > w->to_ns ? w->to_ns : ns;
}

/* What another clock, which goes on by `ticks` while the first one goes from w1 to w2, has gone on by at t; w1 <= t <= w2 and
 * w1 < w2. The product has up to 128 bits, and the quotient is not above `ticks`. */
static inline uint64_t window_gone_on(uint64_t ticks, uint64_t w1, uint64_t w2, uint64_t t)
{
    __extension__ typedef unsigned __int128 u128;

    return (uint64_t)((u128)ticks * (t - w1) / (w2 - w1));
}

struct window_request {
    const struct profile *profile; /* of the first reading; is timed, and outlives the result */
    struct window window;
    struct hash_seed seed;
    uint64_t cut_since_ns; /* only calls that begin from then on are counted as cut; 0: all */
};

struct window_sink;

/* The result lives in `arena`; what only the reading needs, the sink among it, in `scratch`. NULL when one of them gives no
 * more. */
struct window_sink *window_sink_new(struct arena *arena, struct arena *scratch,
                                    const struct window_request *request) __attribute__((warn_unused_result));
struct watcher *window_sink_watcher(struct window_sink *s);

/* The profile, which has all tracks of the first one, with its frames, facts and warnings, and times cut to the window.
 * NULL: the arena has given no more. */
const struct profile *window_sink_finish(struct window_sink *s) __attribute__((warn_unused_result));
/* How many calls an edge of the window cuts; behind the last byte. */
uint64_t window_sink_cut(const struct window_sink *s);

/* What a window's profile has beside its nodes, for window_rest.c too. The tracks of the whole, with times cut to the window, but not yet
 * with nodes and calls of it; NULL: the arena has given no more. */
struct profile_track *window_tracks(struct arena *arena, const struct window_request *request)
    __attribute__((warn_unused_result));
/* Gives `to`, which has its nodes, the warnings of the whole, and what is to be known of the window. False as above. */
bool window_warnings(struct arena *arena, const struct profile *whole, uint64_t cut, struct profile *to)
    __attribute__((warn_unused_result));

#endif
