/* The tree that a block of DATA (render/svg/data.h) is made from, and which value stands in which of its columns. */
#ifndef RENDER_SVG_DATA_TREE_H
#define RENDER_SVG_DATA_TREE_H

#include "render/tree/tree.h"

/* The tree that DATA speaks of, with all measures: children by name, whatever the order of the view. Its first column
 * is the view's value, its second one the calls, unless there are none or they are the value. Waiting, if it is neither
 * of these, has the last column, which is there only when something has to be told by it. */
struct data_tree {
    const struct render_input *in;
    const struct tree *tree;
    struct measure measures[MEASURES_MAX];
    uint32_t column[MEASURES_MAX]; /* of each measure */
    uint32_t n_measures;
    uint32_t value; /* index of the view's value */
    uint32_t
        n_picture; /* columns that a picture needs: the value, and the calls behind it; of a comparison A and B */
    struct tree_spec spec; /* that the tree was made by */
};

/* False: diag. */
bool data_tree_open(struct data_tree *d, const struct render_input *in, struct diag *diag)
    __attribute__((warn_unused_result));

/* The column of waiting, if the tree was made without. False: the arena gives no more. */
bool data_tree_add_waiting(struct data_tree *d) __attribute__((warn_unused_result));

#endif
