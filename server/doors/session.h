/* What a browser gets for a token: a cookie that ends, signed with a key of the store. It stands for the token, so that
 * it does what the token may do now, and nothing once the token is revoked. The token cannot be told from it. */
#ifndef SERVER_DOORS_SESSION_H
#define SERVER_DOORS_SESSION_H

#include "server/doors/token_file.h"
#include "server/store/store.h"

enum {
    SESSION_KEY_BYTES = 32, /* DIGEST_KEY_BYTES */
    SESSION_MARK_CHARS = 16,
    SESSION_CHARS = SESSION_MARK_CHARS + 1 + 20 + 1 + 64
};

struct session_key {
    uint8_t bytes[SESSION_KEY_BYTES];
};

/* The key of the store, which is made if there is none. Sessions last as long as it. False: diag. */
bool session_key_open(struct store *s, struct session_key *key, struct diag *diag)
    __attribute__((warn_unused_result));

/* False: libcrypto failed. */
bool session_make(const struct session_key *key, const struct token *token, int64_t ends_s,
                  char text[SESSION_CHARS + 1]) __attribute__((warn_unused_result));

/* The token that the text stands for at now_s. NULL: none; it has ended, was revoked, or is not ours. */
const struct token *session_token(const struct session_key *key, struct str text, int64_t now_s,
                                  const struct token_list *tokens);

#endif
