#include "server/routes/members_answer.h"

#include "core/json.h"
#include "server/pages/page_frame.h"
#include "server/pages/pages.h"
#include "server/routes/profile_json.h"

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
    json_put_string(&j, "delete_token", str_of(result->delete_token));
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

void members_answer(struct exchange *x, const struct job_result *result)
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
