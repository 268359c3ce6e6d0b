#include "server/pages/series_chart.h"

#include "core/clean.h"
#include "core/number.h"
#include "core/system/utc.h"

/* In pixels of the viewBox. */
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

void series_chart(struct buf *b, const struct series_list *l, const struct series_told *told,
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
