#include "server/pages/page_data.h"
#include "server/pages/page_frame.h"
#include "server/pages/pages.h"

static void put_token(struct buf *b, struct str token)
{
    if (token.p != NULL)
        page_put(b, "<input type=\"hidden\" name=\"token\" value=\"{}\">\n", token);
    else
        buf_z(b, "<p><label for=\"token\">Delete token</label>\n<input id=\"token\" name=\"token\" "
                 "autocomplete=\"off\" spellcheck=\"false\" required></p>\n");
}

void page_mapping(struct buf *b, const struct page_mapping *p)
{
    page_frame_begin(b, &(struct page_frame){.title = STR("The mapping that fits best"), .root = p->root});
    page_put(b,
             "<h1>Is this its mapping?</h1>\n<p class=\"name\">{}</p>\n<p><bdi><code>{}</code></bdi> "
             "{} It is not applied yet. Once applied, it can be taken away again.</p>\n<form "
             "method=\"post\" enctype=\"multipart/form-data\" action=\"mapping\">\n",
             page_data_name(p->record->name), p->file, p->words);
    put_token(b, p->token);
    page_put(b,
             "<input type=\"hidden\" name=\"known_file\" value=\"{}\">\n<p><button>Apply this "
             "mapping</button> <a href=\"../{}\">Do not apply it</a></p>\n</form>\n",
             p->file, str_of(p->record->id));
    page_frame_end(b);
}
