/* The picture of a tree, as one file that stands alone: what it shows, its style, its data and its script. */
#pragma once

#include "core/diag.h"
#include "render/view/input.h"

/* As an output's render, of every view but VIEW_CHART. */
bool svg_render(const struct render_input *in, struct buf *out, struct diag *diag);
