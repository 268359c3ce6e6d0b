#include "server/convert/report.h"

#include <stdlib.h>
#include <string.h>

#include "core/parallel.h"
#include "core/system/json_memory.h"
#include "profile/compare/compare.h"
#include "profile/frame/sections.h"
#include "profile/transform/transform.h"
#include "render/card/card.h"
#include "render/digest/profile_digest.h"
#include "render/lanes/lanes_formats.h"
#include "render/method/method.h"
#include "render/names/names.h"
#include "render/table/diff.h"
#include "render/table/diff_words.h"
#include "render/table/late_frames.h"
#include "render/table/table.h"
#include "render/table/table_format.h"
#include "render/verdict/growth.h"
#include "render/verdict/system_log.h"
#include "render/verdict/verdict.h"
#include "render/verdict/wake_chain.h"
#include "render/view/view.h"
#include "server/convert/convert.h"
#include "server/convert/convert_impl.h"
#include "server/convert/lanes_replay.h"
#include "server/convert/time_slices.h"

/* ---- verdict ---- */

struct drawn_verdict {
    const struct verdict_format *format;
    const struct growth *growths;      /* of a series of heaps; else NULL */
    const struct system_times *system; /* NULL: it is no system trace, or its log cannot be read */
};

static bool draw_verdict(const void *what, const struct render_input *in, struct buf *out, struct diag *diag)
{
    const struct drawn_verdict *d = what;
    struct render_input with_times = *in;

    with_times.system = d->system;
    with_times.growths = d->growths;
    return verdict_write(&with_times, d->format, out, diag);
}

static bool draw_with_spans(const struct convert_source *s, const struct view_options *view,
                            const struct convert_drawing *d, struct buf *out, struct diag *diag)
{
    const struct shared_profile *f = s->profile;
    struct span_request request;
    struct arena arena;

    arena_init(&arena, (size_t)s->config->job_memory_bytes);
    bool wanted = s->fd >= 0 && verdict_wants_spans(f->profile, f->names, &arena, &request);
    bool ok = arena.failure != ARENA_OK ? fail_arena(&arena, diag)
              : wanted                  ? convert_with_spans(s, &request, false, d, view, out, diag)
                                        : convert_drawn(s, d, view, out, diag);
    arena_free(&arena);
    return ok;
}

/* --- of a system trace --- */

static const struct window *shared_profile_window(const struct shared_profile *f)
{
    return f->whole != NULL ? &f->window : NULL;
}

/* In the arena. NULL: diag. */
static const struct system_log *read_system_log(const struct convert_source *s, struct arena *arena,
                                                struct diag *diag)
{
    const struct window *window = shared_profile_window(s->profile);
    const struct profile *whole = shared_profile_get(shared_profile_whole(s->profile));
    struct system_log_sink *sink = system_log_new(arena, whole, window);

    if (sink == NULL) {
        fail_arena(arena, diag);
        return NULL;
    }
    struct replay_request replay = {.tracks = sink->tracks,
                                    .n_tracks = sink->n_tracks,
                                    .window = window,
                                    .sink = system_log_replay(sink)};
    if (sink->n_tracks == 0 || profile_log_replay(s, &replay, diag))
        return system_log_finish(sink);
    conversion_replay_failed(arena, diag);
    return NULL;
}

/* By track, in the arena. False: diag. */
static bool read_rivals(const struct convert_source *s, const struct system_log *log, struct arena *arena,
                        const uint64_t **ran_ns, struct diag *diag)
{
    struct system_rivals *r =
        system_rivals_new(arena, shared_profile_get(shared_profile_whole(s->profile)), log);

    if (r == NULL)
        return fail_arena(arena, diag);
    struct replay_request replay = {.tracks = r->tracks,
                                    .n_tracks = r->n_tracks,
                                    .window = shared_profile_window(s->profile),
                                    .sink = system_rivals_replay(r)};
    *ran_ns = r->ran_ns;
    return r->n_tracks == 0 || profile_log_replay(s, &replay, diag) || conversion_replay_failed(arena, diag);
}

/* Who ended the longest wait of the main thread. In the arena. NULL: diag. */
static const struct wake_chain *read_wakes(const struct convert_source *s, struct arena *arena,
                                           struct diag *diag)
{
    const struct profile *whole = shared_profile_get(shared_profile_whole(s->profile));
    struct wake_chain *c = wake_chain_new(arena, whole, shared_profile_window(s->profile));
    struct replay_request replay;

    if (c == NULL) {
        fail_arena(arena, diag);
        return NULL;
    }
    while (wake_chain_wants(c, &replay))
        if (!profile_log_replay(s, &replay, diag)) {
            conversion_replay_failed(arena, diag);
            return NULL;
        }
    return c;
}

/* The range as a profile; *made is NULL where there is no range. False: diag. */
static bool range_of(const struct convert_source *s, const struct system_range *range,
                     struct shared_profile **made, struct diag *diag)
{
    struct convert_source whole = *s;
    const struct window window = {range->from_ns, range->to_ns};

    whole.profile = shared_profile_whole(s->profile);
    *made = range->to_ns > range->from_ns ? convert_window(&whole, &window, diag) : NULL;
    return *made != NULL || range->to_ns <= range->from_ns;
}

static bool draw_system_verdict(const struct convert_source *s, const struct view_options *view,
                                const struct verdict_format *format, struct buf *out, struct diag *diag)
{
    struct system_times times = {0};
    struct drawn_verdict verdict = {.format = format, .system = &times};
    struct convert_drawing d = {draw_verdict, &verdict};
    struct shared_profile *start = NULL, *frame = NULL;
    struct system_range worst;
    struct arena arena;

    arena_init(&arena, (size_t)s->config->job_memory_bytes);
    arena.stop = s->stop;
    times.log = read_system_log(s, &arena, diag);
    times.wakes = times.log != NULL ? read_wakes(s, &arena, diag) : NULL;
    bool ok = times.wakes != NULL && read_rivals(s, times.log, &arena, &times.ran_ns, diag) &&
              range_of(s, &times.log->start, &start, diag);
    worst = ok ? system_worst_frame(shared_profile_get(s->profile), times.log) : (struct system_range){0};
    ok = ok && range_of(s, &worst, &frame, diag);
    times.start = start != NULL ? shared_profile_get(start) : NULL;
    times.frame = frame != NULL ? shared_profile_get(frame) : NULL;
    ok = ok && draw_with_spans(s, view, &d, out, diag);
    shared_profile_free(start);
    shared_profile_free(frame);
    arena_free(&arena);
    return ok;
}

/* --- of a series of heaps --- */

struct drawn_growth {
    struct growth *growth;
    uint32_t since;
};

static bool draw_growth(const void *what, const struct render_input *in, struct buf *out, struct diag *diag)
{
    const struct drawn_growth *d = what;

    (void)out;
    return growth_find(in, d->since, d->growth) || fail_arena(in->scratch, diag);
}

/* What the dump that is shown has more than the first one and the one before it. What changed between two dumps has no
 * growth. False: diag. */
static bool find_growths(const struct convert_source *s, const struct view_options *view,
                         struct growth growths[GROWTHS], struct diag *diag)
{
    const uint32_t count = moment_count(shared_profile_get(s->profile));
    const uint32_t number = view->moment.number == 0 ? count : view->moment.number;
    struct view_options options = *view;
    struct buf nothing = {0};
    bool ok = true;

    memset(growths, 0, GROWTHS * sizeof(*growths));
    if (view->mode == MODE_INTERVAL || view->moment.since > 0 || number > count)
        return true;
    for (unsigned i = 0; ok && i < GROWTHS; i++) {
        struct drawn_growth what = {&growths[i], i == GROWTH_SINCE_FIRST ? 1 : number - 1};
        struct convert_drawing d = {draw_growth, &what};
        options.moment = (struct view_moment){number, what.since};
        if (number > (i == GROWTH_SINCE_FIRST ? 1U : 2U))
            ok = convert_drawn(s, &d, &options, &nothing, diag);
    }
    buf_free(&nothing);
    return ok;
}

/* With a log that can be read. */
static bool is_system_trace(const struct convert_source *s, const struct profile *p)
{
    return s->fd >= 0 && p->n_times > 0 && sections_in(p);
}

/* What filters leave of a system trace has no start of its own: only all of it has. */
bool convert_verdict(const struct report_input *in, struct buf *out, struct diag *diag)
{
    const struct verdict_format *format = (const struct verdict_format *)in->format;
    struct drawn_verdict verdict = {.format = format};
    struct convert_drawing d = {draw_verdict, &verdict};
    struct growth growths[GROWTHS];

    if (in->view->filters.n == 0 && is_system_trace(&in->source, shared_profile_get(in->source.profile)))
        return draw_system_verdict(&in->source, in->view, format, out, diag);
    if (!find_growths(&in->source, in->view, growths, diag))
        return false;
    verdict.growths = growths;
    return draw_with_spans(&in->source, in->view, &d, out, diag);
}

/* --- the first sentences --- */

void report_headline(const json_t *sentences, size_t n, struct buf *b)
{
    for (size_t i = 0; i < n; i++) {
        struct str text = json_memory_text(json_object_get(json_array_get(sentences, i), "text"));
        if (text.n == 0)
            return;
        buf_z(b, i > 0 ? " " : "");
        buf_str(b, text);
    }
}

bool report_take_headline(struct buf *json, const char *member, size_t n, struct buf *headline,
                          struct diag *diag)
{
    json_t *said = json_memory_load(buf_view(json), 0, NULL);

    buf_free(json);
    if (said == NULL)
        return diag_no_memory(diag, "No memory for the words.");
    report_headline(json_object_get(said, member), n, headline);
    json_decref(said);
    return !headline->failed || diag_no_memory(diag, "No memory for the words.");
}

/* ---- lanes ---- */

/* What all threads of a profile did in a window of time: what GET /p/<id>/lanes answers with. */

/* What is open shows what the filters leave. In the arena. False: diag. */
static bool set_filter(const struct report_input *r, const struct render_input *in,
                       struct lanes_request *request, struct span_filter *filter, struct diag *diag)
{
    const struct profile *p = in->profile; /* whose tracks are those of the source, at the same places */
    uint32_t *tracks = arena_array(in->scratch, r->request->lanes.n_stacks, sizeof(*tracks));

    if (tracks == NULL)
        return fail_arena(in->scratch, diag);
    *filter = (struct span_filter){.tracks = tracks};
    for (uint32_t i = 0; i < request->n_tracks; i++)
        if (request->tracks[i].is_open)
            tracks[filter->n_tracks++] = (uint32_t)(request->tracks[i].track - p->tracks);
    request->filter = filter;
    return conversion_span_filter(r->source.profile, r->view, in->scratch, filter, diag);
}

/* The frames' memory is that of the view; what is found is in it too. */
static bool draw_lanes(const void *what, const struct render_input *in, struct buf *out, struct diag *diag)
{
    const struct report_input *r = what; /* its view is as asked: with window and filters */
    const struct lanes_asked *asked = &r->request->lanes;
    struct lanes_plan plan;
    struct span_filter filter;

    if (!lanes_plan(&plan, in, asked, r->view->from_ns, r->view->to_ns, diag) ||
        (r->view->filters.n > 0 && !set_filter(r, in, &plan.request, &filter, diag)))
        return false;
    uint32_t *indexes = arena_array(in->scratch, plan.request.n_tracks, sizeof(*indexes));
    for (uint32_t i = 0; indexes != NULL && i < plan.request.n_tracks; i++)
        indexes[i] = (uint32_t)(plan.request.tracks[i].track - in->profile->tracks);
    if (indexes == NULL)
        return fail_arena(in->scratch, diag);
    const struct lanes *lanes = convert_replay_lanes(&r->source, &plan.request, indexes, in->scratch, diag);
    if (lanes == NULL)
        return conversion_replay_failed(in->scratch, diag);
    return ((const struct lanes_format *)r->format)->write(in, &plan, lanes, out, diag);
}

bool convert_lanes(const struct report_input *in, struct buf *out, struct diag *diag)
{
    struct view_options whole = *in->view;

    whole.from_ns = whole.to_ns = VIEW_TIME_NONE; /* names and weights are those of all of the recording */
    whole.filters = (struct view_filters){0};
    return convert_drawn(&in->source, &(struct convert_drawing){draw_lanes, in}, &whole, out, diag);
}

/* ---- late frames ---- */

struct drawn_frames {
    const struct late_frames *frames;
    const struct late_frames_format *format;
};

static bool draw_frames(const void *what, const struct render_input *in, struct buf *out, struct diag *diag)
{
    const struct drawn_frames *d = what;

    return d->format->write(in, d->frames, out, diag);
}

bool convert_frames(const struct report_input *in, struct buf *out, struct diag *diag)
{
    struct convert_source whole = in->source;
    struct view_options options = *in->view;
    struct arena arena;

    whole.profile = shared_profile_whole(whole.profile);
    options.from_ns = options.to_ns = VIEW_TIME_NONE;
    options.filters = (struct view_filters){0};
    arena_init(&arena, (size_t)whole.config->job_memory_bytes);
    arena.stop = whole.stop;
    struct late_frames *t =
        late_frames_new(&arena, shared_profile_get(whole.profile), shared_profile_window(in->source.profile));
    struct drawn_frames drawn = {t, (const struct late_frames_format *)in->format};
    bool ok = t != NULL || fail_arena(&arena, diag);
    if (t != NULL && t->n_tracks > 0) {
        struct replay_request replay = {
            .tracks = t->tracks, .n_tracks = t->n_tracks, .sink = late_frames_replay(t)};
        ok = profile_log_replay(&in->source, &replay, diag) || conversion_replay_failed(&arena, diag);
    }
    ok = ok && convert_drawn(&whole, &(struct convert_drawing){draw_frames, &drawn}, &options, out, diag);
    arena_free(&arena);
    return ok;
}

/* ---- methods ---- */

/* The profile table of a folded profile: what GET /p/<id>/methods and `aflamed methods` answer with. */

struct calls_work {
    const struct convert_source *source;
    struct calls_request request; /* of the whole profile */
    struct window windows[PARALLEL_JOBS_MAX];
    const struct calls *slices[PARALLEL_JOBS_MAX];
};

/* NULL: diag, or the arena gave no more. */
static const struct calls *replay_calls(const struct convert_source *s, const struct calls_request *request,
                                        struct arena *arena, struct diag *diag)
{
    struct calls_sink *sink = calls_sink_new(arena, request);

    if (sink == NULL)
        return NULL;
    struct replay_request replay = {.tracks = request->tracks,
                                    .n_tracks = request->n_tracks,
                                    .window = request->window,
                                    .sink = calls_sink_replay(sink)};
    return profile_log_replay(s, &replay, diag) ? calls_sink_finish(sink) : NULL;
}

static bool replay_calls_slice(void *context, unsigned nth, struct arena *arena, struct diag *diag)
{
    struct calls_work *w = context;
    struct calls_request request = w->request;

    request.window = &w->windows[nth];
    w->slices[nth] = replay_calls(w->source, &request, arena, diag);
    return w->slices[nth] != NULL;
}

/* The calls that begin in each slice of the time. NULL: diag, or the arena gave no more. */
static const struct calls *join_calls(struct calls_work *w, unsigned n, struct arena *arena,
                                      struct diag *diag)
{
    struct calls_sink *whole = calls_sink_new(arena, &w->request);
    struct arena arenas[PARALLEL_JOBS_MAX];

    if (whole == NULL)
        return NULL;
    bool ok = time_slices_make(w->source, n, replay_calls_slice, w, arena, arenas, diag);
    for (unsigned i = 0; ok && i < n; i++)
        calls_sink_join(whole, w->slices[i]);
    for (unsigned i = 0; i < n; i++)
        arena_free(&arenas[i]);
    return ok ? calls_sink_finish(whole) : NULL;
}

/* How long calls were, in the arena. `request` is of the whole profile. False: diag. */
static bool convert_calls(const struct convert_source *s, const struct calls_request *request,
                          struct arena *arena, const struct calls **calls, struct diag *diag)
{
    const struct window window =
        request->window != NULL ? *request->window : (struct window){0, WINDOW_NO_END};
    struct calls_work w = {.source = s, .request = *request};
    uint64_t begin_ns[PARALLEL_JOBS_MAX];

    *calls = NULL;
    if (!profile_log_make(s, diag))
        return false;
    unsigned n = time_slices_cut(s, window.from_ns, window.to_ns, begin_ns);
    for (unsigned i = 0; i < n; i++)
        w.windows[i] = (struct window){begin_ns[i], i + 1 < n ? begin_ns[i + 1] : window.to_ns};
    *calls = n > 1 ? join_calls(&w, n, arena, diag) : replay_calls(s, request, arena, diag);
    return *calls != NULL || conversion_replay_failed(arena, diag);
}

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
    request.tracks = view_tracks(in->profile, in->view, &request.n_tracks, in->scratch);
    return request.tracks != NULL ? convert_calls(source, &request, in->scratch, calls, diag)
                                  : fail_arena(in->scratch, diag);
}

/* ---- the table ---- */

static bool draw_methods(const void *what, const struct render_input *in, struct buf *out, struct diag *diag)
{
    const struct report_input *r = what;
    const struct table_request *rows = &r->request->table;
    struct render_input with_calls = *in;
    struct groups groups;

    if (rows->longest && rows->group != GROUP_THREAD) {
        if (!groups_new(&groups, in->profile, in->names, rows->group, in->scratch))
            return fail_arena(in->scratch, diag);
        if (!read_calls(&r->source, in, groups.of_frame, groups.n, CALLS_NO_ROW, &with_calls.calls, diag))
            return false;
    }
    return table_write(&with_calls, rows, (const struct table_format *)r->format, out, diag);
}

bool convert_methods(const struct report_input *in, struct buf *out, struct diag *diag)
{
    return convert_drawn(&in->source, &(struct convert_drawing){draw_methods, in}, in->view, out, diag);
}

/* ---- the digest ---- */

static bool draw_digest(const void *what, const struct render_input *in, struct buf *out, struct diag *diag)
{
    return digest_write(in, what, out, diag);
}

bool convert_digest(const struct report_input *in, struct buf *out, struct diag *diag)
{
    const struct convert_source *s = &in->source;
    const struct system_log *log = NULL;
    struct arena arena;
    bool ok = true;

    arena_init(&arena, (size_t)s->config->job_memory_bytes);
    arena.stop = s->stop;
    if (is_system_trace(s, shared_profile_get(s->profile)))
        ok = (log = read_system_log(s, &arena, diag)) != NULL;
    ok = ok && convert_drawn(s, &(struct convert_drawing){draw_digest, log}, in->view, out, diag);
    arena_free(&arena);
    return ok;
}

/* ---- one method ---- */

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
    const struct report_input *r = what;
    const struct shared_profile *f = r->source.profile;
    const struct profile *whole =
        shared_profile_window(f) != NULL ? shared_profile_get(shared_profile_whole(f)) : NULL;
    struct render_input with_calls = *in;
    const struct table *t;
    uint32_t row;

    return method_find(in, whole, r->method, &t, &row, diag) &&
           (!r->request->table.longest || read_calls_of(&r->source, in, t, row, &with_calls.calls, diag)) &&
           method_write(&with_calls, t, row, (const struct method_format *)r->format, &r->request->table, out,
                        diag);
}

bool convert_method(const struct report_input *in, struct buf *out, struct diag *diag)
{
    return convert_drawn(&in->source, &(struct convert_drawing){draw_one, in}, in->view, out, diag);
}

/* ---- profiles as one ---- */

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

    if (!conversion_seed(&seed, diag))
        return false;
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

/* ---- comparisons ---- */

/* The table of a comparison: what `aflamed diff` and GET /d/<idA>..<idB>/methods answer with. */

static bool check_rules(struct diff_checks *c, const struct table *t, struct diag *diag)
{
    for (uint32_t i = 0; c != NULL && i < c->n; i++)
        if (!diff_rule_check(&c->rules[i], t, c->says, &c->passed, diag))
            return false;
    return true;
}

/* NULL: diag. */
static const struct table *table_of(const struct report_input *r, const struct render_input *in,
                                    struct diag *diag)
{
    const struct table *t =
        methods_new(in->profile, in->names, in->view, r->request->table.group, in->scratch);

    if (t != NULL)
        t = diff_new(t, &r->request->diff, in->scratch, diag);
    if (t == NULL && diag->kind == DIAG_NONE)
        fail_arena(in->scratch, diag);
    return t;
}

static bool draw_diff(const void *what, const struct render_input *in, struct buf *out, struct diag *diag)
{
    const struct report_input *r = what;
    const struct table *t = table_of(r, in, diag);

    return t != NULL && check_rules(r->checks, t, diag) &&
           diff_write(t, in, &r->request->table, (const struct table_format *)r->format, out, diag);
}

bool convert_diff(const struct report_input *in, struct buf *out, struct diag *diag)
{
    return convert_drawn(&in->source, &(struct convert_drawing){draw_diff, in}, in->view, out, diag);
}

/* The profile of both sides. False: diag. */
static bool open_sides(const struct report_input *r, const struct render_input *in, struct diff_sides *sides,
                       struct diag *diag)
{
    const struct table *t = table_of(r, in, diag);

    if (t == NULL || !diff_sides_open(sides, t, in, diag))
        return false;
    sides->in.view = &sides->view;
    return true;
}

/* Callers and callees are sorted by what is larger. */
static bool draw_method(const void *what, const struct render_input *in, struct buf *out, struct diag *diag)
{
    const struct report_input *r = what;
    const struct table *found;
    struct diff_sides sides;
    uint32_t row;

    if (!open_sides(r, in, &sides, diag) || !method_find(&sides.in, NULL, r->method, &found, &row, diag))
        return false;
    struct table of_sides = *found;
    of_sides.heaviest = COMPARE_LARGER;
    of_sides.first_calls = COMPARE_CALLS_A;
    return method_write(&sides.in, &of_sides, row, (const struct method_format *)r->format,
                        &r->request->table, out, diag);
}

bool convert_diff_method(const struct report_input *in, struct buf *out, struct diag *diag)
{
    return convert_drawn(&in->source, &(struct convert_drawing){draw_method, in}, in->view, out, diag);
}

/* ---- the card of a comparison ---- */

struct drawn_card {
    const struct report_input *of;
    struct card_words words;
};

static bool draw_diff_card(const void *what, const struct render_input *in, struct buf *out,
                           struct diag *diag)
{
    const struct drawn_card *card = what;
    struct diff_sides sides;

    return open_sides(card->of, in, &sides, diag) && card_render(&card->words, &sides.in, out, diag);
}

bool convert_diff_card(const struct report_input *in, struct buf *out, struct diag *diag)
{
    struct asked asked = *in->request;
    struct report_input headless = *in;
    struct buf headline = {0}, table = {0};

    asked.table.limit = 0;
    headless.request = &asked;
    headless.format = &TABLE_JSON.text;
    bool ok = convert_diff(&headless, &table, diag) &&
              report_take_headline(&table, "verdict", HEADLINE_OF_CHANGE, &headline, diag);
    buf_free(&table);
    const struct drawn_card card = {&headless, {str_of(asked.title), buf_view(&headline)}};
    ok = ok &&
         convert_drawn(&in->source, &(struct convert_drawing){draw_diff_card, &card}, in->view, out, diag);
    buf_part_end(out, &headline);
    return ok;
}
