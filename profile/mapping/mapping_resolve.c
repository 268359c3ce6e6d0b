/* What one name of a release build was in the sources.
 *
 * Of the lines that the file has about the method, those stay that fit the question best: first by the descriptor, then by the
 * line. What is left are candidates; more than one where the file does not tell which of them it was. */
#include <string.h>

#include "profile/mapping/mapping.h"
#include "profile/mapping/mapping_types.h"

enum {
    CATCH_ALL = 65535,
    SPAN_MAX = 64,             /* lines of a method without ranges that are candidates each */
    MEMO_MEMBERS = 64,         /* of a method with more lines answers are remembered */
    TYPES_BYTES_MAX = 64 << 10 /* of a descriptor in words of the sources; no method has a longer one */
};

/* How well a group fits the descriptor that is asked for. */
enum fit { FIT_NONE, FIT_NAME, FIT_PARAMS, FIT_DESCRIPTOR };

/* A question, with its descriptor in words of the sources. */
struct search {
    struct mapping *m;
    const struct mapping_question *q;
    struct mapping_answer *answer;
    uint32_t class, method;
    string_id signature, params, returns; /* STRING_NONE: nobody has these */
    uint32_t line;
    enum fit best;
};

/* Which groups are candidates. */
enum choice {
    CHOOSE_IN_RANGE,  /* the line is in their range */
    CHOOSE_NO_RANGE,  /* they have none */
    CHOOSE_CATCH_ALL, /* their range is that of the whole method */
    CHOOSE_ANY
};

static bool no_memory(const struct mapping *m)
{
    m->arena->failure = ARENA_NO_MEMORY;
    return false;
}

/* ---- names of classes ---- */

struct str mapping_class_name(const struct mapping *m, struct str residual)
{
    uint32_t class = mapping_class(m, residual);

    if (class == MAPPING_NONE || m->classes[class].original == STRING_EMPTY)
        return residual;
    return strtab_get(&m->strings, m->classes[class].original);
}

/* Appends the types as in sources, with commas between them. */
static void put_types(const struct mapping *m, struct str types, struct buf *b)
{
    struct type_in_descriptor type;
    struct buf dotted = {0};

    for (size_t start = b->n; !b->failed && type_next(&types, &type);) {
        buf_clear(&dotted);
        type_put_replaced(&dotted, type.class, '/', '.');
        if (b->n > start)
            buf_char(b, ',');
        type_put_source(b, &type, mapping_class_name(m, buf_view(&dotted)));
    }
    buf_part_end(b, &dotted);
}

/* Appends the types, which are in words of the sources, as in a descriptor. */
static void put_descriptor(struct buf *b, struct str params, struct str returns)
{
    struct str type;

    buf_char(b, '(');
    while (params.n > 0 && str_split(&params, ',', &type))
        type_put_descriptor(b, type);
    buf_char(b, ')');
    type_put_descriptor(b, returns);
}

/* The text of the buffer, as one of the mapping's. False: the arena gives no more. */
static bool keep(struct mapping *m, const struct buf *b, struct str *text)
{
    string_id id = b->failed ? STRING_NONE : strtab_add(&m->strings, buf_view(b));

    if (id == STRING_NONE)
        return b->failed && no_memory(m);
    *text = strtab_get(&m->strings, id);
    return true;
}

/* The descriptor with the classes' names in the sources; as it is if it gets too long. */
static bool translate(struct mapping *m, struct str descriptor, struct str *translated)
{
    struct str params, returns;
    struct buf from, to, result = {0};

    *translated = descriptor;
    if (!type_split(descriptor, &params, &returns))
        return true;
    buf_init(&from, TYPES_BYTES_MAX);
    buf_init(&to, TYPES_BYTES_MAX);
    put_types(m, params, &from);
    put_types(m, returns, &to);
    bool full = from.full || to.full;
    if (!full)
        put_descriptor(&result, buf_view(&from), buf_view(&to));
    result.failed = result.failed || from.failed || to.failed;
    bool ok = full || keep(m, &result, translated);
    buf_free(&from);
    buf_free(&to);
    buf_free(&result);
    return ok;
}

/* ---- source files ---- */

/* The last component, without what is behind a `$`. */
static struct str simple_name(struct str class)
{
    class = str_behind_last(class, '.');
    size_t dollar = str_find(class, '$');
    if (dollar > 0)
        class.n = dollar;
    return class;
}

struct str mapping_file(struct mapping *m, struct str original, uint32_t of)
{
    const struct mapping_class *c = &m->classes[of];
    struct str said = strtab_get(&m->strings, c->file), name = simple_name(original), file = {NULL, 0};
    size_t dot = str_find_last(said, '.');
    struct str suffix = dot < said.n ? (struct str){said.p + dot, said.n - dot} : STR(".java");
    struct buf b = {0};

    if (said.n > 0 && str_eq(original, strtab_get(&m->strings, c->original)))
        return said;
    if (str_ends(name, STR("Kt")) && name.n > 2) {
        name.n -= 2;
        suffix = STR(".kt");
    }
    buf_str(&b, name);
    buf_str(&b, suffix);
    if (!keep(m, &b, &file))
        file = (struct str){NULL, 0};
    buf_free(&b);
    return file;
}

/* ---- groups ---- */

static const struct mapping_member *member_at(const struct mapping *m, uint32_t i)
{
    return &m->members[i];
}

/* The last line of the group that begins there: the method that was not inlined. */
static uint32_t group_last(const struct mapping *m, uint32_t first)
{
    uint32_t last = first;

    for (uint32_t i = first; i != MAPPING_NONE && member_at(m, i)->group == member_at(m, first)->group;
         i = member_at(m, i)->next)
        last = i;
    return last;
}

/* `last`: of the group. */
static enum fit fit_of(const struct search *s, uint32_t last)
{
    const struct mapping_member *real = member_at(s->m, last);
    bool params = real->params == s->params;

    if (s->q->signature.n == 0)
        return FIT_DESCRIPTOR;
    if (real->residual != STRING_EMPTY)
        return real->residual == s->signature ? FIT_DESCRIPTOR : FIT_NAME;
    return !params ? FIT_NAME : real->returns == s->returns ? FIT_DESCRIPTOR : FIT_PARAMS;
}

static bool in_range(const struct mapping_member *g, uint32_t line)
{
    return (g->flags & MAPPING_RANGE) != 0 && g->min_from <= line && line <= g->min_to;
}

static bool is_chosen(const struct search *s, uint32_t first, enum choice choice)
{
    const struct mapping_member *g = member_at(s->m, first);

    if (fit_of(s, group_last(s->m, first)) != s->best)
        return false;
    switch (choice) {
    case CHOOSE_IN_RANGE:
        return in_range(g, s->line);
    case CHOOSE_NO_RANGE:
        return (g->flags & MAPPING_RANGE) == 0;
    case CHOOSE_CATCH_ALL:
        return (g->flags & MAPPING_RANGE) != 0 && g->min_from == 0 &&
               (g->min_to == 0 || g->min_to == CATCH_ALL);
    case CHOOSE_ANY:
        break;
    }
    return true;
}

static uint32_t next_group(const struct mapping *m, uint32_t first)
{
    return member_at(m, group_last(m, first))->next;
}

static uint32_t count_chosen(const struct search *s, enum choice choice)
{
    uint32_t n = 0;

    for (uint32_t i = s->m->methods[s->method].first; i != MAPPING_NONE; i = next_group(s->m, i))
        n += is_chosen(s, i, choice);
    return n;
}

static void find_best(struct search *s)
{
    bool residual = s->q->signature.n == 0;

    for (uint32_t i = s->m->methods[s->method].first, last; i != MAPPING_NONE;
         i = member_at(s->m, last)->next) {
        last = group_last(s->m, i);
        enum fit fit = fit_of(s, last);
        s->best = fit > s->best ? fit : s->best;
        residual = residual || member_at(s->m, last)->residual == s->signature;
    }
    if (!residual)
        s->signature = STRING_NONE;
}

/* ---- frames of the answer ---- */

static bool add_frame(struct search *s, const struct mapping_frame *f)
{
    struct mapping_answer *a = s->answer;

    if (!ARENA_ROOM(s->m->arena, a->frames, a->capacity, a->n_frames + 1))
        return false;
    a->frames[a->n_frames++] = *f;
    return true;
}

static bool same_frame(const struct mapping_frame *a, const struct mapping_frame *b)
{
    return str_eq(a->scope, b->scope) && str_eq(a->name, b->name) && str_eq(a->signature, b->signature) &&
           a->line == b->line;
}

/* Whether the frames [i, i + n) are those behind `start`, of which there are n. */
static bool same_stack(const struct mapping_answer *a, size_t i, size_t start)
{
    for (size_t k = 0; start + k < a->n_frames; k++)
        if (!same_frame(&a->frames[i + k], &a->frames[start + k]))
            return false;
    return true;
}

/* Ends the candidate whose frames begin at `start`. One that is there already goes. */
static void end_candidate(struct search *s, size_t start)
{
    struct mapping_answer *a = s->answer;
    size_t n = a->n_frames - start, end;

    for (size_t i = 0; i < start; i = end) {
        for (end = i; end < start && a->frames[end].candidate == a->frames[i].candidate;)
            end++;
        if (end - i == n && same_stack(a, i, start)) {
            a->n_frames = start;
            return;
        }
    }
    a->n_candidates += n > 0;
}

static bool type_text(struct search *s, const struct mapping_member *g, struct str *signature)
{
    struct buf b = {0};

    *signature = (struct str){"", 0};
    if (s->q->signature.n == 0)
        return true;
    put_descriptor(&b, strtab_get(&s->m->strings, g->params), strtab_get(&s->m->strings, g->returns));
    bool ok = keep(s->m, &b, signature);
    buf_free(&b);
    return ok;
}

static bool add_member(struct search *s, const struct mapping_member *g, uint32_t line)
{
    struct mapping_frame f = {.line = line, .candidate = s->answer->n_candidates};
    string_id owner = g->owner != STRING_EMPTY ? g->owner : s->m->classes[s->class].original;

    f.scope = strtab_get(&s->m->strings, owner);
    f.name = strtab_get(&s->m->strings, g->name);
    f.file = mapping_file(s->m, f.scope, s->class);
    return f.file.p != NULL && type_text(s, g, &f.signature) && add_frame(s, &f);
}

/* The line in the sources for a line of the release build; 0: not known. */
static uint32_t line_of(const struct mapping_member *g, uint32_t line)
{
    if ((g->flags & MAPPING_ORIGINAL) == 0 || (g->flags & MAPPING_ORIGINAL_ABSURD) != 0)
        return line;
    if (g->original_to == g->original_from || (g->flags & MAPPING_RANGE) == 0)
        return g->original_from;
    uint32_t step = line - g->min_from;
    return step < g->original_to - g->original_from ? g->original_from + step : g->original_to;
}

/* How many of the innermost frames are not the program's, if an exception of that class was thrown there. */
static uint32_t removed_by(const struct search *s, uint32_t first)
{
    const struct mapping *m = s->m;
    uint32_t group = member_at(m, first)->group;

    for (uint32_t i = first; i != MAPPING_NONE && member_at(m, i)->group == group; i = member_at(m, i)->next)
        for (uint32_t r = member_at(m, i)->rewrite; s->q->thrown.n > 0 && r != MAPPING_NONE;
             r = m->rewrites[r].next)
            if (str_eq(strtab_get(&m->strings, m->rewrites[r].thrown), s->q->thrown))
                return m->rewrites[r].remove;
    return 0;
}

/* The whole stack of a group. `lines`: they are told; else they are not known. */
static bool add_group(struct search *s, uint32_t first, bool lines)
{
    const struct mapping *m = s->m;
    size_t start = s->answer->n_frames;
    uint32_t group = member_at(m, first)->group, passed = 0, removed = removed_by(s, first);

    for (uint32_t i = first; i != MAPPING_NONE && member_at(m, i)->group == group;
         i = member_at(m, i)->next) {
        s->answer->outline = s->answer->outline || (member_at(m, i)->flags & MAPPING_OUTLINE) != 0;
        if (passed++ >= removed &&
            !add_member(s, member_at(m, i), lines ? line_of(member_at(m, i), s->line) : 0))
            return false;
    }
    end_candidate(s, start);
    return true;
}

/* The method alone, without what was inlined into it. */
static bool add_real(struct search *s, uint32_t first)
{
    size_t start = s->answer->n_frames;

    if (!add_member(s, member_at(s->m, group_last(s->m, first)), 0))
        return false;
    end_candidate(s, start);
    return true;
}

/* A method without ranges, at a line that is known: it may be any of its lines. */
static bool add_span(struct search *s, uint32_t first)
{
    const struct mapping_member *g = member_at(s->m, first);
    uint32_t from = line_of(g, s->line), to = from;

    if ((g->flags & MAPPING_ORIGINAL_PAIR) != 0 && (g->flags & MAPPING_ORIGINAL_ABSURD) == 0)
        to = g->original_to - from < SPAN_MAX ? g->original_to : from;
    if ((g->flags & MAPPING_ORIGINAL) != 0 && from == 0)
        from = to = MAPPING_LINE_NONE;
    for (uint32_t line = from;; line++) {
        size_t start = s->answer->n_frames;
        if (!add_member(s, member_at(s->m, first), line))
            return false;
        end_candidate(s, start);
        if (line == to)
            return true;
    }
}

/* ---- candidates ---- */

static bool one_line_each(const struct search *s, uint32_t first)
{
    uint32_t group = member_at(s->m, first)->group;

    for (uint32_t i = first; i != MAPPING_NONE && member_at(s->m, i)->group == group;
         i = member_at(s->m, i)->next)
        if (member_at(s->m, i)->original_from != member_at(s->m, i)->original_to)
            return false;
    return true;
}

static bool add_candidates(struct search *s, enum choice choice)
{
    uint32_t n = count_chosen(s, choice);

    for (uint32_t i = s->m->methods[s->method].first;
         i != MAPPING_NONE && s->answer->n_candidates < MAPPING_CANDIDATES_MAX; i = next_group(s->m, i)) {
        if (!is_chosen(s, i, choice))
            continue;
        bool ok = choice == CHOOSE_IN_RANGE                  ? add_group(s, i, true)
                  : choice == CHOOSE_CATCH_ALL               ? add_group(s, i, one_line_each(s, i))
                  : choice == CHOOSE_NO_RANGE && s->line > 0 ? add_span(s, i)
                  : choice == CHOOSE_NO_RANGE && n == 1      ? add_group(s, i, one_line_each(s, i))
                                                             : add_real(s, i);
        if (!ok)
            return false;
    }
    return true;
}

/* Candidates of one frame each, in the order of their names. */
static void sort_candidates(struct mapping_answer *a)
{
    for (uint32_t i = 1; a->n_frames == a->n_candidates && i < a->n_frames; i++)
        for (uint32_t k = i; k > 0; k--) {
            struct mapping_frame *left = &a->frames[k - 1], *right = &a->frames[k], swapped = *left;
            int order = str_cmp(left->scope, right->scope);
            if (order < 0 || (order == 0 && str_cmp(left->name, right->name) <= 0))
                break;
            *left = *right;
            *right = swapped;
            left->candidate = k - 1;
            right->candidate = k;
        }
}

/* The line that a call of an outline stands for. */
static uint32_t line_behind_outline(const struct search *s)
{
    const struct mapping *m = s->m;

    for (uint32_t i = m->methods[s->method].first; s->q->outline_line > 0 && i != MAPPING_NONE;
         i = member_at(m, i)->next)
        for (uint32_t c = member_at(m, i)->callsite;
             in_range(member_at(m, i), s->q->line) && c != MAPPING_NONE; c = m->callsites[c].next)
            if (m->callsites[c].outline_line == s->q->outline_line)
                return m->callsites[c].line;
    return s->q->line;
}

/* ---- what was answered already ---- */

/* Frames of one method differ in their descriptors, but most of those fit the same groups. To go through thousands of groups anew
 * for each would take minutes. */
struct mapping_memo {
    enum fit best;
    string_id signature, params, returns; /* STRING_NONE where they do not tell groups apart */
    struct mapping_answer answer;
    struct mapping_memo *next;
};

static struct mapping_memo memo_of(const struct search *s)
{
    bool all = s->best == FIT_DESCRIPTOR;

    return (struct mapping_memo){.best = s->best,
                                 .signature = all ? s->signature : STRING_NONE,
                                 .params = all || s->best == FIT_PARAMS ? s->params : STRING_NONE,
                                 .returns = all ? s->returns : STRING_NONE};
}

static bool has_memos(const struct search *s)
{
    return s->m->methods[s->method].members > MEMO_MEMBERS && s->line == 0 && s->q->thrown.n == 0;
}

static const struct mapping_memo *find_memo(const struct search *s)
{
    struct mapping_memo key = memo_of(s);

    for (const struct mapping_memo *i = has_memos(s) ? s->m->methods[s->method].memos : NULL; i != NULL;
         i = i->next)
        if (i->best == key.best && i->signature == key.signature && i->params == key.params &&
            i->returns == key.returns)
            return i;
    return NULL;
}

static bool copy_answer(struct search *s, const struct mapping_answer *from, struct mapping_answer *to)
{
    if (!ARENA_ROOM(s->m->arena, to->frames, to->capacity, from->n_frames))
        return false;
    for (size_t i = 0; i < from->n_frames; i++)
        to->frames[i] = from->frames[i];
    to->n_frames = from->n_frames;
    to->n_candidates = from->n_candidates;
    to->outline = from->outline;
    return true;
}

static bool add_memo(struct search *s)
{
    struct mapping_method *of = &s->m->methods[s->method];
    struct mapping_memo *memo = has_memos(s) ? arena_alloc(s->m->arena, sizeof(*memo)) : NULL;

    if (memo == NULL)
        return !has_memos(s);
    *memo = memo_of(s);
    memo->next = of->memos;
    of->memos = memo;
    return copy_answer(s, s->answer, &memo->answer);
}

static bool choose(struct search *s)
{
    static const enum choice WITH_LINE[] = {CHOOSE_IN_RANGE, CHOOSE_NO_RANGE};
    static const enum choice WITHOUT[] = {CHOOSE_CATCH_ALL, CHOOSE_NO_RANGE, CHOOSE_ANY};
    const enum choice *choices = s->line > 0 ? WITH_LINE : WITHOUT;
    size_t n = s->line > 0 ? 2 : 3;

    find_best(s);
    const struct mapping_memo *memo = find_memo(s);
    if (memo != NULL)
        return copy_answer(s, &memo->answer, s->answer);
    for (size_t i = 0; i < n && s->answer->n_frames == 0; i++)
        if (!add_candidates(s, choices[i]))
            return false;
    sort_candidates(s->answer);
    return add_memo(s);
}

/* ---- the answer ---- */

/* The name stays; what is known of its class and of types is told. */
static bool answer_without(struct search *s)
{
    struct mapping_frame f = {.scope = mapping_class_name(s->m, s->q->scope),
                              .name = s->q->name,
                              .file = {"", 0},
                              .line = s->q->line};

    s->answer->n_candidates = 1;
    if (s->answer->found != MAPPING_FOUND_NOTHING)
        f.file = mapping_file(s->m, f.scope, s->class);
    return f.file.p != NULL && translate(s->m, s->q->signature, &f.signature) && add_frame(s, &f);
}

/* The types as members have them; STRING_NONE: none has these. False: no memory. */
static bool find_types(const struct mapping *m, struct str types, string_id *id)
{
    struct buf b;

    buf_init(&b, TYPES_BYTES_MAX);
    put_types(m, types, &b);
    *id = b.failed ? STRING_NONE : strtab_find(&m->strings, buf_view(&b));
    bool ok = !b.failed || b.full || no_memory(m);
    buf_free(&b);
    return ok;
}

/* In the words of the sources, as far as members have them. */
static bool find_signature(struct search *s)
{
    struct str params = {"", 0}, returns = {"", 0};

    s->signature = strtab_find(&s->m->strings, s->q->signature);
    if (!type_split(s->q->signature, &params, &returns))
        returns = STR("?"); /* of no method */
    return find_types(s->m, params, &s->params) && find_types(s->m, returns, &s->returns);
}

bool mapping_resolve(struct mapping *m, const struct mapping_question *q, struct mapping_answer *answer)
{
    struct search s = {.m = m, .q = q, .answer = answer, .method = MAPPING_NONE, .best = FIT_NONE};

    answer->n_frames = answer->n_candidates = 0;
    answer->outline = false;
    answer->found = MAPPING_FOUND_NOTHING;
    s.class = mapping_class(m, q->scope);
    if (s.class == MAPPING_NONE || m->classes[s.class].original == STRING_EMPTY)
        return answer_without(&s);
    answer->found = MAPPING_FOUND_CLASS;
    s.method = mapping_method(m, s.class, q->name);
    if (s.method == MAPPING_NONE || m->methods[s.method].first == MAPPING_NONE)
        return answer_without(&s);
    if (!find_signature(&s))
        return false;
    s.line = line_behind_outline(&s);
    if (!choose(&s))
        return false;
    answer->found = answer->n_frames == 0 ? MAPPING_FOUND_CLASS
                    : s.best == FIT_NAME  ? MAPPING_FOUND_NAME
                                          : MAPPING_FOUND_METHOD;
    return answer->n_frames > 0 || answer_without(&s);
}
