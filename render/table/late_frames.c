#include "render/table/late_frames.h"

#include "core/number.h"
#include "core/order.h"
#include "profile/frame/sections.h"

enum { LONGEST_PART = 10 }; /* A section with less than that part of the frame does not explain it. */

struct late_edge {
    uint64_t ns;
    uint32_t row;
    bool is_end;
};

/* ---- which frames ---- */

/* By how much the frame came too late. A frame that is a section of the main thread has no deadline but the display's. */
static uint64_t over_of(const struct profile_screen_frame *f)
{
    uint64_t due = f->due_ns > 0                    ? f->due_ns
                   : (f->causes & SCREEN_SLOW) != 0 ? number_add(f->begin_ns, SCREEN_SLOW_NS)
                                                    : f->end_ns;

    return f->end_ns > due ? f->end_ns - due : 0;
}

static bool is_later(const void *context, uint32_t a, uint32_t b)
{
    const struct profile_screen_frame *frames = context;
    uint64_t over_a = over_of(&frames[a]), over_b = over_of(&frames[b]);

    return over_a != over_b ? over_a > over_b : a < b;
}

static bool choose(struct late_frames *t, const struct window *window, struct arena *arena)
{
    const struct profile *p = t->p;
    uint32_t *late = arena_array(arena, (size_t)p->n_screen_frames + 1, sizeof(*late));

    for (uint32_t i = 0; late != NULL && i < p->n_screen_frames; i++) {
        const struct profile_screen_frame *f = &p->screen_frames[i];
        if (window != NULL && (f->end_ns <= window->from_ns || f->begin_ns >= window->to_ns))
            continue;
        t->frames++;
        if (f->causes != 0)
            late[t->late++] = i;
    }
    t->n = t->late < LATE_FRAMES_MAX ? t->late : LATE_FRAMES_MAX;
    t->list = arena_array(arena, (size_t)t->n + 1, sizeof(*t->list));
    if (late == NULL || t->list == NULL || !order_array(late, t->late, is_later, p->screen_frames, arena))
        return false;
    for (uint32_t i = 0; i < t->n; i++) {
        const struct profile_screen_frame *f = &p->screen_frames[late[i]];
        t->list[i] = (struct late_frame){.of = f, .over_ns = over_of(f)};
    }
    return true;
}

/* ---- edges ---- */

static bool begins_before(const void *context, uint32_t a, uint32_t b)
{
    const struct late_frame *list = context;

    return list[a].of->begin_ns < list[b].of->begin_ns;
}

static bool is_before(const void *context, uint32_t a, uint32_t b)
{
    const struct late_edge *edges = context;

    return edges[a].ns < edges[b].ns;
}

static bool order_rows(struct late_frames *t, struct arena *arena)
{
    uint64_t latest = 0;

    t->by_begin = arena_array(arena, (size_t)t->n + 1, sizeof(*t->by_begin));
    t->latest_end = arena_array(arena, (size_t)t->n + 1, sizeof(*t->latest_end));
    for (uint32_t i = 0; t->by_begin != NULL && i < t->n; i++)
        t->by_begin[i] = i;
    if (t->by_begin == NULL || t->latest_end == NULL ||
        !order_array(t->by_begin, t->n, begins_before, t->list, arena))
        return false;
    for (uint32_t i = 0; i < t->n; i++) {
        uint64_t end = t->list[t->by_begin[i]].of->end_ns;
        latest = end > latest ? end : latest;
        t->latest_end[i] = latest;
    }
    return true;
}

static bool order_edges(struct late_frames *t, struct arena *arena)
{
    size_t n = (size_t)t->n * 2;
    struct late_edge *edges = arena_array(arena, n + 1, sizeof(*edges));
    uint32_t *order = arena_array(arena, n + 1, sizeof(*order));

    t->edges = arena_array(arena, n + 1, sizeof(*t->edges));
    if (edges == NULL || order == NULL || t->edges == NULL)
        return false;
    for (uint32_t i = 0; i < t->n; i++) {
        edges[2 * i] = (struct late_edge){t->list[i].of->begin_ns, i, false};
        edges[2 * i + 1] = (struct late_edge){t->list[i].of->end_ns, i, true};
    }
    for (uint32_t i = 0; i < n; i++)
        order[i] = i;
    if (!order_array(order, (uint32_t)n, is_before, edges, arena))
        return false;
    for (uint32_t i = 0; i < n; i++)
        t->edges[i] = edges[order[i]];
    return true;
}

/* ---- threads, states, sections ---- */

static void find_clocks(struct late_frames *t)
{
    static const enum profile_role ROLES[LATE_STATES][2] = {[LATE_RUNNING] = {ROLE_CPU, ROLE_ROLES},
                                                            [LATE_RUNNABLE] = {ROLE_RUNNABLE, ROLE_ROLES},
                                                            [LATE_WAITING] = {ROLE_SLEEPING, ROLE_BLOCKED},
                                                            [LATE_IO] = {ROLE_IO, ROLE_ROLES},
                                                            [LATE_UNKNOWN] = {ROLE_UNKNOWN, ROLE_ROLES}};
    const struct profile *p = t->p;

    for (unsigned i = 0; i < LATE_STATES; i++)
        for (unsigned k = 0; k < 2; k++) {
            uint32_t value = profile_value_by_role(p, ROLES[i][k]);
            t->clocks[i][k] = value < p->n_times ? value : p->n_times;
        }
    t->has_states = t->clocks[LATE_RUNNABLE][0] < p->n_times;
}

/* The app's main thread, and the thread of its process that draws what the main thread has recorded. */
static void find_threads(struct late_frames *t)
{
    static const struct str NAMES[LATE_THREADS] = {STR_INIT("main"), STR_INIT("RenderThread")};
    const struct profile *p = t->p;

    for (unsigned thread = 0; thread < LATE_THREADS; thread++) {
        uint32_t main = t->thread[LATE_MAIN], i = 0;
        for (; i < p->n_tracks; i++) {
            const struct profile_track *x = &p->tracks[i];
            if (x->kind == TRACK_THREAD && str_eq(profile_string(p, x->name), NAMES[thread]) &&
                (thread == LATE_MAIN || (main < p->n_tracks && x->group == p->tracks[main].group &&
                                         x->process == p->tracks[main].process)))
                break;
        }
        t->thread[thread] = i;
    }
    for (uint32_t i = 0; t->n > 0 && i < p->n_tracks; i++)
        if (i == t->thread[LATE_MAIN] || i == t->thread[LATE_RENDER])
            t->tracks[t->n_tracks++] = i;
}

struct late_frames *late_frames_new(struct arena *arena, const struct profile *p, const struct window *window)
{
    struct late_frames *t = arena_alloc(arena, sizeof(*t));

    if (t == NULL)
        return NULL;
    *t = (struct late_frames){.p = p};
    t->is_frame = arena_array(arena, (size_t)p->n_frames + 1, sizeof(*t->is_frame));
    if (t->is_frame == NULL || !choose(t, window, arena) || !order_rows(t, arena) || !order_edges(t, arena))
        return NULL;
    find_clocks(t);
    find_threads(t);
    for (frame_id f = 0; f < p->n_frames; f++) {
        struct str name = profile_string(p, p->frames[f].name);
        t->is_frame[f] = section_kind_of(name) == SECTION_FRAME || str_starts(name, STR("DrawFrame"));
    }
    return t;
}

/* ---- the replay ---- */

static enum late_thread thread_of(const struct late_frames *t, const struct replay_track *x)
{
    return (uint32_t)(x->of - t->p->tracks) == t->thread[LATE_MAIN] ? LATE_MAIN : LATE_RENDER;
}

/* What a clock has at a time from the last record up to now. All of it was in one state, so this is exact. */
static uint64_t clock_at(const struct replay_track *x, uint32_t clock, uint64_t ticks)
{
    if (x->last[0] >= x->now[0] || ticks >= x->now[0])
        return x->now[clock];
    if (ticks <= x->last[0])
        return x->last[clock];
    return x->last[clock] + window_gone_on(x->now[clock] - x->last[clock], x->last[0], x->now[0], ticks);
}

/* A frame has of a state what its clock went on from the frame's begin to its end. */
static void pass_edge(struct late_frames *t, enum late_thread thread, const struct replay_track *x,
                      const struct late_edge *edge)
{
    uint64_t tick = t->p->ns_per_tick;

    for (unsigned state = 0; state < LATE_STATES; state++)
        for (unsigned k = 0; k < 2; k++) {
            uint64_t *ns = &t->list[edge->row].ns[thread][state];
            if (t->clocks[state][k] == t->p->n_times)
                continue;
            uint64_t at = number_multiply(clock_at(x, t->clocks[state][k], edge->ns / tick), tick);
            *ns = edge->is_end ? *ns + at
                               : *ns - at; /* the end comes behind the begin: modulo 2^64 it is exact */
        }
}

static bool go_on(void *context, struct replay_track *x)
{
    struct late_frames *t = context;
    enum late_thread thread = thread_of(t, x);
    uint64_t now = number_multiply(x->now[0], t->p->ns_per_tick);

    for (; t->next[thread] < t->n * 2 && t->edges[t->next[thread]].ns <= now; t->next[thread]++)
        pass_edge(t, thread, x, &t->edges[t->next[thread]]);
    return true;
}

static bool end(void *context, struct replay_track *x)
{
    struct late_frames *t = context;
    enum late_thread thread = thread_of(t, x);

    go_on(context, x);
    for (; t->next[thread] < t->n * 2; t->next[thread]++)
        pass_edge(t, thread, x, &t->edges[t->next[thread]]);
    return true;
}

/* How many frames begin before that time. */
static uint32_t begun_before(const struct late_frames *t, uint64_t ns)
{
    uint32_t low = 0, high = t->n;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (t->list[t->by_begin[middle]].of->begin_ns < ns)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void add_section(struct late_frames *t, const struct replay_track *x, frame_id frame,
                        uint64_t begin_ns, uint64_t end_ns)
{
    for (uint32_t i = begun_before(t, end_ns); i-- > 0 && t->latest_end[i] > begin_ns;) {
        struct late_frame *row = &t->list[t->by_begin[i]];
        const struct window of = {row->of->begin_ns, row->of->end_ns};
        uint64_t ns = window_clip(&of, end_ns) - window_clip(&of, begin_ns);
        if (ns <= row->longest.ns || ns < (of.to_ns - of.from_ns) / LONGEST_PART)
            continue;
        row->longest.frame = frame;
        row->longest.track = (uint32_t)(x->of - t->p->tracks);
        row->longest.begin_ns = begin_ns;
        row->longest.end_ns = end_ns;
        row->longest.ns = ns;
    }
}

static bool leave(void *context, struct replay_track *x, const struct replay_left *left)
{
    struct late_frames *t = context;
    const struct replay_call *call = left->call;
    struct replay_call *outer = &x->open[left->level - 1];
    uint64_t tick = t->p->ns_per_tick, begin_ns = number_multiply(call->begin[0], tick),
             end_ns = number_multiply(x->now[0], tick), ns = end_ns > begin_ns ? end_ns - begin_ns : 0;

    go_on(context, x);
    outer->given_ns = ns > outer->given_ns ? ns : outer->given_ns; /* the longest one within it */
    if (!t->is_frame[call->frame] && call->given_ns <= ns / 2)
        add_section(t, x, call->frame, begin_ns, end_ns);
    return true;
}

struct replay_sink late_frames_replay(struct late_frames *t)
{
    return (struct replay_sink){
        .begin = go_on, .enter = go_on, .leave = leave, .stay = go_on, .end = end, .context = t};
}
