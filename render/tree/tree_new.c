/* Four steps: select the tracks; gather their nodes as rows, parents first; where several nodes may become
 * one, merge them level by level; order the children and number the places. Each is linear but for the
 * sorting of siblings. */
#include "render/tree/tree_new.h"

#include <assert.h>

#include "core/number.h"
#include "core/order.h"
#include "render/tree/merge.h"
#include "render/view/fail.h"

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
    const struct profile *p = m->profile;
    bool listed = m->view->tracks == TRACKS_LISTED;
    uint32_t *tracks = array(m, p->n_tracks, sizeof(*tracks)), n = 0;

    if (tracks == NULL)
        return false;
    for (uint32_t i = 0; i < p->n_tracks; i++) {
        bool wanted = !listed;
        for (uint32_t j = 0; listed && j < m->view->n_track_ids && !wanted; j++)
            wanted = m->view->track_ids[j] == p->tracks[i].id;
        if (wanted)
            tracks[n++] = i;
    }
    m->tree->tracks = tracks;
    m->tree->n_tracks = n;
    m->tree->side_by_side = m->view->tracks == TRACKS_ALL || (listed && n != 1);
    return true;
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
    uint32_t *rank = array(m, r->n, sizeof(*rank));
    if (rank == NULL)
        return false;
    for (uint32_t i = 1; i < r->n; i++)
        rank[i] = rank_of_frame(m, r->frame[i]);
    r->rank = rank;
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
