/* The thread that sweeps the store (sweep_pass.h): at the start, every sweep_interval_s, and at once when a
 * write finds the disk full, so that a second try finds room. It stays behind the requests: its thread has a
 * lower priority, and pauses between batches of objects, unless the disk is full.
 *
 * A sweep that did something is one line in the log, at info; else at debug. */
#ifndef SERVER_STORE_SWEEP_H
#define SERVER_STORE_SWEEP_H

#include "core/system/log.h"
#include "server/config/config.h"
#include "server/store/store.h"

struct sweep;

enum { SWEEP_ROOM_TRIES = 4 }; /* of a write: others may take the room that was made */

/* Before other threads use the store. All three outlive the sweep. NULL: no memory, or no thread. */
struct sweep *sweep_start(const struct config *config, struct store *store, const struct log *log)
    __attribute__((warn_unused_result));
/* After a write that found the disk full: waits until the sweep that it called for is done. True if that removed
 * something, so that it is worth to try again; false at once while the last one, which found nothing, is not long ago.
 * Takes seconds: not for a thread that serves connections, nor for the sweep's own. NULL has no room. */
bool sweep_make_room(struct sweep *w);
/* Ends a sweep under way after its present object. When nobody writes to the store any more; NULL is fine. */
void sweep_stop(struct sweep *w);

#endif
