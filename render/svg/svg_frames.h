/* The frames of a picture as elements, each with its numbers as a tooltip. */
#ifndef RENDER_SVG_SVG_FRAMES_H
#define RENDER_SVG_SVG_FRAMES_H

#include "render/names/palette.h"
#include "render/svg/frame_colours.h"
#include "render/svg/layout.h"

struct svg_frames {
    const struct render_input *in;
    const struct tree *tree; /* its first column is what is measured */
    const struct layout *layout;
    const struct frame_colours *palette;
    const uint32_t *sides; /* of a comparison: the columns of A and of B; else NULL */
    enum unit unit;
    uint64_t whole; /* that "of thread" or "of all" refers to: the total of the base tree */
    /* By frame of the profile: what its method has by itself, where nodes are parts of methods; else NULL. */
    const uint64_t *method_self;
    struct str root;  /* text of the root, raw, if it is not a frame */
    uint32_t root_px; /* top of the root's row */
    bool downwards;   /* children stand below their parents */
    bool without_root;
};

/* Appends the boxes of the layout. False: in->scratch gives no more. */
bool svg_frames_put(const struct svg_frames *f, struct buf *out) __attribute__((warn_unused_result));

#endif
