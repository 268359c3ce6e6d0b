/* Folders below an open directory: made on demand, synced up to the top, walked without recursion. Paths are
 * relative to the directory, and come from the caller's own hand, never from a client. Any thread. All
 * folders are made 0700. */
#ifndef CORE_SYSTEM_FOLDER_H
#define CORE_SYSTEM_FOLDER_H

#include <stdbool.h>

enum {
    FOLDER_PATH_BYTES = 256, /* with the terminating NUL */
    FOLDER_DEPTH_MAX = 4     /* folders above a file that folder_walk still sees */
};

/* Makes a directory and what is missing above it, durably; true if it is there already. False with errno. */
bool folder_make(const char *directory) __attribute__((warn_unused_result));

/* Makes the folders that `path` names before its last slash. False with errno. */
bool folder_make_parents(int top, const char *path) __attribute__((warn_unused_result));

/* fsync of these folders and of the directory itself. One that is gone by now needs none. False with errno.
 */
bool folder_sync_parents(int top, const char *path) __attribute__((warn_unused_result));

/* Calls each(context, path) for the files below the folder `prefix` ("a/b/"), in no order, until it returns
 * false. Names that begin with a dot are passed over; each may remove the file. A folder that is not there
 * has no files. False with errno if a folder cannot be read. */
bool folder_walk(int top, const char *prefix, bool (*each)(void *context, const char *path), void *context)
    __attribute__((warn_unused_result));

#endif
