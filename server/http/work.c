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

/* Once the exchange is resumed nothing of it may be touched any more. */
static void run(struct thread_job *job)
{
    struct work *w = (struct work *)job; /* its first member */
    struct exchange *x = w->exchange;
    struct turn turn;

    turn_init(&turn, x->service->turns, TURN_ANSWER, x->client, &x->stop);
    turn_take(&turn);
    x->turn = &turn;
    w->work(x, w->context);
    x->turn = NULL;
    turn_end(&turn);
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
    struct work *w = bytes < WORK_SMALL_BYTES ? NULL : exchange_state(x, sizeof(*w), NULL);

    if (then == NULL)
        then = finished;
    if (w == NULL) { /* without memory it is done here, too */
        work(x, context);
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
