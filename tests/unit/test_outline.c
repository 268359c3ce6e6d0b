/* Output "outline": what is shown is the heaviest part, and fits its budget. */
#include "tests/support/unit.h"

#include <string.h>

#include "core/buf.h"
#include "core/clean.h"
#include "tests/support/fake_profile.h"
#include "tests/support/rendering.h"

/* The lines behind the first one. */
static const char *below_head(struct rendering *r)
{
    assert_true(rendering_run(r, &OUTPUT_OUTLINE));
    const char *end = strchr(rendering_text(r), '\n');
    assert_non_null(end);
    return end + 1;
}

TEST(callees_stand_below_callers)
{
    struct fake *f = fake_thread(STR("main"));
    struct rendering r;

    fake_stack(f, "a", 100000, 0, 1);
    fake_stack(f, "a;b", 500000, 0, 2);
    fake_stack(f, "a;b;c", 100000, 0, 4000);
    fake_stack(f, "d", 300000, 0, 1);
    rendering_of(&r, f);
    assert_string_equal(below_head(&r), "70 % 700 µs, 1 call: a, self 100 µs\n"
                                        " 60 % 600 µs, 2 calls: b, self 500 µs\n"
                                        "  10 % 100 µs, 4,000 calls: c\n"
                                        "30 % 300 µs, 1 call: d\n");
    assert_non_null(strstr(rendering_text(&r), "main"));
    assert_non_null(strstr(rendering_text(&r), "4 of 4 frames"));
    assert_null(strstr(rendering_text(&r), "The rest"));
    r.view.view = VIEW_INVERTED;
    assert_string_equal(below_head(&r), "50 % 500 µs, 2 calls: b > a\n"
                                        "30 % 300 µs, 1 call: d\n"
                                        "10 % 100 µs, 1 call: a\n"
                                        "10 % 100 µs, 4,000 calls: c > b > a\n");
    rendering_free(&r);
}

/* A callee with nearly all of its caller's time shares its line; of many the ends are named. */
TEST(long_stacks_are_one_line)
{
    struct fake *f = fake_thread(STR("main"));
    struct rendering r;

    fake_stack(f, "a;b;c;d;e", 990000, 0, 1);
    fake_stack(f, "a", 10000, 0, 1);
    fake_stack(f, "a;b;x", 5000, 0, 1);
    rendering_of(&r, f);
    assert_string_equal(below_head(&r), "100 % 1.01 ms, 1 call: a > (3) > e, self 990 µs\n");
    rendering_free(&r);
}

TEST(several_tracks_stand_beside_each_other)
{
    struct fake *f = fake_new();
    struct rendering r;

    fake_usual_values(f);
    fake_track(f, 2, STR("Binder"));
    fake_stack(f, "a", 300000, 0, 1);
    fake_track(f, 10, STR("main"));
    fake_stack(f, "a", 100000, 0, 1);
    rendering_of(&r, f);
    r.view.tracks = TRACKS_ALL;
    assert_string_equal(below_head(&r), "75 % 300 µs: [Binder tid=2]\n"
                                        " 75 % 300 µs, 1 call: a\n"
                                        "25 % 100 µs: [main tid=10]\n"
                                        " 25 % 100 µs, 1 call: a\n");
    rendering_free(&r);
}

static size_t lines_of(const char *text)
{
    size_t n = 0;

    for (; (text = strchr(text, '\n')) != NULL; text++)
        n++;
    return n;
}

/* With any budget the text is not longer, but for one line; with a larger one, nothing that was shown is missing. */
TEST(any_budget_is_kept)
{
    uint64_t seed = 5;

    for (unsigned i = 0; i < 20; i++) {
        struct rendering r;
        size_t before = 0;
        rendering_of(&r, fake_random(&seed, 3, 300, false));
        r.view.tracks = TRACKS_ALL;
        for (uint32_t tokens = 200; tokens < 6000; tokens += 1 + tokens / 3) {
            r.view.budget = tokens;
            const char *below = below_head(&r);
            size_t n = lines_of(below);
            assert_true(n <= 1 || strlen(rendering_text(&r)) <= (size_t)tokens * VIEW_TOKEN_BYTES);
            assert_true(n >= before);
            before = n;
        }
        rendering_free(&r);
    }
}

/* The app's own frames are named as far as a line has room, and no name fills it. */
TEST(no_line_is_long)
{
    enum { FRAMES = 3000, NAME = 5000, LINE_MAX_BYTES = 1200 };
    struct buf stack = {0};
    struct rendering r;

    for (unsigned i = 0; i < FRAMES; i++)
        buf_printf(&stack, "%scom.example.app.C%u.m", i > 0 ? ";" : "", i);
    buf_char(&stack, '\0');
    struct fake *f = fake_thread(STR("main"));
    fake_stack(f, stack.p, 1000000, 0, 1);
    rendering_of(&r, f);
    const char *below = below_head(&r);
    assert_in_range(strlen(below), 100, LINE_MAX_BYTES);
    assert_non_null(strstr(below, "com.example.app.C1.m > "));
    assert_non_null(strstr(below, ") > com.example.app.C2999.m\n"));
    rendering_free(&r);
    buf_clear(&stack);
    for (unsigned i = 0; i < NAME; i++)
        buf_z(&stack, "\u00e9");
    buf_char(&stack, '\0');
    f = fake_thread(STR("main"));
    fake_stack(f, stack.p, 1000000, 0, 1);
    rendering_of(&r, f);
    below = below_head(&r);
    assert_in_range(strlen(below), 100, LINE_MAX_BYTES);
    assert_true(clean_is_utf8(str_of(below)));
    assert_null(strstr(below, "\ufffd"));
    rendering_free(&r);
    buf_free(&stack);
}

TEST(values_that_no_profile_has)
{
    struct fake *f = fake_thread(STR("main"));
    struct rendering r;

    fake_stack(f, "a", 1000, 0, 1);
    rendering_of(&r, f);
    strcpy(r.view.value, "nope");
    assert_false(rendering_run(&r, &OUTPUT_OUTLINE));
    rendering_free(&r);
}
