#include "server/pages/page_data.h"
#include "server/pages/page_frame.h"
#include "server/pages/pages.h"

enum { REFRESH_S = 3 };

static void put_progress(struct buf *b, const struct record *r, const struct page_progress *made)
{
    page_put(b,
             "<section class=\"progress\" id=\"progress\" data-events=\"{}/events\" "
             "aria-labelledby=\"progress-words\">\n",
             str_of(r->id));
    buf_printf(b, "<p id=\"progress-words\" role=\"status\">Drawing: %u of %u graphs are ready.</p>\n",
               made->n_made, made->n_views);
    buf_printf(b,
               "<progress max=\"%u\" value=\"%u\" aria-labelledby=\"progress-words\"></progress>\n<p "
               "class=\"quiet\">",
               made->n_views > 0 ? made->n_views : 1, made->n_made);
    page_put(b, "{}{}{}, {}", made->format, made->format.n > 0 ? STR(", ") : STR(""),
             PAGE_NUMBER(UNIT_BYTES, made->bytes), PAGE_COUNT(made->records));
    /* What refreshes a page by itself stays on one whose address has a fragment, as an uploader's has. */
    buf_z(b, " records</p>\n<noscript><p>Reload the page to see how far it is.</p></noscript>\n</section>\n");
}

void page_waiting(struct buf *b, const struct record *r, const struct page_progress *progress)
{
    page_frame_begin(b, &(struct page_frame){.title = page_data_name(r->name),
                                             .root = STR("../"),
                                             .script = "result.js",
                                             .refresh_s = REFRESH_S});
    page_profile_element(b, r, STR(""), "data-waiting");
    page_put(b, "<h1 class=\"name\">{}</h1>\n", page_data_name(r->name));
    put_progress(b, r, progress);
    buf_z(b, "</article>\n");
    page_frame_end(b);
}
