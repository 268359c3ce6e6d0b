/* The rank test against counting all arrangements one by one; the interval against the test; how often it holds the truth. */
#include "tests/support/unit.h"

#include "runs/rank_test.h"
#include "tests/support/random.h"

enum { ARENA_BYTES = 64 << 20, SMALL_MAX = 12 };

struct fixture {
    struct arena arena;
    struct rank_scratch scratch;
};

static int begin(void **state)
{
    static struct fixture f;

    arena_init(&f.arena, ARENA_BYTES);
    f.scratch = (struct rank_scratch){.arena = &f.arena};
    *state = &f;
    return 0;
}

static int end(void **state)
{
    struct fixture *f = *state;

    arena_free(&f->arena);
    return 0;
}

static double distance(double a, double b)
{
    return a < b ? b - a : a - b;
}

static struct rank_result test(void **state, struct rank_groups g, enum rank_of of)
{
    struct fixture *f = *state;
    struct rank_result r;

    rank_test(&g, of, &f->scratch, &r);
    assert_int_equal(f->arena.failure, ARENA_OK);
    return r;
}

/* ---- p ---- */

/* Doubled: twice the wins of B over A, and one for each draw. */
static unsigned doubled_wins(const uint64_t *all, unsigned n, unsigned in_a)
{
    unsigned wins = 0;

    for (unsigned i = 0; i < n; i++)
        for (unsigned j = 0; j < n; j++)
            if ((in_a >> i & 1) != 0 && (in_a >> j & 1) == 0)
                wins += all[j] > all[i] ? 2 : all[j] == all[i];
    return wins;
}

/* The share of all arrangements of all[n] that are at least as far from the middle as the first one. */
static double p_by_arrangements(const uint64_t *all, unsigned n, unsigned n_a)
{
    unsigned middle = n_a * (n - n_a), found = 0, arrangements = 0;
    unsigned first = doubled_wins(all, n, (1u << n_a) - 1);
    unsigned least = first < middle ? middle - first : first - middle;

    for (unsigned in_a = 0; in_a < 1u << n; in_a++) {
        if ((unsigned)__builtin_popcount(in_a) != n_a)
            continue;
        unsigned wins = doubled_wins(all, n, in_a);
        found += (wins < middle ? middle - wins : wins - middle) >= least;
        arrangements++;
    }
    return (double)found / arrangements;
}

TEST_WITH(p_is_that_of_all_arrangements, begin, end)
{
    uint64_t seed = 1, all[SMALL_MAX];

    for (unsigned round = 0; round < 300; round++) {
        /* Every second round has ties, some of them many. */
        uint32_t kinds = round % 2 == 0 ? 1000000 : 1 + random_below(&seed, 8);
        unsigned n = 2 + random_below(&seed, SMALL_MAX - 3), n_a = 1 + random_below(&seed, n - 1);
        for (unsigned i = 0; i < n; i++)
            all[i] = random_below(&seed, kinds);
        rank_sort(all, n_a);
        rank_sort(all + n_a, n - n_a);
        struct rank_result r = test(state, (struct rank_groups){all, all + n_a, n_a, n - n_a}, RANK_RATIO);
        assert_true(distance(r.p, p_by_arrangements(all, n, n_a)) < 1e-12);
    }
}

/* What has too many runs to be counted with ties is near what is counted without, as two equal runs change no order; and
 * where it decides, it errs to the safe side. */
TEST_WITH(p_of_large_groups, begin, end)
{
    enum { N_A = 12, N_B = 60 };
    uint64_t seed = 2, a[N_A], b[N_B];

    for (unsigned round = 0; round < 50; round++) {
        struct rank_groups g = {a, b, N_A, N_B};
        for (unsigned i = 0; i < N_A; i++)
            a[i] = random_below(&seed, 1000000000);
        for (unsigned i = 0; i < N_B - 2; i++)
            b[i] = random_below(&seed, 1000000000) + round * 10000000;
        b[N_B - 2] = b[N_B - 1] = UINT64_C(3000000000);
        rank_sort(a, N_A);
        rank_sort(b, N_B);
        double by_normal = test(state, g, RANK_RATIO).p;
        b[N_B - 1]++;
        double counted = test(state, g, RANK_RATIO).p;
        assert_true(distance(by_normal, counted) < 0.006);
        assert_true(counted > 0.05 || by_normal > counted);
    }
}

/* Two of 200 differ, both in a group of five: that is chance once in 1,990 times, and no finding of a billion to one. */
TEST_WITH(many_ties_err_to_the_safe_side, begin, end)
{
    uint64_t a[195] = {0}, b[5] = {0, 0, 0, 1, 1};

    assert_true(test(state, (struct rank_groups){a, b, 195, 5}, RANK_DIFFERENCE).p > 1.0 / 1990);
}

TEST_WITH(p_of_known_tables, begin, end)
{
    static const uint64_t A[] = {1, 2, 3, 4, 5}, B[] = {6, 7, 8, 9, 10}, SAME[] = {3, 3, 3, 3, 3};

    assert_true(distance(test(state, (struct rank_groups){A, B, 5, 5}, RANK_RATIO).p, 2.0 / 252) < 1e-12);
    assert_true(distance(test(state, (struct rank_groups){A, B, 3, 3}, RANK_RATIO).p, 2.0 / 20) < 1e-12);
    assert_true(test(state, (struct rank_groups){SAME, SAME, 5, 5}, RANK_RATIO).p == 1);
    assert_true(test(state, (struct rank_groups){A, A, 1, 1}, RANK_RATIO).p == 1);
    assert_true(test(state, (struct rank_groups){A, B, 1, 1}, RANK_RATIO).p == 1);
}

/* ---- the interval ---- */

/* How far the test says that A * ratio, or A + difference, is from B. Numbers are whole: all are multiplied for that. */
static double p_if(void **state, const struct rank_groups *g, enum rank_of of, int64_t by)
{
    enum { SCALE = 1000 };
    uint64_t a[SMALL_MAX], b[SMALL_MAX];

    for (uint32_t i = 0; i < g->n_a; i++)
        a[i] = of == RANK_RATIO ? g->a[i] * (uint64_t)by : (uint64_t)((int64_t)g->a[i] + by) * SCALE + SCALE;
    for (uint32_t i = 0; i < g->n_b; i++)
        b[i] = of == RANK_RATIO ? g->b[i] * SCALE : g->b[i] * SCALE + SCALE;
    return test(state, (struct rank_groups){a, b, g->n_a, g->n_b}, RANK_RATIO).p;
}

TEST_WITH(interval_inverts_the_test, begin, end)
{
    uint64_t seed = 3, a[SMALL_MAX], b[SMALL_MAX];

    for (unsigned round = 0; round < 40; round++) {
        enum rank_of of = round % 2 == 0 ? RANK_RATIO : RANK_DIFFERENCE;
        struct rank_groups g = {a, b, 4 + random_below(&seed, 3), 4 + random_below(&seed, 3)};
        for (unsigned i = 0; i < SMALL_MAX; i++) {
            a[i] = 10000 + random_below(&seed, 3000);
            b[i] = 10000 + random_below(&seed, 3000);
        }
        rank_sort(a, g.n_a);
        rank_sort(b, g.n_b);
        struct rank_result r = test(state, g, of);
        assert_true(r.has_interval && r.low <= r.estimate && r.estimate <= r.high);
        int64_t first = of == RANK_RATIO ? 700 : -4000, step = of == RANK_RATIO ? 7 : 101;
        for (int64_t by = first; by <= -first + (of == RANK_RATIO ? 2100 : 0); by += step) {
            double truth = of == RANK_RATIO ? (double)by / 1000 : (double)by;
            /* At its very end a pair is a tie. */
            if (distance(truth, r.low) < 1e-9 || distance(truth, r.high) < 1e-9)
                continue;
            assert_int_equal(truth > r.low && truth<r.high, p_if(state, &g, of, by)> 0.05);
        }
    }
}

TEST_WITH(interval_needs_runs, begin, end)
{
    static const uint64_t A[] = {1, 2, 3, 4, 5}, B[] = {6, 7, 8, 9, 10};
    static const struct {
        uint32_t n_a, n_b;
        bool has;
    } CASES[] = {{1, 1, false}, {2, 5, false}, {3, 3, false}, {3, 5, true}, {4, 4, true}, {5, 5, true}};

    for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
        struct rank_groups g = {A, B, CASES[i].n_a, CASES[i].n_b};
        assert_int_equal(test(state, g, RANK_RATIO).has_interval, CASES[i].has);
    }
    struct rank_result none = test(state, (struct rank_groups){A, B, 3, 3}, RANK_DIFFERENCE);
    assert_true(none.low < -1e300 && none.high > 1e300 && none.estimate == 5);
}

TEST_WITH(zeros_are_ratios, begin, end)
{
    static const uint64_t NONE[] = {0, 0, 0, 0, 0}, SOME[] = {1, 2, 3, 4, 5};

    struct rank_result r = test(state, (struct rank_groups){NONE, NONE, 5, 5}, RANK_RATIO);
    assert_true(r.estimate == 1 && r.low == 1 && r.high == 1);
    r = test(state, (struct rank_groups){NONE, SOME, 5, 5}, RANK_RATIO);
    assert_true(r.estimate > 1e300 && r.low > 1e300);
    r = test(state, (struct rank_groups){SOME, NONE, 5, 5}, RANK_RATIO);
    assert_true(r.estimate == 0 && r.high == 0);
}

TEST_WITH(numbers_may_be_huge, begin, end)
{
    static const uint64_t LOW[] = {0, 0, 1, 1, 2},
                          HIGH[] = {INT64_MAX - 2, INT64_MAX - 1, INT64_MAX, INT64_MAX, INT64_MAX};

    struct rank_result r = test(state, (struct rank_groups){LOW, HIGH, 5, 5}, RANK_DIFFERENCE);
    assert_true(r.low > 9.2e18 && r.high < 9.3e18);
    r = test(state, (struct rank_groups){HIGH, LOW, 5, 5}, RANK_DIFFERENCE);
    assert_true(r.low < -9.2e18 && r.high > -9.3e18);
    assert_true(test(state, (struct rank_groups){LOW, HIGH, 5, 5}, RANK_RATIO).estimate > 1e18);
    assert_true(rank_median(HIGH, 2) == INT64_MAX - 2);
}

TEST_WITH(estimate_of_swapped_groups_is_the_reverse, begin, end)
{
    static const uint64_t A[] = {100, 104, 109, 113}, B[] = {121, 122, 130, 166};

    double there = test(state, (struct rank_groups){A, B, 4, 4}, RANK_RATIO).estimate;
    double back = test(state, (struct rank_groups){B, A, 4, 4}, RANK_RATIO).estimate;
    assert_true(distance(there * back, 1) < 1e-12);
}

TEST_WITH(most_runs_are_tested, begin, end)
{
    static uint64_t a[RANK_RUNS_MAX], b[RANK_RUNS_MAX];
    uint64_t seed = 4;

    for (unsigned i = 0; i < RANK_RUNS_MAX; i++) {
        a[i] = 1000000 + random_below(&seed, 50000);
        b[i] = 1020000 + random_below(&seed, 50000);
    }
    rank_sort(a, RANK_RUNS_MAX);
    rank_sort(b, RANK_RUNS_MAX);
    struct rank_result r = test(state, (struct rank_groups){a, b, RANK_RUNS_MAX, RANK_RUNS_MAX}, RANK_RATIO);
    assert_true(r.p < 1e-6 && distance(r.estimate, 1.0195) < 0.002);
    assert_true(r.high - r.low < 0.006);
}

/* ---- how often ---- */

static void check_coverage(void **state, uint32_t n_a, uint32_t n_b)
{
    enum { ROUNDS = 1000 };
    uint64_t seed = 5, a[50], b[50];
    unsigned covered = 0, alarms = 0;

    for (unsigned round = 0; round < ROUNDS; round++) {
        for (uint32_t i = 0; i < n_a; i++)
            a[i] = random_noisy(&seed, 10000000, 3);
        for (uint32_t i = 0; i < n_b; i++)
            b[i] = random_noisy(&seed, 11000000, 3);
        rank_sort(a, n_a);
        rank_sort(b, n_b);
        struct rank_result r = test(state, (struct rank_groups){a, b, n_a, n_b}, RANK_RATIO);
        covered += r.low <= 1.1 && 1.1 <= r.high;
        for (uint32_t i = 0; i < n_b; i++)
            b[i] = random_noisy(&seed, 10000000, 3);
        rank_sort(b, n_b);
        alarms += test(state, (struct rank_groups){a, b, n_a, n_b}, RANK_RATIO).p <= 0.05;
    }
    assert_in_range(covered, ROUNDS * 94 / 100, ROUNDS);
    assert_in_range(alarms, 0, ROUNDS * 6 / 100);
}

TEST_WITH(the_interval_holds_the_truth, begin, end)
{
    check_coverage(state, 5, 5);
    check_coverage(state, 5, 50);
    check_coverage(state, 20, 20);
}

/* ---- many tests ---- */

TEST_WITH(false_discoveries, begin, end)
{
    /* The example of Benjamini and Hochberg (1995), section 4.2: 15 comparisons, of which the first four are findings. */
    double p[] = {0.7590, 0.0001, 0.0004, 1.0000, 0.0019, 0.0095, 0.0201, 0.0278,
                  0.0298, 0.0344, 0.0459, 0.3240, 0.4262, 0.5719, 0.6528};
    double none[] = {0.06, 0.2, 0.9}, all[] = {0.05, 0.05, 0.05};

    assert_true(rank_false_discoveries(p, 15, 0.05) == 0.0095);
    assert_true(rank_false_discoveries(none, 3, 0.05) == -1);
    assert_true(rank_false_discoveries(all, 3, 0.05) == 0.05);
    assert_true(rank_false_discoveries(NULL, 0, 0.05) == -1);
}

/* ---- more runs ---- */

TEST_WITH(more_runs, begin, end)
{
    static const uint64_t ONE[] = {100}, STEADY[] = {100, 100, 100, 100, 100},
                          NOISY[] = {970000, 985000, 1000000, 1015000, 1030000};
    struct rank_more more = rank_more_runs(&(struct rank_groups){ONE, ONE, 1, 1}, 0.05);

    assert_int_equal(more.runs, 3); /* four against four are the least */
    assert_true(more.of_each);
    more = rank_more_runs(&(struct rank_groups){STEADY, ONE, 5, 1}, 0.05);
    assert_int_equal(more.runs, 2);
    assert_false(more.of_each);
    struct rank_groups g = {NOISY, NOISY, 5, 5};
    assert_int_equal(rank_more_runs(&g, 0).runs, RANK_MORE_MAX + 1);
    assert_int_equal(rank_more_runs(&g, 0.0001).runs, RANK_MORE_MAX + 1);
    uint32_t before = 0;
    for (unsigned thousandths = 50; thousandths > 10; thousandths -= 5) {
        more = rank_more_runs(&g, thousandths / 1000.0);
        assert_true(more.runs * (1u + more.of_each) >= before);
        before = more.runs * (1u + more.of_each);
    }
    assert_in_range(before, 30, 200);
}
