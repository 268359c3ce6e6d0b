/* A clock that is ahead of what the store has seen. */
#include "tests/support/unit.h"

#include "server/store/sweep.h"
#include "tests/support/aged_store.h"

enum { NOW_S = 1790000000, START_MS = 5000 };

TEST(a_store_that_has_seen_nothing_believes)
{
    struct aged_store f = aged_store_begin();
    struct trusted_time t = trusted_time_begin(store_local(f.store), START_MS);

    assert_int_equal(trusted_time(&t, NOW_S, START_MS), NOW_S);
    assert_int_equal(trusted_time_keep(&t, store_local(f.store)), STORE_OK);
    t = trusted_time_begin(store_local(f.store), START_MS);
    assert_in_range(t.seen_s, f.now_s - 2, INT64_MAX);
    assert_int_equal(store_delete(f.store, "clock/seen"), STORE_OK);
    aged_store_put(&f, "clock/seen", 0, DAY_S); /* as earlier versions kept it */
    t = trusted_time_begin(store_local(f.store), START_MS);
    assert_int_equal(t.seen_s, f.now_s - DAY_S);
    assert_int_equal(trusted_time_keep(&t, store_local(f.store)), STORE_OK);
    t = trusted_time_begin(store_local(f.store), START_MS);
    assert_in_range(t.seen_s, f.now_s - 2, INT64_MAX);
    aged_store_end(&f);
}

TEST(a_leap_is_believed_when_it_has_lasted)
{
    struct aged_store f = aged_store_begin();
    struct trusted_time t = {.seen_s = NOW_S, .at_ms = START_MS, .doubted_from_ms = -1};
    int64_t leap_s = TRUSTED_LEAP_S + 1, at_ms = START_MS + 10000;

    assert_int_equal(trusted_time(&t, NOW_S + 10 + TRUSTED_LEAP_S, at_ms), NOW_S + 10 + TRUSTED_LEAP_S);
    t = (struct trusted_time){.seen_s = NOW_S, .at_ms = START_MS, .doubted_from_ms = -1};
    assert_int_equal(trusted_time(&t, NOW_S + 10 + leap_s, at_ms), NOW_S + 10);
    assert_int_equal(trusted_time_keep(&t, store_local(f.store)), STORE_OK);
    assert_false(aged_store_has(&f, "clock/seen"));
    at_ms += TRUSTED_DOUBT_MS - 1;
    assert_int_equal(trusted_time(&t, NOW_S + 4000 + leap_s, at_ms), NOW_S + (at_ms - START_MS) / 1000);
    at_ms++;
    assert_int_equal(trusted_time(&t, NOW_S + 4000 + leap_s, at_ms), NOW_S + 4000 + leap_s);
    assert_int_equal(t.doubted_from_ms, -1);
    aged_store_end(&f);
}

/* It was wrong for a moment: the next doubt lasts an hour again. */
TEST(a_clock_that_comes_back_is_believed)
{
    struct trusted_time t = {.seen_s = NOW_S, .at_ms = START_MS, .doubted_from_ms = -1};

    assert_int_equal(trusted_time(&t, NOW_S + DAY_S, START_MS), NOW_S);
    assert_int_equal(trusted_time(&t, NOW_S + 1, START_MS + 1000), NOW_S + 1);
    assert_int_equal(trusted_time(&t, NOW_S + DAY_S, START_MS + TRUSTED_DOUBT_MS),
                     NOW_S + TRUSTED_DOUBT_MS / 1000);
    assert_int_equal(trusted_time(&t, NOW_S - DAY_S, START_MS + TRUSTED_DOUBT_MS), NOW_S - DAY_S);
}
