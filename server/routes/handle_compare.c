/* /d/<idA>..<idB>: two uploads compared, as a page, text or JSON. A comparison is there as long as both of them are. */
#include <string.h>
#include <time.h>

#include "core/system/json_memory.h"
#include "render/view/view_option.h"
#include "server/convert/summary.h"
#include "server/http/problem.h"
#include "server/http/work.h"
#include "server/pages/page_frame.h"
#include "server/pages/pages.h"
#include "server/routes/profile_access.h"
#include "server/routes/routes_table.h"
#include "server/routes/view_answer.h"
#include "server/service.h"
#include "server/views/pass.h"

static const struct str BETWEEN = STR_INIT("..");

struct comparison {
    struct record a, b;
    enum workspace_tab tab;
    struct view_request content;
    struct view_result result; /* that is worked on */
    struct buf track;
};

/* ---- which ---- */

/* Whether B's range makes sense. False: diag. */
static bool range_of_b(const struct view_request *r, struct diag *diag)
{
    struct view_options options = r->options;
    struct window window;

    diff_view_of_b(&r->asked.diff, &options);
    (void)view_window(&options, &window, diag);
    return diag->kind == DIAG_NONE;
}

/* Two recordings have no clock in common. */
static bool has_no_chart(const struct view_request *r, struct diag *diag)
{
    return r->options.view != VIEW_CHART ||
           diag_set(diag, DIAG_USAGE, "no chart of two profiles", "Leave the view out, or choose another.",
                    "view=chart: calls in the order of time are those of one recording.");
}

/* The records, and what the query asks for of the pair before the suffix, if it has one. False: x->reply says why not. */
static bool compare_of_url(struct exchange *x, struct record *a, struct record *b, struct view_request *r)
{
    struct str pair = x->parameters[0], first = {pair.p, str_find_str(pair, BETWEEN)}, second;
    struct diag diag = {0};

    if (first.n == pair.n) {
        exchange_problem(x, 404, "not found", "A comparison's address ends in two ids: /d/ID..ID.",
                         "There is nothing at this URL.");
        return false;
    }
    second = (struct str){pair.p + first.n + BETWEEN.n, pair.n - first.n - BETWEEN.n};
    if (!profile_record(x, second, b) || !profile_record(x, first, a))
        return false;
    view_of(r, a);
    view_compare_with(r, b);
    report_defaults(x->service->config, &r->options, &r->asked);
    view_of_owner(&r->options, b);
    if (!view_query(x, false, r, &diag) || !range_of_b(r, &diag) || !has_no_chart(r, &diag)) {
        exchange_diag(x, &diag);
        return false;
    }
    if (r->options.palette == COLOURS_CHANGE) /* which is what there is: links need not say so */
        r->options.palette = COLOURS_ORIGIN;
    return true;
}

/* ---- the page ---- */

static void end_comparison(void *state)
{
    struct comparison *c = state;

    buf_free(&c->track);
}

/* `parts`: as the report "diff-page" has them. */
static void put_page(struct exchange *x, const struct comparison *c, struct str parts)
{
    struct str part[3] = {{NULL, 0}};
    struct buf summary = {0};

    for (size_t i = 0; i < sizeof(part) / sizeof(*part); i++)
        (void)str_split(&parts, '\0', &part[i]);
    summary_put(&summary, part[0], &(struct summary_part){.tracks = PAGE_TRACKS_MAX});
    json_t *threads = summary.failed ? NULL : json_memory_load(buf_view(&summary), 0, NULL);
    json_t *table = json_memory_load(part[1], JSON_DECODE_INT_AS_REAL, NULL);
    bool of_method = c->tab == TAB_METHOD;
    json_t *method = of_method ? json_memory_load(part[2], JSON_DECODE_INT_AS_REAL, NULL) : NULL;
    char pass[PASS_CHARS + 1];
    bool has_pass = pass_make(x->service->passes, x->parameters[0], (int64_t)time(NULL), pass);
    const struct page_compared compared = {&c->b, x->parameters[0], &c->content.asked.diff, table};
    const struct page_workspace page = {.record = &c->a,
                                        .summary = threads,
                                        .root = page_root(x->path),
                                        .tab = c->tab,
                                        .options = &c->content.options,
                                        .rows = &c->content.asked.table,
                                        .report = of_method ? method : table,
                                        .track = buf_view(&c->track),
                                        .svg = of_method ? STR("") : part[2],
                                        .pass = str_of(pass),
                                        .config = x->service->config,
                                        .compared = &compared};
    struct buf *body = page_reply(&x->reply, 200);

    body->failed =
        !has_pass || threads == NULL || table == NULL || (of_method && method == NULL) || c->track.failed;
    page_workspace(body, &page);
    json_decref(threads);
    json_decref(table);
    json_decref(method);
    buf_free(&summary);
}

static void make_page(struct exchange *x, void *context)
{
    struct comparison *c = context;
    struct buf parts = {0};

    if (view_take(x, &c->result, &parts))
        put_page(x, c, buf_view(&parts));
    buf_free(&parts);
}

static enum exchange_step parts_ready(struct exchange *x, const struct view_request *r,
                                      struct view_result *result, void *context)
{
    struct comparison *c = context;

    (void)r;
    c->result = *result;
    return exchange_work(x, view_bytes(result), make_page, NULL, c);
}

/* Of the picture's tab the table is wanted for its words only. `method`: of its tab, which it is. */
static enum exchange_step answer_page(struct exchange *x, enum workspace_tab tab, struct str method)
{
    struct comparison *c = exchange_state(x, sizeof(*c), end_comparison);

    if (c == NULL)
        return exchange_no_memory(x, "the page");
    struct table_request *rows = &c->content.asked.table;
    c->tab = tab;
    c->content.report = report_by_name(STR("diff-page"), STR(""));
    if (!compare_of_url(x, &c->a, &c->b, &c->content))
        return X_DONE;
    memcpy(c->content.asked.method, method.p, method.n);
    c->content.encoding = (struct encoding_choice){0}; /* it becomes a part of the page: none */
    if (tab == TAB_FLAME)
        rows->limit = 0;
    else if (rows->limit == UINT32_MAX ||
             (tab == TAB_METHODS && (rows->limit == 0 || rows->limit > METHODS_PAGE_ROWS)))
        rows->limit = METHODS_PAGE_ROWS;
    view_option_text(view_option_by_key(STR("track")), &c->content.options, &c->track);
    return views_get(x, &c->content, parts_ready, c);
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

/* Behind the second id a suffix may stand. */
enum exchange_step handle_compare(struct exchange *x)
{
    struct str *pair = &x->parameters[0];
    size_t dot = str_find_last(*pair, '.'), between = str_find_str(*pair, BETWEEN);

    if (between == pair->n || dot <= between + 1)
        return answer_as(x, TAB_FLAME);
    struct str suffix = {pair->p + dot + 1, pair->n - dot - 1};
    pair->n = dot;
    return answer_suffix(x, suffix.n > 0 ? suffix : STR("?"));
}

enum exchange_step handle_compare_methods(struct exchange *x)
{
    struct str suffix = x->parameters[1];

    if (suffix.n == 0)
        return answer_as(x, TAB_METHODS);
    return answer_suffix(x, suffix.p[0] == '.' ? (struct str){suffix.p + 1, suffix.n - 1} : STR("?"));
}

enum exchange_step handle_compare_method(struct exchange *x)
{
    static const struct str SUFFIX = STR_INIT(".json");
    struct view_request r = {.report = report_by_name(STR("diff-method"), STR(""))};
    struct str method = x->parameters[1];
    bool has_suffix = str_ends(method, SUFFIX);
    struct record a, b;

    method.n -= has_suffix ? SUFFIX.n : 0;
    if (method.n > REPORT_METHOD_BYTES_MAX || method.n == 0 || str_find(method, '\0') < method.n)
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

/* An id, or a link that has one behind /p/. */
static struct str id_in(struct str text)
{
    static const struct str BEFORE = STR_INIT("/p/");

    text = str_trim(text);
    size_t at = str_find_str(text, BEFORE);
    if (at < text.n)
        text = (struct str){text.p + at + BEFORE.n, text.n - at - BEFORE.n};
    size_t n = text.n < RECORD_ID_CHARS ? text.n : RECORD_ID_CHARS;
    return (struct str){text.p, n};
}

/* A form cannot send its choice within the path: it is sent here, and on from here. */
enum exchange_step handle_compare_choice(struct exchange *x)
{
    struct str a = id_in(x->query(x, "a")), b = id_in(x->query(x, "b"));

    if (!record_id_valid(a) || !record_id_valid(b))
        return exchange_problem(x, 400, "no two uploads", "Give the link of an upload, or its id.",
                                "A comparison takes two uploads, each by its link or its id.");
    reply_static(&x->reply, 303, "text/plain; charset=utf-8", STR("The comparison is at another URL.\n"));
    reply_header(&x->reply, "Location", "d/%.*s..%.*s", (int)a.n, a.p, (int)b.n, b.p);
    reply_header(&x->reply, "Cache-Control", "private, no-cache");
    return X_DONE;
}
