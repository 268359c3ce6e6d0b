#include "render/lanes/lanes_counters.h"

#include "core/json.h"
#include "core/number.h"
#include "profile/calls/lanes.h"

enum {
    PLACES_MAX = 2000,         /* of frames on the screen */
    COUNTER_BYTES_MAX = 200000 /* of all counters; for more, several pixels are written as one place */
};

/* ---- frames on the screen ---- */

struct run {
    uint64_t place, begin_ns, end_ns, due_ns, number, n, late;
    uint32_t causes;
};

static void put_run(struct json *j, const struct run *x)
{
    const uint64_t numbers[] = {x->begin_ns,
                                x->end_ns - x->begin_ns,
                                x->due_ns > x->begin_ns ? x->due_ns - x->begin_ns : 0,
                                x->n,
                                x->late,
                                x->causes,
                                x->number};

    if (x->n == 0)
        return;
    json_open_array(j, NULL);
    for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
        json_put_element(j, numbers[i]);
    json_close(j);
}

static void add(struct run *x, const struct profile_screen_frame *f)
{
    x->end_ns = f->end_ns > x->end_ns ? f->end_ns : x->end_ns;
    x->n++;
    x->late += f->causes != 0;
    x->causes |= f->causes;
}

static void put_list(struct json *j, const struct profile *p, const struct lanes_request *r)
{
    uint64_t places = r->width_px < PLACES_MAX ? r->width_px : PLACES_MAX;
    uint64_t per_place = (r->to_ns - r->from_ns) / places + 1;
    struct run run = {.n = 0};

    for (uint32_t i = 0; i < p->n_screen_frames; i++) {
        const struct profile_screen_frame *f = &p->screen_frames[i];
        if (f->end_ns <= r->from_ns || f->begin_ns >= r->to_ns)
            continue;
        uint64_t place = f->begin_ns < r->from_ns ? 0 : (f->begin_ns - r->from_ns) / per_place;
        if (run.n == 0 || place != run.place) {
            put_run(j, &run);
            run = (struct run){
                .place = place, .begin_ns = f->begin_ns, .due_ns = f->due_ns, .number = f->number};
        }
        add(&run, f);
    }
    put_run(j, &run);
}

void lanes_put_screen(struct json *j, const struct profile *p, const struct lanes_request *r)
{
    if (p->n_screen_frames == 0 && p->n_phases == 0)
        return;
    json_open_object(j, "screen");
    json_put_u64(j, "frames", p->n_screen_frames);
    json_put_u64(j, "late", profile_late_frames(p));
    json_open_array(j, "list");
    put_list(j, p, r);
    json_close(j);
    json_open_array(j, "phases");
    for (uint32_t i = 0; i < p->n_phases; i++) {
        json_open_array(j, NULL);
        json_put_string(j, NULL, profile_string(p, p->phases[i].name));
        json_put_element(j, p->phases[i].begin_ns);
        json_put_element(j, p->phases[i].end_ns - p->phases[i].begin_ns);
        json_close(j);
    }
    json_close(j);
    json_close(j);
}

/* ---- counters ---- */

struct places {
    const struct lanes_request *r;
    uint32_t step;   /* pixels of a place */
    string_id group; /* that is not said */
};

/* What a counter was in one place. */
struct range {
    uint32_t place;
    int64_t low, high, last;
};

/* In which place the time is, which is in the window. */
static uint32_t place_of(const struct places *at, uint64_t time_ns)
{
    const struct lanes_request *r = at->r;
    uint32_t low = 0, high = r->width_px;

    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (lanes_edge(r->from_ns, r->to_ns, r->width_px, middle) <= time_ns)
            low = middle;
        else
            high = middle;
    }
    return low / at->step;
}

/* The first reading that is not before the time, of all of the counter's. */
static uint32_t first_from(const struct profile_reading *readings, uint32_t n, uint64_t time_ns)
{
    uint32_t low = 0, high = n;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (readings[middle].time_ns < time_ns)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void put_range(void *context, const struct range *x)
{
    struct json *j = context;

    json_put_element(j, x->place);
    json_put_i64(j, NULL, x->low);
    json_put_i64(j, NULL, x->high);
    json_put_i64(j, NULL, x->last);
}

/* A place has what held when it began, too. */
static void each_range(const struct profile *p, const struct profile_counter *c, const struct places *at,
                       void (*put)(void *context, const struct range *x), void *context)
{
    const struct profile_reading *readings = &p->readings[c->first];
    uint32_t i = first_from(readings, c->n, at->r->from_ns);
    bool begun = i > 0;
    struct range now = {.place = 0};

    if (begun)
        now.low = now.high = now.last = readings[i - 1].value;
    for (; i < c->n && readings[i].time_ns < at->r->to_ns; i++) {
        int64_t value = readings[i].value;
        uint32_t place = place_of(at, readings[i].time_ns);
        if (begun && place != now.place) {
            put(context, &now);
            now.low = now.high = now.last;
        }
        now.place = place;
        now.low = begun && now.low < value ? now.low : value;
        now.high = begun && now.high > value ? now.high : value;
        now.last = value;
        begun = true;
    }
    if (begun)
        put(context, &now);
}

static void put_counter(struct json *j, const struct profile *p, const struct profile_counter *c,
                        const struct places *at)
{
    json_open_object(j, NULL);
    json_put_string(j, "name", profile_string(p, c->name));
    if (c->group != STRING_EMPTY && c->group != at->group)
        json_put_string(j, "group", profile_string(p, c->group));
    if (c->unit != STRING_EMPTY)
        json_put_string(j, "unit", profile_string(p, c->unit));
    json_put_string(j, "kind", str_of(counter_kind_word(c->kind)));
    json_put_u64(j, "decimals", c->decimals);
    json_put_i64(j, "least", c->least);
    json_put_i64(j, "most", c->most);
    json_open_array(j, "steps");
    each_range(p, c, at, put_range, j);
    json_close(j);
    json_close(j);
}

void lanes_put_counters(struct json *j, const struct profile *p, const struct lanes_request *r,
                        string_id group)
{
    const struct json before = *j;
    size_t n = j->b->n;
    struct places at = {.r = r, .step = 1, .group = group};

    if (p->n_counters == 0)
        return;
    for (;; at.step *= 2) {
        json_put_u64(j, "counter_step", at.step);
        json_open_array(j, "counters");
        for (uint32_t i = 0; i < p->n_counters; i++)
            put_counter(j, p, &p->counters[i], &at);
        json_close(j);
        if (j->b->failed || j->b->n - n <= COUNTER_BYTES_MAX || at.step >= r->width_px)
            return;
        *j = before;
        j->b->n = n;
    }
}

/* ---- svg ---- */

struct drawing {
    const struct profile_counter *c;
    const struct counter_box *box;
    struct buf *out;
    bool begun;
};

/* How high a value stands, from the least to the most of all of the recording. */
static unsigned height_of(const struct drawing *d, int64_t value)
{
    uint64_t range = (uint64_t)d->c->most - (uint64_t)d->c->least;

    return range == 0
               ? d->box->height_px / 2
               : (unsigned)number_ratio((uint64_t)value - (uint64_t)d->c->least, range, d->box->height_px);
}

/* Up to the highest of the place, and on at what it ends with. */
static void draw_range(void *context, const struct range *x)
{
    struct drawing *d = context;
    const struct counter_box *box = d->box;
    unsigned left = box->left_px + x->place;

    if (!d->begun)
        buf_printf(d->out, "<path fill=\"#b9c9d9\" stroke=\"#5a7a9a\" d=\"M%u %u", left, box->bottom_px);
    d->begun = true;
    buf_printf(d->out, "H%uV%u", left, box->bottom_px - height_of(d, x->high));
    if (x->last != x->high)
        buf_printf(d->out, "h1V%u", box->bottom_px - height_of(d, x->last));
}

void lanes_draw_counter(const struct profile *p, const struct profile_counter *c,
                        const struct lanes_request *r, const struct counter_box *box, struct buf *out)
{
    const struct places at = {.r = r, .step = 1};
    struct drawing d = {.c = c, .box = box, .out = out};

    each_range(p, c, &at, draw_range, &d);
    if (d.begun)
        buf_printf(out, "H%uV%uZ\"/>\n", box->left_px + r->width_px, box->bottom_px);
}
