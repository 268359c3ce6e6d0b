/* The reader of protocol buffer messages: every wire type, and every way to run out of bytes or sense. */
#include "tests/support/unit.h"

#include <stdlib.h>
#include <string.h>

#include "core/protobuf.h"

static const uint8_t MESSAGE[] = {
    0x08, 0x96, 0x01,                                                /* 1: varint 150 */
    0x12, 0x03, 'a',  'b',  'c',                                     /* 2: "abc" */
    0x19, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08,            /* 3: 8 bytes */
    0x25, 0xff, 0x00, 0x00, 0x80,                                    /* 4: 4 bytes */
    0xfa, 0xff, 0xff, 0xff, 0x0f, 0x00,                              /* the largest number: no bytes */
    0x2a, 0x03, 0x01, 0xac, 0x02,                                    /* 5: packed 1, 300 */
    0x30, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01 /* 6: varint 2^64 - 1 */
};

TEST(every_wire_type)
{
    struct protobuf m = protobuf_of(MESSAGE, sizeof(MESSAGE));
    struct protobuf_field f;
    uint64_t value;

    assert_true(protobuf_next(&m, &f) && f.number == 1 && f.wire == PROTOBUF_VARINT && f.value == 150);
    assert_true(protobuf_next(&m, &f) && f.number == 2 && str_eq(f.bytes, STR("abc")));
    assert_true(protobuf_next(&m, &f) && f.number == 3 && f.value == 0x0807060504030201u);
    assert_true(protobuf_next(&m, &f) && f.number == 4 && f.value == 0x800000ffu);
    assert_true(protobuf_next(&m, &f) && f.number == PROTOBUF_NUMBER_MAX && f.bytes.n == 0);
    assert_true(protobuf_next(&m, &f) && f.number == 5);
    struct protobuf list = protobuf_list(&f);
    assert_true(protobuf_list_next(&f, &list, &value) && value == 1);
    assert_true(protobuf_list_next(&f, &list, &value) && value == 300);
    assert_false(protobuf_list_next(&f, &list, &value));
    assert_true(protobuf_next(&m, &f) && f.number == 6 && f.value == UINT64_MAX);
    list = protobuf_list(&f);
    assert_true(protobuf_list_next(&f, &list, &value) && value == UINT64_MAX);
    assert_false(protobuf_list_next(&f, &list, &value));
    assert_false(protobuf_next(&m, &f));
    assert_int_equal(m.state, PROTOBUF_GOOD);
}

/* Each beginning of the message ends well between two fields, and is cut elsewhere; the copy ends where
 * the bytes do, for the sanitizer. */
TEST(cut_everywhere)
{
    static const size_t BOUNDS[] = {0, 3, 8, 17, 22, 28, 33, sizeof(MESSAGE)};

    for (size_t n = 0, at = 0; n <= sizeof(MESSAGE); n++) {
        uint8_t *copy = malloc(n + 1);
        assert_non_null(copy);
        memcpy(copy + 1, MESSAGE, n);
        struct protobuf m = protobuf_of(copy + 1, n);
        struct protobuf_field f;
        while (protobuf_next(&m, &f))
            ;
        if (n == BOUNDS[at])
            at++, assert_int_equal(m.state, PROTOBUF_GOOD);
        else
            assert_int_equal(m.state, PROTOBUF_CUT);
        assert_false(protobuf_next(&m, &f));
        free(copy);
    }
}

TEST(cut_bytes_are_seen)
{
    static const uint8_t CUT[] = {0x12, 0x05, 'a', 'b'};
    struct protobuf m = protobuf_of(CUT, sizeof(CUT));
    struct protobuf_field f;

    assert_false(protobuf_next(&m, &f));
    assert_int_equal(m.state, PROTOBUF_CUT);
    assert_true(f.number == 2 && str_eq(f.bytes, STR("ab")));
}

TEST(no_messages)
{
    static const struct {
        uint8_t bytes[12];
        size_t n;
    } WRONG[] = {
        {{0x00, 0x01}, 2},                                                              /* field 0 */
        {{0x0b}, 1},                                                                    /* a group */
        {{0x0c}, 1},                                                                    /* its end */
        {{0x0e}, 1},                                                                    /* wire type 6 */
        {{0x0f}, 1},                                                                    /* wire type 7 */
        {{0x82, 0x80, 0x80, 0x80, 0x10, 0x00}, 6},                                      /* 30 bits */
        {{0x08, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x00}, 12}, /* 11 bytes */
        {{0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x00}, 12},
    };

    for (size_t i = 0; i < sizeof(WRONG) / sizeof(WRONG[0]); i++) {
        struct protobuf m = protobuf_of(WRONG[i].bytes, WRONG[i].n);
        struct protobuf_field f;
        assert_false(protobuf_next(&m, &f));
        assert_int_equal(m.state, PROTOBUF_BAD);
        assert_false(protobuf_next(&m, &f));
    }
}

TEST(a_length_beyond_all)
{
    static const uint8_t LONG[] = {0x0a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01, 'x'};
    struct protobuf m = protobuf_of(LONG, sizeof(LONG));
    struct protobuf_field f;

    assert_false(protobuf_next(&m, &f));
    assert_int_equal(m.state, PROTOBUF_CUT);
    assert_int_equal(f.bytes.n, 1);
    m = protobuf_of_bytes((struct str){NULL, 0});
    assert_false(protobuf_next(&m, &f));
    assert_int_equal(m.state, PROTOBUF_GOOD);
}

/* Each number of bytes, at each distance from the end; what stands behind is of no matter. */
TEST(varints_of_all_lengths)
{
    enum { BEHIND_MAX = 12 };

    for (unsigned length = 1; length <= PROTOBUF_VARINT_MAX; length++)
        for (size_t behind = 0; behind <= BEHIND_MAX; behind++)
            for (unsigned filler = 0; filler < 0x100; filler += 0x55) {
                uint8_t bytes[PROTOBUF_VARINT_MAX + BEHIND_MAX], *copy = malloc(length + behind);
                uint64_t expected = 0;
                memset(bytes, (int)filler, sizeof(bytes));
                for (unsigned i = 0; i < length; i++) {
                    uint8_t bits =
                        length == PROTOBUF_VARINT_MAX && i + 1 == length ? 1 : (uint8_t)(0x7f - 5 * i);
                    bytes[i] = (uint8_t)(bits | (i + 1 < length ? 0x80 : 0));
                    expected |= (uint64_t)bits << (7 * i);
                }
                assert_non_null(copy);
                memcpy(copy, bytes, length + behind);
                struct protobuf m = protobuf_of(copy, length + behind);
                assert_true(protobuf_varint(&m) == expected);
                assert_true(m.state == PROTOBUF_GOOD && m.p == copy + length);
                free(copy);
            }
}

/* What is not there, or cut, is not taken. */
TEST(fields_in_their_order)
{
    struct protobuf m = protobuf_of(MESSAGE, sizeof(MESSAGE));
    struct str bytes;
    uint64_t value;

    assert_false(protobuf_take_varint(&m, PROTOBUF_TAG(2, PROTOBUF_VARINT), &value));
    assert_false(protobuf_take_bytes(&m, PROTOBUF_TAG(2, PROTOBUF_BYTES), &bytes));
    assert_ptr_equal(m.p, MESSAGE);
    assert_true(protobuf_take_varint(&m, PROTOBUF_TAG(1, PROTOBUF_VARINT), &value) && value == 150);
    assert_true(protobuf_take_bytes(&m, PROTOBUF_TAG(2, PROTOBUF_BYTES), &bytes) &&
                str_eq(bytes, STR("abc")));
    assert_ptr_equal(m.p, MESSAGE + 8);
    for (size_t n = 0; n <= sizeof(MESSAGE); n++) {
        uint8_t *copy = malloc(n + 1);
        assert_non_null(copy);
        memcpy(copy + 1, MESSAGE, n);
        m = protobuf_of(copy + 1, n);
        bool first = protobuf_take_varint(&m, PROTOBUF_TAG(1, PROTOBUF_VARINT), &value);
        assert_int_equal(first, n >= 3);
        assert_int_equal(protobuf_take_bytes(&m, PROTOBUF_TAG(2, PROTOBUF_BYTES), &bytes), n >= 8);
        assert_int_equal(m.state, PROTOBUF_GOOD);
        assert_ptr_equal(m.p, copy + 1 + (n >= 8 ? 8 : first ? 3 : 0));
        free(copy);
    }
}
