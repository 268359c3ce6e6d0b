/* The profile table: as a count over single stacks makes it, for every value, every group and every
 * selection of tracks; who calls and is called; the ids of methods. */
#include "tests/support/unit.h"

#include <stdlib.h>

#include "profile/frame/own_code.h"
#include "render/method/method.h"
#include "render/table/table.h"

#include "render/tree/tree.h"
#include "tests/support/fake_profile.h"
#include "tests/support/rendering.h"
#include "tests/support/tree_model.h"

enum { SEEDS = 120, DEEPEST = 512 };

/* ---- the slow way ---- */

/* One stack: the rows from the root's child to a node. */
struct stack {
    uint32_t rows[DEEPEST];
    uint32_t n;
    uint64_t self[MEASURES_MAX], calls; /* of the last one */
};

/* What a row counts, by stacks. A total is the sum of what stands on the stacks through it. */
struct counted {
    uint64_t inclusive[MEASURES_MAX], exclusive[MEASURES_MAX], calls, recursive;
};

static struct stack stack_of(const struct table *t, node_id node)
{
    const struct profile *p = t->profile;
    struct stack s = {.n = 0};

    for (node_id at = node; p->node_frame[at] != FRAME_NONE; at = p->node_parent[at]) {
        assert_true(s.n < DEEPEST);
        s.rows[s.n++] = t->row_of_frame[p->node_frame[at]];
    }
    for (uint32_t i = 0; i < s.n / 2; i++) {
        uint32_t other = s.rows[i];
        s.rows[i] = s.rows[s.n - 1 - i];
        s.rows[s.n - 1 - i] = other;
    }
    for (uint32_t m = 0; m < t->n_measures; m++) {
        uint64_t wall = profile_self(p, node, 0), cpu = profile_self(p, node, 1);
        bool waiting = str_eq(t->measures[m].name, STR("waiting"));
        bool waited = wall > cpu && p->node_frame[node] != FRAME_NONE;
        s.self[m] = waiting ? (waited ? wall - cpu : 0) : profile_self(p, node, m);
    }
    s.calls = profile_self(p, node, 2);
    return s;
}

static uint32_t times_on(const struct stack *s, uint32_t row, uint32_t n)
{
    uint32_t times = 0;

    for (uint32_t i = 0; i < n; i++)
        times += s->rows[i] == row;
    return times;
}

static void count_stack(const struct table *t, const struct stack *s, struct counted *rows, uint64_t *top)
{
    for (uint32_t row = 0; row < t->n; row++)
        for (uint32_t m = 0; m < t->n_measures && times_on(s, row, s->n) > 0; m++)
            rows[row].inclusive[m] += s->self[m];
    for (uint32_t m = 0; m < t->n_measures; m++)
        *(s->n == 0 ? &top[m] : &rows[s->rows[s->n - 1]].exclusive[m]) += s->self[m];
    if (s->n == 0)
        return;
    struct counted *last = &rows[s->rows[s->n - 1]];
    last->calls += s->calls;
    if (times_on(s, s->rows[s->n - 1], s->n) > 1)
        last->recursive += s->calls;
}

/* Calls f for each stack of the counted tracks. */
static void each_stack(const struct table *t,
                       void (*f)(const struct table *t, const struct stack *s, void *context), void *context)
{
    for (uint32_t i = 0; i < t->n_tracks; i++) {
        const struct profile_track *track = &t->profile->tracks[t->tracks[i]];
        for (node_id node = track->first; node < track->first + track->count; node++) {
            struct stack s = stack_of(t, node);
            f(t, &s, context);
        }
    }
}

struct expected {
    struct counted *rows;
    uint64_t top[MEASURES_MAX];
};

static void expect_stack(const struct table *t, const struct stack *s, void *context)
{
    struct expected *e = context;

    count_stack(t, s, e->rows, e->top);
}

static void check_counts(const struct table *t)
{
    struct expected e = {.rows = calloc(t->n + 1u, sizeof(*e.rows))};

    assert_non_null(e.rows);
    each_stack(t, expect_stack, &e);
    for (uint32_t row = 0; row < t->n; row++) {
        struct table_sums sums = table_sums(t, row);
        assert_int_equal(sums.calls, e.rows[row].calls);
        assert_int_equal(sums.recursive, e.rows[row].recursive);
        for (uint32_t m = 0; m < t->n_measures; m++) {
            assert_int_equal(sums.inclusive[m], e.rows[row].inclusive[m]);
            assert_int_equal(sums.exclusive[m], e.rows[row].exclusive[m]);
        }
    }
    for (uint32_t m = 0; m < t->n_measures; m++)
        assert_int_equal(t->top[m], e.top[m]);
    free(e.rows);
}

/* ---- callers and callees, the slow way ---- */

struct edge_sums {
    uint64_t calls, value[MEASURES_MAX];
};

struct edges {
    struct edge_sums *edges; /* by row, TABLE_NO_ROW as the last */
    bool *used;
};

struct expected_part {
    struct edges parents, children;
    uint64_t self[MEASURES_MAX];
};

struct expected_detail {
    uint32_t row;
    struct expected_part parts[2]; /* outermost, recursive */
};

static void edges_init(const struct table *t, struct edges *e)
{
    e->edges = calloc(t->n + 1u, sizeof(*e->edges));
    e->used = calloc(t->n + 1u, sizeof(*e->used));
    assert_true(e->edges != NULL && e->used != NULL);
}

static void edges_free(struct edges *e)
{
    free(e->edges);
    free(e->used);
}

static struct edge_sums *use(const struct table *t, struct edges *e, uint32_t row)
{
    uint32_t at = row == TABLE_NO_ROW ? t->n : row;

    e->used[at] = true;
    return &e->edges[at];
}

static void expect_edges(const struct table *t, const struct stack *s, void *context)
{
    struct expected_detail *d = context;

    for (uint32_t i = 0; i < s->n; i++) {
        struct expected_part *part = &d->parts[times_on(s, d->row, i) > 0];
        if (s->rows[i] != d->row)
            continue;
        bool last = i + 1 == s->n;
        struct edge_sums *parent = use(t, &part->parents, i > 0 ? s->rows[i - 1] : TABLE_NO_ROW);
        struct edge_sums *child = last ? NULL : use(t, &part->children, s->rows[i + 1]);
        parent->calls += last ? s->calls : 0;
        if (i + 2 == s->n)
            child->calls += s->calls;
        for (uint32_t m = 0; m < t->n_measures; m++) {
            parent->value[m] += s->self[m];
            *(last ? &part->self[m] : &child->value[m]) += s->self[m];
        }
    }
}

static void check_edges(const struct table *t, const struct edges *expected, const struct detail_edges *got)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i <= t->n; i++)
        n += expected->used[i];
    assert_int_equal(got->n, n);
    for (uint32_t i = 0; i < got->n; i++) {
        const struct detail_edge *edge = &got->edges[i];
        uint32_t at = edge->row == TABLE_NO_ROW ? t->n : edge->row;
        assert_true(expected->used[at]);
        assert_int_equal(edge->calls, expected->edges[at].calls);
        assert_memory_equal(edge->value, expected->edges[at].value, t->n_measures * sizeof(edge->value[0]));
        if (i > 0)
            assert_true(edge[-1].value[0] > edge->value[0] ||
                        (edge[-1].value[0] == edge->value[0] && edge[-1].row < edge->row));
    }
}

static uint64_t sum_of(const struct detail_edges *e, uint32_t measure)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < e->n; i++)
        sum += e->edges[i].value[measure];
    return sum;
}

static void check_part(const struct table *t, const struct expected_part *expected,
                       const struct detail_part *got)
{
    check_edges(t, &expected->parents, &got->parents);
    check_edges(t, &expected->children, &got->children);
    for (uint32_t m = 0; m < t->n_measures; m++) {
        assert_int_equal(got->self[m], expected->self[m]);
        assert_int_equal(sum_of(&got->parents, m), sum_of(&got->children, m) + got->self[m]);
    }
}

static void check_detail(const struct table *t, uint32_t row, struct arena *arena)
{
    struct expected_detail e = {.row = row};
    struct table_sums sums = table_sums(t, row);
    struct detail d;
    uint64_t calls = 0;

    for (unsigned i = 0; i < 2; i++) {
        edges_init(t, &e.parts[i].parents);
        edges_init(t, &e.parts[i].children);
    }
    each_stack(t, expect_edges, &e);
    assert_true(detail_new(&d, t, row, arena));
    check_part(t, &e.parts[0], &d.outermost);
    check_part(t, &e.parts[1], &d.recursive);
    for (uint32_t m = 0; m < t->n_measures; m++)
        assert_int_equal(sum_of(&d.outermost.parents, m), sums.inclusive[m]);
    for (uint32_t i = 0; i < d.outermost.parents.n; i++)
        calls += d.outermost.parents.edges[i].calls;
    assert_int_equal(calls, sums.calls - sums.recursive);
    for (unsigned i = 0; i < 2; i++) {
        edges_free(&e.parts[i].parents);
        edges_free(&e.parts[i].children);
    }
}

/* ---- random profiles ---- */

/* Random ones with much recursion, or with many classes; the view's tracks by the seed. */
static struct fake *random_profile(uint64_t seed, struct rendering *r)
{
    uint64_t state = seed;
    struct fake *f = seed % 3 == 0 ? fake_random(&state, 1 + (uint32_t)(seed % 4), 60, seed % 2 == 0)
                                   : model_random_profile(seed);
    const struct profile *p = fake_finish(f);
    struct diag d = {0};

    rendering_init(r, p);
    r->view.tracks = (enum view_tracks)(seed / 2 % 3);
    if (r->view.tracks == TRACKS_LISTED && p->n_tracks > 1) {
        r->view.n_track_ids = 2;
        r->view.track_ids[0] = p->tracks[0].id;
        r->view.track_ids[1] = p->tracks[p->n_tracks - 1].id;
    }
    assert_true(view_resolve(&r->view, p, &d));
    return f;
}

/* Of the same state. */
static void check_totals(const struct table *t, const struct rendering *r)
{
    struct diag d = {0};

    for (uint32_t m = 0; m < t->n_measures; m++) {
        struct tree_spec spec = {.measures = {&t->measures[m]}, .n_measures = 1, .divisor = 1};
        const struct tree *tree = tree_new(&r->input, &spec, &d);
        uint64_t sum = t->top[m];
        assert_non_null(tree);
        for (uint32_t row = 0; row < t->n; row++)
            sum += table_sums(t, row).exclusive[m];
        assert_int_equal(sum, tree_total(tree, 0, 0));
        assert_int_equal(sum, t->total[m]);
    }
}

TEST(as_counted_by_stacks)
{
    for (uint64_t seed = 0; seed < SEEDS; seed++)
        for (unsigned group = GROUP_METHOD; group < GROUP_THREAD; group++) {
            struct rendering r;
            struct fake *f = random_profile(seed, &r);
            const struct table *t =
                methods_new(r.input.profile, r.input.names, &r.view, (enum table_group)group, &r.arena);
            assert_non_null(t);
            assert_int_equal(t->n_measures, 3);
            check_counts(t);
            check_totals(t, &r);
            for (uint32_t row = 0; row < t->n; row++)
                if (seed % 4 == 0)
                    check_detail(t, row, &r.arena);
            rendering_free(&r);
            fake_free(f);
        }
}

static struct str group_text(const struct rendering *r, enum table_group group, frame_id frame)
{
    const struct profile *p = r->input.profile;
    struct str scope = profile_string(p, p->frames[frame].scope);
    size_t dot = str_find_last(scope, '.');

    if (group == GROUP_ORIGIN)
        return str_of(origin_word((enum origin)names_of(r->input.names, frame)->origin));
    return (struct str){scope.p, group == GROUP_CLASS ? scope.n : dot < scope.n ? dot : 0};
}

TEST(rows_of_groups)
{
    for (uint64_t seed = 0; seed < 30; seed++)
        for (unsigned group = GROUP_CLASS; group < GROUP_THREAD; group++) {
            struct rendering r;
            struct fake *f = random_profile(seed, &r);
            const struct table *t =
                methods_new(r.input.profile, r.input.names, &r.view, (enum table_group)group, &r.arena);
            assert_non_null(t);
            for (frame_id i = 0; i < r.input.profile->n_frames; i++)
                assert_true(
                    str_eq(table_name(t, t->row_of_frame[i]), group_text(&r, (enum table_group)group, i)));
            for (uint32_t row = 1; row < t->n; row++)
                assert_true(str_cmp(table_name(t, row - 1), table_name(t, row)) < 0);
            rendering_free(&r);
            fake_free(f);
        }
}

/* ---- by hand ---- */

TEST(by_thread)
{
    struct fake *f = fake_new();
    struct rendering r;

    fake_usual_values(f);
    fake_track(f, 3, STR("main"));
    fake_stack(f, "", 10, 1, 0);
    fake_stack(f, "a.B.c;a.B.c", 100, 7, 4);
    fake_track(f, 8, STR("worker"));
    fake_stack(f, "a.B.c", 5, 9, 2);
    rendering_of(&r, f);
    r.view.tracks = TRACKS_ALL;
    const struct table *t = rendering_table(&r, GROUP_THREAD);
    assert_int_equal(t->n, 2);
    struct table_sums main = table_sums(t, 0), worker = table_sums(t, 1);
    assert_int_equal(main.inclusive[0], 110);
    assert_int_equal(main.exclusive[0], 110);
    assert_int_equal(main.inclusive[2], 93); /* waiting: not what no method was open */
    assert_int_equal(main.calls, 4);
    assert_int_equal(main.recursive, 0);
    assert_int_equal(worker.inclusive[1], 9);
    assert_int_equal(worker.inclusive[2], 0);
    assert_int_equal(t->top[0], 0);
    assert_int_equal(t->total[0], 115);
    rendering_free(&r);
}

/* Files and ids of frames do not tell methods apart; all else does. */
TEST(identity)
{
    struct fake *f = fake_new();
    struct rendering r;
    uint64_t one[3] = {1000, 0, 1};

    fake_usual_values(f);
    uint32_t root = fake_track(f, 1, STR("main"));
    frame_id frames[] = {
        fake_frame(f, STR("a.B"), STR("c"), STR("()V")), fake_frame(f, STR("a.B"), STR("c"), STR("()V")),
        fake_frame(f, STR("a.B"), STR("c"), STR("(I)V")), fake_frame(f, STR(""), STR("a.B.c"), STR("()V")),
        fake_frame(f, STR("a.B"), STR("c"), STR("()V"))};
    uint32_t node = root;
    for (unsigned i = 0; i < 5; i++)
        node = fake_child(f, node, frames[i], one);
    const struct profile *p = fake_finish(f);
    struct profile_frame *made =
        (struct profile_frame *)(uintptr_t)p->frames; /* as a parser would have filled it */
    made[1].file = made[0].scope;
    made[4].module = made[0].name;
    rendering_init(&r, p);
    const struct table *t = rendering_table(&r, GROUP_METHOD);
    assert_int_equal(t->n, 4);
    assert_int_equal(t->row_of_frame[0], t->row_of_frame[1]);
    struct table_sums twice = table_sums(t, t->row_of_frame[0]);
    assert_int_equal(twice.inclusive[0], 5000);
    assert_int_equal(twice.exclusive[0], 2000);
    assert_int_equal(twice.calls, 2);
    assert_int_equal(twice.recursive, 1);
    rendering_free(&r);
    fake_free(f);
}

/* ---- ids ---- */

/* printf 'a.B\0c\0()V\0\0' | sha256sum */
TEST(ids)
{
    struct fake *f = fake_thread(STR("main"));
    struct sha256 *h = sha256_new();
    struct rendering r;
    char id[TABLE_ID_DIGITS + 1];
    uint32_t rows[2], n;

    assert_non_null(h);
    fake_stack(f, "a.B.c()V", 1000, 0, 1);
    fake_stack(f, "a.B.c(I)V", 1000, 0, 1);
    rendering_of(&r, f);
    const struct table *t = rendering_table(&r, GROUP_METHOD);
    assert_true(table_id(t, t->row_of_frame[0], h, id));
    assert_string_equal(id, "7142026ccf3d");
    assert_true(table_by_id(t, STR("7142026ccf3d"), h, rows, 2, &n));
    assert_int_equal(n, 1);
    assert_int_equal(rows[0], t->row_of_frame[0]);
    assert_true(table_by_id(t, STR("000000000000"), h, rows, 2, &n));
    assert_int_equal(n, 0);
    rendering_free(&r);
    sha256_free(h);
}
