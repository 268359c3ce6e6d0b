#include "profile/transform/moment.h"

#include "core/number.h"

struct picker {
    const struct profile *from;
    struct profile *to;
    struct arena *arena;
    int64_t *net;   /* [node * n_values + value], by the old numbers */
    bool *needed;   /* by the old numbers: something is left of the node, or below it */
    node_id *moved; /* old number -> new number */
};

uint32_t moment_count(const struct profile *p)
{
    uint32_t most = 0;

    for (uint32_t i = 0; i < p->n_tracks; i++)
        most = p->tracks[i].n_moments > most ? p->tracks[i].n_moments : most;
    return most;
}

static int64_t clamped(uint64_t value)
{
    return value > INT64_MAX ? INT64_MAX : (int64_t)value;
}

void moment_totals(const struct profile *p, const struct profile_track *t, int64_t *totals)
{
    const struct profile_series *s = &p->series;
    uint32_t n = p->n_values;

    for (size_t i = 0; i < (size_t)t->n_moments * n; i++)
        totals[i] = 0;
    for (uint32_t i = t->n_moments > 0 ? s->first[t->first] : 0;
         t->n_moments > 0 && i < s->first[t->first + t->count]; i++)
        for (uint32_t v = 0; v < n; v++) {
            int64_t *total = &totals[(size_t)s->moment[i] * n + v];
            *total = number_add_signed(*total, s->change[(size_t)i * n + v]);
        }
    for (size_t i = n; i < (size_t)t->n_moments * n; i++)
        totals[i] = number_add_signed(totals[i], totals[i - n]);
}

/* ---- what is left of each node ---- */

/* The moments whose changes count: from 0 in the track, [*begin, *end). */
static void find_moments(const struct profile_track *t, const struct moment_request *request, uint32_t *begin,
                         uint32_t *end)
{
    *end = request->number == 0 ? t->n_moments : request->number;
    *begin = !request->interval ? 0 : request->since > 0 ? request->since : *end > 0 ? *end - 1 : 0;
}

static void pick_node(struct picker *k, node_id node, const struct profile_track *t,
                      const struct moment_request *request)
{
    const struct profile *p = k->from;
    const struct profile_series *s = &p->series;
    int64_t *net = &k->net[(size_t)node * p->n_values];
    uint32_t begin, end;

    for (uint32_t v = 0; v < p->n_values && t->n_moments == 0; v++)
        net[v] = clamped(profile_self(p, node, v)) - clamped(profile_minus_self(p, node, v));
    if (t->n_moments == 0)
        return;
    find_moments(t, request, &begin, &end);
    for (uint32_t i = s->first[node]; i < s->first[node + 1] && s->moment[i] < end; i++)
        for (uint32_t v = 0; v < p->n_values && s->moment[i] >= begin; v++)
            net[v] = number_add_signed(net[v], s->change[(size_t)i * p->n_values + v]);
    for (uint32_t v = 0; v < p->n_values; v++)
        if (!request->interval && p->minus[v] == 0 && net[v] < 0)
            net[v] = 0;
}

static bool is_zero(const int64_t *net, uint32_t n)
{
    for (uint32_t v = 0; v < n; v++)
        if (net[v] != 0)
            return false;
    return true;
}

static void pick(struct picker *k, const struct moment_request *request)
{
    const struct profile *p = k->from;

    for (uint32_t i = 0; i < p->n_tracks; i++) {
        const struct profile_track *t = &p->tracks[i];
        for (node_id node = t->first + t->count; node-- > t->first;) {
            pick_node(k, node, t, request);
            k->needed[node] = k->needed[node] || t->n_moments == 0 || node == t->first ||
                              !is_zero(&k->net[(size_t)node * p->n_values], p->n_values);
            if (k->needed[node] && node != t->first)
                k->needed[p->node_parent[node]] = true;
        }
    }
}

/* ---- as a profile ---- */

static void find_signed(const struct picker *k)
{
    const struct profile *p = k->from;
    bool below[PROFILE_VALUES_MAX] = {false};

    for (node_id node = 0; node < p->n_nodes; node++)
        for (uint32_t v = 0; v < p->n_values; v++)
            below[v] = below[v] || k->net[(size_t)node * p->n_values + v] < 0;
    k->to->n_minus = 0;
    for (uint32_t v = 0; v < p->n_values; v++)
        k->to->minus[v] = below[v] ? p->n_values + k->to->n_minus++ : 0;
}

static bool put_nodes(struct picker *k)
{
    const struct profile *p = k->from;
    struct profile *to = k->to;
    uint32_t n = 0;

    for (node_id node = 0; node < p->n_nodes; node++)
        k->moved[node] = k->needed[node] ? n++ : 0;
    node_id *parent = arena_array(k->arena, n, sizeof(*parent));
    frame_id *frame = arena_array(k->arena, n, sizeof(*frame));
    uint8_t *flags = arena_array(k->arena, n, sizeof(*flags));
    if (parent == NULL || frame == NULL || flags == NULL)
        return false;
    for (node_id node = 0; node < p->n_nodes; node++) {
        if (!k->needed[node])
            continue;
        parent[k->moved[node]] =
            p->node_parent[node] == NODE_NONE ? NODE_NONE : k->moved[p->node_parent[node]];
        frame[k->moved[node]] = p->node_frame[node];
        flags[k->moved[node]] = p->node_flags[node];
    }
    to->n_nodes = n;
    to->node_parent = parent;
    to->node_frame = frame;
    to->node_flags = flags;
    return true;
}

static bool put_tracks(struct picker *k)
{
    const struct profile *p = k->from;
    struct profile_track *tracks = arena_array(k->arena, p->n_tracks, sizeof(*tracks));

    if (tracks == NULL)
        return false;
    for (uint32_t i = 0; i < p->n_tracks; i++) {
        bool last = i + 1 == p->n_tracks;
        tracks[i] = p->tracks[i];
        tracks[i].first = k->moved[p->tracks[i].first];
        tracks[i].count = (last ? k->to->n_nodes : k->moved[p->tracks[i + 1].first]) - tracks[i].first;
        tracks[i].open = tracks[i].first;
    }
    k->to->tracks = tracks;
    return true;
}

static bool put_values(struct picker *k)
{
    const struct profile *p = k->from, *to = k->to;
    uint32_t stride = profile_stride(to);
    uint64_t *self = arena_array(k->arena, (size_t)to->n_nodes * stride, sizeof(*self));
    uint64_t *total = arena_array(k->arena, (size_t)to->n_nodes * stride, sizeof(*total));

    if (self == NULL || total == NULL)
        return false;
    for (node_id node = 0; node < p->n_nodes; node++) {
        uint64_t *of = &self[(size_t)k->moved[node] * stride];
        for (uint32_t v = 0; v < p->n_values && k->needed[node]; v++) {
            int64_t net = k->net[(size_t)node * p->n_values + v];
            of[net < 0 ? to->minus[v] : v] = net < 0 ? 0 - (uint64_t)net : (uint64_t)net;
        }
    }
    for (node_id node = to->n_nodes; node-- > 0;)
        for (uint32_t v = 0; v < stride; v++) {
            uint64_t *sum = &total[(size_t)node * stride + v], *up;
            *sum = number_add(*sum, self[(size_t)node * stride + v]);
            if (to->node_parent[node] == NODE_NONE)
                continue;
            up = &total[(size_t)to->node_parent[node] * stride + v];
            *up = number_add(*up, *sum);
        }
    k->to->node_self = self;
    k->to->node_total = total;
    return true;
}

const struct profile *moment_apply(const struct profile *p, const struct moment_request *request,
                                   struct arena *arena)
{
    struct picker k = {.from = p, .arena = arena, .to = arena_alloc(arena, sizeof(*k.to))};

    if (p->n_moments == 0)
        return p;
    k.net = arena_array(arena, (size_t)p->n_nodes * p->n_values, sizeof(*k.net));
    k.needed = arena_array(arena, p->n_nodes, sizeof(*k.needed));
    k.moved = arena_array(arena, p->n_nodes, sizeof(*k.moved));
    if (k.to == NULL || k.net == NULL || k.needed == NULL || k.moved == NULL)
        return NULL;
    *k.to = *p;
    pick(&k, request);
    find_signed(&k);
    return put_nodes(&k) && put_tracks(&k) && put_values(&k) ? k.to : NULL;
}
