/* Threads for jobs that may block. A job is one function that runs on one thread from its beginning to its
 * end.
 *
 * There are kinds of jobs, and of each kind a number of jobs that run at a time, so that those who wait
 * for slow clients take no thread from those who do not. A job beyond that waits without a thread, in the
 * order of turns.h. Threads are started when they are needed; some stay when there is nothing to do. Who
 * computes among the running jobs is the matter of turns.h. */
#pragma once

#include "core/parallel.h"
#include "core/system/turns.h"

enum { THREADS_KINDS_MAX = 8 };

struct threads;

/* Embedded in whatever the job works for: so submitting one cannot fail. run() may free it. */
struct thread_job {
    void (*run)(struct thread_job *job);
    struct fair_place place; /* class and owner are the submitter's; see turns.h */
    unsigned kind;           /* of the threads */
};

/* most[kind]: how many jobs of the kind run at a time, at least 1. All signals are blocked in the threads.
 * `stack_bytes`: of each; 0 is the system's default. NULL: no memory, or not one thread could be started. */
struct threads *threads_new(const unsigned most[], unsigned kinds, size_t stack_bytes);
/* Runs what is queued, and what that submits; then ends the threads. Nobody but running jobs may submit
 * any more. NULL is fine. */
void threads_free(struct threads *t);

/* As struct parallel asks: each job but the first on a thread of its own, or behind the first where no thread can be started. */
void threads_parallel(const struct parallel_job *jobs, unsigned n);

/* How many jobs of the kind run, and how many wait for a thread. */
struct threads_counts {
    uint64_t running, waiting;
};
struct threads_counts threads_counts(struct threads *t, unsigned kind);

/* Any thread, also a job's. The job runs on a thread of its own, now or later. */
void threads_submit(struct threads *t, unsigned kind, struct thread_job *job);
/* The same, if then `reserve` more jobs of the kind could run at once; else false, and nothing was done. */
bool threads_try(struct threads *t, unsigned kind, struct thread_job *job, unsigned reserve) MUST_CHECK;
/* On the thread of a job: from now on it counts among this kind, if then `reserve` more jobs of that could run at once. So
 * another job of its own kind may begin while this one only waits. */
void threads_change_kind(struct threads *t, unsigned kind, unsigned reserve);
