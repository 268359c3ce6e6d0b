/* Where the frames of a tree stand: the classic flame-graph layout, in integers. A frame's width is its share
 * of the root's total; its children stand, in order, right of its self. Lengths across are in tenths of a
 * pixel: both ends of a frame are rounded to them, then its width is their difference, so that neighbours
 * neither overlap nor part. */
#ifndef RENDER_LAYOUT_H
#define RENDER_LAYOUT_H

#include "render/tree.h"

enum {
    LAYOUT_PAD_PX = 10,         /* left and right of the frames */
    LAYOUT_LEVEL_PX = 16,       /* from level to level */
    LAYOUT_FRAME_PX = 15,       /* drawn height of a frame */
    LAYOUT_LEVELS_MAX = 2000,   /* drawn */
    LAYOUT_FRAMES_MAX = 100000, /* drawn */
    LAYOUT_TENTH_MILLI_PX = 100 /* a frame that would come out narrower is never drawn */
};

struct layout_box {
    uint32_t place;            /* of the tree */
    uint32_t x_dpx, width_dpx; /* tenths of a pixel, from the left of the picture */
};

/* Frames that are not drawn: how many, and the totals of the topmost ones, together. */
struct layout_dropped {
    uint64_t frames, total;
};

struct layout {
    const struct layout_box *boxes; /* in pre-order; none when the root's total is 0 */
    uint32_t n_boxes;
    uint32_t levels;       /* drawn */
    uint32_t min_milli_px; /* that was used: larger than what was asked for if more than LAYOUT_FRAMES_MAX
                            * frames have that width */
    bool min_raised;
    struct layout_dropped narrow, deep;
};

/* Of the tree's first column. Lives in the arena; NULL when it gives no more. */
const struct layout *layout_new(const struct tree *t, uint32_t width_px, uint32_t min_milli_px,
                                struct arena *arena) __attribute__((warn_unused_result));

#endif
