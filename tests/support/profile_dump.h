/* All that a reader answers, as text: two answers are equal when their texts are. */
#pragma once

#include "core/buf.h"
#include "core/diag.h"
#include "parser/reader.h"

/* Format, values, strings, frames, tracks, nodes, warnings and facts. Ids stand as they are. */
void profile_dump(struct buf *b, const struct profile *p);

/* Kind, offset and texts. */
void profile_dump_diag(struct buf *b, const struct diag *d);

/* Reads the bytes and appends what that came to, the profile or the diagnostic. */
void profile_dump_read(struct buf *b, struct reader *r, struct str bytes);

/* Reads n bytes in pieces that end at the given offsets (rising, each at most n) and at n, and appends what
 * that came to. */
void profile_dump_cut(struct buf *b, const struct reader_limits *limits, const void *p, size_t n,
                      const size_t *cuts, size_t n_cuts);
