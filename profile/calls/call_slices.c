#include "profile/calls/call_slices.h"

#include "core/number.h"
#include "profile/calls/node_index.h"

/* With filters: of the stack as it is shown. */
struct level {
    frame_id frame;
    node_id node; /* of the profile */
};

/* A thread: as many levels of its stack are shown. */
struct sliced {
    struct level *shown;
    size_t n_shown, shown_capacity;
    uint64_t cpu_ns; /* where the thread is on its CPU clock, of which only what lies in the window passes */
    bool has_cpu;    /* its records have that clock */
    bool begins;     /* what is open at its beginning was not looked at */
};

struct call_slices {
    struct arena *arena;
    struct call_slices_request request;
    struct window window;
    struct sliced *tracks;
    uint32_t cpu;   /* the CPU clock, or n_times */
    bool shows_all; /* neither a window nor a filter takes anything away */

    /* With filters. */
    struct node_index index;
    uint32_t *shown_depth; /* of each node: among those that are there */
};

static uint64_t ns_of(const struct call_slices *s, uint64_t ticks)
{
    return number_multiply(ticks, s->request.profile->ns_per_tick);
}

/* ---- what is shown ---- */

static bool tell(const struct call_slices *s, const struct replay_track *t, const struct sliced *x,
                 frame_id frame, bool ends, uint64_t at_ns)
{
    struct call_slice slice = {.track = (uint32_t)(t->of - s->request.profile->tracks),
                               .frame = frame,
                               .ends = ends,
                               .at_ns = at_ns,
                               .cpu_at_ns = x->cpu_ns};

    return s->request.slice(s->request.context, &slice);
}

/* A call that is just being left still stands on the stack, above the levels that hold from now on. */
static frame_id shown_frame(const struct call_slices *s, const struct replay_track *t, const struct sliced *x,
                            size_t level)
{
    return s->request.filter != NULL ? x->shown[level].frame : t->open[level + 1].frame;
}

static bool close_down_to(const struct call_slices *s, const struct replay_track *t, struct sliced *x,
                          size_t n, uint64_t at_ns)
{
    while (x->n_shown > n) {
        x->n_shown--;
        if (!tell(s, t, x, shown_frame(s, t, x, x->n_shown), true, at_ns))
            return false;
    }
    return true;
}

static bool open_up_to(const struct call_slices *s, const struct replay_track *t, struct sliced *x, size_t n,
                       uint64_t at_ns)
{
    while (x->n_shown < n) {
        x->n_shown++;
        if (!tell(s, t, x, shown_frame(s, t, x, x->n_shown - 1), false, at_ns))
            return false;
    }
    return true;
}

/* How many levels, from the outermost, the stack of a node has in common with what is shown. */
static size_t common(const struct call_slices *s, const struct sliced *x, node_id node)
{
    size_t depth = s->shown_depth[node];

    for (; depth > x->n_shown; depth--)
        node = s->request.filter->up[node];
    for (; depth > 0 && x->shown[depth - 1].node != node; depth--)
        node = s->request.filter->up[node];
    return depth;
}

/* Shows the stack down to `top` as the filters leave it: the stack of some node, or nothing, which is the thread's root. */
static bool show_filtered(struct call_slices *s, const struct replay_track *t, size_t top, bool opens,
                          uint64_t at_ns)
{
    struct sliced *x = &s->tracks[t->nth];
    node_id to = s->request.filter->to[t->open[top].node], node = to != NODE_NONE ? to : t->of->first;
    size_t depth = s->shown_depth[node];

    if (!close_down_to(s, t, x, common(s, x, node), at_ns))
        return false;
    if (!opens || depth == x->n_shown)
        return true;
    if (!ARENA_ROOM(s->arena, x->shown, x->shown_capacity, depth))
        return false;
    for (size_t i = depth; i > x->n_shown; i--) {
        x->shown[i - 1] = (struct level){s->request.profile->node_frame[node], node};
        node = s->request.filter->up[node];
    }
    return open_up_to(s, t, x, depth, at_ns);
}

/* Brings what is shown to the stack down to `top`, an index of t->open; `opens`: also what is not shown yet. */
static bool show(struct call_slices *s, const struct replay_track *t, size_t top, bool opens, uint64_t at_ns)
{
    struct sliced *x = &s->tracks[t->nth];

    if (s->request.filter != NULL)
        return show_filtered(s, t, top, opens, at_ns);
    return close_down_to(s, t, x, top, at_ns) && (!opens || open_up_to(s, t, x, top, at_ns));
}

/* ---- time ---- */

/* Without a window all that holds is shown already. */
static void pass_all(const struct call_slices *s, struct sliced *x, const struct replay_track *t)
{
    if (x->has_cpu)
        x->cpu_ns = number_add(x->cpu_ns, ns_of(s, t->now[s->cpu] - t->last[s->cpu]));
}

/* What lies in the window of the time up to this record, as window.h has it; the stack was the one down to `top`. */
static bool pass(struct call_slices *s, const struct replay_track *t, size_t top)
{
    struct sliced *x = &s->tracks[t->nth];

    if (s->request.window == NULL) {
        pass_all(s, x, t);
        return true;
    }
    uint64_t w1 = ns_of(s, t->last[0]), w2 = ns_of(s, t->now[0]);
    uint64_t from = window_clip(&s->window, w1), to = window_clip(&s->window, w2), cpu_ns = 0;

    if (x->has_cpu) {
        uint64_t all = t->now[s->cpu] - t->last[s->cpu];
        if (w1 == w2)
            cpu_ns = window_has(&s->window, w1) ? ns_of(s, all) : 0;
        else if (from < to)
            cpu_ns = ns_of(s, window_gone_on(all, w1, w2, to) - window_gone_on(all, w1, w2, from));
    }
    if ((from < to || cpu_ns > 0) && !show(s, t, top, true, from))
        return false;
    x->cpu_ns = number_add(x->cpu_ns, cpu_ns);
    return true;
}

/* Behind a record that has changed the stack, which reaches down to `top` now. */
static bool changed(struct call_slices *s, const struct replay_track *t, size_t top)
{
    uint64_t at_ns = ns_of(s, t->now[0]);

    if (s->request.window == NULL)
        return show(s, t, top, true, at_ns);
    return show(s, t, top, window_has(&s->window, at_ns), window_clip(&s->window, at_ns));
}

/* ---- what is told ---- */

static bool begin(void *context, struct replay_track *t)
{
    struct call_slices *s = context;
    struct sliced *x = &s->tracks[t->nth];

    x->has_cpu = s->cpu < profile_track_times(s->request.profile, t->of);
    x->cpu_ns = x->has_cpu ? ns_of(s, t->now[s->cpu]) : 0;
    x->n_shown = 0;
    x->begins = true;
    t->open[0].node = t->of->first;
    return true;
}

/* Without a window and filters all that is open is shown, so a call is told as it comes. Nearly every
 * replay is of this kind, also in pieces. */
static bool tell_shown(const struct call_slices *s, const struct replay_track *t, frame_id frame, bool ends)
{
    struct sliced *x = &s->tracks[t->nth];

    if (x->has_cpu)
        x->cpu_ns = ns_of(s, t->now[s->cpu]);
    return tell(s, t, x, frame, ends, ns_of(s, t->now[0]));
}

/* Another piece told what goes on. */
static bool enter_shown(const struct call_slices *s, const struct replay_track *t)
{
    return (t->resumes && t->goes_on) || tell_shown(s, t, t->open[t->n_open - 1].frame, false);
}

/* False: the log has a stack that the profile does not have. */
static bool enter(void *context, struct replay_track *t)
{
    struct call_slices *s = context;
    struct replay_call *call = &t->open[t->n_open - 1];

    if (s->shows_all)
        return enter_shown(s, t);
    if (s->request.filter != NULL) {
        call->node = node_index_child(&s->index, call[-1].node, call->frame);
        if (call->node == IDMAP_NONE)
            return false;
    }
    return t->resumes || (pass(s, t, t->n_open - 2) && changed(s, t, t->n_open - 1));
}

static bool leave(void *context, struct replay_track *t, const struct replay_left *left)
{
    struct call_slices *s = context;

    if ((left->flags & SPAN_OPEN) != 0)
        return true; /* its slice has ended with the track */
    if (s->shows_all)
        return tell_shown(s, t, left->call->frame, true);
    return pass(s, t, left->level) && changed(s, t, left->level - 1);
}

static bool stay(void *context, struct replay_track *t)
{
    struct call_slices *s = context;
    struct sliced *x = &s->tracks[t->nth];
    bool begins = x->begins;

    x->begins = false;
    return s->shows_all || (pass(s, t, t->n_open - 1) && (!begins || changed(s, t, t->n_open - 1)));
}

static bool end(void *context, struct replay_track *t)
{
    struct call_slices *s = context;
    struct sliced *x = &s->tracks[t->nth];
    uint64_t last_ns = ns_of(s, t->now[0]);
    uint64_t rest_ns = s->request.open_to_end && t->n_open > 1 ? t->of->rest_ns : 0;
    uint64_t from = window_clip(&s->window, last_ns),
             to = window_clip(&s->window, number_add(last_ns, rest_ns));

    if (s->shows_all) {
        x->n_shown = t->n_open - 1;
        x->cpu_ns = x->has_cpu ? ns_of(s, t->now[s->cpu]) : 0;
    } else if (!pass(s, t, t->n_open - 1) || (from < to && !show(s, t, t->n_open - 1, true, from))) {
        return false;
    }
    return close_down_to(s, t, x, 0, to);
}

/* ---- the sink ---- */

static bool count_shown(struct call_slices *s, struct hash_seed seed)
{
    const struct profile *p = s->request.profile;
    const struct filter_stacks *f = s->request.filter;

    s->shown_depth = arena_array(s->arena, p->n_nodes, sizeof(*s->shown_depth));
    if (s->shown_depth == NULL || !node_index_init(&s->index, p, s->arena, seed))
        return false;
    for (node_id i = 0; i < p->n_nodes; i++)
        if (p->node_parent[i] != NODE_NONE && f->there[i])
            s->shown_depth[i] = s->shown_depth[f->up[i]] + 1;
    return true;
}

struct call_slices *call_slices_new(struct arena *arena, const struct call_slices_request *request,
                                    struct hash_seed seed)
{
    const struct profile *p = request->profile;
    struct call_slices *s = arena_alloc(arena, sizeof(*s));

    if (s == NULL)
        return NULL;
    s->arena = arena;
    s->request = *request;
    s->window = request->window != NULL ? *request->window : (struct window){0, WINDOW_NO_END};
    s->shows_all = request->window == NULL && request->filter == NULL;
    s->cpu = profile_value_by_role(p, ROLE_CPU);
    s->tracks = arena_array(arena, request->n_tracks, sizeof(*s->tracks));
    return s->tracks != NULL && (request->filter == NULL || count_shown(s, seed)) ? s : NULL;
}

struct replay_sink call_slices_replay(struct call_slices *s)
{
    return (struct replay_sink){
        .begin = begin, .enter = enter, .leave = leave, .stay = stay, .end = end, .context = s};
}
