/* A request from its first line to its line in the log, and what an exchange asks the library for. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/system/clock.h"
#include "core/system/log.h"
#include "server/http/http_impl.h"
#include "server/http/reply_memory.h"

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

/* Only what is suspended may be resumed, and only once: so it is marked behind the suspend, and the first to take the mark
 * away resumes. */
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

void request_leave(struct request *r)
{
    int waits = SUSPENDED_WAITS;

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
    r->started_us = clock_us();
    reply_init(&r->x.reply);
    r->x.service = h->service;
    r->x.stop.above = &h->service->stop;
    r->x.connection = connection;
    snprintf(r->x.id, sizeof(r->x.id), "%08x-%llu", (unsigned)h->start,
             (unsigned long long)atomic_fetch_add(&h->next_id, 1));
    r->x.header = get_header;
    r->x.query = get_query;
    r->x.each_query = each_query;
    r->x.suspend = suspend;
    r->x.resume = resume;
    r->x.is_left = is_left;
    r->x.problem_page = h->site->problem_page;
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

/* What a client was told, or that it was told nothing, or not all. */
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
    return end == MHD_REQUEST_TERMINATED_COMPLETED_OK ? STR("")
                                                      : STR("the connection ended within the answer");
}

static void log_request(const struct request *r, enum MHD_RequestTerminationCode end)
{
    struct str reason = why(r, end);
    const struct log_field fields[] = {
        LOG_STR("id", str_of(r->x.id)),
        LOG_STR("client", str_of(client_text(r->x.client))),
        LOG_STR("method", r->x.method),
        LOG_STR("target", target_without_token(r)),
        LOG_U64("status", r->status),
        LOG_U64("bytes", r->reply_bytes),
        LOG_U64("us", (uint64_t)(clock_us() - r->started_us)),
        LOG_STR("why", reason),
    };
    size_t n = sizeof(fields) / sizeof(*fields);

    log_event(r->http->service->log, LOG_INFO, "request", fields, reason.n > 0 ? n : n - 1);
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
    /* The next header has to be there by then: bytes of its first line are not seen before the line is whole. The thread of the
     * deadlines looks at the request of a connection without a deadline only, and under its lock: it is through with this one
     * when this call returns, and only then the connection lets go of it. */
    connection_time(h, connection, h->service->config->header_timeout_s);
    if (c != NULL)
        c->request = NULL;
    log_request(r, end);
    exchange_end_states(&r->x);
    client_unref(r->x.client);
    buf_free(&r->stream);
    reply_free(&r->x.reply);
    reply_memory_take_off(r->held_bytes);
    free(r->target);
    free(r);
    /* At the very end: http_stop() goes on to free what requests use when none is active. */
    pthread_mutex_lock(&h->lock);
    if (--h->active == 0)
        pthread_cond_broadcast(&h->idle);
    pthread_mutex_unlock(&h->lock);
}
