/* Views that machines with one object store share (share_views): what the page of an upload shows first. A machine that
 * has not read the upload shows that without reading it.
 *
 *     shown/<id>/page       the summary
 *     shown/<id>/words      the verdict, as JSON
 *     shown/<id>/picture    the picture of the main thread
 *
 * Each object is a line, "NAME DIGEST\n", and the bytes of the view. NAME is the digest of all that the view depends on,
 * with the version of the program; DIGEST is that of the bytes. An object of another version or other names, and one that is
 * damaged, is passed over: then the view is made of the upload, as if there were none. The objects are put once, for an
 * upload that has its record, and removed with it (store/record.h). Any thread. */
#pragma once

#include "core/system/turns.h"
#include "server/http/exchange.h"
#include "server/service.h"
#include "server/store/record.h"
#include "server/views/view_request.h"

enum { SHARED_VIEW_BYTES_MAX = 1 << 20 };

/* A view on its way into the object store. Zeroed: none. */
struct shared_view {
    char id[RECORD_ID_CHARS + 1];
    enum record_shown which;
    struct buf text; /* of the object; empty: it is not shared */
};

/* Whether it is the one that is made when somebody asks for it, and not with the upload. */
bool shared_view_is_late(const struct service *s, const struct view_request *r);

/* Copies the view, if it is one of those that are shared. `description`: all that it depends on. */
void shared_view_take(const struct service *s, const struct view_request *r, struct str description,
                      struct str bytes, struct shared_view *v);
/* Puts the view, of an upload that has its record, and frees it. Without a turn. */
void shared_view_put(struct service *s, struct shared_view *v);

/* The view as another machine has put it. Asks for none where the upload's bytes are on this machine. Waits without the turn.
 * NULL: it has to be made. */
struct shared_bytes *shared_view_get(struct service *s, const struct view_request *r, struct str description,
                                     struct turn *turn);
