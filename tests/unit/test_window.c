/* Windows of time: random streams with every kind of repair, cut at random, against all that happened in an array. */
#include "tests/support/unit.h"

#include <stdlib.h>
#include <string.h>

#include "profile/build/builder.h"
#include "profile/calls/window.h"
#include "profile/transform/transform.h"
#include "tests/support/fold_model.h"
#include "tests/support/random.h"
#include "tests/support/replayed.h"
#include "tests/support/wild_events.h"

enum { TRACKS = 3, FRAMES = 6, EVENTS_MAX = 250, WINDOWS_MAX = 5, NS_PER_TICK = 1000 };

static const struct profile_value VALUES[] = {
    {STR_INIT("wall"), STR_INIT("wall time"), UNIT_NS, ROLE_WALL},
    {STR_INIT("cpu"), STR_INIT("thread CPU time"), UNIT_NS, ROLE_CPU},
    {STR_INIT("calls"), STR_INIT("calls"), UNIT_COUNT, ROLE_CALLS},
};

/* ---- two readings ---- */

static struct builder *open_builder(struct arena *arena, struct replayed *log)
{
    struct builder *b = replayed_open(log, arena, VALUES, 2, NS_PER_TICK, true);

    replayed_letters(b, FRAMES);
    struct profile_frame unknown = {.name = builder_string(b, STR("unknown"))};
    assert_int_equal(builder_frame(b, &unknown), FRAMES);
    replayed_tracks(b, 1, TRACKS);
    return b;
}

static const struct profile *fold(struct arena *arena, struct replayed *log, const struct event *events,
                                  size_t n)
{
    struct builder *b = open_builder(arena, log);

    assert_true(builder_events(b, events, n, 0, 0));
    return replayed_finish(log, b);
}

static enum replay_end play(const struct replayed *log, const struct window_request *request,
                            struct window_sink *sink)
{
    return replayed_play(
        log, request->profile,
        (struct replay_request){.window = &request->window, .rests = true, .sink = window_sink_replay(sink)});
}

static const struct profile *cut(struct arena *arena, const struct profile *whole, const struct event *events,
                                 size_t n, uint64_t from_ns, uint64_t to_ns)
{
    struct window_request request = {whole, {from_ns, to_ns}, {3, 4}};
    struct arena scratch;

    arena_init(&scratch, 256 << 20);
    struct window_sink *sink = window_sink_new(arena, &scratch, &request);
    assert_non_null(sink);
    struct replayed log;
    assert_non_null(fold(&scratch, &log, events, n));
    assert_int_equal(play(&log, &request, sink), REPLAY_DONE);
    replayed_close(&log);
    const struct profile *window = window_sink_finish(sink);
    assert_non_null(window);
    arena_free(&scratch);
    return window;
}

/* ---- all that happened ---- */

/* The time between two records, or (without times) a call that was entered at the first of them. */
struct piece {
    uint32_t track;
    struct fold_path path;
    bool enters;
    uint64_t from[2], to[2]; /* ticks of both clocks */
};

struct history {
    struct fold_model *model;
    struct piece pieces[2 * EVENTS_MAX + TRACKS];
    size_t n;
};

/* Of the track so far, all gets the frame in front; the call began with the first record. */
static void enclose(struct history *h, uint32_t track, frame_id frame, const uint64_t first[TRACKS])
{
    for (size_t i = 0; i < h->n; i++) {
        struct fold_path *path = &h->pieces[i].path;
        if (h->pieces[i].track != track)
            continue;
        memmove(path->frames + 1, path->frames, path->n++);
        path->frames[0] = (uint8_t)frame;
    }
    h->pieces[h->n++] = (struct piece){track, {1, {(uint8_t)frame}}, true, {first[track], 0}, {0, 0}};
}

static struct history *tell(const struct event *events, size_t n)
{
    struct history *h = calloc(1, sizeof(*h));
    uint64_t first[TRACKS];

    assert_non_null(h);
    h->model = fold_model_new(TRACKS);
    for (size_t i = 0; i < n; i++) {
        const struct event *e = &events[i];
        struct fold_model_track *t = &h->model->tracks[e->track];
        bool begins = t->records == 0;
        uint64_t re_rooted = h->model->counts[WARN_RE_ROOTED];
        struct piece time = {.track = e->track, .path = t->stack};
        memcpy(time.from, t->last, sizeof(time.from));
        uint16_t depth = t->stack.n;
        fold_model_event(h->model, e, FRAMES, 0);
        memcpy(time.to, t->last, sizeof(time.to));
        if (begins)
            first[e->track] = t->last[0];
        else
            h->pieces[h->n++] = time;
        if (h->model->counts[WARN_RE_ROOTED] > re_rooted)
            enclose(h, e->track, e->frame == FRAME_NONE ? FRAMES : e->frame, first);
        else if (t->stack.n > depth)
            h->pieces[h->n++] = (struct piece){e->track, t->stack, true, {t->last[0], 0}, {0, 0}};
    }
    return h;
}

static uint64_t limited(uint64_t ns, uint64_t from_ns, uint64_t to_ns)
{
    return ns < from_ns ? from_ns : ns > to_ns ? to_ns : ns;
}

/* What the piece has in the window, as the rules say it. */
static void add_piece(const struct piece *p, uint64_t from_ns, uint64_t to_ns, uint64_t values[3])
{
    uint64_t w1 = p->from[0] * NS_PER_TICK, w2 = p->to[0] * NS_PER_TICK, cpu = p->to[1] - p->from[1];
    uint64_t begin = limited(w1, from_ns, to_ns), end = limited(w2, from_ns, to_ns);
    __extension__ typedef unsigned __int128 u128;

    if (p->enters) {
        values[2] += w1 >= from_ns && w1 < to_ns;
        return;
    }
    values[0] += end - begin;
    if (w1 < w2)
        values[1] += NS_PER_TICK *
                     (uint64_t)((u128)cpu * (end - w1) / (w2 - w1) - (u128)cpu * (begin - w1) / (w2 - w1));
    else if (w1 >= from_ns && w1 < to_ns)
        values[1] += NS_PER_TICK * cpu;
}

static bool same_path(const struct fold_path *a, const struct fold_path *b)
{
    return a->n == b->n && memcmp(a->frames, b->frames, a->n) == 0;
}

/* Each node has what the pieces of its path have, and all pieces together have what all nodes have. */
static void compare(const struct profile *window, const struct history *h, uint64_t from_ns, uint64_t to_ns)
{
    for (uint32_t i = 0; i < window->n_tracks; i++) {
        const struct profile_track *t = &window->tracks[i];
        uint64_t all[3] = {0};
        for (size_t k = 0; k < h->n; k++)
            if (h->pieces[k].track == t->id - 1)
                add_piece(&h->pieces[k], from_ns, to_ns, all);
        for (node_id node = t->first; node < t->first + t->count; node++) {
            struct fold_path path = fold_model_path(window, node, t->first);
            uint64_t expected[3] = {0};
            for (size_t k = 0; k < h->n; k++)
                if (h->pieces[k].track == t->id - 1 && same_path(&h->pieces[k].path, &path))
                    add_piece(&h->pieces[k], from_ns, to_ns, expected);
            for (unsigned v = 0; v < 3; v++)
                assert_true(profile_self(window, node, v) == expected[v]);
        }
        for (unsigned v = 0; v < 3; v++)
            assert_true(profile_total(window, t->first, v) == all[v]);
        assert_true(t->begin_ns >= from_ns && t->end_ns <= to_ns);
    }
}

/* ---- parts and the whole ---- */

static node_id find_path(const struct profile *p, const struct profile_track *t, const struct fold_path *path)
{
    for (node_id node = t->first; node < t->first + t->count; node++) {
        struct fold_path here = fold_model_path(p, node, t->first);
        if (same_path(&here, path))
            return node;
    }
    return NODE_NONE;
}

static void parts_are_the_whole(const struct profile *whole, const struct profile *const *parts, size_t n)
{
    for (uint32_t i = 0; i < whole->n_tracks; i++) {
        const struct profile_track *t = &whole->tracks[i];
        for (node_id node = t->first; node < t->first + t->count; node++) {
            struct fold_path path = fold_model_path(whole, node, t->first);
            uint64_t sum[3] = {0};
            for (size_t k = 0; k < n; k++) {
                node_id found = find_path(parts[k], &parts[k]->tracks[i], &path);
                for (unsigned v = 0; v < 3 && found != NODE_NONE; v++)
                    sum[v] += profile_self(parts[k], found, v);
            }
            for (unsigned v = 0; v < 3; v++)
                assert_true(profile_self(whole, node, v) == sum[v]);
        }
    }
}

static int by_number(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return x < y ? -1 : x > y;
}

static void cut_randomly(uint64_t *random)
{
    static struct event events[EVENTS_MAX];
    size_t n = 1 + random_below(random, EVENTS_MAX), n_parts = 1 + random_below(random, WINDOWS_MAX);
    uint64_t edges[WINDOWS_MAX + 1] = {0};
    const struct profile *parts[WINDOWS_MAX];
    struct arena arena;

    wild_events(random, events, n, TRACKS, FRAMES);
    arena_init(&arena, 256 << 20);
    const struct profile *whole = fold(&arena, NULL, events, n);
    struct history *h = tell(events, n);
    for (size_t i = 1; i < n_parts; i++)
        edges[i] = whole->tracks[random_below(random, whole->n_tracks)].end_ns +
                   (uint64_t)random_below(random, 2000) * NS_PER_TICK / (1 + random_below(random, 7)) + i;
    qsort(edges, n_parts, sizeof(*edges), by_number);
    edges[n_parts] = WINDOW_NO_END;
    for (size_t i = 0; i < n_parts; i++) {
        edges[i + 1] = edges[i + 1] > edges[i] ? edges[i + 1] : edges[i] + 1;
        parts[i] = cut(&arena, whole, events, n, edges[i], edges[i + 1]);
        compare(parts[i], h, edges[i], edges[i + 1]);
    }
    parts_are_the_whole(whole, parts, n_parts);
    fold_model_free(h->model);
    free(h);
    arena_free(&arena);
}

TEST(random_windows_as_the_model)
{
    uint64_t random = 5;

    for (unsigned round = 0; round < 300; round++)
        cut_randomly(&random);
}

/* ---- by hand ---- */

/* main: a(0..100) { b(10..60) }, c from 100 on, never left: its last record is at 120. Another thread ends at 200. */
static const struct event STREAM[] = {
    {0, 0, EVENT_ENTER, 0, {0, 0}},   {0, 1, EVENT_ENTER, 0, {10, 5}},   {0, 1, EVENT_EXIT, 0, {60, 25}},
    {0, 0, EVENT_EXIT, 0, {100, 40}}, {0, 2, EVENT_ENTER, 0, {100, 40}}, {0, 3, EVENT_ENTER, 0, {110, 41}},
    {0, 3, EVENT_EXIT, 0, {120, 42}}, {1, 4, EVENT_ENTER, 0, {150, 0}},  {1, 4, EVENT_EXIT, 0, {200, 9}},
};
enum { STREAM_EVENTS = sizeof(STREAM) / sizeof(STREAM[0]) };

struct fixture {
    struct arena arena;
    const struct profile *whole, *window;
};

static void open_window(struct fixture *f, uint64_t from, uint64_t to)
{
    arena_init(&f->arena, 16 << 20);
    f->whole = fold(&f->arena, NULL, STREAM, STREAM_EVENTS);
    f->window = cut(&f->arena, f->whole, STREAM, STREAM_EVENTS, from * NS_PER_TICK, to * NS_PER_TICK);
}

static const struct profile_warning *warning(const struct profile *p, const char *code)
{
    for (uint32_t i = 0; i < p->n_warnings; i++)
        if (str_eq(p->warnings[i].code, str_of(code)))
            return &p->warnings[i];
    return NULL;
}

TEST(calls_that_an_edge_cuts_are_counted)
{
    struct fixture f;

    open_window(&f, 20, 110);
    assert_int_equal(warning(f.window, "range-cut")->count, 3); /* a and b at the left, c at the right */
    assert_null(warning(f.window, "range-empty"));
    assert_non_null(warning(f.window, "open-frames"));
    arena_free(&f.arena);
    open_window(&f, 0, 100);
    assert_null(warning(f.window, "range-cut"));
    arena_free(&f.arena);
}

TEST(a_window_without_anything_says_so)
{
    struct fixture f;

    open_window(&f, 500, 600);
    assert_int_equal(f.window->n_tracks, 2);
    assert_int_equal(f.window->n_nodes, 2);
    assert_non_null(warning(f.window, "range-empty"));
    assert_null(warning(f.window, "range-cut"));
    arena_free(&f.arena);
}

/* What is never left goes on to the trace's end, as far as that lies within the window. */
TEST(open_frames_go_on_within_the_window)
{
    struct fixture f;
    struct profile_track t;

    open_window(&f, 130, 170);
    const struct profile *to_end = open_frames_to_end(f.window, &f.arena);
    assert_non_null(to_end);
    t = to_end->tracks[0];
    assert_int_equal(t.count, 2);
    assert_int_equal(to_end->node_frame[t.first + 1], 2);
    assert_int_equal(profile_self(to_end, t.first + 1, 0), 40 * NS_PER_TICK);
    assert_int_equal(profile_self(to_end, t.first + 1, 1), 0);
    assert_int_equal(profile_self(to_end, t.first + 1, 2), 0);
    assert_int_equal(profile_total(to_end, to_end->tracks[1].first, 0), 20 * NS_PER_TICK);
    arena_free(&f.arena);
}

/* What needs more memory than there is ends, wherever that is. */
TEST(memory_ends)
{
    struct arena arena;

    arena_init(&arena, 16 << 20);
    struct replayed log;
    const struct profile *whole = fold(&arena, &log, STREAM, STREAM_EVENTS);
    struct window_request request = {whole, {0, WINDOW_NO_END}, {3, 4}};
    bool made = false;
    for (size_t limit = 0; !made && limit < 1 << 20; limit += 64) {
        struct arena small, scratch;
        arena_init(&small, limit);
        arena_init(&scratch, 16 << 20);
        struct window_sink *sink = window_sink_new(&small, &scratch, &request);
        if (sink != NULL)
            made = play(&log, &request, sink) == REPLAY_DONE && window_sink_finish(sink) != NULL;
        assert_true(made || small.failure == ARENA_LIMIT);
        arena_free(&small);
        arena_free(&scratch);
    }
    assert_true(made);
    replayed_close(&log);
    arena_free(&arena);
}
