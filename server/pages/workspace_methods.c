/* The tabs of methods, of one profile or of a comparison: the text that the service has of them
 * (/methods.txt, /m/<method>.txt), with links that sort it and lead from its names to their methods. The
 * scripts draw their tables in its place, from the JSON that `data-json` names (static/methods.js,
 * static/method-page.js). */
#include <stdio.h>

#include "server/pages/workspace.h"

enum { PAGE_ROWS = METHODS_PAGE_ROWS, COLUMN_BYTES = 160, EVERY_EDGE = 1000000 };

/* ---- text with links ---- */

/* Where the signature of a Java method begins, which stands behind a name that several methods share; else
 * name.n. A parenthesis of a C++ name has no type behind it. */
static size_t signature_at(struct str name)
{
    static const struct str TYPES = STR_INIT("VZBCSIJFDL[");
    size_t open = str_find_last(name, '('), close = str_find_last(name, ')');
    bool is_java = open < close && close + 1 < name.n && str_find(TYPES, name.p[close + 1]) < TYPES.n;

    return is_java ? open : name.n;
}

/* To the method of a row: of several with one name, to that with the row's signature. Its slashes are
 * points in an address (render/method/method.c). */
static void put_row_link(const struct workspace *w, struct str name)
{
    struct buf text = {0};

    buf_str(&text, name);
    for (size_t i = signature_at(name); i < text.n; i++)
        if (text.p[i] == '/')
            text.p[i] = '.';
    w->b->failed = w->b->failed || text.failed;
    workspace_method_link(w, buf_view(&text));
    buf_free(&text);
}

/* A row of a group leads to the methods whose names have it. */
static void put_name(const struct workspace *w, struct str name)
{
    enum table_group group = w->of.tab == TAB_METHOD ? GROUP_METHOD : w->of.rows->group;

    if (name.n == 0 || name.p[0] == '(' || group == GROUP_THREAD || group == GROUP_ORIGIN) {
        page_put(w->b, "{}", name);
        return;
    }
    buf_z(w->b, "<a class=\"place\" href=\"");
    if (group == GROUP_METHOD)
        put_row_link(w, name);
    else
        workspace_place(w, "methods", str_of(w->of.rows->sort), name, GROUP_METHOD, 0);
    page_put(w->b, "\">{}</a>", name);
}

/* A row: its cells, two blanks between them, and a name at its end. */
static void put_row(const struct workspace *w, struct str line)
{
    size_t at = line.n;

    while (at >= 2 && !(line.p[at - 1] == ' ' && line.p[at - 2] == ' '))
        at--;
    at = at >= 2 ? at : 0;
    page_put(w->b, "{}", (struct str){line.p, at});
    put_name(w, str_from(line, at));
}

/* Rows stand behind the first line that begins with a blank, which names their columns; of one method
 * behind a line that says whether they are callers or callees. An empty line ends them. Returns how many
 * there were. */
static uint32_t put_text(const struct workspace *w)
{
    struct str rest = w->of.content, line;
    bool is_method = w->of.tab == TAB_METHOD, in_rows = false;
    uint32_t rows = 0;

    buf_z(w->b, "<pre>");
    while (str_split(&rest, '\n', &line)) {
        bool indented = str_starts(line, STR(" ")) && !str_starts(line, STR("  and ")); /* "  and 5 more" */
        if (in_rows && indented)
            put_row(w, line);
        else
            page_put(w->b, "{}", line);
        rows += in_rows && indented && !str_ends(line, STR("(toplevel)"));
        if (is_method)
            in_rows = line.n > 0 && (in_rows || str_starts(line, STR("called by")) ||
                                     str_eq(line, STR("calls")) || str_starts(line, STR("calls, while")));
        else
            in_rows = in_rows || indented;
        buf_z(w->b, rest.n > 0 ? "\n" : "");
    }
    buf_z(w->b, "</pre>\n");
    return rows;
}

/* ---- the table ---- */

/* The link that sorts by a column, or the other way round where it is sorted so already. `is_usual`: that
 * is how rows are sorted when nothing is asked for. */
static void put_sort(const struct workspace *w, struct str column, const char *words, bool is_usual)
{
    const struct table_request *r = w->of.rows;
    struct str asked = str_of(r->sort);
    bool reversed = asked.n > 0 && asked.p[0] == '-';
    struct str by = str_from(asked, reversed);
    bool is_sorted = by.n > 0 ? str_eq(by, column) : is_usual;
    char turned[COLUMN_BYTES + 1];

    snprintf(turned, sizeof(turned), "%s%.*s", is_sorted && !reversed ? "-" : "", (int)column.n, column.p);
    buf_printf(w->b, "<a class=\"place\"%s href=\"", is_sorted ? " aria-current=\"true\"" : "");
    workspace_place(w, "methods", str_of(turned), str_of(r->grep), r->group, 0);
    buf_printf(w->b, "\">%s</a>\n", words);
}

static void put_sorts_by_value(const struct workspace *w, struct str value)
{
    static const struct {
        const char *end, *words;
        bool compared, longest;
    } COLUMNS[] = {{"incl", "Incl.", false, false},       {"excl", "Excl.", false, false},
                   {"longest", "Longest", false, true},   {"excl", "Self", true, false},
                   {"excl_a", "Self in A", true, false},  {"excl_b", "Self in B", true, false},
                   {"incl", "Total", true, false},        {"incl_a", "Total in A", true, false},
                   {"incl_b", "Total in B", true, false}, {"per_call", "Per call", true, false}};
    enum { USUAL = 0, USUAL_OF_TWO = 3 };
    char column[COLUMN_BYTES];

    for (size_t i = 0; value.n > 0 && i < sizeof(COLUMNS) / sizeof(COLUMNS[0]); i++) {
        if (COLUMNS[i].compared != (w->of.compared != NULL) || (COLUMNS[i].longest && !w->of.rows->longest))
            continue;
        snprintf(column, sizeof(column), "%.*s_%s", (int)value.n, value.p, COLUMNS[i].end);
        put_sort(w, str_of(column), COLUMNS[i].words, i == USUAL || i == USUAL_OF_TWO);
    }
}

static void put_sorts(const struct workspace *w)
{
    enum table_group group = w->of.rows->group;
    bool is_compared = w->of.compared != NULL;
    const json_t *values = json_object_get(w->of.summary, "values"),
                 *derived = page_data_find(json_object_get(w->of.summary, "derived"), "name",
                                           str_of(w->of.options->value));
    struct str value = is_compared ? workspace_compared_value(w)
                       : derived != NULL
                           ? page_data_text(derived, "name")
                           : page_data_text(page_data_value(values, w->of.options->value), "name");

    buf_z(w->b, "<p class=\"sorts\">Sort by:\n");
    put_sorts_by_value(w, value);
    if (workspace_has_value(w, STR("calls"))) {
        put_sort(w, STR("calls"), "Calls", false);
        if (!is_compared)
            put_sort(w, STR("recursive"), "Recursive", false);
    }
    put_sort(w,
             group == GROUP_METHOD   ? STR("class")
             : group == GROUP_THREAD ? STR("name")
                                     : str_of(table_group_word(group)),
             "Name", false);
    buf_z(w->b, "</p>\n");
}

static void put_pages(const struct workspace *w, uint32_t shown)
{
    const struct table_request *r = w->of.rows;

    buf_z(w->b, "<p class=\"pages\">");
    if (r->offset > 0) {
        buf_z(w->b, "<a class=\"place\" href=\"");
        workspace_place(w, "methods", str_of(r->sort), str_of(r->grep), r->group,
                        r->offset > PAGE_ROWS ? r->offset - PAGE_ROWS : 0);
        buf_z(w->b, "\" rel=\"prev\">Rows before</a> ");
    }
    if (shown >= PAGE_ROWS) {
        buf_z(w->b, "<a class=\"place\" href=\"");
        workspace_place(w, "methods", str_of(r->sort), str_of(r->grep), r->group, r->offset + PAGE_ROWS);
        buf_z(w->b, "\" rel=\"next\">More rows</a>");
    }
    buf_z(w->b, "</p>\n");
}

/* Of tracks of several kinds a table has those that have its value. */
static void put_kinds(const struct workspace *w)
{
    const json_t *values = json_object_get(w->of.summary, "values"), *track,
                 *value = page_data_value(values, w->of.options->value);
    size_t n = json_array_size(w->tracks), has = 0, i;

    if (w->of.compared != NULL || workspace_is_single(w))
        return;
    json_array_foreach (w->tracks, i, track) {
        has += workspace_track_has(w, track, value);
    }
    if (has < n)
        page_put(w->b, "\" data-kinds=\"of the {} of {} tracks that have it", PAGE_COUNT(has), PAGE_COUNT(n));
}

void workspace_methods_json(const struct workspace *w)
{
    workspace_place(w, "methods.json", str_of(w->of.rows->sort), STR(""), w->of.rows->group, 0);
}

void workspace_methods(const struct workspace *w)
{
    page_put(w->b,
             "<div id=\"methods\" class=\"methods{}\" tabindex=\"0\" role=\"region\" aria-label=\"Methods\" "
             "data-json=\"",
             w->of.compared != NULL ? STR(" compared") : STR(""));
    workspace_methods_json(w);
    put_kinds(w);
    buf_z(w->b, "\">\n");
    put_sorts(w);
    put_pages(w, put_text(w));
    buf_z(w->b, "</div>\n");
}

/* ---- one method ---- */

/* A name that is too long for a view has no link. */
static void put_sandwich_link(const struct workspace *w, struct str name)
{
    struct view_options view = *w->of.options;
    struct diag diag = {0};

    view.view = VIEW_SANDWICH;
    if (!view_set(&view, KEYS_VIEW, STR("method"), name, &diag))
        return;
    buf_z(w->b, "<a class=\"button place\" href=\"");
    workspace_picture(w, w->of.track, &view);
    buf_z(w->b, "\">Callers and callees as a picture</a>\n");
}

/* How long its calls were takes a second reading of the file: it is asked for. */
static void put_more_link(const struct workspace *w, const char *query, const char *words)
{
    buf_z(w->b, "<a class=\"button place\" href=\"");
    workspace_method_link(w, w->of.method);
    buf_printf(w->b, "&amp;%s\">%s</a>\n", query, words);
}

void workspace_method(const struct workspace *w)
{
    const struct table_request *r = w->of.rows;
    struct str text = w->of.content, name = {text.p, str_find(text, '\n')};

    buf_z(w->b, "<div id=\"method\" class=\"methods\" tabindex=\"0\" role=\"region\" aria-label=\"Method\" "
                "data-json=\"");
    page_put(w->b, "{}m/", w->self);
    buf_percent(w->b, w->of.method);
    buf_z(w->b, ".json");
    workspace_query(w, w->of.track);
    buf_printf(w->b, "&amp;limit=%u\">\n<p class=\"buttons\">\n", r->limit);
    name.n = signature_at(name);
    put_sandwich_link(w, name);
    workspace_filter_by(w, name);
    if (w->of.compared == NULL && workspace_has_value(w, STR("calls")) && !r->longest)
        put_more_link(w, "longest=1", "Call durations");
    buf_z(w->b, "</p>\n");
    (void)put_text(w);
    if (str_find_str(text, STR("\n  and ")) < text.n) {
        char limit[32];
        snprintf(limit, sizeof(limit), "limit=%d", EVERY_EDGE);
        buf_z(w->b, "<p>The heaviest first. ");
        put_more_link(w, limit, "All");
        buf_z(w->b, "</p>\n");
    }
    buf_z(w->b, "</div>\n");
}
