#include "cli/cli_view.h"

#include "cli/cli_calls.h"
#include "render/view/measure.h"

static bool convert(const struct convert_source *source, const struct output *output,
                    const struct view_options *view, struct buf *out, struct diag *diag)
{
    if (view->view == VIEW_CHART)
        return convert_chart(source, output, view, out, diag);
    return convert_view(source->profile, source->config, output, view, NULL, out, diag);
}

const struct call_format *cli_view_calls(const struct output *output, const struct profile *p,
                                         const struct view_options *view)
{
    struct measure measure;

    if (output->calls == NULL || view->tracks == TRACKS_MERGED || p->n_times == 0 ||
        (view->value[0] != '\0' &&
         (!measure_by_name(p, view->value, &measure) || measure.waiting || measure.value >= p->n_times)))
        return NULL;
    return call_format_by_name(str_of(output->calls));
}

struct writing {
    struct cli_output to;
    struct diag *diag;
};

static bool put_drained(void *context, struct str bytes)
{
    struct writing *w = context;

    return cli_output_put(&w->to, bytes, w->diag);
}

bool cli_view_write(const struct convert_source *source, const struct output *output,
                    const struct view_options *view, const char *path, struct buf *out, struct diag *diag)
{
    const struct call_format *calls = cli_view_calls(output, shared_profile_get(source->profile), view);
    struct writing w = {.diag = diag};

    if (calls == NULL && !output->appends)
        return convert(source, output, view, out, diag) && cli_write(path, buf_view(out), diag);
    if (!cli_output_open(&w.to, path, diag))
        return false;
    if (calls != NULL)
        return cli_output_close(&w.to, cli_calls_write(source, view, calls, &w.to, diag), diag);
    struct buf piece = {.drain = put_drained, .drain_context = &w};
    bool ok = convert(source, output, view, &piece, diag) && cli_output_put(&w.to, buf_view(&piece), diag);
    buf_free(&piece);
    return cli_output_close(&w.to, ok, diag);
}
