/* Which child of a node has a frame: for readings that follow the stacks of a profile that was folded before. */
#pragma once

#include "core/idmap.h"
#include "profile/profile.h"

struct node_index {
    struct idmap children; /* parent << 32 | frame -> node */
};

/* Lives in the arena; `seed` because frames come from outside. False: the arena gives no more. */
static inline MUST_CHECK bool node_index_init(struct node_index *x, const struct profile *p,
                                              struct arena *arena, struct hash_seed seed)
{
    idmap_init(&x->children, arena, seed);
    for (node_id i = 0; i < p->n_nodes; i++)
        if (p->node_parent[i] != NODE_NONE &&
            !idmap_set(&x->children, (uint64_t)p->node_parent[i] << 32 | p->node_frame[i], i))
            return false;
    return true;
}

/* IDMAP_NONE: there is no such child. */
static inline node_id node_index_child(const struct node_index *x, node_id parent, frame_id frame)
{
    return idmap_get(&x->children, (uint64_t)parent << 32 | frame);
}
