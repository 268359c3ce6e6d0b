#include "server/pages/page_check.h"

#include "server/pages/page_data.h"
#include "server/pages/pages.h"

static void put_labels(struct buf *b, const struct page_check *p, struct str lines)
{
    struct buf list = {0};
    struct str key, value;

    buf_str(&list, p->root);
    buf_z(&list, "s/");
    buf_str(&list, p->space);
    buf_z(b, "<ul class=\"labels\" aria-label=\"Labels\">\n");
    while (labels_next(&lines, &key, &value))
        page_label(b, buf_view(&list), "", key, value);
    buf_z(b, "</ul>\n");
    buf_part_end(b, &list);
}

static void put_judged(struct buf *b, const struct page_check *p, const struct space_check_group *g)
{
    struct buf pair = {0};

    buf_str(&pair, p->root);
    buf_printf(&pair, "d/%s..%s", g->typical_baseline, g->typical_run);
    page_put(b, "<p><a class=\"button\" href=\"{}\">Compare a typical run with one of the baseline</a></p>\n",
             buf_view(&pair));
    buf_z(&pair, "/m/");
    const struct check_links links = {.method = buf_view(&pair)};
    check_write(&g->check, CHECK_HTML, &links, b);
    buf_part_end(b, &pair);
}

static void put_group(struct buf *b, const struct page_check *p, const struct space_check_group *g)
{
    buf_z(b, "<section class=\"check\">\n");
    page_put(b, "<h2>{}</h2>\n", str_of(CHECK_STATES[g->is_judged ? g->check.state : CHECK_INCONCLUSIVE]));
    put_labels(b, p, g->labels);
    if (g->is_judged)
        put_judged(b, p, g);
    else
        page_put(b, "<p>There is nothing to compare: {}.</p>\n", str_of(space_check_why_not(g)));
    if (g->n_other > 0)
        page_put(
            b,
            "<p class=\"quiet\">More with these labels measure something else, and were left out: {}.</p>\n",
            PAGE_COUNT(g->n_other));
    buf_z(b, "</section>\n");
}

static void put_uploads(struct buf *b, const struct page_check *p)
{
    if (p->uploads.n == 0)
        return;
    buf_z(b, "<h2>Uploaded</h2>\n<ul>\n");
    for (size_t i = 0; i < p->uploads.n; i += RECORD_ID_CHARS) {
        struct str id = {p->uploads.p + i, RECORD_ID_CHARS};
        page_put(b, "<li><a href=\"{}p/{}\">{}</a></li>\n", p->root, id, id);
    }
    buf_z(b, "</ul>\n");
}

void page_check(struct buf *b, const struct page_check *p)
{
    const struct page_frame frame = {.title = p->space, .root = p->root, .visitor = p->visitor};

    page_frame_begin(b, &frame);
    page_put(b, "<h1>{}: {}</h1>\n<p><a href=\"{}s/{}\">All uploads of the space</a></p>\n", p->space,
             str_of(CHECK_STATES[p->check->state]), p->root, p->space);
    for (uint32_t i = 0; i < p->check->n_groups; i++)
        put_group(b, p, &p->check->groups[i]);
    if (p->check->left_out > 0)
        page_put(b, "<p>{} more runs have labels of their own and were not looked at.</p>\n",
                 PAGE_COUNT(p->check->left_out));
    put_uploads(b, p);
    page_frame_end(b);
}
