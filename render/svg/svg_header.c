#include "render/svg/svg_header.h"

#include <string.h>

#include "core/clean.h"
#include "core/number.h"
#include "render/names/fit.h"
#include "render/svg/heading.h"
#include "render/svg/layout.h"
#include "render/svg/svg_code.h"
#include "render/svg/viewer.h"
#include "render/view/fail.h"

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

void svg_data_begin(struct svg_pen *pen)
{
    buf_z(pen->out, "<metadata class=\"d\">");
}

void svg_data_end(struct svg_pen *pen)
{
    buf_z(pen->out, "</metadata>\n");
    svg_put_script(pen->out, viewer_script());
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
