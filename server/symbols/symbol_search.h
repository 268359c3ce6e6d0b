/* Where symbols are looked for: files, all of which are read, and folders, in which they are found as Perfetto's tools find them: by the
 * library's path below the folder, the same without what stands before "base.apk!", its base name, and .build-id/ab/cdef.debug; and else
 * by looking at all files of the folder. Only a file with the library's build id tells names, whatever it is called; where the recording
 * does not say the build, one that has the library's name. Any thread. */
#ifndef SERVER_SYMBOLS_SYMBOL_SEARCH_H
#define SERVER_SYMBOLS_SYMBOL_SEARCH_H

#include "server/symbols/symbol_run.h"

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

/* Whether these first bytes of a file may be symbols of a kind that is read (symbol_kinds.c); `head` needs SYMBOL_HEAD_BYTES, or all that
 * there are. False: diag says what symbols are. */
bool symbol_check(struct str head, struct diag *diag) __attribute__((warn_unused_result));
/* The same of an open file; folders pass. */
bool symbol_check_file(int fd, struct diag *diag) __attribute__((warn_unused_result));

/* Takes a duplicate of the descriptor, of a regular file or a folder. False: diag. */
bool symbol_sources_add(struct symbol_sources *sources, int fd, struct str name, struct diag *diag)
    __attribute__((warn_unused_result));
void symbol_sources_close(struct symbol_sources *sources);

/* Finds answers to what is asked in `s`. Files that cannot be read are counted there. False: diag, or s->arena gives no more. */
bool symbol_search(struct symbols *s, const struct symbol_sources *sources,
                   const struct symbol_limits *limits, struct diag *diag) __attribute__((warn_unused_result));

#endif
