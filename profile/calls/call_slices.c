#include "profile/calls/call_slices.h"

#include "core/number.h"
#include "profile/build/builder.h"
#include "profile/calls/node_index.h"

/* Of the stack as it is, and with filters of the stack as it is shown. The first of the former stands for the thread. Without filters
 * what is shown are the first levels behind that. */
struct level {
    frame_id frame;
    node_id node; /* with filters: of the profile */
};

/* A thread. */
struct watched {
    struct call_slices *sink;
    const struct profile_track *track;
    uint32_t nth; /* of request.tracks */
    struct level *open, *shown;
    size_t n_open, open_capacity, n_shown, shown_capacity;
    uint64_t last[BUILDER_CLOCKS_MAX]; /* ticks */
    uint64_t cpu_ns; /* where the thread is on its CPU clock, of which only what lies in the window passes */
};

struct call_slices {
    struct watcher watcher; /* the first member: who is told is the sink */
    struct arena *arena;
    struct call_slices_request request;
    struct window window;
    struct watched *tracks;
    uint32_t cpu;   /* the CPU clock, or n_times */
    bool shows_all; /* neither a window nor a filter takes anything away */
    bool failed;

    /* With filters. */
    struct node_index index;
    uint32_t *shown_depth; /* of each node: among those that are there */
};

static uint64_t ns_of(const struct call_slices *s, uint64_t ticks)
{
    return number_multiply(ticks, s->request.profile->ns_per_tick);
}

/* ---- what is shown ---- */

static void tell(struct watched *t, frame_id frame, bool ends, uint64_t at_ns)
{
    struct call_slices *s = t->sink;
    struct call_slice slice = {.track = s->request.tracks[t->nth],
                               .frame = frame,
                               .ends = ends,
                               .at_ns = at_ns,
                               .cpu_at_ns = t->cpu_ns};

    s->failed = s->failed || !s->request.slice(s->request.context, &slice);
}

static const struct level *shown_of(const struct watched *t)
{
    return t->sink->request.filter != NULL ? t->shown : t->open + 1;
}

/* A level that was taken off the stack a moment ago still stands behind it. */
static void close_down_to(struct watched *t, size_t n, uint64_t at_ns)
{
    const struct level *shown = shown_of(t);

    while (t->n_shown > n && !t->sink->failed)
        tell(t, shown[--t->n_shown].frame, true, at_ns);
}

/* Room for so many levels that are shown. */
static bool reserve_shown(struct watched *t, size_t n)
{
    if (ARENA_ROOM(t->sink->arena, t->shown, t->shown_capacity, n))
        return true;
    t->sink->failed = true;
    return false;
}

static void open_up_to(struct watched *t, size_t n, uint64_t at_ns)
{
    const struct level *shown = shown_of(t);

    while (t->n_shown < n && !t->sink->failed)
        tell(t, shown[t->n_shown++].frame, false, at_ns);
}

/* The node that the stack ends at under the filters; the thread's root: nothing of it is shown. */
static node_id target_of(const struct watched *t)
{
    node_id to = t->sink->request.filter->to[t->open[t->n_open - 1].node];

    return to != NODE_NONE ? to : t->track->first;
}

/* How many levels, from the outermost, the stack of a node has in common with what is shown. */
static size_t common(const struct watched *t, node_id node)
{
    const struct call_slices *s = t->sink;
    size_t depth = s->shown_depth[node];

    for (; depth > t->n_shown; depth--)
        node = s->request.filter->up[node];
    for (; depth > 0 && t->shown[depth - 1].node != node; depth--)
        node = s->request.filter->up[node];
    return depth;
}

static void show_filtered(struct watched *t, bool opens, uint64_t at_ns)
{
    const struct call_slices *s = t->sink;
    node_id node = target_of(t);
    size_t depth = s->shown_depth[node];

    close_down_to(t, common(t, node), at_ns);
    if (!opens || depth == t->n_shown || !reserve_shown(t, depth))
        return;
    for (size_t i = depth; i > t->n_shown; i--) {
        t->shown[i - 1] = (struct level){s->request.profile->node_frame[node], node};
        node = s->request.filter->up[node];
    }
    open_up_to(t, depth, at_ns);
}

/* Brings what is shown to what holds now; `opens`: also what is not shown yet. */
static void show(struct watched *t, bool opens, uint64_t at_ns)
{
    size_t n = t->n_open - 1;

    if (t->sink->request.filter != NULL) {
        show_filtered(t, opens, at_ns);
        return;
    }
    close_down_to(t, n, at_ns);
    if (opens)
        open_up_to(t, n, at_ns);
}

/* ---- time ---- */

/* They are one or two. */
static void keep_ticks(struct watched *t, const uint64_t *ticks)
{
    for (uint32_t clock = 0; clock < t->sink->request.profile->n_times; clock++)
        t->last[clock] = ticks[clock];
}

/* Without a window all that holds is shown already. */
static void pass_all(struct watched *t, const uint64_t *ticks)
{
    const struct call_slices *s = t->sink;

    if (s->cpu < s->request.profile->n_times)
        t->cpu_ns = number_add(t->cpu_ns, ns_of(s, ticks[s->cpu] - t->last[s->cpu]));
    keep_ticks(t, ticks);
}

/* What lies in the window of the time from the thread's last record to one with these clocks, as window.h has it. */
static void pass(struct watched *t, const uint64_t *ticks)
{
    const struct call_slices *s = t->sink;
    uint32_t n_times = s->request.profile->n_times;

    if (s->request.window == NULL) {
        pass_all(t, ticks);
        return;
    }
    uint64_t w1 = ns_of(s, t->last[0]), w2 = ns_of(s, ticks[0]);
    uint64_t from = window_clip(&s->window, w1), to = window_clip(&s->window, w2), cpu_ns = 0;

    if (s->cpu < n_times) {
        uint64_t all = ticks[s->cpu] - t->last[s->cpu];
        if (w1 == w2)
            cpu_ns = window_has(&s->window, w1) ? ns_of(s, all) : 0;
        else if (from < to)
            cpu_ns = ns_of(s, window_gone_on(all, w1, w2, to) - window_gone_on(all, w1, w2, from));
    }
    keep_ticks(t, ticks);
    if (from < to || cpu_ns > 0)
        show(t, true, from);
    t->cpu_ns = number_add(t->cpu_ns, cpu_ns);
}

/* Behind a record that has changed the stack. */
static void changed(struct watched *t)
{
    uint64_t at_ns = ns_of(t->sink, t->last[0]);

    if (t->sink->request.window == NULL)
        show(t, true, at_ns);
    else
        show(t, window_has(&t->sink->window, at_ns), window_clip(&t->sink->window, at_ns));
}

/* ---- the stack ---- */

static bool push(struct watched *t, frame_id frame)
{
    struct call_slices *s = t->sink;

    /* A file that has changed since it was read first may have more frames. */
    s->failed = s->failed || (frame != FRAME_NONE && frame >= s->request.profile->n_frames);
    if (s->failed)
        return false;
    if (!ARENA_ROOM(s->arena, t->open, t->open_capacity, t->n_open + 1)) {
        s->failed = true;
        return false;
    }
    struct level *top = &t->open[t->n_open];
    *top = (struct level){frame, t->track->first};
    if (s->request.filter != NULL && t->n_open > 0) {
        top->node = node_index_child(&s->index, top[-1].node, frame);
        s->failed = top->node == IDMAP_NONE; /* the second reading is not of the same bytes */
    }
    t->n_open += !s->failed;
    return !s->failed;
}

static void *watch(struct watcher *w, uint32_t id)
{
    struct call_slices *s = (struct call_slices *)(void *)w;
    const uint32_t n = s->request.n_tracks,
                   place = profile_place_of_id(s->request.profile, s->request.tracks, n, id);

    return place < n ? &s->tracks[place] : NULL;
}

/* What will enclose all is on the stack from the beginning, the last one outermost. */
static bool begin(void *track, const uint64_t *ticks)
{
    struct watched *t = track;
    struct call_slices *s = t->sink;
    const struct call_roots *roots = &s->request.roots[t->nth];

    keep_ticks(t, ticks);
    t->cpu_ns = s->cpu < s->request.profile->n_times ? ns_of(s, ticks[s->cpu]) : 0;
    if (!push(t, FRAME_NONE))
        return false;
    for (size_t i = roots->n; i-- > 0;)
        if (!push(t, roots->frames[i]))
            return false;
    changed(t);
    return !s->failed;
}

/* Without a window and filters all that is open is shown, so a call is told as it comes. Nearly every reading is of this kind. */
static bool enter_shown(struct watched *t, frame_id frame, const uint64_t *ticks)
{
    pass_all(t, ticks);
    if (!push(t, frame))
        return false;
    t->n_shown++;
    tell(t, frame, false, ns_of(t->sink, t->last[0]));
    return !t->sink->failed;
}

static void leave_shown(struct watched *t, const uint64_t *ticks)
{
    pass_all(t, ticks);
    if (t->n_open == 1)
        return;
    t->n_shown--;
    tell(t, t->open[--t->n_open].frame, true, ns_of(t->sink, t->last[0]));
}

static bool enter(void *track, frame_id frame, const uint64_t *ticks)
{
    struct watched *t = track;

    if (t->sink->failed)
        return false;
    if (t->sink->shows_all)
        return enter_shown(t, frame, ticks);
    pass(t, ticks);
    if (!push(t, frame))
        return false;
    changed(t);
    return !t->sink->failed;
}

static void leave(void *track, const uint64_t *ticks)
{
    struct watched *t = track;

    if (t->sink->failed)
        return;
    if (t->sink->shows_all) {
        leave_shown(t, ticks);
        return;
    }
    pass(t, ticks);
    t->n_open -= t->n_open > 1;
    changed(t);
}

static void re_root(void *track, frame_id frame, const uint64_t *ticks)
{
    (void)frame; /* it is on the stack already */
    leave(track, ticks);
}

static void stay(void *track, const uint64_t *ticks)
{
    struct watched *t = track;

    if (!t->sink->failed)
        pass(t, ticks);
}

static void end(void *track, const uint64_t *ticks)
{
    struct watched *t = track;
    struct call_slices *s = t->sink;

    if (s->failed)
        return;
    pass(t, ticks);
    uint64_t last_ns = ns_of(s, ticks[0]);
    uint64_t rest_ns = s->request.open_to_end && t->n_open > 1 ? t->track->rest_ns : 0;
    uint64_t from = window_clip(&s->window, last_ns),
             to = window_clip(&s->window, number_add(last_ns, rest_ns));
    if (from < to)
        show(t, true, from);
    close_down_to(t, 0, to);
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
    s->watcher = (struct watcher){watch, begin, enter, leave, re_root, end, NULL, stay, NULL};
    s->arena = arena;
    s->request = *request;
    s->window = request->window != NULL ? *request->window : (struct window){0, WINDOW_NO_END};
    s->shows_all = request->window == NULL && request->filter == NULL;
    s->cpu = profile_value_by_role(p, ROLE_CPU);
    s->tracks = arena_array(arena, request->n_tracks, sizeof(*s->tracks));
    for (uint32_t i = 0; s->tracks != NULL && i < request->n_tracks; i++)
        s->tracks[i] = (struct watched){.sink = s, .track = &p->tracks[request->tracks[i]], .nth = i};
    return s->tracks != NULL && (request->filter == NULL || count_shown(s, seed)) ? s : NULL;
}

struct watcher *call_slices_watcher(struct call_slices *s)
{
    return &s->watcher;
}

bool call_slices_done(const struct call_slices *s)
{
    return !s->failed;
}
