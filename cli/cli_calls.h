/* All calls of a profile, one by one, into a result. */
#ifndef CLI_CLI_CALLS_H
#define CLI_CLI_CALLS_H

#include "cli/cli_output.h"
#include "server/convert/call_list.h"

/* `folded` is the whole profile, `again` leads to its bytes. False: diag. */
bool cli_calls_write(const struct shared_profile *folded, const struct config *config,
                     const struct view_options *view, const struct call_format *format, int again,
                     struct cli_output *to, struct diag *diag) __attribute__((warn_unused_result));

#endif
