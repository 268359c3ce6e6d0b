/* Numbers for people: rounding, units, their borders, no overflow. */
#include "tests/support/unit.h"

#include <stdio.h>

#include "core/number.h"

struct expected {
    uint64_t value;
    unsigned digits;
    const char *text;
};

static void check(char *end, char *text, const char *expected)
{
    *end = '\0';
    assert_true(end - text < NUMBER_BYTES_MAX);
    assert_string_equal(text, expected);
}

TEST(durations)
{
    static const struct expected CASES[] = {
        {0, 3, "0 ns"},
        {999, 3, "999 ns"},
        {1000, 3, "1 µs"},
        {1234, 3, "1.23 µs"},
        {1235, 3, "1.24 µs"},
        {12300000, 3, "12.3 ms"},
        {1200000, 3, "1.2 ms"},
        {999600, 3, "1 ms"},
        {999400, 3, "999 µs"},
        {999999999, 3, "1 s"},
        {9996, 3, "10 µs"},
        {15841000000, 5, "15.841 s"},
        {15841499999, 5, "15.841 s"},
        {59960000000, 3, "1 min"},
        {59940000000, 3, "59.9 s"},
        {95000000000, 3, "1 min 35 s"},
        {UINT64_C(740700000000000), 3, "205 h 45 min"},
        {UINT64_MAX, 3, "5,124,095 h 35 min"},
        {UINT64_MAX, 9, "5,124,095 h 34 min 33.709552 s"},
        {UINT64_C(61000000001), 9, "1 min 1 s"},
        {UINT64_C(61200000000), 5, "1 min 1.2 s"},
        {UINT64_C(59999999999), 9, "1 min"},
        {UINT64_C(59900000000), 9, "59.9 s"},
        {UINT64_C(3599499999999), 3, "59 min 59 s"},
        {UINT64_C(3599500000000), 3, "1 h"},
        {UINT64_C(7529000000000), 3, "2 h 5 min"},
    };

    for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
        char text[NUMBER_BYTES_MAX];
        check(number_value(text, UNIT_NS, CASES[i].value, CASES[i].digits), text, CASES[i].text);
    }
}

TEST(sizes)
{
    static const struct expected CASES[] = {
        {0, 3, "0 B"},           {1023, 3, "1,023 B"},      {1024, 3, "1 KiB"},
        {1536, 3, "1.5 KiB"},    {1048575, 3, "1 MiB"},     {1023 * 1024, 3, "1,023 KiB"},
        {3565158, 3, "3.4 MiB"}, {UINT64_MAX, 3, "16 EiB"},
    };

    for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
        char text[NUMBER_BYTES_MAX];
        check(number_value(text, UNIT_BYTES, CASES[i].value, CASES[i].digits), text, CASES[i].text);
    }
}

TEST(counts)
{
    char text[NUMBER_BYTES_MAX];

    check(number_value(text, UNIT_COUNT, 1234567, 3), text, "1,234,567");
    check(number_value(text, UNIT_COUNT, UINT64_MAX, 3), text, "18,446,744,073,709,551,615");
    check(number_value(text, UNIT_BYTES, 2048, 3), text, "2 KiB");
    check(number_value(text, UNIT_NS, 2000, 3), text, "2 µs");
    check(number_u64(text, 0), text, "0");
    for (uint64_t power = 1; power < UINT64_MAX / 10; power *= 10) {
        for (uint64_t value = power > 1 ? power - 1 : 0; value <= power + 1; value++) {
            char expected[NUMBER_BYTES_MAX];
            snprintf(expected, sizeof(expected), "%llu", (unsigned long long)value);
            check(number_u64(text, value), text, expected);
        }
    }
    check(number_u64(text, UINT64_MAX), text, "18446744073709551615");
    check(number_fixed(text, 1250, 2), text, "12.5");
    check(number_fixed(text, 5, 3), text, "0.005");
    check(number_fixed(text, 123456789, 4), text, "12,345.6789");
    check(number_decimal(text, 123456789, 4), text, "12345.6789");
}

/* With and without digits in common, upwards and back. */
TEST(one_after_the_other)
{
    static const uint64_t VALUES[] = {0,     9999,  10000, 10001,      19999,
                                      20000, 65536, 9,     20007,      UINT64_MAX - UINT64_MAX % 10000 - 1,
                                      7,     20001, 20010, UINT64_MAX, UINT64_MAX - 1};
    struct number_run run = {0};
    char text[NUMBER_BYTES_MAX], expected[NUMBER_BYTES_MAX];

    for (size_t i = 0; i < sizeof(VALUES) / sizeof(VALUES[0]); i++) {
        snprintf(expected, sizeof(expected), "%llu", (unsigned long long)VALUES[i]);
        check(number_u64_next(&run, text, VALUES[i]), text, expected);
    }
}

TEST(percents)
{
    static const struct {
        uint64_t part, whole;
        const char *text;
    } CASES[] = {
        {0, 100, "0 %"},
        {0, 0, "0 %"},
        {5, 0, "0 %"},
        {1, 100000, "<0.01 %"},
        {1, 20000, "0.01 %"},
        {1, 20001, "<0.01 %"},
        {456, 10000, "4.56 %"},
        {130, 10000, "1.3 %"},
        {789, 1000, "78.9 %"},
        {9994, 100000, "9.99 %"},
        {9996, 100000, "10 %"},
        {99999, 100000, "99.9 %"},
        {UINT64_MAX - 1, UINT64_MAX, "99.9 %"},
        {7, 7, "100 %"},
        {8, 7, "100 %"},
        {UINT64_MAX, UINT64_MAX, "100 %"},
        {UINT64_MAX / 2, UINT64_MAX, "50 %"},
    };

    for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
        char text[NUMBER_BYTES_MAX];
        check(number_percent(text, CASES[i].part, CASES[i].whole), text, CASES[i].text);
    }
}

TEST(ratio)
{
    assert_int_equal(number_ratio(1, 2, 1), 1);
    assert_int_equal(number_ratio(1, 3, 1), 0);
    assert_int_equal(number_ratio(2, 3, 1), 1);
    assert_true(number_ratio(UINT64_MAX, UINT64_MAX, 11800) == 11800);
    assert_true(number_ratio(UINT64_MAX / 2 + 1, UINT64_MAX, 2) == 1);
    assert_true(number_ratio(UINT64_MAX, 1, 2) == UINT64_MAX);
    assert_true(number_add(UINT64_MAX, 1) == UINT64_MAX);
    assert_true(number_add(1, 2) == 3);
}

TEST(sums_and_products_that_have_no_room)
{
    assert_true(number_add_signed(INT64_MAX - 1, 1) == INT64_MAX);
    assert_true(number_add_signed(INT64_MAX, 1) == INT64_MAX);
    assert_true(number_add_signed(INT64_MIN, -1) == INT64_MIN);
    assert_true(number_add_signed(INT64_MIN, INT64_MAX) == -1);
    assert_true(number_multiply(UINT64_MAX, 1) == UINT64_MAX);
    assert_true(number_multiply(UINT64_MAX, 0) == 0);
    assert_true(number_multiply(UINT64_C(1) << 32, UINT64_C(1) << 31) == UINT64_C(1) << 63);
    assert_true(number_multiply(UINT64_C(1) << 32, UINT64_C(1) << 32) == UINT64_MAX);
}
