#include "core/system/pool.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>

struct pool {
    pthread_mutex_t mutex; /* over first, last, stopping */
    pthread_cond_t wake;
    struct task *first;
    struct task **last; /* where the next one is hung in */
    bool stopping;
    _Atomic unsigned workers; /* wanted, from pool_start on running */
    unsigned started;
    pthread_t threads[];
};

unsigned pool_cores(void)
{
    cpu_set_t set;

    /* Fails on machines with more cores than the set has bits: one worker is then too few, but never wrong.
     */
    if (sched_getaffinity(0, sizeof(set), &set) != 0)
        return 1;
    int n = CPU_COUNT(&set);
    return n > 0 ? (unsigned)n : 1;
}

struct pool *pool_new(unsigned workers)
{
    if (workers == 0)
        workers = pool_cores();
    struct pool *p = calloc(1, sizeof(*p) + workers * sizeof(p->threads[0]));
    if (p == NULL)
        return NULL;
    p->last = &p->first;
    atomic_init(&p->workers, workers);
    if (pthread_mutex_init(&p->mutex, NULL) != 0)
        goto no_mutex;
    if (pthread_cond_init(&p->wake, NULL) != 0)
        goto no_condition;
    return p;

no_condition:
    pthread_mutex_destroy(&p->mutex);
no_mutex:
    free(p);
    return NULL;
}

/* Runs tasks until the pool stops and none is left. A task that submits another is run by a thread that comes
 * back here afterwards, so a worker may leave while others still run. */
static void run_tasks(struct pool *p)
{
    pthread_mutex_lock(&p->mutex);
    for (;;) {
        while (p->first == NULL && !p->stopping)
            pthread_cond_wait(&p->wake, &p->mutex);
        struct task *task = p->first;
        if (task == NULL)
            break;
        p->first = task->next;
        if (p->first == NULL)
            p->last = &p->first;
        pthread_mutex_unlock(&p->mutex);
        task->run(task);
        pthread_mutex_lock(&p->mutex);
    }
    pthread_mutex_unlock(&p->mutex);
}

static void *work(void *pool)
{
    run_tasks(pool);
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
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    atomic_store(&p->workers, p->started);
    return p->started > 0;
}

void pool_submit(struct pool *p, struct task *task)
{
    pthread_mutex_lock(&p->mutex);
    task->next = NULL;
    *p->last = task;
    p->last = &task->next;
    pthread_mutex_unlock(&p->mutex);
    pthread_cond_signal(&p->wake);
}

void pool_submit_first(struct pool *p, struct task *task)
{
    pthread_mutex_lock(&p->mutex);
    task->next = p->first;
    p->first = task;
    if (task->next == NULL)
        p->last = &task->next;
    pthread_mutex_unlock(&p->mutex);
    pthread_cond_signal(&p->wake);
}

void pool_stop(struct pool *p)
{
    pthread_mutex_lock(&p->mutex);
    p->stopping = true;
    pthread_mutex_unlock(&p->mutex);
    pthread_cond_broadcast(&p->wake);
    for (; p->started > 0; p->started--)
        pthread_join(p->threads[p->started - 1], NULL);
    run_tasks(p); /* of a pool that never ran */
}

void pool_free(struct pool *p)
{
    if (p == NULL)
        return;
    pool_stop(p);
    pthread_cond_destroy(&p->wake);
    pthread_mutex_destroy(&p->mutex);
    free(p);
}

unsigned pool_workers(const struct pool *p)
{
    return atomic_load(&p->workers);
}
