/* What all parts of the reader stand on: its records, and the clocks by which their times are the trace's. */
#include "core/number.h"
#include "parser/systrace/systrace_impl.h"

struct systrace *systrace_new(struct builder *b, const struct reader_limits *limits)
{
    struct systrace *s = arena_alloc(builder_arena(b), sizeof(*s));

    if (s == NULL)
        return NULL;
    s->builder = b;
    s->arena = builder_arena(b);
    s->seed = builder_seed(b);
    s->limits = limits;
    s->trace_clock = SY_CLOCK_BOOT;
    s->app = SY_NONE;
    s->began = UINT64_MAX;
    struct idmap *const maps[] = {&s->clock_ids,
                                  &s->first_bundles,
                                  &s->comms,
                                  &s->descriptor_ids,
                                  &s->tids,
                                  &s->pids,
                                  &s->packages,
                                  &s->slot_ids,
                                  &s->senders,
                                  &s->track_ids,
                                  &s->track_of_descriptor,
                                  &s->asked,
                                  &s->counter_ids,
                                  &s->shown_ids};
    for (size_t i = 0; i < sizeof(maps) / sizeof(*maps); i++)
        idmap_init(maps[i], s->arena, s->seed);
    for (size_t i = 0; i < SY_CPUS_MAX; i++)
        s->cpus[i] = SY_NONE;
    for (size_t i = 0; i < SY_RECENT; i++)
        s->recent[i].thread = SY_NONE;
    return s;
}

void systrace_part(struct systrace *s)
{
    s->part++;
    s->part_has_clocks = false;
}

void sy_lost(struct systrace *s, enum sy_lost what, uint64_t n)
{
    if (n > 0 && s->lost[what] == 0)
        s->lost_at[what] = s->offset;
    s->lost[what] += n;
}

string_id sy_string(struct systrace *s, struct str text)
{
    return builder_name(s->builder, text, s->limits->name_bytes, s->offset);
}

bool sy_grow(struct systrace *s)
{
    return s->n_records < UINT32_MAX - 1 &&
           ARENA_ROOM_FILE(s->arena, s->records, s->records_capacity, s->n_records + 1);
}

bool sy_add_extra(struct systrace *s, struct sy_record *r, const struct sy_extra *e)
{
    if (!ARENA_ROOM_FILE(s->arena, s->extras, s->extras_capacity, s->n_extras + 1))
        return false;
    s->extras[s->n_extras] = *e;
    r->b = (uint32_t)s->n_extras++;
    return sy_add(s, r);
}
/* ---- clocks ---- */

/* Clocks of sequences have their numbers in their sequence. */
static uint64_t clock_key(uint32_t sequence, uint32_t clock)
{
    bool own = clock >= SY_CLOCK_OF_SEQUENCE && clock < 2 * SY_CLOCK_OF_SEQUENCE;

    return own ? (uint64_t)(sequence + 1) << 32 | clock : clock;
}

static struct sy_clock *clock_of(struct systrace *s, uint64_t key)
{
    uint32_t at = idmap_get(&s->clock_ids, key);

    if (at != IDMAP_NONE)
        return &s->clocks[at];
    if (!ARENA_ROOM(s->arena, s->clocks, s->clocks_capacity, s->n_clocks + 1) ||
        !idmap_set(&s->clock_ids, key, (uint32_t)s->n_clocks))
        return NULL;
    s->clocks[s->n_clocks] = (struct sy_clock){.unit = 1};
    return &s->clocks[s->n_clocks++];
}

/* Readings go forward; a clock that goes back (somebody set it) cannot be relied on. */
static bool add_reading(struct systrace *s, uint64_t key, uint64_t ticks, uint64_t trace)
{
    struct sy_clock *c = clock_of(s, key);

    if (c == NULL || !ARENA_ROOM(s->arena, c->readings, c->capacity, c->n + 1))
        return false;
    uint64_t ns = number_multiply(ticks, c->unit);
    c->last = ns;
    if (c->n > 0 && ns < c->readings[c->n - 1].clock)
        c->broken = true;
    else
        c->readings[c->n++] = (struct sy_reading){ns, trace};
    return true;
}

bool sy_relate(struct systrace *s, uint32_t sequence, uint32_t clock, uint64_t ticks, uint64_t boot)
{
    uint64_t trace;

    return !sy_time(s, sequence, SY_CLOCK_BOOT, boot, &trace) ||
           add_reading(s, clock_key(sequence, clock), ticks, trace);
}

/* ClockSnapshot {clocks = 1 {clock_id = 1, timestamp = 2, is_incremental = 3, unit_multiplier_ns = 4},
 * primary_trace_clock = 2}. Clocks that are read with the trace's can be told in it; the trace's own needs nothing. */
bool systrace_clocks(struct systrace *s, uint32_t sequence, struct str snapshot)
{
    struct protobuf m = protobuf_of_bytes(snapshot);
    struct protobuf_field f, c[5];
    uint64_t trace = 0;
    bool has_trace = false;

    while (protobuf_next(&m, &f))
        if (f.number == 2 && f.wire == PROTOBUF_VARINT && f.value > 0 && f.value < SY_CLOCK_OF_SEQUENCE &&
            !s->has_clocks)
            s->trace_clock = (uint32_t)f.value;
    for (m = protobuf_of_bytes(snapshot); protobuf_next(&m, &f);) {
        if (f.number != 1 || f.wire != PROTOBUF_BYTES)
            continue;
        protobuf_fields(f.bytes, c, 5);
        if (c[1].value == s->trace_clock)
            trace = c[2].value, has_trace = true;
    }
    if (has_trace && s->part > 0 && !s->part_has_clocks)
        idmap_init(&s->clock_ids, s->arena, s->seed); /* it is a file with clocks of its own */
    s->part_has_clocks = s->part_has_clocks || has_trace;
    for (m = protobuf_of_bytes(snapshot); has_trace && protobuf_next(&m, &f);) {
        if (f.number != 1 || f.wire != PROTOBUF_BYTES)
            continue;
        protobuf_fields(f.bytes, c, 5);
        if (c[1].value == s->trace_clock || c[1].value > UINT32_MAX)
            continue;
        uint64_t key = clock_key(sequence, (uint32_t)c[1].value);
        struct sy_clock *clock = clock_of(s, key);
        if (clock == NULL)
            return false;
        clock->unit = c[4].value > 0 ? c[4].value : 1;
        clock->incremental = c[3].value != 0;
        if (!add_reading(s, key, c[2].value, trace))
            return false;
    }
    s->has_clocks = s->has_clocks || has_trace;
    return true;
}

/* By the latest reading that is not behind it, else the first one. Clocks are not stretched between two readings. */
static uint64_t trace_time(const struct sy_clock *c, uint64_t ns)
{
    size_t lo = 0, hi = c->n;

    while (hi - lo > 1) {
        size_t middle = lo + (hi - lo) / 2;
        if (c->readings[middle].clock <= ns)
            lo = middle;
        else
            hi = middle;
    }
    return c->readings[lo].boot + (ns - c->readings[lo].clock);
}

bool sy_time(struct systrace *s, uint32_t sequence, uint32_t clock, uint64_t ticks, uint64_t *time)
{
    *time = ticks;
    if (clock == 0 && s->part > 0 && !s->part_has_clocks) {
        clock = SY_CLOCK_MONOTONIC;
        s->clock_assumed = true;
    }
    if (clock == 0 || clock == s->trace_clock || !s->has_clocks)
        return ticks <= INT64_MAX;
    uint32_t at = idmap_get(&s->clock_ids, clock_key(sequence, clock));
    struct sy_clock *c = at != IDMAP_NONE ? &s->clocks[at] : NULL;
    if (c == NULL || c->n == 0 || c->broken) {
        sy_lost(s, SY_LOST_CLOCK, 1);
        return false;
    }
    uint64_t ns = number_multiply(ticks, c->unit);
    if (c->incremental)
        c->last = number_add(c->last, ns), ns = c->last;
    *time = trace_time(c, ns);
    return *time <= INT64_MAX;
}

/* ---- names ---- */

string_id sy_numbered(struct systrace *s, struct str word, uint32_t number)
{
    struct buf b = {0};

    buf_str(&b, word);
    buf_u64(&b, number);
    return builder_string_of(s->builder, &b);
}

string_id sy_process_name(struct systrace *s, uint32_t process)
{
    const struct sy_process *p = process == SY_NONE ? NULL : &s->processes[process];

    if (p == NULL)
        return STRING_EMPTY;
    return p->name != STRING_EMPTY ? p->name : sy_numbered(s, STR("Process-"), p->pid);
}
