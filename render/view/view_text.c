/* The rows of the table, and what options are set to, as text: for cache keys, links, errors and help. */
#include <string.h>

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
    case OPTION_TEXT:
        buf_z(b, (const char *)o + r->offset);
        break;
    }
}

/* Free text is written with its length, since it may hold what separates two options. */
void view_canonical(const struct view_options *o, struct buf *b)
{
    for (size_t i = 0; i < VIEW_OPTIONS_COUNT; i++) {
        const struct view_option *r = &VIEW_OPTIONS[i];
        if (!(r->views & (1u << o->view)))
            continue;
        buf_z(b, i == 0 ? "" : "&");
        buf_z(b, r->key);
        buf_char(b, '=');
        if (r->kind == OPTION_TEXT)
            buf_printf(b, "%zu:", strlen((const char *)o + r->offset));
        view_option_text(r, o, b);
    }
}

/* ---- links ---- */

/* All but letters, digits and -._~ as %XX. */
static void put_encoded(struct buf *b, struct str text)
{
    static const char PLAIN[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";

    for (size_t i = 0; i < text.n; i++)
        if (str_find(STR(PLAIN), text.p[i]) < sizeof(PLAIN) - 1)
            buf_char(b, text.p[i]);
        else
            buf_printf(b, "%%%02X", (unsigned)(unsigned char)text.p[i]);
}

void view_link(struct buf *b, const struct view_options *o, const char *ampersand)
{
    const char *sign = "?";

    for (size_t i = 0; i < VIEW_OPTIONS_COUNT; i++) {
        const struct view_option *r = &VIEW_OPTIONS[i];
        struct buf text = {0};
        if (r->scope != SCOPE_VIEW || !view_option_differs(r, o))
            continue;
        view_option_text(r, o, &text);
        buf_z(b, sign);
        buf_z(b, r->key);
        buf_char(b, '=');
        put_encoded(b, buf_view(&text));
        b->failed = b->failed || text.failed;
        buf_free(&text);
        sign = ampersand;
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
    case OPTION_TRACKS:
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
