#include "server/convert/summary.h"

#include <stdlib.h>

#include "core/buf.h"
#include "core/json.h"
#include "core/number.h"
#include "core/system/utc.h"
#include "profile/profile.h"
#include "profile/symbols/symbols.h"
#include "profile/track.h"
#include "profile/transform/transform.h"
#include "profile/warning.h"
#include "render/view/view.h"
#include "server/convert/convert.h"
#include "server/convert/convert_impl.h"

/* ---- facts of the recording ---- */

enum { DIGITS = 3, NS_PER_US = 1000, NS_PER_S = 1000000000, PLAUSIBLE_S = 1000000000 };

const struct fact FACTS[] = {
    {"version", "Format version", FACT_NUMBER, false},
    {"streaming", "Streaming", FACT_YES_NO, false},
    {"layout", "Layout as of", FACT_TEXT, false},
    {"packed", "Packed", FACT_TEXT, false},
    {"vm", "Virtual machine", FACT_TEXT, false},
    {"clock", "Clock", FACT_TEXT, false},
    {"package", "Package", FACT_TEXT, false},
    {"app_type", "Kind of app", FACT_TEXT, false},
    {"android_sdk", "Android SDK", FACT_NUMBER, false},
    {"build_type", "Kind of system", FACT_TEXT, false},
    {"unwinding", "Stacks that end early", FACT_TEXT, false},
    {"one-frame", "Without unwind information", FACT_TEXT, false},
    {"period", "Sampled every", FACT_TEXT, false},
    {"comment", "Comment", FACT_TEXT, false},
    {"stack_depth", "Stacks are kept to a depth of", FACT_COUNT, false},
    {"pid", "Process id", FACT_NUMBER, false},
    {"elapsed_us", "Duration", FACT_US, false},
    {"elapsed_ns", "Duration", FACT_NS, false},
    {"sampling_interval_us", "Sampled about every", FACT_US, false},
    {"mapped_names", "Names that the mapping knew", FACT_COUNT, false},
    {"mappable_names", "Names that it was asked for", FACT_COUNT, false},
    {"symbolized_frames", "Addresses that symbols named", FACT_COUNT, false},
    {"nameless_frames", "Addresses without a name", FACT_COUNT, false},
    {"map_id", "Mapping's id (pg_map_id)", FACT_TEXT, false},
    {"app_process", "App", FACT_TEXT, false},
    {"benchmark", "Benchmark", FACT_TEXT, false},
    {"benchmark_iteration", "Iteration of the benchmark", FACT_NUMBER, false},
    {"benchmark_metrics", "Measured by the benchmark", FACT_TEXT, false},
    {"clock_assumed", "Clock of a file that names none", FACT_TEXT, false},
    {"kernel", "Kernel", FACT_TEXT, false},
    {"build", "Build of the system", FACT_TEXT, false},
    {"build_map_id", "Id of the build's mapping", FACT_TEXT, true},
    {"map_hash", "Mapping's hash", FACT_TEXT, true},
    {"overflow", "Buffer overflow", FACT_YES_NO, false},
    {"clock_overhead_ns", "Cost of reading the clock", FACT_NS, false},
    {"start_us", "Started", FACT_TIME_US, true},
    {"start_ns", "Started", FACT_TIME_NS, true},
    {"time_unit", "Unit of the times", FACT_UNIT, true},
    {"counter_hz", "Ticks of its clock per second", FACT_COUNT, true},
    {"declared_records", "Records announced", FACT_COUNT, true},
    {"record_bytes", "Bytes of a record", FACT_COUNT, true},
    {"declared_record_bytes", "Bytes announced of a record", FACT_COUNT, true},
    {"listed_methods", "Methods listed", FACT_COUNT, true},
    {"listed_threads", "Threads listed", FACT_COUNT, true},
    {"alloc_count", "Allocations", FACT_COUNT, true},
    {"alloc_bytes", "Allocated", FACT_BYTES, true},
    {"gc_count", "Garbage collections", FACT_COUNT, true},
};

const size_t FACTS_COUNT = sizeof(FACTS) / sizeof(FACTS[0]);

const struct fact *fact_by_name(struct str name)
{
    for (size_t i = 0; i < FACTS_COUNT; i++)
        if (str_eq(name, str_of(FACTS[i].name)))
            return &FACTS[i];
    return NULL;
}

/* A time as ns; false if it is no number, or none of this kind. */
static bool point_ns(enum fact_kind kind, struct str value, uint64_t *ns)
{
    if ((kind != FACT_TIME_NS && kind != FACT_TIME_US) || !str_to_u64(value, 10, ns))
        return false;
    if (kind == FACT_TIME_US)
        *ns = number_multiply(*ns, NS_PER_US);
    return true;
}

bool fact_is_void(enum fact_kind kind, struct str value)
{
    uint64_t ns;

    return point_ns(kind, value, &ns) && ns == 0;
}

bool fact_date(enum fact_kind kind, struct str value, int64_t *unix_s)
{
    uint64_t ns;

    if (!point_ns(kind, value, &ns) || ns / NS_PER_S < PLAUSIBLE_S)
        return false;
    *unix_s = (int64_t)(ns / NS_PER_S);
    return *unix_s <= UTC_LAST_S && ns != UINT64_MAX;
}

static void put_value(struct buf *b, enum unit unit, uint64_t value)
{
    buf_value(b, unit, value, DIGITS);
}

static void put_point(struct buf *b, enum fact_kind kind, struct str value)
{
    uint64_t ns;
    int64_t unix_s;

    if (fact_date(kind, value, &unix_s)) {
        buf_z(b, UTC_TEXT(unix_s));
    } else if (point_ns(kind, value, &ns)) {
        put_value(b, UNIT_NS, ns);
        buf_z(b, " on the device's clock");
    } else {
        buf_str(b, value);
    }
}

static void put_amount(struct buf *b, enum fact_kind kind, struct str value)
{
    uint64_t number;

    if (!str_to_u64(value, 10, &number))
        buf_str(b, value);
    else if (kind == FACT_US)
        put_value(b, UNIT_NS, number_multiply(number, NS_PER_US));
    else
        put_value(b, kind == FACT_NS ? UNIT_NS : kind == FACT_BYTES ? UNIT_BYTES : UNIT_COUNT, number);
}

void fact_text(struct buf *b, enum fact_kind kind, struct str value)
{
    switch (kind) {
    case FACT_TEXT:
    case FACT_NUMBER:
        buf_str(b, value);
        break;
    case FACT_YES_NO:
        buf_str(b, str_eq(value, STR("true")) ? STR("yes") : str_eq(value, STR("false")) ? STR("no") : value);
        break;
    case FACT_UNIT:
        buf_str(b, str_eq(value, STR("us")) ? STR("µs") : value);
        break;
    case FACT_TIME_NS:
    case FACT_TIME_US:
        put_point(b, kind, value);
        break;
    case FACT_COUNT:
    case FACT_BYTES:
    case FACT_NS:
    case FACT_US:
        put_amount(b, kind, value);
        break;
    }
}

/* ---- the summary ---- */

/* The summary of a profile, without the blanks and with what summary.h says of its lines:
 *
 *     {"format": "android-trace", "format_label": "Android method trace",
 *      "facts": {"clock": "dual", ...},
 *      "values": [{"name": "wall", "label": "wall time", "unit": "us"}, ...],
 *      "app": ["com.example"],
 *      "labels": [{"key": "endpoint", "values": 3}, ...], "split": "endpoint",
 *      "counters": [{"name": "Heap size", "group": "com.example", "kind": "app", "unit": "bytes", "decimals": 0, "least": 1, "most": 9, "readings": 4}, ...],
 *      "screen": {"frames": 120, "late": 3}, "annotations": 12,
 *      "unnamed": [{"module": "/system/lib64/libfoo.so", "build_id": "1a2b", "frames": 3, "percent": 12.5, "symbols": "missing"}, ...],
 *      "warnings": [{"code": "open-frames", "count": 3, "offset": 4711, "about": "file", "text": "..."}, ...],
 *      "whole": {"tracks": 2, "records": 14, "calls": 7, "nodes": 9, "totals": {"wall": 18, "cpu": 8}}}
 *     {"id": 1, "name": "main", "records": 10, "calls": 5, "nodes": 6, "totals": {"wall": 15, "cpu": 7}}
 *     ...
 *
 * Facts: the first of each name; numbers and booleans where their kind says so (summary.h). Derived: what
 * can be shown beside the values. Weight: the value by which tracks are sorted. A warning has an offset
 * where there is one, and is about the file or about how to record better ("recording"). Labels: what
 * samples are labelled with, if they are: each key with the number of its values, counted up to 10000;
 * split: the one whose values the tracks are, if they are. Unnamed: libraries with frames that have no
 * names, if there are some (profile/symbols/symbols.h). Whole: the sums over all tracks. Tracks by weight;
 * totals of a unit "us" are in whole microseconds, all others as they are, and calls stand in "calls"
 * only. No number is above 2^63 - 1, which is where many readers of JSON end. Equal profiles give equal
 * bytes. */

enum {
    UNNAMED_MAX = 200,
    FACTS_MAX = 64 /* of different names; formats have a handful */
};

static const char *const UNITS[] = {[UNIT_NS] = "us", [UNIT_BYTES] = "bytes", [UNIT_COUNT] = "count"};

static void put_number(struct json *j, const char *key, uint64_t value)
{
    json_put_u64(j, key, value > INT64_MAX ? INT64_MAX : value);
}

/* A number where its kind is one, however it is shown to people. What is not of its kind is text as it was
 * written. */
static void put_fact(struct json *j, const struct profile_fact *f)
{
    const struct fact *known = fact_by_name(f->name);
    uint64_t number;

    json_put_key(j, f->name);
    switch (known == NULL ? FACT_TEXT : known->kind) {
    case FACT_TEXT:
    case FACT_UNIT:
        break;
    case FACT_YES_NO:
        if (str_eq(f->value, STR("true")) || str_eq(f->value, STR("false"))) {
            json_put_bool(j, NULL, str_eq(f->value, STR("true")));
            return;
        }
        break;
    case FACT_NUMBER:
    case FACT_COUNT:
    case FACT_BYTES:
    case FACT_NS:
    case FACT_US:
    case FACT_TIME_NS:
    case FACT_TIME_US:
        if (str_to_u64(f->value, 10, &number)) {
            put_number(j, NULL, number);
            return;
        }
        break;
    }
    json_put_string(j, NULL, f->value);
}

static void put_facts(struct json *j, const struct profile *p)
{
    struct str seen[FACTS_MAX];
    size_t n = 0;

    json_open_object(j, "facts");
    for (uint32_t i = 0; i < p->n_facts; i++) {
        size_t at = 0;
        while (at < n && !str_eq(seen[at], p->facts[i].name))
            at++;
        if (at < n || n == FACTS_MAX)
            continue;
        put_fact(j, &p->facts[i]);
        seen[n++] = p->facts[i].name;
    }
    json_close(j);
}

/* "bytes: what was allocated and is not released yet" */
static void put_meaning(struct json *j, const struct profile *p, const struct measure *m)
{
    struct str meaning =
        m->waiting ? STR("wall time less time on a processor") : value_meaning(p->values[m->value].role);
    struct buf text = {0};

    buf_z(&text, m->unit == UNIT_COUNT ? "a " : "");
    buf_z(&text, value_unit_words(m->unit));
    buf_z(&text, meaning.n > 0 ? ": " : "");
    buf_str(&text, meaning);
    json_put_string(j, "meaning", buf_view(&text));
    buf_part_end(j->b, &text);
}

static void put_measures(struct json *j, const struct profile *p, const char *key, const struct measure *m,
                         uint32_t n)
{
    json_open_array(j, key);
    for (uint32_t i = 0; i < n; i++) {
        json_open_object(j, NULL);
        json_put_string(j, "name", m[i].name);
        json_put_string(j, "label", m[i].label);
        json_put_string(j, "unit", str_of(UNITS[m[i].unit]));
        put_meaning(j, p, &m[i]);
        json_close(j);
    }
    json_close(j);
}

/* The profile's own values are the first measures; those that follow from them come behind. */
static void put_values(struct json *j, const struct profile *p)
{
    struct measure m[MEASURES_MAX];
    uint32_t n = measures_of(p, m), weight = profile_weight_value(p);

    put_measures(j, p, "values", m, p->n_values);
    put_measures(j, p, "derived", m + p->n_values, n - p->n_values);
    json_put_string(j, "weight", weight < p->n_values ? p->values[weight].name : STR(""));
}

static void put_warnings(struct json *j, const struct profile *p)
{
    json_open_array(j, "warnings");
    for (uint32_t i = 0; i < p->n_warnings; i++) {
        const struct profile_warning *w = &p->warnings[i];
        json_open_object(j, NULL);
        json_put_string(j, "code", w->code);
        put_number(j, "count", w->count);
        if (w->has_offset)
            put_number(j, "offset", w->offset);
        json_put_string(j, "about", warning_of_recording(w->code) ? STR("recording") : STR("file"));
        json_put_string(j, "text", w->text);
        json_close(j);
    }
    json_close(j);
}

/* Libraries whose symbols are worth looking for, those with most first. False: no memory. */
static bool put_unnamed(struct json *j, const struct profile *p, size_t memory_bytes)
{
    struct arena scratch;
    struct unnamed list;

    arena_init(&scratch, memory_bytes);
    bool ok = unnamed_list(p, &scratch, &list);
    if (ok && list.n > 0)
        json_open_array(j, "unnamed");
    for (uint32_t i = 0; ok && i < list.n && i < UNNAMED_MAX; i++) {
        const struct unnamed_module *m = &list.modules[i];
        json_open_object(j, NULL);
        json_put_string(j, "module", profile_string(p, m->module));
        json_put_string(j, "build_id", profile_string(p, m->build_id));
        put_number(j, "frames", m->frames);
        json_put_fixed(j, "percent", unnamed_permille(&list, m), 1);
        json_put_string(j, "symbols", str_of(symbols_state_word(m->state)));
        json_close(j);
    }
    if (ok && list.n > 0)
        json_close(j);
    arena_free(&scratch);
    return ok;
}

static void put_own(struct json *j, const struct own_code *own)
{
    json_open_array(j, NULL);
    for (uint32_t i = 0; i < own->n; i++)
        json_put_string(j, NULL, own->prefix[i]);
    json_close(j);
}

/* What tracks can be made of, and what they are made of. */
static void put_labels(struct json *j, const struct profile *p)
{
    if (p->n_labels > 0)
        json_open_array(j, "labels");
    for (uint32_t i = 0; i < p->n_labels; i++) {
        json_open_object(j, NULL);
        json_put_string(j, "key", p->labels[i].key);
        put_number(j, "values", p->labels[i].values);
        json_close(j);
    }
    if (p->n_labels > 0)
        json_close(j);
    if (p->split.n > 0)
        json_put_string(j, "split", p->split);
}

static void put_words(struct json *j, const char *key, struct str words)
{
    if (words.n > 0)
        json_put_string(j, key, words);
}

/* Their values are told times 10^decimals. */
static void put_counters(struct json *j, const struct profile *p)
{
    if (p->n_counters > 0)
        json_open_array(j, "counters");
    for (uint32_t i = 0; i < p->n_counters; i++) {
        const struct profile_counter *c = &p->counters[i];
        json_open_object(j, NULL);
        json_put_string(j, "name", profile_string(p, c->name));
        put_words(j, "group", profile_string(p, c->group));
        json_put_string(j, "kind", str_of(counter_kind_word(c->kind)));
        put_words(j, "unit", profile_string(p, c->unit));
        put_number(j, "decimals", c->decimals);
        json_put_i64(j, "least", c->least);
        json_put_i64(j, "most", c->most);
        put_number(j, "readings", c->n);
        json_close(j);
    }
    if (p->n_counters > 0)
        json_close(j);
}

static void put_screen(struct json *j, const struct profile *p)
{
    if (p->n_screen_frames == 0)
        return;
    json_open_object(j, "screen");
    put_number(j, "frames", p->n_screen_frames);
    put_number(j, "late", profile_late_frames(p));
    json_close(j);
}

/* What a track has, and all of them together. */
struct sums {
    uint64_t records, calls, nodes, totals[PROFILE_VALUES_MAX], shrunk[PROFILE_VALUES_MAX];
    uint32_t values; /* a bit for each that there is: of tracks of several kinds none has all */
};

static void add_track(struct sums *sums, const struct profile *p, const struct profile_track *track)
{
    sums->records = number_add(sums->records, track->records);
    sums->calls = number_add(sums->calls, track->calls);
    sums->nodes = number_add(sums->nodes, track->count);
    for (uint32_t i = 0; i < p->n_values; i++)
        sums->values |= (uint32_t)track_has(track, i) << i;
    for (uint32_t i = 0; i < p->n_values; i++)
        sums->totals[i] = number_add(sums->totals[i], profile_total(p, track->first, i));
    for (uint32_t i = 0; i < p->n_values; i++)
        sums->shrunk[i] = number_add(sums->shrunk[i], profile_minus_total(p, track->first, i));
}

static void put_sum(struct json *j, const struct profile_value *value, uint64_t sum)
{
    json_put_key(j, value->name);
    put_number(j, NULL, value->unit == UNIT_NS ? sum / NS_PER_US : sum);
}

static void put_sums(struct json *j, const struct profile *p, const struct sums *sums)
{
    put_number(j, "records", sums->records);
    put_number(j, "calls", sums->calls);
    put_number(j, "nodes", sums->nodes);
    json_open_object(j, "totals");
    for (uint32_t i = 0; i < p->n_values; i++)
        if (p->values[i].role != ROLE_CALLS && (sums->values >> i & 1) != 0)
            put_sum(j, &p->values[i], sums->totals[i]);
    json_close(j);
    if (p->n_minus == 0)
        return;
    json_open_object(j, "shrunk");
    for (uint32_t i = 0; i < p->n_values; i++)
        if (p->minus[i] > 0)
            put_sum(j, &p->values[i], sums->shrunk[i]);
    json_close(j);
}

static void put_whole(struct json *j, const struct profile *p)
{
    struct sums sums = {0};

    for (uint32_t i = 0; i < p->n_tracks; i++)
        add_track(&sums, p, &p->tracks[i]);
    json_open_object(j, "whole");
    put_number(j, "tracks", p->n_tracks);
    put_sums(j, p, &sums);
    json_close(j);
}

/* By value, at each moment. Sums below 0 contradict the rest. */
static void put_moment_totals(struct json *j, const struct profile *p, const struct profile_track *track)
{
    int64_t *totals = calloc((size_t)track->n_moments * p->n_values, sizeof(*totals));

    if (totals == NULL) {
        j->b->failed = true;
        return;
    }
    moment_totals(p, track, totals);
    json_open_object(j, "moment_totals");
    for (uint32_t v = 0; v < p->n_values; v++) {
        if (!track_has(track, v))
            continue;
        json_put_key(j, p->values[v].name);
        json_open_array(j, NULL);
        for (uint32_t i = 0; i < track->n_moments; i++) {
            int64_t total = totals[(size_t)i * p->n_values + v];
            put_number(j, NULL, total > 0 ? (uint64_t)total : 0);
        }
        json_close(j);
    }
    json_close(j);
    free(totals);
}

/* What the track is, where it is no thread: that is what most are. */
static void put_kind(struct json *j, const struct profile *p, const struct profile_track *track)
{
    if (track->kind != TRACK_THREAD) {
        json_put_string(j, "kind", str_of(track_noun(track->kind)->word));
        put_words(j, "number_is", str_of(track_noun(track->kind)->number));
        put_number(j, "number", track->number);
    }
    put_words(j, "part", profile_string(p, track->part));
    put_words(j, "group", profile_string(p, track->group));
    if (track->beside != 0)
        put_number(j, "beside", track->beside);
    if (track->n_moments == 0)
        return;
    json_open_array(j, "moments_ns");
    for (uint32_t i = 0; i < track->n_moments; i++)
        put_number(j, NULL, p->moments[track->first_moment + i].time_ns);
    json_close(j);
    put_moment_totals(j, p, track);
}

static void put_track(struct buf *b, const struct profile *p, const struct profile_track *track)
{
    struct json j = json_into(b);
    struct sums sums = {0};

    add_track(&sums, p, track);
    buf_u64(b, track->id);
    buf_char(b, ' ');
    json_open_object(&j, NULL);
    put_number(&j, "id", track->id);
    json_put_string(&j, "name", profile_string(p, track->name));
    put_kind(&j, p, track);
    put_sums(&j, p, &sums);
    json_close(&j);
    buf_char(b, '\n');
}

static bool put_tracks(struct buf *b, const struct profile *p)
{
    uint32_t *order = malloc(sizeof(*order) * (p->n_tracks > 0 ? p->n_tracks : 1));

    if (order == NULL)
        return false;
    profile_tracks_by_weight(p, order);
    for (uint32_t i = 0; i < p->n_tracks; i++)
        put_track(b, p, &p->tracks[order[i]]);
    free(order);
    return true;
}

bool summary_write(const struct shared_profile *f, struct buf *out, struct diag *diag)
{
    const struct profile *p = shared_profile_get(f);
    struct json j = json_into(out);

    json_open_object(&j, NULL);
    json_put_string(&j, "format", p->format);
    json_put_string(&j, "format_label", p->format_label);
    put_facts(&j, p);
    put_values(&j, p);
    json_put_bool(&j, "timed", p->timed);
    if (moment_count(p) > 0)
        put_number(&j, "moments", moment_count(p));
    json_put_string(&j, "tracks_are", str_of(track_noun(track_kind_of_all(p))->word));
    json_close(&j);
    buf_char(out, '\n');
    j = json_into(out);
    put_own(&j, shared_profile_own(f));
    buf_char(out, '\n');
    j = json_into(out);
    json_open_object(&j, NULL);
    put_labels(&j, p);
    put_counters(&j, p);
    put_screen(&j, p);
    if (p->n_notes > 0)
        put_number(&j, "annotations", p->n_notes);
    put_warnings(&j, p);
    bool ok = put_unnamed(&j, p, f->arena.limit_bytes);
    put_whole(&j, p);
    json_close(&j);
    buf_char(out, '\n');
    ok = ok && put_tracks(out, p);
    if (ok && !out->failed)
        return true;
    if (ok && out->limit > 0)
        return diag_set(diag, DIAG_LIMIT, "summary too large", "Record fewer threads.",
                        "The summary would be larger than %zu bytes.", out->limit);
    return diag_no_memory(diag, "No memory is left to write the profile's summary.");
}

/* ---- read back: it comes out of a store ---- */

static bool is_within(struct str line, char open, char close)
{
    return line.n >= 2 && line.p[0] == open && line.p[line.n - 1] == close;
}

/* What stands between the braces of an object. */
static struct str members_of(struct str object)
{
    return (struct str){object.p + 1, object.n - 2};
}

/* A track's id and its object. */
static bool next_track(struct str *lines, struct str *id, struct str *object)
{
    struct str line;

    while (str_split(lines, '\n', &line)) {
        *object = line;
        if (str_split(object, ' ', id) && object->p != NULL && is_within(*object, '{', '}'))
            return true;
    }
    return false;
}

static void put_kept_track(struct json *j, struct str id, struct str object, const struct summary_part *part)
{
    struct buf link = {0};

    if (part->links.n == 0) {
        json_put_raw(j, NULL, object);
        return;
    }
    buf_str(&link, part->links);
    buf_str(&link, id);
    buf_z(&link, ".svg");
    buf_str(&link, part->query);
    json_open_object(j, NULL);
    json_put_raw(j, NULL, members_of(object));
    json_put_string(j, "svg", buf_view(&link));
    json_close(j);
    buf_part_end(j->b, &link);
}

/* The tracks [*first, *end) are the one with this id and those beside it; none if it is not there. */
static void find_beside(struct str lines, uint32_t track, size_t *first, size_t *end)
{
    struct str id, object;
    uint64_t number;

    *first = *end = 0;
    for (size_t i = 0; next_track(&lines, &id, &object); i++) {
        if (!str_to_u64(id, 10, &number) || number != track)
            continue;
        *first = i > 0 ? i - 1 : 0;
        *end = i + 2;
        return;
    }
}

static void put_kept_tracks(struct json *j, struct str lines, const struct summary_part *part)
{
    size_t first = 0, end = 0;
    struct str id, object;

    if (part->track != NULL)
        find_beside(lines, *part->track, &first, &end);
    json_open_array(j, "tracks");
    for (size_t i = 0; (i < part->tracks || i < end) && next_track(&lines, &id, &object); i++)
        if (i < part->tracks || i >= first)
            put_kept_track(j, id, object, part);
    json_close(j);
}

void summary_put_members(struct json *j, struct str summary, const struct summary_part *part)
{
    struct str before, app, behind, said = part->app, prefix;

    if (!str_split(&summary, '\n', &before) || !str_split(&summary, '\n', &app) ||
        !str_split(&summary, '\n', &behind) || !is_within(before, '{', '}') || !is_within(app, '[', ']') ||
        !is_within(behind, '{', '}'))
        return;
    json_put_raw(j, NULL, members_of(before));
    if (said.n == 0) {
        json_put_raw(j, "app", app);
    } else {
        json_open_array(j, "app");
        while (str_split(&said, ',', &prefix))
            json_put_string(j, NULL, prefix);
        json_close(j);
    }
    json_put_raw(j, NULL, members_of(behind));
    put_kept_tracks(j, summary, part);
}

void summary_put(struct buf *out, struct str summary, const struct summary_part *part)
{
    struct json j = json_into(out);

    json_open_object(&j, NULL);
    summary_put_members(&j, summary, part);
    json_close(&j);
}
