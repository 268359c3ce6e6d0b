/* The pages and answers that are not about one upload. */
#include "server/handlers.h"
#include "server/pages.h"

enum exchange_step handle_home(struct exchange *x)
{
    bool html = x->accepts == AS_HTML;
    struct buf base = {0};
    struct buf *b =
        reply_text(&x->reply, 200, html ? "text/html; charset=utf-8" : "text/plain; charset=utf-8");

    exchange_base_url(x, &base);
    if (html)
        page_upload(b, buf_view(&base), x->service->config);
    else
        page_manual(b, buf_view(&base), x->service->config);
    page_headers(&x->reply);
    buf_free(&base);
    return X_DONE;
}

enum exchange_step handle_healthz(struct exchange *x)
{
    buf_z(reply_text(&x->reply, 200, "text/plain; charset=utf-8"), "ok\n");
    reply_header(&x->reply, "Cache-Control", "no-store");
    return X_DONE;
}

enum exchange_step handle_version(struct exchange *x)
{
    if (x->accepts == AS_JSON)
        buf_printf(reply_text(&x->reply, 200, "application/json"),
                   "{\"name\":\"aflamed\",\"version\":\"%s\"}\n", SERVICE_VERSION);
    else
        buf_printf(reply_text(&x->reply, 200, "text/plain; charset=utf-8"), "aflamed %s\n", SERVICE_VERSION);
    reply_header(&x->reply, "Cache-Control", "no-store");
    reply_header(&x->reply, "Vary", "Accept");
    return X_DONE;
}

enum exchange_step handle_static(struct exchange *x)
{
    const struct static_file *f = static_find(x->parameters[0], x->parameters[1]);

    if (f == NULL) {
        exchange_problem(x, 404, "not found", "Reload the page that led here.",
                         "There is no such file in this version of the service.");
        return X_DONE;
    }
    struct str type = f->media_type;
    reply_static(&x->reply, 200, type.p, f->bytes);
    reply_header(&x->reply, "Cache-Control", "public, max-age=31536000, immutable");
    reply_header(&x->reply, "X-Content-Type-Options", "nosniff");
    return X_DONE;
}
