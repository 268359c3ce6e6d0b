/* Output "thumb": a small preview of a flame graph. No words, no tooltips, nothing but shapes: one path for each
 * colour. However large the profile is, the picture stays below 20 kB: where more than FRAMES_MAX frames would be
 * drawn, the narrowest are left out. */
#include "render/output.h"

#include <string.h>

#include "render/names/palette.h"
#include "render/svg/layout.h"
#include "render/svg/svg_header.h"
#include "render/tree/tree.h"
#include "render/view/view.h"

enum {
    WIDTH_PX = 300, /* of the frames */
    HEIGHT_PX = 90,
    LEVEL_DPX_MAX = 80, /* from level to level, in tenths of a pixel; less in tall graphs, */
    LEVEL_DPX_MIN = 10, /* which lose their tips where even this is too much */
    GAP_DPX = 6,        /* between levels that are high enough for it */
    FRAMES_MAX = 500,
    MIN_MILLI_PX = 1000
};

#define LIGHT(class, number, light)  "." class #number "{fill:" light "}"
#define LIGHT_C(number, light, dark) LIGHT("c", number, light)
#define LIGHT_O(number, light, dark) LIGHT("o", number, light)
#define LIGHT_H(number, light, dark) LIGHT("h", number, light)
#define LIGHT_Y(number, light, dark) LIGHT("y", number, light)
#define DARK_C(number, light, dark)  LIGHT("c", number, dark)
#define DARK_O(number, light, dark)  LIGHT("o", number, dark)
#define DARK_H(number, light, dark)  LIGHT("h", number, dark)
#define DARK_Y(number, light, dark)  LIGHT("y", number, dark)

/* clang-format off */
static const char STYLE[] =
    ".cr{fill:" PALETTE_TRACK_LIGHT "}"
    PALETTE_COLOURS(LIGHT_C) PALETTE_ORIGINS(LIGHT_O) PALETTE_SELF(LIGHT_H) PALETTE_CLASSIC(LIGHT_Y)
    "@media screen and (prefers-color-scheme:dark){"
        ".cr{fill:" PALETTE_TRACK_DARK "}"
        PALETTE_COLOURS(DARK_C) PALETTE_ORIGINS(DARK_O) PALETTE_SELF(DARK_H) PALETTE_CLASSIC(DARK_Y)
    "}";
/* clang-format on */

static struct str thumb_style(void)
{
    return (struct str){STYLE, sizeof(STYLE) - 1};
}

struct thumb {
    const struct render_input *in;
    const struct tree *tree;
    const struct layout *layout;
    uint32_t level_dpx;
    struct frame_colours_class *classes; /* of the boxes; emptied when drawn */
};

/* False: no memory. */
static bool make_layout(struct thumb *t)
{
    const struct layout_limits limits = {WIDTH_PX + 2 * LAYOUT_PAD_PX, MIN_MILLI_PX, FRAMES_MAX};
    struct frame_colours palette;

    if (!frame_colours_find(&palette, t->in->names, t->in->view->palette, t->tree, t->in->scratch))
        return false;
    t->layout = layout_new(t->tree, &limits, t->in->scratch);
    if (t->layout == NULL)
        return false;
    t->classes = arena_array(t->in->scratch, t->layout->n_boxes, sizeof(*t->classes));
    if (t->classes == NULL)
        return false;
    for (uint32_t i = 0; i < t->layout->n_boxes; i++) {
        uint32_t place = t->layout->boxes[i].place;
        t->classes[i] =
            frame_colours_class(&palette, t->tree,
                                (struct frame_colours_node){.frame = tree_frame(t->tree, place),
                                                            .self = tree_self(t->tree, place, 0)});
    }
    uint32_t levels = t->layout->levels > 0 ? t->layout->levels : 1, dpx = HEIGHT_PX * 10 / levels;
    t->level_dpx = dpx > LEVEL_DPX_MAX ? LEVEL_DPX_MAX : dpx < LEVEL_DPX_MIN ? LEVEL_DPX_MIN : dpx;
    return true;
}

/* False: the frame is above the picture. */
static bool put_frame(const struct thumb *t, struct buf *out, const struct layout_box *box)
{
    uint32_t depth = t->tree->depth[box->place], top_dpx = depth * t->level_dpx;
    uint32_t height_dpx = t->level_dpx >= 3 * GAP_DPX ? t->level_dpx - GAP_DPX : t->level_dpx;

    if (top_dpx + t->level_dpx > HEIGHT_PX * 10)
        return false;
    if (t->in->view->view != VIEW_ICICLE)
        top_dpx = HEIGHT_PX * 10 - top_dpx - height_dpx;
    buf_char(out, 'M');
    buf_fixed(out, box->x_dpx - LAYOUT_PAD_PX * 10, 1);
    buf_char(out, ' ');
    buf_fixed(out, top_dpx, 1);
    buf_char(out, 'h');
    buf_fixed(out, box->width_dpx, 1);
    buf_char(out, 'v');
    buf_fixed(out, height_dpx, 1);
    buf_z(out, "h-");
    buf_fixed(out, box->width_dpx, 1);
    buf_char(out, 'z');
    return true;
}

/* All frames of the class that the first one has. */
static void put_class(struct thumb *t, struct buf *out, uint32_t first)
{
    struct frame_colours_class class = t->classes[first];
    size_t start = out->n;
    bool any = false;

    buf_z(out, "<path class=\"");
    buf_z(out, class.text);
    buf_z(out, "\" d=\"");
    for (uint32_t i = first; i < t->layout->n_boxes; i++) {
        if (strcmp(t->classes[i].text, class.text) != 0)
            continue;
        any = put_frame(t, out, &t->layout->boxes[i]) || any;
        t->classes[i].text[0] = '\0';
    }
    if (any)
        buf_z(out, "\"/>\n");
    else
        out->n = start;
}

static bool render(const struct render_input *in, struct buf *out, struct diag *diag)
{
    struct thumb t = {.in = in};
    struct measure measure;

    if (!measure_by_name(in->profile, in->view->value, &measure))
        return diag_set(diag, DIAG_USAGE, "no such value", "", "The profile has no value of that name.");
    struct tree_spec spec = {.measures = {&measure}, .n_measures = 1, .divisor = 1, .order = in->view->order};
    t.tree = tree_new(in, &spec, diag);
    if (t.tree == NULL)
        return false;
    if (!make_layout(&t))
        return fail_arena(in->scratch, diag);
    buf_printf(
        out, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\">\n",
        WIDTH_PX, HEIGHT_PX, WIDTH_PX, HEIGHT_PX);
    svg_put_style(out, thumb_style());
    for (uint32_t i = 0; i < t.layout->n_boxes; i++)
        if (t.classes[i].text[0] != '\0')
            put_class(&t, out, i);
    buf_z(out, "</svg>\n");
    return !out->failed || fail_buf(out, diag);
}

const struct output OUTPUT_THUMB = {
    .name = "thumb",
    .suffix = "thumb.svg",
    .media_type = "image/svg+xml",
    .label = "Preview of a flame graph (SVG)",
    .text = false,
    .preview = true,
    .views = OUTPUT_TREE_VIEWS,
    .revision = 3,
    .style = thumb_style,
    .render = render,
};
