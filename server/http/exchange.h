/* One request and its answer, as the handlers see them: no HTTP library here. A handler reads the request,
 * fills x->reply and returns; or it returns X_WAIT after it has arranged that x->resume is called, and is
 * then called again. */
#ifndef SERVER_HTTP_EXCHANGE_H
#define SERVER_HTTP_EXCHANGE_H

#include "server/http/reply.h"
#include "server/service.h"

enum { EXCHANGE_PARAMETERS_MAX = 3 };

enum representation { AS_TEXT, AS_HTML, AS_JSON, AS_SVG };

enum exchange_step {
    X_DONE, /* x->reply is made */
    X_WAIT  /* suspended; x->resume will be called, then the handler again */
};

struct exchange {
    struct service *service;
    void *connection;                               /* the HTTP side's */
    uint64_t id;                                    /* shown to the client and in the log */
    struct str method;                              /* "GET"; a HEAD request is handled as GET */
    struct str origin;                              /* "http://host" of an absolute target; or empty */
    struct str path;                                /* decoded and vetted; begins with / */
    struct str parameters[EXCHANGE_PARAMETERS_MAX]; /* what the route's {} matched */
    enum representation accepts; /* what the Accept header prefers; a suffix in the URL may override it */
    struct str profile;          /* the id of the upload that was found for it; empty: none */
    struct reply reply;

    /* Of the HTTP side. Values live as long as the request; p == NULL: not there. */
    struct str (*header)(const struct exchange *x, const char *name);
    struct str (*query)(const struct exchange *x, const char *name);
    /* Calls each(context, key, value) for every query parameter until it returns false. */
    void (*each_query)(const struct exchange *x,
                       bool (*each)(void *context, struct str key, struct str value), void *context);
    /* Suspend and resume, both under the lock that guards what is waited for; resume only what is suspended.
     */
    void (*suspend)(struct exchange *x);
    void (*resume)(struct exchange *x);

    struct buf form;              /* of a form route: the whole body, application/x-www-form-urlencoded */
    struct buf gathered;          /* of a handler that waits more than once: what it has so far */
    struct upload *upload;        /* of an upload route */
    int64_t wait_until_s;         /* of a long poll; 0: not begun */
    uint32_t events_seen;         /* of an event stream */
    struct progress_watch *watch; /* of an upload in progress */
    struct view_wait *wait;       /* of a view that is being made */
};

/* "http://host:8192" as the client knows the service, without slash at the end: external_url, or from the
 * target (RFC 9112, 3.2.2), or from the Host header, or the address listened on. Appended to b. */
void exchange_base_url(const struct exchange *x, struct buf *b);

/* Whether the request changes nothing. */
static inline bool exchange_reads(const struct exchange *x)
{
    return str_eq(x->method, STR("GET")) || str_eq(x->method, STR("HEAD"));
}

/* The preferred representation of an Accept header (RFC 9110, 12.5.1); only types that are named count, so
 * that curl and others with wildcards get text. */
enum representation negotiate(struct str accept);

/* Once x->reply is made: 412 instead, if the request's If-Match names other tags than the reply has. Nothing here has a
 * Last-Modified, so that If-Unmodified-Since is to be ignored. */
void exchange_precondition(struct exchange *x);

/* ---- problems: RFC 9457 JSON, plain text, or a page, as the client prefers ---- */

/* Fills x->reply. `hint` may be empty. */
void exchange_problem(struct exchange *x, unsigned status, const char *title, const char *hint,
                      const char *detail, ...) __attribute__((format(printf, 5, 6)));
/* Status from the kind: 400, 404, 413, 415, 422, 503, 507; DIAG_IO is 500. */
void exchange_diag(struct exchange *x, const struct diag *diag);

#endif
