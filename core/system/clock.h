/* The monotonic clock, for durations and for times to wait until; CLOCK_MONOTONIC. */
#pragma once

#include <pthread.h>
#include <stdint.h>
#include <time.h>

/* A condition whose timed waits end by this clock. */
static inline void clock_condition_init(pthread_cond_t *c)
{
    pthread_condattr_t monotonic;

    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(c, &monotonic);
    pthread_condattr_destroy(&monotonic);
}

/* Waits for the condition, under the lock, until this time at the longest. As all such waits it may end before both. */
static inline void clock_wait_until(pthread_cond_t *c, pthread_mutex_t *lock, int64_t until_ms)
{
    const struct timespec until = {.tv_sec = until_ms / 1000, .tv_nsec = until_ms % 1000 * 1000000};

    pthread_cond_timedwait(c, lock, &until);
}

static inline int64_t clock_us(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

/* Time of a processor that this thread has had. */
static inline int64_t clock_thread_us(void)
{
    struct timespec now;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

static inline int64_t clock_ms(void)
{
    return clock_us() / 1000;
}

static inline int64_t clock_s(void)
{
    return clock_us() / 1000000;
}
