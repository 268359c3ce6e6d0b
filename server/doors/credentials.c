#include "server/doors/credentials.h"

#include <openssl/evp.h>
#include <string.h>

/* ---- Authorization ---- */

/* What stands behind the scheme, if it is this one. p == NULL: it is another. */
static struct str behind_scheme(struct str header, struct str scheme)
{
    size_t n = str_find(header, ' ');

    if (n == header.n || !str_eq_nocase((struct str){header.p, n}, scheme))
        return (struct str){NULL, 0};
    return str_trim(str_from(header, n));
}

static bool copy(struct str text, struct credentials_token *token)
{
    if (text.n == 0 || text.n > sizeof(token->text))
        return false;
    memcpy(token->text, text.p, text.n);
    token->n = text.n;
    return true;
}

/* Behind the first colon of the decoded text. The library decodes four digits to three bytes, and knows no '=' at the
 * end: they count as zeros. */
static bool take_password(struct str base64, struct credentials_token *token)
{
    enum { DIGITS_MAX = 512 };
    unsigned char decoded[DIGITS_MAX / 4 * 3];
    size_t padding = str_ends(base64, STR("==")) ? 2 : str_ends(base64, STR("=")) ? 1 : 0;

    if (base64.n == 0 || base64.n > DIGITS_MAX || base64.n % 4 != 0)
        return false;
    int n = EVP_DecodeBlock(decoded, (const unsigned char *)base64.p, (int)base64.n);
    if (n < 0 || (size_t)n < padding)
        return false;
    struct str pair = {(const char *)decoded, (size_t)n - padding};
    size_t colon = str_find(pair, ':');
    return colon < pair.n && copy(str_from(pair, colon + 1), token);
}

bool credentials_token(struct str authorization, struct credentials_token *token)
{
    struct str bearer = behind_scheme(str_trim(authorization), STR("Bearer"));
    struct str basic = behind_scheme(str_trim(authorization), STR("Basic"));

    if (bearer.p != NULL)
        return copy(bearer, token);
    return basic.p != NULL && take_password(basic, token);
}

/* ---- Cookie ---- */

struct str credentials_cookie(struct str *cookie, struct str name)
{
    struct str pair;

    while (str_split(cookie, ';', &pair)) {
        pair = str_trim(pair);
        size_t n = str_find(pair, '=');
        if (n < pair.n && str_eq((struct str){pair.p, n}, name))
            return str_from(pair, n + 1);
    }
    return (struct str){NULL, 0};
}
