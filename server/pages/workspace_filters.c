/* The filters of what is shown: each a chip that can be taken out or moved by a link, and a form that adds more. Which there
 * are, the table of view options says. */
#include "profile/filter/filter_step.h"
#include "render/view/key.h"
#include "server/pages/workspace.h"

static bool takes_filters(const struct workspace *w)
{
    return w->of->tab != TAB_VERDICT;
}

/* ---- links ---- */

static bool add(struct view_options *o, enum filter_key key, struct str text)
{
    struct diag diag = {0};

    return view_set(o, KEYS_VIEW, str_of(filter_key_word(key)), text, &diag);
}

static void put_link(const struct workspace *w, const struct view_options *options, const char *label,
                     struct str of, const char *sign)
{
    buf_z(w->b, "<a class=\"place\" href=\"");
    workspace_here(w, options);
    page_put(w->b, "\" aria-label=\"{}: {}\" title=\"{}\">", str_of(label), of, str_of(label));
    buf_printf(w->b, "%s</a>", sign);
}

/* The same filters, of which `i` has changed places with the one before it. */
static void put_move(const struct workspace *w, uint32_t i, const char *label, struct str of,
                     const char *sign)
{
    const struct view_options *from = w->of->options;
    struct view_options to = *from;

    while (to.n_filters > 0)
        view_filter_remove(&to, to.n_filters - 1);
    for (uint32_t k = 0; k < from->n_filters; k++) {
        struct filter_step step = view_filter(from, k == i - 1 ? i : k == i ? i - 1 : k);
        if (!add(&to, step.key, step.text))
            return;
    }
    put_link(w, &to, label, of, sign);
}

/* ---- chips ---- */

static bool is_sign(char c)
{
    static const char SIGNS[] = "^$\\.*+?()[]{}|/";

    for (size_t i = 0; i < sizeof(SIGNS) - 1; i++)
        if (SIGNS[i] == c)
            return true;
    return false;
}

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
    struct str rest = {step->text.p + part.n, step->text.n - part.n};

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
    struct filter_step step = view_filter(w->of->options, i);
    struct view_options without = *w->of->options;
    struct buf words = {0};

    describe(&words, &step);
    page_put(w->b, "<li class=\"chip\"><span title=\"{}={}\">{}</span>", str_of(filter_key_word(step.key)),
             step.text, buf_view(&words));
    if (i > 0)
        put_move(w, i, "Apply earlier", buf_view(&words), "&#9664;");
    if (i + 1 < w->of->options->n_filters)
        put_move(w, i + 1, "Apply later", buf_view(&words), "&#9654;");
    view_filter_remove(&without, i);
    put_link(w, &without, "Remove the filter", buf_view(&words), "&#10005;");
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
    struct view_options without = *w->of->options;
    struct buf words = {0};

    if (!has_range(&without))
        return;
    view_range_words(&words, &without);
    page_put(w->b,
             "<ul class=\"chips\" id=\"range\" aria-label=\"Range of time\">\n<li "
             "class=\"chip\"><span title=\"Only this part of the recording is shown\">{}</span>",
             buf_view(&words));
    without.from_ns = without.to_ns = VIEW_TIME_NONE;
    put_link(w, &without, "Show the whole recording, not only this range", buf_view(&words), "&#10005;");
    buf_z(w->b, "</li>\n</ul>\n");
    buf_part_end(w->b, &words);
}

static void put_chips(const struct workspace *w)
{
    if (w->of->options->n_filters == 0)
        return;
    buf_z(w->b, "<ul class=\"chips\" aria-label=\"Filters, in the order in which they are applied\">\n");
    for (uint32_t i = 0; i < w->of->options->n_filters; i++)
        put_chip(w, i);
    buf_z(w->b, "</ul>\n");
}

void workspace_filter_emptied(const struct workspace *w, uint32_t step)
{
    struct view_options without = *w->of->options;
    struct buf words = {0};

    if (step >= without.n_filters)
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

/* What is set stays as it is, the filters that are there before what is added. */
static void put_state(const struct workspace *w)
{
    const struct table_request *rows = w->of->rows;

    workspace_hidden(w->b, "track", w->of->track);
    workspace_compared_hidden(w);
    for (size_t i = 0; i < KEYS_COUNT; i++) {
        const struct key *r = &KEYS[i];
        struct buf text = {0};
        if ((r->groups & KEYS_VIEW) == 0 || r->kind == KEY_STEP || !key_differs(r, w->of->options))
            continue;
        key_text(r, w->of->options, &text);
        workspace_hidden(w->b, r->name, buf_view(&text));
        buf_part_end(w->b, &text);
    }
    workspace_hidden_filters(w);
    if (w->of->tab != TAB_METHODS)
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

    if (!filter_presets_is_added(view_presets(w->of->options), name))
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
    struct str presets = r->step == FILTER_PRESET ? view_presets(w->of->options) : STR("");
    for (unsigned i = 0; i < r->n_words; i++)
        if (!filter_presets_is_added(presets, str_of(r->words[i].word)))
            buf_printf(w->b, "<option value=\"%s\">%s: %s</option>\n", r->words[i].word, r->words[i].label,
                       r->words[i].help);
    if (presets.n > 0)
        filter_presets_each(presets, put_added_preset, (void *)(uintptr_t)w);
    buf_z(w->b, "</select></p>\n");
}

static void put_form(const struct workspace *w)
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

void workspace_filters(const struct workspace *w)
{
    buf_z(w->b, "<div id=\"filters\">\n");
    put_range(w);
    if (takes_filters(w)) {
        put_chips(w);
        if (w->of->tab != TAB_METHOD)
            put_form(w);
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

/* Nothing where the pattern would be too long, or there is no room for one more. */
static void put_button(const struct workspace *w, enum filter_key key, const char *part, struct str text,
                       const char *words)
{
    struct view_options with = *w->of->options;
    struct buf pattern = {0};

    put_exactly(&pattern, part, text);
    if (!pattern.failed && add(&with, key, buf_view(&pattern))) {
        struct workspace picture = *w;
        struct page_workspace of = *w->of;
        of.tab = TAB_FLAME;
        picture.of = &of;
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

    put_button(w, FILTER_FOCUS, "", name, "Focus");
    put_button(w, FILTER_IGNORE, "", name, "Ignore");
    put_button(w, FILTER_HIDE, "", name, "Hide");
    if (class.n < scope.n && package.n > 0 && package.n < class.n)
        put_button(w, FILTER_HIDE, "package:", package, "Hide package");
}

void workspace_hidden(struct buf *b, const char *key, struct str text)
{
    page_put(b, "<input type=\"hidden\" name=\"{}\" value=\"{}\">\n", str_of(key), text);
}

void workspace_hidden_filters(const struct workspace *w)
{
    for (uint32_t i = 0; i < w->of->options->n_filters; i++) {
        struct filter_step step = view_filter(w->of->options, i);
        workspace_hidden(w->b, filter_key_word(step.key), step.text);
    }
}
