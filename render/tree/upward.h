/* The nodes of a tree, sorted by their stacks read upwards: own frame, caller, caller's caller, ... A run of them that
 * begins with the same frames has the same callers so far: it is one node of an inverted tree. */
#ifndef RENDER_TREE_UPWARD_H
#define RENDER_TREE_UPWARD_H

#include "render/tree/tree.h"

struct upward {
    uint32_t n;      /* places of the tree; the root, whose stack is empty, is the first */
    uint32_t *place; /* sorted; equal stacks by place */
    /* [i]: frames that the stacks of place[i - 1] and place[i] both begin with, read upwards; [0]: 0. */
    const uint32_t *shared;
};

/* `rank` orders the frames, by place; the root's does not matter. In time n log n log(depth), whatever the tree. False
 * when the arena gives no more. */
bool upward_sort(struct upward *made, const struct tree *t, const uint32_t *rank, struct arena *arena)
    __attribute__((warn_unused_result));

/* Gives the arrays back to the arena. */
void upward_release(struct upward *u, struct arena *arena);

#endif
