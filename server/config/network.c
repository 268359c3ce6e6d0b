#include "server/config/network.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>

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
    if (!str_to_u64((struct str){text.p + slash + 1, text.n - slash - 1}, 10, &given) ||
        given > ALL_BITS - before)
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
