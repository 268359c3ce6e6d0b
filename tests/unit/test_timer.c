/* Timers: in the order of their times, once, and never behind a clear. */
#include "tests/support/unit.h"
#include <pthread.h>

#include "core/system/clock.h"
#include "core/system/timer.h"

struct noted {
    struct timer timer; /* first */
    int number;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int order[8], n_order;

static void note(struct timer *t)
{
    pthread_mutex_lock(&lock);
    order[n_order++] = ((struct noted *)t)->number;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
}

static void wait_for(int n)
{
    pthread_mutex_lock(&lock);
    while (n_order < n)
        pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
}

TEST(called_in_the_order_of_their_times)
{
    struct timers *all = timers_new();
    struct noted t[4];
    int64_t now_ms = clock_ms();

    n_order = 0;
    assert_non_null(all);
    for (int i = 0; i < 4; i++)
        t[i] = (struct noted){{.due = note}, i};
    timer_set(all, &t[0].timer, now_ms + 60);
    timer_set(all, &t[1].timer, now_ms + 30);
    timer_set(all, &t[2].timer, now_ms + 3600000);
    timer_set(all, &t[3].timer, now_ms + 3600000);
    timer_set(all, &t[3].timer, now_ms + 90); /* anew */
    wait_for(3);
    assert_true(clock_ms() >= now_ms + 90);
    const int expected[] = {1, 0, 3};
    assert_memory_equal(order, expected, sizeof(expected));
    timer_clear(all, &t[2].timer);
    timer_clear(all, &t[2].timer);
    timer_clear(all, &t[0].timer);
    timers_free(all);
    assert_int_equal(n_order, 3);
    timers_free(NULL);
}

TEST(a_past_time_is_now)
{
    struct timers *all = timers_new();
    struct noted t = {{.due = note}, 7};

    n_order = 0;
    timer_set(all, &t.timer, 0);
    wait_for(1);
    timer_set(all, &t.timer, 0);
    wait_for(2);
    timers_free(all);
}

TEST(not_called_behind_a_clear)
{
    struct timers *all = timers_new();

    for (int i = 0; i < 2000; i++) {
        struct noted t = {{.due = note}, i};
        n_order = 0; /* the timer of the round before is cleared */
        timer_set(all, &t.timer, clock_ms() + i % 2);
        timer_clear(all, &t.timer);
        assert_in_range(n_order, 0, 1);
    }
    timers_free(all);
}
