#include "core/system/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

void *mapped_file_grow(const char *folder, void *p, size_t old_bytes, size_t bytes, int *fd)
{
    int file = p == NULL ? open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600) : *fd;
    void *grown = MAP_FAILED;

    /* The room is taken first: a write to a mapped page that the disk has no room for would be a signal. */
    if (file >= 0 && posix_fallocate(file, 0, (off_t)bytes) == 0)
        grown = p == NULL ? mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0)
                          : mremap(p, old_bytes, bytes, MREMAP_MAYMOVE);
    if (grown != MAP_FAILED) {
        *fd = file;
        return grown;
    }
    if (p == NULL && file >= 0)
        close(file);
    return NULL;
}

void mapped_file_free(void *p, size_t bytes, int fd)
{
    munmap(p, bytes);
    close(fd);
}
