/* Formats of a comparison that draw it: its flame graph, as that of any profile but with the widths, colours and numbers of both
 * sides (profile/transform/compare_sides.h), and the pieces of data that the picture's script fetches. */
#include "render/output.h"
#include "render/table/diff.h"
#include "render/table/diff_sides.h"
#include "render/view/key.h"

static void put_key(void *context, const char *key, struct str value)
{
    struct buf *b = context;

    if (str_eq(str_of(key), STR("value"))) /* which the script says itself */
        return;
    buf_printf(b, "&%s=", key);
    buf_percent(b, value);
}

/* What the comparison was made of, for the script's requests; filters and own code it knows. */
static void put_query(const struct diff_request *r, struct buf *b)
{
    struct view_options plain;
    struct buf link = {0};

    if (r->asked == NULL)
        return;
    view_defaults(&plain);
    plain.from_ns = r->asked->from_ns;
    plain.to_ns = r->asked->to_ns;
    plain.moment = r->asked->moment;
    plain.mode = r->asked->mode;
    plain.open = r->asked->open;
    buf_z(b, "track=");
    key_text(key_by_name(STR("track")), r->asked, b);
    diff_each(r, put_key, b, b);
    view_link(&link, &plain, "&");
    if (link.n > 0) {
        buf_char(b, '&'); /* in place of its question mark */
        buf_bytes(b, link.p + 1, link.n - 1);
    }
    b->failed = b->failed || link.failed;
    buf_free(&link);
}

static bool draw(const struct table *t, const struct render_input *in, const struct output *output,
                 struct buf *out, struct diag *diag)
{
    struct diff_sides sides;
    struct buf query = {0};

    if (!diff_sides_open(&sides, t, in, diag))
        return false;
    put_query(t->diff->request, &query);
    sides.in.view = &sides.view;
    sides.in.compared = buf_view(&query);
    bool ok = output->render(&sides.in, out, diag);
    out->failed = out->failed || query.failed;
    buf_free(&query);
    return ok;
}

static bool draw_picture(const struct table *t, const struct render_input *in, struct buf *out,
                         struct diag *diag)
{
    return draw(t, in, &OUTPUT_SVG, out, diag);
}

static bool draw_tree(const struct table *t, const struct render_input *in, struct buf *out,
                      struct diag *diag)
{
    return draw(t, in, &OUTPUT_TREE, out, diag);
}

const struct table_format DIFF_SVG = {
    .text = {"svg", "image/svg+xml", "a flame graph of both", 2},
    .draw = draw_picture,
};

const struct table_format DIFF_TREE = {
    .text = {"tree", "text/plain; charset=utf-8", "part of that tree, for its script", 1},
    .draw = draw_tree,
};
