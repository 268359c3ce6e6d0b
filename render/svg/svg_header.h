/* What all pictures of the output "svg" have in common: the root element, the rows of text above the
 * frames, the legend, and what makes the file work by itself. A picture is written like this:
 *
 *     svg_begin       style and background
 *     svg_controls    if it is to be worked with; then all but svg_finish is in a group of class "still"
 *     svg_title       and svg_line, svg_warnings, svg_legend, as they come
 *     svg_data_begin  DATA (render/svg/data.h), svg_data_end, which puts the script behind it: what follows is put into a
 *                     group that the script has removed, and costs a browser nothing
 *     svg_top_px      where the frames may begin; now they are written to pen.out
 *     svg_finish      the root element is put before all, as it says how high the picture became
 *
 * All of it is appended to pen.out, whose failures are sticky; svg_finish says whether there was one. */
#pragma once

#include "core/buf.h"
#include "render/svg/layout.h"
#include "render/tree/tree.h"

/* What the element of a picture says of itself: whether its filters left nothing, and behind which of them
 * that was so. */
bool svg_emptied_by(struct str svg, uint32_t *step);

/* The elements that hold style and script. Nothing else in a picture is style or script. */
void svg_put_style(struct buf *out, struct str style);
void svg_put_script(struct buf *out, struct str script);

/* A picture without these two elements, in pieces: for pages that take the others and load the same style and script as
 * files. One piece is the drawing of the frames, which the script takes away and makes anew from the data. What is no
 * picture of this program comes back whole, in the first piece. */
enum { SVG_PIECES = 4, SVG_DRAWING = 2 };
struct svg_parts {
    struct str pieces[SVG_PIECES];
};
struct svg_parts svg_without_code(struct str svg);

enum {
    SVG_FONT_PX = 12,
    SVG_ROW_PX = 17,      /* between the baselines of the rows */
    SVG_BOTTOM_PX = 10,   /* below the frames */
    SVG_TEXT_PAD_PX = 3,  /* within a frame, left and right */
    SVG_BASELINE_PX = 11, /* of the text within a frame */
    SVG_DIGITS = 3        /* of a value, if nothing else is said */
};

struct svg_pen {
    const struct render_input *in;
    struct buf *out;
    size_t start;     /* of the picture in `out` */
    uint32_t y_px;    /* baseline of the last row */
    struct buf label; /* of the whole picture: the title, in full, raw */
    struct buf line;  /* for the row that is being made, raw */
};

/* Appends a share as a percentage. */
void svg_add_percent(struct buf *b, uint64_t part, uint64_t whole);
void svg_begin(struct svg_pen *pen, const struct render_input *in, struct buf *out);

/* "main (21491) · wall time · 2.5 s"; `what` stands in the middle, `amount` behind it. A thread's name is
 * cut so that the rest stays in sight. */
void svg_title(struct svg_pen *pen, const struct tree *t, struct str what, struct str amount);

/* What in->letter has, in up to three rows; nothing without one. */
void svg_letter(struct svg_pen *pen);

/* The row that was made in pen->line, cut to the width; all of it is the tooltip then. Classes: "s" for
 * what is said of the picture, "w" for warnings. */
void svg_line(struct svg_pen *pen, const char *class);

/* Those of the profile, if they are many the first of them and how many more there are. */
void svg_warnings(struct svg_pen *pen);

/* What the colours mean. `base` as for frame_colours_of. False: the arena gives no more. */
bool svg_legend(struct svg_pen *pen, const struct frame_colours *palette, const struct tree *base) MUST_CHECK;

/* Where the frames begin, below the last row. */
uint32_t svg_top_px(const struct svg_pen *pen);

/* The controls that the script shows: with all warnings, the values, and the legends of all palettes, that of
 * packages for the view's value. False: the arena gives no more. */
bool svg_controls(struct svg_pen *pen, const struct measure *measures, uint32_t n,
                  const struct tree *base) MUST_CHECK;

/* What the root element says, beside the label. */
struct svg_root {
    uint32_t height_px;
    uint32_t nodes, embedded; /* of the base tree, without its root; of them in DATA */
    bool emptied;             /* filters left nothing: it is written which, as data-emptied-by */
    uint32_t emptied_by;
};

/* which filters the view has, if any, and what they left of this value, which has that unit, in the tree; and,
 * where they have left nothing, which one to take out. That sets root->emptied, which is returned. */
void svg_filters(struct svg_pen *pen, const struct tree *t, struct str value, enum unit unit);
bool svg_emptied(struct svg_pen *pen, const struct tree *t, struct svg_root *root);

/* Frees what the pen holds, in any case. False: diag. */
bool svg_finish(struct svg_pen *pen, const struct svg_root *root, struct diag *diag) MUST_CHECK;

/* When it ends before. */
void svg_abandon(struct svg_pen *pen);

/* What a picture shows, in words: "main (21491) · wall time · 2.5 s". Raw text: who writes it cleans it. */

/* The text of the root: the thread's name and id, or how many threads there are. At most `cells` for a name
 * (render/names/names.h); what else there is is never cut. */
void heading_root(struct buf *b, const struct render_input *in, const struct tree *t, size_t cells);

/* What is measured, and how it counts calls that are never left where that was chosen: of wall time and waiting. */
void heading_value(struct buf *b, const struct render_input *in, const struct measure *m);

/* "1 stack", "83,753 stacks" */
void heading_count(struct buf *b, uint64_t n, const char *noun);

/* What the tree's tracks had of the value before they were filtered; 0 without filters. */
uint64_t heading_before(const struct render_input *in, const struct tree *t, struct str value);
