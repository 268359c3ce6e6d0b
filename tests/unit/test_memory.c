/* Blocks of memory that grow: what is in them stays, also where they become large or move, and a new large one is zero. */
#include "tests/support/unit.h"

#include "core/memory.h"

#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#include "core/memory_shared.h"
#include "core/sanitizer.h"
#include "core/system/threads.h"
#include "tests/support/random.h"

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

TEST(a_trimmed_block_stays_where_it_is)
{
    static const struct {
        size_t bytes, wanted, has;
    } CASES[] = {{100, 50, 100},
                 {SHARED_LEAST_BYTES, 1, SHARED_LEAST_BYTES},
                 {MIB, 1, SANITIZED ? MIB : SHARED_LEAST_BYTES},
                 {MIB, MIB / 2 + 1, SANITIZED ? MIB : MIB / 2 + 1},
                 {MIB, MIB, MIB},
                 {3 * MIB, 1, 3 * MIB}};

    for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
        unsigned char *p = memory_resize(NULL, 0, CASES[i].bytes);
        fill(p, 0, CASES[i].has);
        assert_int_equal(memory_trim(p, CASES[i].bytes, CASES[i].wanted), CASES[i].has);
        check(p, 0, CASES[i].has);
        memory_free(p, CASES[i].has);
    }
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

TEST(what_fits_takes_no_more)
{
    for (size_t n = 1; n < 9 * MIB; n += 1021) {
        size_t fits = memory_fitting(n);
        assert_in_range(memory_taken(fits), fits, n);
        assert_true(memory_taken(fits + 1) > n || fits == n);
    }
}

/* The three stand side by side in a new huge page, if those before are all kept by others. */
TEST(a_block_grows_into_what_is_free_behind_it)
{
    enum { BLOCK = 64 << 10, BEFORE = 64, SPARES = 8 };
    unsigned char *before[BEFORE], *first, *second, *third;

    for (int i = 0; i < BEFORE; i++)
        assert_non_null(before[i] = shared_new(SHARED_MOST_BYTES));
    assert_non_null(first = shared_new(BLOCK));
    assert_non_null(second = shared_new(BLOCK));
    assert_non_null(third = shared_new(BLOCK));
    assert_ptr_equal(second, first + BLOCK);
    assert_ptr_equal(third, second + BLOCK);
    memset(first, 1, BLOCK);
    memset(second, 2, BLOCK);
    memset(third, 3, BLOCK);

    second = shared_resize(second, BLOCK, 2 * BLOCK); /* the third is in the way */
    assert_ptr_equal(second, third + BLOCK);
    assert_ptr_equal(shared_resize(first, BLOCK, 2 * BLOCK), first);
    memset(first, 1, 2 * BLOCK);
    for (size_t i = 0; i < BLOCK; i++) {
        assert_int_equal(second[i], 2);
        assert_int_equal(third[i], 3);
    }
    assert_ptr_equal(shared_resize(first, 2 * BLOCK, BLOCK), first);
    unsigned char *again = shared_new(BLOCK); /* where the second was */
    assert_ptr_equal(again, first + BLOCK);

    shared_free(again, BLOCK);
    shared_free(first, BLOCK);
    shared_free(second, 2 * BLOCK);
    shared_free(third, BLOCK);
    for (int i = 0; i < BEFORE; i++)
        shared_free(before[i], SHARED_MOST_BYTES);
    int gone = 0;
    for (int i = 0; i < BEFORE; i++) {
        unsigned char resident;
        gone += mincore(before[i], 1, &resident) != 0; /* nothing is mapped there */
    }
    assert_in_range(gone, BEFORE - SPARES, BEFORE);
}

TEST(some_pages_share_and_a_few_bytes_do_not)
{
    if (SANITIZED)
        skip(); /* where malloc has all blocks */
    unsigned char *some = memory_resize(NULL, 0, SHARED_LEAST_BYTES),
                  *few = memory_resize(NULL, 0, SHARED_LEAST_BYTES - 1);

    assert_non_null(some);
    assert_non_null(few);
    assert_int_equal((uintptr_t)some % 4096, 0); /* malloc has its own bytes in front of a block */
    assert_int_not_equal((uintptr_t)few % 4096, 0);
    memory_free(some, SHARED_LEAST_BYTES);
    memory_free(few, SHARED_LEAST_BYTES - 1);
}

enum { BLOCKS = 60, THREADS = 4, STEPS = 4000 };

struct owner {
    uint64_t random;
    unsigned char *block[BLOCKS];
    size_t bytes[BLOCKS];
    unsigned first_mark;
    size_t spoiled, failed;
};

static bool is_all(const unsigned char *p, size_t n, unsigned char c)
{
    return p == NULL || n == 0 || (p[0] == c && memcmp(p, p + 1, n - 1) == 0);
}

/* Each block is full of its owner's number for it, before and after it changes its size. */
static void change(struct owner *o, unsigned i)
{
    size_t had = o->bytes[i],
           bytes = random_below(&o->random, 4) == 0 ? 0 : 1 + random_below(&o->random, 300 << 10);
    unsigned char *p = o->block[i], mark = (unsigned char)(o->first_mark + i);

    o->spoiled += !is_all(p, had, mark);
    if (bytes == 0 && p != NULL)
        shared_free(p, had);
    p = bytes == 0 ? NULL : p == NULL ? shared_new(bytes) : shared_resize(p, had, bytes);
    o->failed += p == NULL && bytes > 0;
    o->spoiled += !is_all(p, had < bytes ? had : bytes, mark);
    if (p != NULL)
        memset(p, mark, bytes);
    o->block[i] = p;
    o->bytes[i] = bytes;
}

static void change_many(void *of)
{
    struct owner *o = of;

    for (int step = 0; step < STEPS && o->failed == 0; step++)
        change(o, random_below(&o->random, BLOCKS));
}

TEST(threads_do_not_meet_in_each_others_blocks)
{
    struct owner owners[THREADS] = {{0}};
    struct parallel_job jobs[THREADS];

    for (unsigned i = 0; i < THREADS; i++) {
        owners[i].random = 77 + i;
        owners[i].first_mark = i * BLOCKS;
        jobs[i] = (struct parallel_job){change_many, &owners[i]};
    }
    threads_parallel(jobs, THREADS);
    for (unsigned i = 0; i < THREADS; i++) {
        assert_int_equal(owners[i].spoiled, 0);
        assert_int_equal(owners[i].failed, 0);
        for (unsigned k = 0; k < BLOCKS; k++)
            if (owners[i].block[k] != NULL)
                shared_free(owners[i].block[k], owners[i].bytes[k]);
    }
}
