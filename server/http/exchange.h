/* One request and its answer, as the handlers see them: no HTTP library here. A handler reads the request, fills
 * x->reply and returns X_DONE. One that cannot answer yet waits, as the section on waiting says, and goes on
 * where it waited. A request is handled by one thread at a time, its connection's. */
#pragma once

#include <stddef.h>

#include "core/buf.h"
#include "core/diag.h"
#include "core/stop.h"
#include "core/system/turns.h"
#include "server/config/config.h"
#include "server/config/network.h"
#include "server/doors/who.h"
#include "server/figures/figures.h"
#include "server/service.h"

struct shared_bytes;

/* ---- the answer, before it is sent: status, headers, body ---- */

enum { REPLY_HEADERS_MAX = 24 };

struct reply {
    unsigned status; /* 0: not made yet */
    struct {
        const char *name; /* static */
        size_t value, n;  /* in `text` */
    } headers[REPLY_HEADERS_MAX];
    size_t n_headers;
    struct buf text; /* header values, each terminated */
    enum { REPLY_BUFFER, REPLY_FILE, REPLY_SHARED, REPLY_AGAIN, REPLY_STATIC, REPLY_STREAM } kind;
    struct buf body;             /* REPLY_BUFFER */
    struct shared_bytes *shared; /* REPLY_SHARED, REPLY_AGAIN: a reference of this reply's own */
    struct str bytes;            /* REPLY_STATIC: lives as long as the program */
    int fd;                      /* REPLY_FILE: this reply's own */
    uint64_t file_offset, file_bytes;
    bool (*stream)(void *context, struct buf *out, bool *ended); /* REPLY_STREAM */
    void *stream_context;
    bool own_headers; /* they are of this request alone: of shared bytes, the next answer is made anew */
    bool encoded;     /* looked at by reply_encode */
    bool close;       /* the connection ends after this answer */
};
void reply_init(struct reply *r);
void reply_free(struct reply *r);

/* Adds a header; the value must not come from outside unless it was checked (no control characters). */
void reply_header(struct reply *r, const char *static_name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Starts an answer whose body goes into r->body. */
struct buf *reply_text(struct reply *r, unsigned status, const char *media_type);
void reply_shared(struct reply *r, unsigned status, const char *media_type,
                  struct shared_bytes *s); /* takes the reference */

/* The answer that the bytes have already: 200, its headers, and none of this reply's; takes the reference. */
void reply_again(struct reply *r, struct shared_bytes *s);
void reply_static(struct reply *r, unsigned status, const char *media_type, struct str bytes);
void reply_file(struct reply *r, unsigned status, const char *media_type, int fd, uint64_t offset,
                uint64_t bytes); /* takes fd */

/* A body that comes in pieces: `stream` appends the next one and says with *ended that it was the last;
 * false: it has made the exchange wait (exchange_wait), and is called again after the resume. */
void reply_stream(struct reply *r, unsigned status, const char *media_type,
                  bool (*stream)(void *context, struct buf *out, bool *ended), void *context);

/* Encodes a body of REPLY_BUFFER for a client with this header Accept-Encoding, if it is a success, has more than
 * REPLY_ENCODE_BYTES, and its Vary names Accept-Encoding; that is how a handler says that it may be encoded. */
enum { REPLY_ENCODE_BYTES = 4096 };
void reply_encode(struct reply *r, struct str accept_encoding);

/* How many bytes that would encode; 0: none, or it was done. */
size_t reply_to_encode(const struct reply *r, struct str accept_encoding);

/* Length of the body in bytes; 0 of a stream. */
uint64_t reply_bytes(const struct reply *r);

/* Value of a header set before, or NULL. */
const char *reply_header_value(const struct reply *r, const char *name);

/* How much memory the answers take that clients have not taken yet, and the views that are kept. Clients
 * that do not read must not fill the memory. One count for the whole program. Any thread. */

void reply_memory_add(size_t bytes);
void reply_memory_take_off(size_t bytes);
uint64_t reply_memory(void);

/* Whether there is room for another answer, of which `own` bytes are counted already. False: diag, for its client. */
bool reply_memory_left(const struct config *config, uint64_t own, struct diag *diag);

/* Bytes that several answers may share: counted, and never changed once they are shared. Any thread. */

/* Takes the buffer's memory over. NULL: no memory, and the buffer is freed. */
struct shared_bytes *shared_bytes_new(struct buf *taken);
struct shared_bytes *shared_bytes_ref(struct shared_bytes *s);
void shared_bytes_unref(struct shared_bytes *s); /* NULL is fine */
struct str shared_bytes_view(const struct shared_bytes *s);

/* The sender's own form of an answer of these bytes, status 200 and all headers, so that the next one need not be
 * made again. NULL: none yet. Ends with the bytes. */
void *shared_bytes_answer(struct shared_bytes *s);

/* False: there is one already; the caller keeps what it made. */
bool shared_bytes_set_answer(struct shared_bytes *s, void *answer, void (*end)(void *answer)) MUST_CHECK;

/* ---- the request ---- */

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
struct looked_up;      /* routes/admit.c */

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
    char address[NETWORK_TEXT_BYTES]; /* for the log: of IPv6 all of it, while `client` is a /64; "-": none */
    bool by_proxy;                    /* a trusted proxy sends it, or it comes over a Unix socket */
    struct who who;
    bool passed;   /* a pass in its URL lets it read what is for the team, whoever asks */
    bool team;     /* it is about an upload that is for the team */
    bool stale;    /* what is known of the upload may be old: the object store does not answer */
    unsigned door; /* enum door, of its route */

    /* These belong to the handler. */
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
void *exchange_state(struct exchange *x, size_t bytes, void (*end)(void *state)) MUST_CHECK;

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
