/* Colours: readable in both schemes, the same for one library, and the ones that the style says. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "render/names/palette.h"
#include "render/output.h"
#include "render/svg/frame_colours.h"
#include "render/svg/viewer.h"
#include "render/tree/tree_new.h"
#include "tests/support/fake_profile.h"
#include "tests/support/rendering.h"

/* x^2.4 = x^2 * (x^2)^(1/5), the root by Newton's method: no need of libm. */
static double power_2_4(double x)
{
    double square = x * x, root = 1;

    for (int i = 0; i < 60; i++)
        root = (4 * root + square / (root * root * root * root)) / 5;
    return square * root;
}

static double distance(double a, double b)
{
    return a < b ? b - a : a - b;
}

/* WCAG 2.2: relative luminance and contrast ratio. */
static double channel(const char *hex)
{
    char two[3] = {hex[0], hex[1], '\0'};
    double c = (double)strtol(two, NULL, 16) / 255;

    return c <= 0.04045 ? c / 12.92 : power_2_4((c + 0.055) / 1.055);
}

static double luminance(const char *colour)
{
    assert_int_equal(colour[0], '#');
    assert_int_equal(strlen(colour), 7);
    return 0.2126 * channel(colour + 1) + 0.7152 * channel(colour + 3) + 0.0722 * channel(colour + 5);
}

static double contrast(const char *a, const char *b)
{
    double la = luminance(a), lb = luminance(b);

    return la > lb ? (la + 0.05) / (lb + 0.05) : (lb + 0.05) / (la + 0.05);
}

static void known_contrast(void **state)
{
    (void)state;
    assert_true(distance(contrast("#000000", "#ffffff"), 21) < 0.001);
    assert_true(distance(contrast("#777777", "#ffffff"), 4.48) < 0.01);
}

static void check_contrast(const struct palette_colour *set, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        assert_true(contrast(set[i].light, PALETTE_TEXT_LIGHT) >= 4.5);
        assert_true(contrast(set[i].dark, PALETTE_TEXT_DARK) >= 4.5);
    }
}

static void text_is_readable(void **state)
{
    (void)state;
    check_contrast(PALETTE, PALETTE_CLASSES);
    check_contrast(PALETTE_BY_ORIGIN, PALETTE_ORIGIN_CLASSES);
    check_contrast(PALETTE_BY_SELF, PALETTE_SELF_CLASSES);
    check_contrast(PALETTE_BY_CLASSIC, PALETTE_CLASSIC_CLASSES);
    assert_true(contrast(PALETTE_TRACK_LIGHT, PALETTE_TEXT_LIGHT) >= 4.5);
    assert_true(contrast(PALETTE_TRACK_DARK, PALETTE_TEXT_DARK) >= 4.5);
    assert_true(contrast(PALETTE_PAGE_LIGHT, PALETTE_TEXT_LIGHT) >= 4.5);
    assert_true(contrast(PALETTE_PAGE_DARK, PALETTE_TEXT_DARK) >= 4.5);
    assert_true(contrast(PALETTE_PAGE_LIGHT, PALETTE_SUBTEXT_LIGHT) >= 4.5);
    assert_true(contrast(PALETTE_PAGE_DARK, PALETTE_SUBTEXT_DARK) >= 4.5);
    assert_true(contrast(PALETTE_PAGE_LIGHT, PALETTE_WARN_LIGHT) >= 4.5);
    assert_true(contrast(PALETTE_PAGE_DARK, PALETTE_WARN_DARK) >= 4.5);
}

/* Each class of the set has its fill in the first rule, and its dark one where the viewer asks for dark. */
static void check_set(struct str style, size_t dark, char letter, const struct palette_colour *set, int n)
{
    for (int i = 0; i < n; i++) {
        char rule[64];
        snprintf(rule, sizeof(rule), ".%c%d{fill:%s}", letter, i, set[i].light);
        assert_true(str_find_str(style, str_of(rule)) < dark);
        snprintf(rule, sizeof(rule), ".%c%d{fill:%s}", letter, i, set[i].dark);
        struct str rest = {style.p + dark, style.n - dark};
        assert_true(str_find_str(rest, str_of(rule)) < rest.n);
    }
}

static void check_style(struct str style)
{
    size_t dark = str_find_str(style, STR("prefers-color-scheme:dark"));

    assert_true(dark < style.n);
    check_set(style, dark, 'c', PALETTE, PALETTE_CLASSES);
    check_set(style, dark, 'o', PALETTE_BY_ORIGIN, PALETTE_ORIGIN_CLASSES);
    check_set(style, dark, 'h', PALETTE_BY_SELF, PALETTE_SELF_CLASSES);
    check_set(style, dark, 'y', PALETTE_BY_CLASSIC, PALETTE_CLASSIC_CLASSES);
    assert_true(str_find_str(style, STR(".cr")) < dark);
    assert_int_equal(str_find(style, '<'), style.n);
    assert_int_equal(str_find_str(style, STR("]]>")), style.n);
}

static void styles_have_every_class(void **state)
{
    (void)state;
    check_style(viewer_style());
    check_style(OUTPUT_THUMB.style());
}

static uint8_t class_of(const char *scope, const char *name)
{
    return palette_class(str_of(scope), str_of(name));
}

static void one_library_one_colour(void **state)
{
    bool seen[PALETTE_CLASSES] = {false};
    unsigned distinct = 0;

    (void)state;
    assert_int_equal(class_of("androidx.compose.ui.Node", "a"),
                     class_of("androidx.compose.runtime.Slot$1", "b"));
    assert_int_equal(class_of("java.util.List", "a"), class_of("java.util.concurrent.Lock", "b"));
    assert_int_equal(class_of("java.util.List", ""), class_of("java.util.Map", ""));
    assert_int_equal(class_of("okio.Buffer", "read"), class_of("okio.Sink", "write"));
    for (int i = 0; i < 200; i++) {
        char scope[32];
        snprintf(scope, sizeof(scope), "com.vendor%d.Main", i);
        uint8_t c = class_of(scope, "run");
        assert_true(c < PALETTE_CLASSES);
        distinct += seen[c] ? 0 : 1;
        seen[c] = true;
    }
    assert_int_equal(distinct, PALETTE_CLASSES);
}

static void without_package(void **state)
{
    (void)state;
    assert_int_equal(class_of("Main", "a"), class_of("Main", "b"));
    assert_true(class_of("", "") < PALETTE_CLASSES);
    assert_true(class_of(".", ".") < PALETTE_CLASSES);
    assert_true(class_of("..", "x") < PALETTE_CLASSES);
    assert_true(class_of("a.", "x") < PALETTE_CLASSES);
    assert_true(class_of("", "write") < PALETTE_CLASSES);
}

static void self_in_steps(void **state)
{
    (void)state;
    assert_int_equal(palette_self_class(0, 0), 0);
    assert_int_equal(palette_self_class(0, 100), 0);
    assert_int_equal(palette_self_class(1, 100), 1);
    assert_int_equal(palette_self_class(14, 100), 1);
    assert_int_equal(palette_self_class(15, 100), 2);
    assert_int_equal(palette_self_class(100, 100), 7);
    /* A node of an inverted tree may have more than any of the tree that it was made from. */
    assert_int_equal(palette_self_class(1000, 100), 7);
    assert_int_equal(palette_self_class(UINT64_MAX, UINT64_MAX), 7);
    assert_int_equal(palette_self_class(UINT64_MAX / 2, UINT64_MAX), 4);
}

static unsigned fnv_of(const char *text)
{
    uint32_t h = 2166136261u;

    for (; *text != '\0'; text++)
        h = (h ^ (unsigned char)*text) * 16777619u;
    return h % 8;
}

static void classic_by_cleaned_text(void **state)
{
    static const char *const TEXTS[] = {"",  "a",    "com.example.Foo.bar", "a<b>&",
                                        "é", "日本", "\xf0\x9f\x94\xa5"};

    (void)state;
    for (size_t i = 0; i < sizeof(TEXTS) / sizeof(TEXTS[0]); i++)
        assert_int_equal(palette_classic_class(str_of(TEXTS[i])), fnv_of(TEXTS[i]));
    assert_int_equal(palette_classic_class(STR("a\x01\xff")), fnv_of("a\xe2\x90\x81\xef\xbf\xbd"));
}

static void check_class(struct rendering *r, const struct tree *t, enum view_palette kind,
                        const char *expected)
{
    struct frame_colours p = frame_colours_of(r->input.names, kind, t);
    struct buf b = {0};

    for (uint32_t i = 0; i < t->n; i++)
        buf_printf(&b, " %s", frame_colours_class(&p, t, tree_frame(t, i), tree_self(t, i, 0)).text);
    buf_char(&b, '\0');
    assert_string_equal(b.p, expected);
    buf_free(&b);
}

static void classes_of_frames(void **state)
{
    static const struct measure WALL = {STR_INIT("wall"), STR_INIT("wall time"), UNIT_NS, false, 0, 0};
    struct tree_spec spec = {.measures = {&WALL}, .n_measures = 1, .divisor = 1};
    struct fake *f = fake_new();
    struct rendering r;
    struct diag d = {0};
    char expected[64];

    (void)state;
    fake_usual_values(f);
    fake_track(f, 1, STR("t"));
    fake_stack(f, "", 500, 0, 0);
    fake_stack(f, "java.util.List.add", 100, 0, 1);
    fake_stack(f, "x", 50, 0, 1);
    fake_stack(f, "x;y", 0, 0, 1);
    rendering_init(&r, fake_finish(f));
    r.view.tracks = TRACKS_ALL;
    const struct tree *t = tree_new(&r.input, &spec, &d);
    assert_non_null(t);
    check_class(&r, t, COLOURS_ORIGIN, " cr cr o4 o7 o7");
    check_class(&r, t, COLOURS_SELF, " cr cr h7 h4 h0");
    snprintf(expected, sizeof(expected), " cr cr y%u y%u y%u", fnv_of("java.util.List.add"), fnv_of("x"),
             fnv_of("y"));
    check_class(&r, t, COLOURS_CLASSIC, expected);
    snprintf(expected, sizeof(expected), " cr cr c%u c%u c%u", class_of("java.util.List", "add"),
             class_of("", "x"), class_of("", "y"));
    check_class(&r, t, COLOURS_PACKAGE, expected);
    rendering_free(&r);
    fake_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_contrast),          cmocka_unit_test(text_is_readable),
        cmocka_unit_test(styles_have_every_class), cmocka_unit_test(one_library_one_colour),
        cmocka_unit_test(without_package),         cmocka_unit_test(self_in_steps),
        cmocka_unit_test(classic_by_cleaned_text), cmocka_unit_test(classes_of_frames),
    };
    return cmocka_run_group_tests_name("palette", tests, NULL, NULL);
}
