/* Which profiles stay in memory, and for how long. */
#include <stdlib.h>

#include "core/system/clock.h"
#include "server/views/profiles_impl.h"

/* ---- the list ---- */

void profiles_link(struct profiles *p, struct profile_entry *e)
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

static void mark_one_used(struct profiles *p, struct profile_entry *e)
{
    unlink_entry(p, e);
    profiles_link(p, e);
    e->used_ms = clock_ms();
}

/* What a window is a window of is newer than the window: so profiles_trim() comes to the window first, whose end may be that of both. */
void profiles_mark_used(struct profiles *p, struct profile_entry *e)
{
    mark_one_used(p, e);
    if (e->whole.entry != NULL)
        mark_one_used(p, e->whole.entry);
}

struct profile_entry *profiles_find(const struct profiles *p, const struct profile_id *id)
{
    struct profile_entry *e = p->newest;

    while (e != NULL && !profile_id_equal(&e->id, id))
        e = e->older;
    return e;
}

/* ---- what is kept ---- */

/* Whether it is larger than all that may be kept together, or a window of what is. */
static bool is_large(const struct profiles *p, const struct profile_entry *e)
{
    uint64_t limit = p->service->config->profile_cache_bytes;

    return shared_profile_bytes(e->profile) > limit ||
           (e->whole.entry != NULL && shared_profile_bytes(e->whole.entry->profile) > limit);
}

void profiles_set(struct profiles *p, struct profile_entry *e, struct shared_profile *made)
{
    e->profile = made;
    if (is_large(p, e))
        p->large++;
    else
        p->bytes += shared_profile_bytes(made);
}

void profiles_leave_slot(struct profiles *p, struct profile_entry *e)
{
    if (e->has_slot)
        slots_leave(&p->slots);
    e->has_slot = false;
}

/* Takes the entry out of all books. Freeing a large profile takes a while: that is for profiles_unlock(). */
void profiles_forget(struct profiles *p, struct profile_entry *e)
{
    unlink_entry(p, e);
    if (e->profile != NULL && is_large(p, e))
        p->large--;
    else if (e->profile != NULL)
        p->bytes -= shared_profile_bytes(e->profile);
    profiles_leave_slot(p, e);
    if (e->whole.entry != NULL)
        e->whole.entry->users--;
    e->whole.entry = NULL;
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

void profiles_trim(struct profiles *p)
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
            profiles_forget(p, e);
    }
}

void profiles_lock(struct profiles *p)
{
    pthread_mutex_lock(&p->lock);
}

void profiles_unlock(struct profiles *p)
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

/* The slot was for the memory of those who waited for the fold; what they used is counted as kept now. */
void profiles_settle(struct profiles *p, struct profile_entry *e)
{
    if (e->profile == NULL && e->users == 0)
        profiles_forget(p, e);
    else if (e->profile != NULL && e->waited == 0 && !is_large(p, e))
        profiles_leave_slot(p, e);
    profiles_trim(p);
}
