/* The handlers of server/routes/routes.c. Each fills x->reply, or waits and is called again (exchange.h). */
#ifndef SERVER_ROUTES_HANDLERS_H
#define SERVER_ROUTES_HANDLERS_H

#include "server/http/exchange.h"
#include "server/upload/job.h"
#include "server/views/views.h"

/* handle_site.c */
enum exchange_step handle_home(struct exchange *x);
enum exchange_step handle_uploads(struct exchange *x);
enum exchange_step handle_healthz(struct exchange *x);
enum exchange_step handle_no_icon(struct exchange *x);
enum exchange_step handle_version(struct exchange *x);
enum exchange_step handle_static(struct exchange *x);
enum exchange_step handle_demo(struct exchange *x);

/* handle_upload.c */
enum exchange_step begin_upload(struct exchange *x);
enum exchange_step handle_upload(struct exchange *x);

/* handle_progress.c */
enum exchange_step handle_status(struct exchange *x);
enum exchange_step handle_events(struct exchange *x);

/* handle_profile.c */
enum exchange_step handle_profile(struct exchange *x);
enum exchange_step handle_raw(struct exchange *x);
enum exchange_step handle_delete(struct exchange *x);
enum exchange_step handle_delete_form(struct exchange *x);
enum exchange_step handle_delete_posted(struct exchange *x);

/* handle_view.c */
enum exchange_step handle_track(struct exchange *x);

/* handle_page.c */
enum exchange_step handle_flame(struct exchange *x);
enum exchange_step handle_thumb(struct exchange *x);
enum exchange_step handle_tree(struct exchange *x);
enum exchange_step handle_track_choice(struct exchange *x);
enum exchange_step begin_form(struct exchange *x);
enum exchange_step handle_rename(struct exchange *x);

/* ---- shared by them ---- */

/* The upload's record. False: x->reply says why not (404, 410, 500). */
bool profile_record(struct exchange *x, struct str id, struct record *r);
/* Says that it was deleted or has expired (410). */
void profile_gone(struct exchange *x);

/* The upload as JSON, for an API client: the record and the summary, which may be empty, in one object; `token` may be
 * NULL. */
void profile_json(struct exchange *x, unsigned status, const struct record *r, struct str summary,
                  const char *token);

/* Whether this is the upload's delete token (p NULL: none was sent). False: x->reply says why. */
bool token_accepted(struct exchange *x, const struct record *r, struct str token);
/* The same of the field `token` of a form. */
bool form_token_accepted(struct exchange *x, const struct record *r);

/* Appends a view's bytes, wherever they are, and frees the result. False: x->reply is made. */
bool take_view(struct exchange *x, struct view_result *result, struct buf *bytes);

/* Answers with a view, and the headers that views have, or 304. Waits if it has to be made first. */
enum exchange_step answer_view(struct exchange *x, const struct view_request *r);
/* The same with a view that is there (views_get): takes over what the result holds. */
void answer_view_result(struct exchange *x, unsigned status, const struct view_request *r,
                        struct view_result *result);

/* 503; returns X_DONE. */
enum exchange_step no_memory_to_answer(struct exchange *x);

/* The view options among the query's parameters. False: diag. `output` and `track` are taken only if `upload`, which also
 * passes over the upload's own (name, expires, member); `node` and `skip` only for the output "tree". */
bool view_query(struct exchange *x, bool upload, struct view_request *r, struct diag *diag);

#endif
