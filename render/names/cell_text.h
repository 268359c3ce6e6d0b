/* Names in cells of tables for programs. They come from files and are hostile: both forms show control characters, tabs and line
 * ends among them, as visible replacements (core/clean.h), so that a cell is one cell and a row one line. Beyond that, tsv has
 * names as they are: it is for scripts. csv is for spreadsheets: a cell with a comma or a quote is put in quotes, with inner
 * quotes doubled (RFC 4180), and a name that begins with = + - or @ gets an apostrophe in front, since a spreadsheet would
 * otherwise take it for a formula and run it. */
#ifndef RENDER_NAMES_CELL_TEXT_H
#define RENDER_NAMES_CELL_TEXT_H

#include "core/buf.h"

struct cell_style {
    char separator;
    /* Appends the text; `scratch` is an empty or used buffer of the caller's. */
    void (*put)(struct buf *out, struct str text, struct buf *scratch);
};

extern const struct cell_style CELL_TSV, CELL_CSV;

#endif
