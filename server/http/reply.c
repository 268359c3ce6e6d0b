#include "server/http/reply.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/buf.h"
#include "core/diag.h"
#include "server/config/config.h"
#include "server/http/http_impl.h"
#include "server/http/message/accept.h"
#include "server/http/problem.h"

/* ---- memory of answers ---- */

static atomic_uint_fast64_t memory_bytes;

/* Shared bytes count by themselves; bytes of other answers are added and taken off by who sends them. */
static uint64_t reply_memory(void)
{
    return atomic_load_explicit(&memory_bytes, memory_order_relaxed);
}

static void reply_memory_add(size_t bytes)
{
    atomic_fetch_add_explicit(&memory_bytes, bytes, memory_order_relaxed);
}

void reply_memory_take_off(size_t bytes)
{
    atomic_fetch_sub_explicit(&memory_bytes, bytes, memory_order_relaxed);
}

bool reply_memory_left(const struct config *config, uint64_t own, struct diag *diag)
{
    return reply_memory() - own <= config->hot_bytes + config->answer_memory_bytes ||
           diag_set(diag, DIAG_BUSY, "too many answers under way", "Try again in a moment.",
                    "Clients have not yet taken the answers that they asked for.");
}

/* ---- bytes that several answers share ---- */

/* Bytes that several answers may share: counted, and never changed once they are shared. Any thread. */

struct shared_bytes {
    atomic_uint references;
    struct str bytes;
    _Atomic(void *) answer;
    void (*end_answer)(void *answer);
};

struct shared_bytes *shared_bytes_new(struct buf *taken)
{
    struct shared_bytes *s = taken->failed ? NULL : malloc(sizeof(*s));

    if (s == NULL) {
        buf_free(taken);
        return NULL;
    }
    atomic_init(&s->references, 1);
    atomic_init(&s->answer, NULL);
    /* Shared bytes live long: the room that was left for growing goes back. */
    char *fitting = taken->n > 0 ? realloc(taken->p, taken->n) : NULL;
    if (fitting != NULL)
        taken->p = fitting;
    s->bytes = buf_view(taken);
    reply_memory_add(s->bytes.n);
    buf_init(taken, taken->limit);
    return s;
}

struct shared_bytes *shared_bytes_ref(struct shared_bytes *s)
{
    atomic_fetch_add_explicit(&s->references, 1, memory_order_relaxed);
    return s;
}

void shared_bytes_unref(struct shared_bytes *s)
{
    if (s == NULL || atomic_fetch_sub_explicit(&s->references, 1, memory_order_acq_rel) != 1)
        return;
    if (shared_bytes_answer(s) != NULL)
        s->end_answer(shared_bytes_answer(s));
    reply_memory_take_off(s->bytes.n);
    free((void *)(uintptr_t)s->bytes.p);
    free(s);
}

struct str shared_bytes_view(const struct shared_bytes *s)
{
    return s->bytes;
}

void *shared_bytes_answer(struct shared_bytes *s)
{
    return atomic_load_explicit(&s->answer, memory_order_acquire);
}

bool shared_bytes_set_answer(struct shared_bytes *s, void *answer, void (*end)(void *answer))
{
    void *none = NULL;

    if (!atomic_compare_exchange_strong(&s->answer, &none, answer))
        return false;
    s->end_answer = end; /* for who drops the last reference: the caller has one still */
    return true;
}

/* ---- answers ---- */

void reply_init(struct reply *r)
{
    *r = (struct reply){.kind = REPLY_BUFFER, .fd = -1};
}

/* Lets go of the body, whatever it is. */
static void drop_body(struct reply *r)
{
    buf_free(&r->body);
    shared_bytes_unref(r->shared);
    r->shared = NULL;
    if (r->kind == REPLY_FILE && r->fd >= 0)
        close(r->fd);
    r->fd = -1;
}

void reply_free(struct reply *r)
{
    drop_body(r);
    buf_free(&r->text);
    reply_init(r);
}

void reply_header(struct reply *r, const char *static_name, const char *format, ...)
{
    char value[4096];
    va_list arguments;

    va_start(arguments, format);
    int n = vsnprintf(value, sizeof(value), format, arguments);
    va_end(arguments);
    /* A header that is missing may be the one that protects: the whole answer has failed, and its sender sees
     * it. */
    if (n < 0 || (size_t)n >= sizeof(value) || r->n_headers == REPLY_HEADERS_MAX) {
        r->text.failed = true;
        return;
    }
    r->headers[r->n_headers].name = static_name;
    r->headers[r->n_headers].value = r->text.n;
    r->headers[r->n_headers].n = (size_t)n;
    buf_bytes(&r->text, value, (size_t)n + 1);
    if (!r->text.failed)
        r->n_headers++;
}

static void start(struct reply *r, unsigned status, const char *media_type)
{
    drop_body(r);
    r->status = status;
    reply_header(r, "Content-Type", "%s", media_type);
}

struct buf *reply_text(struct reply *r, unsigned status, const char *media_type)
{
    start(r, status, media_type);
    r->kind = REPLY_BUFFER;
    return &r->body;
}

void reply_shared(struct reply *r, unsigned status, const char *media_type, struct shared_bytes *s)
{
    start(r, status, media_type);
    r->kind = REPLY_SHARED;
    r->shared = s;
}

void reply_again(struct reply *r, struct shared_bytes *s)
{
    drop_body(r);
    r->status = 200;
    r->kind = REPLY_AGAIN;
    r->shared = s;
}

void reply_static(struct reply *r, unsigned status, const char *media_type, struct str bytes)
{
    start(r, status, media_type);
    r->kind = REPLY_STATIC;
    r->bytes = bytes;
}

void reply_file(struct reply *r, unsigned status, const char *media_type, int fd, uint64_t offset,
                uint64_t bytes)
{
    start(r, status, media_type);
    r->kind = REPLY_FILE;
    r->fd = fd;
    r->file_offset = offset;
    r->file_bytes = bytes;
}

void reply_stream(struct reply *r, unsigned status, const char *media_type,
                  bool (*stream)(void *context, struct buf *out, bool *ended), void *context)
{
    start(r, status, media_type);
    r->kind = REPLY_STREAM;
    r->stream = stream;
    r->stream_context = context;
}

static bool may_encode(const struct reply *r)
{
    const char *vary = reply_header_value(r, "Vary");

    return !r->encoded && r->status / 100 == 2 && r->kind == REPLY_BUFFER && !r->body.failed &&
           r->body.n > REPLY_ENCODE_BYTES && vary != NULL && strstr(vary, "Accept-Encoding") != NULL;
}

static enum encoding encoding_of(const struct reply *r, struct str accept_encoding)
{
    return may_encode(r) ? encoding_negotiate(accept_encoding).best : ENCODING_IDENTITY;
}

size_t reply_to_encode(const struct reply *r, struct str accept_encoding)
{
    return encoding_of(r, accept_encoding) == ENCODING_IDENTITY ? 0 : r->body.n;
}

void reply_encode(struct reply *r, struct str accept_encoding)
{
    enum encoding e = encoding_of(r, accept_encoding);
    struct buf encoded = {0};

    r->encoded = true;
    if (e == ENCODING_IDENTITY)
        return;
    if (encoding_apply(e, ENCODING_ONCE, buf_view(&r->body), &encoded)) {
        buf_free(&r->body);
        r->body = encoded;
        reply_header(r, "Content-Encoding", "%s", encoding_name(e));
    } else {
        buf_free(&encoded);
    }
}

uint64_t reply_bytes(const struct reply *r)
{
    switch (r->kind) {
    case REPLY_BUFFER:
        return r->body.n;
    case REPLY_FILE:
        return r->file_bytes;
    case REPLY_SHARED:
    case REPLY_AGAIN:
        return shared_bytes_view(r->shared).n;
    case REPLY_STATIC:
        return r->bytes.n;
    case REPLY_STREAM:
        return 0;
    }
    return 0;
}

const char *reply_header_value(const struct reply *r, const char *name)
{
    for (size_t i = 0; i < r->n_headers; i++)
        if (str_eq_nocase(str_of(r->headers[i].name), str_of(name)))
            return r->text.p + r->headers[i].value;
    return NULL;
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
