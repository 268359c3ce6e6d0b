/* All calls one by one: random streams against a plain model, and under filters against the filtered profile. */
#include "tests/support/unit.h"

#include <stdlib.h>
#include <string.h>

#include "profile/build/builder.h"
#include "profile/calls/call_rows.h"
#include "profile/calls/span.h"
#include "tests/support/random.h"
#include "tests/support/span_model.h"

enum { TRACKS = 2, FRAMES = SPAN_MODEL_FRAMES, EVENTS_MAX = 300, FIRST_ID = 7, ROWS_MAX = 2 * EVENTS_MAX };

static const struct profile *fold(struct arena *arena, struct replayed *w, const struct event *events,
                                  size_t n)
{
    static const uint32_t IDS[TRACKS] = {FIRST_ID, FIRST_ID + 1};

    return span_model_fold(arena, w, IDS, TRACKS, events, n);
}

static void random_events(uint64_t *random, struct event *events, size_t n)
{
    static struct span_model_random streams[TRACKS];
    uint64_t clock[TRACKS][2] = {{100, 0}, {0, 70}};

    for (uint32_t t = 0; t < TRACKS; t++)
        streams[t] = (struct span_model_random){.wild = random_below(random, 12),
                                                .down = 40 + random_below(random, 20)};
    for (size_t i = 0; i < n; i++) {
        uint32_t t = random_below(random, TRACKS);
        events[i] = (struct event){.track = t, .frame = random_below(random, FRAMES)};
        for (unsigned c = 0; c < 2; c++)
            events[i].clock[c] = clock[t][c] += random_below(random, random_below(random, 8) == 0 ? 300 : 4);
        span_model_random_action(&streams[t], random, &events[i]);
    }
}

struct listed {
    struct call_row rows[ROWS_MAX];
    size_t n;
};

static bool keep(void *context, const struct call_row *row)
{
    struct listed *l = context;

    assert_true(l->n < ROWS_MAX);
    l->rows[l->n++] = *row;
    return true;
}

/* Replays the rows of the tracks. */
static void list(struct listed *l, const struct profile *p, struct call_rows_request request,
                 const struct event *events, size_t n)
{
    struct replayed log;
    struct arena arena;

    arena_init(&arena, 64 << 20);
    request.profile = p;
    request.row = keep;
    request.context = l;
    l->n = 0;
    assert_non_null(fold(&arena, &log, events, n));
    struct call_rows *sink = call_rows_new(&arena, &request, (struct hash_seed){5, 6});
    assert_non_null(sink);
    assert_int_equal(replayed_play(&log, p,
                                   (struct replay_request){.window = request.window,
                                                           .to_the_end = request.filter != NULL,
                                                           .in_order = true,
                                                           .looks_at_self = true,
                                                           .sink = call_rows_replay(sink)}),
                     REPLAY_DONE);
    replayed_close(&log);
    arena_free(&arena);
}

/* ---- without filters ---- */

/* In the order of their ends, which is that of `closed`. */
static int find_closed(const struct span_model *m, unsigned closed)
{
    for (int i = 0; i < m->n; i++)
        if (m->calls[i].closed == closed)
            return i;
    fail();
    return -1;
}

static uint64_t callees_of(const struct span_model *m, int call)
{
    uint64_t sum = 0;

    for (int i = 0; i < m->n; i++)
        if (m->calls[i].parent == call)
            sum += m->calls[i].end - m->calls[i].begin;
    return sum;
}

static void check_track(const struct listed *l, const struct call_rows_request *request, uint32_t index,
                        const struct profile *p, const struct event *events, size_t n)
{
    static struct span_model wall, cpu;
    uint32_t t = p->tracks[index].id - FIRST_ID;
    size_t at = 0;

    span_model_track(&wall, events, n, t, 0);
    span_model_track(&cpu, events, n, t, 1);
    for (unsigned closed = 0; closed < wall.closed; closed++) {
        int i = find_closed(&wall, closed);
        const struct span_model_call *c = &wall.calls[i];
        if (request->window != NULL && !window_has(request->window, c->begin))
            continue;
        while (at < l->n && l->rows[at].track != index)
            at++;
        assert_true(at < l->n);
        const struct call_row *row = &l->rows[at++];
        uint64_t rest_ns = (c->flags & SPAN_OPEN) != 0 && request->open_to_end ? p->tracks[index].rest_ns : 0;
        assert_int_equal(row->depth, span_model_depth(&wall, i));
        assert_true(row->begin_ns == c->begin && row->end_ns == c->end + rest_ns);
        assert_true(row->cpu_ns == cpu.calls[i].end - cpu.calls[i].begin);
        if (rest_ns == 0)
            assert_true(row->self_ns == c->end - c->begin - callees_of(&wall, i));
        if (c->frame < FRAMES)
            assert_int_equal(row->frame, c->frame);
    }
    while (at < l->n && l->rows[at].track != index)
        at++;
    assert_int_equal(at, l->n);
}

TEST(random_calls_as_the_model)
{
    static struct event events[EVENTS_MAX];
    static struct listed l;
    uint64_t random = 3;

    for (unsigned round = 0; round < 300; round++) {
        size_t n = 1 + random_below(&random, EVENTS_MAX);
        struct window window = {random_below(&random, 500), 500 + random_below(&random, 500)};
        struct call_rows_request request = {.open_to_end = round % 2 == 0,
                                            .window = round % 3 == 0 ? &window : NULL};
        struct arena arena;
        arena_init(&arena, 64 << 20);
        random_events(&random, events, n);
        const struct profile *p = fold(&arena, NULL, events, n);
        list(&l, p, request, events, n);
        for (uint32_t i = 0; i < p->n_tracks; i++)
            check_track(&l, &request, i, p, events, n);
        arena_free(&arena);
    }
}

/* ---- with filters ---- */

struct sums {
    uint64_t self, calls;
};

static uint32_t depth_of(const struct profile *p, node_id node)
{
    uint32_t depth = 0;

    for (; p->node_parent[node] != NODE_NONE; node = p->node_parent[node])
        depth++;
    return depth;
}

/* Of all stacks that end with this frame at this depth; the rows of a frame that is shown for what it
 * calls alone have no calls of the filtered profile, which counts none of stacks that were dropped. */
static void compare_filtered(const struct listed *l, const struct profile *p, bool drops)
{
    for (uint32_t i = 0; i < p->n_tracks; i++)
        for (node_id at = p->tracks[i].first + 1; at < p->tracks[i].first + p->tracks[i].count; at++) {
            struct sums rows = {0, 0}, nodes = {0, 0};
            uint32_t depth = depth_of(p, at);
            for (size_t k = 0; k < l->n; k++)
                if (l->rows[k].track == i && l->rows[k].frame == p->node_frame[at] &&
                    l->rows[k].depth == depth) {
                    rows.self += l->rows[k].self_ns;
                    rows.calls++;
                }
            for (node_id k = p->tracks[i].first + 1; k < p->tracks[i].first + p->tracks[i].count; k++)
                if (p->node_frame[k] == p->node_frame[at] && depth_of(p, k) == depth) {
                    nodes.self += profile_self(p, k, 0);
                    nodes.calls += profile_self(p, k, 2);
                }
            assert_true(rows.self == nodes.self);
            assert_true(drops ? rows.calls >= nodes.calls : rows.calls == nodes.calls);
        }
    /* and there are no others */
    uint64_t all_rows = 0, all_nodes = 0;
    for (size_t k = 0; k < l->n; k++)
        all_rows += l->rows[k].self_ns;
    for (uint32_t i = 0; i < p->n_tracks; i++)
        all_nodes += profile_total(p, p->tracks[i].first, 0) - profile_self(p, p->tracks[i].first, 0);
    assert_true(all_rows == all_nodes);
}

TEST(filtered_calls_as_the_filtered_profile)
{
    static const struct {
        enum filter_key key;
        const char *text;
        bool drops;
    } STEPS[] = {{FILTER_HIDE, "a", false},
                 {FILTER_HIDE, "/[bc]/", false},
                 {FILTER_FOCUS, "/[de]/", true},
                 {FILTER_IGNORE, "b", true},
                 {FILTER_SHOW_FROM, "/[cd]/", true},
                 {FILTER_RECURSION, "collapse", false},
                 {FILTER_RECURSION, "collapse-all", false}};
    static struct event events[EVENTS_MAX];
    static struct listed l;
    uint64_t random = 8;

    for (unsigned round = 0; round < 400; round++) {
        size_t n = 1 + random_below(&random, EVENTS_MAX);
        struct filter_step steps[3];
        struct filter_request filter = {.steps = steps, .n_steps = 1 + random_below(&random, 3)};
        struct filter_stacks stacks;
        struct diag diag = {0};
        struct arena arena;
        bool drops = false;
        arena_init(&arena, 64 << 20);
        random_events(&random, events, n);
        for (uint32_t i = 0; i < filter.n_steps; i++) {
            uint32_t step = random_below(&random, sizeof(STEPS) / sizeof(STEPS[0]));
            steps[i] = (struct filter_step){STEPS[step].key, str_of(STEPS[step].text)};
            drops = drops || STEPS[step].drops;
        }
        const struct profile *p = fold(&arena, NULL, events, n);
        const struct profile *filtered = filter_apply(p, &filter, &arena, &diag);
        assert_non_null(filtered);
        assert_true(filter_stacks_of(p, &filter, &arena, &stacks, &diag));
        list(&l, p, (struct call_rows_request){.filter = &stacks}, events, n);
        compare_filtered(&l, filtered, drops);
        arena_free(&arena);
    }
}

/* ---- as spans ---- */

struct drawn {
    const struct spans *of[TRACKS];
};

/* As list, into spans of all of the time. */
static struct drawn draw(struct arena *arena, const struct profile *p, const struct filter_stacks *stacks,
                         const struct event *events, size_t n)
{
    uint32_t tracks[TRACKS] = {0, 1};
    struct span_filter filter = {
        .profile = p, .stacks = *stacks, .tracks = tracks, .n_tracks = p->n_tracks, .seed = {5, 6}};
    struct span_sink *sinks[TRACKS];
    struct drawn drawn = {{NULL}};

    for (uint32_t i = 0; i < p->n_tracks; i++) {
        sinks[i] = span_sink_new(arena, &(struct span_request){.track = p->tracks[i].id,
                                                               .ns_per_tick = 1,
                                                               .to_ns = INT64_MAX,
                                                               .least_ns = 1,
                                                               .levels_max = EVENTS_MAX,
                                                               .spans_max = ROWS_MAX});
        assert_non_null(sinks[i]);
    }
    struct replayed log;
    struct span_rows *rows = span_rows_new(arena, &filter, false, sinks);
    assert_non_null(rows);
    assert_non_null(fold(arena, &log, events, n));
    assert_int_equal(replayed_play(&log, p, (struct replay_request){.sink = span_rows_replay(rows)}),
                     REPLAY_DONE);
    replayed_close(&log);
    for (uint32_t i = 0; i < p->n_tracks; i++)
        drawn.of[i] = span_sink_finish(sinks[i]);
    return drawn;
}

/* Rows that take time are the spans that are no run, in the same order; `depths`: of the same depth. */
static void compare_drawn(const struct listed *l, uint32_t track, const struct spans *spans, bool depths)
{
    static uint64_t ends[EVENTS_MAX + 1];
    uint64_t calls = 0;
    size_t at = 0;

    memset(ends, 0, sizeof(ends));
    for (size_t i = 0; i < l->n; i++) {
        const struct call_row *row = &l->rows[i];
        calls += row->track == track;
        if (row->track != track || row->begin_ns == row->end_ns)
            continue;
        while (at < spans->n && spans->list[at].begin_ns == spans->list[at].end_ns)
            at++;
        assert_true(at < spans->n);
        const struct span *span = &spans->list[at++];
        assert_int_equal(span->frame, row->frame);
        assert_int_equal(span->begin_ns, row->begin_ns);
        assert_int_equal(span->end_ns, row->end_ns);
        assert_int_equal(span->self_ns, row->self_ns);
        assert_int_equal(span->flags, row->flags);
        assert_true(depths ? span->depth == row->depth : span->depth >= row->depth);
        assert_true(span->begin_ns >= ends[span->depth]);
        ends[span->depth] = span->end_ns;
    }
    assert_int_equal(spans->calls, calls);
}

TEST(filtered_spans_as_the_rows)
{
    static const struct filter_step STEPS[] = {
        {FILTER_HIDE, STR_INIT("/[ab]/")},        {FILTER_FOCUS, STR_INIT("/[de]/")},
        {FILTER_IGNORE, STR_INIT("b")},           {FILTER_SHOW_FROM, STR_INIT("/[cd]/")},
        {FILTER_RECURSION, STR_INIT("collapse")}, {FILTER_RECURSION, STR_INIT("collapse-all")}};
    static struct event events[EVENTS_MAX];
    static struct listed l;
    uint64_t random = 9;

    for (unsigned round = 0; round < 400; round++) {
        size_t n = 1 + random_below(&random, EVENTS_MAX);
        struct filter_step steps[2];
        struct filter_request filter = {.steps = steps, .n_steps = 1 + random_below(&random, 2)};
        struct filter_stacks stacks;
        struct diag diag = {0};
        struct arena arena;
        bool depths = true;
        arena_init(&arena, 64 << 20);
        random_events(&random, events, n);
        for (uint32_t i = 0; i < filter.n_steps; i++) {
            steps[i] = STEPS[random_below(&random, sizeof(STEPS) / sizeof(STEPS[0]))];
            depths = depths && !str_eq(steps[i].text, STR("collapse-all"));
        }
        const struct profile *p = fold(&arena, NULL, events, n);
        assert_true(filter_stacks_of(p, &filter, &arena, &stacks, &diag));
        list(&l, p, (struct call_rows_request){.filter = &stacks}, events, n);
        struct drawn drawn = draw(&arena, p, &stacks, events, n);
        for (uint32_t i = 0; i < p->n_tracks; i++)
            compare_drawn(&l, i, drawn.of[i], depths);
        arena_free(&arena);
    }
}

/* Who takes the rows may end it. */
static bool take_three(void *context, const struct call_row *row)
{
    unsigned *n = context;

    (void)row;
    return ++*n < 3;
}

TEST(replaying_ends_where_nobody_takes_rows)
{
    static struct event events[EVENTS_MAX];
    uint64_t random = 9;
    unsigned taken = 0;
    struct replayed log;
    struct arena arena;

    arena_init(&arena, 64 << 20);
    random_events(&random, events, EVENTS_MAX);
    const struct profile *p = fold(&arena, &log, events, EVENTS_MAX);
    struct call_rows_request request = {.profile = p, .row = take_three, .context = &taken};
    struct call_rows *sink = call_rows_new(&arena, &request, (struct hash_seed){5, 6});
    assert_non_null(sink);
    assert_int_equal(replayed_play(&log, p, (struct replay_request){.sink = call_rows_replay(sink)}),
                     REPLAY_FAILED);
    assert_int_equal(taken, 3);
    replayed_close(&log);
    arena_free(&arena);
}
