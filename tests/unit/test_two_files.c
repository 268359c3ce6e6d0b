/* Which half of a trace in two files is which, and how they become one. */
#include "tests/support/unit.h"

#include <string.h>

#include "parser/two_files.h"

static enum two_files_kind kind(const char *head, size_t n)
{
    return two_files_kind((const uint8_t *)head, n);
}

TEST(kinds_by_first_bytes)
{
    assert_int_equal(kind("*version", 8), TWO_FILES_KEY);
    assert_int_equal(kind("*versio", 7), TWO_FILES_NEITHER);
    for (unsigned version = 0; version < 0x200; version++) {
        char head[] = {'S', 'L', 'O', 'W', (char)version, (char)(version >> 8), 32, 0};
        enum two_files_kind expected = version >= 1 && version <= 3         ? TWO_FILES_DATA
                                       : version >= 0xf1 && version <= 0xf3 ? TWO_FILES_STREAM
                                                                            : TWO_FILES_NEITHER;
        assert_int_equal(kind(head, sizeof(head)), expected);
        assert_int_equal(kind(head, 6), expected);
        assert_int_equal(kind(head, 5), TWO_FILES_NEITHER);
    }
    assert_int_equal(kind("\x1f\x8b\x08\0\0\0\0\0", 8), TWO_FILES_NEITHER);
    assert_int_equal(kind("PK\3\4....", 8), TWO_FILES_NEITHER);
    assert_int_equal(kind("", 0), TWO_FILES_NEITHER);
}

TEST(ends_of_key_files)
{
    static const struct {
        const char *tail;
        bool ends;
    } TAILS[] = {{"\n*end\n", true},   {"()\n*end\n", true}, {"\n*end\r\n", true},
                 {"*end\n", false},    {"\n*end", false},    {"\n*end\n\n", false},
                 {"\nx*end\n", false}, {"", false},          {"\n*end\nSLOW", false}};

    for (size_t i = 0; i < sizeof(TAILS) / sizeof(TAILS[0]); i++) {
        const uint8_t *tail = (const uint8_t *)TAILS[i].tail;
        size_t n = strlen(TAILS[i].tail);
        assert_int_equal(two_files_key_ends(tail, n), TAILS[i].ends);
    }
}

TEST(joint_is_the_head_of_a_summary)
{
    static const uint8_t EXPECTED[] = {0, 0, 3, 0x78, 0x56, 0x34, 0x12};
    uint8_t joint[TWO_FILES_JOINT_BYTES];

    two_files_joint(joint, 0x12345678);
    assert_memory_equal(joint, EXPECTED, sizeof(joint));
}
