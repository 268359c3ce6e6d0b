/* Where the frames of a tree stand: the classic flame-graph layout, in integers. A frame's width is its share
 * of the root's total; its children stand, in order, right of its self. Lengths across are in tenths of a
 * pixel: both ends of a frame are rounded to them, then its width is their difference, so that neighbours
 * neither overlap nor part. */
#pragma once

#include "render/names/palette.h"
#include "render/tree/invert.h"
#include "render/tree/tree.h"

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
const struct layout *layout_new(const struct tree *t, const struct layout_limits *limits,
                                struct arena *arena) MUST_CHECK;

/* What a picture of this width can show of an inverted tree with this total. */
struct invert_cut layout_invert_cut(const struct view_options *view, uint64_t total);

/* The colour of each frame of a picture: which class of palette.h it has. */

/* The colours of packages in one picture: the heaviest have one each, in the order of their weight, all
 * others share grey. */
struct package_colours {
    uint8_t *of; /* class of palette.h, by number of the package (names_packages); PALETTE_OTHERS: grey */
    uint32_t heaviest[PALETTE_OTHERS]; /* by class */
    uint32_t n;
    bool others; /* some share the grey */
};

/* By self in the first column of the tree; equal ones by name. False: the arena gives no more. */
bool package_colours_find(struct package_colours *c, const struct names *n, const struct tree *base,
                          struct arena *arena) MUST_CHECK;

/* The colours of one picture. */
struct frame_colours {
    const struct names *names;
    enum view_palette kind;
    struct package_colours packages; /* where packages decide, else empty */
    uint64_t self_largest;           /* of one node that is a frame and not idle, in the base tree */
};

/* `base` is the tree that flame and icicle show, its first column what is measured: what is inverted has the colours
 * of what it was made from. False: the arena gives no more. */
bool frame_colours_find(struct frame_colours *p, const struct names *n, enum view_palette kind,
                        const struct tree *base, struct arena *arena) MUST_CHECK;

/* The class of what is drawn: "o3", "c12", "h2", "y5", "d4", "cr". Terminated. */
struct frame_colours_class {
    char text[4];
};

/* Of a frame as tree_frame gives it, FRAME_NONE and tracks included, with the self of its node in the tree
 * that is drawn; of a comparison also with what A and B have in all. */
struct frame_colours_node {
    frame_id frame;
    uint64_t self, a, b;
};
struct frame_colours_class frame_colours_class(const struct frame_colours *p, const struct tree *t,
                                               struct frame_colours_node node);
