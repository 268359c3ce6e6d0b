/* A window of time: the profile of what happened in [from, to), made by replaying the log of a profile:
 *
 *     sink = window_sink_new(&arena, &scratch, &request);
 *     replay(.. of all tracks, the window, rests, with window_sink_replay(sink) ..);
 *     const struct profile *window = window_sink_finish(sink);
 *
 * Times are those of the first clock, since the trace's start: wall time where it was recorded, else each
 * thread's own CPU time. The rules:
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
#pragma once

#include "core/arena.h"
#include "core/hash.h"
#include "profile/calls/replay.h"

struct window_request {
    const struct profile *profile; /* of the whole; is timed, and outlives the result */
    struct window window;
    struct hash_seed seed;
};

struct window_sink;

/* The result lives in `arena`; what only the replay needs, the sink among it, in `scratch`. NULL when one
 * of them gives no more. */
struct window_sink *window_sink_new(struct arena *arena, struct arena *scratch,
                                    const struct window_request *request) MUST_CHECK;
struct replay_sink window_sink_replay(struct window_sink *s);

/* The profile, which has all tracks of the first one, with its frames, facts and warnings, and times cut
 * to the window. NULL: the arena has given no more. */
const struct profile *window_sink_finish(struct window_sink *s) MUST_CHECK;
