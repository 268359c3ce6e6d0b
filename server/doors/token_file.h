/* The file of tokens: who may do what. A token is a random text that is shown once, when it is made; the file keeps
 * its SHA-256. One line each, with blanks between the fields:
 *
 *     NAME SCOPES SHA256 CREATED
 *     ann upload,read 9f86d081..0f00a08 2026-11-25T10:00:00Z
 *     ci upload,read,spaces:checkout 5e884898..42d8 2026-11-26T10:00:00Z
 *
 * A line that is empty or begins with '#' is passed over. A name may have several tokens, as while one is replaced by
 * the next. `aflamed token` writes the file; a person may, too. */
#pragma once

#include "core/diag.h"
#include "server/doors/who.h"
#include "server/store/record.h"

enum { TOKENS_MAX = 10000 };

struct token {
    char name[WHO_NAME_BYTES + 1];
    unsigned scopes;
    char spaces[WHO_SPACES_BYTES + 1]; /* as in struct who */
    char sha256[RECORD_SHA256_CHARS + 1];
    int64_t created_s;
};

struct token_list {
    struct token *of;             /* in the order of their lines */
    const struct token **ordered; /* by digest */
    size_t n;
};

/* "aflamed_" and the digits of a secret (record.h): known by its beginning to programs that look for secrets in
 * sources. */
#define TOKEN_PREFIX "aflamed_"
enum { TOKEN_CHARS = sizeof(TOKEN_PREFIX) - 1 + RECORD_ID_CHARS };

/* False: diag names the line; or two have the same token. *list is to be freed in either case. */
bool token_list_parse(struct str text, struct token_list *list, struct diag *diag) MUST_CHECK;
void token_list_free(struct token_list *list);

/* The token with this digest. The search tells of the digests at most, which nobody can choose by a guess; the last look
 * is in constant time. NULL: none. */
const struct token *token_list_find(const struct token_list *list,
                                    const char sha256[RECORD_SHA256_CHARS + 1]);

/* The whole text of the file, also of one that cannot be parsed. False: diag. */
bool token_file_read(const char *path, struct buf *text, struct diag *diag) MUST_CHECK;

/* A new token and its line, without line end. False: the system gives no randomness, or libcrypto failed. */
bool token_new(const char *name, unsigned scopes, const char *spaces, int64_t now_s,
               char token[TOKEN_CHARS + 1], struct buf *line) MUST_CHECK;

/* Appends all lines but those of the name, also such as cannot be parsed: to take a token out must work. Returns how many
 * there were of the name. */
size_t tokens_take_out(struct str text, struct str name, struct buf *left);
