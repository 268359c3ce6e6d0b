/* An upload as JSON, for clients of the API. */
#ifndef SERVER_ROUTES_HANDLE_PROFILE_H
#define SERVER_ROUTES_HANDLE_PROFILE_H

#include "core/json.h"
#include "server/http/exchange.h"
#include "server/store/record.h"

/* Answers with the record and the summary, which may be empty, in one object; `token` may be NULL. The
 * links of tracks have `split`, as view_options.split: their ids depend on it. */
void profile_json(struct exchange *x, unsigned status, const struct record *r, struct str summary,
                  const char *token, const char *split);

/* The members of an object that tell what the record says; `token` may be NULL. */
void profile_json_record(struct exchange *x, struct json *j, const struct record *r, const char *token);

/* The name of a file as a header has it (RFC 8187): what is not an attr-char is percent-encoded. */
void profile_file_name(struct buf *b, const char *name);

#endif
