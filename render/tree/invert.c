/* The members, sorted by their stacks read upwards, are the leaves of the inverted tree in its order: a member makes
 * the nodes of its stack that it does not share with the member before it. So the time is that of sorting, and of the
 * nodes made. */
#include "render/tree/invert.h"

#include <assert.h>
#include <string.h>

#include "core/number.h"
#include "core/order.h"
#include "render/tree/place.h"
#include "render/tree/upward.h"
#include "render/view/fail.h"

/* An array that is given back before the tree is done: with a million nodes, all at once would be too much. */
struct lent {
    char *p;
    size_t room;
};

struct inverter {
    const struct render_input *in;
    const struct tree_spec *spec;
    const struct tree *base;
    struct arena *arena;
    frame_id only; /* whose callers are wanted; FRAME_NONE: all frames */
    struct invert_members members;
    uint32_t *place;       /* by member: of the base tree */
    uint32_t *rank, *jump; /* by place; tracks rank behind frames; see caller_at */
    struct lent by_member, by_place;
    struct tree *made;
};

static void *array(struct inverter *v, size_t count, size_t element_bytes)
{
    return arena_array(v->arena, count, element_bytes);
}

/* Zeroed. */
static bool lend(struct inverter *v, struct lent *l, size_t bytes)
{
    l->p = arena_grow(v->arena, NULL, &l->room, bytes, 1);
    if (l->p != NULL)
        memset(l->p, 0, bytes);
    return l->p != NULL;
}

static void give_back(struct inverter *v, struct lent *l)
{
    arena_release(v->arena, l->p, l->room, 1);
}

static uint64_t weight(const struct inverter *v, uint32_t place, uint32_t column)
{
    return v->only == FRAME_NONE ? tree_self(v->base, place, column) : tree_total(v->base, place, column);
}

/* --- members --- */

/* The marked places of the base tree, with whatever is above them, as a tree of their own. Marks become its places. */
static bool keep_marked(struct inverter *v, uint32_t *marks)
{
    const struct tree *t = v->base;
    uint32_t n = 1;

    /* Parents stand before their nodes: one pass backwards marks everything above the marked places. */
    for (uint32_t i = t->n; i-- > 1;) {
        n += marks[i];
        if (marks[i] == 1)
            marks[t->parent[i]] = 1;
    }
    struct tree *few = array(v, 1, sizeof(*few));
    uint32_t *row = array(v, n, sizeof(*row)), *parent = array(v, n, sizeof(*parent));
    uint32_t *depth = array(v, n, sizeof(*depth));
    if (few == NULL || row == NULL || parent == NULL || depth == NULL)
        return false;
    row[0] = t->row[0];
    parent[0] = NODE_NONE;
    marks[0] = 0;
    for (uint32_t i = 1, at = 1; i < t->n; i++) {
        if (marks[i] == 0)
            continue;
        row[at] = t->row[i];
        parent[at] = marks[t->parent[i]];
        depth[at] = t->depth[i];
        marks[i] = at++;
    }
    *few = *t;
    few->n = n;
    few->row = row;
    few->parent = parent;
    few->depth = depth;
    few->size = NULL;
    v->base = few;
    return true;
}

/* Of a sandwich only the method's outermost instances matter, and what they were called by. */
static bool leave_out_others(struct inverter *v)
{
    const struct tree *t = v->base;
    struct lent lent = {NULL, 0};

    if (!lend(v, &lent, t->n * sizeof(uint32_t)))
        return false;
    uint32_t *marks = (uint32_t *)(void *)lent.p;
    for (uint32_t i = 1; i < t->n; i += marks[i] == 1 ? t->size[i] : 1)
        marks[i] = tree_frame(t, i) == v->only;
    bool ok = keep_marked(v, marks);
    give_back(v, &lent);
    return ok;
}

static bool make_ranks(struct inverter *v)
{
    const struct tree *t = v->base;

    if (!lend(v, &v->by_place, sizeof(*v->rank) * 2 * t->n))
        return false;
    v->rank = (uint32_t *)(void *)v->by_place.p;
    v->jump = v->rank + t->n;
    for (uint32_t i = 1; i < t->n; i++) {
        frame_id frame = tree_frame(t, i);
        v->rank[i] = tree_is_track(t, frame)
                         ? t->n_frames + names_track_rank(v->in->names, frame - t->n_frames)
                         : names_rank(v->in->names, frame);
    }
    return true;
}

static bool weighs(const struct inverter *v, uint32_t place)
{
    bool any = tree_calls(v->base, place) > 0;

    for (uint32_t c = 0; !any && c < v->base->n_columns; c++)
        any = weight(v, place, c) > 0;
    return any;
}

static bool is_member(const struct inverter *v, uint32_t place)
{
    frame_id frame = tree_frame(v->base, place);

    return (v->only == FRAME_NONE || frame == v->only) && weighs(v, place);
}

static bool lend_members(struct inverter *v, uint32_t n)
{
    struct invert_members *m = &v->members;

    if (!lend(v, &v->by_member, n * (sizeof(*m->weight) + 4 * sizeof(*v->place))))
        return false;
    m->n = n;
    /* The numbers of 64 bits stand first, so that all arrays are aligned. */
    m->weight = (uint64_t *)(void *)v->by_member.p;
    v->place = (uint32_t *)(void *)(m->weight + n);
    m->shared = v->place + n;
    m->length = m->shared + n;
    m->deep = m->length + n;
    return true;
}

/* What lies between two members in the order of all nodes lowers what they share. */
static void list_members(struct inverter *v, const struct upward *up)
{
    struct invert_members *m = &v->members;
    uint32_t n = 0, shared = 0;

    for (uint32_t i = 1; i < up->n; i++) {
        uint32_t place = up->place[i];
        shared = up->shared[i] < shared ? up->shared[i] : shared;
        if (!is_member(v, place))
            continue;
        v->place[n] = place;
        m->shared[n] = n == 0 ? m->common : shared;
        m->length[n] = v->base->depth[place];
        m->weight[n++] = weight(v, place, 0);
        shared = UINT32_MAX;
    }
}

static bool make_members(struct inverter *v)
{
    struct upward up;
    uint32_t n = 0;

    v->members.common = v->only == FRAME_NONE ? 0 : 1;
    if ((v->only != FRAME_NONE && !leave_out_others(v)) || !make_ranks(v) ||
        !upward_sort(&up, v->base, v->rank, v->arena))
        return false;
    for (uint32_t i = 1; i < v->base->n; i++)
        n += is_member(v, i);
    if (!lend_members(v, n))
        return false;
    list_members(v, &up);
    upward_release(&up, v->arena);
    return true;
}

/* --- callers far away --- */

/* Myers, "An applicative random-access stack", 1983: the jumps of a stack are its skew-binary digits, so that any
 * caller is a logarithm of steps away. */
static void make_jumps(struct inverter *v)
{
    const struct tree *t = v->base;

    /* Parents stand before their nodes, so their jumps are known. That of the root is the root itself. */
    for (uint32_t i = 1; i < t->n; i++) {
        uint32_t up = t->parent[i], far = v->jump[up];
        bool equal = t->depth[up] - t->depth[far] == t->depth[far] - t->depth[v->jump[far]];
        v->jump[i] = equal ? v->jump[far] : up;
    }
}

/* Of the place's stack, the node at this depth. */
static uint32_t caller_at(const struct inverter *v, uint32_t place, uint32_t depth)
{
    while (v->base->depth[place] > depth) {
        uint32_t far = v->jump[place];
        place = v->base->depth[far] >= depth ? far : v->base->parent[place];
    }
    return place;
}

/* --- nodes --- */

struct nodes {
    uint32_t n;
    uint32_t *parent, *rank;
    struct place_values values;
    uint32_t *path; /* by depth: the node of the latest member's stack */
};

static bool nodes_new(struct inverter *v, struct nodes *o, size_t n, size_t levels)
{
    *o = (struct nodes){.parent = array(v, n, sizeof(*o->parent)),
                        .rank = array(v, n, sizeof(*o->rank)),
                        .path = array(v, levels, sizeof(*o->path))};
    return n < ORDER_NONE && o->parent != NULL && o->rank != NULL && o->path != NULL &&
           place_values_new(&o->values, n, v->base->n_columns, v->base->calls != NULL, v->arena);
}

static void add(uint64_t *sum, uint64_t more)
{
    *sum = number_add(*sum, more);
}

/* Where its nodes end, the member's weight is added; it is passed on to the callees later. */
static void add_member(struct inverter *v, struct nodes *o, uint32_t member)
{
    const struct invert_members *m = &v->members;
    uint32_t at = v->place[member], length = m->length[member], deep = m->deep[member];
    uint32_t place = m->shared[member] < deep ? caller_at(v, at, length - m->shared[member]) : 0;

    for (uint32_t k = m->shared[member]; k < deep; k++) {
        uint32_t made = o->n++;
        o->parent[made] = o->path[k - m->common];
        o->values.frame[made] = tree_frame(v->base, place);
        o->rank[made] = v->rank[place];
        o->path[k - m->common + 1] = made;
        place = v->base->parent[place];
    }
    uint32_t last = o->path[deep - m->common];
    for (uint32_t c = 0; c < v->base->n_columns; c++) {
        assert(o->values.self[c] != NULL && o->values.total[c] != NULL);
        add(&o->values.total[c][last], weight(v, at, c));
        if (deep == length)
            add(&o->values.self[c][last], weight(v, at, c));
    }
    if (o->values.calls != NULL)
        add(&o->values.calls[last], tree_calls(v->base, at));
}

static void add_up(struct inverter *v, struct nodes *o)
{
    for (uint32_t c = 0; c < v->base->n_columns; c++) {
        assert(o->values.self[c] != NULL && o->values.total[c] != NULL);
        for (uint32_t i = o->n; i-- > 1;)
            add(&o->values.total[c][o->parent[i]], o->values.total[c][i]);
        if (v->only == FRAME_NONE) {
            o->values.self[c][0] = tree_self(v->base, 0, c);
            o->values.total[c][0] = tree_total(v->base, 0, c);
        }
    }
    for (uint32_t i = o->n; o->values.calls != NULL && i-- > 1;)
        add(&o->values.calls[o->parent[i]], o->values.calls[i]);
}

static bool make_tree(struct inverter *v)
{
    const struct invert_members *m = &v->members;
    size_t n = 1, levels = 1;
    struct nodes o;

    for (uint32_t i = 0; i < m->n; i++) {
        n += m->deep[i] > m->shared[i] ? m->deep[i] - m->shared[i] : 0;
        levels = m->deep[i] >= levels ? m->deep[i] + (size_t)1 : levels;
    }
    if (!nodes_new(v, &o, n, levels))
        return false;
    make_jumps(v);
    o.n = 1;
    o.values.frame[0] = v->only;
    for (uint32_t i = 0; i < m->n; i++)
        add_member(v, &o, i);
    add_up(v, &o);
    give_back(v, &v->by_member);
    give_back(v, &v->by_place);
    const struct place_rows rows = {o.n, o.parent, 0, o.rank};
    return place_values_tree(v->made, &o.values, &rows, v->base, v->spec, v->arena);
}

/* What is in the way of a whole tree is seldom the system's memory. */
static bool fail(const struct inverter *v, const struct invert_cut *cut, struct diag *diag)
{
    if (v->arena->failure == ARENA_NO_MEMORY || cut->nodes_max > 0)
        return fail_arena(v->arena, diag);
    return diag_set(
        diag, DIAG_LIMIT, "view too large",
        "Choose one thread, a view that is not inverted, or a picture, which leaves out what is too "
        "narrow to be seen.",
        "With all callers of all methods the tree needs more than the %zu MiB of memory that it may take.",
        v->arena->limit_bytes >> 20);
}

static const struct tree *make(struct inverter *v, const struct invert_cut *cut, struct diag *diag)
{
    v->arena = v->in->scratch;
    v->made = arena_alloc(v->arena, sizeof(*v->made));
    if (v->made == NULL || !make_members(v) || !invert_cut(&v->members, cut, &v->made->cut_short, v->arena) ||
        !make_tree(v)) {
        fail(v, cut, diag);
        return NULL;
    }
    return v->made;
}

const struct tree *invert_new(const struct render_input *in, const struct tree_spec *spec,
                              const struct tree *base, const struct invert_cut *cut, struct diag *diag)
{
    struct inverter v = {.in = in, .spec = spec, .base = base, .only = FRAME_NONE};

    return make(&v, cut, diag);
}

const struct tree *invert_callers(const struct render_input *in, const struct tree_spec *spec,
                                  const struct tree *base, frame_id frame, const struct invert_cut *cut,
                                  struct diag *diag)
{
    struct inverter v = {.in = in, .spec = spec, .base = base, .only = frame};

    return make(&v, cut, diag);
}
