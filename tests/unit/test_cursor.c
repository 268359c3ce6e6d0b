/* The bounds-checked reader: every width, and every way to run out of bytes. */
#include "tests/support/unit.h"

#include "core/cursor.h"

static const uint8_t BYTES[] = {0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0xff};

TEST(little_endian)
{
    struct cursor c = cursor_of(BYTES, sizeof(BYTES));

    assert_int_equal(cursor_u8(&c), 0x01);
    assert_int_equal(cursor_u16(&c), 0x0302);
    assert_int_equal(cursor_u32(&c), 0x07060504);
    assert_int_equal(cursor_left(&c), 2);
    assert_int_equal(cursor_le(&c, 2), 0xff08);
    assert_false(c.failed);
    c = cursor_of(BYTES, sizeof(BYTES));
    assert_true(cursor_u64(&c) == 0x0807060504030201u);
    c = cursor_of(BYTES, sizeof(BYTES));
    assert_int_equal(cursor_le(&c, 3), 0x030201);
    assert_int_equal(cursor_le(&c, 0), 0);
    assert_false(c.failed);
}

TEST(one_byte_short)
{
    static const size_t WIDTHS[] = {1, 2, 4, 8};

    for (size_t i = 0; i < sizeof(WIDTHS) / sizeof(WIDTHS[0]); i++) {
        struct cursor c = cursor_of(BYTES, WIDTHS[i] - 1);
        assert_true(cursor_le(&c, WIDTHS[i]) == 0);
        assert_true(c.failed);
        assert_int_equal(cursor_left(&c), WIDTHS[i] - 1);
    }
}

TEST(failure_is_sticky)
{
    struct cursor c = cursor_of(BYTES, 3);

    assert_int_equal(cursor_u32(&c), 0);
    assert_int_equal(cursor_u8(&c), 0); /* would fit */
    assert_null(cursor_take(&c, 0));
    assert_true(c.failed);
}

TEST(taking_all_and_nothing)
{
    struct cursor c = cursor_of(BYTES, sizeof(BYTES));

    assert_ptr_equal(cursor_take(&c, 0), BYTES);
    assert_ptr_equal(cursor_take(&c, sizeof(BYTES)), BYTES);
    assert_int_equal(cursor_left(&c), 0);
    assert_non_null(cursor_take(&c, 0));
    assert_false(c.failed);
    assert_null(cursor_take(&c, 1));
    assert_true(c.failed);
}

TEST(huge_lengths)
{
    struct cursor c = cursor_of(BYTES, 4);

    cursor_u8(&c);
    assert_null(cursor_take(&c, SIZE_MAX));
    assert_true(c.failed);
    c = cursor_of(BYTES, 0);
    assert_int_equal(cursor_u8(&c), 0);
    assert_true(c.failed);
}

TEST(without_a_cursor)
{
    struct cursor c = cursor_of(BYTES, sizeof(BYTES));

    assert_int_equal(cursor_le32(BYTES), cursor_u32(&c));
    c = cursor_of(BYTES, sizeof(BYTES));
    assert_int_equal(cursor_le64(BYTES), cursor_u64(&c));
}
