/* What each may upload: what is taken, what comes back, what is told, who is forgotten. */
#include "tests/support/unit.h"

#include <stdio.h>
#include <string.h>

#include "server/doors/shares.h"

enum { NOW_S = 1000000000, DAY_S = 86400 };

static struct shares *shares_of(const struct config *c)
{
    struct shares *s = shares_wanted(c) ? shares_new(c) : NULL;

    assert_non_null(s);
    return s;
}

static bool begins(struct shares *s, const char *name, int64_t now_s)
{
    struct share_left left;

    return shares_begin(s, str_of(name), now_s, &left);
}

static struct share_left looked(struct shares *s, const char *name, int64_t now_s)
{
    struct share_left left;

    shares_look(s, str_of(name), now_s, &left);
    return left;
}

TEST(without_limits_there_are_none)
{
    const struct config config = {.uploads_per_minute = 0};

    assert_false(shares_wanted(&config));
}

TEST(so_many_a_minute)
{
    const struct config config = {.uploads_per_minute = 3};
    struct shares *s = shares_of(&config);
    struct share_left left;

    for (int i = 0; i < 3; i++) {
        assert_true(begins(s, "ann", NOW_S));
        shares_pay(s, STR("ann"), 1 << 20, NOW_S);
        shares_end(s, STR("ann"));
    }
    assert_false(shares_begin(s, STR("ann"), NOW_S, &left));
    assert_int_equal(left.retry_s, 20);
    assert_int_equal(left.uploads, 0);
    assert_non_null(strstr(left.why, "minute"));
    assert_true(begins(s, "bob", NOW_S));
    assert_false(begins(s, "ann", NOW_S + 19));
    assert_true(begins(s, "ann", NOW_S + 20));
    assert_false(begins(s, "ann", NOW_S + 20));
    assert_int_equal(looked(s, "ann", NOW_S + 1000).uploads, 3);
    assert_int_equal(looked(s, "ann", NOW_S - 1000).uploads, 3); /* a clock that was put back */
    shares_free(s);
}

TEST(so_many_at_a_time)
{
    const struct config config = {.uploads_at_once = 2};
    struct shares *s = shares_of(&config);

    assert_true(begins(s, "ann", NOW_S));
    assert_true(begins(s, "ann", NOW_S));
    assert_false(begins(s, "ann", NOW_S));
    shares_pay(s, STR("ann"), 0, NOW_S);
    shares_end(s, STR("ann"));
    assert_true(begins(s, "ann", NOW_S));
    shares_pay(s, STR("nobody"), 0, NOW_S);
    shares_end(s, STR("nobody"));
    shares_free(s);
}

/* What is there to pay for has come already: the next one waits until it is paid. */
TEST(so_many_bytes_a_day)
{
    const struct config config = {.upload_bytes_per_day = 10 * DAY_S};
    struct shares *s = shares_of(&config);
    struct share_left left;

    assert_true(begins(s, "ann", NOW_S));
    shares_pay(s, STR("ann"), 11 * DAY_S, NOW_S);
    shares_end(s, STR("ann"));
    assert_false(shares_begin(s, STR("ann"), NOW_S, &left));
    assert_int_equal(left.bytes, 0);
    assert_int_equal(left.retry_s, DAY_S / 10 + 1);
    assert_false(begins(s, "ann", NOW_S + DAY_S / 10));
    assert_true(begins(s, "ann", NOW_S + DAY_S / 10 + 1));
    shares_pay(s, STR("ann"), UINT64_MAX, NOW_S + DAY_S);
    shares_end(s, STR("ann"));
    assert_false(begins(s, "ann", NOW_S + 90 * DAY_S));
    shares_free(s);
}

TEST(a_small_share_comes_back)
{
    const struct config config = {.upload_bytes_per_day = 1};
    struct shares *s = shares_of(&config);

    assert_true(begins(s, "ann", NOW_S));
    shares_pay(s, STR("ann"), 1, NOW_S);
    shares_end(s, STR("ann"));
    assert_false(begins(s, "ann", NOW_S));
    assert_true(begins(s, "ann", NOW_S + 1));
    shares_free(s);
}

/* Work is never refused: who has had more than the share waits behind others. */
TEST(so_much_work_a_minute)
{
    enum { SECOND_US = 1000000 };
    const struct config config = {.work_seconds_per_minute = 6};
    struct shares *s = shares_of(&config);

    assert_false(shares_behind(s, STR("ann"), NOW_S));
    assert_true(begins(s, "ann", NOW_S));
    shares_pay_work(s, STR("ann"), 6 * SECOND_US, NOW_S);
    assert_false(shares_behind(s, STR("ann"), NOW_S));
    shares_pay_work(s, STR("ann"), 2 * SECOND_US, NOW_S);
    assert_true(shares_behind(s, STR("ann"), NOW_S + 19));
    assert_true(begins(s, "ann", NOW_S + 19));
    assert_false(shares_behind(s, STR("ann"), NOW_S + 20));
    assert_false(shares_behind(s, STR("bob"), NOW_S));
    shares_pay_work(s, STR("ann"), UINT64_MAX, NOW_S + 20);
    shares_pay_work(s, STR("ann"), UINT64_MAX, NOW_S + 20);
    assert_true(shares_behind(s, STR("ann"), NOW_S + 90 * DAY_S));
    shares_free(s);
}

TEST(the_least_recent_is_forgotten)
{
    const struct config config = {.uploads_per_minute = 1};
    struct shares *s = shares_of(&config);
    char name[SHARES_NAME_BYTES + 2];

    assert_true(begins(s, "running", NOW_S - 5));
    for (int i = 0; i < SHARES_MAX; i++) {
        snprintf(name, sizeof(name), "p%d", i);
        assert_true(begins(s, name, NOW_S + (i == 0 ? -2 : 0)));
        shares_pay(s, str_of(name), 0, NOW_S + (i == 0 ? -2 : 0));
        shares_end(s, str_of(name));
    }
    assert_false(begins(s, "p1", NOW_S));
    assert_false(begins(s, "running", NOW_S));
    assert_true(begins(s, "p0", NOW_S)); /* it was forgotten for the last one */
    memset(name, 'a', sizeof(name));
    assert_false(shares_begin(s, (struct str){name, sizeof(name)}, NOW_S, &(struct share_left){0}));
    shares_free(s);
}

TEST(they_come_back_from_text)
{
    const struct config config = {
        .uploads_per_minute = 2, .upload_bytes_per_day = 10 * DAY_S, .work_seconds_per_minute = 60};
    struct shares *s = shares_of(&config), *next = shares_of(&config);
    struct buf text = {0}, again = {0};

    assert_true(begins(s, "name:ann", NOW_S));
    shares_pay(s, STR("name:ann"), 20 * DAY_S, NOW_S);
    shares_pay_work(s, STR("name:ann"), 61000000, NOW_S);
    shares_end(s, STR("name:ann"));
    looked(s, "name:unused", NOW_S);
    shares_put(s, &text);
    assert_true(str_eq(buf_view(&text), STR("name:ann 60 -864000 -1000000 1000000000\n")));
    shares_take(next, STR("nonsense\n\nx 1\ny a b c\nz 1 2 3 99999999999999999999999\n"));
    shares_take(next, buf_view(&text));
    assert_false(begins(next, "name:ann", NOW_S + 10));
    assert_int_equal(looked(next, "name:ann", NOW_S + 10).uploads, 1);
    shares_put(next, &again);
    assert_true(str_starts(buf_view(&again), STR("name:ann 80 -863900 9000000 1000000010\n")));
    buf_free(&text);
    buf_free(&again);
    shares_free(s);
    shares_free(next);
}
