/* The picture: the controls, which are hidden, and the still one: what it shows, how much of it, the
 * profile's warnings, what the colours mean, and the widest frames. Before these frames stand the whole
 * tree as data and the script, which puts the controls in place of all that is still. Its bytes depend on
 * the profile and the options only. */
#include "render/svg/svg.h"

#include "core/clean.h"
#include "core/diag.h"
#include "core/number.h"
#include "core/put.h"
#include "profile/profile.h"
#include "profile/track.h"
#include "profile/transform/transform.h"
#include "render/names/names.h"
#include "render/svg/data.h"
#include "render/svg/svg_header.h"
#include "render/svg/viewer.h"
#include "render/tree/sandwich.h"
#include "render/tree/tree.h"
#include "render/view/input.h"
#include "render/view/view.h"

struct svg_frames {
    const struct render_input *in;
    const struct tree *tree; /* its first column is what is measured */
    const struct layout *layout;
    const struct frame_colours *palette;
    const uint32_t *sides; /* of a comparison: the columns of A and of B; else NULL */
    enum unit unit;
    uint64_t whole; /* that "of thread" or "of all" refers to: the total of the base tree */
    /* By frame of the profile: what its method has by itself, where nodes are parts of methods; else NULL. */
    const uint64_t *method_self;
    struct str root;  /* text of the root, raw, if it is not a frame */
    uint32_t root_px; /* top of the root's row */
    bool downwards;   /* children stand below their parents */
    bool without_root;
};

/* ---- frames ---- */

enum {
    FRAME_MARKUP_BYTES = 1024, /* more than a frame takes without its names */
    MARKED_CELLS_LEAST = 6     /* of a name behind its change in percent */
};

struct frame {
    const struct layout_box *box;
    frame_id id;
    struct str title; /* of the tooltip: cleaned, escaped */
    struct str text;  /* of what is no frame of the profile, raw; of others render/names/names.h knows */
    uint32_t y_px;
    bool twin; /* a sibling has the same text: the parameters tell them apart */
};

static char *put_percent(char *to, uint64_t part, uint64_t whole)
{
    char text[NUMBER_BYTES_MAX];
    char *end = number_percent(text, part, whole);

    if (text[0] != '<')
        return put_bytes(to, text, (size_t)(end - text));
    to = PUT(to, "&lt;");
    return put_bytes(to, text + 1, (size_t)(end - text - 1));
}

/* --- the tooltip --- */

static bool is_of_several(const struct svg_frames *f)
{
    return f->in->view->tracks != TRACKS_LISTED || f->tree->n_tracks != 1;
}

static char *put_shares(const struct svg_frames *f, const struct frame *frame, char *to)
{
    const struct tree *t = f->tree;
    uint32_t place = frame->box->place;
    uint64_t total = tree_total(t, place, 0);

    if (frame->id == FRAME_NONE)
        return to;
    to = PUT(to, " (");
    to = put_percent(to, total, f->whole);
    to = is_of_several(f) ? PUT(to, " of all")
                          : put_str(PUT(to, " of "), str_of(track_word(f->in->profile, 1)));
    if (place > 0) {
        to = PUT(to, ", ");
        to = put_percent(to, total, tree_total(t, t->parent[place], 0));
        to = PUT(to, " of parent");
    }
    *to++ = ')';
    return to;
}

static char *put_numbers(const struct svg_frames *f, const struct frame *frame, char *to)
{
    const struct tree *t = f->tree;
    uint32_t place = frame->box->place;

    to = PUT(to, "\ntotal ");
    to = number_value(to, f->unit, tree_total(t, place, 0), SVG_DIGITS);
    to = put_shares(f, frame, to);
    bool is_part = f->method_self != NULL && frame->id < t->n_frames;
    to = is_part ? PUT(to, ", the method's self ") : PUT(to, ", self ");
    to = number_value(to, f->unit, is_part ? f->method_self[frame->id] : tree_self(t, place, 0), SVG_DIGITS);
    if (t->calls == NULL || frame->id >= t->n_frames)
        return to;
    uint64_t calls = tree_calls(t, place);
    to = PUT(to, "\ncalls ");
    to = number_grouped(to, calls);
    if (tree_recursive(t, place) && calls > 0) {
        to = PUT(to, " (");
        to = number_grouped(to, calls);
        to = PUT(to, " recursive)");
    }
    return to;
}

/* --- of comparisons --- */

/* What A has of it in all, or B; 0 where nothing is compared. */
static uint64_t side(const struct svg_frames *f, const struct frame *frame, unsigned which)
{
    return f->sides != NULL ? tree_total(f->tree, frame->box->place, f->sides[which]) : 0;
}

/* "\n1.2 ms in A, 2 ms in B: +0.8 ms (+66.7 %)" */
static void put_sides(const struct svg_frames *f, const struct frame *frame, struct buf *out)
{
    uint64_t a = side(f, frame, 0), b = side(f, frame, 1);
    struct buf percent = {0};

    buf_char(out, '\n');
    buf_value(out, f->unit, a, SVG_DIGITS);
    buf_z(out, " in A, ");
    buf_value(out, f->unit, b, SVG_DIGITS);
    buf_z(out, " in B: ");
    change_put(out, f->unit, a, b);
    buf_z(out, " (");
    change_put_percent(&percent, a, b);
    clean_xml(out, buf_view(&percent));
    buf_char(out, ')');
    buf_part_end(out, &percent);
}

/* The change stands before the name, as far as there is room for both; else its sign. Returns how many
 * cells it takes. */
static size_t put_mark(const struct svg_frames *f, const struct frame *frame, size_t cells, struct buf *out)
{
    uint64_t a = side(f, frame, 0), b = side(f, frame, 1);
    struct buf mark = {0};

    if (a == b || frame->id >= f->tree->n_frames)
        return 0;
    change_put_percent(&mark, a, b);
    buf_char(&mark, ' ');
    if (mark.n + MARKED_CELLS_LEAST > cells) {
        buf_clear(&mark);
        buf_char(&mark, b > a ? '+' : '-');
    }
    clean_xml(out, buf_view(&mark));
    size_t n = mark.n;
    buf_part_end(out, &mark);
    return n;
}

/* --- elements --- */

static char *put_rect(const struct svg_frames *f, const struct frame *frame, char *to)
{
    struct frame_colours_node node = {frame->id, tree_self(f->tree, frame->box->place, 0), side(f, frame, 0),
                                      side(f, frame, 1)};
    struct frame_colours_class class = frame_colours_class(f->palette, f->tree, node);

    to = PUT(to, "</title><rect class=\"");
    to = put_bytes(to, class.text, strlen(class.text));
    to = PUT(to, "\" x=\"");
    to = number_decimal(to, frame->box->x_dpx, 1);
    to = PUT(to, "\" y=\"");
    to = number_u64(to, frame->y_px);
    to = PUT(to, "\" width=\"");
    to = number_decimal(to, frame->box->width_dpx, 1);
    to = PUT(to, "\" height=\"");
    to = number_u64(to, LAYOUT_FRAME_PX);
    return PUT(to, "\"/>");
}

static void put_text(const struct svg_frames *f, const struct frame *frame, struct buf *out)
{
    uint32_t pads_dpx = 2 * SVG_TEXT_PAD_PX * 10, width_dpx = frame->box->width_dpx;
    size_t cells = width_dpx > pads_dpx ? (width_dpx - pads_dpx) / (SVG_FONT_PX * FIT_EM_TENTHS) : 0;

    if (cells < FIT_CELLS_LEAST || !buf_reserve(out, FRAME_MARKUP_BYTES))
        return;
    char *to = PUT(out->p + out->n, "<text x=\"");
    to = number_decimal(to, frame->box->x_dpx + SVG_TEXT_PAD_PX * 10, 1);
    to = PUT(to, "\" y=\"");
    to = number_u64(to, frame->y_px + SVG_BASELINE_PX);
    to = PUT(to, "\">");
    out->n = (size_t)(to - out->p);
    if (f->sides != NULL)
        cells -= put_mark(f, frame, cells, out);
    if (frame->id < f->tree->n_frames)
        shorten_xml(out, f->in->names, frame->id, f->in->view->names, frame->twin, cells);
    else
        fit_xml(out, frame->text, cells);
    buf_z(out, "</text>");
}

static void put_frame(const struct svg_frames *f, const struct frame *frame, struct buf *out)
{
    if (!buf_reserve(out, frame->title.n + FRAME_MARKUP_BYTES))
        return;
    char *to = PUT(out->p + out->n, "<g><title>");
    to = put_str(to, frame->title);
    to = put_numbers(f, frame, to);
    out->n = (size_t)(to - out->p);
    if (f->sides != NULL)
        put_sides(f, frame, out);
    if (!buf_reserve(out, FRAME_MARKUP_BYTES))
        return;
    out->n = (size_t)(put_rect(f, frame, out->p + out->n) - out->p);
    put_text(f, frame, out);
    buf_z(out, "</g>\n");
}

/* --- twins --- */

struct twins {
    const struct svg_frames *of;
    /* By text (names_frame.text_rank): the last parent, + 1, of which a child had it, and of which two had. */
    uint32_t *seen, *doubled;
    bool *is_twin; /* by place */
};

/* The text of a frame that shares it with others; UINT32_MAX of all others. */
static uint32_t shared_text(const struct twins *w, uint32_t place)
{
    frame_id frame = tree_frame(w->of->tree, place);
    const struct names_frame *n = frame < w->of->tree->n_frames ? names_of(w->of->in->names, frame) : NULL;

    return n != NULL && n->overloaded ? n->text_rank : UINT32_MAX;
}

static void find_twins_below(struct twins *w, uint32_t parent)
{
    const uint32_t *size = w->of->tree->size;
    uint32_t end = parent + size[parent];

    for (uint32_t child = parent + 1; child < end; child += size[child]) {
        uint32_t text = shared_text(w, child);
        if (text == UINT32_MAX)
            continue;
        if (w->seen[text] == parent + 1)
            w->doubled[text] = parent + 1;
        w->seen[text] = parent + 1;
    }
    for (uint32_t child = parent + 1; child < end; child += size[child]) {
        uint32_t text = shared_text(w, child);
        w->is_twin[child] = text != UINT32_MAX && w->doubled[text] == parent + 1;
    }
}

/* Of the children of what is drawn. False: no memory. */
static bool find_twins(struct twins *w, const struct svg_frames *f)
{
    const struct tree *t = f->tree;
    struct arena *a = f->in->scratch;

    *w = (struct twins){f, arena_array(a, t->n_frames, sizeof(*w->seen)),
                        arena_array(a, t->n_frames, sizeof(*w->doubled)),
                        arena_array(a, t->n, sizeof(*w->is_twin))};
    if (w->seen == NULL || w->doubled == NULL || w->is_twin == NULL)
        return false;
    for (uint32_t i = 0; i < f->layout->n_boxes; i++)
        find_twins_below(w, f->layout->boxes[i].place);
    return true;
}

/* --- the whole --- */

static bool svg_frames_put(const struct svg_frames *f, struct buf *out)
{
    const struct tree *t = f->tree;
    struct frame frame = {0};
    struct buf title = {0};
    struct twins twins;

    if (!find_twins(&twins, f))
        return false;
    for (uint32_t i = f->without_root; i < f->layout->n_boxes && !out->failed; i++) {
        frame.box = &f->layout->boxes[i];
        frame.id = tree_frame(t, frame.box->place);
        frame.twin = twins.is_twin[frame.box->place];
        uint32_t offset_px = t->depth[frame.box->place] * LAYOUT_LEVEL_PX;
        frame.y_px = f->downwards ? f->root_px + offset_px : f->root_px - offset_px;
        if (frame.id < t->n_frames) {
            frame.title = names_of(f->in->names, frame.id)->full;
        } else {
            frame.text = frame.id == FRAME_NONE ? f->root : names_track(f->in->names, frame.id - t->n_frames);
            buf_clear(&title);
            clean_xml(&title, frame.text);
            out->failed = out->failed || title.failed;
            frame.title = buf_view(&title);
        }
        put_frame(f, &frame, out);
    }
    buf_free(&title);
    return true;
}

/* ---- the picture ---- */

/* The picture: the controls, which are hidden, and the still one: what it shows, how much of it, the
 * profile's warnings, what the colours mean, and the widest frames. Before these frames stand the whole
 * tree as data and the script, which puts the controls in place of all that is still. Its bytes depend on
 * the profile and the options only. */

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

/* Flames and the callers of a sandwich grow up from the root, all others down. A sandwich has its method
 * once. *end_px: where the frames end. False: no memory. */
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
    svg_letter(&s->pen);
    if (s->below != NULL)
        put_method(s);
    put_drawn(s);
    svg_filters(&s->pen, s->base, s->data.measures[s->data.value].name, s->unit);
    svg_warnings(&s->pen);
    if (!svg_legend(&s->pen, &s->palette, s->base))
        return fail_arena(s->pen.in->scratch, diag);
    buf_z(s->pen.out, "<metadata class=\"d\">");
    if (!data_put(&s->data, s->pen.out, &root->embedded, diag))
        return false;
    buf_z(s->pen.out, "</metadata>\n");
    svg_put_script(s->pen.out, viewer_script());
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
