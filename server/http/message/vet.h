/* What the HTTP library lets through and a careful server does not: request smuggling, paths that mean two
 * things. Pure; one struct per request. Sources: RFC 9112, RFC 9110, RFC 3986. */
#pragma once

#include "core/str.h"

struct vet {
    unsigned hosts, lengths, codings;
    uint32_t seen;      /* fields that may be there once, a bit for each */
    unsigned status;    /* 0: fine so far */
    const char *detail; /* what is wrong, for the client */
};

/* The request target as it was sent, before any decoding. */
void vet_target(struct vet *v, struct str raw);
/* Every header field, in order. */
void vet_header(struct vet *v, struct str name, struct str value);
/* After the last one. `version` is "HTTP/1.1" and the like. */
void vet_finish(struct vet *v, struct str version);
