#include "server/store/record_id.h"

#include <errno.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

static const char BASE32[] = "abcdefghijklmnopqrstuvwxyz234567";

static bool made_of(struct str s, const char *allowed)
{
    for (size_t i = 0; i < s.n; i++)
        if (s.p[i] == '\0' || strchr(allowed, s.p[i]) == NULL)
            return false;
    return true;
}

bool record_id_valid(struct str id)
{
    return id.n == RECORD_ID_CHARS && made_of(id, BASE32);
}

bool record_sha256_valid(struct str hex)
{
    return hex.n == RECORD_SHA256_CHARS && made_of(hex, "0123456789abcdef");
}

bool record_new_secret(char out[RECORD_ID_CHARS + 1])
{
    uint8_t bits[16];
    unsigned pending = 0, n_pending = 0;
    size_t n = 0;

    if (TEMP_FAILURE_RETRY(getrandom(bits, sizeof(bits), 0)) != (ssize_t)sizeof(bits))
        return false;
    for (size_t i = 0; i < sizeof(bits); i++) {
        pending = (pending << 8 | bits[i]) & 0xfff;
        for (n_pending += 8; n_pending >= 5; n_pending -= 5)
            out[n++] = BASE32[pending >> (n_pending - 5) & 31];
    }
    out[n++] = BASE32[pending << (5 - n_pending) & 31];
    out[n] = '\0';
    return true;
}

void record_sha256_hex(const void *p, size_t n, char out[RECORD_SHA256_CHARS + 1])
{
    static const char DIGITS[] = "0123456789abcdef";
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned digest_n = 0;

    out[0] = '\0';
    if (EVP_Digest(p, n, digest, &digest_n, EVP_sha256(), NULL) != 1)
        return;
    for (unsigned i = 0; i < digest_n && i < RECORD_SHA256_CHARS / 2; i++) {
        out[2 * i] = DIGITS[digest[i] >> 4];
        out[2 * i + 1] = DIGITS[digest[i] & 15];
    }
    out[RECORD_SHA256_CHARS] = '\0';
}

const char *const RECORD_NAMES_WORDS[RECORD_NAMES_FILES] = {"mapping", "symbols"};
