/* Items of a work that are made side by side and taken in their order: the text of each is made by one of several threads, and
 * written behind that of the item before.
 *
 * What is made waits in a place for its turn. There are a few places for each thread, so that threads hardly ever wait for each other:
 * to wake one that sleeps may take as long as several items. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/parallel.h"

enum { ORDERED_PLACES_PER_JOB = 2, ORDERED_PLACES_MAX = ORDERED_PLACES_PER_JOB * PARALLEL_JOBS_MAX };

struct ordered;

/* False: that is all; no more items are made, and none is taken. */
struct ordered_does {
    /* Makes the item, by one of the threads (worker is 0 for the one that asked, and below the number of them), in a place that
     * nobody else uses until it was taken. */
    bool (*make)(void *context, struct ordered *o, unsigned worker, unsigned place, uint64_t item);
    bool (*take)(void *context, unsigned place); /* by any of them, one at a time */
    void *context;
};

/* Does n items by so many threads, parallel->jobs at most; by one, and then in place 0, `parallel` may be NULL. False: one of
 * the functions was. */
bool ordered_run(const struct parallel *parallel, unsigned jobs, uint64_t n, const struct ordered_does *does);

/* For `make`: waits until all items before were taken. Until the item is made, nothing else is taken. False: there is no more. */
bool ordered_wait(struct ordered *o, uint64_t item);
