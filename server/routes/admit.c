#include "server/routes/admit.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/system/log.h"
#include "core/system/threads.h"
#include "server/doors/doors.h"
#include "server/http/clients.h"
#include "server/http/exchange.h"
#include "server/http/form_body.h"
#include "server/http/message/form.h"
#include "server/pages/page_frame.h"
#include "server/pages/pages.h"
#include "server/routes/routes_table.h"
#include "server/service.h"
#include "server/store/record_cache.h"
#include "server/views/policies.h"

/* ---- the records that a request names ---- */

enum {
    IDS_MAX = 2,         /* of a comparison */
    RENEWALS_RESERVE = 3 /* threads that are left for who waits */
};

/* A state of the exchange. */
struct looked_up {
    size_t n;
    struct {
        char id[RECORD_ID_CHARS + 1];
        bool known;
        enum record_state state;
        struct record record;
    } of[IDS_MAX];
};

/* What may be an id. */
static void add(struct looked_up *l, struct str id)
{
    if (l->n < IDS_MAX && record_id_valid(id))
        memcpy(l->of[l->n++].id, id.p, RECORD_ID_CHARS);
}

/* The ids that the address names: one, or the two of a comparison, ID..ID; a suffix may stand behind them. */
static void add_ids(struct looked_up *l, const struct exchange *x)
{
    static const struct str BETWEEN = STR_INIT("..");

    for (size_t i = 0; i < EXCHANGE_PARAMETERS_MAX; i++) {
        struct str rest = x->parameters[i];
        for (bool more = true; more && rest.n >= RECORD_ID_CHARS;) {
            add(l, (struct str){rest.p, RECORD_ID_CHARS});
            rest = str_from(rest, RECORD_ID_CHARS);
            more = str_starts(rest, BETWEEN);
            if (more)
                rest = str_from(rest, BETWEEN.n);
        }
    }
}

static bool may_name_ids(const struct exchange *x)
{
    for (size_t i = 0; i < EXCHANGE_PARAMETERS_MAX; i++)
        if (x->parameters[i].n >= RECORD_ID_CHARS)
            return true;
    return false;
}

/* ---- records that are soon too old ---- */

struct renewal {
    struct thread_job job;
    struct service *service;
    char id[RECORD_ID_CHARS + 1];
};

static void renew(struct thread_job *job)
{
    struct renewal *r = (struct renewal *)job; /* its first member */

    record_cache_renew(r->service->record_cache, str_of(r->id), (int64_t)time(NULL), true);
    free(r);
}

/* Where there is no thread or no memory for it, the next request waits for the store. */
static void renew_ahead(struct exchange *x, struct str id)
{
    const int64_t now_s = (int64_t)time(NULL);
    struct record_cache *records = x->service->record_cache;

    if (!record_cache_ages(records, id, now_s))
        return;
    struct renewal *r = calloc(1, sizeof(*r));
    if (r != NULL) {
        r->job = (struct thread_job){.run = renew, .place = {TURN_AHEAD, .owner = r}};
        r->service = x->service;
        memcpy(r->id, id.p, RECORD_ID_CHARS);
    }
    if (r == NULL || !threads_try(x->service->threads, THREADS_SHORT, &r->job, RENEWALS_RESERVE)) {
        free(r);
        record_cache_renew(records, id, now_s, false);
    }
}

/* ---- before a request ---- */

static bool find_all(struct exchange *x, struct looked_up *l)
{
    bool all = true;

    for (size_t i = 0; i < l->n; i++) {
        l->of[i].known = record_cache_find(x->service->record_cache, str_of(l->of[i].id), (int64_t)time(NULL),
                                           &l->of[i].state, &l->of[i].record);
        if (l->of[i].known)
            renew_ahead(x, str_of(l->of[i].id));
        all = all && l->of[i].known;
    }
    return all;
}

/* The context is that of what goes on. */
static void read_all(struct exchange *x, void *context)
{
    struct looked_up *l = x->looked_up;

    (void)context;
    turn_give(x->turn);
    for (size_t i = 0; i < l->n; i++) {
        if (!l->of[i].known)
            l->of[i].state = record_cache_read(x->service->record_cache, str_of(l->of[i].id),
                                               (int64_t)time(NULL), &l->of[i].record);
        l->of[i].known = true;
    }
    turn_take(x->turn);
}

enum exchange_step looked_up_before(struct exchange *x,
                                    enum exchange_step (*then)(struct exchange *x, void *context),
                                    void *context)
{
    if (!store_is_remote(x->service->store) || !may_name_ids(x))
        return then(x, context);
    struct looked_up *l = exchange_state(x, sizeof(*l), NULL);
    if (l == NULL)
        return exchange_no_memory(x, "the record");
    add_ids(l, x);
    x->looked_up = l;
    return find_all(x, l) ? then(x, context) : exchange_work(x, WORK_ALWAYS, read_all, then, context);
}

/* As record_cache_read; what was looked up for this request is not looked up again. */
static enum record_state looked_up_read(struct exchange *x, struct str id, struct record *r)
{
    const struct looked_up *l = x->looked_up;

    for (size_t i = 0; l != NULL && i < l->n; i++)
        if (l->of[i].known && str_eq(str_of(l->of[i].id), id)) {
            *r = l->of[i].record;
            return l->of[i].state;
        }
    return record_cache_read(x->service->record_cache, id, (int64_t)time(NULL), r);
}

void admits_log(const struct exchange *x, const char *what, struct str id)
{
    LOG(x->service->log, LOG_INFO, what, LOG_STR("id", id), LOG_STR("who", who_logged(&x->who)),
        LOG_STR("client", str_of(x->address)), LOG_STR("request", str_of(x->id)));
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

/* Answers 401, with what may be sent. */
static void challenge(struct exchange *x, const char *title, const char *detail)
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
        LOG_STR("client", str_of(x->address)), LOG_STR("request", str_of(x->id)));
}

/* A browser is led to the form, and comes back from there; a program is told what to send. */
static void ask_who(struct exchange *x)
{
    bool reads_page = x->accepts == AS_HTML && exchange_reads(x);

    if (reads_page && x->service->config->tokens_file[0] != '\0')
        lead_to_login(x);
    else
        challenge(x, "not logged in", "This is for people and programs that the service knows.");
    log_refused(x);
}

static void ask_again(struct exchange *x)
{
    const char *header = x->service->config->user_header;
    bool named = x->by_proxy && header[0] != '\0' && x->header(x, header).p != NULL;

    challenge(x, "not known",
              named ? "What the proxy sends is no name: printable ASCII without blanks or quotes, once."
                    : "There is no such token, or it was revoked.");
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

/* Whether who asks may read the upload. False: x->reply as above. */
static bool admits_reader(struct exchange *x, const struct record *r)
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

/* ---- the profile that a request is about ---- */

static const char NOT_HERE_HINT[] = "Check the link, or upload the profile again.";

void profile_gone(struct exchange *x)
{
    exchange_problem(x, 410, "gone", "Upload the profile again if you still have it.",
                     "This upload was deleted or has expired.");
}

bool profile_record(struct exchange *x, struct str id, struct record *r)
{
    enum record_state state = looked_up_read(x, id, r);

    x->stale = state == RECORD_STALE;
    x->profile = state == RECORD_FOUND || x->stale ? id : STR("");
    switch (state) {
    case RECORD_FOUND:
    case RECORD_STALE:
        return admits_reader(x, r);
    case RECORD_GONE:
        profile_gone(x);
        break;
    case RECORD_NONE:
        exchange_problem(x, 404, "not found", NOT_HERE_HINT, "There is no upload with this id.");
        break;
    case RECORD_AWAY:
        exchange_problem(x, 503, "the object store does not answer",
                         "Try again soon; if that does not help, tell the operator.",
                         "The service keeps uploads in an object store, which does not answer.");
        break;
    case RECORD_BROKEN:
        exchange_problem(x, 500, "upload not readable",
                         "Tell the operator: the service's log has the details.",
                         "The upload's record could not be read.");
        LOG(x->service->log, LOG_ERROR, "record-broken", LOG_STR("id", id));
        break;
    }
    return false;
}

/* A pass of an upload for the team is none of the time when its link was enough, and the other way round: the text that it
 * is a digest of says which. Of a comparison, whether one of the two is for the team. */
static void put_pass_text(struct buf *b, struct str id, bool team)
{
    buf_z(b, team ? "team " : "");
    buf_str(b, id);
}

static bool holds_pass(const struct exchange *x, struct str id, bool team, struct str pass)
{
    struct buf text = {0};

    put_pass_text(&text, id, team);
    bool holds = !text.failed && pass_holds(x->service->passes, buf_view(&text), (int64_t)time(NULL), pass);
    buf_free(&text);
    return holds;
}

bool profile_pass_make(const struct exchange *x, struct str id, char pass[PASS_CHARS + 1])
{
    struct buf text = {0};

    put_pass_text(&text, id, x->team);
    bool made = !text.failed && pass_make(x->service->passes, buf_view(&text), (int64_t)time(NULL), pass);
    buf_free(&text);
    return made;
}

bool profile_pass(struct exchange *x, struct str id, struct str pass)
{
    x->passed = holds_pass(x, id, true, pass);
    if (x->passed || holds_pass(x, id, false, pass))
        return true;
    exchange_problem(x, 403, "no pass, or one of the past", "Open the picture from its page again.",
                     "The pass in the URL does not let this picture in.");
    reply_header(&x->reply, "Access-Control-Allow-Origin", "*");
    return false;
}

bool profile_may_change(struct exchange *x, const struct record *r, enum scope scope, struct str token)
{
    if (admits_without_token(x, r, scope))
        return true;
    if (r->token_sha256[0] == '\0') {
        exchange_problem(
            x, 403, "not yours", "Ask the person who uploaded it, or whoever runs the service.",
            "Only its owner, or somebody with the scope for it, can change or delete this upload.");
        return false;
    }
    if (token.p == NULL)
        token = x->header(x, "X-Delete-Token");
    if (token.p == NULL) {
        exchange_problem(
            x, 403, "delete token missing",
            "Send it in the header X-Delete-Token, or in the form's field; the upload's answer had "
            "it in X-Delete-URL.",
            "Only who has the upload's delete token can change or delete it.");
        return false;
    }
    enum record_match match = record_token_matches(r, token);
    if (match == RECORD_MATCHES)
        return true;
    if (match == RECORD_NO_MEMORY)
        exchange_no_memory(x, "the form");
    else
        exchange_problem(x, 403, "wrong delete token", "The upload's answer had it in X-Delete-URL.",
                         "This is not the delete token of this upload.");
    return false;
}

/* ---- GET and POST /login, POST /logout: a browser gives a token and gets a session ---- */

static bool leads_up(struct str path)
{
    struct str part;

    while (str_split(&path, '/', &part))
        if (str_eq(part, STR("..")) || str_find_str(part, STR("%2e")) < part.n ||
            str_find_str(part, STR("%2E")) < part.n) /* which a browser takes for a dot */
            return true;
    return false;
}

/* Where to go on: a relative reference below the root, which cannot lead to another host. Everything else is the front
 * page. */
static struct str way_on(struct str to)
{
    if (leads_up((struct str){to.p, str_find(to, '?')}))
        return STR("");
    for (size_t i = 0; i < to.n; i++)
        if (to.p[i] <= ' ' || to.p[i] > '~' || to.p[i] == '\\')
            return STR("");
    return to.n > ADMITS_TO_BYTES_MAX || (to.n > 0 && to.p[0] == '/') ? STR("") : to;
}

static enum exchange_step go_on(struct exchange *x, struct str to)
{
    to = way_on(to);
    reply_static(&x->reply, 303, "text/plain; charset=utf-8", STR("Go on.\n"));
    reply_header(&x->reply, "Location", "./%.*s", (int)to.n, to.p);
    reply_header(&x->reply, "Cache-Control", "no-store");
    return X_DONE;
}

/* True: x->reply says that there is nothing to log in to. */
static bool has_no_tokens(struct exchange *x)
{
    if (x->service->config->tokens_file[0] != '\0')
        return false;
    exchange_problem(x, 404, "no login here",
                     x->service->doors == NULL ? "Just go on." : "Log in at the proxy.",
                     "The service has no tokens of its own.");
    return true;
}

static enum exchange_step answer_form(struct exchange *x, unsigned status, struct str to)
{
    page_login(x, page_reply(&x->reply, status), way_on(to), status == 401);
    return X_DONE;
}

enum exchange_step handle_login(struct exchange *x)
{
    struct str to = x->query(x, "next");

    if (has_no_tokens(x))
        return X_DONE;
    if (str_eq(x->query(x, "prompt"), STR("1"))) {
        if (x->who.by != WHO_NOBODY)
            return go_on(x, to);
        challenge(x, "not known yet", "The browser asks for a name and a token.");
        return X_DONE;
    }
    if (x->accepts == AS_HTML)
        return answer_form(x, 200, to);
    return exchange_problem(x, 406, "a page",
                            "curl -u NAME:TOKEN, or the header Authorization: Bearer TOKEN.",
                            "Programs need no login: they send the token with each request.");
}

/* The cookie is for the service's own path, of which external_url may have one. Without script, and not from links of
 * other sites but those that a person follows (SameSite=Lax). */
static void put_cookie(struct exchange *x, const char *session, uint64_t seconds)
{
    struct str url = str_of(x->service->config->external_url), path = url_rest(url);

    reply_header(&x->reply, "Set-Cookie", "%s=%s; Path=%.*s/; Max-Age=%llu; HttpOnly; SameSite=Lax%s",
                 DOOR_COOKIE, session, (int)path.n, path.n > 0 ? path.p : "", (unsigned long long)seconds,
                 x->service->tls != NULL || str_starts(url, STR("https://")) ? "; Secure" : "");
}

enum exchange_step handle_login_posted(struct exchange *x)
{
    enum { HOUR_S = 3600 };
    char session[SESSION_CHARS + 1];

    if (has_no_tokens(x))
        return X_DONE;
    const struct form *form = form_body_read(x);
    if (form == NULL)
        return X_DONE;
    struct str token = str_trim(form_value(form, STR("token"))), to = form_value(form, STR("next"));
    if (doors_login(x->service->doors, token, (int64_t)time(NULL), &x->who, session)) {
        go_on(x, to);
        put_cookie(x, session, x->service->config->session_hours * HOUR_S);
        admits_log(x, "logged-in", (struct str){NULL, 0});
        return X_DONE;
    }
    admits_log(x, "login-refused", (struct str){NULL, 0});
    if (x->accepts == AS_HTML)
        return answer_form(x, 401, to);
    challenge(x, "not known", "There is no such token, or it was revoked.");
    return X_DONE;
}

enum exchange_step handle_logout(struct exchange *x)
{
    go_on(x, STR(""));
    put_cookie(x, "", 0);
    return X_DONE;
}
