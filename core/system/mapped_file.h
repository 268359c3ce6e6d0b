/* Memory that stands in a file without a name: the system writes it to the disk where there is no room for it. For the
 * field `files` of arenas. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "core/must_check.h"

/* Where such files are, and how much they may take, together with those of all places that share the counter, on any thread. */
struct mapped_files {
    const char *folder;
    uint64_t limit_bytes;
    _Atomic uint64_t *taken_bytes;
};

/* `place` is a struct mapped_files. *p NULL: `bytes` of zeros, of a new file. Else *p, of old_bytes and with that descriptor, gets
 * more room, and may move. The descriptor; -1: no file, or no room: *p is as it was. */
int mapped_file_grow(void *place, int fd, void **p, size_t old_bytes, size_t bytes) MUST_CHECK;
void mapped_file_free(void *place, void *p, size_t bytes, int fd);
