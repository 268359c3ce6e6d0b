#include "server/http/work.h"

#include "core/system/threads.h"
#include "server/http/clients.h"

/* A state of the exchange. */
struct work {
    struct thread_job job;
    struct exchange_wait wait;
    struct exchange *exchange;
    void (*work)(struct exchange *x, void *context);
    void *context;
};

static void work_with_turn(struct exchange *x, void (*work)(struct exchange *x, void *context), void *context)
{
    struct turn turn;

    turn_init(&turn, x->service->turns, TURN_ANSWER, x->client, &x->stop);
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

    work_with_turn(w->exchange, w->work, w->context);
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
    if (then == NULL)
        then = finished;
    if (bytes < WORK_SMALL_BYTES) {
        work(x, context);
        return then(x, context);
    }
    struct work *w = exchange_state(x, sizeof(*w), NULL);
    if (w ==
        NULL) { /* Without memory it is done here, too: it may keep a connection's thread, which is better than an error. */
        work_with_turn(x, work, context);
        return then(x, context);
    }
    *w = (struct work){.job = {.run = run, .place = {TURN_ANSWER, .owner = x->client}},
                       .exchange = x,
                       .work = work,
                       .context = context};
    exchange_then(x, then, context);
    exchange_wait_for_work(x, &w->wait);
    threads_submit(x->service->threads, THREADS_SHORT, &w->job);
    return X_WAIT;
}
