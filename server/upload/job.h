/* One upload, from its first byte to its stored result.
 *
 * Enters: bytes, pushed by one thread at a time (the producer, a connection). Leaves: a stored upload,
 * with its record, and the views that its page shows first in the making, unless it is small; or a diag,
 * and nothing is stored.
 *
 *     job_new
 *     job_ready, job_push ..        while the body arrives
 *     job_end                       after the last byte; waits
 *     job_result, job_told          after the resume
 *     job_release                   in every case, at any time; before job_end it gives the upload up
 *
 * The producer writes the bytes to a temporary file of the store (the spool) and hashes them as they
 * arrive. A job, one function on one thread (job.c), reads the spool while it grows, makes a profile of
 * it, keeps the upload and answers. So bytes are never waited for by the producer, but for a full disk.
 *
 * At most open_jobs uploads are read at a time: each has a thread and a profile in the making. Beside them
 * small ones that are read may wait for the store. Half of open_jobs are for uploads that have arrived. An
 * upload that finds no thread when its first piece is there is only spooled and hashed; it is read when it
 * has arrived, in its turn. The profile is shared with all others who need it (views/profiles.h). */
#pragma once

#include "server/http/exchange.h"
#include "server/store/record.h"
#include "server/store/store.h"

struct job;

#define JOB_EVERY_MEMBER "all"
enum { JOB_FILES_MAX = 50 }; /* of one form, each with a job */

struct jobs *jobs_new(struct service *service); /* NULL: no memory */
void jobs_free(struct jobs *j);                 /* when no thread runs; NULL is fine */

/* On behalf of the exchange's client. NULL: diag (no memory, disk full). Holds one reference, the producer's. */
struct job *job_new(const struct exchange *x, struct diag *diag);

/* Whether a piece can be pushed. If not, since the disk is full, x waits, and is resumed when there is
 * room or none can be made. */
bool job_ready(struct job *job, struct exchange *x);

/* Takes the n bytes. False once the upload is refused: the rest need not be pushed, and is only counted. */
bool job_push(struct job *job, const void *p, size_t n);
uint64_t job_bytes(const struct job *job); /* pushed so far; for the producer */

/* Of an archive this member is meant: a name, not empty; or JOB_EVERY_MEMBER, each that is read here. To
 * be called before job_end, and best before the first byte, since the upload is read again otherwise. */
void job_choose(struct job *job, struct str member);
/* Whether a member, or each, was chosen. For the producer. */
bool job_is_about_member(const struct job *job);
/* To be called before the first byte, if job_choose may be called after it. Then a refusal of the input is
 * withheld until job_end, so that the answer does not depend on when the member was chosen. */
void job_await_choice(struct job *job);
/* The names of the upload's profile are told by this file, which has come to its end: *file is none then.
 * Before job_end. */
struct names_file;
void job_names(struct job *job, struct names_file *file);
/* The first bytes that were pushed, up to 4 KiB. For the producer. */
struct str job_head(const struct job *job);

/* What goes into the record, beside who asks. */
struct job_asked {
    struct str name;
    int64_t created_s, expires_s;
    bool team;                   /* record.team */
    struct str space;            /* where it is listed; empty: nowhere */
    const struct labels *labels; /* NULL: none */
    const char *token;           /* the delete token of what came with it; "": a new one */
};

/* All bytes of the job were pushed, and other files of the same form follow before job_end. It gives back what it can, but
 * has a descriptor until then: of all forms max_connections of them may wait, beside those of one form. False: diag. */
bool job_wait_for_others(struct job *job, struct diag *diag);

/* How long a client waits for more than a durable upload. */
enum { JOB_VIEWS = 2 };
struct job_patience {
    unsigned views; /* so many of what its page shows first: the summary, the picture */
    uint64_t ms;    /* but no longer than this; also for all members of an archive to be read */
};
/* After the last byte: x waits until the result is there. */
void job_end(struct job *job, struct exchange *x, const struct job_asked *asked,
             const struct job_patience *patience);

/* Whether every member was asked for, if it is an archive. For the producer. */
bool job_wants_every_member(const struct job *job);

/* What became of one member of an archive of which each was meant. */
struct progress;
struct job_member {
    struct diag diag;     /* DIAG_NONE: `record` was kept */
    struct record record; /* its name and member, in any case */
    /* Only a job has these. */
    const char *format_label;  /* as its beginning tells; NULL: it cannot be looked into */
    bool read;                 /* its profile was there, or was refused */
    struct progress *progress; /* until it was read; NULL: nobody can watch it */
};

/* The result, after x was resumed from job_end: */
struct job_result {
    struct diag diag; /* DIAG_NONE: acknowledged */
    /* Of an archive of which every member was meant; else NULL. They are the job's, until job_release. At
     * least one was kept, of which `record` is the first; the token is that of all. With `complete` all
     * were read; else what is wrong with the others is seen at their links. */
    const struct job_member *members;
    size_t n_members;
    uint64_t members_left_out; /* behind the limit */
    bool archive_cut;          /* it cannot be read to its end */
    bool complete;             /* all is there that the client waits for; of members: each was read */
    struct record record;
    char delete_token[RECORD_ID_CHARS + 1]; /* "": the upload has an owner, who needs none */
    struct shared_bytes *summary;           /* NULL: not made yet, or memory was short */
};
/* Fills *result; the reference to its summary is the caller's. */
void job_result(struct job *job, struct job_result *result);
/* After that: the client is about to hear the result. */
void job_told(struct job *job);

/* Ends the producer's part. Without job_end before it, and without job_told behind that, nothing of the
 * upload stays: who was not told its link has no use for it. NULL is fine. */
void job_release(struct job *job);
