/* What a client prefers (RFC 9110, 12.5.1), and under which name it knows the service. */
#include "tests/support/unit.h"

#include "server/http/exchange.h"

#include <stdio.h>
#include <string.h>

struct expectation {
    const char *accept;
    enum representation as;
};

static void check(const struct expectation *all, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (negotiate(str_of(all[i].accept)) != all[i].as)
            fail_msg("%s: got %d, expected %d", all[i].accept, negotiate(str_of(all[i].accept)), all[i].as);
}

#define CHECK(all) check((all), sizeof(all) / sizeof((all)[0]))

TEST(well_known_clients)
{
    static const struct expectation ALL[] = {
        {"*/*", AS_TEXT},
        {"text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8", AS_HTML},
        {"image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8", AS_SVG},
        {"application/json, text/plain, */*", AS_JSON},
        {"application/json", AS_JSON},
        {"application/problem+json", AS_JSON},
        {"image/svg+xml", AS_SVG},
        {"text/plain", AS_TEXT},
        {"", AS_TEXT},
    };

    CHECK(ALL);
}

TEST(qualities)
{
    static const struct expectation ALL[] = {
        {"text/html;q=0.5,application/json", AS_JSON},
        {"text/html;q=0.5,application/json;q=0.4", AS_HTML},
        {"text/html;q=0.123,application/json;q=0.124", AS_JSON},
        {"text/html;q=1.000,application/json;q=0.999", AS_HTML},
        {"text/html;q=0", AS_TEXT},
        {"text/html;q=0.000,image/svg+xml;q=0.001", AS_SVG},
        {"text/html;level=1;q=0.2;x=y,application/json;q=0.3", AS_JSON},
        {"text/html ; Q = 0.2 , application/json ; q=0.3", AS_JSON},
        {"text/plain;q=0.9,text/html", AS_HTML},
    };

    CHECK(ALL);
}

TEST(equal_ones_in_their_order)
{
    static const struct expectation ALL[] = {
        {"application/json,text/html", AS_JSON},
        {"text/html,application/json", AS_HTML},
        {"text/plain,text/html", AS_TEXT},
        {"image/svg+xml;q=0.7,text/html;q=0.7", AS_SVG},
    };

    CHECK(ALL);
}

TEST(wildcards_count_for_nothing)
{
    static const struct expectation ALL[] = {{"text/*", AS_TEXT},
                                             {"image/*", AS_TEXT},
                                             {"*/*;q=0.1,application/json;q=0.05", AS_JSON},
                                             {"*", AS_TEXT}};

    CHECK(ALL);
}

TEST(malformed)
{
    static const struct expectation ALL[] = {
        {"text/html;q=2", AS_TEXT},
        {"text/html;q=1.001", AS_TEXT},
        {"text/html;q=0.1234", AS_TEXT},
        {"text/html;q=.5", AS_TEXT},
        {"text/html;q=", AS_TEXT},
        {"text/html;q=-1", AS_TEXT},
        {"text/html;q=0x1", AS_TEXT},
        {"text/html;q=1,", AS_HTML},
        {",,;,text/html", AS_HTML},
        {"text/htmlx", AS_TEXT},
        {"xtext/html", AS_TEXT},
        {"text/html;x=\"a,application/json\"", AS_HTML},
        {"a/b;x=\"\\\",text/html\"", AS_TEXT},
        {"a/b;x=\"never closed,text/html", AS_TEXT},
        {"a/b;x=\"\\", AS_TEXT},
        {"TEXT/HTML", AS_HTML},
    };

    CHECK(ALL);
}

TEST(hostile_length)
{
    static char text[200000];

    memset(text, ',', sizeof(text));
    assert_int_equal(negotiate((struct str){text, sizeof(text)}), AS_TEXT);
    memset(text, '"', sizeof(text));
    assert_int_equal(negotiate((struct str){text, sizeof(text)}), AS_TEXT);
    assert_int_equal(negotiate((struct str){NULL, 0}), AS_TEXT);
}

/* ---- the service's own URL ---- */

static struct str host;

static struct str host_header(const struct exchange *x, const char *name)
{
    (void)x;
    assert_string_equal(name, "Host");
    return host;
}

static void check_url(const char *external, const char *address, struct str header, const char *expected)
{
    struct config config = {0};
    struct service service = {.config = &config};
    struct exchange x = {.service = &service, .header = host_header};
    struct buf b = {0};

    snprintf(config.external_url, sizeof(config.external_url), "%s", external);
    snprintf(service.address, sizeof(service.address), "%s", address);
    host = header;
    exchange_base_url(&x, &b);
    assert_buf(&b, expected);
}

TEST(base_url)
{
    static char long_host[1000];
    const struct str none = {NULL, 0};

    memset(long_host, 'a', sizeof(long_host));
    check_url("https://profiles.example.org", "127.0.0.1:8192", STR("evil.example"),
              "https://profiles.example.org");
    check_url("", "127.0.0.1:8192", none, "http://127.0.0.1:8192");
    check_url("", "127.0.0.1:8192", STR("build.lan:80"), "http://build.lan:80");
    check_url("", "127.0.0.1:8192", STR("[::1]:8192"), "http://[::1]:8192");
    check_url("", "127.0.0.1:8192", STR(""), "http://127.0.0.1:8192");
    check_url("", "127.0.0.1:8192", STR("a\r\nSet-Cookie: x"), "http://127.0.0.1:8192");
    check_url("", "127.0.0.1:8192", STR("\"><script>"), "http://127.0.0.1:8192");
    check_url("", "127.0.0.1:8192", STR("user@host"), "http://127.0.0.1:8192");
    check_url("", "127.0.0.1:8192", STR("a/b"), "http://127.0.0.1:8192");
    check_url("", "127.0.0.1:8192", (struct str){long_host, sizeof(long_host)}, "http://127.0.0.1:8192");
    check_url("", "unix:/run/aflamed.sock", none, "http://localhost");
}
