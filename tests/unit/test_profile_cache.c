/* Folded profiles in memory: the most recently used ones, within the limit; who holds one keeps it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "server/config/config_load.h"
#include "server/convert/profile_cache.h"
#include "server/store/record.h"

enum { PROFILES = 4 };

static const char STACKS[] = "main;a 1\nmain;b 2\n";

struct entries {
    struct folded *folded[PROFILES];
    char key[PROFILES][RECORD_SHA256_CHARS + 1];
    uint64_t each_bytes;
};

static void make(struct entries *e)
{
    struct config config;
    struct diag diag = {0};

    config_defaults(&config);
    for (unsigned i = 0; i < PROFILES; i++) {
        struct fold *f = fold_new(&config);
        assert_non_null(f);
        assert_true(fold_feed(f, STACKS, sizeof(STACKS) - 1));
        e->folded[i] = fold_finish(f, &diag);
        assert_non_null(e->folded[i]);
        snprintf(e->key[i], sizeof(e->key[i]), "%064u", i);
    }
    e->each_bytes = folded_bytes(e->folded[0]);
}

static void let_go(struct entries *e)
{
    for (unsigned i = 0; i < PROFILES; i++)
        folded_unref(e->folded[i]);
}

static bool has(struct profile_cache *c, const struct entries *e, unsigned i)
{
    struct folded *f = profile_cache_get(c, e->key[i]);

    if (f != NULL)
        assert_ptr_equal(f, e->folded[i]);
    folded_unref(f);
    return f != NULL;
}

static void gives_what_was_put(void **state)
{
    (void)state;
    struct entries e;
    make(&e);
    struct profile_cache *c = profile_cache_new(UINT64_MAX);

    assert_non_null(c);
    assert_false(has(c, &e, 0));
    for (unsigned i = 0; i < PROFILES; i++)
        profile_cache_put(c, e.key[i], e.folded[i]);
    for (unsigned i = 0; i < PROFILES; i++)
        assert_true(has(c, &e, i));
    profile_cache_free(c);
    let_go(&e);
}

static void least_recently_used_goes(void **state)
{
    (void)state;
    struct entries e;
    make(&e);
    struct profile_cache *c = profile_cache_new(3 * e.each_bytes);

    assert_non_null(c);
    for (unsigned i = 0; i < 3; i++)
        profile_cache_put(c, e.key[i], e.folded[i]);
    assert_true(has(c, &e, 0));
    profile_cache_put(c, e.key[3], e.folded[3]);
    assert_true(has(c, &e, 0));
    assert_false(has(c, &e, 1));
    assert_true(has(c, &e, 2));
    assert_true(has(c, &e, 3));
    profile_cache_free(c);
    let_go(&e);
}

static void putting_again_counts_as_use_and_not_twice(void **state)
{
    (void)state;
    struct entries e;
    make(&e);
    struct profile_cache *c = profile_cache_new(2 * e.each_bytes);

    assert_non_null(c);
    profile_cache_put(c, e.key[0], e.folded[0]);
    profile_cache_put(c, e.key[1], e.folded[1]);
    for (unsigned i = 0; i < 10; i++)
        profile_cache_put(c, e.key[0], e.folded[0]);
    assert_true(has(c, &e, 1));
    profile_cache_put(c, e.key[0], e.folded[0]);
    profile_cache_put(c, e.key[2], e.folded[2]);
    assert_true(has(c, &e, 0));
    assert_false(has(c, &e, 1));
    profile_cache_free(c);
    let_go(&e);
}

static void one_that_is_too_large_drives_nothing_out(void **state)
{
    (void)state;
    struct entries e;
    make(&e);
    struct profile_cache *none = profile_cache_new(0), *small = profile_cache_new(e.each_bytes - 1);

    assert_non_null(none);
    assert_non_null(small);
    profile_cache_put(none, e.key[0], e.folded[0]);
    profile_cache_put(small, e.key[0], e.folded[0]);
    assert_false(has(none, &e, 0));
    assert_false(has(small, &e, 0));
    profile_cache_free(none);
    profile_cache_free(small);
    profile_cache_free(NULL);
    let_go(&e);
}

static void holder_outlives_the_cache(void **state)
{
    (void)state;
    struct entries e;
    make(&e);
    struct profile_cache *c = profile_cache_new(UINT64_MAX);

    assert_non_null(c);
    profile_cache_put(c, e.key[0], e.folded[0]);
    struct folded *held = profile_cache_get(c, e.key[0]);
    let_go(&e);
    profile_cache_free(c);
    assert_int_equal(folded_profile(held)->n_tracks, 1);
    folded_unref(held);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gives_what_was_put),
        cmocka_unit_test(least_recently_used_goes),
        cmocka_unit_test(putting_again_counts_as_use_and_not_twice),
        cmocka_unit_test(one_that_is_too_large_drives_nothing_out),
        cmocka_unit_test(holder_outlives_the_cache),
    };
    return cmocka_run_group_tests_name("cache", tests, NULL, NULL);
}
