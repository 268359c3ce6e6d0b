/* Where symbols are looked for: files, all of which are read, and folders, in which they are found as
 * Perfetto's tools find them: by the library's path below the folder, the same without what stands before
 * "base.apk!", its base name, and .build-id/ab/cdef.debug; and else by looking at all files of the folder.
 * Only a file with the library's build id tells names, whatever it is called; where the recording does not
 * say the build, one that has the library's name. Any thread. */
#pragma once

#include "core/diag.h"
#include "core/stop.h"
#include "server/symbols/symbol_request.h"

/* The one argument of the program that means this mode. It is no command: nobody is told of it. */
#define SYMBOL_CHILD_ARGUMENT "--read-symbols"

/* Does what descriptor 0 asks (symbol_request.h), and returns the exit status: 0 if the answer is whole. */
int symbol_child(void);

/* What the child takes away from itself before it reads anything of strangers. */

/* From here on: so much memory and processor time and no more, no new descriptor of any kind (no file, no
 * connection), no process, no core file, no answer beyond its size; and, where the kernel and the
 * processor are known, no call to the system that reading does not need. False: a limit cannot be set. */
bool symbol_sandbox(const struct symbol_request *r) MUST_CHECK;

/* Has a child read files of symbols, and takes its answer, all of which is checked: a child that crashes,
 * takes too long, or says what makes no sense has said nothing. Any thread; takes until the child has
 * ended. */

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

/* Asks all files, at most SYMBOL_FILES_MAX, for what is asked in `s` of libraries that are not done
 * (symbols_is_done), and takes the answers that are better than those that are there: with more functions,
 * or with a source file where there was none. */
enum symbol_result symbol_run(struct symbols *s, const struct symbol_input *files, uint32_t n,
                              const struct symbol_limits *limits, struct diag *diag) MUST_CHECK;

/* Checks an answer and takes it. False: it makes no sense, and nothing of it was taken; or s->arena gives no more. */
bool symbol_take(struct symbols *s, uint32_t n_files, struct str answer) MUST_CHECK;

enum { SYMBOL_SOURCES_MAX = 32 };

/* A file, or a folder. */
struct symbol_source {
    int fd;
    bool is_folder;
    char name[SYMBOL_NAME_BYTES + 1]; /* of a file, without folders; or "" */
};

struct symbol_sources {
    struct symbol_source of[SYMBOL_SOURCES_MAX];
    uint32_t n;
};

/* Whether these first bytes of a file may be symbols of a kind that is read (symbol_elf.c); `head` needs
 * SYMBOL_HEAD_BYTES, or all that there are. False: diag says what symbols are. */
bool symbol_check(struct str head, struct diag *diag) MUST_CHECK;

/* The same of an open file; folders pass. */
bool symbol_check_file(int fd, struct diag *diag) MUST_CHECK;

/* Takes a duplicate of the descriptor, of a regular file or a folder. False: diag. */
bool symbol_sources_add(struct symbol_sources *sources, int fd, struct str name,
                        struct diag *diag) MUST_CHECK;
void symbol_sources_close(struct symbol_sources *sources);

/* Finds answers to what is asked in `s`. Files that cannot be read are counted there. False: diag, or
 * s->arena gives no more. */
bool symbol_search(struct symbols *s, const struct symbol_sources *sources,
                   const struct symbol_limits *limits, struct diag *diag) MUST_CHECK;
