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

static bool unreadable(struct diag *diag)
{
    return diag_set(diag, DIAG_IO, "cannot read the file", "Try again later.",
                    "The file could not be read again after it had arrived.");
}

bool whole_file_all(const struct whole_file *file, struct arena *arena, struct str *bytes, struct diag *diag)
{
    char *room;
    size_t at = 0;

    if (file->read_at == read_memory) {
        *bytes = *(const struct str *)file->context;
        return true;
    }
    room = file->bytes > SIZE_MAX ? NULL : arena_array(arena, (size_t)file->bytes, 1);
    if (room == NULL)
        return false;
    while (at < file->bytes) {
        ptrdiff_t n = file->read_at(file->context, at, room + at, (size_t)file->bytes - at);
        if (n <= 0)
            return unreadable(diag);
        at += (size_t)n;
    }
    *bytes = (struct str){room, at};
    return true;
}
