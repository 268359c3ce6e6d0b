#include "server/convert/verdict.h"

static bool draw(const void *what, const struct render_input *in, struct buf *out, struct diag *diag)
{
    return verdict_write(in, what, out, diag);
}

bool convert_verdict(const struct shared_profile *f, const struct config *config, int fd,
                     const atomic_bool *stop, const struct view_options *view,
                     const struct verdict_format *format, struct buf *out, struct diag *diag)
{
    struct convert_drawing d = {draw, format};
    struct span_request request;

    if (fd < 0 || !verdict_wants_spans(shared_profile_get(f), &request))
        return convert_drawn(f, config, &d, view, out, diag);
    return convert_with_spans(f, config, fd, stop, &request, false, &d, view, out, diag);
}
