#include "server/http/form.h"

static bool hex_digit(char c, unsigned *value)
{
    static const char DIGITS[] = "0123456789abcdef0123456789ABCDEF";
    size_t at = str_find(STR(DIGITS), c);

    *value = (unsigned)at & 15;
    return at < sizeof(DIGITS) - 1;
}

static void decode(struct buf *b, struct str s)
{
    unsigned high, low;

    for (size_t i = 0; i < s.n; i++) {
        if (s.p[i] == '%' && s.n - i > 2 && hex_digit(s.p[i + 1], &high) && hex_digit(s.p[i + 2], &low)) {
            buf_char(b, (char)(high << 4 | low));
            i += 2;
        } else {
            buf_char(b, s.p[i] == '+' ? ' ' : s.p[i]);
        }
    }
}

bool form_field(struct str form, struct str name, struct buf *value)
{
    struct str pair;

    while (str_split(&form, '&', &pair)) {
        size_t n = str_find(pair, '=');
        if (!str_eq((struct str){pair.p, n}, name))
            continue;
        n += n < pair.n;
        decode(value, (struct str){pair.p + n, pair.n - n});
        return true;
    }
    return false;
}
