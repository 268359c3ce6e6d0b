/* Text of hprof sampling: what Android's SamplingProfiler (libcore, AsciiHprofWriter) and the JDK's hprof agent write.
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
 * count and trace are read there. Blocks and lines that are not listed here are passed over.
 * Sources: libcore's dalvik/system/profiler, and the JDK's hprof_io.c. */
#include <string.h>

#include "core/clean.h"
#include "parser/hprof/hprof_samples.h"
#include "parser/text_lines.h"

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

/* ---- numbers ---- */

/* The digit at the front of s, in any script that Android writes numbers in; 10: none. Takes it off. */
static unsigned take_digit(struct str *s)
{
    /* The zeros of decimal digits of Unicode: Arabic, Persian, Devanagari, Bengali, Gurmukhi, Gujarati, Oriya, Tamil,
     * Telugu, Kannada, Malayalam, Thai, Lao, Tibetan, Burmese, Khmer. All are two or three bytes of UTF-8. */
    static const uint32_t ZEROS[] = {0x660, 0x6f0, 0x966, 0x9e6, 0xa66, 0xae6, 0xb66,  0xbe6,
                                     0xc66, 0xce6, 0xd66, 0xe50, 0xed0, 0xf20, 0x1040, 0x17e0};
    struct str rest = *s;
    uint32_t c = rest.n > 0 ? clean_next(&rest) : 0;
    unsigned digit = c >= '0' && c <= '9' ? c - '0' : 10;

    for (size_t i = 0; digit == 10 && i < sizeof(ZEROS) / sizeof(*ZEROS); i++)
        digit = c >= ZEROS[i] && c < ZEROS[i] + 10 ? c - ZEROS[i] : 10;
    if (digit < 10)
        *s = rest;
    return digit;
}

/* The whole of s as a number. */
static bool number_of(struct str s, uint64_t *value)
{
    bool some = s.n > 0;

    for (*value = 0; s.n > 0;) {
        unsigned digit = take_digit(&s);
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

/* ---- lines ---- */

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
    return hprof_thread(&t->h, id, (struct str){line.p + from, to - from}, offset);
}

static bool trace_begins(struct text *t, struct str line, uint64_t offset)
{
    uint32_t trace, thread = 0;

    if (!id_between(line, TRACE, ':', &trace))
        return bad_line(t, offset);
    if (str_find_str(line, STR("(thread=")) < line.n && !id_between(line, STR("(thread="), ')', &thread))
        bad_line(t, offset);
    t->in = IN_STACK;
    return hprof_stack(&t->h, trace, thread, offset);
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

/* What stands in brackets behind a method: File.java:12, File.java, Native Method, Unknown Source. */
static bool take_source(struct text *t, struct str source, uint64_t offset, struct profile_frame *frame)
{
    size_t colon = str_find(source, ':');
    uint64_t line = 0;

    frame->kind = FRAME_KIND_JAVA;
    if (colon < source.n && number_of((struct str){source.p + colon + 1, source.n - colon - 1}, &line) &&
        line <= INT32_MAX)
        frame->line = (uint32_t)line;
    source.n = colon;
    frame->file = str_find(source, ' ') < source.n ? STRING_EMPTY : hprof_name(&t->h, source, offset);
    return frame->file != STRING_NONE;
}

/* package.Class.method(SOURCE) */
static bool frame_line(struct text *t, struct str line, uint64_t offset)
{
    size_t bracket = str_find_last(line, '(');
    struct str method = without_module(str_trim((struct str){line.p, bracket})), source = STR("");
    size_t dot = str_find_last(method, '.');
    bool has_class = dot < method.n;
    struct profile_frame frame = {
        .scope = hprof_name(&t->h, (struct str){method.p, has_class ? dot : 0}, offset),
        .name = hprof_name(&t->h, has_class ? (struct str){method.p + dot + 1, method.n - dot - 1} : method,
                           offset)};

    if (bracket < line.n)
        source = (struct str){line.p + bracket + 1, line.n - bracket - 1};
    source.n = str_find(source, ')');
    return frame.scope != STRING_NONE && frame.name != STRING_NONE &&
           take_source(t, source, offset, &frame) && hprof_frame(&t->h, builder_frame(t->h.builder, &frame));
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
    return hprof_count(&t->h, (uint32_t)trace, count);
}

static bool samples_begin(struct text *t, struct str line)
{
    t->in = IN_SAMPLES;
    t->h.has_counts = true;
    return number_between(line, STR("total ="), ')', &t->h.declared) || true;
}

/* ---- names with line ends ---- */

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
        return hprof_failed(&t->h);
    if (t->name_bytes > 0)
        t->name[t->name_bytes++] = '\n';
    if (line.n > 0)
        memcpy(t->name + t->name_bytes, line.p, line.n);
    t->name_bytes += line.n;
    return name_ends(t, t->name_bytes > t->h.limits->line_bytes);
}

static bool name_begins(struct text *t, struct str line, uint64_t offset)
{
    t->in = IN_NAME;
    t->name_bytes = 0;
    t->name_offset = offset;
    return name_goes_on(t, line);
}

/* ---- the file ---- */

static bool block_line(struct text *t, struct str line, uint64_t offset)
{
    if (str_starts(line, THREAD_START))
        return name_begins(t, line, offset);
    if (str_starts(line, TRACE) && str_find(line, ':') < line.n)
        return trace_begins(t, line, offset);
    if (str_starts(line, SAMPLES_BEGIN))
        return samples_begin(t, line);
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

static enum detection detect(const uint8_t *p, size_t n, bool final)
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

static bool read_lines(struct text *t)
{
    struct text_line line;
    bool ok = true;

    while (ok && text_lines_next(&t->lines, &line)) {
        if (!line.too_long)
            ok = take_line(t, line.text, line.offset);
        else if (!line.is_rest)
            bad_line(t, line.offset);
    }
    return ok && (!t->lines.failed || hprof_failed(&t->h));
}

static bool end_text(struct text *t)
{
    if (t->in == IN_NAME && !name_ends(t, true))
        return false;
    if (t->times && t->h.counted == 0)
        return diag_set(
            t->h.diag, DIAG_FOREIGN, "CPU times of hprof",
            "Record CPU samples: cpu=samples in place of cpu=times.",
            "The file has CPU times (cpu=times) of methods, in parts of a percent only; CPU samples are read "
            "here.");
    if (t->h.has_counts && !t->ended)
        builder_warn(t->h.builder, WARN_CUT_RECORD, 1, source_offset(t->lines.source));
    return hprof_finish(&t->h);
}

static bool read_text(struct reading *r)
{
    struct text t = {.lines = {.source = r->source,
                               .arena = builder_arena(r->builder),
                               .limit_bytes = r->limits->line_bytes}};

    return hprof_begin(&t.h, r) && read_lines(&t) && end_text(&t);
}

const struct format FORMAT_HPROF_TEXT = {
    .name = "hprof-text",
    .label = "Java samples (hprof text)",
    .written_by = "Android's `SamplingProfiler` as text; the JDK's `-agentlib:hprof=cpu=samples`",
    .detect = detect,
    .read = read_text,
};
