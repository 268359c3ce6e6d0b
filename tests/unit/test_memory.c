/* Blocks of memory that grow: what is in them stays, also where they become large or move, and a new large one is zero. */
#include "tests/support/unit.h"

#include "core/memory.h"

#include <stdint.h>
#include <string.h>

enum { MIB = 1 << 20 };

/* A byte of each 4 KiB, and the last one. */
static void fill(unsigned char *p, size_t from, size_t to)
{
    for (size_t i = from; i < to; i += 4096)
        p[i] = (unsigned char)(1 + i / 4096 % 255);
    p[to - 1] = 0xee;
}

static void check(const unsigned char *p, size_t from, size_t to)
{
    for (size_t i = from; i + 1 < to; i += 4096)
        assert_int_equal(p[i], 1 + i / 4096 % 255);
    assert_int_equal(p[to - 1], 0xee);
}

static void check_zero(const unsigned char *p, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++)
        assert_int_equal(p[i], 0);
}

TEST(grows_and_keeps_what_is_in_it)
{
    static const size_t SIZES[] = {1,
                                   100,
                                   4096,
                                   MIB,
                                   MEMORY_LARGE_BYTES - 1,
                                   MEMORY_LARGE_BYTES,
                                   MEMORY_LARGE_BYTES + 1,
                                   3 * MIB + 5,
                                   4 * MIB,
                                   9 * MIB,
                                   40 * MIB};
    size_t n = sizeof(SIZES) / sizeof(SIZES[0]);
    unsigned char *p = NULL, *beside[sizeof(SIZES) / sizeof(SIZES[0])];

    for (size_t i = 0; i < n; i++) {
        size_t before = i > 0 ? SIZES[i - 1] : 0;
        p = memory_resize(p, before, SIZES[i]);
        assert_non_null(p);
        for (size_t k = 0; k < i; k++)
            check(p, k > 0 ? SIZES[k - 1] : 0, SIZES[k]);
        fill(p, before, SIZES[i]);
        /* What stands behind it now keeps it from growing where it is. */
        beside[i] = memory_resize(NULL, 0, MEMORY_LARGE_BYTES);
        assert_non_null(beside[i]);
        fill(beside[i], 0, MEMORY_LARGE_BYTES);
    }
    for (size_t i = 0; i < n; i++) {
        check(beside[i], 0, MEMORY_LARGE_BYTES);
        memory_free(beside[i], MEMORY_LARGE_BYTES);
    }
    memory_free(p, SIZES[n - 1]);
}

TEST(becomes_shorter_and_keeps_the_rest)
{
    static const size_t SIZES[] = {40 * MIB, 9 * MIB, 4 * MIB + 1, MEMORY_LARGE_BYTES, MEMORY_LARGE_BYTES - 1,
                                   MIB,      1};
    unsigned char *p = memory_resize(NULL, 0, SIZES[0]);

    assert_non_null(p);
    for (size_t i = 0; i < SIZES[0]; i += 4096)
        p[i] = (unsigned char)(1 + i / 4096 % 255);
    for (size_t i = 1; i < sizeof(SIZES) / sizeof(SIZES[0]); i++) {
        p = memory_resize(p, SIZES[i - 1], SIZES[i]);
        assert_non_null(p);
        for (size_t at = 0; at < SIZES[i]; at += 4096)
            assert_int_equal(p[at], 1 + at / 4096 % 255);
        assert_in_range(memory_taken(SIZES[i]), SIZES[i], SIZES[i] + MEMORY_LARGE_BYTES);
    }
    memory_free(p, 1);
}

TEST(what_is_given_back_comes_again_as_zero)
{
    for (int i = 0; i < 8; i++) {
        unsigned char *p = memory_resize(NULL, 0, 5 * MIB);
        assert_non_null(p);
        check_zero(p, 0, 5 * MIB);
        memset(p, 0xff, 5 * MIB);
        memory_free(p, 5 * MIB);
    }
    memory_free(NULL, 5 * MIB);
    memory_free(NULL, 0);
}

TEST(more_than_there_is)
{
    unsigned char *p = memory_resize(NULL, 0, 2 * MEMORY_LARGE_BYTES);

    assert_non_null(p);
    fill(p, 0, 2 * MEMORY_LARGE_BYTES);
    assert_null(memory_resize(p, 2 * MEMORY_LARGE_BYTES, SIZE_MAX / 2));
    assert_null(memory_resize(NULL, 0, SIZE_MAX / 2));
    check(p, 0, 2 * MEMORY_LARGE_BYTES);
    memory_free(p, 2 * MEMORY_LARGE_BYTES);
}
