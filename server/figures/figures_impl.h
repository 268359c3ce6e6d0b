/* The inside of the figures: for figures.c, which counts, and figures_table.c, which writes. */
#pragma once

#include <pthread.h>
#include <stdatomic.h>

#include "server/figures/exposition.h"
#include "server/figures/figures.h"

enum {
    FIGURES_CODES = 34,
    FIGURES_FORMATS_MAX = 32 /* one more counts as "other" */
};

/* Statuses that answers have. [0] stands for all that are not listed, and for no answer. */
extern const unsigned FIGURES_CODE[FIGURES_CODES];
extern const char *const FIGURES_REFUSAL[REFUSALS]; /* [REFUSED_NOT] is NULL */
extern const char *const FIGURES_CACHE[CACHES];
extern const char *const FIGURES_WEBHOOK[WEBHOOK_RESULTS];

typedef atomic_uint_fast64_t counter;

static inline uint64_t counter_get(const counter *c)
{
    return atomic_load_explicit(c, memory_order_relaxed);
}

struct histogram {
    counter counts[EXPOSITION_BUCKETS + 1]; /* of each bucket by itself; the last one has no bound */
    counter sum_us;
};

struct route_figures {
    counter requests[FIGURES_CODES];
    struct histogram durations;
};

struct format_figures {
    struct str name; /* its own memory; constant once n_formats counts it */
    counter uploads;
    struct histogram readings;
};

struct figures {
    uint64_t started_us; /* Unix time */
    size_t n_routes;
    counter connections, bytes_in, bytes_out;
    counter refused[REFUSALS];
    counter looks[CACHES][2]; /* [hit] */
    counter webhook[WEBHOOK_RESULTS];
    pthread_mutex_t naming; /* of a new format */
    atomic_size_t n_formats;
    struct format_figures formats[FIGURES_FORMATS_MAX + 1]; /* the last one is "other" */
    struct route_figures routes[]; /* n_routes, and one for requests without a route */
};
