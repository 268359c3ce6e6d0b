#include "core/system/pool.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "core/system/turns.h"

/* The queues of one class that have tasks, in the order of their turns. */
struct ring {
    struct task_queue *first, *last;
};

struct pool {
    pthread_mutex_t mutex; /* over rings, turns, stopping, and what queues have of the pool's */
    pthread_cond_t wake;   /* tasks for everybody, or the end */
    pthread_cond_t wake_short;
    struct ring rings[TASK_CLASSES];
    unsigned turns;
    bool stopping;
    bool with_short, short_started;
    pthread_t short_thread;
    _Atomic unsigned workers; /* wanted, from pool_start on running */
    unsigned started;
    pthread_t threads[];
};

static bool is_short(enum task_class task_class)
{
    return task_class == TASK_SMALL || task_class == TASK_ANSWER;
}

struct pool *pool_new(unsigned workers, bool short_thread)
{
    if (workers == 0)
        workers = turns_cores();
    struct pool *p = calloc(1, sizeof(*p) + workers * sizeof(p->threads[0]));
    if (p == NULL)
        return NULL;
    p->with_short = short_thread;
    atomic_init(&p->workers, workers);
    if (pthread_mutex_init(&p->mutex, NULL) != 0)
        goto no_mutex;
    if (pthread_cond_init(&p->wake, NULL) != 0)
        goto no_condition;
    if (pthread_cond_init(&p->wake_short, NULL) != 0)
        goto no_second_condition;
    return p;

no_second_condition:
    pthread_cond_destroy(&p->wake);
no_condition:
    pthread_mutex_destroy(&p->mutex);
no_mutex:
    free(p);
    return NULL;
}

/* Under the mutex, as are the following. */
static void hang_in(struct ring *ring, struct task_queue *queue)
{
    queue->next = NULL;
    if (ring->first == NULL)
        ring->first = queue;
    else
        ring->last->next = queue;
    ring->last = queue;
}

/* There are as many queues as there is work of different owners: a walk is short. */
static void take_out(struct ring *ring, const struct task_queue *queue)
{
    struct task_queue *before = NULL, *at = ring->first;

    for (; at != queue; at = at->next)
        before = at;
    if (before == NULL)
        ring->first = queue->next;
    else
        before->next = queue->next;
    if (ring->last == queue)
        ring->last = before;
}

/* The task whose turn it is in the ring; its queue goes behind the others. The queue is not touched again if that was
 * its last task: then its owner may free it. */
static struct task *take_from(struct pool *p, struct ring *ring)
{
    struct task_queue *queue = ring->first;
    struct task *task = queue->first;

    ring->first = queue->next;
    queue->first = task->next;
    if (queue->first != NULL)
        hang_in(&p->rings[queue->task_class], queue);
    return task;
}

static struct task *take(struct pool *p, bool short_only)
{
    bool lowest_first = !short_only && ++p->turns % TASK_TURNS == 0;

    for (unsigned i = 0; i < TASK_CLASSES; i++) {
        unsigned at = lowest_first ? TASK_CLASSES - 1 - i : i;
        if (p->rings[at].first != NULL && (!short_only || is_short((enum task_class)at)))
            return take_from(p, &p->rings[at]);
    }
    return NULL;
}

/* Runs tasks until the pool stops and none is left. A task that submits another is run by a thread that comes
 * back here afterwards, so a worker may leave while others still run. */
static void run_tasks(struct pool *p, bool short_only)
{
    pthread_mutex_lock(&p->mutex);
    for (;;) {
        struct task *task = take(p, short_only);
        if (task == NULL && p->stopping)
            break;
        if (task == NULL) {
            pthread_cond_wait(short_only ? &p->wake_short : &p->wake, &p->mutex);
            continue;
        }
        pthread_mutex_unlock(&p->mutex);
        task->run(task);
        pthread_mutex_lock(&p->mutex);
    }
    pthread_mutex_unlock(&p->mutex);
}

static void *work(void *pool)
{
    run_tasks(pool, false);
    return NULL;
}

static void *work_short(void *pool)
{
    run_tasks(pool, true);
    return NULL;
}

bool pool_start(struct pool *p)
{
    sigset_t all, before;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); /* threads inherit it */
    unsigned wanted = atomic_load(&p->workers);
    while (p->started < wanted && pthread_create(&p->threads[p->started], NULL, work, p) == 0)
        p->started++;
    p->short_started =
        p->with_short && p->started > 0 && pthread_create(&p->short_thread, NULL, work_short, p) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    atomic_store(&p->workers, p->started);
    return p->started > 0;
}

void pool_submit(struct pool *p, struct task_queue *queue, struct task *task)
{
    pthread_mutex_lock(&p->mutex);
    task->next = NULL;
    if (queue->first == NULL) {
        queue->first = task;
        hang_in(&p->rings[queue->task_class], queue);
    } else {
        queue->last->next = task;
    }
    queue->last = task;
    bool for_short = is_short(queue->task_class);
    pthread_mutex_unlock(&p->mutex);
    /* Both may wake for one task: the one that comes too late goes back to sleep. */
    pthread_cond_signal(&p->wake);
    if (for_short)
        pthread_cond_signal(&p->wake_short);
}

void task_queue_class(struct pool *p, struct task_queue *queue, enum task_class task_class)
{
    pthread_mutex_lock(&p->mutex);
    bool moves = queue->first != NULL && queue->task_class != task_class;
    if (moves)
        take_out(&p->rings[queue->task_class], queue);
    queue->task_class = task_class;
    if (moves)
        hang_in(&p->rings[task_class], queue);
    pthread_mutex_unlock(&p->mutex);
    if (moves && is_short(task_class))
        pthread_cond_signal(&p->wake_short);
}

void pool_stop(struct pool *p)
{
    pthread_mutex_lock(&p->mutex);
    p->stopping = true;
    pthread_mutex_unlock(&p->mutex);
    pthread_cond_broadcast(&p->wake);
    pthread_cond_broadcast(&p->wake_short);
    if (p->short_started)
        pthread_join(p->short_thread, NULL);
    p->short_started = false;
    for (; p->started > 0; p->started--)
        pthread_join(p->threads[p->started - 1], NULL);
    run_tasks(p, false); /* of a pool that never ran */
}

void pool_free(struct pool *p)
{
    if (p == NULL)
        return;
    pool_stop(p);
    pthread_cond_destroy(&p->wake_short);
    pthread_cond_destroy(&p->wake);
    pthread_mutex_destroy(&p->mutex);
    free(p);
}

unsigned pool_workers(const struct pool *p)
{
    return atomic_load(&p->workers);
}
