/* Inverted trees: the same as the slow way makes them, whole and cut short; and large ones in bounded time. */
#include "tests/support/unit.h"

#include <stdlib.h>
#include <string.h>

#include "render/svg/layout.h"
#include "render/tree/invert.h"
#include "render/tree/sandwich.h"
#include "render/tree/tree.h"
#include "tests/support/fake_profile.h"
#include "tests/support/tree_model.h"

enum { SEEDS = 150 };

/* A tree with all measures of a random profile; its tracks and order by the seed. */
struct trial {
    struct fake *fake;
    struct rendering r;
    struct measure measures[MEASURES_MAX];
    struct tree_spec spec;
    const struct tree *base;
};

static void trial_init(struct trial *t, uint64_t seed)
{
    struct diag d = {0};

    t->fake = model_random_profile(seed);
    const struct profile *p = fake_finish(t->fake);
    rendering_init(&t->r, p);
    t->r.view.tracks = (enum view_tracks)(seed % 3);
    t->r.view.order = seed / 3 % 2 == 0 ? ORDER_NAME : ORDER_WEIGHT;
    assert_true(view_resolve(&t->r.view, p, &d));
    t->spec = (struct tree_spec){.divisor = 1, .order = t->r.view.order, .has_calls = true};
    t->spec.n_measures = measures_of(p, t->measures);
    for (uint32_t i = 0; i < t->spec.n_measures; i++)
        t->spec.measures[i] = &t->measures[i];
    t->spec.calls_column = profile_value_by_role(p, ROLE_CALLS);
    t->spec.order_column = (uint32_t)(seed / 6 % t->spec.n_measures);
    t->base = tree_new(&t->r.input, &t->spec, &d);
    assert_non_null(t->base);
}

static void trial_free(struct trial *t)
{
    rendering_free(&t->r);
    fake_free(t->fake);
}

TEST(inverted_as_the_model)
{
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        struct invert_cut everything = {0, 0, 0};
        struct diag d = {0};
        struct trial t;
        struct model m;
        trial_init(&t, seed);
        const struct tree *made = invert_new(&t.r.input, &t.spec, t.base, &everything, &d);
        assert_non_null(made);
        assert_false(made->cut_short);
        model_invert(&m, t.base);
        model_check(&m, made, &t.r, &t.spec, false);
        model_free(&m);
        trial_free(&t);
    }
}

TEST(sandwiches_as_the_model)
{
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        struct trial t;
        trial_init(&t, seed);
        for (frame_id frame = 0; frame < t.base->n_frames; frame++) {
            struct invert_cut everything = {0, 0, 0};
            struct diag d = {0};
            struct sandwich s;
            struct model m;
            assert_true(sandwich_new(&t.r.input, &t.spec, t.base, frame, &everything, &s, &d));
            assert_int_equal(s.method, frame);
            for (uint32_t c = 0; c < t.spec.n_measures; c++)
                assert_int_equal(tree_total(s.callers, 0, c), tree_total(s.callees, 0, c));
            model_callers(&m, t.base, frame);
            model_check(&m, s.callers, &t.r, &t.spec, false);
            model_free(&m);
            model_callees(&m, t.base, frame);
            model_check(&m, s.callees, &t.r, &t.spec, false);
            model_free(&m);
        }
        trial_free(&t);
    }
}

static uint32_t parents_in(const struct tree *t)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < t->n; i++)
        n += t->size[i] > 1;
    return n;
}

/* Who has children has all of them, and who is large enough has children. */
static void check_cut(const struct model *m, const struct tree *t, const struct invert_cut *cut)
{
    uint32_t *node = calloc(t->n, sizeof(*node)), *children = calloc(t->n, sizeof(*children));
    bool lacks = false;

    assert_true(node != NULL && children != NULL);
    for (uint32_t i = 1; i < t->n; i++) {
        node[i] = model_find(m, node[t->parent[i]], tree_frame(t, i));
        children[t->parent[i]]++;
    }
    for (uint32_t i = 0; i < t->n; i++) {
        bool level = cut->levels_max == 0 || t->depth[i] < cut->levels_max;
        bool enough = i == 0 || tree_total(t, i, 0) >= cut->least;
        uint32_t expected = level && enough ? m->nodes[node[i]].children : 0;
        if (cut->nodes_max == 0)
            assert_int_equal(children[i], expected);
        else
            assert_true(children[i] == 0 || children[i] == expected);
        lacks = lacks || children[i] < m->nodes[node[i]].children;
    }
    assert_int_equal(t->cut_short, lacks);
    free(children);
    free(node);
}

TEST(cut_short)
{
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        struct diag d = {0};
        struct trial t;
        struct model m;
        trial_init(&t, seed);
        uint64_t total = tree_total(t.base, 0, 0);
        struct invert_cut cut = {seed % 4 == 0 ? 0 : total / (1 + seed % 50),
                                 (uint32_t)(seed % 5 == 0 ? 0 : 1 + seed % 7), 0};
        const struct tree *made = invert_new(&t.r.input, &t.spec, t.base, &cut, &d);
        assert_non_null(made);
        model_invert(&m, t.base);
        model_check(&m, made, &t.r, &t.spec, true);
        check_cut(&m, made, &cut);
        cut.nodes_max = 3;
        made = invert_new(&t.r.input, &t.spec, t.base, &cut, &d);
        assert_non_null(made);
        model_check(&m, made, &t.r, &t.spec, true);
        assert_true(parents_in(made) <= 3 + 1);
        check_cut(&m, made, &cut);
        model_free(&m);
        trial_free(&t);
    }
}

/* The sorting by itself: against comparing stacks frame by frame. */
static uint32_t shared_of(const struct tree *t, const uint32_t *rank, uint32_t a, uint32_t b, bool *ascending)
{
    uint32_t shared = 0;

    for (; a != 0 && b != 0 && rank[a] == rank[b]; a = t->parent[a], b = t->parent[b])
        shared++;
    *ascending = a == 0 || (b != 0 && rank[a] < rank[b]);
    return shared;
}

TEST(sorted_upwards)
{
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        struct trial t;
        trial_init(&t, seed);
        uint32_t *rank = calloc(t.base->n, sizeof(*rank));
        assert_non_null(rank);
        for (uint32_t i = 1; i < t.base->n; i++)
            rank[i] = tree_frame(t.base, i) % 3; /* few, so that stacks are equal */
        struct upward up;
        assert_true(upward_sort(&up, t.base, rank, &t.r.arena));
        assert_int_equal(up.n, t.base->n);
        assert_int_equal(up.place[0], 0);
        for (uint32_t i = 1; i < up.n; i++) {
            bool ascending;
            uint32_t shared = shared_of(t.base, rank, up.place[i - 1], up.place[i], &ascending);
            assert_int_equal(up.shared[i], shared);
            assert_true(ascending);
        }
        upward_release(&up, &t.r.arena);
        free(rank);
        trial_free(&t);
    }
}

/* The method of a sandwich: by its text, by its text with signature, and the busiest one. */
static frame_id method_of(struct trial *t, const char *name)
{
    struct diag d = {0};
    frame_id method;

    assert_true(view_set(&t->r.view, KEYS_VIEW, STR("method"), str_of(name), &d));
    bool found = sandwich_method(&t->r.input, t->base, &method, &d);
    assert_int_equal(d.kind, found ? DIAG_NONE : DIAG_NOT_FOUND);
    return found ? method : FRAME_NONE;
}

static const char *name_of(struct trial *t, frame_id method)
{
    static char text[600];
    struct buf b = {0};

    sandwich_name(&b, t->r.input.names, t->r.input.profile, method);
    buf_char(&b, '\0');
    assert_true(b.n <= sizeof(text));
    memcpy(text, b.p, b.n);
    buf_free(&b);
    return text;
}

TEST(methods_by_name)
{
    struct trial t = {.fake = fake_new()};
    struct measure wall = {STR_INIT("wall"), STR_INIT("wall time"), UNIT_NS, false, 0, 0};
    struct tree_spec spec = {.measures = {&wall}, .n_measures = 1, .divisor = 1};
    struct diag d = {0};
    char long_name[600];

    memset(long_name, 'n', sizeof(long_name) - 1);
    long_name[sizeof(long_name) - 1] = '\0';
    fake_usual_values(t.fake);
    fake_track(t.fake, 1, STR("t"));
    fake_stack(t.fake, "a.B.c(I)V;x", 3, 0, 1);
    fake_stack(t.fake, "a.B.c(J)V;x", 3, 0, 1);
    fake_stack(t.fake, "y;odd\x01<name>", 5, 0, 1);
    fake_stack(t.fake, "a.B.d()V", 6, 0, 1);
    fake_stack(t.fake, long_name, 1, 0, 1);
    rendering_init(&t.r, fake_finish(t.fake));
    assert_true(view_resolve(&t.r.view, t.r.input.profile, &d));
    t.base = tree_new(&t.r.input, &spec, &d);
    assert_non_null(t.base);
    /* a.B.d and x have the same self together: the first one by rank. */
    assert_string_equal(name_of(&t, method_of(&t, "")), "a.B.d");
    assert_string_equal(name_of(&t, method_of(&t, "a.B.c")), "a.B.c(I)V");
    assert_string_equal(name_of(&t, method_of(&t, "a.B.c(J)V")), "a.B.c(J)V");
    assert_string_equal(name_of(&t, method_of(&t, "a.B.d()V")), "a.B.d");
    assert_string_equal(name_of(&t, method_of(&t, "odd\xe2\x90\x81<name>")), "odd\xe2\x90\x81<name>");
    assert_int_equal(method_of(&t, "a.B"), FRAME_NONE);
    assert_int_equal(method_of(&t, "a.B.c(I)Vx"), FRAME_NONE);
    assert_int_equal(method_of(&t, "odd\x01<name>"), FRAME_NONE);
    for (frame_id i = 0; i < t.base->n_frames; i++)
        if (names_frame(t.r.input.names, i).n > VIEW_METHOD_BYTES_MAX) /* no option can name it */
            assert_string_equal(name_of(&t, i), long_name);
    trial_free(&t);

    /* One that waits is it only if there is no other. */
    t = (struct trial){.fake = fake_new()};
    fake_usual_values(t.fake);
    fake_track(t.fake, 1, STR("t"));
    fake_stack(t.fake, "android.os.MessageQueue.nativePollOnce(JI)V", 900, 0, 1);
    fake_stack(t.fake, "a.B.c()V", 1, 0, 1);
    rendering_init(&t.r, fake_finish(t.fake));
    assert_true(view_resolve(&t.r.view, t.r.input.profile, &d));
    t.base = tree_new(&t.r.input, &spec, &d);
    assert_string_equal(name_of(&t, method_of(&t, "")), "a.B.c");
    struct frame_colours colours;
    assert_true(frame_colours_find(&colours, t.r.input.names, COLOURS_SELF, t.base, t.r.input.scratch));
    assert_int_equal(colours.self_largest, 1);
    trial_free(&t);

    t = (struct trial){.fake = fake_new()};
    fake_usual_values(t.fake);
    fake_track(t.fake, 1, STR("empty"));
    rendering_init(&t.r, fake_finish(t.fake));
    assert_true(view_resolve(&t.r.view, t.r.input.profile, &d));
    t.base = tree_new(&t.r.input, &spec, &d);
    assert_int_equal(method_of(&t, ""), FRAME_NONE);
    trial_free(&t);
}

/* One stack of the same frames, one of few frames without a pattern, and a node of many children, all with self
 * everywhere: not a node of theirs may cost more than a logarithm. */
enum { DEEP = 300000, WIDE = 100000 };

static struct fake *large(int kind)
{
    const uint64_t one[3] = {10, 5, 1};
    struct fake *f = fake_new();
    frame_id frames[2];

    fake_usual_values(f);
    frames[0] = fake_frame(f, STR("a"), STR("b"), STR(""));
    frames[1] = fake_frame(f, STR("a"), STR("c"), STR(""));
    uint32_t node = fake_track(f, 1, STR("large"));
    for (uint32_t i = 0; kind < 2 && i < DEEP; i++)
        node = fake_child(f, node, frames[kind == 0 ? 0 : __builtin_popcount(i) % 2], one);
    for (uint32_t i = 0; kind == 2 && i < WIDE; i++) {
        char name[8];
        for (size_t j = 0; j < sizeof(name); j++)
            name[j] = (char)('a' + (i * 2654435761u >> 4 * j) % 16);
        uint32_t child = fake_child(f, node, fake_frame(f, STR(""), (struct str){name, 8}, STR("")), one);
        fake_child(f, child, frames[0], one);
    }
    return f;
}

TEST(large_ones)
{
    for (int kind = 0; kind < 3; kind++) {
        struct trial t = {.fake = large(kind)};
        struct measure wall = {STR_INIT("wall"), STR_INIT("wall time"), UNIT_NS, false, 0, 0};
        struct tree_spec spec = {.measures = {&wall}, .n_measures = 1, .divisor = 1};
        struct invert_cut everything = {0, 0, 0};
        struct sandwich s;
        struct diag d = {0};
        rendering_init(&t.r, fake_finish(t.fake));
        assert_true(view_resolve(&t.r.view, t.r.input.profile, &d));
        t.base = tree_new(&t.r.input, &spec, &d);
        assert_non_null(t.base);
        struct invert_cut cut = layout_invert_cut(&t.r.view, tree_total(t.base, 0, 0));
        const struct tree *made = invert_new(&t.r.input, &spec, t.base, &cut, &d);
        assert_non_null(made);
        assert_int_equal(tree_total(made, 0, 0), tree_total(t.base, 0, 0));
        assert_true(parents_in(made) <= 100000);
        assert_true(sandwich_new(&t.r.input, &spec, t.base, 0, &cut, &s, &d));
        if (kind != 1) {
            made = invert_new(&t.r.input, &spec, t.base, &everything, &d);
            assert_non_null(made);
            assert_int_equal(made->n, kind == 0 ? DEEP + 1 : 2 + 2 * WIDE);
        } else {
            /* Each stack would make nearly all of its nodes: their number is the square of the depth. */
            assert_null(invert_new(&t.r.input, &spec, t.base, &everything, &d));
            assert_int_equal(d.kind, DIAG_LIMIT);
        }
        trial_free(&t);
    }
}

/* Wherever memory ends, it is said, and nothing is lost. */
TEST(out_of_memory)
{
    struct trial t;
    bool made = false;

    trial_init(&t, 7);
    for (size_t limit = 64; !made; limit += limit / 8) {
        struct invert_cut cut = layout_invert_cut(&t.r.view, tree_total(t.base, 0, 0));
        struct render_input in = t.r.input;
        struct diag d = {0};
        struct sandwich s;
        struct arena scratch;
        arena_init(&scratch, limit);
        in.scratch = &scratch;
        made = sandwich_new(&in, &t.spec, t.base, 0, &cut, &s, &d) &&
               invert_new(&in, &t.spec, t.base, &cut, &d) != NULL;
        assert_int_equal(d.kind, made ? DIAG_NONE : DIAG_LIMIT);
        arena_free(&scratch);
    }
    trial_free(&t);
}
