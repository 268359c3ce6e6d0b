/* One method: what it cost in all and on each thread, who calls it, and what it calls. */
#pragma once

#include "core/json.h"
#include "profile/calls/calls.h"
#include "render/table/table.h"
#include "render/table/table_format.h"
#include "render/view/asked.h"
#include "render/view/input.h"

/* A format of one method's report. */
struct method_format {
    struct text_format text;
    /* `calls` looked at the row's calls, or is NULL. `request`: as of method_write. */
    bool (*write)(const struct table *t, uint32_t row, const struct calls *calls,
                  const struct table_request *request, struct arena *arena, struct buf *out);
};

extern const struct method_format METHOD_JSON, METHOD_TXT;

/* Finds the method that `name` names, on the tracks that in->view selects: an id (table.h), or the text
 * `package.Class.method`, which overloads share. False: diag, with DIAG_NOT_FOUND for a name that no
 * method of these tracks has, and DIAG_AMBIGUOUS for one that several have, which lists their ids.
 * `whole`: the profile of which this is a window of time, or NULL; what only ran outside of the window is
 * found, too. */
bool method_find(const struct render_input *in, const struct profile *whole, struct str name,
                 const struct table **t, uint32_t *row, struct diag *diag) MUST_CHECK;

/* Appends the method's report to out. Of the request limit and offset count: for each list of callers and
 * callees by itself. False: diag. */
bool method_write(const struct render_input *in, const struct table *t, uint32_t row,
                  const struct method_format *format, const struct table_request *request, struct buf *out,
                  struct diag *diag) MUST_CHECK;

/* Who calls one row of the table, and what it calls: what Traceview shows where a row is opened. */

/* One caller or callee, with what passed between the two. */
struct detail_edge {
    uint32_t row; /* TABLE_NO_ROW: called by no method */
    /* Calls of the callee by the caller: the first of "14/20"; the second is the callee's in table_sums. */
    uint64_t calls;
    /* By measure of the table, as table_sums: total of the callee below the caller, and from
     * table.first_calls on its own. */
    const uint64_t *value;
};

struct detail_edges {
    const struct detail_edge *edges; /* by table.heaviest, the largest first; equal ones by row */
    uint32_t n;
};

/* Of the outermost occurrences of the row, and of those within others: "while recursive". For each of the
 * two and each measure, the sum of the parents equals the sum of the children and `self`. Of the outermost
 * ones that is the row's inclusive value, and the row itself is among the children if it calls itself. */
struct detail_part {
    struct detail_edges parents, children;
    uint64_t self[TABLE_COUNTED_MAX];
};

struct detail {
    struct detail_part outermost, recursive;
};

/* One pass over the table's nodes; all memory is of the arena. False: it gives no more. */
bool detail_new(struct detail *d, const struct table *t, uint32_t row, struct arena *arena) MUST_CHECK;

/* How long the calls of one method were, in its report (profile/calls/calls.h has the rules). */

/* "durations":{"calls":14, "clocks":[{"name":"wall", "min_ns", "median_ns", "p95_ns", "p99_ns", "max_ns",
 * "mean_ns",
 *   "bars":[{"from_ns":1000, "to_ns":2000, "calls":3}, ...],                     from the first to the last that has calls
 *   "longest":[{"track":1, "thread":"main", "begin_ns":5, "wall_ns":900, "cpu_ns":300}, ...]}, ...]} */
void method_calls_json(struct json *j, const struct table *t, const struct calls *calls);

/* The same for people. */
void method_calls_txt(struct buf *out, const struct table *t, const struct calls *calls);

/* Of one thread: the method's inclusive value by measure of the table, and its calls. */
struct method_thread {
    uint64_t inclusive[TABLE_COUNTED_MAX];
    uint64_t calls;
};

struct method_report {
    const struct table *table;
    uint32_t row;
    struct table_sums sums;
    struct detail detail;
    const struct method_thread *threads; /* [table.n_tracks]; zeroed where the method does not occur */
    const uint32_t *overloads;           /* rows of the same text, without this one */
    uint32_t n_overloads;
};

/* All memory is of the arena. False: it gives no more. */
bool method_report_new(struct method_report *r, const struct table *t, uint32_t row,
                       struct arena *arena) MUST_CHECK;
