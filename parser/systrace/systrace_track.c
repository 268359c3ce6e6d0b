/* Track events: sections that a program wrote by Perfetto's own library, or that was made of another trace
 * (protos/perfetto/trace/track_event/track_event.proto). A track is described by a packet of its own, which may stand before or
 * behind its events. */
#include "parser/systrace/systrace_impl.h"

enum { RANK_TRACK = 1, NS_PER_US = 1000 };

/* ---- tracks ---- */

static uint64_t track_key(const struct systrace *s, uint64_t uuid)
{
    const uint64_t parts[] = {uuid, s->part};

    return hash_bytes(s->seed, parts, sizeof(parts));
}

uint32_t sy_descriptor(struct systrace *s, uint64_t uuid)
{
    uint64_t key = track_key(s, uuid);
    uint32_t at = idmap_get(&s->descriptor_ids, key);

    if (at != IDMAP_NONE)
        return at;
    at = (uint32_t)s->n_descriptors;
    if (!ARENA_ROOM(s->arena, s->descriptors, s->descriptors_capacity, s->n_descriptors + 1) ||
        !idmap_set(&s->descriptor_ids, key, at))
        return SY_NONE;
    s->descriptors[at] = (struct sy_descriptor){
        .uuid = key,
        .part = s->part,
        .name = uuid == 0 ? builder_string(s->builder, STR("Default Track")) : STRING_EMPTY,
        .event_name = STRING_EMPTY,
        .parent = UINT64_MAX,
        .unit = STRING_EMPTY,
        .multiplier = 1,
        .thread = SY_NONE,
        .process = SY_NONE};
    s->n_descriptors++;
    return at;
}

static uint32_t parent_of(const struct systrace *s, uint32_t at)
{
    uint64_t parent = s->descriptors[at].parent;

    return parent == 0 || parent == UINT64_MAX ? SY_NONE : (uint32_t)(parent - 1);
}

/* Whether an id that has a track, and now another one of the same file, was used again. */
static bool is_reused(uint64_t uuid, uint32_t part, const struct sy_descriptor *d)
{
    return uuid != 0 && uuid != d->uuid && part == d->part;
}

static bool resolve_thread(struct systrace *s, struct sy_descriptor *d)
{
    uint32_t thread = sy_thread_of(s, d->tid, d->pid);

    if (thread == SY_NONE)
        return false;
    if (!d->apart && is_reused(s->threads[thread].uuid, s->threads[thread].part, d)) {
        thread = sy_new_thread(s, d->tid);
        if (thread == SY_NONE || sy_thread_of(s, d->tid, d->pid) == SY_NONE)
            return false;
    }
    if (!d->apart) {
        s->threads[thread].uuid = d->uuid;
        s->threads[thread].part = d->part;
    }
    d->thread = thread;
    d->process = sy_process_of(s, thread);
    d->own = true;
    return true;
}

static bool resolve_process(struct systrace *s, struct sy_descriptor *d)
{
    uint32_t process = sy_process(s, d->pid);

    if (process != SY_NONE && is_reused(s->processes[process].uuid, s->processes[process].part, d))
        process = sy_new_process(s, d->pid);
    if (process == SY_NONE)
        return false;
    s->processes[process].uuid = d->uuid;
    s->processes[process].part = d->part;
    d->process = process;
    d->own = true;
    return true;
}

/* One track, whose parent is resolved; SY_NONE: it has none. */
static bool resolve_one(struct systrace *s, uint32_t at, uint32_t parent)
{
    struct sy_descriptor *d = &s->descriptors[at];

    d->resolved = true;
    if (parent != SY_NONE && s->descriptors[parent].failed) {
        d->failed = true;
        return true;
    }
    if (d->has_thread)
        return resolve_thread(s, d);
    if (d->has_process)
        return resolve_process(s, d);
    if (parent != SY_NONE) {
        d->thread = s->descriptors[parent].thread;
        d->process = s->descriptors[parent].process;
    }
    return true;
}

/* Parents first. A chain of parents that does not end is no track. */
bool sy_resolve(struct systrace *s, uint32_t descriptor)
{
    enum { PARENTS_MAX = 100 };
    uint32_t chain[PARENTS_MAX];
    unsigned n = 0;

    for (uint32_t at = descriptor; at != SY_NONE && !s->descriptors[at].resolved; n++) {
        if (n == PARENTS_MAX) {
            s->descriptors[descriptor].resolved = s->descriptors[descriptor].failed = true;
            sy_lost(s, SY_LOST_TRACKS, 1);
            return true;
        }
        chain[n] = at;
        at = parent_of(s, at);
    }
    while (n-- > 0) {
        if (!resolve_one(s, chain[n], parent_of(s, chain[n])))
            return false;
    }
    return true;
}

/* ---- descriptors ---- */

/* A thread that events of the sequence without a track are of. */
bool sy_thread_descriptor(struct systrace *s, const struct systrace_packet *p, struct str message,
                          uint64_t time)
{
    struct sy_sequence *q = &s->sequences[p->sequence];
    struct protobuf_field f[7];

    protobuf_fields(message, f, 7); /* {pid = 1, tid = 2, thread_name = 5, reference_timestamp_us = 6} */
    q->pid = (uint32_t)f[1].value;
    q->tid = (uint32_t)f[2].value;
    q->reference_ns = (int64_t)(f[6].value * NS_PER_US);
    q->has_reference = true;
    if (p->field == 60)
        return true;
    struct sy_record r = {.time = time,
                          .kind = SY_THREAD,
                          .thread = q->tid,
                          .a = q->pid,
                          .b = sy_string(s, f[5].bytes),
                          .state = 4};
    return r.b != STRING_NONE && sy_add(s, &r);
}

/* CounterDescriptor {type = 1, unit = 3, unit_multiplier = 4, is_incremental = 5, unit_name = 6}. Those of a type are clocks
 * of a thread. */
static bool describe_counter(struct systrace *s, struct sy_descriptor *d, struct str message)
{
    enum { UNIT_NAMES = 4 };
    static const char *const UNITS[UNIT_NAMES] = {"", "ns", "", "bytes"};
    struct protobuf_field f[7];

    protobuf_fields(message, f, 7);
    d->is_counter = f[1].value == 0;
    d->is_incremental = f[5].value != 0;
    if (f[4].number != 0)
        d->multiplier = (int64_t)f[4].value;
    d->unit = f[6].bytes.n > 0 ? sy_string(s, f[6].bytes)
                               : sy_string(s, str_of(UNITS[f[3].value < UNIT_NAMES ? f[3].value : 0]));
    return d->unit != STRING_NONE;
}

/* TrackDescriptor {uuid = 1, name = 2, process = 3, thread = 4, parent_uuid = 5, counter = 8,
 * disallow_merging_with_system_tracks = 9, static_name = 10, atrace_name = 13, sibling_merge_behavior = 15, state = 18}.
 * The first one of a track counts. */
bool sy_track_descriptor(struct systrace *s, const struct systrace_packet *p, uint64_t time)
{
    enum { UNMERGED = 2, FIELDS = 19 };
    struct protobuf_field f[FIELDS], thread[6], process[7];
    struct sy_record r = {.time = time, .kind = SY_DESCRIPTOR};
    struct sy_extra e = {.name = STRING_EMPTY};

    protobuf_fields(p->data, f, FIELDS);
    protobuf_fields(f[4].bytes, thread, 6);
    protobuf_fields(f[3].bytes, process, 7);
    if (f[1].number == 0 || (f[4].number != 0 && (thread[1].number == 0 || thread[2].number == 0)) ||
        (f[4].number == 0 && f[3].number != 0 && process[1].number == 0) ||
        (f[1].value == 0 && f[5].value != 0))
        return true;
    if (f[4].number != 0 && p->valid && p->has_sequence && !sy_thread_descriptor(s, p, f[4].bytes, time))
        return false;
    uint32_t parent = f[5].value != 0 ? sy_descriptor(s, f[5].value) : SY_NONE,
             at = sy_descriptor(s, f[1].value);
    if (at == SY_NONE || (f[5].value != 0 && parent == SY_NONE))
        return false;
    struct sy_descriptor *d = &s->descriptors[at];
    struct str name = f[2].bytes.n > 0 ? f[2].bytes : f[10].bytes.n > 0 ? f[10].bytes : f[13].bytes;
    if (!d->has_thread && !d->has_process && d->parent == UINT64_MAX) {
        d->parent = parent == SY_NONE ? 0 : (uint64_t)parent + 1;
        d->has_thread = f[4].number != 0;
        d->has_process = !d->has_thread && f[3].number != 0;
        d->tid = (uint32_t)thread[2].value;
        d->pid = (uint32_t)(d->has_thread ? thread[1].value : process[1].value);
        d->apart = f[9].value != 0;
        d->unmerged = f[15].value == UNMERGED || f[8].number != 0 || f[18].number != 0;
        if (f[8].number != 0 && !describe_counter(s, d, f[8].bytes))
            return false;
    }
    if (name.n > 0 && (d->name == STRING_EMPTY || f[15].value == UNMERGED))
        d->name = sy_standard_name(s, name);
    e.name = f[4].number != 0 ? sy_string(s, thread[5].bytes) : sy_string(s, process[6].bytes);
    r.a = at;
    return d->name != STRING_NONE && e.name != STRING_NONE && sy_add_extra(s, &r, &e);
}

/* ---- events ---- */

/* TrackEvent. */
enum {
    EVENT_DELTA_US = 1,
    EVENT_LEGACY = 6,
    EVENT_TYPE = 9,
    EVENT_NAME_ID = 10,
    EVENT_TRACK = 11,
    EVENT_ABSOLUTE_US = 16,
    EVENT_NAME = 23,
    EVENT_FIELDS = 24
};

/* LegacyEvent. */
enum {
    LEGACY_NAME_ID = 1,
    LEGACY_PHASE = 2,
    LEGACY_DURATION_US = 3,
    LEGACY_UNSCOPED_ID = 6,
    LEGACY_SCOPE = 7,
    LEGACY_LOCAL_ID = 10,
    LEGACY_GLOBAL_ID = 11,
    LEGACY_INSTANT = 14,
    LEGACY_PID = 18,
    LEGACY_TID = 19,
    LEGACY_FIELDS = 20
};

enum { TYPE_BEGIN = 1, TYPE_END = 2, TYPE_INSTANT = 3, TYPE_COUNTER = 4 };

static string_id unknown_name(struct systrace *s, uint64_t id)
{
    struct buf b = {0};

    buf_z(&b, "[unknown #");
    buf_u64(&b, id);
    buf_char(&b, ']');
    return builder_string_of(s->builder, &b);
}

/* STRING_EMPTY: it has none. */
static string_id name_of(struct systrace *s, const struct sy_sequence *q, uint64_t id, struct str text)
{
    uint32_t known = id != 0 ? idmap_get(&q->names, id) : IDMAP_NONE;

    if (id == 0)
        return text.n > 0 ? sy_event_name(s, text) : STRING_EMPTY;
    return known != IDMAP_NONE ? known : unknown_name(s, id);
}

/* All categories as one word: what ends must fit. */
static string_id category_of(struct systrace *s, const struct sy_sequence *q, struct str message)
{
    struct protobuf m = protobuf_of_bytes(message);
    struct protobuf_field f;
    struct buf b = {0};
    uint64_t id;

    while (protobuf_next(&m, &f)) {
        if (f.number == 22 && f.wire == PROTOBUF_BYTES && b.n <= s->limits->name_bytes) {
            buf_z(&b, b.n > 0 ? "," : "");
            buf_str(&b, f.bytes);
        }
        if (f.number != 3)
            continue;
        for (struct protobuf list = protobuf_list(&f);
             b.n <= s->limits->name_bytes && protobuf_list_next(&f, &list, &id);) {
            uint32_t known = idmap_get(&q->categories, id);
            buf_z(&b, b.n > 0 ? "," : "");
            if (known != IDMAP_NONE)
                buf_str(&b, builder_text_of(s->builder, known));
            else
                buf_u64(&b, id);
        }
    }
    string_id category = b.failed ? STRING_NONE : b.n == 0 ? STRING_EMPTY : sy_string(s, buf_view(&b));
    buf_free(&b);
    return category;
}

/* The time of an event: from the last one of its sequence on, or by its own, or its packet's. False: it has none. */
static bool time_of(struct systrace *s, const struct systrace_packet *p, const struct protobuf_field *f,
                    uint64_t *time)
{
    struct sy_sequence *q = &s->sequences[p->sequence];
    int64_t ns;

    if (f[EVENT_DELTA_US].number != 0) {
        if (!q->has_reference)
            return false;
        ns = q->reference_ns = (int64_t)((uint64_t)q->reference_ns + f[EVENT_DELTA_US].value * NS_PER_US);
    } else if (f[EVENT_ABSOLUTE_US].value != 0) {
        ns = (int64_t)(f[EVENT_ABSOLUTE_US].value * NS_PER_US);
    } else {
        return p->has_time;
    }
    if (ns < 0)
        return false;
    if (!sy_time(s, p->sequence, SY_CLOCK_MONOTONIC, (uint64_t)ns, time))
        *time = (uint64_t)ns;
    return true;
}

static char phase_of(const struct protobuf_field *f, const struct protobuf_field *legacy)
{
    if (legacy[LEGACY_PHASE].number != 0)
        return (char)legacy[LEGACY_PHASE].value;
    switch (f[EVENT_TYPE].value) {
    case TYPE_BEGIN:
        return 'B';
    case TYPE_END:
        return 'E';
    case TYPE_INSTANT:
        return 'i';
    default:
        return '\0';
    }
}

/* Legacy events that are asynchronous have an id, in a scope. */
static bool put_async(struct systrace *s, struct sy_extra *e, const struct protobuf_field *legacy)
{
    const struct protobuf_field *id = legacy[LEGACY_UNSCOPED_ID].number != 0 ? &legacy[LEGACY_UNSCOPED_ID]
                                      : legacy[LEGACY_GLOBAL_ID].number != 0 ? &legacy[LEGACY_GLOBAL_ID]
                                                                             : &legacy[LEGACY_LOCAL_ID];
    struct str scope = legacy[LEGACY_SCOPE].bytes;
    bool old = e->phase == 'S' || e->phase == 'T' || e->phase == 'p' || e->phase == 'F';
    const uint64_t parts[] = {hash_bytes(s->seed, scope.p != NULL ? scope.p : "", scope.n),
                              old && scope.n == 0 ? e->name : e->category};

    e->local = id == &legacy[LEGACY_LOCAL_ID];
    e->id = id->value;
    e->value = hash_bytes(s->seed, parts, sizeof(parts));
    return id->number != 0;
}

/* On which track; false: on none. */
static bool put_place(struct systrace *s, const struct systrace_packet *p, struct sy_extra *e,
                      const struct protobuf_field *f, const struct protobuf_field *legacy, bool *ok)
{
    const struct sy_sequence *q = &s->sequences[p->sequence];
    bool named = f[EVENT_TRACK].number != 0;
    uint64_t uuid = named ? f[EVENT_TRACK].value : q->has_default_track ? q->default_track : 0;
    bool of_thread = uuid == 0 && (((!named || f[EVENT_TYPE].number == 0) && q->tid != 0) ||
                                   legacy[LEGACY_PID].number != 0 || legacy[LEGACY_TID].number != 0);

    *ok = true;
    e->descriptor = SY_NONE;
    if (!of_thread) {
        e->descriptor = sy_descriptor(s, uuid);
        *ok = e->descriptor != SY_NONE;
        return *ok;
    }
    e->pid = legacy[LEGACY_PID].number != 0 ? (uint32_t)legacy[LEGACY_PID].value : q->pid;
    e->tid = legacy[LEGACY_TID].number != 0 ? (uint32_t)legacy[LEGACY_TID].value : q->tid;
    return e->pid != 0 && e->tid != 0;
}

/* {counter_value = 30, double_counter_value = 44}. */
static bool add_count(struct systrace *s, const struct systrace_packet *p, uint64_t uuid, uint64_t time)
{
    enum { FIELDS = 45 };
    struct protobuf_field f[FIELDS];
    const struct sy_sequence *q = &s->sequences[p->sequence];
    uint32_t at = sy_descriptor(s, uuid != 0 ? uuid : q->has_default_track ? q->default_track : 0);
    double fraction;

    protobuf_fields(p->data, f, FIELDS);
    if (at == SY_NONE || f[44].number == 0)
        return at != SY_NONE && sy_count_track(s, at, time, (int64_t)f[30].value);
    memcpy(&fraction, &f[44].value, sizeof(fraction));
    return sy_count_fraction(s, at, time, fraction);
}

bool sy_track_event(struct systrace *s, const struct systrace_packet *p, uint64_t time)
{
    struct sy_sequence *q = &s->sequences[p->sequence];
    struct protobuf_field f[EVENT_FIELDS], legacy[LEGACY_FIELDS];
    struct sy_record r = {.kind = SY_TRACK, .rank = RANK_TRACK, .time = time};
    struct sy_extra e = {.descriptor = SY_NONE};
    bool ok;

    protobuf_fields(p->data, f, EVENT_FIELDS);
    protobuf_fields(f[EVENT_LEGACY].bytes, legacy, LEGACY_FIELDS);
    e.phase = phase_of(f, legacy);
    if (!p->has_sequence || !time_of(s, p, f, &r.time) || r.time > INT64_MAX) {
        sy_lost(s, SY_LOST_EVENTS, 1);
        return true;
    }
    if (f[EVENT_TYPE].value == TYPE_COUNTER && e.phase == '\0')
        return add_count(s, p, f[EVENT_TRACK].value, r.time);
    if (e.phase == '\0' || strchr("BEXiIRbenSTpF", e.phase) == NULL)
        return true; /* a flow, or what describes */
    uint64_t id = f[EVENT_NAME_ID].value != 0 ? f[EVENT_NAME_ID].value : legacy[LEGACY_NAME_ID].value;
    e.name = name_of(s, q, id, f[EVENT_NAME].bytes);
    e.category = category_of(s, q, p->data);
    if (e.name == STRING_NONE || e.category == STRING_NONE)
        return false;
    if (strchr("BEXiIR", e.phase) == NULL && !put_async(s, &e, legacy))
        return true;
    if (!put_place(s, p, &e, f, legacy, &ok))
        return ok;
    if (e.phase == 'X') {
        if (legacy[LEGACY_DURATION_US].value > INT32_MAX * UINT64_C(1000))
            return true;
        e.duration = legacy[LEGACY_DURATION_US].value * NS_PER_US;
    }
    s->has_sections = true;
    return sy_notes_read(s, q, p->data, &e) && sy_add_extra(s, &r, &e);
}
