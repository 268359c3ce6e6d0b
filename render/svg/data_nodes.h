/* The nodes of a block of DATA: which are written, and how. For render/svg/data.c. */
#ifndef RENDER_SVG_DATA_NODES_H
#define RENDER_SVG_DATA_NODES_H

#include "render/svg/data_frames.h"
#include "render/svg/data_tree.h"
#include "render/tree/heaviest.h"

/* Of the whole tree, or of the part of it that a piece may have. */
struct data_nodes {
    const struct data_tree *data;
    struct data_frames *frames;
    uint32_t first, end;         /* the first node, always written, and the place behind its subtree */
    uint32_t skip;               /* so many of its children, the heaviest, are not written again */
    struct heaviest_cut skipped; /* takes these */
    struct heaviest_cut cut;     /* takes the other nodes that are written */
    uint32_t wall, cpu,
        calls; /* measures of these roles, the latter only behind the first; MEASURES_MAX: none */

    /* Of the nodes that are written: */
    uint32_t n; /* without the first */
    bool whole; /* these are all that there are below the first */
    uint64_t scale[MEASURES_MAX];
    bool derived[MEASURES_MAX];
};

/* `first` is the first node, the `skip` heaviest of its children are left out. Until a cut is set, all others are written.
 * False: the arena gives no more. */
bool data_nodes_init(struct data_nodes *w, const struct data_tree *d, struct data_frames *frames,
                     uint32_t first, uint32_t skip) __attribute__((warn_unused_result));

/* Totals and places of all nodes that could be written, but for the first. *n: how many; room for as many nodes as the
 * tree has. */
void data_nodes_list(const struct data_nodes *w, uint64_t *totals, uint32_t *places, uint32_t *n);

/* Finds n, scale and derived of the nodes that the cut takes, and which frames they use. */
void data_nodes_survey(struct data_nodes *w);

/* Appends the records and a line's end, as long as `out` is shorter than `end` bytes. The frames have their
 * lines. */
void data_nodes_put(const struct data_nodes *w, struct buf *out, size_t end);

#endif
