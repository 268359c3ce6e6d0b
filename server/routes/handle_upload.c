/* Uploads: one profile, or an archive with all that is in it; and checks of them. */
#include "server/routes/handle_upload.h"

#include <string.h>

#include "core/json.h"
#include "core/system/utc.h"
#include "server/http/exchange.h"
#include "server/pages/page_check.h"
#include "server/pages/page_frame.h"
#include "server/pages/pages.h"
#include "server/routes/admit.h"
#include "server/routes/handle_profile.h"
#include "server/routes/routes_table.h"
#include "server/routes/view_answer.h"
#include "server/service.h"
#include "server/spaces/space_check.h"
#include "server/upload/job.h"
#include "server/upload/upload.h"
#include "server/upload/upload_share.h"
#include "server/upload/work_limit.h"
#include "server/webhook/webhook.h"

/* ---- checks: /s/<space>/check, and uploads with ?check=: uploads against a baseline, for a build that may fail ---- */

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

/* ---- what a check asks ---- */

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

/* ---- the answer to a check ---- */

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

/* Makes the check, and answers with it: for exchange_work. */
static void check_answer(struct exchange *x, void *check)
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

/* ---- the route of checks ---- */

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

/* ---- the check of an upload ---- */

/* Whether the query of an upload asks for a check. */
static bool check_is_asked(const struct exchange *x)
{
    return x->query(x, "check").p != NULL;
}

/* Whether what it asks for makes sense. False: diag. */
static bool check_can_be_asked(struct exchange *x, struct diag *diag)
{
    struct check_answer a = {.n_rules = 0};

    return read_asked(x, &a, x->query(x, "check"), diag);
}

static void put_id(struct check_answer *a, const struct record *r)
{
    buf_bytes(&a->ids, r->id, RECORD_ID_CHARS);
}

/* With the result of an upload for which both were true: a state of the exchange, of a check of what was kept, together with
 * the other runs of its commit. NULL: x->reply says why not. */
static struct check_answer *check_of_upload(struct exchange *x, const struct job_result *result)
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

/* ---- an archive with all that is in it, as text: links, then lines that begin with # ---- */

static void put_text(struct exchange *x, const struct job_result *result, struct buf *b)
{
    for (size_t i = 0; i < result->n_members; i++)
        if (result->members[i].diag.kind == DIAG_NONE) {
            exchange_base_url(x, b);
            buf_printf(b, "/p/%s\n", result->members[i].record.id);
        }
    for (size_t i = 0; i < result->n_members; i++) {
        const struct job_member *m = &result->members[i];
        if (m->diag.kind != DIAG_NONE)
            buf_printf(b, "# %s: %s: %s\n", m->record.member, m->diag.title, m->diag.detail);
    }
    if (result->members_left_out > 0)
        buf_printf(b, "# %llu more: the limit max_members was reached\n",
                   (unsigned long long)result->members_left_out);
    if (result->archive_cut)
        buf_z(b, "# the archive cannot be read to its end: there may be more\n");
    if (!result->complete)
        buf_z(b, "# not all were read yet: what is wrong with one is said at its link\n");
}

/* ---- the same as JSON ---- */

static void put_failed(struct json *j, const struct job_member *m)
{
    json_open_object(j, NULL);
    json_put_string(j, "member", str_of(m->record.member));
    json_put_string(j, "title", str_of(m->diag.title));
    json_put_string(j, "detail", str_of(m->diag.detail));
    json_put_string(j, "hint", str_of(m->diag.hint));
    json_close(j);
}

static void put_json(struct exchange *x, const struct job_result *result, struct buf *b)
{
    struct json j = json_into(b);

    json_open_object(&j, NULL);
    if (result->delete_token[0] != '\0')
        json_put_string(&j, "delete_token", str_of(result->delete_token));
    else
        json_put_string(&j, "owner", str_of(x->who.name));
    json_open_array(&j, "results");
    for (size_t i = 0; i < result->n_members; i++) {
        const struct job_member *m = &result->members[i];
        if (m->diag.kind != DIAG_NONE)
            continue;
        json_open_object(&j, NULL);
        profile_json_record(x, &j, &m->record, NULL);
        json_put_string(&j, "format", str_of(m->record.format));
        json_close(&j);
    }
    json_close(&j);
    json_open_array(&j, "failed");
    for (size_t i = 0; i < result->n_members; i++)
        if (result->members[i].diag.kind != DIAG_NONE)
            put_failed(&j, &result->members[i]);
    json_close(&j);
    json_put_u64(&j, "left_out", result->members_left_out);
    json_put_bool(&j, "cut", result->archive_cut);
    json_put_bool(&j, "complete", result->complete);
    json_close(&j);
    buf_char(b, '\n');
}

/* Fills x->reply: all links, and what was wrong with the other members; as text, JSON or a page. */
static void members_answer(struct exchange *x, const struct job_result *result)
{
    static const char *const TYPES[] = {[AS_TEXT] = "text/plain; charset=utf-8",
                                        [AS_HTML] = "text/html; charset=utf-8",
                                        [AS_JSON] = "application/json",
                                        [AS_SVG] = "text/plain; charset=utf-8"};
    struct buf *b = reply_text(&x->reply, result->complete ? 201 : 202, TYPES[x->accepts]);

    if (x->accepts == AS_JSON)
        put_json(x, result, b);
    if (x->accepts == AS_HTML) {
        page_members(b, page_root(x->path), result);
        page_headers(&x->reply);
        return;
    }
    if (x->accepts != AS_JSON)
        put_text(x, result, b);
    reply_header(&x->reply, "Vary", "Accept, Accept-Encoding");
    reply_header(&x->reply, "Cache-Control", "no-store");
}

/* ---- uploads: POST /, PUT /<name>, POST /api/v1/profiles ---- */

/* An output instead of a link: ?output=, or Accept: image/svg+xml. False: none was asked for, or diag. */
static bool wanted_view(struct exchange *x, struct view_request *r, struct diag *diag)
{
    *r = (struct view_request){.output = NULL};
    convert_defaults(x->service->config, &r->asked.view);
    if (x->accepts == AS_SVG)
        r->output = output_by_name(STR("svg"));
    return view_query(x, r, diag) && r->output != NULL;
}

/* What the answer cannot be made of is refused before the body is sent. */
static enum exchange_step begin_upload(struct exchange *x)
{
    struct view_request r;
    struct diag diag = {0};

    wanted_view(x, &r, &diag);
    if (diag.kind == DIAG_NONE && (!check_is_asked(x) || check_can_be_asked(x, &diag)))
        return upload_begin(x);
    exchange_diag(x, &diag);
    x->reply.close = true;
    return X_DONE;
}

const struct route_body UPLOAD_BODY = {"the file itself, or multipart/form-data with it", begin_upload,
                                       upload_data};

static void put_url(const struct exchange *x, const struct record *r, struct buf *b)
{
    exchange_base_url(x, b);
    buf_printf(b, "/p/%s", r->id);
}

static void upload_headers(struct exchange *x, const struct job_result *result)
{
    struct buf url = {0};

    put_url(x, &result->record, &url);
    x->reply.text.failed = x->reply.text.failed || url.failed;
    if (!url.failed) {
        /* The token is in the part of a URL that is never sent. A browser's form has no other way to it. */
        bool has_token = result->delete_token[0] != '\0', form = x->reply.status == 303 && has_token;
        if (result->members == NULL)
            reply_header(&x->reply, "Location", "%.*s%s%s", (int)url.n, url.p, form ? "#token=" : "",
                         form ? result->delete_token : "");
        if (has_token)
            reply_header(&x->reply, "X-Delete-URL", "%.*s#delete=%s", (int)url.n, url.p,
                         result->delete_token);
    }
    reply_header(&x->reply, "X-Expires", "%s", UTC_TEXT(result->record.expires_s));
    if (store_waits(x->service->store, result->record.id))
        reply_header(&x->reply, "X-Durability", "local");
    upload_share_headers(x);
    buf_free(&url);
}

static void answer_link(struct exchange *x, const struct job_result *result)
{
    struct buf *body = NULL;

    unsigned created = result->complete ? 201 : 202;
    if (x->accepts == AS_JSON) {
        struct str summary = result->summary == NULL ? STR("") : shared_bytes_view(result->summary);
        profile_json(x, created, &result->record, summary, result->delete_token, "");
    } else {
        body = reply_text(&x->reply, x->accepts == AS_HTML ? 303 : created, "text/plain; charset=utf-8");
        put_url(x, &result->record, body);
        buf_char(body, '\n');
        reply_header(&x->reply, "Vary", "Accept, Accept-Encoding");
    }
    reply_header(&x->reply, "Cache-Control", "no-store");
}

static void answer_stored(struct exchange *x, void *job_result)
{
    const struct job_result *result = job_result;

    if (result->members != NULL)
        members_answer(x, result);
    else
        answer_link(x, result);
    if (!result->complete && upload_prefers_async(x))
        reply_header(&x->reply, "Preference-Applied", "respond-async");
    upload_headers(x, result);
}

static enum exchange_step view_ready(struct exchange *x, const struct view_request *r,
                                     struct view_result *view, void *context)
{
    view_answer_result(x, 201, r, view);
    upload_headers(x, context);
    return X_DONE;
}

static void answer_checked(struct exchange *x, void *check)
{
    const struct check_answer *a = check;

    check_answer(x, check);
    upload_headers(x, a->upload);
}

static enum exchange_step answer_result(struct exchange *x, void *context)
{
    struct job_result *result = upload_result(x);
    struct view_request r;
    struct diag diag = {0};

    if (result == NULL)
        return exchange_then(x, answer_result, context);
    if (result->diag.kind != DIAG_NONE)
        return exchange_diag(x, &result->diag);
    if (check_is_asked(x)) {
        struct check_answer *check = check_of_upload(x, result);
        return check == NULL ? X_DONE : exchange_work(x, WORK_LONG, answer_checked, NULL, check);
    }
    if (result->members == NULL && wanted_view(x, &r, &diag)) {
        view_of(&r, &result->record);
        return views_get(x, &r, view_ready, result);
    }
    size_t bytes =
        result->summary == NULL || x->accepts != AS_JSON ? 0 : shared_bytes_view(result->summary).n;
    return exchange_work(x, bytes, answer_stored, NULL, result);
}

/* Several results have no one picture. */
static bool may_have_view(struct exchange *x, struct diag *diag)
{
    struct view_request r;

    return !upload_is_several(x) || !wanted_view(x, &r, diag) ||
           diag_set(diag, DIAG_USAGE, "one output of several results",
                    "Upload it without output, and fetch the outputs of each link.",
                    "Of several files the answer is a list of links.");
}

static bool may_be_checked(struct exchange *x, struct diag *diag)
{
    return !check_is_asked(x) || upload_space(x).n > 0 ||
           diag_set(diag, DIAG_USAGE, "a check of no space", "Say space=NAME, the one that has the baseline.",
                    "check= compares an upload with others of its space, and it names none.");
}

enum exchange_step handle_upload(struct exchange *x)
{
    struct diag diag = {0};

    upload_arrived(x);
    if (!may_have_view(x, &diag) || !may_be_checked(x, &diag))
        return exchange_diag(x, &diag);
    if (check_is_asked(x) && !admits_space(x, upload_space(x)))
        return X_DONE;
    return upload_end(x) ? exchange_then(x, answer_result, NULL) : X_DONE;
}
