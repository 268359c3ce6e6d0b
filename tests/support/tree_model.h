/* Trees made the slow and obvious way, to hold against those of render/. */
#pragma once

#include "render/tree/tree.h"
#include "tests/support/rendering.h"

struct model_node {
    uint32_t parent;
    frame_id frame;
    uint32_t depth, children;
    uint64_t self[TREE_COLUMNS_MAX], total[TREE_COLUMNS_MAX], calls;
    bool recursive;
};

struct model {
    struct model_node *nodes; /* the first is the root */
    uint32_t n, capacity;
};

void model_free(struct model *m);

/* The child of that frame, or NODE_NONE. */
uint32_t model_find(const struct model *m, uint32_t parent, frame_id frame);

/* What render/tree/invert.h says, of a base tree. */
void model_invert(struct model *m, const struct tree *base);
/* What render/tree/sandwich.h says. */
void model_callers(struct model *m, const struct tree *base, frame_id method);
void model_callees(struct model *m, const struct tree *base, frame_id method);

/* Fails the test unless both have the same nodes with the same numbers, and siblings stand as the spec says. With
 * `cut_short`, the tree may lack nodes, and the self of those without children may be less. */
void model_check(const struct model *m, const struct tree *t, const struct rendering *r,
                 const struct tree_spec *spec, bool cut_short);

/* A profile of some threads with few frames, much recursion and many nodes of nothing, by a seed. */
struct fake *model_random_profile(uint64_t seed);
