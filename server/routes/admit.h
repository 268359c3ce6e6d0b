/* Who may: a request's door, and what an upload's own record says of who may read and change it. */
#ifndef SERVER_ROUTES_ADMIT_H
#define SERVER_ROUTES_ADMIT_H

#include "server/http/route.h"
#include "server/store/record.h"

/* Fills x->who, and compares it with the route's door. False: x->reply is 401, or the way to the login, or 403. */
bool admits(struct exchange *x, const struct route *route);

/* 401, with what may be sent. */
void admits_challenge(struct exchange *x, const char *title, const char *detail);

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

/* Whether who asks may read the upload. False: x->reply as above. */
bool admits_reader(struct exchange *x, const struct record *r);

/* A line of the log for who wants to know later who did what: `what` is a word, `id` that of the upload, or p NULL. */
void admits_log(const struct exchange *x, const char *what, struct str id);

#endif
