/* Whether uploads can be taken: the store takes bytes. Who balances load asks often, so that one answer is good
 * for READINESS_GOOD_MS, and only one who asks writes at a time. A change is a line in the log, with the reason. */
#pragma once

#include "core/system/log.h"
#include "server/store/store.h"

enum {
    READINESS_GOOD_MS = 1000,
    READINESS_SLOW_MS = 5000 /* a write that takes longer: the store does not answer */
};

struct readiness;

/* Both outlive it. NULL: no memory. */
struct readiness *readiness_new(struct store *store, const struct log *log);
void readiness_free(struct readiness *r); /* NULL is fine */

/* `now_ms` is on the monotonic clock. True: the caller is to call readiness_check, on a thread that may block, and
 * to ask for the reason behind that. */
bool readiness_is_due(struct readiness *r, int64_t now_ms) MUST_CHECK;
/* Writes a little into the store, and takes it away again. */
void readiness_check(struct readiness *r);

/* The service stops: from now on that is the reason. */
void readiness_end(struct readiness *r);

/* Why no upload can be taken, as a sentence; NULL: it can. Of the last check, or of one that takes too long. */
const char *readiness_reason(struct readiness *r, int64_t now_ms);
