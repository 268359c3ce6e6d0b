#include "server/config/address.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>

static bool copy(char *out, size_t out_bytes, struct str s)
{
    if (s.n >= out_bytes)
        return false;
    memcpy(out, s.p, s.n);
    out[s.n] = '\0';
    return true;
}

static bool name_valid(struct str name)
{
    static const char ALLOWED[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_";
    bool letter = false;

    for (size_t i = 0; i < name.n; i++) {
        if (memchr(ALLOWED, name.p[i], sizeof(ALLOWED) - 1) == NULL)
            return false;
        letter = letter || (name.p[i] != '.' && (name.p[i] < '0' || name.p[i] > '9'));
    }
    return letter; /* digits and dots alone are an IPv4 address that was not one */
}

static bool parse_host(struct str host, bool bracketed, struct address *a)
{
    struct in_addr v4;
    struct in6_addr v6;

    if (!copy(a->host, sizeof(a->host), host))
        return false;
    if (bracketed)
        a->kind = ADDRESS_IPV6;
    else if (host.n == 0)
        a->kind = ADDRESS_ANY;
    else if (inet_pton(AF_INET, a->host, &v4) == 1)
        a->kind = ADDRESS_IPV4;
    else
        a->kind = ADDRESS_NAME;
    if (a->kind == ADDRESS_IPV6)
        return inet_pton(AF_INET6, a->host, &v6) == 1;
    return a->kind != ADDRESS_NAME || name_valid(host);
}

static bool parse_port(struct str text, uint16_t *port)
{
    uint64_t number;

    if (text.n > 5 || !str_to_u64(text, 10, &number) || number > UINT16_MAX)
        return false;
    *port = (uint16_t)number;
    return true;
}

bool address_parse(struct str text, struct address *a)
{
    static const struct str UNIX = STR_INIT("unix:");

    *a = (struct address){0};
    if (text.n > 0 && memchr(text.p, '\0', text.n) != NULL)
        return false;
    if (str_starts(text, UNIX)) {
        a->kind = ADDRESS_UNIX;
        return text.n > UNIX.n + 1 && text.p[UNIX.n] == '/' &&
               copy(a->path, sizeof(a->path), (struct str){text.p + UNIX.n, text.n - UNIX.n});
    }
    size_t colon = str_find_last(text, ':');
    struct str host = {text.p, colon};
    if (colon == text.n || !parse_port((struct str){text.p + colon + 1, text.n - colon - 1}, &a->port))
        return false;
    if (str_starts(host, STR("[")) && str_ends(host, STR("]")))
        return parse_host((struct str){host.p + 1, host.n - 2}, true, a);
    return parse_host(host, false, a);
}

static bool loopback_v6(const char *host)
{
    struct in6_addr v6;

    if (inet_pton(AF_INET6, host, &v6) != 1)
        return false;
    return IN6_IS_ADDR_LOOPBACK(&v6) || (IN6_IS_ADDR_V4MAPPED(&v6) && v6.s6_addr[12] == 127);
}

bool address_is_loopback(const struct address *a)
{
    switch (a->kind) {
    case ADDRESS_IPV4:
        return str_starts(str_of(a->host), STR("127."));
    case ADDRESS_IPV6:
        return loopback_v6(a->host);
    case ADDRESS_NAME:
        return str_eq_nocase(str_of(a->host), STR("localhost"));
    case ADDRESS_UNIX:
        return true;
    case ADDRESS_ANY:
        break;
    }
    return false;
}
