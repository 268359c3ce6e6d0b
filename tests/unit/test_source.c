/* Sources: the same bytes, however they arrive; their end, and their failure. */
#include "tests/support/unit.h"

#include "parser/source.h"

#include <stdlib.h>

#include "tests/support/random.h"
#include "tests/support/test_input.h"

enum { FILE_BYTES = 300000 };

static struct str make_bytes(void)
{
    char *p = malloc(FILE_BYTES);
    uint64_t random = 1;

    assert_non_null(p);
    for (size_t i = 0; i < FILE_BYTES; i++)
        p[i] = (char)random_next(&random);
    return (struct str){p, FILE_BYTES};
}

/* Goes through the source in steps of random sizes, now and then of more than a piece has. */
static void expect_bytes(struct source *s, struct str bytes, uint64_t random)
{
    for (size_t at = 0, n = 0;;) {
        size_t want =
            random_below(&random, 50) == 0 ? random_below(&random, 100000) : random_below(&random, 40);
        const uint8_t *p = source_need(s, want + 1, &n);
        assert_int_equal(source_offset(s), at);
        assert_true(n > want || at + n == bytes.n);
        assert_memory_equal(p, bytes.p + at, n);
        if (n == 0)
            return;
        size_t part = want < n ? want : n;
        source_consume(s, part);
        at += part;
    }
}

TEST(same_however_it_arrives)
{
    static const size_t LARGEST[] = {0, 1, 7, 5000, 200000};
    struct str bytes = make_bytes();
    struct arena arena;
    struct source s;

    arena_init(&arena, 1 << 20);
    for (size_t i = 0; i < sizeof(LARGEST) / sizeof(*LARGEST); i++) {
        struct test_input t = {.bytes = bytes, .largest = LARGEST[i]};
        const struct source_input in = test_input_of(&t);
        source_of_input(&s, &arena, &in);
        expect_bytes(&s, bytes, i);
        assert_false(s.failed);
        source_free(&s);
    }
    source_of_memory(&s, &arena, bytes);
    expect_bytes(&s, bytes, 9);
    arena_free(&arena);
    free((char *)(uintptr_t)bytes.p);
}

TEST(nothing)
{
    struct test_input t = {.bytes = STR("")};
    const struct source_input in = test_input_of(&t);
    struct arena arena;
    struct source s;
    size_t n = 7;

    arena_init(&arena, 1 << 20);
    for (int i = 0; i < 2; i++) {
        if (i == 0)
            source_of_input(&s, &arena, &in);
        else
            source_of_memory(&s, &arena, (struct str){NULL, 0});
        source_consume(&s, 0);
        assert_non_null(source_need(&s, SIZE_MAX, &n));
        assert_int_equal(n, 0);
        assert_int_equal(source_pass(&s, 10), 0);
        assert_false(s.failed);
        source_free(&s);
    }
    arena_free(&arena);
}

/* Memory does not grow with what is passed over, nor with what is asked for and not there. */
TEST(memory)
{
    struct str bytes = make_bytes();
    struct test_input t = {.bytes = bytes};
    const struct source_input in = test_input_of(&t);
    struct arena arena;
    struct source s;
    size_t n;

    arena_init(&arena, 200000);
    source_of_input(&s, &arena, &in);
    assert_int_equal(source_pass(&s, FILE_BYTES - 10), FILE_BYTES - 10);
    source_need(&s, SIZE_MAX, &n);
    assert_int_equal(n, 10);
    assert_int_equal(source_pass(&s, UINT64_MAX), 10);
    assert_false(s.failed);
    source_free(&s);
    source_of_input(&s, &arena, &in);
    source_need(&s, SIZE_MAX, &n);
    assert_true(s.failed && n < FILE_BYTES);
    assert_int_equal(arena.failure, ARENA_LIMIT);
    arena_free(&arena);
    free((char *)(uintptr_t)bytes.p);
}

TEST(twice)
{
    struct str bytes = make_bytes();
    struct arena arena;
    struct source s;

    arena_init(&arena, 4 << 20);
    for (int sequential = 0; sequential < 2; sequential++) {
        struct test_input t = {.bytes = bytes, .largest = 3000, .sequential = sequential};
        const struct source_input in = test_input_of(&t);
        source_of_input(&s, &arena, &in);
        assert_true(source_keep(&s));
        for (uint64_t i = 0; i < 3; i++) {
            expect_bytes(&s, bytes, i);
            source_rewind(&s);
        }
        source_free(&s);
    }
    arena_free(&arena);
    free((char *)(uintptr_t)bytes.p);
}

TEST(failures)
{
    const struct stop stop = {.reason = STOP_LEFT};
    struct str bytes = make_bytes();
    struct test_input t = {.bytes = bytes, .largest = 1000, .fails_at = 100000};
    const struct source_input in = test_input_of(&t);
    struct arena arena;
    struct source s;
    size_t n;

    arena_init(&arena, 4 << 20);
    source_of_input(&s, &arena, &in);
    source_need(&s, SIZE_MAX, &n);
    assert_true(s.failed && n >= 100000 && n < FILE_BYTES);
    assert_memory_equal(s.p, bytes.p, n);
    assert_false(source_keep(&s));
    source_free(&s);
    arena.stop = &stop;
    source_of_input(&s, &arena, &in);
    source_need(&s, 1, &n);
    assert_true(s.failed && n == 0);
    assert_int_equal(arena.failure, ARENA_STOPPED);
    arena_free(&arena);
    free((char *)(uintptr_t)bytes.p);
}
