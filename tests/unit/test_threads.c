/* Threads for jobs: bounds of each kind, order, jobs that submit jobs, the end. */
#include "tests/support/unit.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "core/system/threads.h"

enum { JOBS = 200 };

static int owners[4]; /* only their addresses count */

struct order {
    unsigned run[JOBS];
    size_t n;
};

struct numbered {
    struct thread_job job;
    struct order *order;
    unsigned number;
};

static void note(struct thread_job *job)
{
    struct numbered *n = (struct numbered *)job;

    n->order->run[n->order->n++] = n->number;
}

/* Runs until it is let go. */
struct blocker {
    struct thread_job job;
    atomic_bool runs, go;
};

static void block(struct thread_job *job)
{
    struct blocker *b = (struct blocker *)job;

    atomic_store(&b->runs, true);
    while (!atomic_load(&b->go))
        sched_yield();
}

static void begin_to_block(struct threads *t, unsigned kind, struct blocker *b)
{
    *b = (struct blocker){.job.run = block};
    threads_submit(t, kind, &b->job);
    while (!atomic_load(&b->runs))
        sched_yield();
}

/* With one thread, behind a job that runs until all are queued. */
TEST(queued_jobs_run_in_fair_order)
{
    static const struct {
        enum turn_class turn_class;
        int owner;
    } QUEUED[] = {{TURN_INPUT, 0}, {TURN_INPUT, 0}, {TURN_INPUT, 1}, {TURN_ANSWER, 0}};
    static const unsigned EXPECTED[] = {3, 0, 2, 1};
    struct threads *t = threads_new((const unsigned[]){1}, 1, 0);
    struct order order = {.n = 0};
    struct numbered jobs[4];
    struct blocker blocker;

    begin_to_block(t, 0, &blocker);
    for (unsigned i = 0; i < 4; i++) {
        jobs[i] = (struct numbered){
            {.run = note, .place = {.turn_class = QUEUED[i].turn_class, .owner = &owners[QUEUED[i].owner]}},
            &order,
            i};
        threads_submit(t, 0, &jobs[i].job);
    }
    const struct threads_counts counts = threads_counts(t, 0);
    assert_int_equal(counts.running, 1);
    assert_int_equal(counts.waiting, 4);
    atomic_store(&blocker.go, true);
    threads_free(t);
    assert_int_equal(order.n, 4);
    assert_memory_equal(order.run, EXPECTED, sizeof(EXPECTED));
}

/* Those of one kind take no thread of another. */
TEST(kinds_do_not_wait_for_each_other)
{
    struct threads *t = threads_new((const unsigned[]){2, 1}, 2, 0);
    struct blocker blockers[2], other, queued;

    begin_to_block(t, 0, &blockers[0]);
    begin_to_block(t, 0, &blockers[1]);
    queued = (struct blocker){.job.run = block};
    threads_submit(t, 0, &queued.job);
    begin_to_block(t, 1, &other); /* it runs at once */
    assert_false(atomic_load(&queued.runs));
    atomic_store(&blockers[0].go, true);
    while (!atomic_load(&queued.runs))
        sched_yield();
    atomic_store(&blockers[1].go, true);
    atomic_store(&other.go, true);
    atomic_store(&queued.go, true);
    threads_free(t);
}

/* Changes its kind to the second one, each time that it is told, and runs until it is let go. */
struct changer {
    struct blocker blocker;
    struct threads *threads;
    unsigned reserve;
    atomic_bool changes;
};

static void change_and_block(struct thread_job *job)
{
    struct changer *c = (struct changer *)(void *)job;

    atomic_store(&c->blocker.runs, true);
    while (!atomic_load(&c->blocker.go)) {
        if (atomic_load(&c->changes)) {
            threads_change_kind(c->threads, 1, c->reserve);
            atomic_store(&c->changes, false);
        }
        sched_yield();
    }
}

static void change(struct changer *c, unsigned reserve)
{
    c->reserve = reserve;
    atomic_store(&c->changes, true);
    while (atomic_load(&c->changes))
        sched_yield();
}

static void begin_to_change(struct threads *t, struct changer *c)
{
    *c = (struct changer){.blocker.job.run = change_and_block, .threads = t};
    threads_submit(t, 0, &c->blocker.job);
}

static void await_run(struct changer *c)
{
    while (!atomic_load(&c->blocker.runs))
        sched_yield();
}

static void assert_running(struct threads *t, uint64_t first, uint64_t second)
{
    assert_int_equal(threads_counts(t, 0).running, first);
    assert_int_equal(threads_counts(t, 1).running, second);
}

/* A job that changes its kind leaves room to one of its own kind, and takes room of the other: as far as there is any. */
TEST(a_job_that_runs_changes_its_kind)
{
    struct threads *t = threads_new((const unsigned[]){1, 1}, 2, 0);
    struct changer first, second, third;

    begin_to_change(t, &first);
    await_run(&first);
    begin_to_change(t, &second);
    begin_to_change(t, &third);
    change(&first, 1); /* there is no reserve */
    assert_running(t, 1, 0);
    change(&first, 0);
    await_run(&second);
    assert_running(t, 1, 1);
    change(&second, 0); /* there is no room */
    assert_running(t, 1, 1);
    assert_int_equal(threads_counts(t, 0).waiting, 1);
    assert_false(atomic_load(&third.blocker.runs));
    atomic_store(&first.blocker.go, true);
    while (threads_counts(t, 1).running > 0)
        sched_yield();
    assert_running(t, 1, 0);
    atomic_store(&second.blocker.go, true);
    await_run(&third);
    assert_running(t, 1, 0);
    atomic_store(&third.blocker.go, true);
    threads_free(t);
}

TEST(a_reserve_is_left)
{
    struct threads *t = threads_new((const unsigned[]){3}, 1, 0);
    struct blocker blocker;
    struct order order = {.n = 0};
    struct numbered jobs[2] = {{{.run = note}, &order, 0}, {{.run = note}, &order, 1}};

    begin_to_block(t, 0, &blocker);
    assert_false(threads_try(t, 0, &jobs[0].job, 2));
    assert_true(threads_try(t, 0, &jobs[1].job, 1));
    atomic_store(&blocker.go, true);
    threads_free(t);
    assert_int_equal(order.n, 1);
    assert_int_equal(order.run[0], 1);
}

struct chain {
    struct thread_job job;
    struct threads *threads;
    atomic_uint *runs;
    unsigned left;
};

static void again(struct thread_job *job)
{
    struct chain *c = (struct chain *)job;

    atomic_fetch_add(c->runs, 1);
    if (c->left-- > 0)
        threads_submit(c->threads, c->left % 2, job);
    else
        free(c);
}

static void add_chain(struct threads *t, atomic_uint *runs, unsigned length)
{
    struct chain *c = calloc(1, sizeof(*c));

    assert_non_null(c);
    *c = (struct chain){{.run = again, .place = {.turn_class = (enum turn_class)(length % TURN_CLASSES)}},
                        t,
                        runs,
                        length - 1};
    threads_submit(t, 0, &c->job);
}

TEST(what_jobs_submit_runs_before_the_end)
{
    atomic_uint runs = 0;
    struct threads *t = threads_new((const unsigned[]){4, 2}, 2, 0);

    for (unsigned i = 0; i < 50; i++)
        add_chain(t, &runs, 100);
    threads_free(t);
    assert_int_equal(runs, 50 * 100);
}

struct submitter {
    struct threads *threads;
    atomic_uint *runs;
};

static void *submit_many(void *argument)
{
    struct submitter *s = argument;

    for (unsigned i = 0; i < 500; i++)
        add_chain(s->threads, s->runs, 1 + i % 3);
    return NULL;
}

TEST(many_threads_submit)
{
    atomic_uint runs = 0;
    pthread_t threads[4];
    struct threads *t = threads_new((const unsigned[]){3, 20}, 2, 0);
    struct submitter s = {t, &runs};

    for (size_t i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, submit_many, &s), 0);
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    threads_free(t);
    assert_int_equal(runs, 4 * (167 * 1 + 167 * 2 + 166 * 3));
}

struct seen {
    struct thread_job job;
    bool blocked;
};

static void look(struct thread_job *job)
{
    struct seen *s = (struct seen *)job;
    sigset_t now;

    pthread_sigmask(SIG_SETMASK, NULL, &now);
    s->blocked = sigismember(&now, SIGTERM) && sigismember(&now, SIGINT);
}

TEST(threads_take_no_signals)
{
    struct seen s = {.job.run = look};
    sigset_t now;
    struct threads *t = threads_new((const unsigned[]){1}, 1, 256 << 10);

    threads_submit(t, 0, &s.job);
    threads_free(t);
    assert_true(s.blocked);
    pthread_sigmask(SIG_SETMASK, NULL, &now);
    assert_false(sigismember(&now, SIGTERM));
    threads_free(NULL);
}
