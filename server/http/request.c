/* A request from its first line to its last byte: what it may ask, which answer fits it, and sending that. */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/system/clock.h"
#include "core/system/log.h"
#include "server/http/exchange.h"
#include "server/http/http_impl.h"
#include "server/http/message/accept.h"
#include "server/http/message/form.h"
#include "server/http/message/range.h"
#include "server/http/message/site.h"
#include "server/http/message/vet.h"
#include "server/service.h"

/* ---- the connection of a request ---- */

/* Whether the client has closed the connection, or its side of it: the library closes the connection of
 * such a client when it is resumed, and gives it no answer. Any thread, as long as the connection is
 * there. */
static bool connection_is_left(const struct connection *c)
{
    struct pollfd p = {.fd = c->fd, .events = POLLRDHUP};

    return poll(&p, 1, 0) > 0;
}

/* NULL: there was no memory for it. */
static struct connection *connection_of(struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);

    return info == NULL ? NULL : info->socket_context;
}

/* The client has so many seconds for what it is to do from now on; 0: it is our turn. See deadline.h. */
static void connection_time(struct http *h, struct MHD_Connection *connection, uint64_t seconds)
{
    struct connection *c = connection_of(connection);

    if (c != NULL && c->watched)
        deadline_set(h->deadlines, &c->deadline, seconds);
}

/* ---- preconditions ---- */

/* If-Match, of every answer that has a tag. */

/* Without conditions it would have been a success: an error goes before the condition (RFC 9110, 13.2.1), and the
 * condition before If-None-Match (13.2.2). */
static bool succeeded(unsigned status)
{
    return status == 200 || status == 206 || status == 304;
}

/* Once x->reply is made: 412 instead, if the request's If-Match names other tags than the reply has.
 * Nothing here has a Last-Modified, so that If-Unmodified-Since is to be ignored. */
static void exchange_precondition(struct exchange *x)
{
    struct str field = x->header(x, "If-Match");
    const char *tag = reply_header_value(&x->reply, "ETag");

    if (field.p == NULL || tag == NULL || !exchange_reads(x) || !succeeded(x->reply.status))
        return;
    struct str quoted = str_of(tag);
    if (range_match(field, (struct str){quoted.p + 1, quoted.n - 2}))
        return;
    reply_free(&x->reply);
    exchange_problem(x, 412, "precondition failed", "Leave the header If-Match out to get what is there now.",
                     "What is at this URL has none of the tags in If-Match.");
}

/* ---- content negotiation ---- */

/* What the client wants to see, and under which name it knows the service. */

enum { HOST_BYTES_MAX = 300 };

static const struct {
    struct str type;
    enum representation as;
} TYPES[] = {
    {STR_INIT("text/html"), AS_HTML},        {STR_INIT("application/xhtml+xml"), AS_HTML},
    {STR_INIT("application/json"), AS_JSON}, {STR_INIT("application/problem+json"), AS_JSON},
    {STR_INIT("image/svg+xml"), AS_SVG},     {STR_INIT("text/plain"), AS_TEXT},
};

enum representation negotiate(struct str accept)
{
    enum representation best = AS_TEXT;
    unsigned best_quality = ACCEPT_NEVER, quality;
    struct str type;

    while (accept_next(&accept, &type, &quality))
        for (size_t i = 0; i < sizeof(TYPES) / sizeof(TYPES[0]); i++)
            if (quality > best_quality && str_eq_nocase(type, TYPES[i].type)) {
                best = TYPES[i].as;
                best_quality = quality;
            }
    return best;
}

/* Chat programs ask for a page to show its title and description below a link, and accept anything. They are
 * known by a word of their User-Agent: Slackbot, Discordbot, TelegramBot, Mattermost-Bot, and those below. */
static bool reads_previews(struct str user_agent)
{
    static const struct str WORDS[] = {STR_INIT("bot"),      STR_INIT("facebookexternalhit"),
                                       STR_INIT("whatsapp"), STR_INIT("skypeuri"),
                                       STR_INIT("synapse"),  STR_INIT("zulip"),
                                       STR_INIT("embedly"),  STR_INIT("linkpreview")};

    for (size_t i = 0; i < sizeof(WORDS) / sizeof(WORDS[0]); i++)
        for (size_t at = 0; at + WORDS[i].n <= user_agent.n; at++)
            if (str_eq_nocase((struct str){user_agent.p + at, WORDS[i].n}, WORDS[i]))
                return true;
    return false;
}

/* The header comes from outside and goes into pages, headers and links: a name or an address with or without
 * port, and nothing else. */
static bool host_usable(struct str host)
{
    static const char ALLOWED[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_:[]";

    if (host.n == 0 || host.n > HOST_BYTES_MAX)
        return false;
    for (size_t i = 0; i < host.n; i++)
        if (memchr(ALLOWED, host.p[i], sizeof(ALLOWED) - 1) == NULL)
            return false;
    return true;
}

void exchange_base_url(const struct exchange *x, struct buf *b)
{
    struct str host = x->header(x, "Host");

    if (x->origin.n > 0 && x->service->config->external_url[0] == '\0')
        buf_str(b, x->origin);
    else
        service_base_url(x->service, host.p != NULL && host_usable(host) ? host : STR(""), b);
}

/* ---- sending ---- */

/* Replies become answers of the library. */

enum {
    SMALL_REPLY_BYTES = 32 << 10, /* as much as a connection has anyway */
    STREAM_BLOCK_BYTES = 4096
};

/* ---- bodies ---- */

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
    r->stream_bytes += n;
    return (ssize_t)n;
}

/* What a response is made of stays with the reply, which lives until the library has done with the request. But it takes over
 * a file, unless it cannot be made: then the reply closes it. */
static struct MHD_Response *body_of(struct request *request)
{
    struct reply *r = &request->x.reply;
    struct MHD_Response *response = NULL;
    struct str bytes;

    switch (r->kind) {
    case REPLY_BUFFER:
        response = MHD_create_response_from_buffer(r->body.n, r->body.n > 0 ? r->body.p : "",
                                                   MHD_RESPMEM_PERSISTENT);
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
        response = MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, STREAM_BLOCK_BYTES, read_stream,
                                                     request, NULL);
        break;
    }
    return response;
}

/* ---- headers ---- */

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
    return r->kind == REPLY_SHARED && r->status == 200 && !r->close && !r->own_headers;
}

static bool add_headers(struct MHD_Response *response, const struct request *r)
{
    const struct reply *reply = &r->x.reply;
    bool ok = true;

    for (size_t i = 0; i < sizeof(PROTECTION) / sizeof(*PROTECTION); i++)
        if (reply_header_value(reply, PROTECTION[i].name) == NULL)
            ok = MHD_add_response_header(response, PROTECTION[i].name, PROTECTION[i].value) == MHD_YES && ok;
    for (size_t i = 0; i < reply->n_headers; i++)
        ok = MHD_add_response_header(response, reply->headers[i].name,
                                     reply->text.p + reply->headers[i].value) == MHD_YES &&
             ok;
    if (!to_be_shared(reply))
        ok = MHD_add_response_header(response, "X-Request-Id", r->x.id) == MHD_YES && ok;
    if (r->x.stale)
        ok =
            MHD_add_response_header(response, "X-Stale", "the object store does not answer") == MHD_YES && ok;
    if (reply->close)
        ok = MHD_add_response_header(response, "Connection", "close") == MHD_YES && ok;
    return ok;
}

/* ---- sending ---- */

/* Clients that do not read must not fill the memory. Who takes the last bit of it may take a little more;
 * small answers always fit, and so do those of requests that have changed something: they cannot be asked
 * for again. */
static void hold_memory(struct request *r)
{
    struct reply *reply = &r->x.reply;
    bool shared = reply->kind == REPLY_SHARED || reply->kind == REPLY_AGAIN;
    uint64_t own = reply_bytes(reply);
    struct diag diag = {0};

    if ((reply->kind != REPLY_BUFFER && !shared) || own <= SMALL_REPLY_BYTES)
        return;
    if (exchange_reads(&r->x) && !reply_memory_left(r->http->service->config, shared ? own : 0, &diag)) {
        exchange_diag(&r->x, &diag);
    } else if (!shared) {
        r->held_bytes = (size_t)own;
        reply_memory_add(r->held_bytes);
    }
}

/* Hands x.reply to the library. MHD_NO ends the connection: no memory for the answer. A reply whose body
 * or headers had no memory becomes one that needs none. Where an answer of shared bytes was made before,
 * the library's form of it is sent again; else one that may be shared is left with the bytes for the next
 * request. */
static enum MHD_Result request_send(struct request *r)
{
    struct reply *reply = &r->x.reply;

    if (reply->body.failed || reply->text.failed) {
        reply_free(reply);
        reply_init(reply);
        reply_static(reply, 503, "text/plain; charset=utf-8", STR("error: out of memory: try again later\n"));
        snprintf(r->x.why, sizeof(r->x.why), "out of memory: No memory for the answer.");
    }
    reply_encode(reply, r->x.header(&r->x, "Accept-Encoding"));
    hold_memory(r);
    r->phase = PHASE_REPLIED;
    r->replied = true;
    r->status = reply->status;
    r->reply_bytes = reply_bytes(reply);
    connection_time(r->http, r->connection,
                    r->http->service->config->request_timeout_s + r->reply_bytes / HTTP_SLOWEST_BYTES_PER_S);
    if (reply->kind == REPLY_AGAIN)
        return MHD_queue_response(r->connection, r->status, shared_bytes_answer(reply->shared));
    struct MHD_Response *response = body_of(r);
    if (response == NULL)
        return MHD_NO;
    enum MHD_Result result = MHD_NO;
    bool made = add_headers(response, r);
    if (made)
        result = MHD_queue_response(r->connection, r->status, response);
    /* The library has a reference of its own to what it sends; ours goes, or stays with the shared bytes. */
    if (!made || !to_be_shared(reply) || !shared_bytes_set_answer(reply->shared, response, end_answer))
        MHD_destroy_response(response);
    return result;
}

/* ---- steps of a request ---- */

/* What happens to a request, step by step: vetted, routed, its body read, handled, answered. */

enum { DRAIN_BYTES = 1 << 20 }; /* of a body that nobody asked for */

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

static void encode(struct exchange *x, void *context)
{
    (void)context;
    reply_encode(&x->reply, x->header(x, "Accept-Encoding"));
}

/* Behind the body, and after each resume: what waited goes on, and not the handler from its beginning. */
static enum MHD_Result handle(struct request *r)
{
    bool goes_on = exchange_goes_on(&r->x);

    if (!goes_on)
        connection_time(r->http, r->connection, 0); /* the body is complete */
    r->phase = PHASE_HANDLE;
    enum exchange_step step = goes_on ? exchange_go_on(&r->x) : r->http->site->handle(&r->x, r->route);
    if (step == X_DONE) {
        exchange_precondition(&r->x);
        size_t bytes = reply_to_encode(&r->x.reply, r->x.header(&r->x, "Accept-Encoding"));
        step = bytes == 0 ? X_DONE : exchange_work(&r->x, bytes, encode, NULL, NULL);
    }
    return step == X_WAIT ? MHD_YES : request_send(r);
}

static bool has_body(const struct exchange *x)
{
    return x->header(x, "Content-Length").p != NULL || x->header(x, "Transfer-Encoding").p != NULL;
}

/* The service stops, or the connection is one of those that are kept for /healthz. True: x->reply says so. */
static bool turned_away(struct request *r)
{
    const struct connection *c = connection_of(r->connection);
    bool ending = atomic_load(&r->http->ending);

    if (!ending && (c == NULL || !c->of_reserve || str_eq(r->x.path, STR("/healthz"))))
        return false;
    r->x.refusal = ending ? REFUSED_STOPPING : REFUSED_CONNECTIONS;
    exchange_problem(
        &r->x, 503, ending ? "the service is stopping" : "too many connections", "Try again in a moment.",
        "%s", ending ? "It takes no new requests." : "The service has as many connections as it takes.");
    r->x.reply.close = true;
    return true;
}

static enum MHD_Result take_forwarded(void *list, enum MHD_ValueKind kind, const char *name,
                                      const char *value)
{
    (void)kind;
    if (str_eq_nocase(str_of(name), STR("X-Forwarded-For")) && value != NULL)
        *(struct str *)list = str_of(value);
    return MHD_YES;
}

/* Behind a trusted proxy the client is who the proxy says: the last of the list, which the proxy itself
 * has added. It may have done so in a line of its own, behind that of the client. */
static void name_client(struct request *r)
{
    const struct connection *c = connection_of(r->connection);
    struct str list = {NULL, 0};
    struct network_address address;

    r->x.by_proxy = c != NULL && (c->trusted || c->local);
    if (c == NULL || !c->trusted)
        return;
    MHD_get_connection_values(r->connection, MHD_HEADER_KIND, take_forwarded, &list);
    if (list.p == NULL)
        return;
    if (!network_parse(str_trim(str_behind_last(list, ',')), &address))
        return;
    network_text(address, r->x.address);
    address = network_of_client(address);
    struct client *client = client_ref(r->http->service->clients, &address);
    if (client == NULL)
        return;
    client_unref(r->x.client);
    r->x.client = client;
}

static struct site_own own_site(const struct exchange *x)
{
    const struct config *config = x->service->config;

    return (struct site_own){str_of(config->external_url), str_of(config->hosts)};
}

static struct site_request sent_from(const struct exchange *x)
{
    struct site_request from = {x->header(x, "Host"), x->header(x, "Origin"), x->header(x, "Sec-Fetch-Site")};

    if (x->origin.n > 0)
        from.host = url_authority(x->origin);
    return from;
}

bool exchange_is_of_own_page(const struct exchange *x)
{
    const struct site_own own = own_site(x);
    const struct site_request from = sent_from(x);

    return site_is_own_page(&own, &from);
}

/* What asks by an address whether the service is well: of any name, since there is nothing to be read. */
static bool is_probe(const struct exchange *x)
{
    return exchange_reads(x) && (str_eq(x->path, STR("/healthz")) || str_eq(x->path, STR("/readyz")));
}

/* The request is meant for somebody else, or a page of another site sent it. True: x->reply says so. */
static bool misdirected(struct request *r)
{
    struct exchange *x = &r->x;
    const struct site_own own = own_site(x);
    const struct site_request from = sent_from(x);

    bool ours = r->http->site->any_host || is_probe(x) || site_is_ours(&own, from.host);
    if (ours && (exchange_reads(x) || !site_is_foreign(&own, &from)))
        return false;
    x->refusal = ours ? REFUSED_OTHER_SITE : REFUSED_OTHER_HOST;
    if (!ours)
        exchange_problem(x, 421, "not the host that is meant",
                         "Use the address that the service is known by.",
                         "The service does not answer to the name in the Host header.");
    else
        exchange_problem(x, 403, "sent by a page of another site", "Use the service's own page, or curl.",
                         "The browser says that a page of another site made this request.");
    r->x.reply.close = true;
    return true;
}

/* From now on: a body is waited for, or it is our turn. */
static void start_time(struct request *r)
{
    const struct config *config = r->http->service->config;
    bool waits = r->phase == PHASE_BODY || has_body(&r->x); /* also for one that nobody wants */

    connection_time(r->http, r->connection,
                    waits ? config->request_timeout_s + config->max_upload_bytes / HTTP_SLOWEST_BYTES_PER_S
                          : 0);
}

static bool refuses(struct request *r)
{
    const struct route *route = r->route;
    struct exchange *x = &r->x;

    return route == NULL || !r->http->site->admits(x, route) ||
           (route->body != NULL && route->body->begin(x) == X_DONE);
}

/* The library ends a connection whose request is answered in this first call: so it is done only where a
 * body is not to be read. */
static enum MHD_Result begin(struct request *r, const char *url, const char *method, const char *version)
{
    struct exchange *x = &r->x;

    x->method = str_of(method);
    x->path = url_rest(str_of(url)); /* the library has taken off the query */
    if (x->path.n == 0)
        x->path = STR("/");
    x->accepts = negotiate(x->header(x, "Accept"));
    x->previews = r->http->service->config->link_previews && exchange_reads(x) &&
                  (x->accepts == AS_TEXT || x->accepts == AS_HTML) &&
                  reads_previews(x->header(x, "User-Agent"));
    if (x->previews)
        x->accepts = AS_HTML;
    if (!vet(r, version))
        return request_send(r);
    x->origin = url_origin(str_of(r->target));
    x->target = url_rest(str_of(r->target));
    name_client(r);
    if (turned_away(r) || misdirected(r))
        return request_send(r);
    r->route = r->http->site->find(x);
    if (!refuses(r)) {
        r->phase = r->route->body == NULL ? PHASE_HANDLE : PHASE_BODY;
        start_time(r);
        return MHD_YES;
    }
    if (has_body(x)) {
        x->reply.close = true;
        return request_send(r);
    }
    r->phase = PHASE_REFUSED;
    return MHD_YES;
}

static enum MHD_Result take_body(struct request *r, const char *data, size_t *n)
{
    size_t before = *n;

    if (!r->is_prepared) {
        r->is_prepared = true;
        if (r->http->site->prepare != NULL && r->http->site->prepare(&r->x) == X_WAIT)
            return MHD_YES; /* the piece comes again */
    }
    if (exchange_goes_on(&r->x))
        (void)exchange_go_on(&r->x);
    enum body_step step = r->route->body->data(&r->x, data, n);

    r->body_bytes += before - *n;
    return step == BODY_CLOSE ? MHD_NO : MHD_YES;
}

/* Takes a piece of a body that nobody wants. There can be no answer in its middle, so a long one ends the
 * connection. */
static enum MHD_Result pass_over(struct request *r, size_t *n)
{
    r->passed_bytes += *n;
    *n = 0;
    return r->passed_bytes > DRAIN_BYTES ? MHD_NO : MHD_YES;
}

/* The library calls this with the headers, with each piece of the body, at its end, and after each resume. */
enum MHD_Result request_step(void *http, struct MHD_Connection *connection, const char *url,
                             const char *method, const char *version, const char *data, size_t *n,
                             void **context)
{
    struct http *h = http;
    struct request *r = *context;

    (void)connection;
    if (r == NULL || atomic_load(&h->stopping) || atomic_load(&r->left))
        return MHD_NO;
    if (r->phase == PHASE_BEGIN)
        return begin(r, url, method, version);
    if (*n > 0 && r->phase == PHASE_BODY)
        return take_body(r, data, n);
    if (*n > 0)
        return pass_over(r, n);
    switch (r->phase) {
    case PHASE_BODY:
    case PHASE_HANDLE:
        return handle(r);
    case PHASE_REFUSED:
        return request_send(r);
    case PHASE_BEGIN:
    case PHASE_REPLIED:
        break;
    }
    return MHD_YES;
}

/* ---- requests ---- */

/* A request from its first line to its line in the log, and what an exchange asks the library for. */

/* ---- the exchange's HTTP side ---- */

static struct str slice(const char *terminated)
{
    return terminated == NULL ? (struct str){NULL, 0} : str_of(terminated);
}

static struct str get_header(const struct exchange *x, const char *name)
{
    return slice(MHD_lookup_connection_value(x->connection, MHD_HEADER_KIND, name));
}

struct counted_header {
    struct str name;
    unsigned n;
};

static enum MHD_Result count_header(void *cls, enum MHD_ValueKind kind, const char *name, const char *value)
{
    struct counted_header *c = cls;

    (void)kind, (void)value;
    c->n += str_eq_nocase(str_of(name), c->name);
    return MHD_YES;
}

static unsigned count_headers(const struct exchange *x, const char *name)
{
    struct counted_header c = {str_of(name), 0};

    MHD_get_connection_values(x->connection, MHD_HEADER_KIND, count_header, &c);
    return c.n;
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
    /* What stands between two & signs, or behind the last, is no key. */
    if (key[0] == '\0' && (value == NULL || value[0] == '\0'))
        return MHD_YES;
    return e->each(e->context, str_of(key), value == NULL ? STR("") : str_of(value)) ? MHD_YES : MHD_NO;
}

static void each_query(const struct exchange *x,
                       bool (*each)(void *context, struct str key, struct str value), void *context)
{
    struct each e = {each, context};

    MHD_get_connection_values(x->connection, MHD_GET_ARGUMENT_KIND, pass_query, &e);
}

/* Only what is suspended may be resumed, and only once: so it is marked behind the suspend, and the first
 * to take the mark away resumes. */
static void suspend(struct exchange *x, bool works)
{
    struct request *r = (struct request *)x; /* its first member */

    MHD_suspend_connection(x->connection);
    atomic_store(&r->suspended, works ? SUSPENDED_WORKS : SUSPENDED_WAITS);
}

static void resume(struct exchange *x)
{
    struct request *r = (struct request *)x;

    if (atomic_exchange(&r->suspended, SUSPENDED_NOT) != SUSPENDED_NOT)
        MHD_resume_connection(x->connection);
}

static bool is_left(const struct exchange *x)
{
    const struct request *r = (const struct request *)x;

    return connection_is_left(connection_of(r->connection));
}

void request_look(struct request *r)
{
    int waits = SUSPENDED_WAITS;

    if (!connection_is_left(connection_of(r->connection)))
        return;
    atomic_store(&r->left, true);
    stop_ask(&r->x.stop, STOP_LEFT);
    if (atomic_compare_exchange_strong(&r->suspended, &waits, SUSPENDED_NOT))
        MHD_resume_connection(r->connection);
}

/* ---- life ---- */

/* Called with the request line, before the library decodes it; what it returns is the request's context. */
void *request_open(void *http, const char *target, struct MHD_Connection *connection)
{
    struct http *h = http;
    struct request *r = calloc(1, sizeof(*r));

    struct connection *c = connection_of(connection);

    connection_time(h, connection, h->service->config->header_timeout_s);
    /* A request may have come before its connection was refused: that has no client, or one that was not counted. */
    if (r == NULL || c == NULL || !c->counted) {
        free(r);
        return NULL; /* request_step() ends the connection of such a request */
    }
    r->target = strdup(target);
    if (r->target == NULL) {
        free(r);
        return NULL;
    }
    c->request = r;
    r->http = h;
    r->connection = connection;
    r->x.client = client_again(c->client);
    memcpy(r->x.address, c->address, sizeof(r->x.address));
    r->started_us = clock_us();
    reply_init(&r->x.reply);
    r->x.service = h->service;
    r->x.stop.above = &h->service->stop;
    r->x.connection = connection;
    snprintf(r->x.id, sizeof(r->x.id), "%08x-%llu", (unsigned)h->start,
             (unsigned long long)atomic_fetch_add(&h->next_id, 1));
    r->x.header = get_header;
    r->x.headers = count_headers;
    r->x.query = get_query;
    r->x.each_query = each_query;
    r->x.suspend = suspend;
    r->x.resume = resume;
    r->x.is_left = is_left;
    r->x.problem_page = h->site->problem_page;
    atomic_fetch_add(&h->active, 1);
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

/* What a client was told, or that it was told nothing, or not all; p == NULL: all went well. */
static struct str why(const struct request *r, enum MHD_RequestTerminationCode end)
{
    if (r->status >= 300 && r->x.why[0] != '\0')
        return str_of(r->x.why);
    if (atomic_load(&r->left))
        return STR("the client left before the answer");
    if (!r->replied && r->status == 0)
        return r->phase == PHASE_BEGIN  ? STR("no answer: the header was cut off, or the library refused it")
               : r->phase == PHASE_BODY ? STR("no answer: the body was cut off, or the library refused it")
                                        : STR("no answer: the connection ended before");
    return end == MHD_REQUEST_TERMINATED_COMPLETED_OK ? (struct str){NULL, 0}
                                                      : STR("the connection ended within the answer");
}

static void log_request(const struct request *r, enum MHD_RequestTerminationCode end)
{
    LOG(r->http->service->log, LOG_INFO, "request", LOG_STR("id", str_of(r->x.id)),
        LOG_STR("client", str_of(r->x.address)), LOG_STR("method", r->x.method),
        LOG_STR("target", target_without_token(r)), LOG_U64("status", r->status),
        LOG_U64("bytes", r->reply_bytes), LOG_U64("us", (uint64_t)(clock_us() - r->started_us)),
        LOG_STR("who", who_logged(&r->x.who)), LOG_STR("why", why(r, end)));
}

static void count_request(const struct request *r)
{
    const struct http_site *site = r->http->site;
    bool has_body = r->replied && !str_eq(r->x.method, STR("HEAD"));
    const struct figures_request told = {
        .route = r->route == NULL ? site->n_routes : (size_t)(r->route - site->routes),
        .status = r->status,
        .us = (uint64_t)(clock_us() - r->started_us),
        .bytes_in = r->body_bytes + r->passed_bytes,
        .bytes_out = has_body ? r->reply_bytes + r->stream_bytes : 0,
        .refusal = r->x.refusal != REFUSED_NOT ? r->x.refusal : refusal_of_status(r->status),
    };

    figures_request(r->http->service->figures, &told);
}

void request_close(void *http, struct MHD_Connection *connection, void **context,
                   enum MHD_RequestTerminationCode end)
{
    struct http *h = http;
    struct request *r = *context;

    *context = NULL;
    if (r == NULL)
        return;
    struct connection *c = connection_of(connection);
    /* The next header has to be there by then: bytes of its first line are not seen before the line is
     * whole. The thread of the deadlines looks at the request of a connection without a deadline only, and
     * under its lock: it is through with this one when this call returns, and only then the connection
     * lets go of it. */
    connection_time(h, connection, h->service->config->header_timeout_s);
    if (c != NULL)
        c->request = NULL;
    log_request(r, end);
    count_request(r);
    exchange_end_states(&r->x);
    client_unref(r->x.client);
    buf_free(&r->stream);
    reply_free(&r->x.reply);
    reply_memory_take_off(r->held_bytes);
    free(r->target);
    free(r);
    /* At the very end: http_stop() goes on to free what requests use when none is active. */
    atomic_fetch_sub(&h->active, 1);
}
