/* /d/<idA>..<idB>: two uploads compared, as a page, text or JSON. A comparison is there as long as both of
 * them are. */
#include <string.h>

#include "server/http/exchange.h"
#include "server/routes/admit.h"
#include "server/routes/handle_compare.h"
#include "server/routes/routes_table.h"
#include "server/routes/view_answer.h"
#include "server/service.h"

static const struct str BETWEEN = STR_INIT("..");

/* ---- which ---- */

/* Whether B's range makes sense. False: diag. */
static bool range_of_b(const struct view_request *r, struct diag *diag)
{
    struct view_options options = r->asked.view;
    struct window window;

    diff_view_of_b(&r->asked.diff, &options);
    (void)view_window(&options, &window, diag);
    return diag->kind == DIAG_NONE;
}

/* Two recordings have no clock in common. */
static bool has_no_chart(const struct view_request *r, struct diag *diag)
{
    return r->asked.view.view != VIEW_CHART ||
           diag_set(diag, DIAG_USAGE, "no chart of two profiles", "Leave the view out, or choose another.",
                    "view=chart: calls in the order of time are those of one recording.");
}

bool compare_of_url(struct exchange *x, struct record *a, struct record *b, struct view_request *r)
{
    struct str pair = x->parameters[0], first = {pair.p, str_find_str(pair, BETWEEN)}, second;
    struct diag diag = {0};

    if (first.n == pair.n) {
        exchange_problem(x, 404, "not found", "A comparison's address ends in two ids: /d/ID..ID.",
                         "There is nothing at this URL.");
        return false;
    }
    second = str_from(pair, first.n + BETWEEN.n);
    if (!profile_record(x, second, b) || !profile_record(x, first, a))
        return false;
    view_of(r, a);
    view_compare_with(r, b);
    report_defaults(x->service->config, &r->asked);
    view_of_owner(&r->asked.view, b);
    if (!view_query(x, r, &diag) || !range_of_b(r, &diag) || !has_no_chart(r, &diag)) {
        exchange_diag(x, &diag);
        return false;
    }
    if (r->asked.view.palette == COLOURS_CHANGE) /* which is what there is: links need not say so */
        r->asked.view.palette = COLOURS_ORIGIN;
    return true;
}

/* ---- the page ---- */

/* `method`: of its tab, which it is. */
static enum exchange_step answer_page(struct exchange *x, enum workspace_tab tab, struct str method)
{
    struct workspace_answer *a = workspace_new(x);

    if (a == NULL)
        return X_DONE;
    a->tab = tab;
    a->pair = x->parameters[0];
    workspace_content(a);
    if (!compare_of_url(x, &a->record, &a->other, &a->content))
        return X_DONE;
    memcpy(a->content.asked.method, method.p, method.n);
    return workspace_answer(x, a);
}

/* ---- answers ---- */

static enum exchange_step answer_suffix(struct exchange *x, struct str suffix)
{
    struct view_request r = {.report = report_by_name(STR("diff"), suffix)};
    struct record a, b;

    if (r.report == NULL)
        return exchange_problem(x, 404, "not found", "The page of the comparison lists its formats.",
                                "There is nothing at this URL.");
    return compare_of_url(x, &a, &b, &r) ? view_answer(x, &r) : X_DONE;
}

static enum exchange_step answer_as(struct exchange *x, enum workspace_tab tab)
{
    if (x->accepts == AS_HTML)
        return answer_page(x, tab, STR(""));
    return answer_suffix(x, x->accepts == AS_JSON ? STR("json") : STR("txt"));
}

enum exchange_step handle_compare_card(struct exchange *x)
{
    struct view_request r = {.report = report_by_name(STR("diff-card"), STR("png"))};
    struct record a, b;

    if (!card_wanted(x) || !compare_of_url(x, &a, &b, &r))
        return X_DONE;
    card_name(&r, &a, &b);
    return view_answer(x, &r);
}

/* Behind the second id a suffix may stand. */
enum exchange_step handle_compare(struct exchange *x)
{
    struct str *pair = &x->parameters[0];
    size_t dot = str_find_last(*pair, '.'), between = str_find_str(*pair, BETWEEN);

    if (between == pair->n || dot <= between + 1)
        return answer_as(x, TAB_FLAME);
    struct str suffix = str_from(*pair, dot + 1);
    pair->n = dot;
    return answer_suffix(x, suffix.n > 0 ? suffix : STR("?"));
}

enum exchange_step handle_compare_methods(struct exchange *x)
{
    struct str suffix = x->parameters[1];

    if (suffix.n == 0)
        return answer_as(x, TAB_METHODS);
    return answer_suffix(x, suffix.p[0] == '.' ? str_from(suffix, 1) : STR("?"));
}

enum exchange_step handle_compare_method(struct exchange *x)
{
    static const struct str SUFFIX = STR_INIT(".json");
    struct view_request r = {.report = report_by_name(STR("diff-method"), STR("json"))};
    struct str method = x->parameters[1];
    bool has_suffix = str_ends(method, SUFFIX);
    struct record a, b;

    method.n -= has_suffix ? SUFFIX.n : 0;
    if (method.n > ASKED_METHOD_BYTES_MAX || method.n == 0 || str_find(method, '\0') < method.n)
        return exchange_problem(x, 404, "no such method", "The table of the comparison lists its methods.",
                                "No method has such a name.");
    if (x->accepts == AS_HTML && !has_suffix)
        return answer_page(x, TAB_METHOD, method);
    if (!compare_of_url(x, &a, &b, &r))
        return X_DONE;
    memcpy(r.asked.method, method.p, method.n);
    return view_answer(x, &r);
}

enum exchange_step handle_compare_tree(struct exchange *x)
{
    return answer_suffix(x, STR("tree"));
}

enum exchange_step handle_compare_tree_by_pass(struct exchange *x)
{
    return profile_pass(x, x->parameters[0], x->parameters[1]) ? handle_compare_tree(x) : X_DONE;
}

/* ---- the choice ---- */

struct str upload_id_in(struct str text)
{
    static const struct str BEFORE = STR_INIT("/p/");

    text = str_trim(text);
    size_t at = str_find_str(text, BEFORE);
    if (at < text.n)
        text = str_from(text, at + BEFORE.n);
    size_t n = text.n < RECORD_ID_CHARS ? text.n : RECORD_ID_CHARS;
    return (struct str){text.p, n};
}

/* A form cannot send its choice within the path: it is sent here, and on from here. */
enum exchange_step handle_compare_choice(struct exchange *x)
{
    struct str a = upload_id_in(x->query(x, "a")), b = upload_id_in(x->query(x, "b"));

    if (!record_id_valid(a) || !record_id_valid(b))
        return exchange_problem(x, 400, "no two uploads", "Give the link of an upload, or its id.",
                                "A comparison takes two uploads, each by its link or its id.");
    reply_static(&x->reply, 303, "text/plain; charset=utf-8", STR("The comparison is at another URL.\n"));
    reply_header(&x->reply, "Location", "d/%.*s..%.*s", (int)a.n, a.p, (int)b.n, b.p);
    reply_header(&x->reply, "Cache-Control", "private, no-cache");
    return X_DONE;
}
