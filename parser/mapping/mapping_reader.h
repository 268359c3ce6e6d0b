/* Reads a mapping.txt of ProGuard or R8 as it arrives, and keeps what profile/mapping/mapping.h is asked
 * for.
 *
 *     mapping_reader_new -> mapping_reader_feed .. -> mapping_reader_finish, mapping_reader_free
 *
 * The layout, by lines:
 *
 *     # text                                           comment; R8 writes "# pg_map_id: .." and others at the beginning
 *     ORIGINAL -> RESIDUAL:                            a class
 *     # {"id": .., ..}                                 what R8 says of the class or member above
 *         [FROM:TO:]TYPE NAME[(TYPES)][:FROM[:TO]] -> RESIDUAL     a member of it
 *
 * Lines that are none of these are counted and left out. Memory is bounded by the longest line that is
 * read (see the .c) and by what is asked for. One thread. */
#pragma once

#include "core/diag.h"
#include "profile/mapping/mapping.h"

struct mapping_reader;

/* NULL: no memory. */
struct mapping_reader *mapping_reader_new(struct mapping *m) MUST_CHECK;

void mapping_reader_free(struct mapping_reader *r); /* NULL is fine */

/* False: diag, which belongs to the reader, says why it is no mapping, or the arena of the mapping gives
 * no more (its `failure`). */
bool mapping_reader_feed(struct mapping_reader *r, const void *p, size_t n) MUST_CHECK;

/* Behind the last byte. False as above. */
bool mapping_reader_finish(struct mapping_reader *r) MUST_CHECK;

const struct diag *mapping_reader_diag(const struct mapping_reader *r);
