#include "profile/calls/span.h"

#include <string.h>

#include "core/number.h"

/* What is known of a depth. */
struct level {
    uint32_t latest;             /* index + 1 of the last span, 0 = none */
    uint64_t cell_from, cell_to; /* by_cell: the last span is a run, of this cell; equal: it may be none */
};

struct span_sink {
    struct span_request request;
    struct span *list;
    struct level *levels;
    uint64_t until; /* ticks: no end up to here is behind the window */
    struct spans spans;
};

/* ---- what is kept ---- */

static uint64_t clip(const struct span_sink *s, uint64_t ns)
{
    uint64_t from = s->request.from_ns, to = s->request.to_ns;

    return ns < from ? from : ns > to ? to : ns;
}

/* What the window has of a span. */
struct seen {
    uint64_t begin_ns, end_ns;
};

static struct seen seen_of(const struct span_sink *s, const struct span *span)
{
    return (struct seen){clip(s, span->begin_ns), clip(s, span->end_ns)};
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
static bool may_join(const struct span_sink *s, const struct span *span, struct seen seen)
{
    return span->calls > 1 || seen.end_ns - seen.begin_ns < s->spans.least_ns;
}

static uint64_t busy_ns(const struct span *span, struct seen seen)
{
    return span->calls > 1 ? span->self_ns : seen.end_ns - seen.begin_ns;
}

/* Makes one run of two neighbours of one depth. Its ends are those of what is seen, since a run is drawn
 * as one; what was in no call between the two is in its length, and not in its self. */
static void join(struct span *run, struct seen run_seen, const struct span *next, struct seen next_seen)
{
    run->self_ns = busy_ns(run, run_seen) + busy_ns(next, next_seen);
    run->frame = FRAME_NONE;
    run->flags = 0;
    run->calls += next->calls;
    run->begin_ns = run_seen.begin_ns;
    run->end_ns = next_seen.end_ns;
}

/* Cells are as long as the least length, from the window's beginning on. `last_ns`: where the last span of the depth begins. */
static bool same_cell(const struct span_sink *s, struct level *level, uint64_t last_ns, uint64_t begin_ns)
{
    if (level->cell_to == 0) {
        level->cell_from = last_ns - (last_ns - s->request.from_ns) % s->spans.least_ns;
        level->cell_to = level->cell_from + s->spans.least_ns;
    }
    return begin_ns >= level->cell_from && begin_ns < level->cell_to;
}

/* Whether a run may go on with a span that begins there. */
static bool same_run(const struct span_sink *s, struct level *level, struct seen last, uint64_t begin_ns)
{
    if (s->request.by_cell)
        return same_cell(s, level, last.begin_ns, begin_ns);
    return begin_ns <= last.end_ns || begin_ns - last.end_ns < s->spans.least_ns;
}

/* Puts the span into the list, or joins it with its neighbour of the same depth. Spans of one depth arrive
 * in the order of time, so only the latest of them can be the neighbour. There is room in the list. */
static inline void keep(struct span_sink *s, const struct span *span)
{
    struct level *level = &s->levels[span->depth];
    struct seen seen = seen_of(s, span);

    if (s->request.wide_only && may_join(s, span, seen))
        return;
    if (level->latest != 0 && may_join(s, span, seen)) {
        struct span *last = &s->list[level->latest - 1];
        struct seen last_seen = seen_of(s, last);
        if (may_join(s, last, last_seen) && same_run(s, level, last_seen, seen.begin_ns)) {
            join(last, last_seen, span, seen);
            return;
        }
    }
    s->list[s->spans.n++] = *span;
    *level = (struct level){.latest = s->spans.n};
}

/* Makes room: twice the least width, and the list joined anew, in place (it only gets shorter, so what is
 * written never passes what is still to be read). A hostile file cannot keep this going: when least_ns
 * passes the window's length, all of a level is one run, and there are more places than levels. The window
 * ends at INT64_MAX at most, so doubling up to there does not overflow. */
static void raise_least(struct span_sink *s)
{
    uint32_t n = s->spans.n;

    s->spans.least_ns *= 2;
    memset(s->levels, 0, ((size_t)s->request.levels_max + 1) * sizeof(*s->levels));
    s->spans.n = 0;
    for (uint32_t i = 0; i < n; i++) {
        struct span span = s->list[i];
        keep(s, &span);
    }
}

/* A kind whose calls are told even if they are narrow. */
static void note_longest(struct span_sink *s, const struct span *span)
{
    uint64_t *longest = &s->spans.longest_ns[s->request.kinds[span->frame] % SPAN_KINDS_MAX];
    uint64_t length_ns = span->end_ns - span->begin_ns;

    *longest = length_ns > *longest ? length_ns : *longest;
}

void span_sink_put(struct span_sink *s, const struct span *span)
{
    if (!in_window(s, span))
        return;
    if (s->request.kinds != NULL)
        note_longest(s, span);
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

/* ---- what is told ---- */

static void found(void *context, const struct replay_track *t)
{
    struct span_sink *s = context;

    s->spans.idle_ns = number_multiply(t->uncalled, s->request.ns_per_tick);
}

/* Most calls are narrow, and begin in the cell of a run, which goes on with them: what span_sink_put does with these. */
static inline bool goes_on(struct span_sink *s, const struct replay_track *t, const struct replay_left *left)
{
    const struct span_request *q = &s->request;

    if (left->level > q->levels_max || (left->flags & SPAN_OPEN) != 0 || t->now[0] > s->until)
        return false;
    const struct level *level = &s->levels[left->level];
    uint64_t begin_ns = left->call->begin[0] * q->ns_per_tick, end_ns = t->now[0] * q->ns_per_tick;
    if (begin_ns < level->cell_from || begin_ns >= level->cell_to || end_ns - begin_ns >= s->spans.least_ns)
        return false;
    struct span *run = &s->list[level->latest - 1];
    run->self_ns += end_ns - begin_ns;
    run->end_ns = end_ns;
    run->calls++;
    s->spans.calls++;
    return true;
}

/* Of the calls that are never left, the innermost one is where the track stays. */
bool span_sink_leave(void *context, struct replay_track *t, const struct replay_left *left)
{
    struct span_sink *s = context;

    if (goes_on(s, t, left))
        return true;
    uint64_t begin_ns = number_multiply(left->call->begin[0], s->request.ns_per_tick);
    uint64_t end_ns = number_multiply(t->now[0], s->request.ns_per_tick);
    uint64_t rest_ns = (left->flags & SPAN_OPEN) != 0 ? number_add(end_ns, s->request.rest_ns) - end_ns : 0;
    uint64_t stays_ns = (left->flags & SPAN_INNERMOST) != 0 ? rest_ns : 0;

    span_sink_put(s,
                  &(struct span){.frame = left->call->frame,
                                 .depth = left->level < UINT32_MAX ? (uint32_t)left->level : UINT32_MAX,
                                 .flags = left->flags & (SPAN_BEFORE | SPAN_OPEN),
                                 .calls = 1,
                                 .begin_ns = begin_ns,
                                 .end_ns = end_ns + rest_ns,
                                 .self_ns = number_multiply(left->self, s->request.ns_per_tick) + stays_ns});
    return true;
}

/* ---- the sink ---- */

struct span_sink *span_sink_new(struct arena *arena, const struct span_request *request)
{
    struct span_sink *s = arena_alloc(arena, sizeof(*s));

    if (s == NULL)
        return NULL;
    s->request = *request;
    s->list = arena_array(arena, request->spans_max, sizeof(*s->list));
    s->levels = arena_array(arena, (size_t)request->levels_max + 1, sizeof(*s->levels));
    s->until = request->to_ns / (request->ns_per_tick > 0 ? request->ns_per_tick : 1);
    s->spans.list = s->list;
    s->spans.least_ns = request->least_ns;
    return s->list != NULL && s->levels != NULL ? s : NULL;
}

struct replay_sink span_sink_replay(struct span_sink *s)
{
    const struct span_request *q = &s->request;
    struct replay_sink sink = {.found = found, .leave = span_sink_leave, .context = s};

    if (q->wide_only && q->rest_ns == 0) {
        sink.least_ticks = (q->least_ns - 1) / q->ns_per_tick + 1;
        sink.always = q->kinds;
    }
    return sink;
}

const struct spans *span_sink_finish(struct span_sink *s)
{
    return &s->spans;
}
