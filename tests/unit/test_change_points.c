/* Series whose changes are known, and many that have none. */
#include "tests/support/unit.h"

#include "runs/change_points.h"
#include "runs/rank_test.h"
#include "tests/support/random.h"

enum { ARENA_BYTES = 64 << 20, POINTS = 200, RUNS = 5, LEVEL = 10000000 };

/* ---- made series ---- */

/* The median of five runs of one commit. */
static int64_t commit(uint64_t *seed, int64_t level)
{
    uint64_t runs[RUNS];

    for (unsigned i = 0; i < RUNS; i++)
        runs[i] = random_noisy(seed, (uint64_t)level, 3);
    rank_sort(runs, RUNS);
    return (int64_t)rank_median(runs, RUNS);
}

static uint32_t found_in(const int64_t *series, uint32_t n, struct change_point *list, uint32_t room)
{
    struct arena arena;
    struct change_points found;

    arena_init(&arena, ARENA_BYTES);
    assert_true(change_points(series, n, &arena, &found));
    for (uint32_t i = 0; i < found.n && i < room; i++)
        list[i] = found.list[i];
    arena_free(&arena);
    return found.n;
}

static uint32_t distance(uint32_t a, uint32_t b)
{
    return a < b ? b - a : a - b;
}

/* ---- tests ---- */

TEST(series_without_a_change_have_none)
{
    enum { SERIES = 1000 };
    uint64_t seed = 1;
    unsigned alarms = 0;

    for (unsigned i = 0; i < SERIES; i++) {
        int64_t series[POINTS];
        for (unsigned k = 0; k < POINTS; k++)
            series[k] = commit(&seed, LEVEL);
        alarms += found_in(series, POINTS, NULL, 0) > 0;
    }
    assert_in_range(alarms, 0, 10);
}

/* A step of 5 % at a commit between the tenth and the tenth last. */
TEST(a_step_is_found_at_its_commit)
{
    enum { SERIES = 100 };
    uint64_t seed = 2;
    unsigned near = 0;

    for (unsigned i = 0; i < SERIES; i++) {
        int64_t series[POINTS];
        struct change_point found = {.at = 0};
        uint32_t at = 20 + random_below(&seed, POINTS - 39);
        for (unsigned k = 0; k < POINTS; k++)
            series[k] = commit(&seed, k < at ? LEVEL : LEVEL + LEVEL / 20);
        assert_int_equal(found_in(series, POINTS, &found, 1), 1);
        assert_in_range(distance(found.at, at), 0, 4);
        assert_true(found.p < 0.005);
        assert_in_range(found.before, LEVEL * 99 / 100, LEVEL * 101 / 100);
        assert_in_range(found.behind, LEVEL * 103 / 100, LEVEL * 107 / 100);
        near += distance(found.at, at) <= 1;
    }
    assert_in_range(near, 95, SERIES);
}

/* A clear one is seen when five commits have it. */
TEST(a_step_is_found_soon)
{
    uint64_t seed = 3;

    for (uint32_t behind = 1; behind < 12; behind++) {
        int64_t series[100];
        struct change_point found = {.at = 0};
        for (uint32_t k = 0; k < 100; k++)
            series[k] = commit(&seed, k < 100 - behind ? LEVEL : LEVEL * 2);
        uint32_t n = found_in(series, 100, &found, 1);
        assert_int_equal(n, behind >= CHANGE_POINTS_SIDE_MIN);
        if (n > 0)
            assert_int_equal(found.at, 100 - behind);
    }
}

TEST(steps_up_and_down_are_told_apart)
{
    static const uint32_t AT[] = {60, 85, 150};
    static const int64_t LEVELS[] = {LEVEL, LEVEL * 11 / 10, LEVEL * 102 / 100, LEVEL * 9 / 10};
    uint64_t seed = 4;
    unsigned near = 0;

    for (unsigned round = 0; round < 20; round++) {
        int64_t series[POINTS];
        struct change_point found[4];
        for (uint32_t k = 0; k < POINTS; k++)
            series[k] = commit(&seed, LEVELS[(k >= AT[0]) + (k >= AT[1]) + (k >= AT[2])]);
        assert_int_equal(found_in(series, POINTS, found, 4), 3);
        for (unsigned i = 0; i < 3; i++)
            near += distance(found[i].at, AT[i]) <= 1;
    }
    assert_in_range(near, 57, 60);
}

TEST(outliers_are_no_change)
{
    uint64_t seed = 5;
    int64_t series[POINTS];

    for (uint32_t k = 0; k < POINTS; k++)
        series[k] = commit(&seed, LEVEL) * (k % 50 == 20 ? 100 : 1);
    assert_int_equal(found_in(series, POINTS, NULL, 0), 0);
}

/* Counts: the same at each commit, but for a few. */
TEST(counts_are_series)
{
    int64_t series[POINTS];
    struct change_point found = {.at = 0};

    for (uint32_t k = 0; k < POINTS; k++)
        series[k] = 100;
    assert_int_equal(found_in(series, POINTS, NULL, 0), 0);
    series[198] = series[199] = 101;
    assert_int_equal(found_in(series, POINTS, NULL, 0), 0);
    for (uint32_t k = 120; k < POINTS; k++)
        series[k] = 101;
    assert_int_equal(found_in(series, POINTS, &found, 1), 1);
    assert_int_equal(found.at, 120);
    assert_int_equal(found.before, 100);
    assert_int_equal(found.behind, 101);
}

TEST(short_and_extreme_series)
{
    int64_t series[40];
    struct change_point found = {.at = 0};

    for (uint32_t n = 0; n <= 40; n++) {
        for (uint32_t k = 0; k < n; k++)
            series[k] = k < n / 2 ? INT64_MIN + k % 3 : INT64_MAX - k % 3;
        uint32_t of = found_in(series, n, &found, 1);
        /* All five of one side are at one end: of 462 arrangements one; of 924 of six and six both ends are as uneven. */
        assert_int_equal(of, n == CHANGE_POINTS_LEAST || n >= 13);
        if (of > 0)
            assert_int_equal(found.at, n / 2);
    }
    assert_true(found.before == INT64_MIN + 1 && found.behind == INT64_MAX - 1);
}

/* Of a long series the last numbers count; there, all numbers may tie. */
TEST(the_longest_series)
{
    enum { LONG = CHANGE_POINTS_SERIES_MAX + 500 };
    static int64_t series[LONG];
    struct change_point found[3];
    uint64_t seed = 6;

    for (uint32_t k = 0; k < LONG; k++)
        series[k] = (k < 100 || k >= 3000 ? 1003 : 1000) + random_below(&seed, 7);
    assert_int_equal(found_in(series, LONG, found, 3), 1);
    assert_in_range(distance(found[0].at, 3000), 0, 5);
}

TEST(without_memory_it_says_so)
{
    struct arena arena;
    struct change_points found;
    int64_t series[POINTS] = {0};

    arena_init(&arena, 1);
    assert_false(change_points(series, POINTS, &arena, &found));
    assert_int_equal(arena.failure, ARENA_LIMIT);
    arena_free(&arena);
}
