/* The picture of VIEW_CHART, part of the output "svg": calls of one thread in the order of time, the thread on top,
 * callees below their callers. Each call is a link to the chart of its time alone; the other links lead to the whole
 * thread, out, and to what was earlier and later. */
#pragma once

#include "core/diag.h"
#include "profile/calls/span.h"
#include "render/view/input.h"

/* Times are of the profile's first clock: wall time where it was recorded. */
struct chart_plan {
    const struct profile_track *track;
    uint64_t whole_from_ns, whole_to_ns; /* all of the track */
    uint64_t from_ns, to_ns;             /* the window; from < to <= INT64_MAX */
    uint32_t width_px;                   /* of the window, without the padding at its sides */
    struct span_request request;
};

/* Of resolved options. False, with DIAG_USAGE: several tracks, no times, another value than the first, or an empty
 * window. */
bool chart_plan(struct chart_plan *plan, const struct view_options *o, const struct profile *p,
                struct diag *diag);

/* Tenths of a pixel from the window's left; what is outside stands at its edge. */
uint32_t chart_x_dpx(const struct chart_plan *plan, uint64_t ns);

/* The axis: a tick at each multiple of step_ns, which is 1, 2 or 5 times a power of ten, so large that labels do
 * not touch. */
struct chart_axis {
    uint64_t step_ns;
    unsigned decimals; /* A label is ns / 10^decimals, with the unit behind it. */
    const char *unit;
};

/* `cell_tenths_px`: width of a character of a label. */
struct chart_axis chart_axis(const struct chart_plan *plan, uint32_t cell_tenths_px);

/* Writes the label of a time at `to`, which has room for NUMBER_BYTES_MAX bytes; returns its end. */
char *chart_label(const struct chart_axis *axis, char *to, uint64_t ns);

/* As an output's render. in->spans: what reading again found for chart_plan's request; without it, DIAG_USAGE. */
bool chart_render(const struct render_input *in, struct buf *out, struct diag *diag);
