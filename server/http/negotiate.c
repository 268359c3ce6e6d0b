/* What the client wants to see, and under which name it knows the service. */
#include <string.h>

#include "server/http/exchange.h"
#include "server/http/message/accept.h"
#include "server/service.h"

enum { HOST_BYTES_MAX = 300 };

static const struct {
    struct str type;
    enum representation as;
} TYPES[] = {
    {STR_INIT("text/html"), AS_HTML},        {STR_INIT("application/xhtml+xml"), AS_HTML},
    {STR_INIT("application/json"), AS_JSON}, {STR_INIT("application/problem+json"), AS_JSON},
    {STR_INIT("image/svg+xml"), AS_SVG},     {STR_INIT("text/plain"), AS_TEXT},
};

enum representation negotiate(struct str accept)
{
    enum representation best = AS_TEXT;
    unsigned best_quality = ACCEPT_NEVER, quality;
    struct str type;

    while (accept_next(&accept, &type, &quality))
        for (size_t i = 0; i < sizeof(TYPES) / sizeof(TYPES[0]); i++)
            if (quality > best_quality && str_eq_nocase(type, TYPES[i].type)) {
                best = TYPES[i].as;
                best_quality = quality;
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
    if (x->origin.n > 0) {
        buf_str(b, x->origin);
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
