/* The text formats that figures are told in: Prometheus' text format 0.0.4 and OpenMetrics 1.0. Knows nothing of
 * what is told. Pure.
 *
 *     struct exposition e = {&buf, open_metrics};
 *     exposition_begin(&e, "aflamed_requests", FIGURE_COUNTER, "Requests that have ended.");
 *     exposition_value(&e, "aflamed_requests", FIGURE_COUNTER, labels, 2, 17, 0);
 *     exposition_end(&e);
 *
 * All values of a name follow its beginning. The name of a counter is given without the _total at its end. */
#pragma once

#include "core/buf.h"

enum figure_type { FIGURE_COUNTER, FIGURE_GAUGE, FIGURE_HISTOGRAM };

struct exposition {
    struct buf *b;
    bool open_metrics;
};

struct figure_label {
    const char *name;
    struct str value; /* any text: it is escaped */
};

/* "text/plain; version=0.0.4; charset=utf-8" or OpenMetrics'. */
const char *exposition_media_type(bool open_metrics);
/* "counter", "gauge" or "histogram". */
const char *exposition_type(enum figure_type type);

void exposition_begin(struct exposition *e, const char *name, enum figure_type type, const char *help);

/* value / 10^decimals */
void exposition_value(struct exposition *e, const char *name, enum figure_type type,
                      const struct figure_label *labels, size_t n_labels, uint64_t value, unsigned decimals);

/* Durations. Each bucket counts those that are not longer than its bound, and longer than the one before; the last
 * bucket has no bound. Buckets are written as they are read by others: each with all before it. */
enum { EXPOSITION_BUCKETS = 15 };
extern const uint64_t EXPOSITION_BOUNDS_US[EXPOSITION_BUCKETS];
void exposition_histogram(struct exposition *e, const char *name, const struct figure_label *labels,
                          size_t n_labels, const uint64_t counts[EXPOSITION_BUCKETS + 1], uint64_t sum_us);

void exposition_end(struct exposition *e);
