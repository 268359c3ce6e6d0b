#include "core/system/threads.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

enum { IDLE_MOST = 24 }; /* threads that stay when there is nothing to do */

struct kind {
    unsigned most, running;
    struct fair_queue queue;
};

struct threads {
    pthread_attr_t attributes; /* constant, as is n_kinds */
    unsigned n_kinds;
    pthread_mutex_t lock;         /* of what follows */
    pthread_cond_t wake;          /* a job, or the end */
    pthread_cond_t ended;         /* the last thread */
    unsigned alive, idle, called; /* called: idle threads that were woken, and have not come yet */
    unsigned next_kind;           /* where the next look begins */
    bool stopping, has_last;
    pthread_t last; /* of those that have ended: nobody has joined it yet */
    struct kind kinds[THREADS_KINDS_MAX];
};

/* Under the lock, as are the following. The kinds are looked at in turn. NULL: nothing may run. */
static struct thread_job *take(struct threads *t)
{
    for (unsigned i = 0; i < t->n_kinds; i++) {
        struct kind *kind = &t->kinds[(t->next_kind + i) % t->n_kinds];
        struct fair_place *place = kind->running < kind->most ? fair_take(&kind->queue, false) : NULL;
        if (place == NULL)
            continue;
        kind->running++;
        t->next_kind = (t->next_kind + i + 1) % t->n_kinds;
        return (struct thread_job *)((char *)place - offsetof(struct thread_job, place));
    }
    return NULL;
}

static bool is_all_done(const struct threads *t)
{
    for (unsigned i = 0; i < t->n_kinds; i++)
        if (t->kinds[i].running > 0 || t->kinds[i].queue.n > 0)
            return false;
    return true;
}

static _Thread_local unsigned runs_as; /* the kind among which the job of this thread counts */

static void run_one(struct threads *t, struct thread_job *job)
{
    runs_as = job->kind; /* the job may be gone behind its run */
    pthread_mutex_unlock(&t->lock);
    job->run(job);
    pthread_mutex_lock(&t->lock);
    t->kinds[runs_as].running--;
    if (t->stopping && is_all_done(t))
        pthread_cond_broadcast(&t->wake);
}

/* Nothing to do. False: this thread is not needed any more. */
static bool idle(struct threads *t)
{
    if (t->idle >= IDLE_MOST || (t->stopping && is_all_done(t)))
        return false;
    t->idle++;
    pthread_cond_wait(&t->wake, &t->lock);
    t->idle--;
    t->called -= t->called > 0;
    return true;
}

static void *work(void *threads)
{
    struct threads *t = threads;

    pthread_mutex_lock(&t->lock);
    for (bool stays = true; stays;) {
        struct thread_job *job = take(t);
        if (job != NULL)
            run_one(t, job);
        else
            stays = idle(t);
    }
    /* Each joins the one before: who joins the last has waited for all to be gone, with what libraries keep for a
     * thread. Behind the unlock nothing of `t` may be there any more. */
    bool has_before = t->has_last;
    pthread_t before = t->last;
    t->has_last = true;
    t->last = pthread_self();
    if (--t->alive == 0)
        pthread_cond_broadcast(&t->ended);
    pthread_mutex_unlock(&t->lock);
    if (has_before)
        pthread_join(before, NULL);
    return NULL;
}

/* Whether it was started, or one is there that will look. */
static bool start(struct threads *t)
{
    sigset_t all, before;
    pthread_t thread;

    if (t->idle > t->called) {
        t->called++;
        pthread_cond_signal(&t->wake);
        return true;
    }
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); /* threads inherit it */
    bool started = pthread_create(&thread, &t->attributes, work, t) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    t->alive += started;
    return started;
}

static void free_memory(struct threads *t)
{
    pthread_attr_destroy(&t->attributes);
    pthread_cond_destroy(&t->ended);
    pthread_cond_destroy(&t->wake);
    pthread_mutex_destroy(&t->lock);
    free(t);
}

struct threads *threads_new(const unsigned most[], unsigned kinds, size_t stack_bytes)
{
    struct threads *t = calloc(1, sizeof(*t));

    if (t == NULL)
        return NULL;
    t->n_kinds = kinds;
    for (unsigned i = 0; i < kinds; i++)
        t->kinds[i].most = most[i];
    pthread_mutex_init(&t->lock, NULL);
    pthread_cond_init(&t->wake, NULL);
    pthread_cond_init(&t->ended, NULL);
    pthread_attr_init(&t->attributes);
    if (stack_bytes > 0)
        (void)pthread_attr_setstacksize(&t->attributes, stack_bytes);
    pthread_mutex_lock(&t->lock);
    bool started = start(t);
    pthread_mutex_unlock(&t->lock);
    if (started)
        return t;
    free_memory(t);
    return NULL;
}

/* Where no thread can be started, the job waits for one that is there: at least one always is. */
static void queue(struct threads *t, unsigned kind, struct thread_job *job)
{
    struct kind *k = &t->kinds[kind];

    job->kind = kind;
    fair_add(&k->queue, &job->place);
    if (k->running < k->most)
        (void)start(t);
}

void threads_submit(struct threads *t, unsigned kind, struct thread_job *job)
{
    pthread_mutex_lock(&t->lock);
    queue(t, kind, job);
    pthread_mutex_unlock(&t->lock);
}

bool threads_try(struct threads *t, unsigned kind, struct thread_job *job, unsigned reserve)
{
    pthread_mutex_lock(&t->lock);
    struct kind *k = &t->kinds[kind];
    bool fits = k->running + k->queue.n + reserve < k->most;
    if (fits)
        queue(t, kind, job);
    pthread_mutex_unlock(&t->lock);
    return fits;
}

void threads_change_kind(struct threads *t, unsigned kind, unsigned reserve)
{
    pthread_mutex_lock(&t->lock);
    struct kind *from = &t->kinds[runs_as], *to = &t->kinds[kind];
    if (to->running + to->queue.n + reserve < to->most) {
        from->running--;
        to->running++;
        runs_as = kind;
        if (from->queue.n > 0)
            (void)start(t);
    }
    pthread_mutex_unlock(&t->lock);
}

void threads_free(struct threads *t)
{
    if (t == NULL)
        return;
    pthread_mutex_lock(&t->lock);
    t->stopping = true;
    pthread_cond_broadcast(&t->wake);
    while (t->alive > 0)
        pthread_cond_wait(&t->ended, &t->lock);
    pthread_mutex_unlock(&t->lock);
    if (t->has_last)
        pthread_join(t->last, NULL);
    free_memory(t);
}

struct threads_counts threads_counts(struct threads *t, unsigned kind)
{
    pthread_mutex_lock(&t->lock);
    const struct threads_counts counts = {t->kinds[kind].running, t->kinds[kind].queue.n};
    pthread_mutex_unlock(&t->lock);
    return counts;
}

/* ---- side by side ---- */

struct side {
    struct thread_job job;
    const struct parallel_job *does;
};

static void run_side(struct thread_job *job)
{
    const struct parallel_job *does = ((struct side *)(void *)job)->does;

    does->run(does->of);
}

void threads_parallel(const struct parallel_job *jobs, unsigned n)
{
    struct side sides[PARALLEL_JOBS_MAX];
    const unsigned most = n;
    struct threads *threads = n > 1 ? threads_new(&most, 1, 0) : NULL;

    for (unsigned i = 1; threads != NULL && i < n; i++) {
        sides[i] = (struct side){{.run = run_side}, &jobs[i]};
        threads_submit(threads, 0, &sides[i].job);
    }
    for (unsigned i = 0; i < (threads != NULL ? 1 : n); i++)
        jobs[i].run(jobs[i].of);
    threads_free(threads); /* behind the last job */
}
