#include "server/doors/doors.h"

#include <errno.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/diag.h"
#include "core/system/digest.h"
#include "core/system/random_bytes.h"

/* ---- sessions ---- */

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

/* The place in `ordered` of the first digest that begins with the mark, or comes behind it. */
static size_t token_list_from(const struct token_list *list, struct str mark)
{
    size_t from = 0, to = list->n;

    while (from < to) {
        size_t middle = from + (to - from) / 2;
        if (memcmp(list->ordered[middle]->sha256, mark.p, mark.n) < 0)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
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

/* ---- the doors ---- */

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

struct doors {
    const struct config *config;
    const struct log *log;
    struct session_key key;
    unsigned user_scopes;
    char user_spaces[WHO_SPACES_BYTES + 1];
    pthread_mutex_t lock; /* of the list: nobody waits for a disk under it */
    struct token_list tokens;
    pthread_mutex_t reading; /* one reads the file at a time; taken before `lock` */
    struct stat seen;        /* the file, when it was looked at last */
};

bool doors_wanted(const struct config *config)
{
    return config->tokens_file[0] != '\0' || config->user_header[0] != '\0';
}

/* ---- the file ---- */

static bool is_same(const struct stat *a, const struct stat *b)
{
    return a->st_ino == b->st_ino && a->st_dev == b->st_dev && a->st_size == b->st_size &&
           a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec &&
           a->st_mode == b->st_mode;
}

static bool read_list(const struct doors *d, struct token_list *list, struct diag *diag)
{
    struct buf text = {0};
    bool ok =
        token_file_read(d->config->tokens_file, &text, diag) && token_list_parse(buf_view(&text), list, diag);

    buf_free(&text);
    return ok;
}

static void take_list(struct doors *d, struct token_list *list)
{
    pthread_mutex_lock(&d->lock);
    struct token_list before = d->tokens;
    d->tokens = *list;
    pthread_mutex_unlock(&d->lock);
    token_list_free(&before);
}

/* A file that cannot be looked at is zeros: that, too, is told of once. */
static void look_at(const struct doors *d, struct stat *out)
{
    if (stat(d->config->tokens_file, out) != 0)
        memset(out, 0, sizeof(*out));
}

static void look_again(struct doors *d, bool in_any_case)
{
    struct token_list list = {NULL, NULL, 0};
    struct diag diag = {0};
    struct stat now;

    if (d == NULL || d->config->tokens_file[0] == '\0')
        return;
    pthread_mutex_lock(&d->reading);
    look_at(d, &now);
    if (in_any_case || !is_same(&now, &d->seen)) {
        d->seen = now;
        if (read_list(d, &list, &diag)) {
            LOG(d->log, LOG_INFO, "tokens-read", LOG_U64("tokens", list.n));
            take_list(d, &list);
        } else {
            LOG(d->log, LOG_ERROR, "tokens-kept", LOG_STR("why", str_of(diag.detail)));
            token_list_free(&list);
        }
    }
    pthread_mutex_unlock(&d->reading);
}

void doors_tick(struct doors *d)
{
    look_again(d, false);
}

void doors_reload(struct doors *d)
{
    look_again(d, true);
}

struct doors *doors_new(const struct config *config, struct store *store, const struct log *log,
                        struct diag *diag)
{
    struct doors *d = calloc(1, sizeof(*d));

    if (d == NULL) {
        diag_no_memory(diag, "No memory is left for the tokens.");
        return NULL;
    }
    pthread_mutex_init(&d->lock, NULL);
    pthread_mutex_init(&d->reading, NULL);
    d->config = config;
    d->log = log;
    /* The configuration was checked by the same function. */
    bool ok = scopes_parse(str_of(config->user_scopes), &d->user_scopes, d->user_spaces);
    if (ok && config->tokens_file[0] != '\0') {
        look_at(d, &d->seen);
        ok = read_list(d, &d->tokens, diag);
    }
    if (ok && session_key_open(store, &d->key, diag))
        return d;
    doors_free(d);
    return NULL;
}

void doors_free(struct doors *d)
{
    if (d == NULL)
        return;
    token_list_free(&d->tokens);
    pthread_mutex_destroy(&d->lock);
    pthread_mutex_destroy(&d->reading);
    free(d);
}

bool doors_key(const struct doors *d, const char *what, uint8_t key[DIGEST_KEY_BYTES])
{
    return digest_hmac(d->key.bytes, str_of(what), key);
}

/* ---- who ---- */

static void know(struct who *who, enum who_by by, const struct token *token)
{
    who->by = by;
    who->scopes = token->scopes;
    memcpy(who->name, token->name, sizeof(who->name));
    memcpy(who->spaces, token->spaces, sizeof(who->spaces));
}

/* A text of another length is not hashed: it may be long. */
static bool digest_of_token(struct str token, char sha256[RECORD_SHA256_CHARS + 1])
{
    sha256[0] = '\0';
    if (token.n == TOKEN_CHARS)
        digest_hex_of(token.p, token.n, sha256);
    return sha256[0] != '\0';
}

static enum door_found by_token(struct doors *d, struct str token, struct who *who)
{
    char sha256[RECORD_SHA256_CHARS + 1];

    if (!digest_of_token(token, sha256))
        return DOOR_WRONG;
    pthread_mutex_lock(&d->lock);
    const struct token *found = token_list_find(&d->tokens, sha256);
    if (found != NULL)
        know(who, WHO_BY_TOKEN, found);
    pthread_mutex_unlock(&d->lock);
    return found != NULL ? DOOR_KNOWN : DOOR_WRONG;
}

static void by_session(struct doors *d, struct str text, int64_t now_s, struct who *who)
{
    pthread_mutex_lock(&d->lock);
    const struct token *found = session_token(&d->key, text, now_s, &d->tokens);
    if (found != NULL)
        know(who, WHO_BY_SESSION, found);
    pthread_mutex_unlock(&d->lock);
}

static enum door_found by_proxy(const struct doors *d, struct str user, struct who *who)
{
    if (!who_name_valid(user))
        return DOOR_WRONG;
    who->by = WHO_BY_PROXY;
    who->scopes = d->user_scopes;
    memcpy(who->spaces, d->user_spaces, sizeof(who->spaces));
    memcpy(who->name, user.p, user.n);
    who->name[user.n] = '\0';
    return DOOR_KNOWN;
}

enum door_found doors_who(struct doors *d, const struct door_asked *asked, int64_t now_s, struct who *who)
{
    enum { SESSIONS_MOST = 8 };
    struct credentials_token token;
    struct str session, cookies = asked->cookie;

    *who = (struct who){.by = WHO_NOBODY};
    if (str_trim(asked->user).n > 0)
        return by_proxy(d, str_trim(asked->user), who);
    if (d->config->tokens_file[0] == '\0')
        return DOOR_NOBODY;
    if (asked->authorization.p != NULL)
        return credentials_token(asked->authorization, &token) ? by_token(d, credentials_text(&token), who)
                                                               : DOOR_WRONG;
    /* Another host of the same domain may have set one, too: that one must not shut this one out. */
    for (unsigned i = 0; i < SESSIONS_MOST && who->by == WHO_NOBODY; i++) {
        session = credentials_cookie(&cookies, STR(DOOR_COOKIE));
        if (session.p == NULL)
            break;
        by_session(d, session, now_s, who);
    }
    return who->by == WHO_NOBODY ? DOOR_NOBODY : DOOR_KNOWN;
}

bool doors_login(struct doors *d, struct str token, int64_t now_s, struct who *who,
                 char session[SESSION_CHARS + 1])
{
    enum { HOUR_S = 3600 };
    char sha256[RECORD_SHA256_CHARS + 1];
    int64_t ends_s = now_s + (int64_t)d->config->session_hours * HOUR_S;

    if (!digest_of_token(token, sha256))
        return false;
    pthread_mutex_lock(&d->lock);
    const struct token *found = token_list_find(&d->tokens, sha256);
    bool ok = found != NULL && session_make(&d->key, found, ends_s, session);
    if (ok)
        know(who, WHO_BY_SESSION, found);
    pthread_mutex_unlock(&d->lock);
    return ok;
}
