/* One upload, from its first byte to its stored result.
 *
 * Enters: bytes, pushed by one thread at a time (the producer, a connection). Leaves: a stored upload, with its record and
 * the views that its page shows first; or a diag, and nothing is stored.
 *
 *     job_new
 *     job_ready, job_push ..        while the body arrives
 *     job_end                       after the last byte; waits
 *     job_result                    after the resume
 *     job_release                   in every case, at any time; before job_end it gives the upload up
 *
 * While the bytes arrive they go through a bounded queue of chunks (stage.h) to three stages, which work side by side on the
 * pool: one writes them to a temporary file of the store (the spool), one hashes them (SHA-256), one converts them into a
 * profile. Behind the last byte see job_finish.c.
 *
 * At most open_jobs uploads hold a profile in the making at a time: each takes a slot for it. Half of the slots are for
 * uploads that have arrived. An upload that finds no slot when it begins is only spooled and hashed; it waits for a slot
 * when it has arrived, and is then converted from the spool. The profile is shared with all others who need it
 * (views/profiles.h). */
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

/* Takes the n bytes. False once the upload is refused: the rest need not be pushed. */
bool job_push(struct job *job, const void *p, size_t n);
uint64_t job_bytes(const struct job *job); /* pushed so far; for the producer */

/* Of an archive this member is meant: a name, not empty. To be called before job_end, and best before the first byte, since
 * the upload is read again otherwise. */
void job_choose(struct job *job, struct str member);
/* To be called before the first byte, if job_choose may be called after it. Then a refusal of the input is withheld until
 * job_end, so that the answer does not depend on when the member was chosen. */
void job_await_choice(struct job *job);
/* The first bytes that were pushed, up to 4 KiB. For the producer. */
struct str job_head(const struct job *job);

/* After the last byte: x waits until the result is there; or, if that takes longer than answer_within_ms
 * or `early` is set, until the upload is durable: its views are made behind the answer then. `name` and times
 * go into the record. */
void job_end(struct job *job, struct exchange *x, struct str name, int64_t created_s, int64_t expires_s,
             bool early);

/* The result, after x was resumed from job_end: */
struct job_result {
    struct diag diag; /* DIAG_NONE: acknowledged */
    bool complete;    /* what its page shows first is made */
    struct record record;
    char delete_token[RECORD_ID_CHARS + 1];
    struct shared_bytes *summary; /* NULL: not made yet, or memory was short */
};
/* Fills *result; the reference to its summary is the caller's. */
void job_result(struct job *job, struct job_result *result);

/* Ends the producer's part. Without job_end before it, and without job_result behind that, nothing of the upload stays: who
 * was not told its link has no use for it. NULL is fine. */
void job_release(struct job *job);

#endif
