/* Text in cells of a monospace font, by arithmetic alone: a picture does not know the viewer's fonts. What is
 * counted and written is the cleaned text (core/clean.h). */
#ifndef RENDER_NAMES_FIT_H
#define RENDER_NAMES_FIT_H

#include "core/buf.h"

enum {
    FIT_EM_TENTHS = 6,  /* advance of one cell, in tenths of the font size */
    FIT_CELLS_LEAST = 3 /* with fewer, nothing is written */
};

/* Cells that the text takes: East Asian wide characters two, combining marks and joiners none, all others
 * one. */
size_t fit_cells(struct str s);

/* How many cells of the font stand in the width. */
size_t fit_in_px(uint32_t width_px, uint32_t font_px);

/* Appends the text, or as much of it as stands in `cells` with ".." behind it, escaped for XML; nothing below
 * FIT_CELLS_LEAST cells. True if all of it was written. */
bool fit_xml(struct buf *b, struct str s, size_t cells);
/* The same, not escaped. */
bool fit_text(struct buf *b, struct str s, size_t cells);

#endif
