#include "server/routes/routes.h"

#include "server/http/fields.h"
#include "server/http/form_body.h"
#include "server/http/problem.h"
#include "server/routes/handlers.h"

/* clang-format off */
const struct route ROUTES[] = {
    {"GET", "/", NULL, NULL, handle_home,
        "The upload form; the manual for a terminal"},
    {"POST", "/", NULL, &UPLOAD_BODY, handle_upload,
        "Uploads a profile; the answer is its link, or the picture with output="},
    {"POST", "/api/v1/profiles", NULL, &UPLOAD_BODY, handle_upload,
        "The same as POST /"},
    {"GET", "/p/{}", "", NULL, handle_profile,
        "One profile: page, line of text, or JSON, by Accept or by .html, .txt, .json"},
    {"DELETE", "/p/{}", "", NULL, handle_delete,
        "Deletes the upload whose token is in X-Delete-Token"},
    {"GET", "/p/{}/delete", "token", NULL, handle_delete_form,
        "The question before deleting"},
    {"POST", "/p/{}/delete", "", &FORM_BODY, handle_delete_posted,
        "Deletes the upload; field: token"},
    {"GET", "/p/{}/status.json", "wait made", NULL, handle_status,
        "How many views are made; waits up to wait= seconds until more than made= are"},
    {"GET", "/p/{}/events", "", NULL, handle_events,
        "The same as a stream of server-sent events"},
    {"GET", "/p/{}/raw", "", NULL, handle_raw,
        "The uploaded file"},
    {"POST", "/p/{}/rename", "name expires", &FORM_BODY, handle_rename,
        "Changes name and expiry; fields: token, name, expires"},
    {"GET", "/p/{}/t", NULL, NULL, handle_track_choice,
        "Leads on to the track and the options that a form chose"},
    {"GET", "/p/{}/t/{}", NULL, NULL, handle_track,
        "One track, several, all or merged: page, or with a suffix one output"},
    {"GET", "/p/{}/t/{}/thumb.svg", NULL, NULL, handle_thumb,
        "A small picture of it"},
    {"GET", "/p/{}/t/{}/tree", NULL, NULL, handle_tree,
        "What the script of a picture loads later"},
    {"GET", "/uploads", NULL, NULL, handle_uploads,
        "The uploads that this browser knows"},
    {"GET", "/healthz", NULL, NULL, handle_healthz,
        "Answers ok while the service runs"},
    {"GET", "/favicon.ico", NULL, NULL, handle_no_icon,
        NULL},
    {"GET", "/version", NULL, NULL, handle_version,
        "Name and version of the service"},
    {"GET", "/demo.trace", NULL, NULL, handle_demo,
        "A trace to try the service with"},
    {"GET", "/static/{}/{}", NULL, NULL, handle_static,
        NULL},
    /* Last: any name may be put, and nothing else is there by that name. */
    {"PUT", "/{}", NULL, &UPLOAD_BODY, handle_upload,
        "Uploads a profile of that name, as POST / does"},
};
/* clang-format on */

const size_t ROUTES_COUNT = sizeof(ROUTES) / sizeof(*ROUTES);

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
    const char *known;
    struct str name; /* p == NULL: none was found */
};

/* What stands between two & signs, or behind the last, is no key. */
static bool is_known(void *context, struct str key, struct str value)
{
    struct unknown_key *u = context;

    if ((key.n == 0 && value.n == 0) || fields_have(u->known, key))
        return true;
    u->name = key;
    return false;
}

/* False: x->reply names a key that the route does not know. */
static bool query_fits(struct exchange *x, const struct route *r)
{
    struct unknown_key unknown = {.known = r->query};
    struct diag diag = {0};

    if (r->query == NULL)
        return true;
    x->each_query(x, is_known, &unknown);
    if (unknown.name.p == NULL)
        return true;
    fields_refuse(&diag, "key of the query", unknown.name, r->query);
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
