/* The columns of the table: what stands in them and what they are called, the same in every format and for sorting. */
#ifndef RENDER_TABLE_COLUMNS_H
#define RENDER_TABLE_COLUMNS_H

#include "core/buf.h"
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
    COLUMN_INCLUSIVE,
    COLUMN_EXCLUSIVE,
    COLUMN_LONGEST
};

struct column {
    enum column_field field;
    uint32_t measure; /* of COLUMN_INCLUSIVE and what stands behind it */
};

enum { COLUMNS_MAX = 8 + 3 * MEASURES_MAX };

/* One cell of a row. */
struct cell {
    bool number; /* `value` holds it, in the profile's unit; else `text`, raw (not cleaned) */
    bool empty;
    uint64_t value;
    struct str text;
};

/* Fills c with the columns in their order: of a table of methods class, method, signature, file, line, module; of others
 * what their rows are called by; then calls, recursive, and `<value>_incl`, `<value>_excl` for each measure, and
 * `<value>_longest` for times where the longest calls are known. Returns how
 * many there are. */
uint32_t columns_of(const struct table *t, struct column c[COLUMNS_MAX]);

/* Appends the name, cleaned. */
void column_name(struct buf *b, const struct table *t, struct column c);
/* False: the table has no column of that name. */
bool column_by_name(const struct table *t, struct str name, struct column *c);
/* Whether its cells are numbers, or empty. */
bool column_is_number(struct column c);

struct cell column_cell(const struct table *t, struct column c, uint32_t row);

/* As integer cells have it: ns become µs, rounded down; bytes and counts stay as they are. */
uint64_t column_shown(const struct table *t, struct column c, uint64_t value);

#endif
