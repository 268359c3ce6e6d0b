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
#include <string.h>

#include "core/cursor.h"
#include "parser/android/common.h"

enum {
    HEADER_BYTES = 32,
    HEADER_BYTES_MIN = 18 /* up to the last field that is used */
};

/* How the records are laid out. */
struct records {
    uint32_t bytes;
    bool one_byte_thread, two_times;
};

enum { PIECES_MAX = PARALLEL_JOBS_MAX };

struct android_trace {
    struct android android;
    uint64_t header_offset, data_offset; /* of the file */
    struct records records;
    const struct parallel *parallel;
    struct event batch[ANDROID_BATCH];
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

/* NULL: diag. */
static struct android_trace *begin(struct reading *r)
{
    struct android_trace *t = arena_alloc(builder_arena(r->builder), sizeof(*t));

    if (t == NULL) {
        builder_failed(r->builder, r->diag);
        return NULL;
    }
    t->android.short_threads = true;
    t->parallel = r->parallel;
    return android_init(&t->android, r) ? t : NULL;
}

static bool read_keys(struct android_trace *t)
{
    struct android *a = &t->android;
    uint64_t left = UINT64_MAX;
    bool ok = true;

    while (ok && a->keys.part != KEY_END && android_line(a, &left, &ok))
        continue;
    if (!ok || a->keys.part == KEY_END)
        return ok;
    source_pass(a->source, UINT64_MAX);
    return diag_at(
        a->diag, DIAG_UNUSABLE, source_offset(a->source), "key section never ends",
        "Copy the file again and check that it is whole: it ends here, within its list of threads and methods.",
        "The file begins as an Android method trace, but ends without the line *end: it was cut.");
}

/* ---- header ---- */

static bool check_record_size(struct android_trace *t, uint32_t version, uint32_t declared)
{
    t->records.one_byte_thread = version == 1;
    t->records.bytes = version == 1 ? 9 : version == 2 ? 10 : declared;
    t->records.two_times = t->records.bytes >= 14;
    if (t->records.bytes >= (version == 1 ? 9 : 10))
        return true;
    return diag_at(t->android.diag, DIAG_UNUSABLE, t->header_offset + 16, "damaged trace header",
                   ANDROID_PULL_AGAIN,
                   "The binary header says that a record has %u bytes; it has at least 10.", declared);
}

/* A single clock is the first time of a record, whichever it is. */
static bool declare_values(struct android_trace *t)
{
    enum key_clock clock = t->android.keys.clock;

    if (clock == KEY_CLOCK_UNKNOWN) {
        builder_warn(t->android.builder, WARN_CLOCK_UNKNOWN, 1, WARNING_NO_OFFSET);
        clock = t->records.two_times ? KEY_CLOCK_DUAL : KEY_CLOCK_CPU;
    }
    if (clock == KEY_CLOCK_DUAL && !t->records.two_times) {
        builder_warn(t->android.builder, WARN_CLOCK_UNKNOWN, 1, WARNING_NO_OFFSET);
        clock = KEY_CLOCK_CPU;
    }
    return android_values(&t->android, clock);
}

static bool read_header(struct android_trace *t)
{
    size_t n;
    const uint8_t *p = source_need(t->android.source, ANDROID_WINDOW_BYTES, &n);
    struct cursor c = cursor_of(p, n);
    const uint8_t *magic = cursor_take(&c, 4);
    uint32_t version = cursor_u16(&c), data = cursor_u16(&c);
    uint64_t start_us = cursor_u64(&c);
    uint32_t declared = cursor_u16(&c);

    t->header_offset = source_offset(t->android.source);
    if (n == 0) {
        diag_at(
            t->android.diag, DIAG_UNUSABLE, t->header_offset, "no trace data behind the key section",
            "Upload it together with its data file (.data), as a trace in two files. If there is no data file, "
            "pull the trace from the device again (adb pull).",
            "The file ends with its *end line: it is the key file of a trace in two files, or was cut.");
        t->android.diag->topic = DIAG_ABOUT_TWO_FILES;
        return false;
    }
    if (magic == NULL || memcmp(magic, "SLOW", 4) != 0)
        return diag_at(t->android.diag, DIAG_UNUSABLE, t->header_offset,
                       "no trace data behind the key section", ANDROID_PULL_AGAIN,
                       magic == NULL
                           ? "The file ends within its binary header."
                           : "Expected a binary header (SLOW) behind the *end line; found something else.");
    if (android_converted(p, n, t->header_offset, !t->android.keys.has_crlf, t->android.diag))
        return false;
    if (c.failed)
        return diag_at(t->android.diag, DIAG_UNUSABLE, t->header_offset, "cut trace header",
                       ANDROID_PULL_AGAIN,
                       "The file ends within its binary header: %zu of %d bytes are there.", n, HEADER_BYTES);
    if (version < 1 || version > 3)
        return diag_at(
            t->android.diag, DIAG_UNUSABLE, t->header_offset + 4, "unknown trace version", ANDROID_PULL_AGAIN,
            "The binary header says version %u; known behind a key section are 1, 2 and 3.", version);
    if (!check_record_size(t, version, declared))
        return false;
    if (data < (version < 3 ? 16 : HEADER_BYTES_MIN))
        return diag_at(
            t->android.diag, DIAG_UNUSABLE, t->header_offset + 6, "damaged trace header", ANDROID_PULL_AGAIN,
            "The binary header says that the records begin at its byte %u, within the header.", data);
    t->data_offset = t->header_offset + data;
    if (t->android.keys.version != version)
        builder_warn(t->android.builder, WARN_VERSION_MISMATCH, 1, t->header_offset + 4);
    return declare_values(t) && android_fact_number(&t->android, STR("version"), version) &&
           android_fact_number(&t->android, STR("start_us"), start_us) &&
           android_fact_number(&t->android, STR("record_bytes"), t->records.bytes) &&
           android_fact_lists(&t->android);
}

/* ---- records ---- */

/* A record whose thread or method is not in the tables. False with diag set, or without: a record to be left
 * out. */
static bool decode_rare(struct android_trace *t, uint32_t thread, uint32_t word, uint64_t offset,
                        struct event *e)
{
    if (thread == 0) {
        t->android.checks.reserved_records++;
        builder_warn(t->android.builder, WARN_THREAD_ZERO, 1, offset);
        return false;
    }
    return android_look_further(&t->android, thread, word, offset, e);
}

/* Records side by side into the batch, up to the first one that has to be left out. Returns the bytes taken.
 * What the records are like is constant where this is inlined; `dual`: version 3 with both clocks, which
 * nearly all files are. */
static inline __attribute__((always_inline)) size_t decode(struct android_trace *t, const uint8_t *p,
                                                           size_t n, uint64_t offset, size_t *count,
                                                           const bool dual, const bool one_byte_thread)
{
    const size_t size = t->records.bytes, places = n / size < ANDROID_BATCH ? n / size : ANDROID_BATCH;
    struct android_tables tables = android_tables(&t->android);
    struct event *e = t->batch;
    const uint8_t *record = p;

    for (const struct event *end = e + places; e < end; e++) {
        const uint8_t *rest = record + (one_byte_thread ? 1 : 2);
        uint32_t thread = one_byte_thread ? record[0] : (uint32_t)record[0] | (uint32_t)record[1] << 8;
        uint32_t word = cursor_le32(rest);
        /* declare_values sets two clocks only where a record has 14 bytes or more: all reads stay within it. */
        e->clock[0] = cursor_le32(rest + (dual ? 8 : 4));
        if (dual)
            e->clock[1] = cursor_le32(rest + 4);
        e->action = (enum event_action)(word & 3);
        e->at = 0;
        record += size;
        if (__builtin_expect(android_look_up(&tables, thread, word, e), 1))
            continue;
        if (!decode_rare(t, thread, word, offset + (size_t)(record - p) - size, e))
            break;
        tables = android_tables(&t->android);
    }
    *count = (size_t)(e - t->batch);
    return (size_t)(record - p);
}

static size_t decode_records(struct android_trace *t, const uint8_t *p, size_t n, uint64_t offset,
                             size_t *count)
{
    if (t->android.dual)
        return decode(t, p, n, offset, count, true, false);
    return t->records.one_byte_thread ? decode(t, p, n, offset, count, false, true)
                                      : decode(t, p, n, offset, count, false, false);
}

/* Up to the last whole record before this offset. */
static bool read_records(struct android_trace *t, uint64_t end)
{
    struct android *a = &t->android;
    struct source *s = a->source;
    bool ok = true;
    size_t n;

    while (ok) {
        const uint8_t *p = source_need(s, t->records.bytes, &n);
        size_t count;
        uint64_t offset = source_offset(s);
        if (n > end - offset)
            n = (size_t)(end - offset);
        if (n < t->records.bytes)
            break;
        size_t used = decode_records(t, p, n, offset, &count);
        ok = a->diag->kind == DIAG_NONE && android_events(a, t->batch, count, offset, t->records.bytes);
        source_consume(s, used);
    }
    return ok;
}

/* ---- records in pieces ---- */

/* A piece of the records, which begins and ends with whole ones. */
struct piece {
    struct android_trace *trace; /* of the first piece that of the file itself, else one of its own; */
    struct arena arena;          /* which is in here, */
    struct source source;        /* and reads from there */
    struct diag diag;
    uint64_t from, to;
    bool ok; /* else diag of the first piece, or whatever kept a later one from its end */
};

static void read_piece(void *of)
{
    struct piece *piece = of;

    piece->ok = read_records(piece->trace, piece->to);
}

static bool android_piece(struct android *piece, const struct android *a, struct arena *arena,
                          struct source *source, struct diag *diag)
{
    *piece = (struct android){.source = source,
                              .builder = builder_piece(a->builder, arena),
                              .limits = a->limits,
                              .diag = diag,
                              .keys = a->keys,
                              .bare_exits = a->bare_exits,
                              .short_threads = a->short_threads,
                              .is_piece = true,
                              .n_shared = builder_frame_count(a->builder),
                              .wall = a->wall,
                              .dual = a->dual};
    idmap_init(&piece->unknown_index, arena, builder_seed(a->builder));
    return piece->builder != NULL;
}

/* A later piece may need more memory than is left. Then it is read as if there were no pieces, once more. */
static bool begin_piece(struct piece *piece, const struct android_trace *t, unsigned nth, size_t bytes)
{
    const struct source_input *in = t->android.source->input;

    arena_init(&piece->arena, bytes);
    piece->arena.stop = builder_arena(t->android.builder)->stop;
    piece->trace = arena_alloc(&piece->arena, sizeof(*piece->trace));
    if (piece->trace == NULL)
        return false;
    piece->trace->records = t->records;
    source_of_input(&piece->source, &piece->arena, in->beside != NULL ? &in->beside[nth - 1] : in);
    source_jump(&piece->source, piece->from);
    return android_piece(&piece->trace->android, &t->android, &piece->arena, &piece->source, &piece->diag);
}

/* How many pieces are worth it, and where they begin. Less than two: none. */
static unsigned cut(const struct android_trace *t, struct piece *pieces)
{
    const struct source_input *in = t->android.source->input;
    uint64_t begin = source_offset(t->android.source), size = t->records.bytes, end, n;

    if (t->parallel == NULL || in == NULL || in->size == NULL || !in->size(in->context, &end) ||
        end < begin || !builder_has_pieces(t->android.builder))
        return 0;
    n = (end - begin) / t->parallel->piece_bytes;
    n = n < t->parallel->jobs ? n : t->parallel->jobs;
    n = n < PIECES_MAX ? n : PIECES_MAX;
    for (uint64_t i = 0, records = (end - begin) / size; i < n; i++) {
        pieces[i].from = begin + records * i / n * size;
        pieces[i].to = begin + records * (i + 1) / n * size;
    }
    return (unsigned)n;
}

/* What came of a piece joins what came before it; or its records are read behind that. A file that is shorter by now
 * than it was ends within the piece, or came to its end before. */
static bool join_piece(struct android_trace *t, const struct piece *piece)
{
    bool joined = false, whole = piece->ok && source_offset(&piece->source) == piece->to;

    if (source_offset(t->android.source) != piece->from)
        return true;
    if (whole && !android_join(&t->android, &piece->trace->android, &joined))
        return false;
    if (joined)
        source_jump(t->android.source, piece->to);
    return joined || read_records(t, piece->to);
}

/* Reads the records of a long file by several threads: see join.c of profile/build for what is exact about it. What is
 * not read here is still to be read. */
static bool read_pieces(struct android_trace *t)
{
    struct piece pieces[PIECES_MAX] = {{.trace = t}};
    struct parallel_job jobs[PIECES_MAX];
    const struct arena *arena = builder_arena(t->android.builder);
    unsigned n = cut(t, pieces), begun = 1;

    if (n < 2)
        return true;
    while (begun < n && begin_piece(&pieces[begun], t, begun, (arena->limit_bytes - arena->used_bytes) / n))
        begun++;
    for (unsigned i = 0; i < begun; i++)
        jobs[i] = (struct parallel_job){read_piece, &pieces[i]};
    t->parallel->run(t->parallel, jobs, begun);
    bool ok = pieces[0].ok;
    for (unsigned i = 1; i < begun && ok; i++)
        ok = join_piece(t, &pieces[i]);
    for (unsigned i = 1; i < n; i++)
        arena_free(&pieces[i].arena);
    return ok;
}

static bool read_all_records(struct android_trace *t)
{
    struct source *s = t->android.source;
    size_t n;

    if (!read_pieces(t) || !read_records(t, UINT64_MAX))
        return false;
    source_need(s, 1, &n);
    if (n > 0)
        builder_warn(t->android.builder, WARN_CUT_RECORD, 1, source_offset(s));
    return true;
}

/* From the header to the records. */
static bool read_gap(struct android_trace *t)
{
    struct source *s = t->android.source;
    uint64_t gap = t->data_offset - t->header_offset;

    return source_pass(s, gap) == gap ||
           diag_at(t->android.diag, DIAG_UNUSABLE, t->header_offset + 6, "damaged trace header",
                   ANDROID_PULL_AGAIN,
                   "The records should begin at byte %llu of the file, which has %llu bytes.",
                   (unsigned long long)t->data_offset, (unsigned long long)source_offset(s));
}

static bool read_trace(struct reading *r)
{
    struct android_trace *t = begin(r);

    return t != NULL && read_keys(t) && read_header(t) && read_gap(t) && read_all_records(t) &&
           android_finish(&t->android, t->data_offset);
}

const struct format FORMAT_ANDROID_TRACE = {
    .name = "android-trace",
    .label = "Android method trace",
    .written_by = "`Debug.startMethodTracing` and `am profile` of Dalvik and ART; versions 1 to 3",
    .detect = detect,
    .read = read_trace,
};
