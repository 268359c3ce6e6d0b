/* The builder's tables, sums and ceilings. */
#include "tests/support/unit.h"

#include <stdio.h>
#include <string.h>

#include "tests/support/builder_fixture.h"
#include "tests/support/profile_checks.h"

static const struct profile_value TWO_COUNTS[] = {
    {STR_INIT("objects"), STR_INIT("objects"), UNIT_COUNT, ROLE_OTHER},
    {STR_INIT("bytes"), STR_INIT("bytes"), UNIT_BYTES, ROLE_OTHER},
};

/* ---- tables ---- */

TEST_WITH(nothing_at_all, builder_set_up, builder_tear_down)
{
    const struct profile *p = builder_finished(*state);

    assert_int_equal(p->n_tracks, 0);
    assert_int_equal(p->n_nodes, 0);
    assert_int_equal(p->n_values, 0);
    assert_int_equal(p->n_warnings, 0);
    assert_int_equal(p->n_facts, 0);
    assert_true(str_eq(p->format, STR("format")));
    assert_true(str_eq(p->format_label, STR("Format")));
}

TEST_WITH(values_are_copied, builder_set_up, builder_tear_down)
{
    struct builder_fixture *f = *state;
    char name[] = "wall", label[] = "wall time";
    struct profile_value values[] = {{{name, 4}, {label, 9}, UNIT_NS, ROLE_WALL}, CLOCK_AND_CALLS[1]};

    assert_true(builder_values(f->builder, values, 1, &values[1], 1));
    memset(name, 'x', 4);
    memset(label, 'x', 9);
    const struct profile *p = builder_finished(f);
    assert_int_equal(p->n_values, 2);
    assert_true(str_eq(p->values[0].name, STR("wall")));
    assert_true(str_eq(p->values[0].label, STR("wall time")));
    assert_int_equal(p->values[0].role, ROLE_WALL);
    assert_int_equal(p->values[1].unit, UNIT_COUNT);
}

/* ---- declarations ---- */

TEST(wrong_declarations_are_refused)
{
    static const struct profile_value WALL = {STR_INIT("wall"), STR_INIT("l"), UNIT_NS, ROLE_WALL},
                                      CPU = {STR_INIT("cpu"), STR_INIT("l"), UNIT_NS, ROLE_CPU},
                                      CALLS = {STR_INIT("calls"), STR_INIT("l"), UNIT_COUNT, ROLE_CALLS},
                                      OTHER = {STR_INIT("other"), STR_INIT("l"), UNIT_BYTES, ROLE_OTHER},
                                      COUNTS = {STR_INIT("wall"), STR_INIT("l"), UNIT_COUNT, ROLE_WALL},
                                      NAMELESS = {STR_INIT(""), STR_INIT("l"), UNIT_BYTES, ROLE_OTHER};
    const struct {
        struct profile_value times[4];
        uint32_t n_times;
        struct profile_value values[PROFILE_VALUES_MAX + 1];
        uint32_t n_values;
    } WRONG[] = {
        {.times = {WALL}, .n_times = 1},                         /* no calls */
        {.n_times = 0},                                          /* nothing at all */
        {{WALL, CPU, WALL}, 3, {CALLS}, 1},                      /* more clocks than an event has */
        {{WALL}, UINT32_MAX, {CALLS}, 1},                        /* so that the sum overflows */
        {{WALL}, 1, {CALLS}, UINT32_MAX},                        /* likewise */
        {{CPU, WALL}, 2, {CALLS}, 1},                            /* the wrong order */
        {{WALL, WALL}, 2, {CALLS}, 1},                           /* twice the same */
        {{COUNTS}, 1, {CALLS}, 1},                               /* a clock that counts */
        {{OTHER}, 1, {CALLS}, 1},                                /* a clock of bytes */
        {{WALL}, 1, {OTHER}, 1},                                 /* events that count bytes */
        {{WALL}, 1, {CALLS, OTHER}, 2},                          /* and more than calls */
        {.values = {OTHER, OTHER}, .n_values = 2},               /* two of a name */
        {.values = {NAMELESS}, .n_values = 1},                   /* none */
        {.values = {OTHER}, .n_values = PROFILE_VALUES_MAX + 1}, /* too many */
        {{WALL, CPU}, 2, {CALLS}, PROFILE_VALUES_MAX - 1}        /* too many together */
    };

    for (size_t i = 0; i < sizeof(WRONG) / sizeof(*WRONG); i++) {
        struct arena arena;
        struct diag diag = {0};
        arena_init(&arena, 1 << 20);
        struct builder *b = builder_new(&arena, BUILDER_SEED);
        if (builder_values(b, WRONG[i].times, WRONG[i].n_times, WRONG[i].values, WRONG[i].n_values))
            fail_msg("declaration %zu was taken", i);
        assert_false(builder_failed(b, &diag));
        assert_int_equal(diag.kind, DIAG_UNUSABLE);
        assert_true(strlen(diag.detail) > 40);
        arena_free(&arena);
    }
}

static void check_misuse(const struct builder *b, const char *word)
{
    struct diag diag = {0};

    assert_false(builder_failed(b, &diag));
    assert_int_equal(diag.kind, DIAG_UNUSABLE);
    assert_non_null(strstr(diag.detail, word));
}

/* Events need times, samples must not have any, and what was declared stays. */
TEST_WITH(only_what_was_declared_is_taken, builder_set_up, builder_tear_down)
{
    const uint64_t values[] = {1, 2};
    struct builder_fixture *f = *state;
    struct builder *b = f->builder, *samples = builder_new(&f->arena, BUILDER_SEED);

    assert_non_null(samples);
    uint32_t track = builder_track(b, 1, STRING_EMPTY);
    struct event e = {.track = track, .frame = builder_frame_numbered(b, 1), .action = EVENT_ENTER};
    assert_false(builder_events(b, &e, 1, 0, 0));
    check_misuse(b, "events");
    assert_false(builder_sample(b, track, builder_stack(b, track, NODE_NONE, &e.frame, 1), values));
    check_misuse(b, "samples");
    assert_true(builder_values(b, CLOCK_AND_CALLS, 1, &CLOCK_AND_CALLS[1], 1));
    assert_true(builder_events(b, &e, 1, 0, 0));
    assert_false(builder_sample(b, track, builder_stack(b, track, NODE_NONE, &e.frame, 1), values));
    check_misuse(b, "samples");
    assert_false(builder_values(b, CLOCK_AND_CALLS, 1, &CLOCK_AND_CALLS[1], 1));
    check_misuse(b, "twice");

    assert_true(builder_values(samples, NULL, 0, TWO_COUNTS, 2));
    e.track = builder_track(samples, 1, STRING_EMPTY);
    assert_int_equal(builder_frame_numbered(samples, 1), e.frame);
    assert_false(builder_events(samples, &e, 1, 0, 0));
    check_misuse(samples, "events");
    assert_false(builder_redeclare_time(samples, 0, CLOCK_AND_CALLS));
    check_misuse(samples, "clock");
}

TEST_WITH(a_time_is_declared_anew, builder_set_up, builder_tear_down)
{
    static const struct profile_value CPU = {STR_INIT("cpu"), STR_INIT("CPU time"), UNIT_NS, ROLE_CPU};
    struct builder_fixture *f = *state;

    assert_true(builder_values(f->builder, CLOCK_AND_CALLS, 1, &CLOCK_AND_CALLS[1], 1));
    assert_true(builder_redeclare_time(f->builder, 0, &CPU));
    assert_false(builder_redeclare_time(f->builder, 0, &CLOCK_AND_CALLS[1]));
    assert_false(builder_redeclare_time(f->builder, 1, &CPU));
    const struct profile *p = builder_finished(f);
    assert_int_equal(p->n_times, 1);
    assert_int_equal(p->n_values, 2);
    assert_true(str_eq(p->values[0].name, STR("cpu")));
    assert_int_equal(p->values[0].role, ROLE_CPU);
    assert_int_equal(p->values[1].role, ROLE_CALLS);
}

/* ---- names and warnings ---- */

TEST_WITH(a_frame_is_its_names_but_the_file, builder_set_up, builder_tear_down)
{
    struct builder_fixture *f = *state;
    struct builder *b = f->builder;
    string_id x = builder_string(b, STR("x")), y = builder_string(b, STR("y"));
    const struct profile_frame FRAMES[] = {
        {.scope = x},
        {.name = x},
        {.signature = x},
        {.module = x},
        {.scope = x, .name = y},
        {.scope = y, .name = x},
        {.scope = x, .name = y, .signature = x},
        {.scope = x, .name = y, .signature = x, .module = y},
        {0},
    };
    enum { N = sizeof(FRAMES) / sizeof(*FRAMES) };

    for (frame_id i = 0; i < N; i++)
        assert_int_equal(builder_frame(b, &FRAMES[i]), i);
    for (frame_id i = 0; i < N; i++) {
        struct profile_frame again = FRAMES[i];
        again.file = y;
        assert_int_equal(builder_frame(b, &again), i);
        again.file = x;
        assert_int_equal(builder_frame(b, &again), i);
    }
    const struct profile *p = builder_finished(f);
    assert_int_equal(p->n_frames, N);
    for (frame_id i = 0; i < N; i++)
        assert_int_equal(p->frames[i].file, y);
}

TEST_WITH(many_frames, builder_set_up, builder_tear_down)
{
    struct builder_fixture *f = *state;

    for (unsigned round = 0; round < 2; round++)
        for (uint32_t i = 0; i < 20000; i++)
            assert_int_equal(builder_frame_numbered(f->builder, i), i);
    assert_int_equal(builder_finished(f)->n_frames, 20000);
}

TEST_WITH(tracks_come_by_id_and_only_with_events, builder_set_up, builder_tear_down)
{
    struct builder_fixture *f = *state;
    struct builder *b = f->builder;
    static const uint32_t IDS[] = {7, 3, UINT32_MAX, 5, 0};

    assert_true(builder_values(b, CLOCK_AND_CALLS, 1, &CLOCK_AND_CALLS[1], 1));
    for (uint32_t i = 0; i < 5; i++)
        assert_int_equal(builder_track(b, IDS[i], STRING_EMPTY), i);
    builder_track_rename(b, 2, builder_string(b, STR("last")));
    frame_id frame = builder_frame_numbered(b, 1);
    for (uint32_t i = 0; i < 5; i++) {
        struct event e = {.track = i, .frame = frame, .clock = {i}};
        if (IDS[i] != 5)
            assert_true(builder_events(b, &e, 1, 0, 1));
    }
    assert_int_equal(builder_event_count(b), 4);
    const struct profile *p = builder_finished(f);
    static const uint32_t EXPECTED[] = {0, 3, 7, UINT32_MAX};
    assert_int_equal(p->n_tracks, 4);
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(p->tracks[i].id, EXPECTED[i]);
        assert_int_equal(p->tracks[i].first, 2 * i);
        assert_int_equal(p->tracks[i].count, 2);
        assert_int_equal(p->node_parent[2 * i], NODE_NONE);
        assert_int_equal(p->node_frame[2 * i], FRAME_NONE);
        assert_int_equal(p->node_parent[2 * i + 1], 2 * i);
    }
    assert_true(str_eq(profile_string(p, p->tracks[3].name), STR("last")));
}

TEST_WITH(facts_in_order, builder_set_up, builder_tear_down)
{
    struct builder_fixture *f = *state;
    char name[] = "clock", value[] = "dual";

    assert_true(builder_fact(f->builder, str_of("vm"), STR("art")));
    assert_true(builder_fact(f->builder, str_of(name), str_of(value)));
    memset(name, 'x', 5);
    memset(value, 'x', 4);
    assert_true(builder_fact(f->builder, STR("empty"), (struct str){NULL, 0}));
    assert_true(builder_fact(f->builder, STR("vm"), STR("dalvik")));
    const struct profile *p = builder_finished(f);
    assert_int_equal(p->n_facts, 3);
    assert_true(str_eq(p->facts[0].name, STR("vm")) && str_eq(p->facts[0].value, STR("dalvik")));
    assert_true(str_eq(p->facts[1].name, STR("clock")) && str_eq(p->facts[1].value, STR("dual")));
    assert_true(str_eq(p->facts[2].name, STR("empty")) && p->facts[2].value.n == 0);
}

TEST_WITH(the_smallest_offset_is_kept, builder_set_up, builder_tear_down)
{
    struct builder_fixture *f = *state;
    struct builder *b = f->builder;

    builder_warn(b, WARN_CRLF, 1, 50);
    builder_warn(b, WARN_CRLF, 2, 20);
    builder_warn(b, WARN_CRLF, 1, WARNING_NO_OFFSET);
    builder_warn(b, WARN_CRLF, 1, 30);
    builder_warn(b, WARN_OVERFLOW, 3, WARNING_NO_OFFSET);
    builder_warn(b, WARN_TIME_BACK, 0, 5);
    assert_int_equal(builder_warned(b, WARN_CRLF), 5);
    assert_int_equal(builder_warned(b, WARN_CUT_RECORD), 0);
    const struct profile *p = builder_finished(f);
    assert_int_equal(p->n_warnings, 2);
    assert_int_equal(profile_warned_count(p, WARN_OVERFLOW), 3);
    assert_false(p->warnings[0].has_offset);
    assert_int_equal(p->warnings[1].count, 5);
    assert_true(p->warnings[1].has_offset);
    assert_int_equal(p->warnings[1].offset, 20);
    struct buf text = {0};
    warning_text(&text, WARN_CRLF, 5);
    assert_true(str_eq(p->warnings[1].text, buf_view(&text)));
    buf_free(&text);
}

/* ---- ceilings ---- */

TEST_WITH(failures_name_what_gave_out, builder_set_up, builder_tear_down)
{
    struct builder_fixture *f = *state;
    struct diag limit = {0}, memory = {0};

    f->arena.failure = ARENA_LIMIT;
    assert_false(builder_failed(f->builder, &limit));
    assert_int_equal(limit.kind, DIAG_LIMIT);
    assert_non_null(strstr(limit.detail, "job_memory_bytes"));
    assert_non_null(strstr(limit.detail, "1073741824 bytes"));
    f->arena.failure = ARENA_NO_MEMORY;
    assert_false(builder_failed(f->builder, &memory));
    assert_int_equal(memory.kind, DIAG_NO_MEMORY);
    assert_false(builder_failed(f->builder, &limit));
    assert_int_equal(limit.kind, DIAG_LIMIT);
}

/* Every step of a small build fails once for want of memory; none succeeds by halves. The arena has given out
 * `taken_bytes` before, so that its blocks end elsewhere. */
static bool build_within(size_t ceiling_bytes, size_t taken_bytes)
{
    struct arena arena;
    struct event events[40];
    struct profile_frame frame = {0};
    bool ok = false;

    arena_init(&arena, ceiling_bytes);
    struct builder *b = arena_alloc(&arena, taken_bytes) == NULL ? NULL : builder_new(&arena, BUILDER_SEED);
    if (b != NULL && builder_values(b, CLOCK_AND_CALLS, 1, &CLOCK_AND_CALLS[1], 1)) {
        uint32_t track = builder_track(b, 1, STRING_EMPTY);
        ok = track != NODE_NONE && builder_fact(b, STR("name"), STR("value"));
        for (uint32_t i = 0; ok && i < 40; i++) {
            char text[16];
            snprintf(text, sizeof(text), "f%u", (unsigned)i);
            frame.name = builder_string(b, str_of(text));
            frame_id id = frame.name == STRING_NONE ? FRAME_NONE : builder_frame(b, &frame);
            events[i] =
                (struct event){.frame = id, .action = i < 20 ? EVENT_ENTER : EVENT_EXIT, .clock = {i}};
            ok = id != FRAME_NONE;
        }
        ok = ok && builder_events(b, events, 40, 0, 1);
        ok = ok && builder_finish(b, STR("f"), STR("F")) != NULL;
    }
    assert_int_equal(ok, arena.failure == ARENA_OK);
    arena_free(&arena);
    return ok;
}

TEST(any_memory_ceiling)
{
    size_t ceiling = 0;
    unsigned failed = 0;

    while (!build_within(ceiling, 0))
        ceiling += 64;
    assert_true(ceiling > 1000 && ceiling < 1 << 20);
    for (size_t taken = 0; taken < 40000; taken += 16)
        failed += !build_within(ceiling, taken);
    assert_true(failed > 1000 && failed < 2500);
}

/* ---- samples and sums ---- */

enum { STACK_DEEP = 300 };

/* Where the frames lead from the root, one by one. */
static node_id end_of(struct builder *b, uint32_t track, node_id root, const frame_id *frames, size_t n)
{
    for (size_t i = 0; i < n; i++)
        root = builder_stack(b, track, root, &frames[i], 1);
    return root;
}

/* Whatever the stack before was, of this track or of another one. */
TEST_WITH(stacks_that_begin_alike, builder_set_up, builder_tear_down)
{
    static const size_t DEPTHS[] = {STACK_DEEP, STACK_DEEP, 129, 128, 127, 1, 0, 200},
                        OTHERS[] = {STACK_DEEP, 0, 1, 126, 127, 128, 129, 199};
    struct builder *b = ((struct builder_fixture *)*state)->builder;
    frame_id frames[STACK_DEEP];
    uint32_t tracks[2];
    node_id roots[2];

    assert_true(builder_values(b, NULL, 0, TWO_COUNTS, 2));
    for (uint32_t i = 0; i < STACK_DEEP; i++)
        frames[i] = builder_frame_numbered(b, i % 7);
    frame_id other = builder_frame_numbered(b, 7);
    for (uint32_t t = 0; t < 2; t++) {
        tracks[t] = builder_track(b, t + 1, STRING_EMPTY);
        roots[t] = builder_stack(b, tracks[t], NODE_NONE, NULL, 0);
    }
    for (size_t i = 0; i < 64; i++) {
        size_t n = DEPTHS[i % 8], at = OTHERS[i / 8];
        frame_id usual = at < STACK_DEEP ? frames[at] : other;
        if (at < STACK_DEEP)
            frames[at] = other;
        node_id node = builder_stack(b, tracks[i / 3 % 2], NODE_NONE, frames, n);
        assert_true(node != NODE_NONE);
        assert_int_equal(node, end_of(b, tracks[i / 3 % 2], roots[i / 3 % 2], frames, n));
        if (at < STACK_DEEP)
            frames[at] = usual;
    }
}

TEST_WITH(samples_add_up, builder_set_up, builder_tear_down)
{
    struct builder_fixture *f = *state;
    struct builder *b = f->builder;

    assert_true(builder_values(b, NULL, 0, TWO_COUNTS, 2));
    uint32_t track = builder_track(b, 1, STRING_EMPTY);
    const frame_id stack[] = {builder_frame_numbered(b, 0), builder_frame_numbered(b, 1),
                              builder_frame_numbered(b, 0)};
    assert_true(
        builder_sample(b, track, builder_stack(b, track, NODE_NONE, stack, 3), (const uint64_t[]){1, 100}));
    assert_true(
        builder_sample(b, track, builder_stack(b, track, NODE_NONE, stack, 3), (const uint64_t[]){2, 200}));
    assert_true(
        builder_sample(b, track, builder_stack(b, track, NODE_NONE, stack, 1), (const uint64_t[]){4, 400}));
    assert_true(
        builder_sample(b, track, builder_stack(b, track, NODE_NONE, stack, 0), (const uint64_t[]){8, 800}));
    assert_int_equal(builder_event_count(b), 4);
    const struct profile *p = builder_finished(f);
    assert_int_equal(p->n_nodes, 4);
    static const uint64_t SELF[] = {8, 4, 0, 3}, TOTAL[] = {15, 7, 3, 3};
    for (node_id i = 0; i < 4; i++)
        for (uint32_t v = 0; v < 2; v++) {
            assert_int_equal(profile_self(p, i, v), SELF[i] * (v == 0 ? 1 : 100));
            assert_int_equal(profile_total(p, i, v), TOTAL[i] * (v == 0 ? 1 : 100));
        }
    assert_int_equal(p->node_flags[1], 0);
    assert_int_equal(p->node_flags[3], NODE_RECURSIVE);
    assert_int_equal(p->tracks[0].records, 4);
    assert_int_equal(p->tracks[0].calls, 0);
    assert_int_equal(p->n_warnings, 0);
}

TEST_WITH(sums_saturate, builder_set_up, builder_tear_down)
{
    struct builder_fixture *f = *state;
    struct builder *b = f->builder;

    assert_true(builder_values(b, NULL, 0, TWO_COUNTS, 2));
    uint32_t track = builder_track(b, 1, STRING_EMPTY);
    const frame_id stack[] = {builder_frame_numbered(b, 0), builder_frame_numbered(b, 1)},
                   other[] = {stack[0], builder_frame_numbered(b, 2)};
    for (unsigned i = 0; i < 5; i++)
        assert_true(builder_sample(b, track, builder_stack(b, track, NODE_NONE, stack, 2),
                                   (const uint64_t[]){UINT64_MAX / 2, i}));
    for (unsigned i = 0; i < 3; i++)
        assert_true(builder_sample(b, track, builder_stack(b, track, NODE_NONE, other, 2),
                                   (const uint64_t[]){i, UINT64_MAX - 10}));
    const struct profile *p = builder_finished(f);
    assert_int_equal(p->n_nodes, 4);
    /* Each addition that found no room: 3 and 2 to the leaves' selves, and 2 to their parent's totals. */
    assert_int_equal(profile_warned_count(p, WARN_VALUE_OVERFLOW), 7);
    for (uint32_t v = 0; v < 2; v++) {
        assert_true(profile_total(p, 0, v) == UINT64_MAX);
        assert_true(profile_total(p, 1, v) == UINT64_MAX);
        assert_int_equal(profile_self(p, 1, v), 0);
    }
}

TEST_WITH(ticks_become_nanoseconds, builder_set_up, builder_tear_down)
{
    struct builder_fixture *f = *state;
    const struct event events[] = {{.action = EVENT_ENTER}, {.action = EVENT_EXIT, .clock = {3}}};

    assert_true(builder_values(f->builder, CLOCK_AND_CALLS, 1, &CLOCK_AND_CALLS[1], 1));
    assert_int_equal(builder_track(f->builder, 1, STRING_EMPTY), 0);
    assert_int_equal(builder_frame_numbered(f->builder, 0), 0);
    assert_true(builder_events(f->builder, events, 2, 0, 1));
    const struct profile *p = builder_finished(f);
    assert_int_equal(profile_self(p, 1, 0), 3000);
    assert_int_equal(profile_self(p, 1, 1), 1);
}

TEST_WITH(nanoseconds_saturate, builder_set_up, builder_tear_down)
{
    struct builder_fixture *f = *state;
    const struct event events[] = {{.action = EVENT_ENTER},
                                   {.action = EVENT_EXIT, .clock = {UINT64_MAX / 1000 + 1}}};

    assert_true(builder_values(f->builder, CLOCK_AND_CALLS, 1, &CLOCK_AND_CALLS[1], 1));
    builder_clocks(f->builder, 1000, false);
    assert_int_equal(builder_track(f->builder, 1, STRING_EMPTY), 0);
    assert_int_equal(builder_frame_numbered(f->builder, 0), 0);
    assert_true(builder_events(f->builder, events, 2, 0, 1));
    const struct profile *p = builder_finished(f);
    assert_true(profile_self(p, 1, 0) == UINT64_MAX);
    assert_true(profile_total(p, 0, 0) == UINT64_MAX);
    assert_int_equal(profile_warned_count(p, WARN_VALUE_OVERFLOW), 1);
}
