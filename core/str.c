#include "core/str.h"

#include <string.h>

struct str str_of(const char *terminated)
{
    return (struct str){terminated, strlen(terminated)};
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c + ('a' - 'A')) : c;
}

bool str_eq_nocase(struct str a, struct str b)
{
    if (a.n != b.n)
        return false;
    for (size_t i = 0; i < a.n; i++)
        if (lower(a.p[i]) != lower(b.p[i]))
            return false;
    return true;
}

bool str_starts(struct str s, struct str prefix)
{
    return s.n >= prefix.n && str_eq((struct str){s.p, prefix.n}, prefix);
}

bool str_ends(struct str s, struct str suffix)
{
    return s.n >= suffix.n && str_eq((struct str){s.p + (s.n - suffix.n), suffix.n}, suffix);
}

bool str_fits(struct str s, struct str pattern)
{
    if (pattern.n == 0 || pattern.p[pattern.n - 1] != '*')
        return str_eq(s, pattern);
    return str_starts(s, (struct str){pattern.p, pattern.n - 1});
}

int str_cmp(struct str a, struct str b)
{
    size_t n = a.n < b.n ? a.n : b.n;
    int order = n == 0 ? 0 : memcmp(a.p, b.p, n);

    if (order != 0)
        return order;
    return a.n < b.n ? -1 : a.n > b.n;
}

struct str str_trim(struct str s)
{
    while (s.n > 0 && (s.p[0] == ' ' || s.p[0] == '\t'))
        s.p++, s.n--;
    while (s.n > 0 && (s.p[s.n - 1] == ' ' || s.p[s.n - 1] == '\t'))
        s.n--;
    return s;
}

struct str str_without_line_end(struct str s)
{
    while (s.n > 0 && (s.p[s.n - 1] == '\n' || s.p[s.n - 1] == '\r'))
        s.n--;
    return s;
}

bool str_split(struct str *rest, char separator, struct str *field)
{
    if (rest->p == NULL)
        return false;
    size_t at = str_find(*rest, separator);

    *field = (struct str){rest->p, at};
    if (at == rest->n)
        *rest = (struct str){NULL, 0};
    else
        *rest = str_from(*rest, at + 1);
    return true;
}

static unsigned digit_of(char c)
{
    if (c >= '0' && c <= '9')
        return (unsigned)(c - '0');
    c = lower(c);
    return c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10 : 99;
}

bool str_to_u64(struct str s, unsigned base, uint64_t *value)
{
    uint64_t v = 0;

    if (s.n == 0)
        return false;
    for (size_t i = 0; i < s.n; i++) {
        unsigned digit = digit_of(s.p[i]);
        if (digit >= base || v > (UINT64_MAX - digit) / base)
            return false;
        v = v * base + digit;
    }
    *value = v;
    return true;
}

bool str_to_fixed(struct str s, unsigned decimals, uint64_t *value)
{
    size_t point = str_find(s, '.');
    uint64_t whole, fraction = 0, unit = 1;

    if (!str_to_u64((struct str){s.p, point}, 10, &whole))
        return false;
    for (unsigned i = 0; i < decimals; i++)
        unit *= 10;
    if (point < s.n) {
        struct str digits = str_from(s, point + 1);
        if (digits.n > decimals || !str_to_u64(digits, 10, &fraction))
            return false;
        for (size_t i = digits.n; i < decimals; i++)
            fraction *= 10;
    }
    return !__builtin_mul_overflow(whole, unit, value) && !__builtin_add_overflow(*value, fraction, value);
}

size_t str_find(struct str s, char c)
{
    const char *at = s.n == 0 ? NULL : memchr(s.p, c, s.n);

    return at == NULL ? s.n : (size_t)(at - s.p);
}

size_t str_find_last(struct str s, char c)
{
    for (size_t i = s.n; i > 0; i--)
        if (s.p[i - 1] == c)
            return i - 1;
    return s.n;
}

struct str str_behind_last(struct str s, char c)
{
    size_t at = str_find_last(s, c);

    return at == s.n ? s : str_from(s, at + 1);
}

size_t str_find_str(struct str s, struct str needle)
{
    if (needle.n == 0)
        return 0;
    if (s.n < needle.n)
        return s.n;
    for (size_t i = 0; i + needle.n <= s.n; i++) {
        const char *at = memchr(s.p + i, needle.p[0], s.n - needle.n - i + 1);
        if (at == NULL)
            return s.n;
        i = (size_t)(at - s.p);
        if (memcmp(at, needle.p, needle.n) == 0)
            return i;
    }
    return s.n;
}
