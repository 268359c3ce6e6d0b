/* What tracks did per pixel: random streams, with every kind of repair, against all calls in an array; and
 * the lists of calls. */
#include "tests/support/unit.h"

#include <stdlib.h>

#include "profile/build/builder.h"
#include "profile/calls/lanes.h"
#include "tests/support/random.h"
#include "tests/support/span_model.h"

enum {
    TRACKS = SPAN_MODEL_TRACKS,
    FRAMES = SPAN_MODEL_FRAMES,
    CLOCKS = SPAN_MODEL_CLOCKS,
    EVENTS_MAX = 300,
    FIRST_ID = SPAN_MODEL_FIRST_ID,
    WIDTH_MAX = 40,
    LEVELS = 400
};

/* The last frame is "unknown". */
static const uint8_t CLASS_OF_FRAME[FRAMES + 1] = {
    LANE_OWN,     LANE_OWN | LANE_MARKED, LANE_LIBRARY | LANE_MARKED,
    LANE_UNKNOWN, LANE_WAITING,           LANE_PLATFORM | LANE_MESSAGE,
    LANE_OWN};

/* The same, where nothing is marked: then most records are not told one by one. */
static const uint8_t UNMARKED[FRAMES + 1] = {
    LANE_OWN, LANE_OWN, LANE_LIBRARY, LANE_UNKNOWN, LANE_WAITING, LANE_PLATFORM | LANE_MESSAGE, LANE_OWN};

/* ---- brute force ---- */

/* The time of a record. */
struct moment {
    uint64_t wall, cpu;
};

struct expected {
    struct lane_pixel pixels[WIDTH_MAX];
    struct lane_mark marks[WIDTH_MAX];
    uint64_t cpu[WIDTH_MAX][LANE_CLASSES];
    uint64_t work[WIDTH_MAX][FRAMES + 1]; /* that is not waiting, by the frame on top */
};

static struct span_model models[CLOCKS];

static void read_track(const struct event *events, size_t n, uint32_t t)
{
    for (unsigned c = 0; c < CLOCKS; c++)
        span_model_track(&models[c], events, n, t, c);
}

static int by_time(const void *a, const void *b)
{
    const struct moment *x = a, *y = b;

    if (x->wall != y->wall)
        return x->wall < y->wall ? -1 : 1;
    return x->cpu < y->cpu ? -1 : x->cpu > y->cpu;
}

static size_t moments_of(struct moment *out, const struct event *events, size_t n_events, uint32_t t)
{
    size_t n = 0;

    for (size_t i = 0; i < n_events; i++)
        if (events[i].track == t)
            out[n++] = (struct moment){events[i].clock[0], events[i].clock[1]};
    qsort(out, n, sizeof(*out), by_time);
    return n;
}

/* The innermost call that is open from one moment to the next, which is later; -1: none. */
static int open_between(struct moment a, struct moment b, bool *marked)
{
    int found = -1;

    *marked = false;
    for (int i = 0; i < models[0].n; i++) {
        const struct span_model_call *c = &models[0].calls[i];
        if (c->begin > a.wall || c->end < b.wall)
            continue;
        *marked = *marked || (CLASS_OF_FRAME[c->frame] & LANE_MARKED) != 0;
        if (found < 0 || span_model_depth(&models[0], i) > span_model_depth(&models[0], found))
            found = i;
    }
    return found;
}

static uint64_t cpu_passed(struct moment a, struct moment b, uint64_t at)
{
    return (b.cpu - a.cpu) * (at - a.wall) / (b.wall - a.wall);
}

static void expect_time(struct expected *e, const struct lanes_request *r, struct moment a, struct moment b)
{
    bool marked;
    int call = open_between(a, b, &marked);

    for (uint32_t i = 0; call >= 0 && i < r->width_px; i++) {
        uint64_t from = lanes_edge(r->from_ns, r->to_ns, r->width_px, i);
        uint64_t to = lanes_edge(r->from_ns, r->to_ns, r->width_px, i + 1);
        from = from > a.wall ? from : a.wall;
        to = to < b.wall ? to : b.wall;
        if (from >= to)
            continue;
        uint64_t wall = to - from, cpu = cpu_passed(a, b, to) - cpu_passed(a, b, from);
        unsigned class = CLASS_OF_FRAME[models[0].calls[call].frame] & (LANE_MARKED - 1);
        e->pixels[i].ns[class] += wall;
        e->cpu[i][class] += r->cpu_clock != 0 ? cpu : wall;
        if (class != LANE_WAITING)
            e->work[i][models[0].calls[call].frame] += r->cpu_clock != 0 ? cpu : wall;
        e->marks[i].ns += marked ? wall : 0;
    }
}

/* What is not CPU time of a pixel and class is waiting. */
static void expect_waiting(struct expected *e)
{
    for (unsigned i = 0; i < WIDTH_MAX; i++)
        for (unsigned class = 0; class < LANE_WAITING; class ++) {
            uint64_t wall = e->pixels[i].ns[class], cpu = e->cpu[i][class];
            e->pixels[i].ns[class] = wall < cpu ? wall : cpu;
            e->pixels[i].ns[LANE_WAITING] += wall < cpu ? 0 : wall - cpu;
        }
}

static void expect_calls(struct expected *e, const struct lanes_request *r)
{
    for (int k = 0; k < models[0].n; k++)
        for (uint32_t i = 0; i < r->width_px; i++) {
            const struct span_model_call *c = &models[0].calls[k];
            if (c->begin < lanes_edge(r->from_ns, r->to_ns, r->width_px, i) ||
                c->begin >= lanes_edge(r->from_ns, r->to_ns, r->width_px, i + 1))
                continue;
            e->pixels[i].calls++;
            e->marks[i].calls += (CLASS_OF_FRAME[c->frame] & LANE_MARKED) != 0;
        }
}

static void expect_track(struct expected *e, const struct lanes_request *r, const struct event *events,
                         size_t n_events, uint32_t t, uint64_t rest_ns)
{
    static struct moment moments[EVENTS_MAX + 1];
    size_t n = moments_of(moments, events, n_events, t);
    bool open = false;

    for (int i = 0; i < models[0].n; i++) {
        open = open || (models[0].calls[i].flags & SPAN_OPEN) != 0;
        if ((models[0].calls[i].flags & SPAN_OPEN) != 0)
            models[0].calls[i].end += rest_ns;
    }
    if (open && rest_ns > 0)
        moments[n++] = (struct moment){models[0].last + rest_ns, models[1].last};
    *e = (struct expected){0};
    for (size_t i = 0; i + 1 < n; i++)
        if (moments[i].wall < moments[i + 1].wall)
            expect_time(e, r, moments[i], moments[i + 1]);
    expect_waiting(e);
    expect_calls(e, r);
}

/* All marked calls of a track that begin in the window are counted; the longest is in front. */
static void expect_lists(const struct lanes_request *r, uint64_t *n, uint64_t *longest, uint64_t *first,
                         uint64_t *last)
{
    for (int i = 0; i < models[0].n; i++) {
        const struct span_model_call *c = &models[0].calls[i];
        if ((CLASS_OF_FRAME[c->frame] & LANE_MARKED) == 0 || c->begin < r->from_ns || c->begin >= r->to_ns)
            continue;
        ++*n;
        *longest = c->end - c->begin > *longest ? c->end - c->begin : *longest;
        *first = c->begin < *first ? c->begin : *first;
        *last = c->begin > *last ? c->begin : *last;
    }
}

static void check_lists(const struct lanes *lanes, uint64_t n, uint64_t longest, uint64_t first,
                        uint64_t last)
{
    uint32_t listed = n < LANES_CALLS_MAX ? (uint32_t)n : LANES_CALLS_MAX;

    assert_int_equal(lanes->marked, n);
    assert_int_equal(lanes->longest.n, listed);
    assert_int_equal(lanes->first.n, listed);
    assert_int_equal(lanes->last.n, listed);
    if (n == 0)
        return;
    assert_int_equal(lanes->longest.list[0].end_ns - lanes->longest.list[0].begin_ns, longest);
    assert_int_equal(lanes->first.list[0].begin_ns, first);
    assert_int_equal(lanes->last.list[0].begin_ns, last);
    for (uint32_t i = 1; i < listed; i++) {
        assert_true(lanes->longest.list[i - 1].key >= lanes->longest.list[i].key);
        assert_true(lanes->first.list[i - 1].begin_ns <= lanes->first.list[i].begin_ns);
        assert_true(lanes->last.list[i - 1].begin_ns >= lanes->last.list[i].begin_ns);
    }
}

/* The spans of a lane that is open are those of span.h; what its runs hold is told to the pixel. */
static void check_spans(const struct lane *lane, const struct lanes_request *r)
{
    uint64_t calls = 0, cell = lane->spans->least_ns;

    for (uint32_t i = 0; i < lane->spans->n; i++) {
        const struct span *s = &lane->spans->list[i];
        calls += s->calls;
        if (s->calls > 1)
            assert_true(s->end_ns - s->begin_ns < 2 * cell && s->begin_ns >= r->from_ns);
    }
    assert_int_equal(calls + lane->spans->deep, lane->spans->calls);
}

/* The whole of the window has all time of the profile: what nodes have of their own, but for the tracks
 * themselves. */
static void check_sums(const struct lanes *lanes, const struct profile *p)
{
    uint64_t sum = 0, all = 0, calls = 0, all_calls = 0;

    for (uint32_t i = 0; i < lanes->n; i++)
        for (uint32_t x = 0; lanes->list[i].pixels != NULL && x < 1; x++) {
            for (unsigned class = 0; class < LANE_CLASSES; class ++)
                sum += lanes->list[i].pixels[x].ns[class];
            calls += lanes->list[i].pixels[x].calls;
        }
    for (uint32_t i = 0; i < p->n_tracks; i++) {
        all += profile_total(p, p->tracks[i].first, 0) - profile_self(p, p->tracks[i].first, 0);
        all_calls += p->tracks[i].calls;
    }
    assert_int_equal(sum, all);
    assert_int_equal(calls, all_calls);
}

/* ---- tests ---- */

struct fixture {
    struct arena first, second, kept;
    const struct profile *profile;
    struct lanes_track tracks[TRACKS];
    struct lanes_request request;
};

static void open_fixture(struct fixture *f, const struct event *events, size_t n)
{
    arena_init(&f->first, 64 << 20);
    arena_init(&f->second, 64 << 20);
    arena_init(&f->kept, 64 << 20);
    f->profile = span_model_fold_tracks(&f->first, NULL, events, n);
    assert_non_null(f->profile);
    for (uint32_t i = 0; i < f->profile->n_tracks; i++)
        f->tracks[i] = (struct lanes_track){&f->profile->tracks[i], i == 0, i == 1};
    f->request = (struct lanes_request){.tracks = f->tracks,
                                        .n_tracks = f->profile->n_tracks,
                                        .class_of_frame = CLASS_OF_FRAME,
                                        .n_frames = FRAMES + 1,
                                        .ns_per_tick = 1,
                                        .cpu_clock = 1,
                                        .marks = true,
                                        .methods = true,
                                        .to_ns = INT64_MAX,
                                        .width_px = 1,
                                        .levels_max = LEVELS,
                                        .spans_max = 2 * LEVELS};
}

static const struct lanes *read_again(struct fixture *f, const struct event *events, size_t n)
{
    struct lanes_sink *sink = lanes_sink_new(&f->kept, &f->request);

    assert_non_null(sink);
    const struct window window = {f->request.from_ns, f->request.to_ns + 1};
    struct replayed log;
    assert_non_null(span_model_fold_tracks(&f->second, &log, events, n));
    assert_int_equal(replayed_play(&log, f->profile,
                                   (struct replay_request){.window = n % 3 == 0 ? NULL : &window,
                                                           .rests = f->request.open_to_end,
                                                           .looks_at_self = true,
                                                           .sink = lanes_sink_replay(sink)}),
                     REPLAY_DONE);
    replayed_close(&log);
    return lanes_sink_finish(sink);
}

static void close_fixture(struct fixture *f)
{
    arena_free(&f->first);
    arena_free(&f->second);
    arena_free(&f->kept);
}

/* A pixel has a method where there was work, and what has more than half of the work is it. */
static void check_methods(const struct lane *lane, const struct expected *e, uint32_t width)
{
    for (uint32_t i = 0; i < width; i++) {
        uint64_t all = 0;
        for (unsigned frame = 0; frame <= FRAMES; frame++)
            all += e->work[i][frame];
        assert_true((lane->methods[i].frame != FRAME_NONE) == (all > 0));
        for (unsigned frame = 0; frame <= FRAMES; frame++)
            if (e->work[i][frame] > all - e->work[i][frame])
                assert_int_equal(lane->methods[i].frame, frame);
        if (all > 0)
            assert_true(e->work[i][lane->methods[i].frame] > 0);
    }
}

static void check_window(const struct fixture *f, const struct lanes *lanes, const struct event *events,
                         size_t n)
{
    uint64_t marked = 0, longest = 0, first = UINT64_MAX, last = 0;
    static struct expected expected;
    static const struct expected NOTHING;

    for (uint32_t i = 0; i < lanes->n; i++) {
        const struct lane *lane = &lanes->list[i];
        uint32_t index = (f->tracks[i].track->id - FIRST_ID + TRACKS - 1) % TRACKS;
        read_track(events, n, index);
        expect_track(&expected, &f->request, events, n, index,
                     f->request.open_to_end ? f->tracks[i].track->rest_ns : 0);
        expect_lists(&f->request, &marked, &longest, &first, &last);
        if (lane->pixels == NULL) {
            assert_memory_equal(expected.pixels, NOTHING.pixels, sizeof(expected.pixels));
            continue;
        }
        assert_memory_equal(lane->pixels, expected.pixels, f->request.width_px * sizeof(*lane->pixels));
        if (f->request.marks) {
            assert_memory_equal(lane->marks, expected.marks, f->request.width_px * sizeof(*lane->marks));
            check_methods(lane, &expected, f->request.width_px);
        }
        assert_true((lane->spans != NULL) == (i == 0));
        if (lane->spans != NULL)
            check_spans(lane, &f->request);
    }
    if (f->request.marks)
        check_lists(lanes, marked, longest, first, last);
}

TEST(random_streams)
{
    static struct event events[EVENTS_MAX];
    uint64_t random = 41;

    for (unsigned round = 0; round < 800; round++) {
        size_t n = 1 + random_below(&random, EVENTS_MAX);
        struct fixture f;
        span_model_random_events(&random, events, n);
        open_fixture(&f, events, n);
        if (round % 8 >= 4) {
            f.request.marks = f.request.methods = false;
            f.request.class_of_frame = UNMARKED;
        }
        if (round % 4 == 0) {
            check_sums(read_again(&f, events, n), f.profile);
        } else {
            uint64_t end = 1;
            for (uint32_t i = 0; i < f.profile->n_tracks; i++)
                end = f.profile->tracks[i].end_ns > end ? f.profile->tracks[i].end_ns : end;
            f.request.from_ns = random_next(&random) % end / (1 + random_below(&random, 3));
            f.request.to_ns = f.request.from_ns + 1 + random_next(&random) % (end * 2);
            f.request.width_px = 1 + random_below(&random, WIDTH_MAX);
            f.request.open_to_end = random_below(&random, 2) == 0;
            f.request.cpu_clock = random_below(&random, 4) > 0;
            check_window(&f, read_again(&f, events, n), events, n);
        }
        close_fixture(&f);
    }
}

TEST(a_window_behind_the_end_is_empty)
{
    const struct event events[] = {{.frame = 0, .clock = {10, 1}},
                                   {.frame = 0, .action = EVENT_EXIT, .clock = {90, 5}}};
    struct fixture f;

    open_fixture(&f, events, 2);
    f.request.from_ns = 91;
    f.request.width_px = 3;
    const struct lanes *lanes = read_again(&f, events, 2);
    assert_null(lanes->list[0].pixels);
    assert_int_equal(lanes->list[0].spans->n, 0);
    close_fixture(&f);
}

TEST(messages_of_the_main_track_are_listed)
{
    /* Track number 0 has the id 8, and is the second of the profile: the main one. */
    const struct event events[] = {{.frame = 5, .clock = {10, 1}},
                                   {.frame = 5, .action = EVENT_EXIT, .clock = {15, 5}},
                                   {.frame = 5, .clock = {20, 6}},
                                   {.frame = 0, .clock = {25, 6}},
                                   {.frame = 5, .clock = {30, 6}}, /* within another */
                                   {.frame = 5, .action = EVENT_EXIT, .clock = {50, 6}},
                                   {.frame = 0, .action = EVENT_EXIT, .clock = {60, 9}},
                                   {.frame = 5, .action = EVENT_EXIT, .clock = {70, 9}},
                                   {.track = 2, .frame = 5, .clock = {0, 0}},
                                   {.track = 2, .frame = 5, .action = EVENT_EXIT, .clock = {99, 9}}};
    struct fixture f;

    for (unsigned marks = 0; marks < 2; marks++) {
        open_fixture(&f, events, sizeof(events) / sizeof(events[0]));
        f.request.message_ns = 6;
        f.request.marks = f.request.methods = marks == 1;
        f.request.class_of_frame = marks == 1 ? CLASS_OF_FRAME : UNMARKED;
        const struct lanes *lanes = read_again(&f, events, sizeof(events) / sizeof(events[0]));
        assert_int_equal(lanes->messages.n, 1);
        assert_int_equal(lanes->messages.list[0].begin_ns, 20);
        assert_int_equal(lanes->messages.list[0].end_ns, 70);
        assert_int_equal(lanes->messages.list[0].depth, 1);
        close_fixture(&f);
    }
}

/* A thread that waits 30 ns from 10 on, is seen on the CPU at 50 and for the last time at 100. */
static const struct profile *sampled(struct arena *arena, struct replayed *log)
{
    static const struct profile_value VALUES[] = {
        {STR_INIT("cpu"), STR_INIT("CPU time"), UNIT_NS, ROLE_CPU},
        {STR_INIT("waiting"), STR_INIT("waiting"), UNIT_NS, ROLE_WAITING}};
    static const uint64_t SAMPLES[][3] = {{10, 0, 30}, {50, 5, 0}, {100, 5, 0}};
    struct builder *b = builder_new(arena, (struct hash_seed){3, 4});

    assert_true(builder_values(b, NULL, 0, VALUES, 2));
    builder_clocks(b, 1, false);
    replayed_begin(log, b);
    struct profile_frame frame = {.name = builder_string(b, STR("a"))};
    frame_id stack = builder_frame(b, &frame);
    uint32_t track = builder_track(b, FIRST_ID, STRING_EMPTY);
    for (size_t i = 0; i < 3; i++)
        assert_true(builder_sample_at(b, track, builder_stack(b, track, NODE_NONE, &stack, 1), &SAMPLES[i][1],
                                      SAMPLES[i][0]));
    return replayed_finish(log, b);
}

TEST(samples_tell_what_follows)
{
    static const uint8_t OWN[] = {LANE_OWN};
    for (unsigned knows_waiting = 0; knows_waiting < 2; knows_waiting++) {
        struct arena arena;
        struct replayed log;
        (void)state;
        arena_init(&arena, 1 << 20);
        const struct profile *p = sampled(&arena, &log);
        struct lanes_track track = {.track = p->tracks};
        struct lanes_request request = {.tracks = &track,
                                        .n_tracks = 1,
                                        .class_of_frame = OWN,
                                        .n_frames = 1,
                                        .ns_per_tick = 1,
                                        .sample_cpu = 1,
                                        .sample_waiting = knows_waiting != 0 ? 2 : 0,
                                        .to_ns = 120,
                                        .width_px = 12};
        struct lanes_sink *sink = lanes_sink_new(&arena, &request);
        assert_int_equal(replayed_play(&log, p, (struct replay_request){.sink = lanes_sink_replay(sink)}),
                         REPLAY_DONE);
        const struct lanes *lanes = lanes_sink_finish(sink);
        uint64_t own = 0, waiting = 0;
        for (uint32_t i = 0; i < 12; i++) {
            const struct lane_pixel *pixel = &lanes->list[0].pixels[i];
            own += pixel->ns[LANE_OWN];
            waiting += pixel->ns[LANE_WAITING];
            assert_int_equal(pixel->ns[LANE_WAITING], knows_waiting != 0 && i >= 1 && i < 4 ? 10 : 0);
        }
        assert_int_equal(waiting, knows_waiting != 0 ? 30 : 0);
        assert_int_equal(own, knows_waiting != 0 ? 60 : 5);
        replayed_close(&log);
        arena_free(&arena);
    }
}

TEST(no_memory)
{
    const struct event events[] = {{.frame = 0, .clock = {10, 1}}};
    struct arena small;
    struct fixture f;

    open_fixture(&f, events, 1);
    f.request.width_px = 10000;
    arena_init(&small, 100000);
    assert_null(lanes_sink_new(&small, &f.request));
    arena_free(&small);
    close_fixture(&f);
}
