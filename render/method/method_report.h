/* What the formats of one method's report are written from. */
#ifndef RENDER_METHOD_METHOD_REPORT_H
#define RENDER_METHOD_METHOD_REPORT_H

#include "render/method/detail.h"

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
bool method_report_new(struct method_report *r, const struct table *t, uint32_t row, struct arena *arena)
    __attribute__((warn_unused_result));

/* What has to be known of the method to understand its numbers; no text: nothing. */
struct str method_note(const struct method_report *r);

/* The part of a list that is asked for: `limit` edges behind the first `offset` ones, or as many as there are. */
struct detail_edges method_edges_asked(const struct detail_edges *all, uint32_t offset, uint32_t limit);

#endif
