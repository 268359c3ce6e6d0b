/* The members, sorted by their stacks read upwards, are the leaves of the inverted tree in its order: a member makes
 * the nodes of its stack that it does not share with the member before it. So the time is that of sorting, and of the
 * nodes made. */
#include "render/tree/invert.h"

#include <assert.h>
#include <string.h>

#include "core/arena.h"
#include "core/number.h"
#include "core/order.h"
#include "render/names/names.h"
#include "render/tree/tree.h"
#include "render/view/view.h"

/* By member, in the order of their stacks read upwards. A length counts the member's own frame. */
struct invert_members {
    uint32_t n;
    uint32_t common;  /* frames that all of them share: they are the root */
    uint32_t *shared; /* frames shared with the member before; those of the first are `common` */
    uint32_t *length; /* of the stack */
    uint64_t *weight; /* in column 0 */
    uint32_t *deep;   /* made here: how many frames become nodes */
};

/* ---- stacks read upwards ---- */

#define NO_BORDER UINT32_MAX

struct sorter {
    const struct tree *tree;
    uint32_t n;
    uint32_t *order;    /* places */
    uint32_t *group;    /* by place: where its group begins in the order */
    uint32_t *ancestor; /* by place: h levels up; the root where there is none */
    /* Segment tree over the borders: [n + i] is what is shared at i, NO_BORDER within a group. */
    uint32_t *least;
    uint64_t *keys, *spare; /* what decides, above a place */
};

/* --- borders --- */

static void set_border(struct sorter *s, uint32_t at, uint32_t shared)
{
    for (size_t i = (size_t)s->n + at; i > 0 && s->least[i] > shared; i /= 2)
        s->least[i] = shared;
}

static bool is_border(const struct sorter *s, uint32_t at)
{
    return s->least[(size_t)s->n + at] != NO_BORDER;
}

/* Over the borders behind `first`, up to `last`. */
static uint32_t least_shared(const struct sorter *s, uint32_t first, uint32_t last)
{
    size_t low = (size_t)s->n + first + 1, end = (size_t)s->n + last + 1;
    uint32_t least = NO_BORDER;

    for (; low < end; low /= 2, end /= 2) {
        if (low % 2 == 1) {
            least = s->least[low] < least ? s->least[low] : least;
            low++;
        }
        if (end % 2 == 1) {
            end--;
            least = s->least[end] < least ? s->least[end] : least;
        }
    }
    return least;
}

/* --- keys --- */

static uint64_t key(uint32_t decides, uint32_t place)
{
    return (uint64_t)decides << 32 | place;
}

static bool are_sorted(const uint64_t *keys, uint32_t n)
{
    for (uint32_t i = 1; i < n; i++)
        if (keys[i - 1] > keys[i])
            return false;
    return true;
}

static void merge_halves(const uint64_t *from, uint64_t *to, uint64_t a, uint64_t middle, uint64_t end)
{
    uint64_t b = middle;

    for (uint64_t i = a; i < end; i++)
        to[i] = b == end || (a < middle && from[a] <= from[b]) ? from[a++] : from[b++];
}

/* The keys may change places with the spare ones. A merge sort of our own: with qsort, drawing the
 * inverted tree of 400,000 stacks took 9 % more processor time, and memory that no arena counts. */
static void sort_keys(struct sorter *s, uint32_t n)
{
    enum { RUN = 16 };

    if (are_sorted(s->keys, n))
        return;
    for (uint32_t first = 0; first < n; first += RUN)
        for (uint32_t i = first + 1; i < n && i < first + RUN; i++) {
            uint64_t k = s->keys[i];
            uint32_t j = i;
            for (; j > first && s->keys[j - 1] > k; j--)
                s->keys[j] = s->keys[j - 1];
            s->keys[j] = k;
        }
    for (uint64_t width = RUN; width < n; width *= 2) {
        for (uint64_t a = 0; a < n; a += 2 * width) {
            uint64_t middle = a + width < n ? a + width : n;
            merge_halves(s->keys, s->spare, a, middle, middle + width < n ? middle + width : n);
        }
        uint64_t *sorted = s->spare;
        s->spare = s->keys;
        s->keys = sorted;
    }
}

/* --- rounds --- */

/* Groups of equal frames. The end of a stack comes before all frames. */
static void group_by_frame(struct sorter *s, const uint32_t *rank)
{
    s->keys[0] = key(0, 0);
    for (uint32_t i = 1; i < s->n; i++)
        s->keys[i] = key(rank[i] + 1, i);
    sort_keys(s, s->n);
    for (uint32_t i = 0; i < s->n; i++) {
        s->order[i] = (uint32_t)s->keys[i];
        if (i == 0 || s->keys[i] >> 32 != s->keys[i - 1] >> 32)
            set_border(s, i, 0);
    }
}

/* The groups as they stand now are what the next round compares by. */
static void name_groups(struct sorter *s)
{
    for (uint32_t i = 0, first = 0; i < s->n; i++) {
        first = is_border(s, i) ? i : first;
        s->group[s->order[i]] = first;
    }
}

/* Parts the group [first, end), whose stacks share h frames. */
static void part_group(struct sorter *s, uint32_t first, uint32_t end, uint32_t h)
{
    for (uint32_t i = first; i < end; i++)
        s->keys[i - first] = key(s->group[s->ancestor[s->order[i]]], s->order[i]);
    sort_keys(s, end - first);
    for (uint32_t i = first; i < end; i++) {
        s->order[i] = (uint32_t)s->keys[i - first];
        if (i == first)
            continue;
        uint32_t before = (uint32_t)(s->keys[i - first - 1] >> 32),
                 here = (uint32_t)(s->keys[i - first] >> 32);
        if (before != here)
            set_border(s, i, h + least_shared(s, before, here));
    }
}

/* Whether a group is left that may be parted. */
static bool part_groups(struct sorter *s, uint32_t h)
{
    bool any = false;

    for (uint32_t first = 0, end; first < s->n; first = end) {
        for (end = first + 1; end < s->n && !is_border(s, end);)
            end++;
        if (end - first > 1) {
            any = true;
            part_group(s, first, end, h);
        }
    }
    return any;
}

static void sort(struct sorter *s, const uint32_t *rank)
{
    uint32_t deepest = 0;

    for (uint32_t i = 0; i < s->n; i++) {
        s->ancestor[i] = i == 0 ? 0 : s->tree->parent[i];
        deepest = s->tree->depth[i] > deepest ? s->tree->depth[i] : deepest;
    }
    group_by_frame(s, rank);
    name_groups(s);
    for (uint64_t h = 1; h <= deepest && part_groups(s, (uint32_t)h); h *= 2) {
        name_groups(s);
        /* An ancestor's place is smaller: downwards, it is still of this round. */
        for (uint32_t i = s->n; i-- > 0;)
            s->ancestor[i] = s->ancestor[s->ancestor[i]];
    }
    for (uint32_t i = 1; i < s->n; i++)
        if (!is_border(s, i))
            set_border(s, i, s->tree->depth[s->order[i]]);
}

enum { ARRAYS_KEPT = 3 }; /* the order, and the segment tree, which has two elements for each of it */

bool upward_sort(struct upward *made, const struct tree *t, const uint32_t *rank, struct arena *arena)
{
    struct sorter s = {.tree = t, .n = t->n};
    size_t n = t->n;

    s.order = arena_lend(arena, ARRAYS_KEPT * n, sizeof(*s.order));
    s.group = arena_lend(arena, n, sizeof(*s.group));
    s.ancestor = arena_lend(arena, n, sizeof(*s.ancestor));
    s.keys = arena_lend(arena, n, sizeof(*s.keys));
    s.spare = arena_lend(arena, n, sizeof(*s.spare));
    bool ok = s.order != NULL && s.group != NULL && s.ancestor != NULL && s.keys != NULL && s.spare != NULL;
    if (ok) {
        s.least = s.order + n;
        for (size_t i = 0; i < 2 * n; i++)
            s.least[i] = NO_BORDER;
        sort(&s, rank);
        *made = (struct upward){t->n, s.order, s.least + n};
    }
    /* The two may have changed places; they are of one size. */
    arena_release(arena, s.spare, n, sizeof(*s.spare));
    arena_release(arena, s.keys, n, sizeof(*s.keys));
    arena_release(arena, s.ancestor, n, sizeof(*s.ancestor));
    arena_release(arena, s.group, n, sizeof(*s.group));
    return ok;
}

void upward_release(struct upward *u, struct arena *arena)
{
    arena_release(arena, u->place, (size_t)ARRAYS_KEPT * u->n, sizeof(*u->place));
}

/* ---- how much is needed ---- */

/* Members that share k frames stand together, as a run, and runs nest. Going up from a member through the runs around
 * it, the first one that weighs enough is the deepest node of it that has children. */

struct run {
    uint32_t shared; /* frames */
    uint32_t first;  /* member */
    uint64_t weight;
};

struct cutter {
    const struct invert_members *members;
    uint64_t least;
    struct run *runs; /* open ones, each within the one before */
    uint32_t n_runs;
    uint32_t *open; /* members that no run was enough for yet, ascending */
    uint32_t n_open;
};

/* The frames of the run have children. */
static void settle(struct cutter *c, uint32_t first, uint32_t frames)
{
    while (c->n_open > 0 && c->open[c->n_open - 1] >= first)
        c->members->deep[c->open[--c->n_open]] = frames;
}

static void close_run(struct cutter *c, uint32_t shared)
{
    struct run closed = c->runs[--c->n_runs];
    struct run *around = &c->runs[c->n_runs - 1];

    if (closed.weight >= c->least)
        settle(c, closed.first, closed.shared);
    if (around->shared < shared)
        c->runs[c->n_runs++] = (struct run){shared, closed.first, closed.weight};
    else
        around->weight = number_add(around->weight, closed.weight);
}

/* deep[i] = frames of the member's stack that have children. */
static void find_parents(struct cutter *c)
{
    const struct invert_members *m = c->members;

    c->runs[0] = (struct run){m->common, 0, 0};
    c->n_runs = 1;
    for (uint32_t i = 0; i <= m->n; i++) {
        uint32_t shared = i < m->n ? m->shared[i] : m->common;
        while (c->runs[c->n_runs - 1].shared > shared)
            close_run(c, shared);
        if (i == m->n)
            break;
        struct run *around = &c->runs[c->n_runs - 1];
        if (around->shared < m->length[i])
            c->runs[c->n_runs++] = (struct run){m->length[i], i, m->weight[i]};
        else
            around->weight = number_add(around->weight, m->weight[i]);
        c->open[c->n_open++] = i;
    }
    settle(c, 0, m->common);
}

static uint32_t parents(const struct invert_members *m, uint32_t member, uint32_t levels)
{
    return m->deep[member] - m->common < levels ? m->deep[member] : m->common + levels - 1;
}

static uint64_t count_parents(const struct invert_members *m, uint32_t levels)
{
    uint64_t n = 0;

    for (uint32_t i = 0; i < m->n; i++) {
        uint32_t deep = parents(m, i, levels);
        n += deep > m->shared[i] ? deep - m->shared[i] : 0;
    }
    return n;
}

/* Fills m->deep. False when the arena gives no more. */
static bool invert_cut(const struct invert_members *m, const struct invert_cut *cut, bool *cut_short,
                       struct arena *arena)
{
    struct cutter c = {.members = m, .least = cut->least};
    uint32_t levels = cut->levels_max > 0 ? cut->levels_max : UINT32_MAX;
    uint64_t most = cut->nodes_max > 0 ? cut->nodes_max : UINT64_MAX;

    c.runs = arena_lend(arena, (size_t)m->n + 2, sizeof(*c.runs));
    c.open = arena_lend(arena, m->n, sizeof(*c.open));
    bool ok = c.runs != NULL && c.open != NULL;
    if (ok) {
        find_parents(&c);
        while (count_parents(m, levels) > most && c.least <= UINT64_MAX / 2) {
            c.least = c.least > 0 ? c.least * 2 : 1;
            find_parents(&c);
        }
    }
    for (uint32_t i = 0; ok && i < m->n; i++) {
        uint32_t deep = parents(m, i, levels);
        m->deep[i] = deep < m->length[i] ? deep + 1 : deep;
        *cut_short = *cut_short || m->deep[i] < m->length[i];
    }
    arena_release(arena, c.open, m->n, sizeof(*c.open));
    arena_release(arena, c.runs, (size_t)m->n + 2, sizeof(*c.runs));
    return ok;
}

/* ---- the inverted tree ---- */

/* The members, sorted by their stacks read upwards, are the leaves of the inverted tree in its order: a member makes
 * the nodes of its stack that it does not share with the member before it. So the time is that of sorting, and of the
 * nodes made. */

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

/* The marked places of the base tree, with whatever is above them, as a tree of their own. Marks become
 * its places. */
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
