/* Writes hprof sampling files, as text and as bytes: a small run of two threads and four stacks, the same in both. */
#pragma once

#include "core/buf.h"

/* What the run folds to, with its threads' names in front. */
extern const char HPROF_RUN_FOLDED[];

struct hprof_options {
    unsigned id_bytes;   /* 4 or 8; 0: 4 */
    const char *version; /* NULL: 1.0.2 */
    const char *head;    /* text before the binary form, with its empty line; NULL: none */
    bool slashes;        /* class names as the VM has them */
};

void hprof_put_text(struct buf *b);
void hprof_put_binary(struct buf *b, const struct hprof_options *options);

/* One record of the binary form. */
void hprof_put_record(struct buf *b, unsigned tag, const void *p, size_t n);
