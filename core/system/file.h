/* Whole reads and writes on descriptors: short counts and interruptions end here. Any thread. */
#ifndef CORE_SYSTEM_FILE_H
#define CORE_SYSTEM_FILE_H

#include "core/buf.h"

/* open(2) below the folder `top` (AT_FDCWD: as usual), close-on-exec, new files 0600. -1 with errno. */
int file_open(int top, const char *path, int flags) __attribute__((warn_unused_result));

/* False with errno. */
bool file_write_all(int fd, const void *p, size_t n) __attribute__((warn_unused_result));

/* Appends everything up to the end. False with errno, and nothing appended: EFBIG if there are more than
 * `limit` bytes, ENOMEM if the buffer takes no more. */
bool file_read_all(int fd, size_t limit, struct buf *out) __attribute__((warn_unused_result));

#endif
