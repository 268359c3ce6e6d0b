/* cmocka, behind the headers that it needs before it and does not include itself; and what tests assert
 * everywhere. */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* A test is TEST(name) { ... }. TEST_WITH(name, set_up, tear_down) { ... } has a fixture, which set_up puts into *state. A
 * file of tests has no main(): that of unit.c runs all of them, in the order of their lines. */
#define TEST(name) TEST_WITH(name, NULL, NULL)
#define TEST_WITH(name, set_up, tear_down)                                                       \
    static void name(void **state);                                                              \
    __attribute__((constructor)) static void add_##name(void)                                    \
    {                                                                                            \
        static struct unit_test test = {{#name, name, set_up, tear_down, NULL}, __LINE__, NULL}; \
        unit_add(&test);                                                                         \
    }                                                                                            \
    static void name(__attribute__((unused)) void **state)

struct unit_test {
    struct CMUnitTest test;
    int line;
    struct unit_test *next;
};
void unit_add(struct unit_test *test);

/* That a buffer (core/buf.h) has this text; frees it. */
#define assert_buf(b, ...)                        \
    do {                                          \
        buf_char(b, '\0');                        \
        assert_false((b)->failed);                \
        assert_string_equal((b)->p, __VA_ARGS__); \
        buf_free(b);                              \
    } while (0)
