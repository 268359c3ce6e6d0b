/* Replies become answers of the library. */
#include <stdio.h>
#include <string.h>

#include "server/http/http_impl.h"
#include "server/http/problem.h"
#include "server/http/reply_memory.h"

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
    return (ssize_t)n;
}

/* The response takes over what the reply holds, unless it cannot be made: then the reply frees it. But shared bytes stay
 * with the reply, which lives until the library has done with the request. */
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
    return r->kind == REPLY_SHARED && r->status == 200 && !r->close;
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
    if (reply->close)
        ok = MHD_add_response_header(response, "Connection", "close") == MHD_YES && ok;
    return ok;
}

/* ---- sending ---- */

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
    if (exchange_reads(&r->x) && !reply_memory_left(r->http->service->config, shared ? own : 0, &diag)) {
        exchange_diag(&r->x, &diag);
    } else if (!shared) {
        r->held_bytes = (size_t)own;
        reply_memory_add(r->held_bytes);
    }
}

/* A reply whose body or headers had no memory becomes one that needs none. Where an answer of shared bytes was made before,
 * the library's form of it is sent again; else one that may be shared is left with the bytes for the next request. */
enum MHD_Result request_send(struct request *r)
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
