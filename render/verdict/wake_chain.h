/* Why the main thread of a system trace waited for so long: its longest wait within a section, who ended it, and what that thread
 * had done before, which may have waited itself. Each step is a replay of one thread:
 *
 *     chain = wake_chain_new(&arena, p, window);
 *     while (wake_chain_wants(chain, &replay))
 *         replay(.. &replay ..);
 *     chain->n_steps, ..
 *
 * A wait in no section is how a main thread spends its time when there is nothing to do: it is not looked at. */
#pragma once

#include "core/arena.h"
#include "profile/calls/replay.h"

enum { WAKE_STEPS_MAX = 3 };

enum wake_state { WAKE_RUNNING, WAKE_RUNNABLE, WAKE_SLEEPING, WAKE_BLOCKED, WAKE_IO, WAKE_STATES };

/* A time in which a thread neither ran nor could run. */
struct wake_wait {
    uint64_t from_ns, to_ns; /* to_ns is 0: there is none */
    enum wake_state state;   /* what it began with */
    frame_id frame;          /* the innermost section; FRAME_NONE: none */
};

enum wake_waker { WAKE_BY_THREAD, WAKE_BY_INTERRUPT, WAKE_BY_UNKNOWN };

/* Who ended a wait, of the main thread or of the step before. All of it lies within the wait of the main thread. */
struct wake_step {
    enum wake_waker by;
    uint32_t track;  /* WAKE_BY_THREAD: index of profile->tracks */
    frame_id frame;  /* in which section it did so; FRAME_NONE: in none */
    uint64_t ran_ns; /* since its own wait ended, or since the main thread began to wait */
    uint64_t runnable_ns;
    struct wake_wait wait; /* the last one before that */
};

struct wake_chain {
    struct wake_wait wait; /* of the main thread */
    struct wake_step steps[WAKE_STEPS_MAX];
    uint32_t n_steps;

    /* Of wake_chain.c. */
    const struct profile *p;
    const struct window *window; /* waits of the main thread that lie in it; NULL: all */
    uint32_t main, track;        /* index; that is replayed */
    bool begun;
    uint32_t clocks[WAKE_STATES]; /* n_times: none */
    struct window within;         /* of a step: the main thread's wait, up to the waking */
    struct wake_wait at;          /* the wait at hand, up to now; to_ns is 0: the thread does not wait */
    bool in_section;              /* the wait began within a section */
    bool is_over;                 /* the step has come to the waking */
};

/* Lives in the arena; NULL when it gives no more. */
struct wake_chain *wake_chain_new(struct arena *arena, const struct profile *p,
                                  const struct window *window) MUST_CHECK;

/* What is to be replayed next, of its tracks, window and sink; false: nothing more. */
bool wake_chain_wants(struct wake_chain *c, struct replay_request *replay);
