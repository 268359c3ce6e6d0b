/* Passes: what lets a picture fetch the rest of its tree where a proxy wants a password. A picture that stands alone is
 * sandboxed into an origin of its own, for which a browser sends no password. So the page that links to it, which was read
 * with the password, gives it a pass in the link's fragment; the picture's script puts that into the path that it fetches
 * from, which the proxy lets through (deploy/nginx).
 *
 * A pass is a digest of an id and the hour, keyed by a number of this start of the service. The id is that of an upload, or the two
 * of a comparison as its URL has them. It is good for the trees of that upload, or of that comparison, only, for one hour to two, until
 * the service ends. Any thread. */
#ifndef SERVER_VIEWS_PASS_H
#define SERVER_VIEWS_PASS_H

#include "core/str.h"

enum { PASS_CHARS = 26, PASS_S = 3600 };

struct passes;

struct passes *passes_new(void); /* NULL: no memory or no randomness */
void passes_free(struct passes *p);

/* False: libcrypto failed; then there is none. */
bool pass_make(const struct passes *p, struct str id, int64_t now_s, char pass[PASS_CHARS + 1])
    __attribute__((warn_unused_result));
bool pass_holds(const struct passes *p, struct str id, int64_t now_s, struct str pass);

#endif
