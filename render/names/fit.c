#include "render/names/fit.h"

#include "core/clean.h"

struct span_of {
    uint32_t first, last;
};

/* Ascending: what most terminals and monospace fonts draw two cells wide. */
static const struct span_of WIDE[] = {
    {0x1100, 0x115f}, {0x2e80, 0xa4cf}, {0xac00, 0xd7a3},   {0xf900, 0xfaff},   {0xfe30, 0xfe6f},
    {0xff00, 0xff60}, {0xffe0, 0xffe6}, {0x1f300, 0x1faff}, {0x20000, 0x3fffd},
};

/* Ascending: combining marks, joiners, variation selectors. */
static const struct span_of NOTHING[] = {
    {0x0300, 0x036f}, {0x0483, 0x0489}, {0x0591, 0x05bd},   {0x064b, 0x065f},
    {0x1ab0, 0x1aff}, {0x1dc0, 0x1dff}, {0x200b, 0x200d},   {0x20d0, 0x20ff},
    {0xfe00, 0xfe0f}, {0xfe20, 0xfe2f}, {0xe0100, 0xe01ef},
};

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

static bool within(const struct span_of *spans, size_t n, uint32_t c)
{
    for (size_t i = 0; i < n && spans[i].first <= c; i++)
        if (c <= spans[i].last)
            return true;
    return false;
}

static size_t cells_of(uint32_t c)
{
    if (c < 0x300)
        return 1;
    if (within(NOTHING, COUNT_OF(NOTHING), c))
        return 0;
    return within(WIDE, COUNT_OF(WIDE), c) ? 2 : 1;
}

size_t fit_cells(struct str s)
{
    size_t cells = 0;

    while (s.n > 0)
        cells += cells_of(clean_next(&s));
    return cells;
}

size_t fit_in_px(uint32_t width_px, uint32_t font_px)
{
    return (size_t)width_px * 10 / ((size_t)font_px * FIT_EM_TENTHS);
}

/* The longest prefix that stands in the cells. Marks take no cell, but a name is not made of them: a text
 * that has more than three of them to a cell is cut as well. */
static struct str prefix(struct str s, size_t cells)
{
    struct str rest = s;
    size_t used = 0, points_left = cells * 4;

    while (rest.n > 0 && points_left > 0) {
        struct str after = rest;
        used += cells_of(clean_next(&after));
        if (used > cells)
            break;
        rest = after;
        points_left--;
    }
    return (struct str){s.p, s.n - rest.n};
}

static bool fit(struct buf *b, struct str s, size_t cells, void (*put)(struct buf *b, struct str s))
{
    if (cells < FIT_CELLS_LEAST)
        return s.n == 0;
    if (prefix(s, cells).n == s.n) {
        put(b, s);
        return true;
    }
    put(b, prefix(s, cells - 2));
    buf_str(b, STR(".."));
    return false;
}

bool fit_xml(struct buf *b, struct str s, size_t cells)
{
    return fit(b, s, cells, clean_xml);
}

bool fit_text(struct buf *b, struct str s, size_t cells)
{
    return fit(b, s, cells, clean_text);
}
