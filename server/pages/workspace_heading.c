/* The line above all. What does not fit into it unfolds. */
#include "core/clean.h"
#include "render/output.h"
#include "server/pages/workspace.h"

enum { DAY_S = 86400 };

static void begin_menu(struct buf *b, const char *name, const char *markup)
{
    buf_printf(b,
               "<details name=\"menus\" class=\"menu %s\">\n<summary>%s</summary>\n<div class=\"sheet\">\n",
               name, markup);
}

static void end_menu(struct buf *b)
{
    buf_z(b, "</div>\n</details>\n");
}

static void put_token_field(struct buf *b, const char *id)
{
    buf_printf(b,
               "<p><label for=\"%s\">Delete token <span class=\"quiet\">(the upload's answer had it)</span>"
               "</label>\n<input id=\"%s\" name=\"token\" class=\"token\" autocomplete=\"off\" "
               "spellcheck=\"false\" required></p>\n",
               id, id);
}

/* For who has the token: the browser that uploaded fills it in by itself. */
static void put_token_words(struct buf *b)
{
    buf_z(b,
          "<p class=\"token-words\">This takes the delete token of the upload. The browser that uploaded the "
          "file fills it in by itself.</p>\n"
          "<noscript><p>Without scripts: right after an upload the address of this page ends in "
          "<code>#token=</code> and the token. Note it; it is shown nowhere else.</p></noscript>\n");
}

static void put_rename(const struct workspace *w)
{
    const struct record *r = w->of->record;
    int64_t last_s = r->created_s + (int64_t)w->of->max_days * DAY_S;
    int64_t most = (last_s - w->of->now_s + DAY_S - 1) / DAY_S;
    int64_t left = (r->expires_s - w->of->now_s + DAY_S - 1) / DAY_S;

    buf_z(w->b, "<details name=\"menus\" class=\"menu rename\">\n<summary title=\"Rename, or keep for "
                "another time\">");
    page_frame_text(w->b, "<h1 class=\"name\">", page_data_name(r->name),
                    "</h1></summary>\n<div class=\"sheet\">\n");
    put_token_words(w->b);
    workspace_link(w, "<form method=\"post\" action=\"", "rename", NULL, "\">\n");
    put_token_field(w->b, "token-rename");
    page_frame_text(w->b,
                    "<p><label for=\"name\">Name</label>\n<input id=\"name\" name=\"name\" maxlength=\"255\" "
                    "autocomplete=\"off\" value=\"",
                    str_of(r->name), "\"></p>\n");
    page_frame_text(
        w->b,
        "<p><label for=\"own-code\">Own code of the app, for all who look: com.foo,com.bar</label>\n<input "
        "id=\"own-code\" name=\"app\" maxlength=\"200\" autocomplete=\"off\" "
        "spellcheck=\"false\" value=\"",
        str_of(r->app), "\"></p>\n");
    if (most >= 1)
        buf_printf(w->b,
                   "<p><label for=\"expires\">Keep it for how many more days</label>\n<input id=\"expires\" "
                   "name=\"expires\" type=\"number\" min=\"1\" max=\"%lld\" placeholder=\"%lld\"></p>\n",
                   (long long)most, (long long)(left > 0 ? left : 1));
    buf_z(w->b, "<p><button>Change</button></p>\n</form>\n");
    end_menu(w->b);
}

static void put_facts(const struct workspace *w)
{
    buf_z(
        w->b,
        "<details name=\"menus\" class=\"menu about\">\n<summary title=\"All facts\"><span class=\"line\">");
    page_facts_line(w->b, w->of->record, w->of->summary);
    buf_z(w->b, "</span></summary>\n<div class=\"sheet\">\n");
    page_facts(w->b, w->of->record, w->of->summary);
    end_menu(w->b);
}

static void put_warnings(const struct workspace *w)
{
    const json_t *warnings = json_object_get(w->of->summary, "warnings");
    size_t n = json_array_size(warnings);

    if (n == 0)
        return;
    buf_z(w->b, "<details name=\"menus\" class=\"menu warned\">\n<summary>");
    buf_printf(w->b, "%zu warning%s</summary>\n<div class=\"sheet\">\n", n, n == 1 ? "" : "s");
    page_warnings(w->b, warnings);
    end_menu(w->b);
}

/* The picture of this state by each output that has one, then what is of the whole profile. */
static void put_downloads(const struct workspace *w)
{
    begin_menu(w->b, "downloads", "Download");
    buf_z(w->b, "<ul>\n");
    for (size_t i = 0; i < OUTPUTS_COUNT; i++) {
        struct view_options view = *w->of->options;
        bool shows = (OUTPUTS[i]->views >> view.view & 1) != 0;
        if (OUTPUTS[i]->preview || (view.view == VIEW_CHART && !shows))
            continue;
        if (!shows) {
            view.view = VIEW_FLAME;
            view.method[0] = '\0';
        }
        page_frame_text(w->b, "<li><a class=\"follows\" href=\"", w->self, "t/");
        page_frame_text(w->b, "", w->of->track, ".");
        buf_z(w->b, OUTPUTS[i]->suffix);
        view_link(w->b, &view, "&amp;");
        if (OUTPUTS[i] == &OUTPUT_SVG && w->of->pass.n > 0) {
            page_frame_text(w->b, "#pass=", w->of->pass, "");
            page_frame_text(w->b, "\" data-pass=\"", w->of->pass, "");
        }
        if (OUTPUTS[i]->views == OUTPUT_PLAIN_VIEWS)
            buf_z(w->b, "\" data-plain=\"");
        page_frame_text(w->b, "\">This view: ", str_of(OUTPUTS[i]->label), "</a></li>\n");
    }
    buf_z(w->b, "<li id=\"png\" hidden><button type=\"button\" class=\"button\" data-do=\"png\">Save as "
                "PNG</button></li>\n");
    page_frame_text(w->b, "<li><a href=\"", w->up, "p/");
    page_frame_text(w->b, "", str_of(w->of->record->id), ".json\">The profile: JSON</a></li>\n");
    workspace_link(w, "<li><a href=\"", "raw", NULL, "\">The uploaded file</a></li>\n</ul>\n");
    end_menu(w->b);
}

static void put_delete(const struct workspace *w)
{
    begin_menu(w->b, "remove", "Delete");
    buf_z(w->b, "<p>The link stops working for everyone, at once. This cannot be undone.</p>\n");
    put_token_words(w->b);
    workspace_link(w, "<form method=\"post\" action=\"", "delete", NULL, "\">\n");
    put_token_field(w->b, "token-delete");
    buf_z(w->b, "<p><button class=\"danger\">Delete this profile</button></p>\n</form>\n");
    end_menu(w->b);
}

void workspace_heading(const struct workspace *w)
{
    page_frame_text(w->b, "<header class=\"top\">\n<a class=\"brand\" href=\"", w->up, "\">aflamed</a>\n");
    put_rename(w);
    put_facts(w);
    put_warnings(w);
    buf_z(w->b, "<nav aria-label=\"This profile\">\n");
    page_frame_text(w->b, "<a class=\"share follows\" href=\"", w->self, "t/");
    page_frame_text(w->b, "", w->of->track, "");
    view_link(w->b, w->of->options, "&amp;");
    buf_z(w->b, "\">Share</a>\n");
    put_downloads(w);
    put_delete(w);
    page_frame_text(w->b, "<a href=\"", w->up, "uploads\">My uploads</a>\n");
    page_frame_text(w->b, "<a href=\"", w->up, "\">Upload</a>\n</nav>\n</header>\n");
}
