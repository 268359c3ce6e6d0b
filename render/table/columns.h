/* The columns of the table: what stands in them and what they are called, the same in every format and for
 * sorting. */
#pragma once

#include "core/buf.h"
#include "core/diag.h"
#include "render/table/table.h"

enum column_field {
    COLUMN_CLASS,
    COLUMN_METHOD,
    COLUMN_SIGNATURE,
    COLUMN_FILE,
    COLUMN_LINE, /* empty where it is not known */
    COLUMN_MODULE,
    COLUMN_PACKAGE,
    COLUMN_ORIGIN,
    COLUMN_TRACK, /* the track's id */
    COLUMN_NAME,  /* of a track */
    COLUMN_CALLS, /* with COLUMN_RECURSIVE empty where the profile counts no calls */
    COLUMN_RECURSIVE,
    COLUMN_CALLS_A, /* of a comparison, as those of INCLUSIVE and EXCLUSIVE below */
    COLUMN_CALLS_B,
    COLUMN_INCLUSIVE, /* from here on of a value. In a comparison this one, EXCLUSIVE and CALLS are no columns, but what rows can be
                         sorted by: how large the change is. */
    COLUMN_EXCLUSIVE,
    COLUMN_LONGEST,
    COLUMN_INCLUSIVE_A,
    COLUMN_INCLUSIVE_B,
    COLUMN_EXCLUSIVE_A,
    COLUMN_EXCLUSIVE_B,
    COLUMN_PER_CALL
};

struct column {
    enum column_field field;
    /* Of COLUMN_INCLUSIVE and what stands behind it; in a comparison an index of its values. */
    uint32_t measure;
};

enum { COLUMNS_MAX = 8 + 4 * MEASURES_MAX };

/* One cell of a row. */
struct cell {
    bool number; /* `value` holds it, in the profile's unit; else `text`, raw (not cleaned) */
    bool empty;
    struct net value;
    struct str text;
};

/* Fills c with the columns in their order: of a table of methods class, method, signature, file, line,
 * module; of others what their rows are called by; then calls, recursive, and `<value>_incl`,
 * `<value>_excl` for each measure, and `<value>_longest` for times where the longest calls are known. Of a
 * comparison class, method, signature, module or what else rows are called by, calls_a, calls_b, and
 * `<value>_incl_a`, `<value>_incl_b`, `<value>_excl_a`, `<value>_excl_b` for each value. Returns how many
 * there are. */
uint32_t columns_of(const struct table *t, struct column c[COLUMNS_MAX]);

/* Appends the name, cleaned. */
void column_name(struct buf *b, const struct table *t, struct column c);
struct cell column_cell(const struct table *t, struct column c, uint32_t row);

/* As integer cells have it: ns become µs, rounded down; bytes and counts stay as they are. */
struct net column_shown(const struct table *t, struct column c, struct net value);

/* Which rows of the table are shown, and in which order. */

struct selection {
    const uint32_t *rows; /* in their order */
    uint32_t n;
    uint32_t n_matching;  /* before limit and offset */
    uint32_t n_present;   /* rows of the table that occur in the counted tracks */
    struct column sorted; /* by which */
    bool reversed;
};

/* `value` is the view's, resolved: its inclusive column is the default order, or the calls where the value
 * counts them. Of a comparison the order is by how large the exclusive change is, and rows that do not
 * differ are left out unless asked for. Rows with equal cells stand in the order of their names. Memory is
 * the arena's. False: diag, with DIAG_USAGE for a column that the table does not have. */
bool table_select(const struct table *t, const struct table_request *request, struct str value,
                  struct selection *s, struct arena *arena, struct diag *diag) MUST_CHECK;

/* Forgets a sort column that belongs to another table: of rows of another group, or with longest calls. So
 * a form may keep the column while somebody chooses other rows. */
void table_forget_sort(struct table_request *request);
