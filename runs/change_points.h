/* Where a series changes its level: one number for each commit, such as the median of its runs.
 *
 * By ranks, so that neither outliers nor the shape of the noise matter. An interval of the series is split where the rank sums
 * of both sides differ most for their sizes (Pettitt, 1979, weighted by the variance of each split as by Lausen and Schumacher,
 * 1992, so that a change is seen a few commits behind it), and the split is tested as in rank_test.h. The intervals are those
 * of seeded binary segmentation (Kovacs, Buehlmann, Li and Munk, 2023): fixed ones of all lengths, of which the most
 * significant finding counts first; what holds it is then left out. A p is multiplied by all splits and intervals that were
 * looked at, and counts below 0.005 of the whole series. In the end each change is placed where the numbers on either side are
 * least far from the medians. Equal series give equal findings on all machines.
 *
 * Any thread. */
#pragma once

#include "core/arena.h"

enum {
    CHANGE_POINTS_SERIES_MAX = 4000, /* numbers of a series */
    CHANGE_POINTS_SIDE_MIN = 5,      /* that are needed on either side of a change */
    CHANGE_POINTS_LEAST = 11 /* Of fewer numbers even the clearest step may be noise: none is found. */
};

struct change_point {
    uint32_t at;            /* the first number behind the change */
    int64_t before, behind; /* the medians of what lies between this change and its neighbours */
    double p;               /* corrected as above */
};

struct change_points {
    struct change_point *list; /* in the order of the series */
    uint32_t n;
};

/* The list lives in the arena. Of a longer series only the last CHANGE_POINTS_SERIES_MAX numbers are looked at. False: the
 * arena has no memory, or was told to end. */
bool change_points(const int64_t *series, uint32_t n, struct arena *arena,
                   struct change_points *found) MUST_CHECK;
