#include "render/names/names.h"

#include <string.h>

#include "core/arena.h"
#include "core/buf.h"
#include "core/clean.h"
#include "core/order.h"
#include "core/put.h"
#include "profile/frame/frame_text.h"
#include "profile/frame/own_code.h"
#include "profile/frame/sections.h"
#include "profile/frame/short_name.h"
#include "profile/frame/waits.h"
#include "profile/track.h"
#include "render/view/view.h"

/* ---- cells ---- */

static void put_tsv(struct buf *out, struct str text, struct buf *scratch)
{
    (void)scratch;
    clean_text(out, text);
}

static void put_quoted(struct buf *out, struct str text)
{
    struct str rest = text, part;

    buf_char(out, '"');
    for (bool first = true; str_split(&rest, '"', &part); first = false) {
        buf_z(out, first ? "" : "\"\"");
        buf_str(out, part);
    }
    buf_char(out, '"');
}

static void put_csv(struct buf *out, struct str text, struct buf *scratch)
{
    buf_clear(scratch);
    if (text.n > 0 && memchr("=+-@", text.p[0], 4) != NULL)
        buf_char(scratch, '\'');
    clean_text(scratch, text);
    out->failed = out->failed || scratch->failed;
    struct str cleaned = buf_view(scratch);
    if (str_find(cleaned, ',') < cleaned.n || str_find(cleaned, '"') < cleaned.n)
        put_quoted(out, cleaned);
    else
        buf_str(out, cleaned);
}

const struct cell_style CELL_TSV = {'\t', put_tsv}, CELL_CSV = {',', put_csv};

/* ---- what fits ---- */

/* Text in cells of a monospace font, by arithmetic alone: a picture does not know the viewer's fonts. What is
 * counted and written is the cleaned text (core/clean.h). */

struct span_of {
    uint32_t first, last;
};

/* Ascending: what most terminals and monospace fonts draw two cells wide. */
static const struct span_of WIDE[] = {
    {0x1100, 0x115f}, {0x2e80, 0xa4cf}, {0xac00, 0xd7a3},   {0xf900, 0xfaff},   {0xfe30, 0xfe6f},
    {0xff00, 0xff60}, {0xffe0, 0xffe6}, {0x1f300, 0x1faff}, {0x20000, 0x3fffd},
};

/* Ascending: combining marks, joiners, variation selectors. */
static const struct span_of NOTHING[] = {
    {0x0300, 0x036f}, {0x0483, 0x0489}, {0x0591, 0x05bd},   {0x064b, 0x065f},
    {0x1ab0, 0x1aff}, {0x1dc0, 0x1dff}, {0x200b, 0x200d},   {0x20d0, 0x20ff},
    {0xfe00, 0xfe0f}, {0xfe20, 0xfe2f}, {0xe0100, 0xe01ef},
};

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

static bool within(const struct span_of *spans, size_t n, uint32_t c)
{
    for (size_t i = 0; i < n && spans[i].first <= c; i++)
        if (c <= spans[i].last)
            return true;
    return false;
}

static size_t cells_of(uint32_t c)
{
    if (c < 0x300)
        return 1;
    if (within(NOTHING, COUNT_OF(NOTHING), c))
        return 0;
    return within(WIDE, COUNT_OF(WIDE), c) ? 2 : 1;
}

size_t fit_cells(struct str s)
{
    size_t cells = 0;

    while (s.n > 0)
        cells += cells_of(clean_next(&s));
    return cells;
}

size_t fit_in_px(uint32_t width_px, uint32_t font_px)
{
    return (size_t)width_px * 10 / ((size_t)font_px * FIT_EM_TENTHS);
}

/* The longest prefix that stands in the cells. Marks take no cell, but a name is not made of them: a text
 * that has more than three of them to a cell is cut as well. */
static struct str prefix(struct str s, size_t cells)
{
    struct str rest = s;
    size_t used = 0, points_left = cells * 4;

    while (rest.n > 0 && points_left > 0) {
        struct str after = rest;
        used += cells_of(clean_next(&after));
        if (used > cells)
            break;
        rest = after;
        points_left--;
    }
    return (struct str){s.p, s.n - rest.n};
}

static bool fit(struct buf *b, struct str s, size_t cells, void (*put)(struct buf *b, struct str s))
{
    if (cells < FIT_CELLS_LEAST)
        return s.n == 0;
    if (prefix(s, cells).n == s.n) {
        put(b, s);
        return true;
    }
    put(b, prefix(s, cells - 2));
    buf_str(b, STR(".."));
    return false;
}

bool fit_xml(struct buf *b, struct str s, size_t cells)
{
    return fit(b, s, cells, clean_xml);
}

bool fit_text(struct buf *b, struct str s, size_t cells)
{
    return fit(b, s, cells, clean_text);
}

/* ---- shorter names ---- */

/* Names that fit their box. */

enum { INITIAL_BYTES_MAX = 4 }; /* of one character */

struct forms {
    struct str package; /* `com.example`; may be empty */
    struct str class;   /* `Foo`; may be empty */
    struct str method;  /* `bar`; may be empty if there is a class */
};

static struct forms forms_of(const struct frame_parts *parts)
{
    size_t dot = str_find_last(parts->scope, '.');

    if (dot == parts->scope.n)
        return (struct forms){{parts->scope.p, 0}, parts->scope, parts->name};
    return (struct forms){
        {parts->scope.p, dot}, {parts->scope.p + dot + 1, parts->scope.n - dot - 1}, parts->name};
}

/* The first character of a component; what is not UTF-8 counts byte by byte. */
static struct str initial(struct str component)
{
    struct str rest = component;

    if (component.n > 0)
        clean_next(&rest);
    size_t n = component.n - rest.n;
    return (struct str){component.p, n < INITIAL_BYTES_MAX ? n : INITIAL_BYTES_MAX};
}

/* `c.e.` of com.example. False: it takes more than `cells`. */
static bool put_initials(struct buf *b, struct str package, size_t cells)
{
    struct str component;
    size_t used = 0;

    while (package.n > 0 && str_split(&package, '.', &component)) {
        struct str first = initial(component);
        used += fit_cells(first) + 1;
        if (used > cells)
            return false;
        clean_xml(b, first);
        buf_char(b, '.');
    }
    return true;
}

/* `Foo.bar`, or the one that is not empty. */
static void put_simple(struct buf *b, const struct forms *f)
{
    clean_xml(b, f->class);
    if (f->class.n > 0 && f->method.n > 0)
        buf_char(b, '.');
    clean_xml(b, f->method);
}

static size_t simple_cells(const struct forms *f)
{
    return fit_cells(f->class) + (f->class.n > 0 && f->method.n > 0) + fit_cells(f->method);
}

/* --- parameters --- */

/* Takes a type off the front of *s: a descriptor of a class, whose last component is the word, or of a
 * primitive type, behind a bracket for each dimension of an array. */
static bool take_type(struct str *s, struct str *word, size_t *arrays)
{
    static const struct {
        char letter;
        struct str word;
    } PRIMITIVES[] = {{'B', STR_INIT("byte")},  {'C', STR_INIT("char")},   {'D', STR_INIT("double")},
                      {'F', STR_INIT("float")}, {'I', STR_INIT("int")},    {'J', STR_INIT("long")},
                      {'S', STR_INIT("short")}, {'Z', STR_INIT("boolean")}};
    struct str rest = *s;

    for (*arrays = 0; rest.n > 0 && rest.p[0] == '['; ++*arrays)
        rest.p++, rest.n--;
    if (rest.n > 0 && rest.p[0] == 'L') {
        struct str class;
        str_split(&rest, ';', &class);
        *s = rest;
        *word = str_behind_last(str_from(class, 1), '/');
        bool whole = str_find(class, '(') == class.n && str_find(class, ')') == class.n;
        return rest.p != NULL && whole && word->n > 0;
    }
    for (size_t i = 0; rest.n > 0 && i < sizeof(PRIMITIVES) / sizeof(PRIMITIVES[0]); i++)
        if (PRIMITIVES[i].letter == rest.p[0]) {
            *word = PRIMITIVES[i].word;
            *s = str_from(rest, 1);
            return true;
        }
    return false;
}

/* `(ILjava/lang/String;)V` as `(int, String)`. False: it is no descriptor; what was written is to be forgotten. */
static bool put_parameters(struct buf *b, struct str signature)
{
    struct str s = signature, word;
    size_t arrays;

    if (s.n == 0 || s.p[0] != '(')
        return false;
    s.p++, s.n--;
    buf_char(b, '(');
    for (bool first = true; s.n > 0 && s.p[0] != ')'; first = false) {
        if (!take_type(&s, &word, &arrays))
            return false;
        if (!first)
            buf_z(b, ", ");
        clean_text(b, word);
        while (arrays-- > 0)
            buf_z(b, "[]");
    }
    buf_char(b, ')');
    bool ends = str_eq(s, STR(")")) || str_eq(s, STR(")V"));
    if (s.n == 0 || ends)
        return ends;
    s.p++, s.n--;
    return take_type(&s, &word, &arrays) && s.n == 0;
}

/* --- the whole --- */

/* Both in one piece, as much as stands in the cells. */
static void fit_both(struct buf *b, struct str text, struct str tail, size_t cells)
{
    struct buf both = {0};

    if (tail.n == 0) {
        fit_xml(b, text, cells);
        return;
    }
    clean_text(&both, text);
    buf_str(&both, tail);
    fit_xml(b, buf_view(&both), cells);
    buf_part_end(b, &both);
}

/* As a person calls it (profile/frame/short_name.h). False: its class and method say it, and nothing was appended. */
static bool fit_short_name(struct buf *b, const struct frame_parts *parts, struct str tail, size_t cells)
{
    struct buf name = {0}, least = {0};
    bool said = short_name_put(parts, &name, &least);

    if (said) {
        bool fits = fit_cells(buf_view(&name)) + fit_cells(tail) <= cells;
        fit_both(b, buf_view(fits ? &name : &least), tail, cells);
    }
    buf_part_end(b, &name);
    buf_part_end(b, &least);
    return said;
}

/* `tail` is clean. */
static void shorten(struct buf *b, const struct names *n, frame_id frame, enum view_names names,
                    struct str tail, size_t cells)
{
    const struct names_frame *text = names_of(n, frame);
    size_t behind = fit_cells(tail), start = b->n;
    size_t whole = (text->plain ? text->text.n : fit_cells(text->text)) + behind;

    if (whole <= cells || names == NAMES_FULL || cells < FIT_CELLS_LEAST) {
        fit_both(b, text->text, tail, cells);
        return;
    }
    struct frame_parts parts = names_parts(n, frame);
    if (fit_short_name(b, &parts, tail, cells))
        return;
    struct forms f = forms_of(&parts);
    size_t simple = simple_cells(&f) + behind;
    if (simple > cells) {
        fit_both(b, f.method.n > 0 ? f.method : f.class, tail, cells);
        return;
    }
    if (!put_initials(b, f.package, cells - simple))
        b->n = b->failed ? b->n : start;
    put_simple(b, &f);
    clean_xml(b, tail);
}

void shorten_xml(struct buf *b, const struct names *n, frame_id frame, enum view_names names, bool parameters,
                 size_t cells)
{
    struct str signature = names_parts(n, frame).signature;
    struct buf tail = {0};

    if (parameters && !put_parameters(&tail, signature)) {
        buf_clear(&tail);
        clean_text(&tail, signature);
    }
    shorten(b, n, frame, names, buf_view(&tail), cells);
    buf_part_end(b, &tail);
}

/* ---- names ---- */

struct names {
    const struct profile *profile;
    const struct names_frame *frames;
    struct own_code own;
    struct str *packages;
    uint32_t n_packages;
    const struct str *tracks;
    const uint32_t *track_ranks;
};

#define BIT(c) (UINT64_C(1) << (c))

/* All controls and what XML escapes are below 64: a bit for each. No early end, which would cost more than it
 * saves. */
static bool is_plain(struct str s)
{
    static const uint64_t NOT_PLAIN = UINT32_MAX | BIT('<') | BIT('>') | BIT('&') | BIT('"') | BIT('\'');
    uint64_t found = 0;

    for (size_t i = 0; i < s.n; i++) {
        unsigned char c = (unsigned char)s.p[i];
        found |= c < 64 ? NOT_PLAIN >> c & 1 : c > 0x7e;
    }
    return found == 0;
}

/* --- frames --- */

/* What all frames of a scope share. */
struct scope {
    bool known;
    uint8_t origin;
    bool listed;      /* one of its frames stands for all in the list of packages */
    uint32_t package; /* then */
};

struct maker {
    const struct profile *profile;
    struct arena *arena;
    struct names_frame *frames;
    struct scope *scopes; /* by string_id */
    struct buf escaped;
    bool sections; /* frames are sections */
};

/* As the tables know it. A section is the code of the class that it names. */
static enum origin origin_of_parts(const struct frame_parts *parts, bool sections)
{
    enum origin origin =
        origin_of_scope(parts->scope.n > 0 || !sections ? parts->scope : section_class(parts->name));

    return origin == ORIGIN_UNKNOWN && sections && parts->scope.n == 0 &&
                   section_kind_of(parts->name) != SECTION_OTHER
               ? ORIGIN_ANDROID
               : origin;
}

static struct scope classify(struct maker *m, const struct profile_frame *frame,
                             const struct frame_parts *parts)
{
    struct scope *kept = &m->scopes[frame->scope], made;
    bool keeps = profile_string(m->profile, frame->scope).n > 0;

    if (keeps && kept->known)
        return *kept;
    made = (struct scope){.known = true, .origin = (uint8_t)origin_of_parts(parts, m->sections)};
    if (keeps)
        *kept = made;
    return made;
}

/* As the tables know it. */
static uint8_t listed_origin(const struct profile *p, const struct profile_frame *frame,
                             const struct frame_parts *parts, enum origin of_scope)
{
    bool platform = of_scope == ORIGIN_JAVA || of_scope == ORIGIN_ANDROID;

    if (frame->kind == FRAME_KIND_ERROR)
        return ORIGIN_ERROR;
    /* Java methods have a module, too: what they were compiled into. */
    if (frame->kind != FRAME_KIND_JAVA &&
        (frame->kind == FRAME_KIND_NATIVE || frame->kind == FRAME_KIND_KERNEL ||
         profile_string(p, frame->module).n > 0))
        return ORIGIN_NATIVE;
    return platform && wait_is_idle(parts->scope, parts->name) ? ORIGIN_IDLE : (uint8_t)of_scope;
}

/* Text and signature in one piece, so that a name without special characters needs no second copy for XML. */
static bool make_frame(struct maker *m, frame_id id)
{
    const struct profile_frame *frame = &m->profile->frames[id];
    struct frame_parts parts = frame_parts_of(m->profile, frame);
    struct names_frame *made = &m->frames[id];
    struct scope scope = classify(m, frame, &parts);

    made->origin = listed_origin(m->profile, frame, &parts, (enum origin)scope.origin);
    char *text = arena_alloc(m->arena, parts.scope.n + 1 + parts.name.n + parts.signature.n);
    if (text == NULL)
        return false;
    char *end = put_str(text, parts.scope);
    if (parts.scope.n > 0 && parts.name.n > 0)
        *end++ = '.';
    end = put_str(end, parts.name);
    made->text = (struct str){text, (size_t)(end - text)};
    end = put_str(end, parts.signature);
    made->full = (struct str){text, (size_t)(end - text)};
    made->plain = is_plain(made->text);
    if (made->plain && is_plain(parts.signature))
        return true;
    buf_clear(&m->escaped);
    clean_xml(&m->escaped, made->full);
    char *copy = m->escaped.failed ? NULL : arena_copy(m->arena, m->escaped.p, m->escaped.n);
    made->full = (struct str){copy, m->escaped.n};
    return copy != NULL;
}

/* Runs of equal text in the sorted ids get the order of their signatures. */
static bool order_overloads(const struct maker *m, uint32_t *ids, struct str *signatures)
{
    uint32_t n = m->profile->n_frames;

    for (uint32_t i = 0; i < n; i++)
        signatures[i] = profile_string(m->profile, m->profile->frames[i].signature);
    for (uint32_t i = 0, end; i < n; i = end) {
        for (end = i + 1; end < n && str_eq(m->frames[ids[i]].text, m->frames[ids[end]].text);)
            end++;
        for (uint32_t j = i; end - i > 1 && j < end; j++)
            m->frames[ids[j]].overloaded = true;
        if (end - i > 1 && !order_strings(ids + i, end - i, signatures, m->arena))
            return false;
    }
    return true;
}

/* Fills ids[n_frames] in the order of rank. */
static bool rank_frames(struct maker *m, uint32_t *ids)
{
    uint32_t n = m->profile->n_frames;
    struct str *texts = arena_lend(m->arena, n, sizeof(*texts));
    struct str *signatures = arena_lend(m->arena, n, sizeof(*signatures));
    bool ok = texts != NULL && signatures != NULL;

    for (uint32_t i = 0; ok && i < n; i++) {
        ids[i] = i;
        texts[i] = m->frames[i].text;
    }
    ok = ok && order_strings(ids, n, texts, m->arena) && order_overloads(m, ids, signatures);
    for (uint32_t i = 0; ok && i < n; i++) {
        struct names_frame *frame = &m->frames[ids[i]];
        bool same = i > 0 && frame->overloaded && str_eq(frame->text, m->frames[ids[i - 1]].text);
        frame->rank = i;
        frame->text_rank = same ? m->frames[ids[i - 1]].text_rank : i;
    }
    arena_release(m->arena, signatures, n, sizeof(*signatures));
    arena_release(m->arena, texts, n, sizeof(*texts));
    return ok;
}

/* --- packages --- */

/* The scope's record of a frame; NULL: it has none, and stands for itself. */
static struct scope *scope_of(const struct maker *m, frame_id id)
{
    uint32_t scope = m->profile->frames[id].scope;

    return profile_string(m->profile, scope).n > 0 ? &m->scopes[scope] : NULL;
}

/* One frame for each scope, and those without: ids[*n], with the names of their packages in keys[n_frames]. */
static void list_scopes(const struct maker *m, uint32_t *ids, struct str *keys, uint32_t *n)
{
    for (frame_id i = 0; i < m->profile->n_frames; i++) {
        struct scope *scope = scope_of(m, i);
        if (scope != NULL && scope->listed)
            continue;
        if (scope != NULL)
            scope->listed = true;
        struct frame_parts parts = frame_parts_of(m->profile, &m->profile->frames[i]);
        keys[i] = frame_package(parts.scope, parts.name);
        ids[(*n)++] = i;
    }
}

/* Overwrites ids[n_frames]. */
static bool number_packages(const struct maker *m, struct names *made, uint32_t *ids)
{
    uint32_t n_frames = m->profile->n_frames, n = 0;
    struct str *keys = arena_lend(m->arena, n_frames, sizeof(*keys));

    if (keys == NULL)
        return false;
    list_scopes(m, ids, keys, &n);
    made->packages = arena_array(m->arena, n, sizeof(*made->packages));
    bool ok = made->packages != NULL && order_strings(ids, n, keys, m->arena);
    for (uint32_t i = 0; ok && i < n; i++) {
        struct scope *scope = scope_of(m, ids[i]);
        if (i == 0 || !str_eq(keys[ids[i]], keys[ids[i - 1]]))
            made->packages[made->n_packages++] = keys[ids[i]];
        m->frames[ids[i]].package = made->n_packages - 1;
        if (scope != NULL)
            scope->package = made->n_packages - 1;
    }
    for (frame_id i = 0; ok && i < n_frames; i++)
        if (scope_of(m, i) != NULL)
            m->frames[i].package = scope_of(m, i)->package;
    arena_release(m->arena, keys, n_frames, sizeof(*keys));
    return ok;
}

/* --- own code --- */

/* Finds the app's packages; what is not its own is a library's. */
static bool settle_origins(struct maker *m, struct own_code *own)
{
    uint32_t n = m->profile->n_frames;
    uint8_t *origins = arena_lend(m->arena, n, sizeof(*origins));

    for (uint32_t i = 0; origins != NULL && i < n; i++)
        origins[i] = m->frames[i].origin;
    bool ok = origins != NULL && own_code_guess(m->profile, origins, own, m->arena);
    if (ok)
        own_code_settle(m->profile, own, origins);
    for (uint32_t i = 0; ok && i < n; i++)
        m->frames[i].origin = origins[i];
    arena_release(m->arena, origins, n, sizeof(*origins));
    return ok;
}

const struct names *names_with_own(const struct names *n, const struct profile *p, const struct own_code *own,
                                   struct arena *arena)
{
    struct names *made = arena_alloc(arena, sizeof(*made));
    struct names_frame *frames = arena_array(arena, p->n_frames, sizeof(*frames));
    uint8_t *origins = arena_array(arena, p->n_frames, sizeof(*origins));

    if (made == NULL || frames == NULL || origins == NULL)
        return NULL;
    bool sections = sections_in(p);
    *made = *n;
    made->own = *own;
    made->frames = frames;
    for (frame_id i = 0; i < p->n_frames; i++) {
        struct frame_parts parts = frame_parts_of(p, &p->frames[i]);
        origins[i] = listed_origin(p, &p->frames[i], &parts, origin_of_parts(&parts, sections));
    }
    own_code_settle(p, own, origins);
    for (frame_id i = 0; i < p->n_frames; i++) {
        frames[i] = n->frames[i];
        frames[i].origin = origins[i];
    }
    return made;
}

static bool make_frames(const struct profile *p, struct names *n, struct arena *arena)
{
    struct maker m = {.profile = p, .arena = arena, .sections = sections_in(p)};
    uint32_t *ids = arena_lend(arena, p->n_frames, sizeof(*ids));

    m.frames = arena_array(arena, p->n_frames, sizeof(*m.frames));
    m.scopes = arena_lend(arena, p->n_strings, sizeof(*m.scopes));
    bool ok = ids != NULL && m.frames != NULL && m.scopes != NULL;
    if (ok && p->n_strings > 0)
        memset(m.scopes, 0, p->n_strings * sizeof(*m.scopes));
    for (uint32_t i = 0; ok && i < p->n_frames; i++)
        ok = make_frame(&m, i);
    if (m.escaped.failed && arena->failure == ARENA_OK)
        arena->failure = ARENA_NO_MEMORY;
    buf_free(&m.escaped);
    ok = ok && rank_frames(&m, ids) && settle_origins(&m, &n->own) && number_packages(&m, n, ids);
    arena_release(arena, m.scopes, p->n_strings, sizeof(*m.scopes));
    arena_release(arena, ids, p->n_frames, sizeof(*ids));
    n->frames = m.frames;
    return ok;
}

/* --- tracks --- */

static bool make_track(const struct profile *p, const struct profile_track *track, struct str *label,
                       struct arena *arena)
{
    struct buf text = {0};

    track_label(&text, p, track);
    if (text.failed)
        arena->failure = ARENA_NO_MEMORY;
    *label = (struct str){text.failed ? NULL : arena_copy(arena, text.p, text.n), text.n};
    buf_free(&text);
    return label->p != NULL;
}

static bool make_tracks(const struct profile *p, struct names *n, struct arena *arena)
{
    struct str *labels = arena_array(arena, p->n_tracks, sizeof(*labels));
    uint32_t *ids = arena_array(arena, p->n_tracks, sizeof(*ids));
    uint32_t *ranks = arena_array(arena, p->n_tracks, sizeof(*ranks));

    if (labels == NULL || ids == NULL || ranks == NULL)
        return false;
    for (uint32_t i = 0; i < p->n_tracks; i++) {
        ids[i] = i;
        if (!make_track(p, &p->tracks[i], &labels[i], arena))
            return false;
    }
    if (!order_strings(ids, p->n_tracks, labels, arena))
        return false;
    for (uint32_t i = 0; i < p->n_tracks; i++)
        ranks[ids[i]] = i;
    n->tracks = labels;
    n->track_ranks = ranks;
    return true;
}

struct names *names_new(const struct profile *p, struct arena *arena)
{
    struct names *n = arena_alloc(arena, sizeof(*n));

    if (n == NULL)
        return NULL;
    n->profile = p;
    return make_frames(p, n, arena) && make_tracks(p, n, arena) ? n : NULL;
}

const struct names_frame *names_of(const struct names *n, frame_id frame)
{
    return &n->frames[frame];
}

struct str names_frame(const struct names *n, frame_id frame)
{
    return n->frames[frame].text;
}

void names_put_distinct(const struct names *n, const struct profile *p, frame_id frame, struct buf *b)
{
    buf_str(b, n->frames[frame].text);
    if (n->frames[frame].overloaded)
        buf_str(b, profile_string(p, p->frames[frame].signature));
}

struct frame_parts names_parts(const struct names *n, frame_id frame)
{
    return frame_parts_of(n->profile, &n->profile->frames[frame]);
}

uint32_t names_packages(const struct names *n)
{
    return n->n_packages;
}

struct str names_package(const struct names *n, uint32_t package)
{
    return n->packages[package];
}

const struct own_code *names_own(const struct names *n)
{
    return &n->own;
}

uint32_t names_rank(const struct names *n, frame_id frame)
{
    return n->frames[frame].rank;
}

struct str names_track(const struct names *n, uint32_t track)
{
    return n->tracks[track];
}

uint32_t names_track_rank(const struct names *n, uint32_t track)
{
    return n->track_ranks[track];
}
