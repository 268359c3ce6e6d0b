/* Output "json": the tree of the selected tracks for programs, in columns.
 *
 * {"format":"aflamed-tree", "version":1,
 *  "tracks":   [{"id":21491, "name":"main", "node":0}, ...],    node: what stands for the track
 *  "values":   [{"name":"wall", "label":"wall time", "unit":"ns", "derived":false}, ...],    unit: ns, bytes, count
 *  "strings":  ["", "com.example.Foo", ...],
 *  "frames":   {"scope":[1,...], "name":[...], "signature":[...], "file":[...], "module":[...]},    indexes of strings
 *  "nodes":    {"parent":[-1,0,...], "frame":[-1,0,...], "recursive":[0,0,1,...],
 *               "self":[[...],...], "total":[[...],...]},    one array for each of the values
 *  "warnings": [{"code":"open-frames", "count":3, "offset":null, "text":"..."}, ...]}
 *
 * Nodes are in pre-order, children in the order of the view; node 0 is the root. The root has the frame -1, and so have
 * the nodes that stand for tracks, when several are side by side. "recursive": the frame is open already further up.
 * Numbers are exact up to 2^64 - 1: more than a double holds. */
#include <string.h>

#include "core/clean.h"
#include "render/fail.h"
#include "render/number.h"
#include "render/tree.h"

struct writer {
    const struct profile *profile;
    const struct tree *tree;
    struct buf *out;
    struct measure measures[MEASURES_MAX];
    uint32_t n_measures;

    /* What the tree uses of the profile, by first use; index + 1 by frame and by string, 0 = not used. */
    uint32_t *frame_index, *string_index;
    uint32_t *frames, *strings;
    uint32_t n_frames, n_strings;
};

static void put_string(struct buf *out, struct str s)
{
    buf_char(out, '"');
    clean_json(out, s);
    buf_char(out, '"');
}

/* `"name":` */
static void put_key(struct buf *out, const char *name)
{
    buf_char(out, '"');
    buf_z(out, name);
    buf_z(out, "\":");
}

/* One element of an array of numbers, with the comma before it where it needs one. */
static void put_number(struct buf *out, uint32_t index, uint64_t value)
{
    if (!buf_reserve(out, NUMBER_BYTES_MAX + 1))
        return;
    char *to = out->p + out->n;
    if (index > 0)
        *to++ = ',';
    out->n = (size_t)(number_u64(to, value) - out->p);
}

/* -1 for the root's parent and for nodes without frame. */
static void put_index(struct buf *out, uint32_t index, bool is_index, uint32_t value)
{
    if (is_index)
        put_number(out, index, value);
    else
        buf_z(out, index > 0 ? ",-1" : "-1");
}

static void use_string(struct writer *w, string_id id)
{
    if (w->string_index[id] != 0)
        return;
    w->strings[w->n_strings++] = id;
    w->string_index[id] = w->n_strings;
}

static bool collect(struct writer *w, struct arena *a)
{
    const struct profile *p = w->profile;

    w->frame_index = arena_array(a, p->n_frames, sizeof(*w->frame_index));
    w->string_index = arena_array(a, p->n_strings, sizeof(*w->string_index));
    w->frames = arena_array(a, p->n_frames, sizeof(*w->frames));
    w->strings = arena_array(a, p->n_strings, sizeof(*w->strings));
    if (w->frame_index == NULL || w->string_index == NULL || w->frames == NULL || w->strings == NULL)
        return false;
    for (uint32_t i = 0; i < w->tree->n; i++) {
        frame_id id = tree_frame(w->tree, i);
        if (id >= p->n_frames || w->frame_index[id] != 0)
            continue;
        w->frames[w->n_frames++] = id;
        w->frame_index[id] = w->n_frames;
        const struct profile_frame *f = &p->frames[id];
        use_string(w, f->scope);
        use_string(w, f->name);
        use_string(w, f->signature);
        use_string(w, f->file);
        use_string(w, f->module);
    }
    return true;
}

/* The node of each track: a child of the root when they are side by side. */
static bool put_tracks(struct writer *w, struct arena *a)
{
    const struct tree *t = w->tree;
    uint32_t *nodes = arena_array(a, w->profile->n_tracks, sizeof(*nodes));

    if (nodes == NULL)
        return false;
    for (uint32_t i = 1; t->side_by_side && i < t->n; i += t->size[i])
        nodes[tree_frame(t, i) - t->n_frames] = i;
    put_key(w->out, "tracks");
    for (uint32_t i = 0; i < t->n_tracks; i++) {
        const struct profile_track *track = &w->profile->tracks[t->tracks[i]];
        buf_z(w->out, i == 0 ? "[{\"id\":" : ",{\"id\":");
        buf_u64(w->out, track->id);
        buf_z(w->out, ",\"name\":");
        put_string(w->out, profile_string(w->profile, track->name));
        buf_z(w->out, ",\"node\":");
        buf_u64(w->out, nodes[t->tracks[i]]);
        buf_char(w->out, '}');
    }
    buf_z(w->out, t->n_tracks == 0 ? "[],\n" : "],\n");
    return true;
}

static void put_values(struct writer *w)
{
    static const char *const UNITS[] = {[UNIT_NS] = "ns", [UNIT_BYTES] = "bytes", [UNIT_COUNT] = "count"};

    put_key(w->out, "values");
    for (uint32_t i = 0; i < w->n_measures; i++) {
        const struct measure *m = &w->measures[i];
        buf_z(w->out, i == 0 ? "[{\"name\":" : ",{\"name\":");
        put_string(w->out, m->name);
        buf_z(w->out, ",\"label\":");
        put_string(w->out, m->label);
        buf_z(w->out, ",\"unit\":\"");
        buf_z(w->out, UNITS[m->unit]);
        buf_z(w->out, m->waiting ? "\",\"derived\":true}" : "\",\"derived\":false}");
    }
    buf_z(w->out, "],\n");
}

static void put_strings(struct writer *w)
{
    put_key(w->out, "strings");
    buf_char(w->out, '[');
    for (uint32_t i = 0; i < w->n_strings; i++) {
        if (i > 0)
            buf_char(w->out, ',');
        put_string(w->out, profile_string(w->profile, w->strings[i]));
    }
    buf_z(w->out, "],\n");
}

/* `member` is the offset of the field in struct profile_frame. */
static void put_frame_column(struct writer *w, const char *name, size_t member)
{
    put_key(w->out, name);
    buf_char(w->out, '[');
    for (uint32_t i = 0; i < w->n_frames; i++) {
        string_id id;
        memcpy(&id, (const char *)&w->profile->frames[w->frames[i]] + member, sizeof(id));
        put_number(w->out, i, w->string_index[id] - 1);
    }
    buf_char(w->out, ']');
}

static void put_frames(struct writer *w)
{
    put_key(w->out, "frames");
    buf_char(w->out, '{');
    put_frame_column(w, "scope", offsetof(struct profile_frame, scope));
    buf_char(w->out, ',');
    put_frame_column(w, "name", offsetof(struct profile_frame, name));
    buf_char(w->out, ',');
    put_frame_column(w, "signature", offsetof(struct profile_frame, signature));
    buf_char(w->out, ',');
    put_frame_column(w, "file", offsetof(struct profile_frame, file));
    buf_char(w->out, ',');
    put_frame_column(w, "module", offsetof(struct profile_frame, module));
    buf_z(w->out, "},\n");
}

static void put_column(struct writer *w, const char *name,
                       uint64_t (*value)(const struct tree *, uint32_t, uint32_t))
{
    put_key(w->out, name);
    for (uint32_t c = 0; c < w->n_measures; c++) {
        buf_z(w->out, c == 0 ? "[[" : ",[");
        for (uint32_t i = 0; i < w->tree->n; i++)
            put_number(w->out, i, value(w->tree, i, c));
        buf_char(w->out, ']');
    }
    buf_char(w->out, ']');
}

static void put_nodes(struct writer *w)
{
    const struct tree *t = w->tree;

    buf_z(w->out, "\"nodes\":{\"parent\":[");
    for (uint32_t i = 0; i < t->n; i++)
        put_index(w->out, i, i > 0, t->parent[i]);
    buf_z(w->out, "],\"frame\":[");
    for (uint32_t i = 0; i < t->n; i++) {
        frame_id id = tree_frame(t, i);
        bool is_frame = id < t->n_frames;
        put_index(w->out, i, is_frame, is_frame ? w->frame_index[id] - 1 : 0);
    }
    buf_z(w->out, "],\"recursive\":[");
    for (uint32_t i = 0; i < t->n; i++)
        put_number(w->out, i, tree_recursive(t, i));
    buf_z(w->out, "],");
    put_column(w, "self", tree_self);
    buf_char(w->out, ',');
    put_column(w, "total", tree_total);
    buf_z(w->out, "},\n");
}

static void put_warnings(struct writer *w)
{
    const struct profile *p = w->profile;

    put_key(w->out, "warnings");
    buf_char(w->out, '[');
    for (uint32_t i = 0; i < p->n_warnings; i++) {
        const struct profile_warning *warning = &p->warnings[i];
        buf_z(w->out, i == 0 ? "{\"code\":" : ",{\"code\":");
        put_string(w->out, warning->code);
        buf_z(w->out, ",\"count\":");
        buf_u64(w->out, warning->count);
        buf_z(w->out, ",\"offset\":");
        if (warning->has_offset)
            buf_u64(w->out, warning->offset);
        else
            buf_z(w->out, "null");
        buf_z(w->out, ",\"text\":");
        put_string(w->out, warning->text);
        buf_char(w->out, '}');
    }
    buf_z(w->out, "]}\n");
}

static bool render(const struct render_input *in, struct buf *out, struct diag *diag)
{
    struct writer w = {.profile = in->profile, .out = out};
    struct tree_spec spec = {.divisor = 1, .order = in->view->order};
    struct measure by;

    if (!measure_by_name(in->profile, in->view->value, &by))
        return diag_set(diag, DIAG_USAGE, "no such value", "", "The profile has no value of that name.");
    w.n_measures = measures_of(in->profile, w.measures);
    for (uint32_t i = 0; i < w.n_measures; i++) {
        spec.measures[spec.n_measures++] = &w.measures[i];
        if (str_eq(w.measures[i].name, by.name))
            spec.order_column = i;
    }
    w.tree = tree_new(in, &spec, diag);
    if (w.tree == NULL)
        return false;
    buf_z(out, "{\"format\":\"aflamed-tree\",\"version\":1,\n");
    if (!collect(&w, in->scratch) || !put_tracks(&w, in->scratch))
        return fail_arena(in->scratch, diag);
    put_values(&w);
    put_strings(&w);
    put_frames(&w);
    put_nodes(&w);
    put_warnings(&w);
    return !out->failed || fail_buf(out, diag);
}

const struct output OUTPUT_JSON = {
    .name = "json",
    .suffix = "json",
    .media_type = "application/json",
    .label = "Tree (JSON)",
    .text = true,
    .revision = 1,
    .render = render,
};
