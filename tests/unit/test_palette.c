/* Colours: readable in both schemes, the same for one library, and the ones that the style says. */
#include "tests/support/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "render/names/palette.h"
#include "render/output.h"
#include "render/svg/layout.h"
#include "render/svg/viewer.h"
#include "render/tree/tree.h"
#include "tests/support/fake_profile.h"
#include "tests/support/rendering.h"

/* As render/names/palette.h says them; #rrggbb. */
struct palette_colour {
    const char *light, *dark;
};

#define COLOUR(number, light, dark) {light, dark},

static const struct palette_colour PALETTE[PALETTE_CLASSES] = {PALETTE_COLOURS(COLOUR)};
static const struct palette_colour PALETTE_BY_ORIGIN[PALETTE_ORIGIN_CLASSES] = {PALETTE_ORIGINS(COLOUR)};
static const struct palette_colour PALETTE_BY_CHANGE[PALETTE_CHANGE_CLASSES] = {PALETTE_CHANGE(COLOUR)};
static const struct palette_colour PALETTE_BY_SELF[PALETTE_SELF_CLASSES] = {PALETTE_SELF(COLOUR)};
static const struct palette_colour PALETTE_BY_CLASSIC[PALETTE_CLASSIC_CLASSES] = {PALETTE_CLASSIC(COLOUR)};

/* As static/flame.css says them: of text in frames, of the page, of text beside the frames, of warnings. */
static const struct palette_colour TEXT = {"#1a1a1a", "#f4f4f4"}, PAGE = {"#fff", "#1b1b1d"},
                                   SUBTEXT = {"#4d4d4d", "#b8b8b8"}, WARNED = {"#8a4b00", "#f2b84b"};

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
    if (strcmp(colour, "#fff") == 0)
        colour = "#ffffff";
    assert_int_equal(strlen(colour), 7);
    return 0.2126 * channel(colour + 1) + 0.7152 * channel(colour + 3) + 0.0722 * channel(colour + 5);
}

static double contrast(const char *a, const char *b)
{
    double la = luminance(a), lb = luminance(b);

    return la > lb ? (la + 0.05) / (lb + 0.05) : (lb + 0.05) / (la + 0.05);
}

TEST(known_contrast)
{
    assert_true(distance(contrast("#000000", "#ffffff"), 21) < 0.001);
    assert_true(distance(contrast("#777777", "#ffffff"), 4.48) < 0.01);
}

static void check_contrast(const struct palette_colour *set, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        assert_true(contrast(set[i].light, TEXT.light) >= 4.5);
        assert_true(contrast(set[i].dark, TEXT.dark) >= 4.5);
    }
}

TEST(text_is_readable)
{
    check_contrast(PALETTE, PALETTE_CLASSES);
    check_contrast(PALETTE_BY_ORIGIN, PALETTE_ORIGIN_CLASSES);
    check_contrast(PALETTE_BY_SELF, PALETTE_SELF_CLASSES);
    check_contrast(PALETTE_BY_CHANGE, PALETTE_CHANGE_CLASSES);
    check_contrast(PALETTE_BY_CLASSIC, PALETTE_CLASSIC_CLASSES);
    assert_true(contrast(PALETTE_TRACK_LIGHT, TEXT.light) >= 4.5);
    assert_true(contrast(PALETTE_TRACK_DARK, TEXT.dark) >= 4.5);
    assert_true(contrast(PAGE.light, TEXT.light) >= 4.5);
    assert_true(contrast(PAGE.dark, TEXT.dark) >= 4.5);
    assert_true(contrast(PAGE.light, SUBTEXT.light) >= 4.5);
    assert_true(contrast(PAGE.dark, SUBTEXT.dark) >= 4.5);
    assert_true(contrast(PAGE.light, WARNED.light) >= 4.5);
    assert_true(contrast(PAGE.dark, WARNED.dark) >= 4.5);
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

/* The rule is in the style of light, and with the other colour behind its beginning of dark. */
static void check_rule(struct str style, const char *format, const struct palette_colour *colour)
{
    size_t dark = str_find_str(style, STR("prefers-color-scheme:dark"));
    struct str rest = {style.p + dark, style.n - dark};
    char rule[64];

    snprintf(rule, sizeof(rule), format, colour->light);
    assert_true(str_find_str(style, str_of(rule)) < dark);
    snprintf(rule, sizeof(rule), format, colour->dark);
    assert_true(str_find_str(rest, str_of(rule)) < rest.n);
}

TEST(styles_have_every_class)
{
    check_style(viewer_style());
    check_set(viewer_style(), str_find_str(viewer_style(), STR("prefers-color-scheme:dark")), 'd',
              PALETTE_BY_CHANGE, PALETTE_CHANGE_CLASSES); /* a preview is of one profile */
    check_rule(viewer_style(), ".af text{fill:%s", &TEXT);
    check_rule(viewer_style(), "--paper:%s;", &PAGE);
    check_rule(viewer_style(), ".s{fill:%s}", &SUBTEXT);
    check_rule(viewer_style(), ".w{fill:%s}", &WARNED);
    check_style(OUTPUT_THUMB.style());
}

/* The heaviest have the first classes, in the order of their weight; equal ones by name; all others one class. */
TEST(packages_by_weight)
{
    struct fake *f = fake_thread(STR("t"));
    struct rendering r;
    struct package_colours c;
    struct diag diag = {0};

    for (unsigned i = 0; i < 15; i++) {
        char stack[64];
        snprintf(stack, sizeof(stack), "com.vendor%02u.Main.run()V;com.vendor%02u.sub.Other.go()V", i, i);
        fake_stack(f, stack, i < 3 ? 500 : i * 10, 1, 1);
    }
    fake_stack(f, "Bare.run()V", 1, 1, 1);
    rendering_of(&r, f);
    r.view.tracks = TRACKS_ALL;
    const struct measure m = {.name = STR("wall"), .unit = UNIT_NS};
    const struct tree_spec spec = {.measures = {&m}, .n_measures = 1, .divisor = 1};
    const struct tree *t = tree_new(&r.input, &spec, &diag);
    assert_non_null(t);
    assert_true(package_colours_find(&c, r.input.names, t, r.input.scratch));
    assert_int_equal(c.n, PALETTE_OTHERS);
    assert_true(c.others);
    for (unsigned i = 0; i < PALETTE_OTHERS; i++) {
        char name[32];
        snprintf(name, sizeof(name), "com.vendor%02u", i < 3 ? i : 17 - i);
        assert_true(str_eq(names_package(r.input.names, c.heaviest[i]), str_of(name)));
        assert_int_equal(c.of[c.heaviest[i]], i);
    }
    for (uint32_t i = 0; i < names_packages(r.input.names); i++) {
        bool grey = str_eq(names_package(r.input.names, i), STR("Bare")) ||
                    str_eq(names_package(r.input.names, i), STR("com.vendor05")) ||
                    str_eq(names_package(r.input.names, i), STR("com.vendor04")) ||
                    str_eq(names_package(r.input.names, i), STR("com.vendor03"));
        assert_int_equal(c.of[i] == PALETTE_OTHERS, grey);
    }
    rendering_free(&r);
}

TEST(self_in_steps)
{
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

TEST(classic_by_cleaned_text)
{
    static const char *const TEXTS[] = {"",  "a",    "com.example.Foo.bar", "a<b>&",
                                        "é", "日本", "\xf0\x9f\x94\xa5"};

    for (size_t i = 0; i < sizeof(TEXTS) / sizeof(TEXTS[0]); i++)
        assert_int_equal(palette_classic_class(str_of(TEXTS[i])), fnv_of(TEXTS[i]));
    assert_int_equal(palette_classic_class(STR("a\x01\xff")), fnv_of("a\xe2\x90\x81\xef\xbf\xbd"));
}

static void check_class(struct rendering *r, const struct tree *t, enum view_palette kind,
                        const char *expected)
{
    struct frame_colours p;
    struct buf b = {0};

    assert_true(frame_colours_find(&p, r->input.names, kind, t, r->input.scratch));
    for (uint32_t i = 0; i < t->n; i++)
        buf_printf(
            &b, " %s",
            frame_colours_class(
                &p, t, (struct frame_colours_node){.frame = tree_frame(t, i), .self = tree_self(t, i, 0)})
                .text);
    assert_buf(&b, expected);
}

TEST(classes_of_frames)
{
    static const struct measure WALL = {STR_INIT("wall"), STR_INIT("wall time"), UNIT_NS, false, 0, 0};
    struct tree_spec spec = {.measures = {&WALL}, .n_measures = 1, .divisor = 1};
    struct fake *f = fake_thread(STR("t"));
    struct rendering r;
    struct diag d = {0};
    char expected[64];

    fake_stack(f, "", 500, 0, 0);
    fake_stack(f, "java.util.List.add", 100, 0, 1);
    fake_stack(f, "x", 50, 0, 1);
    fake_stack(f, "x;y", 0, 0, 1);
    rendering_of(&r, f);
    r.view.tracks = TRACKS_ALL;
    const struct tree *t = tree_new(&r.input, &spec, &d);
    assert_non_null(t);
    check_class(&r, t, COLOURS_ORIGIN, " cr cr o4 o7 o7");
    check_class(&r, t, COLOURS_SELF, " cr cr h7 h4 h0");
    snprintf(expected, sizeof(expected), " cr cr y%u y%u y%u", fnv_of("java.util.List.add"), fnv_of("x"),
             fnv_of("y"));
    check_class(&r, t, COLOURS_CLASSIC, expected);
    check_class(&r, t, COLOURS_PACKAGE, " cr cr c0 c1 c2");
    rendering_free(&r);
}
