/* The row of tools. All choices but the thread are fields of one form; which of them a profile offers, the table of view
 * options says. */
#include "core/clean.h"
#include "render/view/view_option.h"
#include "server/pages/workspace.h"

static const struct {
    const char *label;
    enum workspace_tab tab;
} TABS[] = {{"Flame", TAB_FLAME}, {"Methods", TAB_METHODS}};

/* ---- tabs ---- */

static void put_tab_link(const struct workspace *w, enum workspace_tab tab)
{
    if (tab == TAB_METHODS) {
        workspace_methods_link(w, w->of->track);
        return;
    }
    page_frame_text(w->b, "", w->self, "t/");
    page_frame_text(w->b, "", w->of->track, "");
    view_link(w->b, w->of->options, "&amp;");
}

static void put_tabs(const struct workspace *w)
{
    buf_z(w->b, "<nav class=\"tabs\" aria-label=\"Tabs\">\n");
    for (size_t i = 0; i < sizeof(TABS) / sizeof(TABS[0]); i++) {
        buf_z(w->b, "<a class=\"follows\" href=\"");
        put_tab_link(w, TABS[i].tab);
        buf_printf(w->b, "\"%s>%s</a>\n", TABS[i].tab == w->of->tab ? " aria-current=\"page\"" : "",
                   TABS[i].label);
    }
    buf_z(w->b, "</nav>\n");
}

/* ---- the form ---- */

static void put_choice(struct buf *b, struct str value, bool chosen)
{
    page_frame_text(b, "<option value=\"", value, chosen ? "\" selected>" : "\">");
}

/* What there is of the value on the threads that are shown, without filters; for the script. */
static void put_whole(const struct workspace *w, const json_t *value)
{
    size_t shown = workspace_find_shown(w);
    const json_t *of =
        workspace_is_single(w) ? json_array_get(w->tracks, shown) : json_object_get(w->of->summary, "whole");

    if (w->of->options->tracks == TRACKS_LISTED && !workspace_is_single(w))
        return;
    if (page_data_has_total(value, of)) {
        buf_z(w->b, "\" data-whole=\"");
        page_data_put_value(w->b, value, page_data_total(value, of));
    }
}

static void put_values_of(const struct workspace *w, const json_t *values, bool first_is_usual)
{
    const json_t *value;
    size_t i;

    json_array_foreach (values, i, value) {
        struct str name = page_data_text(value, "name");
        bool chosen = str_eq(name, str_of(w->of->options->value)) ||
                      (first_is_usual && i == 0 && w->of->options->value[0] == '\0');
        page_frame_text(w->b, "<option value=\"", name, "");
        put_whole(w, value);
        buf_z(w->b, chosen ? "\" selected>" : "\">");
        page_frame_text(w->b, "", page_data_text(value, "label"), "</option>\n");
    }
}

static void put_values(const struct workspace *w)
{
    buf_z(w->b, "<p><label for=\"value\" class=\"out-of-sight\">Value</label> <select id=\"value\" "
                "name=\"value\">\n");
    put_values_of(w, json_object_get(w->of->summary, "values"), true);
    put_values_of(w, json_object_get(w->of->summary, "derived"), false);
    buf_z(w->b, "</select></p>\n");
}

/* Of a profile that has both. */
static bool has_open_frames(const json_t *summary)
{
    const json_t *each;
    size_t i;
    bool wall = false, open = false;

    json_array_foreach (json_object_get(summary, "values"), i, each)
        wall = wall || str_eq(page_data_text(each, "name"), STR("wall"));
    json_array_foreach (json_object_get(summary, "warnings"), i, each)
        open = open || str_eq(page_data_text(each, "code"), STR("open-frames"));
    return wall && open;
}

/* One track of a profile that has times: only such a one has a chart. */
static bool is_timed(const struct workspace *w)
{
    const json_t *value;
    size_t i;
    bool timed = false;

    json_array_foreach (json_object_get(w->of->summary, "values"), i, value)
        timed = timed || str_eq(page_data_text(value, "unit"), STR("us"));
    return timed && workspace_is_single(w);
}

static bool is_offered(const struct workspace *w, const struct view_word *word)
{
    switch (word->need) {
    case NEEDS_TIMED_TRACK:
        return is_timed(w);
    case NEEDS_OPEN_FRAMES:
        return has_open_frames(w->of->summary);
    case NEEDS_NOTHING:
        break;
    }
    return true;
}

/* Nothing where there is no choice. */
static void put_words(const struct workspace *w, const struct view_option *r, struct str chosen,
                      bool labelled)
{
    unsigned offered = 0;

    for (unsigned i = 0; i < r->n_words; i++)
        offered += is_offered(w, &r->words[i]);
    if (offered < 2)
        return;
    buf_printf(w->b, "<p><label for=\"%s\"%s>%s</label> <select id=\"%s\" name=\"%s\">\n", r->key,
               labelled ? "" : " class=\"out-of-sight\"", r->label, r->key, r->key);
    for (unsigned i = 0; i < r->n_words; i++) {
        struct str word = str_of(r->words[i].word);
        if (!is_offered(w, &r->words[i]))
            continue;
        put_choice(w->b, word, str_eq(word, chosen));
        buf_printf(w->b, "%s</option>\n", r->words[i].label);
    }
    buf_z(w->b, "</select></p>\n");
}

static bool is_in_row(const struct view_option *r)
{
    return str_eq(str_of(r->key), STR("view"));
}

/* Filters stay as they are, in their order. */
static void put_filters(const struct workspace *w)
{
    for (uint32_t i = 0; i < w->of->options->n_filters; i++) {
        struct filter_step step = view_filter(w->of->options, i);
        workspace_hidden(w->b, filter_key_word(step.key), step.text);
    }
}

/* Words are choices, of which only the picture has any. What is set otherwise stays as it is, as hidden fields; that of the
 * method is always there, since the script fills it in. */
static void put_option(const struct workspace *w, const struct view_option *r, bool in_row)
{
    bool is_choice = r->kind == OPTION_WORD && w->of->tab == TAB_FLAME;
    struct buf text = {0};

    if (r->kind == OPTION_STEP) {
        if (in_row && view_option_is_first_step(r))
            put_filters(w);
        return;
    }
    view_option_text(r, w->of->options, &text);
    if (is_choice && is_in_row(r) == in_row)
        put_words(w, r, buf_view(&text), !in_row);
    else if (w->of->tab == TAB_FLAME && str_eq(str_of(r->key), STR("app")))
        ; /* put_app */
    else if (!is_choice && in_row && (r->kind == OPTION_TEXT || view_option_differs(r, w->of->options)))
        workspace_hidden(w->b, r->key, buf_view(&text));
    w->b->failed = w->b->failed || text.failed;
    buf_free(&text);
}

static void put_options(const struct workspace *w, bool in_row)
{
    for (size_t i = 0; i < VIEW_OPTIONS_COUNT; i++)
        if (VIEW_OPTIONS[i].scope != SCOPE_VIEW)
            continue;
        else if (!str_eq(str_of(VIEW_OPTIONS[i].key), STR("value")))
            put_option(w, &VIEW_OPTIONS[i], in_row);
        else if (in_row)
            put_values(w);
}

/* `method` is of the picture: svg.flame has it. */
static void put_button(struct buf *b, const char *method, const char *label, const char *words)
{
    buf_printf(b,
               "<button type=\"button\" class=\"button\" data-do=\"%s\" aria-label=\"%s\" "
               "title=\"%s\">%s</button>\n",
               method, label, label, words);
}

/* What only the script can do; it shows them. */
static void put_search(struct buf *b)
{
    buf_z(b,
          "<div id=\"tools\" role=\"search\" hidden>\n"
          "<label for=\"search\" class=\"out-of-sight\">Search</label> <input id=\"search\" type=\"search\" "
          "placeholder=\"text or /regexp/\" autocomplete=\"off\" spellcheck=\"false\">\n");
    put_button(b, "previous", "Previous match", "&#9664;");
    put_button(b, "next", "Next match", "&#9654;");
    put_button(b, "reset", "Reset zoom and search", "Reset");
    buf_z(b, "</div>\n");
}

/* Which packages are own code; what was guessed is said where nobody has said it. */
static void put_app(const struct workspace *w)
{
    const json_t *app = json_object_get(w->of->summary, "app"), *prefix;
    size_t i;

    buf_z(w->b, "<p><label for=\"app\">Own code</label> <input id=\"app\" name=\"app\" maxlength=\"200\" "
                "autocomplete=\"off\" spellcheck=\"false\" placeholder=\"");
    buf_z(w->b, json_array_size(app) > 0 ? "guessed: " : "com.foo,com.bar");
    json_array_foreach (app, i, prefix) {
        struct str text = {json_string_value(prefix), json_string_length(prefix)};
        page_frame_text(w->b, i > 0 ? "," : "", text, "");
    }
    page_frame_text(w->b, "\" value=\"", str_of(w->of->options->app), "\"></p>\n");
}

/* What is chosen seldom. */
static void put_display(const struct workspace *w)
{
    buf_z(w->b, "<details name=\"menus\" class=\"menu\" id=\"display\">\n<summary>Display</summary>\n<div "
                "class=\"sheet\">\n");
    put_options(w, false);
    put_app(w);
    buf_z(w->b, "<p class=\"check\" id=\"case\" hidden><input id=\"match-case\" type=\"checkbox\"> "
                "<label for=\"match-case\">Match case in search</label></p>\n</div>\n</details>\n");
}

static void put_form(const struct workspace *w)
{
    bool is_flame = w->of->tab == TAB_FLAME;

    workspace_link(w, "<form id=\"choices\" class=\"choices\" method=\"get\" action=\"",
                   is_flame ? "t" : "methods", NULL, "\">\n");
    workspace_hidden(w->b, "track", w->of->track);
    put_options(w, true);
    if (w->of->tab == TAB_METHODS)
        workspace_methods_fields(w);
    if (is_flame)
        put_display(w);
    buf_z(w->b, "<noscript><p><button>Show</button></p></noscript>\n</form>\n");
}

void workspace_tools(const struct workspace *w)
{
    buf_z(w->b, "<div class=\"tools\">\n");
    put_tabs(w);
    workspace_threads(w);
    put_form(w);
    if (w->of->options->view != VIEW_CHART && w->of->tab == TAB_FLAME)
        put_search(w->b);
    workspace_filters(w);
    buf_z(w->b, "<p id=\"whole\" role=\"status\">");
    if (w->of->tab == TAB_METHODS)
        workspace_methods_whole(w);
    buf_z(w->b, "</p>\n</div>\n");
}
