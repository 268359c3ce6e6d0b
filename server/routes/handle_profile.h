/* An upload as JSON, for clients of the API. */
#pragma once

#include "core/json.h"
#include "server/http/exchange.h"
#include "server/store/record.h"

/* Answers with the record and the summary, which may be empty, in one object; `token` may be NULL. The
 * links of tracks have `split`, as view_options.split: their ids depend on it. */
void profile_json(struct exchange *x, unsigned status, const struct record *r, struct str summary,
                  const char *token, const char *split);

/* The members of an object that tell what the record says; `token` may be NULL. */
void profile_json_record(struct exchange *x, struct json *j, const struct record *r, const char *token);
