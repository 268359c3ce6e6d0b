/* Folded stacks: one line per stack, as the collapse scripts of flame-graph tools write it.
 *
 *   frame;frame;frame SPACE count LF       root first; the count is decimal digits
 *
 * Lines that begin with # are comments. CR before LF is dropped. Anything else is counted and left out,
 * and so is what is longer than a line may be. Equal stacks may occur many times; their counts add up. A file is
 * folded stacks when at least half of the lines at its beginning are, and one of them has more than one frame. */
#include <string.h>

#include "core/clean.h"
#include "parser/format.h"

struct folded_stacks {
    struct builder *builder;
    const struct reader_limits *limits;
    struct diag *diag;
    uint32_t track;
    bool in_long_line;
    bool long_lines;  /* some were left out */
    frame_id *frames; /* of the line at hand */
    size_t frames_capacity;
};

/* Splits `stack count`. False if the line is not of that form. */
static bool parse_line(struct str line, struct str *stack, uint64_t *count)
{
    size_t space = str_find_last(line, ' ');

    if (space == line.n || space == 0)
        return false;
    *stack = str_trim((struct str){line.p, space});
    return stack->n > 0 && str_to_u64((struct str){line.p + space + 1, line.n - space - 1}, 10, count);
}

static struct str without_cr(struct str line)
{
    if (line.n > 0 && line.p[line.n - 1] == '\r')
        line.n--;
    return line;
}

static bool is_text(const uint8_t *p, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (p[i] < 0x20 && p[i] != '\t' && p[i] != '\n' && p[i] != '\r')
            return false;
    return true;
}

static enum detection detect(const uint8_t *p, size_t n, bool final)
{
    struct str rest = {(const char *)p, n}, line, stack;
    uint64_t count;
    size_t good = 0, all = 0, deep = 0;

    if (!is_text(p, n))
        return DETECT_NO;
    if (n < DETECT_BYTES_MAX && !final)
        return DETECT_MORE;
    while (str_split(&rest, '\n', &line)) {
        bool whole = rest.p != NULL || final;
        line = without_cr(line);
        if (line.n == 0 || line.p[0] == '#')
            continue;
        if (!whole && all > 0)
            break;
        /* A first line that does not end here can only be told by its separators. */
        bool ok = whole ? parse_line(line, &stack, &count) : str_find(line, ';') < line.n;
        all++;
        good += ok;
        deep += ok && str_find(line, ';') < line.n;
    }
    return deep > 0 && good * 2 >= all ? DETECT_YES : DETECT_NO;
}

static bool begin(void *state, struct builder *b, const struct reader_limits *limits, struct diag *diag)
{
    static const struct profile_value SAMPLES = {STR_INIT("samples"), STR_INIT("samples"), UNIT_COUNT,
                                                 ROLE_OTHER};
    struct folded_stacks *f = state;

    f->builder = b;
    f->limits = limits;
    f->diag = diag;
    if (!builder_values(b, NULL, 0, &SAMPLES, 1))
        return builder_failed(b, diag);
    string_id name = builder_string(b, STR("all stacks"));
    f->track = name == STRING_NONE ? NODE_NONE : builder_track(b, 1, name);
    return f->track != NODE_NONE || builder_failed(b, diag);
}

static bool add_stack(struct folded_stacks *f, struct str stack, uint64_t count, uint64_t offset)
{
    struct str text;
    size_t n = 0;

    while (str_split(&stack, ';', &text)) {
        frame_id *frames =
            arena_grow(builder_arena(f->builder), f->frames, &f->frames_capacity, n + 1, sizeof(*frames));
        if (frames == NULL)
            return false;
        f->frames = frames;
        if (text.n > f->limits->name_bytes) {
            builder_warn(f->builder, WARN_NAME_CUT, 1, offset);
            text = clean_cut(text, f->limits->name_bytes);
        }
        struct profile_frame frame = {.name = builder_string(f->builder, text)};
        frames[n] = frame.name == STRING_NONE ? FRAME_NONE : builder_frame(f->builder, &frame);
        if (frames[n++] == FRAME_NONE)
            return false;
    }
    return builder_sample(f->builder, f->track, f->frames, n, &count);
}

static bool add_line(struct folded_stacks *f, struct str line, uint64_t offset)
{
    struct str stack;
    uint64_t count;

    line = without_cr(line);
    if (line.n == 0 || line.p[0] == '#')
        return true;
    if (!parse_line(line, &stack, &count)) {
        builder_warn(f->builder, WARN_BAD_FOLDED_LINE, 1, offset);
        return true;
    }
    return add_stack(f, stack, count, offset) || builder_failed(f->builder, f->diag);
}

/* The line at p, or 0 if its end is not there yet. A line over the limit is left out: cut, it would
 * have no count. */
static size_t feed_line(struct folded_stacks *f, const uint8_t *p, size_t n, uint64_t offset, bool final,
                        bool *ok)
{
    const uint8_t *lf = memchr(p, '\n', n);
    size_t length = lf == NULL ? n : (size_t)(lf - p);
    size_t taken = lf == NULL ? n : length + 1;

    if (f->in_long_line) {
        f->in_long_line = lf == NULL;
        return taken;
    }
    if (length > f->limits->line_bytes) {
        builder_warn(f->builder, WARN_LONG_LINE, 1, offset);
        f->long_lines = true;
        f->in_long_line = lf == NULL;
        return taken;
    }
    if (lf == NULL && !final)
        return 0;
    *ok = add_line(f, (struct str){(const char *)p, length}, offset);
    return taken;
}

static bool feed(void *state, const uint8_t *p, size_t n, uint64_t offset, bool final, size_t *consumed)
{
    struct folded_stacks *f = state;
    size_t used = 0;
    bool ok = true;

    while (ok && used < n) {
        size_t taken = feed_line(f, p + used, n - used, offset + used, final, &ok);
        if (taken == 0)
            break;
        used += taken;
    }
    *consumed = used;
    return ok;
}

static bool finish(void *state, uint64_t file_bytes)
{
    const struct folded_stacks *f = state;

    if (builder_event_count(f->builder) > 0)
        return true;
    if (f->long_lines)
        return diag_at(
            f->diag, DIAG_UNUSABLE, 0, "no usable stack",
            "Upload shorter lines, or ask who runs this service to raise the limit.",
            "The file looks like folded stacks, but none of its lines has a count within the limit "
            "max_line_bytes of %u bytes.",
            f->limits->line_bytes);
    return diag_at(f->diag, DIAG_UNUSABLE, 0, "no usable stack",
                   "Folded stacks have one line per stack: frame;frame;frame, a blank, and a whole number.",
                   "The file looks like folded stacks, but none of its %llu bytes' lines has a count.",
                   (unsigned long long)file_bytes);
}

const struct format FORMAT_FOLDED_STACKS = {
    .name = "folded-stacks",
    .label = "Folded stacks",
    .written_by = "the collapse scripts of flame graph tools; `aflamed render --output folded`",
    .state_bytes = sizeof(struct folded_stacks),
    .detect = detect,
    .begin = begin,
    .feed = feed,
    .finish = finish,
};
