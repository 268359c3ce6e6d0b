#include "profile/mapping/mapping.h"

#include "core/buf.h"
#include "profile/frame/own_code.h"

enum {
    CATCH_ALL = 65535,
    MEMO_MEMBERS = 64,          /* of a method with more lines answers are remembered */
    TYPES_BYTES_MAX = 64 << 10, /* of a descriptor in words of the sources; no method has a longer one */
    OBFUSCATED_CHARS = 2        /* of a name: so short are those that are made up */
};

static bool no_memory(const struct mapping *m)
{
    m->arena->failure = ARENA_NO_MEMORY;
    return false;
}

/* ---- types of Java as they stand in class files, `(La/b;[I)V`, and in sources, `a.b,int[]` ---- */

/* One type of a descriptor: its class (`a/b`), or its letter alone, and how many arrays it is of. */
struct type_in_descriptor {
    struct str class; /* empty: a primitive type */
    char letter;      /* of a primitive type */
    unsigned arrays;
};

enum { ARRAYS_MAX = 255 }; /* of a class file */

static const struct {
    char letter;
    const char *word;
} PRIMITIVES[] = {{'V', "void"}, {'Z', "boolean"}, {'B', "byte"},  {'C', "char"},  {'S', "short"},
                  {'I', "int"},  {'J', "long"},    {'F', "float"}, {'D', "double"}};

enum { PRIMITIVES_COUNT = sizeof(PRIMITIVES) / sizeof(PRIMITIVES[0]) };

/* Takes one type off the front of a descriptor. False: none stands there. */
static bool type_next(struct str *rest, struct type_in_descriptor *type)
{
    struct str s = *rest;

    *type = (struct type_in_descriptor){.letter = 0};
    for (; s.n > 0 && *s.p == '[' && type->arrays < ARRAYS_MAX; s.p++, s.n--)
        type->arrays++;
    if (s.n == 0)
        return false;
    if (*s.p == 'L') {
        size_t end = str_find(s, ';');
        if (end == s.n || end == 1)
            return false;
        type->class = (struct str){s.p + 1, end - 1};
        *rest = str_from(s, end + 1);
        return true;
    }
    for (size_t i = 0; i < PRIMITIVES_COUNT; i++)
        if (PRIMITIVES[i].letter == *s.p)
            type->letter = *s.p;
    *rest = str_from(s, 1);
    return type->letter != 0;
}

/* Parts `(..)..`; a descriptor of anything else is refused. */
static bool type_split(struct str descriptor, struct str *params, struct str *returns)
{
    size_t end = str_find(descriptor, ')');

    if (descriptor.n == 0 || *descriptor.p != '(' || end == descriptor.n)
        return false;
    *params = (struct str){descriptor.p + 1, end - 1};
    *returns = str_from(descriptor, end + 1);
    return true;
}

/* Appends the type as in sources. */
static void type_put_source(struct buf *b, const struct type_in_descriptor *type, struct str class_name)
{
    if (type->letter == 0)
        buf_str(b, class_name);
    for (size_t i = 0; i < PRIMITIVES_COUNT && type->letter != 0; i++)
        if (PRIMITIVES[i].letter == type->letter)
            buf_z(b, PRIMITIVES[i].word);
    for (unsigned i = 0; i < type->arrays; i++)
        buf_z(b, "[]");
}

/* Appends the text with `to` for each `from`. */
static void type_put_replaced(struct buf *b, struct str text, char from, char to)
{
    size_t start = b->n;

    buf_str(b, text);
    for (size_t i = start; i < b->n; i++)
        if (b->p[i] == from)
            b->p[i] = to;
}

/* Appends a type of sources as in a descriptor. */
static void type_put_descriptor(struct buf *b, struct str source)
{
    for (; str_ends(source, STR("[]")); source.n -= 2)
        buf_char(b, '[');
    for (size_t i = 0; i < PRIMITIVES_COUNT; i++)
        if (str_eq(source, str_of(PRIMITIVES[i].word))) {
            buf_char(b, PRIMITIVES[i].letter);
            return;
        }
    buf_char(b, 'L');
    type_put_replaced(b, source, '.', '/');
    buf_char(b, ';');
}

/* ---- a mapping ---- */

struct mapping *mapping_new(struct arena *arena, struct hash_seed seed)
{
    struct mapping *m = arena_alloc(arena, sizeof(*m));

    if (m == NULL)
        return NULL;
    m->arena = arena;
    idmap_init(&m->class_of, arena, seed);
    idmap_init(&m->method_of, arena, seed);
    return strtab_init(&m->strings, arena, seed) ? m : NULL;
}

/* ---- what is asked for ---- */

/* MAPPING_NONE: the arena gives no more. */
static uint32_t want_class(struct mapping *m, struct str residual)
{
    string_id name = strtab_add(&m->strings, residual);
    uint32_t class = name != STRING_NONE ? idmap_get(&m->class_of, name) : IDMAP_NONE;

    if (name == STRING_NONE || class != IDMAP_NONE)
        return class;
    if (!ARENA_ROOM(m->arena, m->classes, m->classes_capacity, m->n_classes + 1) ||
        !idmap_set(&m->class_of, name, (uint32_t)m->n_classes))
        return MAPPING_NONE;
    m->classes[m->n_classes] = (struct mapping_class){.residual = name};
    return (uint32_t)m->n_classes++;
}

static bool want_method(struct mapping *m, uint32_t class, struct str residual)
{
    string_id name = strtab_add(&m->strings, residual);
    uint64_t key = (uint64_t) class << 32 | name;

    if (class == MAPPING_NONE || name == STRING_NONE)
        return false;
    if (idmap_get(&m->method_of, key) != IDMAP_NONE)
        return true;
    if (!ARENA_ROOM(m->arena, m->methods, m->methods_capacity, m->n_methods + 1) ||
        !idmap_set(&m->method_of, key, (uint32_t)m->n_methods))
        return false;
    m->methods[m->n_methods++] = (struct mapping_method){MAPPING_NONE, MAPPING_NONE, 0, NULL};
    return true;
}

/* The classes that a descriptor names, each without what is no type. */
static bool want_types(struct mapping *m, struct str descriptor)
{
    struct str params, returns;
    struct type_in_descriptor type;
    struct buf dotted = {0};
    bool ok = true;

    if (!type_split(descriptor, &params, &returns))
        return true;
    for (int i = 0; i < 2; i++)
        for (struct str rest = i == 0 ? params : returns; ok && type_next(&rest, &type);) {
            if (type.letter != 0)
                continue;
            buf_clear(&dotted);
            type_put_replaced(&dotted, type.class, '/', '.');
            ok = dotted.failed ? no_memory(m) : want_class(m, buf_view(&dotted)) != MAPPING_NONE;
        }
    buf_free(&dotted);
    return ok;
}

bool mapping_want(struct mapping *m, struct str scope, struct str name, struct str signature)
{
    return want_method(m, want_class(m, scope), name) && want_types(m, signature);
}

struct frame_parts mapping_parts(const struct profile *p, const struct profile_frame *frame)
{
    struct frame_parts parts = frame_parts_of(p, frame);
    size_t dot = str_find_last(parts.name, '.');

    if (parts.scope.n == 0 && dot > 0 && dot < parts.name.n) {
        parts.scope = (struct str){parts.name.p, dot};
        parts.name = str_from(parts.name, dot + 1);
    }
    return parts;
}

bool mapping_want_profile(struct mapping *m, const struct profile *p)
{
    for (frame_id i = 0; i < p->n_frames; i++) {
        struct frame_parts parts = mapping_parts(p, &p->frames[i]);
        if (parts.scope.n > 0 && !mapping_want(m, parts.scope, parts.name, parts.signature))
            return false;
    }
    return true;
}

/* ---- what the file says ---- */

uint32_t mapping_class(const struct mapping *m, struct str residual)
{
    string_id name = strtab_find(&m->strings, residual);

    return name == STRING_NONE ? MAPPING_NONE : idmap_get(&m->class_of, name);
}

static bool set_text(struct mapping *m, string_id *to, struct str text)
{
    *to = strtab_add(&m->strings, text);
    return *to != STRING_NONE;
}

bool mapping_set_class(struct mapping *m, uint32_t class, struct str original, bool *different)
{
    struct mapping_class *c = &m->classes[class];

    *different = false;
    if (c->original == STRING_EMPTY)
        return set_text(m, &c->original, original);
    *different = !str_eq(strtab_get(&m->strings, c->original), original);
    return true;
}

bool mapping_set_file(struct mapping *m, uint32_t class, struct str file)
{
    return set_text(m, &m->classes[class].file, file);
}

uint32_t mapping_method(const struct mapping *m, uint32_t class, struct str residual)
{
    string_id name = strtab_find(&m->strings, residual);

    return name == STRING_NONE ? MAPPING_NONE : idmap_get(&m->method_of, (uint64_t) class << 32 | name);
}

uint32_t mapping_add(struct mapping *m, uint32_t method, const struct mapping_member *member, bool same_group,
                     bool *ok)
{
    struct mapping_method *of = &m->methods[method];

    *ok = true;
    if (of->members == MAPPING_MEMBERS_MAX || (same_group && m->group_members == MAPPING_GROUP_MAX)) {
        m->ignored++;
        return MAPPING_NONE;
    }
    if (!ARENA_ROOM(m->arena, m->members, m->members_capacity, m->n_members + 1) ||
        m->n_members >= MAPPING_NONE) {
        *ok = false;
        return MAPPING_NONE;
    }
    uint32_t added = (uint32_t)m->n_members++;
    m->group += !same_group;
    m->group_members = same_group ? m->group_members + 1 : 1;
    m->members[added] = *member;
    m->members[added].group = m->group;
    m->members[added].next = MAPPING_NONE;
    *(of->first == MAPPING_NONE ? &of->first : &m->members[of->last].next) = added;
    of->last = added;
    of->members++;
    return added;
}

/* ---- what one name was ----
 *
 * The lines of the file that fit the descriptor best are candidates. There are more than one where the file does not tell which of them it
 * was. R8 prefers lines without a range for a frame of a stack trace that has no line number, since all other frames of a stack trace have
 * one. No frame of a profile has one, so here a range tells nothing about which method it was. */

/* How well a group fits the descriptor that is asked for. */
enum fit { FIT_NONE, FIT_NAME, FIT_PARAMS, FIT_DESCRIPTOR };

/* A question, with its descriptor in words of the sources. */
struct search {
    struct mapping *m;
    const struct mapping_question *q;
    struct mapping_answer *answer;
    uint32_t class, method;
    string_id signature, params, returns; /* STRING_NONE: nobody has these */
    enum fit best;
};

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

/* The source file of a class: as the file says, or as such files are called. `of` is the residual class in
 * which it was found. Empty: the arena gives no more. */
static struct str file_of(struct mapping *m, struct str original, uint32_t of)
{
    const struct mapping_class *c = &m->classes[of];
    struct str said = strtab_get(&m->strings, c->file), name = simple_name(original), file = {NULL, 0};
    size_t dot = str_find_last(said, '.');
    struct str suffix = dot < said.n ? str_from(said, dot) : STR(".java");
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

static bool is_chosen(const struct search *s, uint32_t first)
{
    return fit_of(s, group_last(s->m, first)) == s->best;
}

/* Whether it is about all lines of the method, and not about some of them. */
static bool is_whole_method(const struct mapping_member *g)
{
    return (g->flags & MAPPING_RANGE) == 0 || (g->from == 0 && (g->to == 0 || g->to == CATCH_ALL));
}

static uint32_t next_group(const struct mapping *m, uint32_t first)
{
    return member_at(m, group_last(m, first))->next;
}

static uint32_t count_chosen(const struct search *s)
{
    uint32_t n = 0;

    for (uint32_t i = s->m->methods[s->method].first; i != MAPPING_NONE; i = next_group(s->m, i))
        n += is_chosen(s, i);
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
    return str_eq(a->scope, b->scope) && str_eq(a->name, b->name) && str_eq(a->signature, b->signature);
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

static bool add_member(struct search *s, const struct mapping_member *g)
{
    struct mapping_frame f = {.candidate = s->answer->n_candidates};
    string_id owner = g->owner != STRING_EMPTY ? g->owner : s->m->classes[s->class].original;

    f.scope = strtab_get(&s->m->strings, owner);
    f.name = strtab_get(&s->m->strings, g->name);
    f.file = file_of(s->m, f.scope, s->class);
    return f.file.p != NULL && type_text(s, g, &f.signature) && add_frame(s, &f);
}

/* The whole stack of a group. */
static bool add_group(struct search *s, uint32_t first)
{
    const struct mapping *m = s->m;
    size_t start = s->answer->n_frames;
    uint32_t group = member_at(m, first)->group;

    for (uint32_t i = first; i != MAPPING_NONE && member_at(m, i)->group == group;
         i = member_at(m, i)->next) {
        s->answer->outline = s->answer->outline || (member_at(m, i)->flags & MAPPING_OUTLINE) != 0;
        if (!add_member(s, member_at(m, i)))
            return false;
    }
    end_candidate(s, start);
    return true;
}

/* The method alone, without what was inlined into it. */
static bool add_real(struct search *s, uint32_t first)
{
    size_t start = s->answer->n_frames;

    if (!add_member(s, member_at(s->m, group_last(s->m, first))))
        return false;
    end_candidate(s, start);
    return true;
}

/* ---- candidates ---- */

/* What was inlined is told only where there is no doubt about it. */
static bool add_candidates(struct search *s)
{
    uint32_t n = count_chosen(s);

    for (uint32_t i = s->m->methods[s->method].first;
         i != MAPPING_NONE && s->answer->n_candidates < MAPPING_CANDIDATES_MAX; i = next_group(s->m, i)) {
        if (!is_chosen(s, i))
            continue;
        bool whole = n == 1 && is_whole_method(member_at(s->m, i));
        if (!(whole ? add_group(s, i) : add_real(s, i)))
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

/* ---- what was answered already ---- */

/* Frames of one method differ in their descriptors, but most of those fit the same groups. To go through
 * thousands of groups anew for each would take minutes. */
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
                                 .params = s->params,
                                 .returns = all ? s->returns : STRING_NONE};
}

static bool has_memos(const struct search *s)
{
    return s->m->methods[s->method].members > MEMO_MEMBERS;
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
    const struct mapping_memo *memo = find_memo(s);
    if (memo != NULL)
        return copy_answer(s, &memo->answer, s->answer);
    if (!add_candidates(s))
        return false;
    sort_candidates(s->answer);
    return add_memo(s);
}

/* ---- the answer ---- */

/* The name stays; what is known of its class and of types is told. */
static bool answer_without(struct search *s)
{
    struct mapping_frame f = {
        .scope = mapping_class_name(s->m, s->q->scope), .name = s->q->name, .file = {"", 0}};

    s->answer->n_candidates = 1;
    if (s->answer->found != MAPPING_FOUND_NOTHING)
        f.file = file_of(s->m, f.scope, s->class);
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
    find_best(&s);
    answer->found = s.best == FIT_NAME ? MAPPING_FOUND_NAME : MAPPING_FOUND_METHOD;
    return s.best == FIT_NAME ? answer_without(&s) : choose(&s);
}

/* ---- how many names are known ---- */

bool mapping_share_is_java(enum frame_kind kind)
{
    return kind == FRAME_KIND_JAVA || kind == FRAME_KIND_UNKNOWN;
}

bool mapping_share_is_app(struct str scope)
{
    return scope.n > 0 && (origin_package(scope).n == 0 || origin_of_scope(scope) == ORIGIN_APP);
}

void mapping_share_count(struct mapping_share *s, const struct frame_parts *parts, bool scoped,
                         enum mapping_found found)
{
    bool of_class = found == MAPPING_FOUND_CLASS && parts->name.n > OBFUSCATED_CHARS;
    bool is_method = scoped || found != MAPPING_FOUND_NOTHING;

    if (!is_method || !mapping_share_is_app(parts->scope))
        return;
    s->asked++;
    s->known += of_class || found == MAPPING_FOUND_METHOD;
}

bool mapping_share_is_few(const struct mapping_share *s)
{
    return s->known * 2 < s->asked || s->known == 0;
}
