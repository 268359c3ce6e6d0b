/* What a second reading has to know beforehand to tell the calls that filters leave. */
#include <sys/random.h>

#include "render/view/fail.h"
#include "server/convert/convert_impl.h"

bool conversion_stacks(const struct shared_profile *f, const struct view_options *view, struct arena *arena,
                       struct filter_stacks *stacks, struct diag *diag)
{
    struct filter_step steps[FILTER_STEPS_MAX];
    struct filter_request request = {.steps = steps};
    const struct names *names = conversion_names(f, view, arena);

    return (names != NULL && conversion_filter(f->profile, names, view, steps, &request, arena) &&
            filter_stacks_of(f->profile, &request, arena, stacks, diag)) ||
           (diag->kind == DIAG_NONE && fail_arena(arena, diag));
}

/* NULL: diag. */
static const struct call_roots *read_roots(const struct convert_source *s, const struct span_filter *filter,
                                           struct arena *arena, struct diag *diag)
{
    const struct profile *p = s->profile->profile;
    bool any = false;

    for (uint32_t i = 0; i < filter->n_tracks; i++)
        any = any || p->tracks[filter->tracks[i]].re_roots > 0;
    if (!any) {
        const struct call_roots *none = arena_array(arena, filter->n_tracks, sizeof(*none));
        return none != NULL || fail_arena(arena, diag) ? none : NULL;
    }
    struct call_roots_sink *sink = call_roots_new(arena, p, filter->tracks, filter->n_tracks);
    if (sink != NULL && !convert_watch(s, NULL, call_roots_watcher(sink), diag))
        return NULL;
    const struct call_roots *roots = sink != NULL ? call_roots_finish(sink) : NULL;
    if (roots == NULL)
        fail_arena(arena, diag);
    return roots;
}

bool conversion_span_filter(const struct convert_source *s, const struct view_options *view,
                            struct arena *arena, struct span_filter *filter, struct diag *diag)
{
    filter->profile = s->profile->profile;
    if (getrandom(&filter->seed, sizeof(filter->seed), 0) != (ssize_t)sizeof(filter->seed))
        return conversion_no_seed(diag);
    if (!conversion_stacks(s->profile, view, arena, &filter->stacks, diag))
        return false;
    filter->roots = read_roots(s, filter, arena, diag);
    return filter->roots != NULL;
}
