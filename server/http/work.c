#include "server/http/work.h"

#include "core/system/pool.h"
#include "server/http/clients.h"
#include "server/http/problem.h"

/* A state of the exchange. */
struct work {
    struct task task;
    struct exchange_wait wait;
    struct exchange *exchange;
    void (*work)(struct exchange *x, void *context);
    void *context;
};

/* Once the exchange is resumed nothing of it may be touched any more. */
static void run(struct task *task)
{
    struct work *w = (struct work *)task; /* its first member */

    w->work(w->exchange, w->context);
    exchange_resume(&w->wait);
}

static enum exchange_step finished(struct exchange *x, void *context)
{
    (void)x;
    (void)context;
    return X_DONE;
}

/* There is no lock: the exchange is suspended before the task can know of it. */
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
    *w = (struct work){{.run = run}, {NULL}, x, work, context};
    exchange_then(x, then, context);
    exchange_wait_for_work(x, &w->wait);
    pool_submit(x->service->pool, client_queue(x->client, false), &w->task);
    return X_WAIT;
}
