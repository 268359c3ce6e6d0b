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
#include "server/upload/names_file.h"
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
    bool every_member;      /* Of an archive each is meant; without one, the file is read as any other. */
    bool
        read_again; /* What was folded as it arrived does not count: a member was chosen after it, or symbols came. */
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
    struct names_file names[RECORD_NAMES_FILES]; /* that came with it; the finishing tasks' */
    struct store_temp temp;                      /* the spool stage's */
    EVP_MD_CTX *hash;                            /* the hash stage's */
    struct conversion *conversion; /* the fold stage's; NULL: it does not fold, or not any more */
    struct diag withheld; /* the fold stage's: why the input is refused, while member_may_follow is true */
    bool has_slot;        /* the fold stage's: one of jobs.slots is this upload's */

    /* Used by the finishing tasks, which run one after the other until the views are begun. */
    struct task finish;
    struct slot_wait slot_wait;
    struct profile_need need;
    /* Of an archive, if each member is meant. What others may see of them, while they are read, changes under the lock. */
    struct job_member *members;
    size_t n_members, member;        /* the one at hand */
    struct diag member_diag;         /* why it is refused */
    bool members_kept;               /* each has its record, but those that were refused */
    struct job_member *members_told; /* a copy, of which an answer was made before all were read */
    struct job_view *views;          /* to be made ahead: the summary, the picture shown first, previews */
    size_t n_views;
    uint32_t n_previews;       /* of them */
    atomic_size_t pending;     /* views, and keeping the upload, that are not done yet */
    atomic_size_t awaited;     /* of these, what the answer waits for: all but the previews */
    struct progress *progress; /* counts the previews; may be NULL */
};

/* The task `finish`: submitted when the stages are drained after job_end, and once more if a slot was waited for. */
void job_run_finish(struct task *task);

/* job_members.c: goes on with each member of the archive, if it is one. False: it is none, or nothing in it is read here, or
 * result.diag. */
bool job_begin_members(struct job *job);

/* job_finish.c, for it. Whether somebody still wants the result; false: diag. */
bool job_is_wanted(struct job *job, struct diag *diag);
/* The bytes into the store. False: result.diag. */
bool job_keep_bytes(struct job *job);
/* The client's answer waits no longer than its time, or not at all: what it tells is durable. */
void job_answer_soon(struct job *job);
/* Takes the record out of the store again. False: it is still there. */
bool job_withdraw_record(const struct job *job, const struct record *record);
/* job_members.c, for job_result, under the lock: the members as they are now. */
void job_tell_members(struct job *job, struct job_result *result);
/* Gives the record an id, and keeps it. False: diag. */
bool job_keep_record(struct job *job, struct record *record, struct diag *diag);
/* A token for all that the job keeps, whose hash goes into the record. False: result.diag. */
bool job_new_token(struct job *job, struct record *record);
void job_log_kept(const struct job *job, const struct record *record);
/* The result is there, without views made ahead; or result.diag. */
void job_complete(struct job *job);

/* The client has waited for answer_within_ms, and the upload is durable. */
void job_answer_due(struct timer *timer);

/* Instead of job_free: the upload is stored, and nobody was told so. */
void job_withdraw(struct task *task);

/* Nothing of the upload needs the files any more that tell its names. */
void job_end_names(const struct job *job);

void job_free(struct job *job);
void job_unref(struct job *job);
void job_leave_slot(struct job *job);

#endif
