/* Twice over the nodes that are written: to learn what the header and the frames must say of them, then to write
 * them. What is left out of a node is counted each time; that is linear in all children of the nodes written. */
#include "render/svg/data_nodes.h"

#include <stdint.h>

#include "core/clean.h"
#include "core/json.h"
#include "core/number.h"
#include "core/put.h"
#include "profile/filter/filter_pattern.h"
#include "profile/frame/short_name.h"
#include "profile/transform/transform.h"
#include "render/names/names.h"
#include "render/svg/layout.h"
#include "render/tree/tree.h"
#include "render/view/input.h"
#include "render/view/key.h"
#include "render/view/view.h"

static inline void data_frames_use(struct data_frames *f, frame_id frame)
{
    f->frames.bits[frame >> 6] |= UINT64_C(1) << (frame & 63);
}

static inline uint32_t data_set_position(const struct data_set *s, uint32_t member)
{
    uint64_t below = s->bits[member >> 6] & ((UINT64_C(1) << (member & 63)) - 1);
    return s->below[member >> 6] + (uint32_t)__builtin_popcountll(below);
}

/* Of a frame in use. */
static inline uint32_t data_frames_line(const struct data_frames *f, frame_id frame)
{
    return f->line_of[data_set_position(&f->frames, frame)];
}

/* ---- the tree that is written ---- */

/* The column of each measure: first what a picture needs. */
static void assign_columns(struct data_tree *d)
{
    uint32_t next = 0, calls = d->n_measures;
    bool compares = d->in->profile->compared != NULL;

    for (uint32_t i = 0; i < d->n_measures; i++)
        if (!d->measures[i].waiting && d->in->profile->values[d->measures[i].value].role == ROLE_CALLS)
            calls = i;
    d->column[d->value] = next++;
    if (calls < d->n_measures && calls != d->value)
        d->column[calls] = next++;
    /* Colours and words of a comparison are of both sides, whichever is wide. */
    for (uint32_t side = COMPARE_SIDE_A; compares && side <= COMPARE_SIDE_B; side++)
        if (side != d->value)
            d->column[side] = next++;
    d->n_picture = next;
    for (uint32_t i = 0; i < d->n_measures; i++) {
        if (i != d->value && i != calls && !(compares && i <= COMPARE_SIDE_B))
            d->column[i] = next++;
        d->spec.measures[d->column[i]] = &d->measures[i];
    }
    /* What every node has waited follows from its other numbers, unless it stands for several. */
    bool waits = d->measures[d->n_measures - 1].waiting && d->value != d->n_measures - 1;
    d->spec.n_measures = d->n_measures - (waits && d->in->view->tracks != TRACKS_MERGED);
    d->spec.has_calls = calls < d->n_measures;
    d->spec.calls_column = d->spec.has_calls ? d->column[calls] : 0;
}

bool data_tree_open(struct data_tree *d, const struct render_input *in, struct diag *diag)
{
    *d = (struct data_tree){.in = in, .spec = {.divisor = 1, .order = ORDER_NAME}};
    d->n_measures = measures_shown(in->profile, in->view, d->measures);
    while (d->value < d->n_measures &&
           !str_eq(measure_key(d->measures[d->value].name), str_of(in->view->value)))
        d->value++;
    if (d->value == d->n_measures)
        return diag_set(diag, DIAG_USAGE, "no such value", "", "The profile has no value of that name.");
    assign_columns(d);
    d->tree = tree_new(in, &d->spec, diag);
    return d->tree != NULL;
}

/* ---- frames ---- */

enum {
    NUMBERS_BYTES = 4 * DATA_NUMBER_BYTES_MAX,
    ESCAPED_BYTES_MAX = 5 /* "&amp;" */
};

/* --- the set --- */

static bool set_init(struct data_set *s, size_t n, struct arena *arena)
{
    size_t words = n / 64 + 1;

    s->bits = arena_array(arena, words, sizeof(*s->bits));
    s->below = arena_array(arena, words, sizeof(*s->below));
    s->n_words = (uint32_t)words;
    return s->bits != NULL && s->below != NULL;
}

/* Returns how many members there are. */
static uint32_t set_count(struct data_set *s)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < s->n_words; i++) {
        s->below[i] = n;
        n += (uint32_t)__builtin_popcountll(s->bits[i]);
    }
    return n;
}

/* --- frames and their lines --- */

bool data_frames_init(struct data_frames *f, const struct render_input *in,
                      const struct package_colours *colours)
{
    size_t n = (size_t)in->profile->n_frames + in->profile->n_tracks;

    *f = (struct data_frames){.in = in, .colours = colours};
    return set_init(&f->frames, n, in->scratch) && set_init(&f->ranks, n, in->scratch);
}

void data_frames_free(struct data_frames *f)
{
    buf_free(&f->text);
    buf_free(&f->last_text);
}

/* Forgets all frames. */
static void data_frames_clear(struct data_frames *f)
{
    memset(f->frames.bits, 0, f->frames.n_words * sizeof(*f->frames.bits));
    memset(f->ranks.bits, 0, f->ranks.n_words * sizeof(*f->ranks.bits));
    f->n = 0;
}

static uint32_t rank_of(const struct data_frames *f, frame_id frame)
{
    uint32_t n_frames = f->in->profile->n_frames;

    return frame < n_frames ? names_rank(f->in->names, frame)
                            : n_frames + names_track_rank(f->in->names, frame - n_frames);
}

static bool make_room(struct data_frames *f)
{
    struct arena *a = f->in->scratch;

    return ARENA_ROOM(a, f->line_of, f->capacity_of_line_of, f->n + 1) &&
           ARENA_ROOM(a, f->frame_at, f->capacity_of_frame_at, f->n + 1) &&
           ARENA_ROOM(a, f->prefix, f->capacity_of_prefix, f->n + 1);
}

/* The ids in use, ascending. */
static void list_frames(struct data_frames *f)
{
    uint32_t n = 0;

    for (uint32_t word = 0; word < f->frames.n_words; word++)
        for (uint64_t bits = f->frames.bits[word]; bits != 0; bits &= bits - 1)
            f->frame_at[n++] = word * 64 + (uint32_t)__builtin_ctzll(bits);
}

bool data_frames_number(struct data_frames *f)
{
    f->n = set_count(&f->frames);
    if (!make_room(f))
        return false;
    list_frames(f);
    for (uint32_t i = 0; i < f->n; i++) {
        uint32_t rank = rank_of(f, f->frame_at[i]);
        f->ranks.bits[rank >> 6] |= UINT64_C(1) << (rank & 63);
    }
    set_count(&f->ranks);
    for (uint32_t i = 0; i < f->n; i++)
        f->line_of[i] = data_set_position(&f->ranks, rank_of(f, f->frame_at[i]));
    for (uint32_t word = 0, i = 0; word < f->frames.n_words; word++)
        for (uint64_t bits = f->frames.bits[word]; bits != 0; bits &= bits - 1)
            f->frame_at[f->line_of[i++]] = word * 64 + (uint32_t)__builtin_ctzll(bits);
    return true;
}

/* --- text --- */

struct piece {
    struct str scope, name, signature;
    bool plain; /* as they are; else to be cleaned */
    bool is_track;
};

static struct piece piece_of(const struct data_frames *f, frame_id frame)
{
    uint32_t n_frames = f->in->profile->n_frames;

    if (frame >= n_frames)
        return (struct piece){STR(""), names_track(f->in->names, frame - n_frames), STR(""), false, true};
    const struct names_frame *n = names_of(f->in->names, frame);
    struct frame_parts parts = names_parts(f->in->names, frame);
    return (struct piece){parts.scope, parts.scope.n + parts.name.n > 0 ? parts.name : n->text,
                          parts.signature, n->plain && n->full.p == n->text.p, false};
}

/* Behind the signature, where there are any. What is plain makes plain ones. */
static void put_short_names(struct buf *b, const struct piece *of)
{
    const struct frame_parts parts = {of->scope, of->name, of->signature};
    struct buf name = {0}, least = {0};

    if (!of->is_track && short_name_put(&parts, &name, &least)) {
        buf_char(b, '\t');
        clean_text(b, buf_view(&name));
        buf_char(b, '\t');
        clean_text(b, buf_view(&least));
    }
    buf_part_end(b, &name);
    buf_part_end(b, &least);
}

static void make_text(struct buf *b, const struct piece *of)
{
    buf_clear(b);
    if (!of->plain) {
        clean_text(b, of->scope);
        buf_char(b, '\t');
        clean_text(b, of->name);
        buf_char(b, '\t');
        clean_text(b, of->signature);
        return;
    }
    if (!buf_reserve(b, of->scope.n + of->name.n + of->signature.n + 2))
        return;
    char *to = put_str(b->p, of->scope);
    *to++ = '\t';
    to = put_str(to, of->name);
    *to++ = '\t';
    b->n = (size_t)(put_str(to, of->signature) - b->p);
}

/* Bytes of ASCII that a text and the one before begin with: characters and bytes are the same for whoever reads them.
 * One is left, so that no line is empty. */
static size_t prefix_of(struct str a, struct str b)
{
    size_t n = 0;

    while (n + 1 < a.n && n < b.n && a.p[n] == b.p[n] && (unsigned char)a.p[n] < 0x80)
        n++;
    return n;
}

static char *put_escaped(char *to, struct str s)
{
    for (size_t i = 0; i < s.n; i++) {
        switch (s.p[i]) {
        case '<':
            to = PUT(to, "&lt;");
            break;
        case '>':
            to = PUT(to, "&gt;");
            break;
        case '&':
            to = PUT(to, "&amp;");
            break;
        default:
            *to++ = s.p[i];
        }
    }
    return to;
}

static void put_line(struct data_frames *f, struct buf *out, uint32_t line, bool xml)
{
    struct piece piece = piece_of(f, f->frame_at[line]);

    make_text(&f->text, &piece);
    put_short_names(&f->text, &piece);
    struct str text = buf_view(&f->text);
    size_t prefix = prefix_of(text, buf_view(&f->last_text));
    struct str rest = str_from(text, prefix);
    bool escape = xml && !piece.plain;
    if (f->text.failed || !buf_reserve(out, 1 + rest.n * (escape ? ESCAPED_BYTES_MAX : 1))) {
        out->failed = true;
        return;
    }
    f->prefix[line] = (uint32_t)prefix;
    char *to = out->p + out->n;
    to = escape ? put_escaped(to, rest) : put_str(to, rest);
    *to++ = '\n';
    out->n = (size_t)(to - out->p);
    struct buf last = f->last_text;
    f->last_text = f->text;
    f->text = last;
}

void data_frames_put(struct data_frames *f, struct buf *out, size_t end, bool xml)
{
    buf_clear(&f->last_text);
    for (uint32_t line = 0; line < f->n && out->n < end && !out->failed; line++)
        put_line(f, out, line, xml);
}

void data_frames_put_numbers(const struct data_frames *f, struct buf *out, size_t end)
{
    uint32_t last_rank = 0;

    for (uint32_t line = 0; line < f->n && out->n < end && buf_reserve(out, NUMBERS_BYTES); line++) {
        frame_id frame = f->frame_at[line];
        bool is_track = frame >= f->in->profile->n_frames;
        uint32_t rank = rank_of(f, frame);
        char *to = data_number(out->p + out->n, rank - last_rank);
        to = data_number(to, f->prefix[line]);
        to = data_number(to, is_track ? ORIGIN_TRACK : names_of(f->in->names, frame)->origin);
        to = data_number(to, is_track ? 0 : f->colours->of[names_of(f->in->names, frame)->package]);
        out->n = (size_t)(to - out->p);
        last_rank = rank;
    }
}

/* ---- nodes ---- */

/* Twice over the nodes that are written: to learn what the header and the frames must say of them, then to write
 * them. What is left out of a node is counted each time; that is linear in all children of the nodes written. */

enum {
    THOUSAND = 1000,
    RECORD_NUMBERS_MAX = 6 + 2 * MEASURES_MAX,
    RECORD_BYTES_MAX = RECORD_NUMBERS_MAX * DATA_NUMBER_BYTES_MAX,
    BATCH_BYTES = 64 * RECORD_BYTES_MAX
};

/* What is left out below a node: all but the heaviest of its children, with their subtrees. */
struct stub {
    uint32_t shown, children, nodes;
    uint64_t totals[MEASURES_MAX];
};

/* --- which nodes --- */

static bool is_skipped(const struct data_nodes *w, uint32_t place)
{
    return w->skip > 0 && w->data->tree->parent[place] == w->first &&
           heaviest_takes(w->skipped, tree_total(w->data->tree, place, 0), place);
}

/* Of a node whose parent is written. */
static bool takes(const struct data_nodes *w, uint32_t place)
{
    return heaviest_takes(w->cut, tree_total(w->data->tree, place, 0), place) && !is_skipped(w, place);
}

/* The next place in pre-order that is written, or w->end. */
static uint32_t next_taken(const struct data_nodes *w, uint32_t place)
{
    place++;
    while (!w->whole && place < w->end && !takes(w, place))
        place += w->data->tree->size[place];
    return place;
}

static bool find_skipped(struct data_nodes *w)
{
    const struct tree *t = w->data->tree;
    struct arena *a = w->data->in->scratch;
    uint32_t n = 0;

    for (uint32_t child = w->first + 1; child < w->end; child += t->size[child])
        n++;
    uint64_t *totals = arena_array(a, n, sizeof(*totals));
    uint32_t *places = arena_array(a, n, sizeof(*places));
    if (totals == NULL || places == NULL)
        return false;
    n = 0;
    for (uint32_t child = w->first + 1; child < w->end; child += t->size[child]) {
        totals[n] = tree_total(t, child, 0);
        places[n++] = child;
    }
    w->skip = w->skip < n ? w->skip : n;
    w->skipped = heaviest_cut(totals, places, n, w->skip);
    return true;
}

/* The first measure of the role, MEASURES_MAX if there is none. */
static uint32_t measure_of_role(const struct data_tree *d, enum profile_role role)
{
    for (uint32_t i = 0; i < d->n_measures; i++)
        if (!d->measures[i].waiting && d->in->profile->values[d->measures[i].value].role == role)
            return i;
    return MEASURES_MAX;
}

bool data_nodes_init(struct data_nodes *w, const struct data_tree *d, struct data_frames *frames,
                     uint32_t first, uint32_t skip)
{
    *w = (struct data_nodes){.data = d, .frames = frames, .first = first, .skip = skip, .cut = HEAVIEST_ALL};
    w->end = first + d->tree->size[first];
    w->wall = measure_of_role(d, ROLE_WALL);
    w->cpu = measure_of_role(d, ROLE_CPU);
    w->calls = measure_of_role(d, ROLE_CALLS);
    if (w->cpu < w->wall)
        w->cpu = MEASURES_MAX;
    return skip == 0 || find_skipped(w);
}

void data_nodes_list(const struct data_nodes *w, uint64_t *totals, uint32_t *places, uint32_t *n)
{
    const struct tree *t = w->data->tree;

    *n = 0;
    for (uint32_t place = w->first + 1; place < w->end;) {
        if (is_skipped(w, place)) {
            place += t->size[place];
            continue;
        }
        totals[*n] = tree_total(t, place, 0);
        places[(*n)++] = place++;
    }
}

/* False: nothing is left out of this node. */
static bool find_stub(const struct data_nodes *w, uint32_t place, struct stub *s)
{
    const struct data_tree *d = w->data;
    const struct tree *t = d->tree;
    uint32_t end = place + t->size[place];

    *s = (struct stub){.shown = place == w->first ? w->skip : 0};
    for (uint32_t child = place + 1; child < end; child += t->size[child]) {
        if (is_skipped(w, child))
            continue;
        if (takes(w, child)) {
            s->shown++;
            continue;
        }
        s->children++;
        s->nodes += t->size[child];
        for (uint32_t i = 0; i < d->n_measures; i++)
            s->totals[i] = number_add(s->totals[i], tree_total(t, child, d->column[i]));
    }
    return s->children > 0;
}

/* --- what is to be known first --- */

/* Of one value: whether thousands divide all that is written of it. */
static bool in_thousands(const struct data_nodes *w, uint32_t measure)
{
    uint32_t column = w->data->column[measure];

    for (uint32_t place = w->first; place < w->end; place = next_taken(w, place))
        if (tree_self(w->data->tree, place, column) % THOUSAND != 0)
            return false;
    return true;
}

/* Merged tracks may have waited more than their sums tell. */
static bool is_derived(const struct data_nodes *w, uint32_t measure)
{
    const struct data_tree *d = w->data;
    const struct measure *m = &d->measures[measure];
    uint32_t wall = m->waiting ? d->column[m->value] : 0, cpu = m->waiting ? d->column[m->minus] : 0;

    if (!m->waiting || d->tree->n_columns < d->n_measures)
        return m->waiting;
    for (uint32_t place = w->first; place < w->end; place = next_taken(w, place)) {
        uint64_t of = tree_self(d->tree, place, wall), less = tree_self(d->tree, place, cpu);
        if (tree_self(d->tree, place, d->column[measure]) != (of > less ? of - less : 0))
            return false;
    }
    return true;
}

static void survey_stubs(struct data_nodes *w)
{
    struct stub s;

    for (uint32_t place = w->first; place < w->end; place = next_taken(w, place)) {
        find_stub(w, place, &s);
        for (uint32_t i = 0; i < w->data->n_measures; i++)
            if (s.totals[i] % THOUSAND != 0)
                w->scale[i] = 1;
    }
}

void data_nodes_survey(struct data_nodes *w)
{
    const struct tree *t = w->data->tree;

    w->n = 0;
    w->whole = w->skip == 0 && w->cut.total == 0 && w->cut.end == UINT32_MAX;
    data_frames_clear(w->frames);
    for (uint32_t place = w->first; place < w->end; place = next_taken(w, place)) {
        if (tree_frame(t, place) != FRAME_NONE)
            data_frames_use(w->frames, tree_frame(t, place));
        w->n += place > w->first;
    }
    for (uint32_t i = 0; i < w->data->n_measures; i++) {
        w->derived[i] = is_derived(w, i);
        w->scale[i] = w->derived[i] || in_thousands(w, i) ? THOUSAND : 1;
    }
    if (!w->whole)
        survey_stubs(w);
}

/* --- records --- */

static char *put_scaled(char *to, uint64_t value, uint64_t scale)
{
    return data_number(to, scale == THOUSAND ? value / THOUSAND : value);
}

static char *put_stub(const struct data_nodes *w, char *to, uint32_t place, const struct stub *s)
{
    to = data_number(to, place);
    to = data_number(to, s->shown);
    to = data_number(to, s->children);
    to = data_number(to, s->nodes);
    for (uint32_t i = 0; i < w->data->n_measures; i++)
        to = put_scaled(to, s->totals[i], w->scale[i]);
    return to;
}

static uint64_t self_of(const struct data_nodes *w, uint32_t place, uint32_t measure)
{
    return tree_self(w->data->tree, place, w->data->column[measure]);
}

static char *put_record(const struct data_nodes *w, char *to, uint32_t place, uint32_t up)
{
    const struct tree *t = w->data->tree;
    frame_id frame = tree_frame(t, place);
    struct stub s;
    bool stub = !w->whole && find_stub(w, place, &s);
    bool same = w->cpu != MEASURES_MAX && self_of(w, place, w->cpu) == self_of(w, place, w->wall);
    bool one = w->calls != MEASURES_MAX && self_of(w, place, w->calls) == 1;

    to = data_number(to, 8 * (uint64_t)up + 4 * same + 2 * one + stub);
    to = data_number(to, frame == FRAME_NONE ? 0 : 1 + (uint64_t)data_frames_line(w->frames, frame));
    for (uint32_t i = 0; i < w->data->n_measures; i++)
        if (!w->derived[i] && !(same && i == w->cpu) && !(one && i == w->calls))
            to = put_scaled(to, self_of(w, place, i), w->scale[i]);
    return stub ? put_stub(w, to, place, &s) : to;
}

void data_nodes_put(const struct data_nodes *w, struct buf *out, size_t end)
{
    const struct tree *t = w->data->tree;
    uint32_t place = w->first, depth = t->depth[place] - 1;

    while (place < w->end && out->n < end && buf_reserve(out, BATCH_BYTES)) {
        char *to = out->p + out->n, *full = to + BATCH_BYTES - RECORD_BYTES_MAX;
        for (; place < w->end && to <= full; place = next_taken(w, place)) {
            to = put_record(w, to, place, depth + 1 - t->depth[place]);
            depth = t->depth[place];
        }
        out->n = (size_t)(to - out->p);
    }
    buf_char(out, '\n');
}
