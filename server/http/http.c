#include "server/http/http.h"

#include <microhttpd.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#include "core/system/clock.h"
#include "server/http/deadline.h"
#include "server/http/exchange.h"
#include "server/http/url.h"
#include "server/http/vet.h"
#include "server/routes/routes.h"
#include "server/upload/progress.h"
#include "server/upload/upload.h"
#include "server/views/profiles.h"
#include "server/views/views.h"

enum {
    CONNECTION_BYTES = 32 << 10, /* of the library's, per connection: headers, and reads of a body; it clears
                                    them for each request, at 128 KiB for 40 % of all time */
    THREADS = 2,                 /* for connections; the work is the pool's */
    FORM_BYTES_MAX = 4096,
    TELL_S = 3,
    SMALL_REPLY_BYTES = 32 << 10, /* as much as a connection has anyway */
    DRAIN_BYTES = 1 << 20         /* of a form that is too large, and of a body that nobody asked for */
};

struct http {
    struct service *service;
    struct MHD_Daemon *daemon;
    struct deadlines *deadlines;
    pthread_mutex_t lock; /* of active */
    pthread_cond_t idle;
    unsigned active; /* requests under way */
    atomic_bool stopping;
    atomic_uint_fast64_t next_id;
};

struct request {
    struct exchange x; /* first: an exchange's HTTP side finds its request */
    struct http *http;
    struct MHD_Connection *connection;
    char *target; /* as sent */
    const struct route *route;
    enum { PHASE_BEGIN, PHASE_BODY, PHASE_HANDLE, PHASE_REFUSED, PHASE_REPLIED } phase;
    size_t body_bytes;  /* read by this side: forms and what is passed over */
    int64_t started_us; /* monotonic */
    unsigned status;
    uint64_t reply_bytes;
    size_t held_bytes; /* of the reply, in memory until the client has taken it */
    struct buf stream; /* of a streamed reply: made and not yet taken */
    size_t stream_taken;
    bool stream_ended;
};

/* ---- the exchange's HTTP side ---- */

static struct str slice(const char *terminated)
{
    return terminated == NULL ? (struct str){NULL, 0} : str_of(terminated);
}

static struct str get_header(const struct exchange *x, const char *name)
{
    return slice(MHD_lookup_connection_value(x->connection, MHD_HEADER_KIND, name));
}

static struct str get_query(const struct exchange *x, const char *name)
{
    return slice(MHD_lookup_connection_value(x->connection, MHD_GET_ARGUMENT_KIND, name));
}

struct each {
    bool (*each)(void *context, struct str key, struct str value);
    void *context;
};

static enum MHD_Result pass_query(void *cls, enum MHD_ValueKind kind, const char *key, const char *value)
{
    struct each *e = cls;

    (void)kind;
    return e->each(e->context, str_of(key), value == NULL ? STR("") : str_of(value)) ? MHD_YES : MHD_NO;
}

static void each_query(const struct exchange *x,
                       bool (*each)(void *context, struct str key, struct str value), void *context)
{
    struct each e = {each, context};

    MHD_get_connection_values(x->connection, MHD_GET_ARGUMENT_KIND, pass_query, &e);
}

static void suspend(struct exchange *x)
{
    MHD_suspend_connection(x->connection);
}

static void resume(struct exchange *x)
{
    MHD_resume_connection(x->connection);
}

/* ---- requests ---- */

/* With a request's line, so that the time before it is not its own, and with its end: a line has as long to come as a
 * request has behind it. */
static void restart_deadline(struct http *h, struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);

    if (info != NULL && info->socket_context != NULL)
        deadline_reset(h->deadlines, info->socket_context);
}

/* Called with the request line, before the library decodes it; what it returns is the request's context. */
static void *open_request(void *cls, const char *target, struct MHD_Connection *connection)
{
    struct http *h = cls;
    struct request *r = calloc(1, sizeof(*r));

    restart_deadline(h, connection);
    if (r == NULL)
        return NULL;
    r->target = strdup(target);
    if (r->target == NULL) {
        free(r);
        return NULL;
    }
    r->http = h;
    r->connection = connection;
    r->started_us = clock_us();
    reply_init(&r->x.reply);
    buf_init(&r->x.form, FORM_BYTES_MAX);
    r->x.service = h->service;
    r->x.connection = connection;
    r->x.id = atomic_fetch_add(&h->next_id, 1);
    r->x.header = get_header;
    r->x.query = get_query;
    r->x.each_query = each_query;
    r->x.suspend = suspend;
    r->x.resume = resume;
    pthread_mutex_lock(&h->lock);
    h->active++;
    pthread_mutex_unlock(&h->lock);
    return r;
}

/* Up to a delete token: of that the service keeps no more than a digest. It may be written as %74oken or TOKEN. */
static struct str target_without_token(const struct request *r)
{
    struct str target = str_of(r->target);
    size_t n = str_find_str(target, STR("token="));

    if (n == target.n && get_query(&r->x, "token").p != NULL)
        n = str_find(target, '?');
    return (struct str){target.p, n};
}

static void log_request(const struct request *r)
{
    LOG(r->http->service->log, LOG_INFO, "request", LOG_U64("id", r->x.id), LOG_STR("method", r->x.method),
        LOG_STR("target", target_without_token(r)), LOG_U64("status", r->status),
        LOG_U64("bytes", r->reply_bytes), LOG_U64("us", (uint64_t)(clock_us() - r->started_us)));
}

static void close_request(void *cls, struct MHD_Connection *connection, void **context,
                          enum MHD_RequestTerminationCode why)
{
    struct http *h = cls;
    struct request *r = *context;

    (void)why;
    *context = NULL;
    if (r == NULL)
        return;
    log_request(r);
    exchange_end_states(&r->x);
    buf_free(&r->stream);
    upload_free(r->x.upload);
    buf_free(&r->x.form);
    reply_free(&r->x.reply);
    reply_memory_take_off(r->held_bytes);
    free(r->target);
    free(r);
    restart_deadline(h, connection);
    pthread_mutex_lock(&h->lock);
    if (--h->active == 0)
        pthread_cond_broadcast(&h->idle);
    pthread_mutex_unlock(&h->lock);
}

/* The library gives no way to refuse a connection here; one without memory for its deadline has none. */
static void watch_connection(void *cls, struct MHD_Connection *connection, void **context,
                             enum MHD_ConnectionNotificationCode what)
{
    struct http *h = cls;
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    int on = 1;

    if (what == MHD_CONNECTION_NOTIFY_STARTED) {
        *context = calloc(1, sizeof(struct deadline));
        if (info == NULL || *context == NULL)
            return;
        setsockopt(info->connect_fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
        deadline_add(h->deadlines, *context, info->connect_fd);
    } else if (*context != NULL) {
        deadline_remove(h->deadlines, *context);
        free(*context);
        *context = NULL;
    }
}

/* ---- replies ---- */

static void end_answer(void *response)
{
    MHD_destroy_response(response);
}

/* A reader that had nothing to give would be asked again at once, for ever: the stream suspends instead. */
static ssize_t read_stream(void *cls, uint64_t position, char *out, size_t max)
{
    struct request *r = cls;

    (void)position;
    if (atomic_load(&r->http->stopping))
        return MHD_CONTENT_READER_END_WITH_ERROR;
    if (r->stream_taken == r->stream.n) {
        buf_clear(&r->stream);
        r->stream_taken = 0;
        if (r->stream_ended)
            return MHD_CONTENT_READER_END_OF_STREAM;
        if (!r->x.reply.stream(r->x.reply.stream_context, &r->stream, &r->stream_ended))
            return 0;
        if (r->stream.failed)
            return MHD_CONTENT_READER_END_WITH_ERROR;
    }
    size_t left = r->stream.n - r->stream_taken;
    size_t n = left < max ? left : max;
    memcpy(out, r->stream.p + r->stream_taken, n);
    r->stream_taken += n;
    return (ssize_t)n;
}

/* The response takes over what the reply holds; but shared bytes stay with the reply, which lives until the library
 * has done with the request. */
static struct MHD_Response *body_of(struct request *request)
{
    struct reply *r = &request->x.reply;
    struct MHD_Response *response = NULL;
    struct str bytes;

    switch (r->kind) {
    case REPLY_BUFFER:
        response = r->body.n == 0
                       ? MHD_create_response_from_buffer(0, "", MHD_RESPMEM_PERSISTENT)
                       : MHD_create_response_from_buffer(r->body.n, r->body.p, MHD_RESPMEM_MUST_FREE);
        if (response != NULL && r->body.n > 0)
            r->body = (struct buf){0};
        break;
    case REPLY_FILE:
        response = MHD_create_response_from_fd_at_offset64(r->file_bytes, r->fd, r->file_offset);
        if (response != NULL)
            r->fd = -1;
        break;
    case REPLY_SHARED:
    case REPLY_AGAIN: /* for completeness: it has its response */
        bytes = shared_bytes_view(r->shared);
        response =
            MHD_create_response_from_buffer(bytes.n, (void *)(uintptr_t)bytes.p, MHD_RESPMEM_PERSISTENT);
        break;
    case REPLY_STATIC:
        response = MHD_create_response_from_buffer(r->bytes.n, (void *)(uintptr_t)r->bytes.p,
                                                   MHD_RESPMEM_PERSISTENT);
        break;
    case REPLY_STREAM:
        response = MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, 4096, read_stream, request, NULL);
        break;
    }
    return response;
}

/* What protects the reader, on every answer whose handler did not set its own. */
static const struct {
    const char *name, *value;
} PROTECTION[] = {
    {"X-Content-Type-Options", "nosniff"},
    {"Referrer-Policy", "no-referrer"},
    {"Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'; sandbox"},
};

/* An answer that other requests get as well has nothing of this one. */
static bool to_be_shared(const struct reply *r)
{
    return r->kind == REPLY_SHARED && r->status == 200 && !r->close;
}

static bool add_headers(struct MHD_Response *response, const struct request *r)
{
    const struct reply *reply = &r->x.reply;
    char id[24];
    bool ok = true;

    for (size_t i = 0; i < sizeof(PROTECTION) / sizeof(*PROTECTION); i++)
        if (reply_header_value(reply, PROTECTION[i].name) == NULL)
            ok = MHD_add_response_header(response, PROTECTION[i].name, PROTECTION[i].value) == MHD_YES && ok;
    for (size_t i = 0; i < reply->n_headers; i++)
        ok = MHD_add_response_header(response, reply->headers[i].name,
                                     reply->text.p + reply->headers[i].value) == MHD_YES &&
             ok;
    snprintf(id, sizeof(id), "%llu", (unsigned long long)r->x.id);
    if (!to_be_shared(reply))
        ok = MHD_add_response_header(response, "X-Request-Id", id) == MHD_YES && ok;
    if (reply->close)
        ok = MHD_add_response_header(response, "Connection", "close") == MHD_YES && ok;
    return ok;
}

/* Clients that do not read must not fill the memory. Who takes the last bit of it may take a little more; small answers
 * always fit, and so do those of requests that have changed something: they cannot be asked for again. */
static void hold_memory(struct request *r)
{
    struct reply *reply = &r->x.reply;
    bool shared = reply->kind == REPLY_SHARED || reply->kind == REPLY_AGAIN;
    uint64_t own = reply_bytes(reply);
    struct diag diag = {0};

    if ((reply->kind != REPLY_BUFFER && !shared) || own <= SMALL_REPLY_BYTES)
        return;
    if (exchange_reads(&r->x) && !views_have_room(r->http->service, shared ? own : 0, &diag)) {
        exchange_diag(&r->x, &diag);
    } else if (!shared) {
        r->held_bytes = (size_t)own;
        reply_memory_add(r->held_bytes);
    }
}

static enum MHD_Result send_reply(struct request *r)
{
    struct reply *reply = &r->x.reply;

    if (reply->body.failed || reply->text.failed) {
        reply_free(reply);
        reply_init(reply);
        reply_static(reply, 503, "text/plain; charset=utf-8", STR("error: out of memory: try again later\n"));
    }
    reply_encode(reply, get_header(&r->x, "Accept-Encoding"));
    hold_memory(r);
    r->phase = PHASE_REPLIED;
    r->status = reply->status;
    r->reply_bytes = reply_bytes(reply);
    if (reply->kind == REPLY_AGAIN)
        return MHD_queue_response(r->connection, r->status, shared_bytes_answer(reply->shared));
    struct MHD_Response *response = body_of(r);
    if (response == NULL)
        return MHD_NO;
    enum MHD_Result result = MHD_NO;
    bool made = add_headers(response, r);
    if (made)
        result = MHD_queue_response(r->connection, r->status, response);
    if (!made || !to_be_shared(reply) || !shared_bytes_set_answer(reply->shared, response, end_answer))
        MHD_destroy_response(response);
    return result;
}

/* ---- phases ---- */

static enum MHD_Result pass_header(void *cls, enum MHD_ValueKind kind, const char *name, const char *value)
{
    (void)kind;
    vet_header(cls, str_of(name), value == NULL ? STR("") : str_of(value));
    return MHD_YES;
}

static bool vet(struct request *r, const char *version)
{
    struct vet v = {0};

    vet_target(&v, str_of(r->target));
    MHD_get_connection_values(r->connection, MHD_HEADER_KIND, pass_header, &v);
    vet_finish(&v, str_of(version));
    if (v.status == 0)
        return true;
    exchange_problem(&r->x, v.status, v.status == 501 ? "not implemented" : "malformed request",
                     "Send what an ordinary client sends; curl http://HOST/ shows the manual.", "%s",
                     v.detail);
    r->x.reply.close = true;
    return false;
}

static enum MHD_Result handle(struct request *r)
{
    r->phase = PHASE_HANDLE;
    if (r->x.form.failed && !r->x.form.full) {
        exchange_problem(&r->x, 503, "out of memory", "Try again later.", "No memory to take the form.");
        return send_reply(r);
    }
    if (r->x.form.failed) {
        exchange_problem(&r->x, 413, "form too large", "Send its fields alone, and a shorter name.",
                         "The form has more than %d bytes.", FORM_BYTES_MAX);
        return send_reply(r);
    }
    enum exchange_step step = r->x.then != NULL ? exchange_go_on(&r->x) : r->route->handle(&r->x);
    if (step == X_WAIT)
        return MHD_YES;
    exchange_precondition(&r->x);
    return send_reply(r);
}

static bool has_body(const struct exchange *x)
{
    return get_header(x, "Content-Length").p != NULL || get_header(x, "Transfer-Encoding").p != NULL;
}

static enum MHD_Result begin(struct request *r, const char *url, const char *method, const char *version)
{
    struct exchange *x = &r->x;

    x->method = str_of(method);
    x->path = url_rest(str_of(url)); /* the library has taken off the query */
    if (x->path.n == 0)
        x->path = STR("/");
    x->accepts = negotiate(get_header(x, "Accept"));
    if (!vet(r, version))
        return send_reply(r);
    x->origin = url_origin(str_of(r->target));
    r->route = route_find(x);
    bool refused = r->route == NULL || (r->route->begin != NULL && r->route->begin(x) == X_DONE);
    if (refused && has_body(x)) {
        x->reply.close = true;
        return send_reply(r);
    }
    /* The library ends a connection whose request is answered in this first call. */
    r->phase = refused ? PHASE_REFUSED : r->route->body == BODY_NONE ? PHASE_HANDLE : PHASE_BODY;
    return MHD_YES;
}

static enum MHD_Result pass_over(struct request *r, size_t *n)
{
    r->body_bytes += *n;
    *n = 0;
    return r->body_bytes > DRAIN_BYTES ? MHD_NO : MHD_YES;
}

static enum MHD_Result take_body(struct request *r, const char *p, size_t *n)
{
    if (r->route->body == BODY_FORM) {
        buf_bytes(&r->x.form, p, *n);
        return pass_over(r, n);
    }
    switch (upload_data(&r->x, p, *n)) {
    case UPLOAD_TAKEN:
        *n = 0;
        return MHD_YES;
    case UPLOAD_WAIT:
        return MHD_YES;
    case UPLOAD_CLOSE:
        break;
    }
    return MHD_NO;
}

/* The library calls this with the headers, with each piece of the body, at its end, and after each resume. */
static enum MHD_Result answer(void *cls, struct MHD_Connection *connection, const char *url,
                              const char *method, const char *version, const char *data, size_t *n,
                              void **context)
{
    struct http *h = cls;
    struct request *r = *context;

    (void)connection;
    if (r == NULL || atomic_load(&h->stopping))
        return MHD_NO;
    if (r->phase == PHASE_BEGIN)
        return begin(r, url, method, version);
    if (*n > 0)
        return r->phase == PHASE_BODY ? take_body(r, data, n) : pass_over(r, n);
    switch (r->phase) {
    case PHASE_BODY:
    case PHASE_HANDLE:
        return handle(r);
    case PHASE_REFUSED:
        return send_reply(r);
    case PHASE_BEGIN:
    case PHASE_REPLIED:
        break;
    }
    return MHD_YES;
}

/* ---- life ---- */

static void log_library(void *cls, const char *format, va_list arguments)
{
    struct http *h = cls;
    char line[512];

    vsnprintf(line, sizeof(line), format, arguments);
    LOG(h->service->log, LOG_DEBUG, "http", LOG_STR("text", str_of(line)));
}

/* Poll with a thread pool: in epoll mode the library keeps the descriptor of a client that closes early, and
 * with a thread per connection it races. Its own timeout sees idle connections only. */
static struct MHD_Daemon *start_daemon(struct http *h, int listen_fd)
{
    const struct config *c = h->service->config;

    return MHD_start_daemon(
        MHD_USE_POLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ERROR_LOG | MHD_USE_ITC, 0, NULL,
        NULL, answer, h, MHD_OPTION_EXTERNAL_LOGGER, log_library, h, MHD_OPTION_LISTEN_SOCKET, listen_fd,
        MHD_OPTION_THREAD_POOL_SIZE, (unsigned)THREADS, MHD_OPTION_CONNECTION_LIMIT,
        (unsigned)c->max_connections, MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)c->idle_timeout_s,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)CONNECTION_BYTES, MHD_OPTION_NOTIFY_COMPLETED,
        close_request, h, MHD_OPTION_NOTIFY_CONNECTION, watch_connection, h, MHD_OPTION_URI_LOG_CALLBACK,
        open_request, h, MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_END);
}

static void tick(void *context)
{
    const struct http *h = context;

    progresses_tick(h->service->progresses);
    profiles_tick(h->service->profiles);
}

static void http_free(struct http *h)
{
    deadlines_free(h->deadlines);
    pthread_cond_destroy(&h->idle);
    pthread_mutex_destroy(&h->lock);
    free(h);
}

struct http *http_start(struct service *service, int listen_fd, struct diag *diag)
{
    struct http *h = calloc(1, sizeof(*h));
    pthread_condattr_t monotonic;

    if (h != NULL) {
        h->service = service;
        atomic_init(&h->next_id, 1);
        pthread_mutex_init(&h->lock, NULL);
        pthread_condattr_init(&monotonic);
        pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
        pthread_cond_init(&h->idle, &monotonic);
        pthread_condattr_destroy(&monotonic);
        h->deadlines = deadlines_new(service->config->request_timeout_s, tick, h);
        if (h->deadlines != NULL)
            h->daemon = start_daemon(h, listen_fd);
        if (h->daemon != NULL)
            return h;
        http_free(h);
    }
    diag_set(diag, DIAG_IO, "cannot start",
             "Look at the limits of threads, memory and open files (ulimit -a).",
             "The HTTP side could not be started.");
    return NULL;
}

static bool wait_idle(struct http *h, unsigned seconds)
{
    struct timespec until;
    int waited = 0;

    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += seconds;
    pthread_mutex_lock(&h->lock);
    while (h->active > 0 && waited == 0)
        waited = pthread_cond_timedwait(&h->idle, &h->lock, &until);
    bool idle = h->active == 0;
    pthread_mutex_unlock(&h->lock);
    return idle;
}

void http_stop(struct http *h, unsigned grace_s)
{
    MHD_quiesce_daemon(h->daemon);
    wait_idle(h, grace_s);
    /* What takes long ends unfinished, and its clients are told. */
    atomic_store(&h->service->stopping, true);
    wait_idle(h, TELL_S);
    /* Those that wait for the pool are resumed by it, and then refused: the library aborts when it is stopped
     * with a suspended connection. */
    atomic_store(&h->stopping, true);
    deadlines_expire_all(h->deadlines);
    while (!wait_idle(h, 1))
        deadlines_expire_all(h->deadlines);
    MHD_stop_daemon(h->daemon);
    http_free(h);
}
