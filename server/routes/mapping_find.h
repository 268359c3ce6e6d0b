/* POST /p/<id>/mapping with known=by-names: which mapping of the service's own fits the profile's names. */
#ifndef SERVER_ROUTES_MAPPING_FIND_H
#define SERVER_ROUTES_MAPPING_FIND_H

#include "server/http/exchange.h"
#include "server/store/record.h"

/* For a handler, which returns what this returns, when it knows that the client may change the upload. The record and the token of the
 * form (p == NULL: it had none) live as long as the exchange. Answers with the name of the file and its figures, or says why there is
 * none; nothing is applied. */
enum exchange_step mapping_find(struct exchange *x, const struct record *record, struct str token);

#endif
