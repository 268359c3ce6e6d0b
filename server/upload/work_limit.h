/* How much of a processor the reading of one upload may take: work_seconds, and work_seconds_per_mb for each MB of it
 * that has arrived. A job that is beyond it is told to stop, within a second or two. So a file that is made to be
 * expensive holds a worker for no longer than that, whatever its format.
 *
 * The time counted is that of the job's thread. A job that waits uses none. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "core/stop.h"
#include "server/config/config.h"

/* All jobs that are under way. */
struct work_limits;

/* One job's. */
struct work_limit {
    /* of the limits */
    struct work_limit *next;
    struct stop *stop;
    const _Atomic uint64_t *bytes;
    bool has_clock;  /* else the job has no limit */
    clockid_t clock; /* of the job's thread */
    int64_t from_us; /* what it showed at the beginning */
};

struct work_limits *work_limits_new(const struct config *config); /* NULL: no memory */
void work_limits_free(struct work_limits *all);                   /* when no job is under way; NULL is fine */

/* On the thread of the job, whose time counts from here on; the job's stop; how many bytes of its upload have arrived. All
 * of these, and *w, stay until work_limit_end. */
void work_limit_begin(struct work_limits *all, struct work_limit *w, struct stop *stop,
                      const _Atomic uint64_t *bytes);
/* On the same thread. How many microseconds it has taken. */
uint64_t work_limit_end(struct work_limits *all, struct work_limit *w);

/* Looks at each job. Called once a second, on any thread. */
void work_limits_tick(struct work_limits *all);
