/* Android method trace, streaming file: what `am profile start --streaming` and Android Studio's recorder
 * write. Source: art/runtime/trace.cc (6 to 16).
 *
 *   header     as of a regular file (android_trace.c), with version | 0xf0; the record size is always there
 *   packets    each begins with a u16:
 *                not 0    it is the thread of a record: u32 method | action, u32 time [, u32 wall time]
 *                0        a u8 says what follows:
 *                           1  u16 length, a line of the method table
 *                           2  u16 thread, u16 length, the thread's name
 *                           3  u32 length, the summary: a key section, mostly without methods; the last one
 *
 * A method or thread is defined before its first record, and may be defined anew. Version 0xf3 has both
 * clocks, the others have one, which only the summary names; a recorder that was killed writes none, and
 * Android 6 and 7 write it to another file. So both clocks are folded as they come, a single one under a
 * name that is settled at the end.
 *
 * Android 6 to 13 write 14 bytes for every record, though the header may say 10: the last four are whatever
 * was on the stack. Which of the two it is, is decided once, by walking through the first
 * STRIDE_WINDOW_BYTES with either: the wrong one soon comes upon packets that cannot be, and threads that
 * nobody defined. */

#include "core/cursor.h"
#include "parser/android/common.h"
#include "parser/android/converted.h"

enum {
    HEADER_BYTES = 32,
    HEADER_BYTES_MIN = 18, /* up to the last field that is used */
    STRIDE_WINDOW_BYTES = 65536,
    ONE_TIME_BYTES = 10,
    TWO_TIMES_BYTES = 14
};

_Static_assert((int)STRIDE_WINDOW_BYTES <= (int)HOLD_BYTES_MAX, "a reading can be held");

enum { OP_METHOD = 1, OP_THREAD = 2, OP_SUMMARY = 3 };

struct android_stream {
    struct android android;
    enum { IN_HEADER, IN_GAP, IN_FIRST_WINDOW, IN_PACKETS, IN_SUMMARY } phase;
    uint32_t version; /* 1 to 3 */
    uint32_t record_bytes;
    uint64_t data_offset;
    bool held;        /* no packet is to be read yet */
    uint32_t *tracks; /* by record's thread id: track + 1; 0 = not seen */
    struct event batch[ANDROID_BATCH];
};

static enum detection detect(const uint8_t *p, size_t n, bool final)
{
    uint32_t version;
    enum detection slow = android_slow_version(p, n, final, &version);

    if (slow != DETECT_YES)
        return slow;
    return version >= 0xf1 && version <= 0xf3 ? DETECT_YES : DETECT_NO;
}

static bool begin(void *state, struct builder *b, const struct reader_limits *limits, struct diag *diag)
{
    struct android_stream *s = state;

    s->android.short_threads = true;
    /* A place for every value of a record's 16-bit thread id, so that no id needs a check. */
    s->tracks = arena_array(builder_arena(b), 65536, sizeof(*s->tracks));
    if (s->tracks == NULL)
        return builder_failed(b, diag);
    return android_init(&s->android, b, limits, diag);
}

/* ---- header ---- */

static bool two_times(const struct android_stream *s)
{
    return s->version == 3 && s->record_bytes >= TWO_TIMES_BYTES;
}

static bool read_header(struct android_stream *s, const uint8_t *p, size_t n)
{
    struct android *a = &s->android;
    struct cursor c = cursor_of(p, n);

    cursor_take(&c, 4);
    s->version = cursor_u16(&c) & 0x0fu;
    uint32_t data = cursor_u16(&c);
    uint64_t start_us = cursor_u64(&c);
    uint32_t declared = cursor_u16(&c);
    if (c.failed)
        return diag_at(a->diag, DIAG_UNUSABLE, 0, "cut trace header", ANDROID_PULL_AGAIN,
                       "The file ends within its binary header: %zu of %d bytes are there.", n, HEADER_BYTES);
    if (android_converted(p, n, 0, false, a->diag))
        return false;
    if (data < HEADER_BYTES_MIN)
        return diag_at(a->diag, DIAG_UNUSABLE, 6, "damaged trace header", ANDROID_PULL_AGAIN,
                       "The header says that the records begin at its byte %u, within the header.", data);
    if (declared != 0 && declared < ONE_TIME_BYTES)
        return diag_at(a->diag, DIAG_UNUSABLE, 16, "damaged trace header", ANDROID_PULL_AGAIN,
                       "The header says that a record has %u bytes; it has at least 10.", declared);
    s->record_bytes = declared != 0 ? declared : s->version == 3 ? TWO_TIMES_BYTES : ONE_TIME_BYTES;
    s->data_offset = data;
    s->phase = IN_GAP;
    return android_values(a, two_times(s) ? KEY_CLOCK_DUAL : KEY_CLOCK_WALL) &&
           android_fact_number(a, STR("version"), s->version) &&
           android_fact(a, STR("streaming"), STR("true")) &&
           android_fact_number(a, STR("start_us"), start_us);
}

/* ---- which record size ---- */

/* How a walk through the window with one record size went. */
struct walk {
    size_t sound_bytes;          /* up to the first packet that cannot be */
    uint32_t records, undefined; /* of threads that are not defined before them */
};

/* Bytes of the packet that begins with these n, at least 3; more than n while its length is not there; 0 if
 * there is no such packet. */
static size_t packet_bytes(const uint8_t *p, size_t n, size_t record_bytes)
{
    struct cursor c = cursor_of(p, n);
    size_t head, body;

    if (cursor_u16(&c) != 0)
        return record_bytes;
    switch (cursor_u8(&c)) {
    case OP_METHOD:
        head = 5;
        body = cursor_u16(&c);
        break;
    case OP_THREAD:
        head = 7;
        cursor_take(&c, 2);
        body = cursor_u16(&c);
        break;
    case OP_SUMMARY:
        head = 7;
        body = cursor_u32(&c);
        break;
    default:
        return 0;
    }
    return c.failed ? n + 1 : head + body;
}

static struct walk walk_window(const uint8_t *p, size_t n, size_t record_bytes)
{
    struct walk w = {.sound_bytes = n};
    /* A bit for every value of a 16-bit thread id. */
    uint8_t defined[65536 / 8] = {0};

    /* A packet that does not end within the window ends the walk, so `at` never passes n. */
    for (size_t at = 0; n - at >= 3;) {
        size_t size = packet_bytes(p + at, n - at, record_bytes);
        uint32_t thread = (uint32_t)p[at] | (uint32_t)p[at + 1] << 8;
        if (size == 0) {
            w.sound_bytes = at;
            break;
        }
        if (size > n - at)
            break;
        if (thread != 0) {
            w.records++;
            w.undefined += (defined[thread >> 3] >> (thread & 7) & 1) == 0;
        } else if (p[at + 2] == OP_THREAD) {
            thread = (uint32_t)p[at + 3] | (uint32_t)p[at + 4] << 8;
            defined[thread >> 3] = (uint8_t)(defined[thread >> 3] | 1u << (thread & 7));
        } else if (p[at + 2] == OP_SUMMARY) {
            break;
        }
        at += size;
    }
    return w;
}

/* Whether walk b went better than walk a. */
static bool better(const struct walk *a, const struct walk *b)
{
    if (a->sound_bytes != b->sound_bytes)
        return b->sound_bytes > a->sound_bytes;
    /* Shares of records are compared. They are multiplied crosswise, because a walk may have no records to divide by. */
    return (uint64_t)b->undefined * a->records < (uint64_t)a->undefined * b->records;
}

static bool choose_record_size(struct android_stream *s, const uint8_t *p, size_t n)
{
    uint32_t declared = s->record_bytes;

    if (n > STRIDE_WINDOW_BYTES)
        n = STRIDE_WINDOW_BYTES;
    if (declared == ONE_TIME_BYTES) {
        struct walk as_declared = walk_window(p, n, declared);
        struct walk other = walk_window(p, n, TWO_TIMES_BYTES);
        if (better(&as_declared, &other))
            s->record_bytes = TWO_TIMES_BYTES;
    }
    s->phase = IN_PACKETS;
    return android_fact_number(&s->android, STR("record_bytes"), s->record_bytes) &&
           (s->record_bytes == declared ||
            android_fact_number(&s->android, STR("declared_record_bytes"), declared));
}

/* ---- packets ---- */

/* A packet that is no record. Returns the bytes taken; 0: more are needed. */
static size_t feed_definition(struct android_stream *s, const uint8_t *p, size_t n, uint64_t offset, bool *ok)
{
    size_t size = n < 3 ? n + 1 : packet_bytes(p, n, s->record_bytes);

    if (size == 0) {
        android_damage(&s->android, offset);
        return 0;
    }
    if (n >= 7 && p[2] == OP_SUMMARY) {
        s->phase = IN_SUMMARY;
        /* The head is here as a whole, so packet_bytes has counted its 7 bytes. */
        s->android.summary_left = size - 7;
        return 7;
    }
    if (size > n)
        return 0;
    if (p[2] == OP_METHOD)
        *ok = key_section_method_line(
            &s->android.keys, str_without_line_end((struct str){(const char *)p + 5, size - 5}), offset);
    else
        *ok = key_section_name_thread(&s->android.keys, (uint32_t)p[3] | (uint32_t)p[4] << 8,
                                      (struct str){(const char *)p + 7, size - 7}, offset);
    return size;
}

/* A record whose thread or method is not known yet. */
static bool decode_rare(struct android_stream *s, uint32_t thread, uint32_t word, uint64_t offset,
                        struct event *e)
{
    if (e->track == UINT32_MAX) {
        e->track = android_track(&s->android, thread, offset);
        if (e->track == NODE_NONE)
            return false;
        s->tracks[thread] = e->track + 1;
    }
    if (e->frame == FRAME_NONE)
        e->frame = android_unknown_method(&s->android, word & ~3u, offset);
    return e->frame != FRAME_NONE;
}

/* Records side by side into the batch, up to the next packet that is none. Returns the bytes taken. `dual`
 * is a constant where this is inlined. */
static inline __attribute__((always_inline)) size_t decode(struct android_stream *s, const uint8_t *p,
                                                           size_t n, uint64_t offset, size_t *count,
                                                           const bool dual)
{
    const size_t size = s->record_bytes;
    const uint32_t *tracks = s->tracks;
    size_t used = 0;

    for (*count = 0; *count < ANDROID_BATCH && n - used >= size; ++*count) {
        struct event *e = &s->batch[*count];
        const uint8_t *record = p + used;
        uint32_t thread = (uint32_t)record[0] | (uint32_t)record[1] << 8;
        uint32_t word = cursor_le32(record + 2);
        if (thread == 0)
            break;
        e->clock[0] = cursor_le32(record + (dual ? 10 : 6));
        if (dual)
            e->clock[1] = cursor_le32(record + 6);
        /* A thread that was not seen has 0, which becomes UINT32_MAX here. */
        e->track = tracks[thread] - 1;
        e->action = (enum event_action)(word & 3);
        e->at = 0;
        e->frame = method_table_get(&s->android.keys.methods, word & ~3u);
        if (__builtin_expect(e->track == UINT32_MAX || e->frame == FRAME_NONE, 0) &&
            !decode_rare(s, thread, word, offset + used, e))
            break;
        used += size;
    }
    return used;
}

static size_t feed_packets(struct android_stream *s, const uint8_t *p, size_t n, uint64_t offset, bool *ok)
{
    struct android *a = &s->android;
    size_t used = 0;

    while (*ok && s->phase == IN_PACKETS && !a->ended && n - used >= 2) {
        size_t count, taken = a->dual ? decode(s, p + used, n - used, offset + used, &count, true)
                                      : decode(s, p + used, n - used, offset + used, &count, false);
        *ok =
            a->diag->kind == DIAG_NONE && android_events(a, s->batch, count, offset + used, s->record_bytes);
        used += taken;
        if (*ok && n - used >= 2 && p[used] == 0 && p[used + 1] == 0) {
            size_t definition = feed_definition(s, p + used, n - used, offset + used, ok);
            used += definition;
            taken += definition;
        }
        if (taken == 0)
            break;
    }
    return used;
}

/* ---- the whole ---- */

/* Takes what the present phase can take; 0: it needs more bytes. */
static size_t feed_phase(struct android_stream *s, const uint8_t *p, size_t n, uint64_t offset, bool final,
                         bool *ok)
{
    if (s->android.ended)
        return n;
    switch (s->phase) {
    case IN_HEADER:
        if (n >= ANDROID_WINDOW_BYTES || final)
            *ok = read_header(s, p, n);
        return 0;
    case IN_GAP: {
        /* The header was looked at but not taken, so the gap begins at byte 0. No more than the gap is taken:
         * the difference is never negative. */
        uint64_t gap = s->data_offset - offset;
        if (gap == 0)
            s->phase = IN_FIRST_WINDOW;
        return gap < n ? (size_t)gap : n;
    }
    case IN_FIRST_WINDOW:
        if (n >= STRIDE_WINDOW_BYTES || final)
            *ok = choose_record_size(s, p, n);
        return 0;
    case IN_PACKETS:
        return s->held ? 0 : feed_packets(s, p, n, offset, ok);
    case IN_SUMMARY:
        return android_summary(&s->android, p, n, offset, ok);
    }
    return 0;
}

static bool feed(void *state, const uint8_t *p, size_t n, uint64_t offset, bool final, size_t *consumed)
{
    struct android_stream *s = state;
    size_t used = 0;
    bool ok = true;

    for (;;) {
        unsigned phase = s->phase;
        size_t taken = feed_phase(s, p + used, n - used, offset + used, final, &ok);
        used += taken;
        if (!ok || (taken == 0 && s->phase == phase && (!s->android.ended || n == used)))
            break;
    }
    *consumed = used;
    if (ok && final && n > used && s->phase != IN_HEADER)
        builder_warn(s->android.builder, WARN_CUT_RECORD, 1, offset + used);
    return ok;
}

static bool finish(void *state, uint64_t file_bytes)
{
    struct android_stream *s = state;
    struct android *a = &s->android;

    if (s->phase == IN_GAP)
        return diag_at(a->diag, DIAG_UNUSABLE, 6, "damaged trace header", ANDROID_PULL_AGAIN,
                       "The records should begin at byte %llu of the file, which has %llu bytes.",
                       (unsigned long long)s->data_offset, (unsigned long long)file_bytes);
    android_check_end(a, s->version, file_bytes);
    return android_late_clock(a, KEY_CLOCK_CPU) && android_fact_lists(a) && android_finish(a, s->data_offset);
}

static void hold(void *state, bool held)
{
    ((struct android_stream *)state)->held = held;
}

static bool is_held(const void *state)
{
    const struct android_stream *s = state;

    return s->held && s->phase == IN_PACKETS;
}

const struct format FORMAT_ANDROID_STREAM = {
    .name = "android-stream",
    .label = "Android method trace (streaming)",
    .written_by = "`am profile start --streaming`; Java methods recorded in Android Studio",
    .state_bytes = sizeof(struct android_stream),
    .detect = detect,
    .begin = begin,
    .feed = feed,
    .hold = hold,
    .is_held = is_held,
    .finish = finish,
};
