/* The colours of packages in one picture: the heaviest have one each, in the order of their weight, all others share grey. */
#ifndef RENDER_SVG_PACKAGE_COLOURS_H
#define RENDER_SVG_PACKAGE_COLOURS_H

#include "render/names/palette.h"
#include "render/tree/tree.h"

struct package_colours {
    uint8_t *of; /* class of palette.h, by number of the package (names_packages); PALETTE_OTHERS: grey */
    uint32_t heaviest[PALETTE_OTHERS]; /* by class */
    uint32_t n;
    bool others; /* some share the grey */
};

/* By self in the first column of the tree; equal ones by name. False: the arena gives no more. */
bool package_colours_find(struct package_colours *c, const struct names *n, const struct tree *base,
                          struct arena *arena) __attribute__((warn_unused_result));

#endif
