/* The string table: each string once, ids dense, bytes copied, the arena's end. */
#include "tests/support/unit.h"

#include "core/strtab.h"

#include <stdio.h>
#include <string.h>

enum { MIB = 1 << 20 };

static const struct hash_seed SEED = {0x0123456789abcdef, 0xfedcba9876543210};

TEST(the_empty_string_is_zero)
{
    struct arena a;
    struct strtab t;

    arena_init(&a, MIB);
    assert_true(strtab_init(&t, &a, SEED));
    assert_int_equal(t.count, 1);
    assert_int_equal(strtab_add(&t, STR("")), STRING_EMPTY);
    assert_int_equal(strtab_add(&t, (struct str){NULL, 0}), STRING_EMPTY);
    assert_int_equal(strtab_get(&t, STRING_EMPTY).n, 0);
    assert_int_equal(t.count, 1);
    arena_free(&a);
}

TEST(each_once)
{
    struct arena a;
    struct strtab t;
    char text[] = "java.lang.String";

    arena_init(&a, MIB);
    assert_true(strtab_init(&t, &a, SEED));
    string_id id = strtab_add(&t, str_of(text));
    assert_int_equal(id, 1);
    text[0] = 'J'; /* the table has its own copy */
    assert_true(str_eq(strtab_get(&t, id), STR("java.lang.String")));
    assert_int_equal(strtab_add(&t, STR("java.lang.String")), id);
    assert_int_equal(strtab_add(&t, str_of(text)), 2);
    assert_int_equal(strtab_add(&t, STR("java.lang.Strin")), 3);
    assert_int_equal(strtab_add(&t, STR("a\0b")), 4);
    assert_int_equal(strtab_add(&t, STR("a\0c")), 5);
    assert_int_equal(strtab_add(&t, STR("a")), 6);
    assert_int_equal(strtab_add(&t, STR("\0")), 7);
    assert_true(str_eq(strtab_get(&t, 5), STR("a\0c")));
    arena_free(&a);
}

TEST(many)
{
    enum { STRINGS = 100000 };
    struct arena a;
    struct strtab t;
    char text[32];

    arena_init(&a, 64 * MIB);
    assert_true(strtab_init(&t, &a, SEED));
    for (unsigned round = 0; round < 2; round++)
        for (unsigned i = 0; i < STRINGS; i++) {
            int n = snprintf(text, sizeof(text), "method%u", i);
            if (strtab_add(&t, (struct str){text, (size_t)n}) != i + 1)
                fail();
        }
    assert_int_equal(t.count, STRINGS + 1);
    assert_true(str_eq(strtab_get(&t, 54322), STR("method54321")));
    arena_free(&a);
}

TEST(a_long_string)
{
    struct arena a;
    struct strtab t;
    static char text[3 * MIB];

    memset(text, 'x', sizeof(text));
    arena_init(&a, 16 * MIB);
    assert_true(strtab_init(&t, &a, SEED));
    string_id id = strtab_add(&t, (struct str){text, sizeof(text)});
    assert_int_equal(id, 1);
    assert_int_equal(strtab_add(&t, (struct str){text, sizeof(text)}), id);
    assert_int_equal(strtab_add(&t, (struct str){text, sizeof(text) - 1}), 2);
    arena_free(&a);
}

/* A table whose arena has ended refuses new strings and still knows the old ones. */
TEST(the_arena_ends)
{
    struct arena a;
    struct strtab t;
    char text[32];
    unsigned n = 0;

    arena_init(&a, MIB);
    assert_true(strtab_init(&t, &a, SEED));
    for (;; n++) {
        int length = snprintf(text, sizeof(text), "%u", n);
        if (strtab_add(&t, (struct str){text, (size_t)length}) == STRING_NONE)
            break;
    }
    assert_true(n > 1000);
    assert_int_equal(a.failure, ARENA_LIMIT);
    assert_int_equal(t.count, n + 1);
    assert_true(
        str_eq(strtab_get(&t, n), (struct str){text, (size_t)snprintf(text, sizeof(text), "%u", n - 1)}));
    arena_free(&a);
}

TEST(no_arena_at_all)
{
    struct arena a;
    struct strtab t;

    for (size_t limit = 0; limit < 20000; limit += 999) {
        arena_init(&a, limit);
        if (!strtab_init(&t, &a, SEED))
            assert_int_equal(a.failure, ARENA_LIMIT);
        else
            assert_int_equal(strtab_add(&t, STR("")), STRING_EMPTY);
        arena_free(&a);
    }
}
