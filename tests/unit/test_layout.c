/* Where frames stand: rounding, order, what is too narrow or too deep, the caps. */
#include "tests/support/unit.h"

#include <stdio.h>

#include "render/svg/layout.h"
#include "render/tree/tree.h"
#include "tests/support/fake_profile.h"
#include "tests/support/rendering.h"

static const struct measure WALL = {STR_INIT("wall"), STR_INIT("wall time"), UNIT_NS, false, 0, 0};

struct laid {
    struct rendering r;
    const struct tree *tree;
    const struct layout *layout;
};

static void lay(struct laid *l, const struct profile *p, uint32_t width_px, uint32_t min_milli_px)
{
    struct tree_spec spec = {.measures = {&WALL}, .n_measures = 1, .divisor = 1};
    struct diag d = {0};

    rendering_init(&l->r, p);
    assert_true(view_resolve(&l->r.view, p, &d));
    l->tree = tree_new(&l->r.input, &spec, &d);
    assert_non_null(l->tree);
    const struct layout_limits limits = {width_px, min_milli_px, LAYOUT_FRAMES_MAX};
    l->layout = layout_new(l->tree, &limits, &l->r.arena);
    assert_non_null(l->layout);
}

static void box(const struct laid *l, uint32_t i, const char *text, uint32_t x_dpx, uint32_t width_dpx)
{
    assert_true(i < l->layout->n_boxes);
    const struct layout_box *b = &l->layout->boxes[i];
    frame_id frame = tree_frame(l->tree, b->place);

    assert_true(str_eq(frame == FRAME_NONE ? STR("") : names_frame(l->r.input.names, frame), str_of(text)));
    assert_int_equal(b->x_dpx, x_dpx);
    assert_int_equal(b->width_dpx, width_dpx);
}

TEST(positions)
{
    struct fake *f = fake_thread(STR("t"));
    struct laid l;

    fake_stack(f, "", 100, 0, 0);
    fake_stack(f, "a", 50, 0, 1);
    fake_stack(f, "a;x", 250, 0, 1);
    fake_stack(f, "a;y", 0, 0, 1);
    fake_stack(f, "b", 600, 0, 1);
    lay(&l, fake_finish(f), 1020, 500);
    /* A pixel for each ns; self on the left, then the children by name. */
    assert_int_equal(l.layout->n_boxes, 4);
    box(&l, 0, "", 100, 10000);
    box(&l, 1, "a", 1100, 3000);
    box(&l, 2, "x", 1600, 2500);
    box(&l, 3, "b", 4100, 6000);
    assert_int_equal(l.layout->levels, 3);
    assert_int_equal(l.layout->dropped, 0);
    rendering_free(&l.r);
    fake_free(f);
}

/* Thirds do not fall on tenths of a pixel: neighbours must meet all the same. */
TEST(neighbours_meet)
{
    struct fake *f = fake_thread(STR("t"));
    struct laid l;

    for (char name[] = "a"; name[0] <= 'g'; name[0]++)
        fake_stack(f, name, UINT64_C(1) << 60, 0, 1);
    lay(&l, fake_finish(f), 1200, 0);
    assert_int_equal(l.layout->n_boxes, 8);
    uint32_t x = 100;
    for (uint32_t i = 1; i < 8; i++) {
        assert_int_equal(l.layout->boxes[i].x_dpx, x);
        x += l.layout->boxes[i].width_dpx;
    }
    assert_int_equal(x, 100 + 11800);
    rendering_free(&l.r);
    fake_free(f);
}

TEST(narrow_frames_are_counted)
{
    struct fake *f = fake_thread(STR("t"));
    struct laid l;

    fake_stack(f, "a", 499, 0, 1);
    fake_stack(f, "b;c;d", 500, 0, 1);
    fake_stack(f, "e;f;g", 100, 0, 1);
    fake_stack(f, "e;h", 200, 0, 1);
    fake_stack(f, "z", 1000000 - 499 - 500 - 300, 0, 1);
    lay(&l, fake_finish(f), 1020, 500);
    assert_int_equal(l.layout->n_boxes, 5);
    box(&l, 1, "b", 105, 5);
    box(&l, 4, "z", 113, 9987);
    assert_int_equal(l.layout->dropped, 799);
    rendering_free(&l.r);
    fake_free(f);
}

TEST(height_follows_what_is_drawn)
{
    struct fake *f = fake_thread(STR("t"));
    struct laid l;

    fake_stack(f, "a;b;c;d;e;f;g", 1, 0, 1);
    fake_stack(f, "z;y", 1000000, 0, 1);
    lay(&l, fake_finish(f), 1200, 500);
    assert_int_equal(l.layout->levels, 3);
    rendering_free(&l.r);
    fake_free(f);
}

TEST(nothing_measured)
{
    struct fake *f = fake_thread(STR("t"));
    struct laid l;

    fake_stack(f, "a;b", 0, 0, 1);
    lay(&l, fake_finish(f), 1200, 0);
    assert_int_equal(l.layout->n_boxes, 0);
    assert_int_equal(l.layout->levels, 0);
    rendering_free(&l.r);
    fake_free(f);
}

TEST(deepest_levels_are_cut)
{
    struct fake *f = fake_new();
    const uint64_t none[3] = {0}, all[3] = {77, 0, 1};
    struct laid l;

    fake_usual_values(f);
    frame_id frame = fake_frame(f, STR(""), STR("f"), STR(""));
    uint32_t node = fake_track(f, 1, STR("t"));
    for (uint32_t i = 0; i < LAYOUT_LEVELS_MAX + 10; i++)
        node = fake_child(f, node, frame, i + 1 < LAYOUT_LEVELS_MAX + 10 ? none : all);
    lay(&l, fake_finish(f), 1200, 500);
    assert_int_equal(l.layout->n_boxes, LAYOUT_LEVELS_MAX);
    assert_int_equal(l.layout->levels, LAYOUT_LEVELS_MAX);
    assert_int_equal(l.layout->dropped, 77);
    rendering_free(&l.r);
    fake_free(f);
}

/* 1,000 towers of 150 frames, the n-th n ns wide: the widest towers are drawn, where they stand anyway. */
TEST(the_widest_of_too_many)
{
    struct fake *f = fake_new();
    const uint64_t none[3] = {0};
    struct laid all, few;
    uint32_t drawn = 0;

    fake_usual_values(f);
    uint32_t root = fake_track(f, 1, STR("t"));
    for (uint32_t i = 0; i < 1000; i++) {
        const uint64_t wall[3] = {1000 + i, 0, 1};
        char name[8];
        snprintf(name, sizeof(name), "%u", 1000 + i * 7919 % 1000); /* they do not stand in their order */
        frame_id frame = fake_frame(f, STR(""), str_of(name), STR(""));
        uint32_t node = root;
        for (uint32_t j = 0; j < 150; j++)
            node = fake_child(f, node, frame, j == 149 ? wall : none);
    }
    const struct profile *p = fake_finish(f);
    lay(&few, p, 10000, 0);
    assert_int_equal(few.layout->n_boxes, LAYOUT_FRAMES_MAX);
    assert_int_equal(few.layout->levels, 151);
    /* The root, 13 whole towers of 150, and the lower 49 frames of the next. */
    uint64_t total = tree_total(few.tree, 0, 0), towers = 0;
    for (uint32_t i = 0; i < 14; i++)
        towers += 1999 - i;
    assert_int_equal(few.layout->dropped, total - towers + 1999 - 13);
    rendering_init(&all.r, p);
    const struct layout_limits limits = {10000, 0, UINT32_MAX};
    all.layout = layout_new(few.tree, &limits, &all.r.arena);
    assert_non_null(all.layout);
    assert_int_equal(all.layout->n_boxes, 150001);
    assert_int_equal(all.layout->dropped, 0);
    for (uint32_t i = 0; i < all.layout->n_boxes && drawn < few.layout->n_boxes; i++)
        if (few.layout->boxes[drawn].place == all.layout->boxes[i].place) {
            assert_int_equal(few.layout->boxes[drawn].x_dpx, all.layout->boxes[i].x_dpx);
            assert_int_equal(few.layout->boxes[drawn].width_dpx, all.layout->boxes[i].width_dpx);
            drawn++;
        }
    assert_int_equal(drawn, LAYOUT_FRAMES_MAX);
    rendering_free(&few.r);
    rendering_free(&all.r);
    fake_free(f);
}
