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

/* What the filters of a view leave of the stacks of the profile, in the arena. False: diag. */
static bool conversion_stacks(const struct shared_profile *f, const struct view_options *view,
                              struct arena *arena, struct filter_stacks *stacks, struct diag *diag)
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

/* ---- lists of calls ---- */

struct call_list {
    struct convert_source source;
    struct view_options view; /* resolved */
    const struct call_format *format;
    struct arena arena;
    const uint32_t *tracks; /* that are listed */
    uint32_t n_tracks;
    struct window window; /* with has_window */
    bool has_window;
    struct filter_stacks stacks;
    const struct filter_stacks *filter; /* these, or NULL */
    struct hash_seed seed;

    struct replay_sink sink;
    struct arena playing; /* memory of the replay that is under way */

    struct call_writer writer;
    struct buf *out;
    const struct call_list_taker *taker;
    bool ended; /* by the taker */
};

static bool put_row(void *context, const struct call_row *row)
{
    struct call_list *l = context;

    l->format->row(&l->writer, row, l->out);
    l->writer.n++;
    return !l->out->failed;
}

static bool put_slice(void *context, const struct call_slice *slice)
{
    struct call_list *l = context;

    l->format->slice(&l->writer, slice, l->out);
    return !l->out->failed;
}

/* ---- what is asked ---- */

static bool set_request(struct call_list *l, struct diag *diag)
{
    const struct shared_profile *f = l->source.profile;
    uint32_t n, *tracks = view_tracks(f->profile, &l->view, &n, &l->arena);

    if (tracks == NULL)
        return conversion_arena_failed(&l->arena, diag);
    for (uint32_t i = 0; i < n; i++) /* samples are no calls */
        if (profile_track_times(f->profile, &f->profile->tracks[tracks[i]]) > 0)
            tracks[l->n_tracks++] = tracks[i];
    l->tracks = tracks;
    l->has_window = view_window(&l->view, &l->window, diag);
    if (l->view.filters.n > 0)
        l->filter = &l->stacks;
    return diag->kind == DIAG_NONE && conversion_seed(&l->seed, diag) &&
           (l->filter == NULL || conversion_stacks(f, &l->view, &l->arena, &l->stacks, diag));
}

static bool prepare_writer(struct call_list *l, struct diag *diag)
{
    const struct profile *p = l->source.profile->profile;
    struct call_writer *w = &l->writer;
    struct measure measure;

    w->arena = &l->arena;
    w->window = l->has_window ? &l->window : NULL;
    w->names = conversion_names(l->source.profile, &l->view, &l->arena);
    w->number = arena_array(&l->arena, p->n_frames, sizeof(*w->number));
    w->used = arena_array(&l->arena, p->n_frames, sizeof(*w->used));
    w->texts = arena_array(&l->arena, p->n_frames, sizeof(*w->texts));
    w->processes = arena_array(&l->arena, p->n_tracks, sizeof(*w->processes));
    w->tracks = l->tracks;
    w->n_tracks = l->n_tracks;
    w->by_cpu = measure_by_name(p, l->view.value, &measure) && !measure.waiting && w->has_cpu &&
                measure.value == profile_value_by_role(p, ROLE_CPU);
    if (w->names == NULL || w->number == NULL || w->used == NULL || w->texts == NULL || w->processes == NULL)
        return conversion_arena_failed(&l->arena, diag);
    call_processes(p, w->processes);
    return true;
}

bool call_list_possible(const struct profile *p, struct diag *diag)
{
    return p->n_times > 0 || diag_set(diag, DIAG_USAGE, "no calls in this file",
                                      "Look at its stacks: the output folded has them.",
                                      "Calls have times, and this file has none: %.*s.",
                                      (int)p->format_label.n, p->format_label.p);
}

/* ---- replaying ---- */

static bool arena_failed(const struct call_list *l, struct diag *diag)
{
    return conversion_arena_failed(l->playing.failure != ARENA_OK ? &l->playing : &l->arena, diag);
}

/* False: the arena gives no more. */
static bool make_sink(struct call_list *l)
{
    const struct profile *p = l->source.profile->profile;
    bool to_end = l->view.open == OPEN_END;
    const struct window *window = l->has_window ? &l->window : NULL;

    if (l->format->slice != NULL) {
        const struct call_slices_request request = {p, l->n_tracks, to_end, window, l->filter, put_slice, l};
        struct call_slices *slices = call_slices_new(&l->arena, &request, l->seed);
        if (slices != NULL)
            l->sink = call_slices_replay(slices);
        return slices != NULL;
    }
    const struct call_rows_request request = {p, to_end, window, l->filter, false, put_row, l};
    struct call_rows *rows = call_rows_new(&l->arena, &request, l->seed);
    if (rows != NULL)
        l->sink = call_rows_replay(rows);
    return rows != NULL;
}

/* With filters it depends on the calls within it what a call shows, so these are played to the end. NULL: the arena gives
 * no more. */
static struct replay *begin_replay(struct call_list *l)
{
    struct replay_request request = {.tracks = l->tracks,
                                     .n_tracks = l->n_tracks,
                                     .window = l->has_window ? &l->window : NULL,
                                     .to_the_end = l->filter != NULL,
                                     .in_order = l->format->track == NULL,
                                     .one_by_one = l->format->track != NULL,
                                     .rests = l->view.open == OPEN_END,
                                     .looks_at_self = l->format->row != NULL,
                                     .sink = l->sink};

    profile_log_request(l->source.profile, &request);
    return replay_new(&request, &l->playing);
}

/* All tracks, or the next one, to the end. False: nothing more is to be written; `diag` has what the log says. */
static bool play(struct call_list *l, struct replay *replay, struct diag *diag)
{
    enum replay_end end = REPLAY_MORE;

    while (end == REPLAY_MORE && !l->ended && !l->out->failed) {
        end = replay_step(replay);
        l->ended = !l->taker->take(l->taker->context, l->out);
    }
    return profile_log_ended(end, diag) && !l->ended;
}

/* False as above. */
static bool write_all(struct call_list *l, struct diag *diag)
{
    struct replay *replay = make_sink(l) ? begin_replay(l) : NULL;
    bool ok = replay != NULL || arena_failed(l, diag);

    if (ok)
        l->format->begin(&l->writer, l->out);
    if (ok && l->format->track == NULL)
        ok = play(l, replay, diag);
    for (uint32_t i = 0; ok && l->format->track != NULL && i < l->n_tracks; i++) {
        l->format->track(&l->writer, l->tracks[i], false, l->out);
        ok = play(l, replay, diag);
        if (ok)
            l->format->track(&l->writer, l->tracks[i], true, l->out);
    }
    if (ok && l->format->end != NULL)
        l->format->end(&l->writer, l->out);
    return ok && !l->out->failed;
}

/* Why there is less than all. Always false. */
static bool failed(const struct call_list *l, struct diag *diag)
{
    if (l->out->failed) {
        *diag = (struct diag){0};
        return fail_buf(l->out, diag);
    }
    if (l->ended || diag->kind != DIAG_NONE)
        return false;
    return l->arena.failure != ARENA_OK || l->playing.failure != ARENA_OK
               ? arena_failed(l, diag)
               : profile_log_ended(REPLAY_DAMAGED, diag);
}

bool call_list_write(const struct convert_source *source, const struct view_options *view,
                     const struct call_format *format, struct buf *out, const struct call_list_taker *taker,
                     struct diag *diag)
{
    const struct profile *p = source->profile->profile;
    struct call_list l = {.source = *source, .view = *view, .format = format, .out = out, .taker = taker};

    if (!call_list_possible(p, diag))
        return false;
    l.view.view = VIEW_FLAME; /* it is no picture */
    l.writer.profile = p;
    l.writer.has_cpu = profile_value_by_role(p, ROLE_CPU) < p->n_times;
    arena_init(&l.arena, (size_t)source->config->job_memory_bytes);
    arena_init(&l.playing, (size_t)source->config->job_memory_bytes);
    l.arena.stop = l.playing.stop = source->stop;
    bool ok = view_resolve(&l.view, p, diag) && set_request(&l, diag) && prepare_writer(&l, diag) &&
              profile_log_make(&l.source, diag) && (write_all(&l, diag) || failed(&l, diag));
    arena_free(&l.playing);
    arena_free(&l.arena);
    buf_free(&l.writer.scratch);
    return ok;
}
