/* A check of uploads against a baseline of their space, for the upload that asks for one. */
#pragma once

#include "server/http/exchange.h"

struct check_answer;

/* A state of the exchange, of what its query asks for. NULL: x->reply says why not. */
struct check_answer *check_ask(struct exchange *x, struct str space);

/* Appends the check as text for terminals, on a thread that may block. False: diag. */
bool check_put_text(struct exchange *x, struct check_answer *a, struct buf *b, struct diag *diag);
