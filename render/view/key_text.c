/* The rows of the table, and what keys are set to, as text: for cache keys, links, errors and help. */
#include <string.h>

#include "profile/filter/filter_step.h"
#include "render/view/key.h"

static uint64_t stored(const struct key *r, const struct asked *a)
{
    const char *field = (const char *)a + r->offset;
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

static void put_stacks(const struct lanes_asked *lanes, struct buf *b)
{
    for (uint32_t i = 0; i < lanes->n_stacks; i++) {
        buf_z(b, i == 0 ? "" : ",");
        buf_u64(b, lanes->stacks[i]);
    }
}

static void put_moment(const struct key *r, const struct asked *a, struct buf *b)
{
    struct view_moment moment;

    memcpy(&moment, (const char *)a + r->offset, sizeof(moment));
    if (moment.since > 0)
        buf_printf(b, "%u..", moment.since);
    buf_u64(b, moment.number);
}

static void put_last_step(const struct key *r, const struct view_options *o, struct buf *b)
{
    for (uint32_t i = o->n_filters; i-- > 0;)
        if (o->filters[i].key == (uint16_t)r->step) {
            buf_str(b, view_filter(o, i).text);
            return;
        }
}

/* Of a number without a fallback that is text: nothing was said. */
static bool is_unsaid(const struct key *r, uint64_t number)
{
    return r->fallback[0] == '\0' && number == (r->bytes == sizeof(uint32_t) ? UINT32_MAX : UINT64_MAX);
}

void asked_text(const struct key *r, const struct asked *a, struct buf *b)
{
    switch (r->kind) {
    case KEY_TRACKS:
        put_tracks(&a->view, b);
        break;
    case KEY_STACKS:
        put_stacks(&a->lanes, b);
        break;
    case KEY_WORD:
        buf_z(b, r->words[stored(r, a)].word);
        break;
    case KEY_TIME:
    case KEY_NUMBER:
        if (!is_unsaid(r, stored(r, a)))
            buf_fixed(b, stored(r, a), r->decimals);
        break;
    case KEY_MOMENT:
        put_moment(r, a, b);
        break;
    case KEY_TEXT:
        buf_z(b, (const char *)a + r->offset);
        break;
    case KEY_FLAG:
        buf_z(b, asked_differs(r, a) ? "1" : "0");
        break;
    case KEY_STEP:
        put_last_step(r, &a->view, b);
        break;
    case KEY_SENT:
    case KEY_FILE:
        break;
    }
}

void key_text(const struct key *r, const struct view_options *o, struct buf *b)
{
    asked_text(r, (const struct asked *)o, b);
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

/* Free text is written with its length, since it may hold what separates two keys. */
static void canonical(const struct key *r, const struct asked *a, struct buf *b)
{
    struct buf text = {0};

    if (r->kind == KEY_STEP) {
        canonical_steps(&a->view, b);
    } else {
        asked_text(r, a, &text);
        buf_printf(b, "%s=", r->name);
        if (r->kind == KEY_TEXT)
            buf_printf(b, "%zu:", text.n);
        buf_str(b, buf_view(&text));
    }
    buf_part_end(b, &text);
}

void asked_canonical(const struct asked *a, unsigned groups, struct buf *b)
{
    const char *sign = "";

    for (size_t i = 0; i < KEYS_COUNT; i++) {
        const struct key *r = &KEYS[i];
        bool writes = r->kind == KEY_STEP ? key_is_first_step(r) && a->view.n_filters > 0
                                          : r->kind != KEY_SENT && r->kind != KEY_FILE;
        if (writes && (r->groups & groups) != 0) {
            buf_z(b, sign);
            canonical(r, a, b);
            sign = "&";
        }
        if (r->has_b && (groups & KEYS_COMPARED) != 0) {
            buf_printf(b, "%s%s_b=%s", sign, r->name, diff_text_of_b(&a->diff, r->name));
            sign = "&";
        }
    }
}

void view_canonical(const struct view_options *o, struct buf *b)
{
    asked_canonical((const struct asked *)o, KEYS_OF_VIEWS, b);
}

/* ---- links ---- */

struct each {
    const struct asked *asked;
    void (*put)(void *context, const char *name, struct str value);
    void *context;
    struct buf *b;
};

static void each_step(const struct each *e)
{
    for (uint32_t i = 0; i < e->asked->view.n_filters; i++) {
        struct filter_step step = view_filter(&e->asked->view, i);
        e->put(e->context, filter_key_word(step.key), step.text);
    }
}

static void put_of_b(const struct each *e, const struct key *r)
{
    struct str value = str_of(diff_text_of_b(&e->asked->diff, r->name));
    struct buf name = {0};

    buf_printf(&name, "%s_b", r->name);
    buf_char(&name, '\0');
    if (value.n > 0 && !name.failed)
        e->put(e->context, name.p, value);
    buf_part_end(e->b, &name);
}

static void each_key(void *context, const struct key *r, bool of_b)
{
    const struct each *e = context;
    struct buf text = {0};

    if (of_b) {
        put_of_b(e, r);
    } else if (key_is_first_step(r)) {
        each_step(e);
    } else if (r->kind != KEY_STEP && asked_differs(r, e->asked)) {
        asked_text(r, e->asked, &text);
        if (!text.failed)
            e->put(e->context, r->name, buf_view(&text));
        buf_part_end(e->b, &text);
    }
}

void asked_each(const struct asked *a, unsigned groups,
                void (*put)(void *context, const char *name, struct str value), void *context, struct buf *b)
{
    keys_each(groups, each_key, &(struct each){a, put, context, b});
}

void diff_each(const struct diff_request *r, void (*put)(void *context, const char *name, struct str value),
               void *context, struct buf *b)
{
    const struct asked a = {.diff = *r, .table.limit = UINT32_MAX};

    asked_each(&a, KEYS_COMPARED, put, context, b);
}

struct link {
    struct buf *to;
    const char *sign, *ampersand; /* what stands before the next key, and before those behind it */
};

static void put_in_link(void *context, const char *name, struct str value)
{
    struct link *l = context;

    buf_z(l->to, l->sign);
    buf_z(l->to, name);
    buf_char(l->to, '=');
    buf_percent(l->to, value);
    l->sign = l->ampersand;
}

void view_link(struct buf *b, const struct view_options *o, const char *ampersand)
{
    struct link l = {b, "?", ampersand};

    asked_each((const struct asked *)o, KEYS_VIEW, put_in_link, &l, b);
}

/* ---- for people ---- */

static void put_words(const struct key *r, struct buf *b)
{
    buf_z(b, "one of ");
    for (unsigned i = 0; i < r->n_words; i++) {
        buf_z(b, i == 0 ? "" : ", ");
        buf_z(b, r->words[i].word);
    }
}

static void put_range(const struct key *r, struct buf *b)
{
    buf_z(b, " from ");
    buf_fixed(b, r->least, r->decimals);
    buf_z(b, " to ");
    buf_fixed(b, r->most, r->decimals);
}

void key_expected(const struct key *r, struct buf *b)
{
    if (r->n_words > 0) {
        put_words(r, b);
    } else if (r->kind == KEY_NUMBER || r->kind == KEY_TIME) {
        buf_z(b, r->decimals == 0 ? "a whole number of " : "a number of ");
        buf_z(b, r->expected);
        put_range(r, b);
        if (r->decimals > 0)
            buf_printf(b, ", with at most %u decimals", r->decimals);
    } else if (r->expected != NULL) {
        buf_z(b, r->expected);
    }
}

void key_describe(const struct key *r, bool of_b, struct buf *b)
{
    bool words_tell = r->n_words > 0 && r->words[0].help != NULL;

    if (of_b) {
        buf_printf(b, "%s of B, where it is another one than that of A", r->name);
        return;
    }
    buf_z(b, r->help);
    for (unsigned i = 0; i < r->n_words && words_tell; i++) {
        const struct key_word *w = &r->words[i];
        bool is_fallback = strcmp(w->word, r->fallback) == 0;
        buf_printf(b, "%s%s (%s%s)", i == 0 ? ": " : ", ", w->word, w->help, is_fallback ? "; default" : "");
    }
    if (r->kind == KEY_NUMBER && r->most < UINT32_MAX - 1) {
        buf_printf(b, "; %s", r->expected);
        put_range(r, b);
    }
    const char *fallback = r->fallback_means[0] != '\0' ? r->fallback_means : r->fallback;
    if (!words_tell && r->kind != KEY_FLAG && fallback[0] != '\0')
        buf_printf(b, "; default: %s", fallback);
}
