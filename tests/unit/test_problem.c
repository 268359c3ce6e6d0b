/* Errors in the three forms in which clients want them. */
#include "tests/support/unit.h"

#include "server/http/exchange.h"
#include "server/pages/pages.h"

#include <jansson.h>
#include <string.h>

static struct exchange exchange_of(enum representation accepts)
{
    struct exchange x = {.id = "4711", .accepts = accepts, .problem_page = page_problem};

    reply_init(&x.reply);
    return x;
}

static const char *body(struct exchange *x)
{
    assert_int_equal(x->reply.kind, REPLY_BUFFER);
    buf_char(&x->reply.body, '\0');
    assert_false(x->reply.body.failed);
    assert_false(x->reply.text.failed);
    x->reply.body.n--;
    return x->reply.body.p;
}

TEST(as_text)
{
    struct exchange x = exchange_of(AS_TEXT);

    exchange_problem(&x, 404, "not found", "Check the link.", "There is no profile %s.", "abc");
    assert_int_equal(x.reply.status, 404);
    assert_string_equal(body(&x), "error: not found: There is no profile abc.\nhint: Check the link.\n");
    assert_string_equal(reply_header_value(&x.reply, "Content-Type"), "text/plain; charset=utf-8");
    assert_string_equal(reply_header_value(&x.reply, "Vary"), "Accept, Accept-Encoding");
    assert_string_equal(reply_header_value(&x.reply, "X-Content-Type-Options"), "nosniff");
    reply_free(&x.reply);
}

TEST(text_without_hint_and_for_pictures)
{
    struct exchange x = exchange_of(AS_SVG);

    exchange_problem(&x, 500, "broken", "", "Something broke.");
    assert_string_equal(body(&x), "error: broken: Something broke.\n");
    reply_free(&x.reply);
}

TEST(as_json)
{
    struct exchange x = exchange_of(AS_JSON);
    struct diag diag = {0};

    diag_at(&diag, DIAG_UNUSABLE, 1234, "damaged \"file\"", "Pull it again.",
            "Byte \x01 and \xff are wrong.");
    exchange_diag(&x, &diag);
    assert_int_equal(x.reply.status, 422);
    assert_string_equal(reply_header_value(&x.reply, "Content-Type"), "application/problem+json");
    json_t *json = json_loads(body(&x), 0, NULL);
    assert_non_null(json);
    assert_string_equal(json_string_value(json_object_get(json, "type")), "about:blank");
    assert_string_equal(json_string_value(json_object_get(json, "title")), "damaged \"file\"");
    assert_int_equal(json_integer_value(json_object_get(json, "status")), 422);
    assert_string_equal(json_string_value(json_object_get(json, "hint")), "Pull it again.");
    assert_string_equal(json_string_value(json_object_get(json, "request_id")), "4711");
    assert_int_equal(json_integer_value(json_object_get(json, "offset")), 1234);
    assert_string_equal(x.why, "damaged \"file\": Byte \x01 and \xff are wrong. (at byte 1234)");
    assert_string_equal(json_string_value(json_object_get(json, "detail")),
                        "Byte \xe2\x90\x81 and \xef\xbf\xbd are wrong.");
    json_decref(json);
    reply_free(&x.reply);
}

TEST(json_without_offset_and_hint)
{
    struct exchange x = exchange_of(AS_JSON);

    exchange_problem(&x, 400, "bad", "", "Bad.");
    json_t *json = json_loads(body(&x), 0, NULL);
    assert_non_null(json);
    assert_null(json_object_get(json, "offset"));
    assert_null(json_object_get(json, "hint"));
    json_decref(json);
    reply_free(&x.reply);
}

TEST(as_page)
{
    struct exchange x = exchange_of(AS_HTML);
    struct diag diag = {0};

    diag_at(&diag, DIAG_UNUSABLE, 99, "damaged", "Pull <it> again.", "<script>alert(1)</script>");
    exchange_diag(&x, &diag);
    const char *page = body(&x);
    assert_null(strstr(page, "<script"));
    assert_non_null(strstr(page, "&lt;script&gt;"));
    assert_non_null(strstr(page, "(at byte 99)"));
    assert_non_null(strstr(page, "Pull &lt;it&gt; again."));
    assert_non_null(strstr(page, "4711"));
    assert_non_null(strstr(reply_header_value(&x.reply, "Content-Security-Policy"), "default-src 'none'"));
    assert_string_equal(reply_header_value(&x.reply, "Vary"), "Accept, Accept-Encoding, User-Agent");
    reply_free(&x.reply);
}

TEST(statuses)
{
    static const struct {
        enum diag_kind kind;
        unsigned status;
    } ALL[] = {{DIAG_EMPTY, 400},   {DIAG_USAGE, 400},    {DIAG_NOT_FOUND, 404}, {DIAG_LIMIT, 413},
               {DIAG_UNKNOWN, 415}, {DIAG_UNUSABLE, 422}, {DIAG_NO_MEMORY, 503}, {DIAG_BUSY, 503},
               {DIAG_FULL, 507},    {DIAG_IO, 500}};

    for (size_t i = 0; i < sizeof(ALL) / sizeof(ALL[0]); i++) {
        struct exchange x = exchange_of(AS_TEXT);
        struct diag diag = {0};
        diag_set(&diag, ALL[i].kind, "t", "h", "d");
        exchange_diag(&x, &diag);
        assert_int_equal(x.reply.status, ALL[i].status);
        const char *again = reply_header_value(&x.reply, "Retry-After");
        if (ALL[i].status == 503)
            assert_string_equal(again, "10");
        else
            assert_null(again);
        reply_free(&x.reply);
    }
}

/* What the handler had begun is gone, headers and all; that the connection ends stays. */
TEST(replaces_what_was_begun)
{
    struct exchange x = exchange_of(AS_TEXT);

    buf_z(reply_text(&x.reply, 200, "image/svg+xml"), "<svg>");
    reply_header(&x.reply, "ETag", "\"1\"");
    x.reply.close = true;
    exchange_problem(&x, 500, "broken", "", "d");
    assert_null(reply_header_value(&x.reply, "ETag"));
    assert_string_equal(reply_header_value(&x.reply, "Content-Type"), "text/plain; charset=utf-8");
    assert_string_equal(body(&x), "error: broken: d\n");
    assert_true(x.reply.close);
    reply_free(&x.reply);
}

TEST(long_details_are_cut)
{
    struct exchange x = exchange_of(AS_TEXT);

    exchange_problem(&x, 400, "t", "", "%*d", 5000, 1);
    assert_true(strlen(body(&x)) < 1100);
    reply_free(&x.reply);
}
