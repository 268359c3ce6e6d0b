/* One view of a profile, written. */
#ifndef CLI_CLI_VIEW_H
#define CLI_CLI_VIEW_H

#include "cli/command.h"
#include "render/output.h"
#include "server/convert/call_list.h"

/* The format in which the output has the view's calls in the order of time, if the view is one of times, of threads apart; else NULL. */
const struct call_format *cli_view_calls(const struct output *output, const struct profile *p,
                                         const struct view_options *view);

/* A result that may be larger than memory is written while it is made. The log of calls is read for calls,
 * of which `source` has to be the whole, and for charts. `out` is empty, and may be used again. False: diag. */
bool cli_view_write(const struct convert_source *source, const struct output *output,
                    const struct view_options *view, const char *path, struct buf *out, struct diag *diag)
    __attribute__((warn_unused_result));

#endif
