/* One packet. Its fields are read once; what they mean together comes behind that, in this order (as the producers' rules
 * want it, protos/perfetto/trace/trace_packet.proto):
 *
 *   1. The interned data is cleared: it starts anew, and is valid. Else, packets were lost: it is not valid until then.
 *   2. Defaults and interned data are added, if it is valid.
 *   3. A packet that needs it is left out if it is not valid. */

#include "parser/perfetto/perfetto_impl.h"

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

uint64_t pf_boot_ns(const struct perfetto *t, uint32_t clock, uint64_t timestamp)
{
    return clock < PF_CLOCKS ? timestamp + (uint64_t)t->to_boot_ns[clock] : timestamp;
}

/* ---- clocks ---- */

/* Readings of several clocks at one time. Those of numbers from 64 on are counted by sequences of their own, and unused. */
static void read_clocks(struct perfetto *t, struct str message)
{
    struct protobuf m = protobuf_of_bytes(message);
    struct protobuf_field f;
    uint64_t reading[PF_CLOCKS];
    bool has[PF_CLOCKS] = {false};

    while (protobuf_next(&m, &f)) {
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
    const uint64_t parts[] = {p->machine, p->sequence};
    uint64_t key = pf_key(t, parts, 2);
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
        s->default_clock = 0;
        s->valid = true;
    } else if (p->dropped && p->sequence != 0) {
        s->valid = false;
        pf_warn(t, WARN_LOST_PACKETS, 1);
    }
    if (p->defaults.p != NULL)
        read_defaults(s, p->defaults);
    return p->interned.p == NULL || !s->valid || pf_interned_add(t, &s->interned, p->interned);
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
        break;
    case 10:
        p->sequence = f->value;
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
        return p->interned.p != NULL || p->defaults.p != NULL || p->cleared || p->dropped ||
               (p->flags & FLAG_CLEARED) != 0;
    }
}

static bool unpacked(struct perfetto *t, struct str packets)
{
    struct protobuf m = protobuf_of_bytes(packets);
    struct protobuf_field f;

    while (protobuf_next(&m, &f))
        if (f.number == 1 && f.wire == PROTOBUF_BYTES && !pf_packet(t, f.bytes, true))
            return false;
    return true;
}

static bool take_packed(struct perfetto *t, const struct pf_packet *p, bool nested)
{
    struct str packets;

    /* Packets within packets within packets are never written; what unpacks to itself would never end. */
    if (nested) {
        pf_warn(t, WARN_PACKED_PACKET, 1);
        return true;
    }
    bool ok = p->deflate.p != NULL ? pf_unpack_deflate(t, p->deflate, &packets)
                                   : pf_unpack_zstd(t, p->zstd, &packets);
    return ok && unpacked(t, packets);
}

/* Of a file beside the trace: what is no name there is of another recording. */
static bool take_names(struct perfetto *t, const struct pf_packet *p)
{
    if (p->data_field == PF_FIELD_SYMBOLS)
        return pf_module_symbols(t, p->data);
    return p->data_field != PF_FIELD_DEOBFUSCATION || pf_deobfuscation(t, p->data);
}

bool pf_packet(struct perfetto *t, struct str bytes, bool nested)
{
    struct protobuf m = protobuf_of_bytes(bytes);
    struct protobuf_field f;
    struct pf_packet p = {0};

    while (protobuf_next(&m, &f))
        if (f.wire == PROTOBUF_BYTES)
            take_bytes(&p, &f);
        else if (f.wire == PROTOBUF_VARINT)
            take_number(&p, &f);
    if (m.state != PROTOBUF_GOOD) {
        pf_warn(t, WARN_BAD_PACKET, 1);
        return true;
    }
    if (p.deflate.p != NULL || p.zstd.p != NULL)
        return take_packed(t, &p, nested);
    if (t->beside)
        return take_names(t, &p);
    t->packets++;
    t->held[p.data_field < PF_HELD_FIELDS ? p.data_field : 0]++;
    if (p.clocks.p != NULL)
        read_clocks(t, p.clocks);
    if ((p.process_tree.p != NULL && !pf_process_tree(t, p.process_tree)) ||
        (p.track.p != NULL && !pf_track_descriptor(t, p.track)) ||
        (p.packages.p != NULL && !pf_packages_list(t, p.packages)))
        return false;
    if (!is_ours(&p))
        return true;
    struct pf_sequence *s = sequence_of(t, &p);
    if (s == NULL || !keep_state(t, s, &p))
        return false;
    if (p.clock == 0)
        p.clock = s->default_clock != 0 ? s->default_clock : CLOCK_BOOT;
    if (p.data_field == FIELD_THREAD)
        read_thread(s, p.data);
    if ((p.flags & FLAG_NEEDS_STATE) != 0 && !s->valid) {
        pf_warn(t, WARN_NO_STATE, 1);
        return true;
    }
    return take_data(t, s, &p);
}
