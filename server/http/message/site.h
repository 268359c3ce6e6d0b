/* Whether a request is meant for this service, and whether a page of another site made the browser send
 * it. Pure.
 *
 * A web page elsewhere can make the browsers of its readers send forms to any address that they reach,
 * also to a service on their own machine. Browsers say where a request comes from: Sec-Fetch-Site
 * (https://www.w3.org/TR/fetch-metadata/) and Origin (RFC 6454, 7). Programs such as curl send neither,
 * and are not meant. */
#pragma once

#include "core/str.h"

/* p NULL: the request has no such field. */
struct site_request {
    struct str host;           /* the Host field, or the authority of an absolute target */
    struct str origin;         /* the Origin field */
    struct str sec_fetch_site; /* the Sec-Fetch-Site field */
};

/* What is ours. */
struct site_own {
    struct str external_url; /* as clients see the service; empty: not said */
    struct str hosts; /* further names, separated by commas, each with or without a port; empty: none */
};

/* Whether the Host is one of ours: that of external_url, one of the list, or an address or name of the
 * loopback. True for all if neither is said. Without a port in the list, any port is meant. Names are
 * compared without case. */
bool site_is_ours(const struct site_own *own, struct str host);

/* Whether the browser says that a page of our own sent it: what a cookie is believed for where something changes. */
bool site_is_own_page(const struct site_own *own, const struct site_request *r);

/* Whether a page of another site sent it. For requests that change something. */
bool site_is_foreign(const struct site_own *own, const struct site_request *r);
