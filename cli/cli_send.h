/* Uploads to a service. */
#ifndef CLI_CLI_SEND_H
#define CLI_CLI_SEND_H

#include <stdint.h>

#include "core/diag.h"

/* Sends the file, of so many bytes, as an upload of that name to the address, which may have a query, such as
 * ?space=shop&check=branch:main; with the token in AFLAMED_TOKEN, if there is one. What is answered goes to standard output.
 * Returns the exit status: CLI_PASSED for a check that fails; CLI_UNUSABLE with diag. */
int cli_send(const char *url, const char *name, int fd, uint64_t bytes, struct diag *diag);

#endif
