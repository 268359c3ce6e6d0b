/* One method: what it cost in all and on each thread, who calls it, and what it calls. */
#ifndef RENDER_TABLE_METHOD_H
#define RENDER_TABLE_METHOD_H

#include "profile/calls.h"
#include "render/table/table_format.h"

/* A format of one method's report. */
struct method_format {
    struct text_format text;
    /* `calls` looked at the row's calls, or is NULL. */
    bool (*write)(const struct table *t, uint32_t row, const struct calls *calls, struct arena *arena,
                  struct buf *out);
};

extern const struct method_format METHOD_JSON, METHOD_TXT;

/* Finds the method that `name` names, on the tracks that in->view selects: an id (table_id.h), or the text
 * `package.Class.method`, which overloads share. False: diag, with DIAG_NOT_FOUND for a name that no method of these tracks
 * has, and DIAG_AMBIGUOUS for one that several have, which lists their ids. */
bool method_find(const struct render_input *in, struct str name, const struct table **t, uint32_t *row,
                 struct diag *diag) __attribute__((warn_unused_result));

/* Appends the method's report to out. False: diag. */
bool method_write(const struct render_input *in, const struct table *t, uint32_t row,
                  const struct method_format *format, struct buf *out, struct diag *diag)
    __attribute__((warn_unused_result));

#endif
