/* What the client wants to see, and under which name it knows the service. */
#include <string.h>

#include "server/exchange.h"

enum { HOST_BYTES_MAX = 300, QUALITY_NONE = 0, QUALITY_MAX = 1000 };

static const struct {
    struct str type;
    enum representation as;
} TYPES[] = {
    {STR_INIT("text/html"), AS_HTML},        {STR_INIT("application/xhtml+xml"), AS_HTML},
    {STR_INIT("application/json"), AS_JSON}, {STR_INIT("application/problem+json"), AS_JSON},
    {STR_INIT("image/svg+xml"), AS_SVG},     {STR_INIT("text/plain"), AS_TEXT},
};

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

/* RFC 9110, 12.4.2: "1", "0.5", "0.123"; in thousandths. What is no quality counts as none. */
static unsigned quality(struct str s)
{
    unsigned value = 0, digits = 0;

    if (s.n == 0 || s.n > sizeof("0.123") - 1 || (s.p[0] != '0' && s.p[0] != '1') ||
        (s.n > 1 && s.p[1] != '.'))
        return QUALITY_NONE;
    for (size_t i = 0; i < s.n; i++) {
        if (i == 1)
            continue;
        if (s.p[i] < '0' || s.p[i] > '9')
            return QUALITY_NONE;
        value = value * 10 + (unsigned)(s.p[i] - '0');
        digits++;
    }
    for (; digits < 4; digits++)
        value *= 10;
    return value <= QUALITY_MAX ? value : QUALITY_NONE;
}

static unsigned quality_of(struct str parameters)
{
    struct str parameter;

    while (split_unquoted(&parameters, ';', &parameter)) {
        size_t equals = str_find(parameter, '=');
        if (equals < parameter.n && str_eq_nocase(str_trim((struct str){parameter.p, equals}), STR("q")))
            return quality(str_trim((struct str){parameter.p + equals + 1, parameter.n - equals - 1}));
    }
    return QUALITY_MAX;
}

enum representation negotiate(struct str accept)
{
    enum representation best = AS_TEXT;
    unsigned best_quality = QUALITY_NONE;
    struct str range, type;

    while (split_unquoted(&accept, ',', &range)) {
        if (!split_unquoted(&range, ';', &type))
            continue;
        type = str_trim(type);
        for (size_t i = 0; i < sizeof(TYPES) / sizeof(TYPES[0]); i++) {
            unsigned q = str_eq_nocase(type, TYPES[i].type) ? quality_of(range) : QUALITY_NONE;
            if (q > best_quality) {
                best = TYPES[i].as;
                best_quality = q;
            }
        }
    }
    return best;
}

/* The header comes from outside and goes into pages, headers and links: a name or an address with or without
 * port, and nothing else. */
static bool host_usable(struct str host)
{
    static const char ALLOWED[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_:[]";

    if (host.n == 0 || host.n > HOST_BYTES_MAX)
        return false;
    for (size_t i = 0; i < host.n; i++)
        if (memchr(ALLOWED, host.p[i], sizeof(ALLOWED) - 1) == NULL)
            return false;
    return true;
}

void exchange_base_url(const struct exchange *x, struct buf *b)
{
    const struct service *service = x->service;
    struct str host = x->header(x, "Host");

    if (service->config->external_url[0] != '\0') {
        buf_z(b, service->config->external_url);
        return;
    }
    buf_z(b, "http://");
    if (host.p != NULL && host_usable(host))
        buf_str(b, host);
    else if (str_starts(str_of(service->address), STR("unix:")))
        buf_z(b, "localhost");
    else
        buf_z(b, service->address);
}
