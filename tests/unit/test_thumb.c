/* Output "thumb": shapes only, small whatever the profile, the same bytes every time. */
#include "tests/support/unit.h"
#include <stdio.h>
#include <string.h>

#include "render/output.h"
#include "render/view/key.h"
#include "tests/support/fake_profile.h"
#include "tests/support/rendering.h"

enum { BYTES_MAX = 20000 };

/* What is behind the style. */
static const char *shapes(struct rendering *r)
{
    const char *text = rendering_text(r), *style = strstr(text, "</style>");

    assert_non_null(style);
    assert_null(strstr(text, "<text"));
    assert_null(strstr(text, "<title"));
    assert_null(strstr(text, "<script"));
    assert_true(strlen(text) < BYTES_MAX);
    return style;
}

TEST(shows_each_frame)
{
    struct fake *f = fake_thread(STR("<main>"));
    struct rendering r;

    fake_stack(f, "a.B.c", 300, 30, 1);
    fake_stack(f, "a.B.c;d.E.f", 600, 10, 1);
    fake_stack(f, "", 100, 0, 0);
    rendering_of(&r, f);
    assert_true(rendering_run(&r, &OUTPUT_THUMB));
    const char *flame = shapes(&r);
    assert_non_null(strstr(flame, "<path class=\"cr\" d=\"M0 82.6h300v7.4h-300z\"/>")); /* the thread */
    assert_non_null(strstr(flame, "M30 74.6h270v7.4h-270z"));
    assert_non_null(strstr(flame, "M120 66.6h180v7.4h-180z"));
    r.view.view = VIEW_ICICLE;
    assert_true(rendering_run(&r, &OUTPUT_THUMB));
    const char *icicle = shapes(&r);
    assert_non_null(strstr(icicle, "M0 0h300v7.4h-300z"));
    assert_non_null(strstr(icicle, "M120 16h180v7.4h-180z"));
    r.view.view = VIEW_FLAME;
    strcpy(r.view.value, "cpu");
    assert_true(rendering_run(&r, &OUTPUT_THUMB));
    assert_non_null(strstr(shapes(&r), "M225 66.6h75v")); /* 10 of 40 */
    rendering_free(&r);
}

TEST(nothing_to_show)
{
    struct fake *f = fake_thread(STR("main"));
    struct rendering r;

    fake_stack(f, "a.b", 0, 0, 0);
    rendering_of(&r, f);
    assert_true(rendering_run(&r, &OUTPUT_THUMB));
    assert_string_equal(shapes(&r), "</style>\n</svg>\n");
    rendering_free(&r);
}

/* Very wide, very deep, both: the bytes stay bounded. */
TEST(large_profiles)
{
    static const struct {
        uint32_t wide, deep;
    } SIZES[] = {{20000, 1}, {1, 5000}, {400, 60}};

    for (size_t i = 0; i < sizeof(SIZES) / sizeof(SIZES[0]); i++) {
        struct fake *f = fake_new();
        struct rendering r;
        const uint64_t self[] = {1000, 1000, 1};
        fake_usual_values(f);
        uint32_t root = fake_track(f, 1, STR("main"));
        for (uint32_t w = 0; w < SIZES[i].wide; w++) {
            char name[16];
            snprintf(name, sizeof(name), "m%u", w);
            frame_id frame = fake_frame(f, STR("a.B"), str_of(name), STR(""));
            uint32_t node = root;
            for (uint32_t d = 0; d < SIZES[i].deep; d++)
                node = fake_child(f, node, frame, self);
        }
        rendering_init(&r, fake_finish(f));
        assert_true(rendering_run(&r, &OUTPUT_THUMB));
        assert_true(strstr(shapes(&r), "class=\"cr\"") != NULL);
        rendering_free(&r);
        fake_free(f);
    }
}

TEST(too_small_a_buffer)
{
    struct fake *f = fake_thread(STR("main"));
    struct rendering r;

    fake_stack(f, "a.b", 10, 10, 1);
    rendering_of(&r, f);
    r.out.limit = 600;
    assert_false(rendering_run(&r, &OUTPUT_THUMB));
    assert_int_equal(r.diag.kind, DIAG_LIMIT);
    rendering_free(&r);
}

/* One digest of a content security policy lets the style of all of them through. */
TEST(style_of_its_own)
{
    struct fake *f = fake_thread(STR("main"));
    struct rendering r;

    fake_stack(f, "a.b", 10, 10, 1);
    rendering_of(&r, f);
    for (int palette = 0; key_word("palette", (unsigned)palette) != NULL; palette++) {
        if (palette == COLOURS_CHANGE) /* of comparisons only */
            continue;
        r.view.palette = (enum view_palette)palette;
        assert_true(rendering_run(&r, &OUTPUT_THUMB));
        struct str svg = buf_view(&r.out), start = STR("<style><![CDATA[");
        size_t at = str_find_str(svg, start) + start.n;
        struct str rest = {svg.p + at, svg.n - at};
        assert_true(at < svg.n && str_starts(rest, OUTPUT_THUMB.style()));
        rest = (struct str){rest.p + OUTPUT_THUMB.style().n, rest.n - OUTPUT_THUMB.style().n};
        assert_true(str_starts(rest, STR("]]></style>")));
        assert_int_equal(str_find_str(rest, STR("<style")), rest.n);
    }
    rendering_free(&r);
}
