#include "server/convert/methods.h"

#include "render/table/methods.h"
#include "render/view/fail.h"

/* Reads how long calls were: of all rows, or of the one that is looked at. Without times there is nothing to read. */
static bool read_calls(const struct convert_source *source, const struct render_input *in,
                       const uint32_t *row_of_frame, uint32_t n_rows, uint32_t looked_at,
                       const struct calls **calls, struct diag *diag)
{
    const struct shared_profile *whole = shared_profile_whole(source->profile);
    struct calls_request request = {.profile = shared_profile_get(whole),
                                    .window = shared_profile_window(source->profile),
                                    .row_of_frame = row_of_frame,
                                    .n_rows = n_rows,
                                    .open_to_end = in->view->open == OPEN_END,
                                    .looked_at = looked_at};

    *calls = NULL;
    if (request.profile->n_times == 0)
        return true;
    request.tracks = methods_tracks(in->profile, in->view, &request.n_tracks, in->scratch);
    return request.tracks != NULL ? convert_calls(source, &request, in->scratch, calls, diag)
                                  : fail_arena(in->scratch, diag);
}

/* ---- the table ---- */

struct methods {
    const struct convert_source *source;
    const struct table_request *request;
    const struct table_format *format;
};

static bool draw(const void *what, const struct render_input *in, struct buf *out, struct diag *diag)
{
    const struct methods *m = what;
    struct render_input with_calls = *in;
    struct groups groups;

    if (m->request->longest && m->request->group != GROUP_THREAD) {
        if (!groups_new(&groups, in->profile, in->names, m->request->group, in->scratch))
            return fail_arena(in->scratch, diag);
        if (!read_calls(m->source, in, groups.of_frame, groups.n, CALLS_NO_ROW, &with_calls.calls, diag))
            return false;
    }
    return table_write(&with_calls, m->request, m->format, out, diag);
}

bool convert_methods(const struct convert_source *s, const struct view_options *view,
                     const struct table_request *request, const struct table_format *format, struct buf *out,
                     struct diag *diag)
{
    struct methods m = {s, request, format};
    struct convert_drawing d = {draw, &m, s->stop};

    return convert_drawn(s->profile, s->config, &d, view, out, diag);
}

/* ---- one method ---- */

struct one_method {
    const struct convert_source *source;
    struct str name;
    const struct table_request *request;
    const struct method_format *format;
};

/* Only the calls of one row are followed: the others cost no more than their place on the stack. */
static bool read_calls_of(const struct convert_source *source, const struct render_input *in,
                          const struct table *t, uint32_t row, const struct calls **calls, struct diag *diag)
{
    uint32_t *only = arena_array(in->scratch, in->profile->n_frames, sizeof(*only));

    if (only == NULL)
        return fail_arena(in->scratch, diag);
    for (frame_id i = 0; i < in->profile->n_frames; i++)
        only[i] = t->row_of_frame[i] == row ? 0 : CALLS_NO_ROW;
    return read_calls(source, in, only, 1, 0, calls, diag);
}

static bool draw_one(const void *what, const struct render_input *in, struct buf *out, struct diag *diag)
{
    const struct one_method *m = what;
    struct render_input with_calls = *in;
    const struct table *t;
    uint32_t row;

    const struct shared_profile *f = m->source->profile;
    const struct profile *whole =
        shared_profile_window(f) != NULL ? shared_profile_get(shared_profile_whole(f)) : NULL;

    return method_find(in, whole, m->name, &t, &row, diag) &&
           (!m->request->longest || read_calls_of(m->source, in, t, row, &with_calls.calls, diag)) &&
           method_write(&with_calls, t, row, m->format, m->request, out, diag);
}

bool convert_method(const struct convert_source *s, const struct view_options *view, struct str name,
                    const struct table_request *request, const struct method_format *format, struct buf *out,
                    struct diag *diag)
{
    struct one_method m = {s, name, request, format};
    struct convert_drawing d = {draw_one, &m, s->stop};

    return convert_drawn(s->profile, s->config, &d, view, out, diag);
}
