/* Calls at a time, on one thread of their own. What is called is under the lock of all timers: it should
 * do no more than wake somebody, and must not set or clear a timer. Any thread. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct timers;

/* Zero but for `due` before its first use. Its memory is the owner's, who clears it before that ends. */
struct timer {
    void (*due)(struct timer *t);
    /* protected by the lock of the timers */
    struct timer *next;
    int64_t at_ms; /* monotonic */
    bool is_set;
};

struct timers *timers_new(void); /* NULL: no memory or no thread */
/* No timer may be set any more; NULL is fine. */
void timers_free(struct timers *all);

/* Calls due(t) once, at that time or soon after, unless it is cleared before; one that is set already is set anew. */
void timer_set(struct timers *all, struct timer *t, int64_t at_ms);
/* When this returns, due(t) is not being called, and will not be. */
void timer_clear(struct timers *all, struct timer *t);
