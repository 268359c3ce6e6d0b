#include "server/pages/static_assets.h"

#include "tests/support/unit.h"

#include <pthread.h>

static const char TEXT[] = "body { color: black } body { color: black } body { color: black }";
static const struct str BYTES = STR_INIT(TEXT);

TEST(plain_bytes_are_themselves)
{
    struct static_assets *k = static_assets_new();
    enum encoding e = ENCODING_IDENTITY;

    assert_ptr_equal(static_assets_get(k, BYTES, &e).p, BYTES.p);
    static_assets_free(k);
}

TEST(made_once_for_each_coding)
{
    struct static_assets *k = static_assets_new();
    enum encoding gzip = ENCODING_GZIP, zstd = ENCODING_ZSTD;
    struct buf expected = {0};

    struct str first = static_assets_get(k, BYTES, &gzip);
    struct str other = static_assets_get(k, BYTES, &zstd);
    assert_int_equal(gzip, ENCODING_GZIP);
    assert_int_equal(zstd, ENCODING_ZSTD);
    assert_ptr_equal(static_assets_get(k, BYTES, &gzip).p, first.p);
    assert_ptr_equal(static_assets_get(k, BYTES, &zstd).p, other.p);
    assert_false(str_eq(first, other));
    assert_true(encoding_apply(ENCODING_GZIP, ENCODING_KEPT, BYTES, &expected));
    assert_true(str_eq(first, buf_view(&expected)));
    buf_free(&expected);
    static_assets_free(k);
}

static void *take(void *assets)
{
    enum encoding e = ENCODING_GZIP;

    return (void *)(uintptr_t)static_assets_get(assets, BYTES, &e).p;
}

TEST(by_threads)
{
    struct static_assets *k = static_assets_new();
    pthread_t threads[4];
    void *got[4];

    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, take, k), 0);
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_join(threads[i], &got[i]), 0);
    for (int i = 1; i < 4; i++)
        assert_ptr_equal(got[i], got[0]);
    static_assets_free(k);
}
