#include "server/routes/admit.h"

#include <time.h>

#include "core/system/log.h"
#include "server/doors/doors.h"
#include "server/http/clients.h"
#include "server/http/exchange.h"
#include "server/pages/page_frame.h"
#include "server/service.h"

void admits_log(const struct exchange *x, const char *what, struct str id)
{
    LOG(x->service->log, LOG_INFO, what, LOG_STR("id", id), LOG_STR("who", who_logged(&x->who)),
        LOG_STR("client", str_of(client_text(x->client))), LOG_STR("request", str_of(x->id)));
}

/* ---- refusing ---- */

/* What was asked for, seen from the root of the service. */
static struct str below_root(const struct exchange *x)
{
    return x->target.n > 1 ? str_from(x->target, 1) : STR("");
}

/* The form leads back to what was asked for. */
static void lead_to_login(struct exchange *x)
{
    struct str root = page_root(x->path);
    struct buf query = {0};

    buf_percent(&query, below_root(x));
    if (query.n > ADMITS_TO_BYTES_MAX)
        buf_clear(&query);
    reply_static(&x->reply, 303, "text/plain; charset=utf-8", STR("Log in first.\n"));
    if (query.failed)
        x->reply.text.failed = true;
    else
        reply_header(&x->reply, "Location", "%.*slogin?next=%.*s", (int)root.n, root.p, (int)query.n,
                     query.n > 0 ? query.p : "");
    reply_header(&x->reply, "Cache-Control", "no-store");
    reply_header(&x->reply, "Vary", "Accept");
    buf_free(&query);
}

/* Browsers that are asked for Basic show a prompt of their own, also for what a script of a page fetches: that is told
 * of Bearer, which they do not know. */
static void put_challenge(struct exchange *x)
{
    struct str mode = x->header(x, "Sec-Fetch-Mode");
    bool by_script = mode.p != NULL && !str_eq(mode, STR("navigate"));

    reply_header(&x->reply, "WWW-Authenticate",
                 by_script ? "Bearer realm=\"aflamed\"" : "Basic realm=\"aflamed\", charset=\"UTF-8\"");
}

void admits_challenge(struct exchange *x, const char *title, const char *detail)
{
    bool has_tokens = x->service->config->tokens_file[0] != '\0';

    exchange_problem(
        x, 401, title,
        has_tokens ? "Send a token: curl -u NAME:TOKEN, or the header Authorization: Bearer TOKEN; in a "
                     "browser, log in at /login."
                   : "Come through the proxy, and log in there.",
        "%s", detail);
    put_challenge(x);
}

static void log_refused(const struct exchange *x)
{
    LOG(x->service->log, LOG_INFO, "refused", LOG_STR("who", who_logged(&x->who)),
        LOG_STR("method", x->method), LOG_STR("target", x->path), LOG_U64("status", x->reply.status),
        LOG_STR("client", str_of(client_text(x->client))), LOG_STR("request", str_of(x->id)));
}

/* A browser is led to the form, and comes back from there; a program is told what to send. */
static void ask_who(struct exchange *x)
{
    bool reads_page = x->accepts == AS_HTML && exchange_reads(x);

    if (reads_page && x->service->config->tokens_file[0] != '\0')
        lead_to_login(x);
    else
        admits_challenge(x, "not logged in", "This is for people and programs that the service knows.");
    log_refused(x);
}

static void ask_again(struct exchange *x)
{
    admits_challenge(x, "not known", "There is no such token, or it was revoked.");
    log_refused(x);
}

static bool refuse(struct exchange *x, const char *hint, const char *detail)
{
    exchange_problem(x, 403, "not allowed", hint, "%s", detail);
    log_refused(x);
    return false;
}

/* Who is known hears what is missing; anybody else is asked, if the service knows anybody. Always false. */
static bool keep_out(struct exchange *x, const char *hint, const char *missing)
{
    if (x->who.by != WHO_NOBODY)
        return refuse(x, hint, missing);
    if (x->service->doors == NULL)
        return refuse(x, "Whoever runs the service can set tokens_file or user_header.",
                      "This is for those whom the service knows, and it knows nobody.");
    ask_who(x);
    return false;
}

/* ---- who ---- */

static enum door_found find_who(struct exchange *x)
{
    const struct config *config = x->service->config;

    if (x->service->doors == NULL) {
        x->who.scopes = SCOPE_UPLOAD | SCOPE_READ;
        return DOOR_NOBODY;
    }
    struct door_asked asked = {x->header(x, "Authorization"), x->header(x, "Cookie"), {NULL, 0}};
    if (x->by_proxy && config->user_header[0] != '\0') {
        /* A proxy that adds its own to that of the client would let the client choose. */
        if (x->headers(x, config->user_header) > 1)
            return DOOR_WRONG;
        asked.user = x->header(x, config->user_header);
    }
    return doors_who(x->service->doors, &asked, (int64_t)time(NULL), &x->who);
}

/* A page of another site can make a browser send a cookie: not one of our own pages, which browsers tell. */
static bool is_made_to_change(const struct exchange *x)
{
    return x->who.by == WHO_BY_SESSION && !exchange_reads(x) && !exchange_is_of_own_page(x);
}

static unsigned scope_of(enum door door)
{
    return door == DOOR_UPLOAD  ? SCOPE_UPLOAD
           : door == DOOR_SPACE ? SCOPE_READ
           : door == DOOR_ADMIN ? SCOPE_ADMIN
                                : 0;
}

bool admits_space(struct exchange *x, struct str space)
{
    return ((x->who.scopes & SCOPE_READ) != 0 && who_is_for(&x->who, space)) ||
           keep_out(x, "Ask whoever runs the service for a token with the scope read for that space.",
                    "Only who may read the space sees what is listed there.");
}

bool admits(struct exchange *x, const struct route *route)
{
    enum door_found found = find_who(x);
    unsigned wanted = scope_of(route->door);

    x->door = route->door;
    if (route->door == DOOR_OPEN && found == DOOR_WRONG)
        return true;
    if (found == DOOR_WRONG) {
        ask_again(x);
        return false;
    }
    if (is_made_to_change(x))
        return refuse(
            x, "Use the service's own page, or send the token itself.",
            "A session is believed only if the browser says that a page of the service sent the request.");
    return wanted == 0 || (x->who.scopes & wanted) != 0 ||
           keep_out(x, "Ask whoever runs the service for a token with that scope.",
                    "This needs a scope that you do not have.");
}

struct str admits_way_back(const struct exchange *x)
{
    bool may_log_in = x->who.by == WHO_NOBODY && x->service->config->tokens_file[0] != '\0';

    return may_log_in ? below_root(x) : STR("");
}

/* ---- uploads ---- */

bool admits_owner(const struct exchange *x, const struct record *r)
{
    return (x->who.scopes & SCOPE_UPLOAD) != 0 && x->who.by != WHO_NOBODY && r->owner[0] != '\0' &&
           str_eq(str_of(x->who.name), str_of(r->owner)) && who_is_for(&x->who, str_of(r->space));
}

bool admits_without_token(const struct exchange *x, const struct record *r, enum scope scope)
{
    return admits_owner(x, r) ||
           ((x->who.scopes & (unsigned)scope) != 0 && who_is_for(&x->who, str_of(r->space)));
}

/* The scope that lets in those who may not read: to change or to delete the upload, and nothing else of it. */
static unsigned scope_beside_reading(const struct exchange *x)
{
    return x->door == DOOR_CHANGE ? SCOPE_CHANGE : x->door == DOOR_DELETE ? SCOPE_DELETE : 0;
}

bool admits_reader(struct exchange *x, const struct record *r)
{
    x->team = x->team || r->team;
    if (!r->team || x->passed || admits_owner(x, r))
        return true;
    if (x->who.by != WHO_NOBODY && who_is_for(&x->who, str_of(r->space)) &&
        (x->who.scopes & (SCOPE_READ | scope_beside_reading(x))) != 0)
        return true;
    return keep_out(x, "Ask the person who uploaded it, or whoever runs the service.",
                    "This upload is for the team, and you may not read these.");
}
