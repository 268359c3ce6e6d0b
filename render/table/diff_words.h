/* A comparison in words: what got slower and by how much, own code first; see diff_words.c. */
#pragma once

#include "core/buf.h"
#include "core/diag.h"
#include "render/table/table.h"
#include "runs/fail_rule.h"

enum { DIFF_WORDS_MAX = 12, DIFF_NAMED_MAX = 3, DIFF_MENTIONS_MAX = 2 * DIFF_NAMED_MAX };

struct diff_mention {
    size_t at, n; /* bytes of the text */
};

struct diff_sentence {
    size_t at, n;        /* bytes of the text, without the end of the line */
    enum diff_only only; /* which rows it is about; ONLY_DIFFERENT: not those of one word */
    struct diff_mention methods[DIFF_MENTIONS_MAX];
    uint32_t n_methods;
};

struct diff_words {
    struct diff_sentence list[DIFF_WORDS_MAX];
    uint32_t n;
};

/* The arena lends what counting needs. False: it gives no more. */
bool diff_words(const struct table *t, struct diff_words *says, struct buf *out,
                struct arena *arena) MUST_CHECK;

/* Looks whether the table, made by diff_new, passes the rule: then appends one line that says so, with the
 * largest growths. Names are those of its rows. What is new in B has grown by more than any percentage; a change within the
 * spread of the runs (diff.h) passes no rule. Of a pattern that is like no name it appends a line that says that. *passed is set, or
 * left. False: diag, DIAG_USAGE for a value that is not there or has another unit. */
bool diff_rule_check(const struct fail_rule *rule, const struct table *t, struct buf *says, bool *passed,
                     struct diag *diag) MUST_CHECK;
