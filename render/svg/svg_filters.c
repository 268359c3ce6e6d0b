/* What a picture says of the filters of its view. */
#include "profile/filter/filter.h"
#include "render/svg/heading.h"
#include "render/svg/svg_header.h"

static void put_step(struct buf *line, const struct filter_step *step)
{
    buf_z(line, filter_key_word(step->key));
    buf_char(line, '=');
    buf_str(line, step->text);
}

/* "filters: hide=Looper, focus=Foo; 0.9 s of 1.2 s left (75 %)" */
void svg_filters(struct svg_pen *pen, const struct tree *t, struct str value, enum unit unit)
{
    struct buf *line = &pen->line;
    const struct view_options *o = pen->in->view;

    if (o->n_filters == 0)
        return;
    uint64_t left = tree_total(t, 0, 0), before = heading_before(pen->in, t, value);
    for (uint32_t i = 0; i < o->n_filters; i++) {
        struct filter_step step = view_filter(o, i);
        buf_z(line, i == 0 ? "filters: " : ", ");
        put_step(line, &step);
    }
    buf_z(line, "; ");
    buf_value(line, unit, left, SVG_DIGITS);
    buf_z(line, " of ");
    buf_value(line, unit, before, SVG_DIGITS);
    buf_z(line, " left (");
    svg_add_percent(line, left, before);
    buf_char(line, ')');
    svg_line(pen, "s");
}

/* "the filters leave nothing: take out hide=Looper" */
bool svg_emptied(struct svg_pen *pen, const struct tree *t, struct svg_root *root)
{
    const struct render_input *in = pen->in;

    if (in->profile->filtered != NULL)
        root->emptied_by = filter_emptied_by(in->profile->filtered, t->tracks, t->n_tracks);
    root->emptied = in->profile->filtered != NULL && root->emptied_by < in->view->n_filters;
    if (!root->emptied)
        return false;
    struct filter_step step = view_filter(in->view, root->emptied_by);
    buf_z(&pen->line, "the filters leave nothing: take out ");
    put_step(&pen->line, &step);
    svg_line(pen, "s");
    return true;
}
