/* Draws one view of a profile, and puts it into the store. Knows nothing of who waits for it. Any thread that may block. */
#ifndef SERVER_VIEWS_VIEW_DRAW_H
#define SERVER_VIEWS_VIEW_DRAW_H

#include "core/system/turns.h"
#include "server/http/reply.h"
#include "server/views/view_request.h"

/* The view without coding, kept in the store; of two profiles, where it compares. Gets them from the profiles of the service. Ends soon after
 * turn->stop was asked. NULL: diag. */
struct shared_bytes *view_draw(struct service *s, const struct view_request *r, struct turn *turn,
                               struct diag *diag);

/* The view in this coding, kept in the store under its key; NULL: it cannot be coded. */
struct shared_bytes *view_encode(struct service *s, const struct view_request *r, enum encoding e,
                                 struct shared_bytes *plain);

/* Whether it is no short work: the upload is read once more for it. */
bool view_is_long(const struct view_request *r);

/* The whole object behind the descriptor. NULL: not readable, or no memory. */
struct shared_bytes *view_read_object(int fd, uint64_t bytes);

#endif
