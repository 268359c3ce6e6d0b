#include <string.h>

#include "profile/filter/filter_pattern.h"
#include "profile/track.h"
#include "render/view/key.h"
#include "server/pages/workspace.h"

/* All threads and all sections are looked at: only the range and whose code is own stay. */
static void plain_view(const struct workspace *w, struct view_options *view)
{
    view_defaults(view);
    memcpy(view->app, w->of.options->app, sizeof(view->app));
    view->from_ns = w->of.options->from_ns;
    view->to_ns = w->of.options->to_ns;
}

/* The tab of frames that the app showed too late: whether there are any, its link, its table. */
static void workspace_frames_link(const struct workspace *w)
{
    struct view_options view;

    plain_view(w, &view);
    workspace_link(w, "<a class=\"place\" href=\"", "frames", &view, "\"");
}

static void put_frame_range(const struct workspace *w, const json_t *track, uint64_t from_ns, uint64_t to_ns,
                            struct str words)
{
    struct view_options view;

    plain_view(w, &view);
    view.from_ns = from_ns;
    view.to_ns = to_ns;
    buf_z(w->b, "<a class=\"place\" href=\"");
    workspace_picture(w, json_is_integer(track) ? PAGE_ID(track) : w->of.track, &view);
    page_put(w->b, "\">{}</a>", words);
}

/* ---- the table of frames that were late ---- */

static void put_titles(const struct workspace *w)
{
    const json_t *thread;
    bool has_states = json_array_size(json_object_get(w->of.told, "states")) > 0;
    size_t i;

    buf_z(w->b,
          "<thead>\n<tr><th scope=\"col\" rowspan=\"2\">At</th><th scope=\"col\" rowspan=\"2\">Took</th>"
          "<th scope=\"col\" rowspan=\"2\">Over its deadline</th>");
    json_array_foreach (json_object_get(w->of.told, "threads"), i, thread) {
        if (has_states)
            page_put(w->b, "<th scope=\"colgroup\" colspan=\"4\">{}</th>", page_data_text(thread, "name"));
    }
    buf_z(w->b, "<th scope=\"col\" rowspan=\"2\" class=\"words\">Longest section</th>"
                "<th scope=\"col\" rowspan=\"2\" class=\"words\">Why</th></tr>\n<tr>");
    json_array_foreach (json_object_get(w->of.told, "threads"), i, thread) {
        if (has_states)
            buf_z(w->b,
                  "<th scope=\"col\">runs</th><th scope=\"col\">runnable</th><th scope=\"col\">waits</th>"
                  "<th scope=\"col\">I/O</th>");
    }
    buf_z(w->b, "</tr>\n</thead>\n");
}

static void put_ns(const struct workspace *w, const json_t *ns)
{
    page_put(w->b, "<td>{}</td>",
             json_is_integer(ns) ? PAGE_NUMBER(UNIT_NS, page_data_integer(ns)) : STR("\xe2\x80\x93"));
}

static void put_longest(const struct workspace *w, const json_t *longest)
{
    uint64_t ns = page_data_number(longest, "ns");

    buf_z(w->b, "<td class=\"words\">");
    if (ns > 0) {
        put_frame_range(w, json_object_get(longest, "track"), page_data_number(longest, "begin"),
                        page_data_number(longest, "end"), page_data_text(longest, "method"));
        page_put(w->b, " <span class=\"quiet\">{}</span>", PAGE_NUMBER(UNIT_NS, ns));
    }
    buf_z(w->b, "</td>");
}

static void put_row(const struct workspace *w, const json_t *row)
{
    enum { SHOWN = 4 /* states; the last one is what is not known */ };
    const json_t *main = json_object_get(json_array_get(json_object_get(w->of.told, "threads"), 0), "track"),
                 *spent;
    uint64_t begin = page_data_number(row, "begin"), end = page_data_number(row, "end");
    size_t i;

    buf_z(w->b, "<tr><th scope=\"row\">");
    put_frame_range(w, main, begin, end, PAGE_NUMBER(UNIT_NS, begin));
    page_put(w->b, "</th><td>{}</td>", PAGE_NUMBER(UNIT_NS, end - begin));
    put_ns(w, json_object_get(row, "over"));
    json_array_foreach (json_object_get(row, "spent"), i, spent) {
        for (size_t state = 0; state < SHOWN; state++)
            put_ns(w, json_array_get(spent, state));
    }
    put_longest(w, json_object_get(row, "longest"));
    page_put(w->b, "<td class=\"words\">{}</td></tr>\n", page_data_text(row, "why"));
}

void workspace_frames(const struct workspace *w)
{
    const json_t *rows = json_object_get(w->of.told, "rows"), *row;
    uint64_t late = page_data_number(w->of.told, "late");
    size_t i;

    buf_z(
        w->b,
        "<div id=\"frames\" class=\"methods late-frames\" tabindex=\"0\" role=\"region\" aria-label=\"Late frames\">\n");
    if (page_data_number(w->of.told, "frames") == 0) {
        buf_z(w->b, "<p>The recording has no frames that an app showed.</p>\n</div>\n");
        return;
    }
    page_put(w->b, "<p>{} of {} frames were late{}.", page_data_digits(PAGE_TEXT, late),
             page_data_digits(PAGE_TEXT, page_data_number(w->of.told, "frames")),
             late > 1 ? STR("; the longest delay first") : STR(""));
    if (json_array_size(rows) < late)
        page_put(w->b, " These are the first {}.", page_data_digits(PAGE_TEXT, json_array_size(rows)));
    buf_z(w->b, "</p>\n");
    if (json_array_size(rows) > 0) {
        buf_z(w->b, "<table>\n");
        put_titles(w);
        buf_z(w->b, "<tbody>\n");
        json_array_foreach (rows, i, row)
            put_row(w, row);
        buf_z(w->b, "</tbody>\n</table>\n");
    }
    buf_z(w->b, "</div>\n");
}

/* The filters of what is shown: each a chip that can be taken out or moved by a link, and a form that adds
 * more. Which there are, the table of view options says. */

static bool takes_filters(const struct workspace *w)
{
    return w->of.tab != TAB_VERDICT && w->of.tab != TAB_FRAMES;
}

/* ---- links ---- */

static bool add(struct view_options *o, enum filter_key key, struct str text)
{
    struct diag diag = {0};

    return view_set(o, KEYS_VIEW, str_of(filter_key_word(key)), text, &diag);
}

static bool is_sign(char c)
{
    static const char SIGNS[] = "^$\\.*+?()[]{}|/";

    for (size_t i = 0; i < sizeof(SIGNS) - 1; i++)
        if (SIGNS[i] == c)
            return true;
    return false;
}

static void put_link(const struct workspace *w, const struct view_options *options, const char *label,
                     struct str of, const char *icon)
{
    buf_z(w->b, "<a class=\"place\" href=\"");
    workspace_here(w, options);
    page_put(w->b, "\" aria-label=\"{}: {}\" title=\"{}\">", str_of(label), of, str_of(label));
    page_icon(w->b, icon);
    buf_z(w->b, "</a>");
}

/* The same filters, of which `i` has changed places with the one before it. */
static void put_move(const struct workspace *w, uint32_t i, const char *label, struct str of,
                     const char *icon)
{
    const struct view_options *from = w->of.options;
    struct view_options to = *from;

    to.filters = (struct view_filters){0};
    for (uint32_t k = 0; k < from->filters.n; k++) {
        struct filter_step step = view_filter(from, k == i - 1 ? i : k == i ? i - 1 : k);
        if (!add(&to, step.key, step.text))
            return;
    }
    put_link(w, &to, label, of, icon);
}

/* ---- chips ---- */

/* Appends what an expression like /^com\.foo$/ can match, if that is one text only. */
static bool put_only_match(struct buf *b, struct str text)
{
    size_t from = b->n;

    if (text.n < 5 || !str_starts(text, STR("/^")) || !str_ends(text, STR("$/")))
        return false;
    for (size_t i = 2; i < text.n - 2; i++) {
        i += text.p[i] == '\\';
        if (i == text.n - 2 || is_sign(text.p[i]) != (text.p[i - 1] == '\\')) {
            b->n = from;
            return false;
        }
        buf_char(b, text.p[i]);
    }
    return true;
}

/* As a person would say it: "hide com.foo.Bar". */
static void describe(struct buf *b, const struct filter_step *step)
{
    const struct key *r = key_by_name(str_of(filter_key_word(step->key)));
    size_t colon = str_find(step->text, ':');
    struct str part = {step->text.p, colon < step->text.n ? colon + 1 : 0};
    struct str rest = str_from(step->text, part.n);

    for (unsigned i = 0; i < r->n_words; i++)
        if (str_eq(str_of(r->words[i].word), step->text)) {
            buf_z(b, r->words[i].label);
            return;
        }
    buf_z(b, r->name);
    buf_char(b, ' ');
    buf_str(b, part);
    if (!put_only_match(b, rest))
        buf_str(b, rest);
}

static void put_chip(const struct workspace *w, uint32_t i)
{
    struct filter_step step = view_filter(w->of.options, i);
    struct view_options without = *w->of.options;
    struct buf words = {0};

    describe(&words, &step);
    page_put(w->b, "<li class=\"chip\"><span title=\"{}={}\">{}</span>", str_of(filter_key_word(step.key)),
             step.text, buf_view(&words));
    if (i > 0)
        put_move(w, i, "Apply earlier", buf_view(&words), "previous");
    if (i + 1 < w->of.options->filters.n)
        put_move(w, i + 1, "Apply later", buf_view(&words), "next");
    view_filter_remove(&without, i);
    put_link(w, &without, "Remove the filter", buf_view(&words), "close");
    buf_z(w->b, "</li>\n");
    buf_part_end(w->b, &words);
}

static bool has_range(const struct view_options *o)
{
    return o->from_ns != VIEW_TIME_NONE || o->to_ns != VIEW_TIME_NONE;
}

/* The range comes before all filters, and is no filter: it is there in all tabs. */
static void put_range(const struct workspace *w)
{
    struct view_options without = *w->of.options;
    struct buf words = {0};

    if (!has_range(&without))
        return;
    view_range_words(&words, &without);
    page_put(w->b,
             "<ul class=\"chips\" id=\"range\" aria-label=\"Range of time\">\n<li "
             "class=\"chip\"><span title=\"Only this part of the recording is shown\">{}</span>",
             buf_view(&words));
    without.from_ns = without.to_ns = VIEW_TIME_NONE;
    put_link(w, &without, "Show the whole recording, not only this range", buf_view(&words), "close");
    buf_z(w->b, "</li>\n</ul>\n");
    buf_part_end(w->b, &words);
}

static void put_chips(const struct workspace *w)
{
    if (w->of.options->filters.n == 0)
        return;
    buf_z(w->b, "<ul class=\"chips\" aria-label=\"Filters, in the order in which they are applied\">\n");
    for (uint32_t i = 0; i < w->of.options->filters.n; i++)
        put_chip(w, i);
    buf_z(w->b, "</ul>\n");
}

void workspace_filter_emptied(const struct workspace *w, uint32_t step)
{
    struct view_options without = *w->of.options;
    struct buf words = {0};

    if (step >= without.filters.n)
        return;
    const struct filter_step last = view_filter(&without, step);
    describe(&words, &last);
    page_put(w->b,
             "<p id=\"emptied\" class=\"problem\">The filters leave nothing: behind "
             "<strong>{}</strong> no method is left. <a class=\"place\" href=\"",
             buf_view(&words));
    view_filter_remove(&without, step);
    workspace_here(w, &without);
    buf_z(w->b, "\">Remove this filter</a></p>\n");
    buf_part_end(w->b, &words);
}

/* ---- the form ---- */

static void put_hidden_filters(const struct workspace *w)
{
    for (uint32_t i = 0; i < w->of.options->filters.n; i++) {
        struct filter_step step = view_filter(w->of.options, i);
        workspace_hidden(w->b, filter_key_word(step.key), step.text);
    }
}

/* What is set stays as it is, the filters that are there before what is added. */
static void put_state(const struct workspace *w)
{
    const struct table_request *rows = w->of.rows;

    workspace_hidden(w->b, "track", w->of.track);
    workspace_compared_hidden(w);
    for (size_t i = 0; i < KEYS_COUNT; i++) {
        const struct key *r = &KEYS[i];
        struct buf text = {0};
        if ((r->groups & KEYS_VIEW) == 0 || r->kind == KEY_STEP || !key_differs(r, w->of.options))
            continue;
        key_text(r, w->of.options, &text);
        workspace_hidden(w->b, r->name, buf_view(&text));
        buf_part_end(w->b, &text);
    }
    put_hidden_filters(w);
    if (w->of.tab != TAB_METHODS)
        return;
    workspace_hidden(w->b, "group", str_of(table_group_word(rows->group)));
    workspace_hidden(w->b, "grep", str_of(rows->grep));
    if (rows->longest)
        workspace_hidden(w->b, "longest", STR("1"));
    if (rows->sort[0] != '\0')
        workspace_hidden(w->b, "sort", str_of(rows->sort));
}

static void put_added_preset(void *context, struct str name, struct str steps)
{
    const struct workspace *w = context;

    if (!filter_presets_is_added(view_presets(w->of.options), name))
        return;
    page_put(w->b, "<option value=\"{}\">{}: {}</option>\n", name, name, steps);
}

static void put_field(const struct workspace *w, const struct key *r)
{
    buf_printf(w->b, "<p><label for=\"add-%s\">%s <span class=\"quiet\">%s</span></label>\n", r->name,
               r->name, r->help);
    if (r->n_words == 0) {
        buf_printf(w->b,
                   "<input id=\"add-%s\" name=\"%s\" maxlength=\"%d\" placeholder=\"text or /regexp/\" "
                   "autocomplete=\"off\" spellcheck=\"false\"></p>\n",
                   r->name, r->name, FILTER_TEXT_BYTES_MAX);
        return;
    }
    buf_printf(w->b, "<select id=\"add-%s\" name=\"%s\">\n<option value=\"\"></option>\n", r->name, r->name);
    struct str presets = r->step == FILTER_PRESET ? view_presets(w->of.options) : STR("");
    for (unsigned i = 0; i < r->n_words; i++)
        if (!filter_presets_is_added(presets, str_of(r->words[i].word)))
            buf_printf(w->b, "<option value=\"%s\">%s: %s</option>\n", r->words[i].word, r->words[i].label,
                       r->words[i].help);
    if (presets.n > 0)
        filter_presets_each(presets, put_added_preset, (void *)(uintptr_t)w);
    buf_z(w->b, "</select></p>\n");
}

/* Where the forms of this page lead; `after` closes the attribute. */
static void workspace_action(const struct workspace *w, const char *before, const char *after)
{
    buf_z(w->b, before);
    if (w->of.tab == TAB_METHODS || w->of.compared == NULL)
        page_put(w->b, "{}{}", w->self, w->of.tab == TAB_METHODS ? STR("methods") : STR("t"));
    else
        buf_bytes(w->b, w->self.p, w->self.n - 1);
    buf_z(w->b, after);
}

static void put_filter_form(const struct workspace *w)
{
    workspace_menu(w->b, "class=\"menu\" id=\"add-filter\"", "+ filter");
    workspace_action(w, "<form class=\"adds\" method=\"get\" action=\"", "\">\n");
    put_state(w);
    for (size_t i = 0; i < KEYS_COUNT; i++)
        if (KEYS[i].kind == KEY_STEP)
            put_field(w, &KEYS[i]);
    buf_z(w->b, "<p class=\"problem\" role=\"alert\" hidden></p>\n"
                "<p><button>Add</button></p>\n</form>\n");
    workspace_menu_end(w->b);
}

/* ---- toggles ---- */

/* Presets that stand in the row, one click each. */
static const struct {
    const char *preset, *label;
    bool of_own_code, of_time; /* only where own code is known; only of time */
} TOGGLES[] = {{"own-code", "own code", true, false},
               {"hide-framework", "no framework", true, false},
               {"no-idle", "no idle", false, true}};

/* The step that applies the preset, or filters.n. */
static uint32_t find_preset(const struct view_options *o, struct str preset)
{
    for (uint32_t i = 0; i < o->filters.n; i++) {
        struct filter_step step = view_filter(o, i);
        if (step.key == FILTER_PRESET && str_eq(step.text, preset))
            return i;
    }
    return o->filters.n;
}

static void put_toggle(const struct workspace *w, const char *preset, const char *label)
{
    struct view_options other = *w->of.options;
    uint32_t at = find_preset(&other, str_of(preset));
    bool is_on = at < other.filters.n;

    if (is_on)
        view_filter_remove(&other, at);
    else if (!add(&other, FILTER_PRESET, str_of(preset)))
        return; /* there are as many filters as may be */
    buf_printf(w->b, "<a class=\"toggle place\" data-preset=\"%s\"%s href=\"", preset,
               is_on ? " aria-current=\"true\"" : "");
    workspace_here(w, &other);
    buf_printf(w->b, "\">%s</a>\n", label);
}

static void put_toggles(const struct workspace *w)
{
    bool has_own_code =
        json_array_size(json_object_get(w->of.summary, "app")) > 0 || w->of.options->app[0] != '\0';
    bool is_of_time = page_data_noun(w->of.summary) != track_noun(TRACK_HEAP);

    for (size_t i = 0; i < sizeof(TOGGLES) / sizeof(TOGGLES[0]); i++)
        if ((has_own_code || !TOGGLES[i].of_own_code) && (is_of_time || !TOGGLES[i].of_time))
            put_toggle(w, TOGGLES[i].preset, TOGGLES[i].label);
}

/* The filters as chips, whose links take them out or move them, and a form that adds one. */
static void workspace_filters(const struct workspace *w)
{
    buf_z(w->b, "<div id=\"filters\">\n");
    put_range(w);
    if (takes_filters(w)) {
        put_chips(w);
        if (w->of.tab != TAB_METHOD) {
            put_toggles(w);
            put_filter_form(w);
        }
    }
    buf_z(w->b, "</div>\n");
}

/* ---- filters by a method ---- */

/* An expression that matches this text and no other; `;` is : for filters. */
static void put_exactly(struct buf *b, const char *part, struct str text)
{
    buf_printf(b, "%s/^", part);
    for (size_t i = 0; i < text.n; i++) {
        if (is_sign(text.p[i]))
            buf_char(b, '\\');
        buf_char(b, text.p[i] == ';' ? ':' : text.p[i]);
    }
    buf_z(b, "$/");
}

/* The row of tools. All choices but the thread are fields of one form; which of them a profile offers, the
 * table of view options says. */

enum { MOMENTS_LISTED = 500 };

static const struct {
    const char *label;
    enum workspace_tab tab;
    bool is_chart;
} TABS[] = {{"Flame", TAB_FLAME, false}, {"Methods", TAB_METHODS, false}, {"Chart", TAB_FLAME, true}};

/* ---- fields of the table of methods ---- */

static void put_groups(const struct workspace *w)
{
    const struct table_request *r = w->of.rows;

    workspace_choice(w->b, "group", "Rows");
    for (unsigned i = GROUP_METHOD; i <= GROUP_THREAD; i++) {
        const char *word = table_group_word((enum table_group)i);
        const char *label = i == GROUP_THREAD ? page_data_noun(w->of.summary)->one : word;
        workspace_choice_word(w->b, str_of(word), i == r->group, str_of(label));
    }
    workspace_choice_end(w->b);
}

static void workspace_compared_fields(const struct workspace *w)
{
    static const char *const ROWS[] = {[ONLY_DIFFERENT] = "all changes",
                                       [ONLY_NEW] = "new",
                                       [ONLY_GONE] = "gone",
                                       [ONLY_MORE] = "more",
                                       [ONLY_LESS] = "less"};

    workspace_choice(w->b, "only", "Rows");
    for (unsigned k = 0; k < sizeof(ROWS) / sizeof(*ROWS); k++)
        workspace_choice_word(w->b, str_of(key_word("only", k)), k == (unsigned)w->of.compared->asked->only,
                              str_of(ROWS[k]));
    workspace_choice_end(w->b);
    buf_printf(w->b,
               "<p class=\"check\"><input id=\"all\" name=\"all\" type=\"checkbox\" value=\"1\"%s> "
               "<label for=\"all\">also rows without a difference</label></p>\n",
               w->of.compared->asked->all ? " checked" : "");
}

static void put_methods_fields(const struct workspace *w)
{
    const struct table_request *r = w->of.rows;

    if (w->of.compared != NULL)
        workspace_compared_fields(w);
    else
        put_groups(w);
    if (w->of.compared == NULL && workspace_has_value(w, STR("calls")))
        buf_printf(
            w->b,
            "<p class=\"check\"><input id=\"longest\" name=\"longest\" type=\"checkbox\" value=\"1\"%s> "
            "<label for=\"longest\">longest calls</label></p>\n",
            r->longest ? " checked" : "");
    page_put(w->b,
             "<p><label for=\"grep\" class=\"out-of-sight\">Only names with</label> <input "
             "id=\"grep\" name=\"grep\" type=\"search\" placeholder=\"name contains\" "
             "autocomplete=\"off\" spellcheck=\"false\" value=\"{}\"></p>\n",
             str_of(r->grep));
    if (r->sort[0] != '\0')
        workspace_hidden(w->b, "sort", str_of(r->sort));
}

/* ---- tabs ---- */

static bool is_current(const struct workspace *w, size_t tab)
{
    bool is_chart = w->of.tab == TAB_FLAME && w->of.options->view == VIEW_CHART;

    return TABS[tab].tab == w->of.tab && TABS[tab].is_chart == is_chart;
}

/* The picture, or the chart, in the state of the page: a chart is of the first value. */
static void put_picture_link(const struct workspace *w, bool is_chart)
{
    struct view_options options = *w->of.options;

    if (is_chart) {
        options.view = VIEW_CHART;
        options.value[0] = options.method[0] = '\0';
    } else if (options.view == VIEW_CHART) {
        options.view = VIEW_FLAME;
    }
    workspace_picture(w, w->of.track, &options);
}

static bool workspace_has_late_frames(const struct workspace *w)
{
    return w->of.compared == NULL && page_data_number(json_object_get(w->of.summary, "screen"), "late") > 0;
}

static void put_tabs(const struct workspace *w)
{
    buf_z(w->b, "<nav class=\"tabs\" aria-label=\"Tabs\">\n");
    for (size_t i = 0; i < sizeof(TABS) / sizeof(TABS[0]); i++) {
        if (TABS[i].is_chart && !workspace_is_timed(w))
            continue;
        buf_z(w->b, TABS[i].is_chart ? "<a href=\"" : "<a class=\"follows\" href=\"");
        if (TABS[i].tab == TAB_METHODS)
            workspace_methods_link(w, w->of.track);
        else
            put_picture_link(w, TABS[i].is_chart);
        buf_printf(w->b, "\"%s>%s</a>\n", is_current(w, i) ? " aria-current=\"page\"" : "", TABS[i].label);
    }
    if (workspace_has_late_frames(w)) {
        workspace_frames_link(w);
        buf_printf(w->b, "%s>Frames</a>\n", w->of.tab == TAB_FRAMES ? " aria-current=\"page\"" : "");
    }
    buf_z(w->b, "</nav>\n");
}

/* ---- the form ---- */

/* What there is of the value on the threads that are shown, without filters; for the script. */
static void put_whole(const struct workspace *w, const json_t *value)
{
    size_t shown = workspace_find_shown(w);
    const json_t *of =
        workspace_is_single(w) ? json_array_get(w->tracks, shown) : json_object_get(w->of.summary, "whole");

    if (w->of.options->tracks == TRACKS_LISTED && !workspace_is_single(w))
        return;
    if (page_data_has_total(value, of))
        page_put(w->b, "\" data-whole=\"{}", PAGE_AMOUNT(value, page_data_total(value, of)));
}

/* Offers the values. Where one track is shown, only the values that it can have are offered. */
static void put_values_of(const struct workspace *w, const json_t *values, bool first_is_usual)
{
    const json_t *value, *track = json_array_get(w->tracks, workspace_find_shown(w));
    size_t i;

    json_array_foreach (values, i, value) {
        struct str name = page_data_text(value, "name");
        if (track != NULL && !workspace_track_has(w, track, value))
            continue;
        bool chosen =
            str_eq(name, str_of(w->of.options->value)) || (first_is_usual && w->of.options->value[0] == '\0');
        first_is_usual = false;
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
    put_values_of(w, json_object_get(w->of.summary, "values"), true);
    put_values_of(w, json_object_get(w->of.summary, "derived"), false);
    workspace_choice_end(w->b);
}

/* Only one track of a profile that has times has a chart. */
static bool is_timed(const struct workspace *w)
{
    return workspace_is_timed(w) && workspace_is_single(w);
}

/* How many dumps there are to choose from: none where the one track that is shown is no heap. */
static uint64_t workspace_moments(const struct workspace *w)
{
    const json_t *shown = json_array_get(w->tracks, workspace_find_shown(w));

    return shown != NULL && json_object_get(shown, "moments_ns") == NULL
               ? 0
               : page_data_number(w->of.summary, "moments");
}

static bool is_offered(const struct workspace *w, const struct key_word *word)
{
    switch (word->need) {
    case NEEDS_TIMED_TRACK:
        return is_timed(w);
    case NEEDS_OPEN_FRAMES:
        return workspace_has_value(w, STR("wall")) &&
               page_data_find(json_object_get(w->of.summary, "warnings"), "code", STR("open-frames")) != NULL;
    case NEEDS_MOMENTS:
        return workspace_moments(w) > 0;
    case NEEDS_COMPARISON:
        return w->of.compared != NULL;
    case NEEDS_ONE_PROFILE:
        return w->of.compared == NULL;
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
    const struct view_moment *shown = &w->of.options->moment;
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
    return w->of.options->moment.since > 0 && is_of_series(r) && r->kind == KEY_WORD;
}

/* The dumps of a series. */
static void put_moments(const struct workspace *w, uint64_t n)
{
    workspace_choice(w->b, "moment", "Dump");
    for (uint64_t i = 0; i <= n && i <= MOMENTS_LISTED; i++) {
        workspace_choice_begin(w->b, page_data_digits(PAGE_TEXT, i),
                               w->of.options->moment.since == 0 && w->of.options->moment.number == i);
        if (i == 0)
            buf_printf(w->b, "last of %llu dumps</option>\n", (unsigned long long)n);
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

/* Words are choices, of which only the picture has any. What is set otherwise stays as it is, as hidden
 * fields; that of the method is always there, since the script fills it in. */
static void put_option(const struct workspace *w, const struct key *r, bool in_row)
{
    bool is_choice = r->kind == KEY_WORD && (w->of.tab == TAB_FLAME || is_of_series(r)) && !is_settled(w, r);
    uint64_t moments = workspace_moments(w);
    struct buf text = {0};

    if (r->kind == KEY_STEP) {
        if (in_row && key_is_first_step(r))
            put_hidden_filters(w);
        return;
    }
    key_text(r, w->of.options, &text);
    if (moments > 1 && r->kind == KEY_MOMENT) {
        if (in_row)
            put_moments(w, moments);
    } else if (is_choice && is_in_row(r) == in_row)
        put_words(w, r, buf_view(&text), !in_row);
    else if (w->of.tab == TAB_FLAME && r->control == CONTROL_CODE)
        ; /* put_app */
    else if (!is_choice && in_row && (r->kind == KEY_TEXT || key_differs(r, w->of.options)))
        workspace_hidden(w->b, r->name, buf_view(&text));
    buf_part_end(w->b, &text);
}

static bool workspace_compared_has(const struct key *r)
{
    return r->has_b;
}

static void put_options(const struct workspace *w, bool in_row)
{
    for (size_t i = 0; i < KEYS_COUNT; i++)
        if ((KEYS[i].groups & KEYS_VIEW) == 0 || (w->of.compared != NULL && workspace_compared_has(&KEYS[i])))
            continue;
        else if (KEYS[i].control != CONTROL_VALUE)
            put_option(w, &KEYS[i], in_row);
        else if (in_row)
            w->of.compared != NULL ? workspace_compared_values(w) : put_values(w);
}

/* `method` is of the picture: svg.flame has it. */
static void put_button(struct buf *b, const char *method, const char *label, const char *icon)
{
    buf_printf(b, "<button type=\"button\" class=\"button\" data-do=\"%s\" aria-label=\"%s\" title=\"%s\">",
               method, label, label);
    page_icon(b, icon);
    buf_z(b, "</button>\n");
}

/* What only the script can do; it shows them. */
static void put_search(struct buf *b)
{
    buf_z(b,
          "<div id=\"tools\" role=\"search\" hidden>\n"
          "<label for=\"search\" class=\"out-of-sight\">Search</label> <input id=\"search\" type=\"search\" "
          "placeholder=\"Search\" title=\"text or /regexp/\" autocomplete=\"off\" spellcheck=\"false\">\n");
    put_button(b, "previous", "Previous match", "previous");
    put_button(b, "next", "Next match", "next");
    put_button(b, "reset", "Reset zoom and search", "reset");
    buf_z(b, "</div>\n");
}

/* Which packages are own code; what was guessed is said where nobody has said it. */
static void put_app(const struct workspace *w)
{
    const json_t *app = json_object_get(w->of.summary, "app"), *prefix;
    size_t i;

    buf_z(w->b, "<p><label for=\"app\">Own code</label> <input id=\"app\" name=\"app\" maxlength=\"200\" "
                "autocomplete=\"off\" spellcheck=\"false\" placeholder=\"");
    buf_z(w->b, json_array_size(app) > 0 ? "guessed: " : "com.foo,com.bar");
    json_array_foreach (app, i, prefix)
        page_put(w->b, "{}{}", i > 0 ? STR(",") : STR(""), json_memory_text(prefix));
    page_put(w->b, "\" value=\"{}\"></p>\n", str_of(w->of.options->app));
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
    bool is_flame = w->of.tab == TAB_FLAME;

    workspace_action(w, "<form id=\"choices\" class=\"choices\" method=\"get\" action=\"", "\">\n");
    workspace_hidden(w->b, "track", w->of.track);
    put_options(w, true);
    if (w->of.tab == TAB_METHODS)
        put_methods_fields(w);
    if (w->of.compared != NULL)
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
    if (w->of.options->view != VIEW_CHART && w->of.tab == TAB_FLAME)
        put_search(w->b);
    workspace_filters(w);
    buf_z(w->b, "<p id=\"whole\" role=\"status\">");
    if (w->of.compared != NULL)
        workspace_compared_whole(w);
    buf_z(w->b, "</p>\n</div>\n");
}

/* Nothing where the pattern would be too long, or there is no room for one more. */
static void put_filter_by(const struct workspace *w, enum filter_key key, const char *part, struct str text,
                          const char *words)
{
    struct view_options with = *w->of.options;
    struct buf pattern = {0};

    put_exactly(&pattern, part, text);
    if (!pattern.failed && add(&with, key, buf_view(&pattern))) {
        struct workspace picture = *w;
        picture.of.tab = TAB_FLAME;
        buf_z(w->b, "<a class=\"button place\" href=\"");
        workspace_here(&picture, &with);
        buf_printf(w->b, "\">%s</a>\n", words);
    }
    buf_part_end(w->b, &pattern);
}

void workspace_filter_by(const struct workspace *w, struct str name)
{
    struct str scope = {name.p, str_find(name, '(')}, class = {name.p, str_find_last(scope, '.')};
    struct str package = {class.p, str_find_last(class, '.')};

    put_filter_by(w, FILTER_FOCUS, "", name, "Focus");
    put_filter_by(w, FILTER_IGNORE, "", name, "Ignore");
    put_filter_by(w, FILTER_HIDE, "", name, "Hide");
    if (class.n < scope.n && package.n > 0 && package.n < class.n)
        put_filter_by(w, FILTER_HIDE, "package:", package, "Hide package");
}
