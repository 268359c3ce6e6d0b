#include "render/view.h"

#include <string.h>

#include "core/clean.h"
#include "core/number.h"
#include "render/tree/measure.h"

enum {
    WIDTH_PX_MIN = 200,
    WIDTH_PX_MAX = 10000,
    MIN_PX_MAX = 100,
    DECIMALS = 3,      /* of numbers that have some: their thousandths are kept */
    QUOTED_BYTES = 60, /* of a wrong value, in an error */
    LISTED = 8         /* names of what there is, in an error */
};

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

static const char *const KINDS[] = {[VIEW_FLAME] = "flame",
                                    [VIEW_ICICLE] = "icicle",
                                    [VIEW_INVERTED] = "inverted",
                                    [VIEW_SANDWICH] = "sandwich",
                                    [VIEW_CHART] = "chart"};
static const char *const ORDERS[] = {[ORDER_NAME] = "name", [ORDER_WEIGHT] = "weight"};
static const char *const PALETTES[] = {[COLOURS_ORIGIN] = "origin",
                                       [COLOURS_PACKAGE] = "package",
                                       [COLOURS_SELF] = "self",
                                       [COLOURS_CLASSIC] = "classic"};
static const char *const NAMES[] = {[NAMES_SHORT] = "short", [NAMES_FULL] = "full"};
static const char *const OPENS[] = {[OPEN_LAST] = "last", [OPEN_END] = "end"};

void view_defaults(struct view_options *o)
{
    *o = (struct view_options){.tracks = TRACKS_LISTED, .view = VIEW_FLAME, .order = ORDER_NAME};
    o->width_px = 1200;
    o->min_milli_px = 500;
    o->from_ns = o->to_ns = VIEW_TIME_NONE;
    o->embed_nodes = 200000;
    o->embed_bytes = 4000000;
}

/* Sets diag; `problem` is said after the key and the value. Always false. */
static bool refuse(struct diag *diag, struct str key, struct str value, const char *problem)
{
    struct buf k = {0}, v = {0};

    clean_text(&k, clean_cut(key, QUOTED_BYTES));
    clean_text(&v, clean_cut(value, QUOTED_BYTES));
    diag_set(diag, DIAG_USAGE, "option not understood",
             "Correct the option, or leave it out for its default.", "%.*s=%.*s: %s", (int)k.n,
             k.n > 0 ? k.p : "", (int)v.n, v.n > 0 ? v.p : "", problem);
    buf_free(&k);
    buf_free(&v);
    return false;
}

/* Index of the word, or n. */
static unsigned word(struct str s, const char *const *words, unsigned n)
{
    unsigned i = 0;

    while (i < n && !str_eq(s, str_of(words[i])))
        i++;
    return i;
}

const char *view_kind_word(unsigned kind)
{
    return kind < COUNT_OF(KINDS) ? KINDS[kind] : NULL;
}

const char *view_order_word(unsigned order)
{
    return order < COUNT_OF(ORDERS) ? ORDERS[order] : NULL;
}

const char *view_palette_word(unsigned palette)
{
    return palette < COUNT_OF(PALETTES) ? PALETTES[palette] : NULL;
}

const char *view_names_word(unsigned names)
{
    return names < COUNT_OF(NAMES) ? NAMES[names] : NULL;
}

const char *view_open_word(unsigned open)
{
    return open < COUNT_OF(OPENS) ? OPENS[open] : NULL;
}

static bool set_view(struct view_options *o, struct str key, struct str value, struct diag *diag)
{
    unsigned n = COUNT_OF(KINDS), i = word(value, KINDS, n);

    if (i == n)
        return refuse(diag, key, value, "the view is one of flame, icicle, inverted, sandwich, chart.");
    o->view = (enum view_kind)i;
    return true;
}

static bool set_palette(struct view_options *o, struct str key, struct str value, struct diag *diag)
{
    unsigned n = COUNT_OF(PALETTES), i = word(value, PALETTES, n);

    if (i == n)
        return refuse(diag, key, value, "the palette is one of origin, package, self, classic.");
    o->palette = (enum view_palette)i;
    return true;
}

static bool set_names(struct view_options *o, struct str key, struct str value, struct diag *diag)
{
    unsigned n = COUNT_OF(NAMES), i = word(value, NAMES, n);

    if (i == n)
        return refuse(diag, key, value, "names are short or full.");
    o->names = (enum view_names)i;
    return true;
}

/* An empty one is as none: forms send it. */
static bool set_method(struct view_options *o, struct str key, struct str value, struct diag *diag)
{
    if (value.n > VIEW_METHOD_BYTES_MAX || memchr(value.p, '\0', value.n) != NULL)
        return refuse(diag, key, value, "the method is its name as shown, of at most 500 bytes.");
    memset(o->method, 0, sizeof(o->method));
    memcpy(o->method, value.p, value.n);
    return true;
}

static bool set_order(struct view_options *o, struct str key, struct str value, struct diag *diag)
{
    unsigned i = word(value, ORDERS, 2);

    if (i == 2)
        return refuse(diag, key, value, "the order is one of name, weight.");
    o->order = (enum view_order)i;
    return true;
}

static bool set_open(struct view_options *o, struct str key, struct str value, struct diag *diag)
{
    unsigned n = COUNT_OF(OPENS), i = word(value, OPENS, n);

    if (i == n)
        return refuse(
            diag, key, value,
            "methods that are never left last to their thread's last record (last) or to the end of the "
            "trace (end).");
    o->open = (enum view_open)i;
    return true;
}

static bool set_value(struct view_options *o, struct str key, struct str value, struct diag *diag)
{
    if (value.n == 0 || value.n >= sizeof(o->value) || memchr(value.p, '\0', value.n) != NULL)
        return refuse(diag, key, value,
                      "the value is the name of one that the profile has, such as wall, cpu, calls.");
    memset(o->value, 0, sizeof(o->value));
    memcpy(o->value, value.p, value.n);
    return true;
}

static bool set_width(struct view_options *o, struct str key, struct str value, struct diag *diag)
{
    uint64_t px;

    if (!str_to_u64(value, 10, &px) || px < WIDTH_PX_MIN || px > WIDTH_PX_MAX)
        return refuse(diag, key, value, "the width is a whole number of pixels from 200 to 10000.");
    o->width_px = (uint32_t)px;
    return true;
}

/* "0.5" -> 500. At most three decimals, digits on both sides of the point. */
static bool milli_of(struct str s, uint64_t whole_max, uint64_t *milli)
{
    size_t point = str_find(s, '.');
    uint64_t whole, fraction = 0;

    if (!str_to_u64((struct str){s.p, point}, 10, &whole) || whole > whole_max)
        return false;
    if (point < s.n) {
        struct str decimals = {s.p + point + 1, s.n - point - 1};
        if (decimals.n == 0 || decimals.n > DECIMALS || !str_to_u64(decimals, 10, &fraction))
            return false;
        for (size_t i = decimals.n; i < DECIMALS; i++)
            fraction *= 10;
    }
    *milli = whole * 1000 + fraction;
    return true;
}

static bool set_min(struct view_options *o, struct str key, struct str value, struct diag *diag)
{
    uint64_t milli;

    if (!milli_of(value, MIN_PX_MAX, &milli) || milli > MIN_PX_MAX * 1000)
        return refuse(diag, key, value, "the least width is a number of pixels from 0 to 100, such as 0.5.");
    o->min_milli_px = (uint32_t)milli;
    return true;
}

/* µs into ns; an empty one is as none: forms send it. */
static bool set_time(uint64_t *ns, struct str key, struct str value, struct diag *diag)
{
    if (value.n == 0) {
        *ns = VIEW_TIME_NONE;
        return true;
    }
    return milli_of(value, INT64_MAX / 1000 - 1, ns) ||
           refuse(diag, key, value,
                  "the time is a number of µs since the trace's start, such as 1500 or 0.25, of a chart.");
}

static bool set_from(struct view_options *o, struct str key, struct str value, struct diag *diag)
{
    return set_time(&o->from_ns, key, value, diag);
}

static bool set_to(struct view_options *o, struct str key, struct str value, struct diag *diag)
{
    return set_time(&o->to_ns, key, value, diag);
}

struct option {
    const char *key;
    bool (*set)(struct view_options *o, struct str key, struct str value, struct diag *diag);
};

static const struct option OPTIONS[] = {
    {"view", set_view},     {"order", set_order}, {"value", set_value},     {"width", set_width},
    {"min", set_min},       {"open", set_open},   {"palette", set_palette}, {"names", set_names},
    {"method", set_method}, {"from", set_from},   {"to", set_to},
};

bool view_set(struct view_options *o, struct str key, struct str value, struct diag *diag)
{
    for (size_t i = 0; i < sizeof(OPTIONS) / sizeof(OPTIONS[0]); i++)
        if (str_eq(key, str_of(OPTIONS[i].key)))
            return OPTIONS[i].set(o, key, value, diag);
    return refuse(diag, key, value,
                  "there is no such option; those of a view are view, order, open, value, width, min, "
                  "palette, names, method, from, to.");
}

bool view_set_budget(struct view_options *o, struct str key, struct str value, struct diag *diag)
{
    uint64_t n;

    if (str_eq(key, STR("embed-nodes"))) {
        if (!str_to_u64(value, 10, &n) || n >= UINT32_MAX)
            return refuse(diag, key, value, "the nodes to embed are a whole number up to 4294967294.");
        o->embed_nodes = (uint32_t)n;
        return true;
    }
    if (!str_eq(key, STR("embed-bytes")))
        return refuse(diag, key, value,
                      "there is no such option; those of the budget are embed-nodes, embed-bytes.");
    if (!str_to_u64(value, 10, &n))
        return refuse(diag, key, value, "the bytes to embed are a whole number.");
    o->embed_bytes = n;
    return true;
}

/* Keeps the ids ascending, each once. False when there is no room. */
static bool add_track(struct view_options *o, uint32_t id)
{
    uint32_t at = 0;

    while (at < o->n_track_ids && o->track_ids[at] < id)
        at++;
    if (at < o->n_track_ids && o->track_ids[at] == id)
        return true;
    if (o->n_track_ids == VIEW_TRACKS_MAX)
        return false;
    memmove(&o->track_ids[at + 1], &o->track_ids[at], (o->n_track_ids - at) * sizeof(o->track_ids[0]));
    o->track_ids[at] = id;
    o->n_track_ids++;
    return true;
}

bool view_set_tracks(struct view_options *o, struct str text, struct diag *diag)
{
    static const char EXPECTED[] =
        "tracks are named by their ids, with commas between them, or as all or merged.";
    struct view_options listed = {.tracks = TRACKS_LISTED};
    struct str rest = text, field;

    if (str_eq(text, STR("all")))
        listed.tracks = TRACKS_ALL;
    else if (str_eq(text, STR("merged")))
        listed.tracks = TRACKS_MERGED;
    else if (text.n == 0)
        return refuse(diag, STR("track"), text, EXPECTED);
    while (listed.tracks == TRACKS_LISTED && str_split(&rest, ',', &field)) {
        uint64_t id;
        if (!str_to_u64(field, 10, &id) || id > UINT32_MAX)
            return refuse(diag, STR("track"), text, EXPECTED);
        if (!add_track(&listed, (uint32_t)id))
            return refuse(diag, STR("track"), text, "at most 64 tracks can be named; all shows every one.");
    }
    o->tracks = listed.tracks;
    o->n_track_ids = listed.n_track_ids;
    memcpy(o->track_ids, listed.track_ids, sizeof(o->track_ids));
    return true;
}

static uint32_t heaviest(const struct profile *p)
{
    uint32_t weight = profile_weight_value(p), best = 0;

    for (uint32_t i = 1; i < p->n_tracks; i++)
        if (profile_total(p, p->tracks[i].first, weight) > profile_total(p, p->tracks[best].first, weight))
            best = i;
    return p->tracks[best].id;
}

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

bool view_resolve(struct view_options *o, const struct profile *p, struct diag *diag)
{
    struct measure m;

    if (p->n_tracks == 0 || p->n_values == 0)
        return diag_set(diag, DIAG_NOT_FOUND, "nothing to show", "",
                        "The profile has no records of any track.");
    if (o->tracks == TRACKS_LISTED && o->n_track_ids == 0)
        add_track(o, heaviest(p));
    for (uint32_t i = 0; o->tracks == TRACKS_LISTED && i < o->n_track_ids; i++)
        if (profile_track_by_id(p, o->track_ids[i]) == NULL)
            return refuse_track(o->track_ids[i], p, diag);
    if (o->open == OPEN_END && profile_value_by_role(p, ROLE_WALL) == p->n_values)
        return diag_set(diag, DIAG_USAGE, "no wall time", "Leave the option out.",
                        "open=end: methods that are never left can last to the end of the trace in wall time "
                        "only, and the profile has none.");
    if (o->value[0] == '\0') {
        struct str first = measure_key(p->values[0].name);
        if (first.n > 0)
            memcpy(o->value, first.p, first.n);
    }
    if (!measure_by_name(p, o->value, &m))
        return refuse_value(o->value, p, diag);
    return true;
}

void view_canonical(const struct view_options *o, struct buf *b)
{
    buf_z(b, "track=");
    if (o->tracks == TRACKS_ALL)
        buf_z(b, "all");
    if (o->tracks == TRACKS_MERGED)
        buf_z(b, "merged");
    for (uint32_t i = 0; o->tracks == TRACKS_LISTED && i < o->n_track_ids; i++) {
        buf_z(b, i == 0 ? "" : ",");
        buf_u64(b, o->track_ids[i]);
    }
    buf_z(b, "&view=");
    buf_z(b, KINDS[o->view]);
    buf_z(b, "&order=");
    buf_z(b, ORDERS[o->order]);
    buf_z(b, "&open=");
    buf_z(b, OPENS[o->open]);
    buf_z(b, "&width=");
    buf_u64(b, o->width_px);
    buf_z(b, "&min=");
    buf_fixed(b, o->min_milli_px, 3);
    buf_z(b, "&palette=");
    buf_z(b, PALETTES[o->palette]);
    buf_z(b, "&names=");
    buf_z(b, NAMES[o->names]);
    buf_printf(b, "&embed=%u,%llu", o->embed_nodes, (unsigned long long)o->embed_bytes);
    if (o->node > 0 || o->skip > 0)
        buf_printf(b, "&node=%u&skip=%u", o->node, o->skip);
    if (o->view == VIEW_CHART && o->from_ns != VIEW_TIME_NONE) {
        buf_z(b, "&from=");
        buf_fixed(b, o->from_ns, DECIMALS);
    }
    if (o->view == VIEW_CHART && o->to_ns != VIEW_TIME_NONE) {
        buf_z(b, "&to=");
        buf_fixed(b, o->to_ns, DECIMALS);
    }
    /* With its length: like the value, it may hold any character. */
    buf_printf(b, "&method=%zu:", strlen(o->method));
    buf_z(b, o->method);
    /* The value comes last: a profile's own names may hold any character. */
    buf_z(b, "&value=");
    buf_z(b, o->value);
}
