/* A check of uploads against a baseline of their space, for the upload that asks for one. */
#ifndef SERVER_ROUTES_HANDLE_CHECK_H
#define SERVER_ROUTES_HANDLE_CHECK_H

#include "server/http/exchange.h"
#include "server/upload/job.h"

struct check_answer;

/* A state of the exchange, of what its query asks for. NULL: x->reply says why not. */
struct check_answer *check_ask(struct exchange *x, struct str space);

/* Appends the check as text for terminals, on a thread that may block. False: diag. */
bool check_put_text(struct exchange *x, struct check_answer *a, struct buf *b, struct diag *diag);

/* Whether the query of an upload asks for a check. */
bool check_is_asked(const struct exchange *x);
/* Whether what it asks for makes sense. False: diag. */
bool check_can_be_asked(struct exchange *x, struct diag *diag);

/* With the result of an upload for which both were true: a state of the exchange, of a check of what was kept, together with
 * the other runs of its commit. NULL: x->reply says why not. */
struct check_answer *check_of_upload(struct exchange *x, const struct job_result *result);
const struct job_result *check_upload(const struct check_answer *a);
/* Makes the check, a struct check_answer, and answers with it: for exchange_work. */
void check_answer(struct exchange *x, void *check);

#endif
