/* Perfetto traces. A file is a protocol buffer message of one repeated field:
 *
 *   field 1, length-delimited: a packet
 *
 * and no end: a file that is cut is used up to there. Other fields are passed over. Concatenated traces are a trace, which is how symbols
 * and deobfuscated names come behind one (perfetto.dev: "Native heap profiler"). They may also come in files of their own. */
#include <string.h>

#include "parser/perfetto/perfetto_impl.h"

enum {
    PACKET_FIELD = 1,
    PACKET_BYTES_MAX = 64 << 20, /* a larger one is passed over: no recorder writes such */
    FIELD_MAX = 10000            /* no packet has a field with a larger number */
};

/* ---- what is one ---- */

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

/* The first packet may be longer than what is looked at. A text that begins with an empty line would be one by chance. */
static enum detection detect(const uint8_t *p, size_t n, bool final)
{
    struct str head = {(const char *)p, n};

    if (n > 0 && p[0] != (PACKET_FIELD << 3 | PROTOBUF_BYTES))
        return DETECT_NO;
    if (n < DETECT_BYTES_MAX && !final)
        return DETECT_MORE;
    return has_control_bytes(head) && is_message(head, 1, is_packet) ? DETECT_YES : DETECT_NO;
}

/* Whether the first packet has symbols or deobfuscated names, as `traceconv symbolize` and `deobfuscate` write them. */
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

/* ---- what all share ---- */

bool pf_failed(struct perfetto *t)
{
    return t->diag->kind != DIAG_NONE ? false : builder_failed(t->builder, t->diag);
}

void pf_warn(struct perfetto *t, enum warning_code code, uint64_t count)
{
    if (count > 0)
        builder_warn(t->builder, code, count, t->offset);
}

string_id pf_string(struct perfetto *t, struct str s)
{
    if (s.n > t->limits->name_bytes) {
        pf_warn(t, WARN_NAME_CUT, 1);
        s.n = t->limits->name_bytes;
    }
    return builder_string(t->builder, s);
}

string_id pf_string_of(struct perfetto *t, struct buf *b)
{
    string_id id = b->failed ? STRING_NONE : pf_string(t, buf_view(b));

    if (b->failed)
        t->arena->failure = ARENA_NO_MEMORY;
    buf_free(b);
    return id;
}

string_id pf_hex(struct perfetto *t, struct str bytes)
{
    static const char DIGITS[] = "0123456789abcdef";
    char text[128];
    size_t n = bytes.n < sizeof(text) / 2 ? bytes.n : sizeof(text) / 2;

    for (size_t i = 0; i < n; i++) {
        text[2 * i] = DIGITS[(uint8_t)bytes.p[i] >> 4];
        text[2 * i + 1] = DIGITS[(uint8_t)bytes.p[i] & 0xf];
    }
    return pf_string(t, (struct str){text, 2 * n});
}

uint64_t pf_key(const struct perfetto *t, const uint64_t *numbers, size_t n)
{
    return hash_bytes(t->seed, numbers, n * sizeof(*numbers));
}

/* ---- as a format ---- */

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
        ok = f.number != PACKET_FIELD || f.wire != PROTOBUF_BYTES || pf_packet(t, f.bytes, false);
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
    return t->heaps.n_heaps == 0 && t->samples.n_samples == 0 ? pf_refuse(t) : pf_result(t);
}

static bool read_trace(struct reading *r)
{
    struct perfetto *t = arena_alloc(builder_arena(r->builder), sizeof(*t));

    if (t == NULL)
        return builder_failed(r->builder, r->diag);
    begin(t, r);
    return (read_packets(t, r->source) && read_names(t, r) && end_trace(t)) || pf_failed(t);
}

const struct format FORMAT_PERFETTO = {
    .name = "perfetto",
    .label = "Perfetto trace",
    .written_by = "Perfetto: heap profiles of heapprofd, CPU samples",
    .detect = detect,
    .is_beside = is_beside,
    .read = read_trace,
};
