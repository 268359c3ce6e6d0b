/* Lists of calls: all calls of a profile as text, in pieces, so that any number of them needs no more memory than what is
 * open at a time: what GET /p/<id>/calls and `aflamed calls` answer with. The order of rows is that of
 * profile/calls/call_rows.h.
 *
 * Knows no store and no HTTP. */
#pragma once

#include "render/calls/call_format.h"
#include "server/convert/convert.h"

/* Whether the profile has calls with times. False: DIAG_USAGE. */
bool call_list_possible(const struct profile *p, struct diag *diag);

/* Who takes the text, piece by piece, while it is written; without a text between pieces of work that have none. False: that is
 * all. */
struct call_list_taker {
    bool (*take)(void *context, struct str text);
    void *context;
};

/* Writes the list. Of the view, tracks, filters, range, own code and open count. The profile is a whole one. False: diag, as
 * convert_view has it, and DIAG_USAGE for a file without times; where the taker has ended it diag is not set. */
bool call_list_write(const struct convert_source *source, const struct view_options *view,
                     const struct call_format *format, const struct call_list_taker *taker,
                     struct diag *diag) MUST_CHECK;
