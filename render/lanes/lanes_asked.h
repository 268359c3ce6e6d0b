/* What is asked of lanes beside the options of a view, as text: `stacks` and `mark`, the same keys in URLs and cache keys. */
#ifndef RENDER_LANES_LANES_ASKED_H
#define RENDER_LANES_LANES_ASKED_H

#include "core/buf.h"
#include "core/diag.h"

enum { LANES_STACKS_MAX = 32, LANES_MARK_BYTES_MAX = 500 };

struct lanes_asked {
    uint32_t stacks[LANES_STACKS_MAX]; /* ids of the tracks whose calls are wanted; ascending, each once */
    uint32_t n_stacks;
    char mark[LANES_MARK_BYTES_MAX + 1]; /* a method's id, or its text as shown; "": none */
};

bool lanes_takes(struct str key);

/* Sets one of these keys. False (diag: DIAG_USAGE, naming the key, the value and what is allowed); *asked is as before then. */
bool lanes_set(struct lanes_asked *asked, struct str key, struct str value, struct diag *diag)
    __attribute__((warn_unused_result));

/* Appends both, as part of cache keys: no two requests are written alike. */
void lanes_canonical(const struct lanes_asked *asked, struct buf *b);

#endif
