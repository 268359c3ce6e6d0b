#include "parser/whole_file.h"

#include <string.h>

static ptrdiff_t read_memory(void *context, uint64_t offset, void *to, size_t n)
{
    const struct str *bytes = context;

    if (offset >= bytes->n)
        return 0;
    if (n > bytes->n - (size_t)offset)
        n = bytes->n - (size_t)offset;
    memcpy(to, bytes->p + offset, n);
    return (ptrdiff_t)n;
}

struct whole_file whole_file_of(const struct str *bytes)
{
    return (struct whole_file){bytes->n, read_memory, (void *)(uintptr_t)bytes};
}
