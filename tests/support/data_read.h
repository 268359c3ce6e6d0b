/* A reader of DATA (render/svg/data.h), slow and plain, for tests of what writes it. What is not as that
 * header describes it fails the running test. */
#pragma once

#include "render/svg/data.h"
#include "tests/support/rendering.h"

struct data_read_node {
    uint32_t depth, line; /* line: 0 = root, else 1 + index */
    uint64_t self[MEASURES_MAX];
    bool stub;
    uint64_t place, shown, hidden_children, hidden_nodes, hidden_total[MEASURES_MAX];
};

struct data_read_frame {
    uint64_t rank, origin, colour;
    struct str text; /* of the memory below */
};

struct data_read {
    char *memory; /* unescaped */
    struct str header;
    struct data_read_frame *frames;
    struct data_read_node *nodes;
    uint32_t n_frames, n_nodes, n_values;
    uint64_t scale[MEASURES_MAX];
    bool derived[MEASURES_MAX];
    char role[MEASURES_MAX]; /* its first letters: w(all), c(pu), C(alls), o(ther); W(aiting) */
    char *texts;
};

/* Reads what stands in a picture, that is, as XML. */
void data_read(struct data_read *r, struct str data);
void data_read_free(struct data_read *r);

/* Takes a number from the beginning of *s. */
uint64_t data_read_number(struct str *s);

/* The number behind this text of the header, as "\"nodes\":". */
uint64_t data_read_header(const struct data_read *r, const char *key);

/* The whole of a rendering's tree within the budget of its view, and what was read of it. */
struct data_embedded {
    struct data_tree data;
    const struct tree *full; /* with all columns */
    struct data_read read;
    struct buf out;
    uint32_t n;
};
void data_embedded(struct data_embedded *e, struct rendering *r);
void data_embedded_free(struct data_embedded *e);
