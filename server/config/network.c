#include "server/config/network.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>

#include "core/str.h"

static const uint8_t IPV4_PREFIX[12] = {[10] = 0xff, [11] = 0xff};

enum { IPV4_BITS_BEFORE = 96, ALL_BITS = 128, CLIENT_BYTES_V6 = 8 };

static bool is_ipv4(struct network_address a)
{
    return memcmp(a.bytes, IPV4_PREFIX, sizeof(IPV4_PREFIX)) == 0;
}

static struct network_address from_ipv4(const void *four_bytes)
{
    struct network_address a;

    memcpy(a.bytes, IPV4_PREFIX, sizeof(IPV4_PREFIX));
    memcpy(a.bytes + sizeof(IPV4_PREFIX), four_bytes, 4);
    return a;
}

bool network_of_peer(const struct sockaddr *peer, struct network_address *out)
{
    if (peer->sa_family == AF_INET) {
        struct sockaddr_in in;
        memcpy(&in, peer, sizeof(in));
        *out = from_ipv4(&in.sin_addr);
        return true;
    }
    if (peer->sa_family != AF_INET6)
        return false;
    struct sockaddr_in6 in6;
    memcpy(&in6, peer, sizeof(in6));
    memcpy(out->bytes, &in6.sin6_addr, sizeof(out->bytes));
    return true;
}

/* Without port or brackets. */
static bool parse_bare(struct str text, struct network_address *out)
{
    char terminated[INET6_ADDRSTRLEN];
    uint8_t four[4];

    if (text.n == 0 || text.n >= sizeof(terminated))
        return false;
    memcpy(terminated, text.p, text.n);
    terminated[text.n] = '\0';
    if (strlen(terminated) != text.n)
        return false;
    if (inet_pton(AF_INET, terminated, four) == 1) {
        *out = from_ipv4(four);
        return true;
    }
    return inet_pton(AF_INET6, terminated, out->bytes) == 1;
}

bool network_parse(struct str text, struct network_address *out)
{
    size_t colon = str_find(text, ':');

    if (text.n > 0 && text.p[0] == '[') {
        size_t end = str_find(text, ']');
        bool port_or_end = end < text.n && (end + 1 == text.n || text.p[end + 1] == ':');
        return port_or_end && parse_bare((struct str){text.p + 1, end - 1}, out);
    }
    bool one_colon = colon < text.n && str_find_last(text, ':') == colon;
    return parse_bare(one_colon ? (struct str){text.p, colon} : text, out);
}

struct network_address network_of_client(struct network_address a)
{
    if (!is_ipv4(a))
        memset(a.bytes + CLIENT_BYTES_V6, 0, sizeof(a.bytes) - CLIENT_BYTES_V6);
    return a;
}

void network_text(struct network_address a, char out[NETWORK_TEXT_BYTES])
{
    bool v4 = is_ipv4(a);

    if (inet_ntop(v4 ? AF_INET : AF_INET6, v4 ? a.bytes + sizeof(IPV4_PREFIX) : a.bytes, out,
                  NETWORK_TEXT_BYTES) == NULL)
        out[0] = '\0';
}

/* ADDRESS or ADDRESS/BITS; *bits counts from the front of the sixteen bytes. */
static bool parse_network(struct str text, struct network_address *a, unsigned *bits)
{
    size_t slash = str_find(text, '/');
    uint64_t given;

    if (!parse_bare((struct str){text.p, slash}, a))
        return false;
    unsigned before = is_ipv4(*a) ? IPV4_BITS_BEFORE : 0;
    *bits = ALL_BITS;
    if (slash == text.n)
        return true;
    if (!str_to_u64(str_from(text, slash + 1), 10, &given) || given > ALL_BITS - before)
        return false;
    *bits = before + (unsigned)given;
    return true;
}

static bool begins_alike(struct network_address a, struct network_address b, unsigned bits)
{
    unsigned whole = bits / 8, rest = bits % 8;

    if (memcmp(a.bytes, b.bytes, whole) != 0)
        return false;
    return rest == 0 || (a.bytes[whole] ^ b.bytes[whole]) >> (8 - rest) == 0;
}

bool network_list_valid(struct str list)
{
    struct network_address a;
    struct str part;
    unsigned bits;

    while (str_split(&list, ',', &part))
        if (str_trim(part).n > 0 && !parse_network(str_trim(part), &a, &bits))
            return false;
    return true;
}

bool network_list_holds(struct str list, struct network_address address)
{
    struct network_address a;
    struct str part;
    unsigned bits;

    while (str_split(&list, ',', &part))
        if (parse_network(str_trim(part), &a, &bits) && begins_alike(a, address, bits))
            return true;
    return false;
}

/* ---- what is listened on ---- */

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
               copy(a->path, sizeof(a->path), str_from(text, UNIX.n));
    }
    size_t colon = str_find_last(text, ':');
    struct str host = {text.p, colon};
    if (colon == text.n || !parse_port(str_from(text, colon + 1), &a->port))
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
