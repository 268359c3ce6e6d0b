/* Requests that a careful server does not take: one change to a good one at a time. */
#include "tests/support/unit.h"
#include <string.h>

#include "server/http/message/vet.h"

struct field {
    const char *name, *value;
};

/* Status for a request with this target, these headers (up to one without a name), and this version. */
static unsigned status_of(const char *target, const struct field *headers, const char *version)
{
    struct vet v = {0};

    vet_target(&v, str_of(target));
    for (; headers->name != NULL; headers++)
        vet_header(&v, str_of(headers->name), str_of(headers->value));
    vet_finish(&v, str_of(version));
    assert_true((v.status == 0) == (v.detail == NULL));
    return v.status;
}

static const struct field HOST[] = {{"Host", "x"}, {NULL, NULL}};

TEST(targets)
{
    static const struct {
        const char *target;
        unsigned status;
    } CASES[] = {
        {"/", 0},
        {"", 400},
        {"/a/b?c=d", 0},
        {"/%41%zz", 400},
        {"/%", 400},
        {"/%4", 400},
        {"/%00", 400},
        {"/?x=%00", 400},
        {"/%7f", 400},
        {"/a%0d%0ab", 400},
        {"/..", 400},
        {"/.", 400},
        {"/../x", 400},
        {"/a/../b", 400},
        {"/a/./b", 400},
        {"/a/..", 400},
        {"/%2e%2E/x", 400},
        {"/.%2e", 400},
        {"/a%2f..%2fb", 400},
        {"/...", 0},
        {"/a..b", 0},
        {"/.a", 0},
        {"/a.", 0},
        {"/a?b=/../c", 0},
        {"//", 0},
        {"/\x01", 400},
        {"/\xc3\xbc", 0},
        {"/%c3%bc", 0},
        {"http://x/../", 400},
        {"http://x", 0},
        {"http://x?a", 0},
        {"HTTPS://x:80/a", 0},
        {"http://[::1]:80/a", 0},
        {"http:///a", 400},
        {"http://a@x/", 400},
        {"http:/a", 400},
        {"http://", 400},
        {"ftp://x/a", 400},
        {"file:///a", 400},
        {"a", 400},
        {"*", 400},
        {"x:80", 400},
        {"?a", 400},
        {"\\a", 400},
        {"/?%", 400},
    };

    for (size_t i = 0; i < sizeof(CASES) / sizeof(*CASES); i++)
        if (status_of(CASES[i].target, HOST, "HTTP/1.1") != CASES[i].status)
            fail_msg("%s: not %u", CASES[i].target, CASES[i].status);
}

TEST(headers)
{
    enum { FIELDS_MAX = 4 };
    static const struct {
        struct field fields[FIELDS_MAX]; /* the last one has no name */
        const char *version;
        unsigned status;
    } CASES[] = {
        {{{"Host", "x"}}, "HTTP/1.1", 0},
        {{{"hOST", "x"}}, "HTTP/1.1", 0},
        {{{"Host", "[::1]:80"}}, "HTTP/1.1", 0},
        {{{NULL, NULL}}, "HTTP/1.1", 400},
        {{{NULL, NULL}}, "HTTP/1.0", 0},
        {{{"Host", ""}}, "HTTP/1.1", 400},
        {{{"Host", "x/y"}}, "HTTP/1.1", 400},
        {{{"Host", "a b"}}, "HTTP/1.1", 400},
        {{{"Host", "x"}, {"Host", "x"}}, "HTTP/1.1", 400},
        {{{"Host", "x"}, {"Content-Length", "5"}}, "HTTP/1.1", 0},
        {{{"Host", "x"}, {"Content-Length", "18446744073709551615"}}, "HTTP/1.1", 0},
        {{{"Host", "x"}, {"Content-Length", "18446744073709551616"}}, "HTTP/1.1", 400},
        {{{"Host", "x"}, {"Content-Length", ""}}, "HTTP/1.1", 400},
        {{{"Host", "x"}, {"Content-Length", "5, 5"}}, "HTTP/1.1", 400},
        {{{"Host", "x"}, {"Content-Length", "-5"}}, "HTTP/1.1", 400},
        {{{"Host", "x"}, {"Content-Length", "5"}, {"Content-Length", "5"}}, "HTTP/1.1", 400},
        {{{"Host", "x"}, {"Transfer-Encoding", "chunked"}}, "HTTP/1.1", 0},
        {{{"Host", "x"}, {"Transfer-Encoding", " Chunked\t"}}, "HTTP/1.1", 0},
        {{{"Host", "x"}, {"Transfer-Encoding", "chunked"}}, "HTTP/1.0", 400},
        {{{"Host", "x"}, {"Transfer-Encoding", "gzip, chunked"}}, "HTTP/1.1", 501},
        {{{"Host", "x"}, {"Transfer-Encoding", ""}}, "HTTP/1.1", 501},
        {{{"Host", "x"}, {"Transfer-Encoding", "chunked"}, {"Content-Length", "5"}}, "HTTP/1.1", 400},
        {{{"Host", "x"}, {"Content-Length", "5"}, {"transfer-encoding", "chunked"}}, "HTTP/1.1", 400},
        {{{"Host", "x"}, {"Transfer-Encoding", "chunked"}, {"Transfer-Encoding", "chunked"}},
         "HTTP/1.1",
         400},
        {{{"Host", "x"}, {"X", "y"}, {"x", "y"}}, "HTTP/1.1", 0},
        {{{"Host", "x"}, {"Expect", "y"}, {"expect", "y"}}, "HTTP/1.1", 400},
        {{{"Host", "x"}, {"Content-Type", "a/b"}, {"Content-Type", "c/d"}}, "HTTP/1.1", 400},
        {{{"Host", "x"}, {"Content-Type", "a/b"}, {"Content-Range", "c"}}, "HTTP/1.1", 0},
        {{{"Host", "x"}, {"Transfer-Encodingchunked", ""}}, "HTTP/1.1", 400},
        {{{"Host", "x"}, {"content-length5", "1"}}, "HTTP/1.1", 400},
        {{{"Host", "x"}, {"X-Content-Length", "1"}}, "HTTP/1.1", 0},
        {{{"Host", "x"}, {"X ", "y"}}, "HTTP/1.1", 400},
        {{{"Host", "x"}, {"", "y"}}, "HTTP/1.1", 400},
        {{{"Host", "x"}, {"X\xc3", "y"}}, "HTTP/1.1", 400},
        {{{"Host", "x"}, {"X", "a\tb \xff"}}, "HTTP/1.1", 0},
        {{{"Host", "x"}, {"X", "a\nb"}}, "HTTP/1.1", 400},
        {{{"Host", "x"}, {"X", "a\x7f"}}, "HTTP/1.1", 400},
    };

    for (size_t i = 0; i < sizeof(CASES) / sizeof(*CASES); i++)
        if (status_of("/", CASES[i].fields, CASES[i].version) != CASES[i].status)
            fail_msg("case %zu: not %u", i, CASES[i].status);
}

TEST(hosts)
{
    static const struct {
        const char *host;
        unsigned status;
    } CASES[] = {
        {"x", 0},         {"x.", 0},         {"a-b_c.d", 0},  {"127.0.0.1:1", 0}, {"x:", 0},
        {"x:65535", 0},   {"[::1]", 0},      {"[::1]:80", 0}, {"[::1]:", 0},      {"", 400},
        {".", 400},       {"..", 400},       {"a..b", 400},   {".x", 400},        {":80", 400},
        {"x:65536", 400}, {"x:80:1", 400},   {"x:a", 400},    {"[::1", 400},      {"[]", 400},
        {"[::1]8", 400},  {"x]", 400},       {"a[b]", 400},   {"a@b", 400},       {"a,b", 400},
        {"a%41", 400},    {"\xc3\xbc", 400}, {"a/b", 400},    {"a b", 400},       {" a", 400},
    };

    for (size_t i = 0; i < sizeof(CASES) / sizeof(*CASES); i++) {
        const struct field fields[] = {{"Host", CASES[i].host}, {NULL, NULL}};
        if (status_of("/", fields, "HTTP/1.1") != CASES[i].status)
            fail_msg("%s: not %u", CASES[i].host, CASES[i].status);
    }
}

TEST(host_has_a_largest_length)
{
    char host[300];
    const struct field longest[] = {{"Host", host}, {NULL, NULL}};

    memset(host, 'a', sizeof(host));
    host[255] = '\0';
    assert_int_equal(status_of("/", longest, "HTTP/1.1"), 0);
    host[255] = 'a';
    host[256] = '\0';
    assert_int_equal(status_of("/", longest, "HTTP/1.1"), 400);
}

TEST(zero_bytes_are_seen)
{
    struct vet target = {0}, name = {0}, value = {0}, host = {0};

    vet_target(&target, STR("/a\0b"));
    assert_int_equal(target.status, 400);
    vet_header(&name, STR("X\0"), STR("y"));
    assert_int_equal(name.status, 400);
    vet_header(&value, STR("X"), STR("y\0"));
    assert_int_equal(value.status, 400);
    vet_header(&host, STR("Host"), STR("y\0z"));
    assert_int_equal(host.status, 400);
}

TEST(first_fault_is_the_one_that_is_said)
{
    struct vet v = {0};

    vet_header(&v, STR("Transfer-Encoding"), STR("gzip"));
    vet_target(&v, STR("/.."));
    vet_finish(&v, STR("HTTP/1.1"));
    assert_int_equal(v.status, 501);
}
