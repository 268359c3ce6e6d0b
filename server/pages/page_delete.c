#include "server/pages/page_data.h"
#include "server/pages/page_frame.h"
#include "server/pages/pages.h"

void page_delete(struct buf *b, const struct record *r)
{
    page_frame_begin(b, &(struct page_frame){.title = STR("Delete a profile"), .root = STR("../../")});
    page_frame_text(b, "<h1>Delete this profile?</h1>\n<p class=\"name\">", page_data_name(r->name),
                    "</p>\n");
    buf_z(b, "<p>Its link stops working for everyone, at once. This cannot be undone.</p>\n");
    buf_z(b, "<form method=\"post\" action=\"delete\">\n");
    buf_z(b, "<p><label for=\"token\">Delete token</label>\n<input id=\"token\" name=\"token\" "
             "autocomplete=\"off\" spellcheck=\"false\" required></p>\n");
    page_frame_text(b, "<p><button class=\"danger\">Delete</button> <a href=\"../", str_of(r->id),
                    "\">Keep it</a></p>\n");
    buf_z(b, "</form>\n");
    page_frame_end(b);
}

void page_deleted(struct buf *b, struct str root, const struct record *r)
{
    page_frame_begin(b, &(struct page_frame){.title = STR("Deleted"), .root = root, .script = "result.js"});
    page_frame_text(b, "<div id=\"deleted\" data-id=\"", str_of(r->id), "\">\n");
    buf_z(b, "<h1>The profile is deleted</h1>\n<p>Its link does not work any more.</p>\n");
    page_frame_text(b, "<p><a href=\"", root, "\">Upload another one</a></p>\n</div>\n");
    page_frame_end(b);
}
