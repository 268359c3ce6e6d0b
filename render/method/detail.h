/* Who calls one row of the table, and what it calls: what Traceview shows where a row is opened. */
#ifndef RENDER_METHOD_DETAIL_H
#define RENDER_METHOD_DETAIL_H

#include "render/table/table.h"

/* One caller or callee, with what passed between the two. */
struct detail_edge {
    uint32_t row; /* TABLE_NO_ROW: called by no method */
    uint64_t
        calls; /* of the callee by the caller: the first of "14/20"; the second is the callee's in table_sums */
    const uint64_t
        *value; /* by measure of the table, as table_sums: total of the callee below the caller, and from
                               table.first_calls on its own */
};

struct detail_edges {
    const struct detail_edge *edges; /* by table.heaviest, the largest first; equal ones by row */
    uint32_t n;
};

/* Of the outermost occurrences of the row, and of those within others: "while recursive". For each of the two and each
 * measure, the sum of the parents equals the sum of the children and `self`. Of the outermost ones that is the row's
 * inclusive value, and the row itself is among the children if it calls itself. */
struct detail_part {
    struct detail_edges parents, children;
    uint64_t self[TABLE_COUNTED_MAX];
};

struct detail {
    struct detail_part outermost, recursive;
};

/* One pass over the table's nodes; all memory is of the arena. False: it gives no more. */
bool detail_new(struct detail *d, const struct table *t, uint32_t row, struct arena *arena)
    __attribute__((warn_unused_result));

#endif
