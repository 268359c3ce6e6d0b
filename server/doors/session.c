#include "server/doors/session.h"

#include <errno.h>
#include <openssl/crypto.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/diag.h"
#include "core/system/digest.h"
#include "core/system/random_bytes.h"

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

/* A machine of an object store keeps the key in its own directory, for a start while the store does not answer. */
static void keep_key(struct store *s, const struct session_key *key)
{
    if (!store_is_remote(s))
        return;
    enum store_result kept =
        local_replace(store_local(s), KEY, (struct str){(const char *)key->bytes, SESSION_KEY_BYTES});
    (void)kept; /* it is a copy */
}

static bool read_kept_key(struct store *s, struct session_key *key)
{
    struct buf b = {0};

    bool ok = local_read(store_local(s), KEY, SESSION_KEY_BYTES, &b) == STORE_OK && b.n == SESSION_KEY_BYTES;
    if (ok)
        memcpy(key->bytes, b.p, SESSION_KEY_BYTES);
    buf_free(&b);
    return ok;
}

/* Two that make it at the same time agree on the first one: it is read again. */
static bool find_key(struct store *s, struct session_key *key, enum store_result *result)
{
    if (read_key(s, key, result))
        return true;
    if (*result != STORE_NOT_FOUND || !random_bytes(key->bytes, SESSION_KEY_BYTES))
        return false;
    *result = store_put(s, KEY, (struct str){(const char *)key->bytes, SESSION_KEY_BYTES});
    return (*result == STORE_OK || *result == STORE_EXISTS) && read_key(s, key, result);
}

bool session_key_open(struct store *s, struct session_key *key, struct diag *diag)
{
    enum store_result result;

    if (find_key(s, key, &result)) {
        keep_key(s, key);
        return true;
    }
    if (result == STORE_UNAVAILABLE && read_kept_key(s, key))
        return true;
    return diag_set(diag, DIAG_IO, "cannot start",
                    "Look at the store; without the object keys/session a new key is made.",
                    "The key that signs sessions can neither be read nor made.");
}

/* ---- one session ---- */

/* Of the whole digest of the token, of which the session shows only the first digits. */
static bool sign(const struct session_key *key, const struct token *token, int64_t ends_s,
                 char hex[DIGEST_CHARS + 1])
{
    uint8_t mac[SHA256_BYTES];
    char text[128];
    int n = snprintf(text, sizeof(text), "session %lld %s", (long long)ends_s, token->sha256);

    if (!digest_hmac(key->bytes, (struct str){text, (size_t)n}, mac))
        return false;
    digest_hex(mac, hex);
    return true;
}

bool session_make(const struct session_key *key, const struct token *token, int64_t ends_s,
                  char text[SESSION_CHARS + 1])
{
    char hex[DIGEST_CHARS + 1];

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
    char right[DIGEST_CHARS + 1];
    uint64_t ends_s;

    str_split(&mac, '.', &mark);
    str_split(&mac, '.', &ends);
    if (mark.n != SESSION_MARK_CHARS || mac.n != DIGEST_CHARS || ends.n > 12 ||
        !str_to_u64(ends, 10, &ends_s) || (int64_t)ends_s <= now_s)
        return NULL;
    for (size_t i = token_list_from(tokens, mark); i < tokens->n && is_of(tokens->ordered[i], mark); i++)
        if (sign(key, tokens->ordered[i], (int64_t)ends_s, right) &&
            CRYPTO_memcmp(right, mac.p, DIGEST_CHARS) == 0)
            return tokens->ordered[i];
    return NULL;
}
