/* Options of a view from text: one function for each kind of option, and one sentence for all that is wrong. */
#include <string.h>

#include "core/clean.h"
#include "core/order.h"
#include "profile/filter/filter_presets.h"
#include "render/view/view_option.h"

enum { QUOTED_BYTES = 60 }; /* of a wrong value, in an error */

/* Sets diag; `problem` is said after the key and the value. Always false. */
static bool refuse(struct diag *diag, struct str key, struct str value, struct str problem)
{
    struct buf k = {0}, v = {0};

    clean_text(&k, clean_cut(key, QUOTED_BYTES));
    clean_text(&v, clean_cut(value, QUOTED_BYTES));
    diag_set(diag, DIAG_USAGE, "option not understood",
             "Correct the option, or leave it out for its default.", "%.*s=%.*s: %.*s.", (int)k.n,
             k.n > 0 ? k.p : "", (int)v.n, v.n > 0 ? v.p : "", (int)problem.n,
             problem.n > 0 ? problem.p : "");
    buf_free(&k);
    buf_free(&v);
    return false;
}

static bool refuse_value(const struct view_option *r, struct str value, struct diag *diag)
{
    struct buf b = {0};

    buf_printf(&b, "the %s is ", r->noun);
    view_option_expected(r, &b);
    refuse(diag, str_of(r->key), value, buf_view(&b));
    buf_free(&b);
    return false;
}

static bool refuse_key(unsigned scopes, struct str key, struct str value, struct diag *diag)
{
    struct buf b = {0};
    const char *separator = "";

    buf_z(&b, "there is no such option; those of a view are ");
    for (size_t i = 0; i < VIEW_OPTIONS_COUNT; i++)
        if (VIEW_OPTIONS[i].scope & scopes) {
            buf_z(&b, separator);
            buf_z(&b, VIEW_OPTIONS[i].key);
            separator = ", ";
        }
    refuse(diag, key, value, buf_view(&b));
    buf_free(&b);
    return false;
}

/* ---- tracks ---- */

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
    order_insert(o->track_ids, &o->n_track_ids, VIEW_TRACKS_MAX, at, &id, sizeof(id));
    return true;
}

static bool set_tracks(const struct view_option *r, struct view_options *o, struct str text,
                       struct diag *diag)
{
    struct view_options listed = {.tracks = TRACKS_LISTED};
    struct str rest = text, field;

    if (str_eq(text, STR("all")))
        listed.tracks = TRACKS_ALL;
    else if (str_eq(text, STR("merged")))
        listed.tracks = TRACKS_MERGED;
    else if (text.n == 0)
        return refuse_value(r, text, diag);
    while (listed.tracks == TRACKS_LISTED && str_split(&rest, ',', &field)) {
        uint64_t id;
        if (!str_to_u64(field, 10, &id) || id > UINT32_MAX)
            return refuse_value(r, text, diag);
        if (!add_track(&listed, (uint32_t)id))
            return refuse(diag, str_of(r->key), text,
                          STR("at most 64 tracks can be named; all shows every one"));
    }
    o->tracks = listed.tracks;
    o->n_track_ids = listed.n_track_ids;
    memcpy(o->track_ids, listed.track_ids, sizeof(o->track_ids));
    return true;
}

bool view_set_tracks(struct view_options *o, struct str text, struct diag *diag)
{
    return set_tracks(view_option_by_key(STR("track")), o, text, diag);
}

/* ---- one field ---- */

/* The fields of words and numbers are unsigned integers of 32 or 64 bits; no row allows what has no room in its own. */
static void store(const struct view_option *r, struct view_options *o, uint64_t number)
{
    char *field = (char *)o + r->offset;
    uint32_t small = (uint32_t)number;

    if (r->bytes == sizeof(small))
        memcpy(field, &small, sizeof(small));
    else
        memcpy(field, &number, sizeof(number));
}

static bool set_word(const struct view_option *r, struct view_options *o, struct str value)
{
    for (unsigned i = 0; i < r->n_words; i++)
        if (str_eq(value, str_of(r->words[i].word))) {
            store(r, o, i);
            return true;
        }
    return false;
}

static bool set_number(const struct view_option *r, struct view_options *o, struct str value)
{
    uint64_t number;

    if (!str_to_fixed(value, r->decimals, &number) || number < r->least || number > r->most)
        return false;
    store(r, o, number);
    return true;
}

/* An empty time is none: forms send it. */
static bool set_time(const struct view_option *r, struct view_options *o, struct str value)
{
    if (value.n > 0)
        return set_number(r, o, value);
    store(r, o, VIEW_TIME_NONE);
    return true;
}

static bool moment_number(struct str text, uint32_t *number)
{
    uint64_t read;

    if (!str_to_u64(text, 10, &read) || read > UINT32_MAX)
        return false;
    *number = (uint32_t)read;
    return true;
}

static bool set_moment(const struct view_option *r, struct view_options *o, struct str value)
{
    struct view_moment moment = {0};
    struct str first = {value.p, str_find_str(value, STR(".."))};
    bool two = first.n < value.n;
    struct str last = two ? (struct str){value.p + first.n + 2, value.n - first.n - 2} : value;

    if (!moment_number(last, &moment.number) || (two && !moment_number(first, &moment.since)) ||
        (two && (moment.since == 0 || moment.since >= moment.number)))
        return false;
    memcpy((char *)o + r->offset, &moment, sizeof(moment));
    return true;
}

static bool set_text(const struct view_option *r, struct view_options *o, struct str value)
{
    char *field = (char *)o + r->offset;

    if (value.n >= r->bytes || (value.n == 0 && !r->may_be_empty) || str_find(value, '\0') < value.n)
        return false;
    if (value.n > 0 && r->accepts != NULL && !r->accepts(value))
        return false;
    memset(field, 0, r->bytes);
    if (value.n > 0)
        memcpy(field, value.p, value.n);
    return true;
}

/* ---- filters ---- */

/* What is wrong with this one step. */
static bool refuse_step(const struct view_option *r, struct str value, const char *problem, struct diag *diag)
{
    return r->n_words > 0 ? refuse_value(r, value, diag)
                          : refuse(diag, str_of(r->key), value, str_of(problem));
}

static bool add_step(const struct view_option *r, struct view_options *o, struct str value, struct diag *diag)
{
    const struct filter_step step = {r->step, value};
    const char *problem = filter_presets_problem(view_presets(o), &step);

    if (problem != NULL)
        return refuse_step(r, value, problem, diag);
    if (o->n_filters == FILTER_STEPS_MAX || value.n > sizeof(o->filter_text) - o->filter_bytes)
        return diag_set(diag, DIAG_USAGE, "too many filters",
                        "Take some out, or say the same in fewer: a pattern /one|two/ matches either.",
                        "%s is one more filter than there may be: %d, of %d bytes in all.", r->key,
                        FILTER_STEPS_MAX, FILTER_BYTES_MAX);
    memcpy(o->filter_text + o->filter_bytes, value.p, value.n);
    o->filters[o->n_filters++] =
        (struct view_filter){(uint16_t)r->step, (uint16_t)o->filter_bytes, (uint16_t)value.n};
    o->filter_bytes += (uint32_t)value.n;
    return true;
}

struct filter_step view_filter(const struct view_options *o, uint32_t i)
{
    const struct view_filter *f = &o->filters[i];

    return (struct filter_step){(enum filter_key)f->key, {o->filter_text + f->at, f->bytes}};
}

/* The texts stand in the order of the steps, without gaps; what is unused is zero. */
void view_filter_remove(struct view_options *o, uint32_t i)
{
    struct view_options kept = *o;

    o->n_filters = 0, o->filter_bytes = 0;
    memset(o->filters, 0, sizeof(o->filters));
    memset(o->filter_text, 0, sizeof(o->filter_text));
    for (uint32_t k = 0; k < kept.n_filters; k++) {
        struct filter_step step = view_filter(&kept, k);
        if (k == i)
            continue;
        memcpy(o->filter_text + o->filter_bytes, step.text.p, step.text.n);
        o->filters[o->n_filters++] =
            (struct view_filter){(uint16_t)step.key, (uint16_t)o->filter_bytes, (uint16_t)step.text.n};
        o->filter_bytes += (uint32_t)step.text.n;
    }
}

struct str view_presets(const struct view_options *o)
{
    return o->presets != NULL ? str_of(o->presets) : STR("");
}

static bool set_row(const struct view_option *r, struct view_options *o, struct str value, struct diag *diag)
{
    bool ok = false;

    switch (r->kind) {
    case OPTION_TRACKS:
        return set_tracks(r, o, value, diag);
    case OPTION_STEP:
        return add_step(r, o, value, diag);
    case OPTION_WORD:
        ok = set_word(r, o, value);
        break;
    case OPTION_NUMBER:
        ok = set_number(r, o, value);
        break;
    case OPTION_TIME:
        ok = set_time(r, o, value);
        break;
    case OPTION_MOMENT:
        ok = set_moment(r, o, value);
        break;
    case OPTION_TEXT:
        ok = set_text(r, o, value);
        break;
    }
    return ok || refuse_value(r, value, diag);
}

bool view_set(struct view_options *o, unsigned scopes, struct str key, struct str value, struct diag *diag)
{
    const struct view_option *r = view_option_by_key(key);

    if (r == NULL || !(r->scope & scopes))
        return refuse_key(scopes, key, value, diag);
    return set_row(r, o, value, diag);
}

/* Empty tracks and texts are those of a zeroed struct; the table's other fallbacks are all understood. */
static void set_fallback(const struct view_option *r, struct view_options *o)
{
    struct str text = str_of(r->fallback);

    if (r->kind == OPTION_WORD)
        set_word(r, o, text);
    else if (r->kind == OPTION_NUMBER)
        set_number(r, o, text);
    else if (r->kind == OPTION_TIME)
        set_time(r, o, text);
    else if (r->kind == OPTION_MOMENT)
        set_moment(r, o, text);
}

void view_defaults(struct view_options *o)
{
    *o = (struct view_options){.tracks = TRACKS_LISTED};
    for (size_t i = 0; i < VIEW_OPTIONS_COUNT; i++)
        set_fallback(&VIEW_OPTIONS[i], o);
}

bool view_option_differs(const struct view_option *r, const struct view_options *o)
{
    struct view_options usual = {.tracks = TRACKS_LISTED};
    const char *field = (const char *)o + r->offset;

    set_fallback(r, &usual);
    if (r->kind == OPTION_STEP)
        return o->n_filters > 0;
    if (r->kind == OPTION_TEXT)
        return field[0] != '\0';
    return memcmp(field, (const char *)&usual + r->offset, r->bytes) != 0;
}
