#include "render/chart/chart_plan.h"

#include <string.h>

#include "core/number.h"
#include "profile/filter/filter.h"
#include "render/svg/layout.h"
#include "render/view/measure.h"

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
    if (p->n_times > 0 && o->value[0] != '\0' && !str_eq(measure_key(p->values[0].name), str_of(o->value)))
        return diag_set(
            diag, DIAG_USAGE, "a chart has one value",
            "Leave the value out, or choose another view, such as flame.",
            "value=%s: a chart shows calls by the times at which they began and ended, which is %.*s.",
            o->value, (int)p->values[0].label.n, p->values[0].label.p);
    if (plan->track == NULL)
        return diag_set(diag, DIAG_USAGE, "a chart is of one thread", HINT_TRACK,
                        "A chart shows one thread; this asks for several.");
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
