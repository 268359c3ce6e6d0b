/* A line of a table for people: cells that are as wide as the widest one of their column, those of numbers
 * aligned at their ends. What stands behind the last one, a name, is written by the caller.
 *
 *     all lines:  text_line_begin, then for each cell write to `text` and text_line_end_cell; text_line_widen
 *     again:      the same, but text_line_put in place of text_line_widen
 *     then:       text_line_free
 *
 * Memory that is wanted fails `text` for good, and text_line_put fails what it writes to. Zeroed before
 * its first use. */
#pragma once

#include "core/buf.h"

enum {
    TEXT_LINE_CELLS_MAX = 70
}; /* as many as a table has that shows two columns for each value of a profile */

struct text_line {
    struct buf text; /* of all cells */
    size_t ends[TEXT_LINE_CELLS_MAX];
    unsigned cells;
    size_t widths[TEXT_LINE_CELLS_MAX]; /* in cells of a terminal */
};

void text_line_begin(struct text_line *l);
void text_line_end_cell(struct text_line *l);
void text_line_add(struct text_line *l, const char *text); /* a cell */
struct str text_line_cell(const struct text_line *l, unsigned i);
void text_line_widen(struct text_line *l);
void text_line_put(const struct text_line *l, struct buf *out);
void text_line_free(struct text_line *l);
