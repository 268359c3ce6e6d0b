/* All that a reader answers, as text: two answers are equal when their texts are. */
#ifndef TESTS_SUPPORT_PROFILE_DUMP_H
#define TESTS_SUPPORT_PROFILE_DUMP_H

#include "core/buf.h"
#include "core/diag.h"
#include "parser/reader.h"

/* Format, values, strings, frames, tracks, nodes, warnings and facts. Ids stand as they are. */
void profile_dump(struct buf *b, const struct profile *p);

/* Kind, offset and texts. */
void profile_dump_diag(struct buf *b, const struct diag *d);

/* Ends a reading and appends what it came to, the profile or the diagnostic. */
void profile_dump_finish(struct buf *b, struct reader *r);
/* The same where the bytes that were fed can be read as a whole. */
void profile_dump_finish_whole(struct buf *b, struct reader *r, struct str bytes);

/* Feeds n bytes in pieces that end at the given offsets (rising, each at most n) and at n, and appends what
 * that came to. The memory of a piece is gone as soon as it was fed. */
void profile_dump_cut(struct buf *b, const struct reader_limits *limits, const void *p, size_t n,
                      const size_t *cuts, size_t n_cuts);

#endif
