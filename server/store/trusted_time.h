/* The time that the sweep goes by. What has expired is removed for good, so a clock that jumps ahead must not be believed at
 * once: a machine whose battery is empty may start in the year 2099.
 *
 * The store keeps the last time that was believed, as the time of use of the object clock/seen. A clock that is more than TRUSTED_LEAP_S ahead
 * of that time, and of what has passed since, is believed only when it has said so for TRUSTED_DOUBT_MS. Until then time
 * goes on from where it was believed last. A service that was stopped for longer than the leap doubts its clock, too: it
 * removes what has expired an hour later. A clock that goes back is believed at once, as it removes nothing too early.
 *
 * Not for several threads. */
#ifndef SERVER_STORE_TRUSTED_TIME_H
#define SERVER_STORE_TRUSTED_TIME_H

#include "server/store/store.h"

enum { TRUSTED_LEAP_S = 2 * 3600, TRUSTED_DOUBT_MS = 3600 * 1000 };

struct trusted_time {
    int64_t seen_s;          /* Unix time that was believed last; below 0: none was ever */
    int64_t at_ms;           /* when, on the monotonic clock */
    int64_t doubted_from_ms; /* monotonic; below 0: the clock is believed */
};

/* With what the store has kept: the time of use of an empty object. One that cannot be looked at is no contradiction. */
struct trusted_time trusted_time_begin(struct store *s, int64_t now_ms);
/* The time to go by when the clock says wall_s; now_ms is the monotonic one. */
int64_t trusted_time(struct trusted_time *t, int64_t wall_s, int64_t now_ms);
/* Keeps the clock's time, as it is now, in the store, unless the clock is doubted. */
enum store_result trusted_time_keep(const struct trusted_time *t, struct store *s)
    __attribute__((warn_unused_result));

#endif
