/* Views of stored profiles: from memory or the store if they are there, else made by a job, once for all
 * who ask meanwhile. Each coding of a view is an object of its own beside the view, made when it is first
 * asked for. Views are kept in the store, and in memory what is asked for often; those of small uploads
 * in memory alone (view_is_light).
 *
 * The files of this room, each of which knows those before it:
 *     profiles       the profile of an upload, read once for all who need it
 *     view_request   what is asked for, and its key
 *     shared_views   views that machines with one object store share
 *     views          this: one view of a profile, and into the store with it; who asks, a request or an upload
 *     calls_stream   lists of calls, which are sent while they are made */
#pragma once

#include "core/system/once.h"
#include "core/system/turns.h"
#include "server/http/exchange.h"
#include "server/service.h"
#include "server/store/record.h"
#include "server/views/view_request.h"

/* The whole object behind the descriptor. NULL: not readable, or no memory. */
struct shared_bytes *view_read_object(int fd, uint64_t bytes);

/* Copies the view for the other machines, if it is one that they share (shared_views.h). */
struct shared_view;
void view_share(const struct service *s, const struct view_request *r, struct str bytes,
                struct shared_view *shared);

struct views;
struct view_thing;

struct views *views_new(struct service *service); /* NULL: no memory */
void views_free(struct views *v);                 /* when no job runs; NULL is fine */
struct once_counts views_counts(struct views *v); /* of those in memory */

struct view_result {
    int fd; /* the caller's own; -1: see bytes */
    uint64_t file_bytes;
    struct shared_bytes *bytes; /* a reference of the caller's own, or NULL: failed, see diag */
    /* The encoding of the bytes. It is identity where the wanted one could not be made. */
    enum encoding encoding;
    struct diag diag;
};
void view_result_free(struct view_result *result);

/* For a handler, which returns what this returns. then(x, r, result, context) is called with the view: at
 * once if it is there, else on the connection's thread when it has been made. The descriptor and the bytes
 * of *result are the callee's to free; *r is as it was asked for. */
enum exchange_step views_get(struct exchange *x, const struct view_request *r,
                             enum exchange_step (*then)(struct exchange *x, const struct view_request *r,
                                                        struct view_result *result, void *context),
                             void *context);

/* ---- for an upload, which has its views made before anybody asks ----
 *
 * They are made also while clients leave so many answers in memory that requests are refused. */

/* A view that another thread makes. */
struct view_ahead {
    struct once_watch watch; /* first; of the views, as is the rest */
    struct view_thing *thing;
    struct view_result found;
};
/* Begins it, unless it is there or under way, on behalf of the client. */
void views_begin(struct views *v, const struct view_request *r, struct client *client, struct view_ahead *a);
/* Blocks without a turn until it is there. Once for each views_begin. *result is the caller's to free. */
void views_await(struct views *v, struct view_ahead *a, struct turn *turn, struct view_result *result);
/* Makes the view on this thread; or waits without a turn for who makes it. *result is the caller's to free. */
void views_make(struct views *v, const struct view_request *r, struct turn *turn, struct view_result *result);
