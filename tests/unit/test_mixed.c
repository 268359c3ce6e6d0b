/* Calls, samples and a heap in one profile: random ones, and each number against what was told, counted slowly. */
#include "tests/support/unit.h"

#include <string.h>

#include "profile/build/builder.h"
#include "profile/calls/window.h"
#include "tests/support/random.h"
#include "tests/support/replayed.h"

enum { CALLS_TRACK, SAMPLES_TRACK, HEAP_TRACK, TRACKS };
enum { WALL, CPU, CALLS, SAMPLES, BYTES, VALUES };
enum { FRAMES = 4, RECORDS = 300, DUMPS = 12 };

static const struct profile_value NAMES[VALUES] = {
    {STR_INIT("wall"), STR_INIT("wall time"), UNIT_NS, ROLE_WALL},
    {STR_INIT("cpu"), STR_INIT("thread CPU time"), UNIT_NS, ROLE_CPU},
    {STR_INIT("calls"), STR_INIT("calls"), UNIT_COUNT, ROLE_CALLS},
    {STR_INIT("samples"), STR_INIT("samples"), UNIT_COUNT, ROLE_SAMPLES},
    {STR_INIT("bytes"), STR_INIT("bytes"), UNIT_BYTES, ROLE_UNRELEASED},
};

/* All stacks are of one frame, or of none. */
struct sample {
    uint64_t at;
    frame_id frame;
};
struct change {
    uint64_t at;
    frame_id frame;
    int64_t bytes;
};
struct truth {
    struct sample samples[RECORDS], enters[RECORDS];
    struct change changes[DUMPS];
    uint64_t end;
    uint32_t n_samples, n_enters;
};

static struct builder *open_builder(struct arena *arena)
{
    struct builder *b = builder_new(arena, (struct hash_seed){3, 4});

    assert_non_null(b);
    assert_true(builder_values(b, NAMES, 2, &NAMES[CALLS], 1));
    assert_true(builder_values_beside(b, &NAMES[SAMPLES], 2));
    builder_clocks(b, 1, false);
    return b;
}

static void add_tracks(struct builder *b)
{
    replayed_letters(b, FRAMES);
    replayed_tracks(b, 1, TRACKS);
    builder_track_beside(b, SAMPLES_TRACK, CALLS_TRACK + 1, 0, 1);
    builder_track_beside(b, HEAP_TRACK, 0, 1, 1);
}

static void add_call(struct builder *b, uint64_t *random, struct truth *t)
{
    uint64_t clocks[PROFILE_CLOCKS_MAX] = {t->end, t->end / 2};
    struct event e = {.track = CALLS_TRACK, .frame = random_below(random, FRAMES)};

    e.action = builder_track_records(b, CALLS_TRACK) % 2 == 0 ? EVENT_ENTER : EVENT_EXIT;
    if (e.action == EVENT_EXIT)
        e.frame = t->enters[t->n_enters - 1].frame;
    else
        t->enters[t->n_enters++] = (struct sample){t->end, e.frame};
    assert_true(builder_event(b, &e, clocks, WARNING_NO_OFFSET));
}

static void add_sample(struct builder *b, uint64_t *random, struct truth *t)
{
    frame_id frame = random_below(random, FRAMES);
    const uint64_t values[] = {1, 0};

    t->samples[t->n_samples++] = (struct sample){t->end, frame};
    assert_true(builder_sample_at(b, SAMPLES_TRACK, builder_stack(b, SAMPLES_TRACK, NODE_NONE, &frame, 1),
                                  values, t->end));
}

static void add_dumps(struct builder *b, uint64_t *random, struct truth *t)
{
    for (uint32_t i = 0, moment; i < DUMPS; i++) {
        struct change *c = &t->changes[i];
        *c = (struct change){(i + 1) * t->end / DUMPS, random_below(random, FRAMES),
                             (int64_t)random_below(random, 100) - 30};
        const int64_t changes[] = {0, c->bytes};
        assert_true(builder_moment(b, HEAP_TRACK, c->at, &moment));
        assert_true(builder_change(b, HEAP_TRACK, moment,
                                   builder_stack(b, HEAP_TRACK, NODE_NONE, &c->frame, 1), changes));
    }
}

static const struct profile *read_random(struct arena *arena, struct replayed *log, uint64_t *random,
                                         struct truth *t)
{
    struct builder *b = open_builder(arena);

    memset(t, 0, sizeof(*t));
    replayed_begin(log, b);
    add_tracks(b);
    for (uint32_t i = 0; i < RECORDS; i++, t->end += random_below(random, 50) + 1)
        random_below(random, 2) == 0 ? add_call(b, random, t) : add_sample(b, random, t);
    add_dumps(b, random, t);
    return replayed_finish(log, b);
}

/* The self of the frame on that track; 0 where there is no such node. */
static uint64_t self_of(const struct profile *p, uint32_t track, frame_id frame, uint32_t value)
{
    const struct profile_track *t = &p->tracks[track];
    uint64_t sum = 0;

    for (node_id i = t->first; i < t->first + t->count; i++)
        if (p->node_frame[i] == frame)
            sum += profile_self(p, i, value);
    return sum;
}

static uint64_t count(const struct sample *list, uint32_t n, frame_id frame, const struct window *w)
{
    uint64_t found = 0;

    for (uint32_t i = 0; i < n; i++)
        found += list[i].frame == frame && window_has(w, list[i].at);
    return found;
}

static uint64_t bytes(const struct truth *t, frame_id frame, const struct window *w)
{
    int64_t sum = 0;

    for (uint32_t i = 0; i < DUMPS; i++)
        if (t->changes[i].frame == frame && window_has(w, t->changes[i].at))
            sum += t->changes[i].bytes;
    return sum > 0 ? (uint64_t)sum : 0;
}

static void compare(const struct profile *p, const struct truth *t, const struct window *w)
{
    for (frame_id f = 0; f < FRAMES; f++) {
        assert_int_equal(self_of(p, SAMPLES_TRACK, f, SAMPLES), count(t->samples, t->n_samples, f, w));
        assert_int_equal(self_of(p, CALLS_TRACK, f, CALLS), count(t->enters, t->n_enters, f, w));
        assert_int_equal(self_of(p, HEAP_TRACK, f, BYTES), bytes(t, f, w));
    }
    for (uint32_t i = 0; i < TRACKS; i++)
        for (uint32_t v = 0; v < VALUES; v++)
            assert_true(track_has(&p->tracks[i], v) || profile_total(p, p->tracks[i].first, v) == 0);
}

static const struct profile *cut(struct arena *arena, const struct replayed *log, const struct profile *p,
                                 const struct window *w)
{
    const struct window_request request = {.profile = p, .window = *w, .seed = {5, 6}};
    struct window_sink *sink = window_sink_new(arena, arena, &request);

    assert_non_null(sink);
    const struct replay_request replay = {.window = w, .rests = true, .sink = window_sink_replay(sink)};
    assert_int_equal(replayed_play(log, p, replay), REPLAY_DONE);
    return window_sink_finish(sink);
}

TEST(random_windows)
{
    const struct window all = {0, WINDOW_NO_END};
    uint64_t random = 11;

    for (unsigned round = 0; round < 40; round++) {
        struct arena arena, own;
        struct replayed log;
        struct truth t;
        arena_init(&arena, 16 << 20);
        const struct profile *p = read_random(&arena, &log, &random, &t);
        assert_true(profile_is_mixed(p));
        compare(p, &t, &all);
        for (unsigned i = 0; i < 8; i++) {
            struct window w = {random_below(&random, (uint32_t)t.end), 0};
            w.to_ns = w.from_ns + 1 + random_below(&random, (uint32_t)t.end);
            arena_init(&own, 16 << 20);
            const struct profile *made = cut(&own, &log, p, &w);
            assert_non_null(made);
            compare(made, &t, &w);
            assert_int_equal(made->n_moments, 0);
            arena_free(&own);
        }
        replayed_close(&log);
        arena_free(&arena);
    }
}

TEST(each_track_has_its_values)
{
    struct arena arena;
    struct replayed log;
    struct truth t;
    uint64_t random = 12;

    arena_init(&arena, 16 << 20);
    const struct profile *p = read_random(&arena, &log, &random, &t);
    const uint32_t values[TRACKS] = {1 << WALL | 1 << CPU | 1 << CALLS, 1 << SAMPLES, 1 << BYTES};
    for (uint32_t i = 0; i < TRACKS; i++) {
        assert_int_equal(p->tracks[i].values, values[i]);
        assert_int_equal(profile_track_times(p, &p->tracks[i]), i == CALLS_TRACK ? 2 : 0);
    }
    assert_int_equal(p->tracks[SAMPLES_TRACK].beside, CALLS_TRACK + 1);
    assert_int_equal(p->n_beside, 2);
    replayed_close(&log);
    arena_free(&arena);
}

/* What needs more memory than there is ends, wherever that is. */
TEST(memory_ends)
{
    struct arena arena;
    struct replayed log;
    struct truth t;
    uint64_t random = 13;
    bool made = false;

    arena_init(&arena, 16 << 20);
    const struct profile *p = read_random(&arena, &log, &random, &t);
    const struct window_request request = {.profile = p, .window = {t.end / 3, t.end}, .seed = {5, 6}};
    for (size_t limit = 0; !made && limit < 1 << 20; limit += 64) {
        struct arena small, scratch;
        arena_init(&small, limit);
        arena_init(&scratch, 16 << 20);
        struct window_sink *sink = window_sink_new(&small, &scratch, &request);
        if (sink != NULL) {
            const struct replay_request replay = {
                .window = &request.window, .rests = true, .sink = window_sink_replay(sink)};
            made = replayed_play(&log, p, replay) == REPLAY_DONE && window_sink_finish(sink) != NULL;
        }
        assert_true(made || small.failure == ARENA_LIMIT);
        arena_free(&small);
        arena_free(&scratch);
    }
    assert_true(made);
    replayed_close(&log);
    arena_free(&arena);
}

static void check_misuse(const struct builder *b, const char *word)
{
    struct diag diag = {0};

    assert_false(builder_failed(b, &diag));
    assert_non_null(strstr(diag.detail, word));
}

TEST(rules_are_kept)
{
    const uint64_t clocks[PROFILE_CLOCKS_MAX] = {0}, values[] = {1, 1};
    const struct event enter = {.track = CALLS_TRACK, .action = EVENT_ENTER};
    struct arena arena;

    arena_init(&arena, 16 << 20);
    struct builder *b = open_builder(&arena);
    assert_false(builder_values_beside(b, &NAMES[SAMPLES], 1));
    check_misuse(b, "twice");
    b = open_builder(&arena);
    add_tracks(b);
    assert_false(builder_events(b, &enter, 1, 0, 0));
    check_misuse(b, "two clocks");
    b = open_builder(&arena);
    add_tracks(b);
    assert_true(builder_event(b, &enter, clocks, WARNING_NO_OFFSET));
    assert_false(builder_sample(b, CALLS_TRACK, builder_stack(b, CALLS_TRACK, NODE_NONE, NULL, 0), values));
    check_misuse(b, "two kinds");
    b = open_builder(&arena);
    add_tracks(b);
    assert_true(builder_sample(b, CALLS_TRACK, builder_stack(b, CALLS_TRACK, NODE_NONE, NULL, 0), values));
    assert_false(builder_event(b, &enter, clocks, WARNING_NO_OFFSET));
    check_misuse(b, "events and of samples");
    b = builder_new(&arena, (struct hash_seed){3, 4});
    assert_non_null(b);
    assert_true(builder_values(b, NULL, 0, &NAMES[SAMPLES], 1));
    assert_false(builder_values_beside(b, &NAMES[BYTES], 1));
    check_misuse(b, "no events");
    arena_free(&arena);
}
