/* Folded stacks: one line per stack, as the collapse scripts of flame-graph tools write it.
 *
 *   frame;frame;frame SPACE count LF            root first; the count is decimal digits, and may have decimals
 *   frame;frame;frame SPACE count SPACE count   of two recordings, as difffolded.pl of FlameGraph writes it
 *
 * Lines that begin with # are comments. Anything else is counted and left out, and so is what is longer
 * than a line may be. What text_lines.h says of encodings and line ends holds. Equal stacks may occur many
 * times; their counts add up, and the sum of those with decimals is rounded to a whole number. A file is
 * folded stacks when at least half of the lines at its beginning are, and one of them has more than one
 * frame. It has two counts when all of these lines have. */

#include "core/clean.h"
#include "core/idmap.h"
#include "core/number.h"
#include "parser/format.h"
#include "parser/text_lines.h"

enum {
    COLUMNS_MAX = 2,
    DECIMALS = 6, /* that count; more are dropped */
    ONE = 1000000 /* 10^DECIMALS */
};

struct count {
    uint64_t whole;
    uint32_t part; /* of ONE */
};

struct folded_stacks {
    struct builder *builder;
    const struct reader_limits *limits;
    struct diag *diag;
    struct text_lines lines;
    size_t columns; /* counts in a line; 0: nothing was fed */
    uint32_t track;
    bool long_lines;  /* some were left out */
    frame_id *frames; /* of the line at hand */
    size_t frames_capacity;
    struct idmap
        parts; /* column and stack, hashed: what their counts with decimals leave below a whole number */
};

/* ---- lines ---- */

static bool all_digits(struct str s)
{
    for (size_t i = 0; i < s.n; i++)
        if (s.p[i] < '0' || s.p[i] > '9')
            return false;
    return true;
}

/* 3, 1.5 or 1. */
static bool parse_count(struct str s, struct count *count)
{
    struct str decimals = s;

    *count = (struct count){0};
    if (!str_split(&decimals, '.', &s) || !str_to_u64(s, 10, &count->whole) || !all_digits(decimals))
        return false;
    for (size_t i = 0; i < DECIMALS; i++)
        count->part = count->part * 10 + (i < decimals.n ? (uint32_t)(decimals.p[i] - '0') : 0);
    return true;
}

/* Takes a count and the blanks before it off the end of the line. False, and the line stays: there is none. */
static bool take_count(struct str *line, struct count *count)
{
    size_t space = str_find_last(*line, ' ');

    if (space == line->n || space == 0 ||
        !parse_count((struct str){line->p + space + 1, line->n - space - 1}, count))
        return false;
    *line = str_trim((struct str){line->p, space});
    return true;
}

/* Splits `stack count` or `stack count count`. False if the line is not of that form. */
static bool parse_line(struct str line, size_t columns, struct str *stack, struct count counts[COLUMNS_MAX])
{
    *stack = line;
    for (size_t i = columns; i-- > 0;)
        if (!take_count(stack, &counts[i]))
            return false;
    return stack->n > 0;
}

static bool is_skipped(struct str line)
{
    return line.n == 0 || line.p[0] == '#';
}

/* ---- the beginning of a file ---- */

/* What the lines at the beginning are like. */
struct survey {
    size_t all, good, deep; /* lines; those that are stacks; of more than one frame */
    size_t two_counts;
};

static void survey_line(struct survey *s, struct str line, bool whole)
{
    struct str stack;
    struct count counts[COLUMNS_MAX];
    bool deep = str_find(line, ';') < line.n;
    /* A first line that does not end here can only be told by its separators. */
    bool ok = whole ? parse_line(line, 1, &stack, counts) : deep;

    s->all++;
    s->good += ok;
    s->deep += ok && deep;
    s->two_counts += whole && parse_line(line, COLUMNS_MAX, &stack, counts);
}

static struct survey survey_of(struct str text, bool final)
{
    struct survey s = {0};
    struct str line;

    while (str_split(&text, '\n', &line)) {
        bool whole = text.p != NULL || final;
        line = str_without_line_end(line);
        if (!is_skipped(line) && (whole || s.all == 0))
            survey_line(&s, line, whole);
    }
    return s;
}

static bool is_text(struct str s)
{
    for (size_t i = 0; i < s.n; i++)
        if ((unsigned char)s.p[i] < 0x20 && s.p[i] != '\t' && s.p[i] != '\n' && s.p[i] != '\r')
            return false;
    return true;
}

static enum detection detect(const uint8_t *p, size_t n, bool final)
{
    char room[TEXT_BEGINNING_BYTES(DETECT_BYTES_MAX)];
    struct str text = text_beginning(p, n, room, sizeof(room));

    if (!is_text(text))
        return DETECT_NO;
    if (n < DETECT_BYTES_MAX && !final)
        return DETECT_MORE;
    struct survey s = survey_of(text, final);
    return s.deep > 0 && s.good * 2 >= s.all ? DETECT_YES : DETECT_NO;
}

/* False: diag. */
static bool begin(struct folded_stacks *f, struct reading *r)
{
    struct builder *b = r->builder;

    f->builder = b;
    f->limits = r->limits;
    f->diag = r->diag;
    f->lines = (struct text_lines){
        .source = r->source, .arena = builder_arena(b), .limit_bytes = r->limits->line_bytes};
    idmap_init(&f->parts, builder_arena(b), builder_seed(b));
    string_id name = builder_string(b, STR("all stacks"));
    f->track = name == STRING_NONE ? NODE_NONE : builder_track(b, 1, name);
    if (f->track == NODE_NONE)
        return builder_failed(b, r->diag);
    builder_track_is(b, f->track, &(struct track_words){.kind = TRACK_WHOLE, .number = 1});
    return true;
}

static bool declare(struct folded_stacks *f)
{
    static const struct profile_value SAMPLES = {STR_INIT("samples"), STR_INIT("samples"), UNIT_COUNT,
                                                 ROLE_SAMPLES};
    static const struct profile_value BEFORE_AND_AFTER[COLUMNS_MAX] = {
        {STR_INIT("before"), STR_INIT("samples before"), UNIT_COUNT, ROLE_SAMPLES},
        {STR_INIT("after"), STR_INIT("samples after"), UNIT_COUNT, ROLE_SAMPLES}};
    char room[TEXT_BEGINNING_BYTES(DETECT_BYTES_MAX)];

    size_t n;
    const uint8_t *p = source_need(f->lines.source, DETECT_BYTES_MAX, &n);
    bool final = n <= DETECT_BYTES_MAX && f->lines.source->ended;

    if (n > DETECT_BYTES_MAX)
        n = DETECT_BYTES_MAX;
    struct survey s = survey_of(text_beginning(p, n, room, sizeof(room)), final);
    f->columns = s.two_counts > 0 && s.two_counts == s.good ? COLUMNS_MAX : 1;
    return builder_values(f->builder, NULL, 0, f->columns == 1 ? &SAMPLES : BEFORE_AND_AFTER,
                          (uint32_t)f->columns) ||
           builder_failed(f->builder, f->diag);
}

/* ---- stacks ---- */

/* A count with decimals, as what it adds to its stack's whole number: so that this is the rounded sum at
 * each moment. */
static bool round_count(struct folded_stacks *f, struct str stack, size_t column, struct count *count)
{
    uint64_t key = hash_bytes(builder_seed(f->builder), stack.p, stack.n) + column;
    uint32_t kept = idmap_get(&f->parts, key);
    uint32_t part = (kept == IDMAP_NONE ? ONE / 2 : kept) + count->part;

    count->whole = number_add(count->whole, part / ONE);
    return idmap_set(&f->parts, key, part % ONE);
}

static bool round_counts(struct folded_stacks *f, struct str stack, struct count *counts, uint64_t offset)
{
    bool some = false, ok = true;

    for (size_t i = 0; i < f->columns; i++) {
        some = some || counts[i].part > 0;
        ok = ok && (counts[i].part == 0 || round_count(f, stack, i, &counts[i]));
    }
    if (some)
        builder_warn(f->builder, WARN_FRACTION, 1, offset);
    return ok;
}

/* async-profiler marks frames by what they are. The mark stays in the name, as other tools show it. */
static enum frame_kind kind_of(struct str text)
{
    static const struct {
        struct str mark;
        enum frame_kind kind;
    } MARKS[] = {{STR_INIT("_[j]"), FRAME_KIND_JAVA},
                 {STR_INIT("_[0]"), FRAME_KIND_JAVA},
                 {STR_INIT("_[1]"), FRAME_KIND_JAVA},
                 {STR_INIT("_[i]"), FRAME_KIND_INLINED},
                 {STR_INIT("_[k]"), FRAME_KIND_KERNEL}};

    for (size_t i = 0; i < sizeof(MARKS) / sizeof(*MARKS); i++)
        if (str_ends(text, MARKS[i].mark))
            return MARKS[i].kind;
    return FRAME_KIND_UNKNOWN;
}

static bool add_stack(struct folded_stacks *f, struct str stack, const struct count *counts, uint64_t offset)
{
    uint64_t values[COLUMNS_MAX] = {counts[0].whole, counts[1].whole};
    struct str text;
    size_t n = 0;

    while (str_split(&stack, ';', &text)) {
        if (!ARENA_ROOM(builder_arena(f->builder), f->frames, f->frames_capacity, n + 1))
            return false;
        if (text.n > f->limits->name_bytes) {
            builder_warn(f->builder, WARN_NAME_CUT, 1, offset);
            text = clean_cut(text, f->limits->name_bytes);
        }
        struct profile_frame frame = {.name = builder_string(f->builder, text), .kind = kind_of(text)};
        f->frames[n] = frame.name == STRING_NONE ? FRAME_NONE : builder_frame(f->builder, &frame);
        if (f->frames[n++] == FRAME_NONE)
            return false;
    }
    return builder_sample(f->builder, f->track, builder_stack(f->builder, f->track, NODE_NONE, f->frames, n),
                          values);
}

static bool add_line(struct folded_stacks *f, struct str line, uint64_t offset)
{
    struct str stack;
    struct count counts[COLUMNS_MAX] = {{0}};

    if (is_skipped(line))
        return true;
    if (!parse_line(line, f->columns, &stack, counts)) {
        builder_warn(f->builder, WARN_BAD_FOLDED_LINE, 1, offset);
        return true;
    }
    return (round_counts(f, stack, counts, offset) && add_stack(f, stack, counts, offset)) ||
           builder_failed(f->builder, f->diag);
}

/* A line over the limit is left out: cut, it would have no count. */
static bool take_line(struct folded_stacks *f, const struct text_line *line)
{
    if (!line->too_long)
        return add_line(f, line->text, line->offset);
    if (!line->is_rest)
        builder_warn(f->builder, WARN_LONG_LINE, 1, line->offset);
    f->long_lines = true;
    return true;
}

static bool read_lines(struct folded_stacks *f)
{
    struct text_line line;
    bool ok = true;

    while (ok && text_lines_next(&f->lines, &line))
        ok = take_line(f, &line);
    return ok && (!f->lines.failed || builder_failed(f->builder, f->diag));
}

static bool has_stacks(const struct folded_stacks *f)
{
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
                   "Folded stacks have one line per stack: frame;frame;frame, a blank, and a number.",
                   "The file looks like folded stacks, but none of its %llu bytes' lines has a count.",
                   (unsigned long long)source_offset(f->lines.source));
}

static bool read_stacks(struct reading *r)
{
    struct folded_stacks f = {.builder = NULL};

    return begin(&f, r) && declare(&f) && read_lines(&f) && has_stacks(&f);
}

const struct format FORMAT_FOLDED_STACKS = {
    .name = "folded-stacks",
    .label = "Folded stacks",
    .written_by = "the collapse scripts of flame graph tools; `aflamed render --output folded`",
    .detect = detect,
    .read = read_stacks,
};
