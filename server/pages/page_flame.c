/* The page of one picture: the picture's own elements, the choices around it as a form, and the way to the
 * threads beside it. */
#include "core/clean.h"
#include "render/output.h"
#include "render/svg/svg_code.h"
#include "render/view/view_option.h"
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

/* One track of a profile that has times: only such a one has a chart. */
static bool is_timed(const struct page *p)
{
    const json_t *value;
    size_t i;
    bool timed = false;

    json_array_foreach(json_object_get(p->of->summary, "values"), i, value) timed =
        timed || str_eq(page_data_text(value, "unit"), STR("us"));
    return timed && is_single(p->of->options);
}

static bool is_offered(const struct page *p, const struct view_word *word)
{
    switch (word->need) {
    case NEEDS_TIMED_TRACK:
        return is_timed(p);
    case NEEDS_OPEN_FRAMES:
        return has_open_frames(p->of->summary);
    case NEEDS_NOTHING:
        break;
    }
    return true;
}

/* Nothing where there is no choice. */
static void put_words(const struct page *p, const struct view_option *r, struct str chosen)
{
    unsigned offered = 0;

    for (unsigned i = 0; i < r->n_words; i++)
        offered += is_offered(p, &r->words[i]);
    if (offered < 2)
        return;
    buf_printf(p->b, "<p><label for=\"%s\">%s</label> <select id=\"%s\" name=\"%s\">\n", r->key, r->label,
               r->key, r->key);
    for (unsigned i = 0; i < r->n_words; i++) {
        struct str word = str_of(r->words[i].word);
        if (!is_offered(p, &r->words[i]))
            continue;
        put_choice(p->b, word, str_eq(word, chosen));
        buf_printf(p->b, "%s</option>\n", r->words[i].label);
    }
    buf_z(p->b, "</select></p>\n");
}

/* Words are choices. What is set otherwise stays as it is, as hidden fields; that of the method is always there, since
 * the script fills it in. */
static void put_option(const struct page *p, const struct view_option *r)
{
    const struct view_options *o = p->of->options;
    struct buf text = {0};

    view_option_text(r, o, &text);
    if (r->kind == OPTION_WORD) {
        put_words(p, r, buf_view(&text));
    } else if (r->kind == OPTION_TEXT || view_option_differs(r, o)) {
        buf_printf(p->b, "<input type=\"hidden\" name=\"%s", r->key);
        page_frame_text(p->b, "\" value=\"", buf_view(&text), "\">\n");
    }
    p->b->failed = p->b->failed || text.failed;
    buf_free(&text);
}

/* All choices are fields of one form, so that it works without scripts. The tracks and values are those of the profile. */
static void put_form(const struct page *p)
{
    buf_z(p->b, "<form id=\"choices\" class=\"choices\" method=\"get\" action=\"../t\">\n");
    put_tracks(p);
    for (size_t i = 0; i < VIEW_OPTIONS_COUNT; i++)
        if (str_eq(str_of(VIEW_OPTIONS[i].key), STR("value")))
            put_values(p);
        else if (VIEW_OPTIONS[i].scope == SCOPE_VIEW)
            put_option(p, &VIEW_OPTIONS[i]);
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
        struct view_options view = *p->of->options;
        bool shows = (OUTPUTS[i]->views >> view.view & 1) != 0;
        if (OUTPUTS[i]->preview || (view.view == VIEW_CHART && !shows))
            continue;
        if (!shows) {
            view.view = VIEW_FLAME;
            view.method[0] = '\0';
        }
        buf_z(p->b, n++ == 0 ? "<a class=\"follows\" href=\"" : ", <a class=\"follows\" href=\"");
        page_frame_text(p->b, "", p->of->track, ".");
        buf_z(p->b, OUTPUTS[i]->suffix);
        put_query(p->b, &view);
        if (OUTPUTS[i]->views == OUTPUT_PLAIN_VIEWS)
            buf_z(p->b, "\" data-plain=\"");
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
