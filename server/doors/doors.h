/* The doors of the service: who a request is from. There are none unless the configuration has `tokens_file` or
 * `user_header`: then whoever reaches the service may upload and read. Any thread. */
#pragma once

#include "core/str.h"
#include "core/system/digest.h"
#include "core/system/log.h"
#include "server/config/config.h"
#include "server/doors/token_file.h"
#include "server/store/store.h"

/* ---- sessions ----
 *
 * What a browser gets for a token: a cookie that ends, signed with a key of the store. It stands for the token, so that
 * it does what the token may do now, and nothing once the token is revoked. The token cannot be told from it. */

enum {
    SESSION_KEY_BYTES = 32, /* DIGEST_KEY_BYTES */
    SESSION_MARK_CHARS = 16,
    SESSION_CHARS = SESSION_MARK_CHARS + 1 + 20 + 1 + 64
};

struct session_key {
    uint8_t bytes[SESSION_KEY_BYTES];
};

/* The key of the store, which is made if there is none. Sessions last as long as it. False: diag. */
bool session_key_open(struct store *s, struct session_key *key, struct diag *diag) MUST_CHECK;

/* False: libcrypto failed. */
bool session_make(const struct session_key *key, const struct token *token, int64_t ends_s,
                  char text[SESSION_CHARS + 1]) MUST_CHECK;

/* The token that the text stands for at now_s. NULL: none; it has ended, was revoked, or is not ours. */
const struct token *session_token(const struct session_key *key, struct str text, int64_t now_s,
                                  const struct token_list *tokens);

struct doors;

/* Whether the configuration has any. */
bool doors_wanted(const struct config *config);

/* NULL: diag. The first reading of the file of tokens must succeed; a later one that fails leaves what was read
 * before, and the log says so. */
struct doors *doors_new(const struct config *config, struct store *store, const struct log *log,
                        struct diag *diag);
void doors_free(struct doors *d); /* NULL is fine */

/* Reads the file of tokens again, if it is another one than before: once a second. NULL is fine. */
void doors_tick(struct doors *d);
/* The same in any case. */
void doors_reload(struct doors *d);

/* A key for one purpose, made of that of the store, which signs sessions. False: libcrypto failed. */
bool doors_key(const struct doors *d, const char *what, uint8_t key[DIGEST_KEY_BYTES]) MUST_CHECK;

/* What a request says of who sends it. p == NULL: nothing. */
struct door_asked {
    struct str authorization; /* the header */
    struct str cookie;        /* the header */
    struct str user; /* the header `user_header`, if a trusted proxy or a Unix socket brings it; else NULL */
};

enum door_found {
    DOOR_KNOWN,
    DOOR_NOBODY, /* nothing was said, or a session has ended */
    DOOR_WRONG   /* a token that there is not, or a name that cannot be one */
};

/* What a proxy says comes first, then the header Authorization (Bearer with a token, or Basic with a token as the
 * password, whatever the user's name), then the cookie. *who is nobody unless DOOR_KNOWN. */
enum door_found doors_who(struct doors *d, const struct door_asked *asked, int64_t now_s, struct who *who);

/* The cookie of a session. */
#define DOOR_COOKIE "aflamed_session"

/* A session for who has the token, which ends after session_hours: the cookie's value. False: there is no such token,
 * or libcrypto failed. */
bool doors_login(struct doors *d, struct str token, int64_t now_s, struct who *who,
                 char session[SESSION_CHARS + 1]) MUST_CHECK;

/* ---- what a request shows ----
 *
 * What the headers of a request say of who sends it. Pure. */

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
bool credentials_token(struct str authorization, struct credentials_token *token) MUST_CHECK;

/* The next cookie of this name in the header Cookie (RFC 6265, 4.2.1), of which *cookie is what is left. p == NULL: none
 * is left. */
struct str credentials_cookie(struct str *cookie, struct str name);
