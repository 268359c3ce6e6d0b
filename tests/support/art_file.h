/* An Android method trace that is no regular file, for the tests of its formats: its bytes, and what the
 * reader made of them. What is not as expected fails the running test. */
#pragma once

#include "tests/support/hostile.h"
#include "tests/support/profile_checks.h"
#include "tests/support/trace_variants.h"

struct art_file {
    const char *name; /* of the variant that was put, or "" */
    struct buf bytes;
    struct arena arena;
    struct diag diag;
    const struct profile *profile;
};

/* A test with an empty file as its *state. */
#define ART_FILE_TEST(name) TEST_WITH(name, art_file_setup, art_file_teardown)
int art_file_setup(void **state);
int art_file_teardown(void **state);

/* The healthy recording instead of all bytes so far. */
void art_file_put(struct art_file *f, enum variant v, const struct variant_options *options);

/* Reads the bytes; they are usable. */
void art_file_read(struct art_file *f);

/* They are not, for this reason at this offset. */
void art_file_check_unusable(struct art_file *f, const char *title, uint64_t offset);

/* What was read, as hostile_describe says it. */
void art_file_check(const struct art_file *f, const char *expected);

/* The healthy recording, so described, with both clocks, with one, and as this variant has it. */
extern const char *const ART_FILE_DUAL, *const ART_FILE_WALL;
const char *art_file_expected(enum variant v);
