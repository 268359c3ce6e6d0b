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

/* The word in queries; of NORMALISE_CALLS the method stands behind it. */
const char *diff_normalise_word(enum diff_normalise by);

enum { DIFF_METHOD_BYTES_MAX = 500, DIFF_VALUE_BYTES_MAX = 100, DIFF_NUMBER_BYTES_MAX = 24 };

/* What the width of a frame is in the picture. */
enum diff_wide { WIDE_B, WIDE_A, WIDE_LARGER /* of the two, of each stack's own */ };
/* The word in queries; NULL behind the last. */
const char *diff_wide_word(unsigned wide);

/* The word in queries, of ONLY_DIFFERENT "any"; NULL behind the last. */
const char *diff_only_word(unsigned only);

/* What is asked of a comparison, beside the keys of the table. */
struct diff_request {
    /* What B has instead of A's, as written: "" is the same. */
    char from_b[DIFF_NUMBER_BYTES_MAX + 1], to_b[DIFF_NUMBER_BYTES_MAX + 1],
        moment_b[DIFF_NUMBER_BYTES_MAX + 1];
    unsigned wide; /* enum diff_wide */
    unsigned only; /* enum diff_only */
    bool all;
    /* By which value rows are sorted, and which people see; empty: the first. With _a, _b or _larger behind its name it says what is
     * wide, too: so the script of a picture calls it. */
    char value[DIFF_VALUE_BYTES_MAX + 1];
    enum diff_normalise normalise;
    const struct view_options
        *asked; /* tracks, range and dump of A, as asked for; NULL: nobody fetches pieces of the picture */
    char method[DIFF_METHOD_BYTES_MAX + 1]; /* of NORMALISE_CALLS: an id, or the text, of all overloads */
};

/* Keys of queries: from_b, to_b and moment_b (as those of views without _b), all, only, wide, normalise ("total", "time" or
 * "calls:METHOD") and value. All zero: nothing is asked. */
bool diff_takes(struct str key);
/* Sets one. False (diag: DIAG_USAGE) for what is not allowed. */
bool diff_set(struct diff_request *r, struct str key, struct str value, struct diag *diag)
    __attribute__((warn_unused_result));
/* Calls `put` with each key that is set, and what it is set to as text that diff_set takes back. */
void diff_each(const struct diff_request *r, void (*put)(void *context, const char *key, struct str value),
               void *context);
/* Makes B's options of those of A. */
void diff_view_of_b(const struct diff_request *r, struct view_options *view);
/* Appends what is asked, as part of cache keys. */
void diff_canonical(const struct diff_request *r, struct buf *b);

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
