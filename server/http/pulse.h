/* Whether the threads that serve connections still come back from what the library calls them for. A thread
 * that sleeps until a client speaks is well; one that has been within one call for long is not: it waits for a
 * lock that nobody gives, or runs in a circle, and all its connections with it. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>

enum {
    PULSE_THREADS_MAX = 8, /* threads beyond these are not looked at */
    PULSE_STUCK_LOOKS = 10 /* so many looks at one call: it does not come back */
};

/* Zeroed at first. */
struct pulses {
    struct pulse {
        atomic_uint calls; /* begun and ended ones: odd within a call */
        /* of who looks */
        unsigned seen;  /* what `calls` was at the last look */
        unsigned looks; /* that have found the thread in this call */
    } threads[PULSE_THREADS_MAX];
    atomic_uint n;
};

/* Around each call, on the thread that is called. A thread belongs to one struct pulses as long as it lives. */
void pulse_begin(struct pulses *p);
void pulse_end(struct pulses *p);

/* Called once a second, by one thread. False: a thread has been within one call for PULSE_STUCK_LOOKS looks. */
bool pulses_look(struct pulses *p);
