/* One pass over the nodes that a table counts, along their stacks: table and detail are both made by it. */
#ifndef RENDER_TABLE_WALK_H
#define RENDER_TABLE_WALK_H

#include "render/table/table.h"

/* A node of the stack at hand. */
struct walk_node {
    node_id node;
    uint32_t row;     /* TABLE_NO_ROW: the root of a track, unless rows are tracks */
    bool outermost;   /* its row does not occur nearer the root */
    uint64_t waiting; /* total, if the table measures it; made on the way, since no profile holds it */
};

/* Called for each node when everything below it is done. `parent` is NULL for the root of a track. */
typedef void walk_leave(void *context, const struct table *t, const struct walk_node *node,
                        const struct walk_node *parent);

/* Children come before their parents, and the tracks in their order. Of the table, groups, measures and tracks must be
 * there. Memory: a count for each row, and the deepest stack. False: the arena gives no more. */
bool walk_nodes(const struct table *t, walk_leave *leave, void *context, struct arena *arena)
    __attribute__((warn_unused_result));

static inline uint64_t walk_total(const struct table *t, const struct walk_node *node, uint32_t measure)
{
    const struct measure *m = &t->measures[measure];

    return m->waiting ? node->waiting : profile_total(t->profile, node->node, m->value);
}

#endif
