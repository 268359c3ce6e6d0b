/* Calls in the order of time: each rule by itself, and all of them against a plain model on random streams. */
#include "tests/support/unit.h"

#include <stdlib.h>
#include <string.h>

#include "profile/build/builder.h"
#include "profile/calls/span.h"
#include "tests/support/random.h"
#include "tests/support/replayed.h"
#include "tests/support/span_model.h"

enum { TRACKS = 2, FRAMES = 8, WATCHED_ID = 7 };

static const struct profile_value VALUES[] = {
    {STR_INIT("wall"), STR_INIT("wall time"), UNIT_NS, ROLE_WALL},
    {STR_INIT("calls"), STR_INIT("calls"), UNIT_COUNT, ROLE_CALLS},
};

/* A stream that was read twice; the track of interest is number 0. */
struct fixture {
    struct arena first_arena, arena;
    const struct profile *profile;
    const struct profile_track *track;
    const struct spans *spans;
};

static struct builder *open_builder(struct arena *arena, struct replayed *log)
{
    struct builder *b = replayed_open(log, arena, VALUES, 1, 1, false);

    replayed_letters(b, FRAMES);
    replayed_tracks(b, WATCHED_ID, TRACKS);
    return b;
}

static const struct profile *fold(struct arena *arena, struct replayed *log, const struct event *events,
                                  size_t n, size_t step)
{
    struct builder *b = open_builder(arena, log);

    for (size_t at = 0; at < n; at += step)
        assert_true(builder_events(b, &events[at], n - at < step ? n - at : step, 0, 0));
    return replayed_finish(log, b);
}

static struct span_request everything(void)
{
    return (struct span_request){.track = WATCHED_ID,
                                 .ns_per_tick = 1,
                                 .to_ns = INT64_MAX,
                                 .least_ns = 1,
                                 .levels_max = 100,
                                 .spans_max = 10000};
}

/* Puts the calls of the track into the sink: of all blocks of the log, or of those that the window needs. */
static void play(const struct replayed *log, const struct profile *p, const struct span_request *request,
                 struct span_sink *sink, bool in_part)
{
    const struct profile_track *t = profile_track_by_id(p, request->track);
    const uint32_t track = t != NULL ? (uint32_t)(t - p->tracks) : 0;
    const struct window window = {request->from_ns, request->to_ns + 1};

    assert_int_equal(replayed_play(log, p,
                                   (struct replay_request){.tracks = &track,
                                                           .n_tracks = t != NULL,
                                                           .window = in_part ? &window : NULL,
                                                           .rests = request->rest_ns > 0,
                                                           .looks_at_self = true,
                                                           .sink = span_sink_replay(sink)}),
                     REPLAY_DONE);
}

static void read_twice(struct fixture *f, const struct event *events, size_t n, struct span_request request,
                       size_t step)
{
    arena_init(&f->first_arena, 256 << 20);
    arena_init(&f->arena, 256 << 20);
    f->profile = fold(&f->first_arena, NULL, events, n, n + 1);
    assert_non_null(f->profile);
    f->track = profile_track_by_id(f->profile, WATCHED_ID);
    struct replayed log;
    struct span_sink *sink = span_sink_new(&f->arena, &request);
    assert_non_null(sink);
    const struct profile *again = fold(&f->arena, &log, events, n, step);
    assert_non_null(again);
    assert_int_equal(again->n_nodes, f->profile->n_nodes);
    assert_int_equal(again->n_frames, f->profile->n_frames);
    play(&log, f->profile, &request, sink, n % 2 == 0);
    replayed_close(&log);
    f->spans = span_sink_finish(sink);
}

static void close_fixture(struct fixture *f)
{
    arena_free(&f->first_arena);
    arena_free(&f->arena);
}

/* ---- rules, as text ---- */

/* As in test_fold.c: `+a10` enters a at 10, `-a10` leaves it, `_` is no frame, `?` an unknown action. */
static size_t parse_events(const char *script, struct event *events)
{
    static const char ACTIONS[] = "+-!?";
    size_t n = 0;

    for (const char *p = script; *p != '\0'; n++) {
        char *end;
        assert_true(n < 64);
        events[n] = (struct event){.action = (enum event_action)(strchr(ACTIONS, p[0]) - ACTIONS)};
        events[n].frame = p[1] == '_' ? FRAME_NONE : (frame_id)(p[1] - 'a');
        events[n].clock[0] = strtoull(p + 2, &end, 10);
        p = *end == ' ' ? end + 1 : end;
    }
    return n;
}

/* `DEPTHframe:begin-end,self`, with `<` if it was entered before, `>` if it is open, in the order of the
 * list; of runs `DEPTHxCALLS:begin-end,busy`. */
static void check_spans(const struct fixture *f, const char *expected)
{
    struct buf b = {0};

    for (uint32_t i = 0; i < f->spans->n; i++) {
        const struct span *s = &f->spans->list[i];
        buf_printf(&b, "%s%u", i > 0 ? " " : "", s->depth);
        if (s->frame == FRAME_NONE)
            buf_printf(&b, "x%llu", (unsigned long long)s->calls);
        else
            buf_str(&b, profile_string(f->profile, f->profile->frames[s->frame].name));
        buf_printf(&b, ":%llu-%llu,%llu", (unsigned long long)s->begin_ns, (unsigned long long)s->end_ns,
                   (unsigned long long)s->self_ns);
        buf_z(&b, (s->flags & SPAN_BEFORE) != 0 ? "<" : "");
        buf_z(&b, (s->flags & SPAN_OPEN) != 0 ? ">" : "");
    }
    assert_buf(&b, expected);
}

static void check_with(const char *script, struct span_request request, const char *expected)
{
    struct event events[64];
    struct fixture f;

    read_twice(&f, events, parse_events(script, events), request, 64);
    check_spans(&f, expected);
    close_fixture(&f);
}

static void check(const char *script, const char *expected)
{
    check_with(script, everything(), expected);
}

TEST(calls_end_in_order)
{
    check("+a10 +b13 -b20 +b25 -b26 -a50", "2b:13-20,7 2b:25-26,1 1a:10-50,32");
    check("+a10 !a20 ?a30 +a31 -_33", "1a:10-20,10 1a:31-33,2");
    check("?a10", "");
}

TEST(a_call_entered_before_encloses_all_so_far)
{
    check("?a5 +b10 -b20 -a30", "2b:10-20,10 1a:5-30,15<");
    check("+b10 -b20 -a30 +c40 -c41", "2b:10-20,10 1a:10-30,10< 1c:40-41,1");
    check("+b10 -b20 -a30 +c40 -c41 -d50 +e60 -e61",
          "3b:10-20,10 2a:10-30,10< 2c:40-41,1 1d:10-50,19< 1e:60-61,1");
    check("-_5 +b6 -b8", "1unknown:5-5,0< 1b:6-8,2");
}

TEST(open_calls_end_with_the_track)
{
    struct span_request longer = everything();

    check("+a10 +b13 ?a50", "2b:13-50,37> 1a:10-50,3>");
    check("+a10 +b13 -b15 -a16 -c20 +a30 ?a31", "3b:13-15,2 2a:10-16,4 1c:10-20,4< 1a:30-31,1>");
    longer.rest_ns = 100;
    check_with("+a10 +b13 -b14 +c20 ?a50", longer, "2b:13-14,1 2c:20-150,130> 1a:10-150,9>");
    longer.rest_ns = UINT64_MAX;
    longer.to_ns = INT64_MAX;
    check_with("+a10", longer, "1a:10-18446744073709551615,18446744073709551605>");
}

TEST(broken_nesting_and_time)
{
    check("+a10 +b13 +c15 -a20 +d21 -d22", "3c:15-20,5 2b:13-20,2 1a:10-20,3 1d:21-22,1");
    check("+a10 -c15 -a20", "1a:10-20,10");
    check("+a10 +b20 -b15 -a30", "2b:20-20,0 1a:10-30,20");
}

/* The other thread runs over the end of a clock of 32 bits; then the watched one begins, and does not end. */
TEST(a_track_begins_in_the_round_of_the_trace)
{
    static const uint64_t ROUND = UINT64_C(1) << 32;
    const struct event events[] = {{.track = 1, .frame = 0, .clock = {ROUND - 6}},
                                   {.track = 1, .frame = 1, .clock = {500}},
                                   {.track = 0, .frame = 2, .clock = {600}},
                                   {.track = 0, .frame = 3, .clock = {650}},
                                   {.track = 0, .frame = 3, .action = EVENT_EXIT, .clock = {700}},
                                   {.track = 1, .frame = 1, .action = EVENT_EXIT, .clock = {900}}};
    struct span_request request = everything();
    struct arena arena;

    request.rest_ns = 200;
    arena_init(&arena, 256 << 20);
    struct span_sink *sink = span_sink_new(&arena, &request);
    assert_non_null(sink);
    struct replayed log;
    struct builder *b = open_builder(&arena, &log);
    builder_clocks(b, 1, true);
    assert_true(builder_events(b, events, sizeof(events) / sizeof(*events), 0, 0));
    const struct profile *p = builder_finish(b, STR("format"), STR("Format"));
    assert_non_null(p);
    const struct profile_track *track = profile_track_by_id(p, WATCHED_ID);
    assert_int_equal(track->begin_ns, ROUND + 600);
    assert_int_equal(track->end_ns, ROUND + 700);
    assert_int_equal(track->rest_ns, 200);
    replayed_end(&log, p);
    play(&log, p, &request, sink, true);
    replayed_close(&log);
    const struct spans *spans = span_sink_finish(sink);
    assert_int_equal(spans->n, 2);
    assert_int_equal(spans->list[0].end_ns, ROUND + 700);
    assert_int_equal(spans->list[1].begin_ns, ROUND + 600);
    assert_int_equal(spans->list[1].end_ns, ROUND + 900);
    arena_free(&arena);
}

TEST(the_window_cuts)
{
    static const char SCRIPT[] = "+a10 +b13 -b20 +c20 -c30 +d30 -d30 +e31 -e40 -a50";
    struct span_request r = everything();

    r.from_ns = 20, r.to_ns = 30;
    check_with(SCRIPT, r, "2c:20-30,10 2d:30-30,0 1a:10-50,14");
    r.from_ns = 21, r.to_ns = 22;
    check_with(SCRIPT, r, "2c:20-30,10 1a:10-50,14");
    r.from_ns = 50, r.to_ns = 60;
    check_with(SCRIPT, r, "");
}

TEST(time_in_no_call_is_of_the_whole_track)
{
    struct event events[64];
    const size_t n = parse_events("+a0 -a10 +b26 -b30", events);
    struct span_request r = everything();
    struct fixture f;

    r.from_ns = 100, r.to_ns = 200; /* no block of the log lies in it */
    read_twice(&f, events, n, r, 2);
    assert_int_equal(f.spans->n, 0);
    assert_int_equal(f.spans->idle_ns, 16);
    close_fixture(&f);
}

TEST(narrow_neighbours_become_a_run)
{
    static const char SCRIPT[] = "+a0 +b10 -b12 +c13 -c16 +d30 -d40 +e41 -e42 +f55 -f56 -a60";
    struct span_request r = everything();

    r.least_ns = 5;
    check_with(SCRIPT, r, "2x2:10-16,5 2d:30-40,10 2e:41-42,1 2f:55-56,1 1a:0-60,43");
    r.least_ns = 11;
    check_with(SCRIPT, r, "2x2:10-16,5 2x2:30-42,11 2f:55-56,1 1a:0-60,43");
    r.least_ns = 20;
    check_with(SCRIPT, r, "2x5:10-56,17 1a:0-60,43");
    /* A call that reaches out of the window counts as much as is seen of it. */
    r.from_ns = 39, r.to_ns = 60, r.least_ns = 5;
    check_with(SCRIPT, r, "2x2:39-42,2 2f:55-56,1 1a:0-60,43");
}

TEST(narrow_calls_are_left_out)
{
    static const char SCRIPT[] = "+a0 +b10 -b12 +c13 -c16 +d30 -d40 +e41 -e42 +f55 -f56 -a60";
    static const uint8_t KINDS[FRAMES] = {0, 1, 1, 0, 0, 2};
    struct span_request r = everything();
    struct event events[64];
    struct fixture f;

    r.wide_only = true;
    r.least_ns = 5;
    r.kinds = KINDS;
    check_with(SCRIPT, r, "2d:30-40,10 1a:0-60,43");
    for (uint64_t from_ns = 0; from_ns <= 39; from_ns += 39) { /* the other window begins behind b and c */
        r.from_ns = from_ns;
        read_twice(&f, events, parse_events(SCRIPT, events), r, 64);
        check_spans(&f, from_ns == 0 ? "2d:30-40,10 1a:0-60,43" : "1a:0-60,43");
        assert_int_equal(f.spans->longest_ns[1], from_ns == 0 ? 3 : 0);
        assert_int_equal(f.spans->longest_ns[2], 1);
        assert_int_equal(f.spans->longest_ns[3], 0);
        close_fixture(&f);
    }
    r.from_ns = 0;
    r.rest_ns = 4;
    check_with("+a0 +b10 -b12 +c13 ?a14", r, "2c:13-18,5> 1a:0-18,11>");
    r.rest_ns = 0;
    r.ns_per_tick = 2;
    r.least_ns = 8;
    check_with("+a0 +b10 -b14 +c15 -c18 -a20", r, "2b:20-28,8 1a:0-40,26");
}

TEST(runs_of_a_cell)
{
    struct span_request r = everything();

    r.by_cell = true;
    r.least_ns = 10;
    check_with("+a0 -a1 +b2 -b4 +c5 -c12 +d13 -d14 +e15 -e29", r, "1x3:0-12,10 1d:13-14,1 1e:15-29,14");
    r.rest_ns = 4;
    check_with("+a0 -a1 +b2 -b4 +c5", r, "1x3:0-9,7");
    r.rest_ns = 40;
    check_with("+a0 -a1 +b2 -b4 +c5", r, "1x2:0-4,3 1c:5-45,40>");
    r.from_ns = 5, r.to_ns = 45, r.rest_ns = 0;
    check_with("+a0 -a1 +b2 -b7 +c8 -c9 +d9 -d9 +e14 -e16 +f44 -f44 +g44 -g60", r, "1x4:5-16,5 1x2:44-45,1");
}

/* Room for three: as there are more, the least length is raised until they fit. */
TEST(too_many_wide_calls)
{
    struct span_request r = everything();

    r.wide_only = true;
    r.spans_max = 3;
    r.levels_max = 2;
    check_with("+a0 +b1 -b2 +c3 -c9 +d10 -d11 +e12 -e16 -a20", r, "2c:3-9,6 2e:12-16,4 1a:0-20,8");
}

TEST(deeper_calls_are_counted)
{
    struct span_request r = everything();
    struct event events[64];
    struct fixture f;

    r.levels_max = 1;
    read_twice(&f, events, parse_events("+a0 +b1 +c2 -c3 -b4 -a5 +d6 -d7", events), r, 3);
    check_spans(&f, "1a:0-5,2 1d:6-7,1");
    assert_int_equal(f.spans->calls, 4);
    assert_int_equal(f.spans->deep, 2);
    assert_int_equal(f.spans->levels, 1);
    close_fixture(&f);
}

/* ---- against the model ---- */

static uint32_t check_level(const struct fixture *f, const struct span_model *m, unsigned depth,
                            const struct span_request *r)
{
    struct span expected[SPAN_MODEL_CALLS_MAX];
    uint32_t n = span_model_level(m, depth, r, f->spans->least_ns, expected), at = 0;

    for (uint32_t i = 0; i < f->spans->n; i++) {
        const struct span *s = &f->spans->list[i];
        if (s->depth != depth)
            continue;
        assert_true(at < n);
        const struct span *e = &expected[at++];
        assert_int_equal(s->frame, e->frame);
        assert_int_equal(s->flags, e->flags);
        assert_int_equal(s->calls, e->calls);
        assert_int_equal(s->begin_ns, e->begin_ns);
        assert_int_equal(s->end_ns, e->end_ns);
        assert_int_equal(s->self_ns, e->self_ns);
    }
    assert_int_equal(at, n);
    return n;
}

/* How many spans there would be. */
static uint32_t model_count(const struct span_model *m, unsigned levels, const struct span_request *r,
                            uint64_t least)
{
    struct span spans[SPAN_MODEL_CALLS_MAX];
    uint32_t n = 0;

    for (unsigned depth = 1; depth <= levels; depth++)
        n += span_model_level(m, depth, r, least, spans);
    return n;
}

static void check_against_model(const struct fixture *f, const struct span_model *m,
                                const struct span_request *r)
{
    unsigned deepest = 0;
    uint64_t calls = 0, deep = 0;
    uint32_t n = 0;

    for (int i = 0; i < m->n; i++) {
        if (!span_model_sees(&m->calls[i], r))
            continue;
        unsigned depth = span_model_depth(m, i);
        calls++;
        deep += depth > r->levels_max;
        if (depth <= r->levels_max && depth > deepest)
            deepest = depth;
    }
    assert_int_equal(f->spans->calls, calls);
    assert_int_equal(f->spans->deep, deep);
    assert_int_equal(f->spans->levels, deepest);
    for (unsigned depth = 1; depth <= deepest; depth++)
        n += check_level(f, m, depth, r);
    assert_int_equal(f->spans->n, n);
    assert_true(n <= r->spans_max);
    if (f->spans->least_ns > r->least_ns)
        assert_true(model_count(m, deepest, r, f->spans->least_ns / 2) >= r->spans_max);
}

/* The model's calls are those that the tree was folded from. */
static void check_against_tree(const struct fixture *f, const struct span_model *m)
{
    uint64_t self[FRAMES + 1] = {0}, calls[FRAMES + 1] = {0};
    const struct profile *p = f->profile;

    for (int i = 0; i < m->n; i++) {
        const struct span_model_call *c = &m->calls[i];
        calls[c->frame]++;
        self[c->frame] += c->end - c->begin - c->callees;
    }
    for (node_id id = f->track->first + 1; id < f->track->first + f->track->count; id++) {
        self[p->node_frame[id]] -= profile_self(p, id, 0);
        calls[p->node_frame[id]] -= profile_self(p, id, 1);
    }
    for (unsigned i = 0; i <= FRAMES; i++) {
        assert_int_equal(self[i], 0);
        assert_int_equal(calls[i], 0);
    }
    assert_int_equal(f->spans->idle_ns, profile_self(p, f->track->first, 0));
    assert_int_equal(f->track->begin_ns, m->first);
    assert_int_equal(f->track->end_ns, m->last);
}

/* Mostly well nested, sometimes not at all. */
static size_t random_events(uint64_t *random, struct event *events, size_t n)
{
    uint64_t clock[TRACKS] = {100, 5000};
    static struct span_model_random nesting[TRACKS];
    unsigned wild = random_below(random, 12), down = 40 + random_below(random, 20);

    for (uint32_t t = 0; t < TRACKS; t++)
        nesting[t] = (struct span_model_random){.wild = wild, .down = down};

    for (size_t i = 0; i < n; i++) {
        uint32_t t = random_below(random, 4) == 0;
        uint64_t step = random_next(random) % (random_below(random, 8) == 0 ? 300 : 6);
        clock[t] += step;
        events[i] = (struct event){.track = t, .frame = random_below(random, FRAMES)};
        events[i].clock[0] = random_below(random, 50) == 0 ? clock[t] - 90 : clock[t];
        span_model_random_action(&nesting[t], random, &events[i]);
    }
    return n;
}

static struct span_request random_request(uint64_t *random, uint64_t end)
{
    struct span_request r = everything();

    r.least_ns = 1 + random_next(random) % (random_below(random, 2) == 0 ? 4 : 200);
    if (random_below(random, 3) != 0) {
        r.from_ns = random_next(random) % end;
        r.to_ns = r.from_ns + 1 + random_next(random) % end;
    }
    if (random_below(random, 3) == 0)
        r.levels_max = 1 + random_below(random, 20);
    if (random_below(random, 2) == 0)
        r.spans_max = r.levels_max + 1 + random_below(random, 30);
    r.by_cell = random_below(random, 2) == 0;
    return r;
}

TEST(random_streams)
{
    static struct span_model model;
    static struct event events[SPAN_MODEL_CALLS_MAX];
    uint64_t random = 20;

    for (unsigned round = 0; round < 400; round++) {
        size_t n = random_events(&random, events, 1 + random_below(&random, 300));
        struct fixture f;
        frame_id unknown = FRAMES;
        span_model_init(&model);
        for (size_t i = 0; i < n; i++)
            if (events[i].track == 0)
                span_model_event(&model, &events[i], unknown);
        span_model_end(&model);
        struct span_request r = random_request(&random, model.last + 10);
        read_twice(&f, events, n, r, 1 + random_below(&random, 40));
        if (model.begun) {
            check_against_model(&f, &model, &r);
            check_against_tree(&f, &model);
        } else {
            assert_int_equal(f.spans->n, 0);
        }
        close_fixture(&f);
    }
}

/* ---- sizes ---- */

TEST(a_million_calls_take_little_memory)
{
    struct span_request r = everything();
    struct event events[2000];
    struct arena arena;

    r.levels_max = 50, r.spans_max = 200;
    arena_init(&arena, 1 << 20);
    struct replayed log;
    struct span_sink *sink = span_sink_new(&arena, &r);
    assert_non_null(sink);
    struct builder *b = open_builder(&arena, &log);
    for (uint64_t time = 0; time < 2000000;) {
        for (size_t i = 0; i < 2000; i++, time++) {
            events[i] = (struct event){.action = i % 2 == 0 ? EVENT_ENTER : EVENT_EXIT};
            events[i].clock[0] = time;
        }
        assert_true(builder_events(b, events, 2000, 0, 0));
    }
    const struct profile *p = replayed_finish(&log, b);
    play(&log, p, &r, sink, false);
    replayed_close(&log);
    const struct spans *spans = span_sink_finish(sink);
    assert_int_equal(spans->calls, 1000000);
    assert_int_equal(spans->n, 1);
    assert_int_equal(spans->list[0].calls, 1000000);
    assert_int_equal(spans->list[0].self_ns, 1000000);
    arena_free(&arena);
}

TEST(depth_has_no_limit_but_memory)
{
    static const size_t LIMITS[] = {4 << 20, 64 << 20};
    struct span_request r = everything();
    const uint32_t track = 0;
    struct replayed log;
    struct arena first, arena;

    arena_init(&first, 64 << 20);
    struct builder *b = open_builder(&first, &log);
    struct event e = {.action = EVENT_ENTER};
    for (unsigned i = 0; i < 200000; i++, e.clock[0]++)
        assert_true(builder_events(b, &e, 1, 0, 0));
    const struct profile *p = replayed_finish(&log, b);
    for (size_t k = 0; k < 2; k++) {
        arena_init(&arena, LIMITS[k]);
        struct span_sink *sink = span_sink_new(&arena, &r);
        assert_non_null(sink);
        const struct replay_request request = {
            .log = &log.log, .profile = p, .tracks = &track, .n_tracks = 1, .sink = span_sink_replay(sink)};
        enum replay_end end = replay_all(&request, &arena);
        assert_int_equal(end, k == 1 ? REPLAY_DONE : REPLAY_FAILED);
        assert_int_equal(arena.failure, k == 1 ? ARENA_OK : ARENA_LIMIT);
        if (k == 1)
            assert_int_equal(span_sink_finish(sink)->deep, 200000 - r.levels_max);
        arena_free(&arena);
    }
    replayed_close(&log);
    arena_free(&first);
    arena_init(&arena, 1000);
    assert_null(span_sink_new(&arena, &r));
    arena_free(&arena);
}

/* A log of other bytes than the profile's is refused, or played, and nothing breaks. */
TEST(a_log_that_does_not_fit)
{
    const struct call_log_trailer *t;
    struct event events[64];
    struct arena arena;
    struct span_request r = everything();
    struct replayed log, other;

    r.levels_max = 3, r.spans_max = 5;
    arena_init(&arena, 1 << 20);
    size_t n = parse_events("+a1 +b2 -b3 -a4 -c9 +d10 -d11 -e12 +b13 -b14 -c15 -d16 +a17 -a20 -e30", events);
    const struct profile *p = fold(&arena, &log, events, n, n), *q = fold(&arena, &other, events, 1, 1);
    struct span_sink *sink = span_sink_new(&arena, &r);
    assert_non_null(sink);
    play(&log, q, &r, sink, false);
    assert_true(span_sink_finish(sink)->n <= r.spans_max);
    t = &other.log.trailer;
    ((struct call_log_trailer *)(uintptr_t)t)->n_frames++;
    assert_int_equal(replayed_play(&other, p, (struct replay_request){.window = NULL}), REPLAY_DAMAGED);
    replayed_close(&log);
    replayed_close(&other);
    arena_free(&arena);
}
