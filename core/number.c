#include "core/number.h"

#include <string.h>

#include "core/put.h"

struct scale {
    uint64_t unit;
    const char *suffix;
};

static const struct scale DURATIONS[] = {
    {1, " ns"},
    {1000, " µs"},
    {1000000, " ms"},
    {1000000000, " s"},
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

/* All powers of ten that 64 bits hold. */
static const uint64_t POWERS[] = {
    1,
    10,
    100,
    1000,
    10000,
    100000,
    1000000,
    10000000,
    100000000,
    1000000000,
    10000000000,
    100000000000,
    1000000000000,
    10000000000000,
    100000000000000,
    1000000000000000,
    10000000000000000,
    100000000000000000,
    1000000000000000000,
    UINT64_C(10000000000000000000),
};

enum { DECIMALS_MAX = 9 };

static char *put_z(char *to, const char *terminated)
{
    return put_bytes(to, terminated, strlen(terminated));
}

/* The logarithm to base 2, times log10(2), which is 1233 / 4096, is the number of digits or one less. */
static unsigned digit_count(uint64_t value)
{
    unsigned bits = 64 - (unsigned)__builtin_clzll(value | 1), n = bits * 1233 / 4096;

    /* With 64 bits n is 19, which is the last index of POWERS. The value 0 has one digit. */
    return n + (n == 0 || value >= POWERS[n]);
}

static const char PAIRS[] = "00010203040506070809101112131415161718192021222324252627282930313233343536373839"
                            "40414243444546474849505152535455565758596061626364656667686970717273747576777879"
                            "8081828384858687888990919293949596979899";

/* Exactly so many digits, the last one first, with zeros in front where the value has fewer. */
static char *put_digits(char *to, uint64_t value, unsigned digits)
{
    for (unsigned i = digits; i > 0; i--) {
        to[i - 1] = (char)('0' + value % 10);
        value /= 10;
    }
    return to + digits;
}

/* Two digits at a time, the last ones first: numbers are most of what is written of calls. */
char *number_u64(char *to, uint64_t value)
{
    if (value < 10) {
        *to = (char)('0' + value);
        return to + 1;
    }
    char *end = to + digit_count(value), *at = end;

    for (; value > UINT32_MAX; value /= 100)
        memcpy(at -= 2, PAIRS + value % 100 * 2, 2);
    uint32_t rest = (uint32_t)value;
    for (; rest >= 100; rest /= 100)
        memcpy(at -= 2, PAIRS + rest % 100 * 2, 2);
    if (rest >= 10)
        memcpy(at - 2, PAIRS + rest * 2, 2);
    else
        at[-1] = (char)('0' + rest);
    return end;
}

/* Sixteen digits are copied at once, which is faster than as many as there are. 64 bits have no more in
 * front of four. */
enum { HIGH_DIGITS_MAX = 16 };

static inline char *put_next(const struct number_run *run, char *to, uint32_t low)
{
    memcpy(to, run->digits, HIGH_DIGITS_MAX);
    to += run->n_digits;
    memcpy(to, PAIRS + low / 100 * 2, 2);
    memcpy(to + 2, PAIRS + low % 100 * 2, 2);
    return to + 4;
}

/* A function of its own, so that the usual number saves no registers. */
static __attribute__((noinline)) char *begin_run(struct number_run *run, char *to, uint64_t value)
{
    if (value < 10000)
        return number_u64(to, value);
    run->high = value / 10000;
    run->n_digits = (size_t)(number_u64(run->digits, run->high) - run->digits);
    return put_next(run, to, (uint32_t)(value % 10000));
}

char *number_u64_next(struct number_run *run, char *to, uint64_t value)
{
    uint64_t high = value / 10000;

    return high == run->high && high > 0 ? put_next(run, to, (uint32_t)(value % 10000))
                                         : begin_run(run, to, value);
}

char *number_grouped(char *to, uint64_t value)
{
    unsigned behind = (digit_count(value) - 1) / 3 * 3; /* digits behind the first comma */

    to = number_u64(to, value / POWERS[behind]);
    for (; behind > 0; behind -= 3) {
        *to++ = ',';
        to = put_digits(to, value % POWERS[behind] / POWERS[behind - 3], 3);
    }
    return to;
}

static char *put_fixed(char *to, uint64_t value, unsigned decimals,
                       char *(*put_whole)(char *to, uint64_t value))
{
    while (decimals > 0 && value % 10 == 0) {
        value /= 10;
        decimals--;
    }
    if (decimals == 0)
        return put_whole(to, value);
    to = put_whole(to, value / POWERS[decimals]);
    *to++ = '.';
    return put_digits(to, value % POWERS[decimals], decimals);
}

char *number_decimal(char *to, uint64_t value, unsigned decimals)
{
    return put_fixed(to, value, decimals, number_u64);
}

char *number_fixed(char *to, uint64_t value, unsigned decimals)
{
    return put_fixed(to, value, decimals, number_grouped);
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

enum { NS_PER_S = 1000000000, SECONDS_DIGITS = 2, MINUTE = 60 };

/* As a clock: 1 min 23 s, 2 h 5 min. More than three digits are decimals of the seconds, and then hours have seconds,
 * too. */
static char *put_minutes(char *to, uint64_t ns, unsigned digits)
{
    unsigned decimals = digits > SECONDS_DIGITS + 1 ? digits - SECONDS_DIGITS - 1 : 0;
    uint64_t parts = number_ratio(ns, NS_PER_S, POWERS[decimals]), second = POWERS[decimals];

    if (decimals == 0 && parts >= MINUTE * MINUTE) /* whole minutes */
        parts = (parts + MINUTE / 2) / MINUTE * MINUTE;
    uint64_t minutes = parts / (MINUTE * second), seconds = parts % (MINUTE * second);
    if (minutes >= MINUTE)
        to = put_z(number_grouped(to, minutes / MINUTE), " h");
    if (minutes % MINUTE > 0) {
        to = minutes >= MINUTE ? put_z(to, " ") : to;
        to = put_z(number_u64(to, minutes % MINUTE), " min");
    }
    return seconds == 0 ? to : put_z(number_fixed(put_z(to, " "), seconds, decimals), " s");
}

/* 59.96 s is 1 min. */
static bool takes_minutes(uint64_t ns, unsigned digits)
{
    unsigned decimals = digits > SECONDS_DIGITS ? digits - SECONDS_DIGITS : 0;

    return ns >= NS_PER_S && number_ratio(ns, NS_PER_S, POWERS[decimals]) >= MINUTE * POWERS[decimals];
}

char *number_value(char *to, enum unit unit, uint64_t value, unsigned digits)
{
    switch (unit) {
    case UNIT_NS:
        return takes_minutes(value, digits) ? put_minutes(to, value, digits)
                                            : scaled(to, value, digits, DURATIONS, COUNT_OF(DURATIONS));
    case UNIT_BYTES:
        return scaled(to, value, digits, SIZES, COUNT_OF(SIZES));
    case UNIT_COUNT:
        break;
    }
    return number_grouped(to, value);
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
    /* The part is smaller than the whole: it must not be rounded to 100 %. */
    return put_z(number_fixed(to, tenths < 1000 ? tenths : 999, 1), " %");
}
