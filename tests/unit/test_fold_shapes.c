/* Folding into trees of any width and depth, and in linear time whatever comes. */
#include "tests/support/unit.h"

#include <stdlib.h>
#include <time.h>

#include "tests/support/builder_fixture.h"
#include "tests/support/profile_checks.h"
#include "tests/support/small_stack.h"

/* For work that takes a small part of a second unless it is quadratic: then it takes minutes. */
enum { SECONDS_MAX = 20 };

/* ---- any width, any depth ---- */

/* Applies one event; its time is its number. */
static void apply(struct builder *b, uint32_t track, enum event_action action, frame_id frame)
{
    uint64_t n = builder_event_count(b);
    const struct event e = {.track = track, .frame = frame, .action = action, .clock = {n}};

    assert_true(builder_events(b, &e, 1, n, 1));
}

static void prepare(struct builder *b, uint32_t n_frames)
{
    assert_true(builder_values(b, CLOCK_AND_CALLS, 1, &CLOCK_AND_CALLS[1], 1));
    builder_clocks(b, 1, true);
    assert_int_equal(builder_track(b, 1, STRING_EMPTY), 0);
    for (uint32_t i = 0; i < n_frames; i++)
        assert_int_equal(builder_frame_numbered(b, i), i);
}

/* `width` children under one node, each called in every round, in changing order. */
static void check_width(struct builder *b, uint32_t width, unsigned rounds)
{
    prepare(b, width + 1);
    apply(b, 0, EVENT_ENTER, width);
    for (unsigned round = 0; round < rounds; round++)
        for (uint32_t i = 0; i < width; i++) {
            frame_id frame = round % 2 == 0 ? i : width - 1 - i;
            apply(b, 0, EVENT_ENTER, frame);
            apply(b, 0, EVENT_EXIT, frame);
        }
    const struct profile *p = builder_finish(b, STR("f"), STR("F"));
    uint8_t *seen = calloc(width + 1, 1);
    assert_non_null(p);
    assert_non_null(seen);
    assert_int_equal(p->n_nodes, width + 2);
    for (node_id node = 2; node < p->n_nodes; node++) {
        assert_int_equal(p->node_parent[node], 1);
        assert_int_equal(seen[p->node_frame[node]]++, 0);
        assert_int_equal(profile_self(p, node, 1), rounds);
        assert_int_equal(profile_self(p, node, 0), rounds);
    }
    free(seen);
}

TEST(widths_around_the_lists_end)
{
    for (uint32_t width = 1; width < 60; width++) {
        void *f;
        builder_set_up(&f);
        check_width(((struct builder_fixture *)f)->builder, width, 5);
        builder_tear_down(&f);
    }
}

TEST_WITH(a_hundred_thousand_children, builder_set_up, builder_tear_down)
{
    struct builder_fixture *f = *state;
    clock_t start = clock();

    check_width(f->builder, 100000, 3);
    assert_true(clock() - start < SECONDS_MAX * CLOCKS_PER_SEC);
}

static void *fold_deeply(void *argument)
{
    enum { DEPTH = 1000000 };
    struct builder_fixture *f = argument;
    struct builder *b = f->builder;

    prepare(b, 3);
    for (uint32_t i = 0; i < DEPTH; i++)
        apply(b, 0, EVENT_ENTER, i % 3);
    const struct profile *p = builder_finish(b, STR("f"), STR("F"));
    assert_non_null(p);
    assert_int_equal(p->n_nodes, DEPTH + 1);
    assert_int_equal(profile_warned_count(p, WARN_OPEN_FRAMES), DEPTH);
    for (node_id node = 1; node <= DEPTH; node++) {
        assert_int_equal(p->node_parent[node], node - 1);
        assert_int_equal(p->node_flags[node], node > 3 ? NODE_RECURSIVE : 0);
        assert_int_equal(profile_total(p, node, 1), DEPTH + 1 - node);
        assert_int_equal(profile_total(p, node, 0), DEPTH - node);
    }
    return NULL;
}

TEST_WITH(a_million_deep_on_a_small_stack, builder_set_up, builder_tear_down)
{
    on_small_stack(fold_deeply, *state);
}

/* ---- linear whatever comes ---- */

TEST_WITH(alien_exits_in_a_deep_stack, builder_set_up, builder_tear_down)
{
    enum { DEPTH = 100000, ALIENS = 200000 };
    struct builder_fixture *f = *state;
    clock_t start = clock();

    prepare(f->builder, 3);
    for (uint32_t i = 0; i < DEPTH; i++)
        apply(f->builder, 0, EVENT_ENTER, i == 0 ? 1 : 0);
    for (uint32_t i = 0; i < ALIENS; i++)
        apply(f->builder, 0, EVENT_EXIT, 2);
    apply(f->builder, 0, EVENT_EXIT, 1);
    assert_int_equal(builder_warned(f->builder, WARN_IGNORED_EXIT), ALIENS);
    assert_int_equal(builder_warned(f->builder, WARN_POPPED), 1);
    const struct profile *p = builder_finished(f);
    assert_int_equal(p->n_nodes, DEPTH + 1);
    assert_int_equal(profile_warned_count(p, WARN_OPEN_FRAMES), 0);
    assert_true(profile_self(p, DEPTH, 0) == ALIENS + 1);
    assert_true(clock() - start < SECONDS_MAX * CLOCKS_PER_SEC);
}

/* Down and up again between the vain searches, so that no budget of searches lasts. */
TEST_WITH(alien_exits_between_calls, builder_set_up, builder_tear_down)
{
    enum { DEPTH = 50000, ROUNDS = 100000 };
    struct builder_fixture *f = *state;
    clock_t start = clock();

    prepare(f->builder, 3);
    for (uint32_t i = 0; i < DEPTH; i++)
        apply(f->builder, 0, EVENT_ENTER, 0);
    for (uint32_t i = 0; i < ROUNDS; i++) {
        apply(f->builder, 0, EVENT_ENTER, 1);
        apply(f->builder, 0, EVENT_EXIT, 2);
        apply(f->builder, 0, EVENT_EXIT, 1);
    }
    const struct profile *p = builder_finished(f);
    assert_int_equal(p->n_nodes, DEPTH + 2);
    assert_true(profile_self(p, DEPTH + 1, 1) == ROUNDS);
    assert_true(clock() - start < SECONDS_MAX * CLOCKS_PER_SEC);
}

TEST_WITH(unmatched_exits, builder_set_up, builder_tear_down)
{
    enum { EXITS = 1000000 };
    struct builder_fixture *f = *state;
    clock_t start = clock();

    prepare(f->builder, 5);
    for (uint32_t i = 0; i < EXITS; i++)
        apply(f->builder, 0, EVENT_EXIT, i % 5);
    const struct profile *p = builder_finished(f);
    assert_int_equal(p->n_nodes, EXITS + 1);
    assert_int_equal(profile_warned_count(p, WARN_RE_ROOTED), EXITS);
    for (node_id node = 1; node < p->n_nodes; node++) {
        assert_int_equal(p->node_frame[node], (EXITS - node) % 5);
        assert_int_equal(profile_self(p, node, 1), 1);
        assert_int_equal(profile_self(p, node, 0), node == 1 || node == EXITS ? node == 1 : 1);
    }
    assert_true(clock() - start < SECONDS_MAX * CLOCKS_PER_SEC);
}

TEST_WITH(many_tracks_in_turn, builder_set_up, builder_tear_down)
{
    enum { TRACKS = 65535, ROUNDS = 8 };
    struct builder_fixture *f = *state;
    clock_t start = clock();

    prepare(f->builder, ROUNDS);
    for (uint32_t i = 1; i < TRACKS; i++)
        assert_int_equal(builder_track(f->builder, i + 1, STRING_EMPTY), i);
    for (uint32_t round = 0; round < ROUNDS; round++)
        for (uint32_t i = 0; i < TRACKS; i++)
            apply(f->builder, i, EVENT_ENTER, round);
    const struct profile *p = builder_finished(f);
    assert_int_equal(p->n_tracks, TRACKS);
    assert_int_equal(p->n_nodes, TRACKS * (ROUNDS + 1));
    for (uint32_t i = 0; i < TRACKS; i++) {
        assert_int_equal(p->tracks[i].records, ROUNDS);
        assert_int_equal(p->tracks[i].calls, ROUNDS);
        assert_true(profile_total(p, p->tracks[i].first, 0) == (ROUNDS - 1) * TRACKS);
    }
    assert_true(clock() - start < SECONDS_MAX * CLOCKS_PER_SEC);
}
