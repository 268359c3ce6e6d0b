#include "server/convert/readable.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool failed(struct readable *file)
{
    return diag_set(&file->diag, DIAG_IO, "cannot read the file", "Try again later.", "%s.", strerror(errno));
}

static ptrdiff_t read_at(void *context, uint64_t offset, void *to, size_t n)
{
    struct readable *file = context;

    if (stop_asked(file->stop) != STOP_NONE) {
        stop_say(file->stop, &file->diag);
        return -1;
    }
    ssize_t got = offset > INT64_MAX ? 0 : TEMP_FAILURE_RETRY(pread(file->fd, to, n, (off_t)offset));
    if (got < 0)
        failed(file);
    return got;
}

static bool size(void *context, uint64_t *bytes)
{
    struct readable *file = context;
    struct stat st;

    if (fstat(file->fd, &st) != 0)
        return failed(file);
    *bytes = (uint64_t)st.st_size;
    return true;
}

struct source_input readable_input(struct readable *file)
{
    return (struct source_input){.read_at = read_at, .size = size, .context = file};
}
