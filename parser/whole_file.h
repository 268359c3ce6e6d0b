/* A file that can be read at any place, for what cannot be read from front to back: archives, and formats that have a
 * `read_whole` in their row (parser/format.h).
 *
 * The parser makes no calls to the system. Who owns the file gives it this. It is a function and no mapped memory, because
 * a file that somebody cuts while it is mapped ends the process (SIGBUS), and because a failed read can be reported. */
#ifndef PARSER_WHOLE_FILE_H
#define PARSER_WHOLE_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "core/arena.h"
#include "core/diag.h"
#include "core/str.h"

struct whole_file {
    uint64_t bytes; /* its length */
    /* Reads up to n bytes from `offset` on, and returns how many it read: fewer than n at the end of the file only, where
     * it is 0. -1: the file cannot be read; who gave this function knows why. */
    ptrdiff_t (*read_at)(void *context, uint64_t offset, void *to, size_t n);
    void *context;
};

/* The file whose content is in memory; *bytes must stay. */
struct whole_file whole_file_of(const struct str *bytes);

/* All bytes of the file: where they are, if they are in memory, else in the arena. False: diag, unless the arena gives no
 * more, and then arena.failure. */
bool whole_file_all(const struct whole_file *file, struct arena *arena, struct str *bytes, struct diag *diag)
    __attribute__((warn_unused_result));

#endif
