#include "parser/symbols/breakpad.h"

/* ---- records ---- */

static bool next_line(struct str *rest, struct str *line)
{
    if (rest->n == 0 || !str_split(rest, '\n', line))
        return false;
    *line = str_without_line_end(*line);
    return true;
}

/* Whether the line is such a record; *rest is what stands behind its word. */
static bool is_record(struct str line, struct str word, struct str *rest)
{
    if (!str_starts(line, word) || line.n == word.n || line.p[word.n] != ' ')
        return false;
    *rest = (struct str){line.p + word.n + 1, line.n - word.n - 1};
    return true;
}

static bool number(struct str *rest, unsigned base, uint64_t *value)
{
    struct str field;

    return str_split(rest, ' ', &field) && str_to_u64(field, base, value);
}

bool breakpad_detect(struct str head)
{
    return str_starts(head, STR("MODULE "));
}

/* ---- what stands outside of functions ---- */

static bool read_module(struct breakpad *b, struct str rest)
{
    struct str system, processor;

    if (!str_split(&rest, ' ', &system) || !str_split(&rest, ' ', &processor) ||
        !str_split(&rest, ' ', &b->id))
        return false;
    b->name = rest;
    return true;
}

/* The first one of a number counts. What has no number is passed over. */
static bool add_text(struct breakpad *b, struct idmap *ids, struct str rest)
{
    uint64_t id;

    if (!number(&rest, 10, &id) || idmap_get(ids, id) != IDMAP_NONE)
        return true;
    if (!ARENA_ROOM(b->arena, b->texts, b->texts_capacity, b->n_texts + 1) ||
        !idmap_set(ids, id, (uint32_t)b->n_texts))
        return false;
    b->texts[b->n_texts++] = rest;
    return true;
}

bool breakpad_open(struct breakpad *b, struct str bytes, struct arena *arena)
{
    struct str rest = bytes, line, fields;
    bool ok = true;

    *b = (struct breakpad){.bytes = bytes, .arena = arena};
    idmap_init(&b->files, arena,
               (struct hash_seed){1, 2}); /* the process ends after a while, if keys are chosen to collide */
    idmap_init(&b->origins, arena, (struct hash_seed){3, 4});
    if (!next_line(&rest, &line) || !is_record(line, STR("MODULE"), &fields) || !read_module(b, fields))
        return false;
    while (ok && next_line(&rest, &line)) {
        if (is_record(line, STR("INFO CODE_ID"), &fields))
            str_split(&fields, ' ', &b->build_id);
        else if (is_record(line, STR("FILE"), &fields))
            ok = add_text(b, &b->files, fields);
        else if (is_record(line, STR("INLINE_ORIGIN"), &fields))
            ok = add_text(b, &b->origins, fields);
    }
    return ok;
}

static struct str text_of(const struct breakpad *b, const struct idmap *ids, uint64_t id)
{
    uint32_t place = idmap_get(ids, id);

    return place == IDMAP_NONE ? STR("") : b->texts[place];
}

/* ---- the build ---- */

/* The digits of a GUID are those of its bytes, of which the first four, and two groups of two, are numbers
 * in little-endian order. A build id of fewer bytes is filled up with zeros. */
static void guid_of(struct str build_id, char guid[BREAKPAD_ID_CHARS])
{
    static const uint8_t BYTES[] = {3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15};

    for (size_t i = 0; i < BREAKPAD_ID_CHARS; i++) {
        size_t from = (size_t)2 * BYTES[i / 2] + i % 2;
        guid[i] = from < build_id.n ? build_id.p[from] : '0';
    }
}

bool breakpad_is_of(const struct breakpad *b, struct str build_id)
{
    char guid[BREAKPAD_ID_CHARS];

    if (build_id.n == 0)
        return false;
    if (b->build_id.n > 0)
        return str_eq_nocase(b->build_id, build_id);
    guid_of(build_id, guid);
    return b->id.n >= BREAKPAD_ID_CHARS &&
           str_eq_nocase((struct str){b->id.p, BREAKPAD_ID_CHARS}, (struct str){guid, BREAKPAD_ID_CHARS});
}

/* ---- functions ---- */

struct function {
    uint64_t address, bytes;
    struct str name;
    struct str body; /* its lines */
};

/* An "m" marks one of several functions with the same code. */
static void skip_m(struct str *rest)
{
    if (str_starts(*rest, STR("m ")))
        rest->p += 2, rest->n -= 2;
}

static bool read_function(struct str rest, struct function *f)
{
    uint64_t parameters;

    skip_m(&rest);
    if (!number(&rest, 16, &f->address) || !number(&rest, 16, &f->bytes) || !number(&rest, 16, &parameters))
        return false;
    f->name = rest;
    return true;
}

static bool is_in(uint64_t address, uint64_t from, uint64_t bytes)
{
    return address >= from && address - from < bytes;
}

/* One level of inlining at the address. */
struct inlined {
    struct str function, file;
    uint32_t line; /* of the call */
    bool known;
};

static uint32_t line_of(uint64_t number)
{
    return number <= INT32_MAX ? (uint32_t)number : 0;
}

static void read_inline(const struct breakpad *b, struct str rest, uint64_t address, struct inlined *levels)
{
    uint64_t level, line, file, origin, from, bytes;

    if (!number(&rest, 10, &level) || !number(&rest, 10, &line) || !number(&rest, 10, &file) ||
        !number(&rest, 10, &origin) || level >= SYMBOLS_NAMES_MAX - 1 || levels[level].known)
        return;
    while (number(&rest, 16, &from) && number(&rest, 16, &bytes))
        if (is_in(address, from, bytes)) {
            levels[level] = (struct inlined){text_of(b, &b->origins, origin), text_of(b, &b->files, file),
                                             line_of(line), true};
            return;
        }
}

/* Which functions and line are at the address. How many names. */
static uint32_t names_at(const struct breakpad *b, const struct function *f, uint64_t address,
                         struct symbols_name names[SYMBOLS_NAMES_MAX])
{
    struct inlined levels[SYMBOLS_NAMES_MAX] = {{.line = 0}};
    struct str rest = f->body, line, fields, file = STR("");
    uint64_t from, bytes, at_line, at_file;
    uint32_t n = 0, number_of_line = 0, depth = 0;

    while (next_line(&rest, &line)) {
        fields = line;
        if (is_record(line, STR("INLINE"), &fields))
            read_inline(b, fields, address, levels);
        else if (number(&fields, 16, &from) && number(&fields, 16, &bytes) && is_in(address, from, bytes) &&
                 number(&fields, 10, &at_line) && number(&fields, 10, &at_file)) {
            number_of_line = line_of(at_line);
            file = text_of(b, &b->files, at_file);
        }
    }
    while (levels[depth].known)
        depth++;
    for (uint32_t i = depth; i-- > 0; n++) {
        names[n] = (struct symbols_name){levels[i].function, file, number_of_line};
        file = levels[i].file;
        number_of_line = levels[i].line;
    }
    names[n++] = (struct symbols_name){f->name, file, number_of_line};
    return n;
}

/* ---- the addresses ---- */

struct asked {
    const struct breakpad *b;
    const uint64_t *addresses;
    size_t n;
    bool *known;          /* a function was found */
    struct str *nearest;  /* the public symbol before it */
    uint64_t *nearest_at; /* the address of the nearest symbol, where `has` is set */
    bool *has;
    bool (*answer)(void *context, size_t i, const struct symbols_name *names, uint32_t n);
    void *context;
};

/* The first of the addresses that is not below this one. */
static size_t first_from(const struct asked *a, uint64_t address)
{
    size_t from = 0, to = a->n;

    while (from < to) {
        size_t middle = from + (to - from) / 2;
        if (a->addresses[middle] < address)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

static bool answer_function(struct asked *a, const struct function *f)
{
    struct symbols_name names[SYMBOLS_NAMES_MAX];
    bool ok = true;

    for (size_t i = first_from(a, f->address); ok && i < a->n && is_in(a->addresses[i], f->address, f->bytes);
         i++)
        if (!a->known[i]) {
            a->known[i] = true;
            ok = a->answer(a->context, i, names, names_at(a->b, f, a->addresses[i], names));
        }
    return ok;
}

/* The first address behind it takes the symbol, if it is nearer than what it has. */
static void note_symbol(struct asked *a, uint64_t address, struct str name)
{
    size_t i = first_from(a, address);

    if (i == a->n || (a->has[i] && a->nearest_at[i] >= address))
        return;
    a->has[i] = true;
    a->nearest_at[i] = address;
    a->nearest[i] = name;
}

static void note_public(struct asked *a, struct str rest)
{
    uint64_t address, parameters;

    skip_m(&rest);
    if (number(&rest, 16, &address) && number(&rest, 16, &parameters))
        note_symbol(a, address, rest);
}

/* Each address takes the symbol of the address before it, unless it has a nearer one. Behind a function no
 * public symbol before it counts. */
static bool answer_publics(struct asked *a)
{
    bool ok = true;

    for (size_t i = 0; ok && i < a->n; i++) {
        if (!a->has[i] && i > 0 && a->has[i - 1]) {
            a->has[i] = true;
            a->nearest[i] = a->nearest[i - 1];
        }
        struct symbols_name name = {.function = a->nearest[i], .file = {"", 0}};
        if (a->has[i] && !a->known[i] && name.function.n > 0)
            ok = a->answer(a->context, i, &name, 1);
    }
    return ok;
}

static bool is_outside(struct str line)
{
    static const struct str WORDS[] = {STR_INIT("FUNC"), STR_INIT("PUBLIC"), STR_INIT("STACK"),
                                       STR_INIT("FILE"), STR_INIT("INFO"),   STR_INIT("INLINE_ORIGIN")};
    struct str rest;

    for (size_t i = 0; i < sizeof(WORDS) / sizeof(*WORDS); i++)
        if (is_record(line, WORDS[i], &rest))
            return true;
    return false;
}

static void walk(struct asked *a)
{
    struct str rest = a->b->bytes, line, fields;
    struct function f = {.body = {NULL, 0}};
    const char *end = rest.p + rest.n;
    bool in = false, ok = true;

    while (ok && next_line(&rest, &line)) {
        if (in && !is_outside(line))
            continue;
        if (in) {
            f.body.n = (size_t)(line.p - f.body.p);
            ok = answer_function(a, &f);
        }
        in = is_record(line, STR("FUNC"), &fields) && read_function(fields, &f);
        f.body.p = rest.p != NULL ? rest.p : end;
        if (in)
            note_symbol(a, f.address, STR(""));
        if (is_record(line, STR("PUBLIC"), &fields))
            note_public(a, fields);
    }
    if (ok && in) {
        f.body.n = (size_t)(end - f.body.p);
        ok = answer_function(a, &f);
    }
    if (ok)
        answer_publics(a);
}

void breakpad_answer(const struct breakpad *b, const uint64_t *addresses, size_t n,
                     bool (*answer)(void *context, size_t i, const struct symbols_name *names, uint32_t n),
                     void *context)
{
    struct arena *m = b->arena;
    struct asked a = {.b = b,
                      .addresses = addresses,
                      .n = n,
                      .known = arena_array(m, n, sizeof(*a.known)),
                      .nearest = arena_array(m, n, sizeof(*a.nearest)),
                      .nearest_at = arena_array(m, n, sizeof(*a.nearest_at)),
                      .has = arena_array(m, n, sizeof(*a.has)),
                      .answer = answer,
                      .context = context};

    if (a.known != NULL && a.nearest != NULL && a.nearest_at != NULL && a.has != NULL)
        walk(&a);
}
