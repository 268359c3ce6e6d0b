/* Numbers as text, for programs (12345, 12.5) and for people (1.25 ms, 3.4 MiB, 12,345, 4.56 %), in
 * integers only. buf.h appends the same to a buffer. Every function with `to` writes there, which has room
 * for NUMBER_BYTES_MAX bytes, and returns the end of what it wrote; nothing is terminated. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "core/unit.h"

enum { NUMBER_BYTES_MAX = 48 };

/* part * factor / whole, rounded half up, without overflow on the way; UINT64_MAX if the result has no room.
 * whole > 0. */
static inline uint64_t number_ratio(uint64_t part, uint64_t whole, uint64_t factor)
{
    uint64_t product;

    if (!__builtin_mul_overflow(part, factor, &product) &&
        !__builtin_add_overflow(product, whole / 2, &product))
        return product / whole;
    __extension__ typedef unsigned __int128 u128;
    u128 quotient = ((u128)part * factor + whole / 2) / whole;
    return quotient > UINT64_MAX ? UINT64_MAX : (uint64_t)quotient;
}

/* a + b, or UINT64_MAX where that has no room. */
static inline uint64_t number_add(uint64_t a, uint64_t b)
{
    uint64_t sum;

    return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

/* The same of signed numbers: INT64_MIN or INT64_MAX where the sum has no room. */
static inline int64_t number_add_signed(int64_t a, int64_t b)
{
    int64_t sum;

    return !__builtin_add_overflow(a, b, &sum) ? sum : b < 0 ? INT64_MIN : INT64_MAX;
}

/* a * b, or UINT64_MAX where that has no room. */
static inline uint64_t number_multiply(uint64_t a, uint64_t b)
{
    uint64_t product;

    return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

char *number_u64(char *to, uint64_t value);

/* For numbers that follow each other closely, as times do: digits in front of the last four are made once
 * for all that share them. Begins as zeros. */
struct number_run {
    uint64_t high; /* the number without its last four digits */
    char digits[NUMBER_BYTES_MAX];
    size_t n_digits;
};

char *number_u64_next(struct number_run *run, char *to, uint64_t value);
/* 12345678 -> 12,345,678 */
char *number_grouped(char *to, uint64_t value);
/* value / 10^decimals (at most 9), zeros at the end dropped: (1250, 2) -> 12.5. The first is for programs,
 * the second, for people, groups the digits: (1234560, 2) -> 12345.6 and 12,345.6 */
char *number_decimal(char *to, uint64_t value, unsigned decimals);
char *number_fixed(char *to, uint64_t value, unsigned decimals);

/* With `digits` significant digits (1 to 9), rounded half up, zeros at the end dropped. Durations in ns,
 * µs, ms or s; from a minute on as a clock has them: 1 min 23 s, 2 h 5 min, and with more than three digits 1 min 23.5 s;
 * sizes in B, KiB, MiB, GiB, TiB, PiB or EiB. Whole numbers are never rounded: 12,345 h. Counts are grouped and
 * never rounded. */
char *number_value(char *to, enum unit unit, uint64_t value, unsigned digits);

/* Three significant digits, two decimals at most; "<0.01 %" for less but not nothing; "100 %" only if it is
 * all. A part above the whole counts as all of it, a part of nothing as 0 %. */
char *number_percent(char *to, uint64_t part, uint64_t whole);
