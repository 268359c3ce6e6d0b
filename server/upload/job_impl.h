/* The inside of a job, shared by job.c (from the first byte to the last) and job_finish.c (what comes behind
 * it). */
#ifndef SERVER_UPLOAD_JOB_IMPL_H
#define SERVER_UPLOAD_JOB_IMPL_H

#include <openssl/evp.h>
#include <stdatomic.h>

#include "server/convert/convert.h"
#include "server/convert/identify.h"
#include "server/upload/fold_slots.h"
#include "server/upload/job.h"
#include "server/upload/progress.h"
#include "server/upload/stage.h"

enum { JOB_RUNNERS_MAX = 32 };

struct jobs {
    struct service *service;
    struct chunk_pool chunks;
    struct fold_slots places; /* open_jobs of them */
};

struct job_runner {
    struct task task;
    struct job *job;
};

struct job {
    struct service *service;
    struct stages stages;

    pthread_mutex_t lock; /* of these */
    unsigned refs;        /* the producer's, and one until the work has ended */
    bool refused, ended;
    bool kept;                    /* durable: result.record and the delete token are final */
    struct exchange_wait waiting; /* until there is an answer */
    struct diag refusal;
    struct job_result result;

    /* The producer's. */
    struct chunk *filling;
    struct exchange_wait stalled; /* until the queue has room; guarded by stages.lock */
    uint64_t bytes;
    char head[IDENTIFY_BYTES];
    size_t head_bytes;
    bool may_choose;   /* until the end of the form: what the fold refuses may not be what is meant */
    bool chosen_late;  /* a member was chosen behind the first byte: what was folded so far may be another */
    bool answer_early; /* as soon as it is durable */
    int64_t answer_by_ms; /* monotonic; durable uploads are answered then */

    /* One stage's each; then the finishing task's. */
    struct store_temp temp;
    EVP_MD_CTX *hash;
    struct fold *fold;
    struct diag verdict; /* the fold's, if a member may still be chosen */

    bool has_place; /* may fold */
    struct fold_slot_wait place_wait;

    /* Behind the last byte. */
    struct task finish;
    struct folded *folded;
    uint32_t *order; /* tracks by weight */
    uint32_t n_items;
    atomic_uint next_item, running;
    struct job_runner runners[JOB_RUNNERS_MAX];
    struct progress *progress; /* may be NULL */
};

/* The finish task: submitted when the stages have drained behind job_end, and again when a place was waited
 * for. */
void job_run_finish(struct task *task);

void job_unref(struct job *job);
void job_leave_place(struct job *job);

#endif
