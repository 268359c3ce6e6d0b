/* The colours of the frames: classes of the picture's style. By package (c0, c1, ...): render/svg/svg.h says
 * which; by origin (o0 ..); by self (h0 ..); classic (y0 ..); or by change (d0 ..). What stands for a
 * track is grey in all of them (cr). */
#pragma once

#include "core/str.h"

/* X(class number, light fill, dark fill): twelve hues for the heaviest packages, and the grey of all others; tints
 * under dark text, shades under light text. No hue is orange, in this set and in those below but the classic one:
 * orange means own code. */
#define PALETTE_COLOURS(X)      \
    X(0, "#9b8fe8", "#4b3bb1")  \
    X(1, "#8ccdf0", "#24709f")  \
    X(2, "#5fcbaa", "#00745a")  \
    X(3, "#e3a5c8", "#94497a")  \
    X(4, "#a9b8c9", "#4f6072")  \
    X(5, "#8fa8f0", "#4a5cb5")  \
    X(6, "#e8e04d", "#6f6800")  \
    X(7, "#b9e27a", "#4f7a14")  \
    X(8, "#c3a3ea", "#7448a8")  \
    X(9, "#d9b28c", "#76583a")  \
    X(10, "#7fdde0", "#0a6e78") \
    X(11, "#f29aa0", "#a03a48") \
    X(12, "#dedede", "#4a4a4c")

/* By enum origin: app, library, AndroidX, Android, Java and Kotlin, native, idle, unknown. */
#define PALETTE_ORIGINS(X)     \
    X(0, "#f2b84b", "#8a5a00") \
    X(1, "#e3a5c8", "#94497a") \
    X(2, "#5fcbaa", "#00745a") \
    X(3, "#8fb6e3", "#3a66ad") \
    X(4, "#bfe3f6", "#1f566f") \
    X(5, "#9b8fe8", "#4b3bb1") \
    X(6, "#e9e6df", "#3c3a36") \
    X(7, "#d3c7b4", "#6a5f4d") \
    X(8, "#ee8a93", "#96182c")

/* From no self to the largest. */
#define PALETTE_SELF(X)        \
    X(0, "#ececec", "#3a3a3c") \
    X(1, "#f9e0ee", "#452f3f") \
    X(2, "#f3c4de", "#523047") \
    X(3, "#eca8ce", "#60304f") \
    X(4, "#e590c1", "#6e2f57") \
    X(5, "#dd7bb4", "#7c2d5e") \
    X(6, "#d56daa", "#8a2966") \
    X(7, "#cf66a6", "#98246d")

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

/* From less over the same to more (render/view/view.h): blue and red, which people with any kind of
 * colour vision can tell apart. */
#define PALETTE_CHANGE(X)      \
    X(0, "#5a9fe0", "#146fc2") \
    X(1, "#80b4e8", "#1c5f9e") \
    X(2, "#a9cdf0", "#24507a") \
    X(3, "#cfe3f7", "#2b3f55") \
    X(4, "#e6e4e0", "#3c3c3e") \
    X(5, "#fbdcd8", "#552f2d") \
    X(6, "#f5b5ad", "#742f2b") \
    X(7, "#ea8a80", "#8f2f28") \
    X(8, "#dd6a5e", "#a82a22")

enum {
    PALETTE_OTHERS = 12, /* the class that all packages share that have none of their own */
    PALETTE_CLASSES = 13,
    PALETTE_ORIGIN_CLASSES = 9,
    PALETTE_SELF_CLASSES = 8,
    PALETTE_CLASSIC_CLASSES = 8,
    PALETTE_CHANGE_CLASSES = 9
};

/* Frames that stand for a track: class cr. */
#define PALETTE_TRACK_LIGHT "#d6d6d6"
#define PALETTE_TRACK_DARK  "#474747"

/* Of a self, 0 to 7: 0 for none, else in seven equal steps up to the largest one. */
unsigned palette_self_class(uint64_t self, uint64_t largest);
/* Of a text, 0 to 7: FNV-1a (32 bits) of its cleaned bytes, modulo 8. */
unsigned palette_classic_class(struct str text);
