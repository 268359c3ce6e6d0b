/* The workspace: one page for one profile, in whatever state its URL says. Everything on it is a link or a
 * form, so that it works without scripts; static/workspace.js makes the same without loading the page
 * again.
 *
 *     page_workspace      the frame, the picture and its side; in words where the time went; what all threads did in the order
 *                         of time; how much heaps had at each dump
 *     workspace_parts     what the others share: addresses, menus, choices
 *     workspace_heading   name, facts, warnings, share, downloads, delete
 *     workspace_tools     tabs, value, view, search, filters; the tab of frames that were late
 *     workspace_threads   the list of threads
 *     workspace_methods   the tab of methods, and one method
 *     workspace_compare   of a comparison its heading, its words and its fields
 *
 * A link leads to a page below the profile, by way of its own path: w->self. */
#include <string.h>

#include "profile/track.h"
#include "profile/warning.h"
#include "render/svg/svg_header.h"
#include "render/view/key.h"
#include "server/convert/report.h"
#include "server/pages/workspace.h"

struct verdict_page {
    const struct workspace *w;
    const json_t *sentence;
    struct str track; /* of the sentence; empty: it is about no single one */
};

/* ---- links of the words ---- */

/* The pictures of a sentence show no more than which packages are own, the range, the dumps, and what the
 * tracks are: the sentences are about all of it. Those of a comparison are about what the page shows. */
static void plain_view(const struct workspace *w, struct view_options *view)
{
    struct diag diag = {0};

    if (w->of.compared != NULL) {
        *view = *w->of.options;
        return;
    }
    view_defaults(view);
    (void)view_set(view, KEYS_VIEW, STR("app"), str_of(w->of.options->app), &diag);
    memcpy(view->split, w->of.options->split, sizeof(view->split));
    view->from_ns = w->of.options->from_ns;
    view->to_ns = w->of.options->to_ns;
    view->moment = w->of.options->moment;
    view->mode = w->of.options->mode;
}

/* In words where the time went: the link to the page that has them, whose script shows them here; and these words. */
static void workspace_verdict_link(const struct workspace *w)
{
    const json_t *values = json_object_get(w->of.summary, "values");
    struct view_options view;

    if (w->of.tab == TAB_VERDICT)
        return;
    plain_view(w, &view);
    /* Words about the states of threads are longer than others. */
    workspace_link(w,
                   page_data_find(values, "name", STR("runnable")) != NULL
                       ? "<p id=\"verdict\" class=\"long\"><a class=\"place\" href=\""
                       : "<p id=\"verdict\"><a class=\"place\" href=\"",
                   "verdict", &view, "\">In words: where the ");
    buf_printf(w->b, "%s went<span class=\"unfiltered\">, without filters</span></a></p>\n",
               page_data_noun(w->of.summary) == track_noun(TRACK_HEAP) ? "memory" : "time");
}

static void begin_link(const struct verdict_page *v, struct str track, const struct view_options *view)
{
    const struct workspace *w = v->w;

    buf_z(w->b, "<a class=\"place\" href=\"");
    workspace_picture(w, w->of.compared != NULL ? w->of.track : track, view);
    buf_z(w->b, "\">");
}

static void put_thread(const struct verdict_page *v, const json_t *id, struct str name)
{
    struct view_options view;

    plain_view(v->w, &view);
    begin_link(v, PAGE_ID(id), &view);
    page_put(v->w->b, "{}</a>", name);
}

/* A method's callers and callees. A name that is too long for a view has no link. */
static void put_method(const struct verdict_page *v, struct str text, struct str name)
{
    struct view_options view;
    struct diag diag = {0};

    plain_view(v->w, &view);
    view.view = VIEW_SANDWICH;
    if (!view_set(&view, KEYS_VIEW, STR("method"), name, &diag)) {
        page_put(v->w->b, "{}", text);
        return;
    }
    begin_link(v, v->track.n > 0 ? v->track : STR("merged"), &view);
    page_put(v->w->b, "{}</a>", text);
}

/* What the thread of the sentence did in a range of time. */
static void put_range(const struct verdict_page *v, const json_t *part)
{
    struct view_options view;

    plain_view(v->w, &view);
    view.from_ns = page_data_number(part, "from_ns");
    view.to_ns = page_data_number(part, "to_ns");
    begin_link(v, v->track, &view);
    page_put(v->w->b, "{}</a>", page_data_text(part, "text"));
}

/* The query of the table; its own rows are those of the sentence, whatever a comparison's page shows. */
static void put_table_query(const struct verdict_page *v, const struct view_options *view)
{
    const struct page_compared *compared = v->w->of.compared;

    if (compared == NULL) {
        workspace_query_of(v->w, v->track.n > 0 ? v->track : STR("all"), view);
        return;
    }
    struct diff_request asked = *compared->asked;
    struct page_compared of_all = *compared;
    struct workspace w = *v->w;

    asked.only = ONLY_DIFFERENT;
    of_all.asked = &asked;
    w.of.compared = &of_all;
    workspace_query_of(&w, w.of.track, view);
}

static void put_table_link(const struct verdict_page *v)
{
    static const struct {
        struct str table;
        const char *words;
    } TABLES[] = {{STR_INIT("group=origin"), "By origin"},  {STR_INIT("group=package"), "By package"},
                  {STR_INIT("sort=calls"), "By calls"},     {STR_INIT("only=new"), "All new ones"},
                  {STR_INIT("only=gone"), "All gone ones"}, {STR_INIT("only=more"), "All with more"},
                  {STR_INIT("only=less"), "All with less"}};
    struct str table = page_data_text(v->sentence, "table");

    for (size_t i = 0; i < sizeof(TABLES) / sizeof(TABLES[0]); i++)
        if (str_eq(TABLES[i].table, table)) {
            struct view_options view;
            plain_view(v->w, &view);
            page_put(v->w->b, " <a class=\"place\" href=\"{}methods", v->w->self);
            put_table_query(v, &view);
            page_put(v->w->b, "&amp;{}\">", table);
            buf_printf(v->w->b, "%s</a>", TABLES[i].words);
        }
}

/* To the form of the heading's menu: see workspace_heading.c. */
static void put_mapping_link(const struct verdict_page *v)
{
    if (str_eq(page_data_text(v->sentence, "rule"), STR("renamed")))
        buf_z(v->w->b, " <a href=\"#mapping\">Apply a mapping.txt</a>");
}

/* ---- sentences ---- */

static void put_text(const struct verdict_page *v)
{
    const json_t *part, *track;
    size_t i;

    json_array_foreach (json_object_get(v->sentence, "parts"), i, part) {
        track = json_object_get(part, "track");
        if (json_is_true(json_object_get(part, "method")))
            put_method(v, page_data_text(part, "text"),
                       page_data_text(part, json_object_get(part, "name") != NULL ? "name" : "text"));
        else if (page_data_number(part, "to_ns") > 0 && v->track.n > 0)
            put_range(v, part);
        else if (json_is_number(track))
            put_thread(v, track, page_data_text(part, "text"));
        else
            page_put(v->w->b, "{}", page_data_text(part, "text"));
    }
}

/* Items of a list; methods and threads in them are links, also those of a comparison. */
static void workspace_sentences(const struct workspace *w, const json_t *sentences)
{
    struct verdict_page v = {.w = w};
    const json_t *track;
    size_t i;

    json_array_foreach (sentences, i, v.sentence) {
        track = json_object_get(v.sentence, "track");
        v.track = json_is_number(track) ? PAGE_ID(track) : STR("");
        buf_z(w->b, "<li>");
        put_text(&v);
        put_table_link(&v);
        put_mapping_link(&v);
        buf_z(w->b, "</li>\n");
    }
}

/* What all threads did in the order of time, above the tabs: static/workspace-lanes.js draws it from
 * /p/<id>/lanes.json. Without scripts it is a picture that the service makes. */

/* The dumps of heaps, in place of the lanes of threads: for each heap how much it had at each dump, on one
 * axis of time. A dump is a diamond that leads to what was there then; a dump behind it, to what changed
 * until then. It is drawn here, as links, so that it works without scripts. Numbers: the summary's
 * "moments_ns" and "moment_totals" (server/convert/summary.c), which may be missing. */

enum {
    HEAPS_SHOWN = 8,
    DIAMONDS_MAX = 200, /* of a heap: where there are more, they would touch each other */
    SINCE_LISTED = 12,
    WIDTH = 1000, /* of the line's own coordinates, and its height */
    HEIGHT = 100,
    PER_CENT = 100,
    HUNDREDTHS = 10000 /* of the axis, in which places are written */
};

struct dumps {
    const struct workspace *w;
    const json_t *value; /* of the summary, that is drawn */
    uint64_t end_ns;
};

/* One heap's. */
struct series {
    const json_t *track, *value, *times, *amounts;
    size_t n;
    uint64_t most;
};

static uint64_t number_at(const json_t *array, size_t i)
{
    return page_data_integer(json_array_get(array, i));
}

static void read_series(struct series *s, const json_t *value)
{
    const char *name = json_string_value(json_object_get(value, "name"));

    s->value = value;
    s->amounts = name != NULL ? json_object_get(json_object_get(s->track, "moment_totals"), name) : NULL;
    s->most = 0;
    for (size_t i = 0; i < s->n; i++)
        s->most = number_at(s->amounts, i) > s->most ? number_at(s->amounts, i) : s->most;
}

/* Of the value that is shown; of a heap that has none of it (Java tells of nothing that was released), the
 * first that it has. */
static bool find_series(const struct dumps *d, const json_t *track, struct series *s)
{
    const json_t *value;
    size_t i;

    *s = (struct series){.track = track, .times = json_object_get(track, "moments_ns")};
    s->n = json_array_size(s->times);
    read_series(s, d->value);
    json_array_foreach (json_object_get(d->w->of.summary, "values"), i, value) {
        if (s->most == 0)
            read_series(s, value);
    }
    if (s->most == 0)
        read_series(s, d->value);
    return s->n > 0 && json_array_size(s->amounts) == s->n;
}

/* ---- dumps: places ---- */

/* On the axis, of `whole` parts. */
static uint64_t place(const struct dumps *d, uint64_t time_ns, uint64_t whole)
{
    return d->end_ns > 0 ? number_ratio(time_ns < d->end_ns ? time_ns : d->end_ns, d->end_ns, whole)
                         : whole / 2;
}

static uint64_t height(const struct series *s, size_t i)
{
    return s->most > 0 ? number_ratio(number_at(s->amounts, i), s->most, HEIGHT) : 0;
}

static void put_percent(struct buf *b, uint64_t hundredths)
{
    buf_fixed(b, hundredths, 2);
    buf_char(b, '%');
}

/* Which dump the page shows of this heap, from 0, and since which; `from` is SIZE_MAX for all up to it. */
static void find_shown(const struct dumps *d, const struct series *s, size_t *from, size_t *to)
{
    const struct view_options *o = d->w->of.options;
    size_t number = o->moment.number > 0 && o->moment.number < s->n ? o->moment.number : s->n;

    *to = number - 1;
    *from = o->moment.since > 0                      ? o->moment.since - 1
            : o->mode == MODE_INTERVAL && number > 1 ? number - 2
                                                     : SIZE_MAX;
}

static bool is_chosen(const struct dumps *d, const struct series *s)
{
    return view_shows_track(d->w->of.options, (uint32_t)page_data_number(s->track, "id"));
}

/* ---- dumps: links ---- */

/* The address of this tab with another heap and another dump. */
static void put_dump_address(const struct dumps *d, const struct series *s, uint32_t since, size_t number)
{
    struct view_options options = *d->w->of.options;
    struct workspace other = *d->w;

    options.moment = (struct view_moment){(uint32_t)number, since};
    other.of.options = &options;
    other.of.tab = other.of.tab == TAB_METHODS ? TAB_METHODS : TAB_FLAME;
    workspace_track_link(&other, PAGE_ID(json_object_get(s->track, "id")));
}

static void put_amount(const struct dumps *d, const struct series *s, size_t i)
{
    page_put(d->w->b, "{}: {}", PAGE_NUMBER(UNIT_NS, number_at(s->times, i)),
             PAGE_AMOUNT(s->value, number_at(s->amounts, i)));
}

/* ---- dumps of one heap ---- */

static void put_line(const struct dumps *d, const struct series *s)
{
    struct buf *b = d->w->b;

    buf_printf(b,
               "<svg class=\"line\" viewBox=\"0 0 %d %d\" preserveAspectRatio=\"none\" aria-hidden=\"true\">"
               "<path d=\"",
               WIDTH, HEIGHT);
    for (size_t i = 0; i < s->n; i++)
        buf_printf(b, "%c%llu %llu", i == 0 ? 'M' : 'L',
                   (unsigned long long)place(d, number_at(s->times, i), WIDTH),
                   (unsigned long long)(HEIGHT - height(s, i)));
    buf_z(b, "\"/></svg>\n");
}

/* What is between the two dumps that are compared. */
static void put_between(const struct dumps *d, const struct series *s, size_t from, size_t to)
{
    if (from >= to) /* SIZE_MAX as well: all up to it */
        return;
    uint64_t left = place(d, number_at(s->times, from), HUNDREDTHS),
             right = place(d, number_at(s->times, to), HUNDREDTHS);
    buf_z(d->w->b, "<rect class=\"between\" y=\"0\" height=\"100%\" x=\"");
    put_percent(d->w->b, left);
    buf_z(d->w->b, "\" width=\"");
    put_percent(d->w->b, right - left);
    buf_z(d->w->b, "\"/>\n");
}

static void put_diamond(const struct dumps *d, const struct series *s, size_t i, const char *class)
{
    struct buf *b = d->w->b;

    buf_z(b, "<a href=\"");
    put_dump_address(d, s, 0, i + 1);
    buf_printf(b, "\"%s aria-label=\"dump %zu, ", class, i + 1);
    put_amount(d, s, i);
    buf_z(b, "\"><svg class=\"diamond\" overflow=\"visible\" x=\"");
    put_percent(b, place(d, number_at(s->times, i), HUNDREDTHS));
    buf_z(b, "\" y=\"");
    put_percent(b, HUNDREDTHS - height(s, i) * PER_CENT);
    buf_printf(b, "\"><title>dump %zu, ", i + 1);
    put_amount(d, s, i);
    buf_z(b, "</title><circle r=\"12\"/><path d=\"M0-6 6 0 0 6-6 0z\"/></svg></a>\n");
}

static void put_diamonds(const struct dumps *d, const struct series *s)
{
    size_t from, to, step = s->n / DIAMONDS_MAX + 1;

    find_shown(d, s, &from, &to);
    if (is_chosen(d, s))
        put_between(d, s, from, to);
    for (size_t i = 0; i < s->n; i++)
        if (i % step == 0 || i + 1 == s->n || i == from || i == to)
            put_diamond(d, s, i,
                        !is_chosen(d, s) ? ""
                        : i == to        ? " class=\"chosen\" aria-current=\"true\""
                        : i == from      ? " class=\"since\""
                                         : "");
}

static void put_heap(const struct dumps *d, const struct series *s)
{
    struct buf *b = d->w->b;

    buf_printf(b, "<div class=\"heap%s\">\n<p><a href=\"", is_chosen(d, s) ? " chosen" : "");
    workspace_track_link(d->w, PAGE_ID(json_object_get(s->track, "id")));
    buf_z(b, "\">");
    page_data_put_track_name(b, s->track);
    page_put(b, "</a><br><span class=\"quiet\">up to {} {}</span></p>\n<div class=\"plot\">\n",
             PAGE_AMOUNT(s->value, s->most), page_data_text(s->value, "label"));
    put_line(d, s);
    page_put(b, "<svg class=\"diamonds\" role=\"group\" aria-label=\"{} by dump, ",
             page_data_text(s->value, "label"));
    page_data_put_track_name(b, s->track);
    buf_z(b, "\">\n");
    put_diamonds(d, s);
    buf_z(b, "</svg>\n</div>\n</div>\n");
}

/* ---- what changed ---- */

static void put_since(const struct dumps *d, const struct series *s)
{
    struct buf *b = d->w->b;
    size_t from, to;

    find_shown(d, s, &from, &to);
    size_t first = to > SINCE_LISTED ? to - SINCE_LISTED : 0;
    if (to == 0)
        return;
    buf_printf(b, "<p class=\"since\">Dump %zu, what changed since dump", to + 1);
    for (size_t i = first; i < to; i++) {
        buf_z(b, " <a href=\"");
        put_dump_address(d, s, (uint32_t)i + 1, to + 1);
        buf_printf(b, "\"%s>%zu</a>", i == from ? " aria-current=\"true\"" : "", i + 1);
    }
    if (from != SIZE_MAX) {
        struct workspace all = *d->w;
        struct view_options options = *all.of.options;
        struct dumps cumulative = {&all, d->value, d->end_ns};
        options.mode = MODE_CUMULATIVE;
        all.of.options = &options;
        buf_z(b, " <a href=\"");
        put_dump_address(&cumulative, s, 0, to + 1);
        buf_z(b, "\">all up to it</a>");
    }
    buf_z(b, "</p>\n");
}

static void put_axis(const struct dumps *d)
{
    buf_z(d->w->b, "<div class=\"heap\">\n<p></p>\n<p class=\"axis quiet\"><span>0");
    for (unsigned i = 1; i <= 4; i++)
        page_put(d->w->b, "</span><span>{}", PAGE_NUMBER(UNIT_NS, number_ratio(d->end_ns, 4, i)));
    buf_z(d->w->b, "</span></p>\n</div>\n");
}

static void put_heaps(const struct dumps *d)
{
    const json_t *track;
    struct series s, chosen = {.n = 0};
    size_t i, shown = 0, left_out = 0;

    json_array_foreach (d->w->tracks, i, track) {
        if (!find_series(d, track, &s))
            continue;
        if (is_chosen(d, &s) && chosen.n == 0)
            chosen = s;
        if (shown < HEAPS_SHOWN || (workspace_is_single(d->w) && is_chosen(d, &s)))
            put_heap(d, &s), shown++;
        else
            left_out++;
    }
    put_axis(d);
    if (left_out > 0)
        buf_printf(d->w->b, "<p class=\"quiet\">%zu more heaps: choose them in the list of heaps.</p>\n",
                   left_out);
    if (chosen.n > 0 && workspace_is_single(d->w))
        put_since(d, &chosen);
}

/* The value that is shown, if a heap can have it; else the first one that a heap can have. */
static void choose_value(struct dumps *d)
{
    const json_t *values = json_object_get(d->w->of.summary, "values"), *track, *value;
    size_t i, k;

    d->value = page_data_value(values, d->w->of.options->value);
    json_array_foreach (d->w->tracks, i, track) {
        if (json_object_get(track, "moments_ns") == NULL)
            continue;
        if (page_data_has_total(d->value, track))
            return;
        json_array_foreach (values, k, value) {
            if (page_data_has_total(value, track)) {
                d->value = value;
                return;
            }
        }
    }
}

/* How much heaps had at each dump, as links; nothing for a profile that has no series. */
static void workspace_dumps(const struct workspace *w)
{
    struct dumps d = {.w = w};
    struct series s;
    const json_t *track;
    size_t i;
    uint64_t n = page_data_number(w->of.summary, "moments");

    choose_value(&d);
    json_array_foreach (w->tracks, i, track) {
        if (find_series(&d, track, &s) && number_at(s.times, s.n - 1) > d.end_ns)
            d.end_ns = number_at(s.times, s.n - 1);
    }
    if (n < 2 || d.end_ns == 0)
        return;
    page_put(
        w->b,
        "<details id=\"dumps\" open>\n<summary>Dumps <span class=\"quiet\">{} at each of {} dumps; choose "
        "one</span></summary>\n<div class=\"heaps\">\n",
        page_data_text(d.value, "label"), page_data_digits(PAGE_TEXT, n));
    put_heaps(&d);
    buf_z(w->b, "</div>\n</details>\n");
}

/* ---- the picture ---- */

/* Where no script runs, the picture as a file lies over the parts of it that stand in the page. A foreignObject is where HTML,
 * and so <noscript>, may stand within SVG. */
static void put_drawing(const struct workspace *w)
{
    buf_z(w->b, "<foreignObject width=\"100%\" height=\"100%\"><noscript><img src=\"");
    if (w->of.compared != NULL) {
        buf_bytes(w->b, w->self.p, w->self.n - 1);
        buf_z(w->b, ".svg");
        workspace_query(w, w->of.track);
    } else {
        page_put(w->b, "{}t/{}.svg", w->self, w->of.track);
        view_link(w->b, w->of.options, "&amp;");
    }
    buf_z(w->b, "\" alt=\"Flame graph\"></noscript></foreignObject>\n");
}

/* Without its style and its script, which the page has from files: it allows none within itself. And without the drawing:
 * thousands of elements that the script would take away at once. */
static void put_picture(const struct workspace *w)
{
    struct svg_parts parts = svg_without_code(w->of.content);

    for (size_t i = 0; i < SVG_PIECES; i++) {
        if (i != SVG_DRAWING)
            buf_str(w->b, parts.pieces[i]);
        else if (parts.pieces[i].n > 0)
            put_drawing(w);
    }
}

/* The rest of the profile can be used nevertheless. */
static void put_trouble(const struct workspace *w)
{
    const struct diag *d = w->of.trouble;

    page_put(w->b, "<p class=\"problem\"><strong>{}</strong>: {} {}</p>\n", str_of(d->title),
             str_of(d->detail), str_of(d->hint));
}

static bool has_anything(const json_t *track)
{
    const char *name;
    json_t *total;
    bool any = false;

    json_object_foreach ((json_t *)(uintptr_t)json_object_get(track, "totals"), name, total)
        any = any || json_integer_value(total) > 0;
    return any;
}

/* Whether the warning tells why there is nothing. */
static bool tells_why_empty(struct str code)
{
    static const struct str CODES[] = {STR_INIT("heap-empty"),        STR_INIT("heap-rejected"),
                                       STR_INIT("heap-disconnected"), STR_INIT("heap-overrun"),
                                       STR_INIT("heap-guardrail"),    STR_INIT("heap-client-error"),
                                       STR_INIT("heap-dump-cut"),     STR_INIT("lost-packets")};

    for (size_t i = 0; i < sizeof(CODES) / sizeof(CODES[0]); i++)
        if (str_eq(code, CODES[i]))
            return true;
    return false;
}

/* Of a heap without a single sample: that it is so, and what the file tells of the reasons. */
static void put_empty(const struct workspace *w)
{
    const json_t *track = json_array_get(w->tracks, workspace_find_shown(w)), *warning;
    size_t i;

    if (track == NULL || !str_eq(page_data_text(track, "kind"), STR("heap")) || has_anything(track))
        return;
    buf_z(w->b, "<div id=\"empty\" class=\"problem\"><p><strong>This heap is empty.</strong></p>\n<ul>\n");
    json_array_foreach (json_object_get(w->of.summary, "warnings"), i, warning) {
        if (tells_why_empty(page_data_text(warning, "code")))
            page_put(w->b, "<li>{}</li>\n", page_data_text(warning, "text"));
    }
    buf_z(w->b, "</ul></div>\n");
}

/* The script of the picture makes no controls of its own within it. */
static void put_flame(const struct workspace *w)
{
    uint32_t step;

    if (svg_emptied_by(w->of.content, &step))
        workspace_filter_emptied(w, step);
    page_put(w->b, "<div id=\"viewer\" data-flame-controls data-flame-tree=\"{}", w->self);
    if (w->of.compared == NULL)
        page_put(w->b, "t/{}/", w->of.track);
    buf_z(w->b, "tree\">\n");
    put_empty(w);
    buf_z(
        w->b,
        "<div id=\"picture\" class=\"picture\" tabindex=\"0\" role=\"region\" aria-label=\"Flame graph\">\n");
    put_picture(w);
    buf_z(w->b, "</div>\n</div>\n");
}

/* What the summary says of a range in which there is nothing, or NULL. */
static const json_t *empty_range(const struct workspace *w)
{
    return page_data_find(json_object_get(w->of.summary, "warnings"), "code",
                          str_of(warning_name(WARN_WINDOW_EMPTY)));
}

/* What to do about it stands in the words of the warning; the link does it. */
static void put_empty_range(const struct workspace *w, const json_t *warning)
{
    struct view_options without = *w->of.options;

    without.from_ns = without.to_ns = VIEW_TIME_NONE;
    page_put(w->b, "<p id=\"empty-range\" class=\"problem\">{} <a class=\"place\" href=\"",
             page_data_text(warning, "text"));
    workspace_here(w, &without);
    buf_z(w->b, "\">Show the whole recording</a></p>\n");
}

static void workspace_verdict(const struct workspace *w)
{
    const json_t *sentences = json_object_get(w->of.told, "sentences"), *sentence;
    size_t i;

    buf_z(w->b, "<div id=\"sentences\" class=\"sentences\">\n");
    buf_z(w->b, json_array_size(sentences) > 0 ? "<ol>\n" : "<p>Nothing stands out.</p>\n");
    workspace_sentences(w, sentences);
    if (json_array_size(sentences) > 0)
        buf_z(w->b, "</ol>\n<details class=\"how\"><summary>How these were found</summary>\n<ol>\n");
    json_array_foreach (sentences, i, sentence)
        page_put(w->b, "<li>{}</li>\n", page_data_text(sentence, "how"));
    buf_z(w->b, json_array_size(sentences) > 0 ? "</ol></details>\n</div>\n" : "</div>\n");
}

/* The panel is the script's: it opens when a frame, a method or a call is chosen. A chart is the script's too,
 * of any threads; what the service draws of one is for those without scripts. */
static void put_content(const struct workspace *w)
{
    bool is_chart = w->of.tab == TAB_FLAME && w->of.options->view == VIEW_CHART;

    const json_t *empty = empty_range(w);

    buf_printf(w->b, "<div id=\"content\"%s>\n", empty != NULL ? " class=\"is-empty\"" : "");
    if (empty != NULL)
        put_empty_range(w, empty);
    if (is_chart)
        page_put(w->b, "<div id=\"chart\" data-track=\"{}\">\n", w->of.track);
    if (w->of.trouble != NULL)
        put_trouble(w);
    else if (w->of.tab == TAB_FLAME)
        put_flame(w);
    else if (w->of.tab == TAB_METHODS)
        workspace_methods(w);
    else if (w->of.tab == TAB_METHOD)
        workspace_method(w);
    else if (w->of.tab == TAB_FRAMES)
        workspace_frames(w);
    else
        workspace_verdict(w);
    buf_z(w->b, is_chart ? "</div>\n" : "");
    buf_z(w->b, "<aside id=\"panel\" aria-label=\"What is chosen\" hidden></aside>\n</div>\n");
}

/* ---- for chat programs ---- */

/* The first words that the page has; else which thread it shows. */
static void put_description(const struct workspace *w, struct buf *b)
{
    if (w->of.compared != NULL)
        report_headline(json_object_get(w->of.compared->table, "verdict"), HEADLINE_OF_CHANGE, b);
    else
        report_headline(json_object_get(w->of.told, "sentences"), HEADLINE, b);
    if (b->n == 0)
        workspace_put_shown(w, b);
}

static void put_names(const struct workspace *w, struct buf *b)
{
    buf_z(b, w->of.compared != NULL ? "What changed: " : "");
    buf_str(b, page_data_name(w->of.record->name));
    if (w->of.compared != NULL) {
        buf_z(b, " and ");
        buf_str(b, page_data_name(w->of.compared->b->name));
    }
}

/* The whole address of the card, as markup. The tracks are told where they were asked for. */
static void put_card_address(const struct workspace *w, struct buf *b)
{
    const struct view_options *o = w->of.card;
    struct workspace into = *w;
    struct buf tracks = {0};

    into.b = b;
    page_put(b, w->of.compared != NULL ? "{}/d/{}/card.png" : "{}/p/{}/card.png", w->of.base,
             w->of.compared != NULL ? w->of.compared->pair : str_of(w->of.record->id));
    key_text(key_by_name(STR("track")), o, &tracks);
    if (o->tracks != TRACKS_LISTED || o->n_track_ids > 0)
        workspace_query_of(&into, buf_view(&tracks), o);
    else
        view_link(b, o, "&amp;");
    buf_part_end(b, &tracks);
}

/* Everything before the content. */
static void put_head(const struct workspace *w)
{
    struct buf title = {0}, names = {0}, description = {0}, image = {0}, rows = {0};
    struct workspace into = *w;
    struct page_preview preview;

    put_names(w, &names);
    buf_str(&title, buf_view(&names));
    buf_z(&title, " - ");
    workspace_put_shown(w, &title);
    put_description(w, &description);
    if (w->of.base.n > 0)
        put_card_address(w, &image);
    into.b = &rows;
    if (w->of.tab == TAB_METHODS && w->of.trouble == NULL)
        workspace_methods_json(&into);
    preview = (struct page_preview){buf_view(&names), buf_view(&description), buf_view(&image)};
    page_frame_begin(w->b, &(struct page_frame){.title = buf_view(&title),
                                                .preview = w->of.base.n > 0 ? &preview : NULL,
                                                .root = w->of.root,
                                                .style = "flame.css",
                                                .viewer = "flame.js",
                                                .script = "workspace.js",
                                                .fetched = buf_view(&rows),
                                                .bare = true});
    buf_part_end(w->b, &title);
    buf_part_end(w->b, &names);
    buf_part_end(w->b, &description);
    buf_part_end(w->b, &image);
    buf_part_end(w->b, &rows);
}

/* ---- the whole ---- */

static void put_swap(const struct workspace *w)
{
    struct buf link = {0};

    page_put(&link, "{}d/{}..{}", w->up, str_of(w->of.compared->b->id), str_of(w->of.record->id));
    workspace_menu_item(w->b, "swap", buf_view(&link), "Swap A and B");
    buf_part_end(w->b, &link);
}

static void put_downloads(const struct workspace *w)
{
    workspace_inner_menu(w->b, "downloads", "download", "Download");
    buf_z(w->b, "<ul>\n");
    for (size_t i = 0; i < DIFF_FORMATS_COUNT; i++) {
        const struct text_format *f = &DIFF_FORMATS[i]->text;
        page_put(w->b, "<li><a class=\"follows\" href=\"{}methods.{}", w->self, str_of(f->name));
        workspace_query(w, w->of.track);
        if (DIFF_FORMATS[i] == &DIFF_SVG)
            page_put(w->b, "#pass={}\" data-pass=\"{}", w->of.pass, w->of.pass);
        buf_printf(w->b, "\">%s: %s</a></li>\n", f->name, f->help);
    }
    buf_z(w->b, "<li id=\"png\" hidden><button type=\"button\" class=\"button\" data-do=\"png\">Save as "
                "PNG</button></li>\n</ul>\n");
    workspace_menu_end(w->b);
}

static void workspace_compared_heading(const struct workspace *w)
{
    const struct record *sides[] = {w->of.record, w->of.compared->b};

    buf_z(w->b, "<header class=\"top\">\n");
    page_brand(w->b, w->up);
    buf_z(w->b, "<h1 class=\"name sides\">");
    for (int i = 0; i < 2; i++) {
        buf_printf(w->b, "%s<b>%c</b> ", i == 0 ? "" : " ", 'A' + i);
        page_put(w->b, "<a href=\"{}p/{}\">{}</a>", w->up, str_of(sides[i]->id),
                 page_data_name(sides[i]->name));
    }
    buf_z(w->b, "</h1>\n");
    workspace_warnings(w);
    buf_z(w->b, "<nav aria-label=\"This comparison\">\n<a class=\"share follows\" href=\"");
    workspace_track_link(w, w->of.track);
    buf_z(w->b, "\">");
    page_icon(w->b, "share");
    buf_z(w->b, "<span>Share</span></a>\n");
    workspace_menu(w->b, "class=\"menu\" id=\"main-menu\"", "Menu");
    put_swap(w);
    put_downloads(w);
    workspace_menu_site(w);
    workspace_menu_end(w->b);
    buf_z(w->b, "</nav>\n</header>\n");
}

static void workspace_compared_verdict(const struct workspace *w)
{
    buf_z(w->b, "<details id=\"verdict\" open>\n<summary>What changed</summary>\n<div id=\"sentences\" "
                "class=\"sentences brief two\"><ol>\n");
    workspace_sentences(w, json_object_get(w->of.compared->table, "verdict"));
    buf_z(w->b, "</ol></div>\n</details>\n");
}

/* What lanes depend on, of the state of the page: of filters only those do that are opened. */
static void put_address(const struct workspace *w, const char *suffix)
{
    const struct view_options *of = w->of.options;
    struct view_options options;

    view_defaults(&options);
    options.open = of->open;
    memcpy(options.app, of->app, sizeof(options.app));
    memcpy(options.split, of->split, sizeof(options.split));
    options.filters = of->filters;
    page_put(w->b, "{}lanes", w->self);
    buf_z(w->b, suffix);
    view_link(w->b, &options, "&amp;");
}

static void workspace_lanes(const struct workspace *w)
{
    if (!workspace_is_timed(w) || json_array_size(w->tracks) == 0)
        return;
    buf_z(w->b, "<details id=\"lanes\" open data-lanes=\"");
    put_address(w, ".json");
    buf_z(w->b, page_data_number(w->of.summary, "annotations") > 0 ? "\" data-annotated" : "\"");
    buf_z(w->b, ">\n<summary>Timeline <span class=\"quiet\"><span class=\"lane-window\"></span><span "
                "class=\"lane-facts\"></span><span class=\"unfiltered\"> (activity without "
                "filters)</span></span></summary>\n<noscript><img src=\"");
    put_address(w, ".svg");
    buf_z(w->b, "\" alt=\"What each thread did in the order of time\"></noscript>\n</details>\n");
}

/* What only some states differ in is written into <article>, for the script. */
void page_workspace(struct buf *b, const struct page_workspace *of)
{
    struct workspace w = {
        .b = b, .of = *of, .tracks = json_object_get(of->summary, "tracks"), .up = of->root};
    struct buf self = {0};

    buf_str(&self, of->root);
    if (of->compared != NULL)
        buf_printf(&self, "d/%.*s/", (int)of->compared->pair.n, of->compared->pair.p);
    else
        buf_printf(&self, "p/%s/", of->record->id);
    w.self = buf_view(&self);
    put_head(&w);
    buf_z(b, "<a class=\"skip\" href=\"#content\">Skip to the content</a>\n");
    if (of->compared != NULL)
        buf_z(b, "<article id=\"comparison\">\n");
    else
        page_profile_element(b, of->record, page_data_text(of->summary, "format_label"),
                             of->rights.own ? "data-own" : "");
    of->compared != NULL ? workspace_compared_heading(&w) : workspace_heading(&w);
    buf_z(b, "<main>\n");
    of->compared != NULL ? workspace_compared_verdict(&w) : workspace_verdict_link(&w);
    workspace_lanes(&w);
    workspace_dumps(&w);
    workspace_tools(&w);
    put_content(&w);
    buf_z(b, "<p id=\"said\" role=\"status\"></p>\n");
    buf_z(b, "</main>\n</article>\n</body>\n</html>\n");
    buf_part_end(b, &self);
}
