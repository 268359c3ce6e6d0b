/* A file behind a descriptor, as the parser reads it at any place. */
#ifndef SERVER_CONVERT_READABLE_H
#define SERVER_CONVERT_READABLE_H

#include "core/diag.h"
#include "core/stop.h"
#include "parser/source.h"

struct readable {
    int fd;
    const struct stop *stop; /* reading fails once it was asked; may be NULL */
    struct diag diag;        /* why it could not be read */
};

/* It as the parser reads it, as long as *file stays; of no bytes if there is no such descriptor. */
struct source_input readable_input(struct readable *file);

#endif
