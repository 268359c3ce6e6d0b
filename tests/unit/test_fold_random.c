/* The rules of folding, all of them against a plain model on random streams. */
#include "tests/support/unit.h"

#include <stdlib.h>
#include <string.h>

#include "tests/support/fold_fixture.h"
#include "tests/support/fold_model.h"
#include "tests/support/random.h"

enum { OFFSET = 1000, STRIDE = 10, TRACKS = 4, FRAMES = 64 };

/* ---- comparison ---- */

static void compare_track(const struct profile *p, const struct profile_track *t, struct fold_model_track *m)
{
    assert_int_equal(t->count, m->n_paths);
    assert_true(t->records == m->records);
    assert_int_equal(p->node_parent[t->first], NODE_NONE);
    for (node_id node = t->first; node < t->first + t->count; node++) {
        struct fold_path path = fold_model_path(p, node, t->first);
        const uint64_t *expected = fold_model_values(m, &path);
        for (unsigned v = 0; v < 3; v++)
            assert_true(profile_self(p, node, v) == expected[v]);
        bool open = path.n > 0 && memchr(path.frames, path.frames[path.n - 1], path.n - 1u) != NULL;
        assert_int_equal((p->node_flags[node] & NODE_RECURSIVE) != 0, open);
    }
    assert_int_equal(t->count, m->n_paths);
    for (unsigned v = 0; v < 3; v++) {
        uint64_t sum = 0;
        for (uint32_t i = 0; i < m->n_paths; i++)
            sum += m->paths[i].values[v];
        assert_true(profile_total(p, t->first, v) == sum);
    }
    assert_true(t->calls == profile_total(p, t->first, 2));
}

/* A node's total is its self and its children's totals; parents come before their children. */
static void check_totals(const struct profile *p)
{
    uint64_t *left = calloc(p->n_nodes * 3u, sizeof(*left));

    assert_non_null(left);
    for (node_id node = p->n_nodes; node-- > 0;)
        for (unsigned v = 0; v < 3; v++) {
            uint64_t total = left[node * 3u + v] + profile_self(p, node, v);
            assert_true(profile_total(p, node, v) == total);
            if (p->node_parent[node] != NODE_NONE) {
                assert_true(p->node_parent[node] < node);
                left[p->node_parent[node] * 3u + v] += total;
            }
        }
    free(left);
}

static void compare(const struct profile *p, struct fold_model *m)
{
    uint32_t at = 0, warnings = 0;

    for (unsigned i = 0; i < TRACKS; i++) {
        if (m->tracks[i].records == 0)
            continue;
        m->counts[WARN_OPEN_FRAMES] += m->tracks[i].stack.n;
        assert_true(at < p->n_tracks);
        assert_int_equal(p->tracks[at].id, i + 1);
        compare_track(p, &p->tracks[at++], &m->tracks[i]);
    }
    assert_int_equal(at, p->n_tracks);
    check_totals(p);
    for (unsigned i = 0; i < WARNING_CODES; i++) {
        if (m->counts[i] == 0)
            continue;
        const struct profile_warning *w = &p->warnings[warnings++];
        assert_true(warnings <= p->n_warnings);
        assert_string_equal(w->code.p, warning_name((enum warning_code)i));
        assert_true(w->count == m->counts[i]);
        assert_true(w->offset == m->offsets[i]);
    }
    assert_int_equal(warnings, p->n_warnings);
}

/* ---- random streams ---- */

/* What a stream is made of. */
struct mixture {
    uint32_t n_events, n_frames, n_tracks, run_in; /* so many enters of two frames first */
    uint32_t enters, wild, odd, time_jumps;        /* per cent of the events */
};

/* The exit is of what the model has on top, unless a wild one is due. */
static struct event random_event(const struct mixture *x, const struct fold_model *m, uint64_t *random,
                                 uint64_t clock[2], uint32_t nth)
{
    uint32_t n_frames = nth < x->run_in ? 2 : x->n_frames;
    struct event e = {.track = random_below(random, x->n_tracks), .frame = random_below(random, n_frames)};
    const struct fold_path *stack = &m->tracks[e.track].stack;
    bool enter = nth < x->run_in || random_below(random, 100) < x->enters;

    e.action = enter ? EVENT_ENTER : random_below(random, 4) == 0 ? EVENT_UNROLL : EVENT_EXIT;
    if (!enter && stack->n > 0 && random_below(random, 100) >= x->wild)
        e.frame = stack->frames[stack->n - 1];
    if (random_below(random, 100) < x->odd) {
        e.action = random_below(random, 2) == 0 ? EVENT_UNKNOWN : EVENT_EXIT;
        e.frame = e.action == EVENT_EXIT ? FRAME_NONE : e.frame;
    }
    for (unsigned c = 0; c < 2; c++) {
        bool jump = random_below(random, 100) < x->time_jumps;
        clock[c] += jump ? random_below(random, UINT32_MAX) : random_below(random, 20);
        e.clock[c] = clock[c] & UINT32_MAX;
    }
    return e;
}

static void fold_randomly(const struct mixture *x, uint64_t *random)
{
    static struct event events[1024];
    struct fold_model *m = fold_model_new(TRACKS);
    struct fold_fixture f;
    uint64_t clock[2] = {random_below(random, UINT32_MAX), 0};
    size_t at = 0;

    assert_true(x->n_events <= 1024);
    fold_fixture_open(&f, FOLD_VALUES, 2, FRAMES, TRACKS);
    /* Known beforehand, so that the model can name it. */
    struct profile_frame unknown = {.name = builder_string(f.builder, STR("unknown"))};
    assert_int_equal(builder_frame(f.builder, &unknown), FRAMES);
    for (uint32_t i = 0; i < x->n_events; i++) {
        events[i] = random_event(x, m, random, clock, i);
        fold_model_event(m, &events[i], FRAMES, OFFSET + i * STRIDE);
    }
    while (at < x->n_events) {
        size_t n = 1 + random_below(random, (uint32_t)(x->n_events - at));
        assert_true(builder_events(f.builder, events + at, n, OFFSET + at * STRIDE, STRIDE));
        at += n;
    }
    fold_fixture_finish(&f);
    compare(f.profile, m);
    fold_model_free(m);
    arena_free(&f.arena);
}

TEST(random_streams_as_the_model)
{
    static const struct mixture MIXTURES[] = {
        /* events, frames, tracks, run-in; enters, wild, odd, time jumps */
        {12, 3, 2, 0, 40, 30, 10, 10},  {100, 5, 3, 0, 50, 0, 0, 0},      {100, 5, 4, 0, 50, 10, 3, 2},
        {150, 4, 2, 0, 35, 40, 10, 20}, {250, FRAMES, 1, 0, 50, 2, 0, 0}, {300, 2, 1, 40, 48, 30, 0, 1},
    };
    uint64_t random = 1;

    for (unsigned round = 0; round < 500; round++)
        for (size_t i = 0; i < sizeof(MIXTURES) / sizeof(*MIXTURES); i++)
            fold_randomly(&MIXTURES[i], &random);
}

/* So many vain searches in deep stacks that the open frames are counted in a table: the same answers. */
TEST(deep_damaged_stacks_as_the_model)
{
    static const struct mixture MIXTURES[] = {
        {1000, FRAMES, 1, 400, 45, 40, 1, 1},
        {1000, FRAMES, 2, 600, 50, 90, 0, 0},
        {1000, 8, 1, 300, 60, 50, 0, 0},
    };
    uint64_t random = 2;

    for (unsigned round = 0; round < 40; round++)
        for (size_t i = 0; i < sizeof(MIXTURES) / sizeof(*MIXTURES); i++)
            fold_randomly(&MIXTURES[i], &random);
}
