/* One upload, from its first byte to its stored result. The bytes go through a bounded queue of chunks to
 * three stages that work side by side on the pool: into the store's temporary file, through SHA-256, into the
 * folder. After the last byte: profile -> the blob gets its name, the default views are rendered (on all
 * workers) -> record -> done.
 *
 * At most open_jobs uploads fold at a time, and half of them while they arrive; the others only spool and hash,
 * and fold from the spool when a place is free. The producer is one thread at a time. */
#ifndef SERVER_UPLOAD_JOB_H
#define SERVER_UPLOAD_JOB_H

#include "server/http/exchange.h"
#include "server/store/record.h"
#include "server/store/store.h"

struct job;

struct jobs *jobs_new(struct service *service); /* NULL: no memory */
void jobs_free(struct jobs *j);                 /* after the pool was stopped; NULL is fine */

/* NULL: diag (no memory, disk full). Holds one reference, the producer's. */
struct job *job_new(struct service *service, struct diag *diag);

/* Whether the queue has room for a piece. If not, x waits, and is resumed when there is. */
bool job_ready(struct job *job, struct exchange *x);

/* Takes the n bytes. False once the upload is refused (job_diag): the rest need not be pushed. */
bool job_push(struct job *job, const void *p, size_t n);
uint64_t job_bytes(const struct job *job); /* pushed so far; the producer's to ask */

/* Of an archive this member is meant: a name, not empty. Before job_end; best before the first byte, since the upload is read
 * again otherwise. */
void job_choose(struct job *job, struct str member);
/* Before the first byte: a member may be chosen behind the last one, so that what is wrong with the file is not said
 * before; the answer does not depend on when it is chosen. */
void job_await_choice(struct job *job);
/* The first bytes that were pushed, up to 4 KiB; the producer's to ask. */
struct str job_head(const struct job *job);

/* After the last byte: x waits until the result is there; or, if that takes longer than answer_within_ms
 * or `early` is set, until the upload is durable: its views are made behind the answer then. `name` and times
 * go into the record. */
void job_end(struct job *job, struct exchange *x, struct str name, int64_t created_s, int64_t expires_s,
             bool early);

/* The result, after x was resumed from job_end: */
struct job_result {
    struct diag diag; /* DIAG_NONE: acknowledged */
    bool complete;    /* all views are made */
    struct record record;
    char delete_token[RECORD_ID_CHARS + 1];
    struct shared_bytes *summary; /* NULL: not made yet, or memory was short */
};
/* Fills *result; the reference to its summary is the caller's. */
void job_result(struct job *job, struct job_result *result);

/* Why a push was refused. */
const struct diag *job_diag(struct job *job);

/* Ends the producer's part. Without job_end before it, nothing of the upload stays. NULL is fine. */
void job_release(struct job *job);

#endif
