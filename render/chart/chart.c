#include "render/chart/chart.h"

#include <string.h>

#include "core/clean.h"
#include "core/diag.h"
#include "core/number.h"
#include "profile/calls/span.h"
#include "render/names/names.h"
#include "render/svg/layout.h"
#include "render/svg/svg_header.h"
#include "render/tree/tree.h"
#include "render/view/input.h"
#include "render/view/view.h"

/* ---- what is drawn ---- */

enum {
    CHART_LEVELS_MAX = 2000, /* drawn */
    CHART_SPANS_MAX = 8000   /* drawn; more, and the least width is raised */
};

enum {
    TICK_PX = 100,         /* least distance of ticks */
    TICK_GAP_PX = 16,      /* least distance of labels */
    LEAST_WINDOW_NS = 1000 /* of a track that takes no time */
};

static const char HINT_TRACK[] = "Name one thread, as track=ID in a chart's URL or --track ID.";

/* As it was before filters, which may leave nothing of what is open at its end. */
static const struct profile_track *the_track(const struct view_options *o, const struct profile *p)
{
    p = p->filtered != NULL ? p->filtered->before : p;
    if (o->tracks != TRACKS_LISTED)
        return p->n_tracks == 1 ? &p->tracks[0] : NULL;
    return o->n_track_ids == 1 ? profile_track_by_id(p, o->track_ids[0]) : NULL;
}

static uint64_t at_most(uint64_t ns, uint64_t limit)
{
    return ns < limit ? ns : limit;
}

/* Only what is open can last longer. */
static uint64_t rest_ns(const struct profile_track *t, const struct view_options *o)
{
    return o->open == OPEN_END && t->open != t->first ? t->rest_ns : 0;
}

static void set_whole(struct chart_plan *plan, const struct view_options *o)
{
    const struct profile_track *t = plan->track;
    uint64_t end = number_add(t->end_ns, rest_ns(t, o));

    plan->whole_from_ns = at_most(t->begin_ns, INT64_MAX - LEAST_WINDOW_NS);
    plan->whole_to_ns = at_most(end, INT64_MAX);
    if (plan->whole_to_ns <= plan->whole_from_ns)
        plan->whole_to_ns = plan->whole_from_ns + LEAST_WINDOW_NS;
}

static bool set_window(struct chart_plan *plan, const struct view_options *o, struct diag *diag)
{
    plan->from_ns = o->from_ns == VIEW_TIME_NONE ? plan->whole_from_ns : o->from_ns;
    plan->to_ns = o->to_ns == VIEW_TIME_NONE ? plan->whole_to_ns : o->to_ns;
    if (plan->from_ns < plan->to_ns && plan->to_ns <= INT64_MAX)
        return true;
    return view_refuse_range(
        plan->whole_from_ns, plan->whole_to_ns,
        "The chart would begin at its end or behind it; the thread has records",
        "Give from and to in µs since the trace's start, or leave them out for all of the thread.", diag);
}

/* The least time that is `milli_px` wide, rounded up; at least 1. */
static uint64_t least_ns(const struct chart_plan *plan, uint32_t milli_px)
{
    __extension__ typedef unsigned __int128 u128;
    uint64_t whole_milli_px = (uint64_t)plan->width_px * 1000;
    uint64_t ns =
        (uint64_t)(((u128)(plan->to_ns - plan->from_ns) * milli_px + whole_milli_px - 1) / whole_milli_px);

    return ns > 0 ? ns : 1;
}

bool chart_plan(struct chart_plan *plan, const struct view_options *o, const struct profile *p,
                struct diag *diag)
{
    uint32_t milli_px = o->min_milli_px < LAYOUT_TENTH_MILLI_PX ? LAYOUT_TENTH_MILLI_PX : o->min_milli_px;

    *plan = (struct chart_plan){.track = the_track(o, p), .width_px = o->width_px - 2 * LAYOUT_PAD_PX};
    if (!p->timed)
        return diag_set(diag, DIAG_USAGE, "no times in this file", "Choose another view, such as flame.",
                        "A chart shows calls in the order of time, and this file has no times: %.*s.",
                        (int)p->format_label.n, p->format_label.p);
    if (plan->track == NULL)
        return diag_set(diag, DIAG_USAGE, "a chart is of one thread", HINT_TRACK,
                        "A chart shows one thread; this asks for several.");
    if (plan->track->n_moments > 0)
        return diag_set(diag, DIAG_USAGE, "no times of this heap", "Choose another view, such as flame.",
                        "A chart shows calls in the order of time, and a heap is told of by its dumps.");
    if (profile_track_times(p, plan->track) > 0 && o->value[0] != '\0' &&
        !str_eq(measure_key(p->values[0].name), str_of(o->value)))
        return diag_set(
            diag, DIAG_USAGE, "a chart has one value",
            "Leave the value out, or choose another view, such as flame.",
            "value=%s: a chart shows calls by the times at which they began and ended, which is %.*s.",
            o->value, (int)p->values[0].label.n, p->values[0].label.p);
    set_whole(plan, o);
    if (!set_window(plan, o, diag))
        return false;
    plan->request = (struct span_request){.track = plan->track->id,
                                          .ns_per_tick = p->ns_per_tick,
                                          .rest_ns = rest_ns(plan->track, o),
                                          .from_ns = plan->from_ns,
                                          .to_ns = plan->to_ns,
                                          .least_ns = least_ns(plan, milli_px),
                                          .levels_max = CHART_LEVELS_MAX,
                                          .spans_max = CHART_SPANS_MAX};
    return true;
}

uint32_t chart_x_dpx(const struct chart_plan *plan, uint64_t ns)
{
    if (ns <= plan->from_ns)
        return 0;
    if (ns >= plan->to_ns)
        return plan->width_px * 10;
    return (uint32_t)number_ratio(ns - plan->from_ns, plan->to_ns - plan->from_ns,
                                  (uint64_t)plan->width_px * 10);
}

/* ---- the axis ---- */

char *chart_label(const struct chart_axis *axis, char *to, uint64_t ns)
{
    size_t n = strlen(axis->unit);

    to = number_fixed(to, ns, axis->decimals);
    *to++ = ' ';
    memcpy(to, axis->unit, n);
    return to + n;
}

/* Cells of the longest label: a tick's decimals are those of the step at most. */
static uint64_t label_cells(const struct chart_plan *plan, const struct chart_axis *axis)
{
    char text[NUMBER_BYTES_MAX];
    uint64_t whole = plan->to_ns, fraction = axis->step_ns, unit = 1;

    for (unsigned i = 0; i < axis->decimals; i++)
        unit *= 10;
    size_t digits = (size_t)(number_u64(text, whole / unit) - text);
    size_t decimals = 0;
    for (; fraction % unit != 0; decimals++)
        fraction = fraction % unit * 10;
    return digits + (decimals > 0) + decimals + 1 + strlen(axis->unit);
}

static bool fits(const struct chart_plan *plan, const struct chart_axis *axis, uint32_t cell_tenths_px)
{
    uint64_t label_px = label_cells(plan, axis) * cell_tenths_px / 10 + TICK_GAP_PX;
    uint64_t least_px = label_px > TICK_PX ? label_px : TICK_PX;

    return number_ratio(axis->step_ns, plan->to_ns - plan->from_ns, plan->width_px) >= least_px;
}

struct chart_axis chart_axis(const struct chart_plan *plan, uint32_t cell_tenths_px)
{
    static const unsigned STEPS[] = {1, 2, 5};
    struct chart_axis axis = {.decimals = 9, .unit = "s"};

    if (plan->to_ns < 1000000)
        axis = (struct chart_axis){.decimals = 3, .unit = "µs"};
    else if (plan->to_ns < 1000000000)
        axis = (struct chart_axis){.decimals = 6, .unit = "ms"};
    for (uint64_t power = 1; power <= UINT64_MAX / 10; power *= 10)
        for (size_t i = 0; i < sizeof(STEPS) / sizeof(STEPS[0]); i++) {
            axis.step_ns = STEPS[i] * power;
            if (fits(plan, &axis, cell_tenths_px))
                return axis;
        }
    axis.step_ns = INT64_MAX; /* one at most */
    return axis;
}

/* ---- drawing ---- */

enum {
    CELL_TENTHS_PX = SVG_FONT_PX * FIT_EM_TENTHS,
    AXIS_PX = 18,       /* height of the axis */
    AXIS_BASE_PX = 12,  /* of its labels */
    BOX_LEAST_DPX = 10, /* so that nothing is lost from sight */
    LINK_GAP_PX = 16,
    LINK_LEAST_NS = 1000, /* of a link's window */
    TIME_DIGITS = 9,      /* of a point in time */
    LENGTH_DIGITS = 5     /* of the window's length */
};

struct chart {
    const struct render_input *in;
    const struct spans *spans;
    const struct tree *tree; /* the same thread's, for its words and colours */
    struct chart_plan plan;
    struct frame_colours palette;
    struct svg_pen pen;
    struct buf *out;
    uint32_t x_px;     /* of the next link */
    struct buf window; /* a link of a window, made once: the boxes' links differ in their times alone */
    size_t times, end; /* where its times are */
};

static void add_time(struct buf *b, uint64_t ns, unsigned digits)
{
    buf_value(b, UNIT_NS, ns, digits);
}

static void put_px(struct buf *b, const char *before, uint32_t px)
{
    buf_z(b, before);
    buf_u64(b, px);
}

static void put_dpx(struct buf *b, const char *before, uint32_t dpx)
{
    buf_z(b, before);
    buf_fixed(b, dpx, 1);
}

/* The value after which the chart is called. */
static const struct profile_value *first_value(const struct chart *c)
{
    return &c->in->profile->values[track_first_value(c->plan.track)];
}

/* ---- links ---- */

static void add_link_to(const struct chart *c, struct view_options o, struct buf *to)
{
    if (str_eq(str_of(o.value), measure_key(first_value(c)->name)))
        o.value[0] = '\0'; /* the default, which resolving has filled in */
    buf_z(to, "<a href=\"");
    size_t start = to->n;
    view_link(to, &o, "&amp;");
    buf_z(to, to->n > start ? "\">" : "?\">");
}

static void put_link_to(struct chart *c, struct view_options o)
{
    add_link_to(c, o, c->out);
}

/* Of this view with another window. That of all the thread needs none. */
static void put_link(struct chart *c, uint64_t from_ns, uint64_t to_ns)
{
    struct view_options o = *c->in->view;
    bool whole = from_ns == c->plan.whole_from_ns && to_ns == c->plan.whole_to_ns;

    o.from_ns = whole ? VIEW_TIME_NONE : from_ns;
    o.to_ns = whole ? VIEW_TIME_NONE : to_ns;
    put_link_to(c, o);
}

/* In a new row when one is full. */
static void make_room(struct chart *c, const char *label)
{
    uint32_t label_px = (uint32_t)fit_cells(str_of(label)) * CELL_TENTHS_PX / 10;

    if (c->x_px + label_px > c->in->view->width_px - LAYOUT_PAD_PX) {
        c->x_px = LAYOUT_PAD_PX;
        c->pen.y_px += SVG_ROW_PX;
    }
}

/* Within its link, if it leads somewhere. */
static void put_label(struct chart *c, const char *label, bool leads)
{
    buf_printf(c->out, "<text class=\"s\" %s x=\"%u\" y=\"%u\">%s</text>%s\n",
               leads ? "text-decoration=\"underline\"" : "fill-opacity=\".45\"", c->x_px, c->pen.y_px, label,
               leads ? "</a>" : "");
    c->x_px += (uint32_t)fit_cells(str_of(label)) * CELL_TENTHS_PX / 10 + LINK_GAP_PX;
}

/* To a window that is cut to the thread's records; where nothing of it is left, or it is this one, no link. */
static void put_step(struct chart *c, const char *label, uint64_t from_ns, uint64_t to_ns)
{
    const struct chart_plan *p = &c->plan;

    make_room(c, label);
    from_ns = from_ns < p->whole_from_ns ? p->whole_from_ns : from_ns;
    to_ns = to_ns > p->whole_to_ns ? p->whole_to_ns : to_ns;
    bool leads = from_ns < to_ns && (from_ns != p->from_ns || to_ns != p->to_ns);
    if (leads)
        put_link(c, from_ns, to_ns);
    put_label(c, label, leads);
}

static void put_way_back(struct chart *c)
{
    struct view_options o = *c->in->view;

    o.view = VIEW_FLAME;
    make_room(c, "flame graph");
    put_link_to(c, o);
    put_label(c, "flame graph", true);
}

/* Earlier and later overlap with the window by half, and are as long while the thread has records. */
static void put_steps(struct chart *c)
{
    const struct chart_plan *p = &c->plan;
    uint64_t length = p->to_ns - p->from_ns, half = length / 2 > 0 ? length / 2 : 1;
    uint64_t before = p->from_ns < half ? 0 : p->from_ns - half, behind = p->to_ns + half;

    c->pen.y_px += SVG_ROW_PX;
    c->x_px = LAYOUT_PAD_PX;
    put_step(c, "whole thread", p->whole_from_ns, p->whole_to_ns);
    put_step(c, "zoom out", before, behind);
    put_step(c, "zoom in", p->from_ns + length / 4, length < 2 * LINK_LEAST_NS ? 0 : p->to_ns - length / 4);
    before = before < p->whole_from_ns ? p->whole_from_ns : before;
    behind = behind > p->whole_to_ns ? p->whole_to_ns : behind;
    put_step(c, "earlier", before, before < p->from_ns ? before + length : 0);
    put_step(c, "later", behind > p->to_ns ? behind - length : behind, behind);
    put_way_back(c);
}

/* ---- rows ---- */

static void add_least_px(const struct chart *c, struct buf *b)
{
    const struct chart_plan *p = &c->plan;

    buf_fixed(b, number_ratio(c->spans->least_ns, p->to_ns - p->from_ns, (uint64_t)p->width_px * 100), 2);
    buf_z(b, " px");
}

static void put_title(struct chart *c)
{
    struct buf length = {0}, value = {0};
    const struct measure first = {.label = first_value(c)->label};

    add_time(&length, c->plan.to_ns - c->plan.from_ns, LENGTH_DIGITS);
    heading_value(&value, c->in, &first);
    svg_title(&c->pen, c->tree, buf_view(&value), buf_view(&length));
    c->out->failed = c->out->failed || length.failed || value.failed;
    buf_free(&value);
    buf_free(&length);
}

static void put_facts(struct chart *c)
{
    struct buf *line = &c->pen.line;
    uint64_t in_runs = c->spans->calls - c->spans->deep;
    uint32_t runs = 0;

    for (uint32_t i = 0; i < c->spans->n; i++) {
        if (c->spans->list[i].frame == FRAME_NONE)
            runs++;
        else
            in_runs--;
    }
    add_time(line, c->plan.from_ns, TIME_DIGITS);
    buf_z(line, " to ");
    add_time(line, c->plan.to_ns, TIME_DIGITS);
    buf_z(line, ": ");
    heading_count(line, c->spans->calls, "call");
    if (runs > 0) {
        buf_z(line, " · ");
        buf_u64_grouped(line, in_runs);
        buf_z(line, " of them under ");
        add_least_px(c, line);
        buf_z(line, ", in ");
        heading_count(line, runs, "grey run");
    }
    if (c->spans->calls == 0 && c->plan.to_ns <= c->plan.whole_from_ns)
        buf_z(line, "; the thread begins behind it");
    else if (c->spans->calls == 0 && c->plan.from_ns >= c->plan.whole_to_ns)
        buf_z(line, "; the thread ends before it");
    svg_line(&c->pen, "s");
}

static void put_limits(struct chart *c)
{
    struct buf *line = &c->pen.line;

    if (c->spans->least_ns > c->plan.request.least_ns) {
        buf_z(line, "more than ");
        buf_u64_grouped(line, CHART_SPANS_MAX);
        buf_z(line, " boxes would be drawn; the least width was raised to ");
        add_least_px(c, line);
        svg_line(&c->pen, "w");
    }
    if (c->spans->deep > 0) {
        heading_count(line, c->spans->deep, "call");
        buf_z(line, " deeper than ");
        heading_count(line, CHART_LEVELS_MAX, "level");
        buf_z(line, " not drawn");
        svg_line(&c->pen, "w");
    }
}

/* ---- the axis ---- */

static void put_tick(struct chart *c, const struct chart_axis *axis, uint64_t ns, uint32_t bottom_px)
{
    uint32_t x_dpx = LAYOUT_PAD_PX * 10 + chart_x_dpx(&c->plan, ns);
    uint32_t top_px = c->pen.y_px;
    char label[NUMBER_BYTES_MAX];
    size_t n = (size_t)(chart_label(axis, label, ns) - label);

    put_dpx(c->out, "<path stroke=\"#888\" stroke-opacity=\".4\" d=\"M", x_dpx);
    buf_printf(c->out, " %uV%u\"/>", top_px, bottom_px);
    if (x_dpx + ((uint32_t)n + 1) * CELL_TENTHS_PX > (c->in->view->width_px - LAYOUT_PAD_PX) * 10) {
        buf_char(c->out, '\n');
        return;
    }
    put_dpx(c->out, "<text class=\"s\" x=\"", x_dpx + SVG_TEXT_PAD_PX * 10);
    buf_printf(c->out, "\" y=\"%u\">", top_px + AXIS_BASE_PX);
    buf_bytes(c->out, label, n);
    buf_z(c->out, "</text>\n");
}

static void put_axis(struct chart *c, uint32_t bottom_px)
{
    struct chart_axis axis = chart_axis(&c->plan, CELL_TENTHS_PX);
    uint64_t first = (c->plan.from_ns + axis.step_ns - 1) / axis.step_ns * axis.step_ns;

    for (uint64_t ns = first; ns <= c->plan.to_ns; ns += axis.step_ns)
        put_tick(c, &axis, ns, bottom_px);
    c->pen.y_px += AXIS_PX;
}

/* ---- boxes ---- */

struct box {
    uint32_t x_dpx, width_dpx, y_px;
};

static struct box box_of(const struct chart *c, uint64_t begin_ns, uint64_t end_ns, uint32_t depth)
{
    uint32_t all_dpx = c->plan.width_px * 10;
    uint32_t x_dpx = chart_x_dpx(&c->plan, begin_ns), width_dpx = chart_x_dpx(&c->plan, end_ns) - x_dpx;

    if (width_dpx < BOX_LEAST_DPX)
        width_dpx = BOX_LEAST_DPX;
    if (x_dpx > all_dpx - width_dpx)
        x_dpx = all_dpx - width_dpx;
    return (struct box){LAYOUT_PAD_PX * 10 + x_dpx, width_dpx, c->pen.y_px + depth * LAYOUT_LEVEL_PX};
}

static void put_rect(struct chart *c, const struct box *box, const char *class)
{
    buf_z(c->out, "</title><rect class=\"");
    buf_z(c->out, class);
    put_dpx(c->out, "\" x=\"", box->x_dpx);
    put_px(c->out, "\" y=\"", box->y_px);
    put_dpx(c->out, "\" width=\"", box->width_dpx);
    put_px(c->out, "\" height=\"", LAYOUT_FRAME_PX);
    buf_z(c->out, "\"/>");
}

/* Returns the cells that it may fill; 0: not begun. */
static size_t begin_text(struct chart *c, const struct box *box)
{
    uint32_t pads_dpx = 2 * SVG_TEXT_PAD_PX * 10;
    size_t cells = box->width_dpx > pads_dpx ? (box->width_dpx - pads_dpx) / CELL_TENTHS_PX : 0;

    if (cells < FIT_CELLS_LEAST)
        return 0;
    put_dpx(c->out, "<text x=\"", box->x_dpx + SVG_TEXT_PAD_PX * 10);
    put_px(c->out, "\" y=\"", box->y_px + SVG_BASELINE_PX);
    buf_z(c->out, "\">");
    return cells;
}

/* What filters take out of calls is not in the spans. Of samples it is not known how long they lasted. */
static void put_idle(struct chart *c)
{
    const struct profile *p = c->in->profile;

    if (p->filtered != NULL && profile_track_times(p, c->plan.track) == 0)
        return;
    buf_z(c->out, ", in no call ");
    add_time(c->out,
             p->filtered != NULL ? profile_self(p, profile_track_by_id(p, c->plan.track->id)->first, 0)
                                 : c->spans->idle_ns,
             SVG_DIGITS);
}

static void put_thread(struct chart *c)
{
    const struct chart_plan *p = &c->plan;
    struct box box = box_of(c, p->whole_from_ns, p->whole_to_ns, 0);
    struct buf name = {0};
    size_t cells;

    heading_root(&name, c->in, c->tree, SIZE_MAX / 8);
    buf_z(c->out, "<g>");
    put_link(c, p->whole_from_ns, p->whole_to_ns);
    buf_z(c->out, "<title>");
    clean_xml(c->out, buf_view(&name));
    buf_z(c->out, "\nrecords from ");
    add_time(c->out, p->whole_from_ns, TIME_DIGITS);
    buf_z(c->out, " to ");
    add_time(c->out, p->whole_to_ns, TIME_DIGITS);
    put_idle(c);
    put_rect(c, &box, "cr");
    cells = begin_text(c, &box);
    if (cells > 0) {
        fit_xml(c->out, buf_view(&name), cells);
        buf_z(c->out, "</text>");
    }
    buf_z(c->out, "</a></g>\n");
    buf_part_end(c->out, &name);
}

/* No value can look like the times: in a value & is percent-encoded. */
static void make_window_link(struct chart *c)
{
    const struct str times = STR("from=0&amp;to=1");
    struct view_options o = *c->in->view;

    o.from_ns = 0;
    o.to_ns = 1000;
    add_link_to(c, o, &c->window);
    c->times = str_find_str(buf_view(&c->window), times);
    c->end = c->times + times.n;
}

static void put_window_link(struct chart *c, uint64_t from_ns, uint64_t to_ns)
{
    buf_str(c->out, (struct str){c->window.p, c->times});
    buf_z(c->out, "from=");
    buf_fixed(c->out, from_ns, 3);
    buf_z(c->out, "&amp;to=");
    buf_fixed(c->out, to_ns, 3);
    buf_str(c->out, str_from(buf_view(&c->window), c->end));
}

/* A moment becomes a window of some length. */
static void put_span_link(struct chart *c, const struct span *s)
{
    uint64_t begin = s->begin_ns < INT64_MAX - LINK_LEAST_NS ? s->begin_ns : INT64_MAX - LINK_LEAST_NS;
    uint64_t end = s->end_ns < INT64_MAX ? s->end_ns : INT64_MAX;

    end = end < begin + LINK_LEAST_NS ? begin + LINK_LEAST_NS : end;
    if (begin == c->plan.whole_from_ns && end == c->plan.whole_to_ns)
        put_link(c, begin, end);
    else
        put_window_link(c, begin, end);
}

static void put_run_title(struct chart *c, const struct span *s)
{
    heading_count(c->out, s->calls, "call");
    buf_z(c->out, ", each under ");
    add_least_px(c, c->out);
    buf_z(c->out, "\nfrom ");
    add_time(c->out, s->begin_ns, TIME_DIGITS);
    buf_z(c->out, " to ");
    add_time(c->out, s->end_ns, TIME_DIGITS);
    buf_z(c->out, ", together ");
    add_time(c->out, s->self_ns, SVG_DIGITS);
}

static void put_call_title(struct chart *c, const struct span *s)
{
    buf_str(c->out, names_of(c->in->names, s->frame)->full);
    buf_z(c->out, "\nstarts at ");
    add_time(c->out, s->begin_ns, TIME_DIGITS);
    buf_z(c->out, ", takes ");
    add_time(c->out, s->end_ns - s->begin_ns, SVG_DIGITS);
    buf_z(c->out, ", self ");
    add_time(c->out, s->self_ns, SVG_DIGITS);
    if ((s->flags & SPAN_BEFORE) != 0)
        buf_z(c->out, "\nentered before the recording");
    if ((s->flags & SPAN_OPEN) != 0)
        buf_z(c->out, "\nstill open at the end of the recording");
}

static void put_span(struct chart *c, const struct span *s)
{
    struct box box = box_of(c, s->begin_ns, s->end_ns, s->depth);
    bool run = s->frame == FRAME_NONE;
    size_t cells;

    buf_z(c->out, "<g>");
    put_span_link(c, s);
    buf_z(c->out, "<title>");
    if (run)
        put_run_title(c, s);
    else
        put_call_title(c, s);
    put_rect(c, &box,
             frame_colours_class(&c->palette, c->tree,
                                 (struct frame_colours_node){.frame = s->frame, .self = s->self_ns})
                 .text);
    cells = run ? 0 : begin_text(c, &box);
    if (cells > 0) {
        shorten_xml(c->out, c->in->names, s->frame, c->in->view->names, false, cells);
        buf_z(c->out, "</text>");
    }
    buf_z(c->out, "</a></g>\n");
}

static void put_boxes(struct chart *c)
{
    buf_z(c->out, "<g class=\"f\">\n");
    if (c->plan.from_ns < c->plan.whole_to_ns && c->plan.to_ns > c->plan.whole_from_ns)
        put_thread(c);
    make_window_link(c);
    for (uint32_t i = 0; i < c->spans->n && !c->window.failed && !c->out->failed; i++)
        put_span(c, &c->spans->list[i]);
    buf_part_end(c->out, &c->window);
    buf_z(c->out, "</g>\n");
}

/* ---- the whole ---- */

/* False: the arena gives no more. */
static bool find_colours(struct chart *c)
{
    if (!frame_colours_find(&c->palette, c->in->names, c->in->view->palette, c->tree, c->in->scratch))
        return false;
    c->palette.self_largest = 0;
    for (uint32_t i = 0; i < c->spans->n; i++)
        if (c->spans->list[i].frame != FRAME_NONE && c->spans->list[i].self_ns > c->palette.self_largest)
            c->palette.self_largest = c->spans->list[i].self_ns;
    return true;
}

/* The nodes of the track, by the clock that the chart shows: what colours and the legend are made of. */
static const struct tree *tree_of(const struct render_input *in, struct diag *diag)
{
    struct measure measures[MEASURES_MAX];
    struct tree_spec spec = {.measures = {&measures[0]}, .n_measures = 1, .divisor = 1, .unordered = true};

    return measures_shown(in->profile, in->view, measures) > 0 ? tree_new(in, &spec, diag) : NULL;
}

static bool draw(struct chart *c, struct svg_root *root, struct diag *diag)
{
    const struct profile_value *value = first_value(c);

    put_title(c);
    put_facts(c);
    put_limits(c);
    svg_filters(&c->pen, c->tree, value->name, value->unit);
    svg_emptied(&c->pen, c->tree, root);
    svg_warnings(&c->pen);
    if (!svg_legend(&c->pen, &c->palette, c->tree))
        return fail_arena(c->in->scratch, diag);
    put_steps(c);
    c->pen.y_px = svg_top_px(&c->pen);
    root->height_px = c->pen.y_px + AXIS_PX + (c->spans->levels + 1) * LAYOUT_LEVEL_PX;
    put_axis(c, root->height_px);
    put_boxes(c);
    root->height_px += SVG_BOTTOM_PX;
    return true;
}

bool chart_render(const struct render_input *in, struct buf *out, struct diag *diag)
{
    struct chart c = {.in = in, .spans = in->spans, .out = out};
    struct svg_root root = {0};

    if (in->spans == NULL)
        return diag_set(diag, DIAG_USAGE, "no chart without the profile's bytes", "",
                        "A chart is made by reading the profile again.");
    if (!chart_plan(&c.plan, in->view, in->profile, diag))
        return false;
    c.tree = tree_of(in, diag);
    if (c.tree == NULL)
        return false;
    if (!find_colours(&c))
        return fail_arena(in->scratch, diag);
    svg_begin(&c.pen, in, out);
    if (!draw(&c, &root, diag)) {
        svg_abandon(&c.pen);
        return false;
    }
    return svg_finish(&c.pen, &root, diag);
}
