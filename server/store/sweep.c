#include "server/store/sweep.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "core/system/clock.h"
#include "server/store/sweep_pass.h"

enum {
    BATCH = 128,  /* objects, some of which are opened and read */
    PAUSE_MS = 2, /* after a batch */
    NICENESS = 10,
    FULL_PAUSE_MS = 10 * 1000, /* when a full disk was swept and nothing was found to remove */
    ROOM_WAIT_MS = 10 * 1000
};

struct sweep {
    const struct config *config;
    struct store *store;
    const struct log *log;
    pthread_t thread;
    unsigned batched; /* the thread's own, as .. */
    bool hurried;     /* .. this is: the disk is full */

    pthread_mutex_t lock; /* of these */
    pthread_cond_t told, swept;
    bool stop;
    bool full;      /* somebody found the disk full, .. */
    bool sweeping;  /* .. it is being swept for that, .. */
    bool made_room; /* .. and the last time something was removed */
    int64_t not_full_before_ms;
};

/* Until the time, or until somebody tells something by the condition; under the lock. */
static void wait_until(struct sweep *w, pthread_cond_t *condition, int64_t until_ms)
{
    struct timespec until = {.tv_sec = (time_t)(until_ms / 1000), .tv_nsec = until_ms % 1000 * 1000000};

    pthread_cond_timedwait(condition, &w->lock, &until);
}

/* Somebody found the disk full, and it is not long ago that nothing was found to remove; under the lock. */
static bool full_due(const struct sweep *w)
{
    return w->full && clock_ms() >= w->not_full_before_ms;
}

/* The store's, on any thread. */
static void disk_full(void *context)
{
    struct sweep *w = context;

    pthread_mutex_lock(&w->lock);
    w->full = true;
    pthread_cond_signal(&w->told);
    pthread_mutex_unlock(&w->lock);
}

bool sweep_make_room(struct sweep *w)
{
    int64_t until_ms = clock_ms() + ROOM_WAIT_MS;

    if (w == NULL)
        return false;
    pthread_mutex_lock(&w->lock);
    while (!w->stop && clock_ms() < until_ms && (w->sweeping || full_due(w)))
        wait_until(w, &w->swept, until_ms);
    bool made_room = !w->full && !w->sweeping && w->made_room;
    pthread_mutex_unlock(&w->lock);
    return made_room;
}

/* The plan's: yields after every batch. One that is in no hurry ends for one that is. */
static bool go_on(void *context)
{
    struct sweep *w = context;
    bool pause = !w->hurried && ++w->batched % BATCH == 0;

    pthread_mutex_lock(&w->lock);
    int64_t until_ms = pause ? clock_ms() + PAUSE_MS : 0;
    while (pause && !w->stop && !full_due(w) && clock_ms() < until_ms)
        wait_until(w, &w->told, until_ms);
    bool end = w->stop || (!w->hurried && full_due(w));
    pthread_mutex_unlock(&w->lock);
    return !end;
}

static void report(const struct sweep *w, const struct sweep_done *d, bool full, int64_t ms)
{
    bool nothing = d->expired + d->forgotten + d->refs + d->blobs + d->views + d->broken + d->failed == 0;

    LOG(w->log, nothing ? LOG_DEBUG : LOG_INFO, "swept", LOG_U64("expired", d->expired),
        LOG_U64("forgotten", d->forgotten), LOG_U64("refs", d->refs), LOG_U64("blobs", d->blobs),
        LOG_U64("blob_bytes", d->blob_bytes), LOG_U64("views", d->views),
        LOG_U64("view_bytes", d->view_bytes), LOG_U64("broken", d->broken), LOG_U64("failed", d->failed),
        LOG_U64("disk_full", full), LOG_U64("ms", (uint64_t)ms));
}

/* False if nothing was removed. */
static bool sweep_once(struct sweep *w, bool full)
{
    int64_t begun_ms = clock_ms();
    struct sweep_plan plan = {.now_s = (int64_t)time(NULL),
                              .view_bytes_most = w->config->view_cache_bytes,
                              .full = full,
                              .go_on = go_on,
                              .context = w};

    w->hurried = full;
    struct sweep_done done = sweep_pass(w->store, w->log, &plan);
    report(w, &done, full, clock_ms() - begun_ms);
    return done.expired + done.forgotten + done.refs + done.blobs + done.views > 0;
}

/* Sleeps until the next sweep is due; under the lock. */
static void wait_for_turn(struct sweep *w, int64_t next_ms)
{
    while (!w->stop && !full_due(w) && clock_ms() < next_ms)
        wait_until(w, &w->told, w->full && w->not_full_before_ms < next_ms ? w->not_full_before_ms : next_ms);
}

/* Under the lock, but for the sweep itself. A disk that is full of what is not ours to remove must not keep the thread
 * busy. */
static void sweep_in_turn(struct sweep *w)
{
    bool full = full_due(w);

    w->full = w->full && !full;
    w->sweeping = full;
    pthread_mutex_unlock(&w->lock);
    bool removed = sweep_once(w, full);
    pthread_mutex_lock(&w->lock);
    if (!full)
        return;
    /* Who found it full meanwhile, be it this sweep itself, found it so before the room was made. */
    w->full = w->sweeping = false;
    w->made_room = removed;
    if (!removed)
        w->not_full_before_ms = clock_ms() + FULL_PAUSE_MS;
    pthread_cond_broadcast(&w->swept);
}

static void *run(void *sweep)
{
    struct sweep *w = sweep;
    int64_t interval_ms = (int64_t)w->config->sweep_interval_s * 1000;

    setpriority(PRIO_PROCESS, (id_t)gettid(), NICENESS); /* of this thread only */
    pthread_mutex_lock(&w->lock);
    while (!w->stop) {
        sweep_in_turn(w);
        wait_for_turn(w, clock_ms() + interval_ms);
    }
    pthread_mutex_unlock(&w->lock);
    return NULL;
}

static void free_sweep(struct sweep *w)
{
    store_on_full(w->store, NULL, NULL);
    pthread_cond_destroy(&w->swept);
    pthread_cond_destroy(&w->told);
    pthread_mutex_destroy(&w->lock);
    free(w);
}

struct sweep *sweep_start(const struct config *config, struct store *store, const struct log *log)
{
    struct sweep *w = calloc(1, sizeof(*w));
    pthread_condattr_t attributes;

    if (w == NULL)
        return NULL;
    *w = (struct sweep){.config = config, .store = store, .log = log};
    pthread_mutex_init(&w->lock, NULL);
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&w->told, &attributes);
    pthread_cond_init(&w->swept, &attributes);
    pthread_condattr_destroy(&attributes);
    store_on_full(store, disk_full, w);
    if (pthread_create(&w->thread, NULL, run, w) == 0)
        return w;
    free_sweep(w);
    return NULL;
}

void sweep_stop(struct sweep *w)
{
    if (w == NULL)
        return;
    pthread_mutex_lock(&w->lock);
    w->stop = true;
    pthread_cond_signal(&w->told);
    pthread_mutex_unlock(&w->lock);
    pthread_join(w->thread, NULL);
    free_sweep(w);
}
