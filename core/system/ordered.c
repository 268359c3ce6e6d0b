#include "core/system/ordered.h"

#include <pthread.h>

struct ordered {
    const struct ordered_does *does;
    uint64_t n;
    unsigned places;
    pthread_mutex_t lock;   /* of what follows */
    pthread_cond_t changed; /* An item was taken, or there is no more. */
    uint64_t begun, taken;  /* items */
    bool made[ORDERED_PLACES_MAX];
    bool taking; /* Somebody takes. */
    bool ended;  /* One of the functions was false. */
};

struct ordered_worker {
    struct ordered *of;
    unsigned number;
};

bool ordered_wait(struct ordered *o, uint64_t item)
{
    pthread_mutex_lock(&o->lock);
    while (o->taken < item && !o->ended)
        pthread_cond_wait(&o->changed, &o->lock);
    bool ok = !o->ended;
    pthread_mutex_unlock(&o->lock);
    return ok;
}

/* With the lock: takes what is made, as far as its turn has come, unless somebody does so: who looks again behind each. */
static void take_made(struct ordered *o)
{
    while (!o->taking && !o->ended && o->made[o->taken % o->places]) {
        unsigned place = (unsigned)(o->taken % o->places);
        o->taking = true;
        pthread_mutex_unlock(&o->lock);
        bool ok = o->does->take(o->does->context, place);
        pthread_mutex_lock(&o->lock);
        o->taking = false;
        o->made[place] = false;
        o->taken++;
        o->ended = o->ended || !ok;
        pthread_cond_broadcast(&o->changed);
    }
}

/* Items are begun in their order, so the first one that was not taken is made or under way: nobody waits for ever. */
static void run_worker(void *of)
{
    const struct ordered_worker *worker = of;
    struct ordered *o = worker->of;

    pthread_mutex_lock(&o->lock);
    while (o->begun < o->n && !o->ended) {
        if (o->begun - o->taken == o->places) {
            pthread_cond_wait(&o->changed, &o->lock);
            continue;
        }
        uint64_t item = o->begun++;
        unsigned place = (unsigned)(item % o->places);
        pthread_mutex_unlock(&o->lock);
        bool ok = o->does->make(o->does->context, o, worker->number, place, item);
        pthread_mutex_lock(&o->lock);
        o->made[place] = ok;
        o->ended = o->ended || !ok;
        take_made(o);
        if (o->ended)
            pthread_cond_broadcast(&o->changed);
    }
    pthread_mutex_unlock(&o->lock);
}

bool ordered_run(const struct parallel *parallel, unsigned jobs, uint64_t n, const struct ordered_does *does)
{
    const unsigned n_jobs = n > 1 ? jobs : 1;
    struct ordered o = {.does = does, .n = n, .places = n_jobs > 1 ? ORDERED_PLACES_PER_JOB * n_jobs : 1};
    struct ordered_worker workers[PARALLEL_JOBS_MAX] = {{&o, 0}};
    struct parallel_job runs[PARALLEL_JOBS_MAX];

    pthread_mutex_init(&o.lock, NULL);
    pthread_cond_init(&o.changed, NULL);
    for (unsigned i = 0; i < n_jobs; i++) {
        workers[i] = (struct ordered_worker){&o, i};
        runs[i] = (struct parallel_job){run_worker, &workers[i]};
    }
    if (n_jobs > 1)
        parallel->run(parallel, runs, n_jobs);
    else
        run_worker(&workers[0]);
    pthread_cond_destroy(&o.changed);
    pthread_mutex_destroy(&o.lock);
    return !o.ended;
}
