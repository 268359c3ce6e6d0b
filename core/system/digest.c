#include "core/system/digest.h"

#include <limits.h>
#include <pthread.h>
#include <string.h>

#include <openssl/evp.h>
#include <openssl/hmac.h>

enum { BLOCK_BYTES = 64 }; /* of SHA-256 */

/* Looked up once: the library's own way from EVP_sha256() to it is longer than what it does with a token, and every
 * request of who is known has one. */
static EVP_MD *looked_up;
static pthread_once_t look_up_once = PTHREAD_ONCE_INIT;

static void look_up(void)
{
    looked_up = EVP_MD_fetch(NULL, "SHA256", NULL);
}

bool digest_of(const void *p, size_t n, uint8_t digest[SHA256_BYTES])
{
    unsigned digest_n = SHA256_BYTES;

    pthread_once(&look_up_once, look_up);
    return EVP_Digest(p, n, digest, &digest_n, looked_up != NULL ? looked_up : EVP_sha256(), NULL) == 1;
}

/* The digest of the key's block, each byte changed by `pad`, and the text behind it. */
static bool keyed(const uint8_t key[DIGEST_KEY_BYTES], uint8_t pad, struct str text,
                  uint8_t digest[SHA256_BYTES])
{
    uint8_t bytes[BLOCK_BYTES + DIGEST_HMAC_BYTES_MAX];

    for (size_t i = 0; i < BLOCK_BYTES; i++)
        bytes[i] = (i < DIGEST_KEY_BYTES ? key[i] : 0) ^ pad;
    memcpy(bytes + BLOCK_BYTES, text.p, text.n);
    return digest_of(bytes, BLOCK_BYTES + text.n, digest);
}

/* The library's own HMAC looks its parts up by name each time, which takes four times as long as both digests. */
bool digest_hmac(const uint8_t key[DIGEST_KEY_BYTES], struct str text, uint8_t digest[SHA256_BYTES])
{
    enum { INNER_PAD = 0x36, OUTER_PAD = 0x5c };
    uint8_t inner[SHA256_BYTES];

    return text.n <= DIGEST_HMAC_BYTES_MAX && keyed(key, INNER_PAD, text, inner) &&
           keyed(key, OUTER_PAD, (struct str){(const char *)inner, sizeof(inner)}, digest);
}

bool digest_hmac_long(struct str key, struct str text, uint8_t digest[SHA256_BYTES])
{
    unsigned n = SHA256_BYTES;

    return key.n <= INT_MAX &&
           HMAC(EVP_sha256(), key.p, (int)key.n, (const unsigned char *)text.p, text.n, digest, &n) != NULL;
}

void digest_hex(const uint8_t digest[SHA256_BYTES], char out[DIGEST_CHARS + 1])
{
    static const char DIGITS[] = "0123456789abcdef";

    for (unsigned i = 0; i < SHA256_BYTES; i++) {
        out[2 * i] = DIGITS[digest[i] >> 4];
        out[2 * i + 1] = DIGITS[digest[i] & 15];
    }
    out[DIGEST_CHARS] = '\0';
}

void digest_hex_of(const void *p, size_t n, char out[DIGEST_CHARS + 1])
{
    uint8_t digest[SHA256_BYTES];

    out[0] = '\0';
    if (digest_of(p, n, digest))
        digest_hex(digest, out);
}
