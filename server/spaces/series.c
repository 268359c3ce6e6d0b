#include "server/spaces/series.h"

#include <stdlib.h>
#include <string.h>

#include "core/arena.h"
#include "core/number.h"
#include "core/system/utc.h"
#include "runs/change_points.h"

/* ---- labels ---- */

/* THE TABLE of keys that differ from run to run. */
static const char *const RUNNING[] = {"commit", "version", "run", "iteration", "build", "date"};

enum { SCRATCH_BYTES = 16 << 20 }; /* more than the longest series needs */

static bool differs(struct str key)
{
    for (size_t i = 0; i < sizeof(RUNNING) / sizeof(RUNNING[0]); i++)
        if (str_eq(key, str_of(RUNNING[i])))
            return true;
    return false;
}

static int order_lines(const void *a, const void *b)
{
    return str_cmp(*(const struct str *)a, *(const struct str *)b);
}

void series_labels(struct buf *b, struct str labels, bool (*is_left_out)(const void *context, struct str key),
                   const void *context)
{
    struct str lines[LABELS_MAX], key, value;
    size_t n = 0;

    while (n < LABELS_MAX && labels_next(&labels, &key, &value))
        if (!differs(key) && !is_left_out(context, key))
            lines[n++] = (struct str){key.p, key.n + 1 + value.n};
    if (n > 0)
        qsort(lines, n, sizeof(lines[0]), order_lines);
    for (size_t i = 0; i < n; i++) {
        buf_str(b, lines[i]);
        buf_char(b, '\n');
    }
}

/* ---- collecting ---- */

static bool is_over(const void *series_list, struct str key)
{
    const struct series_list *l = series_list;

    return str_eq(key, l->over);
}

/* Until all are there, the slices are offsets into the text, which moves. */
static struct str put_slice(struct series_list *l, struct str text, bool is_labels)
{
    size_t at = l->text.n;

    if (is_labels)
        series_labels(&l->text, text, is_over, l);
    else
        buf_str(&l->text, text);
    return (struct str){(const char *)(uintptr_t)at, l->text.failed ? 0 : l->text.n - at};
}

/* The time of an upload, or of its commit if it says that: so the history of a project can be uploaded in a day. */
static int64_t time_of(const struct entry *e)
{
    struct str date = labels_value_in(entry_said_labels(e), STR("date"));
    int64_t unix_s;
    uint64_t seconds;

    if (str_to_u64(date, 10, &seconds) && seconds <= UTC_LAST_S)
        return (int64_t)seconds;
    return date.n > 0 && query_date(date, &unix_s) ? unix_s : e->name.created_s;
}

struct stored_digest_of series_digest_of(const struct entry *e)
{
    struct stored_digest_of of = {.entry = record_entry_as(&e->name, ENTRY_DIGEST)};
    struct str sha256 = entry_sha256(e);

    if (sha256.n > 0)
        memcpy(of.sha256, sha256.p, sha256.n);
    return of;
}

static void take_entry(void *context, const struct entry *e)
{
    struct series_list *l = context;
    struct str labels = entry_said_labels(e);

    if (l->failed)
        return;
    if (l->n_runs == l->capacity) {
        size_t more = l->capacity > 0 ? l->capacity * 2 : 64;
        struct series_run *grown = realloc(l->runs, more * sizeof(*grown));
        if (grown == NULL) {
            l->failed = true;
            return;
        }
        l->runs = grown;
        l->capacity = more;
    }
    struct series_run *run = &l->runs[l->n_runs++];
    *run = (struct series_run){.created_s = time_of(e), .digest = series_digest_of(e)};
    memcpy(run->id, e->name.id, sizeof(run->id));
    run->labels = put_slice(l, labels, true);
    run->at = put_slice(l, labels_value_in(labels, l->over), false);
}

static struct str settled(const struct series_list *l, struct str slice)
{
    return slice.n == 0 ? STR("") : (struct str){l->text.p + (uintptr_t)slice.p, slice.n};
}

/* ---- series and points ---- */

static int order_times(int64_t a_s, int64_t b_s, const char *a_id, const char *b_id)
{
    return a_s != b_s ? (a_s > b_s) - (a_s < b_s) : strcmp(a_id, b_id);
}

/* By series, then point, then time. Those without the label stand first, each by itself. */
static int order_runs(const void *a, const void *b)
{
    const struct series_run *x = a, *y = b;
    int order = str_cmp(x->labels, y->labels);

    if (order == 0)
        order = str_cmp(x->at, y->at);
    return order != 0 ? order : order_times(x->created_s, y->created_s, x->id, y->id);
}

/* Every point begins with its first run, which tells its time; runs tell series apart. */
static int order_points(const void *a, const void *b)
{
    const struct series_point *x = a, *y = b;

    if (x->created_s != y->created_s)
        return (x->created_s > y->created_s) - (x->created_s < y->created_s);
    return (x->first > y->first) - (x->first < y->first);
}

static int order_series(const void *a, const void *b)
{
    const struct series *x = a, *y = b;

    if (x->newest_s != y->newest_s)
        return (x->newest_s < y->newest_s) - (x->newest_s > y->newest_s);
    return (x->first > y->first) - (x->first < y->first);
}

static bool is_same_point(const struct series_run *a, const struct series_run *b)
{
    return a->at.n > 0 && str_eq(a->at, b->at);
}

static void find_points(struct series_list *l)
{
    for (size_t i = 0, n; i < l->n_runs; i += n) {
        bool begins = i == 0 || !str_eq(l->runs[i].labels, l->runs[i - 1].labels);
        if (begins)
            l->of[l->n++] = (struct series){.labels = l->runs[i].labels, .first = (uint32_t)l->n_points};
        for (n = 1; i + n < l->n_runs && str_eq(l->runs[i].labels, l->runs[i + n].labels) &&
                    is_same_point(&l->runs[i], &l->runs[i + n]);)
            n++;
        l->points[l->n_points++] =
            (struct series_point){l->runs[i].at, l->runs[i].created_s, (uint32_t)i, (uint32_t)n, 0, 0, 0, 0};
        l->of[l->n - 1].n++;
    }
    for (size_t i = 0; i < l->n; i++) {
        struct series *of = &l->of[i];
        qsort(l->points + of->first, of->n, sizeof(*l->points), order_points);
        of->newest_s = l->points[of->first + of->n - 1].created_s;
    }
    qsort(l->of, l->n, sizeof(*l->of), order_series);
}

bool series_collect(struct spaces *spaces, struct str space, const struct query *query, struct str over,
                    struct series_list *l, struct diag *diag)
{
    const struct spaces_asked asked = {.space = space, .query = query, .most = SERIES_RUNS_MOST};

    l->space = space;
    l->over = over.n > 0 ? over : STR("commit");
    if (!spaces_list(spaces, &asked, take_entry, l, &l->more, diag))
        return false;
    l->points = calloc(l->n_runs + 1, sizeof(*l->points));
    l->of = calloc(l->n_runs + 1, sizeof(*l->of));
    if (l->failed || l->text.failed || l->points == NULL || l->of == NULL)
        return diag_no_memory(diag, "No memory for the series.");
    for (size_t i = 0; i < l->n_runs; i++) {
        l->runs[i].labels = settled(l, l->runs[i].labels);
        l->runs[i].at = settled(l, l->runs[i].at);
    }
    if (l->n_runs == 0)
        return true;
    qsort(l->runs, l->n_runs, sizeof(*l->runs), order_runs);
    find_points(l);
    return true;
}

void series_free(struct series_list *l)
{
    free(l->runs);
    free(l->points);
    free(l->of);
    free(l->changes);
    buf_free(&l->text);
}

/* ---- what the values say ---- */

static int order_numbers(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

/* Sorts them; n > 0. Between the two in the middle, if these are two. */
static int64_t median_of(int64_t *numbers, size_t n)
{
    qsort(numbers, n, sizeof(*numbers), order_numbers);
    int64_t low = numbers[(n - 1) / 2], high = numbers[n / 2];
    return low + (int64_t)(((uint64_t)high - (uint64_t)low) / 2);
}

static uint64_t distance(int64_t a, int64_t b)
{
    return a > b ? (uint64_t)a - (uint64_t)b : (uint64_t)b - (uint64_t)a;
}

/* `numbers` has room for all runs. */
static void evaluate_point(const struct series_list *l, struct series_point *p, int64_t *numbers)
{
    p->n_values = 0;
    for (uint32_t i = 0; i < p->n; i++)
        if (l->runs[p->first + i].has_value)
            numbers[p->n_values++] = l->runs[p->first + i].value;
    if (p->n_values == 0)
        return;
    p->median = median_of(numbers, p->n_values);
    p->least = numbers[0];
    p->most = numbers[p->n_values - 1];
}

/* Two runs of a point differ by so much of its median, as a standard deviation in parts per 10,000. */
static int64_t noise_of(uint64_t difference, uint64_t median)
{
    enum { TO_DEVIATION = 10483 }; /* 1.0483 of parts per 10,000 */
    uint64_t parts = number_ratio(difference, median, TO_DEVIATION);

    return parts > INT64_MAX ? INT64_MAX : (int64_t)parts;
}

/* The median distance of two runs of one point that follow each other. Over the square root of 2, and times 1.4826, it
 * is the standard deviation where noise is normal. */
static void evaluate_noise(const struct series_list *l, struct series *of, int64_t *numbers)
{
    size_t n = 0;

    for (uint32_t i = 0; i < of->n; i++) {
        const struct series_point *p = &l->points[of->first + i];
        for (uint32_t k = 1; k < p->n && p->median > 0; k++) {
            const struct series_run *run = &l->runs[p->first + k];
            if (run->has_value && run[-1].has_value)
                numbers[n++] = noise_of(distance(run->value, run[-1].value), (uint64_t)p->median);
        }
    }
    of->has_noise = n > 0;
    if (n > 0)
        of->noise_permille = ((uint64_t)median_of(numbers, n) + 5) / 10;
}

/* Of the points with a value, and where they stand in the series. */
static size_t take_medians(const struct series_list *l, const struct series *of, int64_t *medians,
                           uint32_t *places)
{
    size_t n = 0;

    for (uint32_t i = 0; i < of->n; i++)
        if (l->points[of->first + i].n_values > 0) {
            places[n] = i;
            medians[n++] = l->points[of->first + i].median;
        }
    return n;
}

/* Of the medians of n points, which stand in the series at `places`. */
static bool find_changes(struct series_list *l, struct series *of, const int64_t *medians,
                         const uint32_t *places, size_t n, struct arena *arena)
{
    struct change_points found;
    struct series_change *grown;

    if (!change_points(medians, (uint32_t)n, arena, &found))
        return false;
    grown = realloc(l->changes, (l->n_changes + found.n + 1) * sizeof(*grown));
    if (grown == NULL)
        return false;
    l->changes = grown;
    for (uint32_t i = 0; i < found.n; i++) {
        const struct change_point *c = &found.list[i];
        l->changes[l->n_changes++] =
            (struct series_change){places[c->at], places[c->at - 1], c->before, c->behind};
    }
    of->n_changes = found.n;
    return true;
}

static bool evaluate_series(struct series_list *l, struct series *of, int64_t *numbers, uint32_t *places,
                            struct arena *arena)
{
    size_t n;

    for (uint32_t i = 0; i < of->n; i++)
        evaluate_point(l, &l->points[of->first + i], numbers);
    evaluate_noise(l, of, numbers);
    n = take_medians(l, of, numbers, places);
    of->first_change = (uint32_t)l->n_changes;
    of->n_changes = 0;
    if (n == 0)
        return true;
    if (!find_changes(l, of, numbers, places, n, arena))
        return false;
    of->median = median_of(numbers, n);
    return true;
}

bool series_evaluate(struct series_list *l)
{
    int64_t *numbers = calloc(l->n_runs + 1, sizeof(*numbers));
    uint32_t *places = calloc(l->n_runs + 1, sizeof(*places));
    struct arena arena;
    bool ok = numbers != NULL && places != NULL;

    arena_init(&arena, SCRATCH_BYTES);
    for (size_t i = 0; ok && i < l->n; i++)
        ok = evaluate_series(l, &l->of[i], numbers, places, &arena);
    arena_free(&arena);
    free(numbers);
    free(places);
    return ok;
}

const struct series_run *series_typical(const struct series_list *l, const struct series_point *p)
{
    const struct series_run *typical = &l->runs[p->first];

    for (uint32_t i = 1; i < p->n; i++) {
        const struct series_run *run = &l->runs[p->first + i];
        if (run->has_value &&
            (!typical->has_value || distance(run->value, p->median) < distance(typical->value, p->median)))
            typical = run;
    }
    return typical;
}
