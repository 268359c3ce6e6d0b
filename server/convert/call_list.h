/* All calls of a profile as text, in pieces, so that any number of them needs no more memory than what is
 * open at a time: what GET /p/<id>/calls and `aflamed calls` answer with. The order of rows is that of
 * profile/calls/call_rows.h.
 *
 * Knows no store and no HTTP. */
#ifndef SERVER_CONVERT_CALL_LIST_H
#define SERVER_CONVERT_CALL_LIST_H

#include "render/calls/call_format.h"
#include "server/convert/convert.h"

/* Whether the profile has calls with times. False: DIAG_USAGE. */
bool call_list_possible(const struct profile *p, struct diag *diag);

/* Who takes the text while it is written: take(context, out) is called between pieces of the work, and empties `out` as
 * far as it likes. False: that is all. */
struct call_list_taker {
    bool (*take)(void *context, struct buf *out);
    void *context;
};

/* Appends the list to `out`, whose drain takes what a piece has too much of; what is left in it behind the last piece is
 * the caller's. Of the view, tracks, filters, range, own code and open count. The profile is a whole one. False: diag, as
 * convert_view has it, and DIAG_USAGE for a file without times. Where the taker has ended it diag is not set; where the
 * drain has failed only the drain knows why. */
bool call_list_write(const struct convert_source *source, const struct view_options *view,
                     const struct call_format *format, struct buf *out, const struct call_list_taker *taker,
                     struct diag *diag) __attribute__((warn_unused_result));

#endif
