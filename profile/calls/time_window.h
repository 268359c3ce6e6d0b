/* A window of time: [from, to) of the first clock, in ns since the trace's start. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

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

/* What another clock, which goes on by `ticks` while the first one goes from w1 to w2, has gone on by at
 * t; w1 <= t <= w2 and w1 < w2. The product has up to 128 bits, and the quotient is not above `ticks`. */
static inline uint64_t window_gone_on(uint64_t ticks, uint64_t w1, uint64_t w2, uint64_t t)
{
    __extension__ typedef unsigned __int128 u128;

    return (uint64_t)((u128)ticks * (t - w1) / (w2 - w1));
}
