#include "profile/transform.h"

#include "profile/open_frames.h"

static bool wants_open_frames(const struct transform_request *request)
{
    return request->open_to_end;
}

/* THE TABLE, in the order in which they are applied. */
static const struct {
    bool (*wanted)(const struct transform_request *request);
    const struct profile *(*make)(const struct profile *p, struct arena *arena);
} TRANSFORMS[] = {
    {wants_open_frames, open_frames_to_end},
};

const struct profile *transform_apply(const struct profile *p, const struct transform_request *request,
                                      struct arena *arena)
{
    for (size_t i = 0; i < sizeof(TRANSFORMS) / sizeof(*TRANSFORMS) && p != NULL; i++)
        if (TRANSFORMS[i].wanted(request))
            p = TRANSFORMS[i].make(p, arena);
    return p;
}
