/* Blocks of an ART "version 2" method trace, decoded and folded as their bytes arrive. Layouts and records:
 * android_v2_layout.h. */
#ifndef PARSER_ANDROID_V2_FOLD_H
#define PARSER_ANDROID_V2_FOLD_H

#include "parser/android/common.h"
#include "parser/android/v2_layout.h"

struct v2_thread {
    uint32_t id, track; /* NODE_NONE before the first record */
    bool has_block;
    struct v2_values last; /* where its last block ended */
};

struct v2_fold {
    struct android *android;
    enum v2_layout layout;
    uint64_t counter_hz;  /* of E's times; 0: they are ns */
    uint64_t clock_mask;  /* bits of a clock that mean something */
    struct idmap indexes; /* thread -> index of its struct */
    struct v2_thread *threads;
    size_t n_threads, threads_capacity;

    /* The block that is being read. */
    uint32_t thread;    /* index */
    uint64_t body_left; /* bytes */
    bool at_first, counts_more, damaged;
    struct v2_values values;
    struct event batch[ANDROID_BATCH];
};

void v2_fold_init(struct v2_fold *f, struct android *a);

/* Before the first block: which layout it is; and of E, the frequency of the counter that times were read
 * from, or 0. */
void v2_fold_layout(struct v2_fold *f, enum v2_layout layout, uint64_t counter_hz);

/* Begins a block, whose head stands at `offset`. False: diag is set. */
bool v2_fold_block(struct v2_fold *f, const struct v2_packet *packet, uint64_t offset)
    __attribute__((warn_unused_result));

/* Folds whole records of the block's body from the front of n bytes; the block is over when body_left is 0.
 * Returns the bytes taken, 0: more are needed. *ok = false: diag is set. */
size_t v2_fold_body(struct v2_fold *f, const uint8_t *p, size_t n, uint64_t offset, bool *ok);

#endif
