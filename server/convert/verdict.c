#include "server/convert/verdict.h"

static bool draw(const void *what, const struct render_input *in, struct buf *out, struct diag *diag)
{
    return verdict_write(in, what, out, diag);
}

bool convert_verdict(const struct convert_source *s, const struct view_options *view,
                     const struct verdict_format *format, struct buf *out, struct diag *diag)
{
    struct convert_drawing d = {draw, format, s->stop};
    struct span_request request;

    if (s->fd < 0 || !verdict_wants_spans(shared_profile_get(s->profile), &request))
        return convert_drawn(s->profile, s->config, &d, view, out, diag);
    return convert_with_spans(s, &request, false, &d, view, out, diag);
}
