/* Addresses of clients and lists of networks. */
#include "tests/support/unit.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/un.h>

#include "server/config/network.h"

static struct network_address address(const char *text)
{
    struct network_address a = {{0}};

    assert_true(network_parse(str_of(text), &a));
    return a;
}

static void assert_text(struct network_address a, const char *expected)
{
    char text[NETWORK_TEXT_BYTES];

    network_text(a, text);
    assert_string_equal(text, expected);
}

TEST(reads_addresses_with_and_without_port)
{
    assert_text(address("192.0.2.7"), "192.0.2.7");
    assert_text(address("192.0.2.7:4711"), "192.0.2.7");
    assert_text(address("2001:db8::1"), "2001:db8::1");
    assert_text(address("[2001:db8::1]"), "2001:db8::1");
    assert_text(address("[2001:db8::1]:80"), "2001:db8::1");
    assert_text(address("::ffff:192.0.2.7"), "192.0.2.7");
}

TEST(refuses_what_is_no_address)
{
    static const char *const WRONG[] = {"",
                                        "unknown",
                                        "192.0.2",
                                        "192.0.2.256",
                                        "[::1",
                                        "[::1]x",
                                        "192.0.2.7:1:2",
                                        "_hidden",
                                        "::1::2",
                                        "[]",
                                        "[",
                                        ":",
                                        "1.2.3.4.5.6.7.8.9",
                                        "12345::"};
    struct network_address a;

    for (size_t i = 0; i < sizeof(WRONG) / sizeof(*WRONG); i++)
        assert_false(network_parse(str_of(WRONG[i]), &a));
    assert_false(network_parse((struct str){"127.0.0.1\0x", 11}, &a));
}

TEST(a_client_is_an_ipv4_address_or_a_64)
{
    assert_text(network_of_client(address("192.0.2.7")), "192.0.2.7");
    assert_text(network_of_client(address("2001:db8:1:2:3:4:5:6")), "2001:db8:1:2::");
}

TEST(reads_peers)
{
    struct sockaddr_in in = {.sin_family = AF_INET, .sin_addr = {htonl(0x7f000002)}};
    struct sockaddr_in6 in6 = {.sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT};
    struct sockaddr_un un = {.sun_family = AF_UNIX};
    struct network_address a;

    assert_true(network_of_peer((const struct sockaddr *)&in, &a));
    assert_text(a, "127.0.0.2");
    assert_true(network_of_peer((const struct sockaddr *)&in6, &a));
    assert_text(a, "::1");
    assert_false(network_of_peer((const struct sockaddr *)&un, &a));
}

TEST(lists_hold_addresses_and_networks)
{
    struct str list = STR("10.0.0.0/9, 192.0.2.7,2001:db8::/33 , ::1");

    assert_true(network_list_valid(list));
    assert_true(network_list_holds(list, address("10.127.255.255")));
    assert_false(network_list_holds(list, address("10.128.0.0")));
    assert_true(network_list_holds(list, address("192.0.2.7")));
    assert_false(network_list_holds(list, address("192.0.2.8")));
    assert_true(network_list_holds(list, address("2001:db8:7fff::9")));
    assert_false(network_list_holds(list, address("2001:db8:8000::9")));
    assert_true(network_list_holds(list, address("::1")));
    assert_false(network_list_holds(list, address("127.0.0.1")));
    assert_false(network_list_holds(STR(""), address("127.0.0.1")));
    assert_true(network_list_holds(STR("0.0.0.0/0"), address("127.0.0.1")));
    assert_false(network_list_holds(STR("0.0.0.0/0"), address("::1")));
    assert_true(network_list_holds(STR("::/0"), address("::1")));
}

TEST(lists_are_checked)
{
    assert_true(network_list_valid(STR("")));
    assert_true(network_list_valid(STR("10.0.0.1,")));
    assert_false(network_list_valid(STR("10.0.0.0/33")));
    assert_false(network_list_valid(STR("::/129")));
    assert_false(network_list_valid(STR("10.0.0.0/")));
    assert_false(network_list_valid(STR("proxy.example")));
    assert_false(network_list_valid(STR("10.0.0.1:80")));
}
