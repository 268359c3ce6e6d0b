/* How much of each member's stack becomes nodes of an inverted tree. */
#ifndef RENDER_TREE_INVERT_CUT_H
#define RENDER_TREE_INVERT_CUT_H

#include "core/arena.h"

/* What is made of a tree that can be as large as nodes times depth. All zero: everything. */
struct invert_cut {
    uint64_t least;      /* a node whose total in column 0 is less is made, but has no children */
    uint32_t levels_max; /* the same for nodes of this depth; 0: no limit */
    uint32_t nodes_max;  /* `least` is doubled until not more nodes than this have children; 0: no limit */
};

/* By member, in the order of their stacks read upwards. A length counts the member's own frame. */
struct invert_members {
    uint32_t n;
    uint32_t common;  /* frames that all of them share: they are the root */
    uint32_t *shared; /* frames shared with the member before; those of the first are `common` */
    uint32_t *length; /* of the stack */
    uint64_t *weight; /* in column 0 */
    uint32_t *deep;   /* made here: how many frames become nodes */
};

/* Fills m->deep. False when the arena gives no more. */
bool invert_cut(const struct invert_members *m, const struct invert_cut *cut, bool *cut_short,
                struct arena *arena) __attribute__((warn_unused_result));

#endif
