/* Colours: readable in both schemes, the same for one library, and the ones that the style says. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "render/palette.h"
#include "render/svg.h"

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

static void text_is_readable(void **state)
{
    (void)state;
    for (size_t i = 0; i < PALETTE_CLASSES; i++) {
        assert_true(contrast(PALETTE[i].light, PALETTE_TEXT_LIGHT) >= 4.5);
        assert_true(contrast(PALETTE[i].dark, PALETTE_TEXT_DARK) >= 4.5);
    }
    assert_true(contrast(PALETTE_TRACK_LIGHT, PALETTE_TEXT_LIGHT) >= 4.5);
    assert_true(contrast(PALETTE_TRACK_DARK, PALETTE_TEXT_DARK) >= 4.5);
    assert_true(contrast(PALETTE_PAGE_LIGHT, PALETTE_TEXT_LIGHT) >= 4.5);
    assert_true(contrast(PALETTE_PAGE_DARK, PALETTE_TEXT_DARK) >= 4.5);
    assert_true(contrast(PALETTE_PAGE_LIGHT, PALETTE_SUBTEXT_LIGHT) >= 4.5);
    assert_true(contrast(PALETTE_PAGE_DARK, PALETTE_SUBTEXT_DARK) >= 4.5);
    assert_true(contrast(PALETTE_PAGE_LIGHT, PALETTE_WARN_LIGHT) >= 4.5);
    assert_true(contrast(PALETTE_PAGE_DARK, PALETTE_WARN_DARK) >= 4.5);
}

static void style_has_every_class(void **state)
{
    struct str style = svg_style();
    size_t dark = str_find_str(style, STR("prefers-color-scheme:dark"));

    (void)state;
    assert_true(dark < style.n);
    for (int i = 0; i < PALETTE_CLASSES; i++) {
        char rule[64];
        snprintf(rule, sizeof(rule), ".c%d{fill:%s}", i, PALETTE[i].light);
        assert_true(str_find_str(style, str_of(rule)) < dark);
        snprintf(rule, sizeof(rule), ".c%d{fill:%s}", i, PALETTE[i].dark);
        size_t at = str_find_str(style, str_of(rule));
        assert_true(at > dark && at < style.n);
    }
    assert_int_equal(str_find(style, '<'), style.n);
    assert_int_equal(str_find(style, '&'), style.n);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_contrast),        cmocka_unit_test(text_is_readable),
        cmocka_unit_test(style_has_every_class), cmocka_unit_test(one_library_one_colour),
        cmocka_unit_test(without_package),
    };
    return cmocka_run_group_tests_name("palette", tests, NULL, NULL);
}
