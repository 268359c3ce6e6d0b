/* The tab of methods: the profile table as the service sends it (render/table/table_json.c), as a table of links. The script
 * puts one in its place that holds all rows. What comes out of that JSON may be missing or of another type. */
#include <stdio.h>

#include "core/clean.h"
#include "profile/track.h"
#include "server/pages/workspace.h"

enum { PAGE_ROWS = METHODS_PAGE_ROWS, NS_PER_US = 1000 };

struct methods {
    const struct workspace *w;
    const json_t *columns, *values;
};

/* ---- links ---- */

static void put_place(const struct workspace *w, const char *name, const char *sort, struct str grep,
                      enum table_group group, uint32_t offset)
{
    page_put(w->b, "{}{}", w->self, str_of(name));
    workspace_query(w, w->of->track);
    if (group != GROUP_METHOD)
        buf_printf(w->b, "&amp;group=%s", table_group_word(group));
    if (w->of->rows->longest && w->of->tab == TAB_METHODS)
        buf_z(w->b, "&amp;longest=1");
    if (sort[0] != '\0') {
        buf_z(w->b, "&amp;sort=");
        buf_percent(w->b, str_of(sort));
    }
    if (grep.n > 0) {
        buf_z(w->b, "&amp;grep=");
        buf_percent(w->b, grep);
    }
    if (offset > 0)
        buf_printf(w->b, "&amp;offset=%u", offset);
}

void workspace_methods_link(const struct workspace *w, struct str track)
{
    const struct table_request *r = w->of->rows;
    struct page_workspace of = *w->of;
    struct workspace other = *w;

    of.track = track;
    other.of = &of;
    put_place(&other, "methods", r->sort, str_of(r->grep), r->group, 0);
}

/* ---- columns ---- */

static bool has_column(const struct methods *m, const char *name)
{
    return page_data_column(m->columns, str_of(name)) < json_array_size(m->columns);
}

static const json_t *cell_of(const struct methods *m, const json_t *row, const char *column)
{
    return json_array_get(row, page_data_column(m->columns, str_of(column)));
}

static struct str cell_text(const struct methods *m, const json_t *row, const char *column)
{
    return page_data_string(cell_of(m, row, column));
}

/* A heading is the link that sorts by its column, or the other way round. */
static void put_heading(const struct methods *m, const char *column, const char *words, struct str more)
{
    const struct table_request *r = m->w->of->rows;
    bool reversed = json_is_true(json_object_get(m->w->of->report, "reversed"));
    bool is_sorted = str_eq(page_data_text(m->w->of->report, "sort"), str_of(column));
    char turned[TABLE_SORT_BYTES_MAX + 2];

    snprintf(turned, sizeof(turned), "%s%s", is_sorted && !reversed ? "-" : "", column);
    buf_z(m->w->b, is_sorted ? reversed ? "<th scope=\"col\" aria-sort=\"ascending\"><a href=\""
                                        : "<th scope=\"col\" aria-sort=\"descending\"><a href=\""
                             : "<th scope=\"col\"><a href=\"");
    put_place(m->w, "methods", turned, str_of(r->grep), r->group, 0);
    page_put(m->w->b, "\">{}{}{}</a></th>\n", str_of(words), more.n > 0 ? STR(" ") : STR(""), more);
}

static void put_headings(const struct methods *m)
{
    const struct table_request *r = m->w->of->rows;
    const char *first = r->group == GROUP_METHOD   ? "class"
                        : r->group == GROUP_THREAD ? "name"
                                                   : table_group_word(r->group);
    const json_t *value;
    size_t i;
    char column[TABLE_SORT_BYTES_MAX];

    buf_z(m->w->b, "<thead><tr>\n");
    put_heading(m, first, r->group == GROUP_METHOD ? "Method" : "Name", STR(""));
    json_array_foreach (m->values, i, value) {
        struct str name = page_data_text(value, "name");
        snprintf(column, sizeof(column), "%.*s_incl", (int)name.n, name.p);
        put_heading(m, column, "Incl.", name);
        buf_z(m->w->b, "<th scope=\"col\">%</th>\n");
        snprintf(column, sizeof(column), "%.*s_excl", (int)name.n, name.p);
        put_heading(m, column, "Excl.", name);
        buf_z(m->w->b, "<th scope=\"col\">%</th>\n");
        snprintf(column, sizeof(column), "%.*s_longest", (int)name.n, name.p);
        if (has_column(m, column))
            put_heading(m, column, "Longest", name);
    }
    if (workspace_has_value(m->w, STR("calls"))) {
        put_heading(m, "calls", "Calls", STR(""));
        put_heading(m, "recursive", "+ recursive", STR(""));
    }
    buf_z(m->w->b, "</tr></thead>\n");
}

/* ---- rows ---- */

/* `Class.method`, with its package behind it. */
static void put_method_name(const struct methods *m, const json_t *row)
{
    struct str class = cell_text(m, row, "class"), method = cell_text(m, row, "method");
    struct str point = class.n > 0 ? STR(".") : STR("");
    size_t dot = class.n;

    while (dot > 0 && class.p[dot - 1] != '.')
        dot--;
    buf_z(m->w->b, "<a class=\"place\" href=\"");
    workspace_method_link(m->w, cell_text(m, row, "id"));
    page_put(m->w->b, "\" title=\"{}{}{} {}\">{}{}{}</a>", class, point, method,
             cell_text(m, row, "signature"), (struct str){class.p + dot, class.n - dot}, point, method);
    if (dot > 1)
        page_put(m->w->b, " <span class=\"quiet\">{}</span>", (struct str){class.p, dot - 1});
    if (str_eq(cell_text(m, row, "origin"), STR("error")))
        buf_z(m->w->b, " <span class=\"quiet\">no function</span>");
}

/* A row of a group leads to the methods whose names have it. */
static void put_group_name(const struct methods *m, const json_t *row)
{
    const struct table_request *r = m->w->of->rows;
    bool is_thread = r->group == GROUP_THREAD;
    struct str name = cell_text(m, row, is_thread ? "name" : table_group_word(r->group));

    if (is_thread || r->group == GROUP_ORIGIN || name.n == 0) {
        page_put(m->w->b, "{}", name.n > 0 ? name : STR("(none)"));
        return;
    }
    buf_z(m->w->b, "<a href=\"");
    put_place(m->w, "methods", r->sort, name, GROUP_METHOD, 0);
    page_put(m->w->b, "\">{}</a>", name);
}

/* One value of a row, and its share. Nothing if the table has no such column. */
static void put_amounts(const struct methods *m, const json_t *row, const json_t *value, const char *end,
                        bool share)
{
    struct str name = page_data_text(value, "name");
    char column[TABLE_SORT_BYTES_MAX];

    snprintf(column, sizeof(column), "%.*s_%s", (int)name.n, name.p, end);
    if (!share && !has_column(m, column))
        return;
    const json_t *cell = cell_of(m, row, column);
    page_put(m->w->b, "<td>{}</td>", PAGE_SIGNED(value, cell));
    if (share)
        page_put(m->w->b, "<td>{}</td>", PAGE_SHARE(cell, page_data_whole(value)));
}

static void put_count(const struct methods *m, const json_t *row, const char *column)
{
    const json_t *count = cell_of(m, row, column);

    page_put(m->w->b, "<td>{}</td>", json_is_number(count) ? PAGE_COUNT(page_data_real(count)) : STR(""));
}

static void put_row(const struct methods *m, const json_t *row)
{
    const json_t *value;
    size_t i;

    buf_z(m->w->b, "<tr><th scope=\"row\">");
    if (m->w->of->rows->group == GROUP_METHOD)
        put_method_name(m, row);
    else
        put_group_name(m, row);
    buf_z(m->w->b, "</th>");
    json_array_foreach (m->values, i, value) {
        put_amounts(m, row, value, "incl", true);
        put_amounts(m, row, value, "excl", true);
        put_amounts(m, row, value, "longest", false);
    }
    if (workspace_has_value(m->w, STR("calls"))) {
        put_count(m, row, "calls");
        put_count(m, row, "recursive");
    }
    buf_z(m->w->b, "</tr>\n");
}

/* ---- what is around them ---- */

static void put_groups(const struct workspace *w)
{
    const struct table_request *r = w->of->rows;

    workspace_choice(w->b, "group", "Rows");
    for (unsigned i = GROUP_METHOD; i <= GROUP_THREAD; i++) {
        const char *word = table_group_word((enum table_group)i);
        const char *label = i == GROUP_THREAD ? page_data_noun(w->of->summary)->one : word;
        workspace_choice_word(w->b, str_of(word), i == r->group, str_of(label));
    }
    workspace_choice_end(w->b);
}

/* The fields of the table that stand in the row of tools. */
void workspace_methods_fields(const struct workspace *w)
{
    const struct table_request *r = w->of->rows;

    if (w->of->compared != NULL)
        workspace_compared_fields(w);
    else
        put_groups(w);
    if (w->of->compared == NULL && workspace_has_value(w, STR("calls")))
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

static void put_pages(const struct workspace *w, uint64_t shown)
{
    const struct table_request *r = w->of->rows;
    uint64_t matching = page_data_real(json_object_get(w->of->report, "matching"));

    buf_z(w->b, "<p class=\"pages\">");
    if (r->offset > 0) {
        buf_z(w->b, "<a href=\"");
        put_place(w, "methods", r->sort, str_of(r->grep), r->group,
                  r->offset > PAGE_ROWS ? r->offset - PAGE_ROWS : 0);
        buf_z(w->b, "\" rel=\"prev\">Rows before</a> ");
    }
    page_put(w->b, "{} to {} of {}", PAGE_COUNT(shown == 0 ? 0 : r->offset + 1u),
             PAGE_COUNT(r->offset + shown), PAGE_COUNT(matching));
    if (r->offset + shown < matching) {
        buf_z(w->b, " <a href=\"");
        put_place(w, "methods", r->sort, str_of(r->grep), r->group, r->offset + PAGE_ROWS);
        buf_z(w->b, "\" rel=\"next\">More rows</a>");
    }
    buf_z(w->b, "</p>\n");
}

/* What 100 % is not, where some went down. */
static void put_signed_whole(const struct workspace *w, const json_t *value)
{
    if (json_object_get(value, "grown") == NULL)
        return;
    page_put(w->b, " that was added; {} less elsewhere makes {} in all",
             PAGE_SIGNED(value, json_object_get(value, "shrunk")),
             PAGE_SIGNED(value, json_object_get(value, "total")));
}

/* Of the value by which the table is made, which is the first of all unless the view names one. */
void workspace_methods_whole(const struct workspace *w)
{
    const json_t *chosen = page_data_value(json_object_get(w->of->report, "values"), w->of->options->value);

    if (chosen == NULL)
        return;
    uint64_t total = page_data_real(json_object_get(chosen, "total"));
    uint64_t before = page_data_real(json_object_get(chosen, "before"));
    page_put(w->b, "100 % = {} {}", PAGE_SIGNED(chosen, page_data_whole(chosen)),
             page_data_text(chosen, "label"));
    put_signed_whole(w, chosen);
    if (before > total)
        page_put(w->b, "; filters took out {}", PAGE_AMOUNT(chosen, before - total));
}

void workspace_methods(const struct workspace *w)
{
    const json_t *rows = json_object_get(w->of->report, "rows"), *row;
    struct methods m = {w, json_object_get(w->of->report, "columns"),
                        json_object_get(w->of->report, "values")};
    size_t i;

    if (json_object_get(w->of->report, "emptied_by") != NULL) {
        workspace_filter_emptied(w, (uint32_t)page_data_real(json_object_get(w->of->report, "emptied_by")));
        return;
    }
    buf_z(w->b, "<div id=\"methods\" class=\"methods\" tabindex=\"0\" role=\"region\" aria-label=\"Methods\" "
                "data-json=\"");
    put_place(w, "methods.json", w->of->rows->sort, STR(""), w->of->rows->group, 0);
    buf_z(w->b, "\">\n<table>\n");
    put_headings(&m);
    buf_z(w->b, "<tbody>\n");
    json_array_foreach (rows, i, row)
        put_row(&m, row);
    buf_z(w->b, "</tbody>\n</table>\n");
    put_pages(w, json_array_size(rows));
    buf_z(w->b, "</div>\n");
}
