#include "server/http/message/accept.h"

/* As str_split, but a separator within a quoted string is none. */
static bool split_unquoted(struct str *rest, char separator, struct str *field)
{
    bool quoted = false;
    size_t n = 0;

    if (rest->p == NULL)
        return false;
    for (; n < rest->n && (quoted || rest->p[n] != separator); n++) {
        if (rest->p[n] == '"')
            quoted = !quoted;
        else if (quoted && rest->p[n] == '\\' && n + 1 < rest->n)
            n++;
    }
    *field = (struct str){rest->p, n};
    *rest = n < rest->n ? (struct str){rest->p + n + 1, rest->n - n - 1} : (struct str){NULL, 0};
    return true;
}

/* RFC 9110, 12.4.2: "1", "0.5", "0.123". */
static unsigned parse_quality(struct str s)
{
    unsigned value = 0, digits = 0;

    if (s.n == 0 || s.n > sizeof("0.123") - 1 || (s.p[0] != '0' && s.p[0] != '1') ||
        (s.n > 1 && s.p[1] != '.'))
        return ACCEPT_NEVER;
    for (size_t i = 0; i < s.n; i++) {
        if (i == 1)
            continue;
        if (s.p[i] < '0' || s.p[i] > '9')
            return ACCEPT_NEVER;
        value = value * 10 + (unsigned)(s.p[i] - '0');
        digits++;
    }
    for (; digits < 4; digits++)
        value *= 10;
    return value <= ACCEPT_GLADLY ? value : ACCEPT_NEVER;
}

static unsigned quality_of(struct str parameters)
{
    struct str parameter;

    while (split_unquoted(&parameters, ';', &parameter)) {
        size_t equals = str_find(parameter, '=');
        if (equals < parameter.n && str_eq_nocase(str_trim((struct str){parameter.p, equals}), STR("q")))
            return parse_quality(str_trim((struct str){parameter.p + equals + 1, parameter.n - equals - 1}));
    }
    return ACCEPT_GLADLY;
}

bool accept_next(struct str *field, struct str *value, unsigned *quality)
{
    struct str member;

    if (!split_unquoted(field, ',', &member))
        return false;
    split_unquoted(&member, ';', value);
    *value = str_trim(*value);
    *quality = quality_of(member);
    return true;
}
