/* How long calls were: random streams against all calls in an array, and the limits of what is kept. */
#include "tests/support/unit.h"

#include <stdlib.h>

#include "profile/build/builder.h"
#include "profile/calls/calls.h"
#include "tests/support/random.h"
#include "tests/support/span_model.h"

enum {
    TRACKS = SPAN_MODEL_TRACKS,
    FRAMES = SPAN_MODEL_FRAMES,
    ROWS = 4,
    CLOCKS = SPAN_MODEL_CLOCKS,
    EVENTS_MAX = 400,
    FIRST_ID = SPAN_MODEL_FIRST_ID
};

/* Several frames in one row, and some in none. The last frame is "unknown". */
static const uint32_t ROW_OF_FRAME[FRAMES + 1] = {0, 0, 1, 2, 2, CALLS_NO_ROW, 3};

/* ---- brute force ---- */

struct expected {
    struct call calls[SPAN_MODEL_CALLS_MAX];
    uint32_t rows[SPAN_MODEL_CALLS_MAX];
    size_t n;
};

static bool is_outermost(const struct span_model *m, int call)
{
    uint32_t row = ROW_OF_FRAME[m->calls[call].frame];

    for (int i = m->calls[call].parent; i >= 0; i = m->calls[i].parent)
        if (ROW_OF_FRAME[m->calls[i].frame] == row)
            return false;
    return row != CALLS_NO_ROW;
}

/* The calls of one track; the model knows one clock, so that it is asked for each. */
static void expect_track(struct expected *all, const struct event *events, size_t n, uint32_t t,
                         uint32_t index, uint64_t rest_ns)
{
    static struct span_model models[CLOCKS];

    for (unsigned c = 0; c < CLOCKS; c++)
        span_model_track(&models[c], events, n, t, c);
    for (int i = 0; i < models[0].n; i++) {
        const struct span_model_call *wall = &models[0].calls[i], *cpu = &models[1].calls[i];
        if (!is_outermost(&models[0], i))
            continue;
        all->rows[all->n] = ROW_OF_FRAME[wall->frame];
        all->calls[all->n++] =
            (struct call){index,
                          wall->begin,
                          {wall->end - wall->begin + ((wall->flags & SPAN_OPEN) != 0 ? rest_ns : 0),
                           cpu->end - cpu->begin}};
    }
}

static uint32_t sorted_clock;

static int longest_first(const void *a, const void *b)
{
    const struct call *x = a, *y = b;

    if (x->duration_ns[sorted_clock] != y->duration_ns[sorted_clock])
        return x->duration_ns[sorted_clock] > y->duration_ns[sorted_clock] ? -1 : 1;
    if (x->begin_ns != y->begin_ns)
        return x->begin_ns < y->begin_ns ? -1 : 1;
    return x->track < y->track ? -1 : x->track > y->track;
}

static void check_percentile(const struct call_durations *d, const struct call *sorted, size_t n,
                             unsigned permille)
{
    size_t rank = (n * permille + 999) / 1000; /* from 1, the shortest first */
    uint64_t exact = n == 0 ? 0 : sorted[n - rank].duration_ns[sorted_clock];
    uint64_t got = calls_percentile_ns(d, permille);

    assert_true(got >= exact && got - exact <= exact / 128);
}

static void check_clock(const struct call_durations *d, struct call *calls, size_t n, uint32_t clock)
{
    uint64_t sum = 0;

    sorted_clock = clock;
    qsort(calls, n, sizeof(*calls), longest_first);
    assert_int_equal(d->n, n);
    for (size_t i = 0; i < n; i++)
        sum += calls[i].duration_ns[clock];
    assert_int_equal(d->sum_ns, sum);
    assert_int_equal(d->max_ns, n > 0 ? calls[0].duration_ns[clock] : 0);
    assert_int_equal(d->min_ns, n > 0 ? calls[n - 1].duration_ns[clock] : 0);
    assert_int_equal(d->n_longest, n < CALLS_LISTED_MAX ? n : CALLS_LISTED_MAX);
    for (uint32_t i = 0; i < d->n_longest; i++) {
        assert_int_equal(d->longest[i].duration_ns[0], calls[i].duration_ns[0]);
        assert_int_equal(d->longest[i].duration_ns[1], calls[i].duration_ns[1]);
        assert_int_equal(d->longest[i].begin_ns, calls[i].begin_ns);
        assert_int_equal(d->longest[i].track, calls[i].track);
    }
    for (uint32_t bar = 0; bar < CALLS_BARS; bar++) {
        uint64_t within = 0;
        for (size_t i = 0; i < n; i++)
            within += calls[i].duration_ns[clock] >= calls_bar_from_ns(bar) &&
                      calls[i].duration_ns[clock] < calls_bar_from_ns(bar + 1);
        assert_int_equal(d->bars[bar], within);
    }
    for (unsigned permille = 500; permille <= 1000; permille += 45)
        check_percentile(d, calls, n, permille);
}

static void check(const struct calls *calls, const struct expected *all, uint32_t looked_at)
{
    static struct call some[SPAN_MODEL_CALLS_MAX];
    uint64_t longest[ROWS][CLOCKS] = {{0}};
    size_t n = 0;

    for (size_t i = 0; i < all->n; i++) {
        for (uint32_t c = 0; c < CLOCKS; c++)
            if (all->calls[i].duration_ns[c] > longest[all->rows[i]][c])
                longest[all->rows[i]][c] = all->calls[i].duration_ns[c];
        if (all->rows[i] == looked_at)
            some[n++] = all->calls[i];
    }
    assert_int_equal(calls->n_clocks, CLOCKS);
    assert_memory_equal(calls->longest, longest, sizeof(longest));
    for (uint32_t c = 0; c < CLOCKS; c++)
        check_clock(&calls->looked_at[c], some, n, c);
}

/* ---- tests ---- */

/* Replays all of the events' log, or what the request's window needs. */
static const struct calls *read_calls(struct arena *kept, const struct calls_request *request,
                                      const struct event *events, size_t n)
{
    struct calls_sink *sink = calls_sink_new(kept, request);
    struct replayed log;
    struct arena second;

    if (sink == NULL)
        return NULL;
    arena_init(&second, 64 << 20);
    assert_non_null(span_model_fold_tracks(&second, &log, events, n));
    enum replay_end end = replayed_play(&log, request->profile,
                                        (struct replay_request){.tracks = request->tracks,
                                                                .n_tracks = request->n_tracks,
                                                                .window = request->window,
                                                                .sink = calls_sink_replay(sink)});
    assert_int_equal(end, kept->failure == ARENA_OK ? REPLAY_DONE : REPLAY_FAILED);
    replayed_close(&log);
    arena_free(&second);
    return end == REPLAY_DONE ? calls_sink_finish(sink) : NULL;
}

TEST(random_streams)
{
    static struct expected all;
    static struct event events[EVENTS_MAX];
    uint64_t random = 77, outermost = 0;

    for (unsigned round = 0; round < 600; round++) {
        size_t n = 1 + random_below(&random, EVENTS_MAX);
        struct arena first, kept;
        uint32_t counted[TRACKS], n_counted = 0;
        arena_init(&first, 64 << 20);
        arena_init(&kept, 64 << 20);
        span_model_random_events(&random, events, n);
        const struct profile *p = span_model_fold_tracks(&first, NULL, events, n);
        assert_non_null(p);
        struct calls_request request = {.profile = p,
                                        .row_of_frame = ROW_OF_FRAME,
                                        .n_rows = ROWS,
                                        .tracks = counted,
                                        .open_to_end = random_below(&random, 2) == 0,
                                        .looked_at = random_below(&random, ROWS)};
        all.n = 0;
        for (uint32_t i = 0; i < p->n_tracks; i++) {
            if (random_below(&random, 5) == 0)
                continue;
            uint32_t t = (p->tracks[i].id - FIRST_ID + TRACKS - 1) % TRACKS;
            counted[n_counted++] = i;
            expect_track(&all, events, n, t, i, request.open_to_end ? p->tracks[i].rest_ns : 0);
        }
        request.n_tracks = n_counted;
        const struct calls *calls = read_calls(&kept, &request, events, n);
        assert_non_null(calls);
        check(calls, &all, request.looked_at);
        outermost += all.n;
        arena_free(&first);
        arena_free(&kept);
    }
    assert_true(outermost > 10000);
}

/* Classes are as wide as promised over all of 64 bits. */
TEST(percentiles_of_one)
{
    for (unsigned bit = 0; bit < 62; bit++)
        for (int64_t off = -1; off <= 1; off++) {
            uint64_t ns = (UINT64_C(1) << bit) + (uint64_t)off, more = ns + ns / 3;
            const struct event events[] = {{.clock = {0}, .action = EVENT_ENTER},
                                           {.clock = {ns, 0}, .action = EVENT_EXIT},
                                           {.clock = {ns, 0}, .action = EVENT_ENTER},
                                           {.clock = {ns + more, 0}, .action = EVENT_EXIT}};
            struct arena first, kept;
            arena_init(&first, 1 << 20);
            arena_init(&kept, 1 << 20);
            const struct profile *p = span_model_fold_tracks(&first, NULL, events, 4);
            const uint32_t tracks[] = {0};
            const struct calls_request request = {
                .profile = p, .row_of_frame = ROW_OF_FRAME, .n_rows = ROWS, .tracks = tracks, .n_tracks = 1};
            const struct calls *calls = read_calls(&kept, &request, events, 4);
            uint64_t median = calls_percentile_ns(&calls->looked_at[0], 500);
            assert_true(median >= ns && median - ns <= ns / 128);
            assert_int_equal(calls_percentile_ns(&calls->looked_at[0], 1000), more);
            arena_free(&first);
            arena_free(&kept);
        }
}

/* A million calls take no more memory than a thousand. */
TEST(memory_does_not_grow_with_calls)
{
    static const unsigned REPEATS[] = {1, 1000};
    enum { N = 2000 };
    static struct event events[1000 * N];
    size_t used[2];

    for (unsigned round = 0; round < 2; round++) {
        const unsigned n = N * REPEATS[round];
        struct arena first, kept;
        const uint32_t tracks[] = {0};
        arena_init(&first, 64 << 20);
        arena_init(&kept, 64 << 20);
        for (unsigned i = 0; i < n; i++)
            events[i] = (struct event){.action = i % 2 == 0 ? EVENT_ENTER : EVENT_EXIT,
                                       .clock = {(uint64_t)(i / N) * N * N + i % N * (i % N), i}};
        const struct profile *p = span_model_fold_tracks(&first, NULL, events, n);
        const struct calls_request request = {
            .profile = p, .row_of_frame = ROW_OF_FRAME, .n_rows = ROWS, .tracks = tracks, .n_tracks = 1};
        const struct calls *calls = read_calls(&kept, &request, events, n);
        assert_non_null(calls);
        assert_int_equal(calls->looked_at[0].n, n / 2);
        used[round] = kept.used_bytes;
        arena_free(&first);
        arena_free(&kept);
    }
    assert_int_equal(used[0], used[1]);
}

/* Whatever memory there is: what was asked for, or nothing; never a part of it. */
TEST(without_memory)
{
    static struct event events[EVENTS_MAX];
    uint64_t random = 5;
    bool done = false;
    struct arena first;

    arena_init(&first, 64 << 20);
    span_model_random_events(&random, events, EVENTS_MAX);
    const struct profile *p = span_model_fold_tracks(&first, NULL, events, EVENTS_MAX);
    const uint32_t tracks[] = {0, 1, 2};
    const struct calls_request request = {.profile = p,
                                          .row_of_frame = ROW_OF_FRAME,
                                          .n_rows = ROWS,
                                          .tracks = tracks,
                                          .n_tracks = p->n_tracks};
    for (size_t limit = 100; !done && limit < 64 << 20; limit = limit * 5 / 4) {
        struct arena kept;
        arena_init(&kept, limit);
        done = read_calls(&kept, &request, events, EVENTS_MAX) != NULL;
        assert_true(done || kept.failure != ARENA_OK);
        arena_free(&kept);
    }
    assert_true(done);
    arena_free(&first);
}
