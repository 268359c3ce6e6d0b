/* Who a client is, as far as its address tells: an IPv4 address, or the /64 network of an IPv6 address, which one
 * customer has to itself. And lists of networks, as `trusted_proxies` names them: "10.0.0.0/8, 192.0.2.7, ::1".
 * Pure; no file and no lookup of names. */
#pragma once

#include <sys/socket.h>

#include "core/str.h"

/* An address in the form of IPv6; IPv4 is ::ffff:a.b.c.d. */
struct network_address {
    uint8_t bytes[16];
};

/* Of a peer. False for other families, such as Unix sockets: these have no address. */
bool network_of_peer(const struct sockaddr *peer, struct network_address *out) MUST_CHECK;

/* "192.0.2.7", "2001:db8::1" or, as forwarding headers write it, either with a port: "192.0.2.7:4711",
 * "[2001:db8::1]:4711". False if it is none of these. */
bool network_parse(struct str text, struct network_address *out) MUST_CHECK;

/* The address that stands for the client: that of its /64 for IPv6, its own for IPv4. */
struct network_address network_of_client(struct network_address address);

/* Appends the client's address as people write it to `out`, which has room for NETWORK_TEXT_BYTES; terminated. */
enum { NETWORK_TEXT_BYTES = 46 };

void network_text(struct network_address address, char out[NETWORK_TEXT_BYTES]);

/* Whether the list, separated by commas, is well formed: addresses, or networks ADDRESS/BITS. Empty is fine. */
bool network_list_valid(struct str list);

/* Whether one of the networks in the list, which is valid, holds the address. */
bool network_list_holds(struct str list, struct network_address address);

/* What a service listens on, as text: `127.0.0.1:8192`, `[::1]:8192`, `name:8192`, `:8192` (every address),
 * or `unix:/path`. */

enum address_kind { ADDRESS_ANY, ADDRESS_IPV4, ADDRESS_IPV6, ADDRESS_NAME, ADDRESS_UNIX };

struct address {
    enum address_kind kind;
    char host[256]; /* without brackets; empty for ADDRESS_ANY and ADDRESS_UNIX */
    uint16_t port;  /* 0: the system chooses */
    char path[108]; /* of ADDRESS_UNIX; fits sockaddr_un */
};

bool address_parse(struct str text, struct address *a) MUST_CHECK;

/* 127.0.0.0/8, ::1, either of them written as the other, localhost, and Unix sockets. */
bool address_is_loopback(const struct address *a);
