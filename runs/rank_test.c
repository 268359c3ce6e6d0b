#include "runs/rank_test.h"

#include <stdlib.h>
#include <string.h>

/* ---- arithmetic that all machines do alike ---- */

static const double INFINITE = __builtin_inf();

/* By Newton's steps: the first ones halve what is too large. */
static double root(double x)
{
    double r = x > 1 ? x : 1;

    for (unsigned i = 0; i < 64 && x > 0; i++)
        r = (r + x / r) / 2;
    return x > 0 ? r : 0;
}

/* e to the power of -x: the series at x/64, which is small, to the power of 64. */
static double exp_negative(double x)
{
    enum { TERMS = 40, HALVINGS = 6 };
    double term = 1, sum = 1;

    if (x > 700)
        return 0;
    for (unsigned i = 1; i < TERMS; i++) {
        term = term * (x / (1 << HALVINGS)) / i;
        sum += term;
    }
    for (unsigned i = 0; i < HALVINGS; i++)
        sum *= sum;
    return 1 / sum;
}

/* How much of the normal distribution lies above z (Abramowitz and Stegun, 26.2.11 and 26.2.14). */
static double normal_tail(double z)
{
    enum { TERMS = 100 };
    static const double ROOT_OF_2_PI = 2.5066282746310002;
    double density = exp_negative(z * z / 2) / ROOT_OF_2_PI, sum = z;

    if (z <= 3) {
        double term = z;
        for (unsigned i = 1; i < TERMS; i++) {
            term = term * z * z / (2 * i + 1);
            sum += term;
        }
        return 0.5 - density * sum;
    }
    for (unsigned i = TERMS; i > 0; i--)
        sum = z + i / sum;
    return density / sum;
}

/* ---- counting ---- */

enum {
    COUNTED_STEPS_MAX = 1 << 18, /* of counting where values are tied */
    COUNTED_PAIRS_MAX = 1 << 14  /* of counting where none are */
};

/* n over m. False: it has 2^62 or more, and is not counted up to. */
static bool binomial(uint32_t n, uint32_t m, uint64_t *result)
{
    uint64_t c = 1;

    for (uint32_t i = 1; i <= m; i++) {
        if (__builtin_mul_overflow(c, (uint64_t)n - m + i, &c))
            return false;
        c /= i;
    }
    *result = c;
    return c < UINT64_C(1) << 62;
}

/* Zeros. NULL: no memory. */
static uint64_t *cells_of(struct rank_scratch *scratch, size_t n)
{
    if (!ARENA_ROOM(scratch->arena, scratch->cells, scratch->cells_capacity, n))
        return NULL;
    memset(scratch->cells, 0, n * sizeof(*scratch->cells));
    return scratch->cells;
}

/* counts[u], u < length, zeros at first: how many of the arrangements of m and n runs without ties have u pairs in the wrong order. They are
 * the coefficients of the product of (1 - q^(n+i)) / (1 - q^i) over i = 1..m; unsigned numbers may wrap on the way. */
static void count_pairs(uint64_t *counts, size_t length, uint32_t m, uint32_t n)
{
    counts[0] = 1;
    for (uint32_t i = 1; i <= m; i++) {
        for (size_t u = length; u-- > n + i;)
            counts[u] -= counts[u - n - i];
        for (size_t u = i; u < length; u++)
            counts[u] += counts[u - i];
    }
}

static bool counts_pairs(uint32_t m, uint32_t n, uint64_t *all)
{
    return (uint64_t)m * n <= COUNTED_PAIRS_MAX && binomial(m + n, m < n ? m : n, all);
}

/* How many of all arrangements have at most `most` pairs in the wrong order. 0: no memory. */
static uint64_t count_up_to(uint32_t m, uint32_t n, uint64_t most, struct rank_scratch *scratch)
{
    uint64_t sum = 0, *counts = cells_of(scratch, most + 1);

    if (counts == NULL)
        return 0;
    count_pairs(counts, most + 1, m < n ? m : n, m < n ? n : m);
    for (uint64_t u = 0; u <= most; u++)
        sum += counts[u];
    return sum;
}

/* No sum of m doubled ranks is larger. */
static uint64_t sum_max(uint32_t n, uint32_t m)
{
    return (uint64_t)m * (2 * n - m + 1);
}

/* by_sum[k * width + s]: how many choices of k of the ranks so far have the sum s. */
static void count_sums(uint64_t *by_sum, size_t width, const uint32_t *ranks, uint32_t n, uint32_t m)
{
    by_sum[0] = 1;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = i + 1 < m ? i + 1 : m; k > 0; k--) {
            uint64_t *to = by_sum + k * width, *from = to - width;
            for (size_t s = ranks[i]; s < width; s++)
                to[s] += from[s - ranks[i]];
        }
}

/* How many choices of m of the ranks have a sum that is at least so far from the average. 0: no memory. */
static uint64_t count_beyond(const uint32_t *ranks, uint32_t n, uint32_t m, uint64_t deviation,
                             struct rank_scratch *scratch)
{
    size_t width = sum_max(n, m) + 1;
    uint64_t found = 0, average = (uint64_t)m * (n + 1), *by_sum = cells_of(scratch, width * (m + 1));

    if (by_sum == NULL)
        return 0;
    count_sums(by_sum, width, ranks, n, m);
    for (size_t s = 0; s < width; s++)
        if ((s < average ? average - s : s - average) >= deviation)
            found += by_sum[m * width + s];
    return found;
}

/* ---- p ---- */

static double share_of(uint64_t found, uint64_t all)
{
    return found == 0 || found >= all ? 1 : (double)found / (double)all;
}

/* The doubled deviation has the variance m * (n - m) * (n + 1) / 3. */
static double p_by_normal(uint32_t n, uint32_t m, uint64_t deviation)
{
    double variance = (double)((uint64_t)m * (n - m) * (n + 1)) / 3;

    return deviation <= 1
               ? 1
               : 2 * normal_tail(root((double)(deviation - 1) * (double)(deviation - 1) / variance));
}

double rank_sum_p(const uint32_t *ranks, uint32_t n, uint32_t m, uint64_t deviation, bool ties,
                  struct rank_scratch *scratch)
{
    uint32_t few = m < n - m ? m : n - m;
    uint64_t all;

    if (deviation == 0)
        return 1;
    if (!ties && counts_pairs(few, n - few, &all))
        return share_of(2 * count_up_to(few, n - few, ((uint64_t)few * (n - few) - deviation) / 2, scratch),
                        all);
    if (ties && sum_max(n, few) * few * n <= COUNTED_STEPS_MAX && binomial(n, few, &all))
        return share_of(count_beyond(ranks, n, few, deviation, scratch), all);
    return p_by_normal(n, m, deviation);
}

/* Doubled midranks of both groups together; returns those of A summed up. */
static uint64_t rank_groups(const struct rank_groups *g, uint32_t *ranks, bool *ties)
{
    uint64_t sum_a = 0;
    uint32_t i = 0, j = 0, n = 0;

    *ties = false;
    while (i < g->n_a || j < g->n_b) {
        uint64_t least = j == g->n_b || (i < g->n_a && g->a[i] < g->b[j]) ? g->a[i] : g->b[j];
        uint32_t from_i = i, from = n;
        while (i < g->n_a && g->a[i] == least)
            i++;
        while (j < g->n_b && g->b[j] == least)
            j++;
        uint32_t rank = from + 1 + i + j;
        sum_a += (uint64_t)rank * (i - from_i);
        *ties = *ties || i + j - from > 1;
        while (n < i + j)
            ranks[n++] = rank;
    }
    return sum_a;
}

static double p_of(const struct rank_groups *g, struct rank_scratch *scratch)
{
    uint32_t n = g->n_a + g->n_b;
    bool ties;

    if (!ARENA_ROOM(scratch->arena, scratch->ranks, scratch->ranks_capacity, n))
        return 1;
    uint64_t sum = rank_groups(g, scratch->ranks, &ties), average = (uint64_t)g->n_a * (n + 1);
    uint64_t deviation = sum < average ? average - sum : sum - average;
    return rank_sum_p(scratch->ranks, n, g->n_a, deviation, ties, scratch);
}

/* ---- pairs ---- */

/* Ratios and differences as unsigned numbers of the same order: a double that is not negative is ordered as its bits are. */
static const uint64_t ZERO_DIFFERENCE = UINT64_C(1) << 63;

static uint64_t code_of_ratio(double ratio)
{
    uint64_t code;

    memcpy(&code, &ratio, sizeof(code));
    return code;
}

static uint64_t code_of(enum rank_of of, uint64_t a, uint64_t b)
{
    if (of == RANK_DIFFERENCE)
        return b - a + ZERO_DIFFERENCE;
    return code_of_ratio(a > 0 ? (double)b / (double)a : b > 0 ? INFINITE : 1);
}

static double value_of(enum rank_of of, uint64_t code)
{
    double ratio;

    if (of == RANK_DIFFERENCE)
        return code < ZERO_DIFFERENCE ? -(double)(ZERO_DIFFERENCE - code) : (double)(code - ZERO_DIFFERENCE);
    memcpy(&ratio, &code, sizeof(ratio));
    return ratio;
}

/* How many pairs are not above the code. The larger the run of A, the more runs of B are not. */
static uint64_t pairs_up_to(const struct rank_groups *g, enum rank_of of, uint64_t code)
{
    uint64_t found = 0;
    uint32_t j = 0;

    for (uint32_t i = 0; i < g->n_a; i++) {
        while (j < g->n_b && code_of(of, g->a[i], g->b[j]) <= code)
            j++;
        found += j;
    }
    return found;
}

/* The k-th smallest pair of all groups together, from 1, as code: bisected, so that a million pairs need no memory. */
static uint64_t kth_pair(const struct rank_groups *g, uint32_t n_groups, enum rank_of of, uint64_t k)
{
    uint64_t low = 0, high = of == RANK_RATIO ? code_of_ratio(INFINITE) : UINT64_MAX;

    while (low < high) {
        uint64_t middle = low + (high - low) / 2, found = 0;
        for (uint32_t i = 0; i < n_groups; i++)
            found += pairs_up_to(&g[i], of, middle);
        if (found >= k)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* Between two ratios lies their geometric mean, so that B/A is 1/(A/B). */
static double estimate_of(const struct rank_groups *g, enum rank_of of)
{
    uint64_t pairs = (uint64_t)g->n_a * g->n_b;
    double low = value_of(of, kth_pair(g, 1, of, (pairs + 1) / 2));
    double high = value_of(of, kth_pair(g, 1, of, pairs / 2 + 1));

    if (low >= high)
        return low;
    if (of == RANK_DIFFERENCE)
        return (low + high) / 2;
    return high < INFINITE ? root(low) * root(high) : high;
}

/* ---- the interval ---- */

static const double Z_975 = 1.959964; /* of the normal distribution 2.5 % are above */
enum { TAIL_ONE_OF = 40 };            /* 2.5 % on either side */

/* The interval is from the k-th smallest to the k-th largest pair: the largest k for which at most 2.5 % of all arrangements
 * have fewer than k pairs in the wrong order. 0: there is none. */
static uint64_t count_interval_rank(uint32_t n_a, uint32_t n_b, struct rank_scratch *scratch)
{
    uint64_t pairs = (uint64_t)n_a * n_b, all, sum = 0, k = 0;

    if (!counts_pairs(n_a, n_b, &all)) {
        double half = Z_975 * root((double)(pairs * (n_a + n_b + 1)) / 12);
        double rank = (double)pairs / 2 + 0.5 - half;
        return rank < 1 ? 0 : (uint64_t)rank;
    }
    uint64_t *counts = cells_of(scratch, pairs + 1);
    if (counts == NULL)
        return 0;
    count_pairs(counts, pairs + 1, n_a < n_b ? n_a : n_b, n_a < n_b ? n_b : n_a);
    while (sum + counts[k] <= all / TAIL_ONE_OF)
        sum += counts[k++];
    return k;
}

static uint64_t interval_rank(uint32_t n_a, uint32_t n_b, struct rank_scratch *scratch)
{
    if (scratch->interval_a != n_a || scratch->interval_b != n_b) {
        scratch->interval_rank = count_interval_rank(n_a, n_b, scratch);
        scratch->interval_a = n_a;
        scratch->interval_b = n_b;
    }
    return scratch->interval_rank;
}

void rank_test(const struct rank_groups *g, enum rank_of of, struct rank_scratch *scratch,
               struct rank_result *r)
{
    uint64_t k = interval_rank(g->n_a, g->n_b, scratch), pairs = (uint64_t)g->n_a * g->n_b;

    *r = (struct rank_result){.p = p_of(g, scratch),
                              .estimate = estimate_of(g, of),
                              .low = of == RANK_RATIO ? 0 : -INFINITE,
                              .high = INFINITE,
                              .has_interval = k > 0};
    if (k == 0)
        return;
    r->low = value_of(of, kth_pair(g, 1, of, k));
    r->high = value_of(of, kth_pair(g, 1, of, pairs + 1 - k));
}

double rank_least_p(uint32_t n_a, uint32_t n_b)
{
    uint64_t all;

    return binomial(n_a + n_b, n_a < n_b ? n_a : n_b, &all) ? share_of(2, all) : 0;
}

/* ---- numbers ---- */

static int compare_numbers(const void *a, const void *b)
{
    uint64_t x, y;

    memcpy(&x, a, sizeof(x));
    memcpy(&y, b, sizeof(y));
    return (x > y) - (x < y);
}

void rank_sort(uint64_t *numbers, uint32_t n)
{
    qsort(numbers, n, sizeof(*numbers), compare_numbers);
}

uint64_t rank_median(const uint64_t *sorted, uint32_t n)
{
    uint64_t low = sorted[(n - 1) / 2], high = sorted[n / 2];

    return low + (high - low) / 2;
}

/* ---- many tests ---- */

static int compare_p(const void *a, const void *b)
{
    double x, y;

    memcpy(&x, a, sizeof(x));
    memcpy(&y, b, sizeof(y));
    return (x > y) - (x < y);
}

double rank_false_discoveries(double *p, uint32_t n, double share)
{
    if (n > 0)
        qsort(p, n, sizeof(*p), compare_p);
    for (uint32_t i = n; i > 0; i--)
        if (p[i - 1] * n <= share * i)
            return p[i - 1];
    return -1;
}

/* ---- more runs ---- */

/* How much a run differs from its group, as a share: one standard deviation if it is normally distributed, of which the
 * median difference of two runs is 0.954. -1: no group has two runs. */
static double spread_of(const struct rank_groups *g)
{
    static const double MEDIAN_OF_TWO = 0.954;
    const struct rank_groups within[] = {{g->a, g->a, g->n_a, g->n_a}, {g->b, g->b, g->n_b, g->n_b}};
    uint64_t pairs_a = (uint64_t)g->n_a * (g->n_a - 1) / 2, pairs_b = (uint64_t)g->n_b * (g->n_b - 1) / 2;

    if (pairs_a + pairs_b == 0)
        return -1;
    /* Each pair is there with its ratio and the reverse, and each run with itself: those are not above 1. */
    uint64_t not_above_1 = pairs_a + g->n_a + pairs_b + g->n_b;
    uint64_t middle = kth_pair(within, 2, RANK_RATIO, not_above_1 + (pairs_a + pairs_b + 1) / 2);
    return (value_of(RANK_RATIO, middle) - 1) / MEDIAN_OF_TWO;
}

static bool would_suffice(uint32_t n_a, uint32_t n_b, double spread, double room)
{
    static const double OF_RANKS = 1.0233; /* root of pi/3: the interval is wider than that of a mean */
    double half = Z_975 * OF_RANKS * (spread > 0 ? spread : 0);
    uint64_t all;

    if (binomial(n_a + n_b, n_a < n_b ? n_a : n_b, &all) && all < TAIL_ONE_OF)
        return false;
    return room > 0 && half * half * (1.0 / n_a + 1.0 / n_b) <= room * room;
}

struct rank_more rank_more_runs(const struct rank_groups *g, double room)
{
    double spread = spread_of(g);
    uint32_t of_b = 1, each = 1;

    while (of_b <= RANK_MORE_MAX && !would_suffice(g->n_a, g->n_b + of_b, spread, room))
        of_b++;
    while (each <= RANK_MORE_MAX && !would_suffice(g->n_a + each, g->n_b + each, spread, room))
        each++;
    bool of_each = each <= RANK_MORE_MAX && (of_b > RANK_MORE_MAX || of_b > 2 * each);
    return (struct rank_more){of_each ? each : of_b, of_each};
}
