#include "server/pages/page_series.h"

#include "core/number.h"
#include "server/pages/page_data.h"
#include "server/pages/pages.h"
#include "server/pages/series_chart.h"

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
