#include "server/views/calls_stream.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "server/http/clients.h"
#include "server/http/problem.h"
#include "server/service.h"
#include "server/store/store_access.h"
#include "server/views/profiles.h"
#include "server/views/viewers.h"

enum { PIECE_BYTES = 64 << 10 };

struct calls_stream {
    struct task task;

    /* Constant. */
    struct service *service;
    struct client *client; /* a reference */
    struct record record;
    struct view_options view;
    const struct call_format *format;
    struct exchange *exchange; /* only while the request lasts */

    /* The task's, while one is under way. */
    struct profile_need need;
    bool asked; /* for the profile */
    struct call_list *list;
    int fd;
    struct buf making;

    pthread_mutex_t lock; /* of what follows */
    struct exchange_wait wait;
    bool works;     /* a task is under way */
    bool abandoned; /* the request has ended: who works frees the stream */
    bool ended;     /* what is ready is the last, or diag is set */
    struct buf ready;
    struct diag diag;
};

/* What a request holds of a stream. */
struct holder {
    struct calls_stream *stream;
};

/* By the task, which has it to itself. */
static void free_stream(struct calls_stream *s)
{
    call_list_free(s->list);
    profiles_release(s->service->profiles, &s->need);
    if (s->fd >= 0)
        close(s->fd);
    atomic_fetch_sub(&s->service->call_streams, 1);
    buf_free(&s->making);
    buf_free(&s->ready);
    client_waited(s->client);
    client_unref(s->client);
    pthread_mutex_destroy(&s->lock);
    free(s);
}

static bool is_abandoned(struct calls_stream *s)
{
    pthread_mutex_lock(&s->lock);
    bool abandoned = s->abandoned;
    pthread_mutex_unlock(&s->lock);
    return abandoned;
}

/* ---- the task ---- */

static bool wanted(const struct profile_need *need)
{
    return !is_abandoned(
        (struct calls_stream *)(void *)((char *)(uintptr_t)need - offsetof(struct calls_stream, need)));
}

/* True: the task runs again when the profile is there. */
static bool waits_for_profile(struct calls_stream *s)
{
    struct profile_id id = profile_id_of(&s->record);

    if (s->asked)
        return false;
    s->asked = true;
    s->need.task = &s->task;
    s->need.queue = client_queue(s->client, true);
    s->need.diag = &s->diag;
    s->need.wanted = wanted;
    memcpy(id.split, s->view.split, sizeof(id.split));
    return !profiles_get(s->service->profiles, &id, -1, &s->need);
}

static bool open_list(struct calls_stream *s, struct diag *diag)
{
    struct convert_source source = {s->need.profile, s->service->config, -1, &s->service->stop};
    uint64_t bytes;

    if (s->list != NULL)
        return true;
    source.fd = s->fd = store_access_blob(s->service->store, s->service->log, s->record.sha256, &bytes, diag);
    if (s->fd >= 0)
        s->list = call_list_new(&source, &s->view, s->format, diag);
    return s->list != NULL;
}

/* Makes the next piece. False: there are no more behind it, or diag is set. */
static bool make_piece(struct calls_stream *s, struct diag *diag)
{
    enum convert_step step = open_list(s, diag) ? CONVERT_MORE : CONVERT_FAILED;

    while (step == CONVERT_MORE && s->making.n < PIECE_BYTES && service_goes_on(s->service, diag) &&
           !is_abandoned(s))
        step = call_list_step(s->list, &s->making, diag);
    return step == CONVERT_MORE && diag->kind == DIAG_NONE;
}

static void run(struct task *task)
{
    struct calls_stream *s = (struct calls_stream *)task; /* its first member */
    struct diag diag = {0};
    bool more = false;

    if (!is_abandoned(s)) {
        /* `works` stays set: the task comes again in any case, and frees a stream that was abandoned. */
        if (waits_for_profile(s))
            return;
        /* A slow reader would keep it, and no other profile could be folded. `call_streams` bounds what lists take. */
        profiles_give_slot(s->service->profiles, &s->need);
        if (s->need.profile == NULL)
            diag = s->diag;
        else
            more = make_piece(s, &diag);
    }
    pthread_mutex_lock(&s->lock);
    struct buf made = s->making;
    s->making = s->ready; /* which was taken */
    s->ready = made;
    s->diag = diag;
    s->ended = !more;
    s->works = false;
    bool abandoned = s->abandoned;
    exchange_resume(&s->wait);
    pthread_mutex_unlock(&s->lock);
    /* One that was not abandoned before may be gone by now: nothing of it is touched here. */
    if (abandoned)
        free_stream(s);
}

/* Under the lock; no task is under way. */
static void work_on(struct calls_stream *s)
{
    s->works = true;
    pool_submit(s->service->pool, client_queue(s->client, true), &s->task);
}

/* ---- the answer ---- */

/* The connection that ends here tells the client that the calls are not all. */
static bool next_piece(void *context, struct buf *out, bool *ended)
{
    struct calls_stream *s = ((struct holder *)context)->stream;

    pthread_mutex_lock(&s->lock);
    bool there = !s->works;
    if (there) {
        buf_str(out, buf_view(&s->ready));
        buf_clear(&s->ready);
        *ended = s->ended;
        out->failed = out->failed || s->diag.kind != DIAG_NONE;
        if (!s->ended)
            work_on(s);
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
    struct diag diag = s->diag;
    pthread_mutex_unlock(&s->lock);
    if (diag.kind != DIAG_NONE)
        return exchange_diag(x, &diag);
    reply_stream(&x->reply, 200, s->format->text.media_type, next_piece, context);
    reply_header(&x->reply, "Cache-Control", "private, no-cache");
    viewer_allow(&x->reply, s->service->config, s->format->text.name);
    return X_DONE;
}

/* The request has ended. Freeing takes a while: a task does it. */
static void end_request(void *state)
{
    struct calls_stream *s = ((struct holder *)state)->stream;

    if (s == NULL)
        return;
    pthread_mutex_lock(&s->lock);
    s->wait.exchange = NULL;
    s->abandoned = true;
    if (!s->works)
        work_on(s);
    pthread_mutex_unlock(&s->lock);
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
    s->task.run = run;
    s->service = x->service;
    s->client = client_again(x->client);
    s->record = *record;
    s->view = *view;
    s->format = format;
    s->exchange = x;
    s->fd = -1;
    pthread_mutex_init(&s->lock, NULL);
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
    work_on(s);
    pthread_mutex_unlock(&s->lock);
    return exchange_then(x, first_ready, holder);
}
