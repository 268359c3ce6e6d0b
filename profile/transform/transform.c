#include "profile/transform/transform.h"

#include "profile/transform/open_frames.h"

static bool wants_symbols(const struct transform_request *request)
{
    return request->symbols != NULL;
}

static const struct profile *make_symbols(const struct profile *p, const struct transform_request *request,
                                          struct arena *arena, struct diag *diag)
{
    (void)diag;
    return symbols_apply(p, request->symbols, arena);
}

static bool wants_mapping(const struct transform_request *request)
{
    return request->n_mappings > 0;
}

static const struct profile *make_mapping(const struct profile *p, const struct transform_request *request,
                                          struct arena *arena, struct diag *diag)
{
    (void)diag;
    return mapping_apply(p, request->mappings, request->n_mappings, arena);
}

static bool wants_moment(const struct transform_request *request)
{
    return request->moment.number > 0 || request->moment.interval;
}

static const struct profile *make_moment(const struct profile *p, const struct transform_request *request,
                                         struct arena *arena, struct diag *diag)
{
    (void)diag;
    return moment_apply(p, &request->moment, arena);
}

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
    {wants_symbols, make_symbols},         {wants_mapping, make_mapping}, {wants_moment, make_moment},
    {wants_open_frames, make_open_frames}, {wants_filter, make_filter},
};

const struct profile *transform_apply(const struct profile *p, const struct transform_request *request,
                                      struct arena *arena, struct diag *diag)
{
    for (size_t i = 0; i < sizeof(TRANSFORMS) / sizeof(*TRANSFORMS) && p != NULL; i++)
        if (TRANSFORMS[i].wanted(request))
            p = TRANSFORMS[i].make(p, request, arena, diag);
    return p;
}
