#include "profile/filter/filter_pattern.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <string.h>

#include "core/arena.h"
#include "core/buf.h"
#include "core/clean.h"
#include "core/diag.h"
#include "core/order.h"
#include "core/str.h"
#include "profile/frame/frame_text.h"
#include "profile/frame/own_code.h"

/* ---- patterns ---- */

enum {
    FILTER_GROUPS_MAX = 16, /* groups of an expression within each other */
    FILTER_REPEAT_MAX = 50  /* the numbers of a repetition */
};

/* Patterns: what is one, and which frames match.
 *
 * A pattern comes from a stranger, and so do the names that it is tried against. So nothing here takes
 * longer than its budget: each distinct name is looked at once, texts are found in a time that grows with
 * their length alone, and PCRE2 calls back at each item of an expression that it tries, which is counted
 * and may end the search. */

/* Limits of one match, beside the budget: how deep PCRE2 may go, and the memory that it may take for that. */
enum { DEPTH_MOST = 20000, HEAP_KIB = 8192 };

/* The stop is asked after so many frames, and after so many items of expressions. */
enum { STOP_EVERY = 1024 };

/* An item may read the rest of a name, which is fast: so many bytes cost one step more. */
enum { BYTES_OF_A_STEP = 32 };

/* ---- expressions ---- */

static const char SYNTAX[] = "^$\\.*+?()[]{}|/";

struct parser {
    struct str rest;
    struct buf *out;
    unsigned depth; /* of open groups */
    bool has_atom;  /* What was read last can be repeated. */
    const char *problem;
};

static bool fail(struct parser *p, const char *problem)
{
    p->problem = problem;
    return false;
}

static bool take(struct parser *p, char c)
{
    if (p->rest.n == 0 || p->rest.p[0] != c)
        return false;
    p->rest.p++, p->rest.n--;
    return true;
}

/* ---- expressions: atoms ---- */

/* \w is what it is in both languages without regard to case, whose letters are not those of ASCII alone. */
static bool read_escape(struct parser *p, bool in_class)
{
    if (p->rest.n == 0)
        return fail(p, "a backslash at its end stands for nothing");
    char c = p->rest.p[0];
    p->rest.p++, p->rest.n--;
    if (c == 'd')
        buf_z(p->out, in_class ? "0-9" : "[0-9]");
    else if (c == 'w')
        buf_z(p->out, in_class ? "A-Za-z0-9_" : "[A-Za-z0-9_]");
    else if (strchr(SYNTAX, c) != NULL && c != '\0')
        buf_printf(p->out, "\\%c", c);
    else if (in_class && c == '-')
        buf_z(p->out, "\\-");
    else
        return fail(
            p, "behind a backslash only d, w and the signs ^ $ \\ . * + ? ( ) [ ] { } | / are understood");
    return true;
}

/* One end of a range, or a character. *code: itself; UINT32_MAX for \d and \w, which are no end. */
static bool read_member(struct parser *p, uint32_t *code)
{
    const char *at = p->rest.p;

    if (take(p, '\\')) {
        bool wide = p->rest.n > 0 && (p->rest.p[0] == 'd' || p->rest.p[0] == 'w');
        *code = !wide && p->rest.n > 0 ? (unsigned char)p->rest.p[0] : UINT32_MAX;
        return read_escape(p, true);
    }
    if (p->rest.p[0] == '[')
        return fail(p, "within brackets a [ needs a backslash in front");
    *code = clean_next(&p->rest);
    buf_z(p->out, *code == '-' ? "\\" : "");
    buf_bytes(p->out, at, (size_t)(p->rest.p - at));
    return true;
}

static bool read_range(struct parser *p, bool first)
{
    bool dash = p->rest.p[0] == '-';
    uint32_t low, high;

    if (dash && !first && p->rest.n > 1 && p->rest.p[1] != ']')
        return fail(p, "within brackets a - that is no range needs a backslash in front");
    if (!read_member(p, &low))
        return false;
    if (p->rest.n < 2 || p->rest.p[0] != '-' || p->rest.p[1] == ']')
        return true;
    if (dash)
        return fail(p, "within brackets a - that is no range needs a backslash in front");
    take(p, '-');
    buf_char(p->out, '-');
    if (p->rest.p[0] == '-')
        return fail(p, "within brackets a - that is no range needs a backslash in front");
    if (!read_member(p, &high))
        return false;
    return (low != UINT32_MAX && high != UINT32_MAX && low <= high) ||
           fail(p, "a range within brackets goes from a character to a later one");
}

static bool read_class(struct parser *p)
{
    buf_char(p->out, '[');
    if (take(p, '^'))
        buf_char(p->out, '^');
    if (p->rest.n > 0 && p->rest.p[0] == ']')
        return fail(p, "brackets must not be empty");
    for (bool first = true; p->rest.n > 0 && p->rest.p[0] != ']'; first = false)
        if (!read_range(p, first))
            return false;
    if (!take(p, ']'))
        return fail(p, "a [ has no ] behind it");
    buf_char(p->out, ']');
    p->has_atom = true;
    return true;
}

static bool open_group(struct parser *p)
{
    if (take(p, '?') && !take(p, ':'))
        return fail(p, "groups that begin with (? are not understood, but for (?:");
    if (p->depth == FILTER_GROUPS_MAX)
        return fail(p, "more than 16 groups stand within each other");
    p->has_atom = false;
    p->depth++;
    buf_z(p->out, "(?:");
    return true;
}

static bool close_group(struct parser *p)
{
    if (p->depth == 0)
        return fail(p, "a ) has no ( before it");
    p->depth--;
    p->has_atom = true;
    buf_char(p->out, ')');
    return true;
}

/* ---- expressions: repetitions ---- */

static bool read_number(struct parser *p, unsigned *number)
{
    size_t n = 0;
    uint64_t value;

    while (n < p->rest.n && is_digit(p->rest.p[n]))
        n++;
    if (!str_to_u64((struct str){p->rest.p, n}, 10, &value))
        return fail(p, "a { begins a repetition such as {2}, {2,} or {2,5}, or needs a backslash in front");
    if (value > FILTER_REPEAT_MAX)
        return fail(p, "the numbers of a repetition are 50 at most");
    *number = (unsigned)value;
    p->rest.p += n, p->rest.n -= n;
    return true;
}

static bool read_counts(struct parser *p)
{
    unsigned least, most;

    if (!read_number(p, &least))
        return false;
    most = least;
    if (take(p, ',') && (p->rest.n == 0 || p->rest.p[0] != '}') && !read_number(p, &most))
        return false;
    if (!take(p, '}'))
        return fail(p, "a { begins a repetition such as {2}, {2,} or {2,5}, or needs a backslash in front");
    return least <= most || fail(p, "a repetition goes from a number to one that is not smaller");
}

static bool read_repetition(struct parser *p, char sign)
{
    const char *begin = p->rest.p - 1;

    if (!p->has_atom)
        return fail(p, "nothing stands before a repetition");
    if (sign == '{' && !read_counts(p))
        return false;
    take(p, '?');
    buf_bytes(p->out, begin, (size_t)(p->rest.p - begin));
    p->has_atom = false;
    return true;
}

/* ---- expressions: the whole ---- */

static bool read_sign(struct parser *p, char sign)
{
    switch (sign) {
    case '\\':
        if (!read_escape(p, false))
            return false;
        p->has_atom = true;
        return true;
    case '[':
        return read_class(p);
    case '(':
        return open_group(p);
    case ')':
        return close_group(p);
    case '|':
    case '^':
    case '$':
        p->has_atom = false;
        buf_char(p->out, sign);
        return true;
    case '.':
        p->has_atom = true;
        buf_char(p->out, sign);
        return true;
    case ']':
    case '}':
        return fail(p, "a ] or } that closes nothing needs a backslash in front");
    default: /* * + ? { */
        return read_repetition(p, sign);
    }
}

static bool read_character(struct parser *p)
{
    const char *at = p->rest.p;

    clean_next(&p->rest);
    buf_bytes(p->out, at, (size_t)(p->rest.p - at));
    p->has_atom = true;
    return true;
}

static bool read_next(struct parser *p)
{
    char c = p->rest.p[0];

    if (c == '/' || c == '\0' || strchr(SYNTAX, c) == NULL)
        return read_character(p);
    p->rest.p++, p->rest.n--;
    return read_sign(p, c);
}

/* Appends the expression as PCRE2 reads it. NULL: it is one of the subset; else what is wrong with it, and
 * what was appended means nothing. */
static const char *translate(struct str expression, struct buf *pcre)
{
    struct parser p = {.rest = expression, .out = pcre};

    if (expression.n == 0)
        return "it is empty";
    while (p.rest.n > 0)
        if (!read_next(&p))
            return p.problem;
    return p.depth > 0 ? "a ( has no ) behind it" : NULL;
}

/* ---- patterns ---- */

static const struct str PREFIXES[FILTER_PARTS] = {
    [FILTER_PART_TEXT] = STR_INIT(""),
    [FILTER_PART_CLASS] = STR_INIT("class:"),
    [FILTER_PART_PACKAGE] = STR_INIT("package:"),
    [FILTER_PART_SIGNATURE] = STR_INIT("signature:"),
    [FILTER_PART_FILE] = STR_INIT("file:"),
    [FILTER_PART_MODULE] = STR_INIT("module:"),
    [FILTER_PART_ORIGIN] = STR_INIT("origin:"),
};

static const char *regex_problem(struct str expression)
{
    struct buf pcre = {0};
    const char *problem = translate(expression, &pcre);

    buf_free(&pcre);
    return problem;
}

const char *filter_pattern_parse(struct str pattern, enum filter_part *part, struct str *text, bool *is_regex)
{
    *part = FILTER_PART_TEXT;
    for (unsigned i = FILTER_PART_TEXT + 1; i < FILTER_PARTS; i++)
        if (str_starts(pattern, PREFIXES[i]))
            *part = (enum filter_part)i;
    size_t prefix = PREFIXES[*part].n;

    *text = str_from(pattern, prefix);
    *is_regex = text->n >= 2 && text->p[0] == '/' && text->p[text->n - 1] == '/';
    if (*is_regex)
        *text = (struct str){text->p + 1, text->n - 2};
    if (!clean_is_text(*text)) /* only what can stand in a cleaned text is worth looking for there */
        return "the pattern is no UTF-8 text without control characters";
    if (text->n == 0 && !*is_regex)
        return "the pattern is empty";
    return *is_regex ? regex_problem(*text) : NULL;
}

struct matcher {
    const struct profile *profile;
    const uint8_t *origins;
    struct filter_budget *budget;
    enum filter_part part;
    struct buf text; /* of the frame that is looked at */
    /* A text, in lower case: */
    struct buf wanted;
    /* or an expression: */
    pcre2_code *code;
    pcre2_match_data *data;
    pcre2_match_context *context;
};

/* ---- what is looked at ---- */

static void put_part(struct buf *b, struct str s)
{
    size_t begin = b->n;

    clean_text(b, s);
    for (size_t i = begin; !b->failed && i < b->n; i++)
        if (b->p[i] == ';')
            b->p[i] = ':';
}

static void put_whole(struct buf *b, const struct frame_parts *parts)
{
    put_part(b, parts->scope);
    if (parts->scope.n > 0 && parts->name.n > 0)
        buf_char(b, '.');
    put_part(b, parts->name);
}

void filter_pattern_text(const struct profile *p, frame_id frame, struct buf *b)
{
    struct frame_parts parts = frame_parts_of(p, &p->frames[frame]);

    put_whole(b, &parts);
}

static void put_looked_at(struct matcher *m, frame_id frame)
{
    const struct profile_frame *f = &m->profile->frames[frame];
    struct frame_parts parts = frame_parts_of(m->profile, f);

    switch (m->part) {
    case FILTER_PART_CLASS:
        put_part(&m->text, parts.scope);
        break;
    case FILTER_PART_PACKAGE:
        put_part(&m->text, origin_package(parts.scope));
        break;
    case FILTER_PART_SIGNATURE:
        put_part(&m->text, parts.signature);
        break;
    case FILTER_PART_FILE:
        put_part(&m->text, profile_string(m->profile, f->file));
        break;
    case FILTER_PART_MODULE:
        put_part(&m->text, profile_string(m->profile, f->module));
        break;
    case FILTER_PART_ORIGIN:
        buf_z(&m->text, origin_word((enum origin)m->origins[frame]));
        break;
    case FILTER_PART_TEXT:
    case FILTER_PARTS:
        put_whole(&m->text, &parts);
        break;
    }
}

/* ---- texts ---- */

/* Only A to Z have small letters here. */
static void lower(struct buf *b)
{
    for (size_t i = 0; i < b->n; i++)
        if (b->p[i] >= 'A' && b->p[i] <= 'Z')
            b->p[i] = (char)(b->p[i] - 'A' + 'a');
}

/* memmem takes a time that grows with both lengths, and not with their product. */
static bool has_text(struct matcher *m)
{
    lower(&m->text);
    return m->text.n > 0 && memmem(m->text.p, m->text.n, m->wanted.p, m->wanted.n) != NULL;
}

/* ---- expressions against names ---- */

static bool refuse(struct diag *diag, struct str pattern, const char *problem)
{
    struct buf quoted = {0};

    clean_text(&quoted, clean_cut(pattern, 60));
    diag_set(diag, DIAG_USAGE, "filter not usable", "Use a shorter or simpler expression, or a plain text.",
             "/%.*s/: %s.", (int)quoted.n, quoted.n > 0 ? quoted.p : "", problem);
    buf_free(&quoted);
    return false;
}

static bool no_memory(struct diag *diag)
{
    return diag_no_memory(diag, "No memory is left to apply a filter.");
}

static bool may_go_on(struct filter_budget *budget, uint64_t steps)
{
    if (budget->steps / STOP_EVERY != (budget->steps - steps) / STOP_EVERY && arena_stopped(budget->arena))
        return false;
    budget->steps = budget->steps > steps ? budget->steps - steps : 0;
    return budget->steps > 0;
}

/* Called by PCRE2 before each item of the expression that it tries. Other than 0: the match ends with this error. */
static int count_item(pcre2_callout_block *item, void *budget)
{
    uint64_t steps = 1 + (item->subject_length - item->current_position) / BYTES_OF_A_STEP;

    return may_go_on(budget, steps) ? 0 : PCRE2_ERROR_CALLOUT;
}

/* Only limits and want of memory make PCRE2 refuse what translate has passed. */
static bool compile(struct matcher *m, struct str expression, struct diag *diag)
{
    struct buf pcre = {0};
    PCRE2_SIZE offset;
    int error = 0;

    if (translate(expression, &pcre) == NULL && !pcre.failed)
        m->code = pcre2_compile((PCRE2_SPTR)pcre.p, pcre.n,
                                PCRE2_UTF | PCRE2_CASELESS | PCRE2_DOLLAR_ENDONLY | PCRE2_AUTO_CALLOUT,
                                &error, &offset, NULL);
    bool failed = pcre.failed;
    buf_free(&pcre);
    if (m->code == NULL && !failed && error != 0 && error != PCRE2_ERROR_HEAP_FAILED)
        return refuse(diag, expression, "the expression is too large");
    if (m->code != NULL) {
        m->data = pcre2_match_data_create(1, NULL);
        m->context = pcre2_match_context_create(NULL);
    }
    if (m->data == NULL || m->context == NULL)
        return no_memory(diag);
    pcre2_set_match_limit(m->context, UINT32_MAX); /* the budget counts */
    pcre2_set_depth_limit(m->context, DEPTH_MOST);
    pcre2_set_heap_limit(m->context, HEAP_KIB);
    pcre2_set_callout(m->context, count_item, m->budget);
    return true;
}

/* False: diag, or the work is to end. */
static bool has_match(const struct matcher *m, struct str expression, bool *found, struct diag *diag)
{
    PCRE2_SPTR at = (PCRE2_SPTR)(m->text.n > 0 ? m->text.p : "");
    int result = pcre2_match(m->code, at, m->text.n, 0, PCRE2_NO_UTF_CHECK, m->data, m->context);

    *found = result >= 0;
    if (*found || result == PCRE2_ERROR_NOMATCH)
        return true;
    if (result == PCRE2_ERROR_NOMEMORY)
        return no_memory(diag);
    return !arena_stopped(m->budget->arena) &&
           refuse(diag, expression, "the expression takes too many steps");
}

/* ---- all frames ---- */

/* What the text of a frame depends on: frames of equal keys have equal texts. */
static uint64_t key_of(const struct matcher *m, frame_id frame)
{
    const struct profile_frame *f = &m->profile->frames[frame];

    switch (m->part) {
    case FILTER_PART_CLASS:
    case FILTER_PART_PACKAGE: /* Both may stand in the name alone. */
        return f->scope != STRING_EMPTY ? f->scope : (uint64_t)f->name << 32;
    case FILTER_PART_SIGNATURE:
        return f->signature;
    case FILTER_PART_FILE:
        return f->file;
    case FILTER_PART_MODULE:
        return f->module;
    case FILTER_PART_ORIGIN:
        return m->origins[frame];
    case FILTER_PART_TEXT:
    case FILTER_PARTS:
        break;
    }
    return (uint64_t)f->name << 32 | f->scope;
}

static bool key_before(const void *keys, uint32_t a, uint32_t b)
{
    const uint64_t *key = keys;

    return key[a] < key[b];
}

static bool match_one(struct matcher *m, struct str expression, frame_id frame, bool *found,
                      struct diag *diag)
{
    buf_clear(&m->text);
    put_looked_at(m, frame);
    if (m->text.failed)
        return no_memory(diag);
    if (m->code != NULL)
        return has_match(m, expression, found, diag);
    *found = has_text(m);
    return true;
}

/* In the order of keys, so that each distinct text is looked at once. */
static bool match_sorted(struct matcher *m, struct str expression, uint64_t *keys, uint32_t *next,
                         uint8_t *matches, struct diag *diag)
{
    uint32_t n = m->profile->n_frames, before = ORDER_NONE, done = 0;
    bool found = false;

    for (frame_id i = 0; i < n; i++) {
        keys[i] = key_of(m, i);
        next[i] = i + 1 < n ? i + 1 : ORDER_NONE;
    }
    for (uint32_t i = order_list(n > 0 ? 0 : ORDER_NONE, next, key_before, keys); i != ORDER_NONE;
         before = i, i = next[i]) {
        if (++done % STOP_EVERY == 0 && arena_stopped(m->budget->arena))
            return false;
        if ((before == ORDER_NONE || keys[before] != keys[i]) && !match_one(m, expression, i, &found, diag))
            return false;
        matches[i] = found;
    }
    return true;
}

static bool match_all(struct matcher *m, struct str expression, uint8_t *matches, struct diag *diag)
{
    struct arena *arena = m->budget->arena;
    uint32_t n = m->profile->n_frames;
    uint64_t *keys = arena_lend(arena, n, sizeof(*keys));
    uint32_t *next = arena_lend(arena, n, sizeof(*next));
    bool ok = keys != NULL && next != NULL && match_sorted(m, expression, keys, next, matches, diag);

    arena_release(arena, next, n, sizeof(*next));
    arena_release(arena, keys, n, sizeof(*keys));
    return ok;
}

static bool begin_text(struct matcher *m, struct str text, struct diag *diag)
{
    buf_bytes(&m->wanted, text.p, text.n);
    lower(&m->wanted);
    return !m->wanted.failed || no_memory(diag);
}

/* Until version 0.2 the origin of libraries was called "third party": links of that time say so. */
static void put_expression(struct buf *b, enum filter_part part, struct str text)
{
    static const struct str WAS = STR_INIT("third party"), IS = STR_INIT("library");
    const char *at;

    while (part == FILTER_PART_ORIGIN && (at = memmem(text.p, text.n, WAS.p, WAS.n)) != NULL) {
        size_t before = (size_t)(at - text.p);
        buf_bytes(b, text.p, before);
        buf_str(b, IS);
        text = (struct str){at + WAS.n, text.n - before - WAS.n};
    }
    buf_str(b, text);
}

bool filter_pattern_match(const struct profile *p, struct str pattern, const uint8_t *origins,
                          struct filter_budget *budget, uint8_t *matches, struct diag *diag)
{
    struct matcher m = {.profile = p, .origins = origins, .budget = budget};
    struct str text;
    struct buf expression = {0};
    bool is_regex;
    const char *problem = filter_pattern_parse(pattern, &m.part, &text, &is_regex);

    if (problem != NULL)
        return refuse(diag, pattern, problem);
    put_expression(&expression, m.part, text);
    text = buf_view(&expression);
    bool ok = (!expression.failed || no_memory(diag)) &&
              (is_regex ? compile(&m, text, diag) : begin_text(&m, text, diag)) &&
              match_all(&m, text, matches, diag);
    pcre2_match_context_free(m.context);
    pcre2_match_data_free(m.data);
    pcre2_code_free(m.code);
    buf_free(&m.wanted);
    buf_free(&m.text);
    buf_free(&expression);
    return ok;
}

/* ---- steps ---- */

/* One step of a filter: a key, and the text behind it. What the keys mean is said in filter.h. */

enum { FILTER_PRESET_NAME_MAX = 40 };

static const char *const WORDS[FILTER_KEYS] = {
    [FILTER_FOCUS] = "focus",         [FILTER_IGNORE] = "ignore",       [FILTER_HIDE] = "hide",
    [FILTER_SHOW_FROM] = "show-from", [FILTER_RECURSION] = "recursion", [FILTER_PRESET] = "preset",
};

const char *filter_key_word(enum filter_key key)
{
    return WORDS[key];
}

static const char *pattern_problem(struct str text)
{
    enum filter_part part;
    bool is_regex;

    return filter_pattern_parse(text, &part, &text, &is_regex);
}

/* Whether the text is one for the key: a pattern of filter_pattern.h, "collapse" or "collapse-all". Names
 * of presets are known to the header alone: they are a problem here. NULL: it is; else what is wrong, as a
 * sentence without capital and full stop. */
static const char *filter_step_problem(const struct filter_step *step)
{
    if (step->text.n > FILTER_TEXT_BYTES_MAX)
        return "it is longer than 500 bytes";
    switch (step->key) {
    case FILTER_RECURSION:
        return str_eq(step->text, STR("collapse")) || str_eq(step->text, STR("collapse-all"))
                   ? NULL
                   : "it is one of collapse, collapse-all";
    case FILTER_PRESET:
        return "a preset cannot stand here";
    default:
        return pattern_problem(step->text);
    }
}

/* ---- presets ---- */

static const struct {
    const char *name, *steps;
} PRESETS[] = {
#define ROW(name, label, help, steps) {name, steps},
    FILTER_PRESET_ROWS(ROW)
#undef ROW
};

enum { PRESETS_COUNT = sizeof(PRESETS) / sizeof(PRESETS[0]) };

static bool is_name(struct str s)
{
    static const char KNOWN[] = "abcdefghijklmnopqrstuvwxyz0123456789-";

    for (size_t i = 0; i < s.n; i++)
        if (memchr(KNOWN, s.p[i], sizeof(KNOWN) - 1) == NULL)
            return false;
    return s.n > 0 && s.n <= FILTER_PRESET_NAME_MAX;
}

/* Takes the next preset of the configuration off the front. False when none is left. */
static bool next_preset(struct str *presets, struct str *name, struct str *steps)
{
    if (presets->n == 0)
        return false;
    size_t end = str_find_str(*presets, STR(";;"));
    struct str one = {presets->p, end};
    size_t skipped = end < presets->n ? end + 2 : end;
    size_t colon = str_find(one, ':');

    *presets = str_from(*presets, skipped);
    *name = str_trim((struct str){one.p, colon});
    *steps = colon < one.n ? str_from(one, colon + 1) : (struct str){one.p, 0};
    return true;
}

static bool find_added(struct str presets, struct str name, struct str *steps)
{
    struct str found;

    while (next_preset(&presets, &found, steps))
        if (str_eq(found, name))
            return true;
    return false;
}

bool filter_presets_is_added(struct str presets, struct str name)
{
    struct str steps;

    return find_added(presets, name, &steps);
}

bool filter_presets_find(struct str presets, struct str name, struct str *steps)
{
    if (find_added(presets, name, steps))
        return true;
    for (unsigned i = 0; i < PRESETS_COUNT; i++)
        if (str_eq(name, str_of(PRESETS[i].name))) {
            *steps = str_of(PRESETS[i].steps);
            return true;
        }
    return false;
}

void filter_presets_each(struct str presets, void (*put)(void *context, struct str name, struct str steps),
                         void *context)
{
    struct str rest = presets, name, steps;

    while (next_preset(&rest, &name, &steps))
        put(context, name, steps);
    for (unsigned i = 0; i < PRESETS_COUNT; i++)
        if (!find_added(presets, str_of(PRESETS[i].name), &steps))
            put(context, str_of(PRESETS[i].name), str_of(PRESETS[i].steps));
}

const char *filter_presets_problem(struct str presets, const struct filter_step *step)
{
    struct str steps;

    if (step->key != FILTER_PRESET)
        return filter_step_problem(step);
    return filter_presets_find(presets, step->text, &steps) ? NULL : "there is no preset of that name";
}

bool filter_presets_step(struct str *steps, struct filter_step *step)
{
    struct str one;

    if (steps->n == 0 || !str_split(steps, ';', &one))
        return false;
    one = str_trim(one);
    size_t sign = str_find(one, '=');
    for (unsigned key = 0; sign < one.n && key < FILTER_KEYS; key++)
        if (str_eq((struct str){one.p, sign}, str_of(filter_key_word((enum filter_key)key)))) {
            *step = (struct filter_step){(enum filter_key)key, {one.p + sign + 1, one.n - sign - 1}};
            return true;
        }
    return false;
}

static bool are_steps(struct str steps)
{
    struct filter_step step;
    unsigned n = 0;

    for (; steps.n > 0 && n < FILTER_STEPS_MAX; n++)
        if (!filter_presets_step(&steps, &step) || filter_step_problem(&step) != NULL)
            return false;
    return n > 0 && steps.n == 0;
}

bool filter_presets_valid(struct str presets)
{
    struct str name, steps;

    while (next_preset(&presets, &name, &steps))
        if (!is_name(name) || !are_steps(steps))
            return false;
    return true;
}
