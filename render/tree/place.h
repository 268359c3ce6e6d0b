/* The last step to every tree: rows, which know their parents, get places, in pre-order, children as wanted. */
#ifndef RENDER_TREE_PLACE_H
#define RENDER_TREE_PLACE_H

#include "render/tree/tree.h"

/* Rows of a tree, the root first, parents before their children. */
struct place_rows {
    uint32_t n;
    const uint32_t *parent; /* less parent_base; not of row 0 */
    uint32_t parent_base;
    const uint32_t *rank; /* of row 0, any */
};

/* The children of each row as a list, in the order of rows. */
struct place_lists {
    uint32_t *first, *next; /* by row; ORDER_NONE: none, or the last */
};

/* In the arena. False when it gives no more. */
bool place_list(const struct place_rows *rows, struct place_lists *lists, struct arena *arena)
    __attribute__((warn_unused_result));

/* By rank, ascending: for order_list, the context is a struct place_rows. */
bool place_before_by_rank(const void *rows, uint32_t a, uint32_t b);

/* The values of rows that are made for a tree, zeroed. */
struct place_values {
    frame_id *frame;
    uint8_t *flags;
    uint64_t *self[TREE_COLUMNS_MAX], *total[TREE_COLUMNS_MAX];
    uint64_t *calls; /* NULL: they are not known */
};

/* Of n rows, in the arena. False when it gives no more. */
bool place_values_new(struct place_values *v, size_t n, uint32_t n_columns, bool has_calls,
                      struct arena *arena) __attribute__((warn_unused_result));

/* Makes t a tree of these values, with what it shares with the tree that it is made from, and places its rows as the spec wants
 * it. False when the arena gives no more. */
bool place_values_tree(struct tree *t, const struct place_values *v, const struct place_rows *rows,
                       const struct tree *base, const struct tree_spec *spec, struct arena *arena)
    __attribute__((warn_unused_result));

/* Fills n, row, parent, depth and size of t. Siblings stand by rank, or, with `weight`, by its totals, the largest
 * first, equal ones by rank. False when the arena gives no more. */
bool place_all(struct tree *t, const struct place_rows *rows, const struct tree_column *weight,
               struct arena *arena) __attribute__((warn_unused_result));

#endif
