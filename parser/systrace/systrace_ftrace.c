/* The kernel's events: FtraceEventBundle (protos/perfetto/trace/ftrace/ftrace_event_bundle.proto), one for each CPU and
 * piece of its buffer.
 *
 *   cpu = 1, event = 2 {timestamp = 1, pid = 2 (the thread that ran), common_flags = 5, and one message, by the kind of event},
 *   lost_events = 3, compact_sched = 4, ftrace_clock = 5, ftrace_timestamp = 6, boot_timestamp = 7,
 *   last_read_event_timestamp = 9, previous_bundle_end_timestamp = 10
 *
 * Most records are the scheduler's, and most of these come as columns (compact_sched). */
#include "core/number.h"
#include "parser/systrace/systrace_impl.h"

enum { RANK_CPU = 2 /* of records: packets and track events come before */ };

struct bundle {
    struct systrace *s;
    uint32_t sequence, cpu, clock;
    bool as_is; /* its clock is the trace's */
};

enum { TAG_EVENT = PROTOBUF_TAG(2, PROTOBUF_BYTES) /* of a bundle */ };

/* The time of a reading of the bundle's clock. False: it cannot be used. */
static inline bool time_of(const struct bundle *b, uint64_t ticks, uint64_t *time)
{
    *time = ticks;
    return b->as_is ? ticks <= INT64_MAX : sy_time(b->s, b->sequence, b->clock, ticks, time);
}

static struct sy_record record_of(const struct bundle *b, enum sy_kind kind, uint64_t time, uint32_t tid)
{
    return (struct sy_record){
        .time = time, .kind = (uint8_t)kind, .thread = tid, .rank = (uint16_t)(RANK_CPU + b->cpu)};
}

/* The name that a record gives a thread, if it is another one than the last record said. */
static bool add_comm(const struct bundle *b, uint64_t time, uint32_t tid, struct str name)
{
    struct systrace *s = b->s;
    struct sy_comm comm = {.n = (uint8_t)(name.n < sizeof(comm.text) ? name.n : sizeof(comm.text))};

    if (name.n == 0 || tid == 0)
        return true;
    uint32_t at = idmap_get(&s->comms, tid);
    if (at != IDMAP_NONE && s->comm_texts[at].n == comm.n &&
        str_same_bytes(s->comm_texts[at].text, name.p, comm.n))
        return true;
    memcpy(comm.text, name.p, comm.n);
    if (at == IDMAP_NONE) {
        at = (uint32_t)s->n_comms;
        if (!ARENA_ROOM(s->arena, s->comm_texts, s->comms_capacity, s->n_comms + 1) ||
            !idmap_set(&s->comms, tid, at))
            return false;
        s->n_comms++;
    }
    s->comm_texts[at] = comm;
    struct sy_record r = record_of(b, SY_COMM, time, 0);
    r.a = tid;
    r.b = sy_string(s, name);
    return r.b != STRING_NONE && sy_add(s, &r);
}

/* ---- the scheduler in columns ---- */

enum { COLUMNS = 13, COMM_NAMES_MAX = 1 << 16 };

/* CompactSched: switches {timestamp = 1 (each since the last), prev_state = 2, next_pid = 3, next_prio = 4,
 * next_comm_index = 6}, wakings {timestamp = 7, pid = 8, target_cpu = 9, prio = 10, comm_index = 11}, intern_table = 5. */
struct compact {
    struct protobuf column[COLUMNS];
    const struct str *names;
    size_t n_names;
};

static bool next_of(struct compact *c, unsigned column, uint64_t *value)
{
    struct protobuf *m = &c->column[column];

    if (m->p == m->end)
        return false;
    *value = protobuf_varint(m);
    return m->state == PROTOBUF_GOOD;
}

static bool add_switches(const struct bundle *b, struct compact *c)
{
    struct systrace *s = b->s;
    uint64_t ticks = 0, step, why, next, priority, comm, time;

    while (next_of(c, 1, &step) && next_of(c, 2, &why) && next_of(c, 3, &next) && next_of(c, 4, &priority) &&
           next_of(c, 6, &comm)) {
        ticks = number_add(ticks, step);
        if (comm >= c->n_names || !time_of(b, ticks, &time)) {
            sy_lost(s, SY_LOST_EVENTS, 1);
            break;
        }
        struct sy_record r = record_of(b, SY_COMPACT, time, 0);
        r.a = (uint32_t)next;
        r.b = (uint32_t)(why & 0xffff);
        sy_see_state(s, r.b);
        if (!sy_add(s, &r) || !add_comm(b, time, r.a, c->names[comm]))
            return false;
        s->has_sched = true;
    }
    return true;
}

static bool add_wakings(const struct bundle *b, struct compact *c)
{
    struct systrace *s = b->s;
    uint64_t ticks = 0, step, who, cpu, priority, comm, time;

    while (next_of(c, 7, &step) && next_of(c, 8, &who) && next_of(c, 9, &cpu) && next_of(c, 10, &priority) &&
           next_of(c, 11, &comm)) {
        ticks = number_add(ticks, step);
        if (comm >= c->n_names || !time_of(b, ticks, &time)) {
            sy_lost(s, SY_LOST_EVENTS, 1);
            break;
        }
        struct sy_record r = record_of(b, SY_WAKING_COMPACT, time, 0);
        r.a = (uint32_t)who;
        if (!sy_add(s, &r))
            return false;
    }
    return true;
}

static bool read_compact(const struct bundle *b, struct str message)
{
    struct systrace *s = b->s;
    struct protobuf m = protobuf_of_bytes(message);
    struct protobuf_field f;
    struct compact c = {.names = NULL};
    struct str *names = NULL;
    size_t capacity = 0;
    bool ok = true;

    while (ok && protobuf_next(&m, &f)) {
        if (f.wire != PROTOBUF_BYTES || f.number >= COLUMNS)
            continue;
        if (f.number != 5) {
            c.column[f.number] = protobuf_of_bytes(f.bytes);
        } else if (c.n_names < COMM_NAMES_MAX) {
            ok = ARENA_ROOM(s->arena, names, capacity, c.n_names + 1);
            if (ok)
                names[c.n_names++] = f.bytes;
        }
    }
    c.names = names;
    ok = ok && add_switches(b, &c) && add_wakings(b, &c);
    if (names != NULL)
        arena_release(s->arena, names, capacity, sizeof(*names));
    return ok;
}

/* ---- the text of atrace ---- */

struct mark {
    char phase; /* B E I S F G H N; C: a counter */
    uint32_t tgid;
    struct str name, track;
    uint64_t cookie; /* of a counter: its value */
};

/* The next field of the text, up to a `|`; empty behind the last one. */
static struct str field_of(struct str *rest)
{
    struct str field = STR("");

    (void)str_split(rest, '|', &field);
    return field;
}

static bool number_of(struct str s, bool is_signed, uint64_t *value)
{
    bool minus = is_signed && s.n > 0 && s.p[0] == '-';

    if (is_signed && s.n > 0 && (minus || s.p[0] == '+'))
        s.p++, s.n--;
    *value = 0;
    for (size_t i = 0; i < s.n; i++) {
        if (s.p[i] < '0' || s.p[i] > '9' || *value > (UINT64_MAX - 9) / 10)
            return false;
        *value = *value * 10 + (uint64_t)(s.p[i] - '0');
    }
    *value = minus ? 0 - *value : *value;
    return s.n > 0;
}

/* "B|123|..": the phase and the number of a process. False: they are written in another way than nearly always. */
static inline bool take_usual_head(struct str *text, char *phase, uint64_t *tgid)
{
    enum { DIGITS_MAX = 18 };

    if (text->n <= 2 || text->p[1] != '|')
        return false;
    const char *p = text->p + 2, *end = text->p + text->n;
    const char *last = text->p + (text->n < DIGITS_MAX ? text->n : DIGITS_MAX);
    for (*tgid = 0; p < last && is_digit(*p); p++)
        *tgid = *tgid * 10 + (uint64_t)(*p - '0');
    if (p == text->p + 2 || (p < end && *p != '|'))
        return false;
    *phase = text->p[0];
    *text = p == end ? STR("") : (struct str){p + 1, (size_t)(end - p - 1)};
    return true;
}

/* The phase, and the number of a process, if there is one. */
static bool take_head(struct str *text, char *phase, uint64_t *tgid)
{
    if (take_usual_head(text, phase, tgid))
        return true;
    struct str word = field_of(text);
    *phase = word.n > 0 ? word.p[0] : '\0';
    return number_of(field_of(text), false, tgid);
}

static struct str without_end(struct str text)
{
    while (text.n > 0 && (text.p[text.n - 1] == '\n' || text.p[text.n - 1] == '\0'))
        text.n--;
    return text;
}

/* False: it is none. src/trace_processor/importers/systrace/systrace_parser.h has the forms. */
static bool read_mark(struct str text, struct mark *m)
{
    uint64_t tgid = 0;

    *m = (struct mark){.name = STR(""), .track = STR("")};
    text = without_end(text);
    const char *end = text.n > 0 ? memchr(text.p, '\0', text.n) : NULL;
    text.n = end != NULL ? (size_t)(end - text.p) : text.n;
    bool has_tgid = take_head(&text, &m->phase, &tgid);
    m->tgid = (uint32_t)tgid;
    if (m->phase == 'E')
        return true;
    if (!has_tgid)
        return false;
    switch (m->phase) {
    case 'B':
        m->name = text.n > 0 ? text : STR("[empty slice name]");
        return true;
    case 'I':
        m->name = field_of(&text);
        return m->name.n > 0;
    case 'C':
    case 'S':
    case 'F':
        m->name = m->track = field_of(&text);
        return m->name.n > 0 && number_of(field_of(&text), true, &m->cookie);
    case 'N':
        m->track = field_of(&text);
        m->name = field_of(&text);
        return m->track.n > 0 && m->name.n > 0;
    case 'G':
        m->track = field_of(&text);
        m->name = field_of(&text);
        return m->track.n > 0 && m->name.n > 0 && number_of(field_of(&text), true, &m->cookie);
    case 'H': {
        m->track = field_of(&text);
        struct str first = field_of(&text), second = field_of(&text);
        return m->track.n > 0 && number_of(second.n > 0 ? second : first, true, &m->cookie);
    }
    default:
        return false;
    }
}

static bool add_begin(const struct bundle *b, uint64_t time, uint32_t tid, uint32_t tgid, struct str name)
{
    struct sy_record r = record_of(b, SY_BEGIN, time, tid);

    r.a = tgid;
    r.b = sy_standard_name(b->s, name);
    b->s->has_sections = true;
    return r.b != STRING_NONE && sy_add(b->s, &r);
}

static bool add_end(const struct bundle *b, uint64_t time, uint32_t tid, uint32_t tgid)
{
    struct sy_record r = record_of(b, SY_END, time, tid);

    r.a = tgid;
    return sy_add(b->s, &r);
}

static bool add_mark(const struct bundle *b, uint64_t time, uint32_t tid, const struct mark *m)
{
    struct systrace *s = b->s;
    struct sy_record r = record_of(b, SY_INSTANT, time, tid);

    r.a = m->tgid;
    switch (m->phase) {
    case 'C':
        return sy_count_named(s, m->tgid, m->name, time, (int64_t)m->cookie);
    case 'B':
        return add_begin(b, time, tid, m->tgid, m->name);
    case 'E':
        return add_end(b, time, tid, m->tgid);
    case 'I':
        r.b = sy_standard_name(s, m->name);
        s->has_sections = true;
        if (str_starts(m->name, STR("launchingActivity#"))) {
            /* launchingActivity#N:completed-cold:PACKAGE */
            for (size_t i = m->name.n; i-- > 0;)
                if (m->name.p[i] == ':') {
                    s->launched = sy_string(s, (struct str){m->name.p + i + 1, m->name.n - i - 1});
                    break;
                }
        }
        return r.b != STRING_NONE && s->launched != STRING_NONE && sy_add(s, &r);
    default:
        break;
    }
    struct sy_extra e = {.phase = m->phase,
                         .id = m->cookie,
                         .value = hash_bytes(s->seed, m->track.p, m->track.n),
                         .name = sy_standard_name(s, m->name),
                         .track_name = sy_standard_name(s, m->track)};
    r.kind = SY_ASYNC;
    s->has_sections = true;
    return e.name != STRING_NONE && e.track_name != STRING_NONE && sy_add_extra(s, &r, &e);
}

/* Nearly all texts begin or end a section. */
static bool add_text(const struct bundle *b, uint64_t time, uint32_t tid, struct str text)
{
    struct str name = without_end(text);
    uint64_t tgid;
    char phase;
    struct mark m;

    if (take_usual_head(&name, &phase, &tgid)) {
        if (phase == 'E')
            return add_end(b, time, tid, (uint32_t)tgid);
        if (phase == 'B' && name.n > 0 && memchr(name.p, '\0', name.n) == NULL)
            return add_begin(b, time, tid, (uint32_t)tgid, name);
    }
    if (read_mark(text, &m))
        return add_mark(b, time, tid, &m);
    sy_lost(b->s, SY_LOST_TEXT, !str_starts(text, STR("trace_event_clock_sync:")));
    return true;
}

/* ---- events ---- */

enum {
    EVENT_PRINT = 3,
    EVENT_SWITCH = 4,
    EVENT_FREQUENCY = 11,
    EVENT_WAKEUP = 17,
    EVENT_BLOCKED = 18,
    EVENT_WAKING = 20,
    EVENT_RECLAIM_BEGIN = 46,
    EVENT_RECLAIM_END = 47,
    EVENT_BINDER = 50,
    EVENT_BINDER_RECEIVED = 51,
    EVENT_MARK_WRITE = 80,
    EVENT_NEW_TASK = 235,
    EVENT_RENAME = 236,
    EVENT_FREE = 240,
    EVENT_RSS = 313,
    EVENT_ZERO = 331,
    EVENT_SDE = 333,
    EVENT_DPU = 348,
    EVENT_G2D = 349,
    EVENT_MALI = 350,
    EVENT_FENCE_BEGIN = 417,
    EVENT_FENCE_END = 418,
    EVENT_LWIS = 467,
    EVENT_SAMSUNG = 484,
    EVENT_BINDER_RETURN = 486,
    EVENT_KPROBE = 542,
    EVENT_FIELDS = 9 /* more than any of these has */,
    FLAGS_INTERRUPT = 0x18 /* of an event's common_flags: TRACE_FLAG_HARDIRQ, TRACE_FLAG_SOFTIRQ */
};

static const struct str *section_of(uint32_t event)
{
    static const struct str RECLAIM = STR_INIT("mm_vmscan_direct_reclaim"),
                            FENCE = STR_INIT("dma_fence_wait");

    return event == EVENT_RECLAIM_BEGIN || event == EVENT_RECLAIM_END ? &RECLAIM : &FENCE;
}

static bool add_section(const struct bundle *b, uint64_t time, uint32_t tid, uint32_t event, bool begins)
{
    const struct mark m = {.phase = begins ? 'B' : 'E', .name = *section_of(event), .track = STR("")};

    return add_mark(b, time, tid, &m);
}

/* Text in fields, as drivers write it: which field is the name, the phase (a character), whether it begins, the
 * process, the value of a counter. 0: there is none. */
static const struct {
    uint32_t event;
    uint8_t name, phase, begins, tgid, value;
} MARKS[] = {{EVENT_MARK_WRITE, 2, 0, 3, 1, 0}, {EVENT_SDE, 2, 3, 5, 1, 4},  {EVENT_DPU, 4, 5, 0, 0, 6},
             {EVENT_G2D, 4, 5, 0, 1, 6},        {EVENT_MALI, 1, 3, 0, 2, 4}, {EVENT_LWIS, 4, 2, 0, 3, 5},
             {EVENT_SAMSUNG, 2, 4, 3, 1, 5}};

static bool add_driver_mark(const struct bundle *b, uint64_t time, uint32_t tid, uint32_t event,
                            const struct protobuf_field *f)
{
    struct mark m = {.name = STR(""), .track = STR("")};

    for (size_t i = 0; i < sizeof(MARKS) / sizeof(*MARKS); i++) {
        if (MARKS[i].event != event)
            continue;
        m.name = f[MARKS[i].name].bytes;
        m.cookie = MARKS[i].value > 0 ? f[MARKS[i].value].value : 0;
        m.tgid = MARKS[i].tgid > 0 ? (uint32_t)f[MARKS[i].tgid].value : 0;
        m.phase = MARKS[i].phase > 0 ? (char)f[MARKS[i].phase].value : '\0';
        if (m.phase == '\0' && MARKS[i].begins > 0 && f[MARKS[i].begins].number != 0)
            m.phase = f[MARKS[i].begins].value != 0 ? 'B' : 'E';
    }
    if (m.phase != 'B' && m.phase != 'E' && m.phase != 'I' && m.phase != 'C') {
        sy_lost(b->s, SY_LOST_TEXT, 1);
        return true;
    }
    return add_mark(b, time, tid, &m);
}

static bool add_zero(const struct bundle *b, uint64_t time, uint32_t tid, const struct protobuf_field *f)
{
    const uint64_t flags = f[1].value;
    const struct mark m = {.phase = (flags & 1) != 0   ? 'B'
                                    : (flags & 2) != 0 ? 'E'
                                    : (flags & 4) != 0 ? 'C'
                                                       : '\0',
                           .name = f[2].bytes,
                           .tgid = (uint32_t)f[3].value,
                           .cookie = f[4].value,
                           .track = STR("")};

    return m.phase == '\0' || add_mark(b, time, tid, &m);
}

static bool add_probe(const struct bundle *b, uint64_t time, uint32_t tid, const struct protobuf_field *f)
{
    const struct mark m = {.phase = f[2].value == 1   ? 'B'
                                    : f[2].value == 2 ? 'E'
                                    : f[2].value == 3 ? 'I'
                                                      : '\0',
                           .name = f[1].bytes,
                           .track = STR("")};

    return m.phase == '\0' || add_mark(b, time, tid, &m);
}

struct switched {
    struct str comm, next_comm;
    uint64_t pid, state, next_pid;
};

/* All fields in their order, as they are written. */
static bool is_usual_switch(struct str message, struct switched *x)
{
    struct protobuf m = protobuf_of_bytes(message);
    uint64_t priority;

    return protobuf_take_bytes(&m, PROTOBUF_TAG(1, PROTOBUF_BYTES), &x->comm) &&
           protobuf_take_varint(&m, PROTOBUF_TAG(2, PROTOBUF_VARINT), &x->pid) &&
           protobuf_take_varint(&m, PROTOBUF_TAG(3, PROTOBUF_VARINT), &priority) &&
           protobuf_take_varint(&m, PROTOBUF_TAG(4, PROTOBUF_VARINT), &x->state) &&
           protobuf_take_bytes(&m, PROTOBUF_TAG(5, PROTOBUF_BYTES), &x->next_comm) &&
           protobuf_take_varint(&m, PROTOBUF_TAG(6, PROTOBUF_VARINT), &x->next_pid) &&
           protobuf_take_varint(&m, PROTOBUF_TAG(7, PROTOBUF_VARINT), &priority) && m.p == m.end;
}

/* Fields in any order. */
static __attribute__((noinline)) struct switched read_switch(struct str message)
{
    struct protobuf_field f[8];

    protobuf_fields(message, f, 8);
    return (struct switched){f[1].bytes, f[5].bytes, f[2].value, f[4].value, f[6].value};
}

/* {prev_comm = 1, prev_pid = 2, prev_prio = 3, prev_state = 4, next_comm = 5, next_pid = 6, next_prio = 7} */
static bool add_switch(const struct bundle *b, uint64_t time, struct str message)
{
    struct sy_record r = record_of(b, SY_SWITCH, time, 0);
    struct switched x;

    if (!is_usual_switch(message, &x))
        x = read_switch(message);
    r.thread = (uint32_t)x.pid;
    r.a = (uint32_t)x.next_pid;
    r.b = (uint32_t)(x.state & 0xffff);
    sy_see_state(b->s, r.b);
    b->s->has_sched = true;
    return sy_add(b->s, &r) && add_comm(b, time, r.thread, x.comm) && add_comm(b, time, r.a, x.next_comm);
}

/* {ip = 1, buf = 2} */
static struct str text_of_print(struct str message)
{
    struct protobuf m = protobuf_of_bytes(message);
    struct protobuf_field f;
    struct str text = STR("");
    uint64_t ip;

    (void)protobuf_take_varint(&m, PROTOBUF_TAG(1, PROTOBUF_VARINT), &ip);
    if (protobuf_take_bytes(&m, PROTOBUF_TAG(2, PROTOBUF_BYTES), &text) && m.p == m.end)
        return text;
    while (protobuf_next(&m, &f))
        if (f.number == 2)
            text = f.bytes;
    return text;
}

static bool add_binder(const struct bundle *b, uint64_t time, uint32_t tid, uint32_t event,
                       const struct protobuf_field *f)
{
    struct sy_record r = record_of(b, event == EVENT_BINDER ? SY_BINDER : SY_RECEIVED, time, tid);

    r.a = (uint32_t)f[1].value;
    r.b = (f[5].value == 1 ? SY_BINDER_REPLY : 0) | ((f[7].value & 1) != 0 ? SY_BINDER_ONE_WAY : 0) |
          (uint32_t)f[3].value << SY_BINDER_TO;
    b->s->has_sections = true;
    return sy_add(b->s, &r);
}

/* Of what the driver returns only what says that a transaction has no answer (include/uapi/linux/android/binder.h). */
static bool add_binder_return(const struct bundle *b, uint64_t time, uint32_t tid, uint64_t command)
{
    enum { DEAD_REPLY = 5, FAILED_REPLY = 17, FROZEN_REPLY = 18, PENDING_FROZEN = 20 };
    const struct sy_record r = record_of(b, SY_FAILED, time, tid);
    uint64_t number = command & 0xff;

    if (number != DEAD_REPLY && number != FAILED_REPLY && number != FROZEN_REPLY && number != PENDING_FROZEN)
        return true;
    return sy_add(b->s, &r);
}

/* Events that are of one thread, in their first fields. */
static bool add_task(const struct bundle *b, uint64_t time, uint32_t tid, uint32_t event,
                     const struct protobuf_field *f)
{
    struct sy_record r = record_of(b, SY_FREE, time, tid);

    switch (event) {
    case EVENT_WAKING:
        r.kind = SY_WAKING;
        r.a = (uint32_t)f[2].value;
        return sy_add(b->s, &r) && add_comm(b, time, r.a, f[1].bytes);
    case EVENT_BLOCKED:
        r.kind = SY_BLOCKED;
        r.a = (uint32_t)f[1].value;
        r.b = f[3].value != 0;
        b->s->has_reasons = true;
        return sy_add(b->s, &r);
    case EVENT_NEW_TASK:
        r.kind = SY_NEW;
        r.a = (uint32_t)f[1].value;
        r.b = (uint32_t)f[3].value;
        return r.a == 0 || (sy_add(b->s, &r) && add_comm(b, time, r.a, f[2].bytes));
    case EVENT_RENAME:
        r.kind = SY_RENAME;
        r.a = (uint32_t)f[1].value;
        r.b = sy_string(b->s, f[3].bytes);
        return r.b != STRING_NONE && sy_add(b->s, &r);
    default:
        r.a = (uint32_t)f[2].value;
        return sy_add(b->s, &r);
    }
}

/* Apart from the two kinds that nearly all events are: these need no room for fields. */
static __attribute__((noinline)) bool add_fields(const struct bundle *b, uint64_t time, uint32_t tid,
                                                 uint32_t event, struct str message)
{
    struct protobuf_field f[EVENT_FIELDS];

    switch (event) {
    case EVENT_WAKING:
    case EVENT_BLOCKED:
    case EVENT_NEW_TASK:
    case EVENT_RENAME:
    case EVENT_FREE:
        protobuf_fields(message, f, 4);
        return add_task(b, time, tid, event, f);
    case EVENT_BINDER:
    case EVENT_BINDER_RECEIVED:
        protobuf_fields(message, f, EVENT_FIELDS);
        return add_binder(b, time, tid, event, f);
    case EVENT_FREQUENCY:
        protobuf_fields(message, f, 3);
        return sy_count_frequency(b->s, time, f);
    case EVENT_RSS:
        protobuf_fields(message, f, 4);
        return sy_count_memory(b->s, tid, time, f);
    case EVENT_BINDER_RETURN:
        protobuf_fields(message, f, 2);
        return add_binder_return(b, time, tid, f[1].value);
    case EVENT_RECLAIM_BEGIN:
    case EVENT_FENCE_BEGIN:
        return add_section(b, time, tid, event, true);
    case EVENT_RECLAIM_END:
    case EVENT_FENCE_END:
        return add_section(b, time, tid, event, false);
    case EVENT_ZERO:
        protobuf_fields(message, f, EVENT_FIELDS);
        return add_zero(b, time, tid, f);
    case EVENT_KPROBE:
        protobuf_fields(message, f, EVENT_FIELDS);
        return add_probe(b, time, tid, f);
    case EVENT_MARK_WRITE:
    case EVENT_SDE:
    case EVENT_DPU:
    case EVENT_G2D:
    case EVENT_MALI:
    case EVENT_LWIS:
    case EVENT_SAMSUNG:
        protobuf_fields(message, f, EVENT_FIELDS);
        return add_driver_mark(b, time, tid, event, f);
    default:
        return true;
    }
}

static inline bool add_event(const struct bundle *b, uint64_t time, uint32_t tid, uint32_t event,
                             struct str message)
{
    if (event == EVENT_PRINT)
        return add_text(b, time, tid, text_of_print(message));
    if (event == EVENT_SWITCH)
        return add_switch(b, time, message);
    return add_fields(b, time, tid, event, message);
}

/* FtraceEvent. */
struct kernel_event {
    uint64_t ticks, flags;
    uint32_t tid, number; /* of the message that says what happened; 0: there is none */
    struct str message;
    bool has_time, has_tid;
};

static bool take_event(const struct bundle *b, struct kernel_event *e)
{
    struct systrace *s = b->s;
    uint64_t time;

    if (!time_of(b, e->ticks, &time) || e->number == 0)
        return true;
    s->end_seen = time > s->end_seen ? time : s->end_seen;
    if ((e->flags & FLAGS_INTERRUPT) != 0 && e->number == EVENT_WAKING)
        e->tid = 0; /* who was interrupted woke nobody */
    return !e->has_tid || add_event(b, time, e->tid, e->number, e->message);
}

/* As nearly all events are: a time, a thread and one message. */
static bool is_usual(struct str message, struct kernel_event *e)
{
    struct protobuf m = protobuf_of_bytes(message);
    uint64_t tid, tag, n;

    if (!protobuf_take_varint(&m, PROTOBUF_TAG(1, PROTOBUF_VARINT), &e->ticks) ||
        !protobuf_take_varint(&m, PROTOBUF_TAG(2, PROTOBUF_VARINT), &tid))
        return false;
    tag = protobuf_varint(&m);
    n = protobuf_varint(&m);
    if (m.state != PROTOBUF_GOOD || n != (size_t)(m.end - m.p) || (tag & 7) != PROTOBUF_BYTES ||
        tag >> 3 == 0 || tag >> 3 > PROTOBUF_NUMBER_MAX)
        return false;
    e->tid = (uint32_t)tid;
    e->number = (uint32_t)(tag >> 3);
    e->message = (struct str){(const char *)m.p, (size_t)n};
    e->flags = 0;
    e->has_time = e->has_tid = true;
    return true;
}

/* Fields in any order. One event without a time or a thread is nothing. Conditions on a field's number and its wire type stand
 * apart in this loop: of both in one the compiler makes one read of two members that were just written, for which processors
 * wait. */
static bool read_fields(struct str message, struct kernel_event *e)
{
    struct protobuf m = protobuf_of_bytes(message);
    struct protobuf_field f;

    *e = (struct kernel_event){.number = 0};
    while (protobuf_next(&m, &f)) {
        if (f.wire == PROTOBUF_BYTES) {
            if (e->number == 0)
                e->number = f.number, e->message = f.bytes;
        } else if (f.wire == PROTOBUF_VARINT) {
            if (f.number == 1)
                e->ticks = f.value, e->has_time = true;
            else if (f.number == 2)
                e->tid = (uint32_t)f.value, e->has_tid = true;
            else if (f.number == 5)
                e->flags = f.value;
        }
    }
    return m.state == PROTOBUF_GOOD && e->has_time;
}

static bool read_event(const struct bundle *b, struct str message)
{
    struct kernel_event e;

    if (is_usual(message, &e) || read_fields(message, &e))
        return take_event(b, &e);
    sy_lost(b->s, SY_LOST_EVENTS, 1);
    return true;
}

/* Where this CPU's data begin in a ring buffer: before the latest of these nothing is whole. */
static bool first_of_cpu(const struct bundle *b, uint64_t begins)
{
    struct systrace *s = b->s;
    uint64_t time;

    if (idmap_get(&s->first_bundles, b->cpu) != IDMAP_NONE)
        return true;
    if (begins > 0 && time_of(b, begins, &time) && time > s->valid_from)
        s->valid_from = time;
    return idmap_set(&s->first_bundles, b->cpu, 1);
}

/* All fields but the events. */
static void read_head(struct str message, struct protobuf_field *head, size_t n)
{
    struct protobuf m = protobuf_of_bytes(message);
    struct protobuf_field f;
    struct str event;

    for (size_t i = 0; i < n; i++)
        head[i] = (struct protobuf_field){.bytes = STR("")};
    for (bool more = true; more;) {
        while (protobuf_take_bytes(&m, TAG_EVENT, &event)) {
        }
        more = protobuf_next(&m, &f);
        if (more && f.number < n)
            head[f.number] = f;
    }
}

bool sy_bundle(struct systrace *s, uint32_t sequence, struct str message)
{
    enum { CLOCK_UNKNOWN = 1, CLOCK_GLOBAL = 2, CLOCK_LOCAL = 3, CLOCK_RAW = 4 };
    struct protobuf_field head[11];
    struct bundle b = {.s = s, .sequence = sequence, .clock = SY_CLOCK_BOOT};
    struct protobuf m = protobuf_of_bytes(message);
    struct protobuf_field f;
    struct str event;

    read_head(message, head, 11);
    if (head[1].number == 0 || head[1].value >= SY_CPUS_MAX || head[5].value == CLOCK_UNKNOWN) {
        sy_lost(s, SY_LOST_EVENTS, 1);
        return true;
    }
    b.cpu = (uint32_t)head[1].value;
    sy_lost(s, SY_LOST_CPU, head[3].value != 0);
    if (head[5].value == CLOCK_RAW)
        b.clock = SY_CLOCK_RAW;
    else if (head[5].value == CLOCK_GLOBAL || head[5].value == CLOCK_LOCAL)
        b.clock = SY_CLOCK_OF_SEQUENCE;
    if (head[5].number != 0 && head[6].number != 0 && head[7].number != 0 && head[6].value != s->last_raw) {
        s->last_raw = head[6].value;
        s->has_clocks = true;
        if (!sy_relate(s, sequence, b.clock, head[6].value, head[7].value))
            return false;
    }
    b.as_is = b.clock == s->trace_clock || !s->has_clocks;
    if (head[4].bytes.n > 0 && !read_compact(&b, head[4].bytes))
        return false;
    for (bool more = true; more;) {
        while (protobuf_take_bytes(&m, TAG_EVENT, &event))
            if (!read_event(&b, event))
                return false;
        more = protobuf_next(&m, &f); /* of events those whose tag is written in more bytes than it needs */
        if (more && f.number == 2 && f.wire == PROTOBUF_BYTES && !read_event(&b, f.bytes))
            return false;
    }
    return first_of_cpu(&b, head[10].value != 0 ? head[10].value : head[9].value);
}
