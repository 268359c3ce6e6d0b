#include "parser/systrace/systrace.h"

#include "core/number.h"
#include "parser/systrace/systrace_impl.h"

/* Fields of TracePacket. */
enum {
    FIELD_FTRACE = 1,
    FIELD_PROCESS_TREE = 2,
    FIELD_PROCESS_STATS = 9,
    FIELD_TRACK_EVENT = 11,
    FIELD_FTRACE_STATS = 34,
    FIELD_TRACE_STATS = 35,
    FIELD_BATTERY = 38,
    FIELD_THREAD_DESCRIPTOR = 44,
    FIELD_SYSTEM_INFO = 45,
    FIELD_PACKAGES = 47,
    FIELD_TRACK_DESCRIPTOR = 60,
    FIELD_SERVICE_EVENT = 69,
    FIELD_FRAME_TIMELINE = 76,
    FIELD_UI_STATE = 78
};

/* ---- sequences ---- */

static struct sy_sequence *sequence_of(struct systrace *s, uint32_t number)
{
    if (!ARENA_ROOM(s->arena, s->sequences, s->sequences_capacity, (size_t)number + 1))
        return NULL;
    for (; s->n_sequences <= number; s->n_sequences++) {
        struct sy_sequence *q = &s->sequences[s->n_sequences];
        *q = (struct sy_sequence){0};
        idmap_init(&q->names, s->arena, s->seed);
        idmap_init(&q->categories, s->arena, s->seed);
        idmap_init(&q->annotation_names, s->arena, s->seed);
        idmap_init(&q->annotation_texts, s->arena, s->seed);
    }
    return &s->sequences[number];
}

/* A map that is emptied keeps its memory, unless it is large: then to empty it often would cost too much. */
static void empty(struct systrace *s, struct idmap *m)
{
    if (m->count > 0)
        arena_release(s->arena, m->slots, m->capacity, sizeof(*m->slots));
    if (m->count > 0)
        idmap_init(m, s->arena, s->seed);
}

void systrace_cleared(struct systrace *s, uint32_t sequence)
{
    struct sy_sequence *q = sequence < s->n_sequences ? &s->sequences[sequence] : NULL;

    if (q == NULL)
        return;
    empty(s, &q->names);
    empty(s, &q->categories);
    empty(s, &q->annotation_names);
    empty(s, &q->annotation_texts);
    q->default_clock = 0;
    q->has_default_track = false;
    q->has_reference = false;
}

/* {timestamp_clock_id = 58, track_event_defaults = 11 {track_uuid = 11}} */
bool systrace_defaults(struct systrace *s, uint32_t sequence, struct str defaults)
{
    struct sy_sequence *q = sequence_of(s, sequence);
    struct protobuf m = protobuf_of_bytes(defaults);
    struct protobuf_field f, track[12];

    if (q == NULL)
        return false;
    q->default_clock = 0;
    q->has_default_track = false;
    while (protobuf_next(&m, &f)) {
        if (f.number == 58)
            q->default_clock = (uint32_t)f.value;
        if (f.number != 11 || f.wire != PROTOBUF_BYTES)
            continue;
        protobuf_fields(f.bytes, track, 12);
        q->has_default_track = track[11].number != 0;
        q->default_track = track[11].value;
    }
    return true;
}

/* {event_categories = 1, event_names = 2, and what annotations have}, each {iid = 1, text = 2}. The first text of an id counts. */
bool systrace_interned(struct systrace *s, uint32_t sequence, struct str data)
{
    struct sy_sequence *q = sequence_of(s, sequence);
    struct protobuf m = protobuf_of_bytes(data);
    struct protobuf_field f, entry[3];

    if (q == NULL)
        return false;
    while (protobuf_next(&m, &f)) {
        if (f.wire == PROTOBUF_BYTES && (f.number == 3 || f.number == 29) && !sy_notes_interned(s, q, &f))
            return false;
        if (f.wire != PROTOBUF_BYTES || f.number > 2)
            continue;
        struct idmap *map = f.number == 2 ? &q->names : &q->categories;
        protobuf_fields(f.bytes, entry, 3);
        if (idmap_get(map, entry[1].value) != IDMAP_NONE)
            continue;
        string_id text = f.number == 2 ? sy_event_name(s, entry[2].bytes) : sy_string(s, entry[2].bytes);
        if (text == STRING_NONE || !idmap_set(map, entry[1].value, text))
            return false;
    }
    return true;
}

/* ---- packets that are not events ---- */

/* The name of a kworker ends where its present work is told. */
static struct str kworker(struct str name)
{
    if (!str_starts(name, STR("kworker/")))
        return name;
    for (size_t i = 0; i < name.n; i++)
        if (name.p[i] == '-' || name.p[i] == '+')
            name.n = i;
    return name;
}

enum { KTHREADD = 2, UIDS_OF_A_USER = 100000 };

/* Process {pid = 1, ppid = 2, cmdline = 3, uid = 5}. */
static bool read_process(struct systrace *s, struct str message, uint64_t time)
{
    struct protobuf m = protobuf_of_bytes(message);
    struct protobuf_field f;
    struct str name = STR("");
    uint64_t pid = 0, parent = 0, uid = UINT64_MAX;
    unsigned arguments = 0;

    while (protobuf_next(&m, &f))
        if (f.number == 1)
            pid = f.value;
        else if (f.number == 2)
            parent = f.value;
        else if (f.number == 3 && f.wire == PROTOBUF_BYTES && arguments++ == 0)
            name = f.bytes;
        else if (f.number == 5)
            uid = f.value % UIDS_OF_A_USER;
    if (arguments == 0)
        return true;
    if (parent == KTHREADD)
        name = kworker(name);
    for (size_t i = 0; arguments == 1 && i < name.n; i++)
        if (name.p[i] == ' ')
            name.n = i;
    struct sy_extra e = {.id = uid + 1, .value = parent, .name = sy_string(s, name)};
    struct sy_record r = {.time = time, .kind = SY_PROCESS, .a = (uint32_t)pid};
    return e.name != STRING_NONE && sy_add_extra(s, &r, &e);
}

/* ProcessTree {processes = 1, threads = 2 {tid = 1, name = 2, tgid = 3}}. */
static bool read_tree(struct systrace *s, struct str message, uint64_t time)
{
    enum { RANK = 2 };
    struct protobuf m = protobuf_of_bytes(message);
    struct protobuf_field f, t[4];

    while (protobuf_next(&m, &f)) {
        if (f.wire != PROTOBUF_BYTES)
            continue;
        if (f.number == 1 && !read_process(s, f.bytes, time))
            return false;
        if (f.number != 2)
            continue;
        protobuf_fields(f.bytes, t, 4);
        struct sy_record r = {.time = time,
                              .kind = SY_THREAD,
                              .thread = (uint32_t)t[1].value,
                              .a = (uint32_t)t[3].value,
                              .b = sy_string(s, kworker(t[2].bytes)),
                              .state = RANK};
        if (r.b == STRING_NONE || !sy_add(s, &r))
            return false;
    }
    return true;
}

/* PackagesList {packages = 1 {name = 1, uid = 2}}. */
static bool read_packages(struct systrace *s, struct str message, uint64_t time)
{
    struct protobuf m = protobuf_of_bytes(message);
    struct protobuf_field f, p[3];

    while (protobuf_next(&m, &f)) {
        if (f.number != 1 || f.wire != PROTOBUF_BYTES)
            continue;
        protobuf_fields(f.bytes, p, 3);
        struct sy_record r = {.time = time,
                              .kind = SY_PACKAGE,
                              .a = (uint32_t)(p[2].value % UIDS_OF_A_USER),
                              .b = sy_string(s, p[1].bytes)};
        if (r.b == STRING_NONE || !sy_add(s, &r))
            return false;
    }
    return true;
}

/* UiState {highlight_process = 3 {pid = 1, cmdline = 2}}: AndroidX benchmark names the app here. */
static bool read_ui_state(struct systrace *s, struct str message)
{
    struct protobuf_field f[4], process[3];

    protobuf_fields(message, f, 4);
    protobuf_fields(f[3].bytes, process, 3);
    s->highlighted_pid = (uint32_t)process[1].value;
    s->highlighted = process[2].bytes.n > 0 ? sy_string(s, process[2].bytes) : STRING_EMPTY;
    return s->highlighted != STRING_NONE;
}

/* SystemInfo {utsname = 1 {release = 3}, android_build_fingerprint = 2}: "5.10.107-android13-..". */
static bool read_system(struct systrace *s, struct str message)
{
    struct protobuf_field f[3], name[4];
    struct str release;
    uint32_t part[2] = {0, 0};
    size_t at = 0;

    protobuf_fields(message, f, 3);
    protobuf_fields(f[1].bytes, name, 4);
    release = name[3].bytes;
    for (unsigned i = 0; i < 2; i++, at++)
        for (; at < release.n && release.p[at] >= '0' && release.p[at] <= '9' && part[i] < 1000; at++)
            part[i] = part[i] * 10 + (uint32_t)(release.p[at] - '0');
    if (part[0] > 0)
        s->kernel = part[0] * 1000 + part[1];
    return (release.n == 0 || builder_fact(s->builder, STR("kernel"), release)) &&
           (f[2].bytes.n == 0 || builder_fact(s->builder, STR("build"), f[2].bytes));
}

/* TraceStats {buffer_stats = 1 {patches_failed = 6, abi_violations = 9, chunks_discarded = 18, trace_writer_packet_loss =
 * 19}, final_flush_outcome = 15}. Chunks that were overwritten are what a ring buffer is for. */
static void read_stats(struct systrace *s, struct str message)
{
    struct protobuf m = protobuf_of_bytes(message);
    struct protobuf_field f, b[20];

    while (protobuf_next(&m, &f)) {
        if (f.number == 15 && f.value == 2)
            sy_lost(s, SY_LOST_BUFFER, 1);
        if (f.number != 1 || f.wire != PROTOBUF_BYTES)
            continue;
        protobuf_fields(f.bytes, b, 20);
        uint64_t n = number_add(number_add(b[6].value, b[9].value), number_add(b[18].value, b[19].value));
        sy_lost(s, SY_LOST_BUFFER, n < INT32_MAX ? n : INT32_MAX);
    }
}

/* FtraceStats {phase = 1, cpu_stats = 2 {overrun = 3, dropped_events = 8}, preserve_ftrace_buffer = 8}. */
static void read_ftrace_stats(struct systrace *s, struct str message)
{
    struct protobuf m = protobuf_of_bytes(message);
    struct protobuf_field f, c[9];
    uint64_t phase = 0, lost = 0;

    while (protobuf_next(&m, &f)) {
        if (f.number == 1)
            phase = f.value;
        else if (f.number == 8)
            s->preserve = s->preserve || f.value != 0;
        if (f.number != 2 || f.wire != PROTOBUF_BYTES)
            continue;
        protobuf_fields(f.bytes, c, 9);
        lost += c[3].value > 0 || c[8].value > 0 ? 1 : 0;
    }
    if (phase == 2)
        sy_lost(s, SY_LOST_CPU, lost);
}

/* TracingServiceEvent {tracing_started = 2}. */
static void read_service_event(struct systrace *s, const struct systrace_packet *p)
{
    struct protobuf_field f[3];
    uint64_t time;

    protobuf_fields(p->data, f, 3);
    if (f[2].value != 0 &&
        sy_time(s, p->sequence, p->clock != 0 ? p->clock : SY_CLOCK_BOOT, p->timestamp, &time))
        s->started = time;
}

bool systrace_packet(struct systrace *s, const struct systrace_packet *p)
{
    struct sy_sequence *q = sequence_of(s, p->sequence);
    uint64_t time = s->latest;

    if (q == NULL)
        return false;
    s->offset = p->offset;
    uint32_t clock = p->clock != 0 ? p->clock : q->default_clock;
    switch (p->field) {
    case FIELD_FTRACE:
        return sy_bundle(s, p->sequence, p->data);
    case FIELD_TRACE_STATS:
        read_stats(s, p->data);
        return true;
    case FIELD_FTRACE_STATS:
        read_ftrace_stats(s, p->data);
        return true;
    case FIELD_SERVICE_EVENT:
        read_service_event(s, p);
        return true;
    case FIELD_SYSTEM_INFO:
        return read_system(s, p->data);
    case FIELD_UI_STATE:
        return read_ui_state(s, p->data);
    default:
        break;
    }
    if (p->has_time && !sy_time(s, p->sequence, clock, p->timestamp, &time))
        return true;
    switch (p->field) {
    case FIELD_TRACK_EVENT:
        return sy_track_event(s, p, time);
    case FIELD_TRACK_DESCRIPTOR:
        return sy_track_descriptor(s, p, time);
    case FIELD_THREAD_DESCRIPTOR:
        return !p->valid || sy_thread_descriptor(s, p, p->data, time);
    case FIELD_PROCESS_TREE:
        return read_tree(s, p->data, time);
    case FIELD_PROCESS_STATS:
        return sy_count_processes(s, p->data, time);
    case FIELD_FRAME_TIMELINE:
        return sy_frame_event(s, p->data, time);
    case FIELD_BATTERY:
        return sy_count_battery(s, p->data, time);
    case FIELD_PACKAGES:
        return read_packages(s, p->data, time);
    default:
        return true;
    }
}

bool systrace_has_records(const struct systrace *s)
{
    return s->has_sched || s->has_sections;
}
