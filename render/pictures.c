/* Outputs "svg", whose picture depends on the view, and "tree", the pieces of data that its script fetches. */
#include "render/chart/chart.h"
#include "render/output.h"
#include "render/svg/data.h"
#include "render/svg/svg.h"
#include "render/svg/viewer.h"

static bool render(const struct render_input *in, struct buf *out, struct diag *diag)
{
    return in->view->view == VIEW_CHART ? chart_render(in, out, diag) : svg_render(in, out, diag);
}

const struct output OUTPUT_SVG = {
    .name = "svg",
    .suffix = "svg",
    .media_type = "image/svg+xml",
    .label = "Flame graph (SVG)",
    .text = false,
    .views = OUTPUT_TREE_VIEWS | 1 << VIEW_CHART,
    .revision = 7,
    .script = viewer_script,
    .style = viewer_style,
    .render = render,
};

const struct output OUTPUT_TREE = {
    .name = "tree",
    .suffix = "tree",
    .media_type = "text/plain; charset=utf-8",
    .label = "Part of a tree, for the pictures' script",
    .text = true,
    .preview = true,
    .fetched = true,
    .views = OUTPUT_TREE_VIEWS,
    .keys = KEYS_PIECE,
    .revision = 7,
    .render = data_render_piece,
};
