/* Output "firefox": the processed format of https://profiler.firefox.com, version 48
 * (docs-developer/CHANGELOG-formats.md of firefox-devtools/profiler), packed with gzip. A part of the view
 * is a thread; categories are origins of frames.
 *
 * A thread has tables of columns, `{"length":N,"column":[..],..}`: strings; funcs, one for each frame of
 * the profile; frames, the same; stacks, one for each node of the tree, with its caller as `prefix`; and
 * samples, one for each node with a value of its own, which stand behind each other in the order of the
 * tree. Weights are ms, bytes or counts of the view's value. */
#include "core/json.h"
#include "profile/frame/own_code.h"
#include "profile/track.h"
#include "render/export/export.h"
#include "render/names/names.h"
#include "render/output.h"
#include "render/view/view.h"

enum { FORMAT_VERSION = 48, GECKO_VERSION = 27, NS_DECIMALS = 6 };

struct writer {
    struct export export;
    struct json json;
    struct buf name;
    uint32_t *index;  /* by frame: in the tables of the thread, from 1; 0: it is not there yet */
    frame_id *frames; /* those of the thread, in the order of its tables */
    uint32_t n_frames;
    uint32_t n_parts;
};

/* ---- columns ---- */

static void put_column(struct writer *w, const char *name, uint32_t n,
                       uint64_t (*value)(struct writer *w, uint32_t i))
{
    json_open_array(&w->json, name);
    for (uint32_t i = 0; i < n; i++)
        json_put_element(&w->json, value(w, i));
    json_close(&w->json);
}

static uint64_t same(struct writer *w, uint32_t i)
{
    (void)w;
    return i;
}

static uint64_t origin_of(struct writer *w, uint32_t i)
{
    return names_of(w->export.in->names, w->frames[i])->origin;
}

static void put_constant(struct writer *w, const char *name, uint32_t n, const char *json)
{
    json_open_array(&w->json, name);
    for (uint32_t i = 0; i < n; i++)
        json_put_raw(&w->json, NULL, str_of(json));
    json_close(&w->json);
}

/* Of frames: a number, or null where it is 0. */
static void put_lines(struct writer *w, const char *name)
{
    const struct profile *p = w->export.in->profile;

    json_open_array(&w->json, name);
    for (uint32_t i = 0; i < w->n_frames; i++)
        if (p->frames[w->frames[i]].line > 0)
            json_put_u64(&w->json, NULL, p->frames[w->frames[i]].line);
        else
            json_put_null(&w->json, NULL);
    json_close(&w->json);
}

/* ---- tables of a thread ---- */

static void collect(struct writer *w, const struct export_part *part)
{
    const struct tree *t = w->export.tree;

    for (uint32_t i = 0; i < w->n_frames; i++)
        w->index[w->frames[i]] = 0;
    w->n_frames = 0;
    for (uint32_t place = part->first; place < part->end; place++) {
        frame_id frame = tree_frame(t, place);
        if (w->index[frame] > 0)
            continue;
        w->frames[w->n_frames++] = frame;
        w->index[frame] = w->n_frames;
    }
}

/* The name of frame i is string i; its file is string n_frames + i. */
static void put_strings(struct writer *w)
{
    const struct profile *p = w->export.in->profile;

    json_open_array(&w->json, "stringArray");
    for (uint32_t i = 0; i < w->n_frames; i++) {
        buf_clear(&w->name);
        export_frame(&w->export, w->frames[i], &w->name);
        w->json.b->failed = w->json.b->failed || w->name.failed;
        json_put_string(&w->json, NULL, buf_view(&w->name));
    }
    for (uint32_t i = 0; i < w->n_frames; i++)
        json_put_string(&w->json, NULL, profile_string(p, p->frames[w->frames[i]].file));
    json_close(&w->json);
}

static uint64_t file_of(struct writer *w, uint32_t i)
{
    return (uint64_t)w->n_frames + i;
}

static void put_funcs(struct writer *w)
{
    uint32_t n = w->n_frames;

    json_open_object(&w->json, "funcTable");
    json_put_u64(&w->json, "length", n);
    put_column(w, "name", n, same);
    put_constant(w, "isJS", n, "false");
    put_constant(w, "relevantForJS", n, "false");
    put_constant(w, "resource", n, "-1");
    put_column(w, "fileName", n, file_of);
    put_lines(w, "lineNumber");
    put_constant(w, "columnNumber", n, "null");
    json_close(&w->json);
}

static void put_frame_table(struct writer *w)
{
    uint32_t n = w->n_frames;

    json_open_object(&w->json, "frameTable");
    json_put_u64(&w->json, "length", n);
    put_constant(w, "address", n, "-1");
    put_constant(w, "inlineDepth", n, "0");
    put_column(w, "category", n, origin_of);
    put_constant(w, "subcategory", n, "0");
    put_column(w, "func", n, same);
    put_constant(w, "nativeSymbol", n, "null");
    put_constant(w, "innerWindowID", n, "null");
    put_constant(w, "implementation", n, "null");
    put_lines(w, "line");
    put_constant(w, "column", n, "null");
    json_close(&w->json);
}

static void put_stacks(struct writer *w, const struct export_part *part)
{
    const struct tree *t = w->export.tree;
    uint32_t n = part->end - part->first;

    json_open_object(&w->json, "stackTable");
    json_put_u64(&w->json, "length", n);
    json_open_array(&w->json, "frame");
    for (uint32_t i = 0; i < n; i++)
        json_put_element(&w->json, w->index[tree_frame(t, part->first + i)] - 1);
    json_close(&w->json);
    json_open_array(&w->json, "category");
    for (uint32_t i = 0; i < n; i++)
        json_put_element(&w->json, names_of(w->export.in->names, tree_frame(t, part->first + i))->origin);
    json_close(&w->json);
    put_constant(w, "subcategory", n, "0");
    json_open_array(&w->json, "prefix");
    for (uint32_t i = 0; i < n; i++) {
        uint32_t parent = t->parent[part->first + i];
        if (parent == part->root)
            json_put_null(&w->json, NULL);
        else
            json_put_u64(&w->json, NULL, parent - part->first);
    }
    json_close(&w->json);
    json_close(&w->json);
}

static void put_weight(struct writer *w, uint64_t value)
{
    json_put_fixed(&w->json, NULL, value, w->export.measures[0].unit == UNIT_NS ? NS_DECIMALS : 0);
}

/* What a thread spends in no frame is a sample without a stack. */
static void put_samples(struct writer *w, const struct export_part *part)
{
    static const char *const TYPES[] = {
        [UNIT_NS] = "tracing-ms", [UNIT_BYTES] = "bytes", [UNIT_COUNT] = "samples"};
    const struct tree *t = w->export.tree;
    struct json *j = &w->json;
    uint64_t at = 0, outside = tree_self(t, part->root, 0);
    uint32_t n = 0;

    json_open_object(j, "samples");
    json_put_string(j, "weightType", str_of(TYPES[w->export.measures[0].unit]));
    json_open_array(j, "stack");
    for (uint32_t place = part->first; place < part->end; place++)
        if (tree_self(t, place, 0) > 0)
            json_put_element(j, place - part->first), n++;
    if (outside > 0)
        json_put_null(j, NULL), n++;
    json_close(j);
    json_open_array(j, "weight");
    for (uint32_t place = part->first; place < part->end; place++)
        if (tree_self(t, place, 0) > 0)
            put_weight(w, tree_self(t, place, 0));
    if (outside > 0)
        put_weight(w, outside);
    json_close(j);
    json_open_array(j, "time");
    for (uint32_t place = part->first; place < part->end; at += tree_self(t, place, 0), place++)
        if (tree_self(t, place, 0) > 0)
            put_weight(w, at);
    if (outside > 0)
        put_weight(w, at);
    json_close(j);
    json_put_u64(j, "length", n);
    json_close(j);
}

/* Tables that a processed profile has, and that have no row here. */
static void put_empty_tables(struct writer *w)
{
    static const char MARKERS[] =
        "{\"length\":0,\"category\":[],\"data\":[],\"endTime\":[],\"name\":[],\"phase\":[],\"startTime\":[]}";
    static const char RESOURCES[] = "{\"length\":0,\"lib\":[],\"name\":[],\"host\":[],\"type\":[]}";
    static const char SYMBOLS[] =
        "{\"length\":0,\"address\":[],\"functionSize\":[],\"libIndex\":[],\"name\":[]}";

    json_put_raw(&w->json, "markers", STR(MARKERS));
    json_put_raw(&w->json, "resourceTable", STR(RESOURCES));
    json_put_raw(&w->json, "nativeSymbols", STR(SYMBOLS));
    json_put_raw(&w->json, "pausedRanges", STR("[]"));
}

/* Of all threads together: that of the first. */
static uint32_t process_of(const struct writer *w, const struct export_part *part)
{
    const struct profile *p = w->export.in->profile;
    const struct profile_track *track = part->track != NULL || p->n_tracks == 0 ? part->track : &p->tracks[0];

    return track != NULL ? track_process(p, track) : 0;
}

/* A process has the number of its main thread. Where nobody says one, Android's main thread is `main`. */
static bool is_main(const struct writer *w, const struct export_part *part)
{
    uint32_t process = process_of(w, part);

    if (part->track == NULL || part->track->kind != TRACK_THREAD)
        return w->n_parts == 0;
    return process != 0 ? part->track->number == process
                        : str_eq(profile_string(w->export.in->profile, part->track->name), STR("main"));
}

static bool put_part(void *context, const struct export_part *part)
{
    struct writer *w = context;
    struct json *j = &w->json;
    char number[24];

    collect(w, part);
    json_line(j);
    json_open_object(j, NULL);
    json_put_string(j, "name", part->name);
    json_put_bool(j, "isMainThread", is_main(w, part));
    json_put_string(j, "processType", STR("default"));
    json_put_u64(j, "processStartupTime", 0);
    json_put_null(j, "processShutdownTime");
    json_put_u64(j, "registerTime", 0);
    json_put_null(j, "unregisterTime");
    size_t n = (size_t)(number_u64(number, process_of(w, part)) - number);
    json_put_string(j, "pid", (struct str){number, n});
    bool thread = part->track != NULL && part->track->kind == TRACK_THREAD;
    n = (size_t)(number_u64(number, thread ? part->track->number : w->n_parts) - number);
    w->n_parts++;
    json_put_raw(j, "tid", (struct str){number, n});
    put_samples(w, part);
    put_stacks(w, part);
    put_frame_table(w);
    put_funcs(w);
    put_empty_tables(w);
    put_strings(w);
    json_close(j);
    return !j->b->failed;
}

/* ---- the whole ---- */

static void put_meta(struct writer *w)
{
    static const char *const COLOURS[] = {"yellow", "orange", "green",    "blue", "lightblue",
                                          "brown",  "grey",   "darkgrey", "red"};
    _Static_assert(sizeof(COLOURS) / sizeof(COLOURS[0]) == ORIGINS, "one for each");
    struct json *j = &w->json;

    json_open_object(j, "meta");
    json_put_u64(j, "interval", 1);
    json_put_u64(j, "startTime", 0);
    json_put_u64(j, "processType", 0);
    json_put_u64(j, "stackwalk", 1);
    json_put_bool(j, "debug", false);
    json_put_u64(j, "version", GECKO_VERSION);
    json_put_u64(j, "preprocessedProfileVersion", FORMAT_VERSION);
    json_put_string(j, "product", STR("aflamed"));
    json_open_object(j, "aflamed");
    json_put_string(j, "value", measure_key(w->export.measures[0].name));
    export_put_shrunk(&w->export, j);
    json_close(j);
    json_put_string(j, "importedFrom", w->export.in->profile->format_label);
    json_put_bool(j, "symbolicated", true);
    json_put_raw(j, "markerSchema", STR("[]"));
    json_open_array(j, "categories");
    for (unsigned i = 0; i < ORIGINS; i++) {
        json_open_object(j, NULL);
        json_put_string(j, "name", str_of(origin_word((enum origin)i)));
        json_put_string(j, "color", str_of(COLOURS[i]));
        json_put_raw(j, "subcategories", STR("[\"Other\"]"));
        json_close(j);
    }
    json_close(j);
    json_close(j);
}

static bool make_tables(struct writer *w)
{
    struct arena *a = w->export.in->scratch;
    uint32_t n = w->export.tree->n_frames;

    w->index = arena_array(a, (size_t)n + 1, sizeof(*w->index));
    w->frames = arena_array(a, (size_t)n + 1, sizeof(*w->frames));
    if (w->index == NULL || w->frames == NULL)
        return false;
    for (uint32_t i = 0; i < n; i++)
        w->index[i] = 0;
    return true;
}

static void put_profile(struct writer *w)
{
    json_open_object(&w->json, NULL);
    put_meta(w);
    json_put_raw(&w->json, "libs", STR("[]"));
    json_open_array(&w->json, "threads");
    export_parts(&w->export, put_part, w);
    json_close(&w->json);
    json_close(&w->json);
}

static bool render(const struct render_input *in, struct buf *out, struct diag *diag)
{
    struct writer w = {0};
    struct buf plain;

    if (!export_begin(&w.export, in, diag))
        return false;
    if (!make_tables(&w))
        return fail_arena(in->scratch, diag);
    buf_init(&plain, out->limit);
    w.json = json_into(&plain);
    put_profile(&w);
    bool ok = export_pack(&plain, out, diag);
    buf_free(&plain);
    buf_free(&w.name);
    return ok;
}

const struct output OUTPUT_FIREFOX = {
    .name = "firefox",
    .suffix = "firefox.json.gz",
    .media_type = "application/gzip",
    .label = "Stacks for the Firefox Profiler",
    .exported = true,
    .packed = true,
    .views = OUTPUT_PLAIN_VIEWS,
    .revision = 3,
    .render = render,
};
