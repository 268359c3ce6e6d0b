#include "server/routes/view_answer.h"

#include <string.h>
#include <unistd.h>

#include "core/system/file.h"
#include "render/view/key.h"
#include "server/http/message/range.h"
#include "server/http/problem.h"
#include "server/routes/profile_access.h"
#include "server/service.h"
#include "server/views/policies.h"
#include "server/views/viewers.h"

struct query {
    struct view_request *request;
    struct diag *diag;
    unsigned keys;
};

bool view_is_no_step(struct str key, struct str value)
{
    const struct key *r = value.n == 0 ? key_by_name(key) : NULL;

    return r != NULL && r->kind == KEY_STEP;
}

static bool take_parameter(void *context, struct str key, struct str value)
{
    struct query *q = context;
    bool compares = (q->keys & KEYS_COMPARED) != 0, of_b;

    /* The page of a comparison has fields of many keys: who leaves one empty says nothing. */
    if (view_is_no_step(key, value) || (value.n == 0 && compares && key_find(q->keys, key, &of_b) != NULL))
        return true;
    return asked_set(&q->request->asked, q->keys, key, value, q->diag);
}

static bool take_output(struct exchange *x, struct view_request *r, struct diag *diag)
{
    struct str name = (x->keys & KEYS_UPLOAD) != 0 ? x->query(x, "output") : (struct str){NULL, 0};

    if (name.p == NULL)
        return true;
    r->output = output_by_name(name);
    return r->output != NULL ||
           diag_set(diag, DIAG_USAGE, "unknown output", "The manual at / lists the outputs.",
                    "There is no output of that name.");
}

bool view_query(struct exchange *x, struct view_request *r, struct diag *diag)
{
    struct window window;

    r->encoding = encoding_negotiate(x->header(x, "Accept-Encoding"));
    if (!take_output(x, r, diag))
        return false;
    const struct output *as = view_shown_as(r);
    struct query q = {r, diag, x->keys | (as != NULL ? as->keys : 0)};
    x->each_query(x, take_parameter, &q);
    if (r->output != NULL && r->output->packed) /* once is enough */
        r->encoding = (struct encoding_choice){0};
    if (diag->kind == DIAG_NONE)
        (void)view_window(&r->asked.view, &window, diag);
    return diag->kind == DIAG_NONE;
}

bool view_of_url(struct exchange *x, struct str tracks, struct record *record, struct view_request *r)
{
    struct diag diag = {0};

    if (!profile_record(x, x->parameters[0], record))
        return false;
    view_of(r, record);
    convert_defaults(x->service->config, &r->asked.view);
    view_of_owner(&r->asked.view, record);
    if (view_set_tracks(&r->asked.view, tracks, &diag) && view_query(x, r, &diag))
        return true;
    exchange_diag(x, &diag);
    return false;
}

bool report_of_url(struct exchange *x, struct record *record, struct view_request *r)
{
    char method[ASKED_METHOD_BYTES_MAX + 1];
    struct diag diag = {0};

    if (!profile_record(x, x->parameters[0], record))
        return false;
    view_of(r, record);
    memcpy(method, r->asked.method, sizeof(method));
    report_defaults(x->service->config, &r->asked);
    view_of_owner(&r->asked.view, record);
    memcpy(r->asked.method, method, sizeof(method));
    if (view_query(x, r, &diag)) {
        report_settle(r->report, x->service->config, &r->asked);
        return true;
    }
    exchange_diag(x, &diag);
    return false;
}

/* What a report may load. */
static const char NOTHING[] = "default-src 'none'; sandbox";

/* A picture is sandboxed into an origin of its own: what its script fetches has to let any origin read it. Who can name the
 * URL can read it anyway. */
static void view_headers(struct exchange *x, const struct view_request *r, struct str etag)
{
    struct reply *reply = &x->reply;
    const struct output *as = view_shown_as(r);

    reply_header(reply, "ETag", "\"%.*s\"", (int)etag.n, etag.p);
    reply_header(reply, "Cache-Control", "private, no-cache");
    reply_header(reply, "Vary", "Accept, Accept-Encoding");
    reply_header(reply, "X-Content-Type-Options", "nosniff");
    reply_header(reply, "Referrer-Policy", "no-referrer");
    reply_header(reply, "Content-Security-Policy", "%s",
                 as != NULL ? policies_of(x->service->policies, as) : NOTHING);
    if (as != NULL && as->fetched)
        reply_header(reply, "Access-Control-Allow-Origin", "*");
    else if (r->output != NULL)
        viewer_allow(reply, x->service->config, r->output->name);
}

/* If the client has the view in this coding: 304. Any view will do for `any`: it must be there then. */
static bool answer_unchanged(struct exchange *x, const struct view_request *r, enum encoding e, bool any)
{
    struct str field = x->header(x, "If-None-Match");
    char key[VIEW_KEY_CHARS + 1];

    if (field.p == NULL || (!any && str_eq(str_trim(field), STR("*"))) || !view_key(x->service, r, e, key) ||
        !range_none_match(field, view_etag(key)))
        return false;
    reply_static(&x->reply, 304, view_media_type(r), STR(""));
    view_headers(x, r, view_etag(key));
    return true;
}

/* Takes over what the result holds. Where these very bytes were the answer before, so are its headers; but a condition
 * needs to see them. */
static void send_view(struct exchange *x, unsigned status, const struct view_request *r,
                      struct view_result *result)
{
    const char *type = view_media_type(r);
    char key[VIEW_KEY_CHARS + 1];

    if (status == 200 && result->bytes != NULL && shared_bytes_answer(result->bytes) != NULL &&
        x->header(x, "If-Match").p == NULL) {
        reply_again(&x->reply, result->bytes);
        return;
    }
    if (!view_key(x->service, r, result->encoding, key)) {
        view_result_free(result);
        exchange_no_memory(x, "the answer");
        return;
    }
    if (result->bytes != NULL)
        reply_shared(&x->reply, status, type, result->bytes);
    else
        reply_file(&x->reply, status, type, result->fd, 0, result->file_bytes);
    if (result->encoding != ENCODING_IDENTITY)
        reply_header(&x->reply, "Content-Encoding", "%s", encoding_name(result->encoding));
    view_headers(x, r, view_etag(key));
}

void view_answer_result(struct exchange *x, unsigned status, const struct view_request *r,
                        struct view_result *result)
{
    if (result->diag.kind != DIAG_NONE) {
        view_result_free(result);
        exchange_diag(x, &result->diag);
    } else if (status == 200 && answer_unchanged(x, r, result->encoding, true)) {
        view_result_free(result);
    } else {
        send_view(x, status, r, result);
    }
}

static enum exchange_step view_ready(struct exchange *x, const struct view_request *r,
                                     struct view_result *result, void *context)
{
    (void)context;
    view_answer_result(x, 200, r, result);
    return X_DONE;
}

enum exchange_step view_answer(struct exchange *x, const struct view_request *r)
{
    /* Who has what would be sent needs none of it, so that it need not even be there. */
    if (answer_unchanged(x, r, r->encoding.best, false))
        return X_DONE;
    return views_get(x, r, view_ready, NULL);
}

size_t view_bytes(const struct view_result *result)
{
    if (result->fd >= 0)
        return (size_t)result->file_bytes;
    return result->bytes == NULL ? 0 : shared_bytes_view(result->bytes).n;
}

bool view_take(struct exchange *x, struct view_result *result, struct buf *text)
{
    struct diag diag = result->diag;

    if (result->bytes != NULL) {
        buf_str(text, shared_bytes_view(result->bytes));
        shared_bytes_unref(result->bytes);
    } else if (result->fd >= 0) {
        if (!file_read_all(result->fd, SIZE_MAX / 2, text) && !text->failed)
            diag_set(&diag, DIAG_IO, "upload not readable", "Tell the operator.",
                     "A view of it could not be read.");
        close(result->fd);
    }
    if (text->failed)
        diag_no_memory(&diag, "No memory to read the view.");
    if (diag.kind == DIAG_NONE)
        return true;
    exchange_diag(x, &diag);
    return false;
}
