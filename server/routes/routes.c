#include "server/routes/routes.h"

#include <string.h>

#include "server/http/problem.h"
#include "server/routes/routes_table.h"

#define ROUTE_ROW(method, path, keys, body, handle, help) {method, path, keys, body, handle, help},
const struct route ROUTES[] = {ROUTES_TABLE(ROUTE_ROW)};
#undef ROUTE_ROW

const size_t ROUTES_COUNT = sizeof(ROUTES) / sizeof(*ROUTES);

static bool path_matches(const char *pattern, struct exchange *x)
{
    struct str rest = x->path;
    size_t n = 0;

    for (char before = '/'; *pattern != '\0'; before = *pattern++) {
        size_t taken = 1;
        if (*pattern == '{') {
            pattern = strchr(pattern, '}');
            taken = str_find(rest, '/');
            if ((taken == 0 && before == '/') || n == EXCHANGE_PARAMETERS_MAX)
                return false;
            x->parameters[n++] = (struct str){rest.p, taken};
        } else if (rest.n == 0 || *rest.p != *pattern) {
            return false;
        }
        rest.p += taken, rest.n -= taken;
    }
    return rest.n == 0;
}

static bool method_matches(const struct route *r, const struct exchange *x)
{
    struct str method = str_eq(x->method, STR("HEAD")) ? STR("GET") : x->method;

    return str_eq(str_of(r->method), method);
}

/* Methods of the routes with this path, as the Allow header lists them. */
static void put_allowed(struct exchange *x, struct buf *b)
{
    for (size_t i = 0; i < ROUTES_COUNT - 1; i++) {
        if (!path_matches(ROUTES[i].path, x))
            continue;
        if (b->n > 0)
            buf_z(b, ", ");
        buf_z(b, ROUTES[i].method);
        if (str_eq(str_of(ROUTES[i].method), STR("GET")))
            buf_z(b, ", HEAD");
    }
}

struct unknown_key {
    unsigned keys;
    struct str name; /* p == NULL: none was found */
};

static bool is_known(void *context, struct str key, struct str value)
{
    struct unknown_key *u = context;
    bool of_b;

    (void)value;
    if (key_find(u->keys, key, &of_b) != NULL)
        return true;
    u->name = key;
    return false;
}

/* False: x->reply names a key that the route does not know. */
static bool query_fits(struct exchange *x, const struct route *r)
{
    struct unknown_key unknown = {.keys = r->keys};
    struct diag diag = {0};

    x->keys = r->keys;
    if ((r->keys & (KEYS_ANY | KEYS_VIEW)) != 0)
        return true;
    x->each_query(x, is_known, &unknown);
    if (unknown.name.p == NULL)
        return true;
    keys_refuse(r->keys, "key of the query", unknown.name, &diag);
    exchange_diag(x, &diag);
    return false;
}

static void refuse(struct exchange *x)
{
    struct buf allowed = {0};

    put_allowed(x, &allowed);
    if (allowed.n > 0) {
        exchange_problem(x, 405, "method not allowed", "The Allow header names what it takes.",
                         "This URL does not take %.*s.", (int)(x->method.n < 32 ? x->method.n : 32),
                         x->method.p);
        reply_header(&x->reply, "Allow", "%.*s", (int)allowed.n, allowed.p);
    } else {
        exchange_problem(x, 404, "not found", "The front page, /, says what there is.",
                         "There is nothing at this URL.");
    }
    buf_free(&allowed);
}

const struct route *route_find(struct exchange *x)
{
    for (size_t i = 0; i < ROUTES_COUNT; i++)
        if (method_matches(&ROUTES[i], x) && path_matches(ROUTES[i].path, x))
            return query_fits(x, &ROUTES[i]) ? &ROUTES[i] : NULL;
    refuse(x);
    return NULL;
}
