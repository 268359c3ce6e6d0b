#include "server/pages/page_frame.h"

#include "core/clean.h"
#include "server/pages/static_assets.h"

struct str page_root(struct str path)
{
    static const char UP[] = "../../../../../../../../";
    size_t depth = 0;

    for (size_t i = 1; i < path.n; i++)
        depth += path.p[i] == '/';
    if (depth == 0)
        return STR("./");
    size_t n = depth * 3;
    return (struct str){UP, n < sizeof(UP) - 1 ? n : sizeof(UP) - 1};
}

void page_headers(struct reply *r)
{
    reply_header(
        r, "Content-Security-Policy",
        "default-src 'none'; style-src 'self'; img-src 'self'; script-src 'self'; connect-src 'self'; "
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'");
    reply_header(r, "X-Content-Type-Options", "nosniff");
    /* Nothing is told to other sites; a form of our own says in its Origin that it is ours, see
     * server/http/message/site.h. */
    reply_header(r, "Referrer-Policy", "same-origin");
    reply_header(r, "Cache-Control", "private, no-cache");
    reply_header(r, "Vary", "Accept, Accept-Encoding, User-Agent");
}

struct buf *page_reply(struct reply *r, unsigned status)
{
    struct buf *body = reply_text(r, status, "text/html; charset=utf-8");

    page_headers(r);
    return body;
}

void page_put_texts(struct buf *b, const char *markup, const struct str *texts, size_t n_texts)
{
    static const struct str MARK = STR_INIT("{}");
    struct str rest = str_of(markup);

    for (size_t i = 0; i < n_texts; i++) {
        size_t at = str_find_str(rest, MARK);
        buf_bytes(b, rest.p, at);
        if (at == rest.n)
            return;
        clean_xml(b, texts[i]);
        rest = str_from(rest, at + MARK.n);
    }
    buf_str(b, rest);
}

static void put_file(struct buf *b, const char *before, struct str root, const char *name, const char *after)
{
    buf_z(b, before);
    buf_str(b, root);
    static_path(b, str_of(name));
    buf_z(b, after);
}

void page_icon(struct buf *b, const char *name)
{
    buf_printf(b, "<svg class=\"icon\" aria-hidden=\"true\"><use href=\"#i-%s\"/></svg>", name);
}

void page_scene(struct buf *b, const char *name)
{
    buf_printf(b, "<svg class=\"scene\" aria-hidden=\"true\"><use href=\"#i-%s\"/></svg>\n", name);
}

void page_readers(struct buf *b, bool team)
{
    buf_printf(b,
               "<p><label for=\"readers\">Who may read it</label>\n<select id=\"readers\" name=\"readers\">"
               "<option value=\"link\"%s>anyone with the link</option>"
               "<option value=\"team\"%s>team members with the link</option></select></p>\n",
               team ? "" : " selected", team ? " selected" : "");
}

void page_brand(struct buf *b, struct str root)
{
    page_put(b, "<a class=\"brand\" href=\"{}\" aria-label=\"aflamed\">", root);
    page_icon(b, "brand");
    buf_z(b, "<span>aflamed</span></a>\n");
}

static void put_icons(struct buf *b)
{
    struct static_file icons;

    if (static_by_name(STR("icons.svg"), &icons))
        buf_str(b, icons.bytes);
}

static void put_visitor(struct buf *b, struct str root, const struct page_visitor *v)
{
    if (v->name.n == 0) {
        page_put(b, " <a href=\"{}login\">Log in</a>", root);
        return;
    }
    page_put(b, " <bdi class=\"quiet\">{}</bdi>", v->name);
    if (v->has_session)
        page_put(b,
                 " <form method=\"post\" action=\"{}logout\"><button class=\"plain\">Log out</button></form>",
                 root);
}

/* The size of the picture is told so that it is shown before it is loaded. */
static void put_preview(struct buf *b, const struct page_preview *p)
{
    page_put(
        b,
        "<meta name=\"description\" content=\"{}\">\n<meta property=\"og:site_name\" content=\"aflamed\">\n"
        "<meta property=\"og:title\" content=\"{}\">\n<meta property=\"og:description\" content=\"{}\">\n",
        p->description, p->title, p->description);
    buf_z(b, "<meta property=\"og:image\" content=\"");
    buf_str(b, p->image);
    buf_z(b, "\">\n<meta property=\"og:image:type\" content=\"image/png\">\n"
             "<meta property=\"og:image:width\" content=\"1200\">\n"
             "<meta property=\"og:image:height\" content=\"630\">\n"
             "<meta name=\"twitter:card\" content=\"summary_large_image\">\n");
}

void page_frame_begin(struct buf *b, const struct page_frame *frame)
{
    buf_z(
        b,
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
        "<meta name=\"color-scheme\" content=\"light dark\">\n<meta name=\"robots\" content=\"noindex\">\n");
    put_file(b, "<link rel=\"icon\" type=\"image/svg+xml\" href=\"", frame->root, "icon.svg", "\">\n");
    page_put(b, "<title>{} - aflamed</title>\n", frame->title);
    if (frame->preview != NULL)
        put_preview(b, frame->preview);
    put_file(b, "<link rel=\"stylesheet\" href=\"", frame->root, "app.css", "\">\n");
    if (frame->style != NULL)
        put_file(b, "<link rel=\"stylesheet\" href=\"", frame->root, frame->style, "\">\n");
    if (frame->viewer != NULL)
        put_file(b, "<script defer src=\"", frame->root, frame->viewer, "\"></script>\n");
    if (frame->script != NULL)
        put_file(b, "<script type=\"module\" src=\"", frame->root, frame->script, "\"></script>\n");
    /* With the attributes that fetch() without options has: otherwise the browser would ask twice. */
    if (frame->fetched.n > 0) {
        buf_z(b, "<link rel=\"preload\" as=\"fetch\" crossorigin href=\"");
        buf_str(b, frame->fetched);
        buf_z(b, "\">\n");
    }
    if (frame->lead_to != NULL)
        page_put(b, "<meta http-equiv=\"refresh\" content=\"0;url={}\">\n", str_of(frame->lead_to));
    if (frame->refresh_s > 0)
        buf_printf(b, "<noscript><meta http-equiv=\"refresh\" content=\"%u\"></noscript>\n",
                   frame->refresh_s);
    buf_z(b, "</head>\n");
    if (frame->bare) {
        buf_z(b, "<body class=\"workspace\">\n");
        put_icons(b);
        return;
    }
    buf_z(b, "<body>\n");
    put_icons(b);
    buf_z(b, "<header>");
    page_brand(b, frame->root);
    page_put(b, "<nav aria-label=\"Site\"><a href=\"{}\">Upload</a> <a href=\"{}uploads\">My uploads</a>",
             frame->root, frame->root);
    if (frame->visitor != NULL)
        put_visitor(b, frame->root, frame->visitor);
    buf_z(b, "</nav></header>\n<main>\n");
}

void page_frame_end(struct buf *b)
{
    buf_z(b, "</main>\n</body>\n</html>\n");
}
