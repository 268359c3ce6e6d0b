/* The service: from configuration to exit status. */
#pragma once

#include "core/diag.h"
#include "server/config/config.h"

/* Whether the keys make sense together, and the files of tokens and of TLS that they name can be used. Nothing is
 * opened to stay, or written. False: diag. */
bool serve_check(const struct config *config, struct diag *diag) __attribute__((warn_unused_result));

/* Runs until SIGTERM or SIGINT; finishes what is under way. 0 after a clean stop, 1 when it could not start
 * (said on standard error). */
int serve_run(const struct config *config);
