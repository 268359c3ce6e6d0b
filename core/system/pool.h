/* A fixed set of worker threads, and the queues from which they take tasks. The pool knows nothing of its tasks: a task
 * is embedded in whatever it works for, and submitting one cannot fail.
 *
 * Fairness: every owner of work (an upload, a client) has a queue of its own. The pool takes one task from each queue in
 * turn, so that nobody waits for all the work of somebody else, only for one task of each. A task should therefore be
 * one item: a piece of input, or one picture.
 *
 * Classes go before fairness: a queue of a higher class is served before those of lower ones. So that nothing starves,
 * every TASK_TURNS-th task is taken from the lowest class that has one.
 *
 * Short work has a thread beyond the workers: it runs nothing but TASK_SMALL and TASK_ANSWER. Long work may then use all
 * workers, and a small upload or a view still finds a thread. */
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

/* In the order in which they are served. */
enum task_class {
    TASK_SMALL,  /* input of an upload that has been small so far */
    TASK_ANSWER, /* somebody waits for what it makes */
    TASK_INPUT,  /* input of a large upload */
    TASK_AHEAD,  /* nobody waits for it yet */
    TASK_HOUSE,  /* deletion and the like: soon enough is good enough */
    TASK_CLASSES
};

enum { TASK_TURNS = 8 };

/* The waiting tasks of one owner, first in, first out. Its memory is the owner's, and must stay until the last task that
 * was submitted to it has begun to run; that task may free it. */
struct task_queue {
    enum task_class task_class; /* see task_queue_class */
    struct task *first, *last;  /* the pool's, as is `next` */
    struct task_queue *next;
};

/* Created stopped, so that a test can fill it. 0 workers: one per core that the process may run on. `short_thread`:
 * with the thread for short work. NULL when the system gives no memory. */
struct pool *pool_new(unsigned workers, bool short_thread);
/* Once. False when not one worker could be started; fewer than wanted are enough. All signals are blocked in
 * the threads; their stacks have the system's default size. */
bool pool_start(struct pool *p) __attribute__((warn_unused_result));
/* Any thread, also a worker's. */
void pool_submit(struct pool *p, struct task_queue *queue, struct task *task);
/* The queue is served as this class from now on; if it waits already, behind the others of the class. Any thread. */
void task_queue_class(struct pool *p, struct task_queue *queue, enum task_class task_class);
/* Runs what is queued, and what that submits, then ends the threads. Idempotent. Never from a worker, and
 * from one thread only; once it is called, nobody but running tasks may submit. Of a pool without threads the
 * caller runs the tasks. */
void pool_stop(struct pool *p);
void pool_free(struct pool *p); /* stops first; NULL is fine */
/* How many workers there are, without the thread for short work; before the start, how many are wanted. Any thread. */
unsigned pool_workers(const struct pool *p);

#endif
