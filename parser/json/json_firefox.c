/* Profiles of the Firefox Profiler (docs-developer/CHANGELOG-formats.md, src/types/profile.ts and gecko-profile.ts of
 * firefox-devtools/profiler), in two forms.
 *
 * Processed, versions 0 to 70, which the Profiler, samply and aflamed write: tables are objects of columns. A thread has
 * samples {stack, time or timeDeltas, weight, weightType, threadCPUDelta}; stackTable {frame, prefix or prefixOffset},
 * frameTable {func, address, inlineDepth, category, line, lib}, funcTable {name, resource, fileName or source,
 * lineNumber}, resourceTable {lib, name} and stringArray are the thread's, or from version 56 and 60 on stand in `shared`.
 *
 * Gecko, which Firefox itself and the scripts of perf and simpleperf write: tables are {schema: {column: place}, data:
 * [rows]}, and a frame is a text in stringTable. `processes` are whole profiles; in old versions they are JSON as text.
 *
 * Members come in any order, and tables may stand behind what refers to them: so all is kept until the end. */

#include "core/number.h"
#include "parser/json/json_firefox_impl.h"

enum { PROCESSES_DEPTH = 8, TEXTS_MAX = 2, ROW_PLACES = 8 };

/* Numbers of these are kept as millionths. */
static const struct {
    struct str key;
    bool millionths;
} COLUMN_KEYS[COLUMNS] = {
    [COLUMN_STACK] = {STR_INIT("stack"), false},
    [COLUMN_TIME] = {STR_INIT("time"), true},
    [COLUMN_TIME_DELTAS] = {STR_INIT("timeDeltas"), true},
    [COLUMN_WEIGHT] = {STR_INIT("weight"), true},
    [COLUMN_CPU] = {STR_INIT("threadCPUDelta"), true},
    [COLUMN_FRAME] = {STR_INIT("frame"), false},
    [COLUMN_PREFIX] = {STR_INIT("prefix"), false},
    [COLUMN_PREFIX_OFFSET] = {STR_INIT("prefixOffset"), false},
    [COLUMN_FUNC] = {STR_INIT("func"), false},
    [COLUMN_ADDRESS] = {STR_INIT("address"), false},
    [COLUMN_INLINE_DEPTH] = {STR_INIT("inlineDepth"), false},
    [COLUMN_CATEGORY] = {STR_INIT("category"), false},
    [COLUMN_LINE] = {STR_INIT("line"), false},
    [COLUMN_LIB] = {STR_INIT("lib"), false},
    [COLUMN_LOCATION] = {STR_INIT("location"), false},
    [COLUMN_NAME] = {STR_INIT("name"), false},
    [COLUMN_RESOURCE] = {STR_INIT("resource"), false},
    [COLUMN_FILE_NAME] = {STR_INIT("fileName"), false},
    [COLUMN_SOURCE] = {STR_INIT("source"), false},
    [COLUMN_LINE_NUMBER] = {STR_INIT("lineNumber"), false},
};

static const struct str TABLE_KEYS[TABLES] = {STR_INIT("samples"), STR_INIT("stackTable"),
                                              STR_INIT("frameTable"), STR_INIT("funcTable"),
                                              STR_INIT("resourceTable")};

static struct json_firefox *state(struct json_doc *d)
{
    if (d->firefox != NULL)
        return d->firefox;
    struct json_firefox *f = arena_alloc(d->arena, sizeof(*f));
    if (f == NULL || !ARENA_ROOM(d->arena, f->processes, f->processes_capacity, 1))
        return NULL;
    f->version = -1;
    f->n_processes = 1;
    f->processes[0] = (struct json_firefox_process){.cpu_decimals = -JSON_NS_OF_MS};
    return d->firefox = f;
}

static struct json_firefox_process *process(struct json_doc *d)
{
    return &d->firefox->processes[d->firefox->now];
}

/* ---- columns and rows ---- */

static enum json_firefox_column column_of(struct str key)
{
    for (enum json_firefox_column c = 0; c < COLUMNS; c++)
        if (str_eq(key, COLUMN_KEYS[c].key))
            return c;
    return COLUMNS;
}

static bool take_schema(struct json_doc *d, struct json_firefox_rows *t)
{
    struct str key;
    int64_t place;

    if (json_in_enter(d->in, JSON_OBJECT))
        while (json_in_key(d->in, &key)) {
            enum json_firefox_column c = column_of(key);
            if (c == COLUMNS)
                json_in_skip(d->in);
            else if (json_in_integer(d->in, &place) && place >= 0 && place < ROW_PLACES)
                t->place[c] = (int8_t)(place + 1);
        }
    return true;
}

/* A row may be short. The places behind its end stay empty. */
static bool take_row(struct json_doc *d, struct json_firefox_rows *t)
{
    struct json_number number;
    size_t n = 0;

    if (json_in_enter(d->in, JSON_ARRAY))
        for (; json_in_item(d->in); n++) {
            if (n >= ROW_PLACES) {
                json_in_skip(d->in);
                continue;
            }
            int64_t value =
                json_in_number(d->in, &number) ? json_in_scaled(number, t->millionths ? 6 : 0) : COLUMN_NONE;
            while (t->rows[n].n < t->n_rows)
                if (!json_column_add(&t->rows[n], d->arena, COLUMN_NONE))
                    return false;
            if (!json_column_add(&t->rows[n], d->arena, value))
                return false;
        }
    t->n_rows++;
    return true;
}

static bool take_rows(struct json_doc *d, struct json_firefox_rows *t)
{
    t->rows = arena_array(d->arena, ROW_PLACES, sizeof(*t->rows));
    if (t->rows == NULL)
        return false;
    if (json_in_enter(d->in, JSON_ARRAY))
        while (json_in_item(d->in))
            if (!take_row(d, t))
                return false;
    return true;
}

static void take_weight_type(struct json_doc *d, struct json_firefox_rows *t)
{
    struct str text;

    if (json_in_string(d->in, &text))
        t->weight_type = str_eq(text, STR("tracing-ms")) ? JSON_WALL
                         : str_eq(text, STR("bytes"))    ? JSON_BYTES
                                                         : JSON_SAMPLES;
}

static bool take_column(struct json_doc *d, struct json_firefox_rows *t, enum json_firefox_column c)
{
    t->columns[c] = json_in_peek(d->in) == JSON_ARRAY ? arena_alloc(d->arena, sizeof(*t->columns[c])) : NULL;
    if (t->columns[c] == NULL) {
        json_in_skip(d->in);
        return d->arena->failure == ARENA_OK;
    }
    return json_column_read(t->columns[c], d->in, COLUMN_KEYS[c].millionths ? 6 : 0);
}

static bool take_table(struct json_doc *d, struct json_firefox_rows **to, bool samples)
{
    struct json_firefox_rows *t = arena_alloc(d->arena, sizeof(*t));
    struct str key;
    bool good = t != NULL;

    if (!good || !json_in_enter(d->in, JSON_OBJECT))
        return good;
    t->weight_type = JSON_SAMPLES;
    t->millionths = samples;
    *to = t;
    while (good && json_in_key(d->in, &key)) {
        enum json_firefox_column c = column_of(key);
        if (c < COLUMNS)
            good = take_column(d, t, c);
        else if (str_eq(key, STR("schema")))
            good = take_schema(d, t);
        else if (str_eq(key, STR("data")))
            good = take_rows(d, t);
        else if (str_eq(key, STR("weightType")))
            take_weight_type(d, t);
        else
            json_in_skip(d->in);
    }
    return good;
}

const struct json_column *json_firefox_column(const struct json_firefox_rows *t, enum json_firefox_column c)
{
    if (t == NULL || t->columns[c] != NULL || t->rows == NULL)
        return t == NULL ? NULL : t->columns[c];
    return t->place[c] > 0 ? &t->rows[t->place[c] - 1] : NULL;
}

/* COLUMN_NONE of what is not there. */
int64_t json_firefox_cell(const struct json_firefox_rows *t, enum json_firefox_column c, size_t i)
{
    const struct json_column *from = json_firefox_column(t, c);
    int64_t value = from == NULL ? COLUMN_NONE : json_column_at(from, i);

    if (from == NULL || value == COLUMN_NONE || t->columns[c] != NULL ||
        t->millionths == COLUMN_KEYS[c].millionths)
        return value;
    return t->millionths ? value / JSON_MILLION : COLUMN_NONE; /* times stand in samples only */
}

/* ---- strings ---- */

static bool take_strings(struct json_doc *d, struct json_firefox_tables *t)
{
    struct str text;

    t->n_strings = 0;
    if (json_in_enter(d->in, JSON_ARRAY))
        while (json_in_item(d->in)) {
            if (!ARENA_ROOM(d->arena, t->strings, t->strings_capacity, t->n_strings + 1))
                return false;
            t->strings[t->n_strings] = json_in_string(d->in, &text) ? json_name(d, text) : STRING_EMPTY;
            if (t->strings[t->n_strings++] == STRING_NONE)
                return false;
        }
    return true;
}

/* A member of a thread or of `shared`. *mine: it is one of the tables. */
static bool take_tables(struct json_doc *d, struct json_firefox_tables *t, struct str key, bool *mine)
{
    *mine = true;
    for (enum json_firefox_table i = 0; i < TABLES; i++)
        if (str_eq(key, TABLE_KEYS[i]))
            return take_table(d, &t->of[i], i == TABLE_SAMPLES);
    if (str_eq(key, STR("stringArray")) || str_eq(key, STR("stringTable")))
        return take_strings(d, t);
    *mine = false;
    return true;
}

/* {"filename":[..]}, or `fileName`; of version 58 on */
static bool take_sources(struct json_doc *d)
{
    struct str key;

    if (json_in_enter(d->in, JSON_OBJECT))
        while (json_in_key(d->in, &key)) {
            if (!str_eq_nocase(key, STR("filename")))
                json_in_skip(d->in);
            else if (!json_column_read(&d->firefox->sources, d->in, 0))
                return false;
        }
    return true;
}

bool json_firefox_shared(struct json_doc *d, struct str key)
{
    struct json_firefox *f = state(d);
    bool mine;

    if (f == NULL)
        return false;
    if (str_eq(key, STR("sources")))
        return take_sources(d);
    if (!take_tables(d, &f->shared, key, &mine))
        return false;
    if (!mine)
        json_in_skip(d->in);
    return true;
}

/* ---- text within text ---- */

/* The next value is a string that holds JSON. `take` reads that. */
static bool take_inner(struct json_doc *d, bool (*take)(struct json_doc *d))
{
    struct json_in inner, *outer = d->in;
    size_t keep = outer->keep_bytes;
    struct source source;
    struct str text;

    if (d->firefox->texts == TEXTS_MAX) {
        json_in_skip(outer);
        return true;
    }
    outer->keep_bytes = SIZE_MAX / 2; /* the arena is the limit */
    bool good = json_in_string(outer, &text);
    outer->keep_bytes = keep;
    if (!good)
        return true;
    char *copy = arena_copy(d->arena, text.p, text.n);
    if (copy == NULL)
        return false;
    source_of_memory(&source, d->arena, (struct str){copy, text.n});
    json_in_begin(&inner, &source, d->arena, d->r->limits->name_bytes);
    d->in = &inner;
    d->firefox->texts++;
    good = take(d);
    d->firefox->texts--;
    d->in = outer;
    if (inner.state != JSON_GOOD)
        builder_warn(d->builder, WARN_DAMAGED, text.n, json_in_offset(outer));
    return good;
}

/* ---- meta and libraries ---- */

static bool take_categories(struct json_doc *d)
{
    struct json_firefox *f = d->firefox;
    struct str key, text;

    if (!json_in_enter(d->in, JSON_ARRAY))
        return true;
    f->n_categories = 0;
    while (json_in_item(d->in)) {
        string_id name = STRING_EMPTY;
        if (json_in_enter(d->in, JSON_OBJECT))
            while (json_in_key(d->in, &key)) {
                if (!str_eq(key, STR("name")))
                    json_in_skip(d->in);
                else if (json_in_string(d->in, &text))
                    name = json_name(d, text);
            }
        if (name == STRING_NONE ||
            !ARENA_ROOM(d->arena, f->categories, f->categories_capacity, f->n_categories + 1))
            return false;
        f->categories[f->n_categories++] = name;
    }
    return true;
}

static void take_units(struct json_doc *d)
{
    static const struct {
        struct str word;
        int decimals;
    } UNITS[] = {{STR_INIT("ns"), -6}, {STR_INIT("µs"), -3}, {STR_INIT("us"), -3}, {STR_INIT("ms"), 0}};
    struct str key, text;

    if (json_in_enter(d->in, JSON_OBJECT))
        while (json_in_key(d->in, &key)) {
            if (!str_eq(key, STR("threadCPUDelta"))) {
                json_in_skip(d->in);
                continue;
            }
            process(d)->cpu_decimals = 1;
            if (json_in_string(d->in, &text))
                for (size_t i = 0; i < sizeof(UNITS) / sizeof(*UNITS); i++)
                    if (str_eq(text, UNITS[i].word))
                        process(d)->cpu_decimals = UNITS[i].decimals;
        }
}

bool json_firefox_meta(struct json_doc *d)
{
    struct json_firefox *f = state(d);
    struct json_number start;
    struct str key, text;
    bool good = f != NULL;

    if (!good || !json_in_enter(d->in, JSON_OBJECT))
        return good;
    while (good && json_in_key(d->in, &key)) {
        if (str_eq(key, STR("preprocessedProfileVersion")))
            f->has_version = json_in_integer(d->in, &f->version);
        else if (str_eq(key, STR("product")))
            f->ours = json_in_string(d->in, &text) && str_eq(text, STR("aflamed"));
        else if (str_eq(key, STR("startTime")))
            process(d)->start_ns = json_in_number(d->in, &start) ? json_in_scaled(start, JSON_NS_OF_MS) : 0;
        else if (str_eq(key, STR("categories")))
            good = take_categories(d);
        else if (str_eq(key, STR("sampleUnits")))
            take_units(d);
        else if (str_eq(key, STR("aflamed")))
            good = json_take_value_name(d);
        else
            json_in_skip(d->in);
    }
    return good;
}

static bool take_lib(struct json_doc *d)
{
    struct json_firefox *f = d->firefox;
    struct json_firefox_lib lib = {STRING_EMPTY, STRING_EMPTY, COLUMN_NONE, COLUMN_NONE, COLUMN_NONE};
    string_id name = STRING_EMPTY, debug_name = STRING_EMPTY;
    struct str key, text;

    if (json_in_enter(d->in, JSON_OBJECT))
        while (json_in_key(d->in, &key)) {
            int64_t *number = str_eq(key, STR("start"))    ? &lib.start
                              : str_eq(key, STR("end"))    ? &lib.end
                              : str_eq(key, STR("offset")) ? &lib.offset
                                                           : NULL;
            string_id *to = str_eq(key, STR("name"))        ? &name
                            : str_eq(key, STR("debugName")) ? &debug_name
                            : str_eq(key, STR("codeId"))    ? &lib.build_id
                                                            : NULL;
            if (number != NULL) {
                if (!json_in_integer(d->in, number))
                    *number = COLUMN_NONE;
            } else if (to == NULL) {
                json_in_skip(d->in);
            } else if (json_in_string(d->in, &text)) {
                *to = json_name(d, text);
            }
        }
    lib.path = name != STRING_EMPTY ? name : debug_name;
    if (lib.path == STRING_NONE || lib.build_id == STRING_NONE ||
        !ARENA_ROOM(d->arena, f->libs, f->libs_capacity, f->n_libs + 1))
        return false;
    f->libs[f->n_libs++] = lib;
    return true;
}

static bool take_lib_list(struct json_doc *d)
{
    if (json_in_enter(d->in, JSON_ARRAY))
        while (json_in_item(d->in))
            if (!take_lib(d))
                return false;
    return true;
}

static bool take_libs(struct json_doc *d, size_t *first, size_t *n)
{
    size_t begin = d->firefox->n_libs;
    bool good = json_in_peek(d->in) == JSON_STRING ? take_inner(d, take_lib_list) : take_lib_list(d);

    *first = begin;
    *n = d->firefox->n_libs - begin;
    return good;
}

bool json_firefox_libs(struct json_doc *d)
{
    size_t first, n;

    if (state(d) == NULL || !take_libs(d, &first, &n))
        return false;
    process(d)->libs = first;
    process(d)->n_libs = n;
    return true;
}

/* ---- threads ---- */

/* 12, "12" or "12.1": the digits in front. */
static int64_t take_tid(struct json_doc *d)
{
    struct str text;
    size_t n = 0;
    uint64_t tid;

    if (!json_in_text(d->in, &text))
        return -1;
    while (n < text.n && is_digit(text.p[n]))
        n++;
    return str_to_u64((struct str){text.p, n}, 10, &tid) && tid < UINT32_MAX ? (int64_t)tid : -1;
}

static bool take_thread_member(struct json_doc *d, struct json_firefox_thread *t, struct str key)
{
    struct str text;
    bool mine;

    if (!take_tables(d, &t->tables, key, &mine) || mine)
        return mine && d->arena->failure == ARENA_OK;
    if (str_eq(key, STR("name"))) {
        t->name = json_in_string(d->in, &text) ? json_name(d, text) : STRING_EMPTY;
    } else if (str_eq(key, STR("processName"))) {
        t->process_name = json_in_string(d->in, &text) ? json_name(d, text) : STRING_EMPTY;
    } else if (str_eq(key, STR("pid"))) {
        t->pid = json_in_text(d->in, &text) ? json_name(d, text) : STRING_EMPTY;
    } else if (str_eq(key, STR("tid"))) {
        t->tid = take_tid(d);
    } else if (str_eq(key, STR("libs"))) {
        return take_libs(d, &t->tables.libs, &t->tables.n_libs);
    } else {
        json_in_skip(d->in);
    }
    return t->name != STRING_NONE && t->process_name != STRING_NONE && t->pid != STRING_NONE;
}

static bool take_thread(struct json_doc *d)
{
    struct json_firefox *f = d->firefox;
    struct json_firefox_thread t = {.tid = -1, .process = f->now};
    struct str key;

    if (!json_in_enter(d->in, JSON_OBJECT))
        return true;
    while (json_in_key(d->in, &key))
        if (!take_thread_member(d, &t, key))
            return false;
    if (!ARENA_ROOM(d->arena, f->threads, f->threads_capacity, f->n_threads + 1))
        return false;
    f->threads[f->n_threads++] = t;
    return true;
}

static bool take_processes(struct json_doc *d, bool within);

/* A whole profile of another process, of JSON in a text. */
static bool take_process_text(struct json_doc *d)
{
    return take_processes(d, true);
}

bool json_firefox_threads(struct json_doc *d)
{
    struct json_firefox *f = state(d);

    if (f == NULL)
        return false;
    if (!json_in_enter(d->in, JSON_ARRAY))
        return true;
    f->has_threads = true;
    while (json_in_item(d->in))
        if (!(json_in_peek(d->in) == JSON_STRING ? take_inner(d, take_process_text) : take_thread(d)))
            return false;
    return true;
}

/* ---- processes ---- */

/* Begins a process. False: no memory. */
static bool open_process(struct json_doc *d)
{
    struct json_firefox *f = d->firefox;

    if (!ARENA_ROOM(d->arena, f->processes, f->processes_capacity, f->n_processes + 1))
        return false;
    f->processes[f->n_processes] = (struct json_firefox_process){.cpu_decimals = -JSON_NS_OF_MS};
    f->now = (uint32_t)f->n_processes++;
    return true;
}

static bool take_process_member(struct json_doc *d, struct str key)
{
    if (str_eq(key, STR("meta")))
        return json_firefox_meta(d);
    if (str_eq(key, STR("libs")))
        return json_firefox_libs(d);
    if (str_eq(key, STR("threads")))
        return json_firefox_threads(d);
    json_in_skip(d->in);
    return true;
}

/* The next value is a process, or, unless it is `within` something else, an array of them. Processes have processes:
 * outer[] has those that are open, and nothing recurses. */
static bool take_processes(struct json_doc *d, bool within)
{
    struct json_firefox *f = d->firefox;
    uint32_t outer[PROCESSES_DEPTH], first = f->now;
    size_t depth = 0;
    struct str key;
    bool in_list = !within && json_in_enter(d->in, JSON_ARRAY), good = true;

    if (within && json_in_enter(d->in, JSON_OBJECT)) {
        outer[depth++] = f->now;
        good = open_process(d);
    }
    while (good && (in_list || depth > 0)) {
        if (in_list) {
            in_list = json_in_item(d->in);
            if (!in_list)
                continue;
            if (depth < PROCESSES_DEPTH && json_in_peek(d->in) == JSON_OBJECT &&
                json_in_enter(d->in, JSON_OBJECT)) {
                outer[depth++] = f->now;
                good = open_process(d);
                in_list = false;
            } else {
                json_in_skip(d->in);
            }
        } else if (!json_in_key(d->in, &key)) {
            f->now = outer[--depth];
            in_list = depth > 0 || !within;
        } else if (str_eq(key, STR("processes"))) {
            in_list = json_in_enter(d->in, JSON_ARRAY);
        } else {
            good = take_process_member(d, key);
        }
    }
    f->now = first;
    return good;
}

bool json_firefox_processes(struct json_doc *d)
{
    return state(d) != NULL && take_processes(d, false);
}
