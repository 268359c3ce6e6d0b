/* /s/<space>/check, and uploads with ?check=: uploads against a baseline, for a build that may fail. */
#include "server/routes/handle_check.h"

#include <string.h>

#include "server/http/exchange.h"
#include "server/pages/page_check.h"
#include "server/routes/admit.h"
#include "server/routes/routes_table.h"
#include "server/routes/view_answer.h"
#include "server/service.h"
#include "server/spaces/space_check.h"
#include "server/upload/work_limit.h"
#include "server/webhook/webhook.h"

/* A state of the exchange. */
struct check_answer {
    struct space_check check;
    struct query runs, baseline;
    struct fail_rule rules[SPACE_CHECK_RULES];
    uint32_t n_rules;
    struct buf ids;
    bool with_commit; /* The ids stand for all runs of their commit. */
    bool strict;
    char space[SPACE_NAME_BYTES + 1];
    bool is_page;
    enum check_format format;
    const struct job_result *upload; /* that it was asked with; NULL: it is a look */
};

static void end_answer(void *check_answer)
{
    struct check_answer *a = check_answer;

    space_check_free(&a->check);
    buf_free(&a->ids);
}

/* ---- what is asked ---- */

struct rules_reading {
    struct check_answer *a;
    struct diag *diag;
};

static bool take_rule(void *context, struct str key, struct str value)
{
    struct rules_reading *r = context;

    if (!str_eq(key, STR("fail-if")))
        return true;
    if (r->a->n_rules == SPACE_CHECK_RULES)
        return diag_set(r->diag, DIAG_USAGE, "too many rules", "A rule may have * for any text.",
                        "A check has at most %d rules.", SPACE_CHECK_RULES);
    return fail_rule_parse(value, &r->a->rules[r->a->n_rules++], r->diag);
}

/* The baseline, rules, and what decides about the status. False: diag. */
static bool read_asked(struct exchange *x, struct check_answer *a, struct str baseline, struct diag *diag)
{
    struct rules_reading rules = {a, diag};
    struct str strict = x->query(x, "strict");

    x->each_query(x, take_rule, &rules);
    a->strict = str_eq(strict, STR("1"));
    a->format = CHECK_MARKDOWN;
    if (diag->kind != DIAG_NONE || !query_parse(&a->baseline, baseline, diag))
        return false;
    if (strict.n > 0 && !a->strict && !str_eq(strict, STR("0")))
        return diag_set(diag, DIAG_USAGE, "strict is 1 or 0", "Say strict=1, or leave it out.",
                        "strict says whether what is inconclusive fails.");
    return true;
}

static void choose_format(struct check_answer *a, enum representation as)
{
    a->is_page = as == AS_HTML;
    a->format = as == AS_JSON ? CHECK_JSON : CHECK_MARKDOWN;
}

/* ---- the answer ---- */

static void put_page(struct exchange *x, const struct check_answer *a)
{
    struct page_visitor visitor;
    const struct page_check page = {.space = str_of(a->space),
                                    .root = page_root(x->path),
                                    .check = &a->check,
                                    .uploads = buf_view(&a->ids),
                                    .visitor = view_visitor(x, &visitor)};

    page_check(page_reply(&x->reply, 200), &page);
}

static unsigned status_of(const struct check_answer *a)
{
    bool fails = a->check.state == CHECK_FAIL || (a->strict && a->check.state == CHECK_INCONCLUSIVE);

    return fails ? 422 : 200;
}

static void put_answer(struct exchange *x, struct check_answer *a)
{
    static const char *const TYPES[] = {[CHECK_TEXT] = "text/plain; charset=utf-8",
                                        [CHECK_MARKDOWN] = "text/markdown; charset=utf-8",
                                        [CHECK_JSON] = "application/json"};
    struct buf base = {0};

    exchange_base_url(x, &base);
    buf_char(&base, '/');
    const struct space_check_links links = {buf_view(&base), str_of(a->space), buf_view(&a->ids)};
    if (a->is_page) {
        put_page(x, a);
    } else {
        space_check_write(&a->check, a->format, &links,
                          reply_text(&x->reply, status_of(a), TYPES[a->format]));
        reply_header(&x->reply, "Vary", "Accept, Accept-Encoding");
        reply_header(&x->reply, "Cache-Control", "private, no-cache");
        reply_header(&x->reply, "X-Content-Type-Options", "nosniff");
    }
    reply_header(&x->reply, "X-Check", "%s", CHECK_STATES[a->check.state]);
    buf_part_end(&x->reply.text, &base);
}

/* It may take as much of a processor as the reading of a small upload. */
static bool make(struct exchange *x, struct check_answer *a, struct diag *diag)
{
    static const _Atomic uint64_t NO_UPLOAD = 0;
    struct stop stop = {.above = &x->stop};
    struct work_limit limit;
    const struct space_check_asked asked = {.space = str_of(a->space),
                                            .runs = &a->runs,
                                            .baseline = &a->baseline,
                                            .only = buf_view(&a->ids),
                                            .with_commit = a->with_commit,
                                            .rules = a->rules,
                                            .n_rules = a->n_rules,
                                            .stop = &stop};

    work_limit_begin(x->service->work, &limit, &stop, &NO_UPLOAD);
    bool made = space_check_run(x->service, x->turn, &asked, &a->check, diag);
    work_limit_end(x->service->work, &limit);
    return made;
}

/* Looking at a check tells nobody of it. */
static void tell_failure(struct exchange *x, const struct check_answer *a)
{
    if (a->upload == NULL || a->check.state != CHECK_FAIL)
        return;
    const struct webhook_check told = {.space = str_of(a->space),
                                       .commit = labels_value(&a->upload->record.labels, STR("commit")),
                                       .baseline = x->query(x, "check"),
                                       .uploads = buf_view(&a->ids),
                                       .rules = a->rules,
                                       .n_rules = a->n_rules,
                                       .check = &a->check};
    webhook_check_failed(x->service->webhook, &told);
}

void check_answer(struct exchange *x, void *check)
{
    struct check_answer *a = check;
    struct diag diag = {0};

    if (make(x, a, &diag)) {
        tell_failure(x, a);
        put_answer(x, a);
    } else {
        exchange_diag(x, &diag);
    }
}

bool check_put_text(struct exchange *x, struct check_answer *a, struct buf *b, struct diag *diag)
{
    struct buf base = {0};

    if (!make(x, a, diag))
        return false;
    exchange_base_url(x, &base);
    buf_char(&base, '/');
    const struct space_check_links links = {buf_view(&base), str_of(a->space), STR("")};
    space_check_write(&a->check, CHECK_TEXT, &links, b);
    buf_part_end(b, &base);
    return true;
}

/* ---- the route ---- */

/* NULL, which says why not. */
static struct check_answer *no_check(struct exchange *x, const struct diag *diag)
{
    if (diag->kind == DIAG_NONE)
        exchange_no_memory(x, "the check");
    else
        exchange_diag(x, diag);
    return NULL;
}

struct check_answer *check_ask(struct exchange *x, struct str space)
{
    struct check_answer *a;
    struct diag diag = {0};

    if (!admits_space(x, space))
        return NULL;
    a = exchange_state(x, sizeof(*a), end_answer);
    if (a == NULL || !space_name_is_one(space, &diag) || !read_asked(x, a, x->query(x, "baseline"), &diag) ||
        !query_parse(&a->runs, x->query(x, "q"), &diag))
        return no_check(x, &diag);
    memcpy(a->space, space.p, space.n);
    return a;
}

enum exchange_step handle_check(struct exchange *x)
{
    struct str suffix = x->parameters[1];
    struct check_answer *a = check_ask(x, x->parameters[0]);

    if (a == NULL)
        return X_DONE;
    if (str_eq(suffix, STR(".md")))
        return exchange_work(x, WORK_LONG, check_answer, NULL, a);
    choose_format(a, view_suffix(x, &suffix));
    a->format = str_eq(x->parameters[1], STR(".txt")) ? CHECK_TEXT : a->format;
    if (suffix.n > 0)
        return exchange_problem(x, 404, "not found", "Say .md, .txt or .json, or nothing.",
                                "A check is not told in that format.");
    return exchange_work(x, WORK_LONG, check_answer, NULL, a);
}

/* ---- of an upload ---- */

bool check_is_asked(const struct exchange *x)
{
    return x->query(x, "check").p != NULL;
}

bool check_can_be_asked(struct exchange *x, struct diag *diag)
{
    struct check_answer a = {.n_rules = 0};

    return read_asked(x, &a, x->query(x, "check"), diag);
}

static void put_id(struct check_answer *a, const struct record *r)
{
    buf_bytes(&a->ids, r->id, RECORD_ID_CHARS);
}

struct check_answer *check_of_upload(struct exchange *x, const struct job_result *result)
{
    struct check_answer *a = exchange_state(x, sizeof(*a), end_answer);
    struct diag diag = {0};

    if (a == NULL || !read_asked(x, a, x->query(x, "check"), &diag) || !query_parse(&a->runs, STR(""), &diag))
        return no_check(x, &diag);
    memcpy(a->space, result->record.space, sizeof(a->space));
    choose_format(a, x->accepts);
    for (size_t i = 0; i < result->n_members; i++)
        if (result->members[i].diag.kind == DIAG_NONE)
            put_id(a, &result->members[i].record);
    if (result->n_members == 0)
        put_id(a, &result->record);
    if (a->ids.failed)
        return no_check(x, &diag);
    a->with_commit = labels_value(&result->record.labels, STR("commit")).n > 0;
    a->upload = result;
    return a;
}

const struct job_result *check_upload(const struct check_answer *a)
{
    return a->upload;
}
