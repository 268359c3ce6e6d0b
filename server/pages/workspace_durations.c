/* How long the calls of one method were (render/method/method_calls.h has the shape). Counting them takes a second reading of
 * the file, so the page of a method has a link to the page that has them, from which the script takes them. What comes out
 * of that JSON may be missing or of another type. */
#include "server/pages/workspace.h"

static void put_ns(struct buf *b, const json_t *object, const char *key)
{
    page_data_put_number(b, UNIT_NS, page_data_real(json_object_get(object, key)));
}

/* ---- what can be said in a sentence ---- */

static void put_sentence(struct buf *b, uint64_t calls, const json_t *clock)
{
    page_put(b, "<p>{}", PAGE_COUNT(calls));
    buf_z(b, calls == 1 ? " call, which took " : " calls, which took ");
    if (calls > 1) {
        buf_z(b, "from ");
        put_ns(b, clock, "min_ns");
        buf_z(b, " to ");
    }
    put_ns(b, clock, "max_ns");
    if (calls > 1) {
        buf_z(b, ", half of them no more than ");
        put_ns(b, clock, "median_ns");
    }
    buf_z(b, ". Calls within others of the same method are not counted.</p>\n");
}

/* ---- tables ---- */

static void put_figures(const struct workspace *w, const json_t *clocks)
{
    static const struct {
        const char *key, *words;
    } FIGURES[] = {{"min_ns", "shortest"},    {"median_ns", "median"}, {"p95_ns", "95 % within"},
                   {"p99_ns", "99 % within"}, {"max_ns", "longest"},   {"mean_ns", "mean"}};
    const json_t *clock;
    size_t i;

    buf_z(w->b, "<table>\n<caption>How long its calls were</caption>\n<thead><tr><td></td>");
    json_array_foreach (clocks, i, clock)
        page_put(w->b, "<th scope=\"col\">{}</th>", page_data_text(clock, "name"));
    buf_z(w->b, "</tr></thead>\n<tbody>\n");
    for (size_t figure = 0; figure < sizeof(FIGURES) / sizeof(FIGURES[0]); figure++) {
        buf_printf(w->b, "<tr><th scope=\"row\">%s</th>", FIGURES[figure].words);
        json_array_foreach (clocks, i, clock) {
            buf_z(w->b, "<td>");
            put_ns(w->b, clock, FIGURES[figure].key);
            buf_z(w->b, "</td>");
        }
        buf_z(w->b, "</tr>\n");
    }
    buf_z(w->b, "</tbody></table>\n");
}

static void put_histogram(const struct workspace *w, const json_t *clock)
{
    const json_t *bars = json_object_get(clock, "bars"), *bar;
    uint64_t most = 1;
    size_t i;

    json_array_foreach (bars, i, bar) {
        uint64_t calls = page_data_real(json_object_get(bar, "calls"));
        most = calls > most ? calls : most;
    }
    page_put(w->b, "<table class=\"bars\">\n<caption>Calls by their {} time</caption>\n<tbody>\n",
             page_data_text(clock, "name"));
    json_array_foreach (bars, i, bar) {
        uint64_t calls = page_data_real(json_object_get(bar, "calls"));
        buf_z(w->b, "<tr><th scope=\"row\">");
        put_ns(w->b, bar, "from_ns");
        buf_z(w->b, " to ");
        put_ns(w->b, bar, "to_ns");
        buf_printf(w->b, "</th><td><meter min=\"0\" max=\"%llu\" value=\"%llu\"></meter></td><td>",
                   (unsigned long long)most, (unsigned long long)calls);
        page_put(w->b, "{}</td></tr>\n", PAGE_COUNT(calls));
    }
    buf_z(w->b, "</tbody></table>\n");
}

/* The chart of the call's thread, with a tenth of its length before and behind it. */
static void put_chart_link(const struct workspace *w, const json_t *call, uint64_t duration_ns)
{
    uint64_t begin_ns = page_data_real(json_object_get(call, "begin_ns")), pad_ns = duration_ns / 10 + 1000;
    struct view_options view;

    view_defaults(&view);
    view.view = VIEW_CHART;
    view.from_ns = begin_ns > pad_ns ? begin_ns - pad_ns : 0;
    view.to_ns = number_add(number_add(begin_ns, duration_ns), pad_ns);
    buf_z(w->b, "<a class=\"place\" href=\"");
    workspace_picture(w, PAGE_ID(json_object_get(call, "track")), &view);
    page_put(w->b, "\">{}</a>", PAGE_NUMBER(UNIT_NS, begin_ns));
}

static uint64_t duration_of(const json_t *call, const json_t *clock)
{
    struct buf key = {0};
    uint64_t ns = 0;

    buf_str(&key, page_data_text(clock, "name"));
    buf_z(&key, "_ns");
    buf_char(&key, '\0');
    if (!key.failed)
        ns = page_data_real(json_object_get(call, key.p));
    buf_free(&key);
    return ns;
}

static void put_longest(const struct workspace *w, const json_t *clocks, const json_t *clock)
{
    const json_t *call, *each;
    size_t i, k;

    page_put(w->b,
             "<table>\n<caption>Its longest calls by {} time</caption>\n<thead><tr><th "
             "scope=\"col\">Begins at</th>",
             page_data_text(clock, "name"));
    json_array_foreach (clocks, k, each)
        page_put(w->b, "<th scope=\"col\">{}</th>", page_data_text(each, "name"));
    buf_z(w->b, "<th scope=\"col\">Thread</th></tr></thead>\n<tbody>\n");
    json_array_foreach (json_object_get(clock, "longest"), i, call) {
        buf_z(w->b, "<tr><th scope=\"row\">");
        put_chart_link(w, call, duration_of(call, json_array_get(clocks, 0)));
        buf_z(w->b, "</th>");
        json_array_foreach (clocks, k, each) {
            page_put(w->b, "<td>{}</td>", PAGE_NUMBER(UNIT_NS, duration_of(call, each)));
        }
        page_put(w->b, "<td>{}</td></tr>\n", page_data_text(call, "thread"));
    }
    buf_z(w->b, "</tbody></table>\n");
}

/* ---- the part of the page ---- */

static void put_link(const struct workspace *w)
{
    buf_z(w->b, "<p id=\"durations\"><a class=\"place\" href=\"");
    workspace_method_link(w, page_data_text(w->of->report, "id"));
    buf_z(w->b, "&amp;longest=1\">How long its calls were</a></p>\n");
}

/* Without calls that are counted there is nothing to say. */
void workspace_durations(const struct workspace *w)
{
    const json_t *durations = json_object_get(w->of->report, "durations"), *clock;
    const json_t *clocks = json_object_get(durations, "clocks");
    size_t i;

    if (json_array_size(clocks) == 0) {
        if (durations == NULL && json_object_get(w->of->report, "calls") != NULL && !w->of->rows->longest)
            put_link(w);
        return;
    }
    buf_z(w->b, "<div id=\"durations\">\n");
    put_sentence(w->b, page_data_real(json_object_get(durations, "calls")), json_array_get(clocks, 0));
    buf_z(w->b, "<div class=\"side-by-side\">\n");
    put_figures(w, clocks);
    json_array_foreach (clocks, i, clock)
        put_histogram(w, clock);
    json_array_foreach (clocks, i, clock)
        put_longest(w, clocks, clock);
    buf_z(w->b, "</div>\n</div>\n");
}
