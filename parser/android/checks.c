#include "parser/android/checks.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/number.h"

enum {
    STEPS_MIN = 16,          /* fewer say nothing */
    SAMPLED_NS_MIN = 100000, /* no recorder samples at shorter intervals */
    SHORT_PERCENT_MAX = 2,
    TINY_NS = 10000000, /* sums below are too small to be compared */
    OVERHEAD_PERCENT = 10
};

/* ---- while events arrive ---- */

static bool add_tracks(struct android_checks *c, struct builder *b, uint32_t track)
{
    if (!ARENA_ROOM(builder_arena(b), c->last, c->last_capacity, (size_t)track + 1))
        return false;
    while (c->n_last <= track)
        c->last[c->n_last++] = UINT64_MAX;
    return true;
}

static bool look(struct android_checks *c, struct builder *b, const struct event *e)
{
    if (e->track >= c->n_last && !add_tracks(c, b, e->track))
        return false;
    uint64_t *last = &c->last[e->track];
    if (*last < e->clock[0])
        c->steps[c->n_steps++] = e->clock[0] - *last;
    *last = e->clock[0];
    c->unrolled = c->unrolled || e->action == EVENT_UNROLL;
    return true;
}

bool android_checks_events(struct android_checks *c, struct builder *b, const struct event *events, size_t n)
{
    for (size_t i = 0; i < n && c->n_records < CHECKS_RECORDS && c->n_steps < CHECKS_STEPS; i++) {
        c->n_records++;
        if (!look(c, b, &events[i]))
            return false;
    }
    return true;
}

/* ---- at the end ---- */

static int by_size(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;

    return *x < *y ? -1 : *x > *y;
}

/* A sampling recorder writes all changes of a stack with the time of the sample: time stands still or moves
 * by an interval. A tracing one has steps of a few microseconds in any piece of real code. */
static bool check_sampling(struct android_checks *c, struct builder *b)
{
    uint64_t tick_ns = builder_ns_per_tick(b);
    char text[24];

    if (c->n_steps < STEPS_MIN || c->n_records < 2 * c->n_steps || c->unrolled || c->long_calls ||
        builder_warned(b, WARN_RE_ROOTED) > 0)
        return true;
    qsort(c->steps, c->n_steps, sizeof(*c->steps), by_size);
    if (c->steps[c->n_steps * SHORT_PERCENT_MAX / 100] < SAMPLED_NS_MIN / tick_ns)
        return true;
    builder_warn(b, WARN_SAMPLED, 1, WARNING_NO_OFFSET);
    snprintf(text, sizeof(text), "%" PRIu64, c->steps[c->n_steps / 5] / (1000 / tick_ns));
    return builder_fact(b, STR("sampling_interval_us"), str_of(text));
}

static uint64_t difference(uint64_t a, uint64_t b)
{
    return a > b ? a - b : b - a;
}

static void check_header(struct android_checks *c, struct builder *b, const struct key_section *keys,
                         bool wall)
{
    uint64_t records = builder_event_count(b) + c->reserved_records, elapsed_ns;

    if (keys->declared_records > 0 && keys->declared_records != records)
        builder_warn(b, WARN_RECORD_COUNT, difference(keys->declared_records, records), WARNING_NO_OFFSET);
    if (!wall || keys->elapsed == 0 ||
        __builtin_mul_overflow(keys->elapsed, keys->elapsed_in_ns ? 1u : 1000u, &elapsed_ns))
        return;
    uint64_t latest_ns = builder_time_latest_ns(b, 0);
    if (latest_ns > elapsed_ns && latest_ns - elapsed_ns > elapsed_ns / 100 + TINY_NS)
        builder_warn(b, WARN_ELAPSED, (latest_ns - elapsed_ns) / 1000, WARNING_NO_OFFSET);
}

/* The CPU reads its clocks; where only wall time is there, that stands for it. */
static void check_overhead(struct builder *b, const struct key_section *keys, bool dual)
{
    uint64_t total_ns = builder_time_total_ns(b, dual);
    uint64_t spent_ns = number_multiply(keys->clock_overhead_ns, builder_event_count(b));

    if (total_ns >= TINY_NS && spent_ns / OVERHEAD_PERCENT > total_ns / 100)
        builder_warn(b, WARN_CLOCK_OVERHEAD, builder_event_count(b), WARNING_NO_OFFSET);
}

bool android_checks_finish(struct android_checks *c, struct builder *b, const struct key_section *keys,
                           bool wall, bool dual)
{
    check_header(c, b, keys, wall);
    if (wall && !check_sampling(c, b))
        return false;
    /* A sampling recorder reads the clocks once a sample, not once a record; and its remedy would be to sample. */
    if (builder_warned(b, WARN_SAMPLED) == 0)
        check_overhead(b, keys, dual);
    if (dual) {
        uint64_t cpu_ns = builder_time_total_ns(b, 1);
        if (cpu_ns >= TINY_NS && cpu_ns / 2 > builder_time_total_ns(b, 0))
            builder_warn(b, WARN_WALL_SCALE, 1, WARNING_NO_OFFSET);
    }
    return true;
}
