/* The one way in which work is told to end early. A job owns a struct stop; any thread may ask for the
 * end; the work looks often enough that it ends within 100 ms: after each piece of input, and every few
 * thousand steps of a loop over nodes, records, names or matches.
 *
 * An arena carries the stop of its job (arena.stop). So a loop that allocates nothing can ask, too, and
 * reports the end in the way that it reports a lack of memory:
 *
 *     if (arena_stopped(arena))
 *         return false;                 arena->failure is ARENA_STOPPED
 *
 * and whoever turns the arena's failure into words says why (stop_say). */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "core/diag.h"

enum stop_reason {
    STOP_NONE,
    STOP_LEFT,     /* nobody waits for the result any more */
    STOP_DEADLINE, /* the work has taken longer than it may */
    STOP_WORK,     /* it has taken more of a processor than the size of its input allows */
    STOP_SERVICE   /* the program ends */
};

struct stop {
    _Atomic int reason;       /* enum stop_reason; never set back to STOP_NONE while work goes on */
    const struct stop *above; /* asked, too: the service's own; NULL: there is none. Constant. */
    /* How many others wait for the result; NULL: nobody can. As long as there are any, STOP_LEFT does not
     * count, here and above. Constant. */
    const _Atomic unsigned *others;
    /* For tests: counts how often the stop is asked, and from the time of this number on it says
     * STOP_LEFT; NULL: it does not. Constant. */
    _Atomic unsigned *asked;
    unsigned left_at;
};

/* Any thread. The first reason counts. */
static inline void stop_ask(struct stop *s, enum stop_reason reason)
{
    int none = STOP_NONE;

    atomic_compare_exchange_strong(&s->reason, &none, (int)reason);
}

/* STOP_NONE: go on. NULL is fine: nothing ever stops such work. */
static inline enum stop_reason stop_asked(const struct stop *s)
{
    for (bool wanted = false; s != NULL; s = s->above) {
        int reason = atomic_load_explicit(&s->reason, memory_order_relaxed);
        if (s->asked != NULL &&
            atomic_fetch_add_explicit(s->asked, 1, memory_order_relaxed) + 1 >= s->left_at)
            return STOP_LEFT;
        wanted = wanted || (s->others != NULL && atomic_load_explicit(s->others, memory_order_relaxed) > 0);
        if (reason != STOP_NONE && !(wanted && reason == STOP_LEFT))
            return (enum stop_reason)reason;
    }
    return STOP_NONE;
}

/* Sets diag to say why the work was ended. Always false. */
bool stop_say(const struct stop *s, struct diag *diag);
/* Whether the diag was set because nobody waited any more. */
bool stop_said_left(const struct diag *diag);
