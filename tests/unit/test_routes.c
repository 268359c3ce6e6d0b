/* The table of URLs: what is found, and how the rest is refused. */
#include "tests/support/unit.h"

#include <string.h>

#include "server/http/exchange.h"
#include "server/routes/routes.h"
#include "server/routes/routes_table.h"

struct client {
    struct exchange x; /* first */
    const char *keys[3];
};

static void each_query(const struct exchange *x,
                       bool (*each)(void *context, struct str key, struct str value), void *context)
{
    const struct client *c = (const struct client *)x;

    for (size_t i = 0; i < 3 && c->keys[i] != NULL; i++)
        if (!each(context, str_of(c->keys[i]), STR("")))
            return;
}

static struct client client_of(const char *method, const char *path)
{
    struct client c = {.x = {.method = str_of(method), .path = str_of(path), .each_query = each_query}};

    reply_init(&c.x.reply);
    return c;
}

TEST(parameters_are_what_the_braces_matched)
{
    struct client c = client_of("GET", "/p/abc/t/1,2.svg");

    const struct route *r = route_find(&c.x);
    assert_non_null(r);
    assert_ptr_equal(r->handle, handle_track);
    assert_true(str_eq(c.x.parameters[0], STR("abc")));
    assert_true(str_eq(c.x.parameters[1], STR("1,2.svg")));
    c = client_of("HEAD", "/p/abc");
    r = route_find(&c.x);
    assert_non_null(r);
    assert_ptr_equal(r->handle, handle_profile);
}

TEST(the_rest_is_refused)
{
    static const char *const NOWHERE[] = {"/p", "/p/", "/p/a/", "/p//t", "/p/a/t/1/2/3", "/x/y", "//"};
    struct client c;

    for (size_t i = 0; i < sizeof(NOWHERE) / sizeof(NOWHERE[0]); i++) {
        c = client_of("GET", NOWHERE[i]);
        assert_null(route_find(&c.x));
        assert_int_equal(c.x.reply.status, 404);
        reply_free(&c.x.reply);
    }
    c = client_of("POST", "/p/a");
    assert_null(route_find(&c.x));
    assert_int_equal(c.x.reply.status, 405);
    assert_string_equal(reply_header_value(&c.x.reply, "Allow"), "GET, HEAD, DELETE");
    reply_free(&c.x.reply);
}

TEST(a_key_that_nobody_knows_is_named)
{
    struct client c = client_of("GET", "/p/a/status.json");

    c.keys[0] = "made";
    assert_non_null(route_find(&c.x));
    c.keys[1] = "wiat";
    assert_null(route_find(&c.x));
    assert_int_equal(c.x.reply.status, 400);
    buf_char(&c.x.reply.body, '\0');
    assert_non_null(strstr(c.x.reply.body.p, "\"wiat\""));
    assert_non_null(strstr(c.x.reply.body.p, "Known: wait, made."));
    assert_non_null(strstr(c.x.reply.body.p, "Perhaps wait is meant."));
    reply_free(&c.x.reply);
    c = client_of("GET", "/healthz");
    c.keys[0] = "anything";
    assert_non_null(route_find(&c.x));
}

/* What the documentation is made of. */
TEST(rows_are_whole)
{
    for (size_t i = 0; i < ROUTES_COUNT; i++) {
        const struct route *r = &ROUTES[i];
        assert_non_null(r->handle);
        assert_int_equal(r->path[0], '/');
        assert_null(strstr(r->path, "{}"));
        assert_true(r->help == NULL || (strlen(r->help) > 0 && r->help[strlen(r->help) - 1] != '.'));
        for (size_t j = 0; j < i; j++)
            assert_false(strcmp(r->path, ROUTES[j].path) == 0 && strcmp(r->method, ROUTES[j].method) == 0);
    }
}
