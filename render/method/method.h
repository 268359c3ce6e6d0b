/* One method: what it cost in all and on each thread, who calls it, and what it calls. */
#ifndef RENDER_METHOD_METHOD_H
#define RENDER_METHOD_METHOD_H

#include "profile/calls/calls.h"
#include "render/table/table_format.h"
#include "render/view/asked.h"

/* A format of one method's report. */
struct method_format {
    struct text_format text;
    /* `calls` looked at the row's calls, or is NULL. `request`: as of method_write. */
    bool (*write)(const struct table *t, uint32_t row, const struct calls *calls,
                  const struct table_request *request, struct arena *arena, struct buf *out);
};

extern const struct method_format METHOD_JSON, METHOD_TXT;

/* Finds the method that `name` names, on the tracks that in->view selects: an id (table_id.h), or the text
 * `package.Class.method`, which overloads share. False: diag, with DIAG_NOT_FOUND for a name that no method of these tracks
 * has, and DIAG_AMBIGUOUS for one that several have, which lists their ids. `whole`: the profile of which this is a window of time, or NULL;
 * what only ran outside of the window is found, too. */
bool method_find(const struct render_input *in, const struct profile *whole, struct str name,
                 const struct table **t, uint32_t *row, struct diag *diag)
    __attribute__((warn_unused_result));

/* Appends the method's report to out. Of the request limit and offset count: for each list of callers and callees by itself.
 * False: diag. */
bool method_write(const struct render_input *in, const struct table *t, uint32_t row,
                  const struct method_format *format, const struct table_request *request, struct buf *out,
                  struct diag *diag) __attribute__((warn_unused_result));

#endif
