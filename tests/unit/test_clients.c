/* Clients by address, and their shares. */
#include "tests/support/unit.h"

#include "server/http/clients.h"

static struct client *client(struct clients *c, const char *text)
{
    struct network_address a;

    assert_true(network_parse(str_of(text), &a));
    struct client *found = client_ref(c, &a);
    assert_non_null(found);
    return found;
}

TEST(one_address_is_one_client)
{
    struct client_shares shares = {1, 1};
    struct clients *c = clients_new(&shares);

    assert_non_null(c);
    struct client *a = client(c, "192.0.2.1"), *b = client(c, "192.0.2.2"), *again = client(c, "192.0.2.1");
    assert_ptr_equal(a, again);
    assert_ptr_not_equal(a, b);
    assert_ptr_equal(client_again(a), a);
    assert_string_equal(client_text(b), "192.0.2.2");
    client_unref(a);
    client_unref(a);
    client_unref(again);
    client_unref(b);
    client_unref(NULL);
    clients_free(c);
}

TEST(each_has_its_share)
{
    struct client_shares shares = {2, 1};
    struct clients *c = clients_new(&shares);

    assert_non_null(c);
    struct client *a = client(c, "192.0.2.1"), *b = client(c, "192.0.2.2");
    assert_true(client_connect(a));
    assert_true(client_connect(a));
    assert_false(client_connect(a));
    assert_true(client_connect(b));
    client_disconnect(a);
    assert_true(client_connect(a));
    assert_true(client_wait(a));
    assert_false(client_wait(a));
    assert_true(client_wait(b));
    client_waited(a);
    assert_true(client_wait(a));
    client_unref(a);
    client_unref(b);
    clients_free(c);
}

TEST(who_has_no_address_has_no_share_to_keep_to)
{
    struct client_shares shares = {0, 0};
    struct clients *c = clients_new(&shares);

    assert_non_null(c);
    struct client *nobody = client_ref(c, NULL), *again = client_ref(c, NULL);
    assert_ptr_equal(nobody, again);
    assert_true(client_connect(nobody));
    assert_true(client_wait(nobody));
    assert_string_equal(client_text(nobody), "-");
    client_unref(nobody);
    client_unref(again);
    clients_free(c);
}

TEST(many_clients_come_and_go)
{
    enum { MANY = 5000 };
    static struct client *held[MANY];
    struct client_shares shares = {1, 1};
    struct clients *c = clients_new(&shares);

    assert_non_null(c);
    for (uint32_t i = 0; i < MANY; i++) {
        struct network_address a = {{(uint8_t)(i >> 8), (uint8_t)i, 7}};
        held[i] = client_ref(c, &a);
        assert_non_null(held[i]);
        assert_true(client_connect(held[i]));
    }
    for (uint32_t i = 0; i < MANY; i += 2)
        client_unref(held[i]);
    for (uint32_t i = 1; i < MANY; i += 2) {
        assert_false(client_connect(held[i]));
        client_unref(held[i]);
    }
    clients_free(c);
}
