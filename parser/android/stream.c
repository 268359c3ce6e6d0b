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

enum {
    HEADER_BYTES = 32,
    HEADER_BYTES_MIN = 18, /* up to the last field that is used */
    STRIDE_WINDOW_BYTES = 65536,
    ONE_TIME_BYTES = 10,
    TWO_TIMES_BYTES = 14,
    DEFINITION_HEAD_BYTES = 7 /* at most */
};

enum { OP_METHOD = 1, OP_THREAD = 2, OP_SUMMARY = 3 };

struct android_stream {
    struct android android;
    uint32_t version; /* 1 to 3 */
    uint32_t record_bytes;
    uint64_t data_offset;
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

/* NULL: diag. */
static struct android_stream *begin(struct reading *r)
{
    struct android_stream *s = arena_alloc(builder_arena(r->builder), sizeof(*s));

    if (s == NULL) {
        builder_failed(r->builder, r->diag);
        return NULL;
    }
    s->android.short_threads = true;
    return android_init(&s->android, r) ? s : NULL;
}

/* ---- header ---- */

static bool two_times(const struct android_stream *s)
{
    return s->version == 3 && s->record_bytes >= TWO_TIMES_BYTES;
}

static bool read_header(struct android_stream *s)
{
    struct android *a = &s->android;
    size_t n;
    const uint8_t *p = source_need(a->source, ANDROID_WINDOW_BYTES, &n);
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
    /* Shares of records are compared. They are multiplied crosswise, because a walk may have no records to
     * divide by. */
    return (uint64_t)b->undefined * a->records < (uint64_t)a->undefined * b->records;
}

static bool choose_record_size(struct android_stream *s)
{
    uint32_t declared = s->record_bytes;
    size_t n;
    const uint8_t *p = source_need(s->android.source, STRIDE_WINDOW_BYTES, &n);

    if (n > STRIDE_WINDOW_BYTES)
        n = STRIDE_WINDOW_BYTES;
    if (declared == ONE_TIME_BYTES) {
        struct walk as_declared = walk_window(p, n, declared);
        struct walk other = walk_window(p, n, TWO_TIMES_BYTES);
        if (better(&as_declared, &other))
            s->record_bytes = TWO_TIMES_BYTES;
    }
    return android_fact_number(&s->android, STR("record_bytes"), s->record_bytes) &&
           (s->record_bytes == declared ||
            android_fact_number(&s->android, STR("declared_record_bytes"), declared));
}

/* ---- packets ---- */

static bool define(struct android_stream *s, const uint8_t *p, size_t size, uint64_t offset)
{
    struct key_section *keys = &s->android.keys;

    if (p[2] == OP_METHOD)
        return key_section_method_line(
            keys, str_without_line_end((struct str){(const char *)p + 5, size - 5}), offset);
    return key_section_name_thread(keys, (uint32_t)p[3] | (uint32_t)p[4] << 8,
                                   (struct str){(const char *)p + 7, size - 7}, offset);
}

/* A packet that is no record. *more = false: it is the last one, or the file ends within it. False: diag. */
static bool read_definition(struct android_stream *s, bool *more)
{
    struct source *source = s->android.source;
    uint64_t offset = source_offset(source);
    size_t n;
    const uint8_t *p = source_need(source, DEFINITION_HEAD_BYTES, &n);
    size_t size = n < 3 ? n + 1 : packet_bytes(p, n, s->record_bytes);

    *more = false;
    if (size == 0) {
        android_damage(&s->android, offset);
        return true;
    }
    if (n >= DEFINITION_HEAD_BYTES && p[2] == OP_SUMMARY) {
        /* The head is here as a whole, so packet_bytes has counted its bytes. */
        source_consume(source, DEFINITION_HEAD_BYTES);
        return android_summary(&s->android, size - DEFINITION_HEAD_BYTES);
    }
    p = source_need(source, size, &n);
    *more = n >= size;
    if (!*more)
        return true;
    bool ok = define(s, p, size, offset);
    source_consume(source, size);
    return ok;
}

/* Records side by side into the batch, up to the next packet that is none. Returns the bytes taken. `dual`
 * is a constant where this is inlined. */
static inline __attribute__((always_inline)) size_t decode(struct android_stream *s, const uint8_t *p,
                                                           size_t n, uint64_t offset, size_t *count,
                                                           const bool dual)
{
    const size_t size = s->record_bytes, places = n / size < ANDROID_BATCH ? n / size : ANDROID_BATCH;
    struct android_tables tables = android_tables(&s->android);
    struct event *e = s->batch;
    const uint8_t *record = p;

    for (const struct event *end = e + places; e < end; e++, record += size) {
        uint32_t thread = (uint32_t)record[0] | (uint32_t)record[1] << 8;
        uint32_t word = cursor_le32(record + 2);
        if (thread == 0)
            break;
        e->clock[0] = cursor_le32(record + (dual ? 10 : 6));
        if (dual)
            e->clock[1] = cursor_le32(record + 6);
        e->action = (enum event_action)(word & 3);
        e->at = 0;
        if (__builtin_expect(android_look_up(&tables, thread, word, e), 1))
            continue;
        if (!android_look_further(&s->android, thread, word, offset + (size_t)(record - p), e))
            break;
        tables = android_tables(&s->android);
    }
    *count = (size_t)(e - s->batch);
    return (size_t)(record - p);
}

static bool read_packets(struct android_stream *s)
{
    struct android *a = &s->android;
    bool ok = true, more = true;
    size_t n, count;

    while (ok && more) {
        const uint8_t *p = source_need(a->source, s->record_bytes, &n);
        uint64_t offset = source_offset(a->source);
        size_t used =
            a->dual ? decode(s, p, n, offset, &count, true) : decode(s, p, n, offset, &count, false);
        ok = a->diag->kind == DIAG_NONE && android_events(a, s->batch, count, offset, s->record_bytes);
        more = used > 0;
        bool definition = n - used >= 2 && p[used] == 0 && p[used + 1] == 0;
        source_consume(a->source, used);
        if (ok && definition)
            ok = read_definition(s, &more);
    }
    if (ok && !a->ended && (source_need(a->source, 1, &n), n > 0))
        builder_warn(a->builder, WARN_CUT_RECORD, 1, source_offset(a->source));
    return ok;
}

static bool read_gap(struct android_stream *s)
{
    struct source *source = s->android.source;

    return source_pass(source, s->data_offset) == s->data_offset ||
           diag_at(s->android.diag, DIAG_UNUSABLE, 6, "damaged trace header", ANDROID_PULL_AGAIN,
                   "The records should begin at byte %llu of the file, which has %llu bytes.",
                   (unsigned long long)s->data_offset, (unsigned long long)source_offset(source));
}

static bool read_stream(struct reading *r)
{
    struct android_stream *s = begin(r);

    if (s == NULL || !read_header(s) || !read_gap(s) || !choose_record_size(s) || !read_packets(s))
        return false;
    android_check_end(&s->android, s->version);
    return android_late_clock(&s->android, KEY_CLOCK_CPU) && android_fact_lists(&s->android) &&
           android_finish(&s->android, s->data_offset);
}

const struct format FORMAT_ANDROID_STREAM = {
    .name = "android-stream",
    .label = "Android method trace (streaming)",
    .written_by = "`am profile start --streaming`; Java methods recorded in Android Studio",
    .detect = detect,
    .read = read_stream,
};
