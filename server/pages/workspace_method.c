/* One method: what it cost, on which threads, who calls it and what it calls, as links (render/table/method_json.c has the
 * shape). What comes out of that JSON may be missing or of another type. */
#include "core/clean.h"
#include "server/pages/workspace.h"

static uint64_t amount_at(const json_t *object, struct str before, const char *after)
{
    struct buf key = {0};
    uint64_t amount = 0;

    buf_str(&key, before);
    buf_z(&key, after);
    buf_char(&key, '\0');
    if (!key.failed)
        amount = page_data_real(json_object_get(object, key.p));
    buf_free(&key);
    return amount;
}

static void put_cells(struct buf *b, const json_t *value, uint64_t amount, uint64_t whole)
{
    char text[NUMBER_BYTES_MAX];

    buf_z(b, "<td>");
    page_data_put_value(b, value, amount);
    buf_z(b, "</td><td>");
    if (whole > 0)
        clean_xml(b, (struct str){text, (size_t)(number_percent(text, amount, whole) - text)});
    buf_z(b, "</td>");
}

static void begin_table(struct buf *b, const json_t *values, const char *caption, bool calls)
{
    const json_t *value;
    size_t i;

    buf_printf(b, "<table>\n<caption>%s</caption>\n<thead><tr><td></td>", caption);
    json_array_foreach (values, i, value)
        page_frame_text(b, "<th scope=\"col\">", page_data_text(value, "name"),
                        "</th><th scope=\"col\">%</th>");
    buf_z(b, calls ? "<th scope=\"col\">Calls</th></tr></thead>\n<tbody>\n" : "</tr></thead>\n<tbody>\n");
}

static void end_table(struct buf *b)
{
    buf_z(b, "</tbody></table>\n");
}

/* ---- the method itself ---- */

static void put_sums(struct buf *b, const json_t *values)
{
    static const struct {
        const char *key, *words;
    } LINES[] = {{"incl", "total"}, {"excl", "self"}};
    const json_t *value;
    size_t i;

    begin_table(b, values, "Of the chosen threads", false);
    for (size_t line = 0; line < sizeof(LINES) / sizeof(LINES[0]); line++) {
        buf_printf(b, "<tr><th scope=\"row\">%s</th>", LINES[line].words);
        json_array_foreach (values, i, value)
            put_cells(b, value, page_data_real(json_object_get(value, LINES[line].key)),
                      page_data_real(json_object_get(value, "total")));
        buf_z(b, "</tr>\n");
    }
    end_table(b);
}

static void put_calls(struct buf *b, const json_t *method)
{
    if (json_object_get(method, "calls") == NULL)
        return;
    buf_z(b, "<p>");
    page_data_put_number(b, UNIT_COUNT, page_data_real(json_object_get(method, "calls")));
    buf_z(b,
          page_data_real(json_object_get(method, "calls")) == 1 ? " call, of which " : " calls, of which ");
    page_data_put_number(b, UNIT_COUNT, page_data_real(json_object_get(method, "recursive")));
    buf_z(b, " recursive</p>\n");
}

/* A name that is too long for a view has no link. */
static void put_sandwich_link(const struct workspace *w, struct str name)
{
    struct view_options view = *w->of->options;
    struct diag diag = {0};

    view.view = VIEW_SANDWICH;
    if (!view_set(&view, SCOPE_VIEW, STR("method"), name, &diag))
        return;
    page_frame_text(w->b, "<a class=\"button place\" href=\"", w->self, "t/");
    page_frame_text(w->b, "", w->of->track, "");
    view_link(w->b, &view, "&amp;");
    buf_z(w->b, "\">Callers and callees as a picture</a>\n");
}

static void put_head(const struct workspace *w, const json_t *method)
{
    struct str class = page_data_text(method, "class");
    struct buf name = {0};

    buf_str(&name, class);
    buf_z(&name, class.n > 0 ? "." : "");
    buf_str(&name, page_data_text(method, "method"));
    page_frame_text(w->b, "<h2 class=\"method\">", buf_view(&name), "</h2>\n");
    page_frame_text(w->b, "<p class=\"quiet\">", page_data_text(method, "signature"), " ");
    page_frame_text(w->b, "", page_data_text(method, "file"), " ");
    page_frame_text(w->b, "", page_data_text(method, "module"), " ");
    page_frame_text(w->b, "", page_data_text(method, "origin"), "</p>\n");
    buf_z(w->b, "<p class=\"buttons\">\n");
    put_sandwich_link(w, buf_view(&name));
    workspace_filter_by(w, class, page_data_text(method, "method"));
    buf_z(w->b, "</p>\n");
    w->b->failed = w->b->failed || name.failed;
    buf_free(&name);
}

/* ---- links to other methods ---- */

static void put_method_link(const struct workspace *w, const json_t *other, struct str words)
{
    struct str class = page_data_text(other, "class");

    page_frame_text(w->b, "<a class=\"place\" href=\"", w->self, "m/");
    page_frame_text(w->b, "", page_data_text(other, "id"), "");
    workspace_query(w, w->of->track);
    if (words.n > 0) {
        page_frame_text(w->b, "\">", words, "</a>");
        return;
    }
    page_frame_text(w->b, "\" title=\"", page_data_text(other, "signature"), "\">");
    page_frame_text(w->b, "", class, class.n > 0 ? "." : "");
    page_frame_text(w->b, "", page_data_text(other, "method"), "</a>");
}

static void put_edge(const struct workspace *w, const json_t *edge, const json_t *values)
{
    const json_t *value;
    size_t i;

    buf_z(w->b, "<tr><th scope=\"row\">");
    if (json_object_get(edge, "id") == NULL)
        buf_z(w->b, "(toplevel)");
    else
        put_method_link(w, edge, STR(""));
    buf_z(w->b, "</th>");
    json_array_foreach (values, i, value)
        put_cells(w->b, value, amount_at(edge, page_data_text(value, "name"), ""),
                  page_data_real(json_object_get(value, "incl")));
    buf_z(w->b, "<td>");
    if (json_object_get(edge, "of_calls") != NULL) {
        page_data_put_number(w->b, UNIT_COUNT, page_data_real(json_object_get(edge, "calls")));
        buf_z(w->b, "/");
        page_data_put_number(w->b, UNIT_COUNT, page_data_real(json_object_get(edge, "of_calls")));
    }
    buf_z(w->b, "</td></tr>\n");
}

static void put_edges(const struct workspace *w, const char *key, const char *caption)
{
    const json_t *edges = json_object_get(w->of->report, key), *edge;
    const json_t *values = json_object_get(w->of->report, "values");
    size_t i;

    if (json_array_size(edges) == 0)
        return;
    begin_table(w->b, values, caption, true);
    json_array_foreach (edges, i, edge)
        put_edge(w, edge, values);
    end_table(w->b);
}

static void put_overloads(const struct workspace *w)
{
    const json_t *overloads = json_object_get(w->of->report, "overloads"), *other;
    size_t i;

    if (json_array_size(overloads) == 0)
        return;
    buf_z(w->b, "<p>Other signatures: ");
    json_array_foreach (overloads, i, other) {
        buf_z(w->b, i > 0 ? ", " : "");
        put_method_link(w, other, page_data_text(other, "signature"));
    }
    buf_z(w->b, "</p>\n");
}

static void put_threads(const struct workspace *w)
{
    const json_t *values = json_object_get(w->of->report, "values"), *value, *thread;
    size_t i, k;

    if (json_array_size(json_object_get(w->of->report, "threads")) == 0)
        return;
    begin_table(w->b, values, "By thread, with its share of each", true);
    json_array_foreach (json_object_get(w->of->report, "threads"), i, thread) {
        buf_z(w->b, "<tr><th scope=\"row\">");
        page_data_put_track_name(w->b, thread);
        buf_z(w->b, "</th>");
        json_array_foreach (values, k, value) {
            struct str name = page_data_text(value, "name");
            put_cells(w->b, value, amount_at(thread, name, "_incl"), amount_at(thread, name, "_total"));
        }
        buf_z(w->b, "<td>");
        if (json_object_get(thread, "calls") != NULL)
            page_data_put_number(w->b, UNIT_COUNT, page_data_real(json_object_get(thread, "calls")));
        buf_z(w->b, "</td></tr>\n");
    }
    end_table(w->b);
}

void workspace_method(const struct workspace *w)
{
    const json_t *method = w->of->report;

    buf_z(w->b,
          "<div id=\"method\" class=\"methods\" tabindex=\"0\" role=\"region\" aria-label=\"Method\">\n");
    put_head(w, method);
    put_sums(w->b, json_object_get(method, "values"));
    put_calls(w->b, method);
    workspace_durations(w);
    put_overloads(w);
    put_edges(w, "parents", "Callers");
    put_edges(w, "children", "Callees");
    put_edges(w, "recursive_parents", "Callers while recursive");
    put_edges(w, "recursive_children", "Callees while recursive");
    put_threads(w);
    buf_z(w->b, "</div>\n");
}
