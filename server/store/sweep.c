#include "server/store/sweep.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "core/system/clock.h"
#include "core/system/log.h"
#include "core/system/utc.h"
#include "server/config/config.h"
#include "server/store/record.h"
#include "server/store/store.h"
#include "server/store/sweep_pass.h"

/* ---- trusted time ---- */

static const char KEY[] = "clock/seen";

struct trusted_time trusted_time_begin(struct local *l, int64_t now_ms)
{
    struct trusted_time t = {.seen_s = -1, .at_ms = now_ms, .doubted_from_ms = -1};
    struct store_object seen;
    struct buf text = {0};
    int64_t seen_s;

    if (local_read(l, KEY, UTC_CHARS, &text) == STORE_OK) {
        if (utc_parse(buf_view(&text), &seen_s))
            t.seen_s = seen_s;
        else if (local_look(l, KEY, &seen) == STORE_OK)
            t.seen_s = seen.time_s; /* earlier versions kept an empty object */
    }
    buf_free(&text);
    return t;
}

static int64_t believe(struct trusted_time *t, int64_t wall_s, int64_t now_ms)
{
    *t = (struct trusted_time){.seen_s = wall_s, .at_ms = now_ms, .doubted_from_ms = -1};
    return wall_s;
}

int64_t trusted_time(struct trusted_time *t, int64_t wall_s, int64_t now_ms)
{
    int64_t expected_s = t->seen_s + (now_ms - t->at_ms) / 1000;

    if (t->seen_s < 0 || wall_s <= expected_s + TRUSTED_LEAP_S)
        return believe(t, wall_s, now_ms);
    if (t->doubted_from_ms < 0)
        t->doubted_from_ms = now_ms;
    if (now_ms - t->doubted_from_ms >= TRUSTED_DOUBT_MS)
        return believe(t, wall_s, now_ms);
    return expected_s;
}

enum store_result trusted_time_keep(const struct trusted_time *t, struct local *l)
{
    if (t->seen_s < 0 || t->doubted_from_ms >= 0)
        return STORE_OK;
    /* Not replaced in one step, which takes a sync: a crash in between means that no time was ever seen. */
    enum store_result gone = local_delete(l, KEY);
    if (gone != STORE_OK && gone != STORE_NOT_FOUND)
        return gone;
    return local_put(l, KEY, str_of(UTC_TEXT((int64_t)time(NULL))), LOCAL_EVICTABLE);
}

/* ---- the thread ---- */

enum {
    BATCH = 128,  /* objects, some of which are opened and read */
    PAUSE_MS = 2, /* after a batch */
    NICENESS = 10,
    FULL_PAUSE_MS = 10 * 1000, /* when a full disk was swept and nothing was found to remove */
    ROOM_WAIT_MS = 10 * 1000,
    UNNEEDED_S = 86400, /* What nobody needs goes when it was put so long ago (record.h). */
    BEFORE_START_S =
        5 /* In a directory, so much older than the process is what only an earlier one can have put: nobody else has the
                          store. */
};

struct sweep {
    /* Constant. */
    const struct config *config;
    struct store *store;
    struct kept *kept; /* NULL: nobody counts */
    const struct log *log;
    pthread_t thread;

    /* Used by the sweep's thread only. */
    unsigned seen; /* objects so far; a pause follows every BATCH of them */
    struct sweep_index *index;
    bool disk_is_full; /* This sweep was called for by a full disk: it makes no pauses. */
    struct trusted_time time;
    /* At the first sweep, a Unix time since when no upload was under way; else 0. */
    int64_t not_used_since_s;

    /* Protected by lock. */
    pthread_mutex_t lock;
    pthread_cond_t wake;   /* the sweep's thread: there is something to do */
    pthread_cond_t swept;  /* those who wait for room: a sweep for them has ended */
    uint64_t view_bytes;   /* on the disk, with those that are being written */
    uint64_t upload_bytes; /* likewise */
    uint64_t removed_views;
    uint64_t room_asked,
        room_made; /* how often room for an upload was asked for, and until which time it was made */
    uint64_t view_bytes_coming; /* of these, what is being written: a sweep may not see it */
    uint64_t view_bytes_wanted; /* of the largest view that found no room since the last sweep began */
    bool views_due;             /* They are close to their limit, or at it. */
    bool stop;
    bool full;      /* A write has found the disk full since the last sweep for that began. */
    bool sweeping;  /* A sweep for a full disk is under way. */
    bool made_room; /* The last sweep for a full disk has removed something. */
    /* A full disk is not swept again before this time: the last sweep found nothing. */
    int64_t not_full_before_ms;
    int64_t next_expires_s; /* Unix time when the next upload expires; INT64_MAX: none that is known. */
    int64_t not_expired_before_ms; /* The uploads are not looked through again before this time. */
    int64_t send_ms;               /* What waits for the object store is not sent before this time. */
};

/* A third of the time until what has expired must be gone: for more of it to gather. */
static int64_t grace_ms(const struct sweep *w)
{
    return (int64_t)w->config->delete_within_s * 1000 / 3;
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
    /* Without a limit a sweep of a large store would hold the writer longer than its client waits. */
    while (!w->stop && clock_ms() < until_ms && (w->sweeping || full_due(w)))
        clock_wait_until(&w->swept, &w->lock, until_ms);
    bool made_room = !w->full && !w->sweeping && w->made_room;
    pthread_mutex_unlock(&w->lock);
    return made_room;
}

/* Asked before each object. An ordinary sweep pauses after each batch, so that requests have the disk in
 * between; it ends at once when a sweep for a full disk is due. */
static bool go_on(void *context)
{
    struct sweep *w = context;
    bool pause = !w->disk_is_full && ++w->seen % BATCH == 0;

    pthread_mutex_lock(&w->lock);
    int64_t until_ms = pause ? clock_ms() + PAUSE_MS : 0;
    while (pause && !w->stop && !full_due(w) && clock_ms() < until_ms)
        clock_wait_until(&w->wake, &w->lock, until_ms);
    bool end = w->stop || (!w->disk_is_full && full_due(w));
    pthread_mutex_unlock(&w->lock);
    return !end;
}

/* The counts are estimates: one that went below zero would wrap, and leave no room for ever. */
static void less(uint64_t *sum, uint64_t bytes)
{
    *sum -= bytes < *sum ? bytes : *sum;
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
    uint64_t most = w->config->views_on_disk_bytes, more = sweep_on_disk(bytes);
    pthread_mutex_lock(&w->lock);
    bool fits = more <= most && w->view_bytes <= most - more;
    if (fits) {
        w->view_bytes += more;
        w->view_bytes_coming += more;
    }
    /* A view that never fits is no reason to sweep. */
    if (more <= most && (!fits || w->view_bytes > early(most))) {
        w->views_due = true;
        if (!fits && more > w->view_bytes_wanted)
            w->view_bytes_wanted = more;
        pthread_cond_signal(&w->wake);
    }
    pthread_mutex_unlock(&w->lock);
    return fits;
}

void sweep_view_put(struct sweep *w, uint64_t bytes, bool kept)
{
    if (w == NULL)
        return;
    pthread_mutex_lock(&w->lock);
    less(&w->view_bytes_coming, sweep_on_disk(bytes));
    if (!kept)
        less(&w->view_bytes, sweep_on_disk(bytes));
    pthread_mutex_unlock(&w->lock);
}

/* Copies of what is in an object store lie among the views (store_room). */
static bool take_copy_room(void *sweep, uint64_t bytes)
{
    return sweep_take_view_room(sweep, bytes);
}

static void copy_put(void *sweep, uint64_t bytes, bool kept)
{
    sweep_view_put(sweep, bytes, kept);
}

/* Once: what has expired is removed before it is said that there is no room. */
bool sweep_take_upload_room(struct sweep *w, uint64_t bytes)
{
    if (w == NULL)
        return true;
    uint64_t most = w->config->store_bytes == 0 ? UINT64_MAX : w->config->store_bytes,
             more = sweep_on_disk(bytes), asked = 0;
    int64_t until_ms = clock_ms() + ROOM_WAIT_MS;
    bool fits;
    pthread_mutex_lock(&w->lock);
    for (;;) {
        fits = more <= most && w->upload_bytes <= most - more;
        if (fits || more > most || w->stop || clock_ms() >= until_ms || (asked > 0 && w->room_made >= asked))
            break;
        if (asked == 0) {
            asked = ++w->room_asked;
            pthread_cond_signal(&w->wake);
        }
        clock_wait_until(&w->swept, &w->lock, until_ms);
    }
    if (fits)
        w->upload_bytes += more;
    pthread_mutex_unlock(&w->lock);
    return fits;
}

void sweep_give_upload_room(struct sweep *w, uint64_t bytes)
{
    if (w == NULL)
        return;
    pthread_mutex_lock(&w->lock);
    less(&w->upload_bytes, sweep_on_disk(bytes));
    pthread_mutex_unlock(&w->lock);
}

static bool count_upload(void *bytes, const struct store_object *object)
{
    *(uint64_t *)bytes += sweep_on_disk(object->bytes) / object->shares;
    return true;
}

/* What cannot be listed is not counted. */
static uint64_t count_uploads(struct store *store)
{
    uint64_t bytes = 0;
    enum store_result uploads = store_list(store, "bytes/", count_upload, &bytes),
                      names = store_list(store, "names/", count_upload, &bytes);

    (void)uploads, (void)names;
    return bytes;
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

/* `before` was on the disk for certain when the sweep began. What was written since then may have been
 * counted by the sweep, and is counted again: never too little. */
static void settle_views(struct sweep *w, uint64_t before, const struct sweep_done *done)
{
    pthread_mutex_lock(&w->lock);
    uint64_t written = w->view_bytes > before ? w->view_bytes - before : 0;
    /* One that was cut off, by the end of the service or by a full disk, did not see all views. */
    if (!done->cut_off)
        w->view_bytes = done->kept_bytes + written;
    pthread_mutex_unlock(&w->lock);
}

static void note_expires(struct sweep *w, int64_t expires_s)
{
    if (expires_s < w->next_expires_s)
        w->next_expires_s = expires_s;
}

void sweep_upload_expires(struct sweep *w, int64_t expires_s)
{
    if (w == NULL)
        return;
    pthread_mutex_lock(&w->lock);
    note_expires(w, expires_s);
    pthread_cond_signal(&w->wake);
    pthread_mutex_unlock(&w->lock);
}

/* Says when it begins to doubt the clock: an operator should see why nothing expires. */
static int64_t now_s(struct sweep *w)
{
    bool doubted = w->time.doubted_from_ms >= 0;
    int64_t now = trusted_time(&w->time, (int64_t)time(NULL), clock_ms());

    if (!doubted && w->time.doubted_from_ms >= 0)
        LOG(w->log, LOG_WARN, "clock-doubted",
            LOG_STR("why", STR("it is hours ahead of when it was seen last: the service was stopped for so "
                               "long, or the clock is wrong")),
            LOG_STR("effect", STR("uploads expire when it has stayed so for an hour")));
    return now;
}

/* Uses of objects are told by the clock as it is, whether it is believed or not. */
static int64_t unneeded_before_s(const struct sweep *w)
{
    int64_t before_s = (int64_t)time(NULL) - UNNEEDED_S;

    return before_s > w->not_used_since_s ? before_s : w->not_used_since_s;
}

static void keep_time(struct sweep *w)
{
    enum store_result result = trusted_time_keep(&w->time, store_local(w->store));

    if (result != STORE_OK)
        LOG(w->log, LOG_WARN, "clock-not-kept", LOG_STR("why", str_of(store_reason(result))));
}

/* False if nothing was removed. */
static bool sweep_once(struct sweep *w, bool full, enum sweep_what what, struct sweep_done *done)
{
    int64_t begun_ms = clock_ms();
    uint64_t most = w->config->views_on_disk_bytes;
    struct sweep_plan plan = {.what = what,
                              .now_s = now_s(w),
                              .clock_s = (int64_t)time(NULL),
                              .unneeded_before_s = unneeded_before_s(w),
                              .view_bytes_most = most,
                              .full = full,
                              .go_on = go_on,
                              .believes_index = store_is_remote(w->store),
                              .kept = w->kept,
                              .context = w};

    w->disk_is_full = full;
    pthread_mutex_lock(&w->lock);
    uint64_t before = w->view_bytes, wanted = w->view_bytes_wanted;
    less(&before, w->view_bytes_coming);
    w->view_bytes_wanted = 0;
    pthread_mutex_unlock(&w->lock);
    /* Room for the views that found none, and for a quarter of the limit at least: others follow. */
    if (what == SWEEP_VIEWS)
        plan.view_bytes_most = most - (wanted > most / 4 ? wanted : most / 4);
    *done = sweep_pass(w->store, w->index, w->log, &plan);
    if (what != SWEEP_UPLOADS)
        settle_views(w, before, done);
    if (what == SWEEP_ALL) {
        keep_time(w);
        w->not_used_since_s = done->cut_off ? w->not_used_since_s : 0;
    }
    report(w, done, full, clock_ms() - begun_ms);
    return done->expired + done->forgotten + done->refs + done->blobs + done->views > 0;
}

/* One sweep; the lock is held but for the sweep itself. If a full disk has nothing that can be removed,
 * the next sweep for it waits a while, so that a disk that others have filled does not keep the thread
 * busy. */
static void sweep_in_turn(struct sweep *w, enum sweep_what what)
{
    bool full = full_due(w);
    int64_t expires_s = w->next_expires_s;
    struct sweep_done done;

    if (full)
        what = SWEEP_ALL;
    if (what != SWEEP_UPLOADS)
        w->views_due = false;
    if (what != SWEEP_VIEWS)
        w->next_expires_s = INT64_MAX; /* those that come meanwhile may be overlooked, and are noted */
    w->full = w->full && !full;
    w->sweeping = full;
    pthread_mutex_unlock(&w->lock);
    bool removed = sweep_once(w, full, what, &done);
    pthread_mutex_lock(&w->lock);
    less(&w->upload_bytes, done.blob_bytes);
    /* Others put and remove, too. What is put meanwhile is counted by the next one. */
    if (done.counted && store_is_remote(w->store))
        w->upload_bytes = done.upload_bytes;
    w->removed_views += done.views;
    if (what != SWEEP_VIEWS) {
        note_expires(w, done.cut_off && expires_s < done.next_expires_s ? expires_s : done.next_expires_s);
        w->not_expired_before_ms = clock_ms() + grace_ms(w);
    }
    if (!full)
        return;
    /* Writes that found the disk full during the sweep (its own tombstones, too) did so before the room was made. */
    w->full = w->sweeping = false;
    w->made_room = removed;
    if (!removed)
        w->not_full_before_ms = clock_ms() + FULL_PAUSE_MS;
    pthread_cond_broadcast(&w->swept);
}

struct kept *sweep_kept(struct sweep *w)
{
    return w == NULL ? NULL : w->kept;
}

struct sweep_counts sweep_counts(struct sweep *w)
{
    pthread_mutex_lock(&w->lock);
    const struct sweep_counts counts = {w->upload_bytes, w->view_bytes, w->removed_views};
    pthread_mutex_unlock(&w->lock);
    return counts;
}

/* When the uploads should be looked through for those that have expired, on the monotonic clock. */
static int64_t expiry_due_ms(struct sweep *w)
{
    int64_t now = now_s(w), due_ms = clock_ms();

    if (w->next_expires_s == INT64_MAX)
        return INT64_MAX;
    if (w->next_expires_s > now)
        due_ms += (w->next_expires_s - now) * 1000;
    return due_ms > w->not_expired_before_ms ? due_ms : w->not_expired_before_ms;
}

enum { SEND_PAUSE_MS = 1000, SEND_FAILED_PAUSE_MS = 15 * 60 * 1000 };

/* Whether nobody waits for a sweep; under the lock. */
static bool may_send(const struct sweep *w)
{
    return !w->stop && !full_due(w) && w->room_asked == w->room_made;
}

static bool go_on_sending(void *sweep)
{
    struct sweep *w = sweep;

    pthread_mutex_lock(&w->lock);
    bool may = may_send(w);
    pthread_mutex_unlock(&w->lock);
    return may;
}

/* The object store is not asked more often than it is known to be away. Another failure will not pass so soon; it is also the
 * longest time for which a sweep may be about to remove what it has seen (STORE_WAITS). The lock is held but for the
 * sending. */
static void send_waiting(struct sweep *w)
{
    pthread_mutex_unlock(&w->lock);
    enum store_result result = store_send_waiting(w->store, w->log, go_on_sending, w);
    pthread_mutex_lock(&w->lock);
    bool failed = result != STORE_OK && result != STORE_UNAVAILABLE;
    w->send_ms = clock_ms() + (failed ? SEND_FAILED_PAUSE_MS : SEND_PAUSE_MS);
}

/* For uploads that find no room. */
static void make_upload_room(struct sweep *w)
{
    uint64_t asked = w->room_asked;

    if (expiry_due_ms(w) <= clock_ms())
        sweep_in_turn(w, SWEEP_UPLOADS);
    w->room_made = asked;
    pthread_cond_broadcast(&w->swept);
}

static int64_t earlier(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static void *run(void *sweep)
{
    struct sweep *w = sweep;
    int64_t interval_ms = (int64_t)w->config->sweep_interval_s * 1000, all_due_ms = 0;

    setpriority(PRIO_PROCESS, (id_t)gettid(), NICENESS); /* of this thread only */
    w->time = trusted_time_begin(store_local(w->store), clock_ms());
    pthread_mutex_lock(&w->lock);
    while (!w->stop) {
        int64_t now_ms = clock_ms(), expired_ms = expiry_due_ms(w);
        if (store_waiting(w->store).uploads > 0 && now_ms >= w->send_ms && may_send(w)) {
            send_waiting(w);
        } else if (now_ms >= all_due_ms) {
            all_due_ms = now_ms + interval_ms;
            sweep_in_turn(w, SWEEP_ALL);
        } else if (full_due(w)) {
            sweep_in_turn(w, SWEEP_ALL);
        } else if (w->room_asked > w->room_made) {
            make_upload_room(w);
        } else if (w->views_due) {
            sweep_in_turn(w, SWEEP_VIEWS);
        } else if (now_ms >= expired_ms) {
            sweep_in_turn(w, SWEEP_UPLOADS);
        } else {
            int64_t full_ms = w->full ? w->not_full_before_ms : INT64_MAX;
            int64_t send_ms = store_waiting(w->store).uploads > 0 ? w->send_ms : INT64_MAX;
            clock_wait_until(&w->wake, &w->lock,
                             earlier(earlier(all_due_ms, full_ms), earlier(expired_ms, send_ms)));
        }
    }
    pthread_mutex_unlock(&w->lock);
    keep_time(w);
    return NULL;
}

static void free_sweep(struct sweep *w)
{
    local_on_full(store_local(w->store), NULL, NULL);
    store_keep_copies(w->store, &(const struct store_room){.take = NULL});
    pthread_cond_destroy(&w->swept);
    pthread_cond_destroy(&w->wake);
    pthread_mutex_destroy(&w->lock);
    kept_free(w->kept);
    sweep_index_free(w->index);
    free(w);
}

struct sweep *sweep_start(const struct config *config, struct store *store, const struct log *log)
{
    struct sweep *w = calloc(1, sizeof(*w));

    if (w == NULL)
        return NULL;
    *w = (struct sweep){.config = config, .store = store, .log = log, .next_expires_s = INT64_MAX};
    w->not_used_since_s = store_is_remote(store) ? 0 : (int64_t)time(NULL) - BEFORE_START_S;
    w->index = sweep_index_new();
    w->kept = config->upload_bytes_kept > 0 ? kept_new(config->upload_bytes_kept) : NULL;
    pthread_mutex_init(&w->lock, NULL);
    clock_condition_init(&w->wake);
    clock_condition_init(&w->swept);
    local_on_full(store_local(store), disk_full, w);
    store_keep_copies(store, &(const struct store_room){take_copy_room, copy_put, w});
    /* What an earlier run has left; the counters need no lock before the thread begins. What cannot be
     * listed is counted by the first sweep. */
    enum store_result views = local_list(store_local(store), "views/", count_view, w);
    (void)views;
    if (!store_is_remote(store)) /* which the first sweep counts */
        w->upload_bytes = count_uploads(store);
    if (w->index != NULL && (w->kept != NULL || config->upload_bytes_kept == 0) &&
        pthread_create(&w->thread, NULL, run, w) == 0)
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
