/* The service: from configuration to exit status. */
#ifndef SERVER_SERVE_H
#define SERVER_SERVE_H

#include "server/config/config.h"

/* Runs until SIGTERM or SIGINT; finishes what is under way. 0 after a clean stop, 1 when it could not start
 * (said on standard error). */
int serve_run(const struct config *config);

#endif
