#include "server/views/profiles.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/system/clock.h"
#include "core/system/slots.h"
#include "server/store/store_access.h"

/* One source: first its fold, with those who wait for it; then its profile, with those who use it. An entry exists as long
 * as it has users, or its profile is kept. */
struct profile_entry {
    struct task task;           /* folds */
    struct task_queue queue;    /* its own: folds take turns */
    struct slot_wait slot_wait; /* of the fold, for one of profiles.slots */
    struct profiles *profiles;

    /* Constant. */
    char key[RECORD_SHA256_CHARS + 1]; /* record_source */
    char sha256[RECORD_SHA256_CHARS + 1];
    char member[RECORD_MEMBER_BYTES + 1];
    bool from_spool; /* The asker that began the fold had the bytes; else they are in the store. */

    /* The fold's. */
    struct conversion *conversion; /* NULL: not begun, or ended */
    int from;                      /* what is read, the fold's own descriptor; -1: none is open */
    uint64_t offset;
    int64_t begun_ms;

    /* Under profiles.lock. */
    struct profile_entry *newer, *older;  /* by last use */
    struct shared_profile *profile;       /* NULL: not folded yet */
    struct profile_need *waiting;         /* for the fold, the latest first */
    unsigned users;                       /* needs that wait or use, and the fold until it has ended */
    unsigned waited;                      /* of the users: needs that waited for the fold */
    bool has_slot;                        /* one of profiles.slots is this entry's */
    int64_t used_ms;                      /* monotonic: when it was last asked for or released */
    struct profile_entry *next_forgotten; /* of those that are freed together, when the lock is free */
};

struct profiles {
    const struct service *service;
    struct slots slots; /* `folds` of them; given and taken under the lock only */

    pthread_mutex_t lock; /* of what follows */
    struct profile_entry *newest, *oldest;
    uint64_t bytes; /* of all profiles but the large ones */
    unsigned large; /* how many large ones there are, see is_large */
    struct profile_entry *forgotten;
};

struct profiles *profiles_new(const struct service *service)
{
    struct profiles *p = calloc(1, sizeof(*p));

    if (p == NULL)
        return NULL;
    p->service = service;
    pthread_mutex_init(&p->lock, NULL);
    slots_init(&p->slots, service->config->folds > 0 ? service->config->folds : pool_workers(service->pool),
               0);
    return p;
}

/* ---- the list ---- */

static void link_newest(struct profiles *p, struct profile_entry *e)
{
    e->newer = NULL;
    e->older = p->newest;
    if (p->newest == NULL)
        p->oldest = e;
    else
        p->newest->newer = e;
    p->newest = e;
}

static void unlink_entry(struct profiles *p, struct profile_entry *e)
{
    if (e->newer == NULL)
        p->newest = e->older;
    else
        e->newer->older = e->older;
    if (e->older == NULL)
        p->oldest = e->newer;
    else
        e->older->newer = e->newer;
}

static void mark_used(struct profiles *p, struct profile_entry *e)
{
    unlink_entry(p, e);
    link_newest(p, e);
    e->used_ms = clock_ms();
}

static struct profile_entry *find(const struct profiles *p, const char *key)
{
    struct profile_entry *e = p->newest;

    while (e != NULL && strcmp(e->key, key) != 0)
        e = e->older;
    return e;
}

/* ---- what is kept ---- */

/* Whether it is larger than all that may be kept together. */
static bool is_large(const struct profiles *p, const struct profile_entry *e)
{
    return shared_profile_bytes(e->profile) > p->service->config->profile_cache_bytes;
}

static void set_profile(struct profiles *p, struct profile_entry *e, struct shared_profile *made)
{
    e->profile = made;
    if (is_large(p, e))
        p->large++;
    else
        p->bytes += shared_profile_bytes(made);
}

static void leave_slot(struct profiles *p, struct profile_entry *e)
{
    if (e->has_slot)
        slots_leave(&p->slots);
    e->has_slot = false;
}

/* Takes the entry out of all books. Freeing a large profile takes a while: that is for unlock(). */
static void forget(struct profiles *p, struct profile_entry *e)
{
    unlink_entry(p, e);
    if (e->profile != NULL && is_large(p, e))
        p->large--;
    else if (e->profile != NULL)
        p->bytes -= shared_profile_bytes(e->profile);
    leave_slot(p, e);
    e->next_forgotten = p->forgotten;
    p->forgotten = e;
}

/* Whether a large profile that nobody uses may stay for now. It keeps or takes a slot, since its memory is one of the
 * `workers` folds; it does not if somebody waits for one. */
static bool may_linger(struct profiles *p, struct profile_entry *e)
{
    if (p->service->config->profile_cache_bytes == 0 || clock_ms() - e->used_ms >= PROFILES_LINGER_S * 1000 ||
        slots_wanted(&p->slots))
        return false;
    e->has_slot = e->has_slot || slots_try(&p->slots);
    return e->has_slot;
}

/* Forgets what nobody uses and what may not stay, the least recently used first. */
static void trim(struct profiles *p)
{
    unsigned newer_large = p->large; /* large ones from this entry on */
    struct profile_entry *newer;

    for (struct profile_entry *e = p->oldest; e != NULL; e = newer) {
        newer = e->newer;
        if (p->bytes <= p->service->config->profile_cache_bytes && newer_large == 0)
            return;
        bool folded = e->profile != NULL, large = folded && is_large(p, e);
        newer_large -= large;
        if (!folded || e->users > 0)
            continue;
        bool stays = large ? newer_large == 0 && may_linger(p, e)
                           : p->bytes <= p->service->config->profile_cache_bytes;
        if (!stays)
            forget(p, e);
    }
}

static void lock(struct profiles *p)
{
    pthread_mutex_lock(&p->lock);
}

static void unlock(struct profiles *p)
{
    struct profile_entry *e = p->forgotten;

    p->forgotten = NULL;
    pthread_mutex_unlock(&p->lock);
    while (e != NULL) {
        struct profile_entry *next = e->next_forgotten;
        shared_profile_free(e->profile);
        free(e);
        e = next;
    }
}

void profiles_free(struct profiles *p)
{
    if (p == NULL)
        return;
    lock(p);
    while (p->oldest != NULL)
        forget(p, p->oldest);
    unlock(p);
    slots_free(&p->slots);
    pthread_mutex_destroy(&p->lock);
    free(p);
}

void profiles_tick(struct profiles *p)
{
    lock(p);
    trim(p);
    unlock(p);
}

/* ---- the fold ---- */

/* The fold of this entry is decided: `diag` is why, if there is no profile; `dropped`, if nobody wanted it. */
static void tell_waiting(struct profiles *p, struct profile_entry *e, const struct diag *diag, bool dropped)
{
    struct profile_need *need = e->waiting, *next;

    e->waiting = NULL;
    for (; need != NULL; need = next) {
        next = need->next; /* once its task was submitted, the need may be gone at any moment */
        need->profile = e->profile;
        if (e->profile == NULL) {
            *need->diag = *diag;
            need->dropped = dropped;
            need->entry = NULL;
            e->users--;
            e->waited--;
        }
        pool_submit(p->service->pool, need->queue, need->task);
    }
}

/* A user has left. The slot was for the memory of those who waited for the fold; what they used is counted as kept now. */
static void settle(struct profiles *p, struct profile_entry *e)
{
    if (e->profile == NULL && e->users == 0)
        forget(p, e);
    else if (e->profile != NULL && e->waited == 0 && !is_large(p, e))
        leave_slot(p, e);
    trim(p);
}

/* Opens what is to be read. False: diag. */
static bool begin_reading(const struct profiles *p, struct profile_entry *e, struct diag *diag)
{
    const struct service *s = p->service;
    uint64_t bytes;

    e->begun_ms = clock_ms();
    e->offset = 0;
    if (!e->from_spool)
        e->from = store_access_blob(s->store, s->log, e->sha256, &bytes, diag);
    else if (e->from < 0)
        diag_set(diag, DIAG_BUSY, "too many files are open", "Try again in a moment.",
                 "No descriptor was left to read the upload.");
    if (e->from < 0)
        return false;
    e->conversion = conversion_new(s->config);
    if (e->conversion != NULL)
        conversion_choose(e->conversion, e->member);
    else
        diag_set(diag, DIAG_NO_MEMORY, "out of memory", "Try again later.",
                 "No memory is left to read the upload.");
    return e->conversion != NULL;
}

static void end_reading(struct profile_entry *e)
{
    conversion_abandon(e->conversion);
    e->conversion = NULL;
    if (e->from >= 0)
        close(e->from);
    e->from = -1;
}

/* All that is to be read was fed. NULL: diag. */
static struct shared_profile *end_fold(const struct profiles *p, struct profile_entry *e, struct diag *diag)
{
    const struct service *s = p->service;
    struct shared_profile *made = conversion_finish(e->conversion, e->from, &s->stopping, diag);

    e->conversion = NULL;
    LOG(s->log, LOG_INFO, "folded", LOG_STR("source", str_of(e->key)),
        LOG_STR("from", str_of(e->from_spool ? "spool" : "store")),
        LOG_U64("bytes", made == NULL ? 0 : shared_profile_bytes(made)), LOG_U64("failed", made == NULL),
        LOG_U64("ms", (uint64_t)(clock_ms() - e->begun_ms)));
    return made;
}

/* The next piece. CONVERT_FED: the fold has ended, with *made or diag. */
static enum convert_step fold_piece(const struct profiles *p, struct profile_entry *e,
                                    struct shared_profile **made, struct diag *diag)
{
    const struct service *s = p->service;
    bool open = service_goes_on(s, diag) && (e->conversion != NULL || begin_reading(p, e, diag));
    enum convert_step step =
        open ? conversion_feed_file(e->conversion, e->from, &e->offset, &s->stopping, diag) : CONVERT_FAILED;

    if (step == CONVERT_MORE)
        return step;
    if (step == CONVERT_FED)
        *made = end_fold(p, e, diag);
    end_reading(e);
    return CONVERT_FED;
}

/* Whether somebody waits for the fold. Under the lock. */
static bool is_wanted(const struct profile_entry *e)
{
    for (const struct profile_need *need = e->waiting; need != NULL; need = need->next)
        if (need->wanted == NULL || need->wanted(need))
            return true;
    return false;
}

/* While it waited for its turn or read, somebody may have brought the profile (profiles_put), or all who waited may have
 * left. */
static void run_fold(struct task *task)
{
    struct profile_entry *e = (struct profile_entry *)task; /* its first member */
    struct profiles *p = e->profiles;
    struct shared_profile *made = NULL;
    struct diag diag = {0};

    lock(p);
    bool needed = e->profile == NULL && is_wanted(e);
    unlock(p);
    if (needed && fold_piece(p, e, &made, &diag) == CONVERT_MORE) {
        pool_submit(p->service->pool, &e->queue, task);
        return;
    }
    if (!needed) {
        end_reading(e);
        diag_set(&diag, DIAG_BUSY, "not read to its end", "Try again.", "Nobody waited for it any more.");
    }
    lock(p);
    if (e->profile == NULL && made != NULL) {
        set_profile(p, e, made);
        made = NULL;
    }
    tell_waiting(p, e, &diag, !needed);
    e->users--;
    mark_used(p, e);
    settle(p, e);
    unlock(p);
    shared_profile_free(made);
}

/* Of the slots, under the lock of the profiles. */
static void slot_granted(struct slot_wait *wait)
{
    struct profile_entry *e =
        (struct profile_entry *)((char *)wait - offsetof(struct profile_entry, slot_wait));

    e->has_slot = true;
    pool_submit(e->profiles->service->pool, &e->queue, &e->task);
}

/* A profile that lingers gives its slot to who waits for one. `fd` is the asker's, or -1: the asker may get its profile from
 * somebody else and close it while the fold still reads. */
static void begin_fold(struct profiles *p, struct profile_entry *e, int fd)
{
    e->users++;
    e->from_spool = fd >= 0;
    if (e->from_spool)
        e->from = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    if (!e->from_spool && !slots_wait(&p->slots, &e->slot_wait)) {
        trim(p);
        return;
    }
    e->has_slot = !e->from_spool;
    pool_submit(p->service->pool, &e->queue, &e->task);
}

/* ---- asking ---- */

/* NULL: no memory. */
static struct profile_entry *add_entry(struct profiles *p, const char *key,
                                       const struct profile_source *source)
{
    struct profile_entry *e = calloc(1, sizeof(*e));

    if (e == NULL)
        return NULL;
    e->task.run = run_fold;
    e->queue.task_class = TASK_INPUT;
    e->slot_wait.granted = slot_granted;
    e->profiles = p;
    memcpy(e->key, key, sizeof(e->key));
    snprintf(e->sha256, sizeof(e->sha256), "%s", source->sha256);
    snprintf(e->member, sizeof(e->member), "%s", source->member);
    e->from = -1;
    link_newest(p, e);
    return e;
}

static void no_memory(struct diag *diag)
{
    diag_set(diag, DIAG_NO_MEMORY, "out of memory", "Try again later.",
             "No memory is left to read the upload.");
}

static void use(struct profiles *p, struct profile_entry *e, struct profile_need *need)
{
    mark_used(p, e);
    e->users++;
    need->entry = e;
    need->profile = e->profile;
    need->waited = e->profile == NULL;
    need->dropped = false;
    if (!need->waited)
        return;
    e->waited++;
    need->next = e->waiting;
    e->waiting = need;
}

bool profiles_get(struct profiles *p, const struct profile_source *source, struct profile_need *need)
{
    char key[RECORD_SHA256_CHARS + 1];

    need->profile = NULL;
    need->entry = NULL;
    record_source(source->sha256, source->member, key);
    if (key[0] == '\0') {
        no_memory(need->diag);
        return true;
    }
    lock(p);
    struct profile_entry *e = find(p, key);
    bool begins = e == NULL;
    if (begins)
        e = add_entry(p, key, source);
    if (e != NULL)
        use(p, e, need);
    if (e != NULL && begins)
        begin_fold(p, e, source->fd);
    bool decided = e == NULL || !need->waited;
    unlock(p);
    if (e == NULL)
        no_memory(need->diag);
    return decided;
}

bool profiles_put(struct profiles *p, const struct profile_source *source, struct shared_profile *made,
                  struct profile_need *need)
{
    static const struct diag NONE = {0};
    char key[RECORD_SHA256_CHARS + 1];

    need->entry = NULL;
    need->profile = NULL;
    record_source(source->sha256, source->member, key);
    LOG(p->service->log, LOG_INFO, "folded", LOG_STR("source", str_of(key)), LOG_STR("from", STR("arrival")),
        LOG_U64("bytes", shared_profile_bytes(made)));
    lock(p);
    struct profile_entry *e = key[0] == '\0' ? NULL : find(p, key);
    if (e == NULL && key[0] != '\0')
        e = add_entry(p, key, source);
    if (e != NULL && e->profile == NULL) {
        set_profile(p, e, made);
        made = NULL;
    }
    if (e != NULL) {
        tell_waiting(p, e, &NONE, false);
        use(p, e, need);
        trim(p);
    }
    unlock(p);
    shared_profile_free(made);
    return e != NULL;
}

void profiles_release(struct profiles *p, struct profile_need *need)
{
    struct profile_entry *e = need->entry;

    need->entry = NULL;
    need->profile = NULL;
    if (e == NULL)
        return;
    lock(p);
    e->users--;
    e->waited -= need->waited;
    mark_used(p, e);
    settle(p, e);
    unlock(p);
}
