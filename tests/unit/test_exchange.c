/* Waiting: what goes on after a resume, and the states that end with the exchange. */
#include "tests/support/unit.h"

#include "server/http/exchange.h"

struct client {
    struct exchange x; /* first */
    int suspended;
};

static void suspend(struct exchange *x, bool works)
{
    (void)works;
    ((struct client *)x)->suspended++;
}

static void resume(struct exchange *x)
{
    ((struct client *)x)->suspended--;
}

static enum exchange_step finish(struct exchange *x, void *context)
{
    (void)x;
    ++*(int *)context;
    return X_DONE;
}

static enum exchange_step wait_again(struct exchange *x, void *context)
{
    return exchange_then(x, finish, context);
}

TEST(goes_on_where_it_waited)
{
    struct client c = {.x = {.suspend = suspend, .resume = resume}};
    struct exchange_wait wait = {NULL};
    int finished = 0;

    assert_false(exchange_goes_on(&c.x));
    exchange_wait(&c.x, &wait);
    assert_int_equal(c.suspended, 1);
    assert_int_equal(exchange_then(&c.x, wait_again, &finished), X_WAIT);
    exchange_resume(&wait);
    exchange_resume(&wait); /* nobody waits any more */
    assert_int_equal(c.suspended, 0);
    assert_true(exchange_goes_on(&c.x));
    assert_int_equal(exchange_go_on(&c.x), X_WAIT);
    assert_true(exchange_goes_on(&c.x));
    assert_int_equal(exchange_go_on(&c.x), X_DONE);
    assert_int_equal(finished, 1);
    assert_false(exchange_goes_on(&c.x));
}

static int ended[3], n_ended;

static void note(void *memory)
{
    ended[n_ended++] = *(int *)memory;
}

TEST(states_end_in_reverse_order)
{
    struct exchange x = {.id = "1"};

    n_ended = 0;
    for (int i = 0; i < 3; i++) {
        int *number = exchange_state(&x, sizeof(*number), i == 1 ? NULL : note);
        assert_non_null(number);
        assert_int_equal(*number, 0);
        *number = i;
    }
    exchange_end_states(&x);
    assert_int_equal(n_ended, 2);
    assert_int_equal(ended[0], 2);
    assert_int_equal(ended[1], 0);
    exchange_end_states(&x); /* there is none any more */
    assert_int_equal(n_ended, 2);
}
