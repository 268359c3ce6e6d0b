#include "server/http/problem.h"

#include <stdarg.h>
#include <stdio.h>

#include "core/clean.h"
#include "core/json.h"

static void put_json(struct buf *b, const struct problem *p, const char *request_id)
{
    struct json j = json_into(b);

    json_open_object(&j, NULL);
    json_put_string(&j, "type", STR("about:blank"));
    json_put_string(&j, "title", p->title);
    json_put_u64(&j, "status", p->status);
    json_put_string(&j, "detail", p->detail);
    if (p->hint.n > 0)
        json_put_string(&j, "hint", p->hint);
    json_put_string(&j, "request_id", str_of(request_id));
    if (p->offset != NULL)
        json_put_u64(&j, "offset", *p->offset);
    json_close(&j);
    buf_char(b, '\n');
}

void problem_detail(struct buf *b, const struct problem *p)
{
    buf_str(b, p->detail);
    if (p->offset != NULL) {
        buf_z(b, " (at byte ");
        buf_u64(b, *p->offset);
        buf_char(b, ')');
    }
}

static void put_text(struct buf *b, const struct problem *p)
{
    struct buf detail = {0};

    problem_detail(&detail, p);
    buf_z(b, "error: ");
    clean_text(b, p->title);
    buf_z(b, ": ");
    clean_text(b, buf_view(&detail));
    buf_char(b, '\n');
    if (p->hint.n > 0) {
        buf_z(b, "hint: ");
        clean_text(b, p->hint);
        buf_char(b, '\n');
    }
    buf_part_end(b, &detail);
}

/* For the log. A title of ours is never cut; a detail that is too long is. */
static void keep_reason(struct exchange *x, const struct problem *p)
{
    struct buf detail = {0};

    problem_detail(&detail, p);
    snprintf(x->why, sizeof(x->why), "%.*s: %.*s", (int)p->title.n, p->title.p, (int)detail.n,
             detail.n > 0 ? detail.p : "");
    buf_free(&detail);
}

static void answer(struct exchange *x, const struct problem *p)
{
    struct reply *r = &x->reply;
    bool close = r->close;

    keep_reason(x, p);
    reply_free(r);
    r->close = close;
    switch (x->accepts) {
    case AS_HTML:
        x->problem_page(x, p);
        break;
    case AS_JSON:
        put_json(reply_text(r, p->status, "application/problem+json"), p, x->id);
        break;
    case AS_TEXT:
    case AS_SVG:
        put_text(reply_text(r, p->status, "text/plain; charset=utf-8"), p);
        break;
    }
    if (x->accepts != AS_HTML) {
        reply_header(r, "X-Content-Type-Options", "nosniff");
        reply_header(r, "Cache-Control", "private, no-cache");
        reply_header(r, "Vary", "Accept, Accept-Encoding");
    }
    if (p->status == 503)
        reply_header(r, "Retry-After", "10");
}

enum exchange_step exchange_problem(struct exchange *x, unsigned status, const char *title, const char *hint,
                                    const char *detail, ...)
{
    char text[1024];
    va_list arguments;

    va_start(arguments, detail);
    vsnprintf(text, sizeof(text), detail, arguments);
    va_end(arguments);
    const struct problem p = {status, str_of(title), str_of(text), str_of(hint), NULL};
    answer(x, &p);
    return X_DONE;
}

enum exchange_step exchange_no_memory(struct exchange *x, const char *what)
{
    x->refusal = REFUSED_MEMORY;
    return exchange_problem(x, 503, "out of memory", "Try again later.", "No memory for %s.", what);
}

static unsigned status_of(enum diag_kind kind)
{
    switch (kind) {
    case DIAG_EMPTY:
    case DIAG_USAGE:
        return 400;
    case DIAG_NOT_FOUND:
        return 404;
    case DIAG_GONE:
        return 410;
    case DIAG_AMBIGUOUS:
        return 300;
    case DIAG_LIMIT:
        return 413;
    case DIAG_UNKNOWN:
    case DIAG_FOREIGN:
        return 415;
    case DIAG_UNUSABLE:
        return 422;
    case DIAG_CORRUPT:
        return 502;
    case DIAG_FULL:
        return 507;
    case DIAG_NO_MEMORY:
    case DIAG_BUSY:
        return 503;
    case DIAG_NONE:
    case DIAG_IO:
        break;
    }
    return 500;
}

enum exchange_step exchange_diag(struct exchange *x, const struct diag *diag)
{
    const struct problem p = {status_of(diag->kind), str_of(diag->title), str_of(diag->detail),
                              str_of(diag->hint), diag->has_offset ? &diag->offset : NULL};
    if (diag->kind == DIAG_NO_MEMORY)
        x->refusal = REFUSED_MEMORY;
    answer(x, &p);
    return X_DONE;
}
