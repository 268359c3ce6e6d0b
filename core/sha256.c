#include "core/sha256.h"

#include <stdlib.h>

#include <openssl/evp.h>

struct sha256 {
    EVP_MD_CTX *context;
    bool failed;
};

struct sha256 *sha256_new(void)
{
    struct sha256 *h = calloc(1, sizeof(*h));

    if (h == NULL)
        return NULL;
    h->context = EVP_MD_CTX_new();
    if (h->context != NULL && EVP_DigestInit_ex(h->context, EVP_sha256(), NULL) == 1)
        return h;
    sha256_free(h);
    return NULL;
}

void sha256_free(struct sha256 *h)
{
    if (h == NULL)
        return;
    EVP_MD_CTX_free(h->context);
    free(h);
}

void sha256_add(struct sha256 *h, struct str piece)
{
    if (piece.n > 0 && EVP_DigestUpdate(h->context, piece.p, piece.n) != 1)
        h->failed = true;
}

bool sha256_end(struct sha256 *h, uint8_t digest[SHA256_BYTES])
{
    bool ok = !h->failed && EVP_DigestFinal_ex(h->context, digest, NULL) == 1;

    /* Without a name the context keeps its algorithm: looking it up would cost more than the digest of a short text. */
    h->failed = EVP_DigestInit_ex(h->context, NULL, NULL) != 1;
    return ok;
}
