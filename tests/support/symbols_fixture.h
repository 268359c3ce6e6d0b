/* A profile with nameless frames of a library, what is asked of them, and the request that a child would get. */
#pragma once

#include "core/arena.h"
#include "server/symbols/symbol_reading.h"

/* Of the library; one more has its name and no build id. Addresses are every SYMBOLS_FIXTURE_STEP bytes
 * from 0x1000 on. */
#define SYMBOLS_FIXTURE_BUILD_ID "0102030405060708090a0b0c0d0e0f1011121314"
#define SYMBOLS_FIXTURE_NAME     "libseed.so"
enum { SYMBOLS_FIXTURE_ADDRESSES = 48, SYMBOLS_FIXTURE_FIRST = 0x1000, SYMBOLS_FIXTURE_STEP = 4 };

struct symbols_fixture {
    struct arena arena;
    const struct profile *profile;
    struct symbols *symbols;
    struct symbol_head head;
    struct symbol_module modules[2];
    struct symbol_question questions[2 * SYMBOLS_FIXTURE_ADDRESSES];
    struct symbol_file file;
    struct symbol_request request;
    struct buf out;
};

/* Aborts without memory. */
void symbols_fixture_begin(struct symbols_fixture *f);
void symbols_fixture_end(struct symbols_fixture *f);

/* Reads a file as the child does; what it would answer to that is in f->out. The bytes are changed. */
void symbols_fixture_read(struct symbols_fixture *f, char *bytes, size_t n);
