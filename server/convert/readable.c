#include "server/convert/readable.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

ptrdiff_t readable_at(void *readable, uint64_t offset, void *to, size_t n)
{
    struct readable *file = readable;

    if (stop_asked(file->stop) != STOP_NONE) {
        stop_say(file->stop, &file->diag);
        return -1;
    }
    ssize_t got = offset > INT64_MAX ? 0 : TEMP_FAILURE_RETRY(pread(file->fd, to, n, (off_t)offset));
    if (got < 0)
        diag_set(&file->diag, DIAG_IO, "cannot read the file", "Try again later.", "%s.", strerror(errno));
    return got;
}

struct whole_file readable_whole(struct readable *file)
{
    struct whole_file whole = {.read_at = readable_at, .context = file};
    struct stat st;

    if (file->fd >= 0 && fstat(file->fd, &st) == 0)
        whole.bytes = (uint64_t)st.st_size;
    return whole;
}
