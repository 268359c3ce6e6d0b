#include "render/tree/tree.h"

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/diag.h"
#include "core/number.h"
#include "core/order.h"
#include "render/names/names.h"
#include "render/view/input.h"
#include "render/view/view.h"

/* ---- trees ---- */

/* The children of each row as a list, in the order of rows. */
struct place_lists {
    uint32_t *first, *next; /* by row; ORDER_NONE: none, or the last */
};

/* ---- places ---- */

/* In the arena. False when it gives no more. */
static bool place_list(const struct place_rows *rows, struct place_lists *l, struct arena *arena)
{
    l->first = arena_array(arena, rows->n, sizeof(*l->first));
    l->next = arena_array(arena, rows->n, sizeof(*l->next));
    if (l->first == NULL || l->next == NULL)
        return false;
    for (uint32_t i = 0; i < rows->n; i++)
        l->first[i] = l->next[i] = ORDER_NONE;
    /* Each row goes to the front of its list. From the last row on, lists come out in the order of rows. */
    for (uint32_t i = rows->n; i-- > 1;) {
        uint32_t *first = &l->first[rows->parent[i] - rows->parent_base];
        l->next[i] = *first;
        *first = i;
    }
    return true;
}

/* By rank, ascending: for order_list, the context is a struct place_rows. */
static bool place_before_by_rank(const void *context, uint32_t a, uint32_t b)
{
    const struct place_rows *rows = context;

    return rows->rank[a] < rows->rank[b];
}

struct weighed {
    const struct place_rows *rows;
    const struct tree_column *weight;
};

static bool before_by_weight(const void *context, uint32_t a, uint32_t b)
{
    const struct weighed *w = context;
    const struct tree_column *c = w->weight;
    uint64_t of_a = c->total[(size_t)a * c->stride], of_b = c->total[(size_t)b * c->stride];

    return of_a != of_b ? of_a > of_b : w->rows->rank[a] < w->rows->rank[b];
}

static uint32_t ordered(const struct weighed *w, uint32_t first, uint32_t *next)
{
    return w->weight != NULL ? order_list(first, next, before_by_weight, w)
                             : order_list(first, next, place_before_by_rank, w->rows);
}

bool place_all(struct tree *t, const struct place_rows *rows, const struct tree_column *weight,
               struct arena *arena)
{
    const struct weighed w = {rows, weight};
    uint32_t *row = arena_array(arena, rows->n, sizeof(*row));
    uint32_t *parent = arena_array(arena, rows->n, sizeof(*parent));
    uint32_t *depth = arena_array(arena, rows->n, sizeof(*depth));
    uint32_t *size = arena_array(arena, rows->n, sizeof(*size));
    struct place_lists l;

    if (row == NULL || parent == NULL || depth == NULL || size == NULL || !place_list(rows, &l, arena))
        return false;
    parent[0] = NODE_NONE;
    for (uint32_t place = 0;;) {
        uint32_t at = row[place], level = depth[place] + 1, up = place;
        size[place] = 1;
        uint32_t next = l.first[at] = ordered(&w, l.first[at], l.next);
        for (; next == ORDER_NONE && up != NODE_NONE; up = parent[up], level--)
            next = l.next[row[up]];
        if (next == ORDER_NONE)
            break;
        /* A sibling of `up` has its parent; a child has `up` itself: the loop above stopped one step further.
         */
        row[++place] = next;
        parent[place] = up;
        depth[place] = level;
    }
    /* Children stand behind their parents: going backwards, a size is final before it is added. */
    for (uint32_t i = rows->n; i-- > 1;)
        size[parent[i]] += size[i];
    t->n = rows->n;
    t->row = row;
    t->parent = parent;
    t->depth = depth;
    t->size = size;
    return true;
}

bool place_values_new(struct place_values *v, size_t n, uint32_t n_columns, bool has_calls,
                      struct arena *arena)
{
    *v = (struct place_values){.frame = arena_array(arena, n, sizeof(*v->frame)),
                               .flags = arena_array(arena, n, sizeof(*v->flags)),
                               .calls = has_calls ? arena_array(arena, n, sizeof(*v->calls)) : NULL};
    bool ok = v->frame != NULL && v->flags != NULL && (v->calls != NULL || !has_calls);

    for (uint32_t c = 0; ok && c < n_columns; c++) {
        v->self[c] = arena_array(arena, n, sizeof(*v->self[c]));
        v->total[c] = arena_array(arena, n, sizeof(*v->total[c]));
        ok = v->self[c] != NULL && v->total[c] != NULL;
    }
    return ok;
}

bool place_values_tree(struct tree *t, const struct place_values *v, const struct place_rows *rows,
                       const struct tree *base, const struct tree_spec *spec, struct arena *arena)
{
    bool by_weight = spec->order == ORDER_WEIGHT;

    t->frame = v->frame;
    t->flags = v->flags;
    t->n_columns = base->n_columns;
    for (uint32_t c = 0; c < t->n_columns; c++)
        t->columns[c] = (struct tree_column){v->self[c], v->total[c], 1};
    t->calls = v->calls;
    t->calls_stride = 1;
    t->tracks = base->tracks;
    t->n_tracks = base->n_tracks;
    t->n_frames = base->n_frames;
    return place_all(t, rows, by_weight ? &t->columns[spec->order_column] : NULL, arena);
}

/* ---- equal stacks ---- */

/* The children of all members of a group, as one list: `next` binds the members of a group as well as
 * siblings. */
static uint32_t join_children(const struct place_lists *l, uint32_t member)
{
    uint32_t joined = ORDER_NONE;
    uint32_t *tail = &joined;

    for (; member != ORDER_NONE; member = l->next[member])
        for (*tail = l->first[member]; *tail != ORDER_NONE;)
            tail = &l->next[*tail];
    return joined;
}

/* Cuts the sorted list after its leading run of equal ranks; returns what follows. */
static uint32_t cut_run(const struct place_rows *rows, const struct place_lists *l, uint32_t head)
{
    uint32_t last = head;

    while (l->next[last] != ORDER_NONE && rows->rank[l->next[last]] == rows->rank[head])
        last = l->next[last];
    uint32_t rest = l->next[last];
    l->next[last] = ORDER_NONE;
    return rest;
}

/* Groups are made breadth first: the list of groups is the queue. */
bool merge_rows(const struct place_rows *rows, struct merge *made, struct arena *arena)
{
    uint32_t *head = arena_array(arena, rows->n, sizeof(*head));
    uint32_t *rank = arena_array(arena, rows->n, sizeof(*rank));
    uint32_t *parent = arena_array(arena, rows->n, sizeof(*parent)), n = 1;
    struct place_lists l;

    if (head == NULL || rank == NULL || parent == NULL || !place_list(rows, &l, arena))
        return false;
    for (uint32_t group = 0; group < n; group++) {
        uint32_t list = join_children(&l, head[group]);
        list = order_list(list, l.next, place_before_by_rank, rows);
        while (list != ORDER_NONE) {
            head[n] = list;
            rank[n] = rows->rank[list];
            parent[n++] = group;
            list = cut_run(rows, &l, list);
        }
    }
    *made = (struct merge){{n, parent, 0, rank}, head, l.next};
    return true;
}

/* ---- the tree of a view ---- */

/* Four steps: select the tracks; gather their nodes as rows, parents first; where several nodes may become
 * one, merge them level by level; order the children and number the places. Each is linear but for the
 * sorting of siblings. */

struct rows {
    uint32_t n;
    const uint32_t *parent; /* less parent_base; not of row 0 */
    uint32_t parent_base;
    const frame_id *frame;
    const uint8_t *flags;
    const uint32_t *rank;
    struct tree_column columns[TREE_COLUMNS_MAX];
};

struct maker {
    const struct profile *profile;
    const struct names *names;
    const struct view_options *view;
    const struct tree_spec *spec;
    struct arena *arena;
    struct tree *tree;
    struct rows rows;
};

static void *array(struct maker *m, size_t count, size_t element_bytes)
{
    return arena_array(m->arena, count, element_bytes);
}

/* --- select --- */

static bool select_tracks(struct maker *m)
{
    struct tree *t = m->tree;

    t->tracks = view_tracks(m->profile, m->view, &t->n_tracks, m->arena);
    t->side_by_side = m->view->tracks == TRACKS_ALL || (m->view->tracks == TRACKS_LISTED && t->n_tracks != 1);
    return t->tracks != NULL;
}

/* --- gather --- */

static uint32_t rank_of_frame(const struct maker *m, frame_id frame)
{
    return m->spec->frame_rank != NULL ? m->spec->frame_rank[frame] : names_rank(m->names, frame);
}

static uint32_t rank_of_track(const struct maker *m, uint32_t track)
{
    return m->spec->track_rank != NULL ? m->spec->track_rank[track] : names_track_rank(m->names, track);
}

static void sum_totals(const struct rows *r, const uint64_t *self, uint64_t *total)
{
    for (uint32_t i = 0; i < r->n; i++)
        total[i] = self[i];
    for (uint32_t i = r->n; i-- > 1;) {
        uint64_t *parent = &total[r->parent[i] - r->parent_base];
        *parent = number_add(*parent, total[i]);
    }
}

static bool rank_rows(struct maker *m)
{
    struct rows *r = &m->rows;
    uint32_t *rank = array(m, r->n, sizeof(*rank));

    for (uint32_t i = 1; rank != NULL && i < r->n; i++)
        rank[i] = rank_of_frame(m, r->frame[i]);
    r->rank = rank;
    return rank != NULL;
}

/* One track is used where it stands; only values that the profile does not hold as they are wanted are made.
 */
static bool gather_one(struct maker *m)
{
    const struct profile *p = m->profile;
    const struct profile_track *track = &p->tracks[m->tree->tracks[0]];
    struct rows *r = &m->rows;
    uint32_t first = track->first;

    *r = (struct rows){.n = track->count,
                       .parent = p->node_parent + first,
                       .parent_base = first,
                       .frame = p->node_frame + first,
                       .flags = p->node_flags + first};
    if (!m->spec->unordered && !rank_rows(m))
        return false;
    for (uint32_t c = 0; c < m->spec->n_measures; c++) {
        const struct measure *measure = m->spec->measures[c];
        if (!measure->waiting && m->spec->divisor == 1) {
            size_t at = (size_t)first * profile_stride(p) + measure->value;
            r->columns[c] = (struct tree_column){p->node_self + at, p->node_total + at, profile_stride(p)};
            continue;
        }
        uint64_t *self = array(m, r->n, sizeof(*self)), *total = array(m, r->n, sizeof(*total));
        if (self == NULL || total == NULL)
            return false;
        for (uint32_t i = 0; i < r->n; i++)
            self[i] = measure_self(p, measure, first + i) / m->spec->divisor;
        sum_totals(r, self, total);
        r->columns[c] = (struct tree_column){self, total, 1};
    }
    return true;
}

struct gathered {
    uint32_t *parent, *rank;
    struct place_values values;
};

static bool gathered_new(struct maker *m, struct gathered *g, size_t n)
{
    *g = (struct gathered){.parent = array(m, n, sizeof(*g->parent)), .rank = array(m, n, sizeof(*g->rank))};
    return g->parent != NULL && g->rank != NULL &&
           place_values_new(&g->values, n, m->spec->n_measures, false, m->arena);
}

static void use_gathered(struct maker *m, const struct gathered *g)
{
    struct rows *r = &m->rows;

    r->parent = g->parent;
    r->parent_base = 0;
    r->rank = g->rank;
    r->frame = g->values.frame;
    r->flags = g->values.flags;
    for (uint32_t c = 0; c < m->spec->n_measures; c++) {
        sum_totals(r, g->values.self[c], g->values.total[c]);
        r->columns[c] = (struct tree_column){g->values.self[c], g->values.total[c], 1};
    }
}

/* Where the rows of a track go: its own root, and its other nodes behind it. */
struct block {
    uint32_t track; /* index of profile->tracks */
    uint32_t root;  /* row */
    uint32_t shift; /* the i-th node is row shift + i, for i > 0 */
};

static void gather_node(struct maker *m, struct gathered *g, const struct block *b, uint32_t i)
{
    const struct profile *p = m->profile;
    uint32_t first = p->tracks[b->track].first, row = i == 0 ? b->root : b->shift + i;

    if (i > 0) {
        uint32_t up = p->node_parent[first + i] - first;
        g->parent[row] = up == 0 ? b->root : b->shift + up;
        g->values.frame[row] = p->node_frame[first + i];
        g->values.flags[row] = p->node_flags[first + i];
        g->rank[row] = rank_of_frame(m, g->values.frame[row]);
    } else if (row > 0) {
        g->values.frame[row] = p->n_frames + b->track;
        g->rank[row] = rank_of_track(m, b->track);
    }
    for (uint32_t c = 0; c < m->spec->n_measures; c++) {
        uint64_t self = measure_self(p, m->spec->measures[c], first + i) / m->spec->divisor;
        g->values.self[c][row] = number_add(g->values.self[c][row], self);
    }
}

/* Row 0 is the root of all: of the tracks' own roots when they stand side by side, in their place when they
 * are merged. */
static bool gather_many(struct maker *m)
{
    const struct tree *t = m->tree;
    const struct profile *p = m->profile;
    struct gathered g;
    size_t n = 1, roots = t->side_by_side ? 1 : 0;

    for (uint32_t i = 0; i < t->n_tracks; i++)
        n += p->tracks[t->tracks[i]].count - 1 + roots;
    if (n >= ORDER_NONE || !gathered_new(m, &g, n))
        return false;
    m->rows.n = (uint32_t)n;
    g.values.frame[0] = FRAME_NONE;
    uint32_t used = 1;
    for (uint32_t i = 0; i < t->n_tracks; i++) {
        uint32_t count = p->tracks[t->tracks[i]].count;
        struct block b = {t->tracks[i], t->side_by_side ? used : 0, t->side_by_side ? used : used - 1};
        for (uint32_t j = 0; j < count; j++)
            gather_node(m, &g, &b, j);
        used = b.shift + count;
    }
    use_gathered(m, &g);
    return true;
}

/* --- merge --- */

static struct place_rows place_rows_of(const struct rows *r)
{
    return (struct place_rows){r->n, r->parent, r->parent_base, r->rank};
}

static void add_up(struct maker *m, const struct merge *merged, uint32_t group, struct gathered *to)
{
    uint32_t head = merged->head[group];

    to->values.frame[group] = m->rows.frame[head];
    to->values.flags[group] = m->rows.flags[head];
    for (uint32_t row = head; row != ORDER_NONE; row = merged->next[row])
        for (uint32_t c = 0; c < m->spec->n_measures; c++) {
            const struct tree_column *from = &m->rows.columns[c];
            assert(to->values.self[c] != NULL);
            to->values.self[c][group] =
                number_add(to->values.self[c][group], from->self[(size_t)row * from->stride]);
        }
}

static bool merge(struct maker *m)
{
    struct place_rows rows = place_rows_of(&m->rows);
    struct merge merged;
    struct gathered to;

    if (!merge_rows(&rows, &merged, m->arena) || !gathered_new(m, &to, merged.groups.n))
        return false;
    for (uint32_t group = 0; group < merged.groups.n; group++) {
        add_up(m, &merged, group, &to);
        to.parent[group] = merged.groups.parent[group];
        to.rank[group] = merged.groups.rank[group];
    }
    m->rows.n = merged.groups.n;
    use_gathered(m, &to);
    return true;
}

static bool place_as_they_are(struct maker *m)
{
    uint32_t *row = array(m, m->rows.n, sizeof(*row));

    for (uint32_t i = 0; row != NULL && i < m->rows.n; i++)
        row[i] = i;
    m->tree->n = m->rows.n;
    m->tree->row = row;
    return row != NULL;
}

static bool make(struct maker *m)
{
    if (!select_tracks(m))
        return false;
    bool one = m->view->tracks == TRACKS_LISTED && m->tree->n_tracks == 1;
    bool equal_ranks = m->view->tracks == TRACKS_MERGED || m->spec->frame_rank != NULL;
    if (!(one ? gather_one(m) : gather_many(m)))
        return false;
    if (equal_ranks && !merge(m))
        return false;
    if (m->spec->unordered)
        return place_as_they_are(m);
    struct place_rows rows = place_rows_of(&m->rows);
    bool by_weight = m->spec->order == ORDER_WEIGHT;
    return place_all(m->tree, &rows, by_weight ? &m->rows.columns[m->spec->order_column] : NULL, m->arena);
}

const struct tree *tree_new(const struct render_input *in, const struct tree_spec *spec, struct diag *diag)
{
    struct maker m = {in->profile, in->names, in->view, spec, in->scratch, NULL, {0}};

    m.tree = arena_alloc(in->scratch, sizeof(*m.tree));
    if (m.tree == NULL || !make(&m)) {
        fail_arena(in->scratch, diag);
        return NULL;
    }
    m.tree->frame = m.rows.frame;
    m.tree->flags = m.rows.flags;
    m.tree->n_frames = in->profile->n_frames;
    m.tree->n_columns = spec->n_measures;
    for (uint32_t c = 0; c < spec->n_measures; c++)
        m.tree->columns[c] = m.rows.columns[c];
    if (spec->has_calls) {
        m.tree->calls = m.tree->columns[spec->calls_column].self;
        m.tree->calls_stride = m.tree->columns[spec->calls_column].stride;
    }
    return m.tree;
}

const uint64_t *tree_selves(const struct tree *t, struct arena *arena)
{
    uint64_t *self = arena_array(arena, t->n_frames, sizeof(*self));

    for (uint32_t i = 0; self != NULL && i < t->n; i++)
        if (tree_frame(t, i) < t->n_frames)
            self[tree_frame(t, i)] = number_add(self[tree_frame(t, i)], tree_self(t, i, 0));
    return self;
}

/* ---- the heaviest path ---- */

/* Which nodes of a tree are the heaviest: by total, the largest first, equal ones by place. A child is never
 * heavier than its parent and stands behind it, so the heaviest k nodes always hang together at the root. */

#define HEAVIEST_NONE ((struct heaviest_cut){UINT64_MAX, 0})

enum { DIGIT_BITS = 8, DIGITS = 1 << DIGIT_BITS, TOP_SHIFT = 64 - DIGIT_BITS };

/* Those that are left are equal in the digits above `shift`. */
struct search {
    const uint64_t *totals;
    uint32_t n;
    uint64_t known; /* the digits found so far, zeros below */
    unsigned shift;
    uint32_t left;   /* nodes that have the known digits */
    uint32_t wanted; /* how many of them */
};

static bool has_known_digits(const struct search *s, uint64_t total)
{
    return s->shift == TOP_SHIFT || (total ^ s->known) >> (s->shift + DIGIT_BITS) == 0;
}

/* Finds the next digit of the total at which the cut is. */
static void find_digit(struct search *s)
{
    uint32_t counts[DIGITS] = {0};
    unsigned digit = DIGITS - 1;

    for (uint32_t i = 0; i < s->n; i++)
        if (has_known_digits(s, s->totals[i]))
            counts[s->totals[i] >> s->shift & (DIGITS - 1)]++;
    for (; counts[digit] < s->wanted; digit--)
        s->wanted -= counts[digit];
    s->known |= (uint64_t)digit << s->shift;
    s->left = counts[digit];
}

struct heaviest_cut heaviest_cut(const uint64_t *totals, const uint32_t *places, uint32_t n, uint32_t k)
{
    struct search s = {.totals = totals, .n = n, .shift = TOP_SHIFT, .left = n, .wanted = k};

    if (k == 0)
        return HEAVIEST_NONE;
    if (k >= n)
        return HEAVIEST_ALL;
    for (;; s.shift -= DIGIT_BITS) {
        find_digit(&s);
        if (s.wanted == s.left)
            return (struct heaviest_cut){s.known, UINT32_MAX};
        if (s.shift == 0)
            break;
    }
    uint32_t i = 0;
    for (;; i++)
        if (totals[i] == s.known && --s.wanted == 0)
            return (struct heaviest_cut){s.known, places[i] + 1};
}
