/* An upload as JSON, for clients of the API. */
#ifndef SERVER_ROUTES_PROFILE_JSON_H
#define SERVER_ROUTES_PROFILE_JSON_H

#include "server/http/exchange.h"
#include "server/store/record.h"

/* Answers with the record and the summary, which may be empty, in one object; `token` may be NULL. */
void profile_json(struct exchange *x, unsigned status, const struct record *r, struct str summary,
                  const char *token);

#endif
