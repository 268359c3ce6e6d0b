#include "core/sha256.h"

#include <stdlib.h>
#include <string.h>

#include <openssl/evp.h>

enum { PENDING_BYTES = 512 };

/* Short pieces are gathered: the library's own way to a few bytes is longer than what it does with them. */
struct sha256 {
    EVP_MD_CTX *context;
    size_t n; /* of pending */
    bool failed;
    char pending[PENDING_BYTES];
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

static void update(struct sha256 *h, const void *p, size_t n)
{
    if (n > 0 && EVP_DigestUpdate(h->context, p, n) != 1)
        h->failed = true;
}

static void flush(struct sha256 *h)
{
    update(h, h->pending, h->n);
    h->n = 0;
}

void sha256_add(struct sha256 *h, struct str piece)
{
    if (piece.n > PENDING_BYTES - h->n)
        flush(h);
    if (piece.n > PENDING_BYTES) {
        update(h, piece.p, piece.n);
    } else if (piece.n > 0) {
        memcpy(h->pending + h->n, piece.p, piece.n);
        h->n += piece.n;
    }
}

bool sha256_end(struct sha256 *h, uint8_t digest[SHA256_BYTES])
{
    flush(h);
    bool ok = !h->failed && EVP_DigestFinal_ex(h->context, digest, NULL) == 1;

    /* Without a name the context keeps its algorithm: looking it up would cost more than the digest of a
     * short text. */
    h->failed = EVP_DigestInit_ex(h->context, NULL, NULL) != 1;
    return ok;
}
