/* The summary of a profile, without the blanks:
 *
 *     {"format": "android-trace", "format_label": "Android method trace",
 *      "facts": {"clock": "dual", ...},
 *      "values": [{"name": "wall", "label": "wall time", "unit": "us"}, ...],
 *      "warnings": [{"code": "open-frames", "count": 3, "offset": 4711, "text": "..."}, ...],
 *      "whole": {"tracks": 2, "records": 14, "calls": 7, "nodes": 9, "totals": {"wall": 18, "cpu": 8}}}
 *     {"id": 1, "name": "main", "records": 10, "calls": 5, "nodes": 6, "totals": {"wall": 15, "cpu": 7}}
 *     ...
 *
 * Facts: the first of each name. Derived: what can be shown beside the values. Weight: the value by which tracks are
 * sorted. A warning has an offset where there is one. Whole: the sums over all tracks. Tracks by weight; totals of a
 * unit "us" are in whole microseconds, all others as they are, and calls stand in "calls" only. No number is
 * above 2^63 - 1, which is where many readers of JSON end. Equal profiles give equal bytes. */
#include <stdlib.h>

#include "core/clean.h"
#include "core/number.h"
#include "render/view/measure.h"
#include "server/convert/summary.h"

enum { FACTS_MAX = 64, NS_PER_US = 1000 }; /* facts of different names; formats have a handful */

static const char *const UNITS[] = {[UNIT_NS] = "us", [UNIT_BYTES] = "bytes", [UNIT_COUNT] = "count"};

static void put_text(struct buf *b, struct str s)
{
    buf_char(b, '"');
    clean_json(b, s);
    buf_char(b, '"');
}

static void put_number(struct buf *b, uint64_t value)
{
    buf_u64(b, value > INT64_MAX ? INT64_MAX : value);
}

/* `,"key":`, without the comma at the beginning of an object. */
static void put_key(struct buf *b, const char *key)
{
    if (b->n > 0 && b->p[b->n - 1] != '{')
        buf_char(b, ',');
    buf_char(b, '"');
    buf_z(b, key);
    buf_z(b, "\":");
}

static void put_facts(struct buf *b, const struct profile *p)
{
    struct str seen[FACTS_MAX];
    size_t n = 0;

    put_key(b, "facts");
    buf_char(b, '{');
    for (uint32_t i = 0; i < p->n_facts; i++) {
        size_t at = 0;
        while (at < n && !str_eq(seen[at], p->facts[i].name))
            at++;
        if (at < n || n == FACTS_MAX)
            continue;
        buf_z(b, n == 0 ? "" : ",");
        put_text(b, p->facts[i].name);
        buf_char(b, ':');
        put_text(b, p->facts[i].value);
        seen[n++] = p->facts[i].name;
    }
    buf_char(b, '}');
}

/* The profile's own values are the first measures; those that follow from them come behind. */
static void put_measures(struct buf *b, const char *key, const struct measure *m, uint32_t n)
{
    put_key(b, key);
    buf_char(b, '[');
    for (uint32_t i = 0; i < n; i++) {
        buf_z(b, i == 0 ? "{" : ",{");
        put_key(b, "name");
        put_text(b, m[i].name);
        put_key(b, "label");
        put_text(b, m[i].label);
        put_key(b, "unit");
        put_text(b, str_of(UNITS[m[i].unit]));
        buf_char(b, '}');
    }
    buf_char(b, ']');
}

static void put_values(struct buf *b, const struct profile *p)
{
    struct measure m[MEASURES_MAX];
    uint32_t n = measures_of(p, m), weight = profile_weight_value(p);

    put_measures(b, "values", m, p->n_values);
    put_measures(b, "derived", m + p->n_values, n - p->n_values);
    put_key(b, "weight");
    put_text(b, weight < p->n_values ? p->values[weight].name : STR(""));
}

static void put_warnings(struct buf *b, const struct profile *p)
{
    put_key(b, "warnings");
    buf_char(b, '[');
    for (uint32_t i = 0; i < p->n_warnings; i++) {
        const struct profile_warning *w = &p->warnings[i];
        buf_z(b, i == 0 ? "{" : ",{");
        put_key(b, "code");
        put_text(b, w->code);
        put_key(b, "count");
        put_number(b, w->count);
        if (w->has_offset) {
            put_key(b, "offset");
            put_number(b, w->offset);
        }
        put_key(b, "text");
        put_text(b, w->text);
        buf_char(b, '}');
    }
    buf_char(b, ']');
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

static void put_sums(struct buf *b, const struct profile *p, const struct sums *sums)
{
    bool first = true;

    put_key(b, "records");
    put_number(b, sums->records);
    put_key(b, "calls");
    put_number(b, sums->calls);
    put_key(b, "nodes");
    put_number(b, sums->nodes);
    put_key(b, "totals");
    buf_char(b, '{');
    for (uint32_t i = 0; i < p->n_values; i++) {
        if (p->values[i].role == ROLE_CALLS)
            continue;
        buf_z(b, first ? "" : ",");
        put_text(b, p->values[i].name);
        buf_char(b, ':');
        put_number(b, p->values[i].unit == UNIT_NS ? sums->totals[i] / NS_PER_US : sums->totals[i]);
        first = false;
    }
    buf_char(b, '}');
}

static void put_whole(struct buf *b, const struct profile *p)
{
    struct sums sums = {0};

    for (uint32_t i = 0; i < p->n_tracks; i++)
        add_track(&sums, p, &p->tracks[i]);
    put_key(b, "whole");
    buf_char(b, '{');
    put_key(b, "tracks");
    put_number(b, p->n_tracks);
    put_sums(b, p, &sums);
    buf_char(b, '}');
}

static void put_track(struct buf *b, const struct profile *p, const struct profile_track *track)
{
    struct sums sums = {0};

    add_track(&sums, p, track);
    buf_char(b, '{');
    put_key(b, "id");
    put_number(b, track->id);
    put_key(b, "name");
    put_text(b, profile_string(p, track->name));
    put_sums(b, p, &sums);
    buf_z(b, "}\n");
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

    buf_char(out, '{');
    put_key(out, "format");
    put_text(out, p->format);
    put_key(out, "format_label");
    put_text(out, p->format_label);
    put_facts(out, p);
    put_values(out, p);
    put_warnings(out, p);
    put_whole(out, p);
    buf_z(out, "}\n");
    bool ok = put_tracks(out, p);
    if (ok && !out->failed)
        return true;
    if (ok && out->limit > 0)
        return diag_set(diag, DIAG_LIMIT, "summary too large", "Record fewer threads.",
                        "The summary would be larger than %zu bytes.", out->limit);
    return diag_set(diag, DIAG_NO_MEMORY, "out of memory", "Try again later.",
                    "No memory is left to write the profile's summary.");
}
