/* The configuration file: one JSON object of keys and values. */
#ifndef SERVER_CONFIG_CONFIG_FILE_H
#define SERVER_CONFIG_CONFIG_FILE_H

#include "core/diag.h"
#include "server/config/config.h"

/* Sets in *c what the file names and leaves the rest. False: diag (DIAG_USAGE) names the file, the line, the
 * key, and what is allowed. */
bool config_file_take(struct config *c, const char *path, struct diag *diag)
    __attribute__((warn_unused_result));

#endif
