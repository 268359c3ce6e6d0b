/* How long the calls of one method were, in its report (profile/calls/calls.h has the rules). */
#ifndef RENDER_METHOD_METHOD_CALLS_H
#define RENDER_METHOD_METHOD_CALLS_H

#include "core/json.h"
#include "profile/calls/calls.h"
#include "render/table/table.h"

/* "durations":{"calls":14, "clocks":[{"name":"wall", "min_ns", "median_ns", "p95_ns", "p99_ns", "max_ns", "mean_ns",
 *   "bars":[{"from_ns":1000, "to_ns":2000, "calls":3}, ...],                     from the first to the last that has calls
 *   "longest":[{"track":1, "thread":"main", "begin_ns":5, "wall_ns":900, "cpu_ns":300}, ...]}, ...]} */
void method_calls_json(struct json *j, const struct table *t, const struct calls *calls);

/* The same for people. */
void method_calls_txt(struct buf *out, const struct table *t, const struct calls *calls);

#endif
