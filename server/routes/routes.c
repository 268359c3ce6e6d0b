#include "server/routes/routes.h"

#include <string.h>

#include "core/system/clock.h"
#include "core/system/turns.h"
#include "server/demo/demo.h"
#include "server/http/exchange.h"
#include "server/http/route.h"
#include "server/pages/page_frame.h"
#include "server/pages/pages.h"
#include "server/pages/static_assets.h"
#include "server/routes/admit.h"
#include "server/routes/routes_table.h"
#include "server/routes/view_answer.h"
#include "server/service.h"
#include "server/store/readiness.h"

/* ---- the site itself ---- */

/* The pages and answers that are not about one upload. */

enum exchange_step handle_home(struct exchange *x)
{
    bool html = x->accepts == AS_HTML;
    struct page_visitor visitor;
    struct buf base = {0};
    struct buf *b =
        reply_text(&x->reply, 200, html ? "text/html; charset=utf-8" : "text/plain; charset=utf-8");

    exchange_base_url(x, &base);
    x->reply.text.failed = x->reply.text.failed || base.failed;
    if (html)
        page_upload(b, buf_view(&base), x->service->config, view_visitor(x, &visitor));
    else
        page_manual(b, buf_view(&base), x->service->config);
    page_headers(&x->reply);
    buf_free(&base);
    return X_DONE;
}

/* The list is kept by the browser, so a terminal can only be told where to look. */
enum exchange_step handle_uploads(struct exchange *x)
{
    struct page_visitor visitor;

    if (x->accepts == AS_HTML) {
        page_uploads(reply_text(&x->reply, 200, "text/html; charset=utf-8"), view_visitor(x, &visitor));
    } else {
        struct buf *b = reply_text(&x->reply, 200, "text/plain; charset=utf-8");
        buf_z(b, "Each browser keeps the list of its own uploads. Open this in yours: ");
        exchange_base_url(x, b);
        buf_z(b, "/uploads\n");
    }
    page_headers(&x->reply);
    return X_DONE;
}

enum exchange_step handle_healthz(struct exchange *x)
{
    buf_z(reply_text(&x->reply, 200, "text/plain; charset=utf-8"), "ok\n");
    reply_header(&x->reply, "Cache-Control", "no-store");
    return X_DONE;
}

static void check_store(struct exchange *x, void *readiness)
{
    turn_give(x->turn); /* it waits for the disk */
    readiness_check(readiness);
}

static enum exchange_step tell_readiness(struct exchange *x, void *readiness)
{
    const char *reason = readiness_reason(readiness, clock_ms());

    if (reason != NULL)
        return exchange_problem(x, 503, "not ready", "Uploads are refused meanwhile; try again soon.", "%s",
                                reason);
    buf_z(reply_text(&x->reply, 200, "text/plain; charset=utf-8"), "ready\n");
    reply_header(&x->reply, "Cache-Control", "no-store");
    return X_DONE;
}

enum exchange_step handle_readyz(struct exchange *x)
{
    struct readiness *readiness = x->service->readiness;

    return readiness_is_due(readiness, clock_ms())
               ? exchange_work(x, WORK_ALWAYS, check_store, tell_readiness, readiness)
               : tell_readiness(x, readiness);
}

/* The convention of llmstxt.org: Markdown, short. */
enum exchange_step handle_llms(struct exchange *x)
{
    struct buf *b = reply_text(&x->reply, 200, "text/plain; charset=utf-8");

    buf_z(
        b,
        "# aflamed\n\n> Reads profiles of Android apps (method traces, samples, heaps, system traces) and says where the "
        "time went.\n\nUpload: `curl -F trace=@FILE ");
    exchange_base_url(x, b);
    buf_z(b, "/` answers with a link, LINK. A text with budget=N has at most N tokens.\n\n"
             "- LINK/verdict.txt: in words where the time went; begin here\n"
             "- LINK/methods.txt?group=thread: the threads; their ids are what track= takes\n"
             "- LINK/t/TRACK.txt: the heaviest part of a thread's call tree (TRACK: an id, all, merged)\n"
             "- LINK/methods.txt?track=ID&limit=20: the methods; sort=, grep=, group=class|package|origin\n"
             "- LINK/m/NAME.txt: one method, its callers and callees\n"
             "- /s/SPACE.txt?q=branch:main: the uploads of a space, newest first\n"
             "- /d/ID..ID.txt: two uploads compared\n"
             "- from=, to= (microseconds), focus=, ignore=, value=wall|cpu|..: with each of these\n"
             "- /mcp: the same as tools of the Model Context Protocol; /api.json: everything, as OpenAPI\n");
    reply_header(&x->reply, "Cache-Control", "public, max-age=3600");
    return X_DONE;
}

/* Browsers ask for it where no page names another. */
enum exchange_step handle_icon(struct exchange *x)
{
    struct static_file icon = {.media_type = STR_INIT("image/svg+xml")};

    static_by_name(STR("icon.svg"), &icon);
    reply_static(&x->reply, 200, icon.media_type.p, icon.bytes);
    reply_header(&x->reply, "Cache-Control", "public, max-age=86400");
    reply_header(&x->reply, "X-Content-Type-Options", "nosniff");
    return X_DONE;
}

enum exchange_step handle_version(struct exchange *x)
{
    if (x->accepts == AS_JSON)
        buf_printf(reply_text(&x->reply, 200, "application/json"),
                   "{\"name\":\"aflamed\",\"version\":\"%s\"}\n", SERVICE_VERSION);
    else
        buf_printf(reply_text(&x->reply, 200, "text/plain; charset=utf-8"), "aflamed %s\n", SERVICE_VERSION);
    reply_header(&x->reply, "Cache-Control", "no-store");
    reply_header(&x->reply, "Vary", "Accept");
    return X_DONE;
}

enum exchange_step handle_static(struct exchange *x)
{
    struct static_file f;

    if (!static_find(x->parameters[0], x->parameters[1], &f))
        return exchange_problem(x, 404, "not found", "Reload the page that led here.",
                                "There is no such file in this version of the service.");
    enum encoding e = encoding_for(encoding_negotiate(x->header(x, "Accept-Encoding")), f.bytes.n);
    struct str bytes = static_assets_get(x->service->static_assets, f.bytes, &e);
    reply_static(&x->reply, 200, f.media_type.p, bytes);
    if (e != ENCODING_IDENTITY)
        reply_header(&x->reply, "Content-Encoding", "%s", encoding_name(e));
    reply_header(&x->reply, "Vary", "Accept-Encoding");
    reply_header(&x->reply, "Cache-Control", "public, max-age=31536000, immutable");
    reply_header(&x->reply, "X-Content-Type-Options", "nosniff");
    return X_DONE;
}

enum exchange_step handle_demo(struct exchange *x)
{
    if (!demo_write(reply_text(&x->reply, 200, "application/octet-stream")))
        return exchange_problem(x, 503, "out of memory", "Try again later.",
                                "No memory is left to make the trace.");
    reply_header(&x->reply, "Content-Disposition", "attachment; filename=\"" DEMO_FILE_NAME "\"");
    reply_header(&x->reply, "Cache-Control", "public, max-age=3600");
    reply_header(&x->reply, "X-Content-Type-Options", "nosniff");
    return X_DONE;
}

/* ---- the table ---- */

#define ROUTE_ROW(method, path, door, keys, body, handle, help) \
    {method, path, door, keys, body, handle, help},

const struct route ROUTES[] = {ROUTES_TABLE(ROUTE_ROW)};

#undef ROUTE_ROW

const size_t ROUTES_COUNT = sizeof(ROUTES) / sizeof(*ROUTES);

const char *door_words(enum door door)
{
    static const char *const WORDS[] = {[DOOR_OPEN] = "anybody",
                                        [DOOR_UPLOAD] = "scope upload",
                                        [DOOR_READ] = "its readers",
                                        [DOOR_SPACE] = "scope read for the space",
                                        [DOOR_CHANGE] = "its owner, scope change",
                                        [DOOR_DELETE] = "its owner, scope delete",
                                        [DOOR_ADMIN] = "scope admin"};

    return WORDS[door];
}

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

/* ---- handling ---- */

static enum exchange_step call(struct exchange *x, void *route)
{
    return ((const struct route *)route)->handle(x);
}

enum exchange_step route_handle(struct exchange *x, const struct route *route)
{
    return looked_up_before(x, call, (void *)route);
}

static enum exchange_step pass(struct exchange *x, void *context)
{
    (void)x;
    (void)context;
    return X_DONE;
}

enum exchange_step route_prepare(struct exchange *x)
{
    return looked_up_before(x, pass, NULL);
}

const struct route *route_find_figures(struct exchange *x)
{
    static const struct str PATHS[] = {STR_INIT("/metrics"), STR_INIT("/healthz"), STR_INIT("/readyz")};

    /* Nobody is asked for a token here: only what is read is served, and never the row for the PUT of any name. */
    for (size_t i = 0; exchange_reads(x) && i < sizeof(PATHS) / sizeof(*PATHS); i++)
        if (str_eq(x->path, PATHS[i]))
            return route_find(x);
    exchange_problem(x, 404, "not found", "The figures are at /metrics.",
                     "There is nothing else at this address.");
    return NULL;
}

const struct route *route_lead_on(struct exchange *x)
{
    enum { TARGET_BYTES_MAX = 3000 }; /* with external_url it has to fit into a header */
    struct str target = x->target.n <= TARGET_BYTES_MAX ? x->target : STR("/");

    reply_static(&x->reply, 308, "text/plain; charset=utf-8", STR("The service is at another address.\n"));
    reply_header(&x->reply, "Location", "%s%.*s", x->service->config->external_url, (int)target.n, target.p);
    x->reply.close = true;
    return NULL;
}
