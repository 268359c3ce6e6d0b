/* Keys of requests: taken from text by their rows, and written as text again. */
#include <string.h>

#include "core/clean.h"
#include "core/order.h"
#include "profile/filter/filter_pattern.h"
#include "render/view/key.h"

/* ---- setting ---- */

/* Keys from text: one function for each kind of key, and one sentence for all that is wrong. */

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

/* The key that is set: `name` is how it was said, for errors. */
struct setting {
    const struct key *row;
    struct str name;
    struct asked *asked;
    struct diag *diag;
};

static void key_expected(const struct key *r, struct buf *b);

static bool refuse_value(const struct setting *s, struct str value)
{
    struct buf b = {0};

    buf_printf(&b, "the %s is ", s->row->noun);
    key_expected(s->row, &b);
    refuse(s->diag, s->name, value, buf_view(&b));
    buf_free(&b);
    return false;
}

/* The names that there are, and the one of them that is nearest to the wanted one. */
struct names {
    struct str wanted;
    struct buf *list, *nearest;
    size_t distance; /* of the nearest */
};

enum { KEY_NAME_BYTES = 24, NEAR = 2 /* letters that a misspelt name differs in, at most */ };

/* How many letters are to be put in, taken out or changed to make `b` of `a`; of long names some large number. */
static size_t distance_of(struct str a, struct str b)
{
    size_t row[KEY_NAME_BYTES + 1];

    if (a.n > KEY_NAME_BYTES || b.n > KEY_NAME_BYTES)
        return SIZE_MAX;
    for (size_t k = 0; k <= b.n; k++)
        row[k] = k;
    for (size_t i = 0; i < a.n; i++) {
        size_t above_left = row[0];
        row[0] = i + 1;
        for (size_t k = 0; k < b.n; k++) {
            size_t above = row[k + 1], changed = above_left + (a.p[i] != b.p[k]);
            size_t least = above < row[k] ? above + 1 : row[k] + 1;
            row[k + 1] = changed < least ? changed : least;
            above_left = above;
        }
    }
    return row[b.n];
}

static void list_name(void *context, const struct key *r, bool of_b)
{
    struct names *n = context;
    size_t begin = n->list->n + (n->list->n == 0 ? 0 : 2);

    buf_printf(n->list, "%s%s%s", n->list->n == 0 ? "" : ", ", r->name, of_b ? "_b" : "");
    if (n->list->failed)
        return;
    const struct str name = {n->list->p + begin, n->list->n - begin};
    size_t distance = distance_of(n->wanted, name);
    if (distance < n->distance && distance < name.n) {
        n->distance = distance;
        buf_clear(n->nearest);
        buf_str(n->nearest, name);
    }
}

void keys_near(unsigned groups, struct str name, struct buf *nearest, struct buf *known)
{
    keys_each(groups, list_name, &(struct names){name, known, nearest, NEAR + 1});
}

bool keys_refuse(unsigned groups, const char *what, struct str name, struct diag *diag)
{
    struct buf known = {0}, quoted = {0}, nearest = {0}, hint = {0};

    keys_near(groups, name, &nearest, &known);
    clean_text(&quoted, clean_cut(name, QUOTED_BYTES));
    buf_z(&hint, "Correct its name, or leave it out.");
    if (nearest.n > 0)
        buf_printf(&hint, " Perhaps %.*s is meant.", (int)nearest.n, nearest.p);
    buf_char(&hint, '\0');
    diag_set(diag, DIAG_USAGE, "unknown key", hint.failed ? "" : hint.p,
             "There is no %s \"%.*s\" here. Known: %.*s.", what, (int)quoted.n, quoted.n > 0 ? quoted.p : "",
             known.n > 0 ? (int)known.n : 4, known.n > 0 ? known.p : "none");
    buf_free(&known);
    buf_free(&quoted);
    buf_free(&nearest);
    buf_free(&hint);
    return false;
}

/* ---- lists of tracks ---- */

/* Keeps the ids ascending, each once. False when there is no room. */
static bool add_id(uint32_t *ids, uint32_t *n, uint32_t most, uint32_t id)
{
    uint32_t at = 0;

    while (at < *n && ids[at] < id)
        at++;
    if (at < *n && ids[at] == id)
        return true;
    if (*n == most)
        return false;
    order_insert(ids, n, most, at, &id, sizeof(id));
    return true;
}

static bool to_id(struct str text, uint32_t *id)
{
    uint64_t number;

    if (!str_to_u64(text, 10, &number) || number > UINT32_MAX)
        return false;
    *id = (uint32_t)number;
    return true;
}

static bool set_tracks(const struct setting *s, struct str text)
{
    struct view_options listed = {.tracks = TRACKS_LISTED}, *o = &s->asked->view;
    struct str rest = text, field;
    uint32_t id;

    if (str_eq(text, STR("all")))
        listed.tracks = TRACKS_ALL;
    else if (str_eq(text, STR("merged")))
        listed.tracks = TRACKS_MERGED;
    else if (text.n == 0)
        return refuse_value(s, text);
    while (listed.tracks == TRACKS_LISTED && str_split(&rest, ',', &field)) {
        if (!to_id(field, &id))
            return refuse_value(s, text);
        if (!add_id(listed.track_ids, &listed.n_track_ids, VIEW_TRACKS_MAX, id))
            return refuse(s->diag, s->name, text, STR("at most 64 tracks can be named; all shows every one"));
    }
    o->tracks = listed.tracks;
    o->n_track_ids = listed.n_track_ids;
    memcpy(o->track_ids, listed.track_ids, sizeof(o->track_ids));
    return true;
}

static bool set_stacks(struct lanes_asked *lanes, struct str text)
{
    struct lanes_asked listed = {.n_stacks = 0};
    struct str field;
    uint32_t id;

    while (text.n > 0 && str_split(&text, ',', &field))
        if (!to_id(field, &id) || !add_id(listed.stacks, &listed.n_stacks, LANES_STACKS_MAX, id))
            return false;
    lanes->n_stacks = listed.n_stacks;
    memcpy(lanes->stacks, listed.stacks, sizeof(lanes->stacks));
    return true;
}

/* ---- one field ---- */

/* The fields of words and numbers are unsigned integers of 32 or 64 bits; no row allows what has no room
 * in its own. */
static void store(const struct key *r, struct asked *a, uint64_t number)
{
    char *field = (char *)a + r->offset;
    uint32_t small = (uint32_t)number;

    if (r->bytes == sizeof(small))
        memcpy(field, &small, sizeof(small));
    else
        memcpy(field, &number, sizeof(number));
}

static bool set_word(const struct key *r, struct asked *a, struct str value)
{
    for (unsigned i = 0; i < r->n_words; i++)
        if (str_eq(value, str_of(r->words[i].word))) {
            store(r, a, i);
            return true;
        }
    return false;
}

static bool set_number(const struct key *r, struct asked *a, struct str value)
{
    uint64_t number;

    if (!str_to_fixed(value, r->decimals, &number) || number < r->least || number > r->most)
        return false;
    store(r, a, number);
    return true;
}

/* An empty time is none: forms send it. */
static bool set_time(const struct key *r, struct asked *a, struct str value)
{
    if (value.n > 0)
        return set_number(r, a, value);
    store(r, a, VIEW_TIME_NONE);
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

static bool set_moment(const struct key *r, struct asked *a, struct str value)
{
    struct view_moment moment = {0};
    struct str first = {value.p, str_find_str(value, STR(".."))};
    bool two = first.n < value.n;
    struct str last = two ? str_from(value, first.n + 2) : value;

    if (!moment_number(last, &moment.number) || (two && !moment_number(first, &moment.since)) ||
        (two && (moment.since == 0 || moment.since >= moment.number)))
        return false;
    memcpy((char *)a + r->offset, &moment, sizeof(moment));
    return true;
}

static bool set_text(const struct key *r, struct asked *a, struct str value)
{
    char *field = (char *)a + r->offset;

    if (r->fallback[0] != '\0' && str_eq(value, str_of(r->fallback)))
        value = STR("");
    if (value.n >= r->bytes || (value.n == 0 && !r->may_be_empty) || str_find(value, '\0') < value.n)
        return false;
    if (value.n > 0 && r->accepts != NULL && !r->accepts(value))
        return false;
    memset(field, 0, r->bytes);
    if (value.n > 0)
        memcpy(field, value.p, value.n);
    return true;
}

static bool set_flag(const struct key *r, struct asked *a, struct str value)
{
    bool on = str_eq(value, STR("1"));

    if (!on && !str_eq(value, STR("0")))
        return false;
    memcpy((char *)a + r->offset, &on, sizeof(on));
    return true;
}

/* ---- filters ---- */

static void append_step(struct view_filters *f, const struct filter_step *step)
{
    memcpy(f->text + f->bytes, step->text.p, step->text.n);
    f->of[f->n++] = (struct view_filter){(uint16_t)step->key, (uint16_t)f->bytes, (uint16_t)step->text.n};
    f->bytes += (uint32_t)step->text.n;
}

static bool add_step(const struct setting *s, struct str value)
{
    struct view_options *o = &s->asked->view;
    const struct filter_step step = {s->row->step, value};
    const char *problem = filter_presets_problem(view_presets(o), &step);

    if (problem != NULL)
        return s->row->n_words > 0 ? refuse_value(s, value)
                                   : refuse(s->diag, s->name, value, str_of(problem));
    if (o->filters.n == FILTER_STEPS_MAX || value.n > sizeof(o->filters.text) - o->filters.bytes)
        return diag_set(s->diag, DIAG_USAGE, "too many filters",
                        "Take some out, or say the same in fewer: a pattern /one|two/ matches either.",
                        "%s is one more filter than there may be: %d, of %d bytes in all.", s->row->name,
                        FILTER_STEPS_MAX, FILTER_BYTES_MAX);
    append_step(&o->filters, &step);
    return true;
}

struct filter_step view_filter(const struct view_options *o, uint32_t i)
{
    const struct view_filter *f = &o->filters.of[i];

    return (struct filter_step){(enum filter_key)f->key, {o->filters.text + f->at, f->bytes}};
}

void view_filter_remove(struct view_options *o, uint32_t i)
{
    struct view_filters kept = {0};

    for (uint32_t k = 0; k < o->filters.n; k++) {
        struct filter_step step = view_filter(o, k);
        if (k != i)
            append_step(&kept, &step);
    }
    o->filters = kept;
}

struct str view_presets(const struct view_options *o)
{
    return o->presets != NULL ? str_of(o->presets) : STR("");
}

/* ---- rows ---- */

static bool set_row(const struct setting *s, struct str value)
{
    const struct key *r = s->row;
    struct asked *a = s->asked;
    bool ok = false;

    switch (r->kind) {
    case KEY_TRACKS:
        return set_tracks(s, value);
    case KEY_STEP:
        return add_step(s, value);
    case KEY_STACKS:
        ok = set_stacks(&a->lanes, value);
        break;
    case KEY_WORD:
        ok = set_word(r, a, value);
        break;
    case KEY_NUMBER:
        ok = set_number(r, a, value);
        break;
    case KEY_TIME:
        ok = set_time(r, a, value);
        break;
    case KEY_MOMENT:
        ok = set_moment(r, a, value);
        break;
    case KEY_TEXT:
        ok = set_text(r, a, value);
        break;
    case KEY_FLAG:
        ok = set_flag(r, a, value);
        break;
    case KEY_SENT:
    case KEY_FILE:
        ok = true;
        break;
    }
    return ok || refuse_value(s, value);
}

/* The place of the row among those that comparisons have twice. */
static size_t place_of_b(const struct key *r)
{
    size_t n = 0;

    for (const struct key *before = KEYS; before < r; before++)
        n += before->has_b;
    return n;
}

/* What is said of B is kept as text, so that nothing said is the same as for A. */
static bool set_of_b(const struct setting *s, struct str value)
{
    char *text = s->asked->diff.of_b[place_of_b(s->row)];
    struct asked own;
    struct buf canonical = {0};

    view_defaults(&own.view);
    if (value.n > 0 && !set_row(&(struct setting){s->row, s->name, &own, s->diag}, value))
        return false;
    if (value.n > 0)
        asked_text(s->row, &own, &canonical);
    bool fits = !canonical.failed && canonical.n <= KEY_B_BYTES_MAX;
    if (fits)
        memset(text, 0, KEY_B_BYTES_MAX + 1);
    if (fits && canonical.n > 0)
        memcpy(text, canonical.p, canonical.n);
    buf_free(&canonical);
    return fits || refuse_value(s, value);
}

bool asked_set(struct asked *a, unsigned groups, struct str name, struct str value, struct diag *diag)
{
    bool of_b;
    const struct key *r = key_find(groups, name, &of_b);
    const struct setting s = {r, name, a, diag};

    if (r == NULL)
        return keys_refuse(groups, "key", name, diag);
    return of_b ? set_of_b(&s, value) : set_row(&s, value);
}

/* Of keys of views only the first part of the whole is touched, which is the view. */
bool view_set(struct view_options *o, unsigned groups, struct str key, struct str value, struct diag *diag)
{
    return asked_set((struct asked *)o, groups & KEYS_OF_VIEWS, key, value, diag);
}

bool view_set_tracks(struct view_options *o, struct str text, struct diag *diag)
{
    return view_set(o, KEYS_TRACK, STR("track"), text, diag);
}

void diff_view_of_b(const struct diff_request *r, struct view_options *view)
{
    struct diag ignored = {0}; /* set_of_b has taken them */

    for (size_t i = 0; i < KEYS_COUNT; i++) {
        struct str text = KEYS[i].has_b ? str_of(r->of_b[place_of_b(&KEYS[i])]) : STR("");
        if (text.n > 0)
            (void)view_set(view, KEYS[i].groups, str_of(KEYS[i].name), text, &ignored);
    }
}

const char *diff_text_of_b(const struct diff_request *r, const char *name)
{
    return r->of_b[place_of_b(key_by_name(str_of(name)))];
}

/* ---- defaults ---- */

/* Empty tracks and texts are those of a zeroed struct; the table's other fallbacks are all understood. */
static void set_fallback(const struct key *r, struct asked *a)
{
    struct str text = str_of(r->fallback);

    if (r->kind == KEY_WORD)
        set_word(r, a, text);
    else if (r->kind == KEY_NUMBER && text.n == 0)
        store(r, a, UINT64_MAX);
    else if (r->kind == KEY_NUMBER)
        set_number(r, a, text);
    else if (r->kind == KEY_TIME)
        set_time(r, a, text);
    else if (r->kind == KEY_MOMENT)
        set_moment(r, a, text);
}

static void set_fallbacks(unsigned groups, struct asked *a)
{
    for (size_t i = 0; i < KEYS_COUNT; i++)
        if ((KEYS[i].groups & groups) != 0)
            set_fallback(&KEYS[i], a);
}

void view_defaults(struct view_options *o)
{
    *o = (struct view_options){.tracks = TRACKS_LISTED};
    set_fallbacks(KEYS_OF_VIEWS, (struct asked *)o);
}

void asked_defaults(struct asked *a)
{
    *a = (struct asked){.method = ""};
    set_fallbacks(~0u, a);
}

bool asked_differs(const struct key *r, const struct asked *a)
{
    static const char NONE[sizeof(uint64_t)];
    const char *field = (const char *)a + r->offset;
    struct asked usual;

    switch (r->kind) {
    case KEY_STEP:
        return a->view.filters.n > 0;
    case KEY_STACKS:
        return a->lanes.n_stacks > 0;
    case KEY_TEXT:
        return field[0] != '\0';
    case KEY_TRACKS:
    case KEY_SENT:
    case KEY_FILE:
        return false;
    case KEY_FLAG:
        return memcmp(field, NONE, r->bytes) != 0;
    case KEY_WORD:
    case KEY_NUMBER:
    case KEY_TIME:
    case KEY_MOMENT:
        break;
    }
    set_fallback(r, &usual);
    return memcmp(field, (const char *)&usual + r->offset, r->bytes) != 0;
}

bool key_differs(const struct key *r, const struct view_options *o)
{
    return asked_differs(r, (const struct asked *)o);
}

/* ---- as text ---- */

/* The rows of the table, and what keys are set to, as text: for cache keys, links, errors and help. */

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
    for (uint32_t i = o->filters.n; i-- > 0;)
        if (o->filters.of[i].key == (uint16_t)r->step) {
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

/* Texts are written with their lengths, as below. A preset of the configuration is written out, since it
 * may be another one when the service starts again. */
static void canonical_steps(const struct view_options *o, struct buf *b)
{
    struct str steps;

    for (uint32_t i = 0; i < o->filters.n; i++) {
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
        bool writes = r->kind == KEY_STEP ? key_is_first_step(r) && a->view.filters.n > 0
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
    for (uint32_t i = 0; i < e->asked->view.filters.n; i++) {
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

/* Appends what is allowed, as the end of a sentence that begins with "the NOUN is": "one of name, weight". */
static void key_expected(const struct key *r, struct buf *b)
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
