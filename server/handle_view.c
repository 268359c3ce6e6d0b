/* /p/<id>/t/<track>.<suffix>: views of stored uploads. */
#include <string.h>
#include <unistd.h>

#include "server/handlers.h"

struct query {
    struct view_request *request;
    struct diag *diag;
    bool upload;
};

static bool take_parameter(void *context, struct str key, struct str value)
{
    struct query *q = context;

    if (q->upload && (str_eq(key, STR("name")) || str_eq(key, STR("expires"))))
        return true;
    if (q->upload && str_eq(key, STR("track")))
        return view_set_tracks(&q->request->options, value, q->diag);
    if (q->upload && str_eq(key, STR("output"))) {
        q->request->output = output_by_name(value);
        return q->request->output != NULL ||
               diag_set(q->diag, DIAG_USAGE, "unknown output", "The manual at / lists the outputs.",
                        "There is no output of that name.");
    }
    return view_set(&q->request->options, key, value, q->diag);
}

bool view_query(struct exchange *x, bool upload, struct view_request *r, struct diag *diag)
{
    struct query q = {r, diag, upload};

    x->each_query(x, take_parameter, &q);
    return diag->kind == DIAG_NONE;
}

static void view_headers(struct exchange *x, const struct view_request *r, const char *etag)
{
    struct reply *reply = &x->reply;
    bool svg = str_eq(str_of(r->output->name), STR("svg"));

    reply_header(reply, "ETag", "\"%s\"", etag);
    reply_header(reply, "Cache-Control", "private, no-cache");
    reply_header(reply, "Vary", "Accept, Accept-Encoding");
    reply_header(reply, "X-Content-Type-Options", "nosniff");
    reply_header(reply, "Referrer-Policy", "no-referrer");
    reply_header(reply, "Content-Security-Policy", "%s",
                 svg ? x->service->svg_policy : "default-src 'none'; sandbox");
}

/* RFC 9110, 13.1.2: a list of tags, or *; weak comparison. */
static bool none_match(struct str field, const char *etag)
{
    struct str tag;

    if (field.p == NULL)
        return false;
    if (str_eq(str_trim(field), STR("*")))
        return true;
    while (str_split(&field, ',', &tag)) {
        tag = str_trim(tag);
        if (str_starts(tag, STR("W/")))
            tag.p += 2, tag.n -= 2;
        if (tag.n == strlen(etag) + 2 && memcmp(tag.p + 1, etag, tag.n - 2) == 0)
            return true;
    }
    return false;
}

enum exchange_step answer_view(struct exchange *x, unsigned status, const struct view_request *r)
{
    char key[VIEW_KEY_CHARS + 1];
    struct view_result result;

    if (views_get(x, r, &result) == X_WAIT)
        return X_WAIT;
    if (result.diag.kind != DIAG_NONE || !view_key(r, key)) {
        if (result.fd >= 0)
            close(result.fd);
        shared_bytes_unref(result.bytes);
        exchange_diag(x, &result.diag);
        return X_DONE;
    }
    const char *etag = key + VIEW_KEY_CHARS - RECORD_SHA256_CHARS;
    if (status == 200 && none_match(x->header(x, "If-None-Match"), etag)) {
        if (result.fd >= 0)
            close(result.fd);
        shared_bytes_unref(result.bytes);
        reply_static(&x->reply, 304, r->output->media_type, STR(""));
    } else if (result.fd >= 0) {
        reply_file(&x->reply, status, r->output->media_type, result.fd, 0, result.file_bytes);
    } else {
        reply_shared(&x->reply, status, r->output->media_type, result.bytes);
    }
    view_headers(x, r, etag);
    return X_DONE;
}

enum exchange_step handle_track(struct exchange *x)
{
    struct view_request r = {0};
    struct diag diag = {0};
    struct record record;
    struct str name = x->parameters[1];
    size_t dot = str_find(name, '.');

    if (!profile_record(x, x->parameters[0], &record))
        return X_DONE;
    view_defaults(&r.options);
    if (!view_set_tracks(&r.options, (struct str){name.p, dot}, &diag)) {
        exchange_diag(x, &diag);
        return X_DONE;
    }
    if (dot == name.n) {
        reply_static(&x->reply, 303, "text/plain; charset=utf-8",
                     STR("The graph of a track has the suffix .svg.\n"));
        reply_header(&x->reply, "Location", "%.*s.svg", (int)name.n, name.p);
        reply_header(&x->reply, "Cache-Control", "private, no-cache");
        return X_DONE;
    }
    r.output = output_by_suffix((struct str){name.p + dot + 1, name.n - dot - 1});
    if (r.output == NULL) {
        exchange_problem(x, 404, "not found", "The page of the upload lists its views.",
                         "There is no output with that suffix.");
        return X_DONE;
    }
    memcpy(r.sha256, record.sha256, sizeof(r.sha256));
    if (!view_query(x, false, &r, &diag)) {
        exchange_diag(x, &diag);
        return X_DONE;
    }
    return answer_view(x, 200, &r);
}
