/* Connections are shut down when their time is over, and not before. */
#include "tests/support/unit.h"
#include <poll.h>
#include <stdatomic.h>
#include <sys/socket.h>
#include <unistd.h>

#include "server/http/deadline.h"

enum { WATCHED = 3 };

struct pairs {
    int ours[WATCHED], theirs[WATCHED];
    struct deadline deadline[WATCHED];
};

static void open_pairs(struct deadlines *d, struct pairs *p, uint64_t seconds)
{
    for (int i = 0; i < WATCHED; i++) {
        int ends[2];
        assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
        p->ours[i] = ends[0];
        p->theirs[i] = ends[1];
        p->deadline[i] = (struct deadline){0};
        deadline_add(d, &p->deadline[i], ends[0], seconds);
    }
}

static void close_pair(struct pairs *p, int i)
{
    close(p->ours[i]);
    close(p->theirs[i]);
}

/* Whether the other side sees the end within this time. */
static bool ended(const struct pairs *p, int i, int within_ms)
{
    struct pollfd fd = {.fd = p->theirs[i], .events = POLLIN};
    char byte;

    return poll(&fd, 1, within_ms) == 1 && recv(p->theirs[i], &byte, 1, MSG_DONTWAIT) == 0;
}

static void nothing(void *context)
{
    (void)context;
}

static void count(void *context)
{
    atomic_fetch_add((atomic_uint *)context, 1);
}

static void pass(struct deadline *c)
{
    (void)c;
}

static struct deadlines *new_deadlines(void (*tick)(void *context), void *context)
{
    return deadlines_new(&(struct deadlines_handler){tick, pass, context});
}

TEST(expires_all_when_told)
{
    struct deadlines *d = new_deadlines(nothing, NULL);
    struct pairs p;

    assert_non_null(d);
    open_pairs(d, &p, 1000);
    for (int i = 0; i < WATCHED; i++)
        assert_false(ended(&p, i, 0));
    deadlines_expire_all(d);
    for (int i = 0; i < WATCHED; i++) {
        assert_true(ended(&p, i, 1000));
        deadline_remove(d, &p.deadline[i]);
        close_pair(&p, i);
    }
    deadlines_free(d);
}

TEST(removed_ones_are_left_alone)
{
    for (int removed = 0; removed < WATCHED; removed++) {
        struct deadlines *d = new_deadlines(nothing, NULL);
        struct pairs p;
        assert_non_null(d);
        open_pairs(d, &p, 1000);
        deadline_remove(d, &p.deadline[removed]);
        deadlines_expire_all(d);
        for (int i = 0; i < WATCHED; i++) {
            assert_int_equal(ended(&p, i, i == removed ? 0 : 1000), i != removed);
            if (i != removed)
                deadline_remove(d, &p.deadline[i]);
            close_pair(&p, i);
        }
        deadlines_free(d);
    }
}

TEST(time_runs_out_unless_it_begins_anew)
{
    atomic_uint ticks;
    atomic_init(&ticks, 0);
    struct deadlines *d = new_deadlines(count, &ticks);
    struct pairs p;

    assert_non_null(d);
    open_pairs(d, &p, 1);
    deadline_remove(d, &p.deadline[2]);
    for (int i = 0; i < 50 && !ended(&p, 0, 100); i++)
        deadline_set(d, &p.deadline[1], 1);
    assert_true(ended(&p, 0, 0));
    assert_false(ended(&p, 1, 0));
    assert_false(ended(&p, 2, 0));
    assert_true(ended(&p, 1, 5000));
    assert_true(atomic_load(&ticks) >= 1);
    deadline_remove(d, &p.deadline[0]);
    deadline_remove(d, &p.deadline[1]);
    for (int i = 0; i < WATCHED; i++)
        close_pair(&p, i);
    deadlines_free(d);
}

/* Of two that were added alike, the one for which no time runs any more outlives the other by seconds. */
TEST(no_time_runs_while_the_service_works)
{
    struct deadlines *d = new_deadlines(nothing, NULL);
    struct pairs p;

    assert_non_null(d);
    open_pairs(d, &p, 1);
    deadline_set(d, &p.deadline[0], 0);
    assert_true(ended(&p, 1, 10000));
    assert_true(ended(&p, 2, 10000));
    assert_false(ended(&p, 0, 2500));
    deadline_set(d, &p.deadline[0], 1);
    assert_true(ended(&p, 0, 10000));
    for (int i = 0; i < WATCHED; i++) {
        deadline_remove(d, &p.deadline[i]);
        close_pair(&p, i);
    }
    deadlines_free(d);
}
