/* The inside of server/http: how requests and answers of libmicrohttpd become exchanges and replies.
 * Included by this folder's .c files only. The library calls, from the threads that it serves connections
 * with:
 *
 *     connection_changed    a connection begins or has ended              (http.c)      
 *     request_open          the request line is there, not yet decoded    (request.c)
 *     request_step          the headers are there; then for each piece of the body, at its end, and after each
 *                           resume                                        (request.c)
 *     request_close         the answer was sent, or the connection broke  (request.c)
 *
 * A request belongs to one connection, and all calls for it come from that connection's thread. What other
 * threads may touch is said where it stands. */
#pragma once

#include <microhttpd.h>
#include <pthread.h>
#include <stdatomic.h>

#include "server/http/clients.h"
#include "server/http/deadline.h"
#include "server/http/exchange.h"
#include "server/http/http.h"
#include "server/http/pulse.h"
#include "server/http/route.h"

/* The slowest client that any transfer has time for, beside request_timeout_s. */
#define HTTP_SLOWEST_BYTES_PER_S UINT64_C(1000000)

struct http {
    struct service *service;
    const struct http_site *site;
    struct MHD_Daemon *daemon;
    struct deadlines *deadlines;
    struct pulses pulses;             /* of the daemon's threads */
    atomic_uint_fast64_t connections; /* that are open */
    atomic_bool ending;               /* the service is told to stop: new requests are refused */
    atomic_uint active;               /* requests under way */
    atomic_bool stopping;             /* requests that were resumed are dropped */
    uint32_t start;                   /* of the service, as a random number: request ids begin with it */
    atomic_uint_fast64_t next_id;
};

/* What the library keeps for us with each connection; its thread's. */
struct connection {
    struct deadline deadline; /* first: connection_look finds the rest */
    int fd;
    struct http *http;
    bool watched;          /* by the deadlines, and counted in http.connections */
    bool counted;          /* in the client's share */
    bool trusted;          /* a proxy of trusted_proxies: its header says who the client is */
    bool local;            /* it comes over a Unix socket */
    bool of_reserve;       /* beyond max_connections: it gets no other answer than that of /healthz */
    struct client *client; /* a reference; NULL: no memory */
    char address[NETWORK_TEXT_BYTES]; /* of who is connected, as in struct exchange */
    struct request *request;          /* under way; the library may forget to say that it has ended */
};

enum {
    SUSPENDED_NOT,
    SUSPENDED_WAITS,
    SUSPENDED_WORKS /* somebody works on it: exchange_work */
};

struct request {
    struct exchange x; /* first: an exchange's HTTP side finds its request */
    struct http *http;
    struct MHD_Connection *connection;
    char *target; /* as sent */
    const struct route *route;
    atomic_bool left;     /* The client has left: the request ends as soon as nobody works on it. */
    atomic_int suspended; /* SUSPENDED_NOT, _WAITS or _WORKS */
    enum {
        PHASE_BEGIN,   /* the headers are to be looked at */
        PHASE_BODY,    /* the route's body is taken */
        PHASE_HANDLE,  /* the handler was called, or is to be called at the end of a body that nobody wants */
        PHASE_REFUSED, /* the reply is made; it is sent when the body has been passed over */
        PHASE_REPLIED  /* the library has the answer */
    } phase;
    bool is_prepared;      /* the site's `prepare` was called */
    uint64_t passed_bytes; /* of a body that nobody wants */
    uint64_t body_bytes;   /* of one that the route takes, so far */
    int64_t started_us;    /* monotonic */
    bool replied;          /* the library has an answer to send */
    unsigned status;
    uint64_t reply_bytes;
    size_t held_bytes;     /* of the reply, in memory until the client has taken it */
    uint64_t stream_bytes; /* of a streamed reply, so far */
    struct buf stream;     /* of it: made, and not yet taken */
    size_t stream_taken;
    bool stream_ended;
};

void *request_open(void *http, const char *target, struct MHD_Connection *connection);
void request_close(void *http, struct MHD_Connection *connection, void **context,
                   enum MHD_RequestTerminationCode end);
/* Looks whether the client has closed the connection, or its side of it: then the request waits for
 * nothing any more, and what is worked on for it is done first. Any thread, while no time runs for the
 * client. May be called again. */
void request_look(struct request *r);

enum MHD_Result request_step(void *http, struct MHD_Connection *connection, const char *url,
                             const char *method, const char *version, const char *data, size_t *n,
                             void **context);
