#include "render/svg/svg_frames.h"

#include "core/clean.h"
#include "core/number.h"
#include "core/put.h"
#include "profile/track.h"
#include "render/names/fit.h"
#include "render/names/shorten.h"
#include "render/svg/svg_header.h"
#include "render/view/change.h"

enum {
    FRAME_MARKUP_BYTES = 1024, /* more than a frame takes without its names */
    MARKED_CELLS_LEAST = 6     /* of a name behind its change in percent */
};

struct frame {
    const struct layout_box *box;
    frame_id id;
    struct str title; /* of the tooltip: cleaned, escaped */
    struct str text;  /* of what is no frame of the profile, raw; of others render/names/shorten.h knows */
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

/* The change stands before the name, as far as there is room for both; else its sign. Returns how many cells it takes. */
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

bool svg_frames_put(const struct svg_frames *f, struct buf *out)
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
