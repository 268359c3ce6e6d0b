/* Where the frames of a tree stand: the classic flame-graph layout, in integers. A frame's width is its share
 * of the root's total; its children stand, in order, right of its self. Lengths across are in tenths of a
 * pixel: both ends of a frame are rounded to them, then its width is their difference, so that neighbours
 * neither overlap nor part. */
#ifndef RENDER_SVG_LAYOUT_H
#define RENDER_SVG_LAYOUT_H

#include "render/tree/invert.h"

enum {
    LAYOUT_PAD_PX = 10,         /* left and right of the frames */
    LAYOUT_LEVEL_PX = 16,       /* from level to level */
    LAYOUT_FRAME_PX = 15,       /* drawn height of a frame */
    LAYOUT_LEVELS_MAX = 2000,   /* drawn */
    LAYOUT_FRAMES_MAX = 2000,   /* drawn, in a picture whose script can draw the others */
    LAYOUT_TENTH_MILLI_PX = 100 /* a frame that would come out narrower is never drawn */
};

struct layout_box {
    uint32_t place;            /* of the tree */
    uint32_t x_dpx, width_dpx; /* tenths of a pixel, from the left of the picture */
};

/* What is drawn, and what it leaves out. */
struct layout_limits {
    uint32_t width_px;     /* of the picture */
    uint32_t min_milli_px; /* of a frame */
    uint32_t frames_max;   /* the widest are drawn, equal ones from the left */
};

struct layout {
    const struct layout_box *boxes; /* in pre-order; none when the root's total is 0 */
    uint32_t n_boxes;
    uint32_t levels; /* drawn */
    bool capped;     /* the limit of frames left some out */
    /* Of the topmost frames that are not drawn, being too narrow, too deep or too many: their totals, together. */
    uint64_t dropped;
};

/* Of the tree's first column. Lives in the arena; NULL when it gives no more. */
const struct layout *layout_new(const struct tree *t, const struct layout_limits *limits, struct arena *arena)
    __attribute__((warn_unused_result));

/* What a picture of this width can show of an inverted tree with this total. */
struct invert_cut layout_invert_cut(const struct view_options *view, uint64_t total);

#endif
