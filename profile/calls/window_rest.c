#include "profile/calls/window_rest.h"

#include <string.h>

#include "core/number.h"

struct rest {
    struct arena *arena, *scratch;
    const struct profile *whole;
    uint32_t *size; /* of its nodes: how many nodes it is with all below it */
    node_id *child; /* by frame: the child of the node at hand, if it has one of this frame */
    uint64_t *self; /* of its nodes: what is left */
    node_id *to;    /* the node in the result, NODE_NONE: it has none */
};

/* ---- taking away ---- */

/* NULL: the arena gives no more. */
static uint32_t *sizes(const struct profile *p, struct arena *arena)
{
    uint32_t *size = arena_array(arena, p->n_nodes, sizeof(*size));

    for (node_id i = p->n_nodes; size != NULL && i-- > 0;) {
        size[i]++;
        if (p->node_parent[i] != NODE_NONE)
            size[p->node_parent[i]] += size[i];
    }
    return size;
}

/* Finds out for the children of the part's node which nodes of the whole they are; at[node] is known. */
static void find_children(struct rest *r, const struct profile *part, const uint32_t *size, node_id node,
                          node_id *at)
{
    const struct profile *p = r->whole;
    node_id here = at[node];

    if (size[node] == 1)
        return;
    for (node_id i = here + 1; here != NODE_NONE && i < here + r->size[here]; i += r->size[i])
        r->child[p->node_frame[i]] = i;
    for (node_id i = node + 1; i < node + size[node]; i += size[i]) {
        node_id child = r->child[part->node_frame[i]];
        at[i] = here != NODE_NONE && p->node_parent[child] == here ? child : NODE_NONE;
    }
}

/* Each node of the part is one of the whole, and has no more than that. */
static bool take_away(struct rest *r, const struct profile *part)
{
    uint32_t values = r->whole->n_values;
    uint32_t *size = sizes(part, r->scratch);
    node_id *at = arena_array(r->scratch, part->n_nodes, sizeof(*at)); /* in the whole */

    if (size == NULL || at == NULL)
        return false;
    for (uint32_t i = 0; i < part->n_tracks; i++)
        at[part->tracks[i].first] = r->whole->tracks[i].first;
    for (node_id n = 0; n < part->n_nodes; n++) {
        find_children(r, part, size, n, at);
        uint64_t *left = at[n] != NODE_NONE ? &r->self[(size_t)at[n] * values] : NULL;
        for (uint32_t v = 0; left != NULL && v < values; v++) {
            uint64_t outside = profile_self(part, n, v);
            left[v] = left[v] > outside ? left[v] - outside : 0;
        }
    }
    return true;
}

/* ---- what is left ---- */

/* A node stays that has something, or is above one that stays; so does the root, and what is never left and goes on in the window. Numbers
 * those that stay; returns how many. */
static uint32_t number_nodes(struct rest *r, const struct profile *window)
{
    const struct profile *p = r->whole;
    uint32_t n = 0;

    for (node_id i = 0; i < p->n_nodes; i++)
        r->to[i] = NODE_NONE;
    for (uint32_t i = 0; i < p->n_tracks; i++) {
        r->to[p->tracks[i].first] = 0;
        if (window->tracks[i].rest_ns > 0)
            r->to[p->tracks[i].open] = 0;
    }
    for (node_id i = p->n_nodes; i-- > 0;) {
        for (uint32_t v = 0; v < p->n_values; v++)
            if (r->self[(size_t)i * p->n_values + v] > 0)
                r->to[i] = 0;
        if (r->to[i] != NODE_NONE && p->node_parent[i] != NODE_NONE)
            r->to[p->node_parent[i]] = 0;
    }
    for (node_id i = 0; i < p->n_nodes; i++)
        if (r->to[i] != NODE_NONE)
            r->to[i] = n++;
    return n;
}

static bool put_nodes(struct rest *r, struct profile *to, uint32_t n)
{
    const struct profile *p = r->whole;
    size_t row = p->n_values * sizeof(*r->self);
    frame_id *frame = arena_array(r->arena, n, sizeof(*frame));
    node_id *parent = arena_array(r->arena, n, sizeof(*parent));
    uint8_t *flags = arena_array(r->arena, n, sizeof(*flags));
    uint64_t *self = arena_array(r->arena, n, row), *total = arena_array(r->arena, n, row);

    if (frame == NULL || parent == NULL || flags == NULL || self == NULL || total == NULL)
        return false;
    for (node_id i = 0; i < p->n_nodes; i++) {
        node_id at = r->to[i], above = p->node_parent[i];
        if (at == NODE_NONE)
            continue;
        frame[at] = p->node_frame[i];
        parent[at] = above == NODE_NONE ? NODE_NONE : r->to[above];
        flags[at] = p->node_flags[i];
        memcpy(&self[(size_t)at * p->n_values], &r->self[(size_t)i * p->n_values], row);
    }
    memcpy(total, self, n * row);
    for (node_id i = n; i-- > 0;)
        for (uint32_t v = 0; v < p->n_values && parent[i] != NODE_NONE; v++) {
            uint64_t *sum = &total[(size_t)parent[i] * p->n_values + v];
            *sum = number_add(*sum, total[(size_t)i * p->n_values + v]);
        }
    to->n_nodes = n;
    to->node_frame = frame;
    to->node_parent = parent;
    to->node_flags = flags;
    to->node_self = self;
    to->node_total = total;
    return true;
}

/* Of each track, which nodes it has. */
static void place_tracks(const struct rest *r, struct profile_track *tracks, const struct profile *to)
{
    const struct profile *p = r->whole;
    uint32_t calls = profile_value_by_role(p, ROLE_CALLS);

    for (uint32_t i = 0; i < p->n_tracks; i++) {
        struct profile_track *t = &tracks[i];
        t->first = r->to[p->tracks[i].first];
        t->count = (i + 1 < p->n_tracks ? r->to[p->tracks[i + 1].first] : to->n_nodes) - t->first;
        t->open = t->rest_ns > 0 ? r->to[p->tracks[i].open] : t->first;
        t->calls = profile_total(to, t->first, calls);
    }
}

const struct profile *window_rest(struct arena *arena, struct arena *scratch,
                                  const struct window_request *request, const struct window_outside *outside)
{
    const struct profile *p = request->profile;
    size_t values = (size_t)p->n_nodes * p->n_values;
    struct rest r = {.arena = arena, .scratch = scratch, .whole = p};
    struct profile *to = arena_alloc(arena, sizeof(*to));
    struct profile_track *tracks = to != NULL ? window_tracks(arena, request) : NULL;

    r.size = sizes(p, scratch);
    r.child = arena_array(scratch, p->n_frames, sizeof(*r.child));
    r.self = arena_array(scratch, values, sizeof(*r.self));
    r.to = arena_array(scratch, p->n_nodes, sizeof(*r.to));
    if (tracks == NULL || r.size == NULL || r.child == NULL || r.self == NULL || r.to == NULL)
        return NULL;
    memcpy(r.self, p->node_self, values * sizeof(*r.self));
    if ((outside->before != NULL && !take_away(&r, outside->before)) ||
        (outside->behind != NULL && !take_away(&r, outside->behind)))
        return NULL;
    *to = *p;
    to->tracks = tracks;
    if (!put_nodes(&r, to, number_nodes(&r, to)))
        return NULL;
    place_tracks(&r, tracks, to);
    return window_warnings(arena, p, outside->cut, to) ? to : NULL;
}
