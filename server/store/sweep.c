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
    /* Constant. */
    const struct config *config;
    struct store *store;
    const struct log *log;
    pthread_t thread;

    /* Used by the sweep's thread only. */
    unsigned seen;     /* objects so far; a pause follows every BATCH of them */
    bool disk_is_full; /* This sweep was called for by a full disk: it makes no pauses. */

    /* Protected by lock. */
    pthread_mutex_t lock;
    pthread_cond_t wake;  /* the sweep's thread: `stop` or `full` was set */
    pthread_cond_t swept; /* those who wait for room: a sweep for a full disk has ended */
    uint64_t view_bytes;  /* on the disk, with those that are being written */
    bool views_due;       /* They are close to their limit, or at it. */
    bool stop;
    bool full;      /* A write has found the disk full since the last sweep for that began. */
    bool sweeping;  /* A sweep for a full disk is under way. */
    bool made_room; /* The last sweep for a full disk has removed something. */
    int64_t
        not_full_before_ms; /* A full disk is not swept again before this time: the last sweep found nothing. */
};

/* Waits until this time (monotonic) or until the condition is signalled; under the lock. */
static void wait_until(struct sweep *w, pthread_cond_t *condition, int64_t until_ms)
{
    struct timespec until = {.tv_sec = (time_t)(until_ms / 1000), .tv_nsec = until_ms % 1000 * 1000000};

    pthread_cond_timedwait(condition, &w->lock, &until);
}

/* Whether a sweep for a full disk should begin now; under the lock. */
static bool full_due(const struct sweep *w)
{
    return w->full && clock_ms() >= w->not_full_before_ms;
}

/* Called by the store, on any thread: a write has found the disk full. */
static void disk_full(void *context)
{
    struct sweep *w = context;

    pthread_mutex_lock(&w->lock);
    w->full = true;
    pthread_cond_signal(&w->wake);
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

/* Asked before each object. An ordinary sweep pauses after each batch, so that requests have the disk in between; it ends at
 * once when a sweep for a full disk is due. */
static bool go_on(void *context)
{
    struct sweep *w = context;
    bool pause = !w->disk_is_full && ++w->seen % BATCH == 0;

    pthread_mutex_lock(&w->lock);
    int64_t until_ms = pause ? clock_ms() + PAUSE_MS : 0;
    while (pause && !w->stop && !full_due(w) && clock_ms() < until_ms)
        wait_until(w, &w->wake, until_ms);
    bool end = w->stop || (!w->disk_is_full && full_due(w));
    pthread_mutex_unlock(&w->lock);
    return !end;
}

/* So that a burst of views finds room while the sweep begins. */
static uint64_t early(uint64_t most)
{
    return most - most / 16;
}

bool sweep_take_view_room(struct sweep *w, uint64_t bytes)
{
    if (w == NULL)
        return true;
    uint64_t most = w->config->view_cache_bytes, more = sweep_on_disk(bytes);
    pthread_mutex_lock(&w->lock);
    bool fits = more <= most && w->view_bytes <= most - more;
    if (fits)
        w->view_bytes += more;
    /* A view that never fits is no reason to sweep. */
    if (more <= most && (!fits || w->view_bytes > early(most))) {
        w->views_due = true;
        pthread_cond_signal(&w->wake);
    }
    pthread_mutex_unlock(&w->lock);
    return fits;
}

void sweep_give_view_room(struct sweep *w, uint64_t bytes)
{
    if (w == NULL)
        return;
    pthread_mutex_lock(&w->lock);
    uint64_t more = sweep_on_disk(bytes);
    w->view_bytes -= more < w->view_bytes ? more : w->view_bytes;
    pthread_mutex_unlock(&w->lock);
}

static bool count_view(void *sweep, const struct store_object *object)
{
    ((struct sweep *)sweep)->view_bytes += sweep_on_disk(object->bytes);
    return true;
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

/* What was written during the sweep may have been counted by it, and is counted again: never too little. */
static void settle_views(struct sweep *w, uint64_t before, const struct sweep_done *done)
{
    pthread_mutex_lock(&w->lock);
    uint64_t written = w->view_bytes > before ? w->view_bytes - before : 0;
    if (!w->stop)
        w->view_bytes = done->kept_bytes + written;
    pthread_mutex_unlock(&w->lock);
}

/* False if nothing was removed. */
static bool sweep_once(struct sweep *w, bool full, bool views_only)
{
    int64_t begun_ms = clock_ms();
    uint64_t most = w->config->view_cache_bytes;
    /* Views that find no room may be large: enough is swept for a quarter of the limit. */
    struct sweep_plan plan = {.now_s = (int64_t)time(NULL),
                              .view_bytes_most = views_only ? most - most / 4 : most,
                              .full = full,
                              .views_only = views_only,
                              .go_on = go_on,
                              .context = w};

    w->disk_is_full = full;
    pthread_mutex_lock(&w->lock);
    uint64_t before = w->view_bytes;
    pthread_mutex_unlock(&w->lock);
    struct sweep_done done = sweep_pass(w->store, w->log, &plan);
    settle_views(w, before, &done);
    report(w, &done, full, clock_ms() - begun_ms);
    return done.expired + done.forgotten + done.refs + done.blobs + done.views > 0;
}

/* Sleeps until the next sweep is due; under the lock. */
static void wait_for_turn(struct sweep *w, int64_t next_ms)
{
    while (!w->stop && !full_due(w) && !w->views_due && clock_ms() < next_ms)
        wait_until(w, &w->wake, w->full && w->not_full_before_ms < next_ms ? w->not_full_before_ms : next_ms);
}

/* One sweep; the lock is held but for the sweep itself. If a full disk has nothing that can be removed, the next sweep for it
 * waits a while, so that a disk that others have filled does not keep the thread busy. */
static void sweep_in_turn(struct sweep *w, bool views_only)
{
    bool full = full_due(w);

    w->views_due = false;
    w->full = w->full && !full;
    w->sweeping = full;
    pthread_mutex_unlock(&w->lock);
    bool removed = sweep_once(w, full, views_only && !full);
    pthread_mutex_lock(&w->lock);
    if (!full)
        return;
    /* Writes that found the disk full during the sweep (its own tombstones, too) did so before the room was made. */
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
    int64_t next_ms = 0;
    while (!w->stop) {
        bool ordinary = clock_ms() >= next_ms;
        if (ordinary)
            next_ms = clock_ms() + interval_ms;
        sweep_in_turn(w, !ordinary);
        wait_for_turn(w, next_ms);
    }
    pthread_mutex_unlock(&w->lock);
    return NULL;
}

static void free_sweep(struct sweep *w)
{
    store_on_full(w->store, NULL, NULL);
    pthread_cond_destroy(&w->swept);
    pthread_cond_destroy(&w->wake);
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
    pthread_cond_init(&w->wake, &attributes);
    pthread_cond_init(&w->swept, &attributes);
    pthread_condattr_destroy(&attributes);
    store_on_full(store, disk_full, w);
    /* Those of an earlier run. What cannot be listed is counted by the first sweep. */
    enum store_result listed = store_list(store, "views/", count_view, w);
    (void)listed;
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
    pthread_cond_signal(&w->wake);
    pthread_mutex_unlock(&w->lock);
    pthread_join(w->thread, NULL);
    free_sweep(w);
}
