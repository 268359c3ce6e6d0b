/* cmocka, behind the headers that it needs before it and does not include itself; and what tests assert
 * everywhere. */
#ifndef TESTS_SUPPORT_UNIT_H
#define TESTS_SUPPORT_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* That a buffer (core/buf.h) has this text; frees it. */
#define assert_buf(b, ...)                        \
    do {                                          \
        buf_char(b, '\0');                        \
        assert_false((b)->failed);                \
        assert_string_equal((b)->p, __VA_ARGS__); \
        buf_free(b);                              \
    } while (0)

#endif
