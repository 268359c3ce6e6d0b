#include "server/upload/expiry.h"

enum { HOUR_S = 3600 };

bool expiry_parse(struct str text, uint64_t max_s, uint64_t *seconds)
{
    uint64_t unit_s = EXPIRY_DAY_S, n;

    text = str_trim(text);
    if (text.n > 1 && (text.p[text.n - 1] == 'h' || text.p[text.n - 1] == 'd')) {
        unit_s = text.p[text.n - 1] == 'h' ? HOUR_S : EXPIRY_DAY_S;
        text.n--;
    }
    if (!str_to_u64(text, 10, &n) || n == 0 || n > max_s / unit_s)
        return false;
    *seconds = n * unit_s;
    return true;
}
