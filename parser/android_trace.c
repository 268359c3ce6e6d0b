/* Android method trace, regular file: what android.os.Debug.startMethodTracing, `am profile` and DDMS write.
 * Sources: dalvik/vm/Profile.{c,h} (donut to kitkat), art/runtime/trace.cc (4.4 to 16).
 *
 *   key section   text lines up to and with the line `*end`            (key_section.h)
 *   header        32 bytes, little endian like all that follows:
 *                   0  4  'SLOW'
 *                   4  2  version: 1, 2 or 3
 *                   6  2  offset of the data from the magic
 *                   8  8  start time, µs (unix time, or a monotonic clock)
 *                  16  2  record size; from version 3 on
 *   records       up to the end of the file:
 *                   version 1,  9 bytes: u8  thread, u32 method | action, u32 time
 *                   version 2, 10 bytes: u16 thread, u32 method | action, u32 time
 *                   version 3, record size: as version 2; from 14 bytes on, the first time is thread-CPU
 *                   time, and a second one, wall time, follows
 *
 * Times are µs since the thread's first record (CPU) or since the trace's start (wall), and wrap. Actions:
 * 0 enter, 1 exit, 2 unroll. A record of thread 0 is one that was reserved but never filled in. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/cursor.h"
#include "parser/format.h"
#include "parser/key_section.h"

enum {
    HEADER_BYTES = 32,
    HEADER_BYTES_MIN = 18, /* up to the last field that is used */
    DAMAGE_WINDOW_BYTES = 4096,
    DAMAGE_MARKS = 4,
    BATCH = 256
};

static const char PULL_AGAIN[] = "Pull the file from the device again (adb pull) and upload it unchanged.";

struct android_trace {
    struct builder *builder;
    const struct reader_limits *limits;
    struct diag *diag;
    enum { IN_KEYS, IN_LONG_LINE, IN_HEADER, IN_GAP, IN_RECORDS } phase;
    struct key_section keys;
    uint64_t header_offset, data_offset; /* of the file */
    uint32_t record_bytes;
    bool one_byte_thread, two_times;
    bool dual; /* both times are used: in an event, wall comes first */
    frame_id first_unknown_frame;
    uint32_t *tracks; /* by record's thread id: track + 1; 0 = not seen */
    struct event batch[BATCH];
};

static enum detection detect(const uint8_t *p, size_t n, bool final)
{
    static const char MAGIC[] = "*version";
    size_t length = sizeof(MAGIC) - 1;
    size_t known = n < length ? n : length;

    if (memcmp(p, MAGIC, known) != 0)
        return DETECT_NO;
    if (n > length)
        return p[length] == '\n' || p[length] == '\r' ? DETECT_YES : DETECT_NO;
    return final ? DETECT_NO : DETECT_MORE;
}

static bool begin(void *state, struct builder *b, const struct reader_limits *limits, struct diag *diag)
{
    struct android_trace *t = state;

    t->builder = b;
    t->limits = limits;
    t->diag = diag;
    t->tracks = arena_array(builder_arena(b), 65536, sizeof(*t->tracks));
    if (t->tracks == NULL)
        return builder_failed(b, diag);
    return key_section_init(&t->keys, b, limits, diag);
}

/* ---- key section ---- */

/* One line, or the beginning of one that is too long. Returns the bytes taken; 0: more are needed. */
static size_t feed_line(struct android_trace *t, const uint8_t *p, size_t n, uint64_t offset, bool *ok)
{
    const uint8_t *lf = memchr(p, '\n', n);
    size_t length = lf == NULL ? n : (size_t)(lf - p);
    bool cut = length > t->limits->line_bytes;

    if (lf == NULL && !cut)
        return 0;
    if (cut) {
        builder_warn(t->builder, WARN_NAME_CUT, 1, offset);
        length = t->limits->line_bytes;
    }
    *ok = key_section_line(&t->keys, (struct str){(const char *)p, length}, offset);
    if (t->keys.part == KEY_END)
        t->phase = IN_HEADER;
    if (lf == NULL) {
        t->phase = IN_LONG_LINE;
        return n;
    }
    return (size_t)(lf - p) + 1;
}

static size_t skip_line(struct android_trace *t, const uint8_t *p, size_t n)
{
    const uint8_t *lf = memchr(p, '\n', n);

    if (lf == NULL)
        return n;
    t->phase = t->keys.part == KEY_END ? IN_HEADER : IN_KEYS;
    return (size_t)(lf - p) + 1;
}

/* ---- header ---- */

/* A conversion to UTF-8 puts EF BF BD where a byte of the binary part was not valid text. */
static bool text_damaged(const uint8_t *p, size_t n)
{
    unsigned marks = 0;

    if (n > DAMAGE_WINDOW_BYTES)
        n = DAMAGE_WINDOW_BYTES;
    for (size_t i = 0; i + 3 <= n && marks < DAMAGE_MARKS; i++)
        if (p[i] == 0xef && p[i + 1] == 0xbf && p[i + 2] == 0xbd)
            marks++;
    return marks >= DAMAGE_MARKS;
}

static bool check_record_size(struct android_trace *t, uint32_t version, uint32_t declared)
{
    t->one_byte_thread = version == 1;
    t->record_bytes = version == 1 ? 9 : version == 2 ? 10 : declared;
    t->two_times = t->record_bytes >= 14;
    if (t->record_bytes >= (version == 1 ? 9 : 10))
        return true;
    return diag_at(t->diag, DIAG_UNUSABLE, t->header_offset + 16, "damaged trace header", PULL_AGAIN,
                   "The binary header says that a record has %u bytes; it has at least 10.", declared);
}

/* The clocks of the events and their names. A single clock is the first time of a record, whichever it is. */
static bool declare_values(struct android_trace *t)
{
    static const struct profile_value WALL = {STR_INIT("wall"), STR_INIT("wall time"), UNIT_NS, ROLE_WALL};
    static const struct profile_value CPU = {STR_INIT("cpu"), STR_INIT("thread CPU time"), UNIT_NS, ROLE_CPU};
    static const struct profile_value CALLS = {STR_INIT("calls"), STR_INIT("calls"), UNIT_COUNT, ROLE_CALLS};
    struct profile_value values[3];
    uint32_t n = 0;
    enum key_clock clock = t->keys.clock;

    if (clock == KEY_CLOCK_UNKNOWN) {
        builder_warn(t->builder, WARN_CLOCK_UNKNOWN, 1, WARNING_NO_OFFSET);
        clock = t->two_times ? KEY_CLOCK_DUAL : KEY_CLOCK_CPU;
    }
    if (clock == KEY_CLOCK_DUAL && !t->two_times)
        clock = KEY_CLOCK_CPU;
    if (clock != KEY_CLOCK_CPU)
        values[n++] = WALL;
    if (clock != KEY_CLOCK_WALL)
        values[n++] = CPU;
    t->dual = n == 2;
    values[n] = CALLS;
    return builder_values(t->builder, values, n + 1, n) || builder_failed(t->builder, t->diag);
}

static bool put_number(struct android_trace *t, struct str name, uint64_t value)
{
    char text[24];

    snprintf(text, sizeof(text), "%" PRIu64, value);
    return builder_fact(t->builder, name, str_of(text)) || builder_failed(t->builder, t->diag);
}

static bool read_header(struct android_trace *t, const uint8_t *p, size_t n)
{
    struct cursor c = cursor_of(p, n);
    const uint8_t *magic = cursor_take(&c, 4);
    uint32_t version = cursor_u16(&c), data = cursor_u16(&c);
    uint64_t start_us = cursor_u64(&c);
    uint32_t declared = cursor_u16(&c);

    if (magic == NULL || memcmp(magic, "SLOW", 4) != 0)
        return diag_at(
            t->diag, DIAG_UNUSABLE, t->header_offset, "no trace data behind the key section", PULL_AGAIN,
            magic == NULL ? "The file ends right behind its *end line; expected a binary header (SLOW)."
                          : "Expected a binary header (SLOW) behind the *end line; found something else.");
    if (text_damaged(p, n))
        return diag_at(
            t->diag, DIAG_UNUSABLE, t->header_offset, "damaged by a text conversion", PULL_AGAIN,
            "The binary part is full of replacement characters (EF BF BD): the file was passed through a "
            "text conversion, which cannot be undone.");
    if (c.failed)
        return diag_at(t->diag, DIAG_UNUSABLE, t->header_offset, "cut trace header", PULL_AGAIN,
                       "The file ends within its binary header: %zu of %d bytes are there.", n, HEADER_BYTES);
    if (version < 1 || version > 3)
        return diag_at(t->diag, DIAG_UNUSABLE, t->header_offset + 4, "unknown trace version", PULL_AGAIN,
                       "The binary header says version %u; known behind a key section are 1, 2 and 3.",
                       version);
    if (!check_record_size(t, version, declared))
        return false;
    if (data < (version < 3 ? 16 : HEADER_BYTES_MIN))
        return diag_at(t->diag, DIAG_UNUSABLE, t->header_offset + 6, "damaged trace header", PULL_AGAIN,
                       "The binary header says that the records begin at its byte %u, within the header.",
                       data);
    t->data_offset = t->header_offset + data;
    if (t->keys.version != version)
        builder_warn(t->builder, WARN_VERSION_MISMATCH, 1, t->header_offset + 4);
    t->phase = IN_GAP;
    return declare_values(t) && put_number(t, STR("version"), version) &&
           put_number(t, STR("start_us"), start_us) && put_number(t, STR("record_bytes"), t->record_bytes) &&
           put_number(t, STR("listed_methods"), t->keys.n_methods) &&
           put_number(t, STR("listed_threads"), t->keys.n_threads);
}

/* ---- records ---- */

/* The track of a thread seen for the first time. */
static bool add_track(struct android_trace *t, uint32_t thread, uint64_t offset)
{
    uint32_t id;
    string_id name;

    if (!key_section_thread(&t->keys, thread, &id, &name)) {
        char text[32];
        snprintf(text, sizeof(text), "Thread-%" PRIu32, thread);
        name = builder_string(t->builder, str_of(text));
        builder_warn(t->builder, WARN_UNKNOWN_THREAD, 1, offset);
    }
    uint32_t track = name == STRING_NONE ? NODE_NONE : builder_track(t->builder, id, name);
    if (track == NODE_NONE)
        return builder_failed(t->builder, t->diag);
    t->tracks[thread] = track + 1;
    return true;
}

static frame_id add_unknown_method(struct android_trace *t, uint32_t id)
{
    struct profile_frame frame = {0};
    char text[32];

    snprintf(text, sizeof(text), "unknown[0x%" PRIx32 "]", id);
    frame.name = builder_string(t->builder, str_of(text));
    frame_id known = frame.name == STRING_NONE ? FRAME_NONE : builder_frame(t->builder, &frame);
    if (known == FRAME_NONE || !method_table_set(&t->keys.methods, id, known)) {
        builder_failed(t->builder, t->diag);
        return FRAME_NONE;
    }
    return known;
}

static uint32_t le32(const uint8_t *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

/* A record whose thread or method is not known yet. False with diag set, or without: a record to be left out.
 */
static bool decode_rare(struct android_trace *t, uint32_t thread, uint32_t word, uint64_t offset,
                        struct event *e)
{
    if (thread == 0) {
        builder_warn(t->builder, WARN_THREAD_ZERO, 1, offset);
        return false;
    }
    if (t->tracks[thread] == 0 && !add_track(t, thread, offset))
        return false;
    e->track = t->tracks[thread] - 1;
    if (e->frame < t->first_unknown_frame)
        return true;
    builder_warn(t->builder, WARN_UNKNOWN_METHOD, 1, offset);
    if (e->frame == FRAME_NONE)
        e->frame = add_unknown_method(t, word & ~3u);
    return e->frame != FRAME_NONE;
}

/* Records side by side into the batch, up to the first one that has to be left out. Returns the bytes taken.
 * `dual` is a constant where this is inlined: version 3 with both clocks, which nearly all files are. */
static inline __attribute__((always_inline)) size_t decode(struct android_trace *t, const uint8_t *p,
                                                           size_t n, uint64_t offset, size_t *count,
                                                           const bool dual)
{
    const size_t size = t->record_bytes;
    const uint32_t *tracks = t->tracks;
    const frame_id first_unknown = t->first_unknown_frame;
    size_t used = 0;

    for (*count = 0; *count < BATCH && n - used >= size; ++*count) {
        struct event *e = &t->batch[*count];
        const uint8_t *record = p + used;
        const uint8_t *rest = record + (dual || !t->one_byte_thread ? 2 : 1);
        uint32_t thread =
            dual || !t->one_byte_thread ? (uint32_t)record[0] | (uint32_t)record[1] << 8 : record[0];
        uint32_t word = le32(rest);
        e->clock[0] = le32(rest + (dual ? 8 : 4));
        if (dual)
            e->clock[1] = le32(rest + 4);
        e->track = tracks[thread] - 1;
        e->action = (enum event_action)(word & 3);
        e->frame = method_table_get(&t->keys.methods, word & ~3u);
        used += size;
        if (__builtin_expect(e->track == UINT32_MAX || e->frame >= first_unknown, 0) &&
            !decode_rare(t, thread, word, offset + used - size, e))
            break;
    }
    return used;
}

static size_t feed_records(struct android_trace *t, const uint8_t *p, size_t n, uint64_t offset, bool *ok)
{
    size_t used = 0;

    while (*ok && n - used >= t->record_bytes) {
        size_t count, taken = t->dual ? decode(t, p + used, n - used, offset + used, &count, true)
                                      : decode(t, p + used, n - used, offset + used, &count, false);
        *ok = t->diag->kind == DIAG_NONE &&
              (builder_events(t->builder, t->batch, count, offset + used, t->record_bytes) ||
               builder_failed(t->builder, t->diag));
        used += taken;
    }
    return used;
}

/* ---- the whole ---- */

static bool prepare_records(struct android_trace *t)
{
    t->phase = IN_RECORDS;
    /* Frames made from now on are those of methods that the table lacks. */
    t->first_unknown_frame = builder_frame_count(t->builder);
    return method_table_seal(&t->keys.methods) || builder_failed(t->builder, t->diag);
}

/* Takes what the present phase can take; 0: it needs more bytes. */
static size_t feed_phase(struct android_trace *t, const uint8_t *p, size_t n, uint64_t offset, bool final,
                         bool *ok)
{
    switch (t->phase) {
    case IN_KEYS:
        return feed_line(t, p, n, offset, ok);
    case IN_LONG_LINE:
        return skip_line(t, p, n);
    case IN_HEADER:
        if (n < DAMAGE_WINDOW_BYTES && !final)
            return 0;
        t->header_offset = offset;
        *ok = read_header(t, p, n);
        return 0;
    case IN_GAP: {
        uint64_t gap = t->data_offset - offset;
        if (gap == 0)
            *ok = prepare_records(t);
        return gap < n ? (size_t)gap : n;
    }
    case IN_RECORDS:
        return feed_records(t, p, n, offset, ok);
    }
    return 0;
}

static bool feed(void *state, const uint8_t *p, size_t n, uint64_t offset, bool final, size_t *consumed)
{
    struct android_trace *t = state;
    size_t used = 0;
    bool ok = true;

    for (;;) {
        unsigned phase = t->phase;
        size_t taken = feed_phase(t, p + used, n - used, offset + used, final, &ok);
        used += taken;
        if (!ok || (taken == 0 && t->phase == phase))
            break;
    }
    *consumed = used;
    if (ok && final && t->phase == IN_RECORDS && n > used)
        builder_warn(t->builder, WARN_CUT_RECORD, 1, offset + used);
    return ok;
}

static bool finish(void *state, uint64_t file_bytes)
{
    struct android_trace *t = state;

    if (t->phase == IN_KEYS || t->phase == IN_LONG_LINE)
        return diag_at(
            t->diag, DIAG_UNUSABLE, file_bytes, "key section never ends",
            "Upload the whole file; of a trace in two files, the key file and then the data file in one: "
            "cat x.key x.data > x.trace",
            "The file begins as an Android method trace, but ends without the line *end.");
    if (t->phase == IN_GAP)
        return diag_at(t->diag, DIAG_UNUSABLE, t->header_offset + 6, "damaged trace header", PULL_AGAIN,
                       "The records should begin at byte %llu of the file, which has %llu bytes.",
                       (unsigned long long)t->data_offset, (unsigned long long)file_bytes);
    if (builder_event_count(t->builder) == 0)
        return diag_at(
            t->diag, DIAG_UNUSABLE, t->data_offset, "no records",
            "Let the app run some code between startMethodTracing and stopMethodTracing, and pull the file "
            "only after the recording was stopped.",
            "The file has a method table but not one whole record: nothing was recorded, or the file was "
            "cut.");
    return true;
}

const struct format FORMAT_ANDROID_TRACE = {
    .name = "android-trace",
    .label = "Android method trace",
    .state_bytes = sizeof(struct android_trace),
    .detect = detect,
    .begin = begin,
    .feed = feed,
    .finish = finish,
};
