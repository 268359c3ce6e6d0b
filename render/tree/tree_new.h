/* Makes the tree that a view shows, of the profile itself. Other trees (inverted, sandwich) are made from this one. */
#ifndef RENDER_TREE_TREE_NEW_H
#define RENDER_TREE_TREE_NEW_H

#include "render/tree/tree.h"

/* Of the tracks that in->view selects. The tree lives in in->scratch, and some of it in the profile. NULL:
 * diag is set. */
const struct tree *tree_new(const struct render_input *in, const struct tree_spec *spec, struct diag *diag)
    __attribute__((warn_unused_result));

/* By frame of the profile, what its nodes have by themselves in the first column. NULL: the arena gives no more. */
const uint64_t *tree_selves(const struct tree *t, struct arena *arena) __attribute__((warn_unused_result));

#endif
