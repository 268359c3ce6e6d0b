/* The formats of the table. Suffixes, media types and names come from the rows. */
#pragma once

#include "render/output.h"
#include "render/table/columns.h"
#include "render/view/text_format.h"

/* What a format writes. */
struct table_output {
    const struct table *table;
    const struct table_request *request;
    struct selection selection;
    struct column columns[COLUMNS_MAX];
    uint32_t n_columns;
    uint32_t measure;    /* that the view asks for, or the first one; n_measures if the table has none */
    struct arena *arena; /* for what the format needs to think */
};

struct table_format {
    struct text_format text;

    /* Appends to out. False: no memory is left. */
    bool (*write)(const struct table_output *o, struct buf *out);

    /* In place of it, of a comparison: a format that shows no rows. `in` is what the table was made from.
     * False: diag. */
    bool (*draw)(const struct table *t, const struct render_input *in, struct buf *out, struct diag *diag);
};

extern const struct table_format TABLE_TSV, TABLE_CSV, TABLE_JSON, TABLE_TXT;

/* THE TABLE of formats; the first row is the default. */
extern const struct table_format *const TABLE_FORMATS[];
extern const size_t TABLE_FORMATS_COUNT;

/* NULL if there is none. */
const struct table_format *table_format_by_name(struct str name);

/* Appends the row's name for people: with the signature where another method has the same text. */
void table_txt_name(struct buf *out, const struct table *t, uint32_t row);

/* From a profile to bytes: makes the table of what in->view selects, which is resolved, and appends the
 * rows that the request selects; with longest calls if in->calls has them, made with the rows of
 * groups_new. All memory but out's is in->scratch. Any thread. False: diag. */
bool table_write(const struct render_input *in, const struct table_request *request,
                 const struct table_format *format, struct buf *out, struct diag *diag) MUST_CHECK;
