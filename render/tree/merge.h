/* Nodes with equal stacks become one: below one parent, those of equal rank. */
#ifndef RENDER_TREE_MERGE_H
#define RENDER_TREE_MERGE_H

#include "render/tree/place.h"

struct merge {
    struct place_rows groups; /* as rows; a group's members are the rows that became it */
    uint32_t *head;           /* by group: its first member */
    uint32_t *next;           /* by member; ORDER_NONE: the last */
};

/* In the arena. False when it gives no more. */
bool merge_rows(const struct place_rows *rows, struct merge *made, struct arena *arena)
    __attribute__((warn_unused_result));

#endif
