/* The profile table of a folded profile: what GET /p/<id>/methods and `aflamed methods` answer with. */
#ifndef SERVER_CONVERT_METHODS_H
#define SERVER_CONVERT_METHODS_H

#include "render/method/method.h"
#include "render/table/table_format.h"
#include "server/convert/convert.h"

/* Appends the table to `out`, within view_memory_bytes. Of the view, tracks, value and open count, resolved against the
 * profile here; the heaviest track is meant where TRACKS_LISTED names none. The same bytes for the same profile, options
 * and format->revision, so that they can be kept. Any thread. Where longest calls are asked for, the bytes are read
 * again. What calls lasted is of the whole recording, whatever filters
 * take out. A profile that measures no time has no such columns. False: diag, as convert_view has it, and DIAG_USAGE for a
 * column that the table does not have. */
bool convert_methods(const struct convert_source *s, const struct view_options *view,
                     const struct table_request *request, const struct table_format *format, struct buf *out,
                     struct diag *diag) __attribute__((warn_unused_result));

/* The same with the report of one method, which is named by its id or its text: see render/method/method.h. Of the request
 * limit, offset and longest count: also how long its calls were. */
bool convert_method(const struct convert_source *s, const struct view_options *view, struct str name,
                    const struct table_request *request, const struct method_format *format, struct buf *out,
                    struct diag *diag) __attribute__((warn_unused_result));

#endif
