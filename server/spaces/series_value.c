#include "server/spaces/series_value.h"

#include <string.h>

#include "core/number.h"
#include "core/system/clock.h"
#include "runs/change_points.h"

enum { MAKE_MS = 8000 }; /* for digests that are not there */

static const struct str THREAD = {"thread:", sizeof("thread:") - 1}, STEP = {"step:", sizeof("step:") - 1};

bool series_part(struct str text, enum series_part *part, struct diag *diag)
{
    static const char *const WORDS[] = {"incl", "excl", "calls"};

    *part = SERIES_INCLUSIVE;
    for (size_t i = 0; text.n > 0 && i < sizeof(WORDS) / sizeof(WORDS[0]); i++)
        if (str_eq(text, str_of(WORDS[i]))) {
            *part = (enum series_part)i;
            return true;
        }
    return text.n == 0 ||
           diag_set(diag, DIAG_USAGE, "no such part", "Leave it out, or say part=excl.",
                    "The part of a method is incl (with what it calls), excl (by itself), or calls.");
}

/* ---- what is meant ---- */

static bool is_total(struct str of)
{
    return of.n == 0 || str_eq(of, STR("total"));
}

static struct str behind(struct str of, struct str word)
{
    return (struct str){of.p + word.n, of.n - word.n};
}

static bool is_method(struct str of)
{
    return !is_total(of) && !str_starts(of, THREAD) && !str_starts(of, STEP);
}

/* The newest upload tells which values there are, and the whole name of what is looked for. */
static bool settle_wish(const struct series_wish *wish, struct series_told *told, struct diag *diag)
{
    const struct run_digest *d = &told->newest.of;
    struct run_digest_row row;
    int value = wish->value.n > 0 ? run_digest_value(d, wish->value) : 0;

    for (told->n_values = 0; told->n_values < d->n_values; told->n_values++)
        told->values[told->n_values] = d->values[told->n_values].name;
    if (value < 0)
        return diag_set(diag, DIAG_USAGE, "no such value",
                        "Leave value out, or take one of those that the page offers.",
                        "The newest of these uploads has no value of that name.");
    if (d->n_values > 0) {
        told->value = d->values[value].name;
        told->unit = d->values[value].unit;
    }
    told->part = wish->part;
    told->of = is_total(wish->of) ? STR("total") : wish->of;
    if (is_method(told->of) && run_digest_find(d, told->of, &row))
        told->of = row.name;
    if (is_method(told->of) && told->part == SERIES_CALLS)
        told->unit = UNIT_COUNT;
    const struct run_digest_value *step =
        str_starts(told->of, STEP) ? run_digest_find_step(d, behind(told->of, STEP)) : NULL;
    if (step != NULL)
        told->unit = step->unit;
    return true;
}

/* ---- what is offered ---- */

struct offered {
    int64_t weight[SERIES_OFFERED];
};

static void offer(struct series_told *told, struct offered *o, struct str name, int64_t weight)
{
    uint32_t at = told->n_offered;

    while (at > 0 && o->weight[at - 1] < weight)
        at--;
    if (at == SERIES_OFFERED)
        return;
    uint32_t behind = told->n_offered - at - (told->n_offered == SERIES_OFFERED);
    memmove(told->offered + at + 1, told->offered + at, behind * sizeof(told->offered[0]));
    memmove(o->weight + at + 1, o->weight + at, behind * sizeof(o->weight[0]));
    told->offered[at] = name;
    o->weight[at] = weight;
    told->n_offered += told->n_offered < SERIES_OFFERED;
}

/* The methods that cost most by themselves. */
static void offer_methods(struct series_told *told)
{
    const struct run_digest *d = &told->newest.of;
    struct str rest = d->methods;
    struct run_digest_row row;
    struct offered o = {{0}};
    int value = run_digest_value(d, told->value);

    while (value >= 0 && run_digest_next_method(d, &rest, &row))
        offer(told, &o, row.name, row.exclusive[value]);
}

/* ---- values ---- */

static void set_value(struct series_run *run, int64_t value)
{
    run->has_value = true;
    run->value = value;
}

/* A method that is not there was not called, unless some were left out. */
static void take_value(const struct series_told *told, const struct run_digest *d, struct series_run *run)
{
    struct run_digest_row row;
    int value = run_digest_value(d, told->value);

    if (str_starts(told->of, STEP)) {
        const struct run_digest_value *step = run_digest_find_step(d, behind(told->of, STEP));
        if (step != NULL && step->unit == told->unit)
            set_value(run, step->total);
        return;
    }
    if (value < 0)
        return;
    if (is_total(told->of)) {
        set_value(run, d->values[value].total);
    } else if (str_starts(told->of, THREAD)) {
        if (run_digest_find_thread(d, behind(told->of, THREAD), &row))
            set_value(run, row.inclusive[value]);
    } else if (run_digest_find(d, told->of, &row)) {
        set_value(run, told->part == SERIES_CALLS       ? (int64_t)row.calls
                       : told->part == SERIES_EXCLUSIVE ? row.exclusive[value]
                                                        : row.inclusive[value]);
    } else if (d->left_out == 0) {
        set_value(run, 0);
    }
}

/* The newest one that is older than that; NULL: there is none. */
static const struct series_run *newest_before(const struct series_list *l, int64_t before_s)
{
    const struct series_run *newest = NULL;

    for (size_t i = 0; i < l->n_runs; i++)
        if (l->runs[i].created_s < before_s && (newest == NULL || l->runs[i].created_s > newest->created_s))
            newest = &l->runs[i];
    return newest;
}

/* The digest of the newest upload that has one. Of a few: others are not likely to have one either. */
static bool open_newest(struct service *service, struct turn *turn, const struct series_list *l,
                        struct stored_digest *d)
{
    enum { TRIES = 5 };
    const struct series_run *run = newest_before(l, INT64_MAX);

    for (int tries = 0; run != NULL && tries < TRIES; tries++) {
        if (stored_digest_open(service, l->space, &run->digest, turn, true, d) == DIGEST_FOUND)
            return true;
        run = newest_before(l, run->created_s);
    }
    return false;
}

static void take_values(struct service *service, struct turn *turn, int64_t until_ms, struct series_list *l,
                        struct series_told *told)
{
    for (size_t i = 0; i < l->n_runs && stop_asked(turn->stop) == STOP_NONE; i++) {
        struct series_run *run = &l->runs[i];
        struct stored_digest d;
        enum stored_digest_state state =
            stored_digest_open(service, l->space, &run->digest, turn, clock_ms() < until_ms, &d);
        if (state == DIGEST_FOUND) {
            take_value(told, &d.of, run);
            stored_digest_close(&d);
        }
        told->later += state == DIGEST_NOT_MADE;
        told->not_read += state != DIGEST_NOT_MADE && !run->has_value;
    }
}

bool series_tell(struct service *service, struct turn *turn, const struct series_wish *wish,
                 struct series_list *l, struct series_told *told, struct diag *diag)
{
    int64_t until_ms = clock_ms() + MAKE_MS;

    told->of = wish->of;
    if (l->n_runs == 0)
        return true;
    if (open_newest(service, turn, l, &told->newest)) {
        if (!settle_wish(wish, told, diag))
            return false;
        offer_methods(told);
    }
    take_values(service, turn, until_ms, l, told);
    if (stop_asked(turn->stop) != STOP_NONE)
        return stop_say(turn->stop, diag);
    return series_evaluate(l) || diag_no_memory(diag, "No memory for the series.");
}

void series_told_free(struct series_told *told)
{
    stored_digest_close(&told->newest);
}

/* ---- words ---- */

void series_put_amount(struct buf *b, const struct series_told *told, int64_t value)
{
    buf_z(b, value < 0 ? "-" : "");
    buf_value(b, told->unit, value < 0 ? 0 - (uint64_t)value : (uint64_t)value, 4);
}

/* "wall time" */
static void put_value(struct buf *b, const struct series_told *told)
{
    buf_str(b, told->value);
    buf_z(b, told->unit == UNIT_NS ? " time" : "");
}

static void put_what(struct buf *b, const struct series_told *told)
{
    if (is_total(told->of)) {
        buf_z(b, "the total ");
        put_value(b, told);
        return;
    }
    if (str_starts(told->of, STEP)) {
        buf_str(b, behind(told->of, STEP));
        return;
    }
    if (told->unit == UNIT_COUNT && told->part == SERIES_CALLS) {
        buf_z(b, "the number of calls of ");
    } else {
        put_value(b, told);
        buf_z(b, " of ");
    }
    buf_str(b, str_starts(told->of, THREAD) ? behind(told->of, THREAD) : told->of);
    buf_z(b, told->part == SERIES_EXCLUSIVE && !str_starts(told->of, THREAD) ? " by itself" : "");
}

void series_change_words(struct buf *b, const struct series_list *l, const struct series_told *told,
                         const struct series *s, const struct series_change *c)
{
    const struct series_point *p = &l->points[s->first + c->point];
    uint64_t by = c->after > c->before ? (uint64_t)c->after - (uint64_t)c->before
                                       : (uint64_t)c->before - (uint64_t)c->after;

    if (p->at.n > 0) {
        buf_z(b, "At ");
        buf_str(b, l->over);
        buf_char(b, ' ');
        buf_str(b, p->at);
        buf_char(b, ' ');
    } else {
        buf_z(b, "Since then ");
    }
    put_what(b, told);
    buf_z(b, c->after > c->before ? " grew from " : " fell from ");
    series_put_amount(b, told, c->before);
    buf_z(b, " to ");
    series_put_amount(b, told, c->after);
    if (c->before > 0) {
        buf_z(b, ", by ");
        buf_fixed(b, number_ratio(by, (uint64_t)c->before, SERIES_PERMILLE), 1);
        buf_z(b, " %");
    }
}

static uint64_t distance(int64_t a, int64_t b)
{
    return a > b ? (uint64_t)a - (uint64_t)b : (uint64_t)b - (uint64_t)a;
}

/* Between points that have a value. Returns how many there are. */
static uint32_t find_step(const struct series_list *l, const struct series *s, struct series_change *c)
{
    uint32_t found = 0, last = 0;

    *c = (struct series_change){0};
    for (uint32_t i = 0; i < s->n; i++) {
        const struct series_point *p = &l->points[s->first + i];
        if (p->n_values == 0)
            continue;
        int64_t before = l->points[s->first + last].median;
        if (found++ > 0 && distance(before, p->median) > distance(c->before, c->after))
            *c = (struct series_change){i, last, before, p->median};
        last = i;
    }
    return found;
}

bool series_unchanged_words(struct buf *b, const struct series_list *l, const struct series *s,
                            struct series_change *c)
{
    uint32_t points = find_step(l, s, c);

    if (points >= CHANGE_POINTS_LEAST) {
        buf_printf(
            b,
            "No change is found that noise does not explain, with at least %d points on either side of it.",
            CHANGE_POINTS_SIDE_MIN);
        return false;
    }
    buf_printf(
        b, "It takes at least %d points to tell a change from noise, %d of them on either side; here %s %u.",
        CHANGE_POINTS_LEAST, CHANGE_POINTS_SIDE_MIN, points == 1 ? "is" : "are", points);
    bool has_step = c->before != c->after;
    buf_z(b, has_step ? " The largest step from one to the next:" : "");
    return has_step;
}
