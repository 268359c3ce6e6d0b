#include "server/routes/routes.h"

#include "server/routes/handlers.h"

static const struct route ROUTES[] = {
    {"GET", "/", BODY_NONE, NULL, handle_home},
    {"POST", "/", BODY_UPLOAD, begin_upload, handle_upload},
    {"POST", "/api/v1/profiles", BODY_UPLOAD, begin_upload, handle_upload},
    {"GET", "/p/{}", BODY_NONE, NULL, handle_profile},
    {"DELETE", "/p/{}", BODY_NONE, NULL, handle_delete},
    {"GET", "/p/{}/delete", BODY_NONE, NULL, handle_delete_form},
    {"POST", "/p/{}/delete", BODY_FORM, begin_form, handle_delete_posted},
    {"GET", "/p/{}/status.json", BODY_NONE, NULL, handle_status},
    {"GET", "/p/{}/events", BODY_NONE, NULL, handle_events},
    {"GET", "/p/{}/raw", BODY_NONE, NULL, handle_raw},
    {"POST", "/p/{}/rename", BODY_FORM, begin_form, handle_rename},
    {"GET", "/p/{}/t", BODY_NONE, NULL, handle_track_choice},
    {"GET", "/p/{}/t/{}", BODY_NONE, NULL, handle_track},
    {"GET", "/p/{}/t/{}/thumb.svg", BODY_NONE, NULL, handle_thumb},
    {"GET", "/p/{}/t/{}/tree", BODY_NONE, NULL, handle_tree},
    {"GET", "/uploads", BODY_NONE, NULL, handle_uploads},
    {"GET", "/healthz", BODY_NONE, NULL, handle_healthz},
    {"GET", "/favicon.ico", BODY_NONE, NULL, handle_no_icon},
    {"GET", "/version", BODY_NONE, NULL, handle_version},
    {"GET", "/demo.trace", BODY_NONE, NULL, handle_demo},
    {"GET", "/static/{}/{}", BODY_NONE, NULL, handle_static},
    /* Last: any name may be put, and nothing else is there by that name. */
    {"PUT", "/{}", BODY_UPLOAD, begin_upload, handle_upload},
};

enum { ROUTES_COUNT = sizeof(ROUTES) / sizeof(*ROUTES) };

static bool path_matches(const char *pattern, struct exchange *x)
{
    struct str rest = x->path;
    size_t n = 0;

    for (; *pattern != '\0'; pattern++) {
        size_t taken = 1;
        if (*pattern == '{') {
            pattern++; /* the other brace */
            taken = str_find(rest, '/');
            if (taken == 0 || n == EXCHANGE_PARAMETERS_MAX)
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

    return str_eq(str_of(r->methods), method);
}

/* Methods of the routes with this path, as the Allow header lists them. */
static void put_allowed(struct exchange *x, struct buf *b)
{
    for (size_t i = 0; i < ROUTES_COUNT - 1; i++) {
        if (!path_matches(ROUTES[i].path, x))
            continue;
        if (b->n > 0)
            buf_z(b, ", ");
        buf_z(b, ROUTES[i].methods);
        if (str_eq(str_of(ROUTES[i].methods), STR("GET")))
            buf_z(b, ", HEAD");
    }
}

const struct route *route_find(struct exchange *x)
{
    struct buf allowed = {0};

    for (size_t i = 0; i < ROUTES_COUNT; i++)
        if (method_matches(&ROUTES[i], x) && path_matches(ROUTES[i].path, x))
            return &ROUTES[i];
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
    return NULL;
}
