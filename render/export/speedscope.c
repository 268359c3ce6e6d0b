/* Output "speedscope": of a profile without times (render/calls/call_speedscope.c has the other ones), or
 * as its stacks: the file format of https://www.speedscope.app (its schema file-format-schema.json). A
 * part of the view is a profile; the view's value is its weight, in ns, bytes or counts.
 *
 *     {"$schema":..,"shared":{"frames":[{"name":..,"file":..,"line":..},..]},
 *      "profiles":[{"type":"evented","name":..,"unit":..,"startValue":0,"endValue":N,
 *                   "events":[{"type":"O","frame":F,"at":A},{"type":"C","frame":F,"at":A},..]},..]}
 *
 * A stack is opened and closed once, where the tree has it: what was called again with the same stack is
 * one. So the file grows with the stacks, not with their depth or the length of the recording. What a part
 * spends in no frame comes behind all others. */
#include "core/json.h"
#include "render/export/export.h"
#include "render/output.h"
#include "render/view/view.h"

enum { NO_INDEX = UINT32_MAX };

struct writer {
    struct export export;
    struct json json;
    struct buf name;
    uint32_t n_parts, heaviest; /* so far */
    uint64_t weight;            /* of that one */
    uint32_t *index;            /* by frame: in the list of the file */
    uint32_t n_frames;
};

static void put_frame(struct writer *w, frame_id frame)
{
    const struct profile *p = w->export.in->profile;
    const struct profile_frame *f = &p->frames[frame];
    struct json *j = &w->json;

    buf_clear(&w->name);
    export_frame(&w->export, frame, &w->name);
    j->b->failed = j->b->failed || w->name.failed;
    json_open_object(j, NULL);
    json_put_string(j, "name", buf_view(&w->name));
    if (profile_string(p, f->file).n > 0)
        json_put_string(j, "file", profile_string(p, f->file));
    if (f->line > 0)
        json_put_u64(j, "line", f->line);
    json_close(j);
}

/* Each frame of the tree once, in the order of places. */
static bool put_frames(struct writer *w)
{
    const struct tree *t = w->export.tree;

    w->index = arena_array(w->export.in->scratch, (size_t)t->n_frames + 1, sizeof(*w->index));
    if (w->index == NULL)
        return false;
    for (uint32_t i = 0; i < t->n_frames; i++)
        w->index[i] = NO_INDEX;
    json_open_object(&w->json, "shared");
    json_open_array(&w->json, "frames");
    for (uint32_t place = 1; place < t->n; place++) {
        frame_id frame = tree_frame(t, place);
        if (tree_is_track(t, frame) || w->index[frame] != NO_INDEX)
            continue;
        w->index[frame] = w->n_frames++;
        put_frame(w, frame);
    }
    json_close(&w->json);
    json_close(&w->json);
    return true;
}

static void put_event(struct writer *w, const char *type, uint32_t place, uint64_t at)
{
    struct json *j = &w->json;

    json_open_object(j, NULL);
    json_put_string(j, "type", str_of(type));
    json_put_u64(j, "frame", w->index[tree_frame(w->export.tree, place)]);
    json_put_u64(j, "at", at);
    json_close(j);
}

/* Nodes are closed when the next place is not below them; a node's own value comes before its callees. */
static void put_events(struct writer *w, const struct export_part *part)
{
    const struct tree *t = w->export.tree;
    uint32_t open = part->root;
    uint64_t at = 0;

    for (uint32_t place = part->first; place <= part->end; place++) {
        uint32_t parent = place < part->end ? t->parent[place] : part->root;
        for (; open != parent; open = t->parent[open])
            put_event(w, "C", open, at);
        if (place == part->end)
            break;
        put_event(w, "O", place, at);
        at += tree_self(t, place, 0);
        open = place;
    }
}

static bool put_part(void *context, const struct export_part *part)
{
    static const char *const UNITS[] = {
        [UNIT_NS] = "nanoseconds", [UNIT_BYTES] = "bytes", [UNIT_COUNT] = "none"};
    struct writer *w = context;
    struct json *j = &w->json;

    json_line(j);
    json_open_object(j, NULL);
    json_put_string(j, "type", STR("evented"));
    json_put_string(j, "name", part->name);
    json_put_string(j, "unit", str_of(UNITS[w->export.measures[0].unit]));
    json_put_u64(j, "startValue", 0);
    json_put_u64(j, "endValue", tree_total(w->export.tree, part->root, 0));
    json_open_array(j, "events");
    put_events(w, part);
    json_close(j);
    json_close(j);
    if (tree_total(w->export.tree, part->root, 0) > w->weight) {
        w->weight = tree_total(w->export.tree, part->root, 0);
        w->heaviest = w->n_parts;
    }
    w->n_parts++;
    return !j->b->failed;
}

static bool render(const struct render_input *in, struct buf *out, struct diag *diag)
{
    struct writer w = {.json = json_into(out)};
    struct json *j = &w.json;

    if (!export_begin(&w.export, in, diag))
        return false;
    json_open_object(j, NULL);
    json_put_string(j, "$schema", STR("https://www.speedscope.app/file-format-schema.json"));
    json_put_string(j, "exporter", STR("aflamed"));
    json_open_object(j, "aflamed");
    json_put_string(j, "value", measure_key(w.export.measures[0].name));
    export_put_shrunk(&w.export, j);
    json_close(j);
    bool framed = put_frames(&w);
    json_line(j);
    json_open_array(j, "profiles");
    if (framed)
        export_parts(&w.export, put_part, &w);
    json_close(j);
    json_put_u64(j, "activeProfileIndex", w.heaviest);
    json_close(j);
    buf_char(out, '\n');
    buf_free(&w.name);
    return framed ? !out->failed || fail_buf(out, diag) : fail_arena(in->scratch, diag);
}

const struct output OUTPUT_SPEEDSCOPE = {
    .name = "speedscope",
    .suffix = "speedscope.json",
    .media_type = "application/json",
    .label = "Stacks for speedscope",
    .text = true,
    .exported = true,
    .appends = true,
    .calls = "speedscope",
    .views = OUTPUT_PLAIN_VIEWS,
    .revision = 2,
    .render = render,
};
