/* A comparison in words: what got slower and by how much, own code first. */
#ifndef RENDER_TABLE_DIFF_WORDS_H
#define RENDER_TABLE_DIFF_WORDS_H

#include "core/buf.h"
#include "render/table/diff_pairs.h"

enum { DIFF_WORDS_MAX = 9, DIFF_NAMED_MAX = 3 };

struct diff_mention {
    size_t at, n; /* bytes of the text */
};

struct diff_sentence {
    size_t at, n;        /* bytes of the text, without the end of the line */
    enum diff_only only; /* which rows it is about; ONLY_DIFFERENT: not those of one word */
    struct diff_mention methods[DIFF_NAMED_MAX];
    uint32_t n_methods;
};

struct diff_words {
    struct diff_sentence list[DIFF_WORDS_MAX];
    uint32_t n;
};

/* Sentences about the value that was asked for, of a table of methods: the change of the total, what grew in own code and
 * elsewhere, what shrank, what is new and gone, and what is left out as noise, which is:
 *
 *     a method that both sides call fewer than DIFF_NOISE_CALLS times and that changed by less than a thousandth of the total
 *     one whose time changed by no more than its calls and what a reading of the clock costs, as the file says, multiplied
 *     one that both sides, which count samples and no calls, saw fewer than DIFF_NOISE_SAMPLES times by itself and which changed by
 *     less than a thousandth of the total
 *
 * A sentence that would say nothing is left out. Appends them to `out`, which is empty, each ended by a newline; names are
 * cleaned. `says` tells where each sentence and each name stands. */
enum { DIFF_NOISE_CALLS = 3, DIFF_NOISE_SAMPLES = 5 };
void diff_words(const struct table *t, struct diff_words *says, struct buf *out);

#endif
