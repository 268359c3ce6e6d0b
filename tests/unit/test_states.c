/* Clocks of a thread's states: random calls and states, cut into windows at random, against a list of all that happened. */
#include "tests/support/unit.h"

#include "profile/build/builder.h"
#include "profile/calls/window.h"
#include "tests/support/random.h"
#include "tests/support/replayed.h"

enum { TIMES = 7, FRAMES = 5, TRACKS = 2, STEPS = 300, PIECES_MAX = STEPS + TRACKS, FIRST_STATE = 1 };

static const struct profile_value VALUES[] = {
    {STR_INIT("wall"), STR_INIT("wall time"), UNIT_NS, ROLE_WALL},
    {STR_INIT("cpu"), STR_INIT("running"), UNIT_NS, ROLE_CPU},
    {STR_INIT("runnable"), STR_INIT("runnable"), UNIT_NS, ROLE_RUNNABLE},
    {STR_INIT("sleeping"), STR_INIT("sleeping"), UNIT_NS, ROLE_SLEEPING},
    {STR_INIT("blocked"), STR_INIT("blocked"), UNIT_NS, ROLE_BLOCKED},
    {STR_INIT("io"), STR_INIT("input and output"), UNIT_NS, ROLE_IO},
    {STR_INIT("unknown"), STR_INIT("unknown"), UNIT_NS, ROLE_UNKNOWN},
    {STR_INIT("calls"), STR_INIT("calls"), UNIT_COUNT, ROLE_CALLS},
};

/* What a track did between two of its records: one state, one innermost frame (FRAMES: none). */
struct piece {
    uint64_t from, to;
    uint32_t track, state, top;
};

struct story {
    struct piece pieces[PIECES_MAX];
    size_t n;
    uint64_t end;
};

struct thread {
    uint64_t clocks[TIMES];
    uint32_t state, depth, stack[STEPS];
};

/* log: NULL: none is written. */
static struct builder *open_builder(struct arena *arena, struct replayed *log)
{
    struct builder *b = replayed_open(log, arena, VALUES, TIMES, 1, false);

    replayed_letters(b, FRAMES);
    replayed_tracks(b, 1, TRACKS);
    return b;
}

static uint32_t top_of(const struct thread *t)
{
    return t->depth > 0 ? t->stack[t->depth - 1] : FRAMES;
}

/* Time goes on for the thread, in the state that it is in. */
static void pass(struct story *s, struct thread *t, uint32_t track, uint64_t now)
{
    uint64_t gone = now - t->clocks[0];

    if (gone > 0)
        s->pieces[s->n++] = (struct piece){t->clocks[0], now, track, t->state, top_of(t)};
    t->clocks[0] = now;
    t->clocks[t->state] += gone;
}

/* Some records are told with all their clocks, some with the two that have gone on since the track's last one. */
static const struct profile *tell(struct arena *arena, struct replayed *log, struct story *s,
                                  uint64_t *random)
{
    struct builder *b = open_builder(arena, log);
    struct thread threads[TRACKS] = {{.state = FIRST_STATE}, {.state = FIRST_STATE}};
    uint64_t now = 0;

    *s = (struct story){.n = 0};
    for (unsigned i = 0; i < STEPS; i++) {
        uint32_t track = random_below(random, TRACKS), what = random_below(random, 4);
        struct thread *t = &threads[track];
        struct event e = {.track = track, .frame = FRAME_NONE, .action = EVENT_STATE};
        uint32_t was = t->state;
        now += random_below(random, 3) == 0 ? 0 : random_below(random, 1000000);
        pass(s, t, track, now);
        if (what == 0) {
            e.action = EVENT_ENTER;
            e.frame = t->stack[t->depth++] = random_below(random, FRAMES);
        } else if (what == 1 && t->depth > 0) {
            e.action = EVENT_EXIT;
            t->depth--;
        } else {
            t->state = FIRST_STATE + random_below(random, TIMES - FIRST_STATE);
        }
        if (random_below(random, 4) == 0)
            assert_true(builder_event(b, &e, t->clocks, 0));
        else
            assert_true(builder_turn(b, e.track, e.action, e.frame, t->clocks, was));
    }
    s->end = now;
    return replayed_finish(log, b);
}

/* The first record of a track begins it: what stands before it is in no profile. */
static void assert_equals(const struct profile *p, const struct profile *whole, const struct story *s,
                          uint64_t from, uint64_t to)
{
    uint64_t want[TRACKS][FRAMES + 1][TIMES] = {{{0}}}, got[TRACKS][FRAMES + 1][TIMES] = {{{0}}};

    for (size_t i = 0; i < s->n; i++) {
        const struct piece *x = &s->pieces[i];
        uint64_t begin = x->from > from ? x->from : from, end = x->to < to ? x->to : to;
        if (end <= begin || x->from < whole->tracks[x->track].begin_ns)
            continue;
        want[x->track][x->top][0] += end - begin;
        want[x->track][x->top][x->state] += end - begin;
    }
    for (uint32_t i = 0; i < p->n_tracks; i++)
        for (node_id n = p->tracks[i].first; n < p->tracks[i].first + p->tracks[i].count; n++)
            for (uint32_t v = 0; v < TIMES; v++) {
                frame_id frame = p->node_frame[n];
                got[i][frame == FRAME_NONE ? FRAMES : frame][v] += profile_self(p, n, v);
            }
    assert_memory_equal(want, got, sizeof(want));
}

TEST(states_and_windows_of_them_as_they_happened)
{
    uint64_t random = 7;

    for (unsigned round = 0; round < 60; round++) {
        struct arena arena, scratch;
        struct replayed log;
        struct story s;
        arena_init(&arena, 64 << 20);
        arena_init(&scratch, 64 << 20);
        const struct profile *p = tell(&arena, &log, &s, &random);
        assert_equals(p, p, &s, 0, UINT64_MAX);
        for (unsigned k = 0; k < 4; k++) {
            uint64_t from = random_below(&random, (uint32_t)s.end),
                     to = from + 1 + random_below(&random, (uint32_t)s.end);
            struct window_request request = {p, {from, to}, {3, 4}};
            struct window_sink *sink = window_sink_new(&arena, &scratch, &request);
            assert_non_null(sink);
            assert_int_equal(replayed_play(&log, p,
                                           (struct replay_request){.window = &request.window,
                                                                   .rests = true,
                                                                   .sink = window_sink_replay(sink)}),
                             REPLAY_DONE);
            const struct profile *window = window_sink_finish(sink);
            assert_non_null(window);
            assert_equals(window, p, &s, from, to);
        }
        replayed_close(&log);
        arena_free(&scratch);
        arena_free(&arena);
    }
}

TEST(states_without_a_log)
{
    uint64_t random = 8;

    for (unsigned round = 0; round < 60; round++) {
        struct arena arena;
        struct story s;
        arena_init(&arena, 64 << 20);
        const struct profile *p = tell(&arena, NULL, &s, &random);
        assert_equals(p, p, &s, 0, UINT64_MAX);
        arena_free(&arena);
    }
}

/* Clocks that wrap have no states. */
TEST(turns_that_cannot_be)
{
    const uint64_t clocks[TIMES] = {0};
    struct arena arena;

    arena_init(&arena, 16 << 20);
    struct builder *b = open_builder(&arena, NULL);
    builder_clocks(b, 1, true);
    assert_false(builder_turn(b, 0, EVENT_STATE, FRAME_NONE, clocks, 1));
    arena_free(&arena);
}

TEST(clocks_stand_in_the_order_of_their_roles)
{
    const struct profile_value states[] = {VALUES[0], VALUES[1], VALUES[3], VALUES[2]};
    struct arena arena;

    arena_init(&arena, 16 << 20);
    assert_false(builder_values(builder_new(&arena, (struct hash_seed){1, 2}), states, 4, &VALUES[TIMES], 1));
    assert_false(
        builder_values(builder_new(&arena, (struct hash_seed){1, 2}), &VALUES[2], 1, &VALUES[TIMES], 1));
    assert_false(
        builder_values(builder_new(&arena, (struct hash_seed){1, 2}), &VALUES[1], 2, &VALUES[TIMES], 1));
    assert_true(builder_values(builder_new(&arena, (struct hash_seed){1, 2}), states, 3, &VALUES[TIMES], 1));
    arena_free(&arena);
}
