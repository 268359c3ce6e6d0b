#include "server/http/exchange.h"

#include <stddef.h>
#include <stdlib.h>

#include "core/stop.h"
#include "core/system/threads.h"
#include "core/system/turns.h"
#include "server/http/clients.h"
#include "server/service.h"

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

/* Work of an answer that takes long, on a thread of its own: the threads of the connections only move
 * bytes. The exchange is suspended meanwhile. */

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
