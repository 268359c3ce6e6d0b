/* The workspace: one page for one profile, in whatever state its URL says. Everything on it is a link or a
 * form, so that it works without scripts; static/workspace.js makes the same without loading the page
 * again.
 *
 *     page_workspace      the frame, the picture and its side
 *     workspace_parts     what the others share: addresses, menus, choices
 *     workspace_heading   name, facts, warnings, share, downloads, delete
 *     workspace_strips    in words where the time went; what all threads did in the order of time; how much heaps had at each dump
 *     workspace_tools     tabs, value, view, search, filters
 *     workspace_threads   the list of threads
 *     workspace_methods   the tab of methods, and one method
 *     workspace_frames    the tab of frames that were late
 *     workspace_compare   of a comparison its heading, its words and its fields
 *
 * A link leads to a page below the profile, by way of its own path: w->self. */
#include "profile/warning.h"
#include "render/svg/svg_header.h"
#include "render/view/key.h"
#include "server/convert/report.h"
#include "server/pages/workspace.h"

/* ---- the picture ---- */

/* Without its style and its script, which the page has from files: it allows none within itself. */
static void put_picture(const struct workspace *w)
{
    struct svg_parts parts = svg_without_code(w->of.content);

    for (size_t i = 0; i < sizeof(parts.pieces) / sizeof(parts.pieces[0]); i++)
        buf_str(w->b, parts.pieces[i]);
}

/* The rest of the profile can be used nevertheless. */
static void put_trouble(const struct workspace *w)
{
    const struct diag *d = w->of.trouble;

    page_put(w->b, "<p class=\"problem\"><strong>{}</strong>: {} {}</p>\n", str_of(d->title),
             str_of(d->detail), str_of(d->hint));
}

static bool has_anything(const json_t *track)
{
    const char *name;
    json_t *total;
    bool any = false;

    json_object_foreach ((json_t *)(uintptr_t)json_object_get(track, "totals"), name, total)
        any = any || json_integer_value(total) > 0;
    return any;
}

/* Whether the warning tells why there is nothing. */
static bool tells_why_empty(struct str code)
{
    static const struct str CODES[] = {STR_INIT("heap-empty"),        STR_INIT("heap-rejected"),
                                       STR_INIT("heap-disconnected"), STR_INIT("heap-overrun"),
                                       STR_INIT("heap-guardrail"),    STR_INIT("heap-client-error"),
                                       STR_INIT("heap-dump-cut"),     STR_INIT("lost-packets")};

    for (size_t i = 0; i < sizeof(CODES) / sizeof(CODES[0]); i++)
        if (str_eq(code, CODES[i]))
            return true;
    return false;
}

/* Of a heap without a single sample: that it is so, and what the file tells of the reasons. */
static void put_empty(const struct workspace *w)
{
    const json_t *track = json_array_get(w->tracks, workspace_find_shown(w)), *warning;
    size_t i;

    if (track == NULL || !str_eq(page_data_text(track, "kind"), STR("heap")) || has_anything(track))
        return;
    buf_z(w->b, "<div id=\"empty\" class=\"problem\"><p><strong>This heap is empty.</strong></p>\n<ul>\n");
    json_array_foreach (json_object_get(w->of.summary, "warnings"), i, warning) {
        if (tells_why_empty(page_data_text(warning, "code")))
            page_put(w->b, "<li>{}</li>\n", page_data_text(warning, "text"));
    }
    buf_z(w->b, "</ul></div>\n");
}

/* The script of the picture makes no controls of its own within it. */
static void put_flame(const struct workspace *w)
{
    uint32_t step;

    if (svg_emptied_by(w->of.content, &step))
        workspace_filter_emptied(w, step);
    page_put(w->b, "<div id=\"viewer\" data-flame-controls data-flame-tree=\"{}", w->self);
    if (w->of.compared == NULL)
        page_put(w->b, "t/{}/", w->of.track);
    buf_z(w->b, "tree\">\n");
    put_empty(w);
    buf_z(
        w->b,
        "<div id=\"picture\" class=\"picture\" tabindex=\"0\" role=\"region\" aria-label=\"Flame graph\">\n");
    put_picture(w);
    buf_z(w->b, "</div>\n</div>\n");
}

/* What the summary says of a range in which there is nothing, or NULL. */
static const json_t *empty_range(const struct workspace *w)
{
    return page_data_find(json_object_get(w->of.summary, "warnings"), "code",
                          str_of(warning_name(WARN_WINDOW_EMPTY)));
}

/* What to do about it stands in the words of the warning; the link does it. */
static void put_empty_range(const struct workspace *w, const json_t *warning)
{
    struct view_options without = *w->of.options;

    without.from_ns = without.to_ns = VIEW_TIME_NONE;
    page_put(w->b, "<p id=\"empty-range\" class=\"problem\">{} <a class=\"place\" href=\"",
             page_data_text(warning, "text"));
    workspace_here(w, &without);
    buf_z(w->b, "\">Show the whole recording</a></p>\n");
}

/* The panel is the script's: it opens when a frame, a method or a call is chosen. A chart is the script's too,
 * of any threads; what the service draws of one is for those without scripts. */
static void put_content(const struct workspace *w)
{
    bool is_chart = w->of.tab == TAB_FLAME && w->of.options->view == VIEW_CHART;

    const json_t *empty = empty_range(w);

    buf_printf(w->b, "<div id=\"content\"%s>\n", empty != NULL ? " class=\"is-empty\"" : "");
    if (empty != NULL)
        put_empty_range(w, empty);
    if (is_chart)
        page_put(w->b, "<div id=\"chart\" data-track=\"{}\">\n", w->of.track);
    if (w->of.trouble != NULL)
        put_trouble(w);
    else if (w->of.tab == TAB_FLAME)
        put_flame(w);
    else if (w->of.tab == TAB_METHODS)
        workspace_methods(w);
    else if (w->of.tab == TAB_METHOD)
        workspace_method(w);
    else if (w->of.tab == TAB_FRAMES)
        workspace_frames(w);
    else
        workspace_verdict(w);
    buf_z(w->b, is_chart ? "</div>\n" : "");
    buf_z(w->b, "<aside id=\"panel\" aria-label=\"What is chosen\" hidden></aside>\n</div>\n");
}

/* ---- for chat programs ---- */

/* The first words that the page has; else which thread it shows. */
static void put_description(const struct workspace *w, struct buf *b)
{
    if (w->of.compared != NULL)
        report_headline(json_object_get(w->of.compared->table, "verdict"), HEADLINE_OF_CHANGE, b);
    else
        report_headline(json_object_get(w->of.told, "sentences"), HEADLINE, b);
    if (b->n == 0)
        workspace_put_shown(w, b);
}

static void put_names(const struct workspace *w, struct buf *b)
{
    buf_z(b, w->of.compared != NULL ? "What changed: " : "");
    buf_str(b, page_data_name(w->of.record->name));
    if (w->of.compared != NULL) {
        buf_z(b, " and ");
        buf_str(b, page_data_name(w->of.compared->b->name));
    }
}

/* The whole address of the card, as markup. The tracks are told where they were asked for. */
static void put_card_address(const struct workspace *w, struct buf *b)
{
    const struct view_options *o = w->of.card;
    struct workspace into = *w;
    struct buf tracks = {0};

    into.b = b;
    page_put(b, w->of.compared != NULL ? "{}/d/{}/card.png" : "{}/p/{}/card.png", w->of.base,
             w->of.compared != NULL ? w->of.compared->pair : str_of(w->of.record->id));
    key_text(key_by_name(STR("track")), o, &tracks);
    if (o->tracks != TRACKS_LISTED || o->n_track_ids > 0)
        workspace_query_of(&into, buf_view(&tracks), o);
    else
        view_link(b, o, "&amp;");
    buf_part_end(b, &tracks);
}

/* Everything before the content. */
static void put_head(const struct workspace *w)
{
    struct buf title = {0}, names = {0}, description = {0}, image = {0};
    struct page_preview preview;

    put_names(w, &names);
    buf_str(&title, buf_view(&names));
    buf_z(&title, " - ");
    workspace_put_shown(w, &title);
    put_description(w, &description);
    if (w->of.base.n > 0)
        put_card_address(w, &image);
    preview = (struct page_preview){buf_view(&names), buf_view(&description), buf_view(&image)};
    page_frame_begin(w->b, &(struct page_frame){.title = buf_view(&title),
                                                .preview = w->of.base.n > 0 ? &preview : NULL,
                                                .root = w->of.root,
                                                .style = "flame.css",
                                                .viewer = "flame.js",
                                                .script = "workspace.js",
                                                .bare = true});
    buf_part_end(w->b, &title);
    buf_part_end(w->b, &names);
    buf_part_end(w->b, &description);
    buf_part_end(w->b, &image);
}

/* ---- the whole ---- */

/* What only some states differ in is written into <article>, for the script. */
void page_workspace(struct buf *b, const struct page_workspace *of)
{
    struct workspace w = {
        .b = b, .of = *of, .tracks = json_object_get(of->summary, "tracks"), .up = of->root};
    struct buf self = {0};

    buf_str(&self, of->root);
    if (of->compared != NULL)
        buf_printf(&self, "d/%.*s/", (int)of->compared->pair.n, of->compared->pair.p);
    else
        buf_printf(&self, "p/%s/", of->record->id);
    w.self = buf_view(&self);
    put_head(&w);
    buf_z(b, "<a class=\"skip\" href=\"#content\">Skip to the content</a>\n");
    if (of->compared != NULL)
        buf_z(b, "<article id=\"comparison\">\n");
    else
        page_profile_element(b, of->record, page_data_text(of->summary, "format_label"),
                             of->rights.own ? "data-own" : "");
    of->compared != NULL ? workspace_compared_heading(&w) : workspace_heading(&w);
    buf_z(b, "<main>\n");
    of->compared != NULL ? workspace_compared_verdict(&w) : workspace_verdict_link(&w);
    workspace_lanes(&w);
    workspace_dumps(&w);
    workspace_tools(&w);
    put_content(&w);
    buf_z(b, "<p id=\"said\" role=\"status\"></p>\n");
    buf_z(b, "</main>\n</article>\n</body>\n</html>\n");
    buf_part_end(b, &self);
}
