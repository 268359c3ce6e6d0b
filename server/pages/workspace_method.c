/* One method: what it cost, on which threads, who calls it and what it calls, as links (render/method/method_json.c has the
 * shape). What comes out of that JSON may be missing or of another type. */
#include <inttypes.h>
#include <stdio.h>

#include "profile/track.h"
#include "server/pages/workspace.h"

enum { CAPTION_BYTES_MAX = 80 };

static const json_t *number_at(const json_t *object, struct str before, const char *after)
{
    struct buf key = {0};
    const json_t *number = NULL;

    buf_str(&key, before);
    buf_z(&key, after);
    buf_char(&key, '\0');
    if (!key.failed)
        number = json_object_get(object, key.p);
    buf_free(&key);
    return number;
}

static void put_cells(struct buf *b, const json_t *value, const json_t *number, const json_t *whole)
{
    page_put(b, "<td>{}</td><td>{}</td>", PAGE_SIGNED(value, number), PAGE_SHARE(number, whole));
}

static void begin_table(struct buf *b, const json_t *values, const char *caption, bool calls)
{
    const json_t *value;
    size_t i;

    buf_printf(b, "<table>\n<caption>%s</caption>\n<thead><tr><td></td>", caption);
    json_array_foreach (values, i, value)
        page_put(b, "<th scope=\"col\">{}</th><th scope=\"col\">%</th>", page_data_text(value, "name"));
    buf_z(b, calls ? "<th scope=\"col\">Calls</th></tr></thead>\n<tbody>\n" : "</tr></thead>\n<tbody>\n");
}

static void end_table(struct buf *b)
{
    buf_z(b, "</tbody></table>\n");
}

/* Samples and heaps have none. */
static bool has_calls(const struct workspace *w)
{
    return json_object_get(w->of->report, "calls") != NULL;
}

/* ---- the method itself ---- */

static void put_sums(const struct workspace *w, const json_t *values)
{
    static const struct {
        const char *key, *words;
    } LINES[] = {{"incl", "total"}, {"excl", "self"}};
    const json_t *value;
    size_t i;

    struct buf *b = w->b;
    char caption[CAPTION_BYTES_MAX];

    snprintf(caption, sizeof(caption), "Of the chosen %s", page_data_noun(w->of->summary)->many);
    begin_table(b, values, caption, false);
    for (size_t line = 0; line < sizeof(LINES) / sizeof(LINES[0]); line++) {
        buf_printf(b, "<tr><th scope=\"row\">%s</th>", LINES[line].words);
        json_array_foreach (values, i, value)
            put_cells(b, value, json_object_get(value, LINES[line].key), page_data_whole(value));
        buf_z(b, "</tr>\n");
    }
    end_table(b);
}

static void put_calls(struct buf *b, const json_t *method)
{
    if (json_object_get(method, "calls") == NULL)
        return;
    uint64_t calls = page_data_real(json_object_get(method, "calls"));
    page_put(b, "<p>{} {}, of which {} recursive</p>\n", PAGE_COUNT(calls),
             calls == 1 ? STR("call") : STR("calls"),
             PAGE_COUNT(page_data_real(json_object_get(method, "recursive"))));
}

/* A name that is too long for a view has no link. */
static void put_sandwich_link(const struct workspace *w, struct str name)
{
    struct view_options view = *w->of->options;
    struct diag diag = {0};

    view.view = VIEW_SANDWICH;
    if (!view_set(&view, SCOPE_VIEW, STR("method"), name, &diag))
        return;
    buf_z(w->b, "<a class=\"button place\" href=\"");
    workspace_picture(w, w->of->track, &view);
    buf_z(w->b, "\">Callers and callees as a picture</a>\n");
}

static void put_head(const struct workspace *w, const json_t *method)
{
    struct str class = page_data_text(method, "class");
    struct buf name = {0};

    buf_str(&name, class);
    buf_z(&name, class.n > 0 ? "." : "");
    buf_str(&name, page_data_text(method, "method"));
    page_put(w->b, "<h2 class=\"method\">{}</h2>\n<p class=\"quiet\">{} {} {} {}</p>\n", buf_view(&name),
             page_data_text(method, "signature"), page_data_text(method, "file"),
             page_data_text(method, "module"), page_data_text(method, "origin"));
    if (page_data_text(method, "note").n > 0)
        page_put(w->b, "<p class=\"note\">{}</p>\n", page_data_text(method, "note"));
    buf_z(w->b, "<p class=\"buttons\">\n");
    put_sandwich_link(w, buf_view(&name));
    workspace_filter_by(w, class, page_data_text(method, "method"));
    buf_z(w->b, "</p>\n");
    buf_part_end(w->b, &name);
}

/* ---- links to other methods ---- */

static void put_method_link(const struct workspace *w, const json_t *other, struct str words)
{
    struct str class = page_data_text(other, "class");

    buf_z(w->b, "<a class=\"place\" href=\"");
    workspace_method_link(w, page_data_text(other, "id"));
    if (words.n > 0) {
        page_put(w->b, "\">{}</a>", words);
        return;
    }
    page_put(w->b, "\" title=\"{}\">{}{}{}</a>", page_data_text(other, "signature"), class,
             class.n > 0 ? STR(".") : STR(""), page_data_text(other, "method"));
}

static void put_edge_name(const struct workspace *w, const json_t *edge)
{
    buf_z(w->b, "<tr><th scope=\"row\">");
    if (json_object_get(edge, "id") == NULL)
        buf_z(w->b, "(toplevel)");
    else
        put_method_link(w, edge, STR(""));
    buf_z(w->b, "</th>");
}

static void put_edge(const struct workspace *w, const json_t *edge, const json_t *values)
{
    const json_t *value;
    size_t i;

    put_edge_name(w, edge);
    json_array_foreach (values, i, value)
        put_cells(w->b, value, number_at(edge, page_data_text(value, "name"), ""),
                  json_object_get(value, "incl"));
    if (json_object_get(edge, "of_calls") != NULL)
        page_put(w->b, "<td>{}/{}</td>", PAGE_COUNT(page_data_real(json_object_get(edge, "calls"))),
                 PAGE_COUNT(page_data_real(json_object_get(edge, "of_calls"))));
    buf_z(w->b, "</tr>\n");
}

/* To the page that has all of this list, where not all of it is shown. */
static void put_rest_link(const struct workspace *w, const char *key, uint64_t shown)
{
    uint64_t all = page_data_real(json_object_get(json_object_get(w->of->report, "edges"), key));

    if (all <= shown)
        return;
    page_put(w->b, "<p>{} of {}, the heaviest first. <a class=\"place\" href=\"", PAGE_COUNT(shown),
             PAGE_COUNT(all));
    workspace_method_link(w, page_data_text(w->of->report, "id"));
    buf_printf(w->b, "&amp;limit=%" PRIu64 "\">All</a></p>\n", all);
}

static void put_edges(const struct workspace *w, const char *key, const char *caption)
{
    const json_t *edges = json_object_get(w->of->report, key), *edge;
    const json_t *values = json_object_get(w->of->report, "values");
    size_t i;

    if (json_array_size(edges) == 0)
        return;
    begin_table(w->b, values, caption, has_calls(w));
    json_array_foreach (edges, i, edge)
        put_edge(w, edge, values);
    end_table(w->b);
    put_rest_link(w, key, i);
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
    char caption[CAPTION_BYTES_MAX];
    size_t i, k;

    if (json_array_size(json_object_get(w->of->report, "threads")) == 0)
        return;
    snprintf(caption, sizeof(caption), "By %s, with its share of each", page_data_noun(w->of->summary)->one);
    begin_table(w->b, values, caption, has_calls(w));
    json_array_foreach (json_object_get(w->of->report, "threads"), i, thread) {
        buf_z(w->b, "<tr><th scope=\"row\">");
        page_data_put_track_name(w->b, thread);
        buf_z(w->b, "</th>");
        json_array_foreach (values, k, value) {
            struct str name = page_data_text(value, "name");
            put_cells(w->b, value, number_at(thread, name, "_incl"), number_at(thread, name, "_total"));
        }
        if (json_object_get(thread, "calls") != NULL)
            page_put(w->b, "<td>{}</td>", PAGE_COUNT(page_data_real(json_object_get(thread, "calls"))));
        buf_z(w->b, "</tr>\n");
    }
    end_table(w->b);
}

void workspace_method(const struct workspace *w)
{
    const json_t *method = w->of->report;

    buf_z(w->b,
          "<div id=\"method\" class=\"methods\" tabindex=\"0\" role=\"region\" aria-label=\"Method\">\n");
    put_head(w, method);
    put_sums(w, json_object_get(method, "values"));
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

/* ---- of a comparison ---- */

/* The values are those of both sides (profile/transform/compare_sides.h); `first`: that of A. */
static void put_sides(const struct workspace *w, const json_t *object, size_t first, const char *end)
{
    const json_t *values = json_object_get(w->of->report, "values");
    const json_t *a = json_array_get(values, first), *b = json_array_get(values, first + 1);

    workspace_compared_cells(
        w, a,
        (struct diff_pair){page_data_real(number_at(object, page_data_text(a, "name"), end)),
                           page_data_real(number_at(object, page_data_text(b, "name"), end)), 0});
}

static bool compares_calls(const struct workspace *w)
{
    return json_array_size(json_object_get(w->of->report, "values")) > COMPARE_CALLS_A;
}

static void begin_sides(const struct workspace *w, const char *caption, bool calls)
{
    static const char CELLS[] = "<th scope=\"col\">%s A</th><th scope=\"col\">%s B</th>"
                                "<th scope=\"col\">Change</th><th scope=\"col\">%%</th>";

    buf_printf(w->b, "<table>\n<caption>%s</caption>\n<thead><tr><td></td>", caption);
    buf_printf(w->b, CELLS, "In", "In");
    if (calls)
        buf_printf(w->b, CELLS, "Calls in", "Calls in");
    buf_z(w->b, "</tr></thead>\n<tbody>\n");
}

static void put_own_sides(const struct workspace *w, size_t first, const char *words, const char *key)
{
    const json_t *values = json_object_get(w->of->report, "values"), *a = json_array_get(values, first);
    struct diff_pair pair = {page_data_real(json_object_get(a, key)),
                             page_data_real(json_object_get(json_array_get(values, first + 1), key)), 0};

    buf_printf(w->b, "<tr><th scope=\"row\">%s</th>", words);
    workspace_compared_cells(w, a, pair);
    buf_z(w->b, "</tr>\n");
}

static void put_edges_of_sides(const struct workspace *w, const char *key, const char *caption)
{
    const json_t *edges = json_object_get(w->of->report, key), *edge;
    size_t i;

    if (json_array_size(edges) == 0)
        return;
    begin_sides(w, caption, compares_calls(w));
    json_array_foreach (edges, i, edge) {
        put_edge_name(w, edge);
        put_sides(w, edge, COMPARE_SIDE_A, "");
        if (compares_calls(w))
            put_sides(w, edge, COMPARE_CALLS_A, "");
        buf_z(w->b, "</tr>\n");
    }
    end_table(w->b);
    put_rest_link(w, key, i);
}

static void put_threads_of_sides(const struct workspace *w)
{
    const json_t *threads = json_object_get(w->of->report, "threads"), *thread;
    char caption[CAPTION_BYTES_MAX];
    size_t i;

    if (json_array_size(threads) == 0)
        return;
    snprintf(caption, sizeof(caption), "By %s", page_data_noun(w->of->summary)->one);
    begin_sides(w, caption, false);
    json_array_foreach (threads, i, thread) {
        buf_z(w->b, "<tr><th scope=\"row\">");
        page_data_put_track_name(w->b, thread);
        buf_z(w->b, "</th>");
        put_sides(w, thread, COMPARE_SIDE_A, "_incl");
        buf_z(w->b, "</tr>\n");
    }
    end_table(w->b);
}

void workspace_compared_method(const struct workspace *w)
{
    char caption[CAPTION_BYTES_MAX];

    snprintf(caption, sizeof(caption), "Of the chosen %s", page_data_noun(w->of->summary)->many);
    buf_z(w->b,
          "<div id=\"method\" class=\"methods\" tabindex=\"0\" role=\"region\" aria-label=\"Method\">\n");
    put_head(w, w->of->report);
    begin_sides(w, caption, false);
    put_own_sides(w, COMPARE_SIDE_A, "total", "incl");
    put_own_sides(w, COMPARE_SIDE_A, "self", "excl");
    if (compares_calls(w))
        put_own_sides(w, COMPARE_CALLS_A, "calls", "excl");
    end_table(w->b);
    put_overloads(w);
    put_edges_of_sides(w, "parents", "Callers");
    put_edges_of_sides(w, "children", "Callees");
    put_edges_of_sides(w, "recursive_parents", "Callers while recursive");
    put_edges_of_sides(w, "recursive_children", "Callees while recursive");
    put_threads_of_sides(w);
    buf_z(w->b, "</div>\n");
}
