/* A body that is a small form (server/http/message/form.h). */
#pragma once

#include "server/http/message/form.h"
#include "server/http/route.h"

enum { FORM_BYTES_MAX = 64 << 10 };

extern const struct route_body FORM_BODY;

/* For the handler of such a route: the form, which lives as long as the exchange, with whatever names its
 * fields have. NULL: x->reply says what is wrong with it. */
const struct form *form_body_read(struct exchange *x) MUST_CHECK;

/* Answers 415: a form is not read with a content coding. */
enum exchange_step form_body_refuse_coding(struct exchange *x);
