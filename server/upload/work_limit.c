#include "server/upload/work_limit.h"

#include <pthread.h>
#include <stdlib.h>

#include "core/system/clock.h"

enum { SECOND_US = 1000000, MB_BYTES = 1000000 };

struct work_limits {
    const struct config *config; /* constant */
    pthread_mutex_t lock;        /* of the list */
    struct work_limit *first;
};

struct work_limits *work_limits_new(const struct config *config)
{
    struct work_limits *all = calloc(1, sizeof(*all));

    if (all == NULL)
        return NULL;
    all->config = config;
    pthread_mutex_init(&all->lock, NULL);
    return all;
}

void work_limits_free(struct work_limits *all)
{
    if (all == NULL)
        return;
    pthread_mutex_destroy(&all->lock);
    free(all);
}

void work_limit_begin(struct work_limits *all, struct work_limit *w, struct stop *stop,
                      const _Atomic uint64_t *bytes)
{
    w->has_clock = pthread_getcpuclockid(pthread_self(), &w->clock) == 0;
    w->from_us = clock_thread_us();
    w->stop = stop;
    w->bytes = bytes;
    pthread_mutex_lock(&all->lock);
    w->next = all->first;
    all->first = w;
    pthread_mutex_unlock(&all->lock);
}

uint64_t work_limit_end(struct work_limits *all, struct work_limit *w)
{
    int64_t us = clock_thread_us() - w->from_us;

    pthread_mutex_lock(&all->lock);
    struct work_limit **at = &all->first;
    while (*at != w)
        at = &(*at)->next;
    *at = w->next;
    pthread_mutex_unlock(&all->lock);
    return us > 0 ? (uint64_t)us : 0;
}

static bool is_beyond(const struct config *c, const struct work_limit *w)
{
    uint64_t mb = atomic_load(w->bytes) / MB_BYTES + 1;
    struct timespec now;

    if (!w->has_clock || clock_gettime(w->clock, &now) != 0)
        return false;
    int64_t us = (int64_t)now.tv_sec * SECOND_US + now.tv_nsec / 1000 - w->from_us;
    /* No product overflows: a key is at most 10^6, and an upload has less than 2^50 bytes. */
    return us > 0 && (uint64_t)us / SECOND_US >= c->work_seconds + mb * c->work_seconds_per_mb;
}

void work_limits_tick(struct work_limits *all)
{
    if (all->config->work_seconds == 0)
        return;
    pthread_mutex_lock(&all->lock);
    for (struct work_limit *w = all->first; w != NULL; w = w->next)
        if (is_beyond(all->config, w))
            stop_ask(w->stop, STOP_WORK);
    pthread_mutex_unlock(&all->lock);
}
