/* The tab of frames that an app showed too late: the table of /frames.json. Each row leads to its range of time, in the
 * picture and the timeline of the main thread; its longest section, to that section's. */
#include <string.h>

#include "server/pages/workspace.h"

bool workspace_has_late_frames(const struct workspace *w)
{
    return w->of.compared == NULL && page_data_number(json_object_get(w->of.summary, "screen"), "late") > 0;
}

/* All threads and all sections are looked at: only the range and whose code is own stay. */
static void plain_view(const struct workspace *w, struct view_options *view)
{
    view_defaults(view);
    memcpy(view->app, w->of.options->app, sizeof(view->app));
    view->from_ns = w->of.options->from_ns;
    view->to_ns = w->of.options->to_ns;
}

void workspace_frames_link(const struct workspace *w)
{
    struct view_options view;

    plain_view(w, &view);
    workspace_link(w, "<a class=\"place\" href=\"", "frames", &view, "\"");
}

static void put_range(const struct workspace *w, const json_t *track, uint64_t from_ns, uint64_t to_ns,
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

/* ---- the table ---- */

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
        put_range(w, json_object_get(longest, "track"), page_data_number(longest, "begin"),
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
    put_range(w, main, begin, end, PAGE_NUMBER(UNIT_NS, begin));
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
