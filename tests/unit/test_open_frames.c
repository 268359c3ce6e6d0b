/* Frames that are never left, continued to the end of the trace: against a model that follows each thread by hand. */
#include "tests/support/unit.h"

#include "profile/build/builder.h"
#include "profile/transform/transform.h"

enum { TRACKS = 5, FRAMES = 4, EVENTS = 200, TRIES = 200, NS_PER_TICK = 1000 };

static const struct profile_value WALL = {STR_INIT("wall"), STR_INIT("wall time"), UNIT_NS, ROLE_WALL};
static const struct profile_value CPU = {STR_INIT("cpu"), STR_INIT("CPU time"), UNIT_NS, ROLE_CPU};
static const struct profile_value CALLS = {STR_INIT("calls"), STR_INIT("calls"), UNIT_COUNT, ROLE_CALLS};

static uint32_t draw(uint64_t *seed, uint32_t below)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*seed >> 33) % below;
}

/* What is known without the profile. */
struct model {
    uint32_t depth[TRACKS], stack[TRACKS][EVENTS];
    uint64_t last_us[TRACKS];
    bool seen[TRACKS];
};

static struct builder *new_builder(struct arena *a, const struct profile_value *values, uint32_t n)
{
    struct builder *b = builder_new(a, (struct hash_seed){1, 2});

    assert_non_null(b);
    assert_true(builder_values(b, values, n - 1, &values[n - 1], 1));
    for (uint32_t i = 0; i < FRAMES; i++) {
        char name[2] = {(char)('a' + i), '\0'};
        string_id id = builder_string(b, str_of(name));
        assert_int_equal(builder_frame(b, &(struct profile_frame){.name = id}), i);
    }
    for (uint32_t i = 0; i < TRACKS; i++)
        assert_int_equal(builder_track(b, 10 * (TRACKS - i), builder_string(b, STR("thread"))), i);
    return b;
}

static void record(struct builder *b, struct model *m, uint32_t track, enum event_action action,
                   uint32_t frame, uint64_t us)
{
    struct event e = {.track = track, .frame = frame, .action = action, .clock = {us, us / 2}};

    assert_true(builder_events(b, &e, 1, 0, 0));
    m->seen[track] = true;
    m->last_us[track] = us;
    if (action == EVENT_ENTER)
        m->stack[track][m->depth[track]++] = frame;
    else
        m->depth[track]--;
}

static const struct profile *random_profile(struct arena *a, struct model *m, uint64_t seed)
{
    const struct profile_value values[] = {WALL, CPU, CALLS};
    struct builder *b = new_builder(a, values, 3);
    uint64_t us = 0;

    for (uint32_t i = 0, n = 1 + draw(&seed, EVENTS - 1); i < n; i++) {
        uint32_t track = draw(&seed, TRACKS);
        bool enter = m->depth[track] == 0 || draw(&seed, 2) == 0;
        us += draw(&seed, 50);
        record(b, m, track, enter ? EVENT_ENTER : EVENT_EXIT,
               enter ? draw(&seed, FRAMES) : m->stack[track][m->depth[track] - 1], us);
    }
    const struct profile *p = builder_finish(b, STR("f"), STR("f"));
    assert_non_null(p);
    return p;
}

/* The stack that is open, from the profile's node up. */
static void assert_open(const struct profile *p, const struct profile_track *t, const struct model *m,
                        uint32_t track)
{
    node_id node = t->open;

    for (uint32_t i = m->depth[track]; i > 0; i--) {
        assert_int_equal(p->node_frame[node], m->stack[track][i - 1]);
        node = p->node_parent[node];
    }
    assert_int_equal(node, t->first);
}

static void assert_totals(const struct profile *p, const struct profile_track *t)
{
    for (uint32_t v = 0; v < p->n_values; v++) {
        uint64_t sum = 0;
        for (node_id node = t->first; node < t->first + t->count; node++)
            sum += profile_self(p, node, v);
        assert_int_equal(profile_total(p, t->first, v), sum);
    }
    for (node_id node = t->first + 1; node < t->first + t->count; node++)
        assert_true(profile_total(p, p->node_parent[node], 0) >= profile_total(p, node, 0));
}

static void check(const struct profile *p, const struct profile *to, const struct model *m)
{
    uint64_t end_us = 0;

    for (uint32_t i = 0; i < TRACKS; i++)
        end_us = m->seen[i] && m->last_us[i] > end_us ? m->last_us[i] : end_us;
    for (uint32_t i = 0; i < TRACKS; i++) {
        const struct profile_track *t = profile_track_by_id(p, 10 * (TRACKS - i));
        assert_true((t != NULL) == m->seen[i]);
        if (t == NULL)
            continue;
        assert_open(p, t, m, i);
        assert_totals(to, t);
        uint64_t rest_ns = m->depth[i] == 0 ? 0 : (end_us - m->last_us[i]) * NS_PER_TICK;
        for (node_id node = t->first; node < t->first + t->count; node++) {
            uint64_t more = node == t->open ? rest_ns : 0;
            assert_int_equal(profile_self(to, node, 0), profile_self(p, node, 0) + more);
            assert_int_equal(profile_self(to, node, 1), profile_self(p, node, 1));
            assert_int_equal(profile_self(to, node, 2), profile_self(p, node, 2));
        }
    }
}

TEST(random_threads)
{
    for (uint64_t seed = 1; seed <= TRIES; seed++) {
        struct arena a, scratch;
        struct model m = {0};
        arena_init(&a, 64 << 20);
        arena_init(&scratch, 64 << 20);
        const struct profile *p = random_profile(&a, &m, seed);
        const struct profile *to = open_frames_to_end(p, &scratch);
        assert_non_null(to);
        check(p, to, &m);
        arena_free(&scratch);
        arena_free(&a);
    }
}

/* Two threads: one stays in `a` from 0 on, one runs from 0 to 70 µs. */
static const struct profile *simple_profile(struct arena *a, const struct profile_value *values, uint32_t n,
                                            bool leave)
{
    struct builder *b = new_builder(a, values, n);
    struct model m = {0};

    record(b, &m, 0, EVENT_ENTER, 0, 0);
    if (leave)
        record(b, &m, 0, EVENT_EXIT, 0, 5);
    record(b, &m, 1, EVENT_ENTER, 1, 0);
    record(b, &m, 1, EVENT_EXIT, 1, 70);
    return builder_finish(b, STR("f"), STR("f"));
}

TEST(nothing_to_change)
{
    const struct profile_value dual[] = {WALL, CPU, CALLS}, cpu[] = {CPU, CALLS};
    struct arena a;

    arena_init(&a, 64 << 20);
    const struct profile *closed = simple_profile(&a, dual, 3, true),
                         *no_wall = simple_profile(&a, cpu, 2, false);
    assert_ptr_equal(open_frames_to_end(closed, &a), closed);
    assert_ptr_equal(
        transform_apply(closed, &(struct transform_request){.open_to_end = true}, &a, &(struct diag){0}),
        closed);
    assert_ptr_equal(open_frames_to_end(no_wall, &a), no_wall);
    arena_free(&a);
}

TEST(warning_says_so)
{
    const struct profile_value wall[] = {WALL, CALLS};
    struct arena a;

    arena_init(&a, 64 << 20);
    const struct profile *p = simple_profile(&a, wall, 2, false), *to = open_frames_to_end(p, &a);
    assert_int_equal(profile_total(p, profile_track_by_id(p, 50)->first, 0), 0);
    assert_int_equal(profile_total(to, profile_track_by_id(p, 50)->first, 0), 70 * NS_PER_TICK);
    assert_int_equal(to->n_warnings, p->n_warnings);
    assert_ptr_equal(
        transform_apply(p, &(struct transform_request){.open_to_end = false}, &a, &(struct diag){0}), p);
    assert_ptr_not_equal(
        transform_apply(p, &(struct transform_request){.open_to_end = true}, &a, &(struct diag){0}), p);
    for (uint32_t i = 0; i < p->n_warnings; i++) {
        bool open = str_eq(p->warnings[i].code, STR("open-frames"));
        struct str text = to->warnings[i].text;
        assert_int_equal(to->warnings[i].count, p->warnings[i].count);
        assert_true(open == (str_find_str(text, STR("end of the trace")) < text.n));
        assert_true(open == !str_eq(text, p->warnings[i].text));
    }
    assert_true(p->n_warnings > 0);
    arena_free(&a);
}

TEST(memory_runs_out)
{
    const struct profile_value wall[] = {WALL, CALLS};
    struct arena a, none;

    arena_init(&a, 64 << 20);
    arena_init(&none, 1);
    const struct profile *p = simple_profile(&a, wall, 2, false);
    assert_null(open_frames_to_end(p, &none));
    assert_int_equal(none.failure, ARENA_LIMIT);
    arena_free(&none);
    arena_free(&a);
}
