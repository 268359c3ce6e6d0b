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

struct one_method {
    struct str name;
    const struct method_format *format;
};

static bool draw_one(const void *what, const struct render_input *in, struct buf *out, struct diag *diag)
{
    const struct one_method *m = what;

    return method_write(in, m->name, m->format, out, diag);
}

bool convert_method(const struct shared_profile *f, const struct config *config,
                    const struct view_options *view, struct str name, const struct method_format *format,
                    struct buf *out, struct diag *diag)
{
    struct one_method m = {name, format};
    struct convert_drawing d = {draw_one, &m};

    return convert_drawn(f, config, &d, view, out, diag);
}
