/* The thread that sweeps the store (sweep_pass.h): at the start, every sweep_interval_s, and at once when
 * a write finds the disk full, so that a second try finds room.
 *
 * Deleting deletes at once (record_delete). An upload that expires is removed within delete_within_s, whatever
 * sweep_interval_s is: the sweep knows when the next one does (sweep_upload_expires). Expiry goes by a clock that is not
 * believed when it jumps ahead (struct trusted_time).
 *
 * It stays behind the requests: its thread has a lower priority, and pauses between batches of objects,
 * unless the disk is full.
 *
 * The bytes of views are counted as they are written, so that views_on_disk_bytes holds at every moment: a
 * view that finds no room is not kept, and the views are swept down to nine tenths of the limit before
 * they reach it, if the disk is fast enough.
 *
 * The thread also sends what waits for the object store (store_send_waiting), between two sweeps.
 *
 * A sweep that did something is one line in the log, at info; else at debug. */
#pragma once

#include "core/system/log.h"
#include "server/config/config.h"
#include "server/store/kept.h"
#include "server/store/store.h"

struct sweep;

enum { SWEEP_ROOM_TRIES = 4 }; /* of a write: others may take the room that was made */

/* Before other threads use the store. All three outlive the sweep. NULL: no memory, or no thread. */
struct sweep *sweep_start(const struct config *config, struct store *store, const struct log *log) MUST_CHECK;

/* After a write that found the disk full: waits until the sweep that it called for is done. True if that
 * removed something, so that it is worth to try again; false at once while the last one, which found
 * nothing, is not long ago. Takes seconds: not for a thread that serves connections, nor for the sweep's
 * own. NULL has no room. */
bool sweep_make_room(struct sweep *w);

/* Before a view of so many bytes is put into the store. True: it fits below views_on_disk_bytes, and is
 * counted. False: it must not be put; the views are swept at once, so that a later one finds room. Any
 * thread. NULL: nobody counts, and everything fits. */
bool sweep_take_view_room(struct sweep *w, uint64_t bytes) MUST_CHECK;

/* Before uploaded bytes are put into the store that are not there yet. True: they fit below store_bytes,
 * and are counted. False: they must not be put. What has expired is removed for them first, which may take seconds:
 * not for a thread that serves connections. NULL: nobody counts. */
bool sweep_take_upload_room(struct sweep *w, uint64_t bytes) MUST_CHECK;

/* The put failed, or the upload has ended. */
void sweep_give_upload_room(struct sweep *w, uint64_t bytes);

/* After each put for which room was taken. `kept`: the view is there now; else the put failed, or it was
 * there already. */
void sweep_view_put(struct sweep *w, uint64_t bytes, bool kept);

/* An upload that is new, or was changed, expires at this Unix time. Any thread; NULL does nothing. */
void sweep_upload_expires(struct sweep *w, int64_t expires_s);

/* How much the store keeps of each person; NULL: without limit. NULL of NULL. */
struct kept *sweep_kept(struct sweep *w);

/* How much there is, and how many views were removed for lack of room or use since the start. Any thread. */
struct sweep_counts {
    uint64_t upload_bytes, view_bytes, removed_views;
};
struct sweep_counts sweep_counts(struct sweep *w);

/* Ends a sweep under way after its present object. When nobody writes to the store any more; NULL is fine. */
void sweep_stop(struct sweep *w);

/* The time that the sweep goes by. What has expired is removed for good, so a clock that jumps ahead must
 * not be believed at once: a machine whose battery is empty may start in the year 2099.
 *
 * The last time that was believed is kept on this machine, in the file clock/seen. A clock
 * that is more than TRUSTED_LEAP_S ahead of that time, and of what has passed since, is believed only when
 * it has said so for TRUSTED_DOUBT_MS. Until then time goes on from where it was believed last. A service
 * that was stopped for longer than the leap doubts its clock, too: it removes what has expired an hour
 * later. A clock that goes back is believed at once, as it removes nothing too early.
 *
 * Not for several threads. */

enum { TRUSTED_LEAP_S = 2 * 3600, TRUSTED_DOUBT_MS = 3600 * 1000 };

struct trusted_time {
    int64_t seen_s;          /* Unix time that was believed last; below 0: none was ever */
    int64_t at_ms;           /* when, on the monotonic clock */
    int64_t doubted_from_ms; /* monotonic; below 0: the clock is believed */
};

/* With what the store has kept. An object that cannot be read is no contradiction. */
struct trusted_time trusted_time_begin(struct local *l, int64_t now_ms);

/* The time to go by when the clock says wall_s; now_ms is the monotonic one. */
int64_t trusted_time(struct trusted_time *t, int64_t wall_s, int64_t now_ms);

/* Keeps the clock's time, as it is now, in the store, unless the clock is doubted. */
enum store_result trusted_time_keep(const struct trusted_time *t, struct local *l) MUST_CHECK;
