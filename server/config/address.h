/* What a service listens on, as text: `127.0.0.1:8192`, `[::1]:8192`, `name:8192`, `:8192` (every address),
 * or `unix:/path`. */
#ifndef SERVER_CONFIG_ADDRESS_H
#define SERVER_CONFIG_ADDRESS_H

#include "core/str.h"

enum address_kind { ADDRESS_ANY, ADDRESS_IPV4, ADDRESS_IPV6, ADDRESS_NAME, ADDRESS_UNIX };

struct address {
    enum address_kind kind;
    char host[256]; /* without brackets; empty for ADDRESS_ANY and ADDRESS_UNIX */
    uint16_t port;  /* 0: the system chooses */
    char path[108]; /* of ADDRESS_UNIX; fits sockaddr_un */
};

bool address_parse(struct str text, struct address *a) __attribute__((warn_unused_result));

/* 127.0.0.0/8, ::1, either of them written as the other, localhost, and Unix sockets. */
bool address_is_loopback(const struct address *a);

#endif
