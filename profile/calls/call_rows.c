#include "profile/calls/call_rows.h"

#include "core/number.h"
#include "profile/calls/node_index.h"

struct call_rows {
    struct call_rows_request request;
    uint32_t cpu; /* the CPU clock, or n_times */

    /* With filters. */
    struct node_index index;
    uint32_t *depth, *shown_depth; /* of each node: in the profile, and among the frames that are there */
};

static uint64_t ns_of(const struct call_rows *s, uint64_t ticks)
{
    return number_multiply(ticks, s->request.profile->ns_per_tick);
}

/* How much longer than the track's records the call lasts. */
static uint64_t rest_of(const struct call_rows *s, const struct replay_track *t, uint8_t flags)
{
    return s->request.open_to_end && (flags & SPAN_OPEN) != 0 ? t->of->rest_ns : 0;
}

static bool tell(struct call_rows *s, const struct replay_track *t, const struct replay_left *left,
                 uint64_t self_ns, uint32_t depth)
{
    const struct replay_call *call = left->call;
    struct call_row row = {.track = (uint32_t)(t->of - s->request.profile->tracks),
                           .frame = call->frame,
                           .depth = depth,
                           .begin_ns = ns_of(s, call->begin[0]),
                           .end_ns = number_add(ns_of(s, t->now[0]), rest_of(s, t, left->flags)),
                           .self_ns = self_ns,
                           .flags = left->flags & (SPAN_BEFORE | SPAN_OPEN)};

    if (s->request.window != NULL && !window_has(s->request.window, row.begin_ns))
        return true;
    if (s->cpu < profile_track_times(s->request.profile, t->of))
        row.cpu_ns = ns_of(s, t->now[s->cpu] - call->begin[s->cpu]);
    return s->request.row(s->request.context, &row);
}

/* The self goes to the call that shows it, which is still open: what is shown instead of a frame stands above it. */
static bool tell_filtered(struct call_rows *s, struct replay_track *t, const struct replay_left *left,
                          uint64_t self_ns)
{
    const struct filter_stacks *f = s->request.filter;
    const struct replay_call *call = left->call;
    node_id to = f->to[call->node];

    if (to != NODE_NONE) {
        struct replay_call *shows = &t->open[s->depth[to]];
        shows->given_ns = number_add(shows->given_ns, self_ns);
        shows->kept = true;
    }
    if (!call->kept || !f->there[call->node])
        return true;
    t->open[s->depth[f->up[call->node]]].kept = true;
    return tell(s, t, left, call->given_ns, s->shown_depth[call->node]);
}

/* ---- what is told ---- */

static bool begin(void *context, struct replay_track *t)
{
    (void)context;
    t->open[0].node = t->of->first;
    return true;
}

/* With filters. False: the log has a stack that the profile does not have. */
static bool enter(void *context, struct replay_track *t)
{
    const struct call_rows *s = context;
    struct replay_call *call = &t->open[t->n_open - 1];

    call->node = node_index_child(&s->index, call[-1].node, call->frame);
    return call->node != IDMAP_NONE;
}

/* The time that a track spends behind its last record belongs to the innermost of the calls that are never left. */
static bool leave(void *context, struct replay_track *t, const struct replay_left *left)
{
    struct call_rows *s = context;
    uint64_t rest_ns = (left->flags & SPAN_INNERMOST) != 0 ? rest_of(s, t, left->flags) : 0;
    uint64_t self_ns = number_add(ns_of(s, left->self), rest_ns);

    if (s->request.filter != NULL)
        return tell_filtered(s, t, left, self_ns);
    return tell(s, t, left, self_ns, left->level < UINT32_MAX ? (uint32_t)left->level : UINT32_MAX);
}

/* ---- the sink ---- */

/* Parents have smaller numbers than their children, and so have those that stand above by now. */
static bool index_nodes(struct call_rows *s, struct arena *arena, struct hash_seed seed)
{
    const struct profile *p = s->request.profile;
    const struct filter_stacks *f = s->request.filter;

    s->depth = arena_array(arena, p->n_nodes, sizeof(*s->depth));
    s->shown_depth = arena_array(arena, p->n_nodes, sizeof(*s->shown_depth));
    if (s->depth == NULL || s->shown_depth == NULL || !node_index_init(&s->index, p, arena, seed))
        return false;
    for (node_id i = 0; i < p->n_nodes; i++) {
        node_id parent = p->node_parent[i];
        if (parent == NODE_NONE)
            continue;
        s->depth[i] = s->depth[parent] + 1;
        if (s->request.nested)
            s->shown_depth[i] = s->shown_depth[parent] + f->there[i];
        else if (f->there[i])
            s->shown_depth[i] = s->shown_depth[f->up[i]] + 1;
    }
    return true;
}

struct call_rows *call_rows_new(struct arena *arena, const struct call_rows_request *request,
                                struct hash_seed seed)
{
    struct call_rows *s = arena_alloc(arena, sizeof(*s));

    if (s == NULL)
        return NULL;
    s->request = *request;
    s->cpu = profile_value_by_role(request->profile, ROLE_CPU);
    return request->filter == NULL || index_nodes(s, arena, seed) ? s : NULL;
}

struct replay_sink call_rows_replay(struct call_rows *s)
{
    bool filters = s->request.filter != NULL;

    return (struct replay_sink){
        .begin = filters ? begin : NULL, .enter = filters ? enter : NULL, .leave = leave, .context = s};
}

/* ---- as spans ---- */

struct span_rows {
    const struct span_filter *filter;
    struct span_sink *const *sinks;
    struct call_rows *rows;
};

static bool put(void *context, const struct call_row *row)
{
    const struct span_rows *s = context;

    span_sink_put(s->sinks[profile_place(s->filter->tracks, s->filter->n_tracks, row->track)],
                  &(struct span){.frame = row->frame,
                                 .depth = row->depth,
                                 .flags = row->flags,
                                 .calls = 1,
                                 .begin_ns = row->begin_ns,
                                 .end_ns = row->end_ns,
                                 .self_ns = row->self_ns});
    return true;
}

struct span_rows *span_rows_new(struct arena *arena, const struct span_filter *filter, bool open_to_end,
                                struct span_sink *const *sinks)
{
    struct span_rows *s = arena_alloc(arena, sizeof(*s));

    if (s == NULL)
        return NULL;
    const struct call_rows_request request = {.profile = filter->profile,
                                              .open_to_end = open_to_end,
                                              .filter = &filter->stacks,
                                              .nested = true,
                                              .row = put,
                                              .context = s};
    s->filter = filter;
    s->sinks = sinks;
    s->rows = call_rows_new(arena, &request, filter->seed);
    return s->rows != NULL ? s : NULL;
}

struct replay_sink span_rows_replay(struct span_rows *s)
{
    return call_rows_replay(s->rows);
}
