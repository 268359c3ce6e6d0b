/* Bytes packed with gzip (RFC 1952). */
#pragma once

#include "core/buf.h"

/* Appends the packed bytes; `level` as zlib has it, 1 to 9. The same bytes give the same result: no time,
 * no name. False: no memory, or out is full. */
bool gzip_put(struct buf *out, struct str bytes, int level) MUST_CHECK;
