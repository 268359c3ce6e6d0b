#include "server/http/message/site.h"

#include "server/http/message/form.h"

/* Of "name:port" or "[address]:port", without the port. */
static struct str without_port(struct str host)
{
    size_t colon = str_find_last(host, ':');

    if (colon == host.n || (host.n > 0 && host.p[0] == '[' && host.p[host.n - 1] == ']'))
        return host;
    return (struct str){host.p, colon};
}

static bool is_loopback(struct str name)
{
    return str_eq_nocase(name, STR("localhost")) || str_eq(name, STR("127.0.0.1")) ||
           str_eq(name, STR("[::1]"));
}

bool site_is_ours(const struct site_own *own, struct str host)
{
    struct str name = without_port(host), rest = own->hosts, one;

    if (own->external_url.n == 0 && own->hosts.n == 0)
        return true;
    if (is_loopback(name))
        return true;
    if (own->external_url.n > 0 && str_eq_nocase(without_port(url_authority(own->external_url)), name))
        return true;
    while (str_split(&rest, ',', &one)) {
        one = str_trim(one);
        if (one.n > 0 && str_eq_nocase(one, without_port(one).n == one.n ? name : host))
            return true;
    }
    return false;
}

/* A proxy may speak TLS to the client and plain HTTP to us, so that only the authority can be compared. */
static bool is_own_origin(const struct site_own *own, struct str origin, struct str host)
{
    struct str from = url_authority(origin);

    if (from.n == 0)
        return false; /* "null": of a page without an origin of its own */
    return str_eq_nocase(from, host) ||
           (own->external_url.n > 0 && str_eq_nocase(from, url_authority(own->external_url)));
}

bool site_is_own_page(const struct site_own *own, const struct site_request *r)
{
    if (r->sec_fetch_site.p != NULL)
        return str_eq(r->sec_fetch_site, STR("same-origin"));
    return r->origin.p != NULL && is_own_origin(own, r->origin, r->host);
}

bool site_is_foreign(const struct site_own *own, const struct site_request *r)
{
    /* Browsers that send it say the whole truth in it; the Origin may be "null" for reasons of privacy. It
     * is not sent over plain HTTP, but to the machine itself. */
    if (r->sec_fetch_site.p != NULL)
        return !str_eq(r->sec_fetch_site, STR("same-origin")) && !str_eq(r->sec_fetch_site, STR("none"));
    return r->origin.p != NULL && !is_own_origin(own, r->origin, r->host);
}
