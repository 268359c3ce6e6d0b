/* CPU profiles of V8 (Node.js, Chrome: .cpuprofile) and of Hermes, by themselves and within trace events.
 *
 *   {"nodes":[{"id","callFrame":{"functionName","url","lineNumber",..},"hitCount","children":[ids] or "parent"},..],
 *    "startTime":us,"endTime":us,"samples":[ids],"timeDeltas":[us, each before its sample]}
 *
 * The old form has a tree in place of the list: "head" is the root, `children` are nodes, a function's members stand in
 * its node, "timestamps" are absolute, and startTime and endTime are seconds. V8 counts lines from 0, Hermes, whose root
 * is [root], from 1. Sources: CPUProfileDataModel.ts of ChromeDevTools/devtools-frontend, TraceSerializer.cpp of
 * facebook/hermes, v8cpuFormatter.ts of jlfwong/speedscope. */
#include <stdio.h>
#include <string.h>

#include "core/number.h"
#include "core/order.h"
#include "parser/json/json_chrome_impl.h"
#include "parser/json/json_impl.h"

enum { FILE_BYTES = 200 };

/* One sample: a row, and its time. */
struct json_timed {
    int64_t at_ns;
    uint32_t row; /* STACK_NONE: none */
    bool unlisted;
};

/* ---- nodes ---- */

static uint32_t take_id(struct json_in *in)
{
    int64_t id;

    return json_in_integer(in, &id) && id >= 0 && id < STACK_NONE ? (uint32_t)id : STACK_NONE;
}

static bool take_children(struct json_doc *d, struct json_js *js, size_t row)
{
    if (!json_in_enter(d->in, JSON_ARRAY))
        return true;
    while (json_in_item(d->in)) {
        if (!ARENA_ROOM(d->arena, js->children, js->children_capacity, js->n_children + 1))
            return false;
        /* The parent is a row until all of the node is there. */
        js->children[js->n_children++] = (struct json_js_child){take_id(d->in), (uint32_t)row};
    }
    return true;
}

/* A member of a node, or of its callFrame. */
static bool take_member(struct json_doc *d, struct json_js_node *node, struct str key)
{
    struct str text;
    int64_t number;

    if (str_eq(key, STR("functionName"))) {
        node->name = json_in_string(d->in, &text) ? json_name(d, text) : STRING_EMPTY;
    } else if (str_eq(key, STR("url"))) {
        node->url = json_in_string(d->in, &text) ? json_name(d, text) : STRING_EMPTY;
    } else if (str_eq(key, STR("lineNumber"))) {
        node->line =
            json_in_integer(d->in, &number) && number >= 0 && number < INT32_MAX ? (int32_t)number : -1;
    } else if (str_eq(key, STR("id"))) {
        node->id = take_id(d->in);
    } else if (str_eq(key, STR("parent"))) {
        node->parent = take_id(d->in);
    } else if (str_eq(key, STR("hitCount"))) {
        node->hits =
            json_in_integer(d->in, &number) && number > 0 && number < UINT32_MAX ? (uint32_t)number : 0;
    } else {
        json_in_skip(d->in);
    }
    return node->name != STRING_NONE && node->url != STRING_NONE;
}

static bool take_call_frame(struct json_doc *d, struct json_js_node *node)
{
    struct str key;

    if (json_in_enter(d->in, JSON_OBJECT))
        while (json_in_key(d->in, &key))
            if (!take_member(d, node, key))
                return false;
    return true;
}

/* NULL: no memory. */
static struct json_js_node *add_node(struct json_doc *d, struct json_js *js)
{
    if (js->n_nodes >= STACK_NONE - 1 ||
        !ARENA_ROOM(d->arena, js->nodes, js->nodes_capacity, js->n_nodes + 1))
        return NULL;
    js->nodes[js->n_nodes] = (struct json_js_node){.id = STACK_NONE, .parent = STACK_NONE, .line = -1};
    return &js->nodes[js->n_nodes++];
}

static bool take_node(struct json_doc *d, struct json_js *js)
{
    struct json_js_node *node = add_node(d, js);
    size_t first = js->n_children;
    struct str key;
    bool good = node != NULL;

    if (!good || !json_in_enter(d->in, JSON_OBJECT))
        return good;
    while (good && json_in_key(d->in, &key))
        good = str_eq(key, STR("callFrame"))  ? take_call_frame(d, node)
               : str_eq(key, STR("children")) ? take_children(d, js, js->n_nodes - 1)
                                              : take_member(d, node, key);
    for (size_t i = first; i < js->n_children; i++)
        js->children[i].parent = node->id;
    return good;
}

bool json_js_nodes(struct json_doc *d, struct json_js *js)
{
    if (json_in_enter(d->in, JSON_ARRAY))
        while (json_in_item(d->in))
            if (!take_node(d, js))
                return false;
    return true;
}

/* ---- nodes as a tree ---- */

/* The next node that begins, as a child of the innermost one that is open, or that node's end. Nothing recurses: open[] has the
 * rows of the nodes that are open. */
static bool take_tree(struct json_doc *d, struct json_js *js, uint32_t *open)
{
    size_t depth = 1;
    struct str key;

    while (depth > 0 && d->in->state == JSON_GOOD) {
        struct json_js_node *node = &js->nodes[open[depth - 1]];
        bool in_list = false;
        if (!json_in_key(d->in, &key)) {
            in_list = --depth > 0;
        } else if (str_eq(key, STR("children"))) {
            in_list = json_in_enter(d->in, JSON_ARRAY);
        } else if (str_eq(key, STR("selfSize"))) {
            js->self_size = true;
            json_in_skip(d->in);
        } else if (str_eq(key, STR("callFrame")) ? !take_call_frame(d, node) : !take_member(d, node, key)) {
            return false;
        }
        while (in_list && json_in_item(d->in)) {
            if (!json_in_enter(d->in, JSON_OBJECT))
                continue;
            struct json_js_node *child = add_node(d, js);
            if (child == NULL)
                return false;
            child->parent = open[depth - 1];
            open[depth++] = (uint32_t)js->n_nodes - 1;
            in_list = false;
        }
    }
    return true;
}

bool json_js_head(struct json_doc *d, struct json_js *js)
{
    uint32_t *open = arena_array(d->arena, JSON_DEPTH_MAX + 1, sizeof(*open));

    js->parents_are_rows = true;
    if (open == NULL)
        return false;
    if (!json_in_enter(d->in, JSON_OBJECT))
        return true;
    open[0] = (uint32_t)js->n_nodes;
    return add_node(d, js) != NULL && take_tree(d, js, open);
}

/* ---- frames and stacks ---- */

/* (anonymous app.js:12) */
static string_id anonymous(struct json_doc *d, string_id url, int64_t line)
{
    struct str file = builder_text_of(d->builder, url);
    char text[FILE_BYTES + 64];
    size_t query = str_find(file, '?'), hash = str_find(file, '#');

    file.n = query < hash ? query : hash;
    while (file.n > 0 && file.p[file.n - 1] == '/')
        file.n--;
    file = str_behind_last(file, '/');
    file.n = file.n > FILE_BYTES ? FILE_BYTES : file.n;
    int n = file.n == 0 ? snprintf(text, sizeof(text), "(anonymous)")
            : line > 0
                ? snprintf(text, sizeof(text), "(anonymous %.*s:%lld)", (int)file.n, file.p, (long long)line)
                : snprintf(text, sizeof(text), "(anonymous %.*s)", (int)file.n, file.p);
    return builder_string(d->builder, (struct str){text, (size_t)n});
}

/* The frame of a function: one without a name is shown with its place. */
static frame_id json_js_frame(struct json_doc *d, string_id name, string_id url, int64_t line)
{
    struct profile_frame frame = {
        .file = url, .is_script = true, .line = line > 0 && line <= UINT32_MAX ? (uint32_t)line : 0};

    frame.name = name == STRING_EMPTY ? anonymous(d, url, line) : name;
    return frame.name == STRING_NONE || frame.file == STRING_NONE ? FRAME_NONE
                                                                  : builder_frame(d->builder, &frame);
}

static bool is_name(struct json_doc *d, string_id name, const char *text)
{
    return str_eq(builder_text_of(d->builder, name), str_of(text));
}

/* Whether a node of this name stands for the whole, and is not shown. */
static bool json_js_is_root(struct json_doc *d, string_id name)
{
    return is_name(d, name, "(root)") || is_name(d, name, "[root]");
}

/* Stacks of a part: rows of `stacks` from *first on; `row_of` has the row of a node's id. */
static bool json_js_stacks(struct json_doc *d, const struct json_js *js, const struct json_js_part *part,
                           struct json_stacks *stacks, struct idmap *row_of)
{
    if (part->n_nodes == 0)
        return true; /* there may be no array of nodes at all */
    const struct json_js_node *nodes = js->nodes + part->nodes;
    size_t first = stacks->n;
    bool hermes = is_name(d, nodes[0].name, "[root]");

    for (size_t i = 0; i < part->n_nodes; i++) {
        const struct json_js_node *n = &nodes[i];
        bool root = json_js_is_root(d, n->name);
        frame_id frame = FRAME_NONE;
        if (!root) {
            frame = json_js_frame(d, n->name, n->url, n->line < 0 ? -1 : n->line + (int64_t)!hermes);
            if (frame == FRAME_NONE)
                return false;
        }
        if (!json_stack_add(stacks, STACK_NONE, frame) ||
            (n->id != STACK_NONE && !idmap_set(row_of, n->id, (uint32_t)(first + i))))
            return false;
    }
    for (size_t i = 0; i < part->n_nodes; i++)
        if (nodes[i].parent != STACK_NONE)
            stacks->parent[first + i] =
                js->parents_are_rows ? nodes[i].parent : idmap_get(row_of, nodes[i].parent);
    for (size_t i = part->children; i < part->children + part->n_children; i++) {
        uint32_t child = idmap_get(row_of, js->children[i].id);
        if (child != IDMAP_NONE)
            stacks->parent[child] = idmap_get(row_of, js->children[i].parent);
    }
    return true;
}

/* ---- samples ---- */

/* Times of a part, which are sums of its deltas since start_ns; and the rows of its ids. *samples is of the arena;
 * *end_ns may be set from a time behind the last sample. */
static bool json_js_times(struct json_doc *d, const struct json_js *js, const struct json_js_part *part,
                          int64_t start_ns, const struct idmap *row_of, struct json_timed **samples,
                          size_t *n, int64_t *end_ns)
{
    int64_t at = start_ns;

    *n = part->n_ids < part->n_deltas ? part->n_ids : part->n_deltas;
    *samples = arena_array(d->arena, *n + 1, sizeof(**samples));
    if (*samples == NULL)
        return false;
    for (size_t i = 0; i < part->n_deltas; i++) {
        int64_t delta = json_column_at(&js->deltas, part->deltas + i);
        at = number_add_signed(at, delta == COLUMN_NONE ? 0 : delta);
        if (i < *n) {
            int64_t id = json_column_at(&js->ids, part->ids + i);
            uint32_t row = id < 0 || id >= STACK_NONE ? IDMAP_NONE : idmap_get(row_of, (uint64_t)id);
            (*samples)[i] = (struct json_timed){at, row == IDMAP_NONE ? STACK_NONE : row, row == IDMAP_NONE};
        }
    }
    if (part->n_deltas == part->n_ids + 1)
        *end_ns = at;
    else if (part->n_deltas != part->n_ids)
        builder_warn(d->builder, WARN_BAD_SAMPLE, part->n_ids > *n ? part->n_ids - *n : part->n_deltas - *n,
                     WARNING_NO_OFFSET);
    return true;
}

/* Since the recording's begin, within a quarter of what there is room for: differences and sums of two have room. */
static int64_t since(int64_t at_ns, int64_t begin_ns)
{
    enum { QUARTER = 4 };
    const int64_t most = INT64_MAX / QUARTER;
    int64_t ns;

    if (__builtin_sub_overflow(at_ns, begin_ns, &ns))
        ns = at_ns < begin_ns ? -most : most;
    return ns > most ? most : ns < -most ? -most : ns;
}

/* Readings that go back are taken for the latest one. */
static void settle(struct json_doc *d, struct json_timed *samples, size_t n, int64_t begin_ns)
{
    for (size_t i = 0; i < n; i++)
        samples[i].at_ns = since(samples[i].at_ns, begin_ns);
    for (size_t i = 1; i < n; i++)
        if (samples[i].at_ns < samples[i - 1].at_ns) {
            builder_warn(d->builder, WARN_TIME_BACK, 1, WARNING_NO_OFFSET);
            samples[i].at_ns = samples[i - 1].at_ns;
        }
}

/* The last sample lasts as long as they do on average, but not beyond the end. */
static int64_t last_duration(const struct json_timed *samples, size_t n, int64_t end_ns)
{
    int64_t last = n > 1 ? (samples[n - 1].at_ns - samples[0].at_ns) / (int64_t)(n - 1) : INT64_MAX;
    int64_t rest = end_ns == COLUMN_NONE           ? last == INT64_MAX ? 0 : last
                   : end_ns > samples[n - 1].at_ns ? end_ns - samples[n - 1].at_ns
                                                   : 0;

    return last < rest ? last : rest;
}

/* The garbage collector has no stack of its own: it works on that of the sample before. */
static bool put_collector(struct json_stacks *stacks, struct json_timed *s, uint32_t before,
                          frame_id collector)
{
    if (s->row == STACK_NONE || stacks->frame[s->row] != collector || collector == FRAME_NONE)
        return true;
    uint32_t above = stacks->parent[s->row];
    if (before == STACK_NONE ||
        (above != STACK_NONE && above < stacks->n && stacks->frame[above] != FRAME_NONE))
        return true;
    s->row = json_stack_child(stacks, before, collector);
    return s->row != STACK_NONE;
}

/* Adds samples in the order of time, each lasting until the next one, on the track. end_ns COLUMN_NONE: not known. *n may become less.
 * Times are shown since begin_ns. */
static bool json_js_samples(struct json_doc *d, uint32_t track, struct json_stacks *stacks,
                            struct json_timed *samples, size_t n, int64_t end_ns, int64_t begin_ns)
{
    struct json_amount amounts[JSON_VALUES] = {[JSON_SAMPLES] = {1, 0}};
    frame_id collector =
        json_js_frame(d, builder_string(d->builder, STR("(garbage collector)")), STRING_EMPTY, 0);
    uint32_t before = STACK_NONE;

    if (n > 1 && samples[0].at_ns == 0) { /* Hermes issue 1368: the first one is hours before the second */
        builder_warn(d->builder, WARN_SAMPLE_AT_ZERO, 1, WARNING_NO_OFFSET);
        samples++, n--;
    }
    settle(d, samples, n, begin_ns);
    end_ns = end_ns == COLUMN_NONE ? end_ns : since(end_ns, begin_ns);
    int64_t last = n > 0 ? last_duration(samples, n, end_ns) : 0;
    for (size_t i = 0; i < n; i++) {
        struct json_timed *s = &samples[i];
        if (s->unlisted)
            builder_warn(d->builder, WARN_UNKNOWN_STACK, 1, WARNING_NO_OFFSET);
        if (!put_collector(stacks, s, before, collector))
            return false;
        if (s->row == STACK_NONE || stacks->frame[s->row] != collector)
            before = s->row;
        amounts[JSON_WALL].whole = i + 1 < n ? samples[i + 1].at_ns - s->at_ns : last;
        if (!json_values_add(&d->values, track, json_stack_node(stacks, track, s->row), amounts, s->at_ns))
            return false;
    }
    memset(amounts, 0, sizeof(amounts));
    return n == 0 || json_values_add(&d->values, track, json_stack_node(stacks, track, STACK_NONE), amounts,
                                     samples[n - 1].at_ns + last);
}

/* ---- a profile by itself ---- */

/* The earliest time, which is that of the recording's begin, unless there is none or samples come before it. */
static int64_t earliest(const struct json_timed *samples, size_t n)
{
    size_t first = n > 1 && samples[0].at_ns == 0;
    int64_t begin = n > first ? samples[first].at_ns : 0;

    for (size_t i = first; i < n; i++)
        begin = samples[i].at_ns < begin ? samples[i].at_ns : begin;
    return begin;
}

/* Times as they are in the old form. */
static bool old_times(struct json_doc *d, const struct idmap *row_of, struct json_timed **samples, size_t *n,
                      int64_t *end_ns)
{
    struct json_js_part part = {.n_ids = d->js.ids.n, .n_deltas = d->timestamps.n};
    int64_t before = 0;

    /* Times become differences, which all other files have. */
    for (size_t i = 0; i < d->timestamps.n; i++) {
        int64_t at = json_column_at(&d->timestamps, i), delta;
        at = at == COLUMN_NONE ? before : at;
        if (__builtin_sub_overflow(at, before, &delta) || !json_column_add(&d->js.deltas, d->arena, delta))
            return false;
        before = at;
    }
    if (d->has_end)
        *end_ns = json_in_scaled(d->end, JSON_NS_OF_S);
    *end_ns = *end_ns < before ? COLUMN_NONE : *end_ns;
    return json_js_times(d, &d->js, &part, 0, row_of, samples, n, end_ns);
}

static bool times(struct json_doc *d, const struct json_js_part *part, const struct idmap *row_of,
                  struct json_timed **samples, size_t *n, int64_t *end_ns)
{
    if (d->has_head)
        return old_times(d, row_of, samples, n, end_ns);
    if (d->has_end)
        *end_ns = json_in_scaled(d->end, JSON_NS_OF_US);
    return json_js_times(d, &d->js, part, d->has_start ? json_in_scaled(d->start, JSON_NS_OF_US) : 0, row_of,
                         samples, n, end_ns);
}

/* Without times: how often each node was seen. */
static bool put_hits(struct json_doc *d, uint32_t track, struct json_stacks *stacks,
                     const struct idmap *row_of)
{
    struct json_amount amounts[JSON_VALUES] = {{0}};
    const struct json_js *js = &d->js;

    for (size_t i = 0; i < js->ids.n; i++) {
        int64_t id = json_column_at(&js->ids, i);
        uint32_t row = id < 0 || id >= STACK_NONE ? IDMAP_NONE : idmap_get(row_of, (uint64_t)id);
        amounts[JSON_SAMPLES].whole = 1;
        if (row != IDMAP_NONE &&
            !json_values_add(&d->values, track, json_stack_node(stacks, track, row), amounts, COLUMN_NONE))
            return false;
    }
    for (size_t i = 0; i < js->n_nodes && js->ids.n == 0; i++) {
        amounts[JSON_SAMPLES].whole = js->nodes[i].hits;
        if (js->nodes[i].hits > 0 &&
            !json_values_add(&d->values, track, json_stack_node(stacks, track, (uint32_t)i), amounts,
                             COLUMN_NONE))
            return false;
    }
    return builder_event_count(d->builder) > 0 ||
           json_refuse(d, "no samples", "Record while the app works.", "This CPU profile has no samples.");
}

bool json_finish_cpuprofile(struct json_doc *d)
{
    static const struct track_words WHOLE = {.kind = TRACK_WHOLE};
    struct json_js *js = &d->js;
    struct json_js_part part = {
        .n_nodes = js->n_nodes, .n_children = js->n_children, .n_ids = js->ids.n, .n_deltas = js->deltas.n};
    bool timed = js->ids.n > 0 && (js->deltas.n > 0 || d->timestamps.n > 0);
    struct json_stacks stacks;
    struct idmap row_of;
    struct json_timed *samples;
    int64_t end_ns = COLUMN_NONE;
    size_t n;

    json_stacks_init(&stacks, d->builder);
    idmap_init(&row_of, d->arena, builder_seed(d->builder));
    if (timed)
        json_values_need(&d->values, JSON_WALL);
    json_values_need(&d->values, JSON_SAMPLES);
    if (!json_values_declare(&d->values))
        return false;
    uint32_t track = json_track(&d->tracks, builder_string(d->builder, STR("main")), &WHOLE);
    if (track == NODE_NONE || !json_js_stacks(d, js, &part, &stacks, &row_of))
        return false;
    if (!timed)
        return put_hits(d, track, &stacks, &row_of);
    return times(d, &part, &row_of, &samples, &n, &end_ns) &&
           json_js_samples(d, track, &stacks, samples, n, end_ns, earliest(samples, n));
}

/* ---- within trace events: the tracks of threads ---- */

/* STRING_NONE: no memory. */
static string_id thread_name(struct json_doc *d, const struct json_chrome_thread *t, struct str tid,
                             bool is_number)
{
    char text[ID_BYTES + 8];

    if (t->name != STRING_EMPTY)
        return t->name;
    if (!is_number)
        return t->tid;
    int n = snprintf(text, sizeof(text), "Thread-%.*s", (int)tid.n, tid.p);
    return builder_string(d->builder, (struct str){text, (size_t)n});
}

/* NODE_NONE: diag, or no memory. */
static uint32_t new_track(struct json_doc *d, uint32_t thread)
{
    struct json_chrome *c = d->chrome;
    const struct json_chrome_thread *t = &c->threads[thread];
    struct str tid = builder_text_of(d->builder, t->tid);
    struct json_number number;
    int64_t value = -1;
    bool is_number = json_in_parse_number(tid, &number) && json_in_whole(number, &value);
    bool fits = is_number && value >= 0 && value <= UINT32_MAX;
    struct track_words words = {.kind = TRACK_THREAD,
                                .number = fits ? (uint32_t)value : d->tracks.n + 1,
                                .group =
                                    json_group(d->builder, builder_text_of(d->builder, c->groups[t->process]),
                                               builder_text_of(d->builder, c->pids[t->process]))};

    words.process = json_process(builder_text_of(d->builder, c->pids[t->process]));
    return json_track(&d->tracks, thread_name(d, t, tid, is_number), &words);
}

/* Each thread has one track, also if several profiles are of it. */
uint32_t json_chrome_track(struct json_doc *d, uint32_t *tracks, uint32_t thread)
{
    if (tracks[thread] == NODE_NONE)
        tracks[thread] = new_track(d, thread);
    return tracks[thread];
}

/* NULL: no memory. */
uint32_t *json_chrome_no_tracks(struct json_doc *d)
{
    size_t n = d->chrome->n_threads;
    uint32_t *tracks = arena_array(d->arena, n + 1, sizeof(*tracks));

    if (tracks != NULL)
        memset(tracks, 0xff, (n + 1) * sizeof(*tracks));
    return tracks;
}

static bool declare_samples(struct json_doc *d)
{
    json_values_need(&d->values, JSON_WALL);
    json_values_need(&d->values, JSON_SAMPLES);
    return json_values_declare(&d->values);
}

/* ---- within trace events: profiles in pieces ---- */

static bool chunk_before(const void *context, uint32_t a, uint32_t b)
{
    const struct json_chrome_chunk *chunks = context;

    return chunks[a].ts < chunks[b].ts;
}

/* A CPU profile that is put together from its pieces. */
struct whole {
    struct json_js js;
    struct json_js_part part;
    int64_t start, end, ts;
    uint32_t track;
    bool opened;
};

static bool join(struct json_doc *d, struct whole *w, const struct json_chrome_chunk *chunk)
{
    const struct json_js *js = &d->chrome->js;
    const struct json_js_part *p = &chunk->part;

    if (!ARENA_ROOM(d->arena, w->js.nodes, w->js.nodes_capacity, w->js.n_nodes + p->n_nodes) ||
        !ARENA_ROOM(d->arena, w->js.children, w->js.children_capacity, w->js.n_children + p->n_children))
        return false;
    if (p->n_nodes > 0)
        memcpy(w->js.nodes + w->js.n_nodes, js->nodes + p->nodes, p->n_nodes * sizeof(*js->nodes));
    if (p->n_children > 0)
        memcpy(w->js.children + w->js.n_children, js->children + p->children,
               p->n_children * sizeof(*js->children));
    w->js.n_nodes += p->n_nodes;
    w->js.n_children += p->n_children;
    for (size_t i = 0; i < p->n_ids; i++)
        if (!json_column_add(&w->js.ids, d->arena, json_column_at(&js->ids, p->ids + i)))
            return false;
    for (size_t i = 0; i < p->n_deltas; i++)
        if (!json_column_add(&w->js.deltas, d->arena, json_column_at(&js->deltas, p->deltas + i)))
            return false;
    w->end = chunk->end != COLUMN_NONE ? chunk->end : w->end;
    return true;
}

/* Pieces stand in any order, also in front of the event that opens the profile: they go by time. */
static bool join_chunks(struct json_doc *d, struct whole *wholes, uint32_t *order,
                        const struct idmap *whole_of)
{
    struct json_chrome *c = d->chrome;

    for (size_t i = 0; i < c->n_chunks; i++) {
        const struct json_chrome_chunk *chunk = &c->chunks[order[i]];
        uint32_t place = idmap_get(whole_of, chunk->profile);
        if (place == IDMAP_NONE)
            builder_warn(d->builder, WARN_NO_PROFILE, 1, WARNING_NO_OFFSET);
        else if (!join(d, &wholes[place], chunk))
            return false;
    }
    return true;
}

static bool put_whole(struct json_doc *d, struct whole *w, uint32_t track, int64_t *begin_ns)
{
    struct json_stacks stacks;
    struct idmap row_of;
    struct json_timed *samples;
    size_t n;

    json_stacks_init(&stacks, d->builder);
    idmap_init(&row_of, d->arena, builder_seed(d->builder));
    w->part = (struct json_js_part){.n_nodes = w->js.n_nodes,
                                    .n_children = w->js.n_children,
                                    .n_ids = w->js.ids.n,
                                    .n_deltas = w->js.deltas.n};
    return json_js_stacks(d, &w->js, &w->part, &stacks, &row_of) &&
           json_js_times(d, &w->js, &w->part, w->start == COLUMN_NONE ? w->ts : w->start, &row_of, &samples,
                         &n, &w->end) &&
           json_js_samples(d, track, &stacks, samples, n, w->end, *begin_ns);
}

static bool open_wholes(struct json_doc *d, struct whole *wholes, size_t *n, struct idmap *whole_of)
{
    struct json_chrome *c = d->chrome;

    for (size_t i = 0; i < c->n_chunks; i++) {
        const struct json_chrome_chunk *chunk = &c->chunks[i];
        if (!chunk->opens || idmap_get(whole_of, chunk->profile) != IDMAP_NONE)
            continue;
        wholes[*n] = (struct whole){
            .start = chunk->start, .end = COLUMN_NONE, .ts = chunk->ts, .track = chunk->thread};
        if (!idmap_set(whole_of, chunk->profile, (uint32_t)(*n)++))
            return false;
    }
    return true;
}

static void note_left_out(struct json_doc *d, uint64_t n)
{
    if (n > 0)
        builder_warn(d->builder, WARN_SLICES_LEFT_OUT, n, WARNING_NO_OFFSET);
}

bool json_chrome_put_profiles(struct json_doc *d)
{
    struct json_chrome *c = d->chrome;
    struct whole *wholes = arena_array(d->arena, c->n_chunks + 1, sizeof(*wholes));
    uint32_t *order = arena_array(d->arena, c->n_chunks + 1, sizeof(*order)),
             *tracks = json_chrome_no_tracks(d);
    struct idmap whole_of;
    int64_t begin_ns = INT64_MAX;
    size_t n = 0;

    idmap_init(&whole_of, d->arena, builder_seed(d->builder));
    if (!declare_samples(d) || wholes == NULL || order == NULL || tracks == NULL ||
        !open_wholes(d, wholes, &n, &whole_of))
        return false;
    for (size_t i = 0; i < c->n_chunks; i++)
        order[i] = (uint32_t)i;
    if (!order_array(order, c->n_chunks, chunk_before, c->chunks, d->arena) ||
        !join_chunks(d, wholes, order, &whole_of))
        return false;
    for (size_t i = 0; i < n; i++) {
        int64_t start = wholes[i].start == COLUMN_NONE ? wholes[i].ts : wholes[i].start;
        begin_ns = start < begin_ns ? start : begin_ns;
    }
    for (size_t i = 0; i < n; i++) {
        uint32_t track = json_chrome_track(d, tracks, wholes[i].track);
        if (track == NODE_NONE || !put_whole(d, &wholes[i], track, &begin_ns))
            return false;
    }
    note_left_out(d, c->slices.n);
    return true;
}

/* ---- beside trace events: samples that refer to stackFrames ---- */

/* fn(file:line:col) -> its parts; another name is all name. */
static frame_id frame_of_row(struct json_doc *d, const struct json_chrome_frame *row)
{
    struct str name = builder_text_of(d->builder, row->name);
    size_t open = str_find_last(name, '(');
    struct str place = {name.p + open + 1, name.n > open + 1 ? name.n - open - 2 : 0};
    size_t column = str_find_last(place, ':');
    struct str file = {place.p, column};
    size_t at = str_find_last(file, ':');
    uint64_t line, unused;

    if (!row->script || open == name.n || name.p[name.n - 1] != ')' || column == place.n || at == column ||
        !str_to_u64((struct str){file.p + at + 1, column - at - 1}, 10, &line) ||
        !str_to_u64((struct str){place.p + column + 1, place.n - column - 1}, 10, &unused))
        return json_js_frame(d, row->name, STRING_EMPTY, 0);
    string_id function = builder_string(d->builder, (struct str){name.p, open});
    string_id url = builder_string(d->builder, (struct str){file.p, at});
    return function == STRING_NONE || url == STRING_NONE
               ? FRAME_NONE
               : json_js_frame(d, function, url, line > INT32_MAX ? 0 : (int64_t)line);
}

static bool sample_before(const void *context, uint32_t a, uint32_t b)
{
    const struct json_chrome_sample *samples = context;

    if (samples[a].thread != samples[b].thread)
        return samples[a].thread < samples[b].thread;
    return samples[a].ts < samples[b].ts;
}

static bool stacks_of_rows(struct json_doc *d, struct json_stacks *stacks)
{
    struct json_chrome *c = d->chrome;

    for (size_t i = 0; i < c->n_rows; i++) {
        bool shown = c->rows[i].name != STRING_NONE && !json_js_is_root(d, c->rows[i].name);
        frame_id frame = shown ? frame_of_row(d, &c->rows[i]) : FRAME_NONE;
        if ((frame == FRAME_NONE && shown) || !json_stack_add(stacks, c->rows[i].parent, frame))
            return false;
    }
    return true;
}

bool json_chrome_put_samples(struct json_doc *d)
{
    struct json_chrome *c = d->chrome;
    uint32_t *order = arena_array(d->arena, c->n_samples + 1, sizeof(*order)),
             *tracks = json_chrome_no_tracks(d);
    struct json_timed *timed = arena_array(d->arena, c->n_samples + 1, sizeof(*timed));
    int64_t begin_ns = INT64_MAX;
    struct json_stacks stacks;

    note_left_out(d, c->slices.n);
    json_stacks_init(&stacks, d->builder);
    if (!declare_samples(d) || order == NULL || tracks == NULL || timed == NULL ||
        !stacks_of_rows(d, &stacks))
        return false;
    for (size_t i = 0; i < c->n_samples; i++) {
        order[i] = (uint32_t)i;
        begin_ns = c->samples[i].ts < begin_ns ? c->samples[i].ts : begin_ns;
    }
    if (!order_array(order, c->n_samples, sample_before, c->samples, d->arena))
        return false;
    for (size_t i = 0, end; i < c->n_samples; i = end) {
        uint32_t thread = c->samples[order[i]].thread, track = json_chrome_track(d, tracks, thread);
        for (end = i; end < c->n_samples && c->samples[order[end]].thread == thread; end++) {
            const struct json_chrome_sample *s = &c->samples[order[end]];
            bool listed = s->stack < c->n_rows && c->rows[s->stack].name != STRING_NONE;
            timed[end] =
                (struct json_timed){s->ts, listed ? s->stack : STACK_NONE, !listed && s->stack != STACK_NONE};
        }
        if (track == NODE_NONE ||
            !json_js_samples(d, track, &stacks, timed + i, end - i, COLUMN_NONE, begin_ns))
            return false;
    }
    return true;
}
