/* The profile table of a comparison (profile/compare/compare.h): what each method cost on either side. The
 * way is that of the table:
 *
 *     methods_new    counts all values of all runs
 *     diff_new       of each side its value: of several runs the median, scaled if so asked
 *     table_select   chooses and sorts rows, by how large the change is
 *     format->write  DIFF_FORMATS
 *
 * diff_write does all of it. Of one run on each side the sum of all exclusive changes and that of
 * (toplevel) is the change of the total, for each value and every selection of tracks; scaling rounds each
 * number.
 *
 * A change *counts* if it is larger than the spread of the runs on either side, which is what the largest
 * and the smallest of them differ by; with one run each, every change counts. */
#pragma once

#include "render/table/diff_pairs.h"
#include "render/table/table.h"
#include "render/table/table_format.h"
#include "render/view/input.h"

/* The table with its diff; `t` is of a profile that is a comparison. NULL: the arena gives no more, or diag is set:
 * DIAG_USAGE for a value that is not there, or what cannot be scaled by. */
const struct table *diff_new(const struct table *t, const struct diff_request *request, struct arena *arena,
                             struct diag *diag) MUST_CHECK;

/* Appends "+12.5 ms" or "-3 calls"; "0 ms". */
void diff_put_change(struct buf *b, enum unit unit, struct diff_pair pair);

/* Appends the change in percent of A: "+25 %", "-3.5 %"; "new" where A has nothing, "gone" where B has nothing. */
void diff_put_percent(struct buf *b, struct diff_pair pair);
extern const struct table_format DIFF_TXT, DIFF_MD, DIFF_SVG, DIFF_FOLDED;

/* What the script of the picture fetches: view->node and view->skip say which. Not in the table. */
extern const struct table_format DIFF_TREE;

/* THE TABLE of formats; the first row is the default. */
extern const struct table_format *const DIFF_FORMATS[];
extern const size_t DIFF_FORMATS_COUNT;

/* NULL if there is none. */
const struct table_format *diff_format_by_name(struct str name);

/* Appends the chosen rows of a table with its diff, or what the format draws; `in` is what the table was
 * made from. False: diag. */
bool diff_write(const struct table *t, const struct render_input *in, const struct table_request *request,
                const struct table_format *format, struct buf *out, struct diag *diag) MUST_CHECK;

/* A comparison on its way into what draws trees: the profile of both sides
 * (profile/transform/transform.h), and a view of it. */

struct diff_sides {
    struct render_input in; /* whoever draws sets its view to the one below */
    struct view_options view;
};

/* With what the comparison's request says is wide, and the scale of its table. False: diag. */
bool diff_sides_open(struct diff_sides *s, const struct table *t, const struct render_input *in,
                     struct diag *diag) MUST_CHECK;

/* Makes one of the values of the sides that of the view. */
void diff_sides_value(struct diff_sides *s, uint32_t value);
