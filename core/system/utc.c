#include "core/system/utc.h"

#include <string.h>
#include <time.h>

static void put_number(char *digits, size_t n, int value)
{
    for (; n > 0; n--, value /= 10)
        digits[n - 1] = (char)('0' + value % 10);
}

const char *utc_format(int64_t unix_s, char out[UTC_CHARS + 1])
{
    time_t t = unix_s < 0 ? 0 : unix_s > UTC_LAST_S ? UTC_LAST_S : unix_s;
    struct tm tm;

    gmtime_r(&t, &tm); /* cannot fail: the year has four digits */
    memcpy(out, "0000-00-00T00:00:00Z", UTC_CHARS + 1);
    put_number(out, 4, tm.tm_year + 1900);
    put_number(out + 5, 2, tm.tm_mon + 1);
    put_number(out + 8, 2, tm.tm_mday);
    put_number(out + 11, 2, tm.tm_hour);
    put_number(out + 14, 2, tm.tm_min);
    put_number(out + 17, 2, tm.tm_sec);
    return out;
}

static int number(const char *digits, size_t n)
{
    uint64_t value = 0;

    return str_to_u64((struct str){digits, n}, 10, &value) ? (int)value : -1;
}

bool utc_parse(struct str text, int64_t *unix_s)
{
    char again[UTC_CHARS + 1];

    if (text.n != UTC_CHARS)
        return false;
    struct tm tm = {
        .tm_year = number(text.p, 4) - 1900,
        .tm_mon = number(text.p + 5, 2) - 1,
        .tm_mday = number(text.p + 8, 2),
        .tm_hour = number(text.p + 11, 2),
        .tm_min = number(text.p + 14, 2),
        .tm_sec = number(text.p + 17, 2),
    };
    int64_t s = timegm(&tm);
    /* timegm takes the 31st of February for one in March: only what comes out the same went in well. */
    utc_format(s, again);
    if (!str_eq(text, (struct str){again, UTC_CHARS}))
        return false;
    *unix_s = s;
    return true;
}
