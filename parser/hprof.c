/* Java samples of the hprof agents, as text and in binary: of Android's SamplingProfiler (libcore, AsciiHprofWriter and
 * BinaryHprofWriter) and of the JDK (hprof_io.c, hprof_b_spec.h).
 *
 * Both forms tell of threads, of stacks (called TRACE there), and of how often each was seen. All of them are known by numbers, may come
 * in any order, and are put together at the end.
 *
 * Each thread is a track. Stacks that name no thread are one track together. A stack is cut at the recorder's depth: its
 * innermost frames are kept, and nothing says that others were there. So one that is as deep as that is counted. */
#include <stdio.h>
#include <string.h>

#include "core/clean.h"
#include "core/cursor.h"
#include "core/idmap.h"
#include "core/number.h"
#include "core/order.h"
#include "parser/format.h"
#include "parser/text_lines.h"

struct stack {
    uint32_t thread; /* 0: none is named */
    size_t first;    /* of its frames, the innermost first */
    size_t n;
    uint64_t count;
    bool listed; /* else only its count is known */
};

struct hprof {
    struct source *source;
    struct builder *builder;
    const struct reader_limits *limits;
    struct diag *diag;
    struct idmap threads; /* number -> string_id of the name */
    uint32_t n_threads;
    struct idmap tracks; /* number of a thread -> its track */
    struct idmap named;  /* numbers of threads that a stack names */
    struct idmap stacks; /* number -> place in the list */
    struct stack *list;
    size_t n_stacks, stacks_capacity;
    uint32_t current; /* the stack that was begun last */
    frame_id *frames; /* of all stacks */
    size_t n_frames, frames_capacity;
    uint64_t declared, counted; /* samples */
    bool has_counts;            /* the part with the counts began */
    uint32_t depth;             /* to which stacks are kept; 0: the file does not say */
};

/* Sets diag if it is not set: memory or a limit. Always false, as all functions here are when diag is set. */
static bool failed(struct hprof *h)
{
    return builder_failed(h->builder, h->diag);
}

static bool refuse_dump(struct diag *diag)
{
    return diag_set(
        diag, DIAG_FOREIGN, "heap dump",
        "It opens in Android Studio, or in Eclipse MAT after hprof-conv. To see who allocates, record a heap "
        "profile with Perfetto (heapprofd).",
        "This is a heap dump in the hprof format: the objects of one moment, and no stacks over time.");
}

static bool begin(struct hprof *h, struct reading *r)
{
    struct builder *b = r->builder;
    static const struct profile_value SAMPLES = {STR_INIT("samples"), STR_INIT("samples"), UNIT_COUNT,
                                                 ROLE_SAMPLES};

    *h = (struct hprof){.source = r->source, .builder = b, .limits = r->limits, .diag = r->diag};
    idmap_init(&h->threads, builder_arena(b), builder_seed(b));
    idmap_init(&h->tracks, builder_arena(b), builder_seed(b));
    idmap_init(&h->named, builder_arena(b), builder_seed(b));
    idmap_init(&h->stacks, builder_arena(b), builder_seed(b));
    return builder_values(b, NULL, 0, &SAMPLES, 1) || failed(h);
}

/* A name, cut to the limit. STRING_NONE: diag is set. */
static string_id add_name(struct hprof *h, struct str name, uint64_t offset)
{
    string_id id = builder_name(h->builder, name, h->limits->name_bytes, offset);

    if (id == STRING_NONE)
        failed(h);
    return id;
}

static bool add_thread(struct hprof *h, uint32_t thread, struct str name, uint64_t offset)
{
    uint32_t was = idmap_get(&h->threads, thread);
    string_id id = add_name(h, name, offset);

    if (id == STRING_NONE)
        return false;
    if (was != IDMAP_NONE && was != id)
        builder_warn(h->builder, WARN_THREAD_REDEFINED, 1, offset);
    if (was == IDMAP_NONE && h->n_threads++ >= h->limits->threads) {
        diag_set(h->diag, DIAG_LIMIT, "too many threads", "Record fewer threads.",
                 "The file lists more threads than the limit of %u.", h->limits->threads);
        h->diag->topic = DIAG_ABOUT_THREADS;
        return false;
    }
    return idmap_set(&h->threads, thread, id) || failed(h);
}

/* A frame that has only this name. FRAME_NONE: no memory. */
static frame_id frame_named(struct hprof *h, struct str name)
{
    struct profile_frame frame = {.name = builder_string(h->builder, name)};

    return frame.name == STRING_NONE ? FRAME_NONE : builder_frame(h->builder, &frame);
}

/* The stack of that number, made if it is new. NULL: diag is set. */
static struct stack *stack_of(struct hprof *h, uint32_t number)
{
    uint32_t place = idmap_get(&h->stacks, number);

    if (place == IDMAP_NONE) {
        if (!ARENA_ROOM(builder_arena(h->builder), h->list, h->stacks_capacity, h->n_stacks + 1) ||
            !idmap_set(&h->stacks, number, (uint32_t)h->n_stacks)) {
            failed(h);
            return NULL;
        }
        place = (uint32_t)h->n_stacks++;
        h->list[place] = (struct stack){.thread = 0};
    }
    return &h->list[place];
}

/* A new stack, whose frames follow, the innermost first; what was listed under that number before is forgotten. */
static bool begin_stack(struct hprof *h, uint32_t stack, uint32_t thread, uint64_t offset)
{
    struct stack *s = stack_of(h, stack);

    if (s == NULL)
        return false;
    if (s->listed)
        builder_warn(h->builder, WARN_STACK_REDEFINED, 1, offset);
    s->thread = thread;
    s->first = h->n_frames;
    s->n = 0;
    s->listed = true;
    h->current = (uint32_t)(s - h->list);
    return idmap_set(&h->named, thread, 0) || failed(h);
}

/* The next frame of the stack that was begun last. */
static bool add_frame(struct hprof *h, frame_id frame)
{
    if (!ARENA_ROOM(builder_arena(h->builder), h->frames, h->frames_capacity, h->n_frames + 1) ||
        frame == FRAME_NONE)
        return failed(h);
    h->frames[h->n_frames++] = frame;
    h->list[h->current].n++;
    return true;
}

static bool add_count(struct hprof *h, uint32_t stack, uint64_t count)
{
    struct stack *s = stack_of(h, stack);

    if (s == NULL)
        return false;
    s->count = number_add(s->count, count);
    h->counted = number_add(h->counted, count);
    return true;
}

/* The track of a thread, made when its first stack comes. NODE_NONE: no memory. */
static uint32_t track_of(struct hprof *h, uint32_t thread)
{
    uint32_t track = idmap_get(&h->tracks, thread), id = thread;
    string_id name = idmap_get(&h->threads, thread);
    char text[32];

    if (track != IDMAP_NONE)
        return track;
    if (thread == 0) {
        /* A number that no thread has. It takes one look more than there are threads and stacks at most, whose number has a limit. */
        for (id = 1; idmap_get(&h->threads, id) != IDMAP_NONE || idmap_get(&h->named, id) != IDMAP_NONE; id++)
            continue;
        name = builder_string(h->builder, STR("all threads"));
    } else if (name == IDMAP_NONE) {
        builder_warn(h->builder, WARN_UNKNOWN_THREAD, 1, WARNING_NO_OFFSET);
        snprintf(text, sizeof(text), "Thread-%u", thread);
        name = builder_string(h->builder, str_of(text));
    }
    track = name == STRING_NONE ? NODE_NONE : builder_track(h->builder, id, name);
    if (track != NODE_NONE && thread == 0)
        builder_track_is(h->builder, track, &(struct track_words){.kind = TRACK_WHOLE, .number = id});
    return track != NODE_NONE && idmap_set(&h->tracks, thread, track) ? track : NODE_NONE;
}

static bool add_stack(struct hprof *h, const struct stack *s, frame_id unknown)
{
    uint32_t track = track_of(h, s->listed ? s->thread : 0);
    frame_id *frames = s->n > 0 ? h->frames + s->first : &unknown;
    size_t n = s->n > 0 ? s->n : 1;

    if (!s->listed)
        builder_warn(h->builder, WARN_UNKNOWN_STACK, s->count, WARNING_NO_OFFSET);
    /* Each stack has frames of its own and comes here once: they can be turned in place. */
    order_reverse(frames, n);
    return track != NODE_NONE &&
           builder_sample(h->builder, track, builder_stack(h->builder, track, NODE_NONE, frames, n),
                          &s->count);
}

/* Counts stacks with samples of the recorder's depth, or of the largest, if it is not known. One of the largest need not be cut. */
static void judge_depth(struct hprof *h)
{
    size_t depth = h->depth > 0 ? h->depth : 1;
    uint64_t deepest = 0;

    for (size_t i = 0; i < h->n_stacks; i++) {
        if (h->depth == 0 && h->list[i].n > depth) {
            depth = h->list[i].n;
            deepest = 0;
        }
        deepest += h->list[i].n == depth && h->list[i].count > 0;
    }
    if (deepest > (h->depth == 0 ? 1u : 0u))
        builder_warn(h->builder, WARN_STACKS_CUT, deepest, WARNING_NO_OFFSET);
}

static bool no_samples(struct hprof *h)
{
    if (!h->has_counts)
        return diag_set(
            h->diag, DIAG_UNUSABLE, "no samples",
            "Stop the recording first, then fetch the file. Record with CPU samples (cpu=samples).",
            "The file is of the hprof format, but has no counts of CPU samples: it was cut, or recorded "
            "something else.");
    return diag_set(h->diag, DIAG_UNUSABLE, "no samples", "Record for a longer time, while the app works.",
                    "The file is of the hprof format, and has no CPU sample.");
}

/* Puts the samples into the builder; says so if there are none. */
static bool finish(struct hprof *h)
{
    char depth[16];

    if (h->diag->kind != DIAG_NONE)
        return false;
    if (h->counted == 0)
        return no_samples(h);
    frame_id unknown = frame_named(h, STR("unknown"));
    if (unknown == FRAME_NONE)
        return failed(h);
    for (size_t i = 0; i < h->n_stacks; i++)
        if (h->list[i].count > 0 && !add_stack(h, &h->list[i], unknown))
            return failed(h);
    judge_depth(h);
    if (h->declared > h->counted)
        builder_warn(h->builder, WARN_SAMPLES_MISSING, h->declared - h->counted, WARNING_NO_OFFSET);
    snprintf(depth, sizeof(depth), "%u", h->depth);
    return h->depth == 0 || builder_fact(h->builder, STR("stack_depth"), str_of(depth)) || failed(h);
}

/* ---- text ----
 *
 *   JAVA PROFILE 1.0.1, created ...                                          the JDK only; its licence follows
 *   THREAD START (obj=N, id = ID, name="NAME", group="GROUP")                NAME as it is, with its quotes and line ends
 *   THREAD END (id = ID)
 *   TRACE N: (thread=ID)                                                     the JDK may leave the thread out
 *   TAB package.Class.method(File.java:12)                                   the innermost frame first
 *   CPU SAMPLES BEGIN (total = N) DATE
 *   rank   self  accum   count trace method
 *      1 42.15% 42.15%     247  300003 Gen.fib
 *   CPU SAMPLES END
 *
 * Numbers of the last part are written as the recorder's language does it: with a decimal comma, or with other digits. Only
 * count and trace are read there. Blocks and lines that are not listed here are passed over. */

struct text {
    struct hprof h;
    struct text_lines lines;
    enum { NOWHERE, IN_STACK, IN_SAMPLES, IN_NAME } in;
    bool ended; /* the samples did */
    bool times; /* it has CPU times, which are something else */
    char *name; /* IN_NAME: a THREAD START line as far as it came */
    size_t name_bytes, name_capacity;
    uint64_t name_offset;
};

static const struct str THREAD_START = STR_INIT("THREAD START (obj="), THREAD_END = STR_INIT("THREAD END ("),
                        TRACE = STR_INIT("TRACE "), SAMPLES_BEGIN = STR_INIT("CPU SAMPLES BEGIN"),
                        SAMPLES_END = STR_INIT("CPU SAMPLES END"),
                        TIME_BEGIN = STR_INIT("CPU TIME (ms) BEGIN"), HEADER = STR_INIT("JAVA PROFILE 1.0");

/* The whole of s as a number, in any script that Android writes numbers in. */
static bool number_of(struct str s, uint64_t *value)
{
    /* The zeros of decimal digits of Unicode: ASCII, Arabic, Persian, Devanagari, Bengali, Gurmukhi, Gujarati, Oriya, Tamil,
     * Telugu, Kannada, Malayalam, Thai, Lao, Tibetan, Burmese, Khmer. All are up to three bytes of UTF-8. */
    static const uint32_t ZEROS[] = {'0',   0x660, 0x6f0, 0x966, 0x9e6, 0xa66, 0xae6,  0xb66, 0xbe6,
                                     0xc66, 0xce6, 0xd66, 0xe50, 0xed0, 0xf20, 0x1040, 0x17e0};
    bool some = s.n > 0;

    for (*value = 0; s.n > 0;) {
        uint32_t c = clean_next(&s), digit = 10;
        for (size_t i = 0; digit == 10 && i < sizeof(ZEROS) / sizeof(*ZEROS); i++)
            digit = c >= ZEROS[i] && c < ZEROS[i] + 10 ? c - ZEROS[i] : 10;
        if (digit == 10 || __builtin_mul_overflow(*value, 10, value) ||
            __builtin_add_overflow(*value, digit, value))
            return false;
    }
    return some;
}

/* The number behind `before`, up to `behind`. */
static bool number_between(struct str line, struct str before, char behind, uint64_t *value)
{
    size_t at = str_find_str(line, before);

    if (at == line.n)
        return false;
    line.p += at + before.n;
    line.n -= at + before.n;
    line.n = str_find(line, behind);
    return number_of(str_trim(line), value);
}

static bool id_between(struct str line, struct str before, char behind, uint32_t *id)
{
    uint64_t value;

    if (!number_between(line, before, behind, &value) || value > UINT32_MAX)
        return false;
    *id = (uint32_t)value;
    return true;
}

static bool bad_line(struct text *t, uint64_t offset)
{
    builder_warn(t->h.builder, WARN_BAD_LINE, 1, offset);
    return true;
}

/* The name may hold what else stands in the line: it ends at the last mark of the group. */
static bool thread_starts(struct text *t, struct str line, uint64_t offset)
{
    static const struct str NAME = STR_INIT(", name=\""), GROUP = STR_INIT("\", group=\"");
    size_t from = str_find_str(line, NAME), to = line.n;
    uint32_t id;

    if (from == line.n || !id_between((struct str){line.p, from}, STR("id ="), ',', &id) || id == 0)
        return bad_line(t, offset);
    from += NAME.n;
    for (size_t i = line.n; i-- > from;)
        if (str_starts((struct str){line.p + i, line.n - i}, GROUP)) {
            to = i;
            break;
        }
    return add_thread(&t->h, id, (struct str){line.p + from, to - from}, offset);
}

static bool trace_begins(struct text *t, struct str line, uint64_t offset)
{
    uint32_t trace, thread = 0;

    if (!id_between(line, TRACE, ':', &trace))
        return bad_line(t, offset);
    if (str_find_str(line, STR("(thread=")) < line.n && !id_between(line, STR("(thread="), ')', &thread))
        bad_line(t, offset);
    t->in = IN_STACK;
    return begin_stack(&t->h, trace, thread, offset);
}

/* Without `loader//`, or `loader/module@version/`, which a JDK writes before a class. A `/` behind is the class's own. */
static struct str without_module(struct str method)
{
    size_t twice = str_find_str(method, STR("//")), at = str_find(method, '@'), slash;

    if (twice < method.n)
        return (struct str){method.p + twice + 2, method.n - twice - 2};
    if (at == method.n)
        return method;
    struct str behind = {method.p + at, method.n - at};
    slash = str_find(behind, '/');
    return slash == behind.n ? method : (struct str){behind.p + slash + 1, behind.n - slash - 1};
}

/* package.Class.method(SOURCE): File.java:12, File.java, Native Method, Unknown Source. */
static bool frame_line(struct text *t, struct str line, uint64_t offset)
{
    size_t bracket = str_find_last(line, '(');
    struct str method = without_module(str_trim((struct str){line.p, bracket})), source = STR("");
    size_t dot = str_find_last(method, '.');
    bool has_class = dot < method.n;
    struct profile_frame frame = {
        .scope = add_name(&t->h, (struct str){method.p, has_class ? dot : 0}, offset),
        .name = add_name(&t->h, has_class ? (struct str){method.p + dot + 1, method.n - dot - 1} : method,
                         offset),
        .kind = FRAME_KIND_JAVA};
    uint64_t number = 0;

    if (bracket < line.n)
        source = (struct str){line.p + bracket + 1, line.n - bracket - 1};
    source.n = str_find(source, ')');
    size_t colon = str_find(source, ':');
    if (colon < source.n && number_of((struct str){source.p + colon + 1, source.n - colon - 1}, &number) &&
        number <= INT32_MAX)
        frame.line = (uint32_t)number;
    source.n = colon;
    frame.file = str_find(source, ' ') < source.n ? STRING_EMPTY : add_name(&t->h, source, offset);
    return frame.scope != STRING_NONE && frame.name != STRING_NONE && frame.file != STRING_NONE &&
           add_frame(&t->h, builder_frame(t->h.builder, &frame));
}

static bool take_word(struct str *line, struct str *word)
{
    *line = str_trim(*line);
    word->p = line->p;
    for (word->n = 0; word->n < line->n && line->p[word->n] != ' ' && line->p[word->n] != '\t';)
        word->n++;
    line->p += word->n;
    line->n -= word->n;
    return word->n > 0;
}

/* rank self accum count trace method. Self and accum are no whole numbers, and may stand in one word: they end in %. */
static bool sample_row(struct text *t, struct str line, uint64_t offset)
{
    struct str word, rest = line;
    uint64_t rank, count = 0, trace = 0;

    if (!take_word(&rest, &word) || !number_of(word, &rank))
        return str_starts(word, STR("rank")) || bad_line(t, offset);
    while (take_word(&rest, &word) && !number_of(word, &count))
        continue;
    if (word.n == 0 || !take_word(&rest, &word) || !number_of(word, &trace) || trace > UINT32_MAX)
        return bad_line(t, offset);
    return add_count(&t->h, (uint32_t)trace, count);
}

static bool is_block(struct str line)
{
    return str_starts(line, THREAD_START) || str_starts(line, THREAD_END) || str_starts(line, TRACE) ||
           str_starts(line, SAMPLES_BEGIN);
}

/* The THREAD START line is whole when its end is that of a group. */
static bool name_ends(struct text *t, bool cut)
{
    struct str line = {t->name, t->name_bytes};

    if (!cut && !str_ends(line, STR("\")")))
        return true;
    t->in = NOWHERE;
    return thread_starts(t, line, t->name_offset);
}

static bool name_goes_on(struct text *t, struct str line)
{
    size_t n = t->name_bytes + line.n + 1;

    if (!ARENA_ROOM(t->lines.arena, t->name, t->name_capacity, n))
        return failed(&t->h);
    if (t->name_bytes > 0)
        t->name[t->name_bytes++] = '\n';
    if (line.n > 0)
        memcpy(t->name + t->name_bytes, line.p, line.n);
    t->name_bytes += line.n;
    return name_ends(t, t->name_bytes > t->h.limits->line_bytes);
}

static bool block_line(struct text *t, struct str line, uint64_t offset)
{
    if (str_starts(line, THREAD_START)) {
        t->in = IN_NAME;
        t->name_bytes = 0;
        t->name_offset = offset;
        return name_goes_on(t, line);
    }
    if (str_starts(line, TRACE) && str_find(line, ':') < line.n)
        return trace_begins(t, line, offset);
    if (str_starts(line, SAMPLES_BEGIN)) {
        t->in = IN_SAMPLES;
        t->h.has_counts = true;
        return number_between(line, STR("total ="), ')', &t->h.declared) || true;
    }
    t->times = t->times || str_starts(line, TIME_BEGIN);
    if (line.n > 0)
        t->in = NOWHERE;
    return true;
}

static bool take_line(struct text *t, struct str line, uint64_t offset)
{
    bool indented = line.n > 0 && (line.p[0] == '\t' || line.p[0] == ' ');

    if (t->in == IN_NAME && !is_block(line))
        return name_goes_on(t, line);
    if (t->in == IN_NAME && !name_ends(t, true))
        return false;
    if (t->in == IN_SAMPLES && str_starts(line, SAMPLES_END)) {
        t->in = NOWHERE;
        t->ended = true;
        return true;
    }
    if (t->in == IN_SAMPLES)
        return line.n == 0 || sample_row(t, line, offset);
    if (t->in == IN_STACK && indented)
        return str_eq(str_trim(line), STR("<empty>")) || frame_line(t, line, offset);
    return block_line(t, line, offset);
}

static enum detection detect_text(const uint8_t *p, size_t n, bool final)
{
    char room[TEXT_BEGINNING_BYTES(DETECT_BYTES_MAX)];
    struct str text = text_beginning(p, n, room, sizeof(room)), line, rest = text;

    if (text.n < THREAD_START.n && n < DETECT_BYTES_MAX && !final)
        return DETECT_MORE;
    if (str_starts(text, THREAD_START))
        return DETECT_YES;
    if (!str_starts(text, HEADER) && !str_starts(text, TRACE) && !str_starts(text, THREAD_END))
        return DETECT_NO;
    if (str_find(text, '\n') == text.n)
        return n < DETECT_BYTES_MAX && !final ? DETECT_MORE : DETECT_NO;
    str_split(&rest, '\n', &line);
    if (str_find(line, '\0') < line.n)
        return DETECT_NO; /* the binary form */
    return str_starts(text, TRACE) && str_find(line, ':') == line.n ? DETECT_NO : DETECT_YES;
}

static bool end_text(struct text *t)
{
    if (t->in == IN_NAME && !name_ends(t, true))
        return false;
    if (t->times && t->h.counted == 0)
        return diag_set(
            t->h.diag, DIAG_FOREIGN, "CPU times of hprof",
            "Record CPU samples: cpu=samples in place of cpu=times.",
            "The file has CPU times (cpu=times) of methods, in parts of a percent only; CPU samples are read here.");
    if (t->h.has_counts && !t->ended)
        builder_warn(t->h.builder, WARN_CUT_RECORD, 1, source_offset(t->lines.source));
    return finish(&t->h);
}

static bool read_text(struct reading *r)
{
    struct text t = {.lines = {.source = r->source,
                               .arena = builder_arena(r->builder),
                               .limit_bytes = r->limits->line_bytes}};
    struct text_line line;
    bool ok = begin(&t.h, r);

    while (ok && text_lines_next(&t.lines, &line)) {
        if (!line.too_long)
            ok = take_line(&t, line.text, line.offset);
        else if (!line.is_rest)
            bad_line(&t, line.offset);
    }
    return ok && (!t.lines.failed || failed(&t.h)) && end_text(&t);
}

const struct format FORMAT_HPROF_TEXT = {
    .name = "hprof-text",
    .label = "Java samples (hprof text)",
    .written_by = "Android's `SamplingProfiler` as text; the JDK's `-agentlib:hprof=cpu=samples`",
    .detect = detect_text,
    .read = read_text,
};

/* ---- binary ----
 *
 * Big-endian. Devices keep it in /data/snapshots, where lines of text and an empty one stand before it.
 *
 *   "JAVA PROFILE 1.0.2" NUL, u4 bytes of an id, u8 start in ms since 1970
 *   records: u1 tag, u4 µs since the start, u4 bytes, and so many bytes:
 *     01 string        id, UTF-8
 *     02 load class    u4 class, id object, u4 stack, id name
 *     04 frame         id, id method, id signature, id source, u4 class, i4 line
 *     05 stack         u4 stack, u4 thread, u4 n, n * id frame, the innermost first
 *     0a start thread  u4 thread, id object, u4 stack, id name, id group, id parent group
 *     0c 1c            parts of a heap dump
 *     0d CPU samples   u4 total, u4 n, n * (u4 count, u4 stack)
 *     0e settings      u4 flags, u2 depth
 *
 * Other records are passed over. A heap dump has the same frame, in version 1.0.3 by ART, and is refused. */

enum {
    TAG_HEAP_DUMP = 0x0c,
    TAG_CPU_SAMPLES = 0x0d,
    TAG_HEAP_DUMP_SEGMENT = 0x1c,
    RECORD_HEAD_BYTES = 9,
    HEADER_TAIL_BYTES = 12, /* behind the NUL */
    MAGIC_BYTES_MAX = 512,
    PAIR_BYTES = 8,
    FIELDS_MAX = 6
};

struct binary {
    struct hprof h;
    size_t id_bytes;
    bool has_stacks;                       /* of one frame at least: then a heap dump need not be all */
    struct idmap strings, classes, frames; /* id or number -> string_id, string_id of the name, frame_id */
};

static const struct str MAGIC = STR_INIT("JAVA PROFILE 1.0."), BLANK_LINE = STR_INIT("\n\n");

static uint32_t take_u4(struct cursor *c)
{
    return (uint32_t)cursor_be(c, 4);
}

struct record {
    uint64_t offset; /* of its head */
    uint32_t bytes;
    uint64_t field[FIELDS_MAX]; /* by its kind's layout */
    struct cursor rest;         /* what stands behind them */
};

static bool damaged(struct binary *s, const struct record *r)
{
    builder_warn(s->h.builder, WARN_DAMAGED, r->bytes, r->offset);
    return true;
}

static bool keep(struct binary *s, struct idmap *map, uint64_t key, uint32_t value)
{
    return value != UINT32_MAX && idmap_set(map, key, value) ? true : failed(&s->h);
}

static struct str string_of(const struct binary *s, uint64_t id)
{
    uint32_t string = idmap_get(&s->strings, id);

    return string == IDMAP_NONE ? STR("?") : builder_text_of(s->h.builder, string);
}

static bool take_string(struct binary *s, const struct record *r)
{
    struct str text = {(const char *)r->rest.p, cursor_left(&r->rest)};

    return keep(s, &s->strings, r->field[0], add_name(&s->h, text, r->offset));
}

/* A name as the VM has it (java/lang/Object) is dotted; one that is dotted already may have a / of a hidden class. */
static string_id class_name(struct binary *s, struct str name)
{
    struct buf dotted = {0};

    if (str_find(name, '.') < name.n || str_find_str(name, STR("/0x")) < name.n)
        return builder_string(s->h.builder, name);
    buf_str(&dotted, name);
    for (size_t i = 0; !dotted.failed && i < dotted.n; i++)
        if (dotted.p[i] == '/')
            dotted.p[i] = '.';
    return builder_string_of(s->h.builder, &dotted);
}

static bool take_class(struct binary *s, const struct record *r)
{
    return keep(s, &s->classes, r->field[0], class_name(s, string_of(s, r->field[3])));
}

static uint32_t found_or(const struct idmap *map, uint64_t key, uint32_t other)
{
    uint32_t found = idmap_get(map, key);

    return found == IDMAP_NONE ? other : found;
}

static bool take_frame(struct binary *s, const struct record *r)
{
    string_id unknown = builder_string(s->h.builder, STR("?"));
    struct profile_frame frame = {.scope = found_or(&s->classes, r->field[4], unknown),
                                  .name = found_or(&s->strings, r->field[1], unknown),
                                  .file = found_or(&s->strings, r->field[3], STRING_EMPTY),
                                  .kind = FRAME_KIND_JAVA,
                                  .line = r->field[5] > INT32_MAX ? 0 : (uint32_t)r->field[5]};

    return unknown == STRING_NONE ? failed(&s->h)
                                  : keep(s, &s->frames, r->field[0], builder_frame(s->h.builder, &frame));
}

static bool take_stack(struct binary *s, const struct record *r)
{
    struct cursor c = r->rest;
    uint64_t n = r->field[2];

    /* The number of frames is only a claim: the record must have the bytes of all of them. */
    if (cursor_left(&c) / s->id_bytes < n)
        return damaged(s, r);
    s->has_stacks = s->has_stacks || n > 0;
    bool ok = begin_stack(&s->h, (uint32_t)r->field[0], (uint32_t)r->field[1], r->offset);
    for (; ok && n > 0; n--) {
        uint32_t frame = idmap_get(&s->frames, cursor_be(&c, s->id_bytes));
        ok = add_frame(&s->h, frame == IDMAP_NONE ? frame_named(&s->h, STR("?")) : frame);
    }
    return ok;
}

static bool take_thread(struct binary *s, const struct record *r)
{
    return r->field[0] == 0 ? damaged(s, r)
                            : add_thread(&s->h, (uint32_t)r->field[0], string_of(s, r->field[3]), r->offset);
}

static bool take_settings(struct binary *s, const struct record *r)
{
    s->h.depth = (uint32_t)r->field[1];
    return true;
}

/* Of each record that is read: the bytes of its first fields; `i` has those of an id. */
static const struct record_kind {
    uint8_t tag;
    char layout[FIELDS_MAX + 1];
    bool (*take)(struct binary *s, const struct record *r);
} RECORDS[] = {
    {0x01, "i", take_string},  {0x02, "4i4i", take_class},  {0x04, "iiii44", take_frame},
    {0x05, "444", take_stack}, {0x0a, "4i4i", take_thread}, {0x0e, "42", take_settings},
};

/* False: the file ends within them. */
static bool take_pair(struct source *in, uint32_t *one, uint32_t *other)
{
    size_t n;
    const uint8_t *p = source_need(in, PAIR_BYTES, &n);
    struct cursor c = cursor_of(p, n);

    *one = take_u4(&c);
    *other = take_u4(&c);
    if (!c.failed)
        source_consume(in, PAIR_BYTES);
    return !c.failed;
}

/* CPU samples, row by row. Rows are bounded by the record's bytes, whatever their number says. *cut as in read_record. */
static bool read_counts(struct binary *s, size_t bytes, bool *cut)
{
    uint32_t total, rows, count, stack;

    *cut = !take_pair(s->h.source, &total, &rows);
    if (*cut)
        return true;
    s->h.has_counts = true;
    s->h.declared = number_add(s->h.declared, total);
    for (bytes -= PAIR_BYTES; rows > 0 && bytes >= PAIR_BYTES; rows--, bytes -= PAIR_BYTES) {
        *cut = !take_pair(s->h.source, &count, &stack);
        if (*cut || !add_count(&s->h, stack, count))
            return *cut;
    }
    *cut = source_pass(s->h.source, bytes) < bytes;
    return true;
}

static bool take_record(struct binary *s, const struct record_kind *kind, struct record *r)
{
    for (size_t i = 0; kind->layout[i] != '\0'; i++)
        r->field[i] =
            cursor_be(&r->rest, kind->layout[i] == 'i' ? s->id_bytes : (size_t)(kind->layout[i] - '0'));
    return r->rest.failed ? damaged(s, r) : kind->take(s, r);
}

/* The body of a record. Of a string only the beginning is needed, which tells that it is cut. */
static bool read_body(struct binary *s, const struct record_kind *kind, struct record *r, bool *cut)
{
    size_t string = s->id_bytes + s->h.limits->name_bytes + 1, n = 0;
    size_t need = kind != NULL && kind->take == take_string && r->bytes > string ? string : r->bytes;
    bool ok = true;

    if (kind != NULL && need > s->h.limits->line_bytes) {
        damaged(s, r);
    } else if (kind != NULL) {
        r->rest = cursor_of(source_need(s->h.source, need, &n), need);
        *cut = n < need;
        if (*cut)
            return true;
        ok = take_record(s, kind, r);
    }
    *cut = source_pass(s->h.source, r->bytes) < r->bytes;
    return ok;
}

/* *cut: the file ends within the record. False: diag. */
static bool read_record(struct binary *s, bool *cut)
{
    uint64_t offset = source_offset(s->h.source);
    size_t n;
    const uint8_t *p = source_need(s->h.source, RECORD_HEAD_BYTES, &n);
    struct cursor c = cursor_of(p, n);
    uint8_t tag = cursor_u8(&c);

    take_u4(&c); /* when */
    struct record r = {.offset = offset, .bytes = take_u4(&c)};
    *cut = c.failed;
    if (*cut)
        return true;
    if ((tag == TAG_HEAP_DUMP || tag == TAG_HEAP_DUMP_SEGMENT) && !s->has_stacks)
        return refuse_dump(s->h.diag);
    source_consume(s->h.source, RECORD_HEAD_BYTES);
    const struct record_kind *kind = NULL; /* NULL: it is passed over */
    for (size_t i = 0; i < sizeof(RECORDS) / sizeof(*RECORDS); i++)
        kind = RECORDS[i].tag == tag ? &RECORDS[i] : kind;
    return tag == TAG_CPU_SAMPLES && r.bytes >= PAIR_BYTES ? read_counts(s, r.bytes, cut)
                                                           : read_body(s, kind, &r, cut);
}

/* Where the NUL behind the magic stands; n: nowhere. *magic: where that begins: the file, or what is behind its first empty line. */
static size_t find_header(const uint8_t *p, size_t n, size_t *magic)
{
    struct str s = {(const char *)p, n};
    size_t blank = str_find_str(s, BLANK_LINE);

    *magic = str_starts(s, MAGIC) || blank == n ? 0 : blank + BLANK_LINE.n;
    s = (struct str){s.p + *magic, n - *magic};
    if (!str_starts(s, MAGIC))
        return n;
    s.n = s.n > MAGIC_BYTES_MAX ? MAGIC_BYTES_MAX : s.n;
    size_t nul = str_find(s, '\0');
    return nul == s.n ? n : *magic + nul;
}

/* `Package: com.example`, and other lines that a device wrote before it. */
static bool note_package(struct binary *s, struct str head)
{
    static const struct str PACKAGE = STR_INIT("Package: ");
    struct str line;

    while (str_split(&head, '\n', &line))
        if (str_starts(line, PACKAGE) &&
            !builder_fact(s->h.builder, STR("package"),
                          str_trim((struct str){line.p + PACKAGE.n, line.n - PACKAGE.n})))
            return failed(&s->h);
    return true;
}

static bool bad_header(struct binary *s, uint64_t offset, const char *what)
{
    return diag_at(s->h.diag, DIAG_UNUSABLE, offset, "header damaged", "Fetch the file again, and unchanged.",
                   "The file begins as hprof does, but %s.", what);
}

static bool read_header(struct binary *s)
{
    size_t n;
    const uint8_t *p = source_need(s->h.source, DETECT_BYTES_MAX + MAGIC_BYTES_MAX, &n);
    if (n > DETECT_BYTES_MAX + MAGIC_BYTES_MAX)
        n = DETECT_BYTES_MAX + MAGIC_BYTES_MAX;
    size_t magic, nul = find_header(p, n, &magic);
    char start[24];

    if (nul == n || n - nul - 1 < HEADER_TAIL_BYTES)
        return bad_header(s, n, "its header does not end");
    if (str_eq((struct str){(const char *)p + magic, nul - magic}, STR("JAVA PROFILE 1.0.3")))
        return refuse_dump(s->h.diag);
    struct cursor c = cursor_of(p + nul + 1, HEADER_TAIL_BYTES);
    s->id_bytes = take_u4(&c);
    if (s->id_bytes != 4 && s->id_bytes != 8)
        return bad_header(s, nul + 1, "its ids have neither 4 nor 8 bytes");
    snprintf(start, sizeof(start), "%llu", (unsigned long long)number_multiply(cursor_be(&c, 8), 1000));
    bool ok = note_package(s, (struct str){(const char *)p, magic}) &&
              (builder_fact(s->h.builder, STR("start_us"), str_of(start)) || failed(&s->h));
    source_consume(s->h.source, nul + 1 + HEADER_TAIL_BYTES);
    return ok;
}

static enum detection detect_binary(const uint8_t *p, size_t n, bool final)
{
    size_t magic;

    return find_header(p, n, &magic) < n    ? DETECT_YES
           : n >= DETECT_BYTES_MAX || final ? DETECT_NO
                                            : DETECT_MORE;
}

static bool read_binary(struct reading *r)
{
    struct binary s = {.id_bytes = 0};
    struct arena *arena = builder_arena(r->builder);
    size_t n;

    idmap_init(&s.strings, arena, builder_seed(r->builder));
    idmap_init(&s.classes, arena, builder_seed(r->builder));
    idmap_init(&s.frames, arena, builder_seed(r->builder));
    bool ok = begin(&s.h, r) && read_header(&s), cut = false;
    while (ok && !cut && (source_need(r->source, 1, &n), n > 0))
        ok = read_record(&s, &cut);
    if (ok && cut)
        builder_warn(r->builder, WARN_CUT_RECORD, 1, source_offset(r->source));
    return ok && finish(&s.h);
}

const struct format FORMAT_HPROF_BINARY = {
    .name = "hprof-binary",
    .label = "Java samples (hprof)",
    .written_by = "Android's `SamplingProfiler` and its snapshots on devices (`/data/snapshots`); the JDK's "
                  "`-agentlib:hprof=cpu=samples,format=b`",
    .detect = detect_binary,
    .read = read_binary,
};
