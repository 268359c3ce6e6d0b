/* From what the steps of a filter left to a profile: stacks that became equal are one, and nodes are numbered anew. */
#include <string.h>

#include "core/number.h"
#include "profile/filter/filter_impl.h"

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

node_id filter_root(const struct filter_stacks *s, node_id node)
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

/* What each call has waited is known before stacks are joined, and cannot be told from sums of both times afterwards: it
 * becomes a value of its own, behind all others. */
static void add_waiting(struct profile *to)
{
    uint32_t wall, cpu;

    if (profile_waits(to, &wall, &cpu) && to->n_values < PROFILE_VALUES_MAX)
        to->values[to->n_values++] =
            (struct profile_value){STR("waiting"), STR("waiting time"), UNIT_NS, ROLE_OTHER};
}

/* Calls of a frame that was taken out are not added to who has its time. */
static void add_self(const struct merger *m, const struct profile *to, uint64_t *self)
{
    const struct filter_stacks *s = m->stacks;
    const struct profile *p = s->profile;
    uint32_t wall, cpu;
    uint32_t stride = profile_stride(to);
    bool waits = profile_waits(p, &wall, &cpu) && to->n_values > p->n_values;

    for (node_id i = 0; i < p->n_nodes; i++) {
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

static void add_totals(const struct profile *p, const uint64_t *self, uint64_t *total)
{
    uint32_t stride = profile_stride(p);

    memcpy(total, self, (size_t)p->n_nodes * stride * sizeof(*total));
    for (node_id i = p->n_nodes; i-- > 0;) {
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
    add_self(m, to, self);
    settle_signed(to, self);
    add_totals(to, self, total);
    flag_recursion(to, flags, open);
    to->node_self = self;
    to->node_total = total;
    to->node_flags = flags;
    return true;
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
    return put_values(&m, to, a) ? to : NULL;
}
