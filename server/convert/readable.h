/* A file behind a descriptor, as the parser reads it at any place. */
#ifndef SERVER_CONVERT_READABLE_H
#define SERVER_CONVERT_READABLE_H

#include "core/diag.h"
#include "core/stop.h"
#include "parser/whole_file.h"

struct readable {
    int fd;
    const struct stop *stop; /* reading fails once it was asked; may be NULL */
    struct diag diag;        /* why it could not be read */
};

/* whole_file.read_at of one. */
ptrdiff_t readable_at(void *readable, uint64_t offset, void *to, size_t n);
/* The whole of it, as long as *file stays; of no bytes if there is no such descriptor. */
struct whole_file readable_whole(struct readable *file);

#endif
