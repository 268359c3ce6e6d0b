/* Two groups of runs compared by ranks, which no outlier pulls and for which no distribution is assumed:
 *
 *     p          of the test of Wilcoxon, and Mann and Whitney (1947): how often chance alone deals the runs out as unevenly,
 *                two-sided. Exact where the counting is cheap, ties included (each arrangement of the midranks counts once):
 *                14 against 14 and 5 against 50, without ties 30 against 30. Else by the normal distribution with continuity
 *                correction and the variance that is right without ties; with ties it is too large, on the safe side.
 *     estimate   of Hodges and Lehmann (1963): the median of B/A over all pairs of a run of A and a run of B
 *     low, high  the interval of 95 % that inverts the test: the order statistics of the same pairs (Hollander and Wolfe,
 *                Nonparametric Statistical Methods, chapter 4). Three against three runs have none: it is then 0 to infinite.
 *
 * Differences B-A can be looked at instead of ratios. 0/0 is 1, and x/0 infinite.
 *
 * Nothing is random, and of floating point only what IEEE 754 rounds exactly is used (+ - * /), so that all machines decide
 * alike. When the arena has no memory, p is 1 and there is no interval, and the arena says so. Any thread. */
#pragma once

#include "core/arena.h"

enum { RANK_RUNS_MAX = 1000, RANK_MORE_MAX = 100 };

enum rank_of { RANK_RATIO, RANK_DIFFERENCE };

/* Each group sorted, rising; 1 to RANK_RUNS_MAX numbers of at most INT64_MAX. */
struct rank_groups {
    const uint64_t *a, *b;
    uint32_t n_a, n_b;
};

/* What tests count in, made larger as needed. Begins as {.arena = ..}; one for each thread. */
struct rank_scratch {
    struct arena *arena;
    uint64_t *cells;
    uint32_t *ranks;
    size_t cells_capacity, ranks_capacity;
    /* The rank of the interval of groups of these sizes, which many tests have alike; 0: of none. */
    uint32_t interval_a, interval_b;
    uint64_t interval_rank;
};

struct rank_result {
    double p;
    double estimate, low, high; /* RANK_DIFFERENCE without an interval: minus infinite to infinite */
    bool has_interval;
};

void rank_test(const struct rank_groups *g, enum rank_of of, struct rank_scratch *scratch,
               struct rank_result *r);

/* Sorts the numbers of a group. */
void rank_sort(uint64_t *numbers, uint32_t n);
/* The median of sorted numbers; of two in the middle, what lies between them. */
uint64_t rank_median(const uint64_t *sorted, uint32_t n);

/* The test alone, for who has the ranks: of ranks[n], each doubled so that midranks are whole, those of one group of m sum up
 * to m * (n + 1) on average; `deviation` is how far they are from that, and `ties` whether two ranks are equal. */
double rank_sum_p(const uint32_t *ranks, uint32_t n, uint32_t m, uint64_t deviation, bool ties,
                  struct rank_scratch *scratch);

/* No p of groups of so many runs is smaller, unless runs tie. */
double rank_least_p(uint32_t n_a, uint32_t n_b);

/* Benjamini and Hochberg (1995): the largest of these p that may be called a finding if at most that share of all findings
 * may be false. Sorts p. -1: none. */
double rank_false_discoveries(double *p, uint32_t n, double share);

/* How many runs more let the interval end closer to the estimate than `room`, which is a share of what the runs measure,
 * reckoned from how the runs of each group differ (the median over all pairs of a group: one outlier moves it little).
 * RANK_MORE_MAX + 1: more than that. */
struct rank_more {
    uint32_t runs;
    bool of_each; /* of both groups, else of B alone: whichever is less to run */
};
struct rank_more rank_more_runs(const struct rank_groups *g, double room);
