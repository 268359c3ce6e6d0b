/* What cards are drawn with: letters are strokes within their bounds, any text leaves the picture's edges alone, lines
 * keep figures and units together, and the bytes are a PNG. */
#include "tests/support/unit.h"

#include <string.h>

#include "render/card/canvas.h"
#include "render/card/glyphs.h"
#include "tests/support/random.h"

enum { WIDTH_PX = 200, HEIGHT_PX = 60, WHITE = 0xffffff, MEMORY_BYTES = 64 << 20 };

static const struct canvas_font FONT = {20, false, 0};

static bool is_coordinate(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z');
}

/* Returns how many points there are. */
static unsigned check_strokes(const char *s)
{
    bool begins = true;
    unsigned n = 0;

    for (; *s != '\0'; n++) {
        if (*s == ' ') {
            assert_false(begins);
            begins = true;
            s++;
            continue;
        }
        if (*s == '.') {
            assert_false(begins); /* a curve goes on from a point */
            assert_true(is_coordinate(s[1]) && is_coordinate(s[2]) && is_coordinate(s[3])); /* to a point */
            s++;
        }
        assert_true(is_coordinate(s[0]) && is_coordinate(s[1]));
        s += 2;
        begins = false;
    }
    return n;
}

TEST(test_letters_are_strokes)
{
    for (uint32_t c = 0; c < 0x3000; c++) {
        struct glyph g = glyph_of(c);
        unsigned n = check_strokes(g.strokes) + (g.accent != NULL ? check_strokes(g.accent) : 0);
        assert_true(n < GLYPH_POINTS && g.advance <= GLYPH_EM);
    }
    assert_string_equal(glyph_of(0x1f600).strokes, glyph_of(0x65e5).strokes);
    assert_int_equal(glyph_of(0x301).advance, 0);
    assert_string_not_equal(glyph_of(0xe9).accent, glyph_of(0xe8).accent);
    assert_string_equal(glyph_of(0xe9).strokes, glyph_of('e').strokes);
}

static void open_canvas(struct canvas *c, struct arena *arena)
{
    arena_init(arena, MEMORY_BYTES);
    assert_true(canvas_new(c, WIDTH_PX, HEIGHT_PX, WHITE, arena));
}

static size_t dark_pixels(const struct canvas *c, uint32_t from_x, uint32_t to_x)
{
    size_t n = 0;

    for (uint32_t y = 0; y < c->height_px; y++)
        for (uint32_t x = from_x; x < to_x; x++)
            n += c->rgb[((size_t)y * c->width_px + x) * 3] < 128;
    return n;
}

TEST(test_text_keeps_to_its_width)
{
    struct arena arena;
    struct canvas c;

    open_canvas(&c, &arena);
    canvas_text(&c, &FONT, 10, 40, 100, STR("a name that is much wider than there is room"));
    assert_true(dark_pixels(&c, 0, 110) > 100);
    assert_int_equal(dark_pixels(&c, 112, WIDTH_PX), 0);
    arena_free(&arena);
}

TEST(test_any_text_can_be_drawn)
{
    uint64_t random = 1;
    struct arena arena;
    struct canvas c;
    char text[64];

    open_canvas(&c, &arena);
    for (unsigned i = 0; i < 3000; i++) {
        struct canvas_font font = {1 + (uint32_t)random_below(&random, 90), i % 2 == 0, 0};
        size_t n = random_below(&random, sizeof(text));
        for (size_t k = 0; k < n; k++)
            text[k] = (char)random_below(&random, 256);
        struct str all = {text, n}, rest = all;
        canvas_text(&c, &font, (uint32_t)random_below(&random, 2 * WIDTH_PX),
                    (uint32_t)random_below(&random, 2 * HEIGHT_PX), WIDTH_PX, all);
        struct str line = canvas_line(&font, WIDTH_PX, &rest);
        assert_true(line.p == text && line.n <= n && line.n + rest.n <= n);
    }
    arena_free(&arena);
}

TEST(test_lines_keep_figures_with_their_units)
{
    struct str text = STR("took 12.5 s in all");

    struct str line = canvas_line(&FONT, canvas_width(&FONT, STR("took 12.5 ")), &text);
    assert_true(str_eq(line, STR("took")));
    line = canvas_line(&FONT, 1000, &text);
    assert_true(str_eq(line, STR("12.5 s in all")) && text.n == 0);
    text = STR("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa");
    line = canvas_line(&FONT, 100, &text);
    assert_true(line.n > 0 && line.n < 42 && line.n + text.n == 42);
}

TEST(test_boxes_cover_parts_of_pixels)
{
    const struct canvas_box half = {.x_dpx = 105, .width_dpx = 10, .y_px = 0, .height_px = UINT32_MAX};
    const struct canvas_box outside = {.x_dpx = UINT32_MAX, .width_dpx = UINT32_MAX, .height_px = 9};
    struct arena arena;
    struct canvas c;

    open_canvas(&c, &arena);
    canvas_fill(&c, &half, 0);
    canvas_fill(&c, &outside, 0);
    assert_int_equal(c.rgb[9 * 3], 255);
    assert_in_range(c.rgb[10 * 3], 127, 128);
    assert_in_range(c.rgb[11 * 3], 127, 128);
    assert_int_equal(c.rgb[12 * 3], 255);
    arena_free(&arena);
}

TEST(test_it_becomes_a_png)
{
    struct buf first = {0}, again = {0}, small;
    struct arena arena;
    struct canvas c;

    open_canvas(&c, &arena);
    canvas_text(&c, &FONT, 10, 40, 100, STR("text"));
    assert_true(canvas_png(&c, &first) && canvas_png(&c, &again));
    assert_true(first.n > 100 && memcmp(first.p, "\x89PNG\r\n\x1a\n", 8) == 0);
    assert_true(str_eq(buf_view(&first), buf_view(&again)));
    buf_init(&small, 1000);
    assert_false(canvas_png(&c, &small));
    buf_free(&first);
    buf_free(&again);
    buf_free(&small);
    arena_free(&arena);
}
