/* What happens to a request, step by step: vetted, routed, its body read, handled, answered. */
#include "server/http/http_impl.h"
#include "server/http/message/site.h"
#include "server/http/message/url.h"
#include "server/http/message/vet.h"
#include "server/http/problem.h"
#include "server/http/work.h"

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
    enum exchange_step step = goes_on ? exchange_go_on(&r->x) : r->route->handle(&r->x);
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

/* Behind a trusted proxy the client is who the proxy says: the last of the list, which the proxy itself has added. It may have done so
 * in a line of its own, behind that of the client. */
static void name_client(struct request *r)
{
    const struct connection *c = connection_of(r->connection);
    struct str list = {NULL, 0};
    struct network_address address;

    if (c == NULL || !c->trusted)
        return;
    MHD_get_connection_values(r->connection, MHD_HEADER_KIND, take_forwarded, &list);
    if (list.p == NULL)
        return;
    if (!network_parse(str_trim(str_behind_last(list, ',')), &address))
        return;
    address = network_of_client(address);
    struct client *client = client_ref(r->http->service->clients, &address);
    if (client == NULL)
        return;
    client_unref(r->x.client);
    r->x.client = client;
}

/* The request is meant for somebody else, or a page of another site sent it. True: x->reply says so. */
static bool misdirected(struct request *r)
{
    const struct config *config = r->http->service->config;
    const struct site_own own = {str_of(config->external_url), str_of(config->hosts)};
    struct exchange *x = &r->x;
    struct site_request from = {x->header(x, "Host"), x->header(x, "Origin"), x->header(x, "Sec-Fetch-Site")};

    if (x->origin.n > 0)
        from.host = url_authority(x->origin);
    bool ours = site_is_ours(&own, from.host);
    if (ours && (exchange_reads(x) || !site_is_foreign(&own, &from)))
        return false;
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

static bool refuses(const struct route *route, struct exchange *x)
{
    return route == NULL || (route->body != NULL && route->body->begin(x) == X_DONE);
}

/* The library ends a connection whose request is answered in this first call: so it is done only where a body is not to be
 * read. */
static enum MHD_Result begin(struct request *r, const char *url, const char *method, const char *version)
{
    struct exchange *x = &r->x;

    x->method = str_of(method);
    x->path = url_rest(str_of(url)); /* the library has taken off the query */
    if (x->path.n == 0)
        x->path = STR("/");
    x->accepts = negotiate(x->header(x, "Accept"));
    if (!vet(r, version))
        return request_send(r);
    x->origin = url_origin(str_of(r->target));
    name_client(r);
    if (turned_away(r) || misdirected(r))
        return request_send(r);
    r->route = r->http->site->find(x);
    if (!refuses(r->route, x)) {
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

/* Takes a piece of a body that nobody wants. There can be no answer in its middle, so a long one ends the connection. */
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
        return r->route->body->data(&r->x, data, n) == BODY_CLOSE ? MHD_NO : MHD_YES;
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
