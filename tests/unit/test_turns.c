/* Turns: their number and order, waiting without one, and jobs that are told to end. */
#include "tests/support/unit.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#include "core/system/clock.h"
#include "core/system/turns.h"

enum { JOBS = 24 };

static int owners[JOBS]; /* only their addresses count */

/* One job on a thread. */
struct job {
    struct turns *turns;
    enum turn_class turn_class;
    int owner;
    struct stop stop;
    unsigned steps;
    struct trace *trace;
    unsigned number;
    pthread_t thread;
};

struct trace {
    unsigned of[JOBS * 4]; /* the jobs in the order of their turns; written by who has the only turn */
    size_t n;
    atomic_uint computing, most;
};

static void compute(struct trace *trace, unsigned number)
{
    unsigned now = atomic_fetch_add(&trace->computing, 1) + 1, most = atomic_load(&trace->most);

    while (now > most && !atomic_compare_exchange_weak(&trace->most, &most, now))
        ;
    if (number < JOBS)
        trace->of[trace->n++] = number;
    sched_yield();
    atomic_fetch_sub(&trace->computing, 1);
}

static void *run(void *argument)
{
    struct job *j = argument;
    struct turn turn;

    turn_init(&turn, j->turns, j->turn_class, &owners[j->owner], &j->stop);
    turn_take(&turn);
    for (unsigned i = 0; i < j->steps; i++) {
        compute(j->trace, j->number);
        if (i + 1 < j->steps)
            turn_next(&turn);
    }
    turn_end(&turn);
    return NULL;
}

/* Starts the job, and waits until it waits for its turn. */
static void start(struct job *j, size_t waiting)
{
    assert_int_equal(pthread_create(&j->thread, NULL, run, j), 0);
    while (turns_waiting(j->turns) < waiting)
        sched_yield();
}

static void join(struct job *jobs, size_t n)
{
    for (size_t i = 0; i < n; i++)
        assert_int_equal(pthread_join(jobs[i].thread, NULL), 0);
}

/* Of one worker whose turn is taken until all wait: then the order is that of turns.h. */
TEST(given_in_fair_order)
{
    static const struct {
        enum turn_class turn_class;
        int owner;
    } WAITING[] = {{TURN_AHEAD, 0}, {TURN_INPUT, 1}, {TURN_INPUT, 1}, {TURN_INPUT, 2}, {TURN_SMALL, 1}};
    static const unsigned EXPECTED[] = {4, 1, 3, 2, 0};
    struct trace trace = {.n = 0};
    struct turns *turns = turns_new(1, false);
    struct job jobs[5];
    struct turn first;

    turn_init(&first, turns, TURN_INPUT, NULL, NULL);
    assert_int_equal(turns_busy(turns), 0);
    turn_take(&first);
    assert_int_equal(turns_busy(turns), 1);
    for (unsigned i = 0; i < 5; i++) {
        jobs[i] = (struct job){.turns = turns,
                               .turn_class = WAITING[i].turn_class,
                               .owner = WAITING[i].owner,
                               .steps = 1,
                               .trace = &trace,
                               .number = i};
        start(&jobs[i], i + 1);
    }
    turn_end(&first);
    join(jobs, 5);
    assert_int_equal(trace.n, 5);
    assert_memory_equal(trace.of, EXPECTED, sizeof(EXPECTED));
    turns_free(turns);
}

/* One client has many jobs of many steps, another has one of as many: it does not wait for all of them. */
TEST(clients_go_one_by_one)
{
    struct trace trace = {.n = 0};
    struct turns *turns = turns_new(1, false);
    struct job jobs[6];
    struct turn first;

    turn_init(&first, turns, TURN_INPUT, NULL, NULL);
    turn_take(&first);
    for (unsigned i = 0; i < 6; i++) {
        jobs[i] = (struct job){.turns = turns,
                               .turn_class = TURN_INPUT,
                               .owner = i < 5 ? 0 : 1,
                               .steps = 4,
                               .trace = &trace,
                               .number = i};
        start(&jobs[i], i + 1);
    }
    turn_end(&first);
    join(jobs, 6);
    assert_int_equal(trace.n, 6 * 4);
    size_t last = 0;
    for (size_t i = 0; i < trace.n; i++)
        if (trace.of[i] == 5)
            last = i;
    assert_in_range(last, 4, 2 * 4);
    turns_free(turns);
}

TEST(no_more_compute_than_there_are_turns)
{
    struct trace trace = {.n = 0};
    struct turns *turns = turns_new(3, true);
    struct job jobs[JOBS];

    for (unsigned i = 0; i < JOBS; i++) {
        jobs[i] = (struct job){.turns = turns,
                               .turn_class = (enum turn_class)(i % TURN_CLASSES),
                               .owner = (int)i / 3,
                               .steps = 500,
                               .trace = &trace,
                               .number = JOBS};
        start(&jobs[i], 0);
    }
    join(jobs, JOBS);
    assert_in_range(trace.most, 1, 4);
    assert_int_equal(turns_waiting(turns), 0);
    turns_free(turns);
}

/* The workers' turns are taken by what ends only when a short job has run. */
TEST(short_work_has_a_turn_of_its_own)
{
    struct turns *turns = turns_new(2, true);
    struct turn long_ones[2], short_one;

    for (size_t i = 0; i < 2; i++) {
        turn_init(&long_ones[i], turns, TURN_INPUT, NULL, NULL);
        turn_take(&long_ones[i]);
    }
    turn_init(&short_one, turns, TURN_ANSWER, NULL, NULL);
    turn_take(&short_one);
    assert_int_equal(short_one.held, TURN_OF_SHORT);
    turn_end(&long_ones[0]);
    turn_set_class(&short_one, TURN_INPUT); /* an upload has turned out to be large */
    assert_int_equal(short_one.held, TURN_OF_WORKER);
    turn_end(&short_one);
    turn_end(&long_ones[1]);
    turns_free(turns);
}

TEST(who_is_told_to_end_does_not_wait)
{
    struct turns *turns = turns_new(1, false);
    struct stop above = {0}, stop = {.above = &above};
    struct turn holder, waiter;
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    pthread_cond_t never;

    clock_condition_init(&never);
    turn_init(&holder, turns, TURN_INPUT, NULL, NULL);
    turn_take(&holder);
    turn_init(&waiter, turns, TURN_ANSWER, NULL, &stop);
    stop_ask(&above, STOP_SERVICE);
    turn_take(&waiter);
    assert_int_equal(waiter.held, TURN_NONE);
    assert_int_equal(turns_waiting(turns), 0);
    int64_t begun_ms = clock_ms();
    pthread_mutex_lock(&mutex);
    turn_wait(&holder, &never, &mutex);
    pthread_mutex_unlock(&mutex);
    assert_in_range(clock_ms() - begun_ms, 0, 20 * TURN_LOOK_MS);
    assert_int_equal(holder.held, TURN_NONE);
    turn_end(&waiter);
    turn_end(&holder);
    pthread_cond_destroy(&never);
    turns_free(turns);
}

TEST(counts_workers)
{
    struct turns *turns = turns_new(0, false);

    assert_true(turns_workers(turns) >= 1);
    turns_free(turns);
    turns = turns_new(2, true);
    assert_int_equal(turns_workers(turns), 2);
    turns_free(turns);
    turns_free(NULL);
}
