/* The row of tools. All choices but the thread are fields of one form; which of them a profile offers, the table of view
 * options says. */
#include "render/view/key.h"
#include "server/pages/workspace.h"

enum { MOMENTS_LISTED = 500 };

static const struct {
    const char *label;
    enum workspace_tab tab;
    bool is_chart;
} TABS[] = {{"Flame", TAB_FLAME, false}, {"Methods", TAB_METHODS, false}, {"Chart", TAB_FLAME, true}};

/* ---- tabs ---- */

static bool is_current(const struct workspace *w, size_t tab)
{
    bool is_chart = w->of->tab == TAB_FLAME && w->of->options->view == VIEW_CHART;

    return TABS[tab].tab == w->of->tab && TABS[tab].is_chart == is_chart;
}

/* The picture, or the chart, in the state of the page: a chart is of the first value. */
static void put_picture_link(const struct workspace *w, bool is_chart)
{
    struct view_options options = *w->of->options;

    if (is_chart) {
        options.view = VIEW_CHART;
        options.value[0] = options.method[0] = '\0';
    } else if (options.view == VIEW_CHART) {
        options.view = VIEW_FLAME;
    }
    workspace_picture(w, w->of->track, &options);
}

static void put_tabs(const struct workspace *w)
{
    buf_z(w->b, "<nav class=\"tabs\" aria-label=\"Tabs\">\n");
    for (size_t i = 0; i < sizeof(TABS) / sizeof(TABS[0]); i++) {
        if (TABS[i].is_chart && !workspace_is_timed(w))
            continue;
        buf_z(w->b, TABS[i].is_chart ? "<a href=\"" : "<a class=\"follows\" href=\"");
        if (TABS[i].tab == TAB_METHODS)
            workspace_methods_link(w, w->of->track);
        else
            put_picture_link(w, TABS[i].is_chart);
        buf_printf(w->b, "\"%s>%s</a>\n", is_current(w, i) ? " aria-current=\"page\"" : "", TABS[i].label);
    }
    buf_z(w->b, "</nav>\n");
}

/* ---- the form ---- */

void workspace_choice(struct buf *b, const char *name, const char *label)
{
    buf_printf(b, "<p><label for=\"%s\" class=\"out-of-sight\">%s</label> <select id=\"%s\" name=\"%s\">\n",
               name, label, name, name);
}

static void begin_word(struct buf *b, struct str word, bool chosen)
{
    page_put(b, "<option value=\"{}\"", word);
    buf_z(b, chosen ? " selected>" : ">");
}

void workspace_choice_word(struct buf *b, struct str word, bool chosen, struct str label)
{
    begin_word(b, word, chosen);
    page_put(b, "{}</option>\n", label);
}

void workspace_choice_end(struct buf *b)
{
    buf_z(b, "</select></p>\n");
}

/* What there is of the value on the threads that are shown, without filters; for the script. */
static void put_whole(const struct workspace *w, const json_t *value)
{
    size_t shown = workspace_find_shown(w);
    const json_t *of =
        workspace_is_single(w) ? json_array_get(w->tracks, shown) : json_object_get(w->of->summary, "whole");

    if (w->of->options->tracks == TRACKS_LISTED && !workspace_is_single(w))
        return;
    if (page_data_has_total(value, of))
        page_put(w->b, "\" data-whole=\"{}", PAGE_AMOUNT(value, page_data_total(value, of)));
}

static void put_values_of(const struct workspace *w, const json_t *values, bool first_is_usual)
{
    const json_t *value;
    size_t i;

    json_array_foreach (values, i, value) {
        struct str name = page_data_text(value, "name");
        bool chosen = str_eq(name, str_of(w->of->options->value)) ||
                      (first_is_usual && i == 0 && w->of->options->value[0] == '\0');
        page_put(w->b, "<option value=\"{}", name);
        put_whole(w, value);
        if (page_data_text(value, "meaning").n > 0)
            page_put(w->b, "\" title=\"{}", page_data_text(value, "meaning"));
        buf_z(w->b, chosen ? "\" selected>" : "\">");
        page_put(w->b, "{}</option>\n", page_data_text(value, "label"));
    }
}

static void put_values(const struct workspace *w)
{
    workspace_choice(w->b, "value", "Value");
    put_values_of(w, json_object_get(w->of->summary, "values"), true);
    put_values_of(w, json_object_get(w->of->summary, "derived"), false);
    workspace_choice_end(w->b);
}

/* Only one track of a profile that has times has a chart. */
static bool is_timed(const struct workspace *w)
{
    return workspace_is_timed(w) && workspace_is_single(w);
}

static bool is_offered(const struct workspace *w, const struct key_word *word)
{
    switch (word->need) {
    case NEEDS_TIMED_TRACK:
        return is_timed(w);
    case NEEDS_OPEN_FRAMES:
        return workspace_has_value(w, STR("wall")) &&
               page_data_find(json_object_get(w->of->summary, "warnings"), "code", STR("open-frames")) !=
                   NULL;
    case NEEDS_MOMENTS:
        return json_object_get(w->of->summary, "moments") != NULL;
    case NEEDS_COMPARISON:
        return w->of->compared != NULL;
    case NEEDS_ONE_PROFILE:
        return w->of->compared == NULL;
    case NEEDS_NOTHING:
        break;
    }
    return true;
}

/* Nothing where there is no choice. */
static void put_words(const struct workspace *w, const struct key *r, struct str chosen, bool labelled)
{
    unsigned offered = 0;

    for (unsigned i = 0; i < r->n_words; i++)
        offered += is_offered(w, &r->words[i]);
    if (offered < 2)
        return;
    buf_printf(w->b, "<p><label for=\"%s\"%s>%s</label> <select id=\"%s\" name=\"%s\">\n", r->name,
               labelled ? "" : " class=\"out-of-sight\"", r->label, r->name, r->name);
    for (unsigned i = 0; i < r->n_words; i++) {
        struct str word = str_of(r->words[i].word);
        if (!is_offered(w, &r->words[i]))
            continue;
        bool is_usual = r->words[i].need == NEEDS_COMPARISON && str_eq(chosen, STR("origin"));
        workspace_choice_word(w->b, word, str_eq(word, chosen) || is_usual, str_of(r->words[i].label));
    }
    workspace_choice_end(w->b);
}

/* What is shown of a series is chosen on every tab. */
static bool is_of_series(const struct key *r)
{
    return r->control == CONTROL_SERIES;
}

/* From each earlier dump to the one that is shown. */
static void put_intervals(const struct workspace *w, uint64_t n)
{
    const struct view_moment *shown = &w->of->options->moment;
    uint64_t last = shown->number > 0 ? shown->number : n;
    uint64_t first = last > MOMENTS_LISTED ? last - MOMENTS_LISTED : 1;

    if (last < 2)
        return;
    buf_printf(w->b, "<optgroup label=\"What changed up to dump %llu\">\n", (unsigned long long)last);
    if (shown->since > 0 && shown->since < first)
        first = shown->since;
    for (uint64_t i = first; i < last; i++)
        buf_printf(w->b, "<option value=\"%llu..%llu\"%s>dump %llu to %llu</option>\n", (unsigned long long)i,
                   (unsigned long long)last, shown->since == i ? " selected" : "", (unsigned long long)i,
                   (unsigned long long)last);
    buf_z(w->b, "</optgroup>\n");
}

/* Two dumps mean the same in each mode. */
static bool is_settled(const struct workspace *w, const struct key *r)
{
    return w->of->options->moment.since > 0 && is_of_series(r) && r->kind == KEY_WORD;
}

/* The dumps of a series. */
static void put_moments(const struct workspace *w, uint64_t n)
{
    workspace_choice(w->b, "moment", "Dump");
    for (uint64_t i = 0; i <= n && i <= MOMENTS_LISTED; i++) {
        begin_word(w->b, page_data_digits(PAGE_TEXT, i),
                   w->of->options->moment.since == 0 && w->of->options->moment.number == i);
        if (i == 0)
            buf_printf(w->b, "the last of %llu dumps</option>\n", (unsigned long long)n);
        else
            buf_printf(w->b, "dump %llu</option>\n", (unsigned long long)i);
    }
    put_intervals(w, n);
    workspace_choice_end(w->b);
}

static bool is_in_row(const struct key *r)
{
    return r->control == CONTROL_VIEW || is_of_series(r);
}

/* Words are choices, of which only the picture has any. What is set otherwise stays as it is, as hidden fields; that of the
 * method is always there, since the script fills it in. */
static void put_option(const struct workspace *w, const struct key *r, bool in_row)
{
    bool is_choice = r->kind == KEY_WORD && (w->of->tab == TAB_FLAME || is_of_series(r)) && !is_settled(w, r);
    uint64_t moments = page_data_number(w->of->summary, "moments");
    struct buf text = {0};

    if (r->kind == KEY_STEP) {
        if (in_row && key_is_first_step(r))
            workspace_hidden_filters(w);
        return;
    }
    key_text(r, w->of->options, &text);
    if (moments > 1 && r->kind == KEY_MOMENT) {
        if (in_row)
            put_moments(w, moments);
    } else if (is_choice && is_in_row(r) == in_row)
        put_words(w, r, buf_view(&text), !in_row);
    else if (w->of->tab == TAB_FLAME && r->control == CONTROL_CODE)
        ; /* put_app */
    else if (!is_choice && in_row && (r->kind == KEY_TEXT || key_differs(r, w->of->options)))
        workspace_hidden(w->b, r->name, buf_view(&text));
    buf_part_end(w->b, &text);
}

static void put_options(const struct workspace *w, bool in_row)
{
    for (size_t i = 0; i < KEYS_COUNT; i++)
        if ((KEYS[i].groups & KEYS_VIEW) == 0 ||
            (w->of->compared != NULL && workspace_compared_has(&KEYS[i])))
            continue;
        else if (KEYS[i].control != CONTROL_VALUE)
            put_option(w, &KEYS[i], in_row);
        else if (in_row)
            w->of->compared != NULL ? workspace_compared_values(w) : put_values(w);
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
    json_array_foreach (app, i, prefix)
        page_put(w->b, "{}{}", i > 0 ? STR(",") : STR(""), page_data_string(prefix));
    page_put(w->b, "\" value=\"{}\"></p>\n", str_of(w->of->options->app));
}

/* What is chosen seldom. */
static void put_display(const struct workspace *w)
{
    workspace_menu(w->b, "class=\"menu\" id=\"display\"", "Display");
    put_options(w, false);
    put_app(w);
    buf_z(w->b, "<p class=\"check\" id=\"case\" hidden><input id=\"match-case\" type=\"checkbox\"> "
                "<label for=\"match-case\">Match case in search</label></p>\n");
    workspace_menu_end(w->b);
}

static void put_form(const struct workspace *w)
{
    bool is_flame = w->of->tab == TAB_FLAME;

    workspace_action(w, "<form id=\"choices\" class=\"choices\" method=\"get\" action=\"", "\">\n");
    workspace_hidden(w->b, "track", w->of->track);
    put_options(w, true);
    if (w->of->tab == TAB_METHODS)
        workspace_methods_fields(w);
    if (w->of->compared != NULL)
        workspace_compared_sides(w);
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
    if (w->of->compared != NULL)
        workspace_compared_whole(w);
    buf_z(w->b, "</p>\n</div>\n");
}
