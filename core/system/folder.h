/* Folders below an open directory: made on demand, synced up to the top, walked without recursion. Paths are
 * relative to the directory, and come from the caller's own hand, never from a client. Any thread. All
 * folders are made 0700. */
#pragma once

#include <stdbool.h>

#include "core/buf.h"

enum {
    FOLDER_PATH_BYTES = 256, /* with the terminating NUL */
    FOLDER_DEPTH_MAX = 4     /* folders above a file that folder_walk still sees */
};

/* Makes a directory and what is missing above it, durably; true if it is there already. False with errno. */
bool folder_make(const char *directory) MUST_CHECK;

/* Makes the folders that `path` names before its last slash. False with errno. *is_new is set if the first
 * of them was not there. */
bool folder_make_parents(int top, const char *path, bool *is_new) MUST_CHECK;

/* fsync of these folders, and of the directory itself if `and_top`. One that is gone by now needs none.
 * False with errno. */
bool folder_sync_parents(int top, const char *path, bool and_top) MUST_CHECK;

/* Calls each(context, path) for the files below the folder `prefix` ("a/b/"), in no order, until it returns
 * false. Names that begin with a dot are passed over; each may remove the file. A folder that is not there
 * has no files. False with errno if a folder cannot be read. */
bool folder_walk(int top, const char *prefix, bool (*each)(void *context, const char *path),
                 void *context) MUST_CHECK;

/* Whole reads and writes on descriptors: short counts and interruptions end here. Any thread. */

/* open(2) below the folder `top` (AT_FDCWD: as usual), close-on-exec, new files 0600. -1 with errno. */
int file_open(int top, const char *path, int flags) MUST_CHECK;

/* False with errno. */
bool file_write_all(int fd, const void *p, size_t n) MUST_CHECK;

/* Appends everything up to the end. False with errno, and nothing appended: EFBIG if there are more than
 * `limit` bytes, ENOMEM if the buffer takes no more. */
bool file_read_all(int fd, size_t limit, struct buf *out) MUST_CHECK;
