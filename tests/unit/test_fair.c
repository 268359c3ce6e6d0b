/* The order in which those who wait are served. */
#include "tests/support/unit.h"

#include "core/system/turns.h"

static int owners[8]; /* only their addresses count */

static void add(struct fair_queue *q, struct fair_place *p, enum turn_class c, int owner)
{
    *p = (struct fair_place){.turn_class = c, .owner = &owners[owner]};
    fair_add(q, p);
}

/* Takes all, and compares with the places at these indexes. */
static void assert_order(struct fair_queue *q, const struct fair_place *places, const unsigned *expected,
                         size_t n)
{
    for (size_t i = 0; i < n; i++)
        assert_ptr_equal(fair_take(q, false), &places[expected[i]]);
    assert_int_equal(q->n, 0);
    assert_null(fair_take(q, false));
}

TEST(one_owner_is_served_in_order)
{
    static const unsigned EXPECTED[] = {0, 1, 2, 3, 4, 5};
    struct fair_queue q = {0};
    struct fair_place places[6];

    for (size_t i = 0; i < 6; i++)
        add(&q, &places[i], TURN_ANSWER, 0);
    assert_order(&q, places, EXPECTED, 6);
}

TEST(owners_take_turns)
{
    static const unsigned EXPECTED[] = {0, 3, 5, 1, 4, 2};
    struct fair_queue q = {0};
    struct fair_place places[6];

    for (size_t i = 0; i < 6; i++)
        add(&q, &places[i], TURN_INPUT, i < 3 ? 0 : i < 5 ? 1 : 2);
    assert_order(&q, places, EXPECTED, 6);
}

TEST(higher_classes_go_first_and_lower_ones_do_not_starve)
{
    struct fair_queue q = {0};
    struct fair_place ahead, input[2 * FAIR_LOWEST], small;

    add(&q, &ahead, TURN_AHEAD, 0);
    for (size_t i = 0; i < 2 * FAIR_LOWEST; i++)
        add(&q, &input[i], TURN_INPUT, 1);
    add(&q, &small, TURN_SMALL, 2);
    assert_ptr_equal(fair_take(&q, false), &small);
    unsigned at = 1;
    while (fair_take(&q, false) != &ahead)
        at++;
    assert_in_range(at, 1, FAIR_LOWEST);
}

TEST(short_work_alone)
{
    struct fair_queue q = {0};
    struct fair_place input, answer;

    add(&q, &input, TURN_INPUT, 0);
    add(&q, &answer, TURN_ANSWER, 1);
    assert_ptr_equal(fair_take(&q, true), &answer);
    assert_null(fair_take(&q, true));
    assert_ptr_equal(fair_take(&q, false), &input);
}

/* Each place in turn leaves, of three owners with 1, 2 and 3 places. */
TEST(any_place_may_leave)
{
    static const int OWNERS[] = {0, 1, 1, 2, 2, 2};
    static const unsigned ORDER[] = {0, 1, 3, 2, 4, 5};

    for (unsigned leaves = 0; leaves < 6; leaves++) {
        struct fair_queue q = {0};
        struct fair_place places[6], more;
        for (size_t i = 0; i < 6; i++)
            add(&q, &places[i], TURN_INPUT, OWNERS[i]);
        fair_remove(&q, &places[leaves]);
        add(&q, &more, TURN_INPUT, OWNERS[leaves]);
        fair_remove(&q, &more);
        assert_int_equal(q.n, 5);
        bool seen[6] = {false};
        for (size_t i = 0; i < 5; i++)
            seen[fair_take(&q, false) - places] = true;
        for (size_t i = 0; i < 6; i++)
            assert_int_equal(seen[ORDER[i]], ORDER[i] != leaves);
        assert_null(fair_take(&q, false));
    }
}
