#include "tests/support/span_model.h"

#include <stdlib.h>
#include <string.h>

#include "tests/support/random.h"

static void need(bool condition)
{
    if (!condition)
        abort();
}

void span_model_init(struct span_model *m)
{
    *m = (struct span_model){.top = -1};
}

static void close_call(struct span_model *m, int call, uint8_t flags)
{
    m->calls[call].end = m->last;
    m->calls[call].flags |= flags;
    m->calls[call].closed = m->closed++;
}

static void leave(struct span_model *m, frame_id frame, frame_id unknown)
{
    int at = m->top;

    if (at < 0) {
        need(m->n < SPAN_MODEL_CALLS_MAX);
        m->calls[m->n] = (struct span_model_call){
            .frame = frame == FRAME_NONE ? unknown : frame, .parent = -1, .begin = m->first};
        for (int i = 0; i < m->n; i++)
            if (m->calls[i].parent == -1)
                m->calls[i].parent = m->n;
        close_call(m, m->n++, SPAN_BEFORE);
        return;
    }
    while (at >= 0 && frame != FRAME_NONE && m->calls[at].frame != frame)
        at = m->calls[at].parent;
    for (int i = m->top; at >= 0; i = m->calls[i].parent) {
        close_call(m, i, 0);
        m->top = m->calls[i].parent;
        if (i == at)
            break;
    }
}

void span_model_event(struct span_model *m, const struct event *e, frame_id unknown)
{
    if (!m->begun)
        m->first = m->last = e->clock[0];
    m->begun = true;
    if (e->clock[0] > m->last)
        m->last = e->clock[0];
    if (e->action == EVENT_ENTER) {
        need(m->n < SPAN_MODEL_CALLS_MAX);
        m->calls[m->n] = (struct span_model_call){.frame = e->frame, .parent = m->top, .begin = m->last};
        m->top = m->n++;
    } else if (e->action != EVENT_UNKNOWN) {
        leave(m, e->frame, unknown);
    }
}

void span_model_end(struct span_model *m)
{
    for (int i = m->top; i >= 0; i = m->calls[i].parent)
        close_call(m, i, SPAN_OPEN);
    for (int i = 0; i < m->n; i++)
        if (m->calls[i].parent >= 0)
            m->calls[m->calls[i].parent].callees += m->calls[i].end - m->calls[i].begin;
}

unsigned span_model_depth(const struct span_model *m, int call)
{
    unsigned depth = 0;

    for (; call >= 0; call = m->calls[call].parent)
        depth++;
    return depth;
}

static uint64_t clip(const struct span_request *r, uint64_t ns)
{
    return ns < r->from_ns ? r->from_ns : ns > r->to_ns ? r->to_ns : ns;
}

bool span_model_sees(const struct span_model_call *c, const struct span_request *r)
{
    bool moment = c->begin == c->end;

    return moment ? c->begin >= r->from_ns && c->begin <= r->to_ns
                  : c->begin < r->to_ns && c->end > r->from_ns;
}

static int by_closing(const void *a, const void *b)
{
    const struct span_model_call *ca = *(const struct span_model_call *const *)a,
                                 *cb = *(const struct span_model_call *const *)b;

    return ca->closed < cb->closed ? -1 : 1;
}

uint32_t span_model_level(const struct span_model *m, unsigned depth, const struct span_request *r,
                          uint64_t least, struct span *out)
{
    const struct span_model_call *level[SPAN_MODEL_CALLS_MAX];
    size_t n = 0;
    uint32_t n_out = 0;
    bool last_narrow = false;

    for (int i = 0; i < m->n; i++)
        if (span_model_depth(m, i) == depth && span_model_sees(&m->calls[i], r))
            level[n++] = &m->calls[i];
    if (n > 0)
        qsort(level, n, sizeof(level[0]), by_closing);
    for (size_t i = 0; i < n; i++) {
        const struct span_model_call *c = level[i];
        uint64_t begin = clip(r, c->begin), end = clip(r, c->end);
        bool narrow = end - begin < least;
        struct span *last = n_out > 0 ? &out[n_out - 1] : NULL;
        bool near = last != NULL && (r->by_cell ? (begin - r->from_ns) / least ==
                                                      (clip(r, last->begin_ns) - r->from_ns) / least
                                                : begin - clip(r, last->end_ns) < least);
        if (near && narrow && last_narrow) {
            uint64_t busy = last->calls > 1 ? last->self_ns : clip(r, last->end_ns) - clip(r, last->begin_ns);
            *last = (struct span){FRAME_NONE,        depth, 0, last->calls + 1, clip(r, last->begin_ns), end,
                                  busy + end - begin};
        } else {
            out[n_out++] =
                (struct span){c->frame, depth, c->flags, 1, c->begin, c->end, c->end - c->begin - c->callees};
        }
        last_narrow = narrow;
    }
    return n_out;
}

void span_model_random_action(struct span_model_random *s, uint64_t *random, struct event *e)
{
    if (random_below(random, 100) < s->wild) {
        e->action = (enum event_action)(1 + random_below(random, 3));
        if (random_below(random, 4) == 0)
            e->frame = FRAME_NONE;
    } else if (s->depth > 0 && random_below(random, 100) < s->down) {
        e->action = EVENT_EXIT;
        e->frame = s->open[--s->depth];
    } else {
        s->open[s->depth++] = e->frame;
    }
}

static const struct profile_value VALUES[] = {
    {STR_INIT("wall"), STR_INIT("wall time"), UNIT_NS, ROLE_WALL},
    {STR_INIT("cpu"), STR_INIT("CPU time"), UNIT_NS, ROLE_CPU},
    {STR_INIT("calls"), STR_INIT("calls"), UNIT_COUNT, ROLE_CALLS},
};

const struct profile *span_model_fold(struct arena *arena, struct replayed *log, const uint32_t *ids,
                                      uint32_t n_tracks, const struct event *events, size_t n)
{
    struct builder *b = replayed_open(log, arena, VALUES, SPAN_MODEL_CLOCKS, 1, false);

    replayed_letters(b, SPAN_MODEL_FRAMES);
    for (uint32_t i = 0; i < n_tracks; i++)
        need(builder_track(b, ids[i], STRING_EMPTY) == i);
    need(builder_events(b, events, n, 0, 0));
    const struct profile *p = replayed_finish(log, b);
    return p;
}

void span_model_random_events(uint64_t *random, struct event *events, size_t n)
{
    static const unsigned STEPS[] = {30000, 6, 6, 6, 40, 40, 40, 40}; /* the small ones make equal times */
    uint64_t clock[SPAN_MODEL_TRACKS][SPAN_MODEL_CLOCKS] = {{100, 0}, {5000, 0}, {0, 70}};
    static struct span_model_random nesting[SPAN_MODEL_TRACKS];
    unsigned wild = random_below(random, 12), down = 40 + random_below(random, 20);

    for (uint32_t t = 0; t < SPAN_MODEL_TRACKS; t++)
        nesting[t] = (struct span_model_random){.wild = wild, .down = down};
    for (size_t i = 0; i < n; i++) {
        uint32_t t = random_below(random, SPAN_MODEL_TRACKS);
        for (unsigned c = 0; c < SPAN_MODEL_CLOCKS; c++)
            clock[t][c] += random_next(random) % STEPS[random_below(random, 8)];
        events[i] = (struct event){.track = t, .frame = random_below(random, SPAN_MODEL_FRAMES)};
        memcpy(events[i].clock, clock[t], sizeof(clock[t]));
        span_model_random_action(&nesting[t], random, &events[i]);
    }
}

const struct profile *span_model_fold_tracks(struct arena *arena, struct replayed *log,
                                             const struct event *events, size_t n)
{
    static const uint32_t IDS[SPAN_MODEL_TRACKS] = {SPAN_MODEL_FIRST_ID + 1, SPAN_MODEL_FIRST_ID + 2,
                                                    SPAN_MODEL_FIRST_ID};

    return span_model_fold(arena, log, IDS, SPAN_MODEL_TRACKS, events, n);
}

void span_model_track(struct span_model *m, const struct event *events, size_t n, uint32_t track,
                      unsigned clock)
{
    span_model_init(m);
    for (size_t i = 0; i < n; i++) {
        struct event e = events[i];
        e.clock[0] = events[i].clock[clock];
        if (e.track == track)
            span_model_event(m, &e, SPAN_MODEL_FRAMES);
    }
    span_model_end(m);
}
