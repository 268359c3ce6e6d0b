/* Output "thumb": a small preview of a flame graph. No words, no tooltips, nothing but shapes: one path for each
 * colour. However large the profile is, the picture stays below 20 kB: where more than FRAMES_MAX frames would be
 * drawn, the narrowest are left out. */
#include "render/fail.h"
#include "render/layout.h"
#include "render/number.h"
#include "render/output.h"
#include "render/palette.h"
#include "render/svg.h"

enum {
    WIDTH_PX = 300, /* of the frames */
    HEIGHT_PX = 90,
    LEVEL_DPX_MAX = 80, /* from level to level, in tenths of a pixel; less in tall graphs, */
    LEVEL_DPX_MIN = 10, /* which lose their tips where even this is too much */
    GAP_DPX = 6,        /* between levels that are high enough for it */
    FRAMES_MAX = 500,
    MIN_MILLI_PX = 1000,
    CLASS_TRACK = PALETTE_CLASSES
};

struct thumb {
    const struct render_input *in;
    const struct tree *tree;
    const struct layout *layout;
    uint32_t level_dpx;
};

/* False: no memory. */
static bool make_layout(struct thumb *t)
{
    uint32_t min = MIN_MILLI_PX;

    do {
        t->layout = layout_new(t->tree, WIDTH_PX + 2 * LAYOUT_PAD_PX, min, t->in->scratch);
        min *= 2;
    } while (t->layout != NULL && t->layout->n_boxes > FRAMES_MAX && min < WIDTH_PX * 1000);
    if (t->layout == NULL)
        return false;
    uint32_t levels = t->layout->levels > 0 ? t->layout->levels : 1, dpx = HEIGHT_PX * 10 / levels;
    t->level_dpx = dpx > LEVEL_DPX_MAX ? LEVEL_DPX_MAX : dpx < LEVEL_DPX_MIN ? LEVEL_DPX_MIN : dpx;
    return true;
}

static unsigned class_of(const struct thumb *t, uint32_t place)
{
    frame_id frame = tree_frame(t->tree, place);

    return frame < t->tree->n_frames ? names_of(t->in->names, frame)->colour : CLASS_TRACK;
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

static void put_class(const struct thumb *t, struct buf *out, unsigned class)
{
    size_t start = out->n;
    bool any = false;

    if (class == CLASS_TRACK)
        buf_z(out, "<path class=\"cr\" d=\"");
    else
        buf_printf(out, "<path class=\"c%u\" d=\"", class);
    for (uint32_t i = 0; i < t->layout->n_boxes; i++)
        if (class_of(t, t->layout->boxes[i].place) == class)
            any = put_frame(t, out, &t->layout->boxes[i]) || any;
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
    buf_printf(out,
               "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\">\n"
               "<style>",
               WIDTH_PX, HEIGHT_PX, WIDTH_PX, HEIGHT_PX);
    buf_str(out, svg_style());
    buf_z(out, "</style>\n");
    for (unsigned class = 0; class <= CLASS_TRACK; class ++)
        put_class(&t, out, class);
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
    .revision = 1,
    .render = render,
};
