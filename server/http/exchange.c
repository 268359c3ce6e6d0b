#include "server/http/exchange.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/buf.h"
#include "core/clean.h"
#include "core/diag.h"
#include "core/json.h"
#include "core/memory.h"
#include "core/stop.h"
#include "core/system/threads.h"
#include "core/system/turns.h"
#include "server/config/config.h"
#include "server/http/clients.h"
#include "server/http/message/accept.h"
#include "server/service.h"

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

struct shared_bytes {
    atomic_uint references;
    struct buf bytes;
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
    buf_fit(taken);
    s->bytes = *taken;
    reply_memory_add(memory_taken(s->bytes.capacity));
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
    reply_memory_take_off(memory_taken(s->bytes.capacity));
    buf_free(&s->bytes);
    free(s);
}

struct str shared_bytes_view(const struct shared_bytes *s)
{
    return buf_view(&s->bytes);
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

/* ---- waiting ---- */

struct exchange_state {
    struct exchange_state *next;
    void (*end)(void *state);
    max_align_t memory[];
};

void exchange_wait(struct exchange *x, struct exchange_wait *w)
{
    w->exchange = x;
    x->suspend(x, false);
}

/* Another thread has the exchange to itself until the resume, and needs no lock. */
static void exchange_wait_for_work(struct exchange *x, struct exchange_wait *w)
{
    w->exchange = x;
    x->suspend(x, true);
}

/* Once the request is resumed its thread may end it, and wait for the lock only to free w: so w comes first. */
void exchange_resume(struct exchange_wait *w)
{
    struct exchange *x = w->exchange;

    w->exchange = NULL;
    if (x != NULL)
        x->resume(x);
}

enum exchange_step exchange_then(struct exchange *x,
                                 enum exchange_step (*then)(struct exchange *x, void *context), void *context)
{
    x->then = then;
    x->then_context = context;
    return X_WAIT;
}

bool exchange_goes_on(const struct exchange *x)
{
    return x->then != NULL;
}

enum exchange_step exchange_go_on(struct exchange *x)
{
    enum exchange_step (*then)(struct exchange * x, void *context) = x->then;

    x->then = NULL;
    return then(x, x->then_context);
}

void *exchange_state(struct exchange *x, size_t bytes, void (*end)(void *state))
{
    struct exchange_state *s = calloc(1, sizeof(*s) + bytes);

    if (s == NULL)
        return NULL;
    s->end = end;
    s->next = x->states;
    x->states = s;
    return s->memory;
}

void exchange_end_states(struct exchange *x)
{
    for (struct exchange_state *s; (s = x->states) != NULL;) {
        x->states = s->next;
        if (s->end != NULL)
            s->end(s->memory);
        free(s);
    }
}

/* ---- work for a client ---- */

/* A state of the exchange. */
struct work {
    struct thread_job job;
    struct exchange_wait wait;
    struct exchange *exchange;
    void (*work)(struct exchange *x, void *context);
    void *context;
};

static void work_with_turn(struct exchange *x, enum turn_class turn_class,
                           void (*work)(struct exchange *x, void *context), void *context)
{
    struct turn turn;

    turn_init(&turn, x->service->turns, turn_class, x->client, &x->stop);
    turn_take(&turn);
    x->turn = &turn;
    work(x, context);
    x->turn = NULL;
    turn_end(&turn);
}

/* Once the exchange is resumed nothing of it may be touched any more. */
static void run(struct thread_job *job)
{
    struct work *w = (struct work *)job; /* its first member */

    work_with_turn(w->exchange, job->place.turn_class, w->work, w->context);
    exchange_resume(&w->wait);
}

static enum exchange_step finished(struct exchange *x, void *context)
{
    (void)x;
    (void)context;
    return X_DONE;
}

/* There is no lock: the exchange is suspended before the job can know of it. */
enum exchange_step exchange_work(struct exchange *x, size_t bytes,
                                 void (*work)(struct exchange *x, void *context),
                                 enum exchange_step (*then)(struct exchange *x, void *context), void *context)
{
    enum turn_class turn_class = bytes == WORK_LONG ? TURN_INPUT : TURN_ANSWER;

    if (then == NULL)
        then = finished;
    if (bytes < WORK_SMALL_BYTES) {
        work(x, context);
        return then(x, context);
    }
    struct work *w = exchange_state(x, sizeof(*w), NULL);
    if (w ==
        NULL) { /* Without memory it is done here, too: it may keep a connection's thread, which is better than an error. */
        work_with_turn(x, turn_class, work, context);
        return then(x, context);
    }
    *w = (struct work){.job = {.run = run, .place = {turn_class, .owner = x->client}},
                       .exchange = x,
                       .work = work,
                       .context = context};
    exchange_then(x, then, context);
    exchange_wait_for_work(x, &w->wait);
    threads_submit(x->service->threads, bytes == WORK_LONG ? THREADS_LONG : THREADS_SHORT, &w->job);
    return X_WAIT;
}

/* ---- problems ---- */

static void put_json(struct buf *b, const struct problem *p, const char *request_id)
{
    struct json j = json_into(b);

    json_open_object(&j, NULL);
    json_put_string(&j, "type", STR("about:blank"));
    json_put_string(&j, "title", p->title);
    json_put_u64(&j, "status", p->status);
    json_put_string(&j, "detail", p->detail);
    if (p->hint.n > 0)
        json_put_string(&j, "hint", p->hint);
    json_put_string(&j, "request_id", str_of(request_id));
    if (p->offset != NULL)
        json_put_u64(&j, "offset", *p->offset);
    json_close(&j);
    buf_char(b, '\n');
}

void problem_detail(struct buf *b, const struct problem *p)
{
    buf_str(b, p->detail);
    if (p->offset != NULL) {
        buf_z(b, " (at byte ");
        buf_u64(b, *p->offset);
        buf_char(b, ')');
    }
}

static void put_text(struct buf *b, const struct problem *p)
{
    struct buf detail = {0};

    problem_detail(&detail, p);
    buf_z(b, "error: ");
    clean_text(b, p->title);
    buf_z(b, ": ");
    clean_text(b, buf_view(&detail));
    buf_char(b, '\n');
    if (p->hint.n > 0) {
        buf_z(b, "hint: ");
        clean_text(b, p->hint);
        buf_char(b, '\n');
    }
    buf_part_end(b, &detail);
}

/* For the log. A title of ours is never cut; a detail that is too long is. */
static void keep_reason(struct exchange *x, const struct problem *p)
{
    struct buf detail = {0};

    problem_detail(&detail, p);
    snprintf(x->why, sizeof(x->why), "%.*s: %.*s", (int)p->title.n, p->title.p, (int)detail.n,
             detail.n > 0 ? detail.p : "");
    buf_free(&detail);
}

static void answer(struct exchange *x, const struct problem *p)
{
    struct reply *r = &x->reply;
    bool close = r->close;

    keep_reason(x, p);
    reply_free(r);
    r->close = close;
    switch (x->accepts) {
    case AS_HTML:
        x->problem_page(x, p);
        break;
    case AS_JSON:
        put_json(reply_text(r, p->status, "application/problem+json"), p, x->id);
        break;
    case AS_TEXT:
    case AS_SVG:
        put_text(reply_text(r, p->status, "text/plain; charset=utf-8"), p);
        break;
    }
    if (x->accepts != AS_HTML) {
        reply_header(r, "X-Content-Type-Options", "nosniff");
        reply_header(r, "Cache-Control", "private, no-cache");
        reply_header(r, "Vary", "Accept, Accept-Encoding");
    }
    if (p->status == 503)
        reply_header(r, "Retry-After", "10");
}

enum exchange_step exchange_problem(struct exchange *x, unsigned status, const char *title, const char *hint,
                                    const char *detail, ...)
{
    char text[1024];
    va_list arguments;

    va_start(arguments, detail);
    vsnprintf(text, sizeof(text), detail, arguments);
    va_end(arguments);
    const struct problem p = {status, str_of(title), str_of(text), str_of(hint), NULL};
    answer(x, &p);
    return X_DONE;
}

enum exchange_step exchange_no_memory(struct exchange *x, const char *what)
{
    x->refusal = REFUSED_MEMORY;
    return exchange_problem(x, 503, "out of memory", "Try again later.", "No memory for %s.", what);
}

static unsigned status_of(enum diag_kind kind)
{
    switch (kind) {
    case DIAG_EMPTY:
    case DIAG_USAGE:
        return 400;
    case DIAG_NOT_FOUND:
        return 404;
    case DIAG_GONE:
        return 410;
    case DIAG_AMBIGUOUS:
        return 300;
    case DIAG_LIMIT:
        return 413;
    case DIAG_UNKNOWN:
    case DIAG_FOREIGN:
        return 415;
    case DIAG_UNUSABLE:
        return 422;
    case DIAG_CORRUPT:
        return 502;
    case DIAG_FULL:
        return 507;
    case DIAG_NO_MEMORY:
    case DIAG_BUSY:
        return 503;
    case DIAG_NONE:
    case DIAG_IO:
        break;
    }
    return 500;
}

enum exchange_step exchange_diag(struct exchange *x, const struct diag *diag)
{
    const struct problem p = {status_of(diag->kind), str_of(diag->title), str_of(diag->detail),
                              str_of(diag->hint), diag->has_offset ? &diag->offset : NULL};
    if (diag->kind == DIAG_NO_MEMORY)
        x->refusal = REFUSED_MEMORY;
    answer(x, &p);
    return X_DONE;
}
