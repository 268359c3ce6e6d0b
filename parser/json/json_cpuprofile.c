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
#include "parser/json/json_impl.h"

enum { FILE_BYTES = 200 };

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

frame_id json_js_frame(struct json_doc *d, string_id name, string_id url, int64_t line)
{
    struct profile_frame frame = {.file = url, .line = line > 0 && line <= UINT32_MAX ? (uint32_t)line : 0};

    frame.name = name == STRING_EMPTY ? anonymous(d, url, line) : name;
    return frame.name == STRING_NONE || frame.file == STRING_NONE ? FRAME_NONE
                                                                  : builder_frame(d->builder, &frame);
}

static bool is_name(struct json_doc *d, string_id name, const char *text)
{
    return str_eq(builder_text_of(d->builder, name), str_of(text));
}

bool json_js_is_root(struct json_doc *d, string_id name)
{
    return is_name(d, name, "(root)") || is_name(d, name, "[root]");
}

bool json_js_stacks(struct json_doc *d, const struct json_js *js, const struct json_js_part *part,
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

bool json_js_times(struct json_doc *d, const struct json_js *js, const struct json_js_part *part,
                   int64_t start_ns, const struct idmap *row_of, struct json_timed **samples, size_t *n,
                   int64_t *end_ns)
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

bool json_js_samples(struct json_doc *d, uint32_t track, struct json_stacks *stacks,
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

    /* As differences they go the way of all. */
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
