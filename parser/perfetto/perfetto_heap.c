/* Heap profiles: ProfilePacket (protos/perfetto/trace/profiling/profile_packet.proto). One dump may take
 * several packets: all but its last one are marked as continued. What they refer to by ids often comes
 * behind them, before the last one, so samples wait until then.
 *
 * The counters of a sample count from the beginning of the recording, separately for each process, heap
 * and stack; here is kept what changed since the dump before. Where the interned data began anew and a
 * stack got a new id, the producer's counters began anew too: then what was counted before is added. A
 * counter that goes back contradicts the rest; it is left out, and counted. */
#include "parser/perfetto/perfetto_impl.h"

/* A field of ProcessHeapSamples that tells what went wrong. */
static const struct {
    uint32_t field;
    enum warning_code code;
} FLAGS[] = {{4, WARN_HEAP_REJECTED},
             {6, WARN_HEAP_DISCONNECTED},
             {7, WARN_HEAP_OVERRUN},
             {8, WARN_HEAP_CORRUPTED},
             {10, WARN_HEAP_GUARDRAIL}};

enum { CLIENT_HIT_TIMEOUT = 1 };

/* Other fields of it. */
enum {
    PID = 1,
    SAMPLES = 2,
    FROM_STARTUP = 3,
    STATS = 5,
    TIMESTAMP = 9,
    HEAP = 11,
    INTERVAL = 12,
    ORIGINAL_INTERVAL = 13,
    CLIENT_ERROR = 14,
    HEADER_FIELDS
};

/* ---- heaps and dumps ---- */

static uint32_t heap_of(struct perfetto *t, const struct protobuf_field *header)
{
    struct pf_heaps *all = &t->heaps;
    string_id name = pf_string(t, header[HEAP].bytes.n > 0 ? header[HEAP].bytes : STR("unknown"));
    const uint64_t parts[] = {(uint32_t)header[PID].value, name};
    uint64_t key = pf_key(t, parts, 2);
    uint32_t id = name == STRING_NONE ? IDMAP_NONE : idmap_get(&all->heap_ids, key);

    if (id != IDMAP_NONE || name == STRING_NONE)
        return id;
    if (!ARENA_ROOM(t->arena, all->heaps, all->heaps_capacity, all->n_heaps + 1) ||
        !idmap_set(&all->heap_ids, key, (uint32_t)all->n_heaps))
        return PERFETTO_NONE;
    all->heaps[all->n_heaps] = (struct pf_heap){.pid = (uint32_t)header[PID].value,
                                                .name = name,
                                                .is_art = str_eq(header[HEAP].bytes, STR("com.android.art"))};
    return (uint32_t)all->n_heaps++;
}

static void warn_flags(struct perfetto *t, const struct protobuf_field *header)
{
    uint64_t client_error = header[CLIENT_ERROR].value;
    struct protobuf_field stats[2]; /* 1: unwinding errors */

    for (size_t i = 0; i < sizeof(FLAGS) / sizeof(*FLAGS); i++)
        pf_warn(t, FLAGS[i].code, header[FLAGS[i].field].value != 0);
    if (client_error > 0)
        pf_warn(t, client_error == CLIENT_HIT_TIMEOUT ? WARN_HEAP_OVERRUN : WARN_HEAP_CLIENT, 1);
    protobuf_fields(header[STATS].bytes, stats, 2);
    pf_warn(t, WARN_HEAP_UNWINDING, stats[1].value);
    pf_warn(t, WARN_HEAP_LATE, header[FROM_STARTUP].value == 0);
}

/* The header comes again in each packet of the dump. */
static uint32_t dump_of(struct perfetto *t, const struct protobuf_field *header, uint32_t heap)
{
    struct pf_heaps *all = &t->heaps;
    const uint64_t parts[] = {heap, header[TIMESTAMP].value};
    uint64_t key = pf_key(t, parts, 2);
    uint32_t id = idmap_get(&all->dump_ids, key);

    if (id != IDMAP_NONE)
        return id;
    if (!ARENA_ROOM(t->arena, all->dumps, all->dumps_capacity, all->n_dumps + 1) ||
        !idmap_set(&all->dump_ids, key, (uint32_t)all->n_dumps))
        return PERFETTO_NONE;
    all->dumps[all->n_dumps] = (struct pf_dump){.heap = heap, .timestamp = header[TIMESTAMP].value};
    warn_flags(t, header);
    if (header[INTERVAL].value > 0)
        all->heaps[heap].interval = header[INTERVAL].value;
    return (uint32_t)all->n_dumps++;
}

/* ---- samples ---- */

static int64_t number(uint64_t value)
{
    return value > INT64_MAX / 4 ? INT64_MAX / 4 : (int64_t)value; /* so that sums of a few do not overflow */
}

static bool add_sample(struct perfetto *t, struct pf_sequence *s, bool counts_are_right, uint32_t heap,
                       uint32_t dump, struct str message)
{
    struct protobuf m = protobuf_of_bytes(message);
    struct protobuf_field f;
    static const uint8_t USUAL[] = {1, 2, 3, 5, 6}; /* fields, in the order in which they mostly come */
    uint64_t values[10] = {0};
    bool at_max = false;

    for (size_t i = 0; i < sizeof(USUAL); i++)
        protobuf_take_varint(&m, PROTOBUF_TAG(USUAL[i], PROTOBUF_VARINT), &values[USUAL[i]]);
    while (protobuf_next(&m, &f)) {
        if (f.number < 10)
            values[f.number] = f.value;
        at_max = at_max || f.number == 8;
    }
    struct pf_pending p = {.heap = heap,
                           .dump = dump,
                           .stack = values[1],
                           .allocated = {number(values[2]), number(values[5])},
                           .freed = {number(values[3]), number(values[6])}};
    if (at_max) {
        p.allocated = (struct pf_values){number(values[8]), counts_are_right ? number(values[9]) : 0};
        p.freed = (struct pf_values){0};
        t->heaps.heaps[heap].at_max = true;
    }
    if (arena_stopped_at(t->arena, s->n_pending) ||
        !ARENA_ROOM(t->arena, s->pending, s->pending_capacity, s->n_pending + 1))
        return false;
    s->pending[s->n_pending++] = p;
    return true;
}

static bool read_process(struct perfetto *t, struct pf_sequence *s, struct str message)
{
    struct protobuf m = protobuf_of_bytes(message);
    struct protobuf_field f, header[HEADER_FIELDS];

    /* Fields of a message may come in any order, and samples need the header: so the message is read twice. */
    protobuf_fields(message, header, HEADER_FIELDS);
    uint32_t heap = heap_of(t, header),
             dump = heap == PERFETTO_NONE ? PERFETTO_NONE : dump_of(t, header, heap);
    if (dump == PERFETTO_NONE)
        return false;
    /* Older producers wrote counts at the maximum that are wrong; those that name the original interval do not. */
    bool counts_are_right = header[ORIGINAL_INTERVAL].value > 0;
    while (protobuf_next(&m, &f))
        if (f.number == SAMPLES && f.wire == PROTOBUF_BYTES &&
            !add_sample(t, s, counts_are_right, heap, dump, f.bytes))
            return false;
    return true;
}

/* ---- the end of a dump ---- */

/* The number of the counters with that key, which begin with these values. PERFETTO_NONE when the arena gives no more. */
static uint32_t counters_of(struct perfetto *t, struct idmap *ids, const uint64_t *parts, size_t n,
                            struct pf_counters begin)
{
    struct pf_heaps *all = &t->heaps;
    uint64_t key = pf_key(t, parts, n);
    uint32_t id = idmap_get(ids, key);

    if (id != IDMAP_NONE)
        return id;
    if (!ARENA_ROOM(t->arena, all->counters, all->counters_capacity, all->n_counters + 1) ||
        !idmap_set(ids, key, (uint32_t)all->n_counters))
        return PERFETTO_NONE;
    all->counters[all->n_counters] = begin;
    return (uint32_t)all->n_counters++;
}

/* The stack keeps them for the next dump of the same heap. */
static bool find_counters(struct perfetto *t, const struct pf_sequence *s, const struct pf_pending *p,
                          struct pf_raw_stack *stack)
{
    const uint64_t parts[] = {s->number, p->heap, stack->known, p->stack};

    stack->heap = p->heap;
    stack->last = counters_of(t, &t->heaps.last_ids, parts, 3, (struct pf_counters){0});
    if (stack->last == PERFETTO_NONE)
        return false;
    stack->base = counters_of(t, &t->heaps.base_ids, parts, 4, t->heaps.counters[stack->last]);
    return stack->base != PERFETTO_NONE;
}

static struct pf_values plus(struct pf_values a, struct pf_values b)
{
    return (struct pf_values){number((uint64_t)(a.bytes + b.bytes)), number((uint64_t)(a.count + b.count))};
}

/* number keeps both between 0 and INT64_MAX / 4, so the difference fits. */
static struct pf_values minus(struct pf_values a, struct pf_values b)
{
    return (struct pf_values){a.bytes - b.bytes, a.count - b.count};
}

static bool add_row(struct perfetto *t, const struct pf_row *row)
{
    struct pf_heaps *all = &t->heaps;

    if ((row->allocated.bytes | row->allocated.count | row->freed.bytes | row->freed.count) == 0)
        return true;
    if (!ARENA_ROOM(t->arena, all->rows, all->rows_capacity, all->n_rows + 1))
        return false;
    all->rows[all->n_rows++] = *row;
    all->heaps[row->heap].n_samples++;
    return true;
}

static bool settle(struct perfetto *t, const struct pf_sequence *s, const struct pf_pending *p,
                   struct pf_raw_stack *stack)
{
    if (stack->heap != p->heap && !find_counters(t, s, p, stack))
        return false;
    struct pf_counters *last = &t->heaps.counters[stack->last], before = *last;
    const struct pf_counters *base = &t->heaps.counters[stack->base];
    struct pf_counters now = {plus(p->allocated, base->allocated), plus(p->freed, base->freed)};
    struct pf_row row = {.heap = p->heap,
                         .dump = p->dump,
                         .stack = stack->known,
                         .allocated = minus(now.allocated, before.allocated),
                         .freed = minus(now.freed, before.freed)};
    if (row.allocated.bytes < 0 || row.allocated.count < 0 || row.freed.bytes < 0 || row.freed.count < 0) {
        pf_warn(t, WARN_HEAP_BACK, 1);
        return true;
    }
    *last = now;
    if (t->heaps.heaps[p->heap].is_art)
        row.freed =
            (struct pf_values){0}; /* ART tells of none; what looks so is another object at the same place */
    return add_row(t, &row);
}

static bool end_dump(struct perfetto *t, struct pf_sequence *s)
{
    uint64_t missing = 0;

    for (size_t i = 0; i < s->n_pending; i++) {
        const struct pf_pending *p = &s->pending[i];
        struct pf_raw_stack *stack;
        if (arena_stopped_at(t->arena, i))
            return false;
        if (!pf_interned_stack(t, &s->legacy, p->stack, &stack) ||
            (stack == NULL && !pf_interned_stack(t, &s->interned, p->stack, &stack)))
            return false;
        missing += stack == NULL;
        if (stack != NULL && !settle(t, s, p, stack))
            return false;
    }
    pf_warn(t, WARN_NO_STACK, missing);
    s->n_pending = 0;
    pf_interned_clear(t, &s->legacy);
    return true;
}

/* ---- the packet ---- */

static bool take_field(struct perfetto *t, struct pf_sequence *s, const struct protobuf_field *f)
{
    if (f->wire != PROTOBUF_BYTES)
        return true;
    switch (f->number) {
    case 1:
        return pf_interned_add_one(t, &s->legacy, PF_FUNCTION, f->bytes);
    case 2:
        return pf_interned_add_one(t, &s->legacy, PF_FRAME, f->bytes);
    case 3:
        return pf_interned_add_one(t, &s->legacy, PF_STACK, f->bytes);
    case 4:
        return pf_interned_add_one(t, &s->legacy, PF_MAPPING, f->bytes);
    case 5:
        return read_process(t, s, f->bytes);
    default:
        return true;
    }
}

bool pf_heap_packet(struct perfetto *t, struct pf_sequence *s, struct str message)
{
    struct protobuf m = protobuf_of_bytes(message);
    struct protobuf_field f;
    uint64_t index = 0;
    bool continued = false;

    while (protobuf_next(&m, &f)) {
        if (f.number == 6)
            continued = f.value != 0;
        else if (f.number == 7)
            index = f.value;
        else if (!take_field(t, s, &f))
            return false;
    }
    if (index != (s->has_index ? s->index + 1 : 0))
        pf_warn(t, WARN_LOST_PACKETS, 1);
    s->index = index;
    s->has_index = true;
    return continued || end_dump(t, s);
}
