/* Views in the making, each made once for all who wait for it: requests, and uploads that have views made ahead. A job makes
 * one coding of one view on the pool, puts it into the store, and holds the bytes until all who waited have taken them.
 *
 *     view_jobs_lock(j)
 *     view_jobs_join(j, ..., wait)     starts the job, unless it is under way
 *     view_jobs_unlock(j)
 *         ... wait->ready(wait) is called, on a thread of the pool, under the lock ...
 *     view_jobs_leave(j, wait, &result), or with NULL by who no longer wants the view
 *
 * Knows profiles.h, which folds the upload, and the store. Looks up nothing: see views.h for what is there already. */
#ifndef SERVER_VIEWS_VIEW_JOB_H
#define SERVER_VIEWS_VIEW_JOB_H

#include "server/http/reply.h"
#include "server/views/view_request.h"

struct view_jobs;
struct view_job;

struct view_jobs *view_jobs_new(struct service *service); /* NULL: no memory */
void view_jobs_free(struct view_jobs *j);                 /* after the pool was stopped; NULL is fine */

/* Who waits for a view. Zeroed but for the waiter's fields; its memory is the waiter's, until view_jobs_leave. */
struct view_wait {
    /* The waiter's. */
    void (*ready)(
        struct view_wait *w); /* Called once, under the lock: it should do no more than wake somebody. */
    /* An upload waits: the view is made also while clients leave so many answers in memory that requests are refused. */
    bool is_upload;
    struct client *client; /* who asks; NULL: an upload */
    /* Of the jobs, under their lock. */
    struct view_job *job; /* NULL: does not wait, or its result was taken */
    struct view_wait *next;
};

struct view_result {
    int fd; /* the caller's own; -1: see bytes */
    uint64_t file_bytes;
    struct shared_bytes *bytes; /* a reference of the caller's own, or NULL: failed, see diag */
    enum encoding
        encoding; /* of the bytes; identity also where another one was wanted and could not be made */
    struct diag diag;
};
void view_result_free(struct view_result *result);

void view_jobs_lock(struct view_jobs *j);
void view_jobs_unlock(struct view_jobs *j);

/* Under the lock. Waits for the view in this coding, whose key is `key`. `plain` are the bytes of the view without coding,
 * of which the coding is made; NULL: see the store. The reference is taken over. False: no memory. */
bool view_jobs_join(struct view_jobs *j, const struct view_request *r, enum encoding e, const char *key,
                    struct shared_bytes *plain, struct view_wait *w) __attribute__((warn_unused_result));

/* Ends the waiting. With a result, it is after ready() was called, and *result is filled: bytes, or a diag. Does nothing for
 * who does not wait. */
void view_jobs_leave(struct view_jobs *j, struct view_wait *w, struct view_result *result);

/* The whole object behind the descriptor. NULL: not readable, or no memory. */
struct shared_bytes *view_read_object(int fd, uint64_t bytes);

#endif
