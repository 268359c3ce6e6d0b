/* The inside that profiles.c, profiles_kept.c and profile_fold.c share; nobody else includes it. */
#ifndef SERVER_VIEWS_PROFILES_IMPL_H
#define SERVER_VIEWS_PROFILES_IMPL_H

#include "core/system/slots.h"
#include "server/views/profiles.h"

/* One source: first its fold, with those who wait for it; then its profile, with those who use it. An entry exists as long
 * as it has users, or its profile is kept. */
struct profile_entry {
    struct task task;           /* folds */
    struct task_queue queue;    /* its own: folds take turns */
    struct slot_wait slot_wait; /* of the fold, for one of profiles.slots */
    struct profiles *profiles;

    /* Constant. */
    struct profile_id id;
    char source[RECORD_SHA256_CHARS + 1]; /* profile_id_source, for the log */
    bool from_spool; /* The asker that began the fold had the bytes; else they are in the store. */

    /* The fold's. */
    struct conversion *conversion; /* NULL: not begun, or ended */
    int from;                      /* what is read, the fold's own descriptor; -1: none is open */
    uint64_t offset;
    int64_t begun_ms;
    bool asked;                /* of a window: for the whole */
    struct profile_need whole; /* The use of it, from the reading of the window until it is forgotten. */
    struct diag diag;          /* why there is no whole */

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

void profiles_lock(struct profiles *p);
/* Then frees what was forgotten under the lock: that takes a while for a large profile. */
void profiles_unlock(struct profiles *p);

/* ---- what is kept (profiles_kept.c): all of it under the lock ---- */

void profiles_link(struct profiles *p, struct profile_entry *e); /* a new entry */
/* NULL: there is none. */
struct profile_entry *profiles_find(const struct profiles *p, const struct profile_id *id);
void profiles_mark_used(struct profiles *p, struct profile_entry *e);
void profiles_set(struct profiles *p, struct profile_entry *e,
                  struct shared_profile *made); /* owns it from now on */
void profiles_leave_slot(struct profiles *p, struct profile_entry *e);
void profiles_forget(struct profiles *p, struct profile_entry *e);
/* Forgets what nobody uses and what may not stay, the least recently used first. */
void profiles_trim(struct profiles *p);
/* A user has left. */
void profiles_settle(struct profiles *p, struct profile_entry *e);

/* ---- how one is made (profile_fold.c) ---- */

/* Tasks of an entry: its first member. They take the lock. */
void profile_fold_run(struct task *task);
void profile_window_run(struct task *task);
/* The fold of this entry is decided: `diag` is why, if there is no profile; `dropped`, if nobody wanted it. Under the lock. */
void profiles_tell(struct profiles *p, struct profile_entry *e, const struct diag *diag, bool dropped);

#endif
