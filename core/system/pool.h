/* A fixed set of worker threads and a queue. The pool knows nothing of its tasks: a task is embedded in
 * whatever it works for, and submitting one cannot fail. */
#ifndef CORE_SYSTEM_POOL_H
#define CORE_SYSTEM_POOL_H

#include <stdbool.h>
#include <stddef.h>

struct pool;

/* Zero but for `run` before the first submit. Must not be submitted again before run has begun; run may free
 * the task, or submit it again. */
struct task {
    void (*run)(struct task *task);
    struct task *next; /* the pool's */
};

/* Cores that the process may run on, as far as the system tells: at least 1. */
unsigned pool_cores(void);

/* Created stopped, so that a test can fill it. 0 workers: one per core that the process may run on. NULL when
 * the system gives no memory. */
struct pool *pool_new(unsigned workers);
/* Once. False when not one thread could be started; fewer than wanted are enough. All signals are blocked in
 * the workers; their stacks have the system's default size. */
bool pool_start(struct pool *p) __attribute__((warn_unused_result));
/* Any thread, also a worker's. First in, first out. */
void pool_submit(struct pool *p, struct task *task);
/* Ahead of all that waits: for tasks that somebody has waited for since long (the end of a job). */
void pool_submit_first(struct pool *p, struct task *task);
/* Runs what is queued, and what that submits, then ends the threads. Idempotent. Never from a worker, and
 * from one thread only; once it is called, nobody but running tasks may submit. Of a pool without threads the
 * caller runs the tasks. */
void pool_stop(struct pool *p);
void pool_free(struct pool *p); /* stops first; NULL is fine */
/* How many threads there are; before the start, how many are wanted. Any thread. */
unsigned pool_workers(const struct pool *p);

#endif
