#include "server/doors/session.h"

#include <errno.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "core/diag.h"

static const char KEY[] = "keys/session";

/* ---- the key ---- */

static bool read_key(struct store *s, struct session_key *key, enum store_result *result)
{
    struct buf b = {0};

    *result = store_read(s, KEY, SESSION_KEY_BYTES, &b);
    bool ok = *result == STORE_OK && b.n == SESSION_KEY_BYTES;
    if (ok)
        memcpy(key->bytes, b.p, SESSION_KEY_BYTES);
    buf_free(&b);
    return ok;
}

/* Two that make it at the same time agree on the first one: it is read again. */
bool session_key_open(struct store *s, struct session_key *key, struct diag *diag)
{
    enum store_result result;

    if (read_key(s, key, &result))
        return true;
    if (result == STORE_NOT_FOUND &&
        TEMP_FAILURE_RETRY(getrandom(key->bytes, SESSION_KEY_BYTES, 0)) == SESSION_KEY_BYTES) {
        struct str bytes = {(const char *)key->bytes, SESSION_KEY_BYTES};
        result = store_put(s, KEY, bytes, STORE_DURABLE);
        if ((result == STORE_OK || result == STORE_EXISTS) && read_key(s, key, &result))
            return true;
    }
    return diag_set(diag, DIAG_IO, "cannot start",
                    "Look at the store; without the object keys/session a new key is made.",
                    "The key that signs sessions can neither be read nor made.");
}

/* ---- one session ---- */

/* Of the whole digest of the token, of which the text shows only the first digits. */
static bool sign(const struct session_key *key, const struct token *token, int64_t ends_s, char hex[64 + 1])
{
    static const char DIGITS[] = "0123456789abcdef";
    uint8_t mac[EVP_MAX_MD_SIZE];
    unsigned n = 0;
    char text[128];
    int length = snprintf(text, sizeof(text), "session %lld %s", (long long)ends_s, token->sha256);

    if (HMAC(EVP_sha256(), key->bytes, SESSION_KEY_BYTES, (const uint8_t *)text, (size_t)length, mac, &n) ==
            NULL ||
        n != 32)
        return false;
    for (unsigned i = 0; i < n; i++) {
        hex[2 * i] = DIGITS[mac[i] >> 4];
        hex[2 * i + 1] = DIGITS[mac[i] & 15];
    }
    hex[2 * n] = '\0';
    return true;
}

bool session_make(const struct session_key *key, const struct token *token, int64_t ends_s,
                  char text[SESSION_CHARS + 1])
{
    char hex[64 + 1];

    if (!sign(key, token, ends_s, hex))
        return false;
    snprintf(text, SESSION_CHARS + 1, "%.*s.%lld.%s", SESSION_MARK_CHARS, token->sha256, (long long)ends_s,
             hex);
    return true;
}

static bool is_of(const struct token *token, struct str mark)
{
    return memcmp(token->sha256, mark.p, SESSION_MARK_CHARS) == 0;
}

const struct token *session_token(const struct session_key *key, struct str text, int64_t now_s,
                                  const struct token_list *tokens)
{
    struct str mark = STR(""), ends = STR(""), mac = text;
    char right[64 + 1];
    uint64_t ends_s;

    str_split(&mac, '.', &mark);
    str_split(&mac, '.', &ends);
    if (mark.n != SESSION_MARK_CHARS || mac.n != 64 || ends.n > 12 || !str_to_u64(ends, 10, &ends_s) ||
        (int64_t)ends_s <= now_s)
        return NULL;
    for (size_t i = token_list_from(tokens, mark); i < tokens->n && is_of(tokens->ordered[i], mark); i++)
        if (sign(key, tokens->ordered[i], (int64_t)ends_s, right) && CRYPTO_memcmp(right, mac.p, 64) == 0)
            return tokens->ordered[i];
    return NULL;
}
