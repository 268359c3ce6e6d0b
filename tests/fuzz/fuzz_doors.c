/* What strangers and operators write about who asks: the first byte says whether the rest is a header, a session, a file
 * of tokens or remembered shares. */
#include <string.h>

#include "server/doors/doors.h"
#include "server/doors/shares.h"
#include "tests/support/fuzzing.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define DIGEST "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define TOKENS "ann upload,read " DIGEST " 2026-11-25T10:00:00Z\n"

static bool is_within(struct str part, struct str whole)
{
    return part.p >= whole.p && part.p + part.n <= whole.p + whole.n;
}

static void try_headers(struct str text)
{
    struct credentials_token token;
    struct str rest = text, cookie;

    if (credentials_token(text, &token))
        fuzzing_check(token.n > 0 && token.n <= CREDENTIALS_TOKEN_BYTES);
    while ((cookie = credentials_cookie(&rest, STR("s"))).p != NULL)
        fuzzing_check(is_within(cookie, text));
}

/* Nobody who has not the key makes a session. */
static void try_session(struct str text)
{
    static const struct session_key KEY = {{7}};
    struct token_list tokens;
    struct diag diag = {0};

    fuzzing_check(token_list_parse(STR(TOKENS), &tokens, &diag));
    fuzzing_check(session_token(&KEY, text, 0, &tokens) == NULL);
    token_list_free(&tokens);
}

/* Each token of a list that is taken is found by its digest, and has what a line needs. */
static void try_tokens(struct str text)
{
    struct token_list tokens;
    struct diag diag = {0};

    if (token_list_parse(text, &tokens, &diag))
        for (size_t i = 0; i < tokens.n; i++) {
            const struct token *t = &tokens.of[i];
            fuzzing_check(token_list_find(&tokens, t->sha256) == t);
            fuzzing_check(who_name_valid(str_of(t->name)) && t->scopes != 0);
        }
    else
        fuzzing_check(diag.kind != DIAG_NONE && tokens.n <= TOKENS_MAX);
    token_list_free(&tokens);
}

/* What was taken can be written and taken again, and is the same then. */
static void try_shares(struct str text)
{
    static const struct config CONFIG = {.uploads_per_minute = 60, .upload_bytes_per_day = UINT64_C(1) << 40};
    struct buf first = {0}, second = {0};
    struct shares *s = shares_new(&CONFIG), *again = shares_new(&CONFIG);
    struct share_left left;

    if (s != NULL && again != NULL) {
        shares_take(s, text);
        shares_put(s, &first);
        shares_take(again, buf_view(&first));
        shares_put(again, &second);
        fuzzing_check(str_eq(buf_view(&first), buf_view(&second)));
        shares_look(s, STR("ann"), 1700000000, &left);
        fuzzing_check(left.uploads <= CONFIG.uploads_per_minute && left.bytes <= CONFIG.upload_bytes_per_day);
    }
    buf_free(&first);
    buf_free(&second);
    shares_free(s);
    shares_free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static void (*const TRIALS[])(struct str text) = {try_headers, try_session, try_tokens, try_shares};

    if (size > 0)
        TRIALS[data[0] % 4]((struct str){(const char *)data + 1, size - 1});
    return 0;
}
