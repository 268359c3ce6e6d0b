/* A thread that does not come back from a call is noticed; one that sleeps between calls is well. */
#include "tests/support/unit.h"
#include <pthread.h>

#include "server/http/pulse.h"

static void *call(void *pulses)
{
    pulse_begin(pulses);
    pulse_end(pulses);
    return NULL;
}

static void *begin_a_call(void *pulses)
{
    pulse_begin(pulses);
    return NULL;
}

static void on_a_thread(void *(*work)(void *pulses), struct pulses *p)
{
    pthread_t thread;

    assert_int_equal(pthread_create(&thread, NULL, work, p), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
}

static bool looks(struct pulses *p, unsigned n)
{
    bool well = true;

    while (n-- > 0)
        well = pulses_look(p);
    return well;
}

TEST(who_sleeps_is_well)
{
    struct pulses p = {0};

    assert_true(looks(&p, 2 * PULSE_STUCK_LOOKS));
    on_a_thread(call, &p);
    assert_true(looks(&p, 2 * PULSE_STUCK_LOOKS));
}

TEST(a_call_that_does_not_end_is_noticed)
{
    struct pulses p = {0};

    on_a_thread(call, &p);
    on_a_thread(begin_a_call, &p);
    on_a_thread(call, &p);
    assert_true(looks(&p, PULSE_STUCK_LOOKS));
    assert_false(pulses_look(&p));
    assert_false(pulses_look(&p));
}

/* Each look finds it within a call, but not the same. */
TEST(a_busy_thread_is_well)
{
    struct pulses p = {0};

    pulse_begin(&p);
    for (unsigned i = 0; i < 2 * PULSE_STUCK_LOOKS; i++) {
        assert_true(pulses_look(&p));
        pulse_end(&p);
        pulse_begin(&p);
    }
    assert_false(looks(&p, 2 * PULSE_STUCK_LOOKS));
    pulse_end(&p);
    assert_true(pulses_look(&p));
}

TEST(threads_beyond_the_last_place_are_passed_over)
{
    struct pulses p = {0};

    for (unsigned i = 0; i < PULSE_THREADS_MAX; i++)
        on_a_thread(call, &p);
    on_a_thread(begin_a_call, &p);
    assert_true(looks(&p, 2 * PULSE_STUCK_LOOKS));
}
