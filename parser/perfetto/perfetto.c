/* Perfetto traces. A file is a protocol buffer message of one repeated field:
 *
 *   field 1, length-delimited: a packet
 *
 * and no end: a file that is cut is used up to there. Other fields are passed over. Concatenated traces
 * are a trace, which is how symbols and deobfuscated names come behind one (perfetto.dev: "Native heap
 * profiler"). They may also come in files of their own. */
#define ZLIB_CONST
#include <string.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "parser/perfetto/perfetto_impl.h"

enum {
    PACKET_FIELD = 1,
    PACKET_BYTES_MAX = 64 << 20, /* a larger one is passed over: no recorder writes such */
    FIELD_MAX = 10000            /* no packet has a field with a larger number */
};

/* ---- compressed packets ---- */

/* Field 50 has a zlib stream, field 133 a zstd frame, of packets in the form of a trace. What comes out of
 * one stands in memory as a whole, so it is bounded; and so is what comes out of all, by the limit for
 * unpacked bytes. One that cannot be unpacked is counted and left out. */

enum {
    UNPACKED_MAX = 16 << 20, /* of one; producers make less than 1 MiB */
    FIRST_BYTES = 256 << 10,
    WINDOW_LOG_MAX = 24,
    LIBRARY_BYTES = (192 << 10) + (16 << 20) /* that a library takes at most: zstd with its window */
};

/* Makes the room larger, at least for one more byte. *stop: it must not be. */
static bool grow(struct perfetto *t, size_t used, bool *stop)
{
    size_t need = t->unpacked_capacity < FIRST_BYTES ? FIRST_BYTES : t->unpacked_capacity * 2;

    if (used < t->unpacked_capacity)
        return true;
    *stop = used >= UNPACKED_MAX;
    uint8_t *room = *stop ? NULL : arena_grow(t->arena, t->unpacked, &t->unpacked_capacity, need, 1);
    if (room != NULL)
        t->unpacked = room;
    return room != NULL || *stop;
}

/* Of a library. Always false. */
static bool no_memory(struct perfetto *t)
{
    t->arena->failure = ARENA_NO_MEMORY;
    return false;
}

/* What came out, if it is good and within the limits. */
static bool hand_out(struct perfetto *t, bool good, size_t n, struct str *packets)
{
    t->unpacked_bytes += n;
    if (t->unpacked_bytes > t->limits->unpacked.bytes)
        return diag_set(
            t->diag, DIAG_LIMIT, "too much to unpack",
            "Record a shorter trace, or ask who runs this service to raise the limit.",
            "The compressed packets of the trace hold more than the limit max_unpacked_bytes of %llu bytes.",
            (unsigned long long)t->limits->unpacked.bytes);
    if (!good)
        pf_warn(t, WARN_PACKED_PACKET, 1);
    *packets = good ? (struct str){(const char *)t->unpacked, n} : STR("");
    return true;
}

static bool inflate_all(struct perfetto *t, z_stream *z, bool *good, size_t *n)
{
    bool stop = false;
    int code = Z_OK;

    while (code == Z_OK && !stop) {
        if (!grow(t, *n, &stop))
            return false;
        if (stop)
            break;
        z->next_out = t->unpacked + *n;
        z->avail_out = (uInt)(t->unpacked_capacity - *n);
        code = inflate(z, Z_NO_FLUSH);
        if (code == Z_MEM_ERROR)
            return no_memory(t);
        *n = t->unpacked_capacity - z->avail_out;
        stop = code == Z_OK && z->avail_in == 0 && z->avail_out > 0; /* it ends early */
    }
    *good = code == Z_STREAM_END;
    return true;
}

static bool unpack_deflate(struct perfetto *t, struct str bytes, struct str *packets)
{
    z_stream z = {0};
    bool good = false;
    size_t n = 0;

    if (!arena_charge(t->arena, LIBRARY_BYTES))
        return false;
    bool ok = inflateInit2(&z, MAX_WBITS) == Z_OK;
    if (!ok)
        t->arena->failure = ARENA_NO_MEMORY;
    z.next_in = (const Bytef *)bytes.p;
    z.avail_in = (uInt)bytes.n; /* a packet is not that large */
    ok = ok && inflate_all(t, &z, &good, &n);
    inflateEnd(&z);
    arena_discharge(t->arena, LIBRARY_BYTES);
    return ok && hand_out(t, good, n, packets);
}

static bool decompress_all(struct perfetto *t, ZSTD_DStream *z, struct str bytes, bool *good, size_t *n)
{
    ZSTD_inBuffer in = {bytes.p, bytes.n, 0};
    bool stop = false;
    size_t left = 1;

    while (left > 0 && !ZSTD_isError(left)) {
        if (!grow(t, *n, &stop))
            return false;
        if (stop)
            break;
        ZSTD_outBuffer out = {t->unpacked, t->unpacked_capacity, *n};
        left = ZSTD_decompressStream(z, &out, &in);
        if (ZSTD_isError(left) && ZSTD_getErrorCode(left) == ZSTD_error_memory_allocation)
            return no_memory(t);
        *n = out.pos;
        if (in.pos == in.size && out.pos < out.size)
            break; /* all of it is out, or it ends early */
    }
    *good = left == 0;
    return true;
}

static bool unpack_zstd(struct perfetto *t, struct str bytes, struct str *packets)
{
    bool good = false;
    size_t n = 0;

    if (!arena_charge(t->arena, LIBRARY_BYTES))
        return false;
    ZSTD_DStream *z = ZSTD_createDStream();
    if (z == NULL)
        t->arena->failure = ARENA_NO_MEMORY;
    bool ok = z != NULL && !ZSTD_isError(ZSTD_DCtx_setParameter(z, ZSTD_d_windowLogMax, WINDOW_LOG_MAX)) &&
              decompress_all(t, z, bytes, &good, &n);
    ZSTD_freeDStream(z);
    arena_discharge(t->arena, LIBRARY_BYTES);
    return ok && hand_out(t, good, n, packets);
}

/* ---- one packet ---- */

/* Its fields are read once; what they mean together comes behind that, in this order (as the producers'
 * rules want it, protos/perfetto/trace/trace_packet.proto):
 *
 *   1. The interned data is cleared: it starts anew, and is valid. Else, packets were lost: it is not valid until then.
 *   2. Defaults and interned data are added, if it is valid.
 *   3. A packet that needs it is left out if it is not valid. */

enum { FLAG_CLEARED = 1, FLAG_NEEDS_STATE = 2 };

enum {
    CLOCK_MONOTONIC = 3,
    CLOCK_BOOT = 6,
    FIELD_PROFILE = 37,
    FIELD_THREAD = 44,
    FIELD_STREAMING = 54,
    FIELD_PERF = 66,
    FIELD_STACK_SAMPLE = 135
};

static uint64_t boot_ns(const struct perfetto *t, uint32_t clock, uint64_t timestamp)
{
    return clock < PF_CLOCKS ? timestamp + (uint64_t)t->to_boot_ns[clock] : timestamp;
}

/* ---- clocks ---- */

/* Readings of several clocks at one time. Those of numbers from 64 on are counted by sequences of their
 * own, and unused. */
static void read_clocks(struct perfetto *t, struct str message)
{
    struct protobuf m = protobuf_of_bytes(message);
    struct protobuf_field f;
    uint64_t reading[PF_CLOCKS];
    bool has[PF_CLOCKS] = {false};

    for (size_t i = 0; protobuf_next(&m, &f) && !arena_stopped_at(t->arena, i); i++) {
        struct protobuf_field clock[3]; /* 1: which, 2: its time */
        if (f.number != 1 || f.wire != PROTOBUF_BYTES)
            continue;
        protobuf_fields(f.bytes, clock, 3);
        if (clock[1].number != 0 && clock[1].value < PF_CLOCKS)
            reading[clock[1].value] = clock[2].value, has[clock[1].value] = true;
    }
    for (size_t i = 0; i < PF_CLOCKS && has[CLOCK_BOOT]; i++)
        if (has[i])
            t->to_boot_ns[i] = (int64_t)(reading[CLOCK_BOOT] - reading[i]);
}

/* ---- sequences ---- */

static struct pf_sequence *sequence_of(struct perfetto *t, const struct pf_packet *p)
{
    const uint64_t parts[] = {p->machine, p->sequence, t->part};
    uint64_t key = pf_key(t, parts, 3);
    uint32_t id = idmap_get(&t->sequence_ids, key);

    if (id != IDMAP_NONE)
        return &t->sequences[id];
    if (!ARENA_ROOM(t->arena, t->sequences, t->sequences_capacity, t->n_sequences + 1) ||
        !idmap_set(&t->sequence_ids, key, (uint32_t)t->n_sequences))
        return NULL;
    struct pf_sequence *s = &t->sequences[t->n_sequences];
    *s = (struct pf_sequence){.number = t->n_sequences};
    pf_interned_init(t, &s->interned, false);
    pf_interned_init(t, &s->legacy, true);
    t->n_sequences++;
    return s;
}

static void read_defaults(struct pf_sequence *s, struct str message)
{
    struct protobuf m = protobuf_of_bytes(message);
    struct protobuf_field f;

    s->default_clock = 0;
    while (protobuf_next(&m, &f))
        if (f.number == 58)
            s->default_clock = (uint32_t)f.value;
}

static bool keep_state(struct perfetto *t, struct pf_sequence *s, const struct pf_packet *p)
{
    if (p->cleared || (p->flags & FLAG_CLEARED) != 0) {
        if (!pf_samples_settle(t, s))
            return false;
        pf_interned_clear(t, &s->interned);
        systrace_cleared(t->system, (uint32_t)s->number);
        s->default_clock = 0;
        s->valid = true;
    } else if (p->dropped && p->sequence != 0) {
        s->valid = false;
        pf_warn(t, WARN_LOST_PACKETS, 1);
    }
    if (p->defaults.p != NULL) {
        read_defaults(s, p->defaults);
        if (!systrace_defaults(t->system, (uint32_t)s->number, p->defaults))
            return false;
    }
    return p->interned.p == NULL || !s->valid ||
           (pf_interned_add(t, &s->interned, p->interned) &&
            systrace_interned(t->system, (uint32_t)s->number, p->interned));
}

/* ---- fields ---- */

static void take_bytes(struct pf_packet *p, const struct protobuf_field *f)
{
    switch (f->number) {
    case 2:
        p->process_tree = f->bytes;
        break;
    case 6:
        p->clocks = f->bytes;
        break;
    case 12:
        p->interned = f->bytes;
        return; /* it comes with others, and 59 as well */
    case 47:
        p->packages = f->bytes;
        break;
    case 50:
        p->deflate = f->bytes;
        break;
    case 59:
        p->defaults = f->bytes;
        return;
    case 60:
        p->track = f->bytes;
        break;
    case 133:
        p->zstd = f->bytes;
        break;
    default:
        break;
    }
    p->data_field = f->number;
    p->data = f->bytes;
}

static void take_number(struct pf_packet *p, const struct protobuf_field *f)
{
    switch (f->number) {
    case 8:
        p->timestamp = f->value;
        p->has_time = true;
        break;
    case 10:
        p->sequence = f->value;
        p->has_sequence = true;
        break;
    case 13:
        p->flags = f->value;
        break;
    case 41:
        p->cleared = f->value != 0;
        break;
    case 42:
        p->dropped = f->value != 0;
        break;
    case 58:
        p->clock = (uint32_t)f->value;
        break;
    case 98:
        p->machine = f->value;
        break;
    default:
        break;
    }
}

static bool take_data(struct perfetto *t, struct pf_sequence *s, const struct pf_packet *p)
{
    switch (p->data_field) {
    case FIELD_PROFILE:
        return pf_heap_packet(t, s, p->data);
    case FIELD_PERF:
        return pf_perf_sample(t, s, p);
    case FIELD_STREAMING:
        return pf_streaming_samples(t, s, p);
    case FIELD_STACK_SAMPLE:
        return pf_stack_sample(t, s, p);
    case PF_FIELD_SYMBOLS:
        return pf_module_symbols(t, p->data);
    case PF_FIELD_DEOBFUSCATION:
        return pf_deobfuscation(t, p->data);
    default:
        return true;
    }
}

/* Fields that the reader of system traces takes. */
static bool is_of_system(uint32_t field)
{
    static const uint32_t FIELDS[] = {1, 2, 9, 11, 34, 35, 38, 44, 45, 47, 60, 69, 76, 78};

    for (size_t i = 0; i < sizeof(FIELDS) / sizeof(*FIELDS); i++)
        if (FIELDS[i] == field)
            return true;
    return false;
}

static bool take_system(struct perfetto *t, const struct pf_sequence *s, const struct pf_packet *p,
                        uint32_t clock)
{
    const struct systrace_packet packet = {.timestamp = p->timestamp,
                                           .offset = t->offset,
                                           .clock = clock,
                                           .sequence = (uint32_t)s->number,
                                           .field = p->data_field,
                                           .has_time = p->has_time,
                                           .has_sequence = p->has_sequence,
                                           .valid = s->valid && p->has_sequence,
                                           .data = p->data};

    return !is_of_system(p->data_field) || systrace_packet(t->system, &packet);
}

static void read_thread(struct pf_sequence *s, struct str message)
{
    struct protobuf m = protobuf_of_bytes(message);
    struct protobuf_field f;

    while (protobuf_next(&m, &f))
        if (f.number == 1)
            s->thread.pid = (uint32_t)f.value;
        else if (f.number == 2)
            s->thread.tid = (uint32_t)f.value;
        else if (f.number == 6)
            s->reference_us = f.value, s->has_reference = true;
}

static bool is_ours(const struct pf_packet *p)
{
    if (is_of_system(p->data_field))
        return true;
    switch (p->data_field) {
    case FIELD_PROFILE:
    case FIELD_THREAD:
    case FIELD_STREAMING:
    case PF_FIELD_SYMBOLS:
    case PF_FIELD_DEOBFUSCATION:
    case FIELD_PERF:
    case FIELD_STACK_SAMPLE:
        return true;
    default:
        return p->clocks.p != NULL || p->interned.p != NULL || p->defaults.p != NULL || p->cleared ||
               p->dropped || (p->flags & FLAG_CLEARED) != 0;
    }
}

/* Of a file beside the trace: what is no name there is of another recording. */
static bool take_names(struct perfetto *t, const struct pf_packet *p)
{
    if (p->data_field == PF_FIELD_SYMBOLS)
        return pf_module_symbols(t, p->data);
    return p->data_field != PF_FIELD_DEOBFUSCATION || pf_deobfuscation(t, p->data);
}

static bool take_packet(struct perfetto *t, struct pf_packet *p)
{
    if (arena_stopped(t->arena))
        return false;
    if (t->beside)
        return take_names(t, p);
    t->packets++;
    t->held[p->data_field < PF_HELD_FIELDS ? p->data_field : 0]++;
    if (p->clocks.p != NULL)
        read_clocks(t, p->clocks);
    if ((p->process_tree.p != NULL && !pf_process_tree(t, p->process_tree)) ||
        (p->track.p != NULL && !pf_track_descriptor(t, p->track)) ||
        (p->packages.p != NULL && !pf_packages_list(t, p->packages)))
        return false;
    if (!is_ours(p))
        return true;
    struct pf_sequence *s = sequence_of(t, p);
    if (s == NULL || !keep_state(t, s, p))
        return false;
    if (p->clocks.p != NULL && !systrace_clocks(t->system, (uint32_t)s->number, p->clocks))
        return false;
    const uint32_t clock = p->clock;
    if (p->clock == 0)
        p->clock = s->default_clock != 0 ? s->default_clock : CLOCK_BOOT;
    p->time_ns = boot_ns(t, p->clock, p->timestamp);
    if (p->data_field == FIELD_THREAD)
        read_thread(s, p->data);
    if ((p->flags & FLAG_NEEDS_STATE) != 0 && !s->valid) {
        pf_warn(t, WARN_NO_STATE, 1);
        return true;
    }
    return take_system(t, s, p, clock) && take_data(t, s, p);
}

/* False: it is damaged, which is counted. */
static bool fields_of(struct perfetto *t, struct str bytes, struct pf_packet *p)
{
    struct protobuf m = protobuf_of_bytes(bytes);
    struct protobuf_field f;

    *p = (struct pf_packet){0};
    for (size_t i = 0; protobuf_next(&m, &f) && !arena_stopped_at(t->arena, i); i++)
        if (f.wire == PROTOBUF_BYTES)
            take_bytes(p, &f);
        else if (f.wire == PROTOBUF_VARINT)
            take_number(p, &f);
    if (m.state != PROTOBUF_GOOD)
        pf_warn(t, WARN_BAD_PACKET, 1);
    return m.state == PROTOBUF_GOOD;
}

static bool is_packed(const struct pf_packet *p)
{
    return p->deflate.p != NULL || p->zstd.p != NULL;
}

/* Packets within packets within packets are never written; what unpacks to itself would never end. */
static bool take_unpacked(struct perfetto *t, struct str packets)
{
    struct protobuf m = protobuf_of_bytes(packets);
    struct protobuf_field f;
    struct pf_packet p;

    while (protobuf_next(&m, &f)) {
        if (f.number != PACKET_FIELD || f.wire != PROTOBUF_BYTES || !fields_of(t, f.bytes, &p))
            continue;
        if (is_packed(&p))
            pf_warn(t, WARN_PACKED_PACKET, 1);
        else if (!take_packet(t, &p))
            return false;
    }
    return true;
}

static bool read_packet(struct perfetto *t, struct str bytes)
{
    struct pf_packet p;
    struct str packets;

    if (!fields_of(t, bytes, &p))
        return !arena_stopped(t->arena);
    if (!is_packed(&p))
        return take_packet(t, &p);
    return (p.deflate.p != NULL ? unpack_deflate(t, p.deflate, &packets)
                                : unpack_zstd(t, p.zstd, &packets)) &&
           take_unpacked(t, packets);
}

/* ---- what a trace without a profile holds, and how to record one ---- */

/* Fields of TracePacket (protos/perfetto/trace/trace_packet.proto), in the order in which they are told. */
static const struct {
    uint32_t field;
    const char *what;
} KINDS[] = {{56, "graphs of Java heaps"},
             {61, "symbols"},
             {64, "names for deobfuscation"},
             {1, "scheduling and kernel events (ftrace)"},
             {11, "track events"},
             {66, "counters of linux.perf without call stacks"},
             {5, "events of Chrome"},
             {2, "the list of processes"},
             {9, "memory of processes"},
             {7, "statistics of the system"},
             {39, "Android's log"},
             {38, "battery counters"},
             {40, "power rails"},
             {52, "counters of a GPU"},
             {53, "stages of a GPU"},
             {63, "frames of the display"},
             {76, "frame timelines"},
             {93, "layers of SurfaceFlinger"},
             {35, "its own statistics"}};

enum { HEAP_GRAPH = 56, OOME_HEAP_GRAPH = 130, NAMED_MAX = 4 };

static const char RECORD[] =
    "For a system trace record with atrace categories and sched/sched_switch (System Tracing on the device); for a heap profile record the app with heapprofd (tools/heap_profile -n "
    "com.example.app, or the data source android.heapprofd); for CPU samples with linux.perf (tools/cpu_profile). The "
    "app must be profileable or debuggable.";

/* Always false. */
static bool refuse(struct perfetto *t)
{
    struct buf b = {0};
    uint32_t named = 0;

    for (size_t i = 0; i < sizeof(KINDS) / sizeof(*KINDS) && named < NAMED_MAX; i++) {
        uint64_t n = t->held[KINDS[i].field];
        if (n == 0)
            continue;
        buf_z(&b, named++ == 0 ? "It holds " : ", ");
        buf_z(&b, KINDS[i].what);
        buf_z(&b, " (");
        buf_u64_grouped(&b, n);
        buf_z(&b, n == 1 ? " packet)" : " packets)");
    }
    if (named > 0)
        buf_z(&b, ".");
    int n = b.failed ? 0 : (int)b.n;
    uint64_t names = t->held[PF_FIELD_SYMBOLS] + t->held[PF_FIELD_DEOBFUSCATION];
    if (t->held[HEAP_GRAPH] > 0)
        diag_set(
            t->diag, DIAG_FOREIGN, "Java heap graph, no heap profile",
            "Open it in ui.perfetto.dev, or record allocations with their call stacks: heapprofd with the heap "
            "com.android.art, or without one for native memory.",
            "The trace has graphs of objects on the Java heap, which tell what holds what, but not which code "
            "allocated it: there is no call stack to draw. %.*s",
            n, n > 0 ? b.p : "");
    else if (names > 0 && names == t->packets)
        diag_set(t->diag, DIAG_FOREIGN, "symbols without a profile",
                 "Put them behind the trace that they belong to, in one file, or beside it into one archive, "
                 "and upload that.",
                 "The file has names for a trace, and no trace. %.*s", n, n > 0 ? b.p : "");
    else
        diag_set(
            t->diag, DIAG_FOREIGN, "Perfetto trace without a profile", RECORD,
            "The trace has %s packets, but no sections, no records of the scheduler that can be used, no heap profile, and "
            "no CPU samples with call stacks. %.*s",
            t->packets > 0 ? "readable" : "no readable", n, n > 0 ? b.p : "");
    buf_free(&b);
    return false;
}

/* ---- what a file is ---- */

/* Whether the bytes are at least `least` fields, and `known` says yes to each. The end may cut the last one. */
static bool is_message(struct str bytes, size_t least, bool (*known)(const struct protobuf_field *f))
{
    struct protobuf m = protobuf_of_bytes(bytes);
    struct protobuf_field f = {.bytes = STR("")};
    size_t n = 0;

    for (; protobuf_next(&m, &f); n++)
        if (!known(&f))
            return false;
    bool cut_bytes = m.state == PROTOBUF_CUT && m.p == m.end && f.wire == PROTOBUF_BYTES && f.bytes.n > 0;
    if (cut_bytes && !known(&f))
        return false;
    return m.state != PROTOBUF_BAD && n + cut_bytes >= least;
}

static bool is_packet_field(const struct protobuf_field *f)
{
    return f->number < FIELD_MAX;
}

static bool is_packet(const struct protobuf_field *f)
{
    return f->number == PACKET_FIELD && f->wire == PROTOBUF_BYTES && is_message(f->bytes, 0, is_packet_field);
}

static bool has_control_bytes(struct str s)
{
    for (size_t i = 0; i < s.n; i++)
        if ((unsigned char)s.p[i] < '\t')
            return true;
    return false;
}

/* The first packet may be longer than what is looked at. A text that begins with an empty line would be
 * one by chance. */
static enum detection detect(const uint8_t *p, size_t n, bool final)
{
    struct str head = {(const char *)p, n};

    if (n > 0 && p[0] != (PACKET_FIELD << 3 | PROTOBUF_BYTES))
        return DETECT_NO;
    if (n < DETECT_BYTES_MAX && !final)
        return DETECT_MORE;
    return has_control_bytes(head) && is_message(head, 1, is_packet) ? DETECT_YES : DETECT_NO;
}

/* Whether the first packet has symbols or deobfuscated names, as `traceconv symbolize` and `deobfuscate`
 * write them. */
static bool is_beside(const uint8_t *p, size_t n)
{
    struct protobuf m = protobuf_of(p, n);
    struct protobuf_field packet = {.bytes = STR("")}, f;

    if (n == 0 || p[0] != (PACKET_FIELD << 3 | PROTOBUF_BYTES))
        return false;
    protobuf_next(&m, &packet); /* the end may cut it */
    m = protobuf_of_bytes(packet.bytes);
    for (f = (struct protobuf_field){.number = 0}; protobuf_next(&m, &f);)
        if (f.number == PF_FIELD_SYMBOLS || f.number == PF_FIELD_DEOBFUSCATION)
            return true;
    return m.state == PROTOBUF_CUT && f.wire == PROTOBUF_BYTES &&
           (f.number == PF_FIELD_SYMBOLS || f.number == PF_FIELD_DEOBFUSCATION);
}

/* ---- the file ---- */

/* Always false. */
static bool failed(struct perfetto *t)
{
    return t->diag->kind != DIAG_NONE ? false : builder_failed(t->builder, t->diag);
}

static void begin(struct perfetto *t, struct reading *r)
{
    struct builder *b = r->builder;

    t->builder = b;
    t->arena = builder_arena(b);
    t->seed = builder_seed(b);
    t->limits = r->limits;
    t->diag = r->diag;
    builder_clocks(b, 1, false);
    struct idmap *const maps[] = {
        &t->sequence_ids,         &t->stacks.mapping_ids,  &t->stacks.frame_ids,    &t->stacks.stack_ids,
        &t->heaps.heap_ids,       &t->heaps.dump_ids,      &t->heaps.last_ids,      &t->heaps.base_ids,
        &t->samples.thread_ids,   &t->names.symbol_ids,    &t->names.member_ids,    &t->names.expansion_ids,
        &t->people.process_names, &t->people.thread_names, &t->people.process_uids, &t->people.packages,
    };
    for (size_t i = 0; i < sizeof(maps) / sizeof(*maps); i++)
        idmap_init(maps[i], t->arena, t->seed);
}

enum next { NEXT_MORE, NEXT_FIELD, NEXT_LARGE, NEXT_NONE };

/* The field at the front of the bytes, and how long it is, or how long the head of a large one is. */
static enum next next_field(const uint8_t *p, size_t n, struct protobuf_field *f, size_t *taken)
{
    struct protobuf m = protobuf_of(p, n);

    if (protobuf_next(&m, f)) {
        *taken = (size_t)(m.p - p);
        return NEXT_FIELD;
    }
    if (m.state == PROTOBUF_BAD)
        return NEXT_NONE;
    /* Cut: of a field whose length is there already, that length says whether it is to be waited for. */
    struct protobuf head = protobuf_of(p, n);
    uint64_t tag = protobuf_varint(&head), length = protobuf_varint(&head);
    if (head.state != PROTOBUF_GOOD || (tag & 7) != PROTOBUF_BYTES || length <= PACKET_BYTES_MAX)
        return NEXT_MORE;
    *taken = (size_t)(head.p - p);
    f->value = length;
    return NEXT_LARGE;
}

/* What stands behind bytes that are no field cannot be found again. */
static void give_up(struct perfetto *t, struct source *s)
{
    uint64_t left = source_pass(s, UINT64_MAX);

    pf_warn(t, WARN_DAMAGED, left > 0 ? left : 1);
}

static bool pass_large(struct perfetto *t, struct source *s, size_t head, uint64_t length)
{
    pf_warn(t, WARN_LARGE_PACKET, 1);
    source_consume(s, head);
    t->offset = source_offset(s);
    if (source_pass(s, length) < length)
        pf_warn(t, WARN_CUT_RECORD, 1);
    return true;
}

/* One field, of which at least `want` bytes are asked for. False: diag. */
static bool read_field(struct perfetto *t, struct source *s)
{
    struct protobuf_field f;
    enum next next;
    size_t taken = 0, n;
    bool ok = true;

    t->offset = source_offset(s);
    for (size_t want = 1;; want = 2 * n) {
        const uint8_t *p = source_need(s, want, &n);
        next = next_field(p, n, &f, &taken);
        if (next != NEXT_MORE || n < want)
            break;
    }
    switch (next) {
    case NEXT_FIELD:
        ok = f.number != PACKET_FIELD || f.wire != PROTOBUF_BYTES || read_packet(t, f.bytes);
        source_consume(s, taken);
        return ok;
    case NEXT_LARGE:
        return pass_large(t, s, taken, f.value);
    case NEXT_NONE:
        give_up(t, s);
        return true;
    case NEXT_MORE:
        break;
    }
    pf_warn(t, WARN_CUT_RECORD, 1);
    source_pass(s, UINT64_MAX);
    return true;
}

static bool read_packets(struct perfetto *t, struct source *s)
{
    bool ok = true;
    size_t n;

    while (ok && (source_need(s, 1, &n), n > 0))
        ok = read_field(t, s);
    return ok;
}

/* Other files of the same recording. */
static bool read_parts(struct perfetto *t, struct reading *r)
{
    struct source *s;

    while ((s = r->next_part(r)) != NULL) {
        t->part++;
        systrace_part(t->system);
        if (!read_packets(t, s))
            return false;
    }
    return t->diag->kind == DIAG_NONE;
}

static bool read_names(struct perfetto *t, struct reading *r)
{
    struct source *s;

    t->beside = true;
    while ((s = r->next_names(r)) != NULL)
        if (!read_packets(t, s))
            return false;
    return t->diag->kind == DIAG_NONE;
}

static bool end_trace(struct perfetto *t)
{
    for (size_t i = 0; i < t->n_sequences; i++)
        if (!pf_samples_settle(t, &t->sequences[i]))
            return false;
    if (t->heaps.n_heaps > 0 || t->samples.n_samples > 0)
        return pf_result(t);
    return systrace_has_records(t->system) ? systrace_result(t->system, NULL, 0) : refuse(t);
}

static bool read_trace(struct reading *r)
{
    struct perfetto *t = arena_alloc(builder_arena(r->builder), sizeof(*t));

    if (t == NULL)
        return builder_failed(r->builder, r->diag);
    begin(t, r);
    t->system = systrace_new(r->builder, r->limits);
    return (t->system != NULL && read_packets(t, r->source) && read_parts(t, r) && read_names(t, r) &&
            end_trace(t)) ||
           failed(t);
}

const struct format FORMAT_PERFETTO = {
    .name = "perfetto",
    .label = "Perfetto trace",
    .written_by =
        "Perfetto: system traces (atrace, track events, scheduler), heap profiles of heapprofd, CPU samples",
    .detect = detect,
    .is_beside = is_beside,
    .is_in_parts = true,
    .read = read_trace,
};
