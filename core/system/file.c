#include "core/system/file.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

int file_open(int top, const char *path, int flags)
{
    return (int)TEMP_FAILURE_RETRY(openat(top, path, flags | O_CLOEXEC, 0600));
}

bool file_write_all(int fd, const void *p, size_t n)
{
    const char *next = p;

    while (n > 0) {
        ssize_t written = TEMP_FAILURE_RETRY(write(fd, next, n));
        if (written < 0)
            return false;
        next += written;
        n -= (size_t)written;
    }
    return true;
}

bool file_read_all(int fd, size_t limit, struct buf *out)
{
    enum { STEP_BYTES = 64 << 10 };
    size_t before = out->n;

    for (;;) {
        size_t left = limit - (out->n - before);
        size_t want = left < STEP_BYTES ? left + 1 : STEP_BYTES; /* one more shows that there is too much */
        ssize_t got = -1;
        if (!buf_reserve(out, want))
            errno = ENOMEM;
        else
            got = TEMP_FAILURE_RETRY(read(fd, out->p + out->n, want));
        if (got == 0)
            return true;
        if (got > 0 && (size_t)got > left) {
            errno = EFBIG;
            got = -1;
        }
        if (got < 0) {
            out->n = before;
            return false;
        }
        out->n += (size_t)got;
    }
}
