/* One request and its answer, as the handlers see them: no HTTP library here. A handler reads the request, fills
 * x->reply and returns X_DONE. One that cannot answer yet waits, as the second half of this file says, and goes on
 * where it waited. A request is handled by one thread at a time, its connection's. */
#ifndef SERVER_HTTP_EXCHANGE_H
#define SERVER_HTTP_EXCHANGE_H

#include <stddef.h>

#include "core/diag.h"
#include "core/stop.h"
#include "core/system/turns.h"
#include "server/doors/who.h"
#include "server/figures/figures.h"
#include "server/http/reply.h"
#include "server/service.h"

enum {
    EXCHANGE_PARAMETERS_MAX = 3,
    EXCHANGE_ID_BYTES = 32,  /* with its end */
    EXCHANGE_WHY_BYTES = 256 /* with its end */
};

enum representation { AS_TEXT, AS_HTML, AS_JSON, AS_SVG };

enum exchange_step {
    X_DONE, /* x->reply is made */
    X_WAIT  /* suspended; what was told to exchange_then goes on after the resume */
};
struct problem;
struct client;
struct exchange_state; /* see exchange_state() */
struct looked_up;      /* routes/looked_up.h */

struct exchange {
    struct service *service; /* what all requests share */
    /* Shown to the client and in the log; other starts of the service give other ids. */
    char id[EXCHANGE_ID_BYTES];

    /* Of the request; known before a route is looked for. */
    struct str method;           /* "GET"; a HEAD request is handled as GET */
    struct str origin;           /* "http://host" of an absolute target; or empty */
    struct str target;           /* as sent, from its / on: path and query */
    struct str path;             /* decoded and vetted; begins with / */
    enum representation accepts; /* what the Accept header prefers; a suffix in the URL may override it */
    bool previews; /* the client is a chat program that shows what a link leads to; accepts is AS_HTML then */
    struct str parameters[EXCHANGE_PARAMETERS_MAX]; /* what the route's {} matched */
    unsigned keys;                                  /* the route's */

    /* Of who asks. Filled before the route's handler is called. */
    bool by_proxy; /* a trusted proxy sends it, or it comes over a Unix socket */
    struct who who;
    bool passed;   /* a pass in its URL lets it read what is for the team, whoever asks */
    bool team;     /* it is about an upload that is for the team */
    bool stale;    /* what is known of the upload may be old: the object store does not answer */
    unsigned door; /* enum door, of its route */

    /* Of who handles it. */
    struct str profile;          /* the id of the upload that was found for it; empty: none */
    struct looked_up *looked_up; /* records; NULL: none */
    void *body;                  /* what was made of its body (http/route.h): a state of the exchange */
    struct reply reply;
    char why[EXCHANGE_WHY_BYTES]; /* of a refusal, in short, for the log; or empty */
    enum figures_refusal refusal; /* where the status alone does not tell it */
    struct turn *turn;            /* of the work that is done for it; NULL: on its connection's thread */

    /* Filled by who runs the exchange. Values live as long as the request; p == NULL: not there. */
    struct stop stop;      /* STOP_LEFT: the client has left; above is the service's */
    struct client *client; /* who asks: see clients.h; a reference for as long as the exchange */
    void *connection;      /* nobody else's business */
    struct str (*header)(const struct exchange *x, const char *name);
    /* How often the field is there. */
    unsigned (*headers)(const struct exchange *x, const char *name);
    struct str (*query)(const struct exchange *x, const char *name);
    /* Calls each(context, key, value) for every query parameter that is not empty, until it returns false. */
    void (*each_query)(const struct exchange *x,
                       bool (*each)(void *context, struct str key, struct str value), void *context);
    /* Fills x->reply with the problem as a page. */
    void (*problem_page)(struct exchange *x, const struct problem *p);
    /* See exchange_wait() and exchange_resume(): nobody else calls these. `works`: the exchange is being
     * worked on. */
    void (*suspend)(struct exchange *x, bool works);
    void (*resume)(struct exchange *x);
    /* Whether the client has left: asked while the exchange waits, under the owner's lock. */
    bool (*is_left)(const struct exchange *x);

    /* Used by exchange.c only. */
    enum exchange_step (*then)(struct exchange *x, void *context);
    void *then_context;
    struct exchange_state *states; /* the youngest first */
};

/* ---- waiting ----
 *
 * Who makes something that requests wait for ("the owner": the views, the progress of uploads, a job) has a lock, and
 * keeps for each waiting request a state of its own with a struct exchange_wait in it. The handler's side:
 *
 *     s = exchange_state(x, sizeof(*s), forget);
 *     lock; if it is not there yet: put s into the owner's list, exchange_wait(x, &s->wait); unlock
 *     return exchange_then(x, go_on, s);
 *
 * The owner's side, on any thread, when it is there:
 *
 *     lock; exchange_resume(&s->wait); unlock
 *
 * Then go_on(x, s) is called on the connection's thread, without any lock. It may wait again, for anything.
 *
 * Whoever makes something resumes all who wait for it, also when it fails and when the service stops. But the client may
 * leave before that, or before go_on, which is not called then. forget(s) is called always: it takes the lock, and takes
 * s out of the owner's list. So nobody finds a state that was freed, and a state stays while somebody holds the lock.
 *
 * A body (http/route.h) and a streamed answer (reply_stream) wait in the same way, but without exchange_then: they are
 * called again. */

struct exchange_wait {
    struct exchange *exchange; /* suspended until the resume; NULL: nobody waits */
};

/* Both are called under the owner's lock. At most one wait of a request is under way at a time. To resume when nobody
 * waits, or for a second time, does nothing. */
void exchange_wait(struct exchange *x, struct exchange_wait *w);
void exchange_resume(struct exchange_wait *w);

/* What goes on after the resume. Returns X_WAIT, for the handler to return at once. Only the connection's
 * thread reads it, so it may be told behind the wait, without lock. */
enum exchange_step exchange_then(struct exchange *x,
                                 enum exchange_step (*then)(struct exchange *x, void *context),
                                 void *context);

/* Zeroed memory that lives until the request has ended and its answer was sent. `end` (NULL: nothing to do) is called
 * then, once, on the connection's thread, in whatever way the request ended; states end in the reverse order of their
 * making. NULL: no memory. */
void *exchange_state(struct exchange *x, size_t bytes, void (*end)(void *state))
    __attribute__((warn_unused_result));

/* For who runs the exchange. Whether something goes on after the resume, and going on. */
bool exchange_goes_on(const struct exchange *x);
enum exchange_step exchange_go_on(struct exchange *x);

/* The request has ended: ends all states. */
void exchange_end_states(struct exchange *x);

/* ---- what the request says ---- */

/* "http://host:8192" as the client knows the service, without slash at the end: external_url, or from the
 * target (RFC 9112, 3.2.2), or from the Host header, or the address listened on. Appended to b. */
void exchange_base_url(const struct exchange *x, struct buf *b);

/* Whether the browser says that a page of the service itself made it send the request. */
bool exchange_is_of_own_page(const struct exchange *x);

/* Whether the request changes nothing. */
static inline bool exchange_reads(const struct exchange *x)
{
    return str_eq(x->method, STR("GET")) || str_eq(x->method, STR("HEAD"));
}

/* The preferred representation of an Accept header (RFC 9110, 12.5.1); only types that are named count, so
 * that curl and others with wildcards get text. */
enum representation negotiate(struct str accept);

/* Work of an answer that takes long, on a thread of its own: the threads of the connections only move
 * bytes. The exchange is suspended meanwhile. */

/* What is made from fewer bytes than this is made at once: to hand it over would take longer. */
enum { WORK_SMALL_BYTES = 64 << 10, WORK_ALWAYS = WORK_SMALL_BYTES };
/* As `bytes`: what may take long, such as many uploads. It takes no thread and no turn from what is short. */
#define WORK_LONG SIZE_MAX

/* For a handler, which returns what this returns. work(x, context) is called, on a thread that may block
 * unless `bytes` is small: it has the exchange to itself, and may do with it what a handler may, but not
 * wait. If `bytes` is not small it has a turn, x->turn, and gives it before what blocks. Then then(x,
 * context) goes on; NULL: the reply is made. The work is done also if the client leaves meanwhile, or the
 * service stops; what goes on is not. */
enum exchange_step exchange_work(struct exchange *x, size_t bytes,
                                 void (*work)(struct exchange *x, void *context),
                                 enum exchange_step (*then)(struct exchange *x, void *context),
                                 void *context);

/* ---- problems ----
 *
 * What went wrong, told to the client in the form that it prefers: RFC 9457 JSON, plain text, or a page. */

struct problem {
    unsigned status;
    struct str title, detail, hint; /* from outside in parts: to be escaped; the hint may be empty */
    const uint64_t *offset;         /* of the byte in the upload; NULL: none */
};

/* Fills x->reply, whatever it holds; that the connection is to end stays true. `hint` may be empty.
 * Returns X_DONE, for handlers, as do those below. */
enum exchange_step exchange_problem(struct exchange *x, unsigned status, const char *title, const char *hint,
                                    const char *detail, ...) __attribute__((format(printf, 5, 6)));
/* Status from the kind: 300, 400, 404, 413, 415, 422, 502, 503, 507; DIAG_IO is 500. */
enum exchange_step exchange_diag(struct exchange *x, const struct diag *diag);
/* 503. `what` there was no memory for: "the answer". */
enum exchange_step exchange_no_memory(struct exchange *x, const char *what);

/* The detail, with the offset behind it in words; not escaped. */
void problem_detail(struct buf *b, const struct problem *p);

#endif
