#include "profile/filter/filter.h"

#include <string.h>

#include "core/arena.h"
#include "core/diag.h"
#include "core/number.h"
#include "core/order.h"
#include "profile/filter/filter_impl.h"
#include "profile/filter/filter_pattern.h"
#include "profile/thread_time.h"

/* ---- the profile that is left ---- */

/* From what the steps of a filter left to a profile: stacks that became equal are one, and nodes are
 * numbered anew. */

/* Nodes that become one are a list, which begins with the first of them: it stands for all. */
struct merger {
    const struct filter_stacks *stacks;
    bool *needed;
    node_id *first_child, *next_child; /* of nodes that are needed */
    node_id *next_same, *last_same;    /* the list of those that become one, and its end, by its first */
    node_id *next_open;                /* of those that wait for their number */
    node_id *number;                   /* in the new profile */
    node_id *below;                    /* the new node that a list stands below, by its first */
    /* Of each frame: the child that it was last seen as, and of which new node. */
    node_id *seen, *seen_below;
    node_id *parent; /* of the new nodes, */
    frame_id *frame; /* and their frames */
    uint32_t n;
};

/* The root of the node's track. */
static node_id filter_root(const struct filter_stacks *s, node_id node)
{
    const struct profile *p = s->profile;
    uint32_t low = 0, high = p->n_tracks;

    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (p->tracks[middle].first <= node)
            low = middle;
        else
            high = middle;
    }
    return p->tracks[low].first;
}

/* ---- what is needed ---- */

static bool is_root(const struct filter_stacks *s, node_id node)
{
    return s->profile->node_parent[node] == NODE_NONE;
}

/* Where a stack ends, and all that stand above it. */
static void find_needed(struct merger *m)
{
    const struct filter_stacks *s = m->stacks;

    for (node_id i = 0; i < s->profile->n_nodes; i++)
        if (s->to[i] != NODE_NONE)
            m->needed[s->to[i]] = true;
    for (node_id i = s->profile->n_nodes; i-- > 0;) {
        if (is_root(s, i)) {
            m->needed[i] = true;
        } else if (m->needed[i]) {
            m->needed[s->up[i]] = true;
            m->next_child[i] = m->first_child[s->up[i]];
            m->first_child[s->up[i]] = i;
        }
    }
}

/* ---- merging ---- */

/* Puts the child into the list of an equal one of the same new node, or at the end of the new node's children. */
static void add_child(struct merger *m, node_id below, node_id child, node_id **end)
{
    frame_id frame = m->stacks->profile->node_frame[child];
    bool known = m->seen_below[frame] == below;
    node_id first = known ? m->seen[frame] : child;

    m->next_same[child] = NODE_NONE;
    if (known) {
        m->next_same[m->last_same[first]] = child;
    } else {
        m->seen[frame] = child;
        m->seen_below[frame] = below;
        m->below[child] = below;
        **end = child;
        *end = &m->next_open[child];
    }
    m->last_same[first] = child;
}

/* Gives all of one list their number, and returns the list of what stands below, in front of `open`. */
static node_id number_one(struct merger *m, node_id first, node_id open)
{
    node_id children = open, *end = &children, made = m->n++;

    m->parent[made] = m->below[first];
    m->frame[made] = m->stacks->profile->node_frame[first];
    for (node_id i = first; i != NODE_NONE; i = m->next_same[i])
        m->number[i] = made;
    for (node_id i = first; i != NODE_NONE; i = m->next_same[i])
        for (node_id child = m->first_child[i]; child != NODE_NONE; child = m->next_child[child])
            add_child(m, made, child, &end);
    *end = open;
    return children;
}

/* The stack of those that wait holds siblings in their order, so that nodes are numbered in pre-order. */
static void number_track(struct merger *m, struct profile_track *t)
{
    node_id root = t->first;

    t->first = m->n;
    m->below[root] = NODE_NONE;
    m->next_same[root] = NODE_NONE;
    m->next_open[root] = NODE_NONE;
    for (node_id open = root; open != NODE_NONE;)
        open = number_one(m, open, m->next_open[open]);
    t->count = m->n - t->first;
    node_id innermost = m->stacks->to[t->open];
    t->open = innermost == NODE_NONE ? t->first : m->number[innermost];
}

static bool init(struct merger *m, struct arena *a)
{
    uint32_t n = m->stacks->profile->n_nodes, n_frames = m->stacks->profile->n_frames;
    node_id **const arrays[] = {&m->first_child, &m->next_child, &m->next_same, &m->last_same,
                                &m->next_open,   &m->number,     &m->below,     &m->parent};

    for (size_t i = 0; i < sizeof(arrays) / sizeof(arrays[0]); i++)
        if ((*arrays[i] = arena_array(a, n, sizeof(**arrays[i]))) == NULL)
            return false;
    m->needed = arena_array(a, n, sizeof(*m->needed));
    m->frame = arena_array(a, n, sizeof(*m->frame));
    m->seen = arena_array(a, n_frames, sizeof(*m->seen));
    m->seen_below = arena_array(a, n_frames, sizeof(*m->seen_below));
    if (m->needed == NULL || m->frame == NULL || m->seen == NULL || m->seen_below == NULL)
        return false;
    memset(m->first_child, 0xff, n * sizeof(*m->first_child));
    memset(m->seen_below, 0xff, n_frames * sizeof(*m->seen_below));
    return true;
}

/* ---- values ---- */

/* What each call has waited is known before stacks are joined, and cannot be told from sums of both times
 * afterwards: it becomes a value of its own, behind all others. */
static void add_waiting(struct profile *to)
{
    uint32_t wall, cpu;

    if (profile_waits(to, &wall, &cpu) && to->n_values < PROFILE_VALUES_MAX)
        to->values[to->n_values++] =
            (struct profile_value){STR("waiting"), STR("waiting time"), UNIT_NS, ROLE_WAITING};
}

/* Calls of a frame that was taken out are not added to who has its time. */
static void add_self(const struct merger *m, const struct profile *to, uint64_t *self, struct arena *a)
{
    const struct filter_stacks *s = m->stacks;
    const struct profile *p = s->profile;
    uint32_t wall, cpu;
    uint32_t stride = profile_stride(to);
    bool waits = profile_waits(p, &wall, &cpu) && to->n_values > p->n_values;

    for (node_id i = 0; i < p->n_nodes && !arena_stopped_at(a, i); i++) {
        if (s->to[i] == NODE_NONE)
            continue;
        uint64_t *sums = &self[(size_t)m->number[s->to[i]] * stride];
        for (uint32_t v = 0; v < profile_stride(p); v++)
            if (s->to[i] == i || v >= p->n_values || p->values[v].role != ROLE_CALLS)
                sums[v] = number_add(sums[v], profile_self(p, i, v));
        if (waits)
            sums[p->n_values] = number_add(sums[p->n_values], profile_waiting(p, i, wall, cpu));
    }
}

/* What went up and what went down of one node cancel out. */
static void settle_signed(const struct profile *p, uint64_t *self)
{
    for (uint32_t v = 0; v < p->n_values; v++)
        for (node_id i = 0; p->minus[v] > 0 && i < p->n_nodes; i++) {
            uint64_t *up = &self[(size_t)i * profile_stride(p) + v],
                     *down = &self[(size_t)i * profile_stride(p) + p->minus[v]];
            uint64_t both = *up < *down ? *up : *down;
            *up -= both;
            *down -= both;
        }
}

static void add_totals(const struct profile *p, const uint64_t *self, uint64_t *total, struct arena *a)
{
    uint32_t stride = profile_stride(p);

    memcpy(total, self, (size_t)p->n_nodes * stride * sizeof(*total));
    for (node_id i = p->n_nodes; i-- > 0 && !arena_stopped_at(a, i);) {
        node_id parent = p->node_parent[i];
        for (uint32_t v = 0; parent != NODE_NONE && v < stride; v++) {
            uint64_t *sum = &total[(size_t)parent * stride + v];
            *sum = number_add(*sum, total[(size_t)i * stride + v]);
        }
    }
}

/* Counts how often each frame is open, on the way through the nodes in their order; `open` is all zero. */
static void flag_recursion(const struct profile *p, uint8_t *flags, uint32_t *open)
{
    node_id current = NODE_NONE;

    for (node_id i = 0; i < p->n_nodes; i++) {
        for (; current != p->node_parent[i]; current = p->node_parent[current])
            if (p->node_frame[current] != FRAME_NONE)
                open[p->node_frame[current]]--;
        current = i;
        if (p->node_frame[i] == FRAME_NONE)
            continue;
        flags[i] = open[p->node_frame[i]] > 0 ? NODE_RECURSIVE : 0;
        open[p->node_frame[i]]++;
    }
}

static bool put_values(const struct merger *m, struct profile *to, struct arena *a)
{
    size_t values = (size_t)to->n_nodes * profile_stride(to);
    uint64_t *self = arena_array(a, values, sizeof(*self)), *total = arena_array(a, values, sizeof(*total));
    uint8_t *flags = arena_array(a, to->n_nodes, sizeof(*flags));
    uint32_t *open = arena_array(a, to->n_frames, sizeof(*open));

    if (self == NULL || total == NULL || flags == NULL || open == NULL)
        return false;
    add_self(m, to, self, a);
    settle_signed(to, self);
    add_totals(to, self, total, a);
    flag_recursion(to, flags, open);
    to->node_self = self;
    to->node_total = total;
    to->node_flags = flags;
    return !arena_stopped(a);
}

const struct profile *filter_result(struct filter_stacks *s, const struct profile_filtered *filtered,
                                    struct arena *a)
{
    const struct profile *p = s->profile;
    struct merger m = {.stacks = s};
    struct profile *to = arena_alloc(a, sizeof(*to));
    struct profile_track *tracks = arena_array(a, p->n_tracks, sizeof(*tracks));

    if (to == NULL || tracks == NULL || !init(&m, a))
        return NULL;
    find_needed(&m);
    for (uint32_t i = 0; i < p->n_tracks; i++) {
        tracks[i] = p->tracks[i];
        tracks[i].n_moments = 0;
        number_track(&m, &tracks[i]);
    }
    s->number = m.number;
    *to = *p;
    to->tracks = tracks;
    to->n_nodes = m.n;
    to->node_parent = m.parent;
    to->node_frame = m.frame;
    to->filtered = filtered;
    to->n_moments = 0; /* of other nodes */
    if (filtered != NULL)
        add_waiting(to);
    for (uint32_t i = 0; to->n_values > p->n_values && i < p->n_tracks; i++)
        if (tracks[i].values != 0 && track_has(&tracks[i], 0)) /* with wall and CPU time */
            tracks[i].values |= UINT32_C(1) << p->n_values;
    return put_values(&m, to, a) ? to : NULL;
}

/* ---- filters ---- */

/* The steps of a filter.
 *
 * All steps work on the nodes of the profile that is filtered (struct filter_stacks). A node that is there
 * though no stack ends at it or below it is removed at the end, when the profile that is left is made. A
 * step looks at each node once, callers first: a caller's number is always smaller. */

/* What one step does to the nodes that are there. */
struct change {
    uint8_t *matches; /* of each frame */
    node_id *image;   /* of each node: itself, the one that it is joined with, or NODE_NONE: it is cut off */
    uint8_t *dropped; /* of each node: the stack that ends there goes */
};

struct maker {
    struct filter_stacks stacks;
    struct change change;
    const struct filter_request *request;
    const uint32_t *texts; /* of each frame: a number that frames of equal text share; NULL: not needed yet */
    uint32_t *emptied_by;
    struct arena *arena;
    struct filter_budget budget;
    struct diag *diag;
    bool unrolled; /* recursion=collapse-all was applied: no text stands twice in a stack */
};

/* ---- equal texts ---- */

static bool put_texts(const struct profile *p, struct str *texts, struct arena *a)
{
    struct buf b = {0};
    bool ok = true;

    for (frame_id i = 0; ok && i < p->n_frames; i++) {
        buf_clear(&b);
        filter_pattern_text(p, i, &b);
        texts[i] = (struct str){b.failed ? NULL : arena_copy(a, b.p, b.n), b.n};
        ok = texts[i].p != NULL;
    }
    if (b.failed)
        a->failure = ARENA_NO_MEMORY;
    buf_free(&b);
    return ok;
}

static bool number_texts(struct maker *m)
{
    const struct profile *p = m->stacks.profile;
    struct str *texts = arena_array(m->arena, p->n_frames, sizeof(*texts));
    uint32_t *ids = arena_array(m->arena, p->n_frames, sizeof(*ids));
    uint32_t *numbers = arena_array(m->arena, p->n_frames, sizeof(*numbers));

    if (texts == NULL || ids == NULL || numbers == NULL || !put_texts(p, texts, m->arena))
        return false;
    for (frame_id i = 0; i < p->n_frames; i++)
        ids[i] = i;
    if (!order_strings(ids, p->n_frames, texts, m->arena))
        return false;
    for (uint32_t i = 0; i < p->n_frames; i++)
        numbers[ids[i]] = i > 0 && str_eq(texts[ids[i]], texts[ids[i - 1]]) ? numbers[ids[i - 1]] : i;
    m->texts = numbers;
    return true;
}

/* ---- one step ---- */

static bool is_root_node(const struct maker *m, node_id node)
{
    return m->stacks.profile->node_parent[node] == NODE_NONE;
}

static bool matches(const struct maker *m, node_id node)
{
    return !is_root_node(m, node) && m->change.matches[m->stacks.profile->node_frame[node]] != 0;
}

/* Says of each node whether its stack has a match; then `keep_matching` tells which stacks stay. */
static void drop_stacks(struct maker *m, bool keep_matching)
{
    uint8_t *has = m->change.dropped;

    for (node_id i = 0; i < m->stacks.profile->n_nodes; i++)
        if (m->stacks.there[i])
            has[i] = matches(m, i) || (!is_root_node(m, i) && has[m->stacks.up[i]] != 0);
    for (node_id i = 0; keep_matching && i < m->stacks.profile->n_nodes; i++)
        has[i] = !has[i];
}

/* Stacks without a match end above the outermost one, which is called by the root from now on. */
static void show_from(struct maker *m)
{
    drop_stacks(m, true);
    for (node_id i = 0; i < m->stacks.profile->n_nodes; i++)
        if (m->stacks.there[i] && m->change.dropped[i] != 0 && !is_root_node(m, i))
            m->change.image[i] = NODE_NONE;
}

static void hide(struct maker *m)
{
    for (node_id i = 0; i < m->stacks.profile->n_nodes; i++)
        if (m->stacks.there[i] && matches(m, i))
            m->change.image[i] = m->change.image[m->stacks.up[i]];
}

static uint32_t text_of(const struct maker *m, node_id node)
{
    return m->texts[m->stacks.profile->node_frame[node]];
}

static void collapse(struct maker *m)
{
    for (node_id i = 0; i < m->stacks.profile->n_nodes; i++) {
        if (!m->stacks.there[i] || is_root_node(m, i))
            continue;
        node_id above = m->change.image[m->stacks.up[i]];
        if (!is_root_node(m, above) && text_of(m, above) == text_of(m, i))
            m->change.image[i] = above;
    }
}

/* The new stacks, as far as they are made: to find out quickly who stands above whom. Each node knows its
 * caller and one of those further up, as many as the number of its place in a skew-binary counter says. */
struct ladder {
    node_id *jump;
    uint32_t *depth;
};

static void ladder_add(struct maker *m, const struct ladder *l, node_id node, node_id above)
{
    node_id jump = l->jump[above];

    l->depth[node] = l->depth[above] + 1;
    l->jump[node] =
        l->depth[above] - l->depth[jump] == l->depth[jump] - l->depth[l->jump[jump]] ? l->jump[jump] : above;
    m->stacks.new_up[node] = above;
}

/* Whether `upper` is `node` or stands above it. */
static bool ladder_has(const struct maker *m, const struct ladder *l, node_id node, node_id upper)
{
    while (l->depth[node] > l->depth[upper])
        node = l->depth[l->jump[node]] >= l->depth[upper] ? l->jump[node] : m->stacks.new_up[node];
    return node == upper;
}

/* Nodes come in pre-order, so that the innermost frame of each text that is open can be kept up to date:
 * `open` of the text, and in `before` of each open node the one that it took the place of. False: the job
 * was told to end. */
static bool cut_back(struct maker *m, const struct ladder *l, node_id *open, node_id *before)
{
    node_id current = NODE_NONE;

    for (node_id i = 0; i < m->stacks.profile->n_nodes; i++) {
        if (arena_stopped_at(m->arena, i))
            return false;
        if (!m->stacks.there[i])
            continue;
        node_id caller = is_root_node(m, i) ? NODE_NONE : m->stacks.up[i];
        for (; current != caller; current = is_root_node(m, current) ? NODE_NONE : m->stacks.up[current])
            if (!is_root_node(m, current))
                open[text_of(m, current)] = before[current];
        current = i;
        if (caller == NODE_NONE) {
            l->jump[i] = i;
            continue;
        }
        node_id above = m->change.image[caller], equal = open[text_of(m, i)];
        before[i] = equal;
        open[text_of(m, i)] = i;
        /* The innermost equal frame may have been cut off since, by an equal frame above it. */
        if (equal != NODE_NONE && ladder_has(m, l, above, m->change.image[equal]))
            m->change.image[i] = m->change.image[equal];
        else
            ladder_add(m, l, i, above);
    }
    return true;
}

static bool collapse_all(struct maker *m)
{
    uint32_t n_frames = m->stacks.profile->n_frames, n_nodes = m->stacks.profile->n_nodes;
    node_id *open = arena_lend(m->arena, n_frames, sizeof(*open));
    node_id *before = arena_lend(m->arena, n_nodes, sizeof(*before));
    struct ladder l = {arena_lend(m->arena, n_nodes, sizeof(*l.jump)),
                       arena_lend(m->arena, n_nodes, sizeof(*l.depth))};
    bool ok = open != NULL && before != NULL && l.jump != NULL && l.depth != NULL;

    if (ok) {
        memset(open, 0xff, n_frames * sizeof(*open));
        memset(l.depth, 0, n_nodes * sizeof(*l.depth));
        ok = cut_back(m, &l, open, before);
    }
    arena_release(m->arena, l.depth, n_nodes, sizeof(*l.depth));
    arena_release(m->arena, l.jump, n_nodes, sizeof(*l.jump));
    arena_release(m->arena, before, n_nodes, sizeof(*before));
    arena_release(m->arena, open, n_frames, sizeof(*open));
    return ok;
}

/* A second collapse-all finds nothing: no step makes frames of a stack equal. And its nodes would not be
 * in pre-order. */
static bool join(struct maker *m, struct str how)
{
    if (m->unrolled)
        return true;
    if (m->texts == NULL && !number_texts(m))
        return false;
    if (str_eq(how, STR("collapse"))) {
        collapse(m);
        return true;
    }
    m->unrolled = true;
    return collapse_all(m);
}

/* ---- all steps ---- */

static void take_over(struct maker *m)
{
    struct filter_stacks *s = &m->stacks;
    const struct change *c = &m->change;

    for (node_id i = 0; i < s->profile->n_nodes; i++) {
        if (s->to[i] != NODE_NONE)
            s->to[i] = c->dropped[s->to[i]] != 0 ? NODE_NONE : c->image[s->to[i]];
        if (!s->there[i] || is_root_node(m, i))
            continue;
        s->new_up[i] = c->image[s->up[i]];
        if (s->new_up[i] == NODE_NONE)
            s->new_up[i] = filter_root(s, i);
    }
    for (node_id i = 0; i < s->profile->n_nodes; i++) {
        s->there[i] = s->there[i] && c->image[i] == i;
        s->up[i] = s->new_up[i];
    }
}

static bool apply_step(struct maker *m, const struct filter_step *step)
{
    const struct profile *p = m->stacks.profile;

    if (arena_stopped(m->arena))
        return false;
    for (node_id i = 0; i < p->n_nodes; i++)
        m->change.image[i] = i;
    memset(m->change.dropped, 0, p->n_nodes);
    if (step->key != FILTER_RECURSION &&
        !filter_pattern_match(p, step->text, m->request->origins, &m->budget, m->change.matches, m->diag))
        return false;
    switch (step->key) {
    case FILTER_FOCUS:
    case FILTER_IGNORE:
        drop_stacks(m, step->key == FILTER_FOCUS);
        break;
    case FILTER_SHOW_FROM:
        show_from(m);
        break;
    case FILTER_HIDE:
        hide(m);
        break;
    case FILTER_RECURSION:
        if (!join(m, step->text))
            return false;
        break;
    case FILTER_PRESET:
    case FILTER_KEYS:
        break;
    }
    take_over(m);
    return true;
}

static bool is_left(const struct filter_stacks *s, const struct profile_track *t)
{
    for (node_id i = t->first + 1; i < t->first + t->count; i++)
        if (s->to[i] != NODE_NONE && s->to[i] != t->first)
            return true;
    return false;
}

static void note_empty(struct maker *m, uint32_t step)
{
    const struct profile *p = m->stacks.profile;

    for (uint32_t i = 0; i < p->n_tracks; i++)
        if (m->emptied_by[i] == UINT32_MAX && !is_left(&m->stacks, &p->tracks[i]))
            m->emptied_by[i] = step;
}

static bool apply_steps(struct maker *m)
{
    for (uint32_t i = 0; i < m->request->n_steps; i++) {
        const struct filter_step *step = &m->request->steps[i];
        struct str steps = {NULL, 0};
        struct filter_step one;
        if (step->key != FILTER_PRESET && !apply_step(m, step))
            return false;
        if (step->key == FILTER_PRESET && !filter_presets_find(m->request->presets, step->text, &steps))
            return diag_set(m->diag, DIAG_USAGE, "no such preset", "Leave it out.",
                            "preset=%.*s: there is no preset of that name.", (int)step->text.n, step->text.p);
        while (filter_presets_step(&steps, &one))
            if (!apply_step(m, &one))
                return false;
        note_empty(m, i);
    }
    return true;
}

static bool init_maker(struct maker *m)
{
    const struct profile *p = m->stacks.profile;
    struct filter_stacks *s = &m->stacks;

    s->there = arena_array(m->arena, p->n_nodes, sizeof(*s->there));
    s->up = arena_array(m->arena, p->n_nodes, sizeof(*s->up));
    s->new_up = arena_array(m->arena, p->n_nodes, sizeof(*s->new_up));
    s->to = arena_array(m->arena, p->n_nodes, sizeof(*s->to));
    m->change.matches = arena_array(m->arena, p->n_frames, sizeof(*m->change.matches));
    m->change.image = arena_array(m->arena, p->n_nodes, sizeof(*m->change.image));
    m->change.dropped = arena_array(m->arena, p->n_nodes, sizeof(*m->change.dropped));
    m->emptied_by = arena_array(m->arena, p->n_tracks, sizeof(*m->emptied_by));
    if (s->there == NULL || s->up == NULL || s->new_up == NULL || s->to == NULL ||
        m->change.matches == NULL || m->change.image == NULL || m->change.dropped == NULL ||
        m->emptied_by == NULL)
        return false;
    for (node_id i = 0; i < p->n_nodes; i++) {
        s->there[i] = true;
        s->up[i] = p->node_parent[i];
        s->to[i] = i;
    }
    memset(m->emptied_by, 0xff, p->n_tracks * sizeof(*m->emptied_by));
    return true;
}

bool filter_stacks_of(const struct profile *p, const struct filter_request *request, struct arena *a,
                      struct filter_stacks *stacks, struct diag *diag)
{
    struct maker m = {
        .stacks = {.profile = p}, .request = request, .arena = a, .budget = {a, FILTER_STEPS}, .diag = diag};
    bool ok = init_maker(&m) && apply_steps(&m);

    *stacks = m.stacks;
    return ok;
}

const struct profile *filter_apply(const struct profile *p, const struct filter_request *request,
                                   struct arena *a, struct diag *diag)
{
    struct maker m = {
        .stacks = {.profile = p}, .request = request, .arena = a, .budget = {a, FILTER_STEPS}, .diag = diag};
    struct profile_filtered *filtered = arena_alloc(a, sizeof(*filtered));

    if (filtered == NULL || !init_maker(&m) || !apply_steps(&m))
        return NULL;
    *filtered = (struct profile_filtered){p, m.emptied_by};
    return filter_result(&m.stacks, filtered, a);
}

uint32_t filter_emptied_by(const struct profile_filtered *filtered, const uint32_t *tracks, uint32_t n)
{
    uint32_t last = n > 0 ? 0 : UINT32_MAX;

    for (uint32_t i = 0; i < n; i++)
        if (filtered->emptied_by[tracks[i]] > last)
            last = filtered->emptied_by[tracks[i]];
    return last;
}

/* ---- origins ---- */

static bool step_wants_origins(const struct filter_step *step)
{
    enum filter_part part;
    struct str text;
    bool is_regex;

    return step->key != FILTER_RECURSION &&
           filter_pattern_parse(step->text, &part, &text, &is_regex) == NULL && part == FILTER_PART_ORIGIN;
}

bool filter_wants_origins(const struct filter_request *request)
{
    for (uint32_t i = 0; i < request->n_steps; i++) {
        struct filter_step one;
        struct str steps = {NULL, 0};
        if (request->steps[i].key != FILTER_PRESET && step_wants_origins(&request->steps[i]))
            return true;
        if (request->steps[i].key == FILTER_PRESET &&
            !filter_presets_find(request->presets, request->steps[i].text, &steps))
            continue;
        while (filter_presets_step(&steps, &one))
            if (step_wants_origins(&one))
                return true;
    }
    return false;
}
