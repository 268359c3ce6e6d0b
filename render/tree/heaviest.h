/* Which nodes of a tree are the heaviest: by total, the largest first, equal ones by place. A child is never
 * heavier than its parent and stands behind it, so the heaviest k nodes always hang together at the root. */
#ifndef RENDER_TREE_HEAVIEST_H
#define RENDER_TREE_HEAVIEST_H

#include <stdbool.h>
#include <stdint.h>

/* Where the order is cut: what is heavier belongs to the chosen ones, and what is equal at a place before
 * `end`. */
struct heaviest_cut {
    uint64_t total;
    uint32_t end;
};

#define HEAVIEST_ALL  ((struct heaviest_cut){0, UINT32_MAX})
#define HEAVIEST_NONE ((struct heaviest_cut){UINT64_MAX, 0})

static inline bool heaviest_takes(struct heaviest_cut cut, uint64_t total, uint32_t place)
{
    return total > cut.total || (total == cut.total && place < cut.end);
}

/* The cut behind the k-th of n nodes, given by their totals and their places, which ascend. Linear. */
struct heaviest_cut heaviest_cut(const uint64_t *totals, const uint32_t *places, uint32_t n, uint32_t k);

#endif
