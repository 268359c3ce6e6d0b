#include "profile/calls/window.h"

#include <string.h>

#include "core/number.h"
#include "profile/build/builder_impl.h"

struct window_track {
    size_t n_made; /* What has a node has all below it in the tree: these are the first of the stack. */
};

struct window_sink {
    struct window_request request;
    struct arena *arena;
    struct builder *tree; /* of the window: the columns of its nodes are ns */
    struct window_track *tracks;
    uint64_t cut;      /* calls */
    uint64_t released; /* stacks of heaps that released more than they allocated */
};

/* ---- time ---- */

static uint64_t ns_of(const struct window_sink *s, uint64_t ticks)
{
    return number_multiply(ticks, s->request.profile->ns_per_tick);
}

static void cut_call(struct window_sink *s, uint64_t begin_ns, uint64_t end_ns)
{
    const struct window *w = &s->request.window;

    s->cut += (begin_ns < w->from_ns && end_ns > w->from_ns) ||
              (begin_ns < w->to_ns && end_ns > w->to_ns && end_ns > w->from_ns);
}

/* How much of what is open behind the track's last record lies in the window. */
static uint64_t rest_of(const struct profile_track *t, const struct window *w)
{
    return window_clip(w, number_add(t->end_ns, t->rest_ns)) - window_clip(w, t->end_ns);
}

/* ---- the tree ---- */

/* The node of the innermost call, made if it is new. NODE_NONE: the arena gives no more. */
static node_id top_node(struct window_sink *s, const struct replay_track *t, size_t n_open)
{
    struct window_track *x = &s->tracks[t->nth];

    /* The first call stands for the thread and is never left: n_made is at least 1, and call[-1] is there. */
    for (; x->n_made < n_open; x->n_made++) {
        struct replay_call *call = &t->open[x->n_made];
        call->node = fold_child(s->tree, call[-1].node, call->frame);
        if (call->node == NODE_NONE)
            return NODE_NONE;
    }
    return t->open[n_open - 1].node;
}

/* Credits what lies in the window of the time up to this record, during which the first n_open calls were open. */
static bool credit(struct window_sink *s, const struct replay_track *t, size_t n_open)
{
    const struct window *w = &s->request.window;
    uint32_t n_times = profile_track_times(s->request.profile, t->of);
    if (n_times == 0)
        return true;
    /* Folding has clamped steps back, so w2 is not before w1, and no difference below goes under zero. */
    uint64_t w1 = ns_of(s, t->last[0]), w2 = ns_of(s, t->now[0]);
    uint64_t from = window_clip(w, w1), to = window_clip(w, w2), parts[PROFILE_CLOCKS_MAX] = {to - from};
    bool any = parts[0] > 0;

    for (uint32_t c = 1; c < n_times; c++) {
        uint64_t all = t->now[c] - t->last[c];
        if (w1 == w2)
            parts[c] = window_has(w, w1) ? ns_of(s, all) : 0;
        else if (from == w1 && to == w2) /* as nearly always: no division */
            parts[c] = ns_of(s, all);
        else if (any)
            parts[c] = ns_of(s, window_gone_on(all, w1, w2, to) - window_gone_on(all, w1, w2, from));
        any = any || parts[c] > 0;
    }
    if (!any)
        return true;
    node_id top = top_node(s, t, n_open);
    if (top == NODE_NONE)
        return false;
    for (uint32_t c = 0; c < n_times; c++) {
        uint64_t *sum = &fold_node_at(s->tree, top)->columns[c];
        *sum = number_add(*sum, parts[c]);
    }
    return true;
}

/* ---- what is told ---- */

static bool begin(void *context, struct replay_track *t)
{
    struct window_sink *s = context;

    t->open[0].node = s->tree->tracks[t->nth].root; /* all tracks are replayed */
    s->tracks[t->nth].n_made = 1;
    return true;
}

static bool enter(void *context, struct replay_track *t)
{
    struct window_sink *s = context;

    if (!credit(s, t, t->n_open - 1))
        return false;
    if (profile_track_times(s->request.profile, t->of) == 0 ||
        !window_has(&s->request.window, ns_of(s, t->now[0])))
        return true;
    node_id top = top_node(s, t, t->n_open);
    if (top == NODE_NONE)
        return false;
    fold_node_at(s->tree, top)->columns[s->tree->layout.calls]++;
    return true;
}

static bool stay(void *context, struct replay_track *t)
{
    return credit(context, t, t->n_open);
}

/* All of it belongs to its moment; what stacks lasted is not known. */
static bool sample(void *context, struct replay_track *t, const uint64_t *values)
{
    struct window_sink *s = context;

    if (!window_has(&s->request.window, ns_of(s, t->now[0])))
        return true;
    node_id top = top_node(s, t, t->n_open);
    if (top == NODE_NONE)
        return false;
    uint64_t *sums = fold_node_at(s->tree, top)->columns + profile_first_of_samples(s->request.profile);
    for (uint32_t v = 0; v < profile_n_of_samples(s->request.profile); v++) {
        uint64_t *sum = &sums[v];
        *sum = number_add(*sum, values[v]);
    }
    return true;
}

static bool leave(void *context, struct replay_track *t, const struct replay_left *left)
{
    struct window_sink *s = context;
    struct window_track *x = &s->tracks[t->nth];

    if (!credit(s, t, t->n_open))
        return false;
    if (profile_track_times(s->request.profile, t->of) > 0)
        cut_call(s, ns_of(s, left->call->begin[0]), ns_of(s, t->now[0]));
    x->n_made = x->n_made < left->level ? x->n_made : left->level;
    return true;
}

/* Of what is never left, the time up to the last record of all threads may be asked for later: see transform.h. */
static bool end(void *context, struct replay_track *t)
{
    struct window_sink *s = context;

    if (!credit(s, t, t->n_open))
        return false;
    if (t->n_open == 1 || rest_of(t->of, &s->request.window) == 0)
        return true;
    node_id top = top_node(s, t, t->n_open);
    s->tree->tracks[t->nth].current = top;
    return top != NODE_NONE;
}

/* ---- the sink ---- */

/* All tracks of the profile, each with its root. */
static bool add_tracks(struct window_sink *s)
{
    const struct profile *p = s->request.profile;

    for (uint32_t i = 0; i < p->n_tracks; i++)
        if (builder_track(s->tree, p->tracks[i].id, p->tracks[i].name) == NODE_NONE ||
            fold_root(s->tree, &s->tree->tracks[i]) == NODE_NONE)
            return false;
    return true;
}

struct window_sink *window_sink_new(struct arena *arena, struct arena *scratch,
                                    const struct window_request *request)
{
    const struct profile *p = request->profile;
    struct window_sink *s = arena_alloc(scratch, sizeof(*s));

    if (s == NULL)
        return NULL;
    s->request = *request;
    s->arena = arena;
    s->tracks = arena_array(scratch, p->n_tracks, sizeof(*s->tracks));
    s->tree = builder_new(arena, request->seed);
    if (s->tree == NULL || s->tracks == NULL ||
        !builder_values(s->tree, p->values, p->n_times, p->values + p->n_times,
                        p->n_values - p->n_times - p->n_beside) ||
        (p->n_beside > 0 && !builder_values_beside(s->tree, p->values + p->n_times + 1, p->n_beside)))
        return NULL;
    builder_clocks(s->tree, 1, false);
    return add_tracks(s) ? s : NULL;
}

struct replay_sink window_sink_replay(struct window_sink *s)
{
    return (struct replay_sink){.begin = begin,
                                .enter = enter,
                                .leave = leave,
                                .sample = sample,
                                .stay = stay,
                                .end = end,
                                .context = s};
}

/* ---- heaps ---- */

/* What the dumps in the window tell of the node: how its values changed since the dump before each. More released than allocated
 * is nothing. */
static bool sum_changes(struct window_sink *s, const struct profile_track *t, node_id node,
                        int64_t sums[PROFILE_VALUES_MAX])
{
    const struct profile *p = s->request.profile;
    const struct profile_series *changes = &p->series;
    bool any = false, below = false;

    memset(sums, 0, PROFILE_VALUES_MAX * sizeof(*sums));
    for (uint32_t i = changes->first[node]; i < changes->first[node + 1]; i++)
        for (uint32_t v = 0;
             v < p->n_values &&
             window_has(&s->request.window, p->moments[t->first_moment + changes->moment[i]].time_ns);
             v++)
            sums[v] = number_add_signed(sums[v], changes->change[(size_t)i * p->n_values + v]);
    for (uint32_t v = 0; v < p->n_values; v++) {
        below = below || sums[v] < 0;
        sums[v] = sums[v] > 0 ? sums[v] : 0;
        any = any || sums[v] > 0;
    }
    s->released += below;
    return any;
}

/* Parents are made before their children: where only a child has something, it brings them. */
static bool add_heap(struct window_sink *s, uint32_t track)
{
    const struct profile *p = s->request.profile;
    const struct profile_track *t = &p->tracks[track];
    int64_t sums[PROFILE_VALUES_MAX];
    uint8_t *needed = arena_array(s->arena, t->count, sizeof(*needed));
    node_id *made = arena_array(s->arena, t->count, sizeof(*made));
    const uint64_t released = s->released;

    if (needed == NULL || made == NULL)
        return false;
    for (uint32_t i = t->count; i-- > 0;) {
        needed[i] = needed[i] || sum_changes(s, t, t->first + i, sums);
        if (needed[i] && i > 0)
            needed[p->node_parent[t->first + i] - t->first] = 1;
    }
    s->released = released; /* they are counted below */
    for (uint32_t i = 0; i < t->count; i++) {
        node_id node = t->first + i;
        bool any = sum_changes(s, t, node, sums);
        if (i > 0 && !needed[i])
            continue;
        made[i] = i == 0 ? s->tree->tracks[track].root
                         : fold_child(s->tree, made[p->node_parent[node] - t->first], p->node_frame[node]);
        if (made[i] == NODE_NONE)
            return false;
        for (uint32_t v = 0; any && v < p->n_values; v++)
            fold_node_at(s->tree, made[i])->columns[v] = (uint64_t)sums[v];
    }
    return true;
}

static bool add_heaps(struct window_sink *s)
{
    const struct profile *p = s->request.profile;
    bool ok = true;

    for (uint32_t i = 0; ok && i < p->n_tracks; i++)
        ok = p->tracks[i].n_moments == 0 || add_heap(s, i);
    return ok;
}

/* ---- the profile ---- */

static bool is_empty(const struct profile *p)
{
    for (node_id i = 0; i < p->n_nodes; i++)
        for (uint32_t v = 0; v < p->n_values; v++)
            if (profile_self(p, i, v) > 0)
                return false;
    return true;
}

/* Gives `to`, which has its nodes, the warnings of the whole, and what is to be known of the window. */
static bool put_warnings(const struct window_sink *s, struct profile *to)
{
    enum { OWN = 3 };
    const struct profile *p = s->request.profile;
    struct arena *arena = s->arena;
    struct profile_warning *warnings = arena_array(arena, p->n_warnings + OWN, sizeof(*warnings));
    bool empty = is_empty(to);
    const struct {
        enum warning_code code;
        uint64_t count;
    } own[OWN] = {{WARN_WINDOW_EMPTY, empty},
                  {WARN_WINDOW_CUT, empty ? 0 : s->cut},
                  {WARN_WINDOW_RELEASED, empty ? 0 : s->released}};

    if (warnings == NULL)
        return false;
    to->n_warnings = 0;
    for (size_t i = 0; i < OWN; i++) {
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

/* The tracks of the whole, with times cut to the window. */
static bool put_tracks(const struct window_sink *s, struct profile *to)
{
    const struct profile *p = s->request.profile;
    struct profile_track *tracks = arena_array(s->arena, p->n_tracks, sizeof(*tracks));

    for (uint32_t i = 0; tracks != NULL && i < p->n_tracks; i++) {
        const struct profile_track *made = &to->tracks[i];
        tracks[i] = p->tracks[i];
        tracks[i].begin_ns = window_clip(&s->request.window, p->tracks[i].begin_ns);
        tracks[i].end_ns = window_clip(&s->request.window, p->tracks[i].end_ns);
        tracks[i].rest_ns = rest_of(&p->tracks[i], &s->request.window);
        tracks[i].first = made->first;
        tracks[i].count = made->count;
        tracks[i].calls = made->calls;
        tracks[i].open = made->open;
        tracks[i].n_moments = 0; /* their changes are in its values */
    }
    to->tracks = tracks;
    return tracks != NULL;
}

/* The profile's frames are those of the tree, which has none of its own. */
const struct profile *window_sink_finish(struct window_sink *s)
{
    const struct profile *p = s->request.profile;
    struct profile *to = arena_alloc(s->arena, sizeof(*to));

    s->tree->n_frames = p->n_frames;
    if (p->n_moments > 0 && !add_heaps(s))
        return NULL;
    const struct profile *made = builder_finish(s->tree, p->format, p->format_label);
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
    to->n_moments = 0;
    return put_tracks(s, to) && put_warnings(s, to) ? to : NULL;
}
