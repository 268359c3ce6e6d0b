#include "server/views/profiles.h"

#include <fcntl.h>
#include <stdlib.h>

#include "server/views/profiles_impl.h"

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

void profiles_free(struct profiles *p)
{
    if (p == NULL)
        return;
    profiles_lock(p);
    while (p->oldest != NULL)
        profiles_forget(p, p->oldest);
    profiles_unlock(p);
    slots_free(&p->slots);
    pthread_mutex_destroy(&p->lock);
    free(p);
}

void profiles_tick(struct profiles *p)
{
    profiles_lock(p);
    profiles_trim(p);
    profiles_unlock(p);
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
    if (profile_id_has_window(&e->id)) {
        pool_submit(p->service->pool, &e->queue, &e->task);
        return;
    }
    e->from_spool = fd >= 0;
    /* Where no descriptor is left, the fold says so to all who wait (begin_reading). */
    e->from = e->from_spool ? fcntl(fd, F_DUPFD_CLOEXEC, 0) : -1;
    if (!e->from_spool && !slots_wait(&p->slots, &e->slot_wait)) {
        profiles_trim(p);
        return;
    }
    e->has_slot = !e->from_spool;
    pool_submit(p->service->pool, &e->queue, &e->task);
}

/* ---- asking ---- */

/* NULL: no memory. */
static struct profile_entry *add_entry(struct profiles *p, const struct profile_id *id)
{
    struct profile_entry *e = calloc(1, sizeof(*e));

    if (e == NULL)
        return NULL;
    e->task.run = profile_id_has_window(id) ? profile_window_run : profile_fold_run;
    e->queue.task_class = TASK_INPUT;
    e->slot_wait.granted = slot_granted;
    e->profiles = p;
    e->id = *id;
    profile_id_source(id, e->source);
    e->from = -1;
    profiles_link(p, e);
    return e;
}

static void no_memory(struct diag *diag)
{
    diag_no_memory(diag, "No memory is left to read the upload.");
}

static void use(struct profiles *p, struct profile_entry *e, struct profile_need *need)
{
    profiles_mark_used(p, e);
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

bool profiles_get(struct profiles *p, const struct profile_id *id, int fd, struct profile_need *need)
{
    need->profile = NULL;
    need->entry = NULL;
    profiles_lock(p);
    struct profile_entry *e = profiles_find(p, id);
    bool begins = e == NULL;
    if (begins)
        e = add_entry(p, id);
    if (e != NULL)
        use(p, e, need);
    else
        no_memory(need->diag);
    if (e != NULL && begins)
        begin_fold(p, e, fd);
    bool decided = e == NULL || !need->waited;
    profiles_unlock(p);
    return decided;
}

bool profiles_put(struct profiles *p, const struct profile_id *id, struct shared_profile *made,
                  struct profile_need *need)
{
    static const struct diag NONE = {0};
    char source[RECORD_SHA256_CHARS + 1];

    need->entry = NULL;
    need->profile = NULL;
    profile_id_source(id, source);
    LOG(p->service->log, LOG_INFO, "folded", LOG_STR("source", str_of(source)),
        LOG_STR("from", STR("arrival")), LOG_U64("bytes", shared_profile_bytes(made)));
    profiles_lock(p);
    struct profile_entry *e = profiles_find(p, id);
    if (e == NULL)
        e = add_entry(p, id);
    if (e != NULL && e->profile == NULL) {
        profiles_set(p, e, made);
        made = NULL;
    }
    if (e != NULL) {
        profiles_tell(p, e, &NONE, false);
        use(p, e, need);
        profiles_trim(p);
    }
    profiles_unlock(p);
    shared_profile_free(made);
    return e != NULL;
}

void profiles_release(struct profiles *p, struct profile_need *need)
{
    /* Without the lock: once its task was submitted, the need is its asker's alone. */
    struct profile_entry *e = need->entry;

    need->entry = NULL;
    need->profile = NULL;
    if (e == NULL)
        return;
    profiles_lock(p);
    e->users--;
    e->waited -= need->waited;
    profiles_mark_used(p, e);
    profiles_settle(p, e);
    profiles_unlock(p);
}

void profiles_give_slot(struct profiles *p, struct profile_need *need)
{
    if (need->entry == NULL || !need->waited)
        return;
    profiles_lock(p);
    need->entry->waited--;
    need->waited = false;
    if (need->entry->profile != NULL)
        profiles_leave_slot(p, need->entry);
    profiles_settle(p, need->entry);
    profiles_unlock(p);
}
