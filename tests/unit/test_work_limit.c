/* A job is told to stop when its thread has taken more time than the size of its upload allows. */
#include "tests/support/unit.h"

#include "core/system/clock.h"
#include "server/upload/work_limit.h"

/* Uses the processor until its thread's clock has gone on so far. */
static void work(int64_t us)
{
    int64_t until_us = clock_thread_us() + us;

    while (clock_thread_us() < until_us) {
    }
}

enum { SECOND_US = 1000000 };

/* One job, with the limits of a service of its own. */
struct tried {
    uint64_t seconds, seconds_per_mb; /* the configuration */
    uint64_t bytes;                   /* of the upload */
    enum stop_reason said;            /* after a little more than a second of work */
    struct config config;
    struct work_limits *all;
    struct work_limit limit, later;
    struct stop stop, later_stop;
    _Atomic uint64_t arrived;
};

static void begin(struct tried *t)
{
    t->config.work_seconds = t->seconds;
    t->config.work_seconds_per_mb = t->seconds_per_mb;
    t->all = work_limits_new(&t->config);
    assert_non_null(t->all);
    t->arrived = t->bytes;
    work_limit_begin(t->all, &t->limit, &t->stop, &t->arrived);
    work_limits_tick(t->all);
    assert_int_equal(stop_asked(&t->stop), STOP_NONE);
}

static void end(struct tried *t)
{
    work_limit_begin(t->all, &t->later, &t->later_stop, &t->arrived);
    work_limits_tick(t->all);
    assert_int_equal(stop_asked(&t->stop), t->said);
    assert_int_equal(stop_asked(&t->later_stop), STOP_NONE);
    assert_in_range(work_limit_end(t->all, &t->limit), SECOND_US, UINT64_MAX);
    work_limit_end(t->all, &t->later);
    work_limits_free(t->all);
}

TEST(too_much_for_its_size)
{
    struct tried tried[] = {
        {1, 0, 0, .said = STOP_WORK},         {1, 0, 100000000, .said = STOP_WORK},
        {1, 1, 0, .said = STOP_NONE}, /* the first MB counts as a whole */
        {1, 1, 100000000, .said = STOP_NONE}, {1000000, 1000000, UINT64_MAX, .said = STOP_NONE},
        {0, 0, 0, .said = STOP_NONE}, /* no limit */
    };
    const size_t n = sizeof(tried) / sizeof(tried[0]);

    for (size_t i = 0; i < n; i++)
        begin(&tried[i]);
    work(SECOND_US + SECOND_US / 100);
    for (size_t i = 0; i < n; i++)
        end(&tried[i]);
}
