#include "render/view/view.h"

#include <string.h>

#include "core/arena.h"
#include "core/buf.h"
#include "core/clean.h"
#include "core/diag.h"
#include "core/number.h"
#include "core/unit.h"
#include "profile/profile.h"
#include "profile/transform/transform.h"

/* ---- failures ---- */

static bool no_memory(struct diag *diag)
{
    return diag_no_memory(diag, "The system has no memory left to draw this view.");
}

bool fail_arena(const struct arena *a, struct diag *diag)
{
    if (a->failure == ARENA_STOPPED)
        return stop_say(a->stop, diag);
    if (a->failure != ARENA_LIMIT)
        return no_memory(diag);
    return diag_set(diag, DIAG_LIMIT, "view too large", "Choose one thread instead of several.",
                    "Drawing this view needs more than the %zu MiB of memory it may take.",
                    a->limit_bytes >> 20);
}

bool fail_buf(const struct buf *b, struct diag *diag)
{
    if (!b->full)
        return no_memory(diag);
    return diag_set(diag, DIAG_LIMIT, "view too large",
                    "Choose one thread instead of several, or an output with less detail.",
                    "The result would be larger than the %zu bytes that a view may have.", b->limit);
}

/* ---- measures ---- */

/* What a view can measure: the values of the profile, and those derived from them. */

uint32_t measures_of(const struct profile *p, struct measure m[MEASURES_MAX])
{
    uint32_t n = 0;

    for (; n < p->n_values; n++) {
        const struct profile_value *v = &p->values[n];
        m[n] = (struct measure){.name = v->name, .label = v->label, .unit = v->unit, .value = n};
    }
    uint32_t wall, cpu;
    if (profile_waits(p, &wall, &cpu))
        m[n++] = (struct measure){STR("waiting"), STR("waiting time"), UNIT_NS, true, wall, cpu};
    return n;
}

bool view_shows_track(const struct view_options *o, uint32_t id)
{
    bool shown = o->tracks != TRACKS_LISTED;

    for (uint32_t i = 0; i < o->n_track_ids && !shown; i++)
        shown = o->track_ids[i] == id;
    return shown;
}

uint32_t *view_tracks(const struct profile *p, const struct view_options *o, uint32_t *n, struct arena *arena)
{
    uint32_t *tracks = arena_array(arena, p->n_tracks, sizeof(*tracks));

    *n = 0;
    for (uint32_t i = 0; tracks != NULL && i < p->n_tracks; i++)
        if (view_shows_track(o, p->tracks[i].id))
            tracks[(*n)++] = i;
    return tracks;
}

static bool some_has(const struct profile *p, const struct view_options *o, uint32_t value)
{
    uint32_t i = 0;

    while (i < p->n_tracks && !(view_shows_track(o, p->tracks[i].id) && track_has(&p->tracks[i], value)))
        i++;
    return i < p->n_tracks;
}

uint32_t measures_shown(const struct profile *p, const struct view_options *o, struct measure m[MEASURES_MAX])
{
    uint32_t n = measures_of(p, m), kept = 0;

    if (!profile_is_mixed(p))
        return n;
    for (uint32_t i = 0; i < n; i++)
        if (some_has(p, o, m[i].value))
            m[kept++] = m[i];
    return kept;
}

struct str measure_key(struct str name)
{
    enum { ROOM = sizeof((struct view_options){0}.value) - 1 };

    name.n = str_find(name, '\0');
    return clean_cut(name, ROOM);
}

bool measure_by_name(const struct profile *p, const char *name, struct measure *m)
{
    struct measure all[MEASURES_MAX];
    uint32_t n = measures_of(p, all);

    for (uint32_t i = 0; i < n; i++)
        if (str_eq(measure_key(all[i].name), str_of(name))) {
            *m = all[i];
            return true;
        }
    return false;
}

bool measure_counts(const struct profile *p, const struct measure *bytes, struct measure *counts)
{
    static const struct str SUFFIX = STR_INIT("-count");
    struct measure all[MEASURES_MAX];
    uint32_t n = measures_of(p, all);

    if (profile_sample_bytes(p) == 0 || bytes->unit != UNIT_BYTES)
        return false;
    for (uint32_t i = 0; i < n; i++)
        if (all[i].name.n == bytes->name.n + SUFFIX.n && str_starts(all[i].name, bytes->name) &&
            str_ends(all[i].name, SUFFIX)) {
            *counts = all[i];
            return true;
        }
    return false;
}

/* ---- views ---- */

/* What depends on the profile: which track, which value, and whether it has what is asked for. */

enum {
    LISTED = 8,      /* tracks named in an error */
    RANGE_DIGITS = 6 /* of a time */
};

static bool refuse_track(uint32_t id, const struct profile *p, struct diag *diag)
{
    struct buf b = {0};

    for (uint32_t i = 0; i < p->n_tracks && i < LISTED; i++) {
        buf_z(&b, i == 0 ? "" : ", ");
        buf_u64(&b, p->tracks[i].id);
    }
    if (p->n_tracks > LISTED)
        buf_printf(&b, " and %u more", p->n_tracks - LISTED);
    diag_set(diag, DIAG_NOT_FOUND, "no such track", "Name one of its tracks, or all, or merged.",
             "The profile has no track %u with records. It has %.*s.", id, (int)b.n, b.n > 0 ? b.p : "");
    buf_free(&b);
    return false;
}

static bool refuse_value(const char *value, const struct profile *p, struct diag *diag)
{
    struct measure m[MEASURES_MAX];
    uint32_t n = measures_of(p, m);
    struct buf b = {0}, v = {0};

    for (uint32_t i = 0; i < n; i++) {
        buf_z(&b, i == 0 ? "" : ", ");
        clean_text(&b, measure_key(m[i].name));
    }
    clean_text(&v, str_of(value));
    diag_set(diag, DIAG_USAGE, "no such value", "Name one of its values, or leave the option out.",
             "value=%.*s: the profile does not have it. It has %.*s.", (int)v.n, v.n > 0 ? v.p : "", (int)b.n,
             b.n > 0 ? b.p : "");
    buf_free(&b);
    buf_free(&v);
    return false;
}

/* The first value that is not 0 on all of the chosen tracks; a clock that was read comes first whatever it says. */
static uint32_t first_value(const struct view_options *o, const struct profile *p)
{
    uint32_t first = 0;

    while (first + 1 < p->n_values && !some_has(p, o, first))
        first++;
    for (uint32_t value = first; value < p->n_values && (p->n_times == 0 || first > 0); value++)
        for (uint32_t i = 0; i < p->n_tracks; i++)
            if (view_shows_track(o, p->tracks[i].id) && profile_total(p, p->tracks[i].first, value) > 0)
                return value;
    return first;
}

static bool has_heaps(const struct profile *p)
{
    uint32_t i = 0;

    while (i < p->n_tracks && p->tracks[i].kind != TRACK_HEAP)
        i++;
    return i < p->n_tracks;
}

/* What another kind of track is measured by says nothing of these: they have their own first value. */
static void drop_foreign_value(struct view_options *o, const struct profile *p)
{
    struct measure m;

    if (profile_is_mixed(p) && measure_by_name(p, o->value, &m) && !some_has(p, o, m.value))
        memset(o->value, 0, sizeof(o->value));
}

void view_range_words(struct buf *b, const struct view_options *o)
{
    bool begins = o->from_ns != VIEW_TIME_NONE, ends = o->to_ns != VIEW_TIME_NONE;

    if (begins && !ends)
        buf_z(b, "from ");
    if (begins)
        buf_value(b, UNIT_NS, o->from_ns, RANGE_DIGITS);
    if (ends) {
        buf_z(b, begins ? " to " : "up to ");
        buf_value(b, UNIT_NS, o->to_ns, RANGE_DIGITS);
    } else if (begins) {
        buf_z(b, " on");
    }
}

struct moment_request view_moment(const struct view_options *o)
{
    return (struct moment_request){o->moment.number, o->mode == MODE_INTERVAL || o->moment.since > 0,
                                   o->moment.since};
}

void view_moment_words(struct buf *b, const struct view_options *o)
{
    const struct view_moment *m = &o->moment;

    if (m->since > 0) {
        buf_printf(b, ", from dump %u to dump %u", m->since, m->number);
        return;
    }
    if (m->number > 0)
        buf_printf(b, ", dump %u", m->number);
    if (o->mode == MODE_INTERVAL)
        buf_z(b, m->number > 0 ? " since the one before" : ", last dump since the one before");
}

bool view_window(const struct view_options *o, struct window *window, struct diag *diag)
{
    window->from_ns = o->from_ns == VIEW_TIME_NONE ? 0 : o->from_ns;
    window->to_ns = o->to_ns == VIEW_TIME_NONE ? WINDOW_NO_END : o->to_ns;
    if (o->view == VIEW_CHART || (o->from_ns == VIEW_TIME_NONE && o->to_ns == VIEW_TIME_NONE))
        return false;
    if (window->from_ns < window->to_ns)
        return true;
    struct buf text = {0};
    buf_z(&text, "from=");
    buf_fixed(&text, window->from_ns, 3);
    buf_z(&text, " is not before to=");
    buf_fixed(&text, window->to_ns, 3);
    diag_set(diag, DIAG_USAGE, "not a range of time",
             "Give from and to in µs since the trace's start, from before to; or leave one of them out.",
             "%.*s: there is nothing between them.", (int)text.n, text.n > 0 ? text.p : "");
    buf_free(&text);
    return false;
}

bool view_refuse_range(uint64_t whole_from_ns, uint64_t whole_to_ns, const char *what, const char *hint,
                       struct diag *diag)
{
    struct buf whole = {0};

    buf_fixed(&whole, whole_from_ns, 3);
    buf_z(&whole, " to ");
    buf_fixed(&whole, whole_to_ns, 3);
    diag_set(diag, DIAG_USAGE, "no such time", hint, "%s from %.*s µs.", what, (int)whole.n,
             whole.n > 0 ? whole.p : "");
    buf_free(&whole);
    return false;
}

bool view_resolve(struct view_options *o, const struct profile *p, struct diag *diag)
{
    struct measure m;

    if (p->n_tracks == 0 || p->n_values == 0)
        return diag_set(diag, DIAG_NOT_FOUND, "nothing to show", "",
                        "The profile has no records of any track.");
    if (o->tracks == TRACKS_LISTED && o->n_track_ids == 0)
        o->track_ids[o->n_track_ids++] = p->tracks[profile_heaviest(p)].id;
    for (uint32_t i = 0; o->tracks == TRACKS_LISTED && i < o->n_track_ids; i++)
        if (profile_track_by_id(p, o->track_ids[i]) == NULL)
            return refuse_track(o->track_ids[i], p, diag);
    if (o->open == OPEN_END && profile_value_by_role(p, ROLE_WALL) == p->n_values)
        return diag_set(diag, DIAG_USAGE, "no wall time", "Leave the option out.",
                        "open=end: unfinished calls can go on to the end of the trace in wall time "
                        "only, and the profile has none.");
    if (o->palette == COLOURS_CHANGE && p->compared == NULL)
        return diag_set(diag, DIAG_USAGE, "nothing to compare",
                        "Leave the option out, or compare two profiles.",
                        "palette=change: only a comparison has these colours.");
    uint32_t moments = moment_count(p);
    if (moments == 0 && has_heaps(p) && (o->from_ns != VIEW_TIME_NONE || o->to_ns != VIEW_TIME_NONE)) {
        o->moment = (struct view_moment){0}; /* the range has chosen its dumps */
        o->mode = MODE_CUMULATIVE;
    }
    if (o->moment.number > moments && (moments > 0 || o->moment.number > 1))
        return diag_set(diag, DIAG_USAGE, "no such moment",
                        "Name one of its moments, or leave the option out.",
                        "moment=%u: the profile has %u moment%s.", o->moment.number,
                        moments > 0 ? moments : 1, moments > 1 ? "s" : "");
    drop_foreign_value(o, p);
    if (o->value[0] == '\0') {
        struct str first = measure_key(p->values[first_value(o, p)].name);
        if (first.n > 0)
            memcpy(o->value, first.p, first.n);
    }
    if (!measure_by_name(p, o->value, &m))
        return refuse_value(o->value, p, diag);
    return true;
}

/* ---- changes ---- */

/* How much a number changed from one recording to another, in words and as one of the steps of a scale.
 * Knows two numbers and nothing else. */

static inline uint64_t change_size(uint64_t a, uint64_t b)
{
    return a > b ? a - b : b - a;
}

enum { DIGITS = 4 };

static const struct step {
    uint64_t percent; /* of the larger number: a change of at least so much */
    const char *label;
} STEPS[CHANGE_STEPS] = {
    {100, "only in A"}, {50, "-50 %"}, {20, "-20 %"}, {5, "-5 %"},        {0, "same"},
    {5, "+5 %"},        {20, "+20 %"}, {50, "+50 %"}, {100, "only in B"},
};

static void put_sign(struct buf *out, uint64_t a, uint64_t b)
{
    if (a != b)
        buf_char(out, b > a ? '+' : '-');
}

void change_put(struct buf *out, enum unit unit, uint64_t a, uint64_t b)
{
    put_sign(out, a, b);
    buf_value(out, unit, change_size(a, b), DIGITS);
}

void change_put_percent(struct buf *out, uint64_t a, uint64_t b)
{
    if (a == b) {
        buf_z(out, "0 %");
    } else if (a == 0) {
        buf_z(out, "new");
    } else if (b == 0) {
        buf_z(out, "gone");
    } else {
        uint64_t hundredths = number_ratio(change_size(a, b), a, 10000);
        put_sign(out, a, b);
        if (hundredths == 0) {
            buf_z(out, "<0.01 %");
            return;
        }
        if (hundredths >= 10000)
            buf_u64_grouped(out, (hundredths + 50) / 100);
        else
            buf_fixed(out, hundredths, 2);
        buf_z(out, " %");
    }
}

unsigned change_step(uint64_t a, uint64_t b)
{
    uint64_t larger = a > b ? a : b;
    unsigned side = 0; /* how many steps from the middle */

    if (larger == 0)
        return CHANGE_SAME;
    uint64_t percent = number_ratio(change_size(a, b), larger, 100);
    while (side < CHANGE_SAME && percent >= STEPS[CHANGE_SAME + side + 1].percent)
        side++;
    /* Rounded to all of it, but not all. */
    if (side == CHANGE_SAME && a > 0 && b > 0)
        side--;
    return b > a ? CHANGE_SAME + side : CHANGE_SAME - side;
}

const char *change_step_label(unsigned step)
{
    return STEPS[step].label;
}
