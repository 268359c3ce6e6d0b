#include "core/clean.h"
#include "profile/frame/origin.h"
#include "render/names/fit.h"
#include "render/svg/layout.h"
#include "render/svg/svg_header.h"
#include "render/view/change.h"
#include "render/view/key.h"

enum {
    SWATCH_PX = 11,
    SWATCH_GAP_PX = 5, /* to its word */
    ITEM_GAP_PX = 16,  /* to the next item */
    PACKAGE_CELLS_MAX = 40
};

struct legend {
    struct svg_pen *pen;
    bool html;     /* a paragraph; else rows of text */
    uint32_t x_px; /* of the next item in a row */
};

static void put_html_item(struct buf *out, const char *class, struct str words)
{
    buf_z(out, "<span>");
    if (class != NULL)
        buf_printf(out,
                   "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"swatch\" width=\"%d\" height=\"%d\">"
                   "<rect class=\"%s\" width=\"%d\" height=\"%d\"/></svg> ",
                   SWATCH_PX, SWATCH_PX, class, SWATCH_PX, SWATCH_PX);
    clean_xml(out, words);
    buf_z(out, "</span>");
}

/* One item: a swatch, unless there is no class, and its words, cut to the width. The items go on in a new row when one
 * is full. */
static void put_item(struct legend *l, const char *class, struct str words)
{
    struct svg_pen *pen = l->pen;

    pen->out->failed = pen->out->failed || pen->line.failed;
    if (l->html) {
        put_html_item(pen->out, class, words);
        return;
    }
    uint32_t swatch_px = class != NULL ? SWATCH_PX + SWATCH_GAP_PX : 0;
    size_t room = fit_in_px(pen->in->view->width_px - 2 * LAYOUT_PAD_PX - swatch_px - 1, SVG_FONT_PX);
    size_t cells = fit_cells(words) < room ? fit_cells(words) : room;
    uint32_t words_px = (uint32_t)(cells * SVG_FONT_PX * FIT_EM_TENTHS / 10) + 1;

    if (l->x_px > LAYOUT_PAD_PX && l->x_px + swatch_px + words_px > pen->in->view->width_px - LAYOUT_PAD_PX) {
        l->x_px = LAYOUT_PAD_PX;
        pen->y_px += SVG_ROW_PX;
    }
    if (class != NULL)
        buf_printf(pen->out, "<rect class=\"%s\" x=\"%u\" y=\"%u\" width=\"%d\" height=\"%d\"/>", class,
                   l->x_px, pen->y_px - SWATCH_PX + 1, SWATCH_PX, SWATCH_PX);
    buf_printf(pen->out, "<text x=\"%u\" y=\"%u\">", l->x_px + swatch_px, pen->y_px);
    fit_xml(pen->out, words, room);
    buf_z(pen->out, "</text>\n");
    l->x_px += swatch_px + words_px + ITEM_GAP_PX;
}

static void put_number_item(struct legend *l, char letter, unsigned number, struct str words)
{
    char class[8] = {letter, (char)('0' + number % 10), '\0'};

    if (number >= 10) {
        class[1] = (char)('0' + number / 10 % 10);
        class[2] = (char)('0' + number % 10);
    }
    put_item(l, class, words);
}

/* --- by origin --- */

static void put_origins(struct legend *l, const struct tree *base)
{
    const struct names *names = l->pen->in->names;
    struct buf *line = &l->pen->line;
    bool used[ORIGINS] = {false};

    for (uint32_t row = 0; row < base->n; row++)
        if (base->frame[row] < base->n_frames)
            used[names_of(names, base->frame[row])->origin] = true;
    for (unsigned origin = 0; origin < ORIGINS; origin++) {
        if (!used[origin])
            continue;
        buf_clear(line);
        buf_z(line, origin_word((enum origin)origin));
        if (origin == ORIGIN_APP && names_own(names)->n > 0) {
            struct buf own = {0};
            own_code_put(names_own(names), &own);
            buf_z(line, ": ");
            fit_text(line, buf_view(&own), PACKAGE_CELLS_MAX);
            buf_part_end(line, &own);
        }
        put_number_item(l, 'o', origin, buf_view(line));
    }
    buf_clear(line);
}

/* --- by package --- */

static bool put_packages(struct legend *l, const struct tree *base)
{
    const struct names *names = l->pen->in->names;
    struct package_colours colours;

    if (!package_colours_find(&colours, names, base, l->pen->in->scratch))
        return false;
    for (uint32_t i = 0; i < colours.n; i++) {
        buf_clear(&l->pen->line);
        fit_text(&l->pen->line, names_package(names, colours.heaviest[i]), PACKAGE_CELLS_MAX);
        put_number_item(l, 'c', i, buf_view(&l->pen->line));
    }
    buf_clear(&l->pen->line);
    if (colours.others)
        put_number_item(l, 'c', PALETTE_OTHERS, STR("all other packages"));
    return true;
}

/* --- by self --- */

static void put_scale(struct legend *l)
{
    static const struct str WORDS[PALETTE_SELF_CLASSES] = {[0] = STR_INIT("no self"),
                                                           [1] = STR_INIT("least"),
                                                           [PALETTE_SELF_CLASSES - 1] =
                                                               STR_INIT("most self")};

    for (unsigned i = 0; i < PALETTE_SELF_CLASSES; i++)
        put_number_item(l, 'h', i, WORDS[i]);
}

/* --- by change --- */

static void put_changes(struct legend *l)
{
    put_item(l, NULL, STR("change of the total from A to B:"));
    for (unsigned step = 0; step < CHANGE_STEPS; step++)
        put_number_item(l, 'd', step, str_of(change_step_label(step)));
}

static bool put_items(struct legend *l, enum view_palette kind, const struct tree *base)
{
    switch (kind) {
    case COLOURS_ORIGIN:
        put_origins(l, base);
        break;
    case COLOURS_PACKAGE:
        return put_packages(l, base);
    case COLOURS_SELF:
        put_scale(l);
        break;
    case COLOURS_CHANGE:
        put_changes(l);
        break;
    case COLOURS_CLASSIC:
        put_item(l, NULL, STR("classic: the colours mean nothing"));
        break;
    }
    return true;
}

bool svg_legend(struct svg_pen *pen, const struct frame_colours *palette, const struct tree *base)
{
    struct legend l = {pen, false, LAYOUT_PAD_PX};

    pen->y_px += SVG_ROW_PX;
    buf_z(pen->out, "<g class=\"l\">\n");
    bool ok = put_items(&l, palette->kind, base);
    buf_z(pen->out, "</g>\n");
    return ok;
}

bool svg_legends(struct svg_pen *pen, const struct tree *base)
{
    struct legend l = {pen, true, 0};
    bool ok = true;

    for (unsigned kind = 0; ok && key_word("palette", kind) != NULL; kind++) {
        if (kind == COLOURS_CHANGE && pen->in->profile->compared == NULL)
            continue;
        buf_printf(pen->out, "<p class=\"legend %s\">", key_word("palette", kind));
        ok = put_items(&l, (enum view_palette)kind, base);
        buf_z(pen->out, "</p>\n");
    }
    return ok;
}
