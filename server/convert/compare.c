/* Profiles as one. */
#include <stdlib.h>
#include <sys/random.h>

#include "profile/compare/compare.h"
#include "profile/transform/transform.h"
#include "render/names/names.h"
#include "server/convert/convert_impl.h"

/* What has been made of the runs before they are compared. NULL: the arena gives no more, or diag is set. */
static const struct profile **prepared(const struct convert_runs *runs, struct arena *scratch,
                                       struct diag *diag)
{
    struct transform_request request = {.open_to_end = runs->open == OPEN_END};
    uint32_t n = runs->n_a + runs->n_b;
    const struct profile **profiles = arena_array(scratch, n, sizeof(*profiles));
    bool ok = profiles != NULL;

    for (uint32_t i = 0; ok && i < n; i++) {
        request.moment = i < runs->n_a ? runs->moment_a : runs->moment_b;
        profiles[i] = transform_apply(runs->of[i]->profile, &request, scratch, diag);
        ok = profiles[i] != NULL;
    }
    return ok ? profiles : NULL;
}

/* False: diag. */
static bool compare(struct shared_profile *made, const struct convert_runs *runs, struct arena *scratch,
                    struct diag *diag)
{
    struct hash_seed seed;
    const struct profile **profiles = NULL;

    if (getrandom(&seed, sizeof(seed), 0) != (ssize_t)sizeof(seed))
        return conversion_no_seed(diag);
    profiles = prepared(runs, scratch, diag);
    if (profiles != NULL)
        made->profile = compare_new(&(struct compare_request){profiles, runs->n_a, runs->n_b}, seed,
                                    &made->arena, scratch, diag);
    if (made->profile != NULL)
        made->names = names_new(made->profile, &made->arena);
    if (made->names == NULL && diag->kind == DIAG_NONE)
        conversion_arena_failed(scratch->failure != ARENA_OK ? scratch : &made->arena, diag);
    return made->names != NULL;
}

void convert_compared_options(struct view_options *view)
{
    view->open = OPEN_LAST;
    view->moment = (struct view_moment){0};
    view->mode = MODE_CUMULATIVE;
    view->from_ns = view->to_ns = VIEW_TIME_NONE;
}

struct shared_profile *convert_compare(const struct config *config, const struct convert_runs *runs,
                                       struct diag *diag)
{
    struct shared_profile *made = calloc(1, sizeof(*made));
    struct arena scratch;

    if (made == NULL) {
        conversion_no_memory(diag);
        return NULL;
    }
    made->member = "";
    arena_init(&made->arena, (size_t)config->job_memory_bytes);
    arena_init(&scratch, (size_t)config->job_memory_bytes);
    bool ok = compare(made, runs, &scratch, diag);
    arena_free(&scratch);
    if (ok)
        return made;
    shared_profile_free(made);
    return NULL;
}
