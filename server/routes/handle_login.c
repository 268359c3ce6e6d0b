/* GET and POST /login, POST /logout: a browser gives a token and gets a session. */
#include <time.h>

#include "server/doors/doors.h"
#include "server/http/exchange.h"
#include "server/http/form_body.h"
#include "server/http/message/form.h"
#include "server/pages/page_frame.h"
#include "server/pages/pages.h"
#include "server/routes/admit.h"
#include "server/routes/routes_table.h"
#include "server/service.h"

/* ---- the form ---- */

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
        admits_challenge(x, "not known yet", "The browser asks for a name and a token.");
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
    admits_challenge(x, "not known", "There is no such token, or it was revoked.");
    return X_DONE;
}

enum exchange_step handle_logout(struct exchange *x)
{
    go_on(x, STR(""));
    put_cookie(x, "", 0);
    return X_DONE;
}
