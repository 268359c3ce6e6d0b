/* Who may: a request's door; the record of the upload that it is about, and what that says of who may read and change it. */
#pragma once

#include "server/http/exchange.h"
#include "server/http/route.h"
#include "server/store/record.h"
#include "server/views/policies.h"

/* Fills x->who, and compares it with the route's door. False: x->reply is 401, or the way to the login, or 403. */
bool admits(struct exchange *x, const struct route *route);

/* For who is not known, and could log in: the path of the request, without its first slash; else empty. */
struct str admits_way_back(const struct exchange *x);

/* Where a login leads back to, the longest: it has to fit into a header. */
enum { ADMITS_TO_BYTES_MAX = 2000 };

/* Whether who asks may read the list of the space. False: x->reply as above, whether there is such a space or not. */
bool admits_space(struct exchange *x, struct str space);

/* Whether who asks is known, has uploaded it, and may upload. */
bool admits_owner(const struct exchange *x, const struct record *r);

/* Whether who asks may do that without the upload's delete token. */
bool admits_without_token(const struct exchange *x, const struct record *r, enum scope scope);

/* A line of the log for who wants to know later who did what: `what` is a word, `id` that of the upload, or p NULL. */
void admits_log(const struct exchange *x, const char *what, struct str id);

/* ---- the records that a request names ----
 *
 * Records that a request needs, looked up before it is handled: where the store is an object store, the threads of the
 * connections, which others wait for, do not wait for it. */

/* For a handler, which returns what this returns: looks up the records of the ids in x->parameters, on another thread if
 * need be, and then calls then(x, context). */
enum exchange_step looked_up_before(struct exchange *x,
                                    enum exchange_step (*then)(struct exchange *x, void *context),
                                    void *context);

/* ---- the upload that a request is about ---- */

/* The upload's record, for who may read it; also sets x->profile. False: x->reply says why not (401, 403, 404, 410,
 * 500, or the way to the login). */
bool profile_record(struct exchange *x, struct str id, struct record *r);

/* A pass for a picture of the upload, or of two that are compared. False: no memory. */
bool profile_pass_make(const struct exchange *x, struct str id, char pass[PASS_CHARS + 1]);
/* Whether the pass lets a picture of that id in (views/policies.h), whoever asks. False: x->reply says why not, for the
 * picture's script to read. */
bool profile_pass(struct exchange *x, struct str id, struct str pass);

/* Says that it was deleted or has expired (410). */
void profile_gone(struct exchange *x);

/* Whether who asks has the scope or is the upload's owner, or `token` (p == NULL: none in the body), or else that of the
 * header X-Delete-Token, is its delete token. False: x->reply says why. */
bool profile_may_change(struct exchange *x, const struct record *r, enum scope scope, struct str token);
