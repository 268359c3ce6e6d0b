#include "render/lanes/lanes_counters.h"

enum { COUNTER_BYTES_MAX = 200000 /* of all counters; for more, several pixels are written as one place */ };

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

static void put_range(struct json *j, const struct range *x)
{
    json_put_element(j, x->place);
    json_put_i64(j, NULL, x->low);
    json_put_i64(j, NULL, x->high);
    json_put_i64(j, NULL, x->last);
}

/* A place has what held when it began, too. */
static void put_steps(struct json *j, const struct profile *p, const struct profile_counter *c,
                      const struct places *at)
{
    const struct profile_reading *readings = &p->readings[c->first];
    uint32_t i = first_from(readings, c->n, at->r->from_ns);
    bool begun = i > 0;
    struct range now = {.place = 0};

    if (begun)
        now.low = now.high = now.last = readings[i - 1].value;
    json_open_array(j, "steps");
    for (; i < c->n && readings[i].time_ns < at->r->to_ns; i++) {
        int64_t value = readings[i].value;
        uint32_t place = place_of(at, readings[i].time_ns);
        if (begun && place != now.place) {
            put_range(j, &now);
            now.low = now.high = now.last;
        }
        now.place = place;
        now.low = begun && now.low < value ? now.low : value;
        now.high = begun && now.high > value ? now.high : value;
        now.last = value;
        begun = true;
    }
    if (begun)
        put_range(j, &now);
    json_close(j);
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
    put_steps(j, p, c, at);
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
