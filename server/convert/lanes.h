/* What all threads of a profile did in a window of time: what GET /p/<id>/lanes answers with. */
#ifndef SERVER_CONVERT_LANES_H
#define SERVER_CONVERT_LANES_H

#include "render/lanes/lanes_format.h"
#include "server/convert/convert.h"

/* The options that lanes depend on, all others as they are by default: what else a client asks for does not make another answer. */
void lanes_options(const struct config *config, const struct lanes_asked *asked, struct view_options *view);

/* Appends the lanes in that format. Of the view, tracks, app, open, width and the window count, and of tracks that are opened the
 * filters. The profile's log is replayed. False: diag. */
bool convert_lanes(const struct convert_source *s, const struct view_options *view,
                   const struct lanes_asked *asked, const struct lanes_format *format, struct buf *out,
                   struct diag *diag) __attribute__((warn_unused_result));

#endif
