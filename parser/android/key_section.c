#include "parser/android/key_section.h"

#include "core/clean.h"

/* ---- methods by id ---- */

/* The array reaches as far as it has so many places for an id at most, or this far in any case. */
enum { PLACES_PER_ID = 8, REACH_MIN = 1024 };

_Static_assert(FRAME_NONE == IDMAP_NONE, "a missing id is a missing frame");

void method_table_init(struct method_table *t, struct arena *arena, struct hash_seed seed)
{
    *t = (struct method_table){.arena = arena};
    idmap_init(&t->map, arena, seed);
}

/* Makes the array reach this index; from then on it says what the map says of those ids. */
static bool reach(struct method_table *t, uint64_t index)
{
    size_t n = t->n_dense;

    if (!ARENA_ROOM(t->arena, t->dense, n, (size_t)index + 1))
        return false;
    for (size_t i = t->n_dense; i < n; i++)
        t->dense[i] = idmap_get(&t->map, (uint64_t)i << 2);
    t->n_dense = n;
    return true;
}

bool method_table_set(struct method_table *t, uint64_t id, frame_id frame)
{
    uint64_t index = id >> 2;

    t->n_set++;
    if ((id & 3) != 0 || (index >= t->n_dense && index >= PLACES_PER_ID * t->n_set + REACH_MIN))
        return idmap_set(&t->map, id, frame);
    if (index >= t->n_dense && !reach(t, index))
        return false;
    t->dense[index] = frame;
    return true;
}

/* ---- the text ---- */

_Static_assert(STRING_NONE == IDMAP_NONE, "a missing thread is a missing name");

bool key_section_init(struct key_section *k, struct builder *b, const struct reader_limits *limits,
                      struct diag *diag)
{
    struct arena *arena = builder_arena(b);

    *k = (struct key_section){.builder = b, .limits = limits, .diag = diag, .part = KEY_VERSION};
    method_table_init(&k->methods, arena, builder_seed(b));
    idmap_init(&k->threads, arena, builder_seed(b));
    idmap_init(&k->counted, arena, builder_seed(b));
    idmap_init(&k->threads_low, arena, builder_seed(b));
    k->scratch = arena_alloc(arena, limits->name_bytes);
    return k->scratch != NULL || builder_failed(b, diag);
}

/* Ids: 0x.. in hexadecimal, anything else in decimal; a null pointer may be printed as (nil). */
static bool parse_id(struct str s, uint64_t *id)
{
    s = str_trim(s);
    if (str_eq(s, STR("(nil)"))) {
        *id = 0;
        return true;
    }
    if (s.n > 2 && s.p[0] == '0' && (s.p[1] == 'x' || s.p[1] == 'X'))
        return str_to_u64((struct str){s.p + 2, s.n - 2}, 16, id);
    return str_to_u64(s, 10, id);
}

/* Interns a name, cut to the limit. */
static string_id name_of(struct key_section *k, struct str s, uint64_t offset)
{
    return builder_name(k->builder, s, k->limits->name_bytes, offset);
}

static string_id class_name_of(struct key_section *k, struct str s, uint64_t offset)
{
    if (str_find(s, '/') == s.n)
        return name_of(k, s, offset);
    struct str cut = clean_cut(s, k->limits->name_bytes);
    for (size_t i = 0; i < cut.n; i++)
        k->scratch[i] = s.p[i] == '/' ? '.' : s.p[i];
    if (cut.n < s.n)
        builder_warn(k->builder, WARN_NAME_CUT, 1, offset);
    return builder_string(k->builder, (struct str){k->scratch, cut.n});
}

/* ---- *version ---- */

static const struct {
    struct str key, fact;
} FACTS[] = {
    {STR_INIT("data-file-overflow"), STR_INIT("overflow")},
    {STR_INIT("clock"), STR_INIT("clock")},
    {STR_INIT("elapsed-time-usec"), STR_INIT("elapsed_us")},
    {STR_INIT("elapsed-time-nsec"), STR_INIT("elapsed_ns")},
    {STR_INIT("num-method-calls"), STR_INIT("declared_records")},
    {STR_INIT("clock-call-overhead-nsec"), STR_INIT("clock_overhead_ns")},
    {STR_INIT("vm"), STR_INIT("vm")},
    {STR_INIT("pid"), STR_INIT("pid")},
    {STR_INIT("alloc-count"), STR_INIT("alloc_count")},
    {STR_INIT("alloc-size"), STR_INIT("alloc_bytes")},
    {STR_INIT("gc-count"), STR_INIT("gc_count")},
};

static enum key_clock clock_of(struct str value)
{
    if (str_eq(value, STR("dual")))
        return KEY_CLOCK_DUAL;
    if (str_eq(value, STR("thread-cpu")))
        return KEY_CLOCK_CPU;
    if (str_eq(value, STR("wall")) || str_eq(value, STR("global")))
        return KEY_CLOCK_WALL;
    return KEY_CLOCK_UNKNOWN;
}

/* Values need not be numbers: writers that imitate the format put anything there. */
static void take_number(struct key_section *k, struct str key, struct str value)
{
    uint64_t number;

    if (!str_to_u64(value, 10, &number))
        return;
    if (str_eq(key, STR("num-method-calls")))
        k->declared_records = number;
    else if (str_eq(key, STR("clock-call-overhead-nsec")))
        k->clock_overhead_ns = number;
    else if (str_eq(key, STR("elapsed-time-usec")) || str_eq(key, STR("elapsed-time-nsec"))) {
        k->elapsed = number;
        k->elapsed_in_ns = str_ends(key, STR("-nsec"));
    }
}

static bool version_line(struct key_section *k, struct str line, uint64_t offset)
{
    size_t equals = str_find(line, '=');
    struct str key = {line.p, equals};

    if (k->lines_of_part == 1) {
        if (!str_to_u64(str_trim(line), 10, &k->version))
            k->version = 0;
        return true;
    }
    if (equals == line.n) {
        builder_warn(k->builder, WARN_BAD_KEY_LINE, 1, offset);
        return true;
    }
    struct str value =
        clean_cut((struct str){line.p + equals + 1, line.n - equals - 1}, k->limits->name_bytes);
    if (str_eq(key, STR("clock")))
        k->clock = clock_of(value);
    else if (str_eq(key, STR("data-file-overflow")) && str_eq(value, STR("true")))
        builder_warn(k->builder, WARN_OVERFLOW, 1, offset);
    take_number(k, key, value);
    for (size_t i = 0; i < sizeof(FACTS) / sizeof(*FACTS); i++)
        if (str_eq(key, FACTS[i].key) && !builder_fact(k->builder, FACTS[i].fact, value))
            return builder_failed(k->builder, k->diag);
    return true;
}

/* ---- *threads ---- */

/* Always false. */
static bool too_many(struct key_section *k, enum diag_topic topic, uint64_t offset, const char *title,
                     const char *what, uint32_t limit)
{
    diag_at(k->diag, DIAG_LIMIT, offset, title, "Record a shorter trace.", "%s than the limit of %u.", what,
            limit);
    k->diag->topic = topic;
    return false;
}

static bool count_thread(struct key_section *k, uint64_t offset)
{
    if (k->n_threads >= k->limits->threads)
        return too_many(k, DIAG_ABOUT_THREADS, offset, "too many threads", "The file has more threads",
                        k->limits->threads);
    k->n_threads++;
    return true;
}

/* The id is remembered, so that it is not counted again when a line names it later. */
bool key_section_count_thread(struct key_section *k, uint32_t id, uint64_t offset)
{
    return count_thread(k, offset) && (idmap_set(&k->counted, id, 0) || builder_failed(k->builder, k->diag));
}

static bool thread_line(struct key_section *k, struct str line, uint64_t offset)
{
    struct str name = line, id_text;
    uint64_t id;

    if (!str_split(&name, '\t', &id_text) || name.p == NULL || !parse_id(id_text, &id) || id >= UINT32_MAX) {
        builder_warn(k->builder, WARN_BAD_THREAD_LINE, 1, offset);
        return true;
    }
    return key_section_name_thread(k, (uint32_t)id, name, offset);
}

bool key_section_name_thread(struct key_section *k, uint32_t id, struct str name, uint64_t offset)
{
    string_id known = key_section_thread_name(k, id);

    if (known == STRING_NONE && idmap_get(&k->counted, id) == IDMAP_NONE && !count_thread(k, offset))
        return false;
    string_id text = name_of(k, name, offset);
    if (text == STRING_NONE || !idmap_set(&k->threads, id, text))
        return builder_failed(k->builder, k->diag);
    if (known != STRING_NONE && known != text)
        builder_warn(k->builder, WARN_THREAD_REDEFINED, 1, offset);
    /* Of several threads with these 16 bits the first one listed is meant. */
    if (idmap_get(&k->threads_low, id & 0xffff) == IDMAP_NONE && !idmap_set(&k->threads_low, id & 0xffff, id))
        return builder_failed(k->builder, k->diag);
    return true;
}

bool key_section_thread(const struct key_section *k, uint32_t record_id, uint32_t *listed_id, string_id *name)
{
    *listed_id = record_id;
    if (idmap_get(&k->threads, record_id) == IDMAP_NONE) {
        uint32_t low = idmap_get(&k->threads_low, record_id);
        if (low == IDMAP_NONE)
            return false;
        *listed_id = low;
    }
    *name = idmap_get(&k->threads, *listed_id);
    return true;
}

string_id key_section_thread_name(const struct key_section *k, uint32_t id)
{
    return idmap_get(&k->threads, id);
}

/* ---- *methods ---- */

/* The columns behind the id: class, method, signature, file, line, of which the last ones may be missing.
 * Without method: class alone, or class, file, line as native tracers write it; what stands third tells,
 * for a signature begins with a parenthesis. */
static bool frame_of(struct key_section *k, struct str columns, uint64_t offset, struct profile_frame *frame)
{
    struct str c[6] = {{0}};
    size_t n = 0;

    while (n < 6 && str_split(&columns, '\t', &c[n]))
        n++;
    bool methodless = n <= 1 || (n == 3 && !str_starts(c[2], STR("(")));
    struct str method = methodless ? STR("") : c[1];
    struct str signature = methodless || n < 3 ? STR("") : c[2];
    struct str file = methodless ? (n == 3 ? c[1] : STR("")) : n < 4 ? STR("") : c[3];

    frame->scope = class_name_of(k, c[0], offset);
    frame->name = name_of(k, method, offset);
    frame->signature = name_of(k, signature, offset);
    frame->file = name_of(k, file, offset);
    return frame->scope != STRING_NONE && frame->name != STRING_NONE && frame->signature != STRING_NONE &&
           frame->file != STRING_NONE;
}

bool key_section_method_line(struct key_section *k, struct str line, uint64_t offset)
{
    struct str columns = line, id_text;
    uint64_t id;

    if (!str_split(&columns, '\t', &id_text) || columns.p == NULL || !parse_id(id_text, &id)) {
        if (line.n > 0)
            builder_warn(k->builder, WARN_BAD_METHOD_LINE, 1, offset);
        return true;
    }
    return key_section_method(k, id, columns, offset);
}

bool key_section_method(struct key_section *k, uint64_t id, struct str columns, uint64_t offset)
{
    struct profile_frame frame = {0};

    if (++k->n_methods > k->limits->methods)
        return too_many(k, DIAG_ABOUT_METHODS, offset, "too many methods", "The file lists more methods",
                        k->limits->methods);
    if (!frame_of(k, columns, offset, &frame))
        return builder_failed(k->builder, k->diag);
    /* An id that is listed again means the later method from then on. Frames that are open keep the
     * earlier one: an exit of the later one has to find them. */
    frame_id known = method_table_get(&k->methods, id);
    frame_id now = builder_frame(k->builder, &frame);
    if (now == FRAME_NONE)
        return builder_failed(k->builder, k->diag);
    if (known != FRAME_NONE && known != now) {
        builder_warn(k->builder, WARN_METHOD_REDEFINED, 1, offset);
        if (!builder_frame_redefined(k->builder, now, known))
            return builder_failed(k->builder, k->diag);
    }
    return method_table_set(&k->methods, id, now) || builder_failed(k->builder, k->diag);
}

/* ---- lines ---- */

static bool enter_part(struct key_section *k, struct str line)
{
    static const struct str NAMES[] = {[KEY_VERSION] = STR_INIT("*version"),
                                       [KEY_THREADS] = STR_INIT("*threads"),
                                       [KEY_METHODS] = STR_INIT("*methods"),
                                       [KEY_END] = STR_INIT("*end")};

    for (unsigned i = 0; i < sizeof(NAMES) / sizeof(*NAMES); i++)
        if (str_eq(line, NAMES[i])) {
            k->part = i;
            k->lines_of_part = 0;
            return true;
        }
    return false;
}

bool key_section_line(struct key_section *k, struct str line, uint64_t offset)
{
    if (line.n > 0 && line.p[line.n - 1] == '\r') {
        line.n--;
        k->has_crlf = true;
        builder_warn(k->builder, WARN_CRLF, 1, offset);
    }
    if (line.n > 0 && line.p[0] == '*' && enter_part(k, line))
        return true;
    if (k->lines_of_part < UINT32_MAX) /* it must not become 1 again: that line is the version */
        k->lines_of_part++;
    switch (k->part) {
    case KEY_VERSION:
        return version_line(k, line, offset);
    case KEY_THREADS:
        return thread_line(k, line, offset);
    case KEY_METHODS:
        return key_section_method_line(k, line, offset);
    case KEY_END:
        break;
    }
    return true;
}
