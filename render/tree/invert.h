/* The inverted tree (bottom-up): from each frame to its callers, over all stacks.
 *
 * A node at the path f1 <- f2 <- .. <- fk (f1 is a child of the root) has as members all nodes of the base
 * tree whose stack ends fk, .., f2, f1. Its total is the sum of the members' self; its self is the sum
 * over those members whose stack begins with fk; its calls are those of f1 that were made this way. Nodes
 * that stand for tracks are the outermost callers of what is in them. They are members too: below the
 * root, a track's node has what the track spent in no method. The root's total and self are those of the
 * base tree's. So the self of the root and the totals of its children add up to the root's total. Members
 * without any self, in every column, and without calls make no nodes. None is marked recursive. */
#pragma once

#include "core/arena.h"
#include "render/tree/tree.h"

/* The nodes of a tree, sorted by their stacks read upwards: own frame, caller, caller's caller, ... A run
 * of them that begins with the same frames has the same callers so far: it is one node of an inverted
 * tree. */

struct upward {
    uint32_t n;      /* places of the tree; the root, whose stack is empty, is the first */
    uint32_t *place; /* sorted; equal stacks by place */
    /* [i]: frames that the stacks of place[i - 1] and place[i] both begin with, read upwards; [0]: 0. */
    const uint32_t *shared;
};

/* What is made of a tree that can be as large as nodes times depth. All zero: everything. */
struct invert_cut {
    uint64_t least;      /* a node whose total in column 0 is less is made, but has no children */
    uint32_t levels_max; /* the same for nodes of this depth; 0: no limit */
    uint32_t nodes_max;  /* `least` is doubled until not more nodes than this have children; 0: no limit */
};

/* From the tree of the same spec. Children are in the order of the spec, tracks behind frames by name. Lives in
 * in->scratch. The result has its cut_short set if a node's callers are left out by the cut. NULL: diag is set. */
const struct tree *invert_new(const struct render_input *in, const struct tree_spec *spec,
                              const struct tree *base, const struct invert_cut *cut,
                              struct diag *diag) MUST_CHECK;

/* The callers of one frame, as sandwich.h defines them: the root is the frame itself. */
const struct tree *invert_callers(const struct render_input *in, const struct tree_spec *spec,
                                  const struct tree *base, frame_id frame, const struct invert_cut *cut,
                                  struct diag *diag) MUST_CHECK;

/* `rank` orders the frames, by place; the root's does not matter. In time n log n log(depth), whatever the
 * tree. False when the arena gives no more. */
bool upward_sort(struct upward *made, const struct tree *t, const uint32_t *rank,
                 struct arena *arena) MUST_CHECK;

/* Gives the arrays back to the arena. */
void upward_release(struct upward *u, struct arena *arena);
