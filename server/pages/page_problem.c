#include "server/pages/page_frame.h"
#include "server/pages/pages.h"

void page_problem(struct exchange *x, const struct problem *p)
{
    struct buf *b = page_reply(&x->reply, p->status);
    struct str root = page_root(x->path);
    struct buf detail = {0};

    problem_detail(&detail, p);
    page_frame_begin(b, &(struct page_frame){.title = p->title, .root = root});
    page_put(b, "<h1 class=\"problem\">{}</h1>\n<p class=\"lead\">{}</p>\n", p->title,
             detail.failed ? p->detail : buf_view(&detail));
    if (p->hint.n > 0)
        page_put(b, "<p>{}</p>\n", p->hint);
    buf_printf(b, "<p class=\"quiet\">Status %u, request %s</p>\n", p->status, x->id);
    if (x->profile.n > 0)
        page_put(b, "<p><a href=\"{}p/{}\">Back to the profile</a></p>\n", root, x->profile);
    page_put(b, "<p><a href=\"{}\">Upload a profile</a></p>\n", root);
    page_frame_end(b);
    buf_free(&detail);
}
