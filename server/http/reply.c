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
#include "server/http/message/accept.h"

/* ---- memory of answers ---- */

static atomic_uint_fast64_t memory_bytes;

/* Shared bytes count by themselves; bytes of other answers are added and taken off by who sends them. */
uint64_t reply_memory(void)
{
    return atomic_load_explicit(&memory_bytes, memory_order_relaxed);
}

void reply_memory_add(size_t bytes)
{
    atomic_fetch_add_explicit(&memory_bytes, bytes, memory_order_relaxed);
}

void reply_memory_take_off(size_t bytes)
{
    atomic_fetch_sub_explicit(&memory_bytes, bytes, memory_order_relaxed);
}

bool reply_memory_left(const struct config *config, uint64_t own, struct diag *diag)
{
    return reply_memory() - own <= config->views_in_memory_bytes + config->answer_memory_bytes ||
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
