/* What went wrong, told to the client in the form that it prefers: RFC 9457 JSON, plain text, or a page. */
#ifndef SERVER_HTTP_PROBLEM_H
#define SERVER_HTTP_PROBLEM_H

#include "core/diag.h"
#include "server/http/exchange.h"

struct problem {
    unsigned status;
    struct str title, detail, hint; /* from outside in parts: to be escaped; the hint may be empty */
    const uint64_t *offset;         /* of the byte in the upload; NULL: none */
};

/* Fills x->reply, whatever it holds; that the connection is to end stays true. `hint` may be empty.
 * Returns X_DONE, for handlers, as do those below. */
enum exchange_step exchange_problem(struct exchange *x, unsigned status, const char *title, const char *hint,
                                    const char *detail, ...) __attribute__((format(printf, 5, 6)));
/* Status from the kind: 300, 400, 404, 413, 415, 422, 502, 503, 507; DIAG_IO is 500. */
enum exchange_step exchange_diag(struct exchange *x, const struct diag *diag);
/* 503. `what` there was no memory for: "the answer". */
enum exchange_step exchange_no_memory(struct exchange *x, const char *what);

/* The detail, with the offset behind it in words; not escaped. */
void problem_detail(struct buf *b, const struct problem *p);

#endif
