/* Uploads: one profile, or an archive with all that is in it. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "core/json.h"
#include "core/system/utc.h"
#include "server/http/exchange.h"
#include "server/pages/page_frame.h"
#include "server/pages/pages.h"
#include "server/routes/admit.h"
#include "server/routes/handle_check.h"
#include "server/routes/handle_profile.h"
#include "server/routes/routes_table.h"
#include "server/routes/view_answer.h"
#include "server/service.h"
#include "server/upload/job.h"
#include "server/upload/upload.h"
#include "server/upload/upload_share.h"

/* ---- an archive with all that is in it ---- */

/* The answer to an archive of which every member was read. */

/* ---- as text: links, then lines that begin with # ---- */

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

/* ---- as JSON ---- */

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

/* ---- */

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

/* ---- uploads ---- */

/* POST /, PUT /<name>, POST /api/v1/profiles. */

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
    check_answer(x, check);
    upload_headers(x, check_upload(check));
}

static enum exchange_step answer_result(struct exchange *x, struct job_result *result)
{
    struct view_request r;
    struct diag diag = {0};

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
    return upload_end(x, answer_result);
}
