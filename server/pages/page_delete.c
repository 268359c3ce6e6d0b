#include "server/pages/page_data.h"
#include "server/pages/page_frame.h"
#include "server/pages/pages.h"

void page_delete(struct buf *b, const struct record *r)
{
    page_frame_begin(b, &(struct page_frame){.title = STR("Delete a profile"), .root = STR("../../")});
    page_put(b,
             "<h1>Delete this profile?</h1>\n<p class=\"name\">{}</p>\n<p>Its link stops working for "
             "everyone, at once. This cannot be undone.</p>\n<form method=\"post\" "
             "action=\"delete\">\n<p><label for=\"token\">Delete token</label>\n<input id=\"token\" "
             "name=\"token\" autocomplete=\"off\" spellcheck=\"false\" required></p>\n<p><button "
             "class=\"danger\">Delete</button> <a href=\"../{}\">Keep it</a></p>\n</form>\n",
             page_data_name(r->name), str_of(r->id));
    page_frame_end(b);
}

void page_deleted(struct buf *b, struct str root, const struct record *r)
{
    page_frame_begin(b, &(struct page_frame){.title = STR("Deleted"), .root = root, .script = "result.js"});
    page_put(b,
             "<div id=\"deleted\" data-id=\"{}\">\n<h1>The profile is deleted</h1>\n<p>Its link does "
             "not work any more.</p>\n<p><a href=\"{}\">Upload another one</a></p>\n</div>\n",
             str_of(r->id), root);
    page_frame_end(b);
}
