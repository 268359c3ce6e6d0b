/* An input of bytes in memory that come in pieces, of random sizes or as they are cut, as those of an upload do. */
#pragma once

#include "core/str.h"
#include "parser/reader.h"

struct test_input {
    struct str bytes;
    uint64_t random;    /* of the pieces' sizes */
    size_t largest;     /* piece; 0: as many as are asked for */
    const size_t *cuts; /* where pieces end, rising */
    size_t n_cuts;
    uint64_t fails_at;   /* reading from here on fails; 0: it never does */
    const char *member;  /* named behind the bytes; NULL: none */
    bool sequential;     /* size is not known, and no byte may be read twice */
    uint64_t read_bytes; /* how far was read */
};

/* As long as *t stays. */
struct source_input test_input_of(struct test_input *t);

/* Sorts the places of cuts. */
void test_input_sort_cuts(size_t *cuts, size_t n);

/* reader_read of these bytes. */
const struct profile *test_input_read(struct reader *r, struct str bytes);
