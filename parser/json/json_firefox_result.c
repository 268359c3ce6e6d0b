/* The profile that is made of what a file of the Firefox Profiler has: frames of its tables or texts, stacks, samples. */
#include <string.h>

#include "core/number.h"
#include "parser/json/json_firefox_impl.h"
#include "parser/module_kind.h"

enum { VERSION_MAX = 70 };

/* ---- the end: frames ---- */

/* What frames of one set of tables are made of. */
struct naming {
    struct json_doc *d;
    const struct json_firefox_tables *tables, *strings;
    size_t libs, n_libs;
    frame_id *frames;
    size_t n;
};

static const struct json_firefox_rows *table_at(const struct json_firefox *f,
                                                const struct json_firefox_tables *own,
                                                enum json_firefox_table i)
{
    return f->shared.of[i] != NULL ? f->shared.of[i] : own->of[i];
}

static bool in_range(int64_t index, size_t n)
{
    return index >= 0 && (uint64_t)index < n;
}

/* STRING_NONE: it is not listed. */
static string_id string_at(const struct naming *n, int64_t index)
{
    return in_range(index, n->strings->n_strings) ? n->strings->strings[index] : STRING_NONE;
}

/* NULL: none. */
static const struct json_firefox_lib *lib_at(const struct naming *n, int64_t index)
{
    return in_range(index, n->n_libs) ? &n->d->firefox->libs[n->libs + (size_t)index] : NULL;
}

static const struct json_firefox_lib *lib_of(const struct naming *n, size_t frame, int64_t func)
{
    const struct json_firefox *f = n->d->firefox;
    const struct json_firefox_rows *frames = table_at(f, n->tables, TABLE_FRAMES);

    if (json_firefox_column(frames, COLUMN_LIB) != NULL)
        return lib_at(n, json_firefox_cell(frames, COLUMN_LIB, frame));
    int64_t resource = json_firefox_cell(table_at(f, n->tables, TABLE_FUNCS), COLUMN_RESOURCE, (size_t)func);
    return resource < 0 ? NULL
                        : lib_at(n, json_firefox_cell(table_at(f, n->tables, TABLE_RESOURCES), COLUMN_LIB,
                                                      (size_t)resource));
}

static enum frame_kind kind_of(const struct naming *n, int64_t category, const struct json_firefox_lib *lib,
                               int64_t depth)
{
    static const struct {
        struct str name;
        enum frame_kind kind;
    } KINDS[] = {{STR_INIT("Kernel"), FRAME_KIND_KERNEL}, {STR_INIT("Native"), FRAME_KIND_NATIVE},
                 {STR_INIT("User"), FRAME_KIND_NATIVE},   {STR_INIT("DEX"), FRAME_KIND_JAVA},
                 {STR_INIT("OAT"), FRAME_KIND_JAVA},      {STR_INIT("JIT"), FRAME_KIND_JAVA}};
    const struct json_firefox *f = n->d->firefox;

    if (depth > 0)
        return FRAME_KIND_INLINED;
    if (lib != NULL)
        return module_kind(builder_text_of(n->d->builder, lib->path));
    if (f->ours || !in_range(category, f->n_categories))
        return FRAME_KIND_UNKNOWN;
    struct str name = builder_text_of(n->d->builder, f->categories[category]);
    for (size_t i = 0; i < sizeof(KINDS) / sizeof(*KINDS); i++)
        if (str_eq(name, KINDS[i].name))
            return KINDS[i].kind;
    return FRAME_KIND_UNKNOWN;
}

static frame_id unknown_frame(struct json_doc *d)
{
    return json_frame(d->builder, builder_string(d->builder, STR("unknown")), NULL);
}

/* 0x1a2b */
static bool is_address(struct str s, uint64_t *address)
{
    return s.n > 2 && s.p[0] == '0' && s.p[1] == 'x' &&
           str_to_u64((struct str){s.p + 2, s.n - 2}, 16, address);
}

static string_id file_of(const struct naming *n, const struct json_firefox_rows *funcs, int64_t func)
{
    const struct json_firefox *f = n->d->firefox;
    int64_t file = json_firefox_cell(funcs, COLUMN_FILE_NAME, (size_t)func),
            source = json_firefox_cell(funcs, COLUMN_SOURCE, (size_t)func);

    if (source >= 0)
        file = json_column_at(&f->sources, (size_t)source);
    string_id name = string_at(n, file);
    return name == STRING_NONE ? STRING_EMPTY : name;
}

/* How many values the column has; 0 where there is no table, or it has no such column. */
static size_t json_firefox_length(const struct json_firefox_rows *t, enum json_firefox_column c)
{
    const struct json_column *from = json_firefox_column(t, c);

    return t == NULL || from == NULL ? 0 : t->columns[c] != NULL ? from->n : t->n_rows;
}

static frame_id processed_frame(const struct naming *n, size_t i)
{
    struct json_doc *d = n->d;
    const struct json_firefox_rows *frames = table_at(d->firefox, n->tables, TABLE_FRAMES),
                                   *funcs = table_at(d->firefox, n->tables, TABLE_FUNCS);
    int64_t func = json_firefox_cell(frames, COLUMN_FUNC, i),
            address = json_firefox_cell(frames, COLUMN_ADDRESS, i);
    uint64_t unused;

    if (!in_range(func, json_firefox_length(funcs, COLUMN_NAME))) {
        builder_warn(d->builder, WARN_BAD_REFERENCE, 1, WARNING_NO_OFFSET);
        return unknown_frame(d);
    }
    string_id name = string_at(n, json_firefox_cell(funcs, COLUMN_NAME, (size_t)func));
    if (name == STRING_NONE)
        return unknown_frame(d);
    const struct json_firefox_lib *lib = lib_of(n, i, func);
    int64_t line = json_firefox_cell(frames, COLUMN_LINE, i);
    line = line > 0 ? line : json_firefox_cell(funcs, COLUMN_LINE_NUMBER, (size_t)func);
    struct profile_frame frame = {.file = file_of(n, funcs, func),
                                  .line = line > 0 && line <= UINT32_MAX ? (uint32_t)line : 0,
                                  .kind = kind_of(n, json_firefox_cell(frames, COLUMN_CATEGORY, i), lib,
                                                  json_firefox_cell(frames, COLUMN_INLINE_DEPTH, i))};
    if (lib != NULL && is_address(builder_text_of(d->builder, name), &unused) && address >= 0) {
        frame.build_id = lib->build_id;
        return json_nameless_frame(d->builder, lib->path, (uint64_t)address, frame);
    }
    frame.module = lib == NULL ? STRING_EMPTY : lib->path;
    frame.address = lib != NULL && address > 0 ? (uint64_t)address : 0;
    return json_frame(d->builder, name, &frame);
}

/* ---- the end: frames of gecko ---- */

/* An address by itself: of the library that is mapped there. */
static frame_id address_frame(const struct naming *n, string_id name, uint64_t address)
{
    for (size_t i = 0; i < n->n_libs; i++) {
        const struct json_firefox_lib *lib = lib_at(n, (int64_t)i);
        if (lib->start < 0 || lib->end < 0 || address < (uint64_t)lib->start || address >= (uint64_t)lib->end)
            continue;
        uint64_t offset = lib->offset < 0 ? 0 : (uint64_t)lib->offset;
        struct profile_frame frame = {.kind = module_kind(builder_text_of(n->d->builder, lib->path)),
                                      .build_id = lib->build_id};
        return json_nameless_frame(n->d->builder, lib->path, address - (uint64_t)lib->start + offset, frame);
    }
    return json_frame(n->d->builder, name, NULL);
}

/* `name (in lib)`, `name (in lib) + 12`, `name (in lib) (file:line)` */
static bool split_native(struct str s, struct str *name, struct str *lib)
{
    size_t in = str_find_str(s, STR(" (in "));

    if (in == s.n)
        return false;
    struct str rest = {s.p + in + 5, s.n - in - 5};
    size_t close = str_find(rest, ')');
    struct str behind = {rest.p + close + 1, close < rest.n ? rest.n - close - 1 : 0};
    *name = (struct str){s.p, in};
    *lib = (struct str){rest.p, close};
    return close < rest.n && (behind.n == 0 || str_starts(behind, STR(" + ")) ||
                              (str_starts(behind, STR(" (")) && str_ends(behind, STR(")"))));
}

/* Takes `:12` off the end. */
static bool take_place(struct str *s, uint64_t *number)
{
    size_t colon = str_find_last(*s, ':');

    if (colon == s->n || colon == 0 ||
        !str_to_u64((struct str){s->p + colon + 1, s->n - colon - 1}, 10, number))
        return false;
    s->n = colon;
    return true;
}

/* `name (url:line:col)[source]`, or without a name `url:line:col`. */
static bool split_script(struct str s, struct str *name, struct str *url, uint64_t *line)
{
    size_t bracket = str_ends(s, STR("]")) ? str_find_last(s, '[') : s.n;
    uint64_t number;

    s.n = bracket;
    *name = STR("");
    *url = s;
    if (str_ends(s, STR(")"))) {
        size_t open = str_find_str(s, STR(" ("));
        if (open == s.n)
            return false;
        *name = (struct str){s.p, open};
        *url = (struct str){s.p + open + 2, s.n - open - 3};
    }
    if (!take_place(url, &number))
        return false;
    *line = number;
    if (take_place(url, &number))
        *line = number;
    /* `a -> b`: a loader runs b */
    for (size_t arrow; (arrow = str_find_str(*url, STR(" -> "))) < url->n;)
        *url = (struct str){url->p + arrow + 4, url->n - arrow - 4};
    return url->n > 0;
}

static frame_id script_frame(const struct naming *n, struct str name, struct str url, uint64_t line)
{
    static const struct str ROOT = STR_INIT("(root scope) ");
    struct builder *b = n->d->builder;
    struct profile_frame frame = {
        .file = builder_string(b, url), .is_script = true, .line = line <= UINT32_MAX ? (uint32_t)line : 0};
    char *text = NULL;

    if (name.n == 0) {
        text = arena_lend(n->d->arena, ROOT.n + url.n, 1);
        if (text == NULL)
            return FRAME_NONE;
        memcpy(text, ROOT.p, ROOT.n);
        memcpy(text + ROOT.n, url.p, url.n);
        name = (struct str){text, ROOT.n + url.n};
    }
    frame.name = builder_string(b, name);
    if (text != NULL)
        arena_release(n->d->arena, text, ROOT.n + url.n, 1);
    return frame.name == STRING_NONE || frame.file == STRING_NONE ? FRAME_NONE : builder_frame(b, &frame);
}

static frame_id gecko_frame(const struct naming *n, size_t i)
{
    struct json_doc *d = n->d;
    const struct json_firefox_rows *frames = n->tables->of[TABLE_FRAMES];
    string_id location = string_at(n, json_firefox_cell(frames, COLUMN_LOCATION, i));
    struct str name, place;
    uint64_t address, line;

    if (location == STRING_NONE)
        return unknown_frame(d);
    struct str text = builder_text_of(d->builder, location);
    if (is_address(text, &address))
        return address_frame(n, location, address);
    if (split_native(text, &name, &place)) {
        struct profile_frame frame = {.kind = module_kind(place)};
        string_id module = builder_string(d->builder, place);
        if (module == STRING_NONE)
            return FRAME_NONE;
        if (json_is_nameless(name, &address)) /* of simpleperf's script */
            return json_nameless_frame(d->builder, module, address, frame);
        frame.module = module;
        return json_frame(d->builder, builder_string(d->builder, name), &frame);
    }
    if (split_script(text, &name, &place, &line))
        return script_frame(n, name, place, line);
    return json_frame(d->builder, location, NULL);
}

/* ---- the end: stacks ---- */

static bool make_frames(struct naming *n)
{
    const struct json_firefox *f = n->d->firefox;
    const struct json_firefox_rows *frames = table_at(f, n->tables, TABLE_FRAMES);

    n->n = json_firefox_length(frames, f->gecko ? COLUMN_LOCATION : COLUMN_FUNC);
    n->frames = arena_array(n->d->arena, n->n + 1, sizeof(*n->frames));
    for (size_t i = 0; n->frames != NULL && i < n->n; i++) {
        n->frames[i] = f->gecko ? gecko_frame(n, i) : processed_frame(n, i);
        if (n->frames[i] == FRAME_NONE || arena_stopped_at(n->d->arena, i))
            return false;
    }
    return n->frames != NULL;
}

static uint32_t index_of(int64_t value)
{
    return value < 0 || value >= STACK_NONE ? STACK_NONE : (uint32_t)value;
}

static bool make_stacks(struct naming *n, struct json_stacks *stacks)
{
    const struct json_firefox_rows *t = table_at(n->d->firefox, n->tables, TABLE_STACKS);
    bool offsets = json_firefox_column(t, COLUMN_PREFIX_OFFSET) != NULL;
    size_t rows = json_firefox_length(t, COLUMN_FRAME);

    json_stacks_init(stacks, n->d->builder);
    if (!make_frames(n))
        return false;
    stacks->frames = n->frames;
    stacks->n_frames = n->n;
    stacks->indexed = true;
    for (size_t i = 0; i < rows; i++) {
        int64_t prefix = json_firefox_cell(t, offsets ? COLUMN_PREFIX_OFFSET : COLUMN_PREFIX, i);
        if (offsets)
            prefix = prefix == 0 || prefix == COLUMN_NONE ? COLUMN_NONE : (int64_t)i - prefix;
        /* What is there, and no row, is a bad reference. */
        uint32_t parent = prefix == COLUMN_NONE    ? STACK_NONE
                          : in_range(prefix, rows) ? (uint32_t)prefix
                                                   : STACK_NONE - 1;
        if (!json_stack_add(stacks, parent, index_of(json_firefox_cell(t, COLUMN_FRAME, i))))
            return false;
    }
    return true;
}

/* ---- the end: samples ---- */

static const struct json_firefox_rows *samples_of(const struct json_firefox_thread *t)
{
    return t->tables.of[TABLE_SAMPLES];
}

/* Whether the CPU time between samples is told: in a unit of time, and not 0 everywhere. The first one means nothing. */
static bool has_cpu(const struct json_firefox *f, const struct json_firefox_thread *t)
{
    const struct json_firefox_rows *s = samples_of(t);
    size_t n = json_firefox_length(s, COLUMN_CPU);

    for (size_t i = 1; i < n && f->processes[t->process].cpu_decimals <= 0; i++)
        if (json_firefox_cell(s, COLUMN_CPU, i) != COLUMN_NONE && json_firefox_cell(s, COLUMN_CPU, i) != 0)
            return true;
    return false;
}

static void need_values(struct json_doc *d)
{
    const struct json_firefox *f = d->firefox;

    for (size_t i = 0; i < f->n_threads; i++) {
        const struct json_firefox_rows *s = samples_of(&f->threads[i]);
        json_values_need(&d->values, s == NULL ? JSON_SAMPLES : s->weight_type);
        if (has_cpu(f, &f->threads[i]))
            json_values_need(&d->values, JSON_CPU);
        size_t n = json_firefox_length(s, COLUMN_WEIGHT);
        for (size_t k = 0; k < n && !d->values.is_signed; k++)
            d->values.is_signed = json_firefox_cell(s, COLUMN_WEIGHT, k) != COLUMN_NONE &&
                                  json_firefox_cell(s, COLUMN_WEIGHT, k) < 0;
    }
}

/* Whether each sample has a time of the recording. What aflamed exports has none: its samples are sums. */
static bool is_timed(const struct json_firefox *f, const struct json_firefox_rows *s)
{
    size_t n = json_firefox_length(s, COLUMN_STACK);

    return n > 0 && !f->ours && s->weight_type != JSON_BYTES &&
           (json_firefox_length(s, COLUMN_TIME) >= n || json_firefox_length(s, COLUMN_TIME_DELTAS) >= n);
}

/* The time of a sample, given that of the one before. */
static int64_t time_at(const struct json_firefox_rows *s, size_t i, int64_t before)
{
    bool deltas = json_firefox_length(s, COLUMN_TIME) == 0;
    int64_t time = json_firefox_cell(s, deltas ? COLUMN_TIME_DELTAS : COLUMN_TIME, i);

    if (time == COLUMN_NONE)
        return before;
    return deltas ? number_add_signed(before, time) : time;
}

static struct json_amount weight_of(const struct json_firefox_rows *s, size_t i)
{
    int64_t weight = json_firefox_cell(s, COLUMN_WEIGHT, i);

    if (json_firefox_length(s, COLUMN_WEIGHT) == 0)
        return s->weight_type == JSON_WALL ? (struct json_amount){JSON_MILLION, 0}
                                           : (struct json_amount){1, 0};
    if (weight == COLUMN_NONE)
        return (struct json_amount){0};
    return s->weight_type == JSON_WALL ? (struct json_amount){weight, 0} : json_amount_of_millionths(weight);
}

static uint32_t stack_at(struct json_doc *d, const struct json_firefox_rows *s, size_t i, size_t rows)
{
    int64_t stack = json_firefox_cell(s, COLUMN_STACK, i);

    if (stack == COLUMN_NONE || in_range(stack, rows))
        return stack == COLUMN_NONE ? STACK_NONE : (uint32_t)stack;
    builder_warn(d->builder, WARN_BAD_REFERENCE, 1, WARNING_NO_OFFSET);
    return STACK_NONE;
}

static int64_t shift_of(const struct json_firefox *f, const struct json_firefox_thread *t)
{
    int64_t shift;

    return __builtin_sub_overflow(f->processes[t->process].start_ns, f->processes[0].start_ns, &shift)
               ? 0
               : shift;
}

static bool put_samples(struct json_doc *d, const struct json_firefox_thread *t, uint32_t track,
                        struct json_stacks *stacks, int64_t begin_ns)
{
    const struct json_firefox *f = d->firefox;
    const struct json_firefox_rows *s = samples_of(t);
    struct json_amount amounts[JSON_VALUES] = {{0}};
    bool timed = is_timed(f, s), cpu = has_cpu(f, t);
    int64_t time = 0, shift = number_add_signed(shift_of(f, t), begin_ns == INT64_MIN ? 0 : -begin_ns);
    size_t n = json_firefox_length(s, COLUMN_STACK), rows = stacks->n;
    struct json_number delta = {0, f->processes[t->process].cpu_decimals};

    for (size_t i = 0; i < n; i++) {
        time = timed ? time_at(s, i, time) : 0;
        amounts[s->weight_type] = weight_of(s, i);
        delta.mantissa = cpu && i > 0 && json_firefox_cell(s, COLUMN_CPU, i) != COLUMN_NONE
                             ? json_firefox_cell(s, COLUMN_CPU, i)
                             : 0;
        amounts[JSON_CPU].whole = json_in_scaled(delta, 0);
        if (!json_values_add(&d->values, track, json_stack_node(stacks, track, stack_at(d, s, i, rows)),
                             amounts, timed ? number_add_signed(time, shift) : COLUMN_NONE))
            return false;
    }
    return true;
}

/* The earliest time of all samples. */
static int64_t earliest(const struct json_firefox *f)
{
    int64_t begin = INT64_MAX;

    for (size_t i = 0; i < f->n_threads; i++) {
        const struct json_firefox_rows *s = samples_of(&f->threads[i]);
        int64_t time = 0;
        size_t n = is_timed(f, s) ? json_firefox_length(s, COLUMN_STACK) : 0;
        for (size_t k = 0; k < n; k++) {
            time = time_at(s, k, time);
            int64_t at = number_add_signed(time, shift_of(f, &f->threads[i]));
            begin = at < begin ? at : begin;
        }
    }
    return begin == INT64_MAX ? 0 : begin;
}

/* NODE_NONE: diag, or no memory. */
static uint32_t track_of(struct json_doc *d, const struct json_firefox_thread *t, uint32_t place)
{
    struct track_words words = {.kind = d->firefox->ours ? TRACK_WHOLE : TRACK_THREAD,
                                .number = t->tid >= 0 ? (uint32_t)t->tid : place};
    string_id name = t->name == STRING_EMPTY ? builder_string(d->builder, STR("Thread")) : t->name;

    if (t->pid != STRING_EMPTY && !d->firefox->ours) {
        words.group = json_group(d->builder, builder_text_of(d->builder, t->process_name),
                                 builder_text_of(d->builder, t->pid));
        words.process = json_process(builder_text_of(d->builder, t->pid));
    }
    return name == STRING_NONE ? NODE_NONE : json_track_by_name(&d->tracks, name, &words);
}

static struct naming naming_of(struct json_doc *d, const struct json_firefox_thread *t)
{
    const struct json_firefox *f = d->firefox;
    const struct json_firefox_process *p = &f->processes[t->process];
    bool own_libs = t->tables.n_libs > 0;

    return (struct naming){.d = d,
                           .tables = &t->tables,
                           .strings = f->shared.n_strings > 0 ? &f->shared : &t->tables,
                           .libs = own_libs ? t->tables.libs : p->libs,
                           .n_libs = own_libs ? t->tables.n_libs : p->n_libs};
}

static bool put_threads(struct json_doc *d)
{
    const struct json_firefox *f = d->firefox;
    int64_t begin_ns = earliest(f);
    struct json_stacks stacks;

    for (size_t i = 0; i < f->n_threads; i++) {
        const struct json_firefox_thread *t = &f->threads[i];
        struct naming naming = naming_of(d, t);
        uint32_t track = track_of(d, t, (uint32_t)i + 1);
        /* Stacks that all share are made once. */
        bool made = i > 0 && f->shared.of[TABLE_STACKS] != NULL;
        if (track == NODE_NONE || (!made && !make_stacks(&naming, &stacks)) ||
            !put_samples(d, t, track, &stacks, begin_ns))
            return false;
    }
    return true;
}

bool json_is_firefox(const struct json_doc *d)
{
    return d->firefox != NULL && d->firefox->has_threads;
}

/* A processed profile says its version, or, before there was one, has strings of its own name. */
static bool is_gecko(const struct json_firefox *f)
{
    if (f->has_version)
        return false;
    for (size_t i = 0; i < f->n_threads; i++)
        for (enum json_firefox_table k = 0; k < TABLES; k++)
            if (f->threads[i].tables.of[k] != NULL && f->threads[i].tables.of[k]->rows != NULL)
                return true;
    return false;
}

bool json_finish_firefox(struct json_doc *d)
{
    struct json_firefox *f = d->firefox;

    f->gecko = is_gecko(f);
    if (f->version > VERSION_MAX)
        builder_warn(d->builder, WARN_NEWER_VERSION, 1, WARNING_NO_OFFSET);
    if (f->n_threads == 0)
        return json_refuse(d, "no threads", "Open it at https://profiler.firefox.com, and save it again.",
                           "This profile of the Firefox Profiler has no threads.");
    need_values(d);
    if (!json_values_declare(&d->values) || !put_threads(d))
        return false;
    return builder_event_count(d->builder) > 0 ||
           json_refuse(d, "no samples", "Record while the program works.",
                       "This profile of the Firefox Profiler has no samples.");
}
