/* The upload that a request is about, and whether the client may change it. */
#ifndef SERVER_ROUTES_HANDLE_PROFILE_H
#define SERVER_ROUTES_HANDLE_PROFILE_H

#include "core/json.h"
#include "server/http/exchange.h"
#include "server/store/record.h"

/* The upload's record; also sets x->profile. False: x->reply says why not (404, 410, 500). */
bool profile_record(struct exchange *x, struct str id, struct record *r);

/* Whether the pass lets a picture of that id in (views/pass.h). False: x->reply says why not, for the picture's script to read. */
bool profile_pass(struct exchange *x, struct str id, struct str pass);

/* Says that it was deleted or has expired (410). */
void profile_gone(struct exchange *x);

/* Whether `token` (p == NULL: none in the body), or else that of the header X-Delete-Token, is the upload's delete token.
 * False: x->reply says why. */
bool profile_may_change(struct exchange *x, const struct record *r, struct str token);

/* An upload as JSON, for clients of the API. */

/* Answers with the record and the summary, which may be empty, in one object; `token` may be NULL. The links of tracks have
 * `split`, as view_options.split: their ids depend on it. */
void profile_json(struct exchange *x, unsigned status, const struct record *r, struct str summary,
                  const char *token, const char *split);

/* The members of an object that tell what the record says; `token` may be NULL. */
void profile_json_record(struct exchange *x, struct json *j, const struct record *r, const char *token);

#endif
