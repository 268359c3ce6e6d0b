/* The tree that a view shows: the selected tracks of a profile, in pre-order, children in the wanted order.
 *
 * A tree has *rows*, one for each of its nodes, in which the values stand in the order of the profile (or of
 * merging), and *places*, which are the nodes' positions in pre-order: 0 is the root, and the subtree of
 * place i is [i, i + size[i]). Rows are not moved when children are ordered, so that the tree of one track
 * needs no copy of its values. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/diag.h"
#include "render/view/input.h"
#include "render/view/view.h"

enum { TREE_COLUMNS_MAX = MEASURES_MAX };

/* One value of all rows: self[row * stride]. Sums that would pass 64 bits stay at UINT64_MAX. */
struct tree_column {
    const uint64_t *self, *total;
    uint32_t stride;
};

struct tree {
    uint32_t n; /* nodes, the root included */

    /* Each has an entry for each place. */
    const uint32_t *row;
    const uint32_t *parent; /* NODE_NONE for the root */
    const uint32_t *depth;  /* 0 for the root */
    const uint32_t *size;   /* nodes of the subtree, itself included */

    /* Each has an entry for each row. */
    /* FRAME_NONE for the root; n_frames + i for the node that stands for profile->tracks[i]. */
    const frame_id *frame;
    const uint8_t *flags; /* enum node_flag */
    struct tree_column columns[TREE_COLUMNS_MAX];
    uint32_t n_columns;
    const uint64_t *calls; /* calls[row * calls_stride]; NULL if they are not known */
    uint32_t calls_stride;

    const uint32_t *tracks; /* that are shown: indexes of profile->tracks, ascending */
    uint32_t n_tracks;
    bool side_by_side; /* the children of the root stand for the tracks */
    uint32_t n_frames; /* of the profile */
    bool cut_short;    /* some nodes' children are left out; never in the tree of tree_new */
};

/* What a tree is to be made of: the same for tree_new and for the trees that are made from its tree
 * (invert_new, sandwich_new). */
struct tree_spec {
    const struct measure *measures[TREE_COLUMNS_MAX]; /* one column each */
    uint32_t n_measures;
    /* Every self is divided by it and rounded down, before anything is summed; 1 = as it is. */
    uint64_t divisor;
    enum view_order order;
    uint32_t order_column; /* whose totals are the weight */
    bool has_calls;        /* one column counts calls: its self are the calls of a node */
    uint32_t calls_column;

    /* By frame and by index of the profile's tracks: a rank to order by name. Children of one node with equal
     * rank become one node. NULL = the ranks of names.h, by which all frames differ. */
    const uint32_t *frame_rank, *track_rank;

    /* For who looks at all nodes, and at no picture of them: place i is row i, parents before their children, and the tree
     * has neither depth nor size. Of one track alone. */
    bool unordered;
};
static inline uint64_t tree_self(const struct tree *t, uint32_t place, uint32_t column)
{
    const struct tree_column *c = &t->columns[column];
    return c->self[(size_t)t->row[place] * c->stride];
}
static inline uint64_t tree_total(const struct tree *t, uint32_t place, uint32_t column)
{
    const struct tree_column *c = &t->columns[column];
    return c->total[(size_t)t->row[place] * c->stride];
}

/* How often the node was called, as its tree counts it; 0 if that is not known. */
static inline uint64_t tree_calls(const struct tree *t, uint32_t place)
{
    return t->calls == NULL ? 0 : t->calls[(size_t)t->row[place] * t->calls_stride];
}
static inline frame_id tree_frame(const struct tree *t, uint32_t place)
{
    return t->frame[t->row[place]];
}
static inline bool tree_recursive(const struct tree *t, uint32_t place)
{
    return (t->flags[t->row[place]] & NODE_RECURSIVE) != 0;
}

/* Whether this is, instead of a frame, the node of a track (index of profile->tracks: frame - n_frames). */
static inline bool tree_is_track(const struct tree *t, frame_id frame)
{
    return frame >= t->n_frames && frame != FRAME_NONE;
}

/* The last step to every tree: rows, which know their parents, get places, in pre-order, children as wanted. */

/* Rows of a tree, the root first, parents before their children. */
struct place_rows {
    uint32_t n;
    const uint32_t *parent; /* less parent_base; not of row 0 */
    uint32_t parent_base;
    const uint32_t *rank; /* of row 0, any */
};

/* The values of rows that are made for a tree, zeroed. */
struct place_values {
    frame_id *frame;
    uint8_t *flags;
    uint64_t *self[TREE_COLUMNS_MAX], *total[TREE_COLUMNS_MAX];
    uint64_t *calls; /* NULL: they are not known */
};

/* Of n rows, in the arena. False when it gives no more. */
bool place_values_new(struct place_values *v, size_t n, uint32_t n_columns, bool has_calls,
                      struct arena *arena) MUST_CHECK;

/* Makes t a tree of these values, with what it shares with the tree that it is made from, and places its
 * rows as the spec wants it. False when the arena gives no more. */
bool place_values_tree(struct tree *t, const struct place_values *v, const struct place_rows *rows,
                       const struct tree *base, const struct tree_spec *spec, struct arena *arena) MUST_CHECK;

/* Fills n, row, parent, depth and size of t. Siblings stand by rank, or, with `weight`, by its totals, the largest
 * first, equal ones by rank. False when the arena gives no more. */
bool place_all(struct tree *t, const struct place_rows *rows, const struct tree_column *weight,
               struct arena *arena) MUST_CHECK;

struct merge {
    struct place_rows groups; /* as rows; a group's members are the rows that became it */
    uint32_t *head;           /* by group: its first member */
    uint32_t *next;           /* by member; ORDER_NONE: the last */
};

/* In the arena. False when it gives no more. */
bool merge_rows(const struct place_rows *rows, struct merge *made, struct arena *arena) MUST_CHECK;

/* Makes the tree that a view shows, of the profile itself. Other trees (inverted, sandwich) are made from
 * this one. */

/* Of the tracks that in->view selects. The tree lives in in->scratch, and some of it in the profile. NULL:
 * diag is set. */
const struct tree *tree_new(const struct render_input *in, const struct tree_spec *spec,
                            struct diag *diag) MUST_CHECK;

/* By frame of the profile, what its nodes have by themselves in the first column. NULL: the arena gives no more. */
const uint64_t *tree_selves(const struct tree *t, struct arena *arena) MUST_CHECK;

/* Which nodes of a tree are the heaviest: by total, the largest first, equal ones by place. A child is never
 * heavier than its parent and stands behind it, so the heaviest k nodes always hang together at the root. */

/* Where the order is cut: what is heavier belongs to the chosen ones, and what is equal at a place before
 * `end`. */
struct heaviest_cut {
    uint64_t total;
    uint32_t end;
};
#define HEAVIEST_ALL ((struct heaviest_cut){0, UINT32_MAX})
static inline bool heaviest_takes(struct heaviest_cut cut, uint64_t total, uint32_t place)
{
    return total > cut.total || (total == cut.total && place < cut.end);
}

/* The cut behind the k-th of n nodes, given by their totals and their places, which ascend. Linear. */
struct heaviest_cut heaviest_cut(const uint64_t *totals, const uint32_t *places, uint32_t n, uint32_t k);
