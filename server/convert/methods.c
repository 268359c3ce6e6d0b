#include "server/convert/methods.h"

struct methods {
    const struct table_request *request;
    const struct table_format *format;
};

static bool draw(const void *what, const struct render_input *in, struct buf *out, struct diag *diag)
{
    const struct methods *m = what;

    return table_write(in, m->request, m->format, out, diag);
}

bool convert_methods(const struct shared_profile *f, const struct config *config,
                     const struct view_options *view, const struct table_request *request,
                     const struct table_format *format, struct buf *out, struct diag *diag)
{
    struct methods m = {request, format};
    struct convert_drawing d = {draw, &m};

    return convert_drawn(f, config, &d, view, out, diag);
}
