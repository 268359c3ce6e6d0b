#include "core/system/timer.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

#include "core/system/clock.h"

struct timers {
    pthread_mutex_t lock;
    pthread_cond_t wake; /* there is an earlier time, or the end */
    pthread_t thread;
    struct timer *first; /* the earliest */
    bool stopping;
};

static void call_due(struct timers *all)
{
    for (struct timer *t; (t = all->first) != NULL && t->at_ms <= clock_ms();) {
        all->first = t->next;
        t->is_set = false;
        t->due(t);
    }
}

static void *run(void *argument)
{
    struct timers *all = argument;

    pthread_mutex_lock(&all->lock);
    while (!all->stopping) {
        call_due(all);
        if (all->first == NULL)
            pthread_cond_wait(&all->wake, &all->lock);
        else
            clock_wait_until(&all->wake, &all->lock, all->first->at_ms);
    }
    pthread_mutex_unlock(&all->lock);
    return NULL;
}

/* All signals are blocked in the thread: it inherits that. */
static bool start(struct timers *all)
{
    sigset_t every, before;

    sigfillset(&every);
    pthread_sigmask(SIG_SETMASK, &every, &before);
    bool started = pthread_create(&all->thread, NULL, run, all) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return started;
}

struct timers *timers_new(void)
{
    struct timers *all = calloc(1, sizeof(*all));

    if (all == NULL)
        return NULL;
    pthread_mutex_init(&all->lock, NULL);
    clock_condition_init(&all->wake);
    if (start(all))
        return all;
    pthread_cond_destroy(&all->wake);
    pthread_mutex_destroy(&all->lock);
    free(all);
    return NULL;
}

void timers_free(struct timers *all)
{
    if (all == NULL)
        return;
    pthread_mutex_lock(&all->lock);
    all->stopping = true;
    pthread_cond_signal(&all->wake);
    pthread_mutex_unlock(&all->lock);
    pthread_join(all->thread, NULL);
    pthread_cond_destroy(&all->wake);
    pthread_mutex_destroy(&all->lock);
    free(all);
}

static void take_out(struct timers *all, struct timer *t)
{
    struct timer **at = &all->first;

    if (!t->is_set)
        return;
    while (*at != t)
        at = &(*at)->next;
    *at = t->next;
    t->is_set = false;
}

void timer_set(struct timers *all, struct timer *t, int64_t at_ms)
{
    pthread_mutex_lock(&all->lock);
    take_out(all, t);
    struct timer **at = &all->first;
    while (*at != NULL && (*at)->at_ms <= at_ms)
        at = &(*at)->next;
    t->at_ms = at_ms;
    t->next = *at;
    t->is_set = true;
    *at = t;
    if (all->first == t)
        pthread_cond_signal(&all->wake);
    pthread_mutex_unlock(&all->lock);
}

void timer_clear(struct timers *all, struct timer *t)
{
    pthread_mutex_lock(&all->lock);
    take_out(all, t);
    pthread_mutex_unlock(&all->lock);
}
