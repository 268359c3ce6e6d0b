/* A store of its own for a test, whose objects have the age that the test wants, and one sweep over it. */
#pragma once

#include "server/store/record.h"
#include "server/store/sweep_pass.h"
#include "tests/support/scratch.h"

enum { HOUR_S = 3600, DAY_S = 86400, KIB = 1024, MIB = 1 << 20 };

struct aged_store {
    struct scratch scratch;
    struct store *store;
    struct local *local; /* its directory */
    int64_t now_s;       /* of its sweeps */
    unsigned steps;      /* left until a sweep is told to end */
};

/* All of these fail the test when they cannot. */
struct aged_store aged_store_begin(void);
void aged_store_end(struct aged_store *a);

/* An object of so many bytes that was used so many seconds ago. */
void aged_store_put(const struct aged_store *a, const char *key, size_t bytes, int64_t age_s);
/* What is there was used so many seconds ago. */
void aged_store_set_age(const struct aged_store *a, const char *key, int64_t age_s);
bool aged_store_has(const struct aged_store *a, const char *key);
void aged_store_assert_object(const struct aged_store *a, const char *key, struct str expected);

/* An upload and the keys of all that belongs to it. */
struct aged_upload {
    struct record record;
    char bytes[RECORD_BYTES_KEY_CHARS + 1];
    char object[STORE_KEY_BYTES], gone[STORE_KEY_BYTES];
};
/* Of bytes number `which`, expiring so many seconds from now; nothing is written. */
struct aged_upload aged_store_describe(const struct aged_store *a, unsigned which, int64_t expires_in_s);
/* Written, two days ago. */
struct aged_upload aged_store_upload(const struct aged_store *a, unsigned which, int64_t expires_in_s);

/* Views 0 to n - 1; view i was used i * step_s seconds ago. */
void aged_store_view_key(unsigned i, char key[STORE_KEY_BYTES]);
void aged_store_put_views(const struct aged_store *a, unsigned n, size_t bytes, int64_t step_s);
/* Those from first_gone on are gone, the others are there. */
void aged_store_assert_views(const struct aged_store *a, unsigned first_gone, unsigned n);

/* What nobody needs goes when it was not used for a day, or on a full disk for five minutes. */
struct sweep_done aged_store_sweep(struct aged_store *a, uint64_t view_bytes_most, bool full);
void aged_store_assert_nothing_done(struct sweep_done done);
