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
 *                2  a block of records of one thread (android_v2_layout.h)
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
#include <string.h>

#include "core/cursor.h"
#include "parser/android/common.h"
#include "parser/android/converted.h"
#include "parser/android/v2_fold.h"

enum { HEADER_BYTES = 32 };

_Static_assert((int)V2_WINDOW_BYTES <= (int)HOLD_BYTES_MAX, "a reading can be held");

/* Above it, seconds could not be scaled to ns in 64 bits; no counter is that fast. */
#define COUNTER_HZ_MAX (UINT64_MAX / 1000000000)

/* A monotonic clock passes this after 17 minutes in ns, after 12 days in µs. */
#define START_NS_MIN UINT64_C(1000000000000)

static const unsigned ALL_LAYOUTS = 1u << V2_A | 1u << V2_B | 1u << V2_C | 1u << V2_E;

/* A block of version 6 that waits for its methods. */
struct held_block {
    struct v2_packet packet;
    uint64_t offset; /* of its body in the file */
    size_t start;    /* in held_bytes; it ends where the next one starts */
};

struct android_v2 {
    struct android android;
    struct v2_fold fold;
    enum { IN_HEADER, IN_PACKETS, IN_BLOCK, IN_HELD_BLOCK, IN_SUMMARY } phase;
    uint32_t version; /* 4 to 6 */
    bool streaming;
    uint64_t start_time, counter_hz;
    unsigned candidates; /* layouts that it may be, 1 << layout */
    enum v2_layout layout;

    bool waits;    /* no block is to be read yet; .. */
    bool at_block; /* .. the first one stands there */

    struct held_block *held;
    size_t n_held, held_capacity;
    uint8_t *held_bytes;
    size_t n_held_bytes, held_bytes_capacity;
    uint64_t held_left; /* of the block that is arriving */
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

static bool begin(void *state, struct builder *b, const struct reader_limits *limits, struct diag *diag)
{
    struct android_v2 *v = state;

    if (!android_init(&v->android, b, limits, diag))
        return false;
    v2_fold_init(&v->fold, &v->android);
    return true;
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
    v2_fold_layout(&v->fold, layout, layout == V2_E ? v->counter_hz : 0);
}

static bool read_header(struct android_v2 *v, const uint8_t *p, size_t n)
{
    struct android *a = &v->android;
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
    v->phase = IN_PACKETS;
    return android_values(a, v->version == 5 ? KEY_CLOCK_DUAL : KEY_CLOCK_WALL) &&
           android_fact_number(a, STR("version"), v->version) &&
           (!v->streaming || android_fact(a, STR("streaming"), STR("true")));
}

/* ---- packets ---- */

/* Whether the layout of the packet at p is known. If not, more bytes are needed. */
static bool know_layout(struct android_v2 *v, const uint8_t *p, size_t n, bool final)
{
    bool method_open = p[0] == V2_METHOD && v->candidates == ALL_LAYOUTS;

    if (!method_open && (p[0] != V2_BLOCK || one_layout(v)))
        return true;
    if (n < V2_WINDOW_BYTES && !final)
        return false;
    enum v2_layout layout =
        v2_choose(v->candidates, p, n, v->android.dual, v->counter_hz != 0, &v->android.keys.methods);
    if (p[0] == V2_BLOCK || layout == V2_A)
        settle(v, layout);
    else
        v->candidates &= ~(1u << V2_A);
    return true;
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

static bool hold_block(struct android_v2 *v, const struct v2_packet *packet, uint64_t offset)
{
    if (!ARENA_ROOM(builder_arena(v->android.builder), v->held, v->held_capacity, v->n_held + 1))
        return builder_failed(v->android.builder, v->android.diag);
    v->held[v->n_held++] = (struct held_block){*packet, offset, v->n_held_bytes};
    v->held_left = packet->body_bytes;
    v->phase = IN_HELD_BLOCK;
    return true;
}

static size_t feed_packet(struct android_v2 *v, const uint8_t *p, size_t n, uint64_t offset, bool final,
                          bool *ok)
{
    struct v2_packet packet;

    if (n == 0 || !know_layout(v, p, n, final))
        return 0;
    v->at_block = p[0] == V2_BLOCK;
    if (v->waits && v->at_block)
        return 0;
    enum v2_status status = v2_packet(p, n, v->layout, v->android.dual, &packet);
    if (status == V2_BAD)
        android_damage(&v->android, offset);
    if (status != V2_OK)
        return 0;
    if (packet.tag == V2_BLOCK) {
        v->phase = IN_BLOCK;
        *ok = v->layout == V2_F ? hold_block(v, &packet, offset + packet.head_bytes)
                                : v2_fold_block(&v->fold, &packet, offset);
    } else if (packet.tag == V2_SUMMARY && v->layout != V2_F) {
        v->phase = IN_SUMMARY;
        v->android.summary_left = packet.body_bytes;
    } else if (n - packet.head_bytes < packet.body_bytes) {
        return 0;
    } else if (packet.tag != V2_SUMMARY) {
        *ok = define(v, &packet, p + packet.head_bytes, offset);
        return packet.head_bytes + packet.body_bytes;
    }
    return packet.head_bytes;
}

static size_t feed_block(struct android_v2 *v, const uint8_t *p, size_t n, uint64_t offset, bool *ok)
{
    size_t taken = v2_fold_body(&v->fold, p, n, offset, ok);

    if (v->fold.body_left == 0)
        v->phase = IN_PACKETS;
    return taken;
}

static size_t feed_held_block(struct android_v2 *v, const uint8_t *p, size_t n, bool *ok)
{
    size_t part = n < v->held_left ? n : (size_t)v->held_left;
    struct arena *arena = builder_arena(v->android.builder);

    if (!ARENA_ROOM(arena, v->held_bytes, v->held_bytes_capacity, v->n_held_bytes + part)) {
        *ok = builder_failed(v->android.builder, v->android.diag);
        return 0;
    }
    if (part > 0)
        memcpy(v->held_bytes + v->n_held_bytes, p, part);
    v->n_held_bytes += part;
    v->held_left -= part;
    if (v->held_left == 0)
        v->phase = IN_PACKETS;
    return part;
}

/* ---- the whole ---- */

/* Takes what the present phase can take; 0: it needs more bytes. */
static size_t feed_phase(struct android_v2 *v, const uint8_t *p, size_t n, uint64_t offset, bool final,
                         bool *ok)
{
    if (v->android.ended)
        return n;
    switch (v->phase) {
    case IN_HEADER:
        if (n < ANDROID_WINDOW_BYTES && !final)
            return 0;
        *ok = read_header(v, p, n);
        return *ok ? HEADER_BYTES : 0;
    case IN_PACKETS:
        return feed_packet(v, p, n, offset, final, ok);
    case IN_BLOCK:
        return feed_block(v, p, n, offset, ok);
    case IN_HELD_BLOCK:
        return feed_held_block(v, p, n, ok);
    case IN_SUMMARY:
        return android_summary(&v->android, p, n, offset, ok);
    }
    return 0;
}

static bool feed(void *state, const uint8_t *p, size_t n, uint64_t offset, bool final, size_t *consumed)
{
    struct android_v2 *v = state;
    size_t used = 0;
    bool ok = true;

    for (;;) {
        unsigned phase = v->phase;
        size_t taken = feed_phase(v, p + used, n - used, offset + used, final, &ok);
        used += taken;
        if (!ok || (taken == 0 && v->phase == phase && (!v->android.ended || n == used)))
            break;
    }
    *consumed = used;
    if (ok && final && v->phase != IN_HEADER && !v->android.ended &&
        (n > used || v->phase == IN_BLOCK || v->phase == IN_HELD_BLOCK))
        builder_warn(v->android.builder, WARN_CUT_RECORD, 1, offset + used);
    return ok;
}

/* Version 6: all methods are known now. */
static bool fold_held(struct android_v2 *v)
{
    for (size_t i = 0; i < v->n_held; i++) {
        const struct held_block *h = &v->held[i];
        size_t end = i + 1 < v->n_held ? v->held[i + 1].start : v->n_held_bytes, at = h->start;
        bool ok = v2_fold_block(&v->fold, &h->packet, h->offset);
        while (ok && at < end) {
            size_t taken =
                v2_fold_body(&v->fold, v->held_bytes + at, end - at, h->offset + (at - h->start), &ok);
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

static bool finish(void *state, uint64_t file_bytes)
{
    struct android_v2 *v = state;
    struct android *a = &v->android;

    if (v->layout == V2_F) {
        a->has_summary = true;
        a->keys.version = v->version;
        a->keys.clock = KEY_CLOCK_WALL;
        if (!fold_held(v))
            return false;
    }
    android_check_end(a, v->version, file_bytes);
    bool ns = times_are_ns(v);
    builder_clocks(a->builder, ns ? 1 : 1000, v2_first_in_head(v->layout));
    return android_late_clock(a, KEY_CLOCK_WALL) && put_facts(v, ns) && android_finish(a, HEADER_BYTES);
}

static void hold(void *state, bool held)
{
    ((struct android_v2 *)state)->waits = held;
}

static bool is_held(const void *state)
{
    const struct android_v2 *v = state;

    return v->waits && v->at_block && v->phase == IN_PACKETS;
}

static bool resume(void *state, const void *saved, size_t bytes)
{
    return v2_fold_resume(&((struct android_v2 *)state)->fold, saved, bytes);
}

const struct format FORMAT_ANDROID_V2 = {
    .name = "android-v2",
    .label = "Android method trace (ART version 2)",
    .written_by =
        "`am profile start --profiler-output-version 2`, Android 14 QPR3 and later; long-running methods",
    .state_bytes = sizeof(struct android_v2),
    .detect = detect,
    .begin = begin,
    .feed = feed,
    .hold = hold,
    .is_held = is_held,
    .resume = resume,
    .finish = finish,
};
