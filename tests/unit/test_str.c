/* Slices: comparison, splitting, numbers and searches, at their ends above all. */
#include "tests/support/unit.h"

#include "core/str.h"

#include <string.h>

static const struct str NOTHING = {NULL, 0};

TEST(equality)
{
    assert_true(str_eq(STR("abc"), str_of("abc")));
    assert_false(str_eq(STR("abc"), STR("abd")));
    assert_false(str_eq(STR("abc"), STR("ab")));
    assert_true(str_eq(NOTHING, STR("")));
    assert_true(str_eq(STR("a\0b"), (struct str){"a\0b", 3}));
    assert_false(str_eq(STR("a\0b"), STR("a\0c")));
}

/* One byte differs, at each place of each length; and none does. */
TEST(same_bytes)
{
    enum { LONGEST = 40 };
    char a[LONGEST], b[LONGEST];

    memset(a, 'x', sizeof(a));
    for (size_t n = 0; n <= LONGEST; n++)
        for (size_t at = 0; at <= n; at++) {
            memset(b, 'y', sizeof(b));
            memcpy(b, a, n);
            if (at < n)
                b[at] = 'z';
            assert_int_equal(str_same_bytes(a, b, n), at == n);
        }
}

TEST(equality_without_case)
{
    assert_true(str_eq_nocase(STR("Content-LENGTH"), STR("content-length")));
    assert_false(str_eq_nocase(STR("a"), STR("ab")));
    assert_false(str_eq_nocase(STR("["), STR("{"))); /* 0x20 apart, but no letters */
    assert_false(str_eq_nocase(STR("@"), STR("`")));
    assert_false(str_eq_nocase(STR("\xc4"), STR("\xe4")));
    assert_true(str_eq_nocase(NOTHING, STR("")));
}

TEST(prefix_and_suffix)
{
    assert_true(str_starts(STR("*version\n"), STR("*version")));
    assert_false(str_starts(STR("*ver"), STR("*version")));
    assert_true(str_starts(STR("x"), NOTHING));
    assert_true(str_ends(STR("a.trace"), STR(".trace")));
    assert_false(str_ends(STR("trace"), STR(".trace")));
    assert_true(str_ends(NOTHING, STR("")));
}

TEST(patterns)
{
    static const char STAR[] = "*"; /* an empty pattern stands behind it */

    assert_true(str_fits(STR("abc"), STR("abc")) && str_fits(STR("abc"), STR("a*")) &&
                str_fits(STR(""), STR("*")));
    assert_false(str_fits(STR("abc"), STR("ab")) || str_fits(STR("ab"), STR("abc*")));
    assert_false(str_fits(STR("abc"), (struct str){STAR + 1, 0}));
    assert_true(str_fits(STR(""), (struct str){STAR + 1, 0}));
}

TEST(order_is_bytewise)
{
    assert_true(str_cmp(STR("a"), STR("b")) < 0);
    assert_true(str_cmp(STR("b"), STR("a")) > 0);
    assert_true(str_cmp(STR("a"), STR("ab")) < 0);
    assert_true(str_cmp(STR("ab"), STR("a")) > 0);
    assert_true(str_cmp(STR("Z"), STR("a")) < 0);
    assert_true(str_cmp(STR("\xff"), STR("a")) > 0); /* unsigned */
    assert_int_equal(str_cmp(NOTHING, STR("")), 0);
    assert_true(str_cmp(NOTHING, STR("a")) < 0);
}

TEST(trimming)
{
    assert_true(str_eq(str_trim(STR(" \t a b\t ")), STR("a b")));
    assert_true(str_eq(str_trim(STR("a\n")), STR("a\n")));
    assert_int_equal(str_trim(STR(" \t ")).n, 0);
    assert_int_equal(str_trim(NOTHING).n, 0);
}

TEST(line_ends)
{
    assert_true(str_eq(str_without_line_end(STR("\r\na b \r\n")), STR("\r\na b ")));
    assert_true(str_eq(str_without_line_end(STR("a\n\n\r")), STR("a")));
    assert_true(str_eq(str_without_line_end(STR("a")), STR("a")));
    assert_int_equal(str_without_line_end(STR("\n")).n, 0);
    assert_int_equal(str_without_line_end(NOTHING).n, 0);
}

TEST(splitting)
{
    struct str rest = STR("a\t\tb\t"), field;

    assert_true(str_split(&rest, '\t', &field));
    assert_true(str_eq(field, STR("a")));
    assert_true(str_split(&rest, '\t', &field));
    assert_int_equal(field.n, 0);
    assert_true(str_split(&rest, '\t', &field));
    assert_true(str_eq(field, STR("b")));
    assert_true(str_split(&rest, '\t', &field)); /* behind the last separator */
    assert_int_equal(field.n, 0);
    assert_false(str_split(&rest, '\t', &field));
    assert_false(str_split(&rest, '\t', &field));
}

TEST(splitting_nothing)
{
    struct str rest = STR(""), field;

    assert_true(str_split(&rest, ',', &field));
    assert_int_equal(field.n, 0);
    assert_false(str_split(&rest, ',', &field));
    rest = NOTHING;
    assert_false(str_split(&rest, ',', &field));
}

static void check_number(const char *text, unsigned base, uint64_t expected)
{
    uint64_t value = 1;

    assert_true(str_to_u64(str_of(text), base, &value));
    assert_true(value == expected);
}

TEST(numbers)
{
    check_number("0", 10, 0);
    check_number("0000000000000000000000000000007", 10, 7);
    check_number("18446744073709551615", 10, UINT64_MAX);
    check_number("ffffffffffffffff", 16, UINT64_MAX);
    check_number("DeadBeef", 16, 0xdeadbeef);
    check_number("10", 16, 16);
}

TEST(not_numbers)
{
    static const char *const TEXTS[] = {"",
                                        "-1",
                                        "+1",
                                        " 1",
                                        "1 ",
                                        "1x",
                                        "0x10",
                                        "18446744073709551616",
                                        "1e3",
                                        "a",
                                        "1.",
                                        "\xb2",
                                        "99999999999999999999999999"};
    uint64_t value = 77;

    for (size_t i = 0; i < sizeof(TEXTS) / sizeof(TEXTS[0]); i++)
        assert_false(str_to_u64(str_of(TEXTS[i]), 10, &value));
    assert_false(str_to_u64(STR("10000000000000000"), 16, &value));
    assert_false(str_to_u64(STR("g"), 16, &value));
    assert_false(str_to_u64(STR("1\0"), 10, &value));
    assert_int_equal(value, 77);
}

TEST(finding_a_character)
{
    assert_int_equal(str_find(STR("a=b=c"), '='), 1);
    assert_int_equal(str_find_last(STR("a=b=c"), '='), 3);
    assert_int_equal(str_find(STR("abc"), '='), 3);
    assert_int_equal(str_find_last(STR("abc"), '='), 3);
    assert_int_equal(str_find_last(STR("=bc"), '='), 0);
    assert_int_equal(str_find(STR("a\0=b"), '='), 2);
    assert_int_equal(str_find(NOTHING, 'a'), 0);
    assert_int_equal(str_find_last(NOTHING, 'a'), 0);
}

TEST(behind_the_last_character)
{
    assert_true(str_eq(str_behind_last(STR("/lib/a.so"), '/'), STR("a.so")));
    assert_true(str_eq(str_behind_last(STR("a.so"), '/'), STR("a.so")));
    assert_true(str_eq(str_behind_last(STR("lib/"), '/'), STR("")));
    assert_true(str_eq(str_behind_last(STR("/"), '/'), STR("")));
    assert_true(str_eq(str_behind_last(NOTHING, '/'), STR("")));
}

TEST(finding_text)
{
    assert_int_equal(str_find_str(STR("ababac"), STR("abac")), 2);
    assert_int_equal(str_find_str(STR("abc"), STR("c")), 2);
    assert_int_equal(str_find_str(STR("abc"), STR("abc")), 0);
    assert_int_equal(str_find_str(STR("abc"), STR("abcd")), 3);
    assert_int_equal(str_find_str(STR("aaab"), STR("ac")), 4);
    assert_int_equal(str_find_str(STR("a\0\0b"), STR("\0b")), 2);
    assert_int_equal(str_find_str(STR("abc"), NOTHING), 0);
    assert_int_equal(str_find_str(NOTHING, STR("a")), 0);
    /* The slice ends where the needle would need one more byte. */
    assert_int_equal(str_find_str((struct str){"xxab", 3}, STR("ab")), 3);
}

/* Every needle at every place of every short text over two letters, against the definition. */
TEST(finding_text_exhaustively)
{
    for (unsigned bits = 0; bits < 1u << 8; bits++) {
        char text[8];
        for (unsigned i = 0; i < 8; i++)
            text[i] = (bits >> i & 1) ? 'a' : 'b';
        for (size_t n = 1; n <= 3; n++)
            for (unsigned needle_bits = 0; needle_bits < 1u << n; needle_bits++) {
                char needle[3];
                for (size_t i = 0; i < n; i++)
                    needle[i] = (needle_bits >> i & 1) ? 'a' : 'b';
                size_t expected = 0;
                while (expected + n <= 8 && memcmp(text + expected, needle, n) != 0)
                    expected++;
                if (expected + n > 8)
                    expected = 8;
                assert_int_equal(str_find_str((struct str){text, 8}, (struct str){needle, n}), expected);
            }
    }
}
