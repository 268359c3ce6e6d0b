/* The inside of a job, shared by job.c (from the first byte to the last) and job_finish.c (what comes behind
 * the last byte). */
#ifndef SERVER_UPLOAD_JOB_IMPL_H
#define SERVER_UPLOAD_JOB_IMPL_H

#include <openssl/evp.h>
#include <stdatomic.h>

#include "core/system/slots.h"
#include "core/system/timer.h"
#include "server/convert/convert.h"
#include "server/convert/identify.h"
#include "server/upload/job.h"
#include "server/upload/progress.h"
#include "server/upload/stage.h"
#include "server/views/profiles.h"
#include "server/views/views.h"

struct jobs {
    struct service *service;
    struct chunk_pool chunks;
    atomic_size_t previews; /* that are still to be made, of all uploads */
    struct slots slots; /* open_jobs of them: one for each upload that folds, until its profile was used */
};

/* One view that is made ahead: the summary, a picture or a preview. */
struct job_view {
    struct task task; /* runs when the view is made */
    struct view_wait wait;
    struct job *job;
    const struct output *output; /* NULL: the summary */
    uint32_t track_id;           /* of a picture or preview */
};

struct job {
    struct service *service; /* constant */
    /* All of the upload's tasks, which so take turns with those of others. TASK_SMALL until it turns out to be large. */
    struct task_queue queue;
    struct stages stages; /* has a lock of its own */

    /* Protected by this lock. */
    pthread_mutex_t lock;
    unsigned refs;                /* the producer's, and the work's until it has ended */
    bool refused;                 /* The upload cannot be kept; `refusal` says why. */
    bool left;                    /* The client has left before its answer: nothing is kept. */
    bool kept;                    /* The upload is durable: result.record and the delete token are final. */
    bool told;                    /* The producer has the result. */
    bool ended;                   /* job_end was called: the upload is complete. */
    struct exchange_wait waiting; /* for the answer */
    struct diag refusal;          /* constant once `refused` is set */
    struct job_result result; /* The finishing task fills the record and the diag before anybody may ask. */

    /* Used by the producer until job_end, and by the finishing tasks from then on. */
    struct chunk *filling; /* not in the queue yet */
    uint64_t bytes;        /* pushed so far */
    char head[IDENTIFY_BYTES];
    size_t head_bytes;
    bool member_may_follow; /* The form's "member" field may still arrive, so a refusal is not final yet. */
    bool chosen_late; /* A member was chosen after bytes had arrived: what was folded may be another one. */
    bool
        answer_early; /* The client would rather not wait: it is answered as soon as the upload is durable. */
    int64_t
        answer_by_ms; /* monotonic: a durable upload is answered then, though views are still being made */
    struct timer answer_timer; /* set while views are being made */
    char request
        [EXCHANGE_ID_BYTES]; /* id of the request that sent it; and who did, a reference: for the log */
    struct client *client;
    int64_t started_ms;           /* monotonic */
    struct exchange_wait stalled; /* until the queue has room; protected by the lock of the stages */

    /* Each used by one stage until the stages are drained, and by the finishing tasks from then on. */
    struct store_temp temp;        /* the spool stage's */
    EVP_MD_CTX *hash;              /* the hash stage's */
    struct conversion *conversion; /* the fold stage's; NULL: it does not fold, or not any more */
    struct diag withheld; /* the fold stage's: why the input is refused, while member_may_follow is true */
    bool has_slot;        /* the fold stage's: one of jobs.slots is this upload's */

    /* Used by the finishing tasks, which run one after the other until the views are begun. */
    struct task finish;
    struct slot_wait slot_wait;
    struct profile_need need;
    struct job_view *views; /* to be made ahead: the summary, the picture shown first, previews */
    size_t n_views;
    atomic_size_t pending;     /* views, and keeping the upload, that are not done yet */
    atomic_size_t awaited;     /* of these, what the answer waits for: all but the previews */
    struct progress *progress; /* counts the previews; may be NULL */
};

/* The task `finish`: submitted when the stages are drained after job_end, and once more if a slot was waited for. */
void job_run_finish(struct task *task);

/* The client has waited for answer_within_ms, and the upload is durable. */
void job_answer_due(struct timer *timer);

/* Instead of job_free: the upload is stored, and nobody was told so. */
void job_withdraw(struct task *task);

void job_free(struct job *job);
void job_unref(struct job *job);
void job_leave_slot(struct job *job);

#endif
