/* The letters of the cards: strokes of a pen, as text. They are the program's own, so that a card looks the same
 * wherever it is made and needs no font of the system.
 *
 * A stroke is a run of points; a space lies between two strokes. A point is two digits of base 36, x and y. With a dot
 * before it, it is no point of the stroke but what bends the way to the next one: the control point of a quadratic curve.
 * A stroke of one point is a dot. The base line is at 8, small letters reach to 22, capitals to 28. */
#pragma once

#include <stdint.h>

enum {
    GLYPH_BASE = 8,    /* y of the base line */
    GLYPH_EM = 28,     /* units in the size of a font */
    GLYPH_POINTS = 200 /* more than any glyph has, with its accent */
};

/* Strokes to draw one over the other: the letter, and an accent, which is moved. */
struct glyph {
    unsigned advance; /* to the next letter; 0: nothing is drawn, as of a combining mark */
    const char *strokes;
    const char *accent; /* or NULL */
    int accent_x, accent_y;
};

/* Latin letters, digits, signs; of what is not known a box with a question mark. */
struct glyph glyph_of(uint32_t code_point);
