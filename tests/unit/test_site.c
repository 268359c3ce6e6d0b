/* Hosts that are ours, and requests that pages of other sites made. */
#include "tests/support/unit.h"

#include "server/http/message/site.h"

static const struct site_own NOTHING_SAID = {{"", 0}, {"", 0}};

static struct site_own own(const char *url, const char *hosts)
{
    return (struct site_own){str_of(url), str_of(hosts)};
}

static bool ours(struct site_own o, const char *host)
{
    return site_is_ours(&o, str_of(host));
}

TEST(every_host_is_ours_if_none_is_named)
{
    assert_true(ours(NOTHING_SAID, "anything.example:1"));
    assert_true(ours(NOTHING_SAID, ""));
}

TEST(the_external_url_names_the_host)
{
    struct site_own o = own("https://Flames.example:8443/team", "");

    assert_true(ours(o, "flames.example"));
    assert_true(ours(o, "flames.example:8192"));
    assert_true(ours(o, "localhost:8192"));
    assert_true(ours(o, "127.0.0.1"));
    assert_true(ours(o, "[::1]:8192"));
    assert_false(ours(o, "evil.example"));
    assert_false(ours(o, "flames.example.evil"));
    assert_false(ours(o, ""));
}

TEST(a_list_names_hosts)
{
    struct site_own o = own("", "a.example, b.example:81,[2001:db8::1]");

    assert_true(ours(o, "a.example:8192"));
    assert_true(ours(o, "B.example:81"));
    assert_false(ours(o, "b.example"));
    assert_true(ours(o, "[2001:db8::1]:80"));
    assert_false(ours(o, "c.example"));
}

static bool foreign(struct site_own o, const char *host, const char *origin, const char *fetch)
{
    struct site_request r = {str_of(host), {NULL, 0}, {NULL, 0}};

    if (origin != NULL)
        r.origin = str_of(origin);
    if (fetch != NULL)
        r.sec_fetch_site = str_of(fetch);
    return site_is_foreign(&o, &r);
}

TEST(programs_are_not_meant)
{
    assert_false(foreign(NOTHING_SAID, "127.0.0.1:8192", NULL, NULL));
}

TEST(pages_of_other_sites_are)
{
    assert_true(foreign(NOTHING_SAID, "127.0.0.1:8192", "https://evil.example", "cross-site"));
    assert_true(foreign(NOTHING_SAID, "127.0.0.1:8192", "http://127.0.0.1:9999", "same-site"));
    assert_true(foreign(NOTHING_SAID, "127.0.0.1:8192", "null", NULL));
    assert_true(foreign(NOTHING_SAID, "127.0.0.1:8192", "", NULL));
    assert_true(foreign(NOTHING_SAID, "127.0.0.1:8192", NULL, "cross-site"));
    assert_true(foreign(NOTHING_SAID, "127.0.0.1:8192", NULL, "same-site"));
}

TEST(own_pages_are_not)
{
    assert_false(foreign(NOTHING_SAID, "127.0.0.1:8192", "http://127.0.0.1:8192", "same-origin"));
    assert_false(foreign(NOTHING_SAID, "flames.example", "https://flames.example", NULL));
    assert_false(foreign(NOTHING_SAID, "127.0.0.1:8192", NULL, "none"));
    assert_false(foreign(NOTHING_SAID, "127.0.0.1:8192", "null", "same-origin"));
    assert_false(
        foreign(own("https://flames.example", ""), "10.0.0.1:8192", "https://flames.example", "same-origin"));
}
