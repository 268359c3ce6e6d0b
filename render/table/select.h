/* Which rows of the table are shown, and in which order. */
#ifndef RENDER_TABLE_SELECT_H
#define RENDER_TABLE_SELECT_H

#include "core/diag.h"
#include "render/table/columns.h"

struct selection {
    const uint32_t *rows; /* in their order */
    uint32_t n;
    uint32_t n_matching;  /* before limit and offset */
    uint32_t n_present;   /* rows of the table that occur in the counted tracks */
    struct column sorted; /* by which */
    bool reversed;
};

/* `value` is the view's, resolved: its inclusive column is the default order, or the calls where the value counts them. Of a
 * comparison the order is by how large the exclusive change is, and rows that do not differ are left out unless asked for.
 * Rows with equal cells stand in the order of their names. Memory is the arena's. False: diag, with DIAG_USAGE for a
 * column that the table does not have. */
bool table_select(const struct table *t, const struct table_request *request, struct str value,
                  struct selection *s, struct arena *arena, struct diag *diag)
    __attribute__((warn_unused_result));

/* The name of the sort column, without the direction; empty: it is the usual one. */
struct str table_sort_name(const struct table_request *request);

/* Forgets a sort column that belongs to another table: of rows of another group, or with longest calls. So a form may keep
 * the column while somebody chooses other rows. */
void table_forget_sort(struct table_request *request);

#endif
