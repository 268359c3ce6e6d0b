#include "profile/calls/call_rows.h"

#include "core/number.h"
#include "profile/build/builder.h"
#include "profile/calls/node_index.h"

/* A call that was entered and not yet left. The first one stands for the thread. */
struct open_call {
    frame_id frame;
    node_id node; /* with filters: of the profile */
    uint64_t begin[BUILDER_CLOCKS_MAX];
    uint64_t callees_ns;
    uint64_t given_ns; /* with filters: self of what is shown as this call's own */
    bool kept;         /* with filters: some stack that ends here or below is shown */
};

/* A thread. */
struct watched {
    struct call_rows *sink;
    const struct profile_track *track;
    uint32_t nth;       /* of request.tracks */
    uint32_t re_rooted; /* so far */
    struct open_call *open;
    size_t n_open, open_capacity;
};

struct call_rows {
    struct watcher watcher; /* the first member: who is told is the sink */
    struct arena *arena;
    struct call_rows_request request;
    struct watched *tracks;
    uint32_t cpu; /* the CPU clock, or n_times */
    bool failed;

    /* With filters. */
    struct node_index index;
    uint32_t *depth, *shown_depth; /* of each node: in the profile, and among the frames that are there */
};

static uint64_t ns_of(const struct call_rows *s, uint64_t ticks)
{
    return number_multiply(ticks, s->request.profile->ns_per_tick);
}

/* ---- rows ---- */

static void tell(struct watched *t, const struct open_call *call, const uint64_t *ticks, uint64_t rest_ns,
                 uint64_t self_ns, uint32_t depth, uint8_t flags)
{
    struct call_rows *s = t->sink;
    struct call_row row = {.track = s->request.tracks[t->nth],
                           .frame = call->frame,
                           .depth = depth,
                           .begin_ns = ns_of(s, call->begin[0]),
                           .end_ns = number_add(ns_of(s, ticks[0]), rest_ns),
                           .self_ns = self_ns,
                           .flags = flags};

    if (s->request.window != NULL && !window_has(s->request.window, row.begin_ns))
        return;
    if (s->cpu < s->request.profile->n_times)
        row.cpu_ns = ns_of(s, ticks[s->cpu] - call->begin[s->cpu]);
    s->failed = s->failed || !s->request.row(s->request.context, &row);
}

/* The self goes to the call that shows it, which is still open: what is shown instead of a frame stands above it. */
static void tell_filtered(struct watched *t, struct open_call *call, const uint64_t *ticks, uint64_t rest_ns,
                          uint64_t self_ns, uint8_t flags)
{
    const struct call_rows *s = t->sink;
    const struct filter_stacks *f = s->request.filter;
    node_id to = f->to[call->node];

    if (to != NODE_NONE) {
        struct open_call *shows = &t->open[s->depth[to]];
        shows->given_ns = number_add(shows->given_ns, self_ns);
        shows->kept = true;
    }
    if (!call->kept || !f->there[call->node])
        return;
    t->open[s->depth[f->up[call->node]]].kept = true;
    tell(t, call, ticks, rest_ns, call->given_ns, s->shown_depth[call->node], flags);
}

/* ---- the stack ---- */

static bool push(struct watched *t, frame_id frame, const uint64_t *begin)
{
    struct call_rows *s = t->sink;
    uint32_t n_clocks = s->request.profile->n_times > 0 ? s->request.profile->n_times : 1;

    /* A file that has changed since it was read first may have more frames. */
    s->failed = s->failed || (frame != FRAME_NONE && frame >= s->request.profile->n_frames);
    if (s->failed)
        return false;
    if (!ARENA_ROOM(s->arena, t->open, t->open_capacity, t->n_open + 1)) {
        s->failed = true;
        return false;
    }
    struct open_call *call = &t->open[t->n_open++];
    *call = (struct open_call){.frame = frame, .node = t->track->first};
    for (uint32_t c = 0; c < n_clocks; c++)
        call->begin[c] = begin[c];
    if (s->request.filter != NULL && t->n_open > 1) {
        call->node = node_index_child(&s->index, call[-1].node, frame);
        s->failed = call->node == IDMAP_NONE; /* the second reading is not of the same bytes */
    }
    return !s->failed;
}

/* Each call that is found later to enclose all so far moves what is known already one level down. */
static uint32_t depth_of(const struct watched *t, size_t level)
{
    uint32_t re_roots = t->track->re_roots, later = re_roots > t->re_rooted ? re_roots - t->re_rooted : 0;

    return level < UINT32_MAX - later ? (uint32_t)level + later : UINT32_MAX;
}

static void pop(struct watched *t, const uint64_t *ticks, uint64_t rest_ns, uint8_t flags)
{
    struct call_rows *s = t->sink;

    if (s->failed || t->n_open < 2)
        return;
    struct open_call *call = &t->open[--t->n_open];
    uint64_t duration_ns = number_add(ns_of(s, ticks[0] - call->begin[0]), rest_ns);
    uint64_t self_ns = duration_ns > call->callees_ns ? duration_ns - call->callees_ns : 0;
    call[-1].callees_ns = number_add(call[-1].callees_ns, duration_ns);
    if (s->request.filter != NULL)
        tell_filtered(t, call, ticks, rest_ns, self_ns, flags);
    else
        tell(t, call, ticks, rest_ns, self_ns, depth_of(t, t->n_open), flags);
}

static void *watch(struct watcher *w, uint32_t id)
{
    struct call_rows *s = (struct call_rows *)(void *)w;
    const uint32_t n = s->request.n_tracks,
                   place = profile_place_of_id(s->request.profile, s->request.tracks, n, id);

    return place < n ? &s->tracks[place] : NULL;
}

/* With filters what will enclose all is on the stack from the beginning, the last one outermost. */
static bool begin(void *track, const uint64_t *ticks)
{
    struct watched *t = track;
    const struct call_roots *roots = t->sink->request.filter != NULL ? &t->sink->request.roots[t->nth] : NULL;

    if (!push(t, FRAME_NONE, ticks))
        return false;
    for (size_t i = roots != NULL ? roots->n : 0; i-- > 0;)
        if (!push(t, roots->frames[i], ticks))
            return false;
    return true;
}

static bool enter(void *track, frame_id frame, const uint64_t *ticks)
{
    return push(track, frame, ticks);
}

static void leave(void *track, const uint64_t *ticks)
{
    pop(track, ticks, 0, 0);
}

/* Without filters the call takes over what the thread has called so far. */
static void re_root(void *track, frame_id frame, const uint64_t *ticks)
{
    struct watched *t = track;
    struct call_rows *s = t->sink;

    t->re_rooted++;
    if (s->request.filter != NULL) {
        pop(t, ticks, 0, SPAN_BEFORE);
        return;
    }
    s->failed = s->failed || frame >= s->request.profile->n_frames;
    if (s->failed)
        return;
    struct open_call *thread = &t->open[0], call = *thread;
    uint64_t duration_ns = ns_of(s, ticks[0] - thread->begin[0]);
    call.frame = frame;
    tell(t, &call, ticks, 0, duration_ns > thread->callees_ns ? duration_ns - thread->callees_ns : 0,
         depth_of(t, 1), SPAN_BEFORE);
    thread->callees_ns = duration_ns;
}

static void end(void *track, const uint64_t *ticks)
{
    struct watched *t = track;

    while (t->n_open > 1 && !t->sink->failed)
        pop(t, ticks, t->sink->request.open_to_end ? t->track->rest_ns : 0, SPAN_OPEN);
}

/* ---- the sink ---- */

/* Parents have smaller numbers than their children, and so have those that stand above by now. */
static bool index_nodes(struct call_rows *s, struct hash_seed seed)
{
    const struct profile *p = s->request.profile;
    const struct filter_stacks *f = s->request.filter;

    s->depth = arena_array(s->arena, p->n_nodes, sizeof(*s->depth));
    s->shown_depth = arena_array(s->arena, p->n_nodes, sizeof(*s->shown_depth));
    if (s->depth == NULL || s->shown_depth == NULL || !node_index_init(&s->index, p, s->arena, seed))
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
    const struct profile *p = request->profile;
    struct call_rows *s = arena_alloc(arena, sizeof(*s));

    if (s == NULL)
        return NULL;
    s->watcher = (struct watcher){watch, begin, enter, leave, re_root, end, NULL, NULL, NULL};
    s->arena = arena;
    s->request = *request;
    s->cpu = profile_value_by_role(p, ROLE_CPU);
    s->tracks = arena_array(arena, request->n_tracks, sizeof(*s->tracks));
    for (uint32_t i = 0; s->tracks != NULL && i < request->n_tracks; i++)
        s->tracks[i] = (struct watched){.sink = s, .track = &p->tracks[request->tracks[i]], .nth = i};
    return s->tracks != NULL && (request->filter == NULL || index_nodes(s, seed)) ? s : NULL;
}

struct watcher *call_rows_watcher(struct call_rows *s)
{
    return &s->watcher;
}

bool call_rows_done(const struct call_rows *s)
{
    return !s->failed;
}
