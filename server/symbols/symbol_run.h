/* Has a child read files of symbols, and takes its answer, all of which is checked: a child that crashes, takes too long, or says what
 * makes no sense has said nothing. Any thread; takes until the child has ended. */
#ifndef SERVER_SYMBOLS_SYMBOL_RUN_H
#define SERVER_SYMBOLS_SYMBOL_RUN_H

#include "core/diag.h"
#include "core/stop.h"
#include "server/symbols/symbol_request.h"

struct symbol_limits {
    const char *program; /* the child's */
    uint64_t memory_bytes;
    uint32_t seconds;        /* of processor time; twice as many pass at most */
    const struct stop *stop; /* NULL, or the work ends soon after it was asked */
};

/* This program. */
#define SYMBOL_RUN_PROGRAM "/proc/self/exe"

/* A file to be read. */
struct symbol_input {
    int fd;          /* open for reading; its position does not matter */
    struct str name; /* without folders; or empty */
};

enum symbol_result {
    SYMBOL_RUN_OK,
    SYMBOL_RUN_UNREAD, /* the child came to no good end */
    SYMBOL_RUN_FAILED  /* diag: the child could not be started, memory is short, or *stop was asked */
};

/* Asks all files, at most SYMBOL_FILES_MAX, for what is asked in `s` of libraries that are not done (symbols_is_done), and takes the
 * answers that are better than those that are there: with more functions, or with a source file where there was none. */
enum symbol_result symbol_run(struct symbols *s, const struct symbol_input *files, uint32_t n,
                              const struct symbol_limits *limits, struct diag *diag)
    __attribute__((warn_unused_result));

/* Checks an answer and takes it. False: it makes no sense, and nothing of it was taken; or s->arena gives no more. */
bool symbol_take(struct symbols *s, uint32_t n_files, struct str answer) __attribute__((warn_unused_result));

#endif
