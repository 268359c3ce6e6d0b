/* All calls of a profile as text, in pieces, so that any number of them needs no more memory than what is
 * open at a time: what GET /p/<id>/calls and `aflamed calls` answer with. The order of rows is that of
 * profile/calls/call_rows.h.
 *
 *     list = call_list_new(profile, config, view, format, diag);
 *     while ((step = call_list_step(list, fd, stop, &out, diag)) == CONVERT_MORE)
 *         send and clear out
 *     CONVERT_FED: out has the last piece; CONVERT_FAILED: diag
 *     call_list_free(list);
 *
 * Knows no store and no HTTP. A list is used by one thread at a time. */
#ifndef SERVER_CONVERT_CALL_LIST_H
#define SERVER_CONVERT_CALL_LIST_H

#include "render/calls/call_format.h"
#include "server/convert/convert.h"

struct call_list;

/* Whether the profile has calls with times. False: DIAG_USAGE. */
bool call_list_possible(const struct profile *p, struct diag *diag);

/* Of the view, tracks, filters, range, own code and open count. The profile is a whole one and must
 * outlive the list, and so must the format; *source is copied. NULL: diag, as convert_view has it, and
 * DIAG_USAGE for a file without times. */
struct call_list *call_list_new(const struct convert_source *source, const struct view_options *view,
                                const struct call_format *format, struct diag *diag)
    __attribute__((warn_unused_result));

/* Replays a block of the profile's log; before that come steps that make the log. Unless `out` has a
 * drain, a step ends with DIAG_LIMIT at view_memory_bytes. Where the drain fails the step does, and only
 * the drain knows why. */
enum convert_step call_list_step(struct call_list *l, struct buf *out, struct diag *diag)
    __attribute__((warn_unused_result));
void call_list_free(struct call_list *l); /* NULL is fine */

#endif
