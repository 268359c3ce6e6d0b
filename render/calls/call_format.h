/* Calls one by one as text: a header, a row for each, and what ends it. Columns: thread (its id), start,
 * end, cpu, self, depth, class, method, signature. Times are whole µs, rounded down once in each cell; cpu
 * is empty where no CPU time was recorded, and start, end and self are of the first clock: wall time where
 * it was recorded.
 *
 * Formats of other tools are written from rows, or from slices (call_slices.h): calls as they begin and
 * end.
 *
 * Rows, and slices, that follow each other are written side by side, each part by a writer of its own: what they append depends on
 * nothing that another one wrote. */
#pragma once

#include "render/calls/call_writer.h"
#include "render/view/text_format.h"

struct call_format {
    struct text_format text;
    /* They append to out. Either row or slice is NULL. */
    void (*begin)(struct call_writer *w, struct buf *out);
    void (*row)(struct call_writer *w, const struct call_row *row, struct buf *out);
    void (*end)(struct call_writer *w, struct buf *out); /* NULL: nothing ends the text */
    bool exported;                                       /* what other tools read: `aflamed export` has it */
    void (*slice)(struct call_writer *w, const struct call_slice *slice, struct buf *out);
    /* Not NULL: the slices of a track stand together, between two calls of this. */
    void (*track)(struct call_writer *w, uint32_t track, bool ends, struct buf *out);
    /* Each row or slice begins with a comma. Who puts the text together leaves out that of the first one: of its track, if these
     * stand by track. */
    bool comma;
};

extern const struct call_format CALL_CHROME, CALL_PERFETTO, CALL_SPEEDSCOPE;

/* THE TABLE of formats; the first row is the default. */
extern const struct call_format *const CALL_FORMATS[];
extern const size_t CALL_FORMATS_COUNT;

/* The pid of each track of the profile. One that nobody says is that of Android's main thread, else 1. */
void call_processes(const struct profile *p, uint32_t *processes);

/* NULL if there is none. */
const struct call_format *call_format_by_name(struct str name);
