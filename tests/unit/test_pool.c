/* The pool: order, tasks that submit tasks, many threads, the end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "core/system/pool.h"

enum { TASKS = 200 };

struct order {
    unsigned run[TASKS];
    size_t n;
};

struct numbered {
    struct task task;
    struct order *order;
    unsigned number;
};

static void note(struct task *task)
{
    struct numbered *t = (struct numbered *)task;

    t->order->run[t->order->n++] = t->number;
}

static void one_worker_runs_in_order(void **state)
{
    (void)state;
    struct order order = {.n = 0};
    struct numbered tasks[TASKS];
    struct pool *p = pool_new(1);

    assert_non_null(p);
    for (unsigned i = 0; i < TASKS; i++) {
        tasks[i] = (struct numbered){{note, NULL}, &order, i};
        pool_submit(p, &tasks[i].task);
    }
    assert_int_equal(order.n, 0);
    assert_true(pool_start(p));
    pool_stop(p);
    assert_int_equal(order.n, TASKS);
    for (unsigned i = 0; i < TASKS; i++)
        assert_int_equal(order.run[i], i);
    pool_free(p);
}

static void first_comes_ahead_and_the_tail_stays(void **state)
{
    (void)state;
    static const unsigned EXPECTED[] = {3, 0, 1, 2};
    struct order order = {.n = 0};
    struct numbered tasks[4];
    struct pool *p = pool_new(1);

    assert_non_null(p);
    for (unsigned i = 0; i < 4; i++)
        tasks[i] = (struct numbered){{note, NULL}, &order, i};
    pool_submit_first(p, &tasks[0].task); /* into an empty queue */
    pool_submit(p, &tasks[1].task);
    pool_submit(p, &tasks[2].task);
    pool_submit_first(p, &tasks[3].task);
    assert_true(pool_start(p));
    pool_stop(p);
    assert_int_equal(order.n, 4);
    assert_memory_equal(order.run, EXPECTED, sizeof(EXPECTED));
    pool_free(p);
}

static void pool_without_threads_runs_at_stop(void **state)
{
    (void)state;
    struct order order = {.n = 0};
    struct numbered t = {{note, NULL}, &order, 7};
    struct pool *p = pool_new(3);

    assert_non_null(p);
    assert_int_equal(pool_workers(p), 3);
    pool_submit(p, &t.task);
    pool_stop(p);
    pool_stop(p);
    assert_int_equal(order.n, 1);
    pool_free(p);
    pool_free(NULL);
}

struct chain {
    struct task task;
    struct pool *pool;
    atomic_uint *runs;
    unsigned left;
};

static void again(struct task *task)
{
    struct chain *c = (struct chain *)task;

    atomic_fetch_add(c->runs, 1);
    if (c->left-- > 0)
        pool_submit(c->pool, task);
    else
        free(c);
}

static void add_chain(struct pool *p, atomic_uint *runs, unsigned length)
{
    struct chain *c = calloc(1, sizeof(*c));

    assert_non_null(c);
    *c = (struct chain){{again, NULL}, p, runs, length - 1};
    pool_submit(p, &c->task);
}

static void what_tasks_submit_runs_before_the_end(void **state)
{
    (void)state;
    atomic_uint runs = 0;
    struct pool *p = pool_new(4);

    assert_non_null(p);
    assert_true(pool_start(p));
    for (unsigned i = 0; i < 50; i++)
        add_chain(p, &runs, 100);
    pool_stop(p);
    assert_int_equal(runs, 50 * 100);
    pool_free(p);
}

struct submitter {
    struct pool *pool;
    atomic_uint *runs;
};

static void *submit_many(void *argument)
{
    struct submitter *s = argument;

    for (unsigned i = 0; i < 500; i++)
        add_chain(s->pool, s->runs, 1 + i % 3);
    return NULL;
}

static void many_threads_submit(void **state)
{
    (void)state;
    atomic_uint runs = 0;
    pthread_t threads[4];
    struct pool *p = pool_new(3);
    struct submitter s = {p, &runs};

    assert_non_null(p);
    assert_true(pool_start(p));
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, submit_many, &s), 0);
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    pool_stop(p);
    assert_int_equal(runs, 4 * (167 * 1 + 167 * 2 + 166 * 3));
    pool_free(p);
}

struct masked {
    struct task task;
    int blocked;
};

static void look_at_mask(struct task *task)
{
    sigset_t now;

    pthread_sigmask(SIG_SETMASK, NULL, &now);
    ((struct masked *)task)->blocked = sigismember(&now, SIGTERM) && sigismember(&now, SIGINT);
}

static void workers_take_no_signals(void **state)
{
    (void)state;
    struct masked t = {{look_at_mask, NULL}, 0};
    sigset_t now;
    struct pool *p = pool_new(1);

    assert_non_null(p);
    assert_true(pool_start(p));
    pool_submit(p, &t.task);
    pool_stop(p);
    assert_true(t.blocked);
    pthread_sigmask(SIG_SETMASK, NULL, &now);
    assert_false(sigismember(&now, SIGTERM));
    pool_free(p);
}

static void counts_its_workers(void **state)
{
    (void)state;
    struct pool *p = pool_new(0);

    assert_non_null(p);
    assert_true(pool_workers(p) >= 1);
    pool_free(p);
    p = pool_new(2);
    assert_non_null(p);
    assert_true(pool_start(p));
    assert_int_equal(pool_workers(p), 2);
    pool_free(p); /* stops it */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_worker_runs_in_order),
        cmocka_unit_test(first_comes_ahead_and_the_tail_stays),
        cmocka_unit_test(pool_without_threads_runs_at_stop),
        cmocka_unit_test(what_tasks_submit_runs_before_the_end),
        cmocka_unit_test(many_threads_submit),
        cmocka_unit_test(workers_take_no_signals),
        cmocka_unit_test(counts_its_workers),
    };
    return cmocka_run_group_tests_name("pool", tests, NULL, NULL);
}
