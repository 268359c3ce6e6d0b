/* The HTTP side: requests of libmicrohttpd become exchanges, replies become its answers. Only the .c files
 * of this folder know the library. What is served is told by a struct http_site: this folder knows no
 * feature.
 *
 * Found by trial about the library (0.9.75), and kept here: poll with a thread pool, since in epoll mode
 * it keeps the descriptors of clients that close early, and with a thread per connection it races. Only
 * what is suspended may be resumed, and all of it before the stop. A content reader that returns 0 is
 * asked again at once, for ever: it suspends instead. A reply in the middle of a body is never sent. A
 * request that is answered in the call with its headers ends the connection. */
#pragma once

#include "core/diag.h"
#include "server/config/network.h"
#include "server/http/exchange.h"
#include "server/http/route.h"
#include "server/service.h"

struct http;

/* What is served. Lives as long as the struct http. */
struct http_site {
    /* The table that `find` looks in: requests are counted by its rows. */
    const struct route *routes;
    size_t n_routes;
    /* Whatever the Host header says: there is nothing that a page of another site may not know. */
    bool any_host;
    uint64_t connections; /* at a time */
    bool plain;           /* without TLS, also where the service has a certificate */
    bool
        handed_over; /* the socket is a service manager's: who comes during a stop waits for the next start */
    /* The route of x->method and x->path, with x->parameters filled. NULL: x->reply says why there is none. */
    const struct route *(*find)(struct exchange *x);
    /* Fills x->who, and compares it with the route's door. False: x->reply says why the door stays shut. */
    bool (*admits)(struct exchange *x, const struct route *route);
    /* Before the body of a request is read, behind the route's `begin`: X_WAIT, or X_DONE at once. NULL: nothing is done. */
    enum exchange_step (*prepare)(struct exchange *x);
    /* Calls the route's handler, behind the body of the request; what that needs may be fetched before. */
    enum exchange_step (*handle)(struct exchange *x, const struct route *route);
    /* Fills x->reply with a problem as a page. */
    void (*problem_page)(struct exchange *x, const struct problem *p);
    /* Called once a second, on a thread of the HTTP side: for those who wait until a time. `alive`: the threads of the
     * connections come back from what they do (pulse.h). */
    void (*tick)(struct service *service, bool alive);
};

/* Serves on the listening socket, which stays the caller's. NULL: diag. */
struct http *http_start(struct service *service, const struct http_site *site, int listen_fd,
                        struct diag *diag);

/* Refuses new requests, takes no connection of a socket that was handed over, waits for those under way, then ends the rest; in all it
 * takes up to grace_s. The threads must still run: their jobs resume those that wait for them. False: a
 * request could not be ended in that time. The library cannot be stopped then, and *h stays: the process
 * has to end without more ado. */
bool http_stop(struct http *h, unsigned grace_s) MUST_CHECK;

/* The socket that the service listens on. */

/* Binds and listens. The descriptor, or -1 (diag). Writes the address as it became, "127.0.0.1:8192", into
 * `bound`. A Unix socket that nobody listens on any more is replaced. */
int listen_open(const struct address *a, char *bound, size_t bound_bytes, struct diag *diag);

/* The socket that a service manager opened and handed over (systemd.socket: LISTEN_PID, LISTEN_FDS,
 * descriptor 3), or -1: none. Writes its address as above, or "unknown" if the system does not tell, and how many it
 * handed over in all. */
int listen_inherited(char *bound, size_t bound_bytes, uint64_t *handed_over);

/* Closes it, and removes a Unix socket's name. */
void listen_close(const struct address *a, int fd);
