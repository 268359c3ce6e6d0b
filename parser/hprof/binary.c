/* Binary hprof sampling, big-endian: what Android's SamplingProfiler (libcore, BinaryHprofWriter) and the JDK's hprof agent
 * write, and what devices keep in /data/snapshots, where lines of text and an empty one stand before it.
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
 * Other records are passed over. A heap dump has the same frame, in version 1.0.3 by ART, and is refused. Sources: libcore's
 * dalvik/system/profiler, and the JDK's hprof_b_spec.h. */
#include <stdio.h>
#include <string.h>

#include "core/cursor.h"
#include "core/number.h"
#include "parser/hprof/hprof_samples.h"

enum {
    TAG_STRING = 0x01,
    TAG_LOAD_CLASS = 0x02,
    TAG_FRAME = 0x04,
    TAG_STACK = 0x05,
    TAG_START_THREAD = 0x0a,
    TAG_HEAP_DUMP = 0x0c,
    TAG_CPU_SAMPLES = 0x0d,
    TAG_SETTINGS = 0x0e,
    TAG_HEAP_DUMP_SEGMENT = 0x1c,
    RECORD_HEAD_BYTES = 9,
    HEADER_TAIL_BYTES = 12, /* behind the NUL */
    MAGIC_BYTES_MAX = 512,
    COUNTS_HEAD_BYTES = 8,
    COUNT_BYTES = 8
};

struct binary {
    struct hprof h;
    struct source *source;
    size_t id_bytes;
    bool has_stacks;                       /* of one frame at least: then a heap dump need not be all */
    struct idmap strings, classes, frames; /* id or number -> string_id, string_id of the name, frame_id */
};

static const struct str MAGIC = STR_INIT("JAVA PROFILE 1.0."), BLANK_LINE = STR_INIT("\n\n");

/* ---- records ---- */

static uint64_t take_id(const struct binary *s, struct cursor *c)
{
    return cursor_be(c, s->id_bytes);
}

static uint32_t take_u4(struct cursor *c)
{
    return (uint32_t)cursor_be(c, 4);
}

static bool damaged(struct binary *s, uint64_t bytes, uint64_t offset)
{
    builder_warn(s->h.builder, WARN_DAMAGED, bytes, offset);
    return true;
}

static bool keep(struct binary *s, struct idmap *map, uint64_t key, uint32_t value)
{
    return value != UINT32_MAX && idmap_set(map, key, value) ? true : hprof_failed(&s->h);
}

static struct str string_of(const struct binary *s, uint64_t id)
{
    uint32_t string = idmap_get(&s->strings, id);

    return string == IDMAP_NONE ? STR("?") : builder_text_of(s->h.builder, string);
}

/* p has all of the string, or more of it than a name may have. */
static bool take_string(struct binary *s, struct cursor *c, size_t bytes, uint64_t offset)
{
    uint64_t id = take_id(s, c);

    if (c->failed)
        return damaged(s, bytes, offset);
    string_id string = hprof_name(&s->h, (struct str){(const char *)c->p, cursor_left(c)}, offset);
    return keep(s, &s->strings, id, string);
}

/* A name as the VM has it (java/lang/Object) is dotted; one that is dotted already may have a / of a hidden class. */
static string_id class_name(struct binary *s, struct str name)
{
    struct buf dotted = {0};
    string_id id;

    if (str_find(name, '.') < name.n || str_find_str(name, STR("/0x")) < name.n)
        return builder_string(s->h.builder, name);
    buf_str(&dotted, name);
    for (size_t i = 0; !dotted.failed && i < dotted.n; i++)
        if (dotted.p[i] == '/')
            dotted.p[i] = '.';
    id = dotted.failed ? STRING_NONE : builder_string(s->h.builder, buf_view(&dotted));
    buf_free(&dotted);
    return id;
}

static bool take_class(struct binary *s, struct cursor *c, size_t bytes, uint64_t offset)
{
    uint32_t class = take_u4(c);

    take_id(s, c);
    take_u4(c);
    uint64_t name = take_id(s, c);
    if (c->failed)
        return damaged(s, bytes, offset);
    return keep(s, &s->classes, class, class_name(s, string_of(s, name)));
}

static bool take_frame(struct binary *s, struct cursor *c, size_t bytes, uint64_t offset)
{
    uint64_t id = take_id(s, c), method = take_id(s, c);
    uint32_t name = idmap_get(&s->strings, method), class, file;

    take_id(s, c); /* the signature, which libcore leaves empty */
    uint64_t source = take_id(s, c);
    class = idmap_get(&s->classes, take_u4(c));
    uint32_t line = take_u4(c);
    if (c->failed)
        return damaged(s, bytes, offset);
    file = idmap_get(&s->strings, source);
    string_id unknown = builder_string(s->h.builder, STR("?"));
    struct profile_frame frame = {.scope = class == IDMAP_NONE ? unknown : class,
                                  .name = name == IDMAP_NONE ? unknown : name,
                                  .file = file == IDMAP_NONE ? STRING_EMPTY : file,
                                  .kind = FRAME_KIND_JAVA,
                                  .line = line > INT32_MAX ? 0 : line};
    return unknown == STRING_NONE ? hprof_failed(&s->h)
                                  : keep(s, &s->frames, id, builder_frame(s->h.builder, &frame));
}

static bool take_stack(struct binary *s, struct cursor *c, size_t bytes, uint64_t offset)
{
    uint32_t stack = take_u4(c), thread = take_u4(c), n = take_u4(c);
    struct profile_frame unlisted = {.scope = STRING_EMPTY};

    /* The number of frames is only a claim: the record must have the bytes of all of them. */
    if (c->failed || cursor_left(c) / s->id_bytes < n)
        return damaged(s, bytes, offset);
    s->has_stacks = s->has_stacks || n > 0;
    bool ok = hprof_stack(&s->h, stack, thread, offset);
    for (uint32_t i = 0; ok && i < n; i++) {
        uint32_t frame = idmap_get(&s->frames, take_id(s, c));
        if (frame == IDMAP_NONE) {
            unlisted.name = builder_string(s->h.builder, STR("?"));
            frame = unlisted.name == STRING_NONE ? FRAME_NONE : builder_frame(s->h.builder, &unlisted);
        }
        ok = hprof_frame(&s->h, frame);
    }
    return ok;
}

static bool take_thread(struct binary *s, struct cursor *c, size_t bytes, uint64_t offset)
{
    uint32_t thread = take_u4(c);

    take_id(s, c);
    take_u4(c);
    uint64_t name = take_id(s, c);
    if (c->failed || thread == 0)
        return damaged(s, bytes, offset);
    return hprof_thread(&s->h, thread, string_of(s, name), offset);
}

static bool take_settings(struct binary *s, struct cursor *c, size_t bytes, uint64_t offset)
{
    take_u4(c);
    uint32_t depth = (uint32_t)cursor_be(c, 2);

    if (c->failed)
        return damaged(s, bytes, offset);
    s->h.depth = depth;
    return true;
}

static const struct {
    uint8_t tag;
    bool (*take)(struct binary *s, struct cursor *c, size_t bytes, uint64_t offset);
} RECORDS[] = {{TAG_STRING, take_string}, {TAG_LOAD_CLASS, take_class},    {TAG_FRAME, take_frame},
               {TAG_STACK, take_stack},   {TAG_START_THREAD, take_thread}, {TAG_SETTINGS, take_settings}};

/* ---- CPU samples, row by row ---- */

/* Rows are bounded by the record's bytes, whatever their number says. False: diag, or the file ends within them. */
static bool read_counts(struct binary *s, size_t bytes, bool *cut)
{
    size_t n;
    const uint8_t *p = source_need(s->source, COUNTS_HEAD_BYTES, &n);
    struct cursor c = cursor_of(p, COUNTS_HEAD_BYTES);

    *cut = n < COUNTS_HEAD_BYTES;
    if (*cut)
        return true;
    uint32_t total = take_u4(&c), rows = take_u4(&c);
    s->h.has_counts = true;
    s->h.declared = number_add(s->h.declared, total);
    source_consume(s->source, COUNTS_HEAD_BYTES);
    bytes -= COUNTS_HEAD_BYTES;
    for (; rows > 0 && bytes >= COUNT_BYTES; rows--, bytes -= COUNT_BYTES) {
        p = source_need(s->source, COUNT_BYTES, &n);
        *cut = n < COUNT_BYTES;
        if (*cut)
            return true;
        c = cursor_of(p, COUNT_BYTES);
        uint32_t count = take_u4(&c), stack = take_u4(&c);
        source_consume(s->source, COUNT_BYTES);
        if (!hprof_count(&s->h, stack, count))
            return false;
    }
    *cut = source_pass(s->source, bytes) < bytes;
    return true;
}

/* ---- the file ---- */

static bool (*taker_of(uint8_t tag))(struct binary *, struct cursor *, size_t, uint64_t)
{
    for (size_t i = 0; i < sizeof(RECORDS) / sizeof(*RECORDS); i++)
        if (RECORDS[i].tag == tag)
            return RECORDS[i].take;
    return NULL;
}

/* Of a string only the beginning is needed, which tells that it is cut. */
static size_t needed_bytes(const struct binary *s, uint8_t tag, uint32_t bytes)
{
    size_t string = s->id_bytes + s->h.limits->name_bytes + 1;

    return tag == TAG_STRING && bytes > string ? string : bytes;
}

/* The body of a record, whose head stands at `offset`. False: diag. */
static bool read_body(struct binary *s, uint8_t tag, uint32_t bytes, uint64_t offset, bool *cut)
{
    bool (*take)(struct binary *, struct cursor *, size_t, uint64_t) = taker_of(tag);
    size_t need = needed_bytes(s, tag, bytes), n;

    if (take == NULL || need > s->h.limits->line_bytes) {
        if (take != NULL)
            damaged(s, bytes, offset);
        *cut = source_pass(s->source, bytes) < bytes;
        return true;
    }
    const uint8_t *p = source_need(s->source, need, &n);
    *cut = n < need;
    if (*cut)
        return true;
    struct cursor body = cursor_of(p, need);
    bool ok = take(s, &body, bytes, offset);
    source_consume(s->source, need);
    /* needed_bytes never asks for more than the record has. */
    *cut = source_pass(s->source, bytes - need) < bytes - need;
    return ok;
}

/* *cut: the file ends within the record. False: diag. */
static bool read_record(struct binary *s, bool *cut)
{
    uint64_t offset = source_offset(s->source);
    size_t n;
    const uint8_t *p = source_need(s->source, RECORD_HEAD_BYTES, &n);
    struct cursor c = cursor_of(p, n);
    uint8_t tag = cursor_u8(&c);

    take_u4(&c); /* when */
    uint32_t bytes = take_u4(&c);
    *cut = c.failed;
    if (*cut)
        return true;
    if ((tag == TAG_HEAP_DUMP || tag == TAG_HEAP_DUMP_SEGMENT) && !s->has_stacks)
        return hprof_refuse_dump(s->h.diag);
    source_consume(s->source, RECORD_HEAD_BYTES);
    return tag == TAG_CPU_SAMPLES && bytes >= COUNTS_HEAD_BYTES ? read_counts(s, bytes, cut)
                                                                : read_body(s, tag, bytes, offset, cut);
}

/* Where the magic stands: at the beginning, or behind the first empty line. n: nowhere. */
static size_t magic_at(const uint8_t *p, size_t n)
{
    struct str s = {(const char *)p, n};
    size_t blank = str_find_str(s, BLANK_LINE);

    if (str_starts(s, MAGIC))
        return 0;
    if (blank == n || !str_starts((struct str){s.p + blank + 2, n - blank - 2}, MAGIC))
        return n;
    return blank + 2;
}

/* Where the NUL behind the magic stands; n: nowhere. */
static size_t nul_behind(const uint8_t *p, size_t n, size_t magic)
{
    size_t end = n - magic > MAGIC_BYTES_MAX ? magic + MAGIC_BYTES_MAX : n;
    const uint8_t *nul = memchr(p + magic, 0, end - magic);

    return nul == NULL ? n : (size_t)(nul - p);
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
            return hprof_failed(&s->h);
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
    const uint8_t *p = source_need(s->source, DETECT_BYTES_MAX + MAGIC_BYTES_MAX, &n);
    if (n > DETECT_BYTES_MAX + MAGIC_BYTES_MAX)
        n = DETECT_BYTES_MAX + MAGIC_BYTES_MAX;
    size_t magic = magic_at(p, n), nul = magic < n ? nul_behind(p, n, magic) : n;
    char start[24];

    if (nul == n || n - nul - 1 < HEADER_TAIL_BYTES)
        return bad_header(s, n, "its header does not end");
    if (str_eq((struct str){(const char *)p + magic, nul - magic}, STR("JAVA PROFILE 1.0.3")))
        return hprof_refuse_dump(s->h.diag);
    struct cursor c = cursor_of(p + nul + 1, HEADER_TAIL_BYTES);
    s->id_bytes = take_u4(&c);
    if (s->id_bytes != 4 && s->id_bytes != 8)
        return bad_header(s, nul + 1, "its ids have neither 4 nor 8 bytes");
    snprintf(start, sizeof(start), "%llu", (unsigned long long)number_multiply(cursor_be(&c, 8), 1000));
    bool ok = note_package(s, (struct str){(const char *)p, magic}) &&
              (builder_fact(s->h.builder, STR("start_us"), str_of(start)) || hprof_failed(&s->h));
    source_consume(s->source, nul + 1 + HEADER_TAIL_BYTES);
    return ok;
}

static enum detection detect(const uint8_t *p, size_t n, bool final)
{
    size_t magic = magic_at(p, n), nul = magic < n ? nul_behind(p, n, magic) : n;

    if (nul < n)
        return DETECT_YES;
    return n >= DETECT_BYTES_MAX || final ? DETECT_NO : DETECT_MORE;
}

static bool read_records(struct binary *s)
{
    bool ok = true, cut = false;
    size_t n;

    while (ok && !cut && (source_need(s->source, 1, &n), n > 0))
        ok = read_record(s, &cut);
    if (ok && cut)
        builder_warn(s->h.builder, WARN_CUT_RECORD, 1, source_offset(s->source));
    return ok;
}

static bool read_binary(struct reading *r)
{
    struct binary s = {.source = r->source};
    struct arena *arena = builder_arena(r->builder);

    idmap_init(&s.strings, arena, builder_seed(r->builder));
    idmap_init(&s.classes, arena, builder_seed(r->builder));
    idmap_init(&s.frames, arena, builder_seed(r->builder));
    return hprof_begin(&s.h, r) && read_header(&s) && read_records(&s) && hprof_finish(&s.h);
}

const struct format FORMAT_HPROF_BINARY = {
    .name = "hprof-binary",
    .label = "Java samples (hprof)",
    .written_by = "Android's `SamplingProfiler` and its snapshots on devices (`/data/snapshots`); the JDK's "
                  "`-agentlib:hprof=cpu=samples,format=b`",
    .detect = detect,
    .read = read_binary,
};
