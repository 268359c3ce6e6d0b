#include "server/pages/page_frame.h"
#include "server/pages/pages.h"

void page_problem(struct exchange *x, const struct problem *p)
{
    struct buf *b = reply_text(&x->reply, p->status, "text/html; charset=utf-8");
    struct str root = page_root(x->path);
    struct buf detail = {0};

    problem_detail(&detail, p);
    page_frame_begin(b, &(struct page_frame){.title = p->title, .root = root});
    page_frame_text(b, "<h1 class=\"problem\">", p->title, "</h1>\n");
    page_frame_text(b, "<p class=\"lead\">", detail.failed ? p->detail : buf_view(&detail), "</p>\n");
    if (p->hint.n > 0)
        page_frame_text(b, "<p>", p->hint, "</p>\n");
    buf_printf(b, "<p class=\"quiet\">Status %u, request %s</p>\n", p->status, x->id);
    if (x->profile.n > 0) {
        page_frame_text(b, "<p><a href=\"", root, "p/");
        page_frame_text(b, "", x->profile, "\">Back to the profile</a></p>\n");
    }
    page_frame_text(b, "<p><a href=\"", root, "\">Upload a profile</a></p>\n");
    page_frame_end(b);
    buf_free(&detail);
    page_headers(&x->reply);
}
