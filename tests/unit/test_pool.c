/* The pool: order, tasks that submit tasks, many threads, the end. */
#include "tests/support/unit.h"
#include <pthread.h>
#include <sched.h>
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
    struct task_queue queue = {.task_class = TASK_ANSWER};
    struct order order = {.n = 0};
    struct numbered tasks[TASKS];
    struct pool *p = pool_new(1, false);

    assert_non_null(p);
    for (unsigned i = 0; i < TASKS; i++) {
        tasks[i] = (struct numbered){{note, NULL}, &order, i};
        pool_submit(p, &queue, &tasks[i].task);
    }
    assert_int_equal(order.n, 0);
    assert_true(pool_start(p));
    pool_stop(p);
    assert_int_equal(order.n, TASKS);
    for (unsigned i = 0; i < TASKS; i++)
        assert_int_equal(order.run[i], i);
    pool_free(p);
}

/* Submits tasks [from, from + n) to the queue. */
static void fill(struct pool *p, struct task_queue *queue, struct numbered *tasks, struct order *order,
                 unsigned from, unsigned n)
{
    for (unsigned i = from; i < from + n; i++) {
        tasks[i] = (struct numbered){{note, NULL}, order, i};
        pool_submit(p, queue, &tasks[i].task);
    }
}

static void queues_take_turns(void **state)
{
    (void)state;
    static const unsigned EXPECTED[] = {0, 3, 5, 1, 4, 2};
    struct task_queue queues[3] = {
        {.task_class = TASK_INPUT}, {.task_class = TASK_INPUT}, {.task_class = TASK_INPUT}};
    struct order order = {.n = 0};
    struct numbered tasks[6];
    struct pool *p = pool_new(1, false);

    assert_non_null(p);
    fill(p, &queues[0], tasks, &order, 0, 3);
    fill(p, &queues[1], tasks, &order, 3, 2);
    fill(p, &queues[2], tasks, &order, 5, 1);
    assert_true(pool_start(p));
    pool_stop(p);
    assert_int_equal(order.n, 6);
    assert_memory_equal(order.run, EXPECTED, sizeof(EXPECTED));
    pool_free(p);
}

static void higher_classes_go_first_and_lower_ones_do_not_starve(void **state)
{
    (void)state;
    struct task_queue input = {.task_class = TASK_INPUT}, small = {.task_class = TASK_SMALL},
                      ahead = {.task_class = TASK_AHEAD};
    struct order order = {.n = 0};
    struct numbered tasks[3 * TASK_TURNS + 2];
    struct pool *p = pool_new(1, false);

    assert_non_null(p);
    fill(p, &ahead, tasks, &order, 0, 1);
    fill(p, &input, tasks, &order, 1, 2 * TASK_TURNS);
    fill(p, &small, tasks, &order, 2 * TASK_TURNS + 1, 1);
    assert_true(pool_start(p));
    pool_stop(p);
    assert_int_equal(order.n, 2 * TASK_TURNS + 2);
    assert_int_equal(order.run[0], 2 * TASK_TURNS + 1);
    unsigned at = 0;
    while (order.run[at] != 0)
        at++;
    assert_in_range(at, 1, TASK_TURNS);
    pool_free(p);
}

static void a_queue_may_change_its_class(void **state)
{
    (void)state;
    static const unsigned EXPECTED[] = {2, 3, 0, 1};
    struct task_queue first = {.task_class = TASK_SMALL}, second = {.task_class = TASK_AHEAD},
                      third = {.task_class = TASK_AHEAD};
    struct order order = {.n = 0};
    struct numbered tasks[4];
    struct pool *p = pool_new(1, false);

    assert_non_null(p);
    fill(p, &first, tasks, &order, 0, 2);
    fill(p, &second, tasks, &order, 2, 1);
    fill(p, &third, tasks, &order, 3, 1);
    task_queue_class(p, &first, TASK_INPUT);
    task_queue_class(p, &second, TASK_ANSWER);
    task_queue_class(p, &third, TASK_ANSWER);
    assert_true(pool_start(p));
    pool_stop(p);
    assert_int_equal(order.n, 4);
    assert_memory_equal(order.run, EXPECTED, sizeof(EXPECTED));
    pool_free(p);
}

/* A task that runs until it is let go. */
struct blocker {
    struct task task;
    atomic_bool *go;
};

static void block(struct task *task)
{
    while (!atomic_load(((struct blocker *)task)->go))
        sched_yield();
}

static void let_go(struct task *task)
{
    atomic_store(((struct blocker *)task)->go, true);
}

/* The workers are all busy with what ends only when a short task has run. */
static void short_work_has_a_thread_of_its_own(void **state)
{
    (void)state;
    struct task_queue input = {.task_class = TASK_INPUT}, answer = {.task_class = TASK_ANSWER};
    atomic_bool go = false;
    struct blocker long_ones[4], short_one = {{let_go, NULL}, &go};
    struct pool *p = pool_new(2, true);

    assert_non_null(p);
    for (size_t i = 0; i < 4; i++) {
        long_ones[i] = (struct blocker){{block, NULL}, &go};
        pool_submit(p, &input, &long_ones[i].task);
    }
    assert_true(pool_start(p));
    assert_int_equal(pool_workers(p), 2);
    pool_submit(p, &answer, &short_one.task);
    pool_stop(p);
    assert_true(go);
    pool_free(p);
}

static void pool_without_threads_runs_at_stop(void **state)
{
    (void)state;
    struct task_queue queue = {.task_class = TASK_HOUSE};
    struct order order = {.n = 0};
    struct numbered t = {{note, NULL}, &order, 7};
    struct pool *p = pool_new(3, false);

    assert_non_null(p);
    assert_int_equal(pool_workers(p), 3);
    pool_submit(p, &queue, &t.task);
    pool_stop(p);
    pool_stop(p);
    assert_int_equal(order.n, 1);
    pool_free(p);
    pool_free(NULL);
}

struct chain {
    struct task task;
    struct task_queue queue;
    struct pool *pool;
    atomic_uint *runs;
    unsigned left;
};

static void again(struct task *task)
{
    struct chain *c = (struct chain *)task;

    atomic_fetch_add(c->runs, 1);
    if (c->left-- > 0)
        pool_submit(c->pool, &c->queue, task);
    else
        free(c);
}

static void add_chain(struct pool *p, atomic_uint *runs, unsigned length)
{
    struct chain *c = calloc(1, sizeof(*c));

    assert_non_null(c);
    *c = (struct chain){
        {again, NULL}, {.task_class = (enum task_class)(length % TASK_CLASSES)}, p, runs, length - 1};
    pool_submit(p, &c->queue, &c->task);
}

static void what_tasks_submit_runs_before_the_end(void **state)
{
    (void)state;
    atomic_uint runs = 0;
    struct pool *p = pool_new(4, false);

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
    struct pool *p = pool_new(3, false);
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
    struct task_queue queue = {.task_class = TASK_ANSWER};
    struct masked t = {{look_at_mask, NULL}, 0};
    sigset_t now;
    struct pool *p = pool_new(1, false);

    assert_non_null(p);
    assert_true(pool_start(p));
    pool_submit(p, &queue, &t.task);
    pool_stop(p);
    assert_true(t.blocked);
    pthread_sigmask(SIG_SETMASK, NULL, &now);
    assert_false(sigismember(&now, SIGTERM));
    pool_free(p);
}

static void counts_its_workers(void **state)
{
    (void)state;
    struct pool *p = pool_new(0, false);

    assert_non_null(p);
    assert_true(pool_workers(p) >= 1);
    pool_free(p);
    p = pool_new(2, false);
    assert_non_null(p);
    assert_true(pool_start(p));
    assert_int_equal(pool_workers(p), 2);
    pool_free(p); /* stops it */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_worker_runs_in_order),
        cmocka_unit_test(queues_take_turns),
        cmocka_unit_test(higher_classes_go_first_and_lower_ones_do_not_starve),
        cmocka_unit_test(a_queue_may_change_its_class),
        cmocka_unit_test(short_work_has_a_thread_of_its_own),
        cmocka_unit_test(pool_without_threads_runs_at_stop),
        cmocka_unit_test(what_tasks_submit_runs_before_the_end),
        cmocka_unit_test(many_threads_submit),
        cmocka_unit_test(workers_take_no_signals),
        cmocka_unit_test(counts_its_workers),
    };
    return cmocka_run_group_tests_name("pool", tests, NULL, NULL);
}
