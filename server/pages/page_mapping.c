#include "server/pages/page_data.h"
#include "server/pages/page_frame.h"
#include "server/pages/pages.h"

static void put_token(struct buf *b, struct str token)
{
    if (token.p != NULL)
        page_frame_text(b, "<input type=\"hidden\" name=\"token\" value=\"", token, "\">\n");
    else
        buf_z(b, "<p><label for=\"token\">Delete token</label>\n<input id=\"token\" name=\"token\" "
                 "autocomplete=\"off\" spellcheck=\"false\" required></p>\n");
}

void page_mapping(struct buf *b, const struct page_mapping *p)
{
    page_frame_begin(b, &(struct page_frame){.title = STR("The mapping that fits best"), .root = p->root});
    page_frame_text(b, "<h1>Is this its mapping?</h1>\n<p class=\"name\">", page_data_name(p->record->name),
                    "</p>\n");
    page_frame_text(b, "<p><bdi><code>", p->file, "</code></bdi> ");
    page_frame_text(b, "", p->words,
                    " It is not applied yet. Once applied, it can be taken away again.</p>\n");
    buf_z(b, "<form method=\"post\" enctype=\"multipart/form-data\" action=\"mapping\">\n");
    put_token(b, p->token);
    page_frame_text(b, "<input type=\"hidden\" name=\"known_file\" value=\"", p->file, "\">\n");
    page_frame_text(b, "<p><button>Apply this mapping</button> <a href=\"../", str_of(p->record->id),
                    "\">Do not apply it</a></p>\n</form>\n");
    page_frame_end(b);
}
