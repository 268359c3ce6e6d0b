/* Views of stored profiles: from memory or the store if they are there, else made on the pool, once for all who ask
 * meanwhile (view_job.h). Each coding of a view is an object of its own beside the view, made when it is first asked for;
 * what is asked for often is kept in memory (view_cache.h).
 *
 * The files of this room, each of which knows those before it:
 *     profiles       the folded profile of an upload, folded once for all who need it
 *     view_request   what is asked for, and its key
 *     view_cache     bytes in memory
 *     view_job       making a view, once for all who wait
 *     views          this: who asks, a request or an upload */
#ifndef SERVER_VIEWS_VIEWS_H
#define SERVER_VIEWS_VIEWS_H

#include "server/http/exchange.h"
#include "server/views/view_job.h"
#include "server/views/view_request.h"

struct views *views_new(struct service *service); /* NULL: no memory */
void views_free(struct views *v);                 /* after the pool was stopped; NULL is fine */

/* For a handler, which returns what this returns. then(x, r, result, context) is called with the view: at once if it is
 * there, else on the connection's thread when it has been made. The descriptor and the bytes of *result are the
 * callee's to free; *r is as it was asked for. */
enum exchange_step views_get(struct exchange *x, const struct view_request *r,
                             enum exchange_step (*then)(struct exchange *x, const struct view_request *r,
                                                        struct view_result *result, void *context),
                             void *context);

/* For an upload, which has its views made before anybody asks. True: *result is filled, with the view or a diag, and the
 * caller's to free. False: w->ready(w), which the caller has set, is called when views_take can be called. */
bool views_make(struct views *v, const struct view_request *r, struct view_wait *w,
                struct view_result *result) __attribute__((warn_unused_result));
/* Fills *result, which is the caller's to free. */
void views_take(struct views *v, struct view_wait *w, struct view_result *result);

#endif
