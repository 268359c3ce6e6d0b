/* Slices: a pointer and a length, never owning, not terminated. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "core/must_check.h"

struct str {
    const char *p;
    size_t n; /* bytes */
};

/* Slice of a string literal, usable in initialisers of const tables as well. */
#define STR_INIT(literal)              \
    {                                  \
        (literal), sizeof(literal) - 1 \
    }
#define STR(literal) ((struct str)STR_INIT(literal))

/* Of ASCII. */
static inline bool is_digit(int c)
{
    return c >= '0' && c <= '9';
}

struct str str_of(const char *terminated);
/* Here, so that against a word of the program it is a few compares. */
static inline bool str_eq(struct str a, struct str b)
{
    return a.n == b.n && (b.n == 0 || memcmp(a.p, b.p, b.n) == 0);
}
bool str_eq_nocase(struct str a, struct str b); /* ASCII only */
bool str_starts(struct str s, struct str prefix);
bool str_ends(struct str s, struct str suffix);
/* The same text, or one that begins so if the pattern ends with `*`. The pattern is not empty. */
bool str_fits(struct str s, struct str pattern);

/* Whether n bytes are the same, which are few: eight at a time, the last eight perhaps once more. */
static inline bool str_same_bytes(const char *a, const char *b, size_t n)
{
    uint64_t x, y;

    if (n < sizeof(x))
        return memcmp(a, b, n) == 0;
    for (size_t i = 0; i + sizeof(x) < n; i += sizeof(x)) {
        memcpy(&x, a + i, sizeof(x));
        memcpy(&y, b + i, sizeof(y));
        if (x != y)
            return false;
    }
    memcpy(&x, a + n - sizeof(x), sizeof(x));
    memcpy(&y, b + n - sizeof(y), sizeof(y));
    return x == y;
}

/* What stands behind the first n bytes. */
static inline struct str str_from(struct str s, size_t n)
{
    return (struct str){s.p + n, s.n - n};
}

/* Bytewise order, a prefix before its continuation: <0, 0 or >0. */
int str_cmp(struct str a, struct str b);

/* Without the blanks and tabs at both ends. */
struct str str_trim(struct str s);

/* Without all CRs and LFs at its end. */
struct str str_without_line_end(struct str s);

/* Takes what stands before the next `separator` (or all, if there is none) off the front of *rest.
 * False when *rest is used up; an empty last field is reported once, as strsep does. */
bool str_split(struct str *rest, char separator, struct str *field);

/* Whole slice as an unsigned number in base 10 or 16 (without prefix). False on anything else or overflow. */
bool str_to_u64(struct str s, unsigned base, uint64_t *value);

/* Whole slice as a number with at most so many decimals (9 at most), times 10^decimals: ("0.5", 3) -> 500.
 * Digits stand on both sides of a point. False on anything else or overflow. */
bool str_to_fixed(struct str s, unsigned decimals, uint64_t *value);

/* Offset of the first occurrence, or s.n. */
size_t str_find(struct str s, char c);
size_t str_find_last(struct str s, char c);
/* What stands behind the last such character, or all if there is none: of "/lib/a.so" and '/' it is "a.so". */
struct str str_behind_last(struct str s, char c);
/* Offset of `needle` in s, or s.n; an empty needle is at 0. */
size_t str_find_str(struct str s, struct str needle);
