#include "core/system/mapped_file.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <unistd.h>

static bool charge(struct mapped_files *f, uint64_t bytes)
{
    uint64_t taken = atomic_fetch_add(f->taken_bytes, bytes);

    if (bytes <= f->limit_bytes && taken <= f->limit_bytes - bytes)
        return true;
    atomic_fetch_sub(f->taken_bytes, bytes);
    return false;
}

/* False: *p is as it was. The room is taken first: a write to a mapped page that the disk has no room for would be a signal. File
 * systems that cannot do this have no such files: posix_fallocate would write zeros, which promise nothing. */
static bool map(int file, void **p, size_t old_bytes, size_t bytes)
{
    if (fallocate(file, 0, 0, (off_t)bytes) != 0)
        return false;
    void *grown = *p == NULL ? mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0)
                             : mremap(*p, old_bytes, bytes, MREMAP_MAYMOVE);
    if (grown == MAP_FAILED)
        return false;
    *p = grown;
    return true;
}

int mapped_file_grow(void *place, int fd, void **p, size_t old_bytes, size_t bytes)
{
    struct mapped_files *f = place;
    bool is_new = *p == NULL;

    if (!charge(f, bytes - old_bytes))
        return -1;
    int file = is_new ? open(f->folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600) : fd;
    if (file >= 0 && map(file, p, old_bytes, bytes))
        return file;
    if (is_new && file >= 0)
        close(file);
    atomic_fetch_sub(f->taken_bytes, bytes - old_bytes);
    return -1;
}

void mapped_file_free(void *place, void *p, size_t bytes, int fd)
{
    struct mapped_files *f = place;

    munmap(p, bytes);
    close(fd);
    atomic_fetch_sub(f->taken_bytes, bytes);
}
