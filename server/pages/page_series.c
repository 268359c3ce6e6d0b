#include "server/pages/page_series.h"

#include "core/clean.h"
#include "core/number.h"
#include "core/system/utc.h"
#include "server/pages/page_data.h"
#include "server/pages/pages.h"
#include "server/spaces/series_value.h"

/* The chart of one series: a dot for each point, which leads to its typical run, with a line from its least value to its
 * most; behind them the medians between the changes, and the noise around these. SVG as part of a page: no script, and its
 * colours are the page's.
 *
 * In pixels of the viewBox. */
enum {
    WIDTH = 960,
    HEIGHT = 260,
    LEFT = 84,
    RIGHT = 12,
    TOP = 12,
    BOTTOM = 28,
    PLOT_W = WIDTH - LEFT - RIGHT,
    PLOT_H = HEIGHT - TOP - BOTTOM,
    DATES = 7,       /* below the chart */
    LEAST_LINES = 3, /* across it */
    NOISE_BAND = 2,  /* standard deviations on either side */
    TAB_STOPS = 40   /* points of a chart that has more are reached by the table below it alone */
};

struct chart {
    struct buf *b;
    const struct series_list *l;
    const struct series_told *told;
    const struct series *s;
    struct str root;
    int64_t low, high; /* what the upper and the lower edge are; low < high */
};

static const struct series_point *point_of(const struct chart *c, uint32_t i)
{
    return &c->l->points[c->s->first + i];
}

/* ---- places ---- */

/* In tenths of a pixel. */
static uint64_t x_of(const struct chart *c, uint32_t i)
{
    return LEFT * 10 + (2 * (uint64_t)i + 1) * PLOT_W * 10 / (2 * (uint64_t)c->s->n);
}

static uint64_t y_of(const struct chart *c, int64_t value)
{
    uint64_t range = (uint64_t)c->high - (uint64_t)c->low;

    if (value <= c->low)
        return (TOP + PLOT_H) * 10;
    if (value >= c->high)
        return TOP * 10;
    return (TOP + PLOT_H) * 10 - number_ratio((uint64_t)value - (uint64_t)c->low, range, PLOT_H * 10);
}

static void put_place(struct buf *b, const char *before, uint64_t tenths)
{
    buf_z(b, before);
    buf_fixed(b, tenths, 1);
    buf_char(b, '"');
}

/* ---- the range ---- */

static int64_t part(int64_t value, uint64_t permille)
{
    uint64_t size = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    uint64_t of = number_ratio(size, SERIES_PERMILLE, permille);

    return of > INT64_MAX ? INT64_MAX : (int64_t)of;
}

/* False: there is nothing to show. Some air is above and below. */
static bool find_range(struct chart *c)
{
    bool any = false;

    for (uint32_t i = 0; i < c->s->n; i++) {
        const struct series_point *p = point_of(c, i);
        if (p->n_values == 0)
            continue;
        c->low = !any || p->least < c->low ? p->least : c->low;
        c->high = !any || p->most > c->high ? p->most : c->high;
        any = true;
    }
    int64_t size =
        c->high > c->low ? number_add_signed(c->high, c->low == INT64_MIN ? INT64_MAX : -c->low) : 0;
    int64_t air = size > 0 ? size / 8 + 1 : part(c->high, 50) + 1;
    bool was_positive = c->low >= 0;
    c->low = number_add_signed(c->low, -air);
    c->high = number_add_signed(c->high, air);
    if (was_positive && c->low < 0)
        c->low = 0;
    return any;
}

/* 1, 2 or 5 times a power of ten, so that at least LEAST_LINES lines stand in the range. */
static uint64_t step_of(uint64_t range)
{
    uint64_t step = 1;

    for (unsigned i = 0;; i++) {
        uint64_t next = i % 3 == 1 ? step / 2 * 5 : step * 2;
        if (next > range / LEAST_LINES)
            return step;
        step = next;
    }
}

/* ---- what is drawn ---- */

static void put_lines(const struct chart *c)
{
    int64_t step = (int64_t)step_of((uint64_t)c->high - (uint64_t)c->low);
    int64_t at = c->low / step * step;

    while (at < c->low)
        at += step;
    for (; at <= c->high; at = number_add_signed(at, step)) {
        put_place(c->b, "<rect class=\"grid\" height=\"1\" x=\"84\" width=\"864\" y=\"", y_of(c, at));
        put_place(c->b, "/>\n<text x=\"78\" text-anchor=\"end\" y=\"", y_of(c, at) + 40);
        buf_char(c->b, '>');
        series_put_amount(c->b, c->told, at);
        buf_z(c->b, "</text>\n");
        if (at == INT64_MAX)
            break;
    }
}

/* The days of the points, or the times of a series of one day. */
static void put_dates(const struct chart *c)
{
    enum { DAY_S = 86400, DAY_CHARS = 10, TIME_CHARS = 5 };
    uint32_t every = (c->s->n + DATES - 1) / DATES;
    bool one_day = point_of(c, 0)->created_s / DAY_S == point_of(c, c->s->n - 1)->created_s / DAY_S;

    for (uint32_t i = 0; i < c->s->n; i += every) {
        put_place(c->b, "<text text-anchor=\"middle\" y=\"252\" x=\"", x_of(c, i));
        const char *time = UTC_TEXT(point_of(c, i)->created_s);
        buf_printf(c->b, ">%.*s</text>\n", one_day ? TIME_CHARS : DAY_CHARS,
                   one_day ? time + DAY_CHARS + 1 : time);
    }
}

/* The points from one change to the next one: their median, and the noise around it. */
static void put_level(const struct chart *c, uint32_t from, uint32_t to, int64_t median)
{
    uint64_t left = LEFT * 10 + (uint64_t)from * PLOT_W * 10 / c->s->n;
    uint64_t right = LEFT * 10 + (uint64_t)to * PLOT_W * 10 / c->s->n;
    int64_t noise = c->s->has_noise ? part(median, NOISE_BAND * c->s->noise_permille) : 0;
    uint64_t upper = y_of(c, number_add_signed(median, noise)),
             lower = y_of(c, number_add_signed(median, -noise));

    put_place(c->b, "<rect class=\"noise\" x=\"", left);
    put_place(c->b, " width=\"", right - left);
    put_place(c->b, " y=\"", upper);
    put_place(c->b, " height=\"", lower - upper);
    put_place(c->b, "/>\n<rect class=\"level\" height=\"1.5\" x=\"", left);
    put_place(c->b, " width=\"", right - left);
    put_place(c->b, " y=\"", y_of(c, median));
    buf_z(c->b, "/>\n");
}

static void put_levels(const struct chart *c)
{
    const struct series_change *changes = c->l->changes + c->s->first_change;
    uint32_t from = 0;

    for (uint32_t i = 0; i < c->s->n_changes; i++) {
        put_level(c, from, changes[i].point, changes[i].before);
        from = changes[i].point;
    }
    if (c->s->n_changes > 0)
        put_level(c, from, c->s->n, changes[c->s->n_changes - 1].after);
    else
        put_level(c, 0, c->s->n, c->s->median);
    for (uint32_t i = 0; i < c->s->n_changes; i++) {
        put_place(c->b, "<rect class=\"change\" width=\"1\" y=\"12\" height=\"220\" x=\"",
                  LEFT * 10 + (uint64_t)changes[i].point * PLOT_W * 10 / c->s->n);
        buf_z(c->b, "/>\n");
    }
}

static void put_title(const struct chart *c, const struct series_point *p)
{
    buf_z(c->b, "<title>");
    if (p->at.n > 0) {
        clean_xml(c->b, p->at);
        buf_z(c->b, ", ");
    }
    buf_printf(c->b, "%.10s: ", UTC_TEXT(p->created_s));
    series_put_amount(c->b, c->told, p->median);
    if (p->n_values > 1) {
        buf_printf(c->b, ", %u runs from ", p->n_values);
        series_put_amount(c->b, c->told, p->least);
        buf_z(c->b, " to ");
        series_put_amount(c->b, c->told, p->most);
    }
    buf_z(c->b, "</title>");
}

static void put_point(const struct chart *c, uint32_t i)
{
    const struct series_point *p = point_of(c, i);

    if (p->n_values == 0)
        return;
    buf_z(c->b, "<a href=\"");
    clean_xml(c->b, c->root);
    buf_printf(c->b, "p/%s\"%s>", series_typical(c->l, p)->id, c->s->n > TAB_STOPS ? " tabindex=\"-1\"" : "");
    put_title(c, p);
    if (p->most > p->least) {
        put_place(c->b, "<rect class=\"spread\" width=\"2\" x=\"", x_of(c, i) - 10);
        put_place(c->b, " y=\"", y_of(c, p->most));
        put_place(c->b, " height=\"", y_of(c, p->least) - y_of(c, p->most));
        buf_z(c->b, "/>");
    }
    put_place(c->b, "<circle r=\"3.5\" cx=\"", x_of(c, i));
    put_place(c->b, " cy=\"", y_of(c, p->median));
    buf_z(c->b, "/></a>\n");
}

/* Appends the chart; nothing where no point has a value. `root`: what stands before p/ID in a link. */
static void series_chart(struct buf *b, const struct series_list *l, const struct series_told *told,
                         const struct series *s, struct str root)
{
    struct chart c = {b, l, told, s, root, 0, 0};

    if (!find_range(&c))
        return;
    buf_z(b, "<div class=\"scroll\">\n");
    buf_printf(
        b,
        "<svg class=\"series-chart\" viewBox=\"0 0 %d %d\" role=\"group\" aria-label=\"Each point over time\">\n",
        WIDTH, HEIGHT);
    put_lines(&c);
    put_dates(&c);
    put_levels(&c);
    for (uint32_t i = 0; i < s->n; i++)
        put_point(&c, i);
    buf_z(b, "</svg>\n</div>\n");
}

enum {
    SHOWN_MOST = 12, /* series on one page */
    ROWS_MOST = 200  /* points in the table of one */
};

static const struct str ROOT = {"../../", sizeof("../../") - 1};

/* ---- the form ---- */

static void put_option(struct buf *b, const char *word, const char *label, bool chosen)
{
    buf_printf(b, "<option value=\"%s\"%s>%s</option>\n", word, chosen ? " selected" : "", label);
}

static void put_values(struct buf *b, const struct page_series *p)
{
    if (p->told->n_values < 2)
        return;
    buf_z(b, "<p><label for=\"value\">Value</label>\n<select id=\"value\" name=\"value\">\n");
    for (uint32_t i = 0; i < p->told->n_values; i++) {
        struct str name = p->told->values[i];
        page_put(b, str_eq(name, p->told->value) ? "<option selected>{}</option>\n" : "<option>{}</option>\n",
                 name);
    }
    buf_z(b, "</select></p>\n");
}

static void put_parts(struct buf *b, const struct page_series *p)
{
    buf_z(b, "<p><label for=\"part\">Of a method</label>\n<select id=\"part\" name=\"part\">\n");
    put_option(b, "incl", "with what it calls", p->told->part == SERIES_INCLUSIVE);
    put_option(b, "excl", "by itself", p->told->part == SERIES_EXCLUSIVE);
    put_option(b, "calls", "its calls", p->told->part == SERIES_CALLS);
    buf_z(b, "</select></p>\n");
}

static void put_form(struct buf *b, const struct page_series *p)
{
    page_put(
        b,
        "<form class=\"series-form\">\n<p class=\"wide\"><label for=\"q\">Uploads</label>\n"
        "<input id=\"q\" name=\"q\" type=\"search\" maxlength=\"1000\" autocomplete=\"off\" spellcheck=\"false\" "
        "placeholder=\"branch:main scenario:startup\" value=\"{}\"></p>\n"
        "<p class=\"wide\"><label for=\"of\">What</label>\n"
        "<input id=\"of\" name=\"of\" list=\"offered\" autocomplete=\"off\" spellcheck=\"false\" "
        "placeholder=\"total, thread:main, or a method\" value=\"{}\"></p>\n<datalist id=\"offered\">\n"
        "<option value=\"total\">\n<option value=\"thread:main\">\n",
        p->query, p->told->of);
    for (uint32_t i = 0; i < p->told->newest.of.n_steps; i++)
        page_put(b, "<option value=\"step:{}\">\n", p->told->newest.of.steps[i].name);
    for (uint32_t i = 0; i < p->told->n_offered; i++)
        page_put(b, "<option value=\"{}\">\n", p->told->offered[i]);
    buf_z(b, "</datalist>\n");
    put_values(b, p);
    put_parts(b, p);
    page_put(
        b,
        "<p><label for=\"over\">A point is one</label>\n"
        "<input id=\"over\" name=\"over\" maxlength=\"64\" size=\"8\" autocomplete=\"off\" value=\"{}\"></p>\n"
        "<p><button>Show</button></p>\n</form>\n",
        p->list->over);
}

/* ---- one series ---- */

static void put_labels(struct buf *b, struct str lines)
{
    struct str key, value;

    buf_z(b, "<ul class=\"labels\" aria-label=\"Labels of the series\">\n");
    while (labels_next(&lines, &key, &value))
        page_label(b, STR("series"), "", key, value);
    buf_z(b, "</ul>\n");
}

static const char *typical_id(const struct page_series *p, const struct series *s, uint32_t point)
{
    return series_typical(p->list, &p->list->points[s->first + point])->id;
}

static void put_change(struct buf *b, const struct page_series *p, const struct series *s,
                       const struct series_change *c)
{
    struct buf words = {0};

    series_change_words(&words, p->list, p->told, s, c);
    page_put(b, c->after > c->before ? "<li class=\"grew\">{}. " : "<li class=\"fell\">{}. ",
             buf_view(&words));
    page_put(b, "<a href=\"../../d/{}..{}\">Compare</a></li>\n", str_of(typical_id(p, s, c->before_point)),
             str_of(typical_id(p, s, c->point)));
    buf_part_end(b, &words);
}

static void put_changes(struct buf *b, const struct page_series *p, const struct series *s)
{
    struct series_change step;
    bool has_step = false;

    if (s->n_changes == 0) {
        buf_z(b, "<p class=\"quiet\">");
        has_step = series_unchanged_words(b, p->list, s, &step);
        buf_z(b, "</p>\n");
    }
    if (s->n_changes == 0 && !has_step)
        return;
    buf_z(b, "<ul class=\"changes\">\n");
    for (uint32_t i = s->n_changes; i-- > 0;)
        put_change(b, p, s, &p->list->changes[s->first_change + i]);
    if (has_step)
        put_change(b, p, s, &step);
    buf_z(b, "</ul>\n");
}

static void put_noise(struct buf *b, const struct series *s)
{
    struct buf percent = {0};

    if (!s->has_noise)
        return;
    buf_fixed(&percent, s->noise_permille, 1);
    page_put(
        b,
        "<p class=\"quiet\">Runs of one point differ by about {} % (one standard deviation; the band shows two).</p>\n",
        buf_view(&percent));
    buf_part_end(b, &percent);
}

static void put_amount_cell(struct buf *b, const struct series_told *told, int64_t value)
{
    buf_z(b, "<td class=\"number\">");
    series_put_amount(b, told, value);
    buf_z(b, "</td>");
}

static void put_row(struct buf *b, const struct page_series *p, const struct series *s, uint32_t i,
                    const char *chosen)
{
    const struct series_point *point = &p->list->points[s->first + i];
    struct str id = str_of(series_typical(p->list, point)->id);

    buf_z(b, "<tr><td>");
    page_data_put_time(b, point->created_s);
    page_put(b, "</td><td><a href=\"../../p/{}\"><bdi>{}</bdi></a></td>", id,
             point->at.n > 0 ? point->at : STR("one upload"));
    if (point->n_values > 0) {
        put_amount_cell(b, p->told, point->median);
        put_amount_cell(b, p->told, point->least);
        put_amount_cell(b, p->told, point->most);
    } else {
        buf_z(b, "<td class=\"number\">not known</td><td></td><td></td>");
    }
    page_put(b, "<td class=\"number\">{}</td>", PAGE_COUNT(point->n));
    page_put(b, "<td><input type=\"radio\" name=\"a\" value=\"{}\" aria-label=\"before\"", id);
    buf_z(b, chosen[0] == 'a' ? " checked></td>" : "></td>");
    page_put(b, "<td><input type=\"radio\" name=\"b\" value=\"{}\" aria-label=\"after\"", id);
    buf_z(b, chosen[0] == 'b' ? " checked></td></tr>\n" : "></td></tr>\n");
}

static void put_table(struct buf *b, const struct page_series *p, const struct series *s)
{
    uint32_t shown = s->n < ROWS_MOST ? s->n : ROWS_MOST;

    page_put(
        b,
        s->n == 1
            ? "<details class=\"series-points\"><summary>{} point: its numbers</summary>\n"
            : "<details class=\"series-points\"><summary>{} points: numbers, and two to compare</summary>\n",
        PAGE_COUNT(s->n));
    page_put(
        b,
        "<form action=\"../../d\">\n<div class=\"scroll\"><table>\n<thead><tr><th>First upload</th><th>{}</th>"
        "<th>Median</th><th>Least</th><th>Most</th><th>Runs</th><th>Before</th><th>After</th></tr></thead>\n<tbody>\n",
        p->list->over);
    for (uint32_t i = s->n; i-- > s->n - shown;)
        put_row(b, p, s, i, i == s->n - 1 ? "b" : i + 2 == s->n ? "a" : "");
    buf_z(b, "</tbody></table></div>\n<p><button>Compare</button></p>\n</form>\n");
    if (shown < s->n)
        page_put(b, "<p class=\"quiet\">The newest {} are shown; .json has all.</p>\n", PAGE_COUNT(shown));
    buf_z(b, "</details>\n");
}

static void put_series(struct buf *b, const struct page_series *p, const struct series *s)
{
    buf_z(b, "<section class=\"series\">\n");
    put_labels(b, s->labels);
    series_chart(b, p->list, p->told, s, ROOT);
    put_changes(b, p, s);
    put_noise(b, s);
    put_table(b, p, s);
    buf_z(b, "</section>\n");
}

/* ---- the page ---- */

static void put_missing(struct buf *b, const struct page_series *p)
{
    if (p->told->later > 0)
        page_put(b,
                 "<p class=\"lead\">{} uploads are still to be read: the page loads again by itself.</p>\n",
                 PAGE_COUNT(p->told->later));
    if (p->told->not_read > 0)
        page_put(
            b, "<p class=\"quiet\">{} uploads have no such value, or cannot be read: they have no dot.</p>\n",
            PAGE_COUNT(p->told->not_read));
    if (p->list->more)
        page_put(b, "<p class=\"quiet\">The newest {} uploads are looked at.</p>\n",
                 PAGE_COUNT(p->list->n_runs));
    if (p->list->n > SHOWN_MOST)
        page_put(b, "<p class=\"quiet\">{} more series fit: say more labels.</p>\n",
                 PAGE_COUNT(p->list->n - SHOWN_MOST));
}

void page_series(struct buf *b, const struct page_series *p)
{
    const struct page_frame frame = {
        .title = p->space, .root = ROOT, .visitor = p->visitor, .refresh_s = p->told->later > 0 ? 2 : 0};

    page_frame_begin(b, &frame);
    page_put(b, "<h1>{} over time</h1>\n<p><a href=\"../{}\">All uploads of the space</a></p>\n", p->space,
             p->space);
    put_form(b, p);
    if (p->list->n == 0)
        buf_z(b, "<p class=\"lead\">Nothing that is listed here fits.</p>\n");
    put_missing(b, p);
    for (size_t i = 0; i < p->list->n && i < SHOWN_MOST; i++)
        put_series(b, p, &p->list->of[i]);
    page_frame_end(b);
}
