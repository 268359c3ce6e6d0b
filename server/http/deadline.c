#include "server/http/deadline.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "core/system/clock.h"

enum { LOOK_MS = 50 };

struct deadlines {
    pthread_mutex_t lock;
    pthread_cond_t wake;
    pthread_t thread;
    struct deadline *first;
    struct deadlines_handler handler;
    bool stopping;
};

/* Those whose time was over at `now_s`, or simply all. Under the lock. */
static void expire(struct deadlines *d, int64_t now_s, bool all)
{
    for (struct deadline *c = d->first; c != NULL; c = c->next)
        if (all || (c->until_s != 0 && c->until_s < now_s))
            shutdown(c->fd, SHUT_RDWR); /* no close: the descriptor is the library's, which finds it ended */
}

static void look(struct deadlines *d)
{
    for (struct deadline *c = d->first; c != NULL; c = c->next)
        if (c->until_s == 0)
            d->handler.look(c);
}

/* Until the next look: those who have left are to be seen soon, if anybody is there. */
static void sleep_a_moment(struct deadlines *d)
{
    clock_wait_until(&d->wake, &d->lock, clock_ms() + (d->first != NULL ? LOOK_MS : 1000));
}

static void *watch(void *argument)
{
    struct deadlines *d = argument;
    int64_t ticked_s = 0;

    pthread_mutex_lock(&d->lock);
    while (!d->stopping) {
        sleep_a_moment(d);
        int64_t now_s = clock_s();
        expire(d, now_s, false);
        look(d);
        if (now_s == ticked_s)
            continue;
        ticked_s = now_s;
        pthread_mutex_unlock(&d->lock);
        d->handler.tick(d->handler.context);
        pthread_mutex_lock(&d->lock);
    }
    pthread_mutex_unlock(&d->lock);
    return NULL;
}

struct deadlines *deadlines_new(const struct deadlines_handler *handler)
{
    struct deadlines *d = calloc(1, sizeof(*d));

    if (d == NULL)
        return NULL;
    d->handler = *handler;
    pthread_mutex_init(&d->lock, NULL);
    clock_condition_init(&d->wake);
    if (pthread_create(&d->thread, NULL, watch, d) == 0)
        return d;
    pthread_cond_destroy(&d->wake);
    pthread_mutex_destroy(&d->lock);
    free(d);
    return NULL;
}

void deadlines_free(struct deadlines *d)
{
    if (d == NULL)
        return;
    pthread_mutex_lock(&d->lock);
    d->stopping = true;
    pthread_cond_signal(&d->wake);
    pthread_mutex_unlock(&d->lock);
    pthread_join(d->thread, NULL);
    pthread_cond_destroy(&d->wake);
    pthread_mutex_destroy(&d->lock);
    free(d);
}

static int64_t until(uint64_t seconds)
{
    return seconds == 0 ? 0 : clock_s() + (int64_t)seconds;
}

void deadline_add(struct deadlines *d, struct deadline *c, int fd, uint64_t seconds)
{
    pthread_mutex_lock(&d->lock);
    c->fd = fd;
    c->until_s = until(seconds);
    c->previous = NULL;
    c->next = d->first;
    if (d->first != NULL)
        d->first->previous = c;
    d->first = c;
    pthread_mutex_unlock(&d->lock);
}

void deadline_remove(struct deadlines *d, struct deadline *c)
{
    pthread_mutex_lock(&d->lock);
    if (c->previous == NULL)
        d->first = c->next;
    else
        c->previous->next = c->next;
    if (c->next != NULL)
        c->next->previous = c->previous;
    pthread_mutex_unlock(&d->lock);
}

void deadline_set(struct deadlines *d, struct deadline *c, uint64_t seconds)
{
    pthread_mutex_lock(&d->lock);
    c->until_s = until(seconds);
    pthread_mutex_unlock(&d->lock);
}

void deadlines_expire_all(struct deadlines *d)
{
    pthread_mutex_lock(&d->lock);
    expire(d, 0, true);
    pthread_mutex_unlock(&d->lock);
}
