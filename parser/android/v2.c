/* Android method trace, ART's "version 2" of the file: what Android 14 QPR3 and later write when asked for
 * it (`am profile start --profiler-output-version 2`), and the long-running methods of 2026, version 6.
 * Sources: art/runtime/trace.cc and trace_profile.cc, Perfetto's importer of ART method traces.
 *
 *   header     32 bytes: 'SLOW', u16 version: 4 one clock, 5 two, 6 long-running methods, | 0xf0 when
 *              streaming; u64 start time; then zeros, or (layout E) u64 counter at the start, u64 its
 *              frequency
 *   packets    each begins with a u8:
 *                0  u32 thread, u16 length, its name
 *                1  u32 or u64 method, u16 length, class TAB method TAB signature TAB file [TAB line] LF
 *                2  a block of records of one thread (v2.h)
 *                3  u16 length, the summary: a key section without threads and methods; the last one.
 *                   Of version 6: 16 bytes, the first one
 *
 * The same two version numbers stand for five layouts of methods and blocks. Which of them a file has is
 * chosen at its first method and its first block, by walking through the next V2_WINDOW_BYTES in each: only
 * the right one finds packets that follow upon each other, and methods that are listed. That much evidence
 * is not overturned by what comes later: a later block that does not fit is damaged.
 *
 * Times are µs or ns; only the summary's elapsed-time-nsec says so (E and version 6: always ns). Records of
 * version 6 come before the methods that they name: their blocks wait in memory, at a few bytes a call. */
#include "parser/android/v2.h"

#include <string.h>

#include "core/cursor.h"
#include "parser/android/common.h"

/* ---- numbers and packets ---- */

bool v2_long_leb(const uint8_t **p, const uint8_t *end, bool is_signed, uint64_t *value)
{
    const uint8_t *at = *p;
    uint64_t v = 0;

    for (unsigned shift = 0; shift < 70 && at < end; shift += 7) {
        uint8_t byte = *at++;
        v |= (uint64_t)(byte & 0x7f) << shift;
        if ((byte & 0x80) != 0)
            continue;
        if (is_signed && (byte & 0x40) != 0 && shift < 57)
            v |= ~UINT64_C(0) << (shift + 7);
        *value = v;
        *p = at;
        return true;
    }
    return false;
}

static void block_head(struct cursor *c, enum v2_layout layout, bool dual, struct v2_packet *packet)
{
    struct v2_values *v = &packet->values;

    packet->id = cursor_u32(c);
    if (!v2_first_in_head(layout)) {
        packet->records = (uint32_t)cursor_le(c, 3);
        packet->body_bytes = cursor_u32(c);
        return;
    }
    v->word = v->first = layout == V2_A ? cursor_u32(c) : cursor_u64(c);
    if (dual)
        v->cpu = cursor_u32(c);
    v->wall = cursor_u32(c);
    packet->records = cursor_u16(c) + 1u;
    packet->body_bytes = cursor_u16(c);
}

/* Reads a packet's head. V2_BAD: no layout has such a tag. */
static enum v2_status v2_packet(const uint8_t *p, size_t n, enum v2_layout layout, bool dual,
                                struct v2_packet *packet)
{
    struct cursor c = cursor_of(p, n);
    uint8_t tag = cursor_u8(&c);

    *packet = (struct v2_packet){.tag = (enum v2_tag)tag};
    switch (tag) {
    case V2_THREAD:
        packet->id = cursor_u32(&c);
        packet->body_bytes = cursor_u16(&c);
        break;
    case V2_METHOD:
        packet->id = layout == V2_A ? (uint64_t)cursor_u32(&c) << 2 : cursor_u64(&c);
        packet->body_bytes = cursor_u16(&c);
        break;
    case V2_BLOCK:
        block_head(&c, layout, dual, packet);
        break;
    case V2_SUMMARY:
        if (layout == V2_F)
            cursor_take(&c, 16);
        else
            packet->body_bytes = cursor_u16(&c);
        break;
    default:
        return n == 0 ? V2_MORE : V2_BAD;
    }
    packet->head_bytes = (uint32_t)(c.p - p);
    return c.failed ? V2_MORE : V2_OK;
}

/* Whether a block of C goes on where its thread's last one ended (`before`), instead of from 0: a writer
 * splits blocks when its buffer is full. `first` is what its first record reads from 0. The method says
 * which it is, if only one of the two is listed; else v2_counts_more, or time that would go back. */
static bool v2_continues(const struct method_table *methods, const struct v2_values *first,
                         const struct v2_values *before, bool counts_more)
{
    bool from_zero = method_table_get(methods, first->word & ~UINT64_C(3)) != FRAME_NONE;
    bool from_last = method_table_get(methods, (first->word + before->word) & ~UINT64_C(3)) != FRAME_NONE;

    return from_zero != from_last ? from_last : counts_more || first->wall < before->wall;
}

/* ---- which layout ---- */

/* How a walk through the window in one layout went. */
struct walk {
    enum v2_layout layout;
    bool dual;
    const struct method_table *methods;
    bool sound; /* no packet that cannot be */
    size_t sound_bytes;
    bool saw_block;
    uint64_t named, listed; /* methods in records, and those of them that are in the table */
    uint64_t thread;        /* of the last block */
    uint32_t records;       /* of that block, as it says */
    struct v2_values values;
};

static void count_method(struct walk *w, const struct v2_values *values)
{
    uint64_t method;

    if (!v2_names_method(w->layout, values, &method))
        return;
    w->named++;
    w->listed += method_table_get(w->methods, method) != FRAME_NONE;
}

/* Of C: the values that the block's first record counts from. */
static void continue_block(struct walk *w, const struct v2_packet *packet, const uint8_t *body,
                           const uint8_t *end, struct v2_values *v)
{
    struct v2_values first = {0};

    if (v2_record(&body, end, w->layout, w->dual, &first) &&
        v2_continues(w->methods, &first, &w->values, v2_counts_more(packet, w->dual)))
        *v = w->values;
}

/* Whether the records are right: `whole`: all of the body is there. */
static bool walk_block(struct walk *w, const struct v2_packet *packet, const uint8_t *body, size_t n,
                       bool whole)
{
    struct v2_values v = packet->values;
    const uint8_t *end = body + n;
    uint32_t records = 0;
    bool same_thread = w->saw_block && packet->id == w->thread;

    if (v2_first_in_head(w->layout)) {
        count_method(w, &v);
        records++;
    } else if (w->layout == V2_C && same_thread) {
        continue_block(w, packet, body, end, &v);
    }
    while (v2_record(&body, end, w->layout, w->dual, &v)) {
        count_method(w, &v);
        records++;
    }
    /* The second part of a split block counts the records of the first one as well. */
    uint32_t counted = same_thread && w->layout == V2_C ? w->records : 0;
    w->saw_block = true;
    w->thread = packet->id;
    w->records = packet->records;
    w->values = v;
    if (!whole)
        return records <= packet->records && (size_t)(end - body) < V2_RECORD_BYTES_MAX;
    return body == end && (records == packet->records || records + counted == packet->records);
}

/* A line without its id: columns, and one LF at its end. */
static bool is_method_line(const uint8_t *p, size_t n, bool whole)
{
    const uint8_t *lf = n == 0 ? NULL : memchr(p, '\n', n);

    if (!whole)
        return lf == NULL;
    return lf == p + n - 1 && memchr(p, '\t', n) != NULL;
}

static bool walk_packet(struct walk *w, const struct v2_packet *packet, const uint8_t *body, size_t n,
                        bool whole)
{
    static const char BEGINNING[] = "*version\n";
    size_t length = sizeof(BEGINNING) - 1;

    switch (packet->tag) {
    case V2_METHOD:
        return is_method_line(body, n, whole);
    case V2_BLOCK:
        return walk_block(w, packet, body, n, whole);
    case V2_SUMMARY:
        return memcmp(body, BEGINNING, n < length ? n : length) == 0;
    case V2_THREAD:
        break;
    }
    return true;
}

static void walk_window(struct walk *w, const uint8_t *p, size_t n)
{
    while (w->sound_bytes < n) {
        struct v2_packet packet;
        size_t left = n - w->sound_bytes;
        enum v2_status status = v2_packet(p + w->sound_bytes, left, w->layout, w->dual, &packet);
        if (status == V2_MORE)
            break;
        if (status == V2_BAD) {
            w->sound = false;
            break;
        }
        const uint8_t *body = p + w->sound_bytes + packet.head_bytes;
        left -= packet.head_bytes;
        bool whole = packet.body_bytes <= left;
        w->sound = walk_packet(w, &packet, body, whole ? packet.body_bytes : left, whole);
        if (!w->sound || !whole || packet.tag == V2_SUMMARY)
            break;
        w->sound_bytes += packet.head_bytes + packet.body_bytes;
    }
}

/* Whether walk b went better than walk a. A layout in which most methods are listed is right even if the
 * file is damaged further on, where a wrong one may get through by luck. */
static bool better(const struct walk *a, const struct walk *b)
{
    bool a_listed = a->listed * 2 > a->named, b_listed = b->listed * 2 > b->named;

    if (a_listed != b_listed)
        return b_listed;
    if (a->sound != b->sound)
        return b->sound;
    if (!a->sound && a->sound_bytes != b->sound_bytes)
        return b->sound_bytes > a->sound_bytes;
    return b->listed * a->named > a->listed * b->named;
}

/* The layout, out of the set `candidates` (1 << layout), that packets from p on are written in: n bytes, of
 * which V2_WINDOW_BYTES are looked at. The right one has packets that follow upon each other, blocks that
 * end with a record, and methods that are listed in `methods`. Where there is no block among them, the answer only
 * says how methods are written. `counter`: the header names the frequency of a counter. */
static enum v2_layout v2_choose(unsigned candidates, const uint8_t *p, size_t n, bool dual, bool counter,
                                const struct method_table *methods)
{
    /* Where all is equal, the first one of these. */
    static const enum v2_layout ORDER[2][4] = {{V2_C, V2_E, V2_B, V2_A}, {V2_E, V2_C, V2_B, V2_A}};
    struct walk best = {.layout = V2_LAYOUTS};

    if (n > V2_WINDOW_BYTES)
        n = V2_WINDOW_BYTES;
    for (unsigned i = 0; i < 4; i++) {
        struct walk w = {.layout = ORDER[counter][i], .dual = dual, .methods = methods, .sound = true};
        if ((candidates >> w.layout & 1) == 0)
            continue;
        walk_window(&w, p, n);
        if (best.layout == V2_LAYOUTS || better(&best, &w))
            best = w;
    }
    return best.layout;
}

enum { HEADER_BYTES = 32, HEAD_BYTES_MAX = 32 /* of a packet */ };

/* Above it, seconds could not be scaled to ns in 64 bits; no counter is that fast. */
#define COUNTER_HZ_MAX (UINT64_MAX / 1000000000)

/* A monotonic clock passes this after 17 minutes in ns, after 12 days in µs. */
#define START_NS_MIN UINT64_C(1000000000000)

static const unsigned ALL_LAYOUTS = 1u << V2_A | 1u << V2_B | 1u << V2_C | 1u << V2_E;

/* ---- blocks, decoded and folded as their bytes arrive ---- */

struct v2_thread {
    uint32_t id, track; /* NODE_NONE before the first record */
    bool has_block;
    struct v2_values last; /* where its last block ended */
};

struct v2_fold {
    struct android *android;
    enum v2_layout layout;
    uint64_t counter_hz;  /* of E's times; 0: they are ns */
    uint64_t clock_mask;  /* bits of a clock that mean something */
    struct idmap indexes; /* thread -> index of its struct */
    struct v2_thread *threads;
    size_t n_threads, threads_capacity;

    /* The block that is being read. */
    uint32_t thread;    /* index */
    uint64_t body_left; /* bytes */
    bool at_first, counts_more, damaged;
    struct v2_values values;
    struct event batch[ANDROID_BATCH];
};

enum { NS_PER_S = 1000000000 };

static void fold_init(struct v2_fold *f, struct android *a)
{
    f->android = a;
    idmap_init(&f->indexes, builder_arena(a->builder), builder_seed(a->builder));
}

/* Before the first block: which layout it is; and of E, the frequency of the counter that times were read
 * from, or 0. */
static void fold_layout(struct v2_fold *f, enum v2_layout layout, uint64_t counter_hz)
{
    bool wraps = v2_first_in_head(layout);

    f->layout = layout;
    f->clock_mask = wraps ? UINT32_MAX : INT64_MAX;
    f->counter_hz = counter_hz;
    builder_clocks(f->android->builder, v2_bare_exits(layout) ? 1 : 1000, wraps);
}

/* ---- threads ---- */

static uint32_t thread_index(struct v2_fold *f, uint32_t id)
{
    struct arena *arena = builder_arena(f->android->builder);
    uint32_t index = idmap_get(&f->indexes, id);

    if (index != IDMAP_NONE)
        return index;
    if (!ARENA_ROOM(arena, f->threads, f->threads_capacity, f->n_threads + 1) ||
        !idmap_set(&f->indexes, id, (uint32_t)f->n_threads)) {
        builder_failed(f->android->builder, f->android->diag);
        return IDMAP_NONE;
    }
    f->threads[f->n_threads] = (struct v2_thread){.id = id, .track = NODE_NONE};
    return (uint32_t)f->n_threads++;
}

static bool ensure_track(struct v2_fold *f, uint64_t offset)
{
    struct v2_thread *t = &f->threads[f->thread];

    if (t->track == NODE_NONE)
        t->track = android_track(f->android, t->id, offset);
    return t->track != NODE_NONE;
}

/* ---- records ---- */

/* Whole seconds apart, so that no product passes 64 bits: v2.c knows the largest hz. */
static uint64_t counter_to_ns(uint64_t ticks, uint64_t hz)
{
    return ticks / hz * NS_PER_S + ticks % hz * NS_PER_S / hz;
}

/* The event of the record that f->values are at. False (diag) if its method is not listed, and cannot be
 * made. */
static inline __attribute__((always_inline)) bool put_event(struct v2_fold *f, struct event *e,
                                                            uint32_t track, uint64_t offset,
                                                            const enum v2_layout layout, const bool dual)
{
    const struct v2_values *v = &f->values;
    uint64_t method;

    e->track = track;
    e->frame = FRAME_NONE;
    if (v2_bare_exits(layout)) {
        uint64_t time = v->word >> (layout == V2_E ? 2 : 1);
        e->action = (enum event_action)(v->word & (layout == V2_E ? 3 : 1));
        e->clock[0] = f->counter_hz == 0 ? time : counter_to_ns(time, f->counter_hz);
        if (dual)
            e->clock[1] = v->cpu;
    } else {
        e->action = (enum event_action)(v->word & 3);
        e->clock[0] = v->wall & f->clock_mask;
        if (dual)
            e->clock[1] = v->cpu & f->clock_mask;
    }
    if (!v2_names_method(layout, v, &method))
        return true;
    e->frame = method_table_get(&f->android->keys.methods, method);
    if (__builtin_expect(e->frame == FRAME_NONE, 0))
        e->frame = android_unknown_method(f->android, method, offset);
    return e->frame != FRAME_NONE;
}

/* Records side by side into the batch. Returns the bytes taken. Layout and `dual` are constants where this
 * is inlined. */
static inline __attribute__((always_inline)) size_t decode(struct v2_fold *f, const uint8_t *p, size_t n,
                                                           uint64_t offset, size_t *count,
                                                           const enum v2_layout layout, const bool dual)
{
    uint32_t track = f->threads[f->thread].track;
    const uint8_t *at = p;

    for (*count = 0; *count < ANDROID_BATCH; ++*count) {
        struct event *e = &f->batch[*count];
        size_t before = (size_t)(at - p);
        if (!v2_record(&at, p + n, layout, dual, &f->values))
            break;
        e->at = (uint32_t)before;
        if (!put_event(f, e, track, offset + before, layout, dual))
            break;
    }
    return (size_t)(at - p);
}

/* The loop is compiled once for each layout and number of clocks, so that it asks for neither at each
 * record. Behind the head of its block, a record of B is one of C: steps from the record before it. */
static size_t decode_any(struct v2_fold *f, const uint8_t *p, size_t n, uint64_t offset, size_t *count)
{
    bool dual = f->android->dual;

    switch (f->layout) {
    case V2_A:
        return dual ? decode(f, p, n, offset, count, V2_A, true)
                    : decode(f, p, n, offset, count, V2_A, false);
    case V2_E:
        return dual ? decode(f, p, n, offset, count, V2_E, true)
                    : decode(f, p, n, offset, count, V2_E, false);
    case V2_F:
        return decode(f, p, n, offset, count, V2_F, false);
    case V2_B:
    case V2_C:
    case V2_LAYOUTS:
        break;
    }
    return dual ? decode(f, p, n, offset, count, V2_C, true) : decode(f, p, n, offset, count, V2_C, false);
}

/* ---- blocks ---- */

/* The record in the block's head. */
static bool fold_first(struct v2_fold *f, uint64_t offset)
{
    struct event *e = &f->batch[0];

    e->at = 0;
    if (!ensure_track(f, offset))
        return false;
    uint32_t track = f->threads[f->thread].track;
    bool ok = f->android->dual ? put_event(f, e, track, offset, V2_C, true)
                               : put_event(f, e, track, offset, V2_C, false);
    return ok && android_events(f->android, e, 1, offset, 0);
}

/* Begins a block, whose head stands at `offset`. False: diag is set. */
static bool fold_block(struct v2_fold *f, const struct v2_packet *packet, uint64_t offset)
{
    f->thread = thread_index(f, (uint32_t)packet->id);
    if (f->thread == IDMAP_NONE)
        return false;
    f->body_left = packet->body_bytes;
    f->values = packet->values;
    f->at_first = true;
    f->counts_more = v2_counts_more(packet, f->android->dual);
    f->damaged = false;
    return !v2_first_in_head(f->layout) || fold_first(f, offset);
}

/* Before a body's first record, which is at p: where its numbers count from. Blocks of C begin at 0, but
 * one that was split from the thread's block before it goes on where that ended. False: the record is not
 * whole. */
static bool begin_body(struct v2_fold *f, const uint8_t *p, size_t n)
{
    struct v2_thread *t = &f->threads[f->thread];
    struct v2_values first = {0};

    if (f->layout == V2_C && t->has_block) {
        if (!v2_record(&p, p + n, V2_C, f->android->dual, &first))
            return false;
        if (v2_continues(&f->android->keys.methods, &first, &t->last, f->counts_more))
            f->values = t->last;
    }
    f->at_first = false;
    t->has_block = true;
    return true;
}

static size_t fold_records(struct v2_fold *f, const uint8_t *p, size_t n, uint64_t offset, bool *ok)
{
    struct android *a = f->android;
    size_t used = 0;

    if (n == 0 || !(*ok = ensure_track(f, offset)))
        return 0;
    while (*ok && used < n) {
        size_t count, taken = decode_any(f, p + used, n - used, offset + used, &count);
        *ok = a->diag->kind == DIAG_NONE && android_events(a, f->batch, count, offset + used, 0);
        used += taken;
        if (taken == 0)
            break;
    }
    f->threads[f->thread].last = f->values;
    return used;
}

/* Folds whole records of the block's body from the front of n bytes; the block is over when body_left is
 * 0. Returns the bytes taken, 0: more are needed. *ok = false: diag is set. */
static size_t fold_body(struct v2_fold *f, const uint8_t *p, size_t n, uint64_t offset, bool *ok)
{
    size_t used = 0;
    bool whole = n >= f->body_left;

    if (whole)
        n = (size_t)f->body_left;
    if (f->damaged)
        used = n;
    else if (!f->at_first || begin_body(f, p, n))
        used = fold_records(f, p, n, offset, ok);
    /* What is left would be a whole record, if it were one: the rest of the block is passed over, as its
     * size is known. */
    if (*ok && used < n && (whole || n - used >= V2_RECORD_BYTES_MAX)) {
        builder_warn(f->android->builder, WARN_BAD_BLOCK, 1, offset + used);
        f->damaged = true;
        used = n;
    }
    /* n was cut to what is left of the block, so this does not go below zero. */
    f->body_left -= used;
    return used;
}

/* ---- the file ---- */

/* A block of version 6 that waits for its methods. */
struct held_block {
    struct v2_packet packet;
    uint64_t offset; /* of its body in the file */
    size_t start;    /* in held_bytes; it ends where the next one starts */
};

struct android_v2 {
    struct android android;
    struct v2_fold fold;
    uint32_t version; /* 4 to 6 */
    bool streaming;
    uint64_t start_time, counter_hz;
    unsigned candidates; /* layouts that it may be, 1 << layout */
    enum v2_layout layout;
    bool cut; /* the file ends within a block */

    struct held_block *held;
    size_t n_held, held_capacity;
    uint8_t *held_bytes;
    size_t n_held_bytes, held_bytes_capacity;
};

static enum detection detect(const uint8_t *p, size_t n, bool final)
{
    uint32_t version;
    enum detection slow = android_slow_version(p, n, final, &version);

    if (slow != DETECT_YES)
        return slow;
    bool known = (version >= 4 && version <= 6) || (version >= 0xf4 && version <= 0xf6);
    return known ? DETECT_YES : DETECT_NO;
}

/* NULL: diag. */
static struct android_v2 *begin(struct reading *r)
{
    struct android_v2 *v = arena_alloc(builder_arena(r->builder), sizeof(*v));

    if (v == NULL)
        builder_failed(r->builder, r->diag);
    if (v == NULL || !android_init(&v->android, r))
        return NULL;
    fold_init(&v->fold, &v->android);
    return v;
}

/* ---- header ---- */

static bool one_layout(const struct android_v2 *v)
{
    return (v->candidates & (v->candidates - 1)) == 0;
}

/* Takes the layout out of those that are possible. */
static void settle(struct android_v2 *v, enum v2_layout layout)
{
    v->candidates = 1u << layout;
    v->layout = layout;
    v->android.bare_exits = v2_bare_exits(layout);
    fold_layout(&v->fold, layout, layout == V2_E ? v->counter_hz : 0);
}

static bool read_header(struct android_v2 *v)
{
    struct android *a = &v->android;
    size_t n;
    const uint8_t *p = source_need(a->source, ANDROID_WINDOW_BYTES, &n);
    struct cursor c = cursor_of(p, n);

    if (n < HEADER_BYTES)
        return diag_at(a->diag, DIAG_UNUSABLE, 0, "cut trace header", ANDROID_PULL_AGAIN,
                       "The file ends within its binary header: %zu of %d bytes are there.", n, HEADER_BYTES);
    if (android_converted(p, n, 0, false, a->diag))
        return false;
    cursor_take(&c, 4);
    uint32_t version = cursor_u16(&c);
    v->version = version & 0x0f;
    v->streaming = version > 0x0f;
    v->start_time = cursor_u64(&c);
    cursor_take(&c, 8);
    v->counter_hz = cursor_u64(&c);
    if (v->counter_hz > COUNTER_HZ_MAX)
        v->counter_hz = 0;
    v->candidates = ALL_LAYOUTS;
    v->layout = V2_C;
    if (v->version == 6)
        settle(v, V2_F);
    a->checks.long_calls = v->version == 6;
    source_consume(a->source, HEADER_BYTES);
    return android_values(a, v->version == 5 ? KEY_CLOCK_DUAL : KEY_CLOCK_WALL) &&
           android_fact_number(a, STR("version"), v->version) &&
           (!v->streaming || android_fact(a, STR("streaming"), STR("true")));
}

/* ---- packets ---- */

/* Finds out the layout of the packet that comes next, if that is not known. */
static void know_layout(struct android_v2 *v, uint8_t tag)
{
    bool method_open = tag == V2_METHOD && v->candidates == ALL_LAYOUTS;
    size_t n;

    if (!method_open && (tag != V2_BLOCK || one_layout(v)))
        return;
    const uint8_t *p = source_need(v->android.source, V2_WINDOW_BYTES, &n);
    enum v2_layout layout =
        v2_choose(v->candidates, p, n, v->android.dual, v->counter_hz != 0, &v->android.keys.methods);
    if (tag == V2_BLOCK || layout == V2_A)
        settle(v, layout);
    else
        v->candidates &= ~(1u << V2_A);
}

static bool define(struct android_v2 *v, const struct v2_packet *packet, const uint8_t *body, uint64_t offset)
{
    struct str text = str_without_line_end((struct str){(const char *)body, packet->body_bytes});

    if (packet->tag == V2_METHOD)
        return key_section_method(&v->android.keys, packet->id, text, offset);
    if (packet->id != UINT32_MAX)
        return key_section_name_thread(&v->android.keys, (uint32_t)packet->id, text, offset);
    builder_warn(v->android.builder, WARN_BAD_THREAD_LINE, 1, offset);
    return true;
}

/* Keeps the block until all methods are known. *more = false: the file ends within it. */
static bool hold_block(struct android_v2 *v, const struct v2_packet *packet, bool *more)
{
    struct source *s = v->android.source;
    struct arena *arena = builder_arena(v->android.builder);

    if (!ARENA_ROOM(arena, v->held, v->held_capacity, v->n_held + 1))
        return builder_failed(v->android.builder, v->android.diag);
    v->held[v->n_held++] = (struct held_block){*packet, source_offset(s), v->n_held_bytes};
    for (uint64_t left = packet->body_bytes; left > 0;) {
        size_t n;
        const uint8_t *p = source_need(s, 1, &n);
        v->cut = n == 0;
        *more = !v->cut;
        if (v->cut)
            return true;
        if (n > left)
            n = (size_t)left;
        if (!ARENA_ROOM(arena, v->held_bytes, v->held_bytes_capacity, v->n_held_bytes + n))
            return builder_failed(v->android.builder, v->android.diag);
        memcpy(v->held_bytes + v->n_held_bytes, p, n);
        v->n_held_bytes += n;
        source_consume(s, n);
        left -= n;
    }
    return true;
}

/* *more = false: the file ends within the block. */
static bool read_block(struct android_v2 *v, const struct v2_packet *packet, uint64_t offset, bool *more)
{
    struct source *s = v->android.source;
    bool ok = fold_block(&v->fold, packet, offset);

    while (ok && *more && v->fold.body_left > 0) {
        size_t n;
        const uint8_t *p = source_need(s, V2_RECORD_BYTES_MAX, &n);
        size_t taken = fold_body(&v->fold, p, n, source_offset(s), &ok);
        source_consume(s, taken);
        *more = taken > 0;
        v->cut = ok && !*more;
    }
    return ok;
}

static bool read_definition(struct android_v2 *v, const struct v2_packet *packet, uint64_t offset, bool *more)
{
    size_t size = packet->head_bytes + packet->body_bytes, n;
    const uint8_t *p = source_need(v->android.source, size, &n);

    *more = n >= size;
    if (!*more)
        return true;
    /* The summary of version 6 has nothing that is of use. */
    bool ok = packet->tag == V2_SUMMARY || define(v, packet, p + packet->head_bytes, offset);
    source_consume(v->android.source, size);
    return ok;
}

/* The next packet. *more = false: there is none, or the file ends within it. False: diag. */
static bool read_packet(struct android_v2 *v, bool *more)
{
    struct source *s = v->android.source;
    uint64_t offset = source_offset(s);
    struct v2_packet packet;
    size_t n;
    const uint8_t *p = source_need(s, 1, &n);

    *more = n > 0;
    if (!*more)
        return true;
    know_layout(v, p[0]);
    p = source_need(s, HEAD_BYTES_MAX, &n);
    enum v2_status status = v2_packet(p, n, v->layout, v->android.dual, &packet);
    if (status == V2_BAD)
        android_damage(&v->android, offset);
    *more = status == V2_OK;
    if (!*more)
        return true;
    bool is_block = packet.tag == V2_BLOCK, has_text = packet.tag == V2_SUMMARY && v->layout != V2_F;
    if (!is_block && !has_text)
        return read_definition(v, &packet, offset, more);
    source_consume(s, packet.head_bytes);
    *more = is_block;
    return has_text            ? android_summary(&v->android, packet.body_bytes)
           : v->layout == V2_F ? hold_block(v, &packet, more)
                               : read_block(v, &packet, offset, more);
}

static bool read_packets(struct android_v2 *v)
{
    struct android *a = &v->android;
    bool ok = true, more = true;
    size_t n;

    while (ok && more)
        ok = read_packet(v, &more);
    source_need(a->source, 1, &n);
    if (ok && !a->ended && (v->cut || n > 0))
        builder_warn(a->builder, WARN_CUT_RECORD, 1, source_offset(a->source));
    return ok;
}

/* ---- the whole ---- */

/* Version 6: all methods are known now. */
static bool fold_held(struct android_v2 *v)
{
    for (size_t i = 0; i < v->n_held; i++) {
        const struct held_block *h = &v->held[i];
        size_t end = i + 1 < v->n_held ? v->held[i + 1].start : v->n_held_bytes, at = h->start;
        bool ok = fold_block(&v->fold, &h->packet, h->offset);
        while (ok && at < end) {
            size_t taken =
                fold_body(&v->fold, v->held_bytes + at, end - at, h->offset + (at - h->start), &ok);
            at += taken;
            if (taken == 0)
                break;
        }
        if (!ok)
            return false;
    }
    return true;
}

/* Whether times are ns; counts a warning if that had to be guessed. */
static bool times_are_ns(struct android_v2 *v)
{
    if (v->layout != V2_C)
        return v2_bare_exits(v->layout);
    if (v->android.keys.elapsed != 0)
        return v->android.keys.elapsed_in_ns;
    builder_warn(v->android.builder, WARN_TIME_UNIT, 1, WARNING_NO_OFFSET);
    return v->start_time >= START_NS_MIN;
}

static bool put_facts(struct android_v2 *v, bool ns)
{
    static const char *const LAYOUTS[] = {[V2_A] = "Android 14 QPR3",
                                          [V2_B] = "Android 15",
                                          [V2_C] = "Android 15 QPR1 or later",
                                          [V2_E] = "2026",
                                          [V2_F] = "long-running methods"};
    struct android *a = &v->android;

    return android_fact(a, STR("layout"), str_of(LAYOUTS[v->layout])) &&
           android_fact_number(a, ns ? STR("start_ns") : STR("start_us"), v->start_time) &&
           android_fact(a, STR("time_unit"), ns ? STR("ns") : STR("us")) &&
           (v->fold.counter_hz == 0 || android_fact_number(a, STR("counter_hz"), v->fold.counter_hz)) &&
           android_fact_lists(a);
}

static bool end_file(struct android_v2 *v)
{
    struct android *a = &v->android;

    if (v->layout == V2_F) {
        a->has_summary = true;
        a->keys.version = v->version;
        a->keys.clock = KEY_CLOCK_WALL;
        if (!fold_held(v))
            return false;
    }
    android_check_end(a, v->version);
    bool ns = times_are_ns(v);
    builder_clocks(a->builder, ns ? 1 : 1000, v2_first_in_head(v->layout));
    return android_late_clock(a, KEY_CLOCK_WALL) && put_facts(v, ns) && android_finish(a, HEADER_BYTES);
}

static bool read_v2(struct reading *r)
{
    struct android_v2 *v = begin(r);

    return v != NULL && read_header(v) && read_packets(v) && end_file(v);
}

const struct format FORMAT_ANDROID_V2 = {
    .name = "android-v2",
    .label = "Android method trace (ART version 2)",
    .written_by =
        "`am profile start --profiler-output-version 2`, Android 14 QPR3 and later; long-running methods",
    .detect = detect,
    .read = read_v2,
};
