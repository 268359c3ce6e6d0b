/* Twice over the nodes that are written: to learn what the header and the frames must say of them, then to write
 * them. What is left out of a node is counted each time; that is linear in all children of the nodes written. */
#include "render/svg/data_nodes.h"

#include <stdint.h>
#include <string.h>

#include "core/number.h"
#include "profile/transform/transform.h"
#include "render/tree/tree.h"
#include "render/view/input.h"
#include "render/view/key.h"
#include "render/view/view.h"

static inline void data_frames_use(struct data_frames *f, frame_id frame)
{
    f->frames.bits[frame >> 6] |= UINT64_C(1) << (frame & 63);
}

/* The line of a frame that is in use. */
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

/* Whether a node is written, if its parent is. */
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

/* Forgets all frames. */
static void data_frames_clear(struct data_frames *f)
{
    memset(f->frames.bits, 0, f->frames.n_words * sizeof(*f->frames.bits));
    memset(f->ranks.bits, 0, f->ranks.n_words * sizeof(*f->ranks.bits));
    f->n = 0;
}

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
