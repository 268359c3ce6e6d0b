/* The inside of a job, shared by job.c (the story of one upload), job_keep.c (what makes it durable; and an archive of which
 * every member is meant) and job_views.c (what its page shows first). */
#pragma once

#include <pthread.h>
#include <stdatomic.h>

#include "core/sha256.h"
#include "core/system/threads.h"
#include "core/system/timer.h"
#include "core/system/turns.h"
#include "server/convert/identify.h"
#include "server/doors/shares.h"
#include "server/upload/job.h"
#include "server/upload/names_upload.h"
#include "server/upload/work_limit.h"
#include "server/views/shared_views.h"
#include "server/views/views.h"

enum { JOB_AHEAD_MOST = 64 }; /* views that wait to be made; above it an upload has none made ahead */

struct jobs {
    struct service *service;
    atomic_size_t views_ahead; /* that are still to be made before anybody asks, of all uploads */
    atomic_size_t waiting;     /* jobs that wait for other files of their form */
};

/* Where the bytes of an upload are. */
enum job_bytes {
    JOB_BYTES_HERE,    /* in the spool alone */
    JOB_BYTES_PUT,     /* a thread puts them into the store */
    JOB_BYTES_KEPT,    /* in the store */
    JOB_BYTES_NOT_KEPT /* the store has not taken them, or not any more */
};

struct job {
    struct thread_job thread; /* first: see the functions that it runs in job.c */
    struct thread_job room;   /* makes room on a full disk for the producer */
    struct thread_job keeper; /* puts the bytes into the store, beside their reading */
    struct thread_job ahead;  /* makes views that nobody has asked for yet: see job_views.c */
    struct service *service;  /* constant */
    struct client *client;    /* who sent it, a reference; constant */
    struct stop stop;         /* STOP_LEFT: the producer has given the upload up, or left before its answer */
    char share[SHARES_NAME_BYTES + 1]; /* whose share pays for the work; "": nobody's; constant */
    bool behind;                       /* That share is used up: it waits behind others. Constant */
    bool by_page; /* A page sends it, which then shows its profile, with threads over time. Constant */

    /* Protected by this lock. */
    pthread_mutex_t lock;
    pthread_cond_t arrived;   /* `written` has reached `awaited`, the upload has ended, or the keeper has */
    _Atomic uint64_t written; /* bytes of the spool that may be read; work_limit.h looks without the lock */
    uint64_t awaited;         /* how many the reader waits for */
    bool ended;               /* The upload has arrived. */
    bool submitted;           /* A thread works on it, or will. */
    bool refused;             /* The upload cannot be kept; `refusal` says why. */
    bool kept;                /* The upload is durable: result.record and the delete token are final. */
    bool told;                /* The client is about to hear the result. */
    enum job_bytes bytes_are; /* changed by the job, and by the keeper while they are JOB_BYTES_PUT */
    bool keeper_runs;         /* or will */
    bool sends_ahead;         /* A format knows the upload: the store may have its parts while it arrives. */
    uint64_t send_at;         /* as soon as so many bytes are there */
    unsigned refs;            /* the producer's, and one of each thread that works on it or will */
    unsigned n_parts_ended;   /* of what the previews come behind */
    struct exchange_wait waiting; /* for the answer */
    struct exchange_wait stalled; /* for room on the disk */
    struct diag refusal;          /* constant once `refused` is set */
    struct job_result result;     /* The job fills the record and the diag before anybody may ask. */

    /* Used by the producer until the upload has ended, and by the job from then on. */
    struct local_temp temp; /* the spool; its descriptor is read by the job at any time */
    struct sha256 *hash;
    struct buf gathered; /* pushed bytes that are not in the spool yet */
    uint64_t bytes;      /* pushed so far */
    char head[IDENTIFY_BYTES];
    size_t head_bytes;
    bool lacks_room;        /* The disk had no room for them. */
    bool waits;             /* It is counted in jobs.waiting. */
    bool was_tried;         /* A thread was asked for while the upload arrived. */
    bool member_may_follow; /* The form's "member" field may still arrive, so a refusal is not final yet. */
    bool every_member;      /* Of an archive each is meant; without one, the file is read as any other. */
    bool
        read_again; /* The profile that was read while the upload arrived is stale: a member was chosen late, or symbols came. */
    int64_t
        answer_by_ms; /* monotonic: a durable upload is answered then, though the answer's views are still being made */
    char request[EXCHANGE_ID_BYTES],
        address[NETWORK_TEXT_BYTES];             /* of the request that sent it, for the log */
    int64_t started_ms;                          /* monotonic */
    struct names_file names[RECORD_NAMES_FILES]; /* that came with it */

    /* Used by the keeper, and by the job when that has ended. */
    struct local_temp keeping; /* the spool, by a descriptor of its own: the other one is still read */
    struct diag not_kept;      /* why not */

    /* Used by the job alone. */
    struct diag withheld;      /* why the input is refused, while member_may_follow is true */
    struct timer answer_timer; /* set while the answer waits for views */
    bool names_kept;           /* The files in `names` are in the store. */
    int64_t keeping_since_s; /* Unix time since when something of the upload is in the store; 0: nothing is */

    /* The views: made by the job up to n_awaited, then by the thread of `ahead`. */
    unsigned n_awaited;   /* of the first views: the answer waits for them */
    unsigned n_first;     /* these, and those that are made ahead */
    uint32_t shown_track; /* of the picture */
    uint32_t n_previews;
    uint32_t *previews;                     /* tracks of which previews are to be made when it is kept */
    struct view_ahead of_answer[JOB_VIEWS]; /* n_awaited */
    struct shared_view shared[JOB_VIEWS];
    struct progress *progress; /* counts the previews; may be NULL */

    /* Of an archive, if each member is meant. What others may see of them, while they are read, changes
     * under the lock. */
    struct job_member *members;
    size_t n_members;
    struct job_member *members_told; /* a copy, of which an answer was made before all were read */
    bool members_kept;               /* each has its record, but those that were refused */
};

/* All of job_keep.c. Goes on with each member of the archive, if it is one, to the end. False: it is none, or
 * nothing in it is read here, or result.diag. */
bool job_take_members(struct job *job, struct turn *turn);
/* For job_result, under the lock: the members as they are now. */
void job_tell_members(struct job *job, struct job_result *result);

/* The client's answer waits no longer than its time, or not at all: what it tells is durable. */
void job_answer_soon(struct job *job);
/* The result is complete: the client hears of it. Once. */
void job_answer(struct job *job);

/* Whether somebody still wants the result; false: diag. */
bool job_is_wanted(struct job *job, struct diag *diag);
/* Gives the upload, whose bytes are all there, its id and their digest, once. False: diag. */
bool job_identify(struct job *job, struct diag *diag);
/* A format knows the upload: the store is sent its parts while it arrives. To be called any number of times. False: diag. */
bool job_send_ahead(struct job *job, struct diag *diag);
/* More has arrived: a keeper sends what there is, without a thread that waits for the rest. Under the lock. */
void job_send_arrived(struct job *job);
/* It was refused while it arrived: what was sent goes again. Without a turn; may take long. */
void job_send_no_more(struct job *job);
/* All bytes are there, and a format knows them: puts them into the store, on a thread of its own. To be called any number of
 * times. False: diag. */
bool job_begin_keeping(struct job *job, struct diag *diag);
/* Bytes that are in the store, or on their way, for an upload that is not kept go again. Without a turn; may take long. */
void job_drop_bytes(struct job *job);
/* The files of names that came with it, once: profiles are read with them from the store, as they are later. False: diag. */
bool job_keep_names(struct job *job, struct diag *diag);
/* The bytes into the store, as those of this record; waits where they are on their way. False: result.diag. */
bool job_keep_bytes(struct job *job, const struct record *record);
/* Takes the record out of the store again. False: it is still there. */
bool job_withdraw_record(const struct job *job, const struct record *record);
/* Gives the record an id. False: diag. */
bool job_new_id(struct record *record, struct diag *diag);
/* Keeps the record, whose bytes are kept; else takes the bytes away again. False: diag. */
bool job_keep_record(struct job *job, const struct record *record, struct diag *diag);
/* A delete token for all that the job keeps, whose hash goes into the record; none if that has an owner. False: result.diag. */
bool job_new_token(struct job *job, struct record *record);
/* Lists it with its words, behind its answer. Without a turn; may take long. */
void job_list(struct job *job, const struct record *record, struct turn *turn);
void job_log_kept(const struct job *job, const struct record *record);

/* Gives a reference back. With the last one the job ends: an upload that was kept, but whose link was told to nobody, is withdrawn. */
void job_unref(struct job *job);

/* ---- job_views.c ---- */

/* Begins the first views of the profile, which the caller has in use meanwhile. */
void job_begin_views(struct job *job, const struct profile *p);
/* Blocks until those are made that the answer waits for. */
void job_await_views(struct job *job, struct turn *turn);
/* The upload is kept, or will not be; or its first views are made. True: both, and the caller is to go on. */
bool job_end_part(struct job *job) MUST_CHECK;
/* Behind the answer: previews, and the views for other machines. Without a turn. */
void job_go_on_to_previews(struct job *job);
