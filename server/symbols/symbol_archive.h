/* Archives of files of symbols, and what is packed into one: by libarchive. */
#ifndef SERVER_SYMBOLS_SYMBOL_ARCHIVE_H
#define SERVER_SYMBOLS_SYMBOL_ARCHIVE_H

#include <stddef.h>

#include "core/str.h"

enum {
    SYMBOL_UNPACKED_BYTES =
        1 << 30 /* of one file in an archive; the child's memory ends earlier, as a rule */
};

/* What one stream of xz, gzip or zstd holds, the caller's to free. NULL: it cannot be unpacked. */
char *symbol_unpack(struct str packed, size_t *n);

#endif
