/* The dumps of heaps, in place of the lanes of threads: for each heap how much it had at each dump, on one axis of time. A dump is a
 * diamond that leads to what was there then; a dump behind it, to what changed until then. It is drawn here, as links, so that it works without
 * scripts. Numbers: the summary's "moments_ns" and "moment_totals" (server/convert/summary.c), which may be missing. */
#include "server/pages/workspace.h"

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

/* Of the value that is shown; of a heap that has none of it (Java tells of nothing that was released), the first that it has. */
static bool find_series(const struct dumps *d, const json_t *track, struct series *s)
{
    const json_t *value;
    size_t i;

    *s = (struct series){.track = track, .times = json_object_get(track, "moments_ns")};
    s->n = json_array_size(s->times);
    read_series(s, d->value);
    json_array_foreach (json_object_get(d->w->of->summary, "values"), i, value) {
        if (s->most == 0)
            read_series(s, value);
    }
    if (s->most == 0)
        read_series(s, d->value);
    return s->n > 0 && json_array_size(s->amounts) == s->n;
}

/* ---- places ---- */

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
    const struct view_options *o = d->w->of->options;
    size_t number = o->moment.number > 0 && o->moment.number < s->n ? o->moment.number : s->n;

    *to = number - 1;
    *from = o->moment.since > 0                      ? o->moment.since - 1
            : o->mode == MODE_INTERVAL && number > 1 ? number - 2
                                                     : SIZE_MAX;
}

static bool is_chosen(const struct dumps *d, const struct series *s)
{
    const struct view_options *o = d->w->of->options;
    uint64_t id = page_data_number(s->track, "id");
    bool chosen = o->tracks != TRACKS_LISTED;

    for (uint32_t i = 0; i < o->n_track_ids && !chosen; i++)
        chosen = o->track_ids[i] == id;
    return chosen;
}

/* ---- links ---- */

/* The address of this tab with another heap and another dump. */
static void put_address(const struct dumps *d, const struct series *s, uint32_t since, size_t number)
{
    struct view_options options = *d->w->of->options;
    struct page_workspace of = *d->w->of;
    struct workspace other = *d->w;

    options.moment = (struct view_moment){(uint32_t)number, since};
    of.options = &options;
    of.tab = of.tab == TAB_METHODS ? TAB_METHODS : TAB_FLAME;
    other.of = &of;
    workspace_track_link(&other, PAGE_ID(json_object_get(s->track, "id")));
}

static void put_amount(const struct dumps *d, const struct series *s, size_t i)
{
    page_put(d->w->b, "{}: {}", PAGE_NUMBER(UNIT_NS, number_at(s->times, i)),
             PAGE_AMOUNT(s->value, number_at(s->amounts, i)));
}

/* ---- one heap ---- */

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
    put_address(d, s, 0, i + 1);
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
        put_address(d, s, (uint32_t)i + 1, to + 1);
        buf_printf(b, "\"%s>%zu</a>", i == from ? " aria-current=\"true\"" : "", i + 1);
    }
    if (from != SIZE_MAX) {
        struct workspace all = *d->w;
        struct page_workspace of = *d->w->of;
        struct view_options options = *of.options;
        struct dumps cumulative = {&all, d->value, d->end_ns};
        options.mode = MODE_CUMULATIVE;
        of.options = &options;
        all.of = &of;
        buf_z(b, " <a href=\"");
        put_address(&cumulative, s, 0, to + 1);
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

void workspace_dumps(const struct workspace *w)
{
    struct dumps d = {
        .w = w, .value = page_data_value(json_object_get(w->of->summary, "values"), w->of->options->value)};
    struct series s;
    const json_t *track;
    size_t i;
    uint64_t n = page_data_number(w->of->summary, "moments");

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
