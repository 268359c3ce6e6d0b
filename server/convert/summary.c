/* The summary of a profile, without the blanks:
 *
 *     {"format": "android-trace", "format_label": "Android method trace",
 *      "facts": {"clock": "dual", ...},
 *      "values": [{"name": "wall", "label": "wall time", "unit": "us"}, ...],
 *      "app": ["com.example"],
 *      "warnings": [{"code": "open-frames", "count": 3, "offset": 4711, "about": "file", "text": "..."}, ...],
 *      "whole": {"tracks": 2, "records": 14, "calls": 7, "nodes": 9, "totals": {"wall": 18, "cpu": 8}}}
 *     {"id": 1, "name": "main", "records": 10, "calls": 5, "nodes": 6, "totals": {"wall": 15, "cpu": 7}}
 *     ...
 *
 * Facts: the first of each name; numbers and booleans where their kind says so (recording_facts.h). Derived: what can
 * be shown beside the values. Weight: the value by which tracks are sorted. A warning has an offset where there is one, and is about the file or about
 * how to record better ("recording"). Whole: the sums over all tracks. Tracks by weight; totals of a
 * unit "us" are in whole microseconds, all others as they are, and calls stand in "calls" only. No number is
 * above 2^63 - 1, which is where many readers of JSON end. Equal profiles give equal bytes. */
#include <stdlib.h>

#include "core/number.h"
#include "profile/warning.h"
#include "render/view/measure.h"
#include "server/convert/recording_facts.h"
#include "server/convert/summary.h"

enum { FACTS_MAX = 64, NS_PER_US = 1000 }; /* facts of different names; formats have a handful */

static const char *const UNITS[] = {[UNIT_NS] = "us", [UNIT_BYTES] = "bytes", [UNIT_COUNT] = "count"};

static void put_number(struct json *j, const char *key, uint64_t value)
{
    json_put_u64(j, key, value > INT64_MAX ? INT64_MAX : value);
}

/* A number where its kind is one, however it is shown to people. What is not of its kind is text as it was written. */
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

/* The profile's own values are the first measures; those that follow from them come behind. */
static void put_measures(struct json *j, const char *key, const struct measure *m, uint32_t n)
{
    json_open_array(j, key);
    for (uint32_t i = 0; i < n; i++) {
        json_open_object(j, NULL);
        json_put_string(j, "name", m[i].name);
        json_put_string(j, "label", m[i].label);
        json_put_string(j, "unit", str_of(UNITS[m[i].unit]));
        json_close(j);
    }
    json_close(j);
}

static void put_values(struct json *j, const struct profile *p)
{
    struct measure m[MEASURES_MAX];
    uint32_t n = measures_of(p, m), weight = profile_weight_value(p);

    put_measures(j, "values", m, p->n_values);
    put_measures(j, "derived", m + p->n_values, n - p->n_values);
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

static void put_own(struct json *j, const struct own_code *own)
{
    json_open_array(j, "app");
    for (uint32_t i = 0; i < own->n; i++)
        json_put_string(j, NULL, own->prefix[i]);
    json_close(j);
}

/* What a track has, and all of them together. */
struct sums {
    uint64_t records, calls, nodes, totals[PROFILE_VALUES_MAX];
};

static void add_track(struct sums *sums, const struct profile *p, const struct profile_track *track)
{
    sums->records = number_add(sums->records, track->records);
    sums->calls = number_add(sums->calls, track->calls);
    sums->nodes = number_add(sums->nodes, track->count);
    for (uint32_t i = 0; i < p->n_values; i++)
        sums->totals[i] = number_add(sums->totals[i], profile_total(p, track->first, i));
}

static void put_sums(struct json *j, const struct profile *p, const struct sums *sums)
{
    put_number(j, "records", sums->records);
    put_number(j, "calls", sums->calls);
    put_number(j, "nodes", sums->nodes);
    json_open_object(j, "totals");
    for (uint32_t i = 0; i < p->n_values; i++) {
        if (p->values[i].role == ROLE_CALLS)
            continue;
        json_put_key(j, p->values[i].name);
        put_number(j, NULL, p->values[i].unit == UNIT_NS ? sums->totals[i] / NS_PER_US : sums->totals[i]);
    }
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

static void put_track(struct buf *b, const struct profile *p, const struct profile_track *track)
{
    struct json j = json_into(b);
    struct sums sums = {0};

    add_track(&sums, p, track);
    json_open_object(&j, NULL);
    put_number(&j, "id", track->id);
    json_put_string(&j, "name", profile_string(p, track->name));
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
    put_own(&j, shared_profile_own(f));
    put_warnings(&j, p);
    put_whole(&j, p);
    json_close(&j);
    buf_char(out, '\n');
    bool ok = put_tracks(out, p);
    if (ok && !out->failed)
        return true;
    if (ok && out->limit > 0)
        return diag_set(diag, DIAG_LIMIT, "summary too large", "Record fewer threads.",
                        "The summary would be larger than %zu bytes.", out->limit);
    return diag_set(diag, DIAG_NO_MEMORY, "out of memory", "Try again later.",
                    "No memory is left to write the profile's summary.");
}
