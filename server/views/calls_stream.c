#include "server/views/calls_stream.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/system/clock.h"
#include "core/system/threads.h"
#include "server/http/clients.h"
#include "server/http/exchange.h"
#include "server/service.h"
#include "server/store/store.h"
#include "server/views/policies.h"
#include "server/views/profiles.h"

/* Freed by the later of the two: the request, when it ends, and the job. */
struct calls_stream {
    struct thread_job job;

    /* Constant. */
    struct service *service;
    struct client *client; /* a reference */
    struct record record;
    struct view_options view;
    const struct call_format *format;
    struct exchange *exchange; /* only while the request lasts */

    struct stop stop; /* STOP_LEFT: the request has ended */

    pthread_mutex_t lock; /* of what follows */
    pthread_cond_t taken; /* `ready` is empty, or the request has ended */
    struct exchange_wait wait;
    unsigned refs;
    bool ended; /* What is ready is the last, or diag is set. */
    struct buf ready;
    struct diag diag;
};

/* What a request holds of a stream. */
struct holder {
    struct calls_stream *stream;
};

static void unref(struct calls_stream *s)
{
    pthread_mutex_lock(&s->lock);
    bool last = --s->refs == 0;
    pthread_mutex_unlock(&s->lock);
    if (!last)
        return;
    atomic_fetch_sub(&s->service->call_streams, 1);
    buf_free(&s->ready);
    client_waited(s->client);
    client_unref(s->client);
    pthread_cond_destroy(&s->taken);
    pthread_mutex_destroy(&s->lock);
    free(s);
}

/* ---- the job ---- */

struct writer {
    struct calls_stream *stream;
    struct turn *turn;
};

/* Hands the bytes over to the client, as soon as it has taken those before. False: it has left, or the
 * service stops. */
static bool put(struct writer *w, struct str bytes)
{
    struct calls_stream *s = w->stream;

    pthread_mutex_lock(&s->lock);
    while (s->ready.n > 0 && stop_asked(&s->stop) == STOP_NONE)
        turn_wait(w->turn, &s->taken, &s->lock);
    bool goes_on = stop_asked(&s->stop) == STOP_NONE;
    if (goes_on) {
        buf_str(&s->ready, bytes);
        exchange_resume(&s->wait);
    }
    pthread_mutex_unlock(&s->lock);
    turn_take(w->turn);
    return goes_on;
}

/* Between two pieces it may be somebody else's turn. */
static bool take(void *context, struct str bytes)
{
    struct writer *w = context;
    bool goes_on = bytes.n == 0 || put(w, bytes);

    turn_next(w->turn);
    return goes_on;
}

static bool make(struct writer *w, struct diag *diag)
{
    struct calls_stream *s = w->stream;
    struct service *service = s->service;
    struct profile_id id = profile_id_of(&s->record);
    struct profile_use use;
    uint64_t bytes;
    bool ok = false;

    memcpy(id.split, s->view.split, sizeof(id.split));
    if (profiles_get(service->profiles, &id, -1, true, w->turn, &use, diag) == NULL)
        return false;
    /* A slow reader would keep it, and no other profile could be read. `call_streams` bounds what lists take. */
    profiles_give_slot(service->profiles, &use);
    int fd = store_access_bytes(service->store, service->log, s->record.id, s->record.sha256, &bytes, diag);
    if (fd >= 0) {
        struct profile_source source;
        profiles_source(service->profiles, &use, fd, w->turn, &s->stop, &source);
        source.source.parallel = NULL; /* Others would hold turns while this one waits for the client. */
        ok = call_list_write(&source.source, &s->view, s->format, &(struct call_list_taker){take, w}, diag);
        close(fd);
    }
    profiles_release(service->profiles, &use);
    return ok;
}

static void run(struct thread_job *job)
{
    struct calls_stream *s = (struct calls_stream *)job; /* its first member */
    struct turn turn;
    struct writer w = {s, &turn};
    struct diag diag = {0};

    turn_init(&turn, s->service->turns, job->place.turn_class, s->client, &s->stop);
    turn_take(&turn);
    bool ok = make(&w, &diag);
    turn_end(&turn);
    if (!ok && diag.kind == DIAG_NONE && stop_asked(&s->stop) == STOP_NONE)
        diag_no_memory(&diag, "No memory for the list.");
    else if (!ok && diag.kind == DIAG_NONE)
        stop_say(&s->stop, &diag);
    pthread_mutex_lock(&s->lock);
    if (!ok)
        s->diag = diag;
    s->ended = true;
    exchange_resume(&s->wait);
    pthread_mutex_unlock(&s->lock);
    unref(s);
}

/* ---- the answer ---- */

/* The connection that ends here tells the client that the calls are not all. */
static bool next_piece(void *context, struct buf *out, bool *ended)
{
    struct calls_stream *s = ((struct holder *)context)->stream;

    pthread_mutex_lock(&s->lock);
    bool there = s->ready.n > 0 || s->ended;
    if (there) {
        buf_str(out, buf_view(&s->ready));
        buf_clear(&s->ready);
        *ended = s->ended;
        out->failed = out->failed || s->ready.failed || s->diag.kind != DIAG_NONE;
        pthread_cond_signal(&s->taken);
    } else {
        exchange_wait(s->exchange, &s->wait);
    }
    pthread_mutex_unlock(&s->lock);
    return there;
}

static enum exchange_step first_ready(struct exchange *x, void *context)
{
    struct calls_stream *s = ((struct holder *)context)->stream;

    pthread_mutex_lock(&s->lock);
    bool refused = s->ready.n == 0 && s->diag.kind != DIAG_NONE;
    struct diag diag = s->diag;
    pthread_mutex_unlock(&s->lock);
    if (refused)
        return exchange_diag(x, &diag);
    reply_stream(&x->reply, 200, s->format->text.media_type, next_piece, context);
    reply_header(&x->reply, "Cache-Control", "private, no-cache");
    if (!x->team)
        viewer_allow(&x->reply, s->service->config, s->format->text.name);
    return X_DONE;
}

/* The request has ended. */
static void end_request(void *state)
{
    struct calls_stream *s = ((struct holder *)state)->stream;

    if (s == NULL)
        return;
    stop_ask(&s->stop, STOP_LEFT);
    pthread_mutex_lock(&s->lock);
    s->wait.exchange = NULL;
    pthread_cond_signal(&s->taken);
    pthread_mutex_unlock(&s->lock);
    unref(s);
}

static enum exchange_step too_many(struct exchange *x, const char *detail)
{
    struct diag diag = {0};

    diag_set(&diag, DIAG_BUSY, "too many lists of calls", "Try again when another one has ended.", "%s",
             detail);
    return exchange_diag(x, &diag);
}

static struct calls_stream *new_stream(struct exchange *x, const struct record *record,
                                       const struct view_options *view, const struct call_format *format)
{
    struct calls_stream *s = calloc(1, sizeof(*s));

    if (s == NULL)
        return NULL;
    s->service = x->service;
    s->client = client_again(x->client);
    s->job = (struct thread_job){.run = run, .place = {.turn_class = TURN_INPUT, .owner = s->client}};
    s->record = *record;
    s->view = *view;
    s->format = format;
    s->exchange = x;
    s->stop.above = &x->service->stop;
    s->refs = 2; /* the request's and the job's */
    pthread_mutex_init(&s->lock, NULL);
    clock_condition_init(&s->taken);
    return s;
}

enum exchange_step calls_stream(struct exchange *x, const struct record *record,
                                const struct view_options *view, const struct call_format *format)
{
    struct holder *holder = exchange_state(x, sizeof(*holder), end_request);

    if (holder == NULL)
        return exchange_no_memory(x, "the answer");
    if (atomic_fetch_add(&x->service->call_streams, 1) >= x->service->config->folds) {
        atomic_fetch_sub(&x->service->call_streams, 1);
        return too_many(x, "Each is read while it is sent, and so many are read at a time, and no more.");
    }
    bool waits = client_wait(x->client);
    struct calls_stream *s = waits ? new_stream(x, record, view, format) : NULL;
    if (s == NULL) {
        atomic_fetch_sub(&x->service->call_streams, 1);
        if (!waits)
            return too_many(x, "One address may wait for so many answers at a time, and no more.");
        client_waited(x->client);
        return exchange_no_memory(x, "the answer");
    }
    holder->stream = s;
    pthread_mutex_lock(&s->lock);
    exchange_wait(x, &s->wait);
    pthread_mutex_unlock(&s->lock);
    threads_submit(x->service->threads, THREADS_LISTS, &s->job);
    return exchange_then(x, first_ready, holder);
}
