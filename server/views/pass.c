#include "server/views/pass.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "core/buf.h"

struct passes {
    uint8_t key[32];
};

struct passes *passes_new(void)
{
    struct passes *p = calloc(1, sizeof(*p));

    if (p != NULL && getrandom(p->key, sizeof(p->key), 0) != (ssize_t)sizeof(p->key)) {
        free(p);
        return NULL;
    }
    return p;
}

void passes_free(struct passes *p)
{
    free(p);
}

/* Of one hour; 5 bits of the digest's bytes each. */
static bool make(const struct passes *p, struct str id, int64_t hour, char pass[PASS_CHARS + 1])
{
    static const char DIGITS[] = "abcdefghijklmnopqrstuvwxyz234567";
    uint8_t digest[EVP_MAX_MD_SIZE];
    struct buf text = {0};

    buf_printf(&text, "tree %lld ", (long long)hour);
    buf_str(&text, id);
    bool made = !text.failed && HMAC(EVP_sha256(), p->key, sizeof(p->key), (const uint8_t *)text.p, text.n,
                                     digest, NULL) != NULL;
    for (size_t i = 0; i < PASS_CHARS; i++)
        pass[i] = made ? DIGITS[digest[i] & 31] : '\0';
    pass[PASS_CHARS] = '\0';
    buf_free(&text);
    return made;
}

bool pass_make(const struct passes *p, struct str id, int64_t now_s, char pass[PASS_CHARS + 1])
{
    return make(p, id, now_s / PASS_S, pass);
}

bool pass_holds(const struct passes *p, struct str id, int64_t now_s, struct str pass)
{
    char right[PASS_CHARS + 1];
    bool holds = false;

    for (int64_t hour = now_s / PASS_S; hour >= now_s / PASS_S - 1 && !holds; hour--)
        holds =
            pass.n == PASS_CHARS && make(p, id, hour, right) && CRYPTO_memcmp(right, pass.p, PASS_CHARS) == 0;
    return holds;
}
