/* The nodes of a block of DATA: which are written, and how. For render/svg/data.c. */
#pragma once

#include <stdint.h>

#include "render/svg/layout.h"
#include "render/tree/tree.h"
#include "render/view/input.h"

/* The tree that a block of DATA (render/svg/data.h) is made from, and which value stands in which of its columns. */

/* The tree that DATA speaks of, with all measures: children by name, whatever the order of the view. Its
 * first column is the view's value, its second one the calls, unless there are none or they are the value.
 * Waiting, if it is neither of these, has the last column, which is there only when something has to be
 * told by it. */
struct data_tree {
    const struct render_input *in;
    const struct tree *tree;
    struct measure measures[MEASURES_MAX];
    uint32_t column[MEASURES_MAX]; /* of each measure */
    uint32_t n_measures;
    uint32_t value; /* index of the view's value */
    /* Columns that a picture needs: the value, and the calls behind it; of a comparison A and B. */
    uint32_t n_picture;
    struct tree_spec spec; /* that the tree was made by */
};

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

/* The frames that a block of DATA uses: each has a line, in the order of their ranks. */

/* A set of small numbers that knows how many of them are below each: one bit, and half a bit for counting. */
struct data_set {
    uint64_t *bits;
    uint32_t *below; /* by word of `bits`, when all are in it */
    uint32_t n_words;
};

/* How many members are below this one. */
static inline uint32_t data_set_position(const struct data_set *s, uint32_t member)
{
    uint64_t below = s->bits[member >> 6] & ((UINT64_C(1) << (member & 63)) - 1);
    return s->below[member >> 6] + (uint32_t)__builtin_popcountll(below);
}

struct data_frames {
    const struct render_input *in;
    const struct package_colours *colours;
    struct data_set frames, ranks; /* ids in use, and their ranks */
    uint32_t n;
    uint32_t *line_of;  /* by position in `frames` */
    frame_id *frame_at; /* by line */
    uint32_t *prefix;   /* by line; found when it is written */
    size_t capacity_of_line_of, capacity_of_frame_at, capacity_of_prefix;
    struct buf text, last_text; /* of this line and the one before */
};

enum { DATA_NUMBER_BYTES_MAX = 13 };

/* `first` is the first node, the `skip` heaviest of its children are left out. Until a cut is set, all
 * others are written. False: the arena gives no more. */
bool data_nodes_init(struct data_nodes *w, const struct data_tree *d, struct data_frames *frames,
                     uint32_t first, uint32_t skip) MUST_CHECK;

/* Totals and places of all nodes that could be written, but for the first. *n: how many; room for as many
 * nodes as the tree has. */
void data_nodes_list(const struct data_nodes *w, uint64_t *totals, uint32_t *places, uint32_t *n);

/* Finds n, scale and derived of the nodes that the cut takes, and which frames they use. */
void data_nodes_survey(struct data_nodes *w);

/* Appends the records and a line's end, as long as `out` is shorter than `end` bytes. The frames have their
 * lines. */
void data_nodes_put(const struct data_nodes *w, struct buf *out, size_t end);

static inline char *data_number(char *to, uint64_t value)
{
    static const char DIGITS[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_";

    for (; value >= 32; value >>= 5)
        *to++ = DIGITS[32 + (value & 31)];
    *to++ = DIGITS[value];
    return to;
}

/* False: diag. */
bool data_tree_open(struct data_tree *d, const struct render_input *in, struct diag *diag) MUST_CHECK;
