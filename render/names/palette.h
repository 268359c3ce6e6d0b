/* The colours of the frames: classes of the picture's style. By package (c0, c1, ...), by a fixed hash, so that one
 * library has one colour in every picture; by origin (o0 ..); by self (h0 ..); or classic (y0 ..). What stands for a
 * track is grey in all of them (cr). */
#ifndef RENDER_NAMES_PALETTE_H
#define RENDER_NAMES_PALETTE_H

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

/* By enum origin: app, third party, AndroidX, Android, Java and Kotlin, native, idle, unknown. */
#define PALETTE_ORIGINS(X)     \
    X(0, "#f2b84b", "#8a5a00") \
    X(1, "#e3a5c8", "#94497a") \
    X(2, "#5fcbaa", "#00745a") \
    X(3, "#8fb6e3", "#3a66ad") \
    X(4, "#bfe3f6", "#1f566f") \
    X(5, "#f29a6b", "#a8480f") \
    X(6, "#e9e6df", "#3c3a36") \
    X(7, "#d3c7b4", "#6a5f4d")

/* From no self to the largest. */
#define PALETTE_SELF(X)        \
    X(0, "#ececec", "#3a3a3c") \
    X(1, "#fdeecb", "#4d4230") \
    X(2, "#fbdfa3", "#5f4a2a") \
    X(3, "#f8cd80", "#714f22") \
    X(4, "#f5b863", "#82521b") \
    X(5, "#f2a150", "#935214") \
    X(6, "#ee8a48", "#a14f10") \
    X(7, "#ea7a4d", "#ad4610")

/* Yellow to red. */
#define PALETTE_CLASSIC(X)     \
    X(0, "#f9e076", "#6e5c00") \
    X(1, "#f7cf5e", "#785700") \
    X(2, "#f5be55", "#825200") \
    X(3, "#f3ac50", "#8b4d00") \
    X(4, "#f29c52", "#934700") \
    X(5, "#f08d57", "#9a4213") \
    X(6, "#ee8260", "#a03d22") \
    X(7, "#ec7b6c", "#a33a2f")

enum {
    PALETTE_CLASSES = 14,
    PALETTE_ORIGIN_CLASSES = 8,
    PALETTE_SELF_CLASSES = 8,
    PALETTE_CLASSIC_CLASSES = 8
};

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
extern const struct palette_colour PALETTE_BY_ORIGIN[PALETTE_ORIGIN_CLASSES];
extern const struct palette_colour PALETTE_BY_SELF[PALETTE_SELF_CLASSES];
extern const struct palette_colour PALETTE_BY_CLASSIC[PALETTE_CLASSIC_CLASSES];

/* The class of frame_package(scope, name): equal packages have equal ones. */
uint8_t palette_class(struct str scope, struct str name);

/* Of a self, 0 to 7: 0 for none, else in seven equal steps up to the largest one. */
unsigned palette_self_class(uint64_t self, uint64_t largest);
/* Of a text, 0 to 7: FNV-1a (32 bits) of its cleaned bytes, modulo 8. */
unsigned palette_classic_class(struct str text);

#endif
