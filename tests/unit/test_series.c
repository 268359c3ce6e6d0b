/* Samples with times, values below 0, and series of moments: into the profile, and one moment or interval
 * out of it. */
#include "tests/support/replayed.h"
#include "tests/support/unit.h"

#include "profile/calls/span.h"
#include "profile/track.h"
#include "profile/transform/transform.h"
#include "tests/support/builder_fixture.h"
#include "tests/support/profile_checks.h"
#include "tests/support/random.h"

static const struct profile_value VALUES[] = {
    {STR_INIT("unreleased"), STR_INIT("unreleased"), UNIT_BYTES, ROLE_UNRELEASED},
    {STR_INIT("allocated"), STR_INIT("allocated"), UNIT_BYTES, ROLE_ALLOCATED},
};

/* ---- values below 0 ---- */

TEST_WITH(what_goes_down_has_a_column, builder_set_up, builder_tear_down)
{
    struct builder_fixture *f = *state;
    struct builder *b = f->builder;

    assert_true(builder_values(b, NULL, 0, VALUES, 2));
    builder_signed(b);
    uint32_t track = builder_track(b, 1, STRING_EMPTY);
    const frame_id up = builder_frame_numbered(b, 0), down = builder_frame_numbered(b, 1);
    assert_true(
        builder_sample(b, track, builder_stack(b, track, NODE_NONE, &up, 1), (const uint64_t[]){7, 1}));
    assert_true(builder_sample(b, track, builder_stack(b, track, NODE_NONE, &up, 1),
                               (const uint64_t[]){(uint64_t)-3, 1}));
    assert_true(builder_sample(b, track, builder_stack(b, track, NODE_NONE, &down, 1),
                               (const uint64_t[]){(uint64_t)-9, 5}));
    const struct profile *p = builder_finished(f);
    assert_int_equal(p->n_minus, 1);
    assert_int_equal(p->minus[0], 2);
    assert_int_equal(p->minus[1], 0);
    assert_int_equal(profile_total(p, 0, 0), 4);
    assert_int_equal(profile_minus_total(p, 0, 0), 9);
    assert_int_equal(profile_total(p, 0, 1), 7);
    assert_int_equal(profile_minus_total(p, 0, 1), 0);
}

TEST_WITH(signed_sums_saturate, builder_set_up, builder_tear_down)
{
    struct builder_fixture *f = *state;
    struct builder *b = f->builder;

    assert_true(builder_values(b, NULL, 0, VALUES, 2));
    builder_signed(b);
    uint32_t track = builder_track(b, 1, STRING_EMPTY);
    for (int i = 0; i < 2; i++)
        assert_true(builder_sample(b, track, builder_stack(b, track, NODE_NONE, NULL, 0),
                                   (const uint64_t[]){(uint64_t)INT64_MIN, (uint64_t)INT64_MAX}));
    const struct profile *p = builder_finished(f);
    assert_true(profile_minus_self(p, 0, 0) == (uint64_t)INT64_MAX + 1);
    assert_true(profile_self(p, 0, 1) == (uint64_t)INT64_MAX);
    assert_int_equal(profile_warned_count(p, WARN_VALUE_OVERFLOW), 2);
}

/* ---- samples with times ---- */

TEST_WITH(stacks_hold_until_the_next, builder_set_up, builder_tear_down)
{
    static const struct {
        uint64_t at;
        uint32_t n, frames[3];
    } SAMPLES[] = {{100, 2, {0, 1}}, {130, 3, {0, 1, 2}}, {150, 2, {0, 2}},
                   {140, 2, {0, 2}}, {190, 0, {0}},       {200, 1, {1}}};
    struct builder_fixture *f = *state;
    struct builder *b = f->builder;
    struct span_request request = {
        .track = 5, .ns_per_tick = 1, .to_ns = INT64_MAX, .least_ns = 1, .levels_max = 9, .spans_max = 99};
    struct span_sink *sink = span_sink_new(&f->arena, &request);
    struct replayed log;

    assert_non_null(sink);
    assert_true(builder_values(b, NULL, 0, VALUES, 2));
    builder_clocks(b, 1, false);
    replayed_begin(&log, b);
    uint32_t track = builder_track(b, 5, STRING_EMPTY);
    for (size_t i = 0; i < sizeof(SAMPLES) / sizeof(*SAMPLES); i++) {
        frame_id frames[3];
        for (uint32_t k = 0; k < SAMPLES[i].n; k++)
            frames[k] = builder_frame_numbered(b, SAMPLES[i].frames[k]);
        assert_true(builder_sample_at(b, track, builder_stack(b, track, NODE_NONE, frames, SAMPLES[i].n),
                                      (const uint64_t[]){1, 2}, SAMPLES[i].at));
    }
    const struct profile *p = builder_finished(f);
    assert_true(p->timed);
    assert_int_equal(p->tracks[0].begin_ns, 100);
    assert_int_equal(p->tracks[0].end_ns, 200);
    assert_int_equal(profile_total(p, 0, 0), 6);
    assert_int_equal(profile_warned_count(p, WARN_TIME_BACK), 1);
    replayed_end(&log, p);
    assert_int_equal(replayed_play(&log, p, (struct replay_request){.sink = span_sink_replay(sink)}),
                     REPLAY_DONE);
    replayed_close(&log);
    const struct spans *s = span_sink_finish(sink);
    static const struct {
        uint32_t depth;
        uint64_t begin, end;
    } SPANS[] = {{1, 100, 190}, {2, 100, 150}, {3, 130, 150}, {2, 150, 190}, {1, 200, 200}};
    assert_int_equal(s->n, sizeof(SPANS) / sizeof(*SPANS));
    for (uint32_t i = 0; i < s->n; i++) {
        bool found = false;
        for (size_t k = 0; k < sizeof(SPANS) / sizeof(*SPANS); k++)
            found = found || (SPANS[k].depth == s->list[i].depth && SPANS[k].begin == s->list[i].begin_ns &&
                              SPANS[k].end == s->list[i].end_ns);
        assert_true(found);
    }
}

TEST_WITH(a_track_is_of_one_use, builder_set_up, builder_tear_down)
{
    struct builder_fixture *f = *state;
    struct builder *b = f->builder;
    struct diag diag = {0};
    uint32_t moment;

    assert_true(builder_values(b, NULL, 0, VALUES, 2));
    uint32_t track = builder_track(b, 1, STRING_EMPTY);
    assert_true(builder_moment(b, track, 5, &moment));
    assert_false(
        builder_sample(b, track, builder_stack(b, track, NODE_NONE, NULL, 0), (const uint64_t[]){1, 1}));
    assert_false(builder_failed(b, &diag));
    assert_int_equal(diag.kind, DIAG_UNUSABLE);
    assert_false(builder_moment(b, track, 5, &moment)); /* not later */
    assert_false(builder_change(b, track, 1, builder_stack(b, track, NODE_NONE, NULL, 0),
                                (const int64_t[]){1, 1})); /* not declared */
}

/* ---- series ---- */

/* Which moment a node's values are those of, by a plain model: what all changes up to it, or of it alone,
 * add up to. */
enum { TRACKS = 3, STACKS = 6, MOMENTS = 5 };
struct model {
    int64_t change[TRACKS][STACKS][MOMENTS][2];
    uint32_t moments[TRACKS];
};

static void fill(struct builder *b, struct model *m, uint64_t *seed)
{
    uint32_t tracks[TRACKS];

    for (uint32_t t = 0; t < TRACKS; t++) {
        tracks[t] = builder_track(b, 10 * (TRACKS - t), STRING_EMPTY);
        m->moments[t] = 1 + (uint32_t)random_below(seed, MOMENTS);
        for (uint32_t i = 0; i < m->moments[t]; i++) {
            uint32_t number;
            assert_true(builder_moment(b, tracks[t], 100 * i + t, &number));
            assert_int_equal(number, i);
        }
    }
    for (int i = 0; i < 60; i++) {
        uint32_t t = (uint32_t)random_below(seed, TRACKS), stack = (uint32_t)random_below(seed, STACKS),
                 moment = (uint32_t)random_below(seed, m->moments[t]);
        int64_t change[2] = {(int64_t)random_below(seed, 200) - 60, (int64_t)random_below(seed, 9)};
        /* The frames of a number are its digits to the base 2. */
        frame_id frames[] = {builder_frame_numbered(b, stack & 1),
                             builder_frame_numbered(b, 2 + (stack >> 1))};
        assert_true(
            builder_change(b, tracks[t], moment, builder_stack(b, tracks[t], NODE_NONE, frames, 2), change));
        m->change[t][stack][moment][0] += change[0];
        m->change[t][stack][moment][1] += change[1];
    }
}

static int64_t expected(const struct model *m, uint32_t t, uint32_t stack, uint32_t value,
                        const struct moment_request *r)
{
    int64_t sum = 0;
    uint32_t end = r->number == 0 ? m->moments[t] : r->number, since = r->since > 0 ? r->since : end - 1;

    for (uint32_t i = r->interval ? since : 0; i < m->moments[t] && i < end; i++)
        sum += m->change[t][stack][i][value];
    return !r->interval && sum < 0 ? 0 : sum;
}

static int64_t found(const struct profile *p, const struct profile_track *t, uint32_t stack, uint32_t value)
{
    for (node_id i = t->first; i < t->first + t->count; i++) {
        node_id up = p->node_parent[i];
        if (up == NODE_NONE || p->node_parent[up] == NODE_NONE)
            continue;
        struct str outer = profile_string(p, p->frames[p->node_frame[up]].name),
                   inner = profile_string(p, p->frames[p->node_frame[i]].name);
        if (outer.p[outer.n - 1] - '0' == (int)(stack & 1) &&
            inner.p[inner.n - 1] - '0' == (int)(2 + (stack >> 1)))
            return (int64_t)profile_self(p, i, value) - (int64_t)profile_minus_self(p, i, value);
    }
    return 0;
}

/* At one moment, or between two: all that the model says is found. */
static void check_moment(struct builder_fixture *f, const struct profile *p, const struct model *m,
                         const struct moment_request *request)
{
    bool whole = request->number == 0 && !request->interval;
    const struct profile *at = whole ? p : moment_apply(p, request, &f->arena);

    assert_non_null(at);
    for (uint32_t t = 0; t < TRACKS; t++) {
        const struct profile_track *track = profile_track_by_id(at, 10 * (TRACKS - t));
        assert_int_equal(track->n_moments, m->moments[t]);
        assert_int_equal(p->moments[track->first_moment + m->moments[t] - 1].time_ns,
                         100 * (m->moments[t] - 1) + t);
        for (uint32_t stack = 0; stack < STACKS; stack++)
            for (uint32_t v = 0; v < 2; v++)
                assert_true(found(at, track, stack, v) == expected(m, t, stack, v, request));
    }
}

/* What all stacks of a track have in all, at each of its moments. */
static void check_totals(const struct profile *p, const struct model *m)
{
    for (uint32_t t = 0; t < TRACKS; t++) {
        const struct profile_track *track = profile_track_by_id(p, 10 * (TRACKS - t));
        int64_t totals[MOMENTS * 2], sums[2] = {0};
        moment_totals(p, track, totals);
        for (uint32_t i = 0; i < track->n_moments; i++)
            for (uint32_t v = 0; v < 2; v++) {
                for (uint32_t stack = 0; stack < STACKS; stack++)
                    sums[v] += m->change[t][stack][i][v];
                assert_true(totals[i * 2 + v] == sums[v]);
            }
    }
}

TEST(moments_are_sums_of_changes)
{
    for (uint64_t seed = 1; seed <= 40; seed++) {
        struct builder_fixture *f;
        uint64_t random = seed;
        struct model m = {.moments = {0}};
        void *fixture = NULL;
        assert_int_equal(builder_set_up(&fixture), 0);
        f = fixture;
        assert_true(builder_values(f->builder, NULL, 0, VALUES, 2));
        fill(f->builder, &m, &random);
        const struct profile *p = builder_finished(f);
        assert_int_equal(p->n_tracks, TRACKS);
        uint32_t most = moment_count(p);
        check_totals(p, &m);
        for (uint32_t number = 0; number <= most + 1; number++)
            for (uint32_t since = 0; since == 0 || since < number; since++) {
                check_moment(f, p, &m, &(struct moment_request){number, true, since});
                if (since == 0)
                    check_moment(f, p, &m, &(struct moment_request){number, false, 0});
            }
        builder_tear_down(&fixture);
    }
}

TEST_WITH(sums_below_zero_are_counted, builder_set_up, builder_tear_down)
{
    struct builder_fixture *f = *state;
    struct builder *b = f->builder;
    uint32_t moment;

    assert_true(builder_values(b, NULL, 0, VALUES, 2));
    uint32_t track = builder_track(b, 1, STRING_EMPTY);
    assert_true(builder_moment(b, track, 5, &moment));
    assert_true(builder_change(b, track, moment, builder_stack(b, track, NODE_NONE, NULL, 0),
                               (const int64_t[]){-1, 0}));
    const struct profile *p = builder_finished(f);
    assert_int_equal(p->n_minus, 0);
    assert_int_equal(profile_self(p, 0, 0), 0);
    assert_int_equal(profile_warned_count(p, WARN_BELOW_ZERO), 1);
}

/* ---- words ---- */

TEST_WITH(tracks_have_words_of_their_own, builder_set_up, builder_tear_down)
{
    struct builder_fixture *f = *state;
    struct builder *b = f->builder;
    struct buf text = {0};

    assert_true(builder_values(b, NULL, 0, VALUES, 2));
    string_id name = builder_string(b, STR("com.example")), heap = builder_string(b, STR("libc.malloc"));
    const struct track_words words[] = {{TRACK_THREAD, 7, STRING_EMPTY, STRING_EMPTY, 70},
                                        {TRACK_HEAP, 71, heap, STRING_EMPTY, 0},
                                        {TRACK_PROCESS, 71, STRING_EMPTY, STRING_EMPTY, 0},
                                        {TRACK_WHOLE, 1, STRING_EMPTY, STRING_EMPTY, 0}};
    static const char *const LABELS[] = {"[com.example tid=7]", "[com.example pid=71 heap=libc.malloc]",
                                         "[com.example pid=71]", "[com.example]"};
    static const uint32_t PROCESSES[] = {70, 71, 71, 0};
    for (uint32_t i = 0; i < 4; i++) {
        uint32_t track = builder_track(b, i + 1, name);
        builder_track_is(b, track, &words[i]);
        assert_true(
            builder_sample(b, track, builder_stack(b, track, NODE_NONE, NULL, 0), (const uint64_t[]){1, 1}));
    }
    const struct profile *p = builder_finished(f);
    for (uint32_t i = 0; i < 4; i++) {
        buf_clear(&text);
        track_label(&text, p, &p->tracks[i]);
        assert_true(str_eq(buf_view(&text), str_of(LABELS[i])));
        assert_int_equal(track_process(p, &p->tracks[i]), PROCESSES[i]);
    }
    assert_string_equal(track_word(p, 2), "tracks");
    assert_false(p->timed);
    buf_free(&text);
}
