/* --member all: each file of an archive that is read here, one after the other. */
#ifndef CLI_CLI_MEMBERS_H
#define CLI_CLI_MEMBERS_H

#include "cli/cli.h"

#define CLI_EVERY_MEMBER "all"

/* One of them, the number'th from 1. `choice` is what --member takes. Returns an exit status. */
typedef int cli_member_fn(void *context, const char *name, const char *choice, size_t number);

/* Calls `each` for all members of the archive at the path. Returns the highest exit status; what is wrong with the archive is said,
 * `shown` is the name for it as in cli_error. */
int cli_each_member(const struct config *config, const char *path, const char *shown, cli_member_fn *each,
                    void *context);

#endif
