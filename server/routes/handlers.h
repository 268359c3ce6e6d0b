/* The handlers of server/routes/routes.c. Each fills x->reply and returns X_DONE, or waits (http/exchange.h). What
 * several of them need stands in files of its own below them: profile_access, profile_json, view_answer. */
#ifndef SERVER_ROUTES_HANDLERS_H
#define SERVER_ROUTES_HANDLERS_H

#include "server/http/route.h"

/* handle_site.c */
enum exchange_step handle_home(struct exchange *x);
enum exchange_step handle_uploads(struct exchange *x);
enum exchange_step handle_healthz(struct exchange *x);
enum exchange_step handle_no_icon(struct exchange *x);
enum exchange_step handle_version(struct exchange *x);
enum exchange_step handle_static(struct exchange *x);
enum exchange_step handle_demo(struct exchange *x);

/* handle_upload.c */
extern const struct route_body UPLOAD_BODY;
enum exchange_step handle_upload(struct exchange *x);

/* handle_profile.c */
enum exchange_step handle_profile(struct exchange *x);

/* handle_raw.c */
enum exchange_step handle_raw(struct exchange *x);

/* handle_change.c */
enum exchange_step handle_rename(struct exchange *x);
enum exchange_step handle_delete(struct exchange *x);
enum exchange_step handle_delete_form(struct exchange *x);
enum exchange_step handle_delete_posted(struct exchange *x);

/* handle_progress.c */
enum exchange_step handle_status(struct exchange *x);
enum exchange_step handle_events(struct exchange *x);

/* handle_track.c */
enum exchange_step handle_track(struct exchange *x);
enum exchange_step handle_thumb(struct exchange *x);
enum exchange_step handle_tree(struct exchange *x);
enum exchange_step handle_track_choice(struct exchange *x);

#endif
