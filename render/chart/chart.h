/* The picture of VIEW_CHART, part of the output "svg": calls of one thread in the order of time, the thread on top,
 * callees below their callers. Each call is a link to the chart of its time alone; the other links lead to the whole
 * thread, out, and to what was earlier and later. */
#ifndef RENDER_CHART_CHART_H
#define RENDER_CHART_CHART_H

#include "core/diag.h"
#include "render/view/input.h"

/* As an output's render. in->spans: what reading again found for chart_plan's request; without it, DIAG_USAGE. */
bool chart_render(const struct render_input *in, struct buf *out, struct diag *diag);

#endif
