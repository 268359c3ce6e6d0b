/* /p/<id>/t/<track>.<suffix>: views of stored uploads. */
#include <string.h>

#include "server/http/range.h"
#include "server/routes/handlers.h"
#include "server/views/policies.h"

struct query {
    struct view_request *request;
    struct diag *diag;
    bool upload;
};

static bool take_parameter(void *context, struct str key, struct str value)
{
    struct query *q = context;

    if (q->upload && (str_eq(key, STR("name")) || str_eq(key, STR("expires")) || str_eq(key, STR("member"))))
        return true;
    if (q->upload && str_eq(key, STR("output"))) {
        q->request->output = output_by_name(value);
        return q->request->output != NULL ||
               diag_set(q->diag, DIAG_USAGE, "unknown output", "The manual at / lists the outputs.",
                        "There is no output of that name.");
    }
    unsigned scopes = SCOPE_VIEW | (q->upload ? SCOPE_PLACE : 0u) |
                      (q->request->output != NULL ? q->request->output->scopes : 0u);
    return view_set(&q->request->options, scopes, key, value, q->diag);
}

bool view_query(struct exchange *x, bool upload, struct view_request *r, struct diag *diag)
{
    struct query q = {r, diag, upload};

    r->encoding = encoding_negotiate(x->header(x, "Accept-Encoding"));
    x->each_query(x, take_parameter, &q);
    return diag->kind == DIAG_NONE;
}

/* A picture is sandboxed into an origin of its own: what its script fetches has to let any origin read it. Who can name the
 * URL can read it anyway. */
static void view_headers(struct exchange *x, const struct view_request *r, struct str etag)
{
    struct reply *reply = &x->reply;

    reply_header(reply, "ETag", "\"%.*s\"", (int)etag.n, etag.p);
    reply_header(reply, "Cache-Control", "private, no-cache");
    reply_header(reply, "Vary", "Accept, Accept-Encoding");
    reply_header(reply, "X-Content-Type-Options", "nosniff");
    reply_header(reply, "Referrer-Policy", "no-referrer");
    reply_header(reply, "Content-Security-Policy", "%s", policies_of(x->service->policies, r->output));
    if (r->output->fetched)
        reply_header(reply, "Access-Control-Allow-Origin", "*");
}

/* If the client has the view in this coding: 304. Any view will do for `any`: it must be there then. */
static bool answer_unchanged(struct exchange *x, const struct view_request *r, enum encoding e, bool any)
{
    struct str field = x->header(x, "If-None-Match");
    char key[VIEW_KEY_CHARS + 1];

    if (field.p == NULL || (!any && str_eq(str_trim(field), STR("*"))) || !view_key(x->service, r, e, key) ||
        !range_none_match(field, view_etag(key)))
        return false;
    reply_static(&x->reply, 304, r->output->media_type, STR(""));
    view_headers(x, r, view_etag(key));
    return true;
}

/* Takes over what the result holds. Where these very bytes were the answer before, so are its headers; but a condition
 * needs to see them. */
static void send_view(struct exchange *x, unsigned status, const struct view_request *r,
                      struct view_result *result)
{
    const char *type = r->output->media_type;
    char key[VIEW_KEY_CHARS + 1];

    if (status == 200 && result->bytes != NULL && shared_bytes_answer(result->bytes) != NULL &&
        x->header(x, "If-Match").p == NULL) {
        reply_again(&x->reply, result->bytes);
        return;
    }
    if (!view_key(x->service, r, result->encoding, key)) {
        view_result_free(result);
        no_memory_to_answer(x);
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

void answer_view_result(struct exchange *x, unsigned status, const struct view_request *r,
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
    answer_view_result(x, 200, r, result);
    return X_DONE;
}

enum exchange_step answer_view(struct exchange *x, const struct view_request *r)
{
    /* Who has what would be sent needs none of it, so that it need not even be there. */
    if (answer_unchanged(x, r, r->encoding.best, false))
        return X_DONE;
    return views_get(x, r, view_ready, NULL);
}

enum exchange_step handle_track(struct exchange *x)
{
    struct view_request r = {0};
    struct diag diag = {0};
    struct record record;
    struct str name = x->parameters[1];
    size_t dot = str_find(name, '.');

    if (dot == name.n)
        return handle_flame(x);
    if (!profile_record(x, x->parameters[0], &record))
        return X_DONE;
    convert_defaults(x->service->config, &r.options);
    if (!view_set_tracks(&r.options, (struct str){name.p, dot}, &diag)) {
        exchange_diag(x, &diag);
        return X_DONE;
    }
    r.output = output_by_suffix((struct str){name.p + dot + 1, name.n - dot - 1});
    if (r.output == NULL) {
        exchange_problem(x, 404, "not found", "The page of the upload lists its views.",
                         "There is no output with that suffix.");
        return X_DONE;
    }
    view_of(&r, &record);
    if (!view_query(x, false, &r, &diag)) {
        exchange_diag(x, &diag);
        return X_DONE;
    }
    return answer_view(x, &r);
}
