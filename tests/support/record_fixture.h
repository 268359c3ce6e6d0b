/* A store that holds the bytes of one upload, whose record is not yet written, for the tests of records. */
#pragma once

#include <time.h>

#include "server/store/record.h"
#include "tests/support/scratch.h"

enum { DAY_S = 86400 };
#define NOW_S INT64_C(1795171759)
#define ID    "abcdefghijklmnopqrstuvwxyz"
#define SHA   "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"
#define BYTES "bytes/" ID

/* When the upload began. */
#define BEGUN_S ((int64_t)time(NULL))

struct record_fixture {
    struct scratch scratch;
    struct store *store;
    struct record record; /* created now, for 30 days; its token is "token" */
};

struct record_fixture record_fixture_begin(void);
void record_fixture_end(struct record_fixture *f);
