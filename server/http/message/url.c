#include "server/http/message/url.h"

/* A path may have a :// in it. */
static size_t origin_bytes(struct str url)
{
    size_t scheme = str_find_str(url, STR("://"));

    if (scheme == url.n || str_find(url, '/') < scheme || str_find(url, '?') < scheme)
        return 0;
    size_t begin = scheme + 3;
    struct str rest = {url.p + begin, url.n - begin};
    size_t path = str_find(rest, '/'), query = str_find(rest, '?');
    return begin + (path < query ? path : query);
}

struct str url_origin(struct str url)
{
    return (struct str){url.p, origin_bytes(url)};
}

struct str url_authority(struct str url)
{
    struct str origin = url_origin(url);
    size_t scheme = str_find_str(origin, STR("://"));

    if (scheme == origin.n)
        return (struct str){NULL, 0};
    return (struct str){origin.p + scheme + 3, origin.n - scheme - 3};
}

struct str url_rest(struct str url)
{
    size_t n = origin_bytes(url);

    return (struct str){url.p + n, url.n - n};
}
