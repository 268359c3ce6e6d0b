/* A check of uploads against a baseline of their space, for the upload that asks for one. */
#ifndef SERVER_ROUTES_HANDLE_CHECK_H
#define SERVER_ROUTES_HANDLE_CHECK_H

#include "server/http/exchange.h"
#include "server/upload/job.h"

/* Whether the query of an upload asks for a check. False as well if it does not do so rightly: diag. */
bool check_wanted(struct exchange *x, struct diag *diag);

/* With the result of an upload for which check_wanted was true: the answer is the check of what was kept, together with the
 * other runs of its commit. Returns what a handler returns; then(x, context) adds to the reply. */
enum exchange_step check_of_upload(struct exchange *x, const struct job_result *result,
                                   void (*then)(struct exchange *x, void *context), void *context);

#endif
