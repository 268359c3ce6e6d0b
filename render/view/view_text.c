/* The rows of the table, and what options are set to, as text: for cache keys, links, errors and help. */
#include <string.h>

#include "profile/filter/filter_presets.h"
#include "render/view/view_option.h"

static uint64_t stored(const struct view_option *r, const struct view_options *o)
{
    const char *field = (const char *)o + r->offset;
    uint64_t number;
    uint32_t small;

    if (r->bytes == sizeof(small)) {
        memcpy(&small, field, sizeof(small));
        return small;
    }
    memcpy(&number, field, sizeof(number));
    return number;
}

static void put_tracks(const struct view_options *o, struct buf *b)
{
    if (o->tracks != TRACKS_LISTED) {
        buf_z(b, o->tracks == TRACKS_ALL ? "all" : "merged");
        return;
    }
    for (uint32_t i = 0; i < o->n_track_ids; i++) {
        buf_z(b, i == 0 ? "" : ",");
        buf_u64(b, o->track_ids[i]);
    }
}

static void put_moment(const struct view_option *r, const struct view_options *o, struct buf *b)
{
    struct view_moment moment;

    memcpy(&moment, (const char *)o + r->offset, sizeof(moment));
    if (moment.since > 0)
        buf_printf(b, "%u..", moment.since);
    buf_u64(b, moment.number);
}

static void put_last_step(const struct view_option *r, const struct view_options *o, struct buf *b)
{
    for (uint32_t i = o->n_filters; i-- > 0;)
        if (o->filters[i].key == (uint16_t)r->step) {
            buf_str(b, view_filter(o, i).text);
            return;
        }
}

void view_option_text(const struct view_option *r, const struct view_options *o, struct buf *b)
{
    switch (r->kind) {
    case OPTION_TRACKS:
        put_tracks(o, b);
        break;
    case OPTION_WORD:
        buf_z(b, r->words[stored(r, o)].word);
        break;
    case OPTION_TIME:
        if (stored(r, o) == VIEW_TIME_NONE)
            break;
        __attribute__((fallthrough));
    case OPTION_NUMBER:
        buf_fixed(b, stored(r, o), r->decimals);
        break;
    case OPTION_MOMENT:
        put_moment(r, o, b);
        break;
    case OPTION_TEXT:
        buf_z(b, (const char *)o + r->offset);
        break;
    case OPTION_STEP:
        put_last_step(r, o, b);
        break;
    }
}

/* Texts are written with their lengths, as below. A preset of the configuration is written out, since it may be another one
 * when the service starts again. */
static void canonical_steps(const struct view_options *o, struct buf *b)
{
    struct str steps;

    for (uint32_t i = 0; i < o->n_filters; i++) {
        struct filter_step step = view_filter(o, i);
        buf_printf(b, "%s%s=%zu:", i == 0 ? "" : "&", filter_key_word(step.key), step.text.n);
        buf_str(b, step.text);
        if (step.key == FILTER_PRESET && filter_presets_is_added(view_presets(o), step.text) &&
            filter_presets_find(view_presets(o), step.text, &steps)) {
            buf_printf(b, "=%zu:", steps.n);
            buf_str(b, steps);
        }
    }
}

/* Free text is written with its length, since it may hold what separates two options. */
void view_canonical(const struct view_options *o, struct buf *b)
{
    for (size_t i = 0; i < VIEW_OPTIONS_COUNT; i++) {
        const struct view_option *r = &VIEW_OPTIONS[i];
        bool writes = r->kind != OPTION_STEP || (view_option_is_first_step(r) && o->n_filters > 0);
        if (!writes)
            continue;
        buf_z(b, i == 0 ? "" : "&");
        if (r->kind == OPTION_STEP) {
            canonical_steps(o, b);
            continue;
        }
        buf_z(b, r->key);
        buf_char(b, '=');
        if (r->kind == OPTION_TEXT)
            buf_printf(b, "%zu:", strlen((const char *)o + r->offset));
        view_option_text(r, o, b);
    }
}

/* ---- links ---- */

struct link {
    struct buf *to;
    const char *sign, *ampersand; /* what stands before the next option, and before those behind it */
};

static void put_in_link(struct link *l, const char *key, struct str text)
{
    buf_z(l->to, l->sign);
    buf_z(l->to, key);
    buf_char(l->to, '=');
    buf_percent(l->to, text);
    l->sign = l->ampersand;
}

static void link_steps(struct link *l, const struct view_options *o)
{
    for (uint32_t i = 0; i < o->n_filters; i++) {
        struct filter_step step = view_filter(o, i);
        put_in_link(l, filter_key_word(step.key), step.text);
    }
}

void view_link(struct buf *b, const struct view_options *o, const char *ampersand)
{
    struct link l = {b, "?", ampersand};

    for (size_t i = 0; i < VIEW_OPTIONS_COUNT; i++) {
        const struct view_option *r = &VIEW_OPTIONS[i];
        struct buf text = {0};
        if (r->scope != SCOPE_VIEW || !view_option_differs(r, o))
            continue;
        if (view_option_is_first_step(r))
            link_steps(&l, o);
        if (r->kind == OPTION_STEP)
            continue;
        view_option_text(r, o, &text);
        put_in_link(&l, r->key, buf_view(&text));
        buf_part_end(b, &text);
    }
}

/* ---- for people ---- */

static void put_words(const struct view_option *r, struct buf *b)
{
    for (unsigned i = 0; i < r->n_words; i++) {
        buf_z(b, i == 0 ? "" : ", ");
        buf_z(b, r->words[i].word);
    }
}

void view_option_expected(const struct view_option *r, struct buf *b)
{
    switch (r->kind) {
    case OPTION_WORD:
        buf_z(b, "one of ");
        put_words(r, b);
        break;
    case OPTION_NUMBER:
    case OPTION_TIME:
        buf_z(b, r->decimals == 0 ? "a whole number of " : "a number of ");
        buf_z(b, r->expected);
        buf_z(b, " from ");
        buf_fixed(b, r->least, r->decimals);
        buf_z(b, " to ");
        buf_fixed(b, r->most, r->decimals);
        if (r->decimals > 0)
            buf_printf(b, ", with at most %u decimals", r->decimals);
        break;
    case OPTION_STEP:
        if (r->n_words > 0) {
            buf_z(b, "one of ");
            put_words(r, b);
            break;
        }
        __attribute__((fallthrough));
    case OPTION_TRACKS:
    case OPTION_MOMENT:
    case OPTION_TEXT:
        buf_z(b, r->expected);
        break;
    }
}

void view_option_describe(const struct view_option *r, struct buf *b)
{
    buf_z(b, r->help);
    for (unsigned i = 0; i < r->n_words; i++) {
        const struct view_word *w = &r->words[i];
        bool is_fallback = strcmp(w->word, r->fallback) == 0;
        buf_printf(b, "%s%s (%s%s)", i == 0 ? ": " : ", ", w->word, w->help, is_fallback ? "; default" : "");
    }
    if (r->kind == OPTION_NUMBER && r->most < UINT32_MAX - 1) {
        buf_printf(b, "; %s from ", r->expected);
        buf_fixed(b, r->least, r->decimals);
        buf_z(b, " to ");
        buf_fixed(b, r->most, r->decimals);
    }
    if (r->n_words == 0)
        buf_printf(b, "; default: %s", r->fallback[0] != '\0' ? r->fallback : r->fallback_means);
}
