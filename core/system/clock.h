/* The monotonic clock, for durations and for times to wait until; CLOCK_MONOTONIC, as conditions that wait by it have it. */
#ifndef CORE_SYSTEM_CLOCK_H
#define CORE_SYSTEM_CLOCK_H

#include <stdint.h>
#include <time.h>

static inline int64_t clock_us(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
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

#endif
