/* /api: the interface described, for programs and as a page. */
#include "server/pages/page_frame.h"
#include "server/routes/api_document.h"
#include "server/routes/api_paths.h"
#include "server/routes/routes_table.h"

/* ---- the page ---- */

static void put_row(void *page, const struct api_parameter *p)
{
    static const char *const PLACES[] = {[API_PATH] = "path",
                                         [API_QUERY] = "query",
                                         [API_HEADER] = "header",
                                         [API_FIELD] = "form",
                                         [API_FILE] = "form, a file"};

    page_put(page, "<tr><th scope=\"row\"><code>{}</code></th><td>", p->name);
    buf_z(page, PLACES[p->place]);
    page_put(page, "</td><td>{}</td></tr>\n", p->help);
}

static bool put_path(void *context, const struct api_path *p)
{
    struct buf *page = context;

    buf_printf(page, "<details class=\"api\">\n<summary><code>%s ", p->route->method);
    page_put(page,
             "{}</code> <span class=\"quiet\">{}</span></summary>\n<table>\n<thead><tr><th "
             "scope=\"col\">Name</th><th scope=\"col\">Where</th><th "
             "scope=\"col\">Meaning</th></tr></thead>\n<tbody>\n",
             p->path, str_of(p->words != NULL ? p->words : p->route->help));
    bool made = api_parameters(p, put_row, page);
    buf_z(page, "</tbody>\n</table>\n</details>\n");
    return made && !page->failed;
}

static void put_page(struct buf *b)
{
    const struct page_frame frame = {.title = STR("Interface for programs"), .root = STR("./")};

    page_frame_begin(b, &frame);
    buf_z(b, "<h1 tabindex=\"-1\">Interface for programs</h1>\n"
             "<p class=\"lead\">Every URL of this service, and what it takes. Programs get the same as an "
             "<a href=\"api.json\">OpenAPI 3.1 document</a>, with JSON schemas of the answers.</p>\n"
             "<p>Uploading is one line: <code>curl -F trace=@app.trace URL</code>. "
             "Errors are JSON for who accepts it (RFC 9457), with a hint what to do.</p>\n");
    if (!api_paths(put_path, b))
        b->failed = true;
    page_frame_end(b);
}

static enum exchange_step answer(struct exchange *x, bool page)
{
    struct buf *b = reply_text(&x->reply, 200, page ? "text/html; charset=utf-8" : "application/json");
    struct buf base = {0};

    exchange_base_url(x, &base);
    if (page)
        put_page(b);
    else
        api_document(b, buf_view(&base));
    b->failed = b->failed || base.failed;
    page_headers(&x->reply);
    buf_free(&base);
    return X_DONE;
}

enum exchange_step handle_api(struct exchange *x)
{
    return answer(x, x->accepts == AS_HTML);
}

enum exchange_step handle_api_json(struct exchange *x)
{
    return answer(x, false);
}
