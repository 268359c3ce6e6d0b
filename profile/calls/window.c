#include "profile/calls/window.h"

#include <string.h>

#include "core/number.h"
#include "profile/build/builder_impl.h"

/* A call that was entered and not yet left. The first one of a thread stands for the thread. */
struct open_call {
    frame_id frame;
    node_id node; /* of the window's tree, if it is one of the first n_made */
    uint64_t begin_ns;
};

/* A thread. */
struct watched {
    struct window_sink *sink;
    uint32_t index; /* of profile->tracks, and of the tree's */
    uint64_t last[BUILDER_CLOCKS_MAX];
    struct open_call *open;
    size_t n_open, open_capacity;
    size_t n_made; /* What has a node has all below it in the tree: these are the first of the stack. */
};

struct window_sink {
    struct watcher watcher; /* the first member: who is told is the sink */
    struct window_request request;
    struct arena *arena, *scratch;
    struct builder *tree; /* of the window: the columns of its nodes are ns */
    struct watched *tracks;
    uint64_t cut; /* calls */
    bool failed;  /* an arena has given no more, where no answer could say so */
};

/* ---- time ---- */

static uint64_t ns_of(const struct window_sink *s, uint64_t ticks)
{
    return number_multiply(ticks, s->request.profile->ns_per_tick);
}

static void cut_call(struct window_sink *s, uint64_t begin_ns, uint64_t end_ns)
{
    const struct window *w = &s->request.window;

    if (begin_ns < s->request.cut_since_ns)
        return;
    s->cut += (begin_ns < w->from_ns && end_ns > w->from_ns) ||
              (begin_ns < w->to_ns && end_ns > w->to_ns && end_ns > w->from_ns);
}

/* How much of what is open behind the track's last record lies in the window. */
static uint64_t rest_of(const struct profile_track *t, const struct window *w)
{
    return window_clip(w, number_add(t->end_ns, t->rest_ns)) - window_clip(w, t->end_ns);
}

/* ---- the tree ---- */

static struct fold_node *node_at(const struct watched *t, node_id node)
{
    return fold_node_at(t->sink->tree, node);
}

/* The node of the call on top, made if it is new. NODE_NONE: the arena gives no more. */
static node_id top_node(struct watched *t)
{
    /* The first call stands for the thread and is never left: n_made is at least 1, and call[-1] is there. */
    for (; t->n_made < t->n_open; t->n_made++) {
        struct open_call *call = &t->open[t->n_made];
        call->node = fold_child(t->sink->tree, call[-1].node, call->frame);
        if (call->node == NODE_NONE)
            return NODE_NONE;
    }
    return t->open[t->n_open - 1].node;
}

/* Credits what lies in the window of the time from the thread's last record to one with these clocks. */
static bool credit(struct watched *t, const uint64_t *ticks)
{
    const struct window_sink *s = t->sink;
    const struct window *w = &s->request.window;
    uint32_t n_times = s->request.profile->n_times;
    if (n_times == 0)
        return true;
    /* Folding has clamped steps back, so w2 is not before w1, and no difference below goes under zero. */
    uint64_t w1 = ns_of(s, t->last[0]), w2 = ns_of(s, ticks[0]);
    uint64_t from = window_clip(w, w1), to = window_clip(w, w2), parts[BUILDER_CLOCKS_MAX] = {to - from};
    bool any = parts[0] > 0;

    for (uint32_t c = 1; c < n_times; c++) {
        uint64_t all = ticks[c] - t->last[c];
        if (w1 == w2)
            parts[c] = window_has(w, w1) ? ns_of(s, all) : 0;
        else if (from == w1 && to == w2) /* as nearly always: no division */
            parts[c] = ns_of(s, all);
        else if (any)
            parts[c] = ns_of(s, window_gone_on(all, w1, w2, to) - window_gone_on(all, w1, w2, from));
        any = any || parts[c] > 0;
    }
    memcpy(t->last, ticks, n_times * sizeof(*ticks));
    if (!any)
        return true;
    node_id top = top_node(t);
    if (top == NODE_NONE)
        return false;
    for (uint32_t c = 0; c < n_times; c++) {
        uint64_t *sum = &node_at(t, top)->columns[c];
        *sum = number_add(*sum, parts[c]);
    }
    return true;
}

static bool push(struct watched *t, frame_id frame, uint64_t begin_ns)
{
    if (!ARENA_ROOM(t->sink->scratch, t->open, t->open_capacity, t->n_open + 1)) {
        t->sink->arena->failure = t->sink->scratch->failure;
        return false;
    }
    t->open[t->n_open++] = (struct open_call){frame, NODE_NONE, begin_ns};
    return true;
}

/* ---- what is told ---- */

static void *watch(struct watcher *w, uint32_t id)
{
    struct window_sink *s = (struct window_sink *)(void *)w;
    const struct profile_track *track = profile_track_by_id(s->request.profile, id);

    return track == NULL ? NULL : &s->tracks[track - s->request.profile->tracks];
}

static bool begin(void *track, const uint64_t *ticks)
{
    struct watched *t = track;

    memcpy(t->last, ticks, t->sink->request.profile->n_times * sizeof(*ticks));
    if (!push(t, FRAME_NONE, ns_of(t->sink, ticks[0])))
        return false;
    t->open[0].node = t->sink->tree->tracks[t->index].root;
    t->n_made = 1;
    return true;
}

static bool enter(void *track, frame_id frame, const uint64_t *ticks)
{
    struct watched *t = track;
    uint64_t now = ns_of(t->sink, ticks[0]);

    if (t->sink->failed || !credit(t, ticks) || !push(t, frame, now))
        return false;
    if (t->sink->request.profile->n_times == 0 || !window_has(&t->sink->request.window, now))
        return true;
    node_id top = top_node(t);
    if (top == NODE_NONE)
        return false;
    node_at(t, top)->columns[t->sink->tree->layout.calls]++;
    return true;
}

static void stay(void *track, const uint64_t *ticks)
{
    struct watched *t = track;

    t->sink->failed = t->sink->failed || !credit(t, ticks);
}

/* All of it belongs to its moment; what stacks lasted is not known. */
static bool sample(void *track, const uint64_t *values, const uint64_t *ticks)
{
    struct watched *t = track;
    uint32_t n_values = t->sink->request.profile->n_values;

    if (!window_has(&t->sink->request.window, ns_of(t->sink, ticks[0])))
        return true;
    node_id top = t->sink->failed ? NODE_NONE : top_node(t);
    if (top == NODE_NONE)
        return false;
    for (uint32_t v = 0; v < n_values; v++) {
        uint64_t *sum = &node_at(t, top)->columns[v];
        *sum = number_add(*sum, values[v]);
    }
    return true;
}

static void leave(void *track, const uint64_t *ticks)
{
    struct watched *t = track;

    stay(t, ticks);
    const struct open_call *call = &t->open[--t->n_open];
    if (t->sink->request.profile->n_times > 0)
        cut_call(t->sink, call->begin_ns, ns_of(t->sink, ticks[0]));
    t->n_made = t->n_made < t->n_open ? t->n_made : t->n_open;
}

static bool is_untouched(const struct fold_node *node, const struct fold_layout *layout)
{
    for (uint32_t i = 0; i < layout->n_columns; i++)
        if (node->columns[i] > 0)
            return false;
    return node->first_child == NODE_NONE;
}

/* As when the whole was folded, the root turns into the node of the call, and a new one goes on top of it: if there is anything of
 * the call in the window. */
static void re_root(void *track, frame_id frame, const uint64_t *ticks)
{
    struct watched *t = track;
    struct builder *tree = t->sink->tree;
    uint64_t begin_ns = t->open[0].begin_ns;

    stay(t, ticks);
    node_id old = t->open[0].node;
    cut_call(t->sink, begin_ns, ns_of(t->sink, ticks[0]));
    node_at(t, old)->columns[tree->layout.calls] = window_has(&t->sink->request.window, begin_ns);
    if (is_untouched(node_at(t, old), &tree->layout))
        return;
    node_id root = fold_node_new(tree, NODE_NONE, FRAME_NONE);
    t->sink->failed = t->sink->failed || root == NODE_NONE;
    if (root == NODE_NONE)
        return;
    node_at(t, old)->frame = frame;
    node_at(t, old)->parent = root;
    node_at(t, root)->first_child = old;
    tree->tracks[t->index].root = tree->tracks[t->index].current = root;
    t->open[0].node = root;
}

/* Of what is never left, the time up to the last record of all threads may be asked for later: see open_frames.h. */
static void end(void *track, const uint64_t *ticks)
{
    struct watched *t = track;
    const struct profile_track *of = &t->sink->request.profile->tracks[t->index];
    uint64_t end_ns = ns_of(t->sink, ticks[0]);

    stay(t, ticks);
    for (size_t i = 1; i < t->n_open; i++)
        cut_call(t->sink, t->open[i].begin_ns, end_ns);
    if (t->n_open == 1 || rest_of(of, &t->sink->request.window) == 0)
        return;
    node_id top = top_node(t);
    t->sink->failed = t->sink->failed || top == NODE_NONE;
    if (top != NODE_NONE)
        t->sink->tree->tracks[t->index].current = top;
}

/* ---- the sink ---- */

/* All tracks of the profile, each with its root. */
static bool add_tracks(struct window_sink *s)
{
    const struct profile *p = s->request.profile;

    s->tracks = arena_array(s->scratch, p->n_tracks, sizeof(*s->tracks));
    for (uint32_t i = 0; s->tracks != NULL && i < p->n_tracks; i++) {
        s->tracks[i] = (struct watched){.sink = s, .index = i};
        if (builder_track(s->tree, p->tracks[i].id, p->tracks[i].name) == NODE_NONE)
            return false;
        if (fold_root(s->tree, &s->tree->tracks[i]) == NODE_NONE)
            return false;
    }
    return s->tracks != NULL;
}

struct window_sink *window_sink_new(struct arena *arena, struct arena *scratch,
                                    const struct window_request *request)
{
    const struct profile *p = request->profile;
    struct window_sink *s = arena_alloc(scratch, sizeof(*s));

    if (s == NULL)
        return NULL;
    s->watcher = (struct watcher){watch, begin, enter, leave, re_root, end, sample, stay, NULL};
    s->request = *request;
    s->arena = arena;
    s->scratch = scratch;
    s->tree = builder_new(arena, request->seed);
    if (s->tree == NULL ||
        !builder_values(s->tree, p->values, p->n_times, p->values + p->n_times, p->n_values - p->n_times))
        return NULL;
    builder_clocks(s->tree, 1, false);
    return add_tracks(s) ? s : NULL;
}

struct watcher *window_sink_watcher(struct window_sink *s)
{
    return &s->watcher;
}

static bool is_empty(const struct profile *p)
{
    for (node_id i = 0; i < p->n_nodes; i++)
        for (uint32_t v = 0; v < p->n_values; v++)
            if (profile_self(p, i, v) > 0)
                return false;
    return true;
}

bool window_warnings(struct arena *arena, const struct profile *p, uint64_t cut, struct profile *to)
{
    struct profile_warning *warnings = arena_array(arena, p->n_warnings + 2, sizeof(*warnings));
    bool empty = is_empty(to);
    const struct {
        enum warning_code code;
        uint64_t count;
    } own[] = {{WARN_WINDOW_EMPTY, empty}, {WARN_WINDOW_CUT, empty ? 0 : cut}};

    if (warnings == NULL)
        return false;
    to->n_warnings = 0;
    for (size_t i = 0; i < sizeof(own) / sizeof(*own); i++) {
        if (own[i].count == 0)
            continue;
        struct profile_warning *w = &warnings[to->n_warnings++];
        *w = (struct profile_warning){.code = str_of(warning_name(own[i].code)), .count = own[i].count};
        if (!warning_copy(arena, own[i].code, own[i].count, &w->text))
            return false;
    }
    for (uint32_t i = 0; i < p->n_warnings; i++)
        warnings[to->n_warnings++] = p->warnings[i];
    to->warnings = warnings;
    return true;
}

struct profile_track *window_tracks(struct arena *arena, const struct window_request *request)
{
    const struct profile *p = request->profile;
    struct profile_track *tracks = arena_array(arena, p->n_tracks, sizeof(*tracks));

    for (uint32_t i = 0; tracks != NULL && i < p->n_tracks; i++) {
        tracks[i] = p->tracks[i];
        tracks[i].begin_ns = window_clip(&request->window, p->tracks[i].begin_ns);
        tracks[i].end_ns = window_clip(&request->window, p->tracks[i].end_ns);
        tracks[i].rest_ns = rest_of(&p->tracks[i], &request->window);
    }
    return tracks;
}

static bool put_tracks(const struct window_sink *s, struct profile *to)
{
    struct profile_track *tracks = window_tracks(s->arena, &s->request);

    for (uint32_t i = 0; tracks != NULL && i < to->n_tracks; i++) {
        const struct profile_track *made = &to->tracks[i];
        tracks[i].first = made->first;
        tracks[i].count = made->count;
        tracks[i].calls = made->calls;
        tracks[i].open = made->open;
    }
    to->tracks = tracks;
    return tracks != NULL;
}

uint64_t window_sink_cut(const struct window_sink *s)
{
    return s->cut;
}

/* The profile's frames are those of the tree, which has none of its own. */
const struct profile *window_sink_finish(struct window_sink *s)
{
    const struct profile *p = s->request.profile;
    struct profile *to = arena_alloc(s->arena, sizeof(*to));

    s->tree->n_frames = p->n_frames;
    const struct profile *made = s->failed ? NULL : builder_finish(s->tree, p->format, p->format_label);
    if (to == NULL || made == NULL)
        return NULL;
    *to = *p;
    to->n_nodes = made->n_nodes;
    to->node_frame = made->node_frame;
    to->node_parent = made->node_parent;
    to->node_flags = made->node_flags;
    to->node_self = made->node_self;
    to->node_total = made->node_total;
    to->tracks = made->tracks;
    to->n_tracks = made->n_tracks;
    return put_tracks(s, to) && window_warnings(s->arena, p, s->cut, to) ? to : NULL;
}
