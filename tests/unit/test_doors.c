/* Who asks: names and scopes, the text of the file of tokens, headers, sessions. */
#include "tests/support/unit.h"

#include <stdio.h>
#include <string.h>

#include "server/doors/doors.h"
#include "tests/support/record_fixture.h"

#define DIGEST_A "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define DIGEST_B "aaaaaaaaaaaaaaaabbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
#define CREATED  " 2026-11-25T10:00:00Z"

TEST(names_are_plain)
{
    static const char *const GOOD[] = {"ann", "ann@example.com", "CORP\\ann", "auth0|42", "a"};
    static const char *const BAD[] = {"",   "a b", "a\"", "a\n",      "a,b",  "a;b",
                                      "#a", "<a",  "a&b", "\xc3\xa4", "a\x7f"};
    char longest[WHO_NAME_BYTES + 2];

    for (size_t i = 0; i < sizeof(GOOD) / sizeof(*GOOD); i++)
        assert_true(who_name_valid(str_of(GOOD[i])));
    for (size_t i = 0; i < sizeof(BAD) / sizeof(*BAD); i++)
        assert_false(who_name_valid(str_of(BAD[i])));
    memset(longest, 'a', sizeof(longest));
    assert_true(who_name_valid((struct str){longest, WHO_NAME_BYTES}));
    assert_false(who_name_valid((struct str){longest, WHO_NAME_BYTES + 1}));
}

TEST(scopes_are_words)
{
    struct buf b = {0};
    char spaces[WHO_SPACES_BYTES + 1];
    unsigned scopes;

    assert_true(scopes_parse(STR("read, upload"), &scopes, spaces));
    assert_int_equal(scopes, SCOPE_READ | SCOPE_UPLOAD);
    scopes_put(&b, scopes, spaces);
    assert_true(str_eq(buf_view(&b), STR("upload,read")));
    buf_free(&b);
    assert_false(scopes_parse(STR(""), &scopes, spaces));
    assert_false(scopes_parse(STR("read,"), &scopes, spaces));
    assert_false(scopes_parse(STR("Read"), &scopes, spaces));
    assert_false(scopes_parse(STR("all"), &scopes, spaces));
}

TEST(scopes_may_be_for_spaces)
{
    struct who who = {.by = WHO_BY_TOKEN};
    struct buf b = {0}, many = {0};
    char spaces[WHO_SPACES_BYTES + 1];
    unsigned scopes;

    assert_true(who_is_for(&who, STR("a")) && who_is_for(&who, STR("")));
    assert_true(scopes_parse(STR("spaces:a-b,read, spaces:c"), &who.scopes, who.spaces));
    assert_true(who_is_for(&who, STR("a-b")) && who_is_for(&who, STR("c")));
    assert_false(who_is_for(&who, STR("a")) || who_is_for(&who, STR("")) || who_is_for(&who, STR("a-b,c")));
    scopes_put(&b, who.scopes, who.spaces);
    assert_true(str_eq(buf_view(&b), STR("read,spaces:a-b,spaces:c")));
    buf_free(&b);
    assert_false(scopes_parse(STR("spaces:a"), &scopes, spaces));
    assert_false(scopes_parse(STR("read,spaces:"), &scopes, spaces));
    assert_false(scopes_parse(STR("read,spaces:A"), &scopes, spaces));
    buf_z(&many, "read");
    for (unsigned i = 0; i < WHO_SPACES_BYTES; i++)
        buf_z(&many, ",spaces:a");
    assert_false(scopes_parse(buf_view(&many), &scopes, spaces));
    buf_free(&many);
}

TEST(the_file_is_lines)
{
    struct token_list list;
    struct diag diag = {0};

    assert_true(token_list_parse(
        STR("# people\n\nann upload,read " DIGEST_A CREATED "\n  bob  read " DIGEST_B CREATED "\n"), &list,
        &diag));
    assert_int_equal(list.n, 2);
    assert_string_equal(list.of[0].name, "ann");
    assert_int_equal(list.of[0].scopes, SCOPE_UPLOAD | SCOPE_READ);
    assert_string_equal(list.of[1].name, "bob");
    assert_ptr_equal(token_list_find(&list, DIGEST_B), &list.of[1]);
    assert_null(token_list_find(&list, "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"));
    token_list_free(&list);
    assert_true(token_list_parse(STR(""), &list, &diag));
    assert_int_equal(list.n, 0);
    token_list_free(&list);
}

/* The number of the line is said, and nothing of what stands there. */
TEST(what_is_no_line_is_refused)
{
    static const char *const BAD[] = {"ann",
                                      "ann upload",
                                      "ann upload " DIGEST_A,
                                      "ann fly " DIGEST_A CREATED,
                                      "ann upload aflamed_2nx554zk73fs3hikl3bv6ofymm" CREATED,
                                      "ann upload " DIGEST_A " yesterday",
                                      "ann upload " DIGEST_A CREATED " more"};

    for (size_t i = 0; i < sizeof(BAD) / sizeof(*BAD); i++) {
        struct token_list list;
        struct diag diag = {0};
        char text[300];
        snprintf(text, sizeof(text), "# a comment\n%s\n", BAD[i]);
        assert_false(token_list_parse(str_of(text), &list, &diag));
        assert_non_null(strstr(diag.detail, "Line 2 "));
        assert_null(strstr(diag.detail, "aflamed_"));
        token_list_free(&list);
    }
}

TEST(two_lines_of_one_token_are_refused)
{
    struct token_list list;
    struct diag diag = {0};

    assert_false(token_list_parse(STR("ann upload " DIGEST_B CREATED "\nzoe read " DIGEST_A CREATED
                                      "\r\nbob read " DIGEST_B CREATED "\n"),
                                  &list, &diag));
    assert_string_equal(diag.detail, "ann and bob have the same token.");
    token_list_free(&list);
}

static void assert_token(const char *header, const char *token)
{
    struct credentials_token t;
    bool found = credentials_token(str_of(header), &t);

    assert_int_equal(found, token != NULL);
    if (found)
        assert_true(str_eq(credentials_text(&t), str_of(token)));
}

TEST(tokens_are_found_in_headers)
{
    char longest[700] = "Bearer ";

    assert_token("Bearer abc", "abc");
    assert_token("bearer   abc ", "abc");
    assert_token("Basic YW5uOmFiYw==", "abc");   /* ann:abc */
    assert_token("Basic OmE6Yg==", "a:b");       /* :a:b */
    assert_token("basic YW5uOmFiY2Q=", "abcd");  /* ann:abcd */
    assert_token("Basic YW5uOmFiY2Rl", "abcde"); /* ann:abcde */
    assert_token("Basic YW5u", NULL);            /* ann */
    assert_token("Basic YW5uOg==", NULL);        /* ann: */
    assert_token("Basic ====", NULL);
    assert_token("Basic YW5uOmFiYw", NULL);
    assert_token("Basic", NULL);
    assert_token("Bearer ", NULL);
    assert_token("Digest abc", NULL);
    assert_token("", NULL);
    memset(longest + 7, 'a', sizeof(longest) - 8);
    assert_token(longest, NULL);
    memcpy(longest, "Basic  ", 7);
    assert_token(longest, NULL);
}

TEST(cookies_are_found_by_name)
{
    struct str cookies = STR("a=1; s=two; xs=4; a=s=2; s=; S=3; s"), none = {NULL, 0};

    assert_true(str_eq(credentials_cookie(&cookies, STR("s")), STR("two")));
    assert_true(str_eq(credentials_cookie(&cookies, STR("s")), STR("")));
    assert_null(credentials_cookie(&cookies, STR("s")).p);
    assert_null(credentials_cookie(&none, STR("s")).p);
}

/* A session stands for its token alone, also beside one whose digest begins alike, and until its end. */
TEST(sessions_stand_for_tokens)
{
    static const struct session_key KEY = {{1, 2, 3}}, OTHER = {{1, 2, 4}};
    char text[SESSION_CHARS + 1], changed[SESSION_CHARS + 1];
    struct token_list list;
    struct diag diag = {0};

    assert_true(token_list_parse(STR("ann upload " DIGEST_A CREATED "\nbob read " DIGEST_B CREATED "\n"),
                                 &list, &diag));
    assert_true(session_make(&KEY, &list.of[1], 2000, text));
    /* HMAC-SHA256 by Python's hmac, of "session 2000 " and the digest. */
    assert_non_null(strstr(text, ".2000.87dd286e0462693eec0b5a27ca8efea6ec25426cc859af527dbdbd41d3a16ca1"));
    assert_ptr_equal(session_token(&KEY, str_of(text), 1999, &list), &list.of[1]);
    assert_null(session_token(&KEY, str_of(text), 2000, &list));
    assert_null(session_token(&OTHER, str_of(text), 1999, &list));
    for (size_t i = 0; i < strlen(text); i++) {
        memcpy(changed, text, sizeof(changed));
        changed[i] = changed[i] == '1' ? '2' : '1';
        assert_null(session_token(&KEY, str_of(changed), 1999, &list));
        assert_null(session_token(&KEY, (struct str){text, i}, 1999, &list));
    }
    token_list_free(&list);
    assert_true(token_list_parse(STR("ann upload " DIGEST_A CREATED "\n"), &list,
                                 &diag)); /* bob's token is revoked */
    assert_null(session_token(&KEY, str_of(text), 1999, &list));
    token_list_free(&list);
}

TEST(the_key_is_kept_in_the_store)
{
    struct record_fixture f = record_fixture_begin();
    struct session_key first, second;
    struct diag diag = {0};

    assert_true(session_key_open(f.store, &first, &diag));
    assert_true(session_key_open(f.store, &second, &diag));
    assert_memory_equal(&first, &second, sizeof(first));
    assert_int_equal(local_replace(store_local(f.store), "keys/session", STR("short")), STORE_OK);
    assert_false(session_key_open(f.store, &second, &diag));
    assert_non_null(strstr(diag.hint, "keys/session"));
    record_fixture_end(&f);
}
