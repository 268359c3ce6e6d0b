/* The profiles of stored uploads, each folded once for all who need it at a time: uploads, pictures, charts and summaries
 * get the same one. A folded profile stays in memory after its use, for the next who needs it.
 *
 * A task that needs a profile does not block its thread. It asks, and if the profile is not there yet it ends; it is
 * submitted to the pool again when the profile is there, or has failed:
 *
 *     need->task = the task, need->queue = its queue, need->diag = where a failure is told
 *     if (!profiles_get(p, &id, fd, need))
 *         return;                          the task runs again, and goes on here:
 *     need->profile is the profile; or NULL, and *need->diag says why
 *     profiles_release(p, need)
 *
 * A failure is told to all who waited for that fold. It is not kept: who asks later has the upload read again.
 *
 * What stays in memory:
 *   - A profile that somebody uses.
 *   - Beside these the most recently used ones, as far as all that is kept (what is in use counts) fits in
 *     profile_cache_bytes.
 *   - A profile that is larger than profile_cache_bytes alone stays for PROFILES_LINGER_S after its last use, so that a page
 *     whose pictures are asked for one after another has it folded once. That is at most one profile, the last one used; it
 *     goes at once when its memory is needed for another fold. With profile_cache_bytes of 0 none stays.
 *
 * At most config->folds profiles (one per worker, unless memory is short) are being folded, or are folded and still waited
 * for, or linger: each of them may take job_memory_bytes. Other folds queue. An upload's own fold is not counted here, see server/upload/job.h.
 *
 * A window of time of a profile is a profile, too, and kept as they are. It is read from the store, by who asks first for all who
 * need it at a time, and uses the profile that it is a window of as long as it is kept; a window of one that is larger than
 * profile_cache_bytes goes with its last use.
 *
 * A fold works on one piece of the file in each task, so that it takes turns with other work.
 *
 * Each fold, also an upload's own, is a line "folded" in the log, with the profile's source. Any thread. */
#ifndef SERVER_VIEWS_PROFILES_H
#define SERVER_VIEWS_PROFILES_H

#include "server/convert/convert.h"
#include "server/convert/profile_id.h"
#include "server/service.h"

enum { PROFILES_LINGER_S = 3 };

struct profiles;

struct profiles *profiles_new(const struct service *service); /* NULL: no memory */
void profiles_free(struct profiles *p);                       /* after the pool was stopped; NULL is fine */

struct profile_entry;

/* One use of a profile. Zeroed before the first use but for the asker's fields. */
struct profile_need {
    /* The asker's. */
    struct task *task;
    struct task_queue *queue; /* where the task is submitted */
    struct diag *diag;
    /* Whether the profile is still wanted; NULL: always. Asked while it is folded, under the lock of the profiles: a fold that
     * nobody wants any more ends. */
    bool (*wanted)(const struct profile_need *need);
    const struct shared_profile *profile; /* the answer, until the release */
    /* Of the profiles, under their lock. */
    struct profile_entry *entry;
    struct profile_need *next; /* of those that wait for the same fold, the latest first */
    bool waited;               /* for the fold */
    bool dropped;              /* There is no profile since nobody wanted it while it was folded. */
};

/* True: need->profile is there, or NULL with *need->diag set. False: need->task is submitted when that is so, and may run
 * before this returns. `fd`: the bytes, if they are not in the store yet, else -1, as for a window. A fold takes a duplicate. The memory
 * for a fold that is begun for it is the asker's own care: it is not one of these folds. */
bool profiles_get(struct profiles *p, const struct profile_id *id, int fd, struct profile_need *need)
    __attribute__((warn_unused_result));

/* Shares a profile that was folded elsewhere, while the bytes of its upload arrived, and owns it from now on. It is what all
 * who wait for the same fold get, too. need->profile is what is to be used: another one if the profile was there already.
 * False: no memory; the profile was freed. */
bool profiles_put(struct profiles *p, const struct profile_id *id, struct shared_profile *made,
                  struct profile_need *need) __attribute__((warn_unused_result));

/* For who uses a profile while it waits for another one: the slot of the profile's fold is for others. */
void profiles_give_slot(struct profiles *p, struct profile_need *need);

/* Ends the use. Does nothing for a need that got no profile. */
void profiles_release(struct profiles *p, struct profile_need *need);

/* Frees the profile that lingers when its time is over. Called once a second. */
void profiles_tick(struct profiles *p);

#endif
