/* Counters: what threads of a process count (atrace, track events), the memory of processes, frequencies of processors, the
 * battery. Readings stand in one table until the end, since CPUs are far apart in the file; only then it is known which process
 * is the app, and of which process the thread was that had more memory.
 *
 *   ProcessStats (protos/perfetto/trace/ps): processes = 1 {pid = 1, vm_rss_kb = 3, rss_anon_kb = 4, rss_file_kb = 5,
 *     rss_shmem_kb = 6, vm_swap_kb = 7}
 *   BatteryCounters (protos/perfetto/trace/power): charge_counter_uah = 1, capacity_percent = 2, current_ua = 3
 *   rss_stat, cpu_frequency (protos/perfetto/trace/ftrace): see systrace_impl.h */
#include <stdio.h>

#include "core/number.h"
#include "core/order.h"
#include "parser/systrace/systrace_impl.h"

enum {
    COUNTS_MAX = 1 << 20, /* readings */
    FRACTION_DECIMALS = 3,
    FRACTION = 1000,
    KB = 1024
};

static int64_t times(int64_t value, int64_t factor)
{
    int64_t product;

    return !__builtin_mul_overflow(value, factor, &product) ? product
           : (value < 0) != (factor < 0)                    ? INT64_MIN
                                                            : INT64_MAX;
}

static uint32_t counter_of(struct systrace *s, const struct sy_counter *counter)
{
    const uint64_t parts[] = {(uint64_t)counter->owner << 32 | counter->decimals, counter->who,
                              counter->name};
    uint64_t key = hash_bytes(s->seed, parts, sizeof(parts));
    uint32_t at = idmap_get(&s->counter_ids, key);

    if (at != IDMAP_NONE)
        return at;
    at = (uint32_t)s->n_counters;
    if (!ARENA_ROOM(s->arena, s->counters, s->counters_capacity, s->n_counters + 1) ||
        !idmap_set(&s->counter_ids, key, at))
        return SY_NONE;
    s->counters[s->n_counters++] = *counter;
    return at;
}

bool sy_count(struct systrace *s, const struct sy_counter *counter, uint64_t time, int64_t value)
{
    if (counter->name == STRING_NONE || counter->unit == STRING_NONE)
        return false;
    if (s->n_counts == COUNTS_MAX) {
        sy_lost(s, SY_LOST_COUNTS, 1);
        return true;
    }
    uint32_t at = counter_of(s, counter);
    if (at == SY_NONE || !ARENA_ROOM(s->arena, s->counts, s->counts_capacity, s->n_counts + 1))
        return false;
    s->counts[s->n_counts++] = (struct sy_count){time, value, at};
    s->latest = time > s->latest ? time : s->latest;
    return true;
}

bool sy_count_named(struct systrace *s, uint32_t pid, struct str name, uint64_t time, int64_t value)
{
    const struct str kb = STR(" (KB)");
    bool is_kb = str_ends(name, kb);

    if (name.n == 0)
        return true;
    name.n -= is_kb ? kb.n : 0;
    const struct sy_counter counter = {.owner = pid != 0 ? SY_OF_PROCESS : SY_OF_NOBODY,
                                       .who = pid,
                                       .name = sy_string(s, name),
                                       .unit = is_kb ? sy_string(s, STR("bytes")) : STRING_EMPTY};
    return sy_count(s, &counter, time, is_kb ? times(value, KB) : value);
}

/* ---- track events ---- */

/* A track that nobody has described as one is none. Its name is known at the end. */
static bool count_track(struct systrace *s, uint32_t descriptor, uint32_t decimals, uint64_t time,
                        int64_t value)
{
    struct sy_descriptor *d = &s->descriptors[descriptor];
    const struct sy_counter counter = {.owner = SY_OF_TRACK,
                                       .who = descriptor,
                                       .name = STRING_EMPTY,
                                       .unit = STRING_EMPTY,
                                       .decimals = decimals};

    value = times(value, d->multiplier);
    if (d->is_incremental)
        d->sum = number_add_signed(d->sum, value), value = d->sum;
    return sy_count(s, &counter, time, value);
}

bool sy_count_track(struct systrace *s, uint32_t descriptor, uint64_t time, int64_t value)
{
    return count_track(s, descriptor, 0, time, value);
}

bool sy_count_fraction(struct systrace *s, uint32_t descriptor, uint64_t time, double value)
{
    const double most = (double)(INT64_MAX / FRACTION / 2);

    if (!(value > -most && value < most)) /* or it is no number */
        return true;
    return count_track(s, descriptor, FRACTION_DECIMALS, time,
                       (int64_t)(value * FRACTION + (value < 0 ? -0.5 : 0.5)));
}

/* ---- memory, processors, battery ---- */

static bool count_memory(struct systrace *s, enum sy_owner owner, uint32_t who, const char *name,
                         uint64_t time, int64_t bytes)
{
    const struct sy_counter counter = {
        .owner = owner, .who = who, .name = sy_string(s, str_of(name)), .unit = sy_string(s, STR("bytes"))};

    return sy_count(s, &counter, time, bytes);
}

static const char ANONYMOUS[] = "anonymous memory", FILES[] = "memory of files", SHARED[] = "shared memory",
                  SWAP[] = "swapped memory";

bool sy_count_memory(struct systrace *s, uint32_t tid, uint64_t time, const struct protobuf_field *f)
{
    enum { MEMBERS = 4 };
    static const char *const NAMES[MEMBERS] = {FILES, ANONYMOUS, SWAP, SHARED};

    if (f[3].value == 0 || f[1].value >= MEMBERS) /* it is another process's than the thread's */
        return true;
    return count_memory(s, SY_OF_THREAD, tid, NAMES[f[1].value], time, (int64_t)f[2].value);
}

bool sy_count_frequency(struct systrace *s, uint64_t time, const struct protobuf_field *f)
{
    char name[32];

    if (f[2].value >= SY_CPUS_MAX)
        return true;
    snprintf(name, sizeof(name), "CPU %u", (unsigned)f[2].value);
    const struct sy_counter counter = {.owner = SY_OF_CPU,
                                       .who = (uint32_t)f[2].value,
                                       .name = sy_string(s, str_of(name)),
                                       .unit = sy_string(s, STR("MHz")),
                                       .decimals = 3};
    return sy_count(s, &counter, time, (int64_t)(f[1].value & UINT32_MAX)); /* kHz */
}

bool sy_count_processes(struct systrace *s, struct str stats, uint64_t time)
{
    static const struct {
        uint32_t field;
        const char *name;
    } SIZES[] = {{3, "memory"}, {4, ANONYMOUS}, {5, FILES}, {6, SHARED}, {7, SWAP}};
    struct protobuf m = protobuf_of_bytes(stats);
    struct protobuf_field f, p[8];

    while (protobuf_next(&m, &f)) {
        if (f.number != 1 || f.wire != PROTOBUF_BYTES)
            continue;
        protobuf_fields(f.bytes, p, 8);
        for (size_t i = 0; i < sizeof(SIZES) / sizeof(*SIZES); i++)
            if (p[SIZES[i].field].number != 0 &&
                !count_memory(s, SY_OF_MEMORY, (uint32_t)p[1].value, SIZES[i].name, time,
                              times((int64_t)p[SIZES[i].field].value, KB)))
                return false;
    }
    return true;
}

bool sy_count_battery(struct systrace *s, struct str battery, uint64_t time)
{
    struct protobuf_field f[4];
    struct sy_counter counter = {.owner = SY_OF_NOBODY};
    uint32_t bits;
    float percent;

    protobuf_fields(battery, f, 4);
    counter.unit = sy_string(s, STR("\xc2\xb5"
                                    "Ah"));
    counter.name = sy_string(s, STR("charge of the battery"));
    if (f[1].number != 0 && !sy_count(s, &counter, time, (int64_t)f[1].value))
        return false;
    counter.unit = sy_string(s, STR("\xc2\xb5"
                                    "A"));
    counter.name = sy_string(s, STR("current of the battery"));
    if (f[3].number != 0 && !sy_count(s, &counter, time, (int64_t)f[3].value))
        return false;
    bits = (uint32_t)f[2].value;
    memcpy(&percent, &bits, sizeof(percent));
    counter.unit = sy_string(s, STR("%"));
    counter.name = sy_string(s, STR("battery"));
    if (f[2].number == 0 || !(percent >= 0 && percent <= 100))
        return true;
    return sy_count(s, &counter, time, (int64_t)percent);
}

/* ---- the end ---- */

/* Counters as the profile has them, several of which may be one: threads of one process share its memory. */
struct telling {
    struct systrace *s;
    struct profile_counter *list;
    uint32_t n;
    size_t capacity;
    string_id app;   /* the name of its process */
    uint32_t *of;    /* [counters of the file]: which one it is; SY_NONE: it is not shown */
    uint32_t *place; /* [n]: where it stands in the order to show */
};

static uint32_t process_of(const struct systrace *s, const struct sy_counter *c)
{
    uint32_t thread;

    switch (c->owner) {
    case SY_OF_PROCESS:
    case SY_OF_MEMORY:
        return idmap_get(&s->pids, c->who);
    case SY_OF_THREAD:
        thread = idmap_get(&s->tids, c->who);
        return thread != IDMAP_NONE ? sy_process_of(s, thread) : SY_NONE;
    case SY_OF_TRACK:
        return s->descriptors[c->who].process;
    case SY_OF_NOBODY:
    case SY_OF_CPU:
        break;
    }
    return SY_NONE;
}

/* What Android counts in the app's process: ART its heap, the renderer and the queues of buffers theirs (frameworks/base/libs/hwui,
 * frameworks/native/libs/gui, art/runtime). */
static enum counter_kind kind_in_app(struct str name)
{
    static const struct str OTHERS[] = {
        STR_INIT("VRI["),           STR_INIT("QueuedBuffer"),    STR_INIT("BufferTX"),
        STR_INIT("GPU completion"), STR_INIT("HWUI "),           STR_INIT("Purgeable HWUI "),
        STR_INIT("PendingRelease"), STR_INIT("JNI Global Refs"), STR_INIT("aq:")};

    for (size_t i = 0; i < sizeof(OTHERS) / sizeof(*OTHERS); i++)
        if (str_starts(name, OTHERS[i]))
            return COUNTER_OTHER;
    return str_eq(name, STR("Heap size")) ? COUNTER_MEMORY : COUNTER_APP;
}

/* False: it is not shown. Memory is told of the app only. */
static bool resolve(struct systrace *s, const struct sy_counter *c, struct profile_counter *to)
{
    uint32_t process = process_of(s, c);
    bool is_app = process != SY_NONE ? process == s->app : c->owner == SY_OF_TRACK,
         is_memory = c->owner == SY_OF_MEMORY || c->owner == SY_OF_THREAD;

    *to = (struct profile_counter){.name = c->name,
                                   .unit = c->unit,
                                   .decimals = c->decimals,
                                   .group = sy_process_name(s, process),
                                   .kind = c->owner == SY_OF_CPU ? COUNTER_FREQUENCY
                                           : is_memory           ? COUNTER_MEMORY
                                           : is_app ? kind_in_app(builder_text_of(s->builder, c->name))
                                                    : COUNTER_OTHER};
    if (c->owner == SY_OF_TRACK) {
        const struct sy_descriptor *d = &s->descriptors[c->who];
        to->name = d->name;
        to->unit = d->unit;
        if (!d->is_counter || d->failed || d->name == STRING_EMPTY)
            return false;
    }
    return !is_memory || is_app;
}

/* The readings are counted, too. */
static bool join_counters(struct telling *t)
{
    struct systrace *s = t->s;
    struct idmap known;

    idmap_init(&known, s->arena, s->seed);
    for (uint32_t i = 0; i < s->n_counters; i++) {
        struct profile_counter c;
        t->of[i] = SY_NONE;
        if (!resolve(s, &s->counters[i], &c))
            continue;
        if (c.group == STRING_NONE)
            return false;
        const uint64_t parts[] = {c.name, c.group, c.kind, c.decimals};
        uint64_t key = hash_bytes(s->seed, parts, sizeof(parts));
        uint32_t at = idmap_get(&known, key);
        if (at == IDMAP_NONE) {
            at = t->n;
            if (!ARENA_ROOM(s->arena, t->list, t->capacity, (size_t)t->n + 1) || !idmap_set(&known, key, at))
                return false;
            t->list[t->n++] = c;
        }
        t->of[i] = at;
    }
    for (size_t i = 0; i < s->n_counts; i++)
        if (t->of[s->counts[i].counter] != SY_NONE)
            t->list[t->of[s->counts[i].counter]].n++;
    return true;
}

/* Counters of the app come before others of their kind. */
static bool counter_before(const void *context, uint32_t a, uint32_t b)
{
    const struct telling *t = context;
    const struct profile_counter *x = &t->list[a], *y = &t->list[b];

    if (x->kind != y->kind)
        return x->kind < y->kind;
    if ((x->group == t->app) != (y->group == t->app))
        return x->group == t->app;
    return x->kind != COUNTER_FREQUENCY && x->n > y->n;
}

static bool count_before(const void *context, uint32_t a, uint32_t b)
{
    const struct telling *t = context;
    const struct sy_count *x = &t->s->counts[a], *y = &t->s->counts[b];
    uint32_t p = t->place[t->of[x->counter]], q = t->place[t->of[y->counter]];

    return p != q ? p < q : x->time < y->time;
}

/* Those in the order to show, as many as there may be; the places of others are SY_NONE. */
static struct profile_counter *order_counters(struct telling *t, uint32_t *n)
{
    struct arena *arena = t->s->arena;
    uint32_t *order = arena_array(arena, (size_t)t->n + 1, sizeof(*order));
    struct profile_counter *list = arena_array(arena, PROFILE_COUNTERS_MAX, sizeof(*list));

    t->place = arena_array(arena, (size_t)t->n + 1, sizeof(*t->place));
    if (order == NULL || list == NULL || t->place == NULL)
        return NULL;
    *n = t->n < PROFILE_COUNTERS_MAX ? t->n : PROFILE_COUNTERS_MAX;
    for (uint32_t i = 0; i < t->n; i++)
        order[i] = i;
    if (!order_array(order, t->n, counter_before, t, arena))
        return NULL;
    for (uint32_t i = 0; i < t->n; i++) {
        t->place[order[i]] = i < *n ? i : SY_NONE;
        if (i < *n)
            list[i] = t->list[order[i]];
        else
            sy_lost(t->s, SY_LOST_COUNTS, t->list[order[i]].n);
    }
    return list;
}

/* What is read before the first record holds at it; of readings at one time the last one holds, and one that tells nothing new
 * is left out. */
static void put_reading(struct profile_counter *c, struct profile_reading *readings, uint64_t time_ns,
                        int64_t value)
{
    struct profile_reading *last = c->n > 0 ? &readings[c->first + c->n - 1] : NULL;

    if (last != NULL && last->time_ns == time_ns)
        last->value = value;
    else if (last == NULL || last->value != value)
        readings[c->first + c->n++] = (struct profile_reading){time_ns, value};
}

static void find_range(struct profile_counter *c, const struct profile_reading *readings)
{
    c->least = c->most = readings[c->first].value;
    for (uint32_t i = 0; i < c->n; i++) {
        int64_t value = readings[c->first + i].value;
        c->least = value < c->least ? value : c->least;
        c->most = value > c->most ? value : c->most;
    }
}

bool sy_tell_counters(struct systrace *s)
{
    struct telling t = {.s = s, .app = sy_process_name(s, s->app)};
    uint32_t n = 0, n_order = 0;
    uint32_t *order = arena_array(s->arena, s->n_counts, sizeof(*order));
    struct profile_reading *readings = arena_array(s->arena, s->n_counts, sizeof(*readings));

    if (s->n_counts == 0)
        return true;
    t.of = arena_array(s->arena, s->n_counters, sizeof(*t.of));
    if (t.app == STRING_NONE || order == NULL || readings == NULL || t.of == NULL || !join_counters(&t))
        return false;
    struct profile_counter *list = order_counters(&t, &n);
    for (uint32_t i = 0; list != NULL && i < s->n_counts; i++) {
        uint32_t of = t.of[s->counts[i].counter];
        if (of != SY_NONE && t.place[of] != SY_NONE)
            order[n_order++] = i;
    }
    if (list == NULL || !order_array(order, n_order, count_before, &t, s->arena))
        return false;
    for (uint32_t i = 0, at = 0; i < n; i++) {
        uint32_t end = at + list[i].n, first = at;
        list[i].first = first;
        list[i].n = 0;
        for (; at < end; at++) {
            const struct sy_count *c = &s->counts[order[at]];
            put_reading(&list[i], readings, c->time > s->begin ? c->time - s->begin : 0, c->value);
        }
        find_range(&list[i], readings);
    }
    builder_counters(s->builder, list, n, readings);
    return true;
}
