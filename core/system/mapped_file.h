/* Memory that stands in a file without a name: the system writes it to the disk where there is no room for it. For the
 * field `files` of an arena. */
#ifndef CORE_SYSTEM_MAPPED_FILE_H
#define CORE_SYSTEM_MAPPED_FILE_H

#include <stddef.h>

/* p NULL: `bytes` of zeros, of a new file in that folder, whose descriptor is put into *fd. Else p, of old_bytes and *fd,
 * with more room, perhaps at another place. NULL: no file, or no room on its disk; p is as it was. */
void *mapped_file_grow(const char *folder, void *p, size_t old_bytes, size_t bytes, int *fd)
    __attribute__((warn_unused_result));
void mapped_file_free(void *p, size_t bytes, int fd);

#endif
