/* The upload that a request is about, and whether the client may change it. */
#ifndef SERVER_ROUTES_PROFILE_ACCESS_H
#define SERVER_ROUTES_PROFILE_ACCESS_H

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

#endif
