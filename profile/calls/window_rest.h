/* A window of time without reading it: what is left of the whole without what lies outside of the window. Where most of a recording is in
 * the window, reading what lies outside takes less.
 *
 * It is the same as what window.h makes by reading, since windows that part a trace credit each tick, and count each call, exactly once;
 * but that children of a node may stand in another order. */
#ifndef PROFILE_CALLS_WINDOW_REST_H
#define PROFILE_CALLS_WINDOW_REST_H

#include "profile/calls/window.h"

/* Windows of the same profile, made with window_sink: all in front of the window, and all behind it. NULL: nothing is there. */
struct window_outside {
    const struct profile *before, *behind;
    uint64_t cut; /* calls that an edge of the window cuts */
};

/* The window's profile, as window_sink_finish gives it; `request->profile` has clocks (n_times > 0); no seed is needed. It lives in
 * `arena`, what is needed on the way in `scratch`. NULL: one of them has given no more. */
const struct profile *window_rest(struct arena *arena, struct arena *scratch,
                                  const struct window_request *request, const struct window_outside *outside)
    __attribute__((warn_unused_result));

#endif
