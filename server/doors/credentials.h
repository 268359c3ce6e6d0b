/* What the headers of a request say of who sends it. Pure. */
#ifndef SERVER_DOORS_CREDENTIALS_H
#define SERVER_DOORS_CREDENTIALS_H

#include "core/str.h"

enum { CREDENTIALS_TOKEN_BYTES = 128 };

struct credentials_token {
    char text[CREDENTIALS_TOKEN_BYTES];
    size_t n;
};

static inline struct str credentials_text(const struct credentials_token *t)
{
    return (struct str){t->text, t->n};
}

/* Of the header Authorization: what stands behind Bearer (RFC 6750), or the password of Basic (RFC 7617). False: it is
 * neither, or too long for any token. */
bool credentials_token(struct str authorization, struct credentials_token *token)
    __attribute__((warn_unused_result));

/* The next cookie of this name in the header Cookie (RFC 6265, 4.2.1), of which *cookie is what is left. p == NULL: none
 * is left. */
struct str credentials_cookie(struct str *cookie, struct str name);

#endif
