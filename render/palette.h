/* The colours of the frames: classes c0, c1, ... of the picture's style. A frame's class comes from its
 * package, by a fixed hash, so that one library has one colour in every picture. */
#ifndef RENDER_PALETTE_H
#define RENDER_PALETTE_H

#include "core/str.h"

/* X(class number, light fill, dark fill): the hues of Okabe and Ito's palette, which people with any kind of
 * colour vision can tell apart, in two tones each; tints under dark text, shades under light text. */
#define PALETTE_COLOURS(X)      \
    X(0, "#f2b84b", "#8a5a00")  \
    X(1, "#8ccdf0", "#24709f")  \
    X(2, "#5fcbaa", "#00745a")  \
    X(3, "#e8d44d", "#756a00")  \
    X(4, "#8fb6e3", "#3a66ad")  \
    X(5, "#f29a6b", "#a8480f")  \
    X(6, "#e3a5c8", "#94497a")  \
    X(7, "#f7d596", "#6f4a10")  \
    X(8, "#bfe3f6", "#1f566f")  \
    X(9, "#a5e3cf", "#0e5c4b")  \
    X(10, "#f5ec9e", "#5c5510") \
    X(11, "#c3d6f0", "#30508a") \
    X(12, "#f8c6ab", "#803b18") \
    X(13, "#f2d0e3", "#70385d")

enum { PALETTE_CLASSES = 14 };

#define PALETTE_TEXT_LIGHT    "#1a1a1a"
#define PALETTE_TEXT_DARK     "#f4f4f4"
#define PALETTE_TRACK_LIGHT   "#d6d6d6" /* frames that stand for a track: class cr */
#define PALETTE_TRACK_DARK    "#474747"
#define PALETTE_PAGE_LIGHT    "#ffffff"
#define PALETTE_PAGE_DARK     "#1b1b1d"
#define PALETTE_SUBTEXT_LIGHT "#4d4d4d"
#define PALETTE_SUBTEXT_DARK  "#b8b8b8"
#define PALETTE_WARN_LIGHT    "#8a4b00"
#define PALETTE_WARN_DARK     "#f2b84b"

struct palette_colour {
    const char *light, *dark; /* #rrggbb */
};

extern const struct palette_colour PALETTE[PALETTE_CLASSES];

/* Class of a frame: by the first two components of its package (`androidx.compose`, `java.util`), which is
 * its scope without the last component; by the scope, or else the name, where there is no package. */
uint8_t palette_class(struct str scope, struct str name);

#endif
