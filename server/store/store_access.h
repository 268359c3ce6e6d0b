/* The store as requests meet it: what it refuses is a line in the log, with the reason, and a sentence for the client,
 * without. Any thread. */
#ifndef SERVER_STORE_STORE_ACCESS_H
#define SERVER_STORE_STORE_ACCESS_H

#include "core/system/log.h"
#include "server/store/store.h"

/* After a call of the store that failed, with errno as it left it. `what` could not be done to the upload: "stored",
 * "changed", "deleted". */
void store_access_failed(const struct log *log, enum store_result result, const char *what,
                         struct diag *diag);

/* The bytes of an upload: an open read-only descriptor, the caller's to close, and how many there are. -1: diag. */
int store_access_blob(struct store *store, const struct log *log, const char *sha256, uint64_t *bytes,
                      struct diag *diag) __attribute__((warn_unused_result));

#endif
