#include "server/convert/lanes.h"

#include <string.h>

#include "render/view/fail.h"
#include "server/convert/convert_impl.h"
#include "server/convert/profile_log.h"

struct drawing {
    const struct convert_source *source;
    const struct view_options *view; /* as asked: with window and filters */
    const struct lanes_asked *asked;
    const struct lanes_format *format;
};

void lanes_options(const struct config *config, const struct lanes_asked *what, struct view_options *view)
{
    const struct view_options asked = *view;

    convert_defaults(config, view);
    view->view = VIEW_CHART; /* The window counts in views of time only, also in keys. */
    view->tracks = asked.tracks;
    view->n_track_ids = asked.n_track_ids;
    memcpy(view->track_ids, asked.track_ids, sizeof(view->track_ids));
    memcpy(view->app, asked.app, sizeof(view->app));
    view->open = asked.open;
    view->width_px = asked.width_px;
    view->from_ns = asked.from_ns;
    view->to_ns = asked.to_ns;
    if (what->n_stacks == 0)
        return;
    view->n_filters = asked.n_filters;
    view->filter_bytes = asked.filter_bytes;
    memcpy(view->filters, asked.filters, sizeof(view->filters));
    memcpy(view->filter_text, asked.filter_text, sizeof(view->filter_text));
}

/* What is open shows what the filters leave. In the arena. False: diag. */
static bool set_filter(const struct drawing *d, const struct render_input *in, struct lanes_request *request,
                       struct span_filter *filter, struct diag *diag)
{
    const struct profile *p = in->profile; /* whose tracks are those of the source, at the same places */
    uint32_t *tracks = arena_array(in->scratch, d->asked->n_stacks, sizeof(*tracks));

    if (tracks == NULL)
        return fail_arena(in->scratch, diag);
    *filter = (struct span_filter){.tracks = tracks};
    for (uint32_t i = 0; i < request->n_tracks; i++)
        if (request->tracks[i].is_open)
            tracks[filter->n_tracks++] = (uint32_t)(request->tracks[i].track - p->tracks);
    request->filter = filter;
    return conversion_span_filter(d->source->profile, d->view, in->scratch, filter, diag);
}

/* The frames' memory is that of the view; what is found is in it too. */
static bool draw(const void *what, const struct render_input *in, struct buf *out, struct diag *diag)
{
    const struct drawing *d = what;
    struct lanes_plan plan;
    struct span_filter filter;

    if (!lanes_plan(&plan, in, d->asked, d->view->from_ns, d->view->to_ns, diag) ||
        (d->view->n_filters > 0 && !set_filter(d, in, &plan.request, &filter, diag)))
        return false;
    struct lanes_sink *sink = lanes_sink_new(in->scratch, &plan.request);
    uint32_t *indexes = arena_array(in->scratch, plan.request.n_tracks, sizeof(*indexes));
    for (uint32_t i = 0; indexes != NULL && i < plan.request.n_tracks; i++)
        indexes[i] = (uint32_t)(plan.request.tracks[i].track - in->profile->tracks);
    if (sink == NULL || indexes == NULL)
        return fail_arena(in->scratch, diag);
    /* What only touches the end is within reach of spans. What filters leave of a call may lie outside the window. */
    const struct window window = {plan.request.from_ns, plan.request.to_ns + 1};
    struct replay_request replay = {.tracks = indexes,
                                    .n_tracks = plan.request.n_tracks,
                                    .window = plan.request.filter == NULL ? &window : NULL,
                                    .rests = plan.request.open_to_end,
                                    .looks_at_self = d->asked->n_stacks > 0,
                                    .sink = lanes_sink_replay(sink)};
    if (!profile_log_replay(d->source, &replay, diag))
        return conversion_replay_failed(in->scratch, diag);
    return d->format->write(in, &plan, lanes_sink_finish(sink), out, diag);
}

bool convert_lanes(const struct convert_source *s, const struct view_options *view,
                   const struct lanes_asked *asked, const struct lanes_format *format, struct buf *out,
                   struct diag *diag)
{
    struct drawing d = {s, view, asked, format};
    struct convert_drawing drawing = {draw, &d, s->stop};
    struct view_options whole = *view;

    whole.from_ns = whole.to_ns = VIEW_TIME_NONE; /* names and weights are those of all of the recording */
    while (whole.n_filters > 0)
        view_filter_remove(&whole, whole.n_filters - 1);
    return convert_drawn(s->profile, s->config, &drawing, &whole, out, diag);
}
