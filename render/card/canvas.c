#include "render/card/canvas.h"

#include <png.h>

#include "core/clean.h"
#include "render/card/glyphs.h"

enum { RGB = 3, CURVE_PARTS = 6 };

static float least(float a, float b)
{
    return a < b ? a : b;
}

static float most(float a, float b)
{
    return a > b ? a : b;
}

/* ---- pixels ---- */

static void put_channel(uint8_t *to, uint32_t colour, float share)
{
    *to = (uint8_t)((float)*to + ((float)(colour & 0xff) - (float)*to) * share + 0.5F);
}

/* The pixel is within the picture, `share` from 0 to 1. */
static void blend(struct canvas *c, uint32_t x, uint32_t y, uint32_t colour, float share)
{
    uint8_t *to = c->rgb + ((size_t)y * c->width_px + x) * RGB;

    put_channel(to, colour >> 16, share);
    put_channel(to + 1, colour >> 8, share);
    put_channel(to + 2, colour, share);
}

void canvas_fill(struct canvas *c, const struct canvas_box *box, uint32_t colour)
{
    uint64_t end_dpx = (uint64_t)box->x_dpx + box->width_dpx, end_y = (uint64_t)box->y_px + box->height_px;

    end_y = end_y < c->height_px ? end_y : c->height_px;
    end_dpx = end_dpx < c->width_px * 10ULL ? end_dpx : c->width_px * 10ULL;
    for (uint32_t x = box->x_dpx / 10; x * 10ULL < end_dpx; x++) {
        uint64_t from = x * 10ULL > box->x_dpx ? x * 10ULL : box->x_dpx;
        uint64_t to = x * 10ULL + 10 < end_dpx ? x * 10ULL + 10 : end_dpx;
        for (uint32_t y = box->y_px; y < end_y; y++)
            blend(c, x, y, colour, (float)(to - from) / 10.0F);
    }
}

bool canvas_new(struct canvas *c, uint32_t width_px, uint32_t height_px, uint32_t colour, struct arena *arena)
{
    const struct canvas_box all = {0, width_px * 10, 0, height_px};

    *c = (struct canvas){arena_array(arena, (size_t)width_px * height_px, RGB), width_px, height_px};
    if (c->rgb == NULL)
        return false;
    canvas_fill(c, &all, colour);
    return true;
}

/* ---- strokes ---- */

struct point {
    float x, y;
};

/* Straight pieces of strokes, in pixels of the picture. */
struct pieces {
    struct {
        struct point from, to;
    } of[GLYPH_POINTS * CURVE_PARTS];
    uint32_t n;
    struct point first, last; /* corners of all of them */
};

static struct point between(struct point a, struct point b, float t)
{
    return (struct point){a.x + (b.x - a.x) * t, a.y + (b.y - a.y) * t};
}

static void add_piece(struct pieces *p, struct point from, struct point to)
{
    if (p->n == sizeof(p->of) / sizeof(*p->of))
        return;
    if (p->n == 0)
        p->first = p->last = from;
    p->of[p->n].from = from;
    p->of[p->n++].to = to;
    p->first = (struct point){least(p->first.x, least(from.x, to.x)), least(p->first.y, least(from.y, to.y))};
    p->last = (struct point){most(p->last.x, most(from.x, to.x)), most(p->last.y, most(from.y, to.y))};
}

static void add_curve(struct pieces *p, struct point from, struct point control, struct point to)
{
    struct point last = from;

    for (int i = 1; i <= CURVE_PARTS; i++) {
        float t = (float)i / CURVE_PARTS;
        struct point next = between(between(from, control, t), between(control, to, t), t);
        add_piece(p, last, next);
        last = next;
    }
}

static float digit(char c)
{
    return (float)(c >= 'a' ? 10 + (c - 'a') : c - '0');
}

/* `origin`: where 0, GLYPH_BASE of the strokes is. */
static void add_strokes(struct pieces *p, const char *s, struct point origin, float scale)
{
    struct point last = {0, 0}, control = {0, 0};
    bool begins = true, bends = false;

    while (*s != '\0') {
        if (*s == ' ') {
            begins = true;
            s++;
            continue;
        }
        bool is_control = *s == '.';
        s += is_control;
        struct point at = {origin.x + digit(s[0]) * scale, origin.y - (digit(s[1]) - GLYPH_BASE) * scale};
        s += 2;
        if (is_control) {
            control = at;
        } else {
            if (bends)
                add_curve(p, last, control, at);
            else
                add_piece(p, begins ? at : last, at);
            begins = false;
            last = at;
        }
        bends = is_control;
    }
}

/* The square of the distance. */
static float distance_2(struct point at, struct point from, struct point to)
{
    float dx = to.x - from.x, dy = to.y - from.y, length_2 = dx * dx + dy * dy;
    float t = length_2 > 0 ? ((at.x - from.x) * dx + (at.y - from.y) * dy) / length_2 : 0;
    struct point nearest = between(from, to, most(0, least(1, t)));

    return (at.x - nearest.x) * (at.x - nearest.x) + (at.y - nearest.y) * (at.y - nearest.y);
}

/* How much of a pixel around that point the pen covers. At the edge the squares differ by twice the radius times the
 * distance from it. */
static float covered(const struct pieces *p, struct point at, float radius)
{
    float nearest = distance_2(at, p->of[0].from, p->of[0].to);

    for (uint32_t i = 1; i < p->n; i++)
        nearest = least(nearest, distance_2(at, p->of[i].from, p->of[i].to));
    return most(0, least(1, 0.5F + (radius * radius - nearest) / (2 * radius)));
}

/* Lines of a bold pen are thicker by half. */
static float pen_radius(const struct canvas_font *font)
{
    float radius = (float)font->px * (font->bold ? 0.062F : 0.042F);

    return most(radius, 0.6F);
}

static uint32_t pixel(float at, uint32_t end)
{
    return at <= 0 ? 0 : at >= (float)end ? end : (uint32_t)at;
}

static void put_pieces(struct canvas *c, const struct canvas_font *font, const struct pieces *p)
{
    float radius = pen_radius(font), reach = radius + 1;
    uint32_t end_x = pixel(p->last.x + reach + 1, c->width_px);
    uint32_t end_y = pixel(p->last.y + reach + 1, c->height_px);

    for (uint32_t y = pixel(p->first.y - reach, end_y); y < end_y; y++)
        for (uint32_t x = pixel(p->first.x - reach, end_x); x < end_x; x++) {
            float share = covered(p, (struct point){(float)x + 0.5F, (float)y + 0.5F}, radius);
            if (share > 0)
                blend(c, x, y, font->colour, share);
        }
}

/* ---- text ---- */

static float scale_of(const struct canvas_font *font)
{
    return (float)font->px / GLYPH_EM;
}

static float advance(const struct canvas_font *font, const struct glyph *g)
{
    /* Thick lines and small letters need a little more room. */
    float more = font->bold ? 0.6F : font->px < 20 ? 0.8F : 0;

    return g->advance > 0 ? ((float)g->advance + more) * scale_of(font) : 0;
}

float canvas_width(const struct canvas_font *font, struct str text)
{
    float width = 0;

    while (text.n > 0) {
        struct glyph g = glyph_of(clean_next(&text));
        width += advance(font, &g);
    }
    return width;
}

/* The front of the text that is no wider. */
static struct str fit(const struct canvas_font *font, float width_px, struct str text)
{
    struct str rest = text;
    float width = 0;
    size_t n = 0;

    while (rest.n > 0) {
        struct glyph g = glyph_of(clean_next(&rest));
        width += advance(font, &g);
        if (width > width_px)
            break;
        n = text.n - rest.n;
    }
    return (struct str){text.p, n};
}

static float put_text(struct canvas *c, const struct canvas_font *font, struct point at, struct str text)
{
    struct pieces pieces;

    while (text.n > 0) {
        struct glyph g = glyph_of(clean_next(&text));
        float scale = scale_of(font);
        struct point moved = {at.x + (float)g.accent_x * scale, at.y - (float)g.accent_y * scale};
        pieces.n = 0;
        add_strokes(&pieces, g.strokes, at, scale);
        if (g.accent != NULL)
            add_strokes(&pieces, g.accent, moved, scale);
        if (pieces.n > 0)
            put_pieces(c, font, &pieces);
        at.x += advance(font, &g);
    }
    return at.x;
}

void canvas_text(struct canvas *c, const struct canvas_font *font, uint32_t x_px, uint32_t y_px,
                 float width_px, struct str text)
{
    static const struct str CUT = STR_INIT("..");
    struct point at = {(float)x_px, (float)y_px};
    struct str fits = fit(font, width_px, text);

    if (fits.n < text.n) {
        fits = fit(font, width_px - canvas_width(font, CUT), text);
        at.x = put_text(c, font, at, fits);
        text = CUT;
    }
    put_text(c, font, at, text);
}

/* Before a space, but not between a figure and its unit. */
static bool may_break(struct str text, size_t at)
{
    return text.p[at] == ' ' && (text.p[at - 1] < '0' || text.p[at - 1] > '9');
}

struct str canvas_line(const struct canvas_font *font, float width_px, struct str *text)
{
    struct str line = fit(font, width_px, *text);

    size_t end = line.n;
    while (line.n < text->n && end > 0 && !may_break(*text, end))
        end--;
    if (end > 0)
        line.n = end;
    *text = str_trim(str_from(*text, line.n));
    return line;
}

/* ---- PNG ---- */

bool canvas_png(const struct canvas *c, struct buf *out)
{
    png_image image = {
        .version = PNG_IMAGE_VERSION, .width = c->width_px, .height = c->height_px, .format = PNG_FORMAT_RGB};
    png_alloc_size_t bytes = PNG_IMAGE_PNG_SIZE_MAX(image);

    if (!buf_reserve(out, bytes))
        return false;
    bool made = png_image_write_to_memory(&image, out->p + out->n, &bytes, 0, c->rgb, 0, NULL) != 0;
    png_image_free(&image);
    out->n += made ? bytes : 0;
    return made;
}
