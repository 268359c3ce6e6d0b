/* How a profile, or a window of one, is made for all who wait for it. */
#include <stddef.h>
#include <unistd.h>

#include "core/system/clock.h"
#include "server/store/store_access.h"
#include "server/views/profiles_impl.h"
#include "server/views/stored_names.h"

/* ---- the fold ---- */

void profiles_tell(struct profiles *p, struct profile_entry *e, const struct diag *diag, bool dropped)
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

/* Opens what is to be read. False: diag. */
static bool begin_reading(const struct profiles *p, struct profile_entry *e, struct diag *diag)
{
    const struct service *s = p->service;
    uint64_t bytes;

    e->begun_ms = clock_ms();
    e->offset = 0;
    if (!e->from_spool)
        e->from = store_access_blob(s->store, s->log, e->id.sha256, &bytes, diag);
    else if (e->from < 0)
        diag_set(diag, DIAG_BUSY, "too many files are open", "Try again in a moment.",
                 "No descriptor was left to read the upload.");
    if (e->from < 0)
        return false;
    e->conversion = conversion_new(s->config);
    if (e->conversion != NULL) {
        conversion_choose(e->conversion, e->id.member);
        conversion_split(e->conversion, e->id.split);
    } else {
        diag_no_memory(diag, "No memory is left to read the upload.");
    }
    return e->conversion != NULL && stored_names_use(s, &e->id.names, e->conversion, diag);
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
    struct shared_profile *made = conversion_finish(e->conversion, e->from, &s->stop, diag);

    e->conversion = NULL;
    LOG(s->log, LOG_INFO, "folded", LOG_STR("source", str_of(e->source)),
        LOG_STR("from", str_of(e->from_spool ? "spool" : "store")),
        LOG_U64("bytes", made == NULL ? 0 : shared_profile_bytes(made)), LOG_U64("failed", made == NULL),
        LOG_U64("ms", (uint64_t)(clock_ms() - e->begun_ms)));
    return made;
}

/* The next piece. CONVERT_FED: the fold has ended, with *made or diag. Without the lock: while the task is under way,
 * nobody else touches what it reads from, nor its conversion. */
static enum convert_step fold_piece(const struct profiles *p, struct profile_entry *e,
                                    struct shared_profile **made, struct diag *diag)
{
    const struct service *s = p->service;
    bool open = service_goes_on(s, diag) && (e->conversion != NULL || begin_reading(p, e, diag));
    enum convert_step step =
        open ? conversion_feed_file(e->conversion, e->from, &e->offset, &s->stop, diag) : CONVERT_FAILED;

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

/* The fold, or the reading of a window, has ended. Under the lock. */
static void end_task(struct profiles *p, struct profile_entry *e, const struct diag *diag, bool dropped)
{
    profiles_tell(p, e, diag, dropped);
    e->users--;
    profiles_mark_used(p, e);
    profiles_settle(p, e);
}

/* Ends a fold that nobody needs any more. In one go under the lock: who asks for the profile from then on has it folded anew, while one
 * who asked between the look and the end would be told that nobody waited. Frees the reading behind the lock, where it takes a while.
 * True: it has ended. */
static bool end_unneeded(struct profiles *p, struct profile_entry *e)
{
    struct diag diag = {0};
    struct conversion *conversion = NULL;
    int from = -1;

    profiles_lock(p);
    bool ends = e->profile != NULL || !is_wanted(e);
    if (ends) {
        diag_set(&diag, DIAG_BUSY, "not read to its end", "Try again.", "Nobody waited for it any more.");
        conversion = e->conversion;
        from = e->from;
        e->conversion = NULL;
        e->from = -1;
        end_task(p, e, &diag, true);
    }
    profiles_unlock(p);
    if (!ends)
        return false;
    conversion_abandon(conversion);
    if (from >= 0)
        close(from);
    return true;
}

/* While it waited for its turn or read, somebody may have brought the profile (profiles_put), or all who waited may have
 * left. */
void profile_fold_run(struct task *task)
{
    struct profile_entry *e = (struct profile_entry *)task; /* its first member */
    struct profiles *p = e->profiles;
    struct shared_profile *made = NULL;
    struct diag diag = {0};

    if (end_unneeded(p, e))
        return;
    if (fold_piece(p, e, &made, &diag) == CONVERT_MORE) {
        pool_submit(p->service->pool, &e->queue, task);
        return;
    }
    profiles_lock(p);
    if (e->profile == NULL && made != NULL) {
        profiles_set(p, e, made);
        made = NULL;
    }
    end_task(p, e, &diag, false);
    profiles_unlock(p);
    shared_profile_free(made);
}

/* ---- windows of time ---- */

/* Under the lock: of the whole, on behalf of those who wait for its window. */
static bool window_wanted(const struct profile_need *need)
{
    return is_wanted(
        (const struct profile_entry *)((const char *)need - offsetof(struct profile_entry, whole)));
}

/* NULL: diag. */
static struct shared_profile *read_window(const struct profiles *p, const struct profile_entry *e,
                                          struct diag *diag)
{
    const struct service *s = p->service;
    struct shared_profile *made = NULL;
    int64_t begun_ms = clock_ms();
    uint64_t bytes;
    int fd = store_access_blob(s->store, s->log, e->id.sha256, &bytes, diag);

    if (fd >= 0) {
        const struct convert_source whole = {e->whole.profile, s->config, fd, &s->stop};
        made = convert_window(&whole, &e->id.window, diag);
        close(fd);
    }
    LOG(s->log, LOG_INFO, "window", LOG_STR("source", str_of(e->source)),
        LOG_U64("bytes", made == NULL ? 0 : shared_profile_bytes(made)), LOG_U64("failed", made == NULL),
        LOG_U64("ms", (uint64_t)(clock_ms() - begun_ms)));
    return made;
}

/* Runs again when the whole is there. Its slot was for the memory of who waits for a fold, and is free from then on: a window
 * is kept longer than that. */
void profile_window_run(struct task *task)
{
    struct profile_entry *e = (struct profile_entry *)task; /* its first member */
    struct profiles *p = e->profiles;
    const struct profile_id whole = profile_id_whole(&e->id);
    struct shared_profile *made = NULL;

    if (!e->asked) {
        e->asked = true;
        e->whole.task = task;
        e->whole.queue = &e->queue;
        e->whole.diag = &e->diag;
        e->whole.wanted = window_wanted;
        if (!profiles_get(p, &whole, -1, &e->whole))
            return;
    }
    profiles_give_slot(p, &e->whole);
    profiles_lock(p);
    bool needed = is_wanted(e);
    profiles_unlock(p);
    if (needed && e->whole.profile != NULL && service_goes_on(p->service, &e->diag))
        made = read_window(p, e, &e->diag);
    profiles_lock(p);
    if (made != NULL)
        profiles_set(p, e, made);
    end_task(p, e, &e->diag, !needed || e->whole.dropped);
    profiles_unlock(p);
}
