/* Output "json": the tree of the selected tracks for programs, in columns.
 *
 * {"format":"aflamed-tree", "version":1,
 *  "view":     "flame",    flame (as well for all views of the same tree), inverted or sandwich
 *  "tracks":   [{"id":21491, "name":"main", "node":0}, ...],    node: what stands for the track
 *  "values":   [{"name":"wall", "label":"wall time", "unit":"ns", "derived":false}, ...],    unit: ns, bytes, count
 *  "strings":  ["", "com.example.Foo", ...],
 *  "frames":   {"scope":[1,...], "name":[...], "signature":[...], "file":[...], "module":[...]},    indexes of strings
 *  "nodes":    {"parent":[-1,0,...], "frame":[-1,0,...], "recursive":[0,0,1,...],
 *               "calls":[0,1,...],                               only of profiles that count calls
 *               "self":[[...],...], "total":[[...],...]},        one array for each of the values
 *  "warnings": [{"code":"open-frames", "count":3, "offset":null, "text":"..."}, ...]}
 *
 * Nodes are in pre-order, children in the order of the view; node 0 is the root. The root has the frame
 * -1, and so have the nodes that stand for tracks, when several are side by side: "track" has the index of
 * each of them in "tracks", and -1 of all others. "recursive": the frame is open already further up.
 * Numbers are exact up to 2^64 - 1: more than a double holds.
 *
 * Inverted, a node's children are its callers; a track's own node is 0, and nodes with a "track" are the
 * outermost callers, or below node 0 what the track spent in no method: see render/tree/invert.h. "self"
 * is that of the node, also where several nodes are of one method; what a method has by itself is the
 * total of its node below node 0. A sandwich has, instead of "nodes", "method" (a frame), "callers" and
 * "callees", each of the shape of "nodes", with the method as the frame of node 0: see
 * render/tree/sandwich.h. */
#include <string.h>

#include "core/json.h"
#include "render/output.h"
#include "render/tree/sandwich.h"
#include "render/tree/tree.h"
#include "render/view/key.h"
#include "render/view/view.h"

struct writer {
    const struct profile *profile;
    const struct tree *base, *trees[2]; /* the second one of a sandwich */
    enum view_kind view;                /* VIEW_FLAME for all that show the base tree */
    frame_id method;
    struct json json;
    struct measure measures[MEASURES_MAX];
    uint32_t n_measures;
    uint32_t column[MEASURES_MAX]; /* of each measure: the value of the view is the first one */
    uint32_t *track_index;         /* by index of the profile's tracks: of those that are shown */

    /* What the tree uses of the profile, by first use; index + 1 by frame and by string, 0 = not used. */
    uint32_t *frame_index, *string_index;
    uint32_t *frames, *strings;
    uint32_t n_frames, n_strings;
};

/* -1 for the root's parent and for nodes without frame. */
static void put_index(struct writer *w, bool is_index, uint32_t value)
{
    if (is_index)
        json_put_element(&w->json, value);
    else
        json_put_raw(&w->json, NULL, STR("-1"));
}

static void use_string(struct writer *w, string_id id)
{
    if (w->string_index[id] != 0)
        return;
    w->strings[w->n_strings++] = id;
    w->string_index[id] = w->n_strings;
}

static void use_frame(struct writer *w, frame_id id)
{
    const struct profile_frame *f = &w->profile->frames[id];

    if (w->frame_index[id] != 0)
        return;
    w->frames[w->n_frames++] = id;
    w->frame_index[id] = w->n_frames;
    use_string(w, f->scope);
    use_string(w, f->name);
    use_string(w, f->signature);
    use_string(w, f->file);
    use_string(w, f->module);
}

static bool collect(struct writer *w, struct arena *a)
{
    const struct profile *p = w->profile;

    w->frame_index = arena_array(a, p->n_frames, sizeof(*w->frame_index));
    w->string_index = arena_array(a, p->n_strings, sizeof(*w->string_index));
    w->frames = arena_array(a, p->n_frames, sizeof(*w->frames));
    w->strings = arena_array(a, p->n_strings, sizeof(*w->strings));
    w->track_index = arena_array(a, p->n_tracks, sizeof(*w->track_index));
    if (w->frame_index == NULL || w->string_index == NULL || w->frames == NULL || w->strings == NULL ||
        w->track_index == NULL)
        return false;
    for (size_t i = 0; i < 2 && w->trees[i] != NULL; i++)
        for (uint32_t j = 0; j < w->trees[i]->n; j++)
            if (tree_frame(w->trees[i], j) < p->n_frames)
                use_frame(w, tree_frame(w->trees[i], j));
    for (uint32_t i = 0; i < w->base->n_tracks; i++)
        w->track_index[w->base->tracks[i]] = i;
    return true;
}

/* The node of each track: a child of the root when they are side by side. */
static bool put_tracks(struct writer *w, struct arena *a)
{
    const struct tree *t = w->base;
    uint32_t *nodes = arena_array(a, w->profile->n_tracks, sizeof(*nodes));

    if (nodes == NULL)
        return false;
    for (uint32_t i = 1; w->trees[0] == t && t->side_by_side && i < t->n; i += t->size[i])
        nodes[tree_frame(t, i) - t->n_frames] = i;
    json_open_array(&w->json, "tracks");
    for (uint32_t i = 0; i < t->n_tracks; i++) {
        const struct profile_track *track = &w->profile->tracks[t->tracks[i]];
        json_open_object(&w->json, NULL);
        json_put_u64(&w->json, "id", track->id);
        json_put_string(&w->json, "name", profile_string(w->profile, track->name));
        json_put_u64(&w->json, "node", nodes[t->tracks[i]]);
        json_close(&w->json);
    }
    json_close(&w->json);
    json_line(&w->json);
    return true;
}

static void put_values(struct writer *w)
{
    json_open_array(&w->json, "values");
    for (uint32_t i = 0; i < w->n_measures; i++) {
        const struct measure *m = &w->measures[i];
        json_open_object(&w->json, NULL);
        json_put_string(&w->json, "name", m->name);
        json_put_string(&w->json, "label", m->label);
        json_put_string(&w->json, "unit", str_of(unit_word(m->unit)));
        json_put_bool(&w->json, "derived", m->waiting);
        json_close(&w->json);
    }
    json_close(&w->json);
    json_line(&w->json);
}

static void put_strings(struct writer *w)
{
    json_open_array(&w->json, "strings");
    for (uint32_t i = 0; i < w->n_strings; i++)
        json_put_string(&w->json, NULL, profile_string(w->profile, w->strings[i]));
    json_close(&w->json);
    json_line(&w->json);
}

/* `member` is the offset of the field in struct profile_frame. */
static void put_frame_column(struct writer *w, const char *name, size_t member)
{
    json_open_array(&w->json, name);
    for (uint32_t i = 0; i < w->n_frames; i++) {
        string_id id;
        memcpy(&id, (const char *)&w->profile->frames[w->frames[i]] + member, sizeof(id));
        json_put_element(&w->json, w->string_index[id] - 1);
    }
    json_close(&w->json);
}

static void put_frames(struct writer *w)
{
    json_open_object(&w->json, "frames");
    put_frame_column(w, "scope", offsetof(struct profile_frame, scope));
    put_frame_column(w, "name", offsetof(struct profile_frame, name));
    put_frame_column(w, "signature", offsetof(struct profile_frame, signature));
    put_frame_column(w, "file", offsetof(struct profile_frame, file));
    put_frame_column(w, "module", offsetof(struct profile_frame, module));
    json_close(&w->json);
    json_line(&w->json);
}

static void put_column(struct writer *w, const struct tree *t, const char *name,
                       uint64_t (*value)(const struct tree *, uint32_t, uint32_t))
{
    json_open_array(&w->json, name);
    for (uint32_t c = 0; c < w->n_measures; c++) {
        json_open_array(&w->json, NULL);
        for (uint32_t i = 0; i < t->n; i++)
            json_put_element(&w->json, value(t, i, w->column[c]));
        json_close(&w->json);
    }
    json_close(&w->json);
}

static void put_frame_indexes(struct writer *w, const struct tree *t)
{
    bool tracks = false;

    json_open_array(&w->json, "frame");
    for (uint32_t i = 0; i < t->n; i++) {
        frame_id id = tree_frame(t, i);
        put_index(w, id < t->n_frames, id < t->n_frames ? w->frame_index[id] - 1 : 0);
        tracks = tracks || tree_is_track(t, id);
    }
    json_close(&w->json);
    if (!tracks)
        return;
    json_open_array(&w->json, "track");
    for (uint32_t i = 0; i < t->n; i++) {
        bool is_track = tree_is_track(t, tree_frame(t, i));
        put_index(w, is_track, is_track ? w->track_index[tree_frame(t, i) - t->n_frames] : 0);
    }
    json_close(&w->json);
}

static void put_nodes(struct writer *w, const char *name, const struct tree *t)
{
    json_open_object(&w->json, name);
    json_open_array(&w->json, "parent");
    for (uint32_t i = 0; i < t->n; i++)
        put_index(w, i > 0, t->parent[i]);
    json_close(&w->json);
    put_frame_indexes(w, t);
    json_open_array(&w->json, "recursive");
    for (uint32_t i = 0; i < t->n; i++)
        json_put_element(&w->json, tree_recursive(t, i));
    json_close(&w->json);
    if (t->calls != NULL) {
        json_open_array(&w->json, "calls");
        for (uint32_t i = 0; i < t->n; i++)
            json_put_element(&w->json, tree_calls(t, i));
        json_close(&w->json);
    }
    put_column(w, t, "self", tree_self);
    put_column(w, t, "total", tree_total);
    json_close(&w->json);
    json_line(&w->json);
}

static void put_trees(struct writer *w)
{
    if (w->view != VIEW_SANDWICH) {
        put_nodes(w, "nodes", w->trees[0]);
        return;
    }
    json_put_u64(&w->json, "method", w->frame_index[w->method] - 1);
    json_line(&w->json);
    put_nodes(w, "callers", w->trees[0]);
    put_nodes(w, "callees", w->trees[1]);
}

static void put_warnings(struct writer *w)
{
    const struct profile *p = w->profile;

    json_open_array(&w->json, "warnings");
    for (uint32_t i = 0; i < p->n_warnings; i++) {
        const struct profile_warning *warning = &p->warnings[i];
        json_open_object(&w->json, NULL);
        json_put_string(&w->json, "code", warning->code);
        json_put_u64(&w->json, "count", warning->count);
        if (warning->has_offset)
            json_put_u64(&w->json, "offset", warning->offset);
        else
            json_put_null(&w->json, "offset");
        json_put_string(&w->json, "text", warning->text);
        json_close(&w->json);
    }
    json_close(&w->json);
}

/* --- the trees --- */

static bool make_spec(struct writer *w, const struct view_options *view, struct tree_spec *spec,
                      struct diag *diag)
{
    uint32_t next = 1;
    bool found = false;

    *spec = (struct tree_spec){.divisor = 1, .order = view->order};
    spec->n_measures = w->n_measures = measures_shown(w->profile, view, w->measures);
    for (uint32_t i = 0; i < w->n_measures; i++) {
        const struct measure *m = &w->measures[i];
        bool wanted = !found && str_eq(measure_key(m->name), str_of(view->value));
        found = found || wanted;
        w->column[i] = wanted ? 0 : next++;
        /* If no value has the name, columns are counted from 1, and the last one would be behind the array. */
        if (w->column[i] < w->n_measures)
            spec->measures[w->column[i]] = m;
        if (!m->waiting && w->profile->values[m->value].role == ROLE_CALLS && !spec->has_calls) {
            spec->has_calls = true;
            spec->calls_column = w->column[i];
        }
    }
    return found || diag_set(diag, DIAG_USAGE, "no such value", "", "The profile has no value of that name.");
}

static bool make_trees(struct writer *w, const struct render_input *in, struct diag *diag)
{
    static const struct invert_cut EVERYTHING = {0, 0, 0};
    struct tree_spec spec;
    struct sandwich sandwich;

    if (!make_spec(w, in->view, &spec, diag))
        return false;
    w->base = w->trees[0] = tree_new(in, &spec, diag);
    if (w->base == NULL)
        return false;
    if (in->view->view == VIEW_INVERTED) {
        w->view = VIEW_INVERTED;
        w->trees[0] = invert_new(in, &spec, w->base, &EVERYTHING, diag);
        return w->trees[0] != NULL;
    }
    if (in->view->view != VIEW_SANDWICH)
        return true;
    w->view = VIEW_SANDWICH;
    if (!sandwich_method(in, w->base, &w->method, diag) ||
        !sandwich_new(in, &spec, w->base, w->method, &EVERYTHING, &sandwich, diag))
        return false;
    w->trees[0] = sandwich.callers;
    w->trees[1] = sandwich.callees;
    return true;
}

static bool render(const struct render_input *in, struct buf *out, struct diag *diag)
{
    struct writer w = {.profile = in->profile, .json = json_into(out), .view = VIEW_FLAME};

    if (!make_trees(&w, in, diag))
        return false;
    json_open_object(&w.json, NULL);
    json_put_string(&w.json, "format", STR("aflamed-tree"));
    json_put_u64(&w.json, "version", 1);
    json_line(&w.json);
    json_put_string(&w.json, "view", str_of(key_word("view", w.view)));
    json_line(&w.json);
    if (!collect(&w, in->scratch) || !put_tracks(&w, in->scratch))
        return fail_arena(in->scratch, diag);
    put_values(&w);
    put_strings(&w);
    put_frames(&w);
    put_trees(&w);
    put_warnings(&w);
    json_close(&w.json);
    buf_char(out, '\n');
    return !out->failed || fail_buf(out, diag);
}

const struct output OUTPUT_JSON = {
    .name = "json",
    .suffix = "json",
    .media_type = "application/json",
    .label = "Tree (JSON)",
    .text = true,
    .exported = true,
    .views = OUTPUT_TREE_VIEWS,
    .revision = 3,
    .render = render,
};
