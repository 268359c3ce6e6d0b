/* What the service asks a child that reads files of symbols, and what it is answered.
 *
 * The child is this program in another mode, with nothing but these descriptors:
 *
 *     0       the request, a file in memory: struct symbol_head, then its questions, modules and files
 *     1       the answer, a file in memory that may not grow beyond SYMBOL_ANSWER_BYTES
 *     3 ..    the files to be read, as many as the head says
 *
 * The request is from this program to itself. The answer is hostile: what was read may have got hold of
 * the child. It is text, a record to a line, with tabs between the fields:
 *
 *     file N                      what follows is of the N-th file
 *     fit MODULE STATE            it is a file of that library; STATE as in enum symbols_state
 *     at QUESTION                 what follows is the answer to it
 *     in LINE FUNCTION FILE       one function, the innermost first
 *     end                         all is said */
#pragma once

#include "profile/symbols/symbols.h"

enum {
    SYMBOL_ID_CHARS = 128,    /* of a build id in hexadecimal digits */
    SYMBOL_NAME_BYTES = 255,  /* of the name of a file, without folders */
    SYMBOL_HEAD_BYTES = 512,  /* of a file: by these its kind is known */
    SYMBOL_TEXT_BYTES = 4096, /* of a function or a source file */
    SYMBOL_FILES_MAX = 32,    /* of one request */
    SYMBOL_FIRST_FILE = 3,    /* descriptor */
    SYMBOL_ANSWER_BYTES = 256 << 20
};

struct symbol_head {
    uint64_t bytes; /* of the request */
    uint64_t memory_bytes;
    uint32_t cpu_s;
    uint32_t n_modules, n_questions, n_files;
};

struct symbol_module {
    char build_id[SYMBOL_ID_CHARS + 1]; /* or "" */
    char name[SYMBOL_NAME_BYTES + 1];   /* of its file, without folders */
    uint32_t first, n;                  /* its questions, by address; none if the library is done */
};

struct symbol_question {
    uint64_t address, load_bias, map_offset; /* as in struct profile_frame */
};

struct symbol_file {
    char name[SYMBOL_NAME_BYTES + 1]; /* without folders; "" of one that came without a name */
};

/* The request, as the child sees it. */
struct symbol_request {
    const struct symbol_head *head;
    const struct symbol_module *modules;
    const struct symbol_question *questions;
    const struct symbol_file *files;
};
