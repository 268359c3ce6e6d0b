/* Format: a picture of all lanes, that needs no script and no style: a thread in a line, its name, its time in words, and what it did
 * per pixel. Each kind of time is one shape, drawn over that of all kinds below it: waiting, the platform, third parties, own code. */
#include "core/clean.h"
#include "core/number.h"
#include "render/chart/chart_plan.h"
#include "render/lanes/lanes_format.h"
#include "render/view/fail.h"

enum {
    LINE_PX = 18,
    BAR_PX = 14,
    NAMES_PX = 220,
    PAD_PX = 8,
    TOP_PX = 44,
    TEXT_PX = 12,
    NAME_CELLS = 22,
    LABEL_TENTHS_PX = 62
};

static const char *const FILLS[LANE_CLASSES] = {"#f2b84b", "#e3a5c8", "#8fb6e3", "#dedad2"};

/* How high the kinds up to this one stand in a pixel. */
static unsigned height_of(const struct lane_pixel *pixel, enum lane_class class, uint64_t length_ns)
{
    uint64_t ns = 0;

    for (unsigned i = 0; i <= (unsigned)class; i++)
        ns += pixel->ns[i];
    uint64_t px = length_ns == 0 ? 0 : number_ratio(ns, length_ns, BAR_PX);
    return px > BAR_PX ? BAR_PX : px == 0 && ns > 0 ? 1 : (unsigned)px;
}

/* Steps from left to right; nothing for a kind that does not occur. */
static void put_shape(const struct lanes_plan *plan, const struct lane *lane, enum lane_class class,
                      unsigned bottom_px, struct buf *out)
{
    const struct lanes_request *r = &plan->request;
    unsigned last = 0;
    bool begun = false;

    for (uint32_t x = 0; x < r->width_px; x++) {
        uint64_t length = lanes_edge(r->from_ns, r->to_ns, r->width_px, x + 1) -
                          lanes_edge(r->from_ns, r->to_ns, r->width_px, x);
        unsigned px = height_of(&lane->pixels[x], class, length);
        if (px == last)
            continue;
        if (!begun)
            buf_printf(out, "<path fill=\"%s\" d=\"M%u %u", FILLS[class], NAMES_PX, bottom_px);
        begun = true;
        buf_printf(out, "H%uV%u", NAMES_PX + x, bottom_px - px);
        last = px;
    }
    if (begun)
        buf_printf(out, "H%uV%uZ\"/>\n", NAMES_PX + r->width_px, bottom_px);
}

static void put_lane(const struct render_input *in, const struct lanes_plan *plan, const struct lane *lane,
                     unsigned y, struct buf *out)
{
    const struct profile *p = in->profile;
    const struct profile_track *t = lane->of->track;
    struct str name = profile_string(p, t->name);
    bool is_long = clean_length(name) > NAME_CELLS;

    buf_printf(out, "<text x=\"%u\" y=\"%u\">", PAD_PX, y + TEXT_PX);
    clean_xml(out, name.n == 0 ? STR("(no name)") : is_long ? clean_cut(name, NAME_CELLS) : name);
    buf_z(out, is_long ? "\xe2\x80\xa6" : "");
    buf_printf(out, "</text><text x=\"%u\" y=\"%u\" text-anchor=\"end\" fill=\"#595959\">", NAMES_PX - PAD_PX,
               y + TEXT_PX);
    buf_value(out, UNIT_NS, lanes_work_ns(p, t), 3);
    buf_z(out, "</text>\n");
    for (unsigned class = LANE_CLASSES; lane->pixels != NULL && class > 0; class --)
        put_shape(plan, lane, (enum lane_class)(class - 1), y + BAR_PX, out);
}

/* Ticks as those of a chart. */
static void put_axis(const struct lanes_plan *plan, unsigned height_px, struct buf *out)
{
    const struct lanes_request *r = &plan->request;
    struct chart_plan chart = {.from_ns = r->from_ns, .to_ns = r->to_ns, .width_px = r->width_px};
    struct chart_axis axis = chart_axis(&chart, LABEL_TENTHS_PX);
    char label[NUMBER_BYTES_MAX];

    for (uint64_t ns = r->from_ns / axis.step_ns * axis.step_ns; ns < r->to_ns && !out->failed;
         ns = number_add(ns, axis.step_ns)) {
        uint32_t x = NAMES_PX + chart_x_dpx(&chart, ns) / 10;
        if (ns < r->from_ns)
            continue;
        buf_printf(out,
                   "<path stroke=\"#d9d7d3\" d=\"M%u.5 %uV%u\"/><text x=\"%u\" y=\"%u\" fill=\"#595959\">", x,
                   TOP_PX - LINE_PX, height_px, x + 3, TOP_PX - 6);
        buf_bytes(out, label, (size_t)(chart_label(&axis, label, ns) - label));
        buf_z(out, "</text>\n");
    }
}

static void put_legend(const struct lanes_plan *plan, struct buf *out)
{
    static const char *const WORDS[LANE_CLASSES] = {"own code", "third party", "platform", "waiting"};

    for (unsigned i = 0; i < LANE_CLASSES; i++)
        buf_printf(out, "<path fill=\"%s\" d=\"M%u 6h12v12h-12Z\"/><text x=\"%u\" y=\"16\">%s</text>\n",
                   FILLS[i], NAMES_PX + i * 100, NAMES_PX + i * 100 + 16, WORDS[i]);
    if (plan->left_out > 0)
        buf_printf(out, "<text x=\"%u\" y=\"16\">%u threads left out</text>\n", NAMES_PX + 400,
                   plan->left_out);
}

static bool write_svg(const struct render_input *in, const struct lanes_plan *plan, const struct lanes *lanes,
                      struct buf *out, struct diag *diag)
{
    unsigned width = NAMES_PX + plan->request.width_px + PAD_PX;
    unsigned height = TOP_PX + lanes->n * LINE_PX + PAD_PX; /* of LANES_MAX lanes at most */

    buf_printf(out,
               "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%u\" height=\"%u\" viewBox=\"0 0 %u %u\" "
               "role=\"img\" aria-label=\"What each thread did in the order of time\" "
               "font-family=\"system-ui, sans-serif\" font-size=\"12\" fill=\"#1a1a1a\">\n",
               width, height, width, height);
    buf_printf(out, "<path fill=\"#ffffff\" d=\"M0 0H%uV%uH0Z\"/>\n", width, height);
    put_legend(plan, out);
    put_axis(plan, height, out);
    for (uint32_t i = 0; i < lanes->n; i++)
        put_lane(in, plan, &lanes->list[plan->order[i]], TOP_PX + i * LINE_PX, out);
    buf_z(out, "</svg>\n");
    return !out->failed || fail_buf(out, diag);
}

const struct lanes_format LANES_SVG = {
    {"svg", "image/svg+xml", "a picture without script, to print and to mail", 1}, write_svg};
