#include "server/pages/page_frame.h"
#include "server/pages/pages.h"

static void put_tools(struct buf *b)
{
    buf_z(b, "<div id=\"uploads-tools\" class=\"uploads-tools\" hidden>\n"
             "<p><label for=\"filter\">Filter</label> "
             "<input id=\"filter\" type=\"search\" autocomplete=\"off\"></p>\n"
             "<p><button type=\"button\" class=\"button\" id=\"check\">Check which are still there</button>\n"
             "<button type=\"button\" class=\"button\" id=\"forget-gone\" hidden>Forget those that are gone"
             "</button></p>\n</div>\n");
}

static void put_question(struct buf *b)
{
    buf_z(
        b,
        "<dialog id=\"ask\" aria-labelledby=\"ask-title\">\n<form method=\"dialog\">\n"
        "<h2 id=\"ask-title\">Delete this profile?</h2>\n<p class=\"name\"><bdi id=\"ask-name\"></bdi></p>\n"
        "<p>Its link stops working for everyone, at once. This cannot be undone.</p>\n"
        "<p><button class=\"danger\" value=\"delete\">Delete</button>\n"
        "<button class=\"button\" value=\"keep\" autofocus>Keep it</button></p>\n</form>\n</dialog>\n");
}

void page_uploads(struct buf *b)
{
    const struct page_frame frame = {.title = STR("My uploads"), .root = STR("./"), .script = "uploads.js"};

    page_frame_begin(b, &frame);
    buf_z(
        b,
        "<h1 tabindex=\"-1\">My uploads</h1>\n"
        "<p class=\"lead\">What was uploaded with this browser. Only the browser keeps this list: the "
        "service cannot say which uploads are yours, and in another browser it is another list.</p>\n"
        "<p data-without-script>The list needs JavaScript, because it is kept in the browser and not in the "
        "service: without it nothing was noted, and nothing can be shown. The links of your uploads work "
        "all the same.</p>\n"
        "<div id=\"uploads\" hidden>\n");
    put_tools(b);
    buf_z(b,
          "<p id=\"uploads-count\" class=\"quiet\"></p>\n"
          "<p id=\"uploads-status\" class=\"upload-status\" role=\"status\"></p>\n"
          "<p id=\"uploads-none\" hidden>There is none yet. <a href=\"./\">Upload a profile</a></p>\n"
          "<p id=\"uploads-blocked\" hidden>This browser does not let the page keep a list. Private windows "
          "and blocked site data have that effect.</p>\n"
          "<ol id=\"uploads-rows\" class=\"upload-rows\"></ol>\n"
          "<p class=\"quiet\">To delete a profile takes its link away from everyone. To forget it only takes "
          "it off this list, together with the token that could delete it.</p>\n</div>\n");
    put_question(b);
    page_frame_end(b);
}
