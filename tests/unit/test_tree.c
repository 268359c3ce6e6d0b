/* The tree of a view: selection of tracks, merging, order, depth and width without end. */
#include "tests/support/unit.h"

#include <stdlib.h>

#include "render/svg/layout.h"
#include "render/tree/tree.h"
#include "tests/support/fake_profile.h"
#include "tests/support/rendering.h"
#include "tests/support/sanitized.h"
#include "tests/support/small_stack.h"

static const struct measure WALL = {STR_INIT("wall"), STR_INIT("wall time"), UNIT_NS, false, 0, 0};
static const struct measure CALLS = {STR_INIT("calls"), STR_INIT("calls"), UNIT_COUNT, false, 2, 0};
static const struct measure WAITING = {STR_INIT("waiting"), STR_INIT("waiting time"), UNIT_NS, true, 0, 1};

/* One line per node: depth, text, self/total of the first column. */
static void check(struct rendering *r, struct tree_spec spec, const char *expected)
{
    struct buf b = {0};
    struct diag d = {0};

    assert_true(view_resolve(&r->view, r->input.profile, &d));
    spec.divisor = spec.divisor == 0 ? 1 : spec.divisor;
    spec.order = r->view.order;
    const struct tree *t = tree_new(&r->input, &spec, &d);
    assert_non_null(t);
    for (uint32_t i = 0; i < t->n; i++) {
        frame_id frame = tree_frame(t, i);
        for (uint32_t j = 0; j < t->depth[i]; j++)
            buf_char(&b, '-');
        if (tree_is_track(t, frame))
            buf_str(&b, names_track(r->input.names, frame - t->n_frames));
        else
            buf_str(&b, frame == FRAME_NONE ? STR("root") : names_frame(r->input.names, frame));
        buf_printf(&b, " %llu/%llu%s\n", (unsigned long long)tree_self(t, i, 0),
                   (unsigned long long)tree_total(t, i, 0), tree_recursive(t, i) ? " recursive" : "");
        assert_int_equal(t->parent[i] == NODE_NONE, i == 0);
        if (i > 0) {
            assert_true(t->parent[i] < i && i < t->parent[i] + t->size[t->parent[i]]);
            assert_int_equal(t->depth[i], t->depth[t->parent[i]] + 1);
        }
    }
    assert_buf(&b, expected);
}

static struct fake *two_threads(void)
{
    struct fake *f = fake_thread(STR("b"));

    fake_stack(f, "", 1, 1, 0);
    fake_stack(f, "z", 10, 4, 1);
    fake_stack(f, "z;y", 5, 5, 2);
    fake_stack(f, "a", 20, 30, 1);
    fake_stack(f, "a;z;a", 7, 0, 3);
    fake_track(f, 2, STR("a"));
    fake_stack(f, "", 100, 0, 0);
    fake_stack(f, "a;z", 1000, 0, 1);
    fake_stack(f, "c", 500, 0, 1);
    return f;
}

TEST(one_track)
{
    struct rendering r;

    rendering_of(&r, two_threads());
    r.view.track_ids[0] = 1;
    r.view.n_track_ids = 1;
    struct tree_spec wall = {.measures = {&WALL, &CALLS}, .n_measures = 2};
    check(&r, wall, "root 1/43\n-a 20/27\n--z 0/7\n---a 7/7 recursive\n-z 10/15\n--y 5/5\n");
    r.view.order = ORDER_WEIGHT;
    check(&r, wall, "root 1/43\n-a 20/27\n--z 0/7\n---a 7/7 recursive\n-z 10/15\n--y 5/5\n");
    struct tree_spec waiting = {.measures = {&WAITING}, .n_measures = 1};
    check(&r, waiting, "root 0/13\n-a 0/7\n--z 0/7\n---a 7/7 recursive\n-z 6/6\n--y 0/0\n");
    struct tree_spec by_calls = {.measures = {&WALL, &CALLS}, .n_measures = 2, .order_column = 1};
    check(&r, by_calls, "root 1/43\n-a 20/27\n--z 0/7\n---a 7/7 recursive\n-z 10/15\n--y 5/5\n");
    struct tree_spec tens = {.measures = {&WALL}, .n_measures = 1, .divisor = 10};
    check(&r, tens, "root 0/3\n-a 2/2\n--z 0/0\n---a 0/0 recursive\n-z 1/1\n--y 0/0\n");
    rendering_free(&r);
}

TEST(weight_order)
{
    struct fake *f = fake_thread(STR("t"));
    struct rendering r;
    struct tree_spec wall = {.measures = {&WALL, &CALLS}, .n_measures = 2};

    fake_stack(f, "d", 5, 0, 4);
    fake_stack(f, "a", 1, 0, 3);
    fake_stack(f, "c", 9, 0, 2);
    fake_stack(f, "b", 5, 0, 1);
    rendering_of(&r, f);
    check(&r, wall, "root 0/20\n-a 1/1\n-b 5/5\n-c 9/9\n-d 5/5\n");
    r.view.order = ORDER_WEIGHT;
    check(&r, wall, "root 0/20\n-c 9/9\n-b 5/5\n-d 5/5\n-a 1/1\n");
    wall.order_column = 1;
    check(&r, wall, "root 0/20\n-d 5/5\n-a 1/1\n-c 9/9\n-b 5/5\n");
    rendering_free(&r);
}

TEST(side_by_side)
{
    struct rendering r;
    struct tree_spec wall = {.measures = {&WALL}, .n_measures = 1};
    static const char BY_NAME[] =
        "root 0/1643\n-[a tid=2] 100/1600\n--a 0/1000\n---z 1000/1000\n--c 500/500\n"
        "-[b tid=1] 1/43\n--a 20/27\n---z 0/7\n----a 7/7 recursive\n--z 10/15\n---y 5/5\n";

    rendering_of(&r, two_threads());
    r.view.tracks = TRACKS_ALL;
    check(&r, wall, BY_NAME);
    r.view.tracks = TRACKS_LISTED;
    r.view.track_ids[0] = 1;
    r.view.track_ids[1] = 2;
    r.view.n_track_ids = 2;
    check(&r, wall, BY_NAME);
    rendering_free(&r);
}

TEST(merged)
{
    struct rendering r;
    struct tree_spec wall = {.measures = {&WALL}, .n_measures = 1};

    rendering_of(&r, two_threads());
    r.view.tracks = TRACKS_MERGED;
    check(&r, wall,
          "root 101/1643\n-a 20/1027\n--z 1000/1007\n---a 7/7 recursive\n-c 500/500\n-z 10/15\n--y 5/5\n");
    r.view.order = ORDER_WEIGHT;
    check(&r, wall,
          "root 101/1643\n-a 20/1027\n--z 1000/1007\n---a 7/7 recursive\n-c 500/500\n-z 10/15\n--y 5/5\n");
    rendering_free(&r);
}

TEST(sums_saturate)
{
    struct fake *f = fake_thread(STR("a"));
    struct rendering r;
    struct tree_spec wall = {.measures = {&WALL}, .n_measures = 1};

    fake_stack(f, "x", UINT64_MAX, 0, 0);
    fake_track(f, 2, STR("b"));
    fake_stack(f, "x", UINT64_MAX, 0, 0);
    rendering_of(&r, f);
    r.view.tracks = TRACKS_MERGED;
    check(&r, wall, "root 0/18446744073709551615\n-x 18446744073709551615/18446744073709551615\n");
    r.view.tracks = TRACKS_ALL;
    struct diag d = {0};
    wall.divisor = 1;
    const struct tree *t = tree_new(&r.input, &wall, &d);
    assert_non_null(t);
    const struct layout_limits limits = {1200, 500, LAYOUT_FRAMES_MAX};
    const struct layout *l = layout_new(t, &limits, &r.arena);
    assert_non_null(l);
    for (uint32_t i = 0; i < l->n_boxes; i++)
        assert_true(l->boxes[i].x_dpx + l->boxes[i].width_dpx <= 11900);
    rendering_free(&r);
}

/* One stack of a hundred thousand frames, far more than a stack of this size has room for if each took one call, then
 * a node with as many children, in every output and mode. */
/* A recursion takes 16 bytes a level at least: so many levels or siblings would not fit the small stack. Under
 * a sanitizer it takes more than twice as much. */
enum { DEEP = SANITIZED ? 10000 : 30000, WIDE = DEEP };

static struct fake *deep_and_wide(void)
{
    struct fake *f = fake_new();
    const uint64_t one[3] = {1000, 500, 1}, none[3] = {0};
    frame_id frames[3];

    fake_usual_values(f);
    for (int i = 0; i < 3; i++)
        frames[i] = fake_frame(f, STR(""), (struct str){&"abc"[i], 1}, STR(""));
    uint32_t node = fake_track(f, 1, STR("deep"));
    for (uint32_t i = 0; i < DEEP; i++)
        node = fake_child(f, node, frames[i % 3], i + 1 < DEEP ? none : one);
    node = fake_track(f, 2, STR("wide"));
    for (uint32_t i = 0; i < WIDE; i++) {
        char name[16];
        size_t n = 0;
        for (uint32_t v = i * 2654435761u; n < 8; v >>= 4)
            name[n++] = (char)('a' + v % 16);
        fake_child(f, node, fake_frame(f, STR("w"), (struct str){name, n}, STR("")), one);
    }
    return f;
}

static void draw(const struct profile *p, enum view_kind view)
{
    for (size_t i = 0; i < OUTPUTS_COUNT; i++)
        for (int mode = 0; mode < 4; mode++) {
            struct rendering r;
            rendering_init(&r, p);
            r.out.limit = (size_t)64 << 20;
            r.view.tracks = mode < 2 ? TRACKS_LISTED : mode == 2 ? TRACKS_ALL : TRACKS_MERGED;
            r.view.n_track_ids = mode < 2 ? 1 : 0;
            r.view.track_ids[0] = (uint32_t)mode + 1;
            r.view.view = view;
            if (!rendering_run(&r, OUTPUTS[i]) || r.out.n == 0)
                abort();
            rendering_free(&r);
        }
}

static void *draw_all(void *argument)
{
    draw(argument, VIEW_FLAME);
    draw(argument, VIEW_INVERTED);
    draw(argument, VIEW_SANDWICH);
    return NULL;
}

TEST(deep_and_wide_on_a_small_stack)
{
    struct fake *f = deep_and_wide();

    on_small_stack(draw_all, (void *)fake_finish(f));
    fake_free(f);
}

/* Wherever memory ends, it is said, and nothing is lost. */
TEST(out_of_memory)
{
    struct fake *f = two_threads();
    const struct profile *p = fake_finish(f);
    struct rendering r;

    rendering_init(&r, p);
    for (size_t i = 0; i < OUTPUTS_COUNT; i++)
        for (int mode = 0; mode < 9; mode++) {
            bool made = false;
            r.view.tracks = (enum view_tracks)(mode % 3);
            r.view.view = (enum view_kind)(mode / 3 + VIEW_ICICLE);
            for (size_t limit = 64; !made; limit += limit / 4) {
                struct arena scratch;
                arena_init(&scratch, limit);
                r.input.scratch = &scratch;
                made = rendering_run(&r, OUTPUTS[i]);
                if (!made)
                    assert_int_equal(r.diag.kind, DIAG_LIMIT);
                arena_free(&scratch);
            }
            size_t whole = r.out.n;
            made = false;
            for (size_t limit = 1; !made; limit += 1 + limit / 16) {
                struct arena scratch;
                arena_init(&scratch, 1 << 24);
                r.input.scratch = &scratch;
                buf_free(&r.out);
                buf_init(&r.out, limit);
                made = rendering_run(&r, OUTPUTS[i]);
                assert_int_equal(r.diag.kind, made ? DIAG_NONE : DIAG_LIMIT);
                arena_free(&scratch);
            }
            assert_int_equal(r.out.n, whole);
            r.out.limit = 0;
        }
    rendering_free(&r);
    fake_free(f);
}
