/* The table of a comparison: what `aflamed diff` and GET /d/<idA>..<idB>/methods answer with. */
#ifndef SERVER_CONVERT_DIFF_H
#define SERVER_CONVERT_DIFF_H

#include "render/table/diff.h"
#include "render/table/diff_rules.h"
#include "server/convert/convert.h"

struct method_format; /* render/method/method.h */

/* Rules that the comparison must not pass, and what is said of those that it passes. */
struct diff_checks {
    const struct diff_rule *rules;
    uint32_t n;
    bool passed;      /* one of them */
    struct buf *says; /* a line for each that is */
};

/* Appends the table to `out`, as convert_methods does. `checks` may be NULL. `f` is of convert_compare; the value is the request's, and
 * that of the view stays empty. False: diag. */
bool convert_diff(const struct shared_profile *f, const struct config *config,
                  const struct view_options *view, const struct table_request *rows,
                  const struct diff_request *request, const struct table_format *format,
                  struct diff_checks *checks, struct buf *out, struct diag *diag)
    __attribute__((warn_unused_result));

/* Of one method, named by its id or its name, what both sides have, with its callers and callees: in the format, of the profile of
 * both sides (profile/transform/compare_sides.h). Of calls, an edge has those between the two. Of the rows limit and offset count,
 * for each list by itself. False: diag. */
bool convert_diff_method(const struct shared_profile *f, const struct config *config,
                         const struct view_options *view, struct str method, const struct table_request *rows,
                         const struct diff_request *request, const struct method_format *format,
                         struct buf *out, struct diag *diag) __attribute__((warn_unused_result));

#endif
