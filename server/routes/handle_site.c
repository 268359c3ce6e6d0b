/* The pages and answers that are not about one upload. */
#include "server/demo/demo.h"
#include "server/http/problem.h"
#include "server/pages/page_frame.h"
#include "server/pages/pages.h"
#include "server/pages/static_assets.h"
#include "server/routes/routes_table.h"
#include "server/service.h"

enum exchange_step handle_home(struct exchange *x)
{
    bool html = x->accepts == AS_HTML;
    struct buf base = {0};
    struct buf *b =
        reply_text(&x->reply, 200, html ? "text/html; charset=utf-8" : "text/plain; charset=utf-8");

    exchange_base_url(x, &base);
    x->reply.text.failed = x->reply.text.failed || base.failed;
    if (html)
        page_upload(b, buf_view(&base), x->service->config);
    else
        page_manual(b, buf_view(&base), x->service->config);
    page_headers(&x->reply);
    buf_free(&base);
    return X_DONE;
}

/* The list is kept by the browser, so a terminal can only be told where to look. */
enum exchange_step handle_uploads(struct exchange *x)
{
    if (x->accepts == AS_HTML) {
        page_uploads(reply_text(&x->reply, 200, "text/html; charset=utf-8"));
    } else {
        struct buf *b = reply_text(&x->reply, 200, "text/plain; charset=utf-8");
        buf_z(b, "Each browser keeps the list of its own uploads. Open this in yours: ");
        exchange_base_url(x, b);
        buf_z(b, "/uploads\n");
    }
    page_headers(&x->reply);
    return X_DONE;
}

enum exchange_step handle_healthz(struct exchange *x)
{
    buf_z(reply_text(&x->reply, 200, "text/plain; charset=utf-8"), "ok\n");
    reply_header(&x->reply, "Cache-Control", "no-store");
    return X_DONE;
}

/* Browsers ask for it where no page names another. */
enum exchange_step handle_icon(struct exchange *x)
{
    struct static_file icon = {.media_type = STR_INIT("image/svg+xml")};

    static_by_name(STR("icon.svg"), &icon);
    reply_static(&x->reply, 200, icon.media_type.p, icon.bytes);
    reply_header(&x->reply, "Cache-Control", "public, max-age=86400");
    reply_header(&x->reply, "X-Content-Type-Options", "nosniff");
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
    struct static_file f;

    if (!static_find(x->parameters[0], x->parameters[1], &f))
        return exchange_problem(x, 404, "not found", "Reload the page that led here.",
                                "There is no such file in this version of the service.");
    enum encoding e = encoding_for(encoding_negotiate(x->header(x, "Accept-Encoding")), f.bytes.n);
    struct str bytes = static_assets_get(x->service->static_assets, f.bytes, &e);
    reply_static(&x->reply, 200, f.media_type.p, bytes);
    if (e != ENCODING_IDENTITY)
        reply_header(&x->reply, "Content-Encoding", "%s", encoding_name(e));
    reply_header(&x->reply, "Vary", "Accept-Encoding");
    reply_header(&x->reply, "Cache-Control", "public, max-age=31536000, immutable");
    reply_header(&x->reply, "X-Content-Type-Options", "nosniff");
    return X_DONE;
}

enum exchange_step handle_demo(struct exchange *x)
{
    if (!demo_write(reply_text(&x->reply, 200, "application/octet-stream")))
        return exchange_problem(x, 503, "out of memory", "Try again later.",
                                "No memory is left to make the trace.");
    reply_header(&x->reply, "Content-Disposition", "attachment; filename=\"" DEMO_FILE_NAME "\"");
    reply_header(&x->reply, "Cache-Control", "public, max-age=3600");
    reply_header(&x->reply, "X-Content-Type-Options", "nosniff");
    return X_DONE;
}
