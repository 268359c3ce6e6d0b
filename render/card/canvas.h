/* A picture of pixels: boxes and text, with smooth edges, and the bytes of a PNG. Whatever would stand outside of it is
 * cut off. It has no state beside its pixels, and any text can be drawn (glyphs.h). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/arena.h"
#include "core/buf.h"
#include "core/str.h"

struct canvas {
    uint8_t *rgb; /* 3 bytes a pixel, from the top, from the left */
    uint32_t width_px, height_px;
};

/* All of one colour, 0xRRGGBB. In the arena. False: it gives no more. */
bool canvas_new(struct canvas *c, uint32_t width_px, uint32_t height_px, uint32_t colour,
                struct arena *arena) MUST_CHECK;

/* In tenths of a pixel across: a pixel that is covered in part takes a part of the colour. */
struct canvas_box {
    uint32_t x_dpx, width_dpx, y_px, height_px;
};
void canvas_fill(struct canvas *c, const struct canvas_box *box, uint32_t colour);

struct canvas_font {
    uint32_t px;
    bool bold;
    uint32_t colour;
};

/* How wide the text is, in pixels. The text is raw: what no text may have is shown as elsewhere (core/clean.h). */
float canvas_width(const struct canvas_font *font, struct str text);

/* Draws the text, of which the base line begins at x, y; cut with ".." to be no wider than width_px. */
void canvas_text(struct canvas *c, const struct canvas_font *font, uint32_t x_px, uint32_t y_px,
                 float width_px, struct str text);

/* Takes as many words off the front of *text as stand in one line; a word that is wider than a line is parted. */
struct str canvas_line(const struct canvas_font *font, float width_px, struct str *text);

/* Appends the picture as a PNG. False: there is no memory. */
bool canvas_png(const struct canvas *c, struct buf *out) MUST_CHECK;
