/* The page of one picture: the picture's own elements, the choices around it as a form, and the way to the
 * threads beside it. */
#include "core/clean.h"
#include "render/output.h"
#include "render/svg/svg.h"
#include "render/view_link.h"
#include "server/pages/page_data.h"
#include "server/pages/page_frame.h"
#include "server/pages/pages.h"

enum { NAME_BYTES_MAX = 80 }; /* of a thread in the list */

struct page {
    struct buf *b;
    const struct page_flame *of;
    const json_t *tracks;
    size_t at; /* index of the thread that is shown; the number of threads if it is several */
};

/* The script of the page keeps it to what is shown. */
static void put_query(struct buf *b, const struct view_options *o)
{
    view_link(b, o, "&amp;");
}

/* ---- threads ---- */

static bool is_single(const struct view_options *o)
{
    return o->tracks == TRACKS_LISTED && o->n_track_ids == 1;
}

static size_t find_shown(const struct page_flame *of, const json_t *tracks)
{
    const struct view_options *o = of->options;
    size_t n = json_array_size(tracks), i = 0;

    if (!is_single(o))
        return n;
    while (i < n && page_data_number(json_array_get(tracks, i), "id") != o->track_ids[0])
        i++;
    return i;
}

static void put_shown(const struct page *p, struct buf *b)
{
    const struct view_options *o = p->of->options;
    struct str name = page_data_text(json_array_get(p->tracks, p->at), "name");

    if (o->tracks == TRACKS_ALL)
        buf_z(b, "All threads side by side");
    else if (o->tracks == TRACKS_MERGED)
        buf_z(b, "All threads merged");
    else if (o->n_track_ids != 1)
        buf_printf(b, "%u threads side by side", o->n_track_ids);
    else if (name.n > 0)
        buf_str(b, name);
    else
        buf_printf(b, "Thread %u", o->track_ids[0]);
}

static void put_neighbour(const struct page *p, size_t at, const char *relation, const char *label)
{
    char text[NUMBER_BYTES_MAX];

    if (at >= json_array_size(p->tracks)) {
        buf_printf(p->b, "<span class=\"button\" aria-disabled=\"true\">%s</span> ", label);
        return;
    }
    const json_t *track = json_array_get(p->tracks, at);
    buf_printf(p->b, "<a class=\"button follows\" rel=\"%s\" href=\"", relation);
    page_frame_text(p->b, "", page_data_track_id(track, text), "");
    put_query(p->b, p->of->options);
    page_frame_text(p->b, "\" title=\"", page_data_text(track, "name"), "\">");
    buf_printf(p->b, "%s</a> ", label);
}

/* ---- the form ---- */

static void put_choice(struct buf *b, struct str value, bool chosen)
{
    page_frame_text(b, "<option value=\"", value, chosen ? "\" selected>" : "\">");
}

static void put_track_choice(const struct page *p, size_t i)
{
    const json_t *track = json_array_get(p->tracks, i);
    struct str name = page_data_text(track, "name");
    char text[NUMBER_BYTES_MAX];

    put_choice(p->b, page_data_track_id(track, text), i == p->at);
    if (name.n == 0)
        page_data_put_track_name(p->b, track);
    else
        clean_xml(p->b, clean_cut(name, NAME_BYTES_MAX));
    buf_z(p->b, name.n > NAME_BYTES_MAX ? "..." : "");
    page_frame_text(p->b, " (", page_data_track_id(track, text), ")</option>\n");
}

/* Several at once, of which there is no chart. */
static void put_sets(const struct page *p)
{
    const struct view_options *o = p->of->options;

    put_choice(p->b, STR("all"), o->tracks == TRACKS_ALL);
    buf_z(p->b, "all side by side</option>\n");
    put_choice(p->b, STR("merged"), o->tracks == TRACKS_MERGED);
    buf_z(p->b, "all merged</option>\n");
    if (o->tracks == TRACKS_LISTED && !is_single(o)) {
        put_choice(p->b, p->of->track, true);
        page_frame_text(p->b, "", p->of->track, "</option>\n");
    }
}

/* The one that is shown is always among them. */
static void put_tracks(const struct page *p)
{
    size_t n = json_array_size(p->tracks);

    buf_z(p->b, "<p><label for=\"track\">Thread</label> <select id=\"track\" name=\"track\">\n");
    for (size_t i = 0; i < n && i < PAGE_TRACKS_MAX; i++)
        put_track_choice(p, i);
    if (p->at >= PAGE_TRACKS_MAX && p->at < n)
        put_track_choice(p, p->at);
    if (p->of->options->view != VIEW_CHART)
        put_sets(p);
    buf_z(p->b, "</select></p>\n");
}

static void put_values_of(const struct page *p, const json_t *values, bool first_is_usual)
{
    const json_t *value;
    size_t i;

    json_array_foreach(values, i, value)
    {
        struct str name = page_data_text(value, "name");
        bool chosen = str_eq(name, str_of(p->of->options->value)) ||
                      (first_is_usual && i == 0 && p->of->options->value[0] == '\0');
        put_choice(p->b, name, chosen);
        page_frame_text(p->b, "", page_data_text(value, "label"), "</option>\n");
    }
}

static void put_values(const struct page *p)
{
    buf_z(p->b, "<p><label for=\"value\">Value</label> <select id=\"value\" name=\"value\">\n");
    put_values_of(p, json_object_get(p->of->summary, "values"), true);
    put_values_of(p, json_object_get(p->of->summary, "derived"), false);
    buf_z(p->b, "</select></p>\n");
}

/* A select of words that stand in a URL as they are. */
static void put_words(struct buf *b, const char *key, const char *label, const char *(*word)(unsigned),
                      unsigned chosen)
{
    buf_printf(b, "<p><label for=\"%s\">%s</label> <select id=\"%s\" name=\"%s\">\n", key, label, key, key);
    for (unsigned i = 0; word(i) != NULL; i++) {
        put_choice(b, str_of(word(i)), i == chosen);
        buf_z(b, word(i));
        buf_z(b, "</option>\n");
    }
    buf_z(b, "</select></p>\n");
}

/* The chart is the last one. */
static const char *tree_view_word(unsigned kind)
{
    return kind == VIEW_CHART ? NULL : view_kind_word(kind);
}

/* A chart is of one thread that has times. */
static void put_views(const struct page *p)
{
    const json_t *value;
    size_t i;
    bool timed = false;

    json_array_foreach(json_object_get(p->of->summary, "values"), i, value) timed =
        timed || str_eq(page_data_text(value, "unit"), STR("us"));
    put_words(p->b, "view", "View", timed && is_single(p->of->options) ? view_kind_word : tree_view_word,
              p->of->options->view);
}

/* Of a profile that has both. */
static bool has_open_frames(const json_t *summary)
{
    const json_t *each;
    size_t i;
    bool wall = false, open = false;

    json_array_foreach(json_object_get(summary, "values"), i, each) wall =
        wall || str_eq(page_data_text(each, "name"), STR("wall"));
    json_array_foreach(json_object_get(summary, "warnings"), i, each) open =
        open || str_eq(page_data_text(each, "code"), STR("open-frames"));
    return wall && open;
}

static void put_open(const struct page *p)
{
    static const char *const LABELS[] = {
        [OPEN_LAST] = "end with their thread's records", [OPEN_END] = "last to the end of the trace"};

    if (!has_open_frames(p->of->summary))
        return;
    buf_z(p->b, "<p><label for=\"open\">Methods never left</label> <select id=\"open\" name=\"open\">\n");
    for (unsigned i = 0; i < sizeof(LABELS) / sizeof(LABELS[0]); i++) {
        put_choice(p->b, str_of(view_open_word(i)), i == p->of->options->open);
        buf_z(p->b, LABELS[i]);
        buf_z(p->b, "</option>\n");
    }
    buf_z(p->b, "</select></p>\n");
}

/* An option that is not among the choices stays as it is. */
static void put_hidden(struct buf *b, const char *key, uint64_t value, unsigned decimals)
{
    buf_printf(b, "<input type=\"hidden\" name=\"%s\" value=\"", key);
    buf_fixed(b, value, decimals);
    buf_z(b, "\">\n");
}

/* All choices are fields of one form, so that it works without scripts. */
static void put_form(const struct page *p)
{
    const struct view_options *o = p->of->options;
    struct view_options usual;

    view_defaults(&usual);
    buf_z(p->b, "<form id=\"choices\" class=\"choices\" method=\"get\" action=\"../t\">\n");
    put_tracks(p);
    put_values(p);
    put_views(p);
    put_words(p->b, "order", "Order", view_order_word, o->order);
    put_words(p->b, "palette", "Colours", view_palette_word, o->palette);
    put_words(p->b, "names", "Names", view_names_word, o->names);
    put_open(p);
    if (o->width_px != usual.width_px)
        put_hidden(p->b, "width", o->width_px, 0);
    if (o->min_milli_px != usual.min_milli_px)
        put_hidden(p->b, "min", o->min_milli_px, 3);
    page_frame_text(p->b, "<input type=\"hidden\" name=\"method\" value=\"", str_of(o->method), "\">\n");
    if (o->view == VIEW_CHART && o->from_ns != usual.from_ns)
        put_hidden(p->b, "from", o->from_ns, 3);
    if (o->view == VIEW_CHART && o->to_ns != usual.to_ns)
        put_hidden(p->b, "to", o->to_ns, 3);
    buf_z(p->b, "<p class=\"submit\"><button>Show</button></p>\n</form>\n");
}

/* `method` is of the picture: svg.flame has it. */
static void put_button(struct buf *b, const char *method, const char *words)
{
    buf_printf(b, "<button type=\"button\" class=\"button\" data-do=\"%s\">%s</button>\n", method, words);
}

/* What only the script can do; it shows them. */
static void put_tools(struct buf *b)
{
    buf_z(b, "<div id=\"tools\" class=\"viewer-tools\" hidden>\n"
             "<p role=\"search\"><label for=\"search\">Search</label> <input id=\"search\" type=\"search\" "
             "placeholder=\"text or /regexp/\" autocomplete=\"off\" spellcheck=\"false\"></p>\n"
             "<p class=\"check\"><input id=\"match-case\" type=\"checkbox\"> "
             "<label for=\"match-case\">Match case</label></p>\n<p class=\"buttons\">\n");
    put_button(b, "previous", "Previous match");
    put_button(b, "next", "Next match");
    put_button(b, "reset", "Reset zoom and search");
    put_button(b, "png", "Save as PNG");
    buf_z(b, "</p>\n</div>\n");
}

/* ---- the picture, what is below ---- */

/* Without its style and its script, which the page has from files: it allows none within itself. */
static void put_picture(const struct page *p)
{
    struct svg_parts parts = svg_without_code(p->of->svg);

    for (size_t i = 0; i < sizeof(parts.pieces) / sizeof(parts.pieces[0]); i++)
        buf_str(p->b, parts.pieces[i]);
}

static void put_downloads(const struct page *p)
{
    buf_z(p->b, "<p class=\"downloads\">Download this view: ");
    for (size_t i = 0, n = 0; i < OUTPUTS_COUNT; i++) {
        if (OUTPUTS[i]->preview || (p->of->options->view == VIEW_CHART && !OUTPUTS[i]->charts))
            continue;
        buf_z(p->b, n++ == 0 ? "<a class=\"follows\" href=\"" : ", <a class=\"follows\" href=\"");
        page_frame_text(p->b, "", p->of->track, ".");
        buf_z(p->b, OUTPUTS[i]->suffix);
        put_query(p->b, p->of->options);
        page_frame_text(p->b, "\">", str_of(OUTPUTS[i]->label), "</a>");
    }
    buf_z(p->b, "</p>\n");
}

static void put_heading(const struct page *p, struct str shown)
{
    const struct record *r = p->of->record;

    page_frame_text(p->b, "<p class=\"back\"><a href=\"../../", str_of(r->id), "\">");
    page_frame_text(p->b, "", page_data_name(r->name), "</a></p>\n");
    page_frame_text(p->b, "<div class=\"heading\"><h1 class=\"name\">", shown, "</h1>\n");
    if (json_array_size(p->tracks) > 1) {
        size_t n = json_array_size(p->tracks);
        buf_z(p->b, "<nav class=\"beside\" aria-label=\"Next by weight\">");
        put_neighbour(p, p->at == n ? n : p->at - 1, "prev", "Previous");
        put_neighbour(p, p->at == n ? 0 : p->at + 1, "next", "Next");
        buf_z(p->b, "</nav>");
    }
    buf_z(p->b, "</div>\n");
}

/* In a line, so that the picture keeps its room: it says them as well, but above what is seen of it first. */
static void put_warned(const struct page *p)
{
    size_t n = json_array_size(json_object_get(p->of->summary, "warnings"));

    if (n > 0)
        buf_printf(p->b, "<p class=\"warned\">%zu warning%s, below the picture</p>\n", n, n == 1 ? "" : "s");
}

/* The script of the picture makes no controls of its own within it. */
static void put_viewer(const struct page *p)
{
    page_frame_text(p->b, "<div class=\"viewer\" data-flame-controls data-flame-tree=\"", p->of->track,
                    "/tree\">\n");
    put_form(p);
    if (p->of->options->view != VIEW_CHART)
        put_tools(p->b);
    buf_z(
        p->b,
        "<div id=\"picture\" class=\"picture\" tabindex=\"0\" role=\"region\" aria-label=\"Flame graph\">\n");
    put_picture(p);
    buf_z(p->b, "</div>\n</div>\n");
}

void page_flame(struct buf *b, const struct page_flame *of)
{
    struct page p = {.b = b, .of = of, .tracks = json_object_get(of->summary, "tracks")};
    struct buf shown = {0}, title = {0};

    p.at = find_shown(of, p.tracks);
    put_shown(&p, &shown);
    buf_str(&title, buf_view(&shown));
    buf_z(&title, " - ");
    buf_str(&title, page_data_name(of->record->name));
    page_frame_begin(b, &(struct page_frame){.title = buf_view(&title),
                                             .root = STR("../../../"),
                                             .style = "flame.css",
                                             .viewer = "flame.js",
                                             .script = "flame-page.js",
                                             .wide = true});
    buf_z(b, "<a class=\"skip\" href=\"#picture\">Skip to the flame graph</a>\n");
    put_heading(&p, buf_view(&shown));
    put_warned(&p);
    put_viewer(&p);
    put_downloads(&p);
    page_warnings(b, json_object_get(of->summary, "warnings"));
    b->failed = b->failed || shown.failed || title.failed;
    buf_free(&shown);
    buf_free(&title);
    page_frame_end(b);
}
