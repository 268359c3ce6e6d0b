#include "core/number.h"

#include <string.h>

#include "core/put.h"

struct scale {
    uint64_t unit;
    const char *suffix;
};

static const struct scale DURATIONS[] = {
    {1, " ns"}, {1000, " µs"}, {1000000, " ms"}, {1000000000, " s"}, {60000000000, " min"},
};

static const struct scale SIZES[] = {
    {1, " B"},
    {UINT64_C(1) << 10, " KiB"},
    {UINT64_C(1) << 20, " MiB"},
    {UINT64_C(1) << 30, " GiB"},
    {UINT64_C(1) << 40, " TiB"},
    {UINT64_C(1) << 50, " PiB"},
    {UINT64_C(1) << 60, " EiB"},
};

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

static const uint64_t POWERS[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000, 1000000000};

enum { DECIMALS_MAX = 9, U64_DIGITS = 20 };

static char *put_z(char *to, const char *terminated)
{
    return put_bytes(to, terminated, strlen(terminated));
}

/* Writes the digits to the end of the field and returns where they begin. */
static char *digits_of(char field[U64_DIGITS], uint64_t value)
{
    char *p = field + U64_DIGITS;

    do {
        *--p = (char)('0' + value % 10);
        value /= 10;
    } while (value != 0);
    return p;
}

char *number_u64(char *to, uint64_t value)
{
    char field[U64_DIGITS];
    char *p = digits_of(field, value);

    return put_bytes(to, p, (size_t)(field + U64_DIGITS - p));
}

char *number_grouped(char *to, uint64_t value)
{
    char field[U64_DIGITS];
    char *p = digits_of(field, value);

    for (size_t left = (size_t)(field + U64_DIGITS - p); left > 0; left--) {
        *to++ = *p++;
        if (left > 1 && left % 3 == 1)
            *to++ = ',';
    }
    return to;
}

char *number_fixed(char *to, uint64_t value, unsigned decimals)
{
    while (decimals > 0 && value % 10 == 0) {
        value /= 10;
        decimals--;
    }
    to = number_grouped(to, value / POWERS[decimals]);
    if (decimals == 0)
        return to;
    *to++ = '.';
    uint64_t fraction = value % POWERS[decimals];
    for (unsigned i = decimals; i > 0; i--) {
        to[i - 1] = (char)('0' + fraction % 10);
        fraction /= 10;
    }
    return to + decimals;
}

static unsigned digit_count(uint64_t value)
{
    unsigned n = 1;

    for (; value >= 10; n++)
        value /= 10;
    return n;
}

static char *scaled(char *to, uint64_t value, unsigned digits, const struct scale *scales, size_t n_scales)
{
    size_t i = 0;

    while (i + 1 < n_scales && value >= scales[i + 1].unit)
        i++;
    for (;; i++) {
        unsigned whole = digit_count(value / scales[i].unit);
        unsigned decimals = i == 0 || whole >= digits ? 0 : digits - whole;
        if (decimals > DECIMALS_MAX)
            decimals = DECIMALS_MAX;
        uint64_t rounded = number_ratio(value, scales[i].unit, POWERS[decimals]);
        /* 999.6 µs is 1 ms, not 1,000 µs. */
        if (i + 1 < n_scales && rounded / POWERS[decimals] >= scales[i + 1].unit / scales[i].unit)
            continue;
        return put_z(number_fixed(to, rounded, decimals), scales[i].suffix);
    }
}

char *number_duration(char *to, uint64_t ns, unsigned digits)
{
    return scaled(to, ns, digits, DURATIONS, COUNT_OF(DURATIONS));
}

char *number_bytes(char *to, uint64_t bytes, unsigned digits)
{
    return scaled(to, bytes, digits, SIZES, COUNT_OF(SIZES));
}

char *number_value(char *to, enum unit unit, uint64_t value, unsigned digits)
{
    switch (unit) {
    case UNIT_NS:
        return number_duration(to, value, digits);
    case UNIT_BYTES:
        return number_bytes(to, value, digits);
    case UNIT_COUNT:
        break;
    }
    return number_grouped(to, value);
}

void number_put(struct buf *b, enum unit unit, uint64_t value, unsigned digits)
{
    char text[NUMBER_BYTES_MAX];

    buf_bytes(b, text, (size_t)(number_value(text, unit, value, digits) - text));
}

char *number_percent(char *to, uint64_t part, uint64_t whole)
{
    if (part == 0 || whole == 0)
        return put_z(to, "0 %");
    if (part >= whole)
        return put_z(to, "100 %");
    uint64_t hundredths = number_ratio(part, whole, 10000);
    if (hundredths == 0)
        return put_z(to, "<0.01 %");
    if (hundredths < 1000)
        return put_z(number_fixed(to, hundredths, 2), " %");
    uint64_t tenths = number_ratio(part, whole, 1000);
    return put_z(number_fixed(to, tenths < 1000 ? tenths : 999, 1), " %");
}
