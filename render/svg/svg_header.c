#include "render/svg/svg_header.h"

#include <string.h>

#include "core/buf.h"
#include "core/clean.h"
#include "core/number.h"
#include "profile/filter/filter.h"
#include "profile/frame/own_code.h"
#include "profile/track.h"
#include "profile/transform/transform.h"
#include "render/names/names.h"
#include "render/names/palette.h"
#include "render/svg/layout.h"
#include "render/svg/viewer.h"
#include "render/tree/tree.h"
#include "render/view/key.h"
#include "render/view/view.h"

/* ---- script and style ---- */

static const struct str STYLE_START = STR_INIT("<style><![CDATA["), STYLE_END = STR_INIT("]]></style>\n");

static const struct str SCRIPT_START = STR_INIT("<script><![CDATA["), SCRIPT_END = STR_INIT("]]></script>\n");

/* Of the still picture, and of the picture. */
static const struct str DRAWING_END = STR_INIT("</g>\n</svg>\n");

void svg_put_style(struct buf *out, struct str style)
{
    buf_str(out, STYLE_START);
    buf_str(out, style);
    buf_str(out, STYLE_END);
}

void svg_put_script(struct buf *out, struct str script)
{
    buf_str(out, SCRIPT_START);
    buf_str(out, script);
    buf_str(out, SCRIPT_END);
}

/* Takes the part off the front of *s. */
static bool take(struct str *s, struct str part)
{
    if (!str_starts(*s, part))
        return false;
    *s = str_from(*s, part.n);
    return true;
}

/* Cuts *s at an element: what stands before it is returned, what stands behind it is left. Without it all of *s is
 * returned, and nothing is left: outside of style and script no "<" is anything but markup. */
static struct str cut(struct str *s, struct str start, struct str inner, struct str end)
{
    size_t at = str_find_str(*s, start);
    struct str all = *s, rest = str_from(*s, at);

    *s = (struct str){NULL, 0};
    if (!take(&rest, start) || !take(&rest, inner) || !take(&rest, end))
        return all;
    *s = rest;
    return (struct str){all.p, at};
}

struct svg_parts svg_without_code(struct str svg)
{
    struct svg_parts parts;

    parts.pieces[0] = cut(&svg, STYLE_START, viewer_style(), STYLE_END);
    parts.pieces[1] = cut(&svg, SCRIPT_START, viewer_script(), SCRIPT_END);
    size_t drawing = str_ends(svg, DRAWING_END) ? svg.n - DRAWING_END.n : 0;
    parts.pieces[SVG_DRAWING] = (struct str){svg.p, drawing};
    parts.pieces[3] = str_from(svg, drawing);
    return parts;
}

bool svg_emptied_by(struct str svg, uint32_t *step)
{
    static const struct str NAME = STR_INIT(" data-emptied-by=\"");
    struct str head = {svg.p,
                       str_find(svg, '\n')}; /* the tags of the element: no value has a quote or a new line */
    size_t at = str_find_str(head, NAME);
    uint64_t value = 0;

    if (at == head.n)
        return false;
    struct str rest = str_from(head, at + NAME.n);
    bool found = str_to_u64((struct str){rest.p, str_find(rest, '"')}, 10, &value) && value <= UINT32_MAX;
    *step = (uint32_t)value;
    return found;
}

/* ---- what a picture shows, in words ---- */

enum { LESS_DIGITS = 3 };

static bool one_track(const struct render_input *in, const struct tree *t)
{
    return in->view->tracks == TRACKS_LISTED && t->n_tracks == 1;
}

/* The name that heading_root cuts; empty where it has none. */
static struct str heading_name(const struct render_input *in, const struct tree *t)
{
    if (!one_track(in, t))
        return STR("");
    return profile_string(in->profile, in->profile->tracks[t->tracks[0]].name);
}

void heading_root(struct buf *b, const struct render_input *in, const struct tree *t, size_t cells)
{
    if (one_track(in, t)) {
        const struct profile_track *track = &in->profile->tracks[t->tracks[0]];
        struct str name = heading_name(in, t);
        fit_text(b, name.n > 0 ? name : str_of(track_noun(track->kind)->one), cells);
        track_title_rest(b, in->profile, track);
        return;
    }
    if (in->view->tracks != TRACKS_LISTED && t->n_tracks != 1)
        buf_z(b, "all ");
    buf_u64_grouped(b, t->n_tracks);
    buf_char(b, ' ');
    buf_z(b, track_word(in->profile, t->n_tracks));
    if (in->view->tracks == TRACKS_MERGED)
        buf_z(b, ", merged");
}

/* Which dump of a series; and how much less there is elsewhere, which no frame can be drawn for. */
static void put_moment(struct buf *b, const struct render_input *in, const struct measure *m)
{
    const struct profile *p = in->profile;
    uint64_t less = 0;

    view_moment_words(b, in->view);
    for (uint32_t i = 0; i < p->n_tracks && !m->waiting; i++)
        if (view_shows_track(in->view, p->tracks[i].id))
            less = number_add(less, profile_minus_total(p, p->tracks[i].first, m->value));
    if (less > 0) {
        buf_z(b, ", and ");
        buf_value(b, m->unit, less, LESS_DIGITS);
        buf_z(b, " less elsewhere");
    }
}

void heading_value(struct buf *b, const struct render_input *in, const struct measure *m)
{
    buf_str(b, m->label);
    put_moment(b, in, m);
    if (in->view->open == OPEN_END && (m->waiting || in->profile->values[m->value].role == ROLE_WALL))
        buf_z(b, ", unfinished calls until the end of the trace");
    if (in->view->view != VIEW_CHART &&
        (in->view->from_ns != VIEW_TIME_NONE || in->view->to_ns != VIEW_TIME_NONE)) {
        buf_z(b, ", ");
        view_range_words(b, in->view);
    }
}

void heading_count(struct buf *b, uint64_t n, const char *noun)
{
    buf_u64_grouped(b, n);
    buf_char(b, ' ');
    buf_z(b, noun);
    if (n != 1)
        buf_char(b, 's');
}

static uint64_t track_before(const struct profile *p, const struct profile_track *t, const struct measure *m)
{
    uint64_t sum = 0;

    if (!m->waiting)
        return profile_total(p, t->first, m->value);
    for (node_id i = t->first; i < t->first + t->count; i++)
        sum = number_add(sum, measure_self(p, m, i));
    return sum;
}

uint64_t heading_before(const struct render_input *in, const struct tree *t, struct str value)
{
    struct measure measures[MEASURES_MAX];
    const struct profile *p = in->profile->filtered != NULL ? in->profile->filtered->before : NULL;
    uint32_t n = p != NULL ? measures_of(p, measures) : 0;
    uint64_t sum = 0;

    for (uint32_t i = 0; i < n; i++)
        for (uint32_t track = 0; str_eq(measures[i].name, value) && track < t->n_tracks; track++)
            sum = number_add(sum, track_before(p, &p->tracks[t->tracks[track]], &measures[i]));
    return sum;
}

/* ---- the legend ---- */

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

/* One item: a swatch, unless there is no class, and its words, cut to the width. The items go on in a new
 * row when one is full. */
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

/* svg_legend as paragraphs of class "legend", of all palettes. */
static bool svg_legends(struct svg_pen *pen, const struct tree *base)
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

/* ---- filters ---- */

static void put_step(struct buf *line, const struct filter_step *step)
{
    buf_z(line, filter_key_word(step->key));
    buf_char(line, '=');
    buf_str(line, step->text);
}

/* "filters: hide=Looper, focus=Foo; 0.9 s of 1.2 s left (75 %)" */
void svg_filters(struct svg_pen *pen, const struct tree *t, struct str value, enum unit unit)
{
    struct buf *line = &pen->line;
    const struct view_options *o = pen->in->view;

    if (o->filters.n == 0)
        return;
    uint64_t left = tree_total(t, 0, 0), before = heading_before(pen->in, t, value);
    for (uint32_t i = 0; i < o->filters.n; i++) {
        struct filter_step step = view_filter(o, i);
        buf_z(line, i == 0 ? "filters: " : ", ");
        put_step(line, &step);
    }
    buf_z(line, "; ");
    buf_value(line, unit, left, SVG_DIGITS);
    buf_z(line, " of ");
    buf_value(line, unit, before, SVG_DIGITS);
    buf_z(line, " left (");
    svg_add_percent(line, left, before);
    buf_char(line, ')');
    svg_line(pen, "s");
}

/* "the filters leave nothing: take out hide=Looper" */
bool svg_emptied(struct svg_pen *pen, const struct tree *t, struct svg_root *root)
{
    const struct render_input *in = pen->in;

    if (in->profile->filtered != NULL)
        root->emptied_by = filter_emptied_by(in->profile->filtered, t->tracks, t->n_tracks);
    root->emptied = in->profile->filtered != NULL && root->emptied_by < in->view->filters.n;
    if (!root->emptied)
        return false;
    struct filter_step step = view_filter(in->view, root->emptied_by);
    buf_z(&pen->line, "the filters leave nothing: take out ");
    put_step(&pen->line, &step);
    svg_line(pen, "s");
    return true;
}

/* ---- the header ---- */

enum {
    TITLE_FONT_PX = 16,
    TITLE_BASE_PX = 26, /* first baseline */
    ROWS_GAP_PX = 10,   /* between the last row and the frames */
    WARNING_ROWS = 3,
    NAME_CELLS_LEAST = 8
};

#define ANY_NUMBER_OF_CELLS (SIZE_MAX / 8)

/* --- words --- */

void svg_add_percent(struct buf *b, uint64_t part, uint64_t whole)
{
    char text[NUMBER_BYTES_MAX];

    buf_bytes(b, text, (size_t)(number_percent(text, part, whole) - text));
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

static size_t row_cells(const struct svg_pen *pen, uint32_t font_px)
{
    return fit_in_px(pen->in->view->width_px - 2 * LAYOUT_PAD_PX, font_px);
}

static void put_row(struct svg_pen *pen, const char *class, struct str shown, struct str full,
                    uint32_t font_px)
{
    struct buf *out = pen->out;
    size_t cells = row_cells(pen, font_px);

    out->failed = out->failed || pen->line.failed || pen->label.failed;

    buf_z(out, "<text class=\"");
    buf_z(out, class);
    buf_char(out, '"');
    attribute(out, "x", LAYOUT_PAD_PX);
    attribute(out, "y", pen->y_px);
    buf_char(out, '>');
    if (!str_eq(shown, full) || fit_cells(full) > cells) {
        buf_z(out, "<title>");
        clean_xml(out, full);
        buf_z(out, "</title>");
    }
    fit_xml(out, shown, cells);
    buf_z(out, "</text>\n");
}

/* One row, cut to the width; `full` is its tooltip where the row does not show all of it. */
static void next_row(struct svg_pen *pen, const char *class, struct str shown, struct str full)
{
    pen->y_px += SVG_ROW_PX;
    put_row(pen, class, shown, full, SVG_FONT_PX);
}

void svg_line(struct svg_pen *pen, const char *class)
{
    next_row(pen, class, buf_view(&pen->line), buf_view(&pen->line));
    buf_clear(&pen->line);
}

static void make_title(struct svg_pen *pen, struct buf *b, const struct tree *t, size_t cells,
                       const struct str rest[2])
{
    buf_clear(b);
    heading_root(b, pen->in, t, cells);
    for (int i = 0; i < 2; i++) {
        buf_z(b, " · ");
        buf_str(b, rest[i]);
    }
}

void svg_title(struct svg_pen *pen, const struct tree *t, struct str what, struct str amount)
{
    const struct str rest[] = {what, amount};
    struct str name = heading_name(pen->in, t);
    size_t room = row_cells(pen, TITLE_FONT_PX);

    make_title(pen, &pen->label, t, ANY_NUMBER_OF_CELLS, rest);
    size_t all = fit_cells(buf_view(&pen->label)), others = all - fit_cells(name);
    if (all <= room || name.n == 0)
        make_title(pen, &pen->line, t, ANY_NUMBER_OF_CELLS, rest);
    else
        make_title(pen, &pen->line, t, room > others + NAME_CELLS_LEAST ? room - others : NAME_CELLS_LEAST,
                   rest);
    pen->y_px = TITLE_BASE_PX;
    put_row(pen, "t", buf_view(&pen->line), buf_view(&pen->label), TITLE_FONT_PX);
    buf_clear(&pen->line);
}

/* "app.trace · uploaded 2026-11-26" */
static void letter_line(const struct letterhead *l, struct buf *b)
{
    buf_str(b, l->name);
    if (l->date.n > 0) {
        buf_z(b, " · uploaded ");
        buf_str(b, l->date);
    }
}

static void link_begin(struct buf *b, struct str link)
{
    buf_z(b, "<a href=\"");
    clean_xml(b, link);
    buf_z(b, "\">");
}

void svg_letter(struct svg_pen *pen)
{
    const struct letterhead *l = pen->in->letter;

    if (l == NULL)
        return;
    letter_line(l, &pen->line);
    svg_line(pen, "s");
    if (l->headline.n > 0)
        next_row(pen, "s", l->headline, l->headline);
    if (l->link.n == 0)
        return;
    link_begin(pen->out, l->link);
    next_row(pen, "s", l->link, l->link);
    buf_z(pen->out, "</a>\n");
}

void svg_warnings(struct svg_pen *pen)
{
    const struct profile *p = pen->in->profile;
    struct buf rest = {0};

    for (uint32_t i = 0; i < p->n_warnings && i < WARNING_ROWS; i++)
        next_row(pen, "w", p->warnings[i].text, p->warnings[i].text);
    if (p->n_warnings <= WARNING_ROWS)
        return;
    for (uint32_t i = WARNING_ROWS; i < p->n_warnings; i++) {
        buf_str(&rest, p->warnings[i].text);
        if (i + 1 < p->n_warnings)
            buf_char(&rest, ' ');
    }
    buf_clear(&pen->line);
    buf_z(&pen->line, "and ");
    heading_count(&pen->line, p->n_warnings - WARNING_ROWS, "more warning");
    next_row(pen, "w", buf_view(&pen->line), buf_view(&rest));
    pen->out->failed = pen->out->failed || rest.failed;
    buf_clear(&pen->line);
    buf_free(&rest);
}

uint32_t svg_top_px(const struct svg_pen *pen)
{
    return pen->y_px + ROWS_GAP_PX;
}

/* --- the whole --- */

void svg_begin(struct svg_pen *pen, const struct render_input *in, struct buf *out)
{
    *pen = (struct svg_pen){.in = in, .out = out, .start = out->n};
    svg_put_style(out, viewer_style());
    buf_z(out, "<rect class=\"bg\" width=\"100%\" height=\"100%\"/>\n");
}

static void put_root(struct buf *out, struct svg_pen *pen, const struct svg_root *root)
{
    uint32_t width_px = pen->in->view->width_px;

    buf_z(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"af\" role=\"");
    /* A chart leads on by its links, and an image can have none. */
    buf_z(out, pen->in->view->view == VIEW_CHART ? "group" : "img");
    buf_z(out, "\" aria-label=\"");
    clean_xml(out, buf_view(&pen->label));
    buf_char(out, '"');
    attribute(out, "width", width_px);
    attribute(out, "height", root->height_px);
    buf_z(out, " viewBox=\"0 0 ");
    buf_u64(out, width_px);
    buf_char(out, ' ');
    buf_u64(out, root->height_px);
    buf_char(out, '"');
    if (root->emptied)
        attribute(out, "data-emptied-by", root->emptied_by);
    attribute(out, "data-nodes", root->nodes);
    attribute(out, "data-embedded", root->embedded);
    buf_z(out, pen->in->view->view == VIEW_CHART ? " data-state=\"ready\">\n" : ">\n");
}

/* Puts what stands behind `end` before what stands behind `start`. */
static void bring_forward(struct buf *b, size_t start, size_t end)
{
    size_t n = b->n - end;

    if (!buf_reserve(b, n))
        return;
    memmove(b->p + start + n, b->p + start, end - start + n);
    memcpy(b->p + start, b->p + b->n, n);
}

void svg_abandon(struct svg_pen *pen)
{
    buf_free(&pen->label);
    buf_free(&pen->line);
}

bool svg_finish(struct svg_pen *pen, const struct svg_root *root, struct diag *diag)
{
    struct buf *out = pen->out;
    size_t end = out->n;

    put_root(out, pen, root);
    bring_forward(out, pen->start, end);
    buf_z(out, "</svg>\n");
    bool failed = out->failed || pen->label.failed || pen->line.failed;
    svg_abandon(pen);
    return !failed || fail_buf(out, diag);
}

/* ---- controls ---- */

static const struct str MARK = STR_INIT("<?"), MARK_END = STR_INIT("?>");

struct controls {
    struct svg_pen *pen;
    const struct measure *measures;
    uint32_t n_measures;
    const struct tree *base;
};

/* The same as svg_letter, in sight of who works with the picture. */
static bool put_letter(const struct controls *c)
{
    const struct letterhead *l = c->pen->in->letter;
    struct buf *out = c->pen->out, line = {0};

    if (l == NULL)
        return true;
    letter_line(l, &line);
    buf_z(out, "<p class=\"letter\">");
    clean_xml(out, buf_view(&line));
    buf_part_end(out, &line);
    if (l->link.n > 0) {
        buf_z(out, " \u00b7 ");
        link_begin(out, l->link);
        clean_xml(out, l->link);
        buf_z(out, "</a>");
    }
    buf_z(out, "</p>");
    if (l->headline.n > 0) {
        buf_z(out, "<p class=\"letter\">");
        clean_xml(out, l->headline);
        buf_z(out, "</p>");
    }
    return true;
}

static bool put_warnings(const struct controls *c)
{
    const struct profile *p = c->pen->in->profile;
    struct buf *out = c->pen->out;

    for (uint32_t i = 0; i < p->n_warnings; i++) {
        buf_z(out, "<p>");
        clean_xml(out, p->warnings[i].text);
        buf_z(out, "</p>");
    }
    return true;
}

/* Of one thread, and of times; only a service can draw it. */
static bool put_chart(const struct controls *c)
{
    bool timed = false;

    for (uint32_t i = 0; i < c->n_measures; i++)
        timed = timed || (c->measures[i].unit == UNIT_NS && c->pen->in->profile->compared == NULL);
    if (timed && !c->base->side_by_side && c->pen->in->view->tracks != TRACKS_MERGED)
        buf_z(c->pen->out, "<option class=\"service\">chart</option>");
    return true;
}

static bool put_palettes(const struct controls *c)
{
    bool compares = c->pen->in->profile->compared != NULL;

    for (unsigned i = 0; key_word("palette", i) != NULL; i++)
        if (i != (compares ? COLOURS_ORIGIN : COLOURS_CHANGE))
            buf_printf(c->pen->out, "<option>%s</option>", key_word("palette", i));
    return true;
}

static bool put_values(const struct controls *c)
{
    struct buf *out = c->pen->out;

    /* What is called how often is told of a comparison, and is no width. */
    uint32_t n = c->pen->in->profile->compared != NULL ? COMPARE_CALLS_A : c->n_measures;
    for (uint32_t i = 0; i < n; i++) {
        buf_z(out, "<option value=\"");
        clean_xml(out, measure_key(c->measures[i].name));
        buf_z(out, "\">");
        clean_xml(out, c->measures[i].label);
        buf_z(out, "</option>");
    }
    return true;
}

static bool put_legends(const struct controls *c)
{
    return svg_legends(c->pen, c->base);
}

static const struct part {
    struct str word;
    bool (*put)(const struct controls *c);
} PARTS[] = {
    {STR_INIT("letter"), put_letter},     {STR_INIT("warnings"), put_warnings},
    {STR_INIT("chart"), put_chart},       {STR_INIT("values"), put_values},
    {STR_INIT("palettes"), put_palettes}, {STR_INIT("legends"), put_legends},
};

static bool put_part(const struct controls *c, struct str word)
{
    for (size_t i = 0; i < sizeof(PARTS) / sizeof(PARTS[0]); i++)
        if (str_eq(PARTS[i].word, word))
            return PARTS[i].put(c);
    return true;
}

bool svg_controls(struct svg_pen *pen, const struct measure *measures, uint32_t n, const struct tree *base)
{
    const struct controls c = {pen, measures, n, base};
    struct str rest = viewer_controls();
    bool ok = true;

    for (size_t at; ok && (at = str_find_str(rest, MARK)) < rest.n;) {
        buf_bytes(pen->out, rest.p, at);
        rest = str_from(rest, at + MARK.n);
        size_t n_word = str_find_str(rest, MARK_END);
        ok = put_part(&c, (struct str){rest.p, n_word});
        rest = str_from(rest, n_word + MARK_END.n);
    }
    buf_str(pen->out, rest);
    return ok;
}
