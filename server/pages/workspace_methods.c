/* The tab of methods: the profile table as the service sends it (render/table/table_json.c), as a table of links. The script
 * puts one in its place that holds all rows. What comes out of that JSON may be missing or of another type. */
#include <stdio.h>

#include "core/clean.h"
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
    page_frame_text(w->b, "", w->self, name);
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

static size_t column_at(const struct methods *m, const char *name)
{
    const json_t *column;
    size_t i;

    json_array_foreach (m->columns, i, column) {
        if (json_is_string(column) && str_eq(str_of(json_string_value(column)), str_of(name)))
            return i;
    }
    return json_array_size(m->columns);
}

static bool has_column(const struct methods *m, const char *name)
{
    return column_at(m, name) < json_array_size(m->columns);
}

static struct str cell_text(const struct methods *m, const json_t *row, const char *column)
{
    const json_t *cell = json_array_get(row, column_at(m, column));

    return json_is_string(cell) ? (struct str){json_string_value(cell), json_string_length(cell)} : STR("");
}

static void put_amount(struct buf *b, const json_t *value, const json_t *cell)
{
    page_data_put_value(b, value, page_data_real(cell));
}

static void put_share(struct buf *b, uint64_t part, uint64_t whole)
{
    char text[NUMBER_BYTES_MAX];

    if (whole > 0)
        clean_xml(b, (struct str){text, (size_t)(number_percent(text, part, whole) - text)});
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
    page_frame_text(m->w->b, "\">", str_of(words), more.n > 0 ? " " : "");
    page_frame_text(m->w->b, "", more, "</a></th>\n");
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
    put_heading(m, "calls", "Calls", STR(""));
    put_heading(m, "recursive", "+ recursive", STR(""));
    buf_z(m->w->b, "</tr></thead>\n");
}

/* ---- rows ---- */

/* `Class.method`, with its package behind it. */
static void put_method_name(const struct methods *m, const json_t *row)
{
    struct str class = cell_text(m, row, "class"), method = cell_text(m, row, "method");
    size_t dot = class.n;

    while (dot > 0 && class.p[dot - 1] != '.')
        dot--;
    page_frame_text(m->w->b, "<a class=\"place\" href=\"", m->w->self, "m/");
    page_frame_text(m->w->b, "", cell_text(m, row, "id"), "");
    workspace_query(m->w, m->w->of->track);
    page_frame_text(m->w->b, "\" title=\"", class, class.n > 0 ? "." : "");
    page_frame_text(m->w->b, "", method, " ");
    page_frame_text(m->w->b, "", cell_text(m, row, "signature"), "\">");
    page_frame_text(m->w->b, "", (struct str){class.p + dot, class.n - dot}, class.n > 0 ? "." : "");
    page_frame_text(m->w->b, "", method, "</a>");
    if (dot > 1)
        page_frame_text(m->w->b, " <span class=\"quiet\">", (struct str){class.p, dot - 1}, "</span>");
}

/* A row of a group leads to the methods whose names have it. */
static void put_group_name(const struct methods *m, const json_t *row)
{
    const struct table_request *r = m->w->of->rows;
    bool is_thread = r->group == GROUP_THREAD;
    struct str name = cell_text(m, row, is_thread ? "name" : table_group_word(r->group));

    if (is_thread || r->group == GROUP_ORIGIN || name.n == 0) {
        page_frame_text(m->w->b, "", name.n > 0 ? name : STR("(none)"), "");
        return;
    }
    buf_z(m->w->b, "<a href=\"");
    put_place(m->w, "methods", r->sort, name, GROUP_METHOD, 0);
    page_frame_text(m->w->b, "\">", name, "</a>");
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
    const json_t *cell = json_array_get(row, column_at(m, column));
    buf_z(m->w->b, "<td>");
    put_amount(m->w->b, value, cell);
    if (share) {
        buf_z(m->w->b, "</td><td>");
        put_share(m->w->b, page_data_real(cell), page_data_real(json_object_get(value, "total")));
    }
    buf_z(m->w->b, "</td>");
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
    const json_t *calls = json_array_get(row, column_at(m, "calls"));
    buf_z(m->w->b, "<td>");
    if (json_is_number(calls))
        page_data_put_number(m->w->b, UNIT_COUNT, page_data_real(calls));
    buf_z(m->w->b, "</td><td>");
    if (json_is_number(calls))
        page_data_put_number(m->w->b, UNIT_COUNT,
                             page_data_real(json_array_get(row, column_at(m, "recursive"))));
    buf_z(m->w->b, "</td></tr>\n");
}

/* ---- what is around them ---- */

static void put_groups(const struct workspace *w)
{
    const struct table_request *r = w->of->rows;

    buf_z(
        w->b,
        "<p><label for=\"group\" class=\"out-of-sight\">Rows</label> <select id=\"group\" name=\"group\">\n");
    for (unsigned i = GROUP_METHOD; i <= GROUP_THREAD; i++) {
        const char *word = table_group_word((enum table_group)i);
        buf_printf(w->b, "<option value=\"%s\"%s>%s</option>\n", word, i == r->group ? " selected" : "",
                   word);
    }
    buf_z(w->b, "</select></p>\n");
}

/* The fields of the table that stand in the row of tools. */
void workspace_methods_fields(const struct workspace *w)
{
    const struct table_request *r = w->of->rows;

    put_groups(w);
    buf_printf(w->b,
               "<p class=\"check\"><input id=\"longest\" name=\"longest\" type=\"checkbox\" value=\"1\"%s> "
               "<label for=\"longest\">longest calls</label></p>\n",
               r->longest ? " checked" : "");
    page_frame_text(
        w->b,
        "<p><label for=\"grep\" class=\"out-of-sight\">Only names with</label> <input id=\"grep\" "
        "name=\"grep\" type=\"search\" placeholder=\"name contains\" autocomplete=\"off\" "
        "spellcheck=\"false\" value=\"",
        str_of(r->grep), "\"></p>\n");
    if (r->sort[0] != '\0')
        page_frame_text(w->b, "<input type=\"hidden\" name=\"sort\" value=\"", str_of(r->sort), "\">\n");
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
    page_data_put_number(w->b, UNIT_COUNT, shown == 0 ? 0 : r->offset + 1u);
    buf_z(w->b, " to ");
    page_data_put_number(w->b, UNIT_COUNT, r->offset + shown);
    buf_z(w->b, " of ");
    page_data_put_number(w->b, UNIT_COUNT, matching);
    if (r->offset + shown < matching) {
        buf_z(w->b, " <a href=\"");
        put_place(w, "methods", r->sort, str_of(r->grep), r->group, r->offset + PAGE_ROWS);
        buf_z(w->b, "\" rel=\"next\">More rows</a>");
    }
    buf_z(w->b, "</p>\n");
}

/* Of the value by which the table is made, which is the first of all unless the view names one. */
void workspace_methods_whole(const struct workspace *w)
{
    const json_t *values = json_object_get(w->of->report, "values"), *value, *chosen;
    size_t i;

    chosen = json_array_get(values, 0);
    json_array_foreach (values, i, value) {
        if (str_eq(page_data_text(value, "name"), str_of(w->of->options->value)))
            chosen = value;
    }
    if (chosen == NULL)
        return;
    uint64_t total = page_data_real(json_object_get(chosen, "total"));
    uint64_t before = page_data_real(json_object_get(chosen, "before"));
    buf_z(w->b, "100 % = ");
    put_amount(w->b, chosen, json_object_get(chosen, "total"));
    page_frame_text(w->b, " ", page_data_text(chosen, "label"), "");
    if (before > total) {
        buf_z(w->b, "; filters took out ");
        page_data_put_value(w->b, chosen, before - total);
    }
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
