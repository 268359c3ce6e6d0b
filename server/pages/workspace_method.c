/* One method: what it cost, who calls it and what it calls, as links to others (render/table/method_json.c has the shape).
 * What comes out of that JSON may be missing or of another type. */
#include "core/clean.h"
#include "server/pages/workspace.h"

static struct str text_at(const json_t *columns, const json_t *row, const char *name)
{
    const json_t *column;
    size_t i;

    json_array_foreach(columns, i, column)
    {
        const json_t *cell = json_array_get(row, i);
        if (json_is_string(column) && json_is_string(cell) &&
            str_eq(str_of(json_string_value(column)), str_of(name)))
            return (struct str){json_string_value(cell), json_string_length(cell)};
    }
    return STR("");
}

static const json_t *number_at(const json_t *columns, const json_t *row, struct str before, const char *after)
{
    const json_t *column;
    size_t i;

    json_array_foreach(columns, i, column)
    {
        struct str name = json_is_string(column) ? str_of(json_string_value(column)) : STR("");
        if (name.n == before.n + str_of(after).n && str_starts(name, before) && str_ends(name, str_of(after)))
            return json_array_get(row, i);
    }
    return NULL;
}

static void put_share(struct buf *b, uint64_t part, uint64_t whole)
{
    char text[NUMBER_BYTES_MAX];

    buf_z(b, "<td>");
    if (whole > 0)
        clean_xml(b, (struct str){text, (size_t)(number_percent(text, part, whole) - text)});
    buf_z(b, "</td>");
}

static void put_head(struct buf *b, const json_t *values, const char *caption, bool calls)
{
    const json_t *value;
    size_t i;

    page_frame_text(b, "<table>\n<caption>", str_of(caption), "</caption>\n<thead><tr><td></td>");
    json_array_foreach(values, i, value) page_frame_text(
        b, "<th scope=\"col\">", page_data_text(value, "name"), "</th><th scope=\"col\">%</th>");
    buf_z(b, calls ? "<th scope=\"col\">Calls</th></tr></thead>\n<tbody>\n" : "</tr></thead>\n<tbody>\n");
}

/* ---- the method itself ---- */

static void put_line(struct buf *b, const json_t *all, const json_t *row, const char *words,
                     const char *column)
{
    const json_t *values = json_object_get(all, "values"), *value;
    size_t i;

    buf_printf(b, "<tr><th scope=\"row\">%s</th>", words);
    json_array_foreach(values, i, value)
    {
        uint64_t n = page_data_real(
            number_at(json_object_get(all, "columns"), row, page_data_text(value, "name"), column));
        buf_z(b, "<td>");
        page_data_put_value(b, value, n);
        buf_z(b, "</td>");
        put_share(b, n, page_data_real(json_object_get(value, "total")));
    }
    buf_z(b, "</tr>\n");
}

static void put_place(struct buf *b, const json_t *columns, const json_t *row)
{
    struct str file = text_at(columns, row, "file");
    uint64_t line = page_data_real(number_at(columns, row, STR("line"), ""));

    page_frame_text(b, "<p class=\"quiet\">", text_at(columns, row, "signature"), " ");
    page_frame_text(b, "", file, "");
    if (file.n > 0 && line > 0)
        buf_printf(b, ":%llu", (unsigned long long)line);
    page_frame_text(b, " ", text_at(columns, row, "module"), "</p>\n");
}

static void put_summary(const struct workspace *w, const json_t *row)
{
    const json_t *all = w->of->methods, *columns = json_object_get(all, "columns");
    struct str class = text_at(columns, row, "class"), method = text_at(columns, row, "method");
    const json_t *calls = number_at(columns, row, STR("calls"), "");
    struct view_options view = *w->of->options;
    struct buf name = {0};

    buf_str(&name, class);
    buf_z(&name, class.n > 0 ? "." : "");
    buf_str(&name, method);
    page_frame_text(w->b, "<h2 class=\"method\">", buf_view(&name), "</h2>\n");
    put_place(w->b, columns, row);
    put_head(w->b, json_object_get(all, "values"), "Of the chosen threads", false);
    put_line(w->b, all, row, "total", "_incl");
    put_line(w->b, all, row, "self", "_excl");
    buf_z(w->b, "</tbody></table>\n");
    if (json_is_number(calls)) {
        buf_z(w->b, "<p>");
        page_data_put_number(w->b, UNIT_COUNT, page_data_real(calls));
        buf_z(w->b, " calls, of which ");
        page_data_put_number(w->b, UNIT_COUNT, page_data_real(number_at(columns, row, STR("recursive"), "")));
        buf_z(w->b, " recursive</p>\n");
    }
    /* The picture of its callers and callees. A name that is too long for a view is left to the largest self. */
    view.view = VIEW_SANDWICH;
    view.method[0] = '\0';
    struct diag diag = {0};
    if (!name.failed && view_set(&view, SCOPE_VIEW, STR("method"), buf_view(&name), &diag)) {
        page_frame_text(w->b, "<p><a class=\"button\" href=\"", w->self, "t/");
        page_frame_text(w->b, "", w->of->track, "");
        view_link(w->b, &view, "&amp;");
        buf_z(w->b, "\">Callers and callees as a picture</a></p>\n");
    }
    w->b->failed = w->b->failed || name.failed;
    buf_free(&name);
}

/* ---- callers and callees ---- */

/* `whole` has what 100 % is, by value. */
static void put_edge(const struct workspace *w, const json_t *edge, const json_t *row)
{
    const json_t *all = w->of->methods, *values = json_object_get(all, "values"), *value;
    struct str id = page_data_text(edge, "id"), class = page_data_text(edge, "class");
    size_t i;

    buf_z(w->b, "<tr><th scope=\"row\">");
    if (id.n == 0) {
        buf_z(w->b, "(toplevel)</th>");
    } else {
        page_frame_text(w->b, "<a href=\"", w->self, "m/");
        page_frame_text(w->b, "", id, "?track=");
        page_frame_text(w->b, "", w->of->track, "\" title=\"");
        page_frame_text(w->b, "", page_data_text(edge, "signature"), "\">");
        page_frame_text(w->b, "", class, class.n > 0 ? "." : "");
        page_frame_text(w->b, "", page_data_text(edge, "method"), "</a></th>");
    }
    json_array_foreach(values, i, value)
    {
        uint64_t n = page_data_real(json_array_get(json_object_get(edge, "values"), i));
        buf_z(w->b, "<td>");
        page_data_put_value(w->b, value, n);
        buf_z(w->b, "</td>");
        put_share(w->b, n,
                  page_data_real(number_at(json_object_get(all, "columns"), row,
                                           page_data_text(value, "name"), "_incl")));
    }
    buf_z(w->b, "<td>");
    if (json_object_get(edge, "of") != NULL) {
        page_data_put_number(w->b, UNIT_COUNT, page_data_real(json_object_get(edge, "calls")));
        buf_z(w->b, "/");
        page_data_put_number(w->b, UNIT_COUNT, page_data_real(json_object_get(edge, "of")));
    }
    buf_z(w->b, "</td></tr>\n");
}

static void put_edges(const struct workspace *w, const json_t *part, const char *list, const char *caption,
                      const json_t *row)
{
    const json_t *edges = json_object_get(part, list), *edge;
    size_t i;

    if (json_array_size(edges) == 0)
        return;
    put_head(w->b, json_object_get(w->of->methods, "values"), caption, true);
    json_array_foreach(edges, i, edge) put_edge(w, edge, row);
    buf_z(w->b, "</tbody></table>\n");
}

void workspace_method(const struct workspace *w)
{
    const json_t *all = json_object_get(w->of->methods, "methods"), *method;
    size_t i;

    buf_z(w->b,
          "<div id=\"method\" class=\"methods\" tabindex=\"0\" role=\"region\" aria-label=\"Method\">\n");
    json_array_foreach(all, i, method)
    {
        const json_t *row = json_object_get(method, "row");
        const json_t *outermost = json_object_get(method, "outermost"),
                     *within = json_object_get(method, "recursive");
        put_summary(w, row);
        put_edges(w, outermost, "parents", "Callers", row);
        put_edges(w, outermost, "children", "Callees", row);
        put_edges(w, within, "parents", "Callers while recursive", row);
        put_edges(w, within, "children", "Callees while recursive", row);
    }
    buf_z(w->b, "</div>\n");
}
