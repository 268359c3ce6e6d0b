/* The profile table of a comparison (profile/compare/compare.h): what each method cost on either side. The way is that of the table:
 *
 *     methods_new    counts all values of all runs
 *     diff_new       of each side its value: of several runs the median, scaled if so asked
 *     table_select   chooses and sorts rows, by how large the change is
 *     format->write  DIFF_FORMATS
 *
 * diff_write does all of it. Of one run on each side the sum of all exclusive changes and that of (toplevel) is the change
 * of the total, for each value and every selection of tracks; scaling rounds each number.
 *
 * A change *counts* if it is larger than the spread of the runs on either side, which is what the largest and the smallest
 * of them differ by; with one run each, every change counts. */
#ifndef RENDER_TABLE_DIFF_H
#define RENDER_TABLE_DIFF_H

#include "render/table/diff_pairs.h"
#include "render/table/table_format.h"

/* What makes sides comparable that did not do the same amount of work: the numbers of each run are multiplied so that it has
 * as much of something as the first run of A. */
enum diff_normalise {
    NORMALISE_NOT,
    NORMALISE_TOTAL, /* of each value, its total */
    NORMALISE_CALLS, /* calls of a method */
    NORMALISE_TIME   /* time from the first record to the last */
};

/* What is asked for; with NORMALISE_CALLS *method is the id of a method or its text, then of all overloads. */
enum diff_normalise diff_normalise(const struct diff_request *r, struct str *method);

/* The table with its diff; `t` is of a profile that is a comparison. NULL: the arena gives no more, or diag is set:
 * DIAG_USAGE for a value that is not there, or what cannot be scaled by. */
const struct table *diff_new(const struct table *t, const struct diff_request *request, struct arena *arena,
                             struct diag *diag) __attribute__((warn_unused_result));

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

/* Appends the chosen rows of a table with its diff, or what the format draws; `in` is what the table was made from. False: diag. */
bool diff_write(const struct table *t, const struct render_input *in, const struct table_request *request,
                const struct table_format *format, struct buf *out, struct diag *diag)
    __attribute__((warn_unused_result));

#endif
