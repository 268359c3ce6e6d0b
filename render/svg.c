/* The picture, from top to bottom: what it shows, how much of it, the profile's warnings, then the frames.
 * Its bytes depend on the profile and the options only. Frames are written with a bare pointer into room that
 * was reserved for the longest one: there can be a hundred thousand. */
#include "render/svg.h"

#include <string.h>

#include "core/clean.h"
#include "render/fail.h"
#include "render/fit.h"
#include "render/layout.h"
#include "render/number.h"

enum {
    TITLE_FONT_PX = 16,
    FONT_PX = 12,
    TITLE_BASE_PX = 26, /* first baseline */
    ROW_PX = 17,        /* between the baselines of the rows below */
    ROWS_GAP_PX = 10,   /* between the last row and the frames */
    BOTTOM_PX = 10,
    TEXT_PAD_PX = 3,  /* within a frame, left and right */
    BASELINE_PX = 11, /* within a frame */
    WARNING_ROWS = 3,
    TITLE_DIGITS = 5,
    DIGITS = 3,
    NAME_CELLS_LEAST = 8,
    FRAME_MARKUP_BYTES = 1024 /* more than a frame takes without its names */
};

enum { COLUMN_VALUE, COLUMN_CALLS };

struct svg {
    const struct render_input *in;
    struct buf *out;
    const struct tree *tree;
    const struct layout *layout;
    struct measure measure;
    bool has_calls;
    uint32_t y_px;   /* baseline of the last row, then top of the frames */
    struct buf who;  /* what is shown, raw: the name of the root's frame */
    struct buf line; /* the row that is being made, raw */
    uint64_t track_total;
};

/* --- words --- */

static void add_number(struct buf *b, char *(*format)(char *to, uint64_t value), uint64_t value)
{
    char text[NUMBER_BYTES_MAX];

    buf_bytes(b, text, (size_t)(format(text, value) - text));
}

/* "1 stack", "83,753 stacks" */
static void add_count(struct buf *b, uint64_t n, const char *noun)
{
    add_number(b, number_grouped, n);
    buf_char(b, ' ');
    buf_z(b, noun);
    if (n != 1)
        buf_char(b, 's');
}

static void add_value(const struct svg *s, struct buf *b, uint64_t value, unsigned digits)
{
    char text[NUMBER_BYTES_MAX];

    buf_bytes(b, text, (size_t)(number_value(text, s->measure.unit, value, digits) - text));
}

static void add_percent(struct buf *b, uint64_t part, uint64_t whole)
{
    char text[NUMBER_BYTES_MAX];

    buf_bytes(b, text, (size_t)(number_percent(text, part, whole) - text));
}

static void add_min_px(const struct svg *s, struct buf *b)
{
    uint32_t min = s->layout->min_milli_px;

    buf_fixed(b, min < LAYOUT_TENTH_MILLI_PX ? LAYOUT_TENTH_MILLI_PX : min, 3);
    buf_z(b, " px");
}

static const char *what_is_measured(const struct svg *s)
{
    switch (s->measure.unit) {
    case UNIT_NS:
        return "time";
    case UNIT_BYTES:
        return "bytes";
    case UNIT_COUNT:
        break;
    }
    return "count";
}

/* `cells` for the name; the rest is never cut. */
static void make_who(struct svg *s, size_t cells)
{
    const struct tree *t = s->tree;
    const struct profile *p = s->in->profile;
    struct buf *b = &s->who;

    buf_clear(b);
    if (s->in->view->tracks == TRACKS_LISTED && t->n_tracks == 1) {
        const struct profile_track *track = &p->tracks[t->tracks[0]];
        struct str name = profile_string(p, track->name);
        fit_text(b, name.n > 0 ? name : STR("thread"), cells);
        buf_z(b, " (");
        buf_u64(b, track->id);
        buf_z(b, ")");
        return;
    }
    if (s->in->view->tracks != TRACKS_LISTED && t->n_tracks != 1)
        buf_z(b, "all ");
    add_count(b, t->n_tracks, "thread");
    if (s->in->view->tracks == TRACKS_MERGED)
        buf_z(b, ", merged");
}

static void make_title(struct svg *s)
{
    buf_clear(&s->line);
    buf_str(&s->line, buf_view(&s->who));
    buf_z(&s->line, " · ");
    buf_str(&s->line, s->measure.label);
    buf_z(&s->line, " · ");
    add_value(s, &s->line, tree_total(s->tree, 0, COLUMN_VALUE), TITLE_DIGITS);
}

/* --- rows --- */

static void attribute(struct buf *b, const char *name, uint64_t value)
{
    buf_char(b, ' ');
    buf_z(b, name);
    buf_z(b, "=\"");
    buf_u64(b, value);
    buf_char(b, '"');
}

static size_t row_cells(const struct svg *s, uint32_t font_px)
{
    return fit_in_px(s->in->view->width_px - 2 * LAYOUT_PAD_PX, font_px);
}

/* `full` becomes the tooltip of what does not show all of it. */
static void put_row(struct svg *s, const char *class, struct str shown, struct str full, uint32_t font_px)
{
    struct buf *out = s->out;
    size_t cells = row_cells(s, font_px);

    buf_z(out, "<text class=\"");
    buf_z(out, class);
    buf_char(out, '"');
    attribute(out, "x", LAYOUT_PAD_PX);
    attribute(out, "y", s->y_px);
    buf_char(out, '>');
    if (!str_eq(shown, full) || fit_cells(full) > cells) {
        buf_z(out, "<title>");
        clean_xml(out, full);
        buf_z(out, "</title>");
    }
    fit_xml(out, shown, cells);
    buf_z(out, "</text>\n");
}

static void put_line(struct svg *s, const char *class)
{
    s->y_px += ROW_PX;
    put_row(s, class, buf_view(&s->line), buf_view(&s->line), FONT_PX);
}

/* The name is cut so that the value stays in sight. */
static void put_title(struct svg *s)
{
    struct buf full = {0};

    make_who(s, SIZE_MAX / 8);
    make_title(s);
    buf_str(&full, buf_view(&s->line));
    size_t room = row_cells(s, TITLE_FONT_PX), cells = fit_cells(buf_view(&full));
    if (cells > room && s->in->view->tracks == TRACKS_LISTED && s->tree->n_tracks == 1) {
        const struct profile *p = s->in->profile;
        size_t name = fit_cells(profile_string(p, p->tracks[s->tree->tracks[0]].name));
        size_t rest = cells - (name < cells ? name : cells);
        make_who(s, room > rest + NAME_CELLS_LEAST ? room - rest : NAME_CELLS_LEAST);
        make_title(s);
    }
    s->y_px = TITLE_BASE_PX;
    put_row(s, "t", buf_view(&s->line), buf_view(&full), TITLE_FONT_PX);
    if (full.failed)
        s->line.failed = true;
    buf_free(&full);
    make_who(s, SIZE_MAX / 8);
}

static void add_dropped(struct svg *s, const struct layout_dropped *d)
{
    buf_z(&s->line, " not drawn (");
    add_percent(&s->line, d->total, tree_total(s->tree, 0, COLUMN_VALUE));
    buf_z(&s->line, " of the ");
    buf_z(&s->line, what_is_measured(s));
    buf_char(&s->line, ')');
}

static void put_facts(struct svg *s)
{
    const struct layout *l = s->layout;
    uint64_t not_stacks = 1 + (s->tree->side_by_side ? s->tree->n_tracks : 0);

    buf_clear(&s->line);
    add_count(&s->line, s->tree->n - not_stacks, "stack");
    if (s->has_calls) {
        buf_z(&s->line, ", ");
        add_count(&s->line, tree_total(s->tree, 0, COLUMN_CALLS), "call");
    }
    if (l->narrow.frames > 0) {
        buf_z(&s->line, " · ");
        add_count(&s->line, l->narrow.frames, "frame");
        buf_z(&s->line, " under ");
        add_min_px(s, &s->line);
        add_dropped(s, &l->narrow);
    }
    put_line(s, "s");
    buf_clear(&s->line);
    if (l->min_raised) {
        buf_z(&s->line, "more than ");
        add_count(&s->line, LAYOUT_FRAMES_MAX, "frame");
        buf_z(&s->line, " are wide enough to be drawn; the least width was raised to ");
        add_min_px(s, &s->line);
        put_line(s, "w");
    }
    buf_clear(&s->line);
    if (l->deep.frames > 0) {
        add_count(&s->line, l->deep.frames, "frame");
        buf_z(&s->line, " deeper than ");
        add_count(&s->line, LAYOUT_LEVELS_MAX, "level");
        add_dropped(s, &l->deep);
        put_line(s, "w");
    }
}

static void put_warnings(struct svg *s)
{
    const struct profile *p = s->in->profile;
    struct buf rest = {0};

    for (uint32_t i = 0; i < p->n_warnings && i < WARNING_ROWS; i++) {
        s->y_px += ROW_PX;
        put_row(s, "w", p->warnings[i].text, p->warnings[i].text, FONT_PX);
    }
    if (p->n_warnings > WARNING_ROWS) {
        buf_clear(&s->line);
        buf_z(&s->line, "and ");
        add_count(&s->line, p->n_warnings - WARNING_ROWS, "more warning");
        for (uint32_t i = WARNING_ROWS; i < p->n_warnings; i++) {
            buf_str(&rest, p->warnings[i].text);
            if (i + 1 < p->n_warnings)
                buf_char(&rest, ' ');
        }
        s->y_px += ROW_PX;
        put_row(s, "w", buf_view(&s->line), buf_view(&rest), FONT_PX);
    }
    if (rest.failed)
        s->line.failed = true;
    buf_free(&rest);
}

static uint32_t header_rows(const struct svg *s)
{
    uint32_t warnings = s->in->profile->n_warnings;
    uint32_t rows = warnings > WARNING_ROWS ? WARNING_ROWS + 1u : warnings;

    return 1u + s->layout->min_raised + (s->layout->deep.frames > 0) + rows;
}

/* --- frames --- */

#define PUT(to, literal) put(to, literal, sizeof(literal) - 1)

static inline char *put(char *to, const char *p, size_t n)
{
    memcpy(to, p, n);
    return to + n;
}

static inline char *put_dpx(char *to, uint32_t dpx)
{
    to = number_u64(to, dpx / 10);
    if (dpx % 10 != 0) {
        *to++ = '.';
        *to++ = (char)('0' + dpx % 10);
    }
    return to;
}

static char *put_percent(char *to, uint64_t part, uint64_t whole)
{
    char text[NUMBER_BYTES_MAX];
    char *end = number_percent(text, part, whole);

    if (text[0] != '<')
        return put(to, text, (size_t)(end - text));
    to = PUT(to, "&lt;");
    return put(to, text + 1, (size_t)(end - text - 1));
}

static char *put_numbers(struct svg *s, char *to, uint32_t place)
{
    const struct tree *t = s->tree;
    uint32_t depth = t->depth[place];
    uint64_t total = tree_total(t, place, COLUMN_VALUE);
    bool stands_for_track = tree_is_track(t, tree_frame(t, place));

    to = PUT(to, "\ntotal ");
    to = number_value(to, s->measure.unit, total, DIGITS);
    if (depth == 0 || stands_for_track)
        s->track_total = total;
    if (stands_for_track) {
        to = PUT(to, " (");
        to = put_percent(to, total, tree_total(t, 0, COLUMN_VALUE));
        to = PUT(to, " of all)");
    } else if (depth > 0) {
        to = PUT(to, " (");
        to = put_percent(to, total, s->track_total);
        to = s->in->view->tracks == TRACKS_MERGED ? PUT(to, " of all, ") : PUT(to, " of thread, ");
        to = put_percent(to, total, tree_total(t, t->parent[place], COLUMN_VALUE));
        to = PUT(to, " of parent)");
    }
    to = PUT(to, ", self ");
    to = number_value(to, s->measure.unit, tree_self(t, place, COLUMN_VALUE), DIGITS);
    if (s->has_calls && depth > 0 && !stands_for_track) {
        uint64_t calls = tree_self(t, place, COLUMN_CALLS);
        to = PUT(to, "\ncalls ");
        to = number_grouped(to, calls);
        if (tree_recursive(t, place) && calls > 0) {
            to = PUT(to, " (");
            to = number_grouped(to, calls);
            to = PUT(to, " recursive)");
        }
    }
    return to;
}

static uint32_t frame_y_px(const struct svg *s, uint32_t depth)
{
    uint32_t level = s->in->view->view == VIEW_ICICLE ? depth : s->layout->levels - 1 - depth;

    return s->y_px + level * LAYOUT_LEVEL_PX;
}

static char *put_rect(char *to, const struct layout_box *box, uint32_t y_px, int colour)
{
    to = PUT(to, "</title><rect class=\"c");
    if (colour < 0)
        *to++ = 'r';
    else
        to = number_u64(to, (uint64_t)colour);
    to = PUT(to, "\" x=\"");
    to = put_dpx(to, box->x_dpx);
    to = PUT(to, "\" y=\"");
    to = number_u64(to, y_px);
    to = PUT(to, "\" width=\"");
    to = put_dpx(to, box->width_dpx);
    to = PUT(to, "\" height=\"");
    to = number_u64(to, LAYOUT_FRAME_PX);
    return PUT(to, "\"/>");
}

static char *put_text_start(char *to, const struct layout_box *box, uint32_t y_px)
{
    to = PUT(to, "<text x=\"");
    to = put_dpx(to, box->x_dpx + TEXT_PAD_PX * 10);
    to = PUT(to, "\" y=\"");
    to = number_u64(to, y_px + BASELINE_PX);
    return PUT(to, "\">");
}

/* What is written of a frame: `text` for the picture, `title` (cleaned, escaped) for the tooltip. */
struct label {
    struct str text, title;
    bool plain; /* of the text, see names.h */
    int colour; /* -1: of a track */
};

static void put_frame(struct svg *s, const struct layout_box *box, struct label label)
{
    struct buf *out = s->out;
    uint32_t y_px = frame_y_px(s, s->tree->depth[box->place]);
    uint32_t inner_dpx = box->width_dpx > 2 * TEXT_PAD_PX * 10 ? box->width_dpx - 2 * TEXT_PAD_PX * 10 : 0;
    size_t cells = inner_dpx / (FONT_PX * FIT_EM_TENTHS);
    bool written = cells >= FIT_CELLS_LEAST;
    size_t plain = !written || !label.plain ? 0 : label.text.n <= cells ? label.text.n : cells - 2;

    if (!buf_reserve(out, label.title.n + plain + FRAME_MARKUP_BYTES))
        return;
    char *to = out->p + out->n;
    to = PUT(to, "<g><title>");
    to = put(to, label.title.p, label.title.n);
    to = put_numbers(s, to, box->place);
    to = put_rect(to, box, y_px, label.colour);
    if (written) {
        to = put_text_start(to, box, y_px);
        if (label.plain) {
            to = put(to, label.text.p, plain);
            to = label.text.n > cells ? PUT(to, "..") : to;
        } else {
            out->n = (size_t)(to - out->p);
            fit_xml(out, label.text, cells);
            if (!buf_reserve(out, FRAME_MARKUP_BYTES))
                return;
            to = out->p + out->n;
        }
        to = PUT(to, "</text>");
    }
    to = PUT(to, "</g>\n");
    out->n = (size_t)(to - out->p);
}

static void put_box(struct svg *s, const struct layout_box *box)
{
    const struct tree *t = s->tree;
    frame_id frame = tree_frame(t, box->place);

    if (frame < t->n_frames) {
        const struct names_frame *n = names_of(s->in->names, frame);
        put_frame(s, box, (struct label){n->text, n->full, n->plain, n->colour});
        return;
    }
    struct str text =
        frame == FRAME_NONE ? buf_view(&s->who) : names_track(s->in->names, frame - t->n_frames);
    buf_clear(&s->line);
    clean_xml(&s->line, text);
    put_frame(s, box, (struct label){text, buf_view(&s->line), false, -1});
}

/* --- the whole --- */

static void put_start(struct svg *s, uint32_t height_px)
{
    uint32_t width_px = s->in->view->width_px;
    struct buf *out = s->out;

    make_who(s, SIZE_MAX / 8);
    make_title(s);
    buf_z(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"af\" role=\"img\" aria-label=\"");
    clean_xml(out, buf_view(&s->line));
    buf_char(out, '"');
    attribute(out, "width", width_px);
    attribute(out, "height", height_px);
    buf_z(out, " viewBox=\"0 0 ");
    buf_u64(out, width_px);
    buf_char(out, ' ');
    buf_u64(out, height_px);
    buf_z(out, "\">\n<style>");
    buf_str(out, svg_style());
    buf_z(out, "</style>\n<rect class=\"bg\" width=\"100%\" height=\"100%\"/>\n");
}

static void put_frames(struct svg *s)
{
    const struct layout *l = s->layout;

    if (l->n_boxes == 0) {
        s->y_px += BASELINE_PX;
        buf_clear(&s->line);
        buf_z(&s->line, "no calls recorded for this value");
        put_row(s, "s", buf_view(&s->line), buf_view(&s->line), FONT_PX);
        return;
    }
    buf_z(s->out, "<g class=\"f\">\n");
    for (uint32_t i = 0; i < l->n_boxes && !s->out->failed; i++)
        put_box(s, &l->boxes[i]);
    buf_z(s->out, "</g>\n");
}

static bool draw(struct svg *s, struct diag *diag)
{
    uint32_t levels = s->layout->levels > 0 ? s->layout->levels : 1;
    uint32_t top_px = TITLE_BASE_PX + header_rows(s) * ROW_PX + ROWS_GAP_PX;

    put_start(s, top_px + levels * LAYOUT_LEVEL_PX + BOTTOM_PX);
    put_title(s);
    put_facts(s);
    put_warnings(s);
    s->y_px = top_px;
    put_frames(s);
    buf_z(s->out, "</svg>\n");
    if (s->out->failed)
        return fail_buf(s->out, diag);
    return !(s->who.failed || s->line.failed) || fail_buf(&s->line, diag);
}

static bool render(const struct render_input *in, struct buf *out, struct diag *diag)
{
    struct svg s = {.in = in, .out = out};
    struct measure calls = {.value = profile_value_by_role(in->profile, ROLE_CALLS)};

    if (!measure_by_name(in->profile, in->view->value, &s.measure))
        return diag_set(diag, DIAG_USAGE, "no such value", "", "The profile has no value of that name.");
    s.has_calls = calls.value < in->profile->n_values;
    struct tree_spec spec = {
        .measures = {&s.measure, &calls}, .n_measures = s.has_calls ? 2 : 1, .divisor = 1};
    spec.order = in->view->order;
    s.tree = tree_new(in, &spec, diag);
    if (s.tree == NULL)
        return false;
    s.layout = layout_new(s.tree, in->view->width_px, in->view->min_milli_px, in->scratch);
    if (s.layout == NULL)
        return fail_arena(in->scratch, diag);
    bool ok = draw(&s, diag);
    buf_free(&s.who);
    buf_free(&s.line);
    return ok;
}

const struct output OUTPUT_SVG = {
    .name = "svg",
    .suffix = "svg",
    .media_type = "image/svg+xml",
    .label = "Flame graph (SVG)",
    .text = false,
    .revision = 1,
    .render = render,
};
