/* The colour of each frame of a picture: which class of palette.h it has. */
#ifndef RENDER_SVG_FRAME_COLOURS_H
#define RENDER_SVG_FRAME_COLOURS_H

#include "render/names/palette.h"
#include "render/tree/tree.h"

/* The colours of packages in one picture: the heaviest have one each, in the order of their weight, all others share grey. */
struct package_colours {
    uint8_t *of; /* class of palette.h, by number of the package (names_packages); PALETTE_OTHERS: grey */
    uint32_t heaviest[PALETTE_OTHERS]; /* by class */
    uint32_t n;
    bool others; /* some share the grey */
};

/* By self in the first column of the tree; equal ones by name. False: the arena gives no more. */
bool package_colours_find(struct package_colours *c, const struct names *n, const struct tree *base,
                          struct arena *arena) __attribute__((warn_unused_result));

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
                        const struct tree *base, struct arena *arena) __attribute__((warn_unused_result));

/* The class of what is drawn: "o3", "c12", "h2", "y5", "d4", "cr". Terminated. */
struct frame_colours_class {
    char text[4];
};

/* Of a frame as tree_frame gives it, FRAME_NONE and tracks included, with the self of its node in the tree that is drawn; of a
 * comparison also with what A and B have in all. */
struct frame_colours_node {
    frame_id frame;
    uint64_t self, a, b;
};
struct frame_colours_class frame_colours_class(const struct frame_colours *p, const struct tree *t,
                                               struct frame_colours_node node);

#endif
