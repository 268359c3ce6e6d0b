/* The workspace: one page for one profile, in whatever state its URL says. Everything on it is a link or a form, so that
 * it works without scripts; static/workspace.js makes the same without loading the page again.
 *
 *     page_workspace      the frame, the picture and its side
 *     workspace_heading   name, facts, warnings, share, downloads, delete
 *     workspace_verdict   in words where the time went
 *     workspace_tools     tabs, thread, value, view, search, filters
 *     workspace_threads   the list of threads
 *     workspace_filters   the filters
 *
 * A link leads to a page below the profile, by way of its own path: w->self. */
#include "core/clean.h"
#include "render/svg/svg_code.h"
#include "render/view/view_option.h"
#include "server/pages/workspace.h"

bool workspace_is_single(const struct workspace *w)
{
    const struct view_options *o = w->of->options;

    return o->tracks == TRACKS_LISTED && o->n_track_ids == 1;
}

size_t workspace_find_shown(const struct workspace *w)
{
    const struct view_options *o = w->of->options;
    size_t n = json_array_size(w->tracks), i = 0;

    if (!workspace_is_single(w))
        return n;
    while (i < n && page_data_number(json_array_get(w->tracks, i), "id") != o->track_ids[0])
        i++;
    return i;
}

void workspace_put_shown(const struct workspace *w, struct buf *b)
{
    const struct view_options *o = w->of->options;
    struct str name = page_data_text(json_array_get(w->tracks, workspace_find_shown(w)), "name");

    if (o->tracks == TRACKS_ALL)
        buf_z(b, w->of->tab == TAB_FLAME ? "All threads side by side" : "All threads");
    else if (o->tracks == TRACKS_MERGED)
        buf_z(b, "All threads merged");
    else if (o->n_track_ids != 1)
        buf_printf(b, "%u threads side by side", o->n_track_ids);
    else if (name.n > 0)
        buf_str(b, name);
    else
        buf_printf(b, "Thread %u", o->track_ids[0]);
}

void workspace_link(const struct workspace *w, const char *before, const char *path,
                    const struct view_options *query, const char *after)
{
    page_frame_text(w->b, before, w->self, "");
    buf_z(w->b, path);
    if (query != NULL)
        view_link(w->b, query, "&amp;");
    buf_z(w->b, after);
}

void workspace_query(const struct workspace *w, struct str track)
{
    struct buf query = {0};

    page_frame_text(w->b, "?track=", track, "");
    view_link(&query, w->of->options, "&amp;");
    if (query.n > 0) {
        buf_z(w->b, "&amp;"); /* in place of its question mark */
        buf_bytes(w->b, query.p + 1, query.n - 1);
    }
    w->b->failed = w->b->failed || query.failed;
    buf_free(&query);
}

void workspace_track_link(const struct workspace *w, struct str track)
{
    if (w->of->tab == TAB_METHODS) {
        workspace_methods_link(w, track);
        return;
    }
    page_frame_text(w->b, "", w->self, "t/");
    page_frame_text(w->b, "", track, "");
    view_link(w->b, w->of->options, "&amp;");
}

void workspace_here(const struct workspace *w, const struct view_options *options)
{
    struct page_workspace of = *w->of;
    struct workspace other = *w;

    of.options = options;
    other.of = &of;
    if (w->of->tab != TAB_METHOD) {
        workspace_track_link(&other, w->of->track);
        return;
    }
    page_frame_text(w->b, "", w->self, "m/");
    page_frame_text(w->b, "", page_data_text(w->of->report, "id"), "");
    workspace_query(&other, w->of->track);
}

/* ---- the picture ---- */

/* Without its style and its script, which the page has from files: it allows none within itself. */
static void put_picture(const struct workspace *w)
{
    struct svg_parts parts = svg_without_code(w->of->svg);

    for (size_t i = 0; i < sizeof(parts.pieces) / sizeof(parts.pieces[0]); i++)
        buf_str(w->b, parts.pieces[i]);
}

/* The rest of the profile can be used nevertheless. */
static void put_trouble(const struct workspace *w)
{
    const struct diag *d = w->of->trouble;

    page_frame_text(w->b, "<p class=\"problem\"><strong>", str_of(d->title), "</strong>: ");
    page_frame_text(w->b, "", str_of(d->detail), " ");
    page_frame_text(w->b, "", str_of(d->hint), "</p>\n");
}

/* The script of the picture makes no controls of its own within it. */
static void put_flame(const struct workspace *w)
{
    page_frame_text(w->b, "<div id=\"viewer\" data-flame-controls data-flame-tree=\"", w->self, "t/");
    page_frame_text(w->b, "", w->of->track, "/tree\">\n");
    buf_z(
        w->b,
        "<div id=\"picture\" class=\"picture\" tabindex=\"0\" role=\"region\" aria-label=\"Flame graph\">\n");
    put_picture(w);
    buf_z(w->b, "</div>\n</div>\n");
}

/* The panel is the script's: what it shows is about a frame that was chosen in the picture. */
static void put_content(const struct workspace *w)
{
    buf_z(w->b, "<div id=\"content\">\n");
    if (w->of->trouble != NULL)
        put_trouble(w);
    else if (w->of->tab == TAB_FLAME)
        put_flame(w);
    else if (w->of->tab == TAB_METHODS)
        workspace_methods(w);
    else if (w->of->tab == TAB_METHOD)
        workspace_method(w);
    else
        workspace_verdict(w);
    buf_z(w->b, "<aside id=\"panel\" aria-label=\"What is chosen\" hidden></aside>\n</div>\n");
}

/* What only some states differ in is written into <article>, for the script. */
void page_workspace(struct buf *b, const struct page_workspace *of)
{
    struct workspace w = {.b = b, .of = of, .tracks = json_object_get(of->summary, "tracks"), .up = of->root};
    struct buf self = {0}, title = {0};

    buf_str(&self, of->root);
    buf_printf(&self, "p/%s/", of->record->id);
    w.self = buf_view(&self);
    buf_str(&title, page_data_name(of->record->name));
    buf_z(&title, " - ");
    workspace_put_shown(&w, &title);
    page_frame_begin(b, &(struct page_frame){.title = buf_view(&title),
                                             .root = of->root,
                                             .style = "flame.css",
                                             .viewer = "flame.js",
                                             .script = "workspace.js",
                                             .bare = true});
    buf_z(b, "<a class=\"skip\" href=\"#content\">Skip to the content</a>\n");
    page_profile_element(b, of->record, page_data_text(of->summary, "format_label"), "");
    workspace_heading(&w);
    buf_z(b, "<main>\n");
    workspace_verdict_link(&w);
    workspace_tools(&w);
    put_content(&w);
    b->failed = b->failed || self.failed || title.failed;
    buf_z(b, "</main>\n</article>\n</body>\n</html>\n");
    buf_free(&self);
    buf_free(&title);
}
