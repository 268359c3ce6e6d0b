/* Two profiles as one: values of all runs beside each other, nothing lost, nothing counted twice; names
 * that rules make equal; and more of all than any honest file has. */
#include "tests/support/unit.h"

#include <stdio.h>
#include <string.h>

#include "core/number.h"
#include "profile/compare/compare.h"
#include "profile/compare/compare_rules.h"
#include "profile/transform/transform.h"
#include "render/view/view.h"
#include "tests/support/fake_profile.h"

static const struct hash_seed SEED = {1, 2};

struct job {
    struct arena arena, scratch;
    struct diag diag;
};

static void begin(struct job *j)
{
    *j = (struct job){0};
    arena_init(&j->arena, SIZE_MAX / 2);
    arena_init(&j->scratch, SIZE_MAX / 2);
}

static void end(struct job *j)
{
    arena_free(&j->arena);
    arena_free(&j->scratch);
}

static const struct profile *compare(struct job *j, const struct profile *const *runs, uint32_t n_a,
                                     uint32_t n_b)
{
    return compare_new(&(struct compare_request){runs, n_a, n_b}, SEED, &j->arena, &j->scratch, &j->diag);
}

/* ---- rules ---- */

TEST(rules_put_stars)
{
    static const struct {
        const char *name, *normal;
        enum compare_part part;
    } CASES[] = {
        {"a.Foo", "a.Foo", COMPARE_NAMES},
        {"a.Foo$1", "a.Foo$*", COMPARE_NAMES},
        {"a.Foo$12$3.run", "a.Foo$*$*.run", COMPARE_NAMES},
        {"a.Foo$2Local", "a.Foo$*Local", COMPARE_NAMES},
        {"a.Foo$Inner", "a.Foo$Inner", COMPARE_NAMES},
        {"a.Foo$$Lambda$14/0x0000000840064c40.run", "a.Foo$$Lambda$*/0x*.run", COMPARE_NAMES},
        {"a.Foo$$Lambda/0x00007f.run", "a.Foo$$Lambda/0x*.run", COMPARE_NAMES},
        {"a.-$$Lambda$Main$8GxK8_n-kY0.run", "a.-$$Lambda$Main$*.run", COMPARE_NAMES},
        {"a.Foo.lambda$onCreate$0", "a.Foo.lambda$onCreate$*", COMPARE_NAMES},
        {"a.Foo.lambda$onCreate", "a.Foo.lambda$onCreate", COMPARE_NAMES},
        {"a.Foo.onCreate$lambda$3", "a.Foo.onCreate$lambda$*", COMPARE_NAMES},
        {"a.Foo.onCreate$lambda-3", "a.Foo.onCreate$lambda-*", COMPARE_NAMES},
        {"a.Foo.$r8$lambda$Qz_x-3.x", "a.Foo.$r8$lambda$*.x", COMPARE_NAMES},
        {"a.Foo$$ExternalSyntheticLambda0.run", "a.Foo$$ExternalSyntheticLambda*.run", COMPARE_NAMES},
        {"a.Foo$$ExternalSyntheticApiModelOutline1", "a.Foo$$ExternalSyntheticApiModelOutline*",
         COMPARE_NAMES},
        {"a.Foo$$InternalSyntheticLambda$1$77ff$0.run", "a.Foo$$InternalSynthetic*.run", COMPARE_NAMES},
        {"a.Foo.access$000", "a.Foo.access$*", COMPARE_NAMES},
        {"a.Foo.-$$Nest$fgetmView", "a.Foo.access$*", COMPARE_NAMES},
        {"a.$Proxy3.call", "a.$Proxy*.call", COMPARE_NAMES},
        {"jdk.proxy2.$Proxy9", "jdk.proxy*.$Proxy*", COMPARE_NAMES},
        {"sun.reflect.GeneratedMethodAccessor12.invoke", "sun.reflect.GeneratedMethodAccessor*.invoke",
         COMPARE_NAMES},
        {"(La/Foo$1;I)V", "(La/Foo$*;I)V", COMPARE_NAMES},
        {"work.llvm.8261", "work.llvm.*", COMPARE_NAMES},
        {"work.part.0", "work.part.*", COMPARE_NAMES},
        {"core::run::h0123456789abcdef", "core::run::h*", COMPARE_NAMES},
        {"core::run::h01234", "core::run::h01234", COMPARE_NAMES},
        {"/data/app/~~Qx7_-z==/com.foo-bAr_123-xyzw==/base.apk", "/data/app/~~*/com.foo-*/base.apk",
         COMPARE_MODULE},
        {"/system/lib64/libfoo-1.so", "/system/lib64/libfoo-1.so", COMPARE_MODULE},
        {"$", "$", COMPARE_NAMES},
        {"", "", COMPARE_NAMES},
    };
    struct buf out = {0}, scratch = {0};

    for (size_t i = 0; i < sizeof(CASES) / sizeof(*CASES); i++) {
        buf_clear(&out);
        unsigned rule = compare_normalise(str_of(CASES[i].name), CASES[i].part, &out, &scratch);
        buf_char(&out, '\0');
        assert_string_equal(out.p, CASES[i].normal);
        assert_int_equal(rule != COMPARE_RULE_NONE, strcmp(CASES[i].name, CASES[i].normal) != 0);
        assert_true(rule == COMPARE_RULE_NONE || compare_rule_label(rule) != NULL);
    }
    buf_free(&out);
    buf_free(&scratch);
}

/* Words of rules, one behind the other, so that a rule that goes back over them would take for ever. */
TEST(rules_are_linear)
{
    static const char *const WORDS[] = {
        "lambda$", "-$$Lambda$", "$$ExternalSynthetic", "-$$Nest$", "/~~", "-", "$1", "::h0"};
    struct buf name = {0}, out = {0}, scratch = {0};

    for (size_t w = 0; w < sizeof(WORDS) / sizeof(*WORDS); w++) {
        buf_clear(&name);
        buf_clear(&out);
        for (unsigned i = 0; i < 200000; i++)
            buf_z(&name, WORDS[w]);
        compare_normalise(buf_view(&name), COMPARE_NAMES, &out, &scratch);
        compare_normalise(buf_view(&name), COMPARE_MODULE, &out, &scratch);
        assert_false(out.failed);
    }
    buf_free(&name);
    buf_free(&out);
    buf_free(&scratch);
}

/* ---- trees ---- */

static uint64_t sum_of(const struct profile *p, uint32_t value)
{
    uint64_t sum = 0;

    for (node_id i = 0; i < p->n_nodes; i++)
        sum += profile_self(p, i, value);
    return sum;
}

static void check_shape(const struct profile *p)
{
    for (uint32_t t = 0; t < p->n_tracks; t++) {
        assert_true(t == 0 || p->tracks[t - 1].id < p->tracks[t].id);
        node_id first = p->tracks[t].first;
        assert_int_equal(p->node_parent[first], NODE_NONE);
        for (node_id i = first + 1; i < first + p->tracks[t].count; i++) {
            assert_in_range(p->node_parent[i], first, i - 1);
            assert_true(p->node_frame[i] < p->n_frames);
        }
    }
}

TEST(nothing_is_lost)
{
    for (uint64_t seed = 1; seed < 60; seed++) {
        uint64_t random = seed;
        struct fake *fakes[4];
        const struct profile *runs[4];
        uint32_t n_a = 1 + seed % 2, n_b = 1 + seed / 2 % 2;
        struct job j;
        begin(&j);
        for (uint32_t i = 0; i < n_a + n_b; i++) {
            fakes[i] = fake_random(&random, 1 + (uint32_t)((seed + i) % 4), 40, false);
            runs[i] = fake_finish(fakes[i]);
        }
        const struct profile *p = compare(&j, runs, n_a, n_b);
        assert_non_null(p);
        check_shape(p);
        const struct profile_compared *c = p->compared;
        assert_int_equal(c->n_bases, 4); /* wall, cpu, calls, waiting */
        assert_int_equal(p->n_values, 4 * (n_a + n_b));
        for (uint32_t r = 0; r < n_a + n_b; r++) {
            uint64_t waiting = 0;
            for (uint32_t k = 0; k < 3; k++)
                assert_int_equal(sum_of(p, compare_value(c, k, r)), sum_of(runs[r], k));
            for (node_id i = 0; i < runs[r]->n_nodes; i++)
                waiting += profile_waiting(runs[r], i, 0, 1);
            assert_int_equal(sum_of(p, compare_value(c, 3, r)), waiting);
            for (uint32_t i = 0; i < runs[r]->n_tracks; i++)
                assert_true(c->n_members >= runs[r]->n_tracks);
        }
        for (uint32_t i = 0; i < n_a + n_b; i++)
            fake_free(fakes[i]);
        end(&j);
    }
}

/* A profile with itself: as many nodes, each value twice. */
TEST(equal_ones_are_equal)
{
    uint64_t random = 7;
    struct fake *f = fake_random(&random, 3, 200, true);
    const struct profile *one = fake_finish(f), *runs[] = {one, one};
    struct job j;

    begin(&j);
    const struct profile *p = compare(&j, runs, 1, 1);
    assert_non_null(p);
    assert_int_equal(p->n_tracks, one->n_tracks);
    for (node_id i = 0; i < p->n_nodes; i++)
        for (uint32_t k = 0; k < p->compared->n_bases; k++)
            assert_int_equal(profile_total(p, i, compare_value(p->compared, k, 0)),
                             profile_total(p, i, compare_value(p->compared, k, 1)));
    end(&j);
    fake_free(f);
}

/* ---- as pictures show it ---- */

/* Of each stack the totals of both sides are those of the comparison, scaled as a whole: rounding takes no
 * more than one from any of them, however many nodes it has. The larger is that of each node by itself. */
TEST(sides_are_scaled_as_a_whole)
{
    for (uint64_t seed = 1; seed < 40; seed++) {
        uint64_t random = seed;
        struct fake *fakes[] = {fake_random(&random, 2, 300, true), fake_random(&random, 2, 300, true)};
        const struct profile *runs[] = {fake_finish(fakes[0]), fake_finish(fakes[1])};
        struct job j;
        begin(&j);
        const struct profile *p = compare(&j, runs, 1, 1);
        assert_non_null(p);
        struct compare_scale scale = {{0}, {0}};
        scale.reference[0] = 1 + seed * 7;
        scale.own[compare_value(p->compared, 0, 0)] = scale.reference[0]; /* A is as it is */
        scale.own[compare_value(p->compared, 0, 1)] = 50;
        const struct profile *sides = compare_sides(p, 0, 2, &scale, &j.arena);
        assert_non_null(sides);
        assert_int_equal(sides->n_values, COMPARE_CALLS_B + 1);
        assert_true(str_eq(sides->values[COMPARE_LARGER].name, STR("wall_larger")));
        for (node_id i = 0; i < p->n_nodes; i++) {
            uint64_t a = profile_self(sides, i, COMPARE_SIDE_A), b = profile_self(sides, i, COMPARE_SIDE_B);
            uint64_t exact = number_ratio(profile_total(p, i, compare_value(p->compared, 0, 1)), 50,
                                          scale.reference[0]),
                     shown = profile_total(sides, i, COMPARE_SIDE_B);
            assert_int_equal(profile_total(sides, i, COMPARE_SIDE_A),
                             profile_total(p, i, compare_value(p->compared, 0, 0)));
            assert_true(shown <= exact + 1 && exact <= shown + 1);
            assert_int_equal(profile_self(sides, i, COMPARE_LARGER), a > b ? a : b);
            assert_int_equal(profile_self(sides, i, COMPARE_CALLS_B),
                             profile_self(p, i, compare_value(p->compared, 2, 1)));
        }
        end(&j);
        fake_free(fakes[0]);
        fake_free(fakes[1]);
    }
}

TEST(sides_within_any_memory)
{
    uint64_t random = 3;
    struct fake *f = fake_random(&random, 2, 40, true);
    const struct profile *one = fake_finish(f), *runs[] = {one, one};
    struct compare_scale scale = {{0}, {0}};
    struct job j;
    bool made = false;

    begin(&j);
    const struct profile *p = compare(&j, runs, 1, 1);
    assert_non_null(p);
    for (size_t limit = 1; !made; limit += limit / 3 + 16) {
        struct arena small;
        arena_init(&small, limit);
        made = compare_sides(p, 0, p->compared->n_bases, &scale, &small) != NULL;
        assert_true(made || small.failure != ARENA_OK);
        arena_free(&small);
    }
    end(&j);
    fake_free(f);
}

/* ---- changes in words ---- */

TEST(changes_in_steps_and_words)
{
    static const struct {
        uint64_t a, b;
        const char *words, *percent;
        unsigned step;
    } CASES[] = {
        {0, 0, "0", "0 %", 4},           {100, 100, "0", "0 %", 4},
        {100, 104, "+4", "+4 %", 4},     {95, 100, "+5", "+5.26 %", 5},
        {100, 95, "-5", "-5 %", 3},      {100, 80, "-20", "-20 %", 2},
        {80, 100, "+20", "+25 %", 6},    {50, 100, "+50", "+100 %", 7},
        {100, 50, "-50", "-50 %", 1},    {0, 1, "+1", "new", 8},
        {1, 0, "-1", "gone", 0},         {1, 1000, "+999", "+99,900 %", 7},
        {1000, 1, "-999", "-99.9 %", 1}, {100000, 100001, "+1", "<0.01 %", 4},
    };

    for (size_t i = 0; i < sizeof(CASES) / sizeof(*CASES); i++) {
        struct buf words = {0}, percent = {0};
        change_put(&words, UNIT_COUNT, CASES[i].a, CASES[i].b);
        change_put_percent(&percent, CASES[i].a, CASES[i].b);
        buf_char(&words, '\0');
        buf_char(&percent, '\0');
        assert_string_equal(words.p, CASES[i].words);
        assert_string_equal(strchr(percent.p, CASES[i].percent[0]), CASES[i].percent);
        assert_int_equal(change_step(CASES[i].a, CASES[i].b), CASES[i].step);
        buf_free(&words);
        buf_free(&percent);
    }
    assert_int_equal(change_step(UINT64_MAX, UINT64_MAX - 1), CHANGE_SAME);
    assert_int_equal(change_step(1, UINT64_MAX), CHANGE_STEPS - 2);
}

/* ---- many names of one form ---- */

static struct fake *numbered(unsigned from, unsigned n)
{
    struct fake *f = fake_thread(STR("main"));
    char stack[40];

    for (unsigned i = 0; i < n; i++) {
        snprintf(stack, sizeof(stack), "a.B$%u.run", from + i);
        fake_stack(f, stack, 10 + i, 5, 1);
    }
    return f;
}

TEST(many_names_are_paired)
{
    enum { N = 5000 };
    struct fake *a = numbered(1, N), *b = numbered(N + 1, N);
    const struct profile *runs[] = {fake_finish(a), fake_finish(b)};
    struct job j;

    begin(&j);
    const struct profile *p = compare(&j, runs, 1, 1);
    assert_non_null(p);
    assert_int_equal(p->n_nodes, N + 1);
    for (node_id i = 1; i < p->n_nodes; i++) /* the first with the first: equal times */
        assert_int_equal(profile_self(p, i, 0), profile_self(p, i, 1));
    assert_int_equal(p->n_warnings, 1);
    assert_true(str_eq(p->warnings[0].code, STR("paired-by-rule")));
    assert_int_equal(p->warnings[0].count, N);
    end(&j);
    fake_free(a);
    fake_free(b);
}

/* ---- what cannot be ---- */

TEST(nothing_in_common)
{
    struct fake *a = numbered(1, 2), *b = fake_new();
    struct job j;

    fake_value(b, "samples", UNIT_COUNT, ROLE_OTHER);
    fake_track(b, 1, STR("all"));
    const struct profile *runs[] = {fake_finish(a), fake_finish(b)};
    begin(&j);
    assert_null(compare(&j, runs, 1, 1));
    assert_int_equal(j.diag.kind, DIAG_UNUSABLE);
    assert_non_null(strstr(j.diag.detail, "wall, cpu, calls"));
    assert_non_null(strstr(j.diag.detail, "samples"));
    end(&j);
    fake_free(a);
    fake_free(b);
}

/* Whatever the memory is, it is all or nothing. */
TEST(any_limit_of_memory)
{
    struct fake *a = numbered(1, 50), *b = numbered(30, 50);
    const struct profile *runs[] = {fake_finish(a), fake_finish(b)};
    bool made = false;

    for (size_t limit = 0; !made; limit += 4096) {
        struct job j = {0};
        arena_init(&j.arena, limit);
        arena_init(&j.scratch, limit);
        made = compare(&j, runs, 1, 1) != NULL;
        assert_true(made || j.arena.failure != ARENA_OK || j.scratch.failure != ARENA_OK);
        end(&j);
    }
    fake_free(a);
    fake_free(b);
}
