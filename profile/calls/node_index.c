#include "profile/calls/node_index.h"

bool node_index_init(struct node_index *x, const struct profile *p, struct arena *arena,
                     struct hash_seed seed)
{
    idmap_init(&x->children, arena, seed);
    for (node_id i = 0; i < p->n_nodes; i++)
        if (p->node_parent[i] != NODE_NONE &&
            !idmap_set(&x->children, (uint64_t)p->node_parent[i] << 32 | p->node_frame[i], i))
            return false;
    return true;
}
