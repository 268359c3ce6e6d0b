/* Perfetto traces: heaps by dump, CPU samples, names that stand at the end, what is told of the recording,
 * and damage. */
#include "tests/support/unit.h"

#include "profile/transform/transform.h"
#include "tests/support/hostile.h"
#include "tests/support/perfetto_bytes.h"
#include "tests/support/profile_checks.h"
#include "tests/support/proto_bytes.h"
#include "tests/support/systrace_bytes.h"

static const struct profile *read_with(struct arena *arena, const struct perfetto_options *options)
{
    struct buf b = {0};

    perfetto_put(&b, options);
    const struct profile *p = hostile_read_good(arena, &b);
    buf_free(&b);
    return p;
}

static void put_path(struct buf *b, const struct profile *p, node_id node)
{
    node_id path[16];
    size_t n = 0;

    for (node_id i = node; p->node_parent[i] != NODE_NONE && n < 16; i = p->node_parent[i])
        path[n++] = i;
    while (n-- > 0) {
        const struct profile_frame *f = &p->frames[p->node_frame[path[n]]];
        buf_str(b, profile_string(p, f->name));
        buf_z(b, n > 0 ? ";" : "");
    }
}

/* "track: stack values / stack values ..", of nodes with values. */
static void expect(const struct profile *p, uint32_t track, const char *expected)
{
    struct buf b = {0};
    const struct profile_track *t = &p->tracks[track];

    buf_str(&b, profile_string(p, t->name));
    buf_printf(&b, " %u", t->number);
    for (node_id i = t->first + 1; i < t->first + t->count; i++) {
        bool some = false;
        for (uint32_t v = 0; v < p->n_values; v++)
            some = some || profile_self(p, i, v) != profile_minus_self(p, i, v);
        if (!some)
            continue;
        buf_z(&b, " / ");
        put_path(&b, p, i);
        for (uint32_t v = 0; v < p->n_values; v++)
            buf_printf(&b, " %lld", (long long)(profile_self(p, i, v) - profile_minus_self(p, i, v)));
    }
    assert_buf(&b, expected);
}

static void has_two_dumps(const struct perfetto_options *options)
{
    struct arena arena;
    const struct profile *p = read_with(&arena, options);

    assert_int_equal(p->n_tracks, 1);
    assert_int_equal(p->tracks[0].kind, TRACK_HEAP);
    assert_int_equal(p->tracks[0].n_moments, 2);
    expect(p, 0, "com.example 71 / main;b 0 0 100 1 / main;c::run() 60 3 90 5");
    struct moment_request first = {1, false, 0}, interval = {2, true, 0};
    expect(moment_apply(p, &first, &arena), 0,
           "com.example 71 / main;b 100 1 100 1 / main;c::run() 40 2 40 2");
    expect(moment_apply(p, &interval, &arena), 0,
           "com.example 71 / main;b -100 -1 0 0 / main;c::run() 20 1 50 3");
    arena_free(&arena);
}

TEST(dumps_of_a_heap)
{
    for (enum perfetto_packing packing = PERFETTO_PLAIN; packing <= PERFETTO_ZSTD; packing++) {
        has_two_dumps(&(struct perfetto_options){.packing = packing});
        has_two_dumps(&(struct perfetto_options){.packing = packing, .legacy = true});
        has_two_dumps(&(struct perfetto_options){.packing = packing, .cleared = true});
    }
}

TEST(other_heaps)
{
    struct arena arena;

    const struct profile *p = read_with(&arena, &(struct perfetto_options){.art = true});
    assert_int_equal(p->n_values, 2);
    expect(p, 0, "com.example 71 / main;b 100 1 / main;c::run() 90 5");
    arena_free(&arena);
    p = read_with(&arena, &(struct perfetto_options){.at_max = true});
    assert_true(str_eq(p->values[0].name, STR("peak")));
    expect(p, 0, "com.example 71 / main;b 100 1 / main;c::run() 90 5");
    arena_free(&arena);
}

TEST(names_at_the_end)
{
    struct arena arena;

    const struct profile *p = read_with(&arena, &(struct perfetto_options){.names = true});
    expect(p, 0, "com.example 71 / main;outer;inner 0 0 100 1 / main;c::run() 60 3 90 5");
    for (uint32_t i = 0; i < p->n_frames; i++) {
        const struct profile_frame *f = &p->frames[i];
        bool inner = str_eq(profile_string(p, f->name), STR("inner"));
        assert_int_equal(f->kind, inner ? FRAME_KIND_INLINED : FRAME_KIND_NATIVE);
        assert_true(str_eq(profile_string(p, f->module), STR("/lib/libx.so")));
        assert_true(str_eq(profile_string(p, f->build_id), STR("12ab")));
        assert_int_equal(f->line, inner ? 5 : 0);
    }
    arena_free(&arena);
}

static bool has_warning(const struct profile *p, struct str code)
{
    for (uint32_t i = 0; i < p->n_warnings; i++)
        if (str_eq(p->warnings[i].code, code))
            return true;
    return false;
}

/* A library whose functions are all outermost ones, and which has no others. */
TEST(libraries_without_unwind_information)
{
    struct arena arena;

    const struct profile *p = read_with(&arena, &(struct perfetto_options){.no_unwind = true});
    assert_true(has_warning(p, STR("one-frame")));
    assert_true(str_eq(profile_fact(p, STR("one-frame")), STR("/lib/libn.so")));
    assert_int_equal(p->sampled_bytes, 4096);
    arena_free(&arena);
    p = read_with(&arena, &(struct perfetto_options){.names = true});
    assert_false(has_warning(p, STR("one-frame")));
    arena_free(&arena);
}

TEST(cpu_samples_of_threads)
{
    struct arena arena;

    const struct profile *p = read_with(&arena, &(struct perfetto_options){.samples = true});
    assert_int_equal(p->n_tracks, 3);
    assert_true(p->timed);
    expect(p, 1, "Thread-71 71 / main;b 0 0 0 0 2 / main;c::run() 0 0 0 0 1");
    expect(p, 2, "worker 72 / main;b 0 0 0 0 1 / main;c::run() 0 0 0 0 2");
    assert_true(str_eq(profile_string(p, p->tracks[2].group), STR("com.example")));
    assert_int_equal(p->tracks[1].begin_ns, 0);
    assert_int_equal(p->tracks[1].end_ns, 400);
    assert_int_equal(p->tracks[2].end_ns, 500);
    arena_free(&arena);
}

TEST(what_is_missing_is_said)
{
    struct arena arena;

    const struct profile *p = read_with(&arena, &(struct perfetto_options){.cut_dump = true});
    assert_int_equal(profile_warned_count(p, WARN_HEAP_CUT), 1);
    assert_int_equal(profile_warned_count(p, WARN_HEAP_LATE), 2);
    expect(p, 0, "com.example 71 / main;b 100 1 100 1 / main;c::run() 40 2 40 2");
    arena_free(&arena);
}

/* ---- hostile packing ---- */

TEST(packets_in_packets_in_packets)
{
    struct buf b = {0};
    struct arena arena;
    struct diag diag = {0};

    perfetto_put(&b, &(struct perfetto_options){.packing = PERFETTO_NESTED});
    arena_init(&arena, 64 << 20);
    assert_null(hostile_read(&arena, b.p, b.n, &diag));
    assert_int_equal(diag.kind, DIAG_FOREIGN);
    arena_free(&arena);
    buf_free(&b);
}

/* Nothing is refused that has a profile; nothing else is one. */
TEST(without_a_profile)
{
    static const struct {
        uint32_t field;
        const char *title;
    } CASES[] = {{56, "Java heap graph, no heap profile"},
                 {61, "symbols without a profile"},
                 {1, "Perfetto trace without a profile"}};

    for (size_t i = 0; i < sizeof(CASES) / sizeof(*CASES); i++) {
        struct buf b = {0}, packet = {0};
        struct arena arena;
        struct diag diag = {0};
        proto_put_text(&packet, CASES[i].field, "\x08\x01");
        proto_put_message(&b, 1, &packet);
        arena_init(&arena, 64 << 20);
        assert_null(hostile_read(&arena, b.p, b.n, &diag));
        assert_string_equal(diag.title, CASES[i].title);
        arena_free(&arena);
        buf_free(&b);
        buf_free(&packet);
    }
}

static uint32_t n_of_kind(const struct profile *p, enum track_kind kind)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < p->n_tracks; i++)
        n += p->tracks[i].kind == kind;
    return n;
}

/* Sections, samples and heaps of a file are tracks of one profile, each with its own values. */
TEST(sections_beside_samples)
{
    struct arena arena;
    struct buf b = {0}, alone = {0}, sections = {0};
    struct arena other;

    perfetto_put(&alone, &(struct perfetto_options){.samples = true});
    systrace_put(&sections, 0);
    buf_str(&b, buf_view(&alone));
    buf_str(&b, buf_view(&sections));
    const struct profile *p = hostile_read_good(&arena, &b), *of_samples = hostile_read_good(&other, &alone);
    uint32_t samples = profile_value_by_role(p, ROLE_SAMPLES);
    assert_true(profile_is_mixed(p));
    assert_false(profile_is_mixed(of_samples));
    assert_int_equal(p->values[0].role, ROLE_WALL);
    assert_int_equal(samples + 1, p->n_values);
    assert_int_equal(n_of_kind(p, TRACK_HEAP), n_of_kind(of_samples, TRACK_HEAP));
    assert_int_equal(n_of_kind(p, TRACK_SAMPLES), n_of_kind(of_samples, TRACK_THREAD));
    assert_true(n_of_kind(p, TRACK_THREAD) > 0);
    for (uint32_t i = 0; i < p->n_tracks; i++) {
        const struct profile_track *t = &p->tracks[i];
        assert_int_equal(track_has(t, 0), t->kind != TRACK_SAMPLES && t->kind != TRACK_HEAP);
        assert_int_equal(track_has(t, samples), t->kind == TRACK_SAMPLES);
        for (uint32_t v = 0; v < p->n_values; v++)
            assert_true(track_has(t, v) || profile_total(p, t->first, v) == 0);
    }
    arena_free(&other);
    arena_free(&arena);
    buf_free(&b);
    buf_free(&alone);
    buf_free(&sections);
}

TEST(any_damage)
{
    static const struct perfetto_options OPTIONS[] = {{.samples = true, .names = true},
                                                      {.legacy = true},
                                                      {.packing = PERFETTO_DEFLATE},
                                                      {.packing = PERFETTO_ZSTD}};

    for (size_t i = 0; i < sizeof(OPTIONS) / sizeof(*OPTIONS); i++) {
        struct buf b = {0};
        perfetto_put(&b, &OPTIONS[i]);
        hostile_cuttings("perfetto", &b);
        hostile_truncations("perfetto", &b);
        hostile_bit_flips("perfetto", &b);
        buf_free(&b);
    }
}
