/* The picture: the controls, which are hidden, and the still one: what it shows, how much of it, the profile's warnings,
 * what the colours mean, and the widest frames. Before these frames stand the whole tree as data and the script, which
 * puts the controls in place of all that is still. Its bytes depend on the profile and the options only. */
#include "render/svg/svg.h"
#include "core/number.h"
#include "profile/filter/filter.h"
#include "profile/transform/compare_sides.h"
#include "profile/value_words.h"
#include "render/svg/data.h"
#include "render/svg/heading.h"
#include "render/svg/svg_frames.h"
#include "render/svg/svg_header.h"
#include "render/tree/sandwich.h"
#include "render/tree/tree_new.h"
#include "render/view/fail.h"

enum { TITLE_DIGITS = 5 };

struct svg {
    struct svg_pen pen;
    struct data_tree data;
    const struct tree *base; /* of the data, but for the columns that a picture has no use for */
    struct tree_spec spec;   /* of the tree that is drawn */
    enum unit unit;
    struct frame_colours palette;
    const struct tree *tree, *below; /* that is drawn; callees of a sandwich, else NULL */
    const struct layout *layout, *layout_below;
    frame_id method;   /* of a sandwich */
    uint32_t sides[2]; /* of a comparison: the columns of A and of B */
};

/* --- trees --- */

static const struct tree *picture_of(const struct tree *t, uint32_t n_columns, struct arena *arena)
{
    struct tree *copy = arena_alloc(arena, sizeof(*copy));

    if (copy == NULL)
        return NULL;
    *copy = *t;
    copy->n_columns = n_columns;
    return copy;
}

static bool open_base(struct svg *s, struct diag *diag)
{
    const struct render_input *in = s->pen.in;

    if (!data_tree_open(&s->data, in, diag))
        return false;
    s->base = picture_of(s->data.tree, s->data.n_picture, in->scratch);
    if (s->base == NULL)
        return fail_arena(in->scratch, diag);
    s->spec = s->data.spec;
    s->spec.n_measures = s->data.n_picture;
    s->spec.order = in->view->order;
    s->sides[0] = s->data.column[COMPARE_SIDE_A];
    s->sides[1] = s->data.column[COMPARE_SIDE_B];
    s->unit = s->data.measures[s->data.value].unit;
    return frame_colours_find(&s->palette, in->names, in->view->palette, s->base, in->scratch) ||
           fail_arena(in->scratch, diag);
}

/* The data speak of the tree by name; drawn by weight, it is another one. */
static bool open_tree(struct svg *s, struct diag *diag)
{
    const struct render_input *in = s->pen.in;
    struct invert_cut cut = layout_invert_cut(in->view, tree_total(s->base, 0, 0));
    struct sandwich sandwich;

    switch (in->view->view) {
    case VIEW_FLAME:
    case VIEW_ICICLE:
    case VIEW_CHART:
        s->tree = in->view->order == ORDER_NAME ? s->base : tree_new(in, &s->spec, diag);
        break;
    case VIEW_INVERTED:
        s->tree = invert_new(in, &s->spec, s->base, &cut, diag);
        break;
    case VIEW_SANDWICH:
        if (!sandwich_method(in, s->base, &s->method, diag) ||
            !sandwich_new(in, &s->spec, s->base, s->method, &cut, &sandwich, diag))
            return false;
        s->tree = sandwich.callers;
        s->below = sandwich.callees;
        break;
    }
    return s->tree != NULL;
}

static bool lay_out(struct svg *s, struct diag *diag)
{
    const struct render_input *in = s->pen.in;
    struct layout_limits limits = {in->view->width_px, in->view->min_milli_px, LAYOUT_FRAMES_MAX};

    if (s->below != NULL)
        limits.frames_max /= 2;
    s->layout = layout_new(s->tree, &limits, in->scratch);
    if (s->below != NULL)
        s->layout_below = layout_new(s->below, &limits, in->scratch);
    if (s->layout == NULL || (s->below != NULL && s->layout_below == NULL))
        return fail_arena(in->scratch, diag);
    return true;
}

/* --- rows --- */

static void put_title(struct svg *s)
{
    struct buf amount = {0}, value = {0};

    buf_value(&amount, s->unit, tree_total(s->base, 0, 0), TITLE_DIGITS);
    heading_value(&value, s->pen.in, &s->data.measures[s->data.value]);
    svg_title(&s->pen, s->base, buf_view(&value), buf_view(&amount));
    s->pen.out->failed = s->pen.out->failed || amount.failed || value.failed;
    buf_free(&value);
    buf_free(&amount);
}

/* "2,000 of 83,753 frames drawn; 98.7 % of the time". The root is no frame, but a sandwich's is its method. */
static void put_drawn(struct svg *s)
{
    struct buf *line = &s->pen.line;
    bool known = !s->tree->cut_short;
    uint64_t total = tree_total(s->tree, 0, 0), dropped = s->layout->dropped;
    uint64_t drawn = s->layout->n_boxes > 0 ? s->layout->n_boxes - 1 : 0, all = s->tree->n - 1;

    if (s->below != NULL) {
        total = number_add(total, tree_total(s->below, 0, 0));
        dropped = number_add(dropped, s->layout_below->dropped);
        drawn += s->layout_below->n_boxes;
        all += s->below->n;
    }
    buf_u64_grouped(line, drawn);
    if (known) {
        buf_z(line, " of ");
        heading_count(line, all, "frame");
    } else {
        buf_z(line, drawn == 1 ? " frame" : " frames");
    }
    buf_z(line, " drawn; ");
    svg_add_percent(line, dropped < total ? total - dropped : 0, total);
    buf_z(line, " of the ");
    buf_z(line, value_unit_words(s->unit));
    if (s->layout->capped || (s->below != NULL && s->layout_below->capped)) {
        buf_z(line, "; no more than ");
        buf_u64_grouped(line, LAYOUT_FRAMES_MAX);
        buf_z(line, " are drawn without the script");
    }
    svg_line(&s->pen, "s");
}

/* "callers and callees of com.example.Foo.bar: 1.2 s (45 % of the time)" */
static void put_method(struct svg *s)
{
    struct buf *line = &s->pen.line;
    uint64_t total = tree_total(s->below, 0, 0);

    buf_z(line, "callers and callees of ");
    sandwich_name(line, s->pen.in->names, s->pen.in->profile, s->method);
    buf_z(line, ": ");
    buf_value(line, s->unit, total, SVG_DIGITS);
    buf_z(line, " (");
    svg_add_percent(line, total, tree_total(s->base, 0, 0));
    buf_z(line, " of the ");
    buf_z(line, value_unit_words(s->unit));
    buf_char(line, ')');
    svg_line(&s->pen, "s");
}

/* --- frames --- */

static uint32_t levels_of(const struct layout *l)
{
    return l->levels > 0 ? l->levels : 1;
}

/* Flames and the callers of a sandwich grow up from the root, all others down. A sandwich has its method once. *end_px:
 * where the frames end. False: no memory. */
static bool put_frames(struct svg *s, uint32_t top_px, uint32_t *end_px)
{
    struct buf *out = s->pen.out, root = {0};
    enum view_kind kind = s->pen.in->view->view;
    bool down = kind == VIEW_ICICLE || kind == VIEW_INVERTED;
    bool has_parts = kind == VIEW_INVERTED || kind == VIEW_SANDWICH;
    const uint64_t *method_self = has_parts ? tree_selves(s->base, s->pen.in->scratch) : NULL;
    uint32_t levels = levels_of(s->layout);

    if (has_parts && method_self == NULL)
        return false;

    heading_root(&root, s->pen.in, s->base, SIZE_MAX / 8);
    struct svg_frames f = {.in = s->pen.in,
                           .tree = s->tree,
                           .layout = s->layout,
                           .palette = &s->palette,
                           .sides = s->pen.in->profile->compared != NULL ? s->sides : NULL,
                           .unit = s->unit,
                           .whole = tree_total(s->base, 0, 0),
                           .method_self = method_self,
                           .root = buf_view(&root),
                           .root_px = down ? top_px : top_px + (levels - 1) * LAYOUT_LEVEL_PX,
                           .downwards = down};
    buf_z(out, "<g class=\"f\">\n");
    bool ok = svg_frames_put(&f, out);
    if (s->below != NULL) {
        f.tree = s->below;
        f.layout = s->layout_below;
        f.downwards = f.without_root = true;
        ok = ok && svg_frames_put(&f, out);
        levels += levels_of(s->layout_below) - 1;
    }
    buf_z(out, "</g>\n");
    buf_part_end(out, &root);
    *end_px = top_px + levels * LAYOUT_LEVEL_PX;
    return ok;
}

static void put_nothing(struct svg *s, struct svg_root *root)
{
    if (svg_emptied(&s->pen, s->base, root))
        return;
    buf_z(&s->pen.line, "nothing recorded for this value");
    svg_line(&s->pen, "s");
}

static bool put_picture(struct svg *s, struct svg_root *root)
{
    if (s->layout->n_boxes > 0)
        return put_frames(s, svg_top_px(&s->pen), &root->height_px);
    put_nothing(s, root);
    root->height_px = svg_top_px(&s->pen);
    return true;
}

/* --- the whole --- */

static bool draw(struct svg *s, struct svg_root *root, struct diag *diag)
{
    if (!open_base(s, diag) || !open_tree(s, diag) || !lay_out(s, diag))
        return false;
    if (!svg_controls(&s->pen, s->data.measures, s->data.n_measures, s->base))
        return fail_arena(s->pen.in->scratch, diag);
    buf_z(s->pen.out, "<g class=\"still\">\n");
    put_title(s);
    if (s->below != NULL)
        put_method(s);
    put_drawn(s);
    svg_filters(&s->pen, s->base, s->data.measures[s->data.value].name, s->unit);
    svg_warnings(&s->pen);
    if (!svg_legend(&s->pen, &s->palette, s->base))
        return fail_arena(s->pen.in->scratch, diag);
    svg_data_begin(&s->pen);
    if (!data_put(&s->data, s->pen.out, &root->embedded, diag))
        return false;
    svg_data_end(&s->pen);
    if (!put_picture(s, root))
        return fail_arena(s->pen.in->scratch, diag);
    buf_z(s->pen.out, "</g>\n");
    root->height_px += SVG_BOTTOM_PX;
    root->nodes = s->base->n - 1;
    return true;
}

bool svg_render(const struct render_input *in, struct buf *out, struct diag *diag)
{
    struct svg s = {0};
    struct svg_root root = {0};

    svg_begin(&s.pen, in, out);
    if (draw(&s, &root, diag))
        return svg_finish(&s.pen, &root, diag);
    svg_abandon(&s.pen);
    return false;
}
