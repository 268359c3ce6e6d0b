/* Series of a space, for its route and for tools. */
#pragma once

#include "server/http/exchange.h"

struct series_answer;

/* A state of the exchange, of what its query asks for. NULL: x->reply says why not. */
struct series_answer *series_ask(struct exchange *x, struct str space);

/* Fills it, on a thread that may block. False: diag. */
bool series_make(struct exchange *x, struct series_answer *a, struct diag *diag);

/* Appends a line for each point and each change. */
void series_put_text(const struct series_answer *a, struct buf *b);
