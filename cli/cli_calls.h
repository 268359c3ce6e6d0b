/* All calls of a profile, one by one, into a result. */
#ifndef CLI_CLI_CALLS_H
#define CLI_CLI_CALLS_H

#include "cli/cli_output.h"
#include "server/convert/call_list.h"

/* `source` is the whole profile. False: diag. */
bool cli_calls_write(const struct convert_source *source, const struct view_options *view,
                     const struct call_format *format, struct cli_output *to, struct diag *diag)
    __attribute__((warn_unused_result));

#endif
