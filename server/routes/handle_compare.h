/* Two uploads compared, for other handlers. */
#pragma once

#include "server/http/exchange.h"
#include "server/views/views.h"

/* The records of the pair in x->parameters[0], "ID..ID", and what the query asks for of it. False: x->reply says why
 * not. */
bool compare_of_url(struct exchange *x, struct record *a, struct record *b, struct view_request *r);

/* An id, or what follows /p/ in a link, as far as an id goes. */
struct str upload_id_in(struct str text);
