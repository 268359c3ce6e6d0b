/* Profiles in JSON. Keys may come in any order, and what tells a format may stand megabytes behind the beginning: so all
 * JSON is one format here, whose families are told apart while it is read, by the members of the outermost object. Those
 * that no family wants are passed over. */
#include <string.h>

#include "core/number.h"
#include "parser/json/json_impl.h"
#include "parser/refuse/foreign.h"

enum { KEY_BYTES_KEPT = 64 };

/* ---- members of the outermost object ---- */

static bool note_key(struct json_doc *d, struct str key)
{
    if (d->n_keys == JSON_KEYS_MAX || key.n > KEY_BYTES_KEPT)
        return true;
    char *copy = arena_copy(d->arena, key.p, key.n);
    d->keys[d->n_keys++] = (struct str){copy, key.n};
    return copy != NULL;
}

static bool take_shared(struct json_doc *d)
{
    struct str key;

    if (json_in_enter(d->in, JSON_OBJECT))
        while (json_in_key(d->in, &key))
            if (!(str_eq(key, STR("frames")) ? json_speedscope_frames(d) : json_firefox_shared(d, key)))
                return false;
    return true;
}

/* The samples of a CPU profile are numbers, those of trace events are objects. */
static bool take_samples(struct json_doc *d)
{
    struct json_number n;

    if (!json_in_enter(d->in, JSON_ARRAY))
        return true;
    while (json_in_item(d->in)) {
        bool good = json_in_peek(d->in) == JSON_OBJECT
                        ? json_chrome_samples(d)
                        : json_column_add(&d->js.ids, d->arena,
                                          json_in_number(d->in, &n) ? json_in_scaled(n, 0) : COLUMN_NONE);
        if (!good)
            return false;
    }
    return true;
}

static bool take_nodes(struct json_doc *d)
{
    d->has_nodes = json_in_peek(d->in) == JSON_ARRAY;
    return json_js_nodes(d, &d->js);
}

static bool take_head(struct json_doc *d)
{
    d->has_head = json_in_peek(d->in) == JSON_OBJECT;
    if (!json_js_head(d, &d->js))
        return false;
    /* By this an allocation profile is told, whose nodes are otherwise the same. */
    return !d->js.self_size || note_key(d, STR("selfSize"));
}

static bool take_deltas(struct json_doc *d)
{
    return json_column_read(&d->js.deltas, d->in, JSON_NS_OF_US);
}

static bool take_timestamps(struct json_doc *d)
{
    return json_column_read(&d->timestamps, d->in, JSON_NS_OF_US);
}

static bool take_start(struct json_doc *d)
{
    d->has_start = json_in_number(d->in, &d->start);
    return true;
}

static bool take_end(struct json_doc *d)
{
    d->has_end = json_in_number(d->in, &d->end);
    return true;
}

static bool take_profile(struct json_doc *d);

static const struct {
    struct str key;
    bool (*take)(struct json_doc *d);
} MEMBERS[] = {
    {STR_INIT("$schema"), json_speedscope_schema},
    {STR_INIT("profiles"), json_speedscope_profiles},
    {STR_INIT("shared"), take_shared},
    {STR_INIT("traceEvents"), json_chrome_events},
    {STR_INIT("stackFrames"), json_chrome_frames},
    {STR_INIT("samples"), take_samples},
    {STR_INIT("nodes"), take_nodes},
    {STR_INIT("head"), take_head},
    {STR_INIT("timeDeltas"), take_deltas},
    {STR_INIT("timestamps"), take_timestamps},
    {STR_INIT("startTime"), take_start},
    {STR_INIT("endTime"), take_end},
    {STR_INIT("meta"), json_firefox_meta},
    {STR_INIT("libs"), json_firefox_libs},
    {STR_INIT("threads"), json_firefox_threads},
    {STR_INIT("processes"), json_firefox_processes},
    {STR_INIT("profile"), take_profile},
    {STR_INIT("aflamed"), json_take_value_name},
    {STR_INIT("otherData"), json_take_value_name},
};

static bool take_member(struct json_doc *d, struct str key, bool outermost)
{
    size_t i = 0;

    while (i < sizeof(MEMBERS) / sizeof(*MEMBERS) && !str_eq(key, MEMBERS[i].key))
        i++;
    if (!note_key(d, key))
        return false;
    /* A profile within a profile is that of old DevTools, which has no other one within. */
    if (i < sizeof(MEMBERS) / sizeof(*MEMBERS) && (outermost || MEMBERS[i].take != take_profile))
        return MEMBERS[i].take(d);
    json_in_skip(d->in);
    return true;
}

static bool take_profile(struct json_doc *d)
{
    struct str key;

    if (json_in_enter(d->in, JSON_OBJECT))
        while (json_in_key(d->in, &key))
            if (!take_member(d, key, false))
                return false;
    return true;
}

static bool take_document(struct json_doc *d)
{
    struct str key;

    if (json_in_peek(d->in) == JSON_ARRAY)
        return json_chrome_events(d);
    if (json_in_enter(d->in, JSON_OBJECT))
        while (json_in_key(d->in, &key))
            if (!take_member(d, key, true))
                return false;
    return true;
}

/* ---- the end ---- */

static bool is_damaged(struct json_doc *d)
{
    const struct json_in *in = d->in;

    /* A stop, or a lack of memory, is no damage of the file. */
    if (in->state == JSON_GOOD || d->cut || d->arena->failure != ARENA_OK)
        return false;
    if (in->state == JSON_CUT)
        diag_at(d->diag, DIAG_UNUSABLE, in->bad_at, "cut JSON", "Save it again, or upload the whole file.",
                "The file is JSON that ends within a value: it was cut.");
    else if (in->state == JSON_TOO_DEEP)
        diag_at(d->diag, DIAG_LIMIT, in->bad_at, "nested too deeply", "Record stacks that are not as deep.",
                "The file is JSON whose arrays and objects are nested deeper than %u.",
                (unsigned)JSON_DEPTH_MAX);
    else
        diag_at(d->diag, DIAG_UNUSABLE, in->bad_at, "damaged JSON", "Save it again, and upload it unchanged.",
                "The file begins as JSON, and what stands at byte %llu is none.",
                (unsigned long long)in->bad_at);
    return true;
}

static bool unknown(struct json_doc *d)
{
    return diag_set(
        d->diag, DIAG_FOREIGN, "JSON, and no profile",
        "Upload a profile of speedscope, Chrome, V8, Hermes or the Firefox Profiler, as its tool saved it.",
        "The file is JSON, and no profile that is read here.");
}

static bool finish(struct json_doc *d)
{
    const struct foreign *f = foreign_find_keys(d->keys, d->n_keys);

    if (f != NULL)
        return foreign_refuse(f, d->diag);
    d->values.name = d->value_name;
    if (json_is_chrome(d))
        return json_finish_chrome(d);
    if (json_is_speedscope(d))
        return json_finish_speedscope(d);
    if (json_is_firefox(d))
        return json_finish_firefox(d);
    return d->has_nodes || d->has_head ? json_finish_cpuprofile(d) : unknown(d);
}

/* ---- the row ---- */

static const char BYTE_ORDER_MARK[] = "\xef\xbb\xbf";

static struct str without_blanks(const uint8_t *p, size_t n)
{
    while (n > 0 && (*p == ' ' || *p == '\t' || *p == '\n' || *p == '\r'))
        p++, n--;
    return (struct str){(const char *)p, n};
}

/* An object whose first key begins, or is missing; an array of such. */
static enum detection detect(const uint8_t *p, size_t n, bool final)
{
    size_t mark = n >= 3 && memcmp(p, BYTE_ORDER_MARK, 3) == 0 ? 3 : 0;
    struct str s = without_blanks(p + mark, n - mark);
    bool array = s.n > 0 && s.p[0] == '[';

    if (n > 0 && n < 3 && !final && memcmp(p, BYTE_ORDER_MARK, n) == 0)
        return DETECT_MORE;
    if (array)
        s = without_blanks((const uint8_t *)s.p + 1, s.n - 1);
    if (s.n == 0)
        return final ? DETECT_NO : DETECT_MORE;
    if (s.p[0] != '{')
        return DETECT_NO;
    s = without_blanks((const uint8_t *)s.p + 1, s.n - 1);
    if (s.n == 0)
        return final ? DETECT_NO : DETECT_MORE;
    return s.p[0] == '"' || s.p[0] == '}' ? DETECT_YES : DETECT_NO;
}

/* Gives what was taken back to the source: its offset is that of the next byte. */
static void json_in_end(struct json_in *in)
{
    source_consume(in->source, (size_t)(in->p - in->source->p));
}

static void note_rest(struct json_doc *d)
{
    uint64_t at, n;

    json_in_end(d->in);
    at = source_offset(d->r->source);
    n = source_pass(d->r->source, UINT64_MAX);
    /* The file may end with a line end, or some. */
    if (n > 2 && !d->cut)
        builder_warn(d->builder, WARN_TRAILING_BYTES, n, at);
}

static void json_values_init(struct json_values *v, struct builder *b)
{
    *v = (struct json_values){.builder = b};
    idmap_init(&v->parts, builder_arena(b), builder_seed(b));
}

static bool read_json(struct reading *r)
{
    struct json_doc *d = arena_alloc(builder_arena(r->builder), sizeof(*d));
    struct json_in *in = arena_alloc(builder_arena(r->builder), sizeof(*in));

    if (d == NULL || in == NULL)
        return builder_failed(r->builder, r->diag);
    *d = (struct json_doc){
        .in = in, .r = r, .builder = r->builder, .arena = builder_arena(r->builder), .diag = r->diag};
    json_in_begin(in, r->source, d->arena, r->limits->name_bytes);
    json_tracks_init(&d->tracks, r);
    json_values_init(&d->values, r->builder);
    d->begin = json_in_offset(in);
    bool good = take_document(d);
    if (good && is_damaged(d))
        return false;
    if (good && d->arena->failure == ARENA_OK) {
        note_rest(d);
        good = finish(d);
    }
    if (d->values.fractions)
        builder_warn(d->builder, WARN_FRACTION, 1, WARNING_NO_OFFSET);
    if (good && d->arena->failure == ARENA_OK)
        return true;
    return r->diag->kind != DIAG_NONE ? false : builder_failed(r->builder, r->diag);
}

const struct format FORMAT_JSON = {
    .name = "json",
    .label = "JSON profile",
    .written_by =
        "speedscope; Chrome's trace events; `.cpuprofile` of Node.js, Chrome and Hermes; the Firefox Profiler, samply, perf's and "
        "simpleperf's scripts for it",
    .detect = detect,
    .read = read_json,
};
