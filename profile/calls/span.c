#include "profile/calls/span.h"

#include "core/number.h"

/* A call that was entered and not yet left. The first one stands for the track. */
struct open_call {
    frame_id frame;
    uint64_t begin_ns, callees_ns;
};

struct span_sink {
    struct watcher watcher; /* the first member: who is told is the sink */
    struct arena *arena;
    struct span_request request;
    struct open_call *open;
    size_t n_open, open_capacity;
    uint32_t re_rooted; /* so far */
    struct span *list;
    uint32_t *latest; /* by depth: index + 1 of the last span, 0 = none */
    struct spans spans;
};

/* ---- what is kept ---- */

static uint64_t clip(const struct span_sink *s, uint64_t ns)
{
    uint64_t from = s->request.from_ns, to = s->request.to_ns;

    return ns < from ? from : ns > to ? to : ns;
}

static uint64_t seen_ns(const struct span_sink *s, const struct span *span)
{
    return clip(s, span->end_ns) - clip(s, span->begin_ns);
}

/* What only touches the window's edge is not in it, unless it is but a moment. */
static bool in_window(const struct span_sink *s, const struct span *span)
{
    uint64_t from = s->request.from_ns, to = s->request.to_ns;

    if (span->begin_ns == span->end_ns)
        return span->begin_ns >= from && span->begin_ns <= to;
    return span->end_ns > from && span->begin_ns < to;
}

/* A run, or a call that is too narrow to be seen alone. */
static bool may_join(const struct span_sink *s, const struct span *span)
{
    return span->calls > 1 || seen_ns(s, span) < s->spans.least_ns;
}

static uint64_t busy_ns(const struct span_sink *s, const struct span *span)
{
    return span->calls > 1 ? span->self_ns : seen_ns(s, span);
}

/* Makes one run of two neighbours of one depth. Its ends are those of what is seen, since a run is drawn as one; what was
 * in no call between the two is in its length, and not in its self. */
static void join(const struct span_sink *s, struct span *run, const struct span *next)
{
    uint64_t busy = busy_ns(s, run) + busy_ns(s, next);

    *run = (struct span){.frame = FRAME_NONE,
                         .depth = run->depth,
                         .calls = run->calls + next->calls,
                         .begin_ns = clip(s, run->begin_ns),
                         .end_ns = clip(s, next->end_ns),
                         .self_ns = busy};
}

/* Whether a run may go on with a span that begins there. */
static bool same_run(const struct span_sink *s, uint64_t last_begin, uint64_t last_end, uint64_t begin)
{
    uint64_t from = s->request.from_ns, least = s->spans.least_ns;

    if (s->request.by_cell)
        return (last_begin - from) / least == (begin - from) / least;
    return begin <= last_end || begin - last_end < least;
}

/* Puts the span into the list, or joins it with its neighbour of the same depth. Spans of one depth arrive in the order
 * of time, so only the latest of them can be the neighbour. There is room in the list. */
static void keep(struct span_sink *s, const struct span *span)
{
    uint32_t *latest = &s->latest[span->depth];

    if (*latest != 0 && may_join(s, span)) {
        struct span *last = &s->list[*latest - 1];
        if (may_join(s, last) &&
            same_run(s, clip(s, last->begin_ns), clip(s, last->end_ns), clip(s, span->begin_ns))) {
            join(s, last, span);
            return;
        }
    }
    s->list[s->spans.n++] = *span;
    *latest = s->spans.n;
}

/* Makes room: twice the least width, and the list joined anew, in place (it only gets shorter, so what is written never
 * passes what is still to be read). A hostile file cannot keep this going: when least_ns passes the window's length, all
 * of a level is one run, and there are more places than levels. The window ends at INT64_MAX at most, so doubling up to
 * there does not overflow. */
static void raise_least(struct span_sink *s)
{
    uint32_t n = s->spans.n;

    s->spans.least_ns *= 2;
    for (uint32_t depth = 0; depth <= s->request.levels_max; depth++)
        s->latest[depth] = 0;
    s->spans.n = 0;
    for (uint32_t i = 0; i < n; i++) {
        struct span span = s->list[i];
        keep(s, &span);
    }
}

void span_sink_put(struct span_sink *s, const struct span *span)
{
    if (!in_window(s, span))
        return;
    s->spans.calls++;
    if (span->depth > s->request.levels_max) {
        s->spans.deep++;
        return;
    }
    if (span->depth > s->spans.levels)
        s->spans.levels = span->depth;
    while (s->spans.n == s->request.spans_max)
        raise_least(s);
    keep(s, span);
}

/* ---- the stack ---- */

static uint64_t ns_of(const struct span_sink *s, uint64_t ticks)
{
    return number_multiply(ticks, s->request.ns_per_tick);
}

/* Each call that is found later to enclose all so far moves what is known already one level down: at the end
 * there will have been re_roots of them. */
static uint32_t depth_of(const struct span_sink *s, size_t level)
{
    uint32_t later = s->request.re_roots > s->re_rooted ? s->request.re_roots - s->re_rooted : 0;

    return level < UINT32_MAX - later ? (uint32_t)level + later : UINT32_MAX;
}

static bool push(struct span_sink *s, frame_id frame, uint64_t begin_ns)
{
    if (!ARENA_ROOM(s->arena, s->open, s->open_capacity, s->n_open + 1))
        return false;
    s->open[s->n_open++] = (struct open_call){.frame = frame, .begin_ns = begin_ns};
    return true;
}

static void pop(struct span_sink *s, uint64_t end_ns, uint8_t flags)
{
    const struct open_call *call = &s->open[--s->n_open];
    uint64_t duration = end_ns - call->begin_ns;

    s->open[s->n_open - 1].callees_ns += duration;
    span_sink_put(s, &(struct span){.frame = call->frame,
                                    .depth = depth_of(s, s->n_open),
                                    .flags = flags,
                                    .calls = 1,
                                    .begin_ns = call->begin_ns,
                                    .end_ns = end_ns,
                                    .self_ns = duration - call->callees_ns});
}

static bool begin(void *track, const uint64_t *ticks)
{
    struct span_sink *s = track;

    return push(s, FRAME_NONE, ns_of(s, ticks[0]));
}

static bool enter(void *track, frame_id frame, const uint64_t *ticks)
{
    struct span_sink *s = track;

    return push(s, frame, ns_of(s, ticks[0]));
}

static void leave(void *track, const uint64_t *ticks)
{
    struct span_sink *s = track;

    pop(s, ns_of(s, ticks[0]), 0);
}

/* The call takes over what the track has called so far. */
static void re_root(void *watched, frame_id frame, const uint64_t *ticks)
{
    struct span_sink *s = watched;
    struct open_call *track = &s->open[0];
    uint64_t end_ns = ns_of(s, ticks[0]), duration = end_ns - track->begin_ns;

    s->re_rooted++;
    span_sink_put(s, &(struct span){.frame = frame,
                                    .depth = depth_of(s, 1),
                                    .flags = SPAN_BEFORE,
                                    .calls = 1,
                                    .begin_ns = track->begin_ns,
                                    .end_ns = end_ns,
                                    .self_ns = duration - track->callees_ns});
    track->callees_ns = duration;
}

static void skip(void *track, uint64_t ticks)
{
    struct span_sink *s = track;

    s->open[s->n_open - 1].callees_ns += ns_of(s, ticks);
}

static void end(void *track, const uint64_t *ticks)
{
    struct span_sink *s = track;
    uint64_t end_ns = ns_of(s, ticks[0]);

    if (s->n_open == 0)
        return;
    if (s->n_open > 1 && __builtin_add_overflow(end_ns, s->request.rest_ns, &end_ns))
        end_ns = UINT64_MAX;
    while (s->n_open > 1)
        pop(s, end_ns, SPAN_OPEN);
    s->spans.idle_ns = end_ns - s->open[0].begin_ns - s->open[0].callees_ns;
}

static void *watch(struct watcher *w, uint32_t id)
{
    struct span_sink *s = (struct span_sink *)(void *)w;

    return s->request.track == id ? s : NULL;
}

/* ---- the sink ---- */

struct span_sink *span_sink_new(struct arena *arena, const struct span_request *request)
{
    struct span_sink *s = arena_alloc(arena, sizeof(*s));

    if (s == NULL)
        return NULL;
    s->watcher = (struct watcher){watch, begin, enter, leave, re_root, end, NULL, NULL, skip};
    s->arena = arena;
    s->request = *request;
    s->list = arena_array(arena, request->spans_max, sizeof(*s->list));
    s->latest = arena_array(arena, (size_t)request->levels_max + 1, sizeof(*s->latest));
    s->spans.list = s->list;
    s->spans.least_ns = request->least_ns;
    return s->list != NULL && s->latest != NULL ? s : NULL;
}

struct watcher *span_sink_watcher(struct span_sink *s)
{
    return &s->watcher;
}

const struct spans *span_sink_finish(struct span_sink *s)
{
    return &s->spans;
}
