#include "runs/change_points.h"

#include "core/order.h"
#include "runs/rank_test.h"

enum {
    INTERVAL_MIN = 20,        /* A shorter one is only looked at where the whole series is. */
    DECAY_NUMERATOR = 46341,  /* The intervals of a layer are shorter than those */
    DECAY_DENOMINATOR = 65536 /* of the layer before, by the root of two. */
};

static const double LEVEL = 0.005; /* of the whole series */
/* (deviation / standard deviation) squared, below which five against five, the least that is asked about, are not apart. */
static const double UNEVEN_MIN = 6.25;

struct interval {
    uint32_t from, to; /* without `to` */
    uint32_t at;       /* its best split */
    double p;          /* corrected for its splits */
};

struct search {
    const int64_t *series;
    uint32_t n;
    uint32_t *order; /* indexes of the series by value */
    uint32_t *ranks; /* of the interval that is looked at, from 0; doubled midranks */
    bool ties;       /* among them */
    struct interval *intervals;
    size_t n_intervals, capacity;
    struct rank_scratch scratch;
};

/* ---- one interval ---- */

static bool is_less(const void *context, uint32_t a, uint32_t b)
{
    const int64_t *series = context;

    return series[a] < series[b];
}

/* The numbers of the interval are met in the order of the whole series, which is known: no interval is sorted. */
static void rank(struct search *s, uint32_t from, uint32_t to)
{
    uint32_t n = 0, equal[2] = {0, 0}; /* where the equal ones begin and end, in s->order */

    s->ties = false;
    for (uint32_t i = 0; i < s->n; i = equal[1]) {
        uint32_t inside = 0;
        equal[0] = equal[1] = i;
        while (equal[1] < s->n && s->series[s->order[equal[1]]] == s->series[s->order[i]]) {
            inside += s->order[equal[1]] - from < to - from;
            equal[1]++;
        }
        for (uint32_t k = equal[0]; inside > 0 && k < equal[1]; k++)
            if (s->order[k] - from < to - from)
                s->ranks[s->order[k] - from] = 2 * n + inside + 1;
        s->ties = s->ties || inside > 1;
        n += inside;
    }
}

struct split {
    uint32_t at;        /* from the interval's beginning */
    uint64_t deviation; /* of the doubled rank sum */
    double uneven;      /* its square over the variance */
};

static struct split best_split(const struct search *s, uint32_t n)
{
    struct split best = {.uneven = -1};
    uint64_t sum = 0;

    for (uint32_t t = 1; t <= n - CHANGE_POINTS_SIDE_MIN; t++) {
        sum += s->ranks[t - 1];
        if (t < CHANGE_POINTS_SIDE_MIN)
            continue;
        uint64_t average = (uint64_t)t * (n + 1), deviation = sum < average ? average - sum : sum - average;
        double uneven = 3 * (double)(deviation * deviation) / (double)((uint64_t)t * (n - t) * (n + 1));
        if (uneven > best.uneven)
            best = (struct split){t, deviation, uneven};
    }
    return best;
}

static void look_at(struct search *s, struct interval *interval)
{
    uint32_t n = interval->to - interval->from, splits = n - 2 * CHANGE_POINTS_SIDE_MIN + 1;

    rank(s, interval->from, interval->to);
    struct split best = best_split(s, n);
    interval->at = interval->from + best.at;
    interval->p = best.uneven < UNEVEN_MIN
                      ? 1
                      : splits * rank_sum_p(s->ranks, n, best.at, best.deviation, s->ties, &s->scratch);
}

/* ---- all intervals ---- */

/* So many that each half of an interval is one of the next layer but one, or nearly. */
static bool add_layer(struct search *s, uint32_t length)
{
    uint32_t count = length == s->n ? 1 : 2 * ((s->n + length - 1) / length) - 1;

    if (!ARENA_ROOM(s->scratch.arena, s->intervals, s->capacity, s->n_intervals + count))
        return false;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t from = count > 1 ? (uint32_t)((uint64_t)i * (s->n - length) / (count - 1)) : 0;
        s->intervals[s->n_intervals++] = (struct interval){.from = from, .to = from + length};
    }
    return true;
}

static bool look_at_all(struct search *s)
{
    uint32_t length = s->n;

    do {
        if (!add_layer(s, length))
            return false;
        length = length * DECAY_NUMERATOR / DECAY_DENOMINATOR;
    } while (length >= INTERVAL_MIN);
    for (size_t i = 0; i < s->n_intervals; i++) {
        if (arena_stopped(s->scratch.arena))
            return false;
        look_at(s, &s->intervals[i]);
    }
    return s->scratch.arena->failure == ARENA_OK;
}

/* The most significant one; of equals the first, which is the longest. NULL: none is significant. */
static const struct interval *most_significant(const struct search *s)
{
    const struct interval *best = NULL;

    for (size_t i = 0; i < s->n_intervals; i++)
        if (s->intervals[i].p * (double)s->n_intervals < LEVEL &&
            (best == NULL || s->intervals[i].p < best->p))
            best = &s->intervals[i];
    return best;
}

static void leave_out_what_holds(struct search *s, uint32_t at)
{
    for (size_t i = 0; i < s->n_intervals; i++)
        if (s->intervals[i].from < at && at < s->intervals[i].to)
            s->intervals[i].p = 1;
}

/* ---- the findings ---- */

static void add_finding(struct change_points *found, uint32_t at, double p)
{
    uint32_t i = found->n++;

    for (; i > 0 && found->list[i - 1].at > at; i--)
        found->list[i] = found->list[i - 1];
    found->list[i] = (struct change_point){.at = at, .p = p};
}

/* `count` of them behind `from`, in the order of values. */
static int64_t median_of(const struct search *s, uint32_t from, uint32_t to)
{
    uint32_t n = to - from, seen = 0;
    int64_t low = 0;

    for (uint32_t i = 0; i < s->n; i++) {
        if (s->order[i] - from >= n)
            continue;
        int64_t value = s->series[s->order[i]];
        if (seen == (n - 1) / 2)
            low = value;
        if (seen++ == n / 2)
            return low + (int64_t)(((uint64_t)value - (uint64_t)low) / 2);
    }
    return low;
}

/* The split between two levels from which the numbers on either side are least far away. Ranks alone would not see that the
 * largest of the low numbers, next to the high ones, is a low one. */
static uint32_t split_by_levels(const struct search *s, uint32_t from, uint32_t to,
                                const struct change_point *c)
{
    __extension__ typedef __int128 i128;
    i128 gain = 0, best_gain = 0; /* by how much nearer the numbers so far are to the level before */
    uint32_t best = c->at;
    bool first = true;

    for (uint32_t i = from; i + CHANGE_POINTS_SIDE_MIN <= to; i++) {
        if (i >= from + CHANGE_POINTS_SIDE_MIN && (first || gain > best_gain)) {
            best = i;
            best_gain = gain;
            first = false;
        }
        i128 before = (i128)s->series[i] - c->before, behind = (i128)s->series[i] - c->behind;
        gain += (behind < 0 ? -behind : behind) - (before < 0 ? -before : before);
    }
    return best;
}

static void tell_levels(const struct search *s, struct change_point *c, uint32_t from, uint32_t to)
{
    c->before = median_of(s, from, c->at);
    c->behind = median_of(s, c->at, to);
}

/* Each is placed again between its neighbours, by its levels, for the interval that it was found in may have held others. */
static void place(const struct search *s, struct change_points *found)
{
    for (unsigned placing = 0; placing < 2; placing++)
        for (uint32_t i = 0; i < found->n; i++) {
            struct change_point *c = &found->list[i];
            uint32_t from = i > 0 ? c[-1].at : 0, to = i + 1 < found->n ? c[1].at : s->n;
            tell_levels(s, c, from, to);
            if (placing == 0)
                c->at = split_by_levels(s, from, to, c);
        }
}

bool change_points(const int64_t *series, uint32_t n, struct arena *arena, struct change_points *found)
{
    uint32_t left_out = n > CHANGE_POINTS_SERIES_MAX ? n - CHANGE_POINTS_SERIES_MAX : 0;
    struct search s = {.series = series + left_out, .n = n - left_out, .scratch = {.arena = arena}};

    *found = (struct change_points){.n = 0};
    if (s.n < 2 * CHANGE_POINTS_SIDE_MIN)
        return true;
    s.order = arena_array(arena, s.n, sizeof(*s.order));
    s.ranks = arena_array(arena, s.n, sizeof(*s.ranks));
    found->list = arena_array(arena, s.n / CHANGE_POINTS_SIDE_MIN, sizeof(*found->list));
    if (s.order == NULL || s.ranks == NULL || found->list == NULL)
        return false;
    for (uint32_t i = 0; i < s.n; i++)
        s.order[i] = i;
    if (!order_array(s.order, s.n, is_less, s.series, arena) || !look_at_all(&s))
        return false;
    for (const struct interval *best; (best = most_significant(&s)) != NULL;) {
        uint32_t at = best->at;
        add_finding(found, at, best->p * (double)s.n_intervals);
        leave_out_what_holds(&s, at);
    }
    place(&s, found);
    for (uint32_t i = 0; i < found->n; i++)
        found->list[i].at += left_out;
    return true;
}
