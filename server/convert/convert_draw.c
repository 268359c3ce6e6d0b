/* What a profile does not hold, and what is made by replaying its log: calls in the order of time, how
 * long they were, and windows of time. */
#include "server/convert/convert.h"

#include <stdlib.h>

#include "render/chart/chart.h"
#include "render/table/table.h"
#include "render/view/asked.h"
#include "render/view/view.h"
#include "server/convert/convert_impl.h"

bool conversion_replay_failed(struct arena *arena, struct diag *diag)
{
    if (diag->kind != DIAG_NONE)
        return false;
    return arena->failure != ARENA_OK ? fail_arena(arena, diag) : profile_log_ended(REPLAY_DAMAGED, diag);
}

/* ---- filters ---- */

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

bool conversion_span_filter(const struct shared_profile *f, const struct view_options *view,
                            struct arena *arena, struct span_filter *filter, struct diag *diag)
{
    filter->profile = f->profile;
    return conversion_seed(&filter->seed, diag) && conversion_stacks(f, view, arena, &filter->stacks, diag);
}

/* ---- calls ---- */

/* In the arena. NULL: diag. */
static const struct spans *replay_spans(const struct convert_source *s, const struct span_request *request,
                                        const struct span_filter *filter, struct arena *arena,
                                        struct diag *diag)
{
    const struct window window = {request->from_ns, request->to_ns + 1}; /* with what only touches the end */
    struct span_sink *sink = span_sink_new(arena, request);
    struct span_rows *rows = sink != NULL && filter->n_tracks > 0 && filter->profile != NULL
                                 ? span_rows_new(arena, filter, request->rest_ns > 0, &sink)
                                 : NULL;
    bool filtered = filter->profile != NULL;

    if (sink == NULL || (filtered && rows == NULL)) {
        fail_arena(arena, diag);
        return NULL;
    }
    struct replay_request replay = {.tracks = filter->tracks,
                                    .n_tracks = 1,
                                    .window = filtered ? NULL : &window,
                                    .rests = request->rest_ns > 0,
                                    .looks_at_self = true,
                                    .sink = filtered ? span_rows_replay(rows) : span_sink_replay(sink)};
    if (profile_log_replay(s, &replay, diag))
        return span_sink_finish(sink);
    conversion_replay_failed(arena, diag);
    return NULL;
}

bool convert_with_spans(const struct convert_source *s, const struct span_request *request, bool filtered,
                        const struct convert_drawing *d, const struct view_options *view, struct buf *out,
                        struct diag *diag)
{
    const struct profile *p = s->profile->profile;
    const uint32_t index = (uint32_t)(profile_track_by_id(p, request->track) - p->tracks);
    struct span_filter filter = {.tracks = &index, .n_tracks = 1};
    struct view_options resolved = *view;
    struct arena arena;

    if (!view_resolve(&resolved, p, diag))
        return false;
    arena_init(&arena, (size_t)s->config->job_memory_bytes);
    arena.stop = s->stop;
    bool ok = !filtered || conversion_span_filter(s->profile, &resolved, &arena, &filter, diag);
    const struct spans *spans = ok ? replay_spans(s, request, &filter, &arena, diag) : NULL;
    ok = spans != NULL && convert_within(s, d, &resolved, spans, out, diag);
    arena_free(&arena);
    return ok;
}

/* ---- windows of time ---- */

static bool has_times(const struct profile *p, struct diag *diag)
{
    return (p->timed && p->n_minus == 0) ||
           diag_set(diag, DIAG_USAGE, "no times in this file", "Leave from and to out.",
                    "A range is a window of time, and this file has no times: %.*s.", (int)p->format_label.n,
                    p->format_label.p);
}

/* Nothing but the arena. NULL: diag. */
static struct shared_profile *new_window(const struct shared_profile *whole, const struct config *config,
                                         const struct window *window, struct diag *diag)
{
    struct shared_profile *made = calloc(1, sizeof(*made));

    if (made == NULL) {
        conversion_no_memory(diag);
        return NULL;
    }
    /* Borrowed: the whole has to live longer than its windows. */
    made->names = whole->names;
    made->member = whole->member;
    made->whole = whole;
    made->window = *window;
    arena_init(&made->arena, (size_t)config->job_memory_bytes);
    return made;
}

/* False: diag, or one of the arenas has given no more. */
static bool fill_window(const struct convert_source *s, struct shared_profile *made, struct arena *scratch,
                        struct diag *diag)
{
    const struct profile *p = s->profile->profile;
    struct window_request request = {.profile = p, .window = made->window};
    uint32_t *tracks = arena_array(scratch, p->n_tracks, sizeof(*tracks));

    if (tracks == NULL || !conversion_seed(&request.seed, diag))
        return false;
    for (uint32_t i = 0; i < p->n_tracks; i++)
        tracks[i] = i;
    struct window_sink *sink = window_sink_new(&made->arena, scratch, &request);
    if (sink == NULL)
        return false;
    struct replay_request replay = {.tracks = tracks,
                                    .n_tracks = p->n_tracks,
                                    .window = &made->window,
                                    .rests = true,
                                    .sink = window_sink_replay(sink)};
    made->profile = profile_log_replay(s, &replay, diag) ? window_sink_finish(sink) : NULL;
    return made->profile != NULL;
}

struct shared_profile *convert_window(const struct convert_source *whole, const struct window *window,
                                      struct diag *diag)
{
    struct shared_profile *made = NULL;
    struct arena scratch;

    if (has_times(whole->profile->profile, diag))
        made = new_window(whole->profile, whole->config, window, diag);
    if (made == NULL)
        return NULL;
    arena_init(&scratch, (size_t)whole->config->job_memory_bytes);
    scratch.stop = whole->stop;
    if (!fill_window(whole, made, &scratch, diag)) {
        const struct arena *failed = made->arena.failure != ARENA_OK ? &made->arena : &scratch;
        if (failed->failure != ARENA_OK && diag->kind == DIAG_NONE)
            conversion_arena_failed(failed, diag);
        conversion_replay_failed(&scratch, diag);
        shared_profile_free(made);
        made = NULL;
    }
    arena_free(&scratch);
    return made;
}

static bool draw_output(const void *what, const struct render_input *in, struct buf *out, struct diag *diag)
{
    const struct output *output = what;

    return output->render(in, out, diag);
}

/* Whether the output shows the view. */
static bool may_show(const struct output *output, const struct view_options *view, struct diag *diag)
{
    if ((output->views >> view->view & 1) != 0)
        return true;
    return diag_set(diag, DIAG_USAGE, "not for this output", "Choose the output svg, or leave the view out.",
                    "The output %s cannot show the view %s.", output->name, key_word("view", view->view));
}

static bool draw_chart(const struct convert_source *s, const struct convert_drawing *d,
                       const struct view_options *view, struct buf *out, struct diag *diag)
{
    const struct profile *p = s->profile->profile;
    struct view_options resolved = *view;
    struct chart_plan plan;

    return view_resolve(&resolved, p, diag) && chart_plan(&plan, &resolved, p, diag) &&
           convert_with_spans(s, &plan.request, resolved.filters.n > 0, d, &resolved, out, diag);
}

bool convert_view(const struct convert_source *s, const struct output *output,
                  const struct view_options *view, struct buf *out, struct diag *diag)
{
    const struct convert_drawing d = {draw_output, output};

    return may_show(output, view, diag) &&
           (view->view == VIEW_CHART ? draw_chart : convert_drawn)(s, &d, view, out, diag);
}
