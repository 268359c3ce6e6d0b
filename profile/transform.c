#include "profile/transform.h"

#include "profile/open_frames.h"

static bool wants_open_frames(const struct transform_request *request)
{
    return request->open_to_end;
}

static const struct profile *make_open_frames(const struct profile *p,
                                              const struct transform_request *request, struct arena *arena,
                                              struct diag *diag)
{
    (void)request, (void)diag;
    return open_frames_to_end(p, arena);
}

static bool wants_filter(const struct transform_request *request)
{
    return request->filter.n_steps > 0;
}

static const struct profile *make_filter(const struct profile *p, const struct transform_request *request,
                                         struct arena *arena, struct diag *diag)
{
    return filter_apply(p, &request->filter, arena, diag);
}

/* THE TABLE, in the order in which they are applied. */
static const struct {
    bool (*wanted)(const struct transform_request *request);
    const struct profile *(*make)(const struct profile *p, const struct transform_request *request,
                                  struct arena *arena, struct diag *diag);
} TRANSFORMS[] = {
    {wants_open_frames, make_open_frames},
    {wants_filter, make_filter},
};

const struct profile *transform_apply(const struct profile *p, const struct transform_request *request,
                                      struct arena *arena, struct diag *diag)
{
    for (size_t i = 0; i < sizeof(TRANSFORMS) / sizeof(*TRANSFORMS) && p != NULL; i++)
        if (TRANSFORMS[i].wanted(request))
            p = TRANSFORMS[i].make(p, request, arena, diag);
    return p;
}
