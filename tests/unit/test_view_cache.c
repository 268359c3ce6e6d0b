#include "server/views/view_cache.h"

#include "tests/support/unit.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

static struct shared_bytes *bytes_of(size_t n, char c)
{
    struct buf b = {0};

    assert_true(buf_reserve(&b, n));
    memset(b.p, c, n);
    b.n = n;
    struct shared_bytes *s = shared_bytes_new(&b);
    assert_non_null(s);
    return s;
}

static void put(struct view_cache *h, const char *key, size_t n)
{
    struct shared_bytes *s = bytes_of(n, key[0]);

    view_cache_put(h, str_of(key), s, 0);
    shared_bytes_unref(s);
}

static bool has(struct view_cache *h, const char *key)
{
    bool tell;
    struct shared_bytes *s = view_cache_get(h, str_of(key), 0, &tell);

    assert_false(tell);
    if (s == NULL)
        return false;
    assert_int_equal(shared_bytes_view(s).p[0], key[0]);
    shared_bytes_unref(s);
    return true;
}

static void put_and_get(void **state)
{
    struct view_cache *h = view_cache_new(1 << 20);

    (void)state;
    assert_false(has(h, "a"));
    put(h, "a", 100);
    put(h, "b", 100);
    assert_true(has(h, "a"));
    assert_true(has(h, "b"));
    assert_false(has(h, "ab"));
    view_cache_free(h);
}

/* The first use is the put, of what was read from the store; then one use in an hour is told. */
static void the_store_is_told_of_uses(void **state)
{
    static const struct {
        int64_t at_ms;
        bool told;
    } USES[] = {{1, false},
                {VIEW_CACHE_USE_MS - 1, false},
                {VIEW_CACHE_USE_MS, true},
                {VIEW_CACHE_USE_MS + 1, false},
                {2 * (int64_t)VIEW_CACHE_USE_MS, true}};
    struct view_cache *h = view_cache_new(1 << 20);
    bool tell = true;

    (void)state;
    assert_null(view_cache_get(h, STR("a"), 5, &tell));
    assert_false(tell);
    put(h, "a", 100);
    for (size_t i = 0; i < sizeof(USES) / sizeof(USES[0]); i++) {
        struct shared_bytes *s = view_cache_get(h, STR("a"), USES[i].at_ms, &tell);
        assert_non_null(s);
        assert_int_equal(tell, USES[i].told);
        shared_bytes_unref(s);
    }
    view_cache_free(h);
}

static void what_is_there_stays(void **state)
{
    struct view_cache *h = view_cache_new(1 << 20);
    struct shared_bytes *first = bytes_of(10, 'a');

    (void)state;
    view_cache_put(h, STR("a"), first, 0);
    put(h, "a", 20);
    bool tell;
    struct shared_bytes *got = view_cache_get(h, STR("a"), 0, &tell);
    assert_ptr_equal(got, first);
    shared_bytes_unref(got);
    shared_bytes_unref(first);
    view_cache_free(h);
}

static void the_least_recently_used_goes(void **state)
{
    struct view_cache *h = view_cache_new(40000);

    (void)state;
    put(h, "a", 10000);
    put(h, "b", 10000);
    put(h, "c", 10000);
    assert_true(has(h, "a")); /* now b is the oldest */
    put(h, "d", 10000);
    assert_false(has(h, "b"));
    assert_true(has(h, "a"));
    assert_true(has(h, "c"));
    assert_true(has(h, "d"));
    put(h, "e", 35000); /* drives out the rest */
    assert_true(has(h, "e"));
    assert_false(has(h, "a") || has(h, "c") || has(h, "d"));
    view_cache_free(h);
}

static void what_is_dropped_lives_on_where_it_is_used(void **state)
{
    struct view_cache *h = view_cache_new(6000);

    (void)state;
    put(h, "a", 2000);
    bool tell;
    struct shared_bytes *s = view_cache_get(h, STR("a"), 0, &tell);
    put(h, "b", 2000);
    assert_false(has(h, "a"));
    view_cache_free(h);
    assert_int_equal(shared_bytes_view(s).p[1999], 'a');
    shared_bytes_unref(s);
}

static void too_large_is_not_kept(void **state)
{
    struct view_cache *h = view_cache_new(4000);

    (void)state;
    put(h, "a", 100);
    put(h, "b", 4000); /* with its key it does not fit */
    assert_false(has(h, "b"));
    assert_true(has(h, "a"));
    view_cache_free(h);
}

static void no_bytes_keep_nothing(void **state)
{
    struct view_cache *h = view_cache_new(0);

    (void)state;
    put(h, "a", 1);
    assert_false(has(h, "a"));
    assert_false(view_cache_worth(h, STR("a"), 1));
    assert_false(view_cache_worth(h, STR("a"), 1));
    view_cache_free(h);
}

static void worth_it_the_second_time(void **state)
{
    struct view_cache *h = view_cache_new(8000);

    (void)state;
    assert_false(view_cache_worth(h, STR("a"), 1000));
    assert_true(view_cache_worth(h, STR("a"), 1000));
    assert_false(view_cache_worth(h, STR("b"), 1000));
    assert_false(view_cache_worth(h, STR("large"), 1001));
    assert_false(view_cache_worth(h, STR("large"), 1001));
    view_cache_free(h);
}

/* Far more keys than buckets, each once: none may take long, and the limit holds. */
static void many_keys(void **state)
{
    enum { KEYS = 50000, SIZE = 64 };
    struct view_cache *h = view_cache_new(64 << 20);
    char key[20];
    size_t found = 0;

    (void)state;
    for (unsigned i = 0; i < KEYS; i++) {
        snprintf(key, sizeof(key), "%u", i);
        put(h, key, SIZE);
    }
    for (unsigned i = 0; i < KEYS; i++) {
        snprintf(key, sizeof(key), "%u", i);
        found += has(h, key);
    }
    assert_in_range(found, KEYS / 3, KEYS - 1);
    assert_true(has(h, "49999"));
    view_cache_free(h);
}

static void *use_it(void *hot)
{
    char key[3] = "aa";

    for (unsigned i = 0; i < 20000; i++) {
        key[0] = (char)('a' + i % 26);
        key[1] = (char)('a' + i / 26 % 7);
        if (!has(hot, key) && view_cache_worth(hot, str_of(key), 300))
            put(hot, key, 300);
    }
    return NULL;
}

static void by_threads(void **state)
{
    struct view_cache *h = view_cache_new(20000);
    pthread_t threads[4];

    (void)state;
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, use_it, h), 0);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    put(h, "z", 100);
    assert_true(has(h, "z"));
    view_cache_free(h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(put_and_get),
        cmocka_unit_test(the_store_is_told_of_uses),
        cmocka_unit_test(what_is_there_stays),
        cmocka_unit_test(the_least_recently_used_goes),
        cmocka_unit_test(what_is_dropped_lives_on_where_it_is_used),
        cmocka_unit_test(too_large_is_not_kept),
        cmocka_unit_test(no_bytes_keep_nothing),
        cmocka_unit_test(worth_it_the_second_time),
        cmocka_unit_test(many_keys),
        cmocka_unit_test(by_threads),
    };

    return cmocka_run_group_tests_name("hot", tests, NULL, NULL);
}
