#include "server/convert/report.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "profile/compare/compare.h"
#include "profile/frame/sections.h"
#include "profile/transform/transform.h"
#include "render/card/card.h"
#include "render/digest/profile_digest.h"
#include "render/lanes/lanes_formats.h"
#include "render/method/method.h"
#include "render/names/names.h"
#include "render/table/diff.h"
#include "render/table/diff_pairs.h"
#include "render/table/diff_words.h"
#include "render/table/late_frames.h"
#include "render/table/table.h"
#include "render/table/table_format.h"
#include "render/verdict/growth.h"
#include "render/verdict/system_log.h"
#include "render/verdict/verdict.h"
#include "render/verdict/wake_chain.h"
#include "render/view/text_format.h"
#include "render/view/view.h"
#include "server/convert/convert.h"
#include "server/convert/convert_impl.h"
#include "server/convert/mapping_fit.h"
#include "server/convert/summary.h"

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
    struct span_request request;

    if (s->fd < 0 || !verdict_wants_spans(shared_profile_get(s->profile), &request))
        return convert_drawn(s->profile, s->config, d, view, out, diag);
    return convert_with_spans(s, &request, false, d, view, out, diag);
}

/* --- of a system trace --- */

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
    struct convert_drawing d = {draw_verdict, &verdict, s->stop};
    struct shared_profile *start = NULL, *frame = NULL;
    struct system_range none = {0};
    struct arena arena;

    arena_init(&arena, (size_t)s->config->job_memory_bytes);
    arena.stop = s->stop;
    times.log = read_system_log(s, &arena, diag);
    times.wakes = times.log != NULL ? read_wakes(s, &arena, diag) : NULL;
    bool ok = times.wakes != NULL && read_rivals(s, times.log, &arena, &times.ran_ns, diag) &&
              range_of(s, &times.log->start, &start, diag) &&
              range_of(s, times.log->late > 0 ? &times.log->longest_frame : &none, &frame, diag);
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
        struct convert_drawing d = {draw_growth, &what, s->stop};
        options.moment = (struct view_moment){number, what.since};
        if (number > (i == GROWTH_SINCE_FIRST ? 1U : 2U))
            ok = convert_drawn(s->profile, s->config, &d, &options, &nothing, diag);
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
bool convert_verdict(const struct convert_source *s, const struct view_options *view,
                     const struct verdict_format *format, struct buf *out, struct diag *diag)
{
    struct drawn_verdict verdict = {.format = format};
    struct convert_drawing d = {draw_verdict, &verdict, s->stop};
    const struct profile *p = shared_profile_get(s->profile);

    if (view->n_filters == 0 && is_system_trace(s, p))
        return draw_system_verdict(s, view, format, out, diag);
    struct growth growths[GROWTHS];
    if (!find_growths(s, view, growths, diag))
        return false;
    verdict.growths = growths;
    return draw_with_spans(s, view, &d, out, diag);
}

/* ---- lanes ---- */

/* What all threads of a profile did in a window of time: what GET /p/<id>/lanes answers with. */

struct drawing {
    const struct convert_source *source;
    const struct view_options *view; /* as asked: with window and filters */
    const struct lanes_asked *asked;
    const struct lanes_format *format;
};

void convert_lanes_options(const struct config *config, const struct lanes_asked *what,
                           struct view_options *view)
{
    const struct view_options asked = *view;

    convert_defaults(config, view);
    view->view = VIEW_CHART; /* The window counts in views of time only, also in keys. */
    view->tracks = asked.tracks;
    view->n_track_ids = asked.n_track_ids;
    memcpy(view->track_ids, asked.track_ids, sizeof(view->track_ids));
    memcpy(view->app, asked.app, sizeof(view->app));
    memcpy(view->split, asked.split, sizeof(view->split));
    view->open = asked.open;
    view->width_px = asked.width_px;
    view->from_ns = asked.from_ns;
    view->to_ns = asked.to_ns;
    if (what->n_stacks == 0)
        return;
    view->n_filters = asked.n_filters;
    view->filter_bytes = asked.filter_bytes;
    memcpy(view->filters, asked.filters, sizeof(view->filters));
    memcpy(view->filter_text, asked.filter_text, sizeof(view->filter_text));
}

/* What is open shows what the filters leave. In the arena. False: diag. */
static bool set_filter(const struct drawing *d, const struct render_input *in, struct lanes_request *request,
                       struct span_filter *filter, struct diag *diag)
{
    const struct profile *p = in->profile; /* whose tracks are those of the source, at the same places */
    uint32_t *tracks = arena_array(in->scratch, d->asked->n_stacks, sizeof(*tracks));

    if (tracks == NULL)
        return fail_arena(in->scratch, diag);
    *filter = (struct span_filter){.tracks = tracks};
    for (uint32_t i = 0; i < request->n_tracks; i++)
        if (request->tracks[i].is_open)
            tracks[filter->n_tracks++] = (uint32_t)(request->tracks[i].track - p->tracks);
    request->filter = filter;
    return conversion_span_filter(d->source->profile, d->view, in->scratch, filter, diag);
}

/* The frames' memory is that of the view; what is found is in it too. */
static bool draw_lanes(const void *what, const struct render_input *in, struct buf *out, struct diag *diag)
{
    const struct drawing *d = what;
    struct lanes_plan plan;
    struct span_filter filter;

    if (!lanes_plan(&plan, in, d->asked, d->view->from_ns, d->view->to_ns, diag) ||
        (d->view->n_filters > 0 && !set_filter(d, in, &plan.request, &filter, diag)))
        return false;
    struct lanes_sink *sink = lanes_sink_new(in->scratch, &plan.request);
    uint32_t *indexes = arena_array(in->scratch, plan.request.n_tracks, sizeof(*indexes));
    for (uint32_t i = 0; indexes != NULL && i < plan.request.n_tracks; i++)
        indexes[i] = (uint32_t)(plan.request.tracks[i].track - in->profile->tracks);
    if (sink == NULL || indexes == NULL)
        return fail_arena(in->scratch, diag);
    /* What only touches the end is within reach of spans. What filters leave of a call may lie outside the window. */
    const struct window window = {plan.request.from_ns, plan.request.to_ns + 1};
    /* A sample before the window tells what its thread does at the window's beginning. */
    bool cuts =
        plan.request.filter == NULL && plan.request.sample_cpu == 0 && plan.request.sample_waiting == 0;
    struct replay_request replay = {.tracks = indexes,
                                    .n_tracks = plan.request.n_tracks,
                                    .window = cuts ? &window : NULL,
                                    .rests = plan.request.open_to_end,
                                    .looks_at_self = d->asked->n_stacks > 0,
                                    .sink = lanes_sink_replay(sink)};
    if (!profile_log_replay(d->source, &replay, diag))
        return conversion_replay_failed(in->scratch, diag);
    return d->format->write(in, &plan, lanes_sink_finish(sink), out, diag);
}

bool convert_lanes(const struct convert_source *s, const struct view_options *view,
                   const struct lanes_asked *asked, const struct lanes_format *format, struct buf *out,
                   struct diag *diag)
{
    struct drawing d = {s, view, asked, format};
    struct convert_drawing drawing = {draw_lanes, &d, s->stop};
    struct view_options whole = *view;

    whole.from_ns = whole.to_ns = VIEW_TIME_NONE; /* names and weights are those of all of the recording */
    while (whole.n_filters > 0)
        view_filter_remove(&whole, whole.n_filters - 1);
    return convert_drawn(s->profile, s->config, &drawing, &whole, out, diag);
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

bool convert_frames(const struct convert_source *s, const struct view_options *view,
                    const struct late_frames_format *format, struct buf *out, struct diag *diag)
{
    const struct shared_profile *whole = shared_profile_whole(s->profile);
    struct view_options options = *view;
    struct arena arena;

    options.from_ns = options.to_ns = VIEW_TIME_NONE;
    while (options.n_filters > 0)
        view_filter_remove(&options, options.n_filters - 1);
    arena_init(&arena, (size_t)s->config->job_memory_bytes);
    arena.stop = s->stop;
    struct late_frames *t =
        late_frames_new(&arena, shared_profile_get(whole), shared_profile_window(s->profile));
    struct drawn_frames drawn = {t, format};
    struct convert_drawing d = {draw_frames, &drawn, s->stop};
    bool ok = t != NULL || fail_arena(&arena, diag);
    if (t != NULL && t->n_tracks > 0) {
        struct replay_request replay = {
            .tracks = t->tracks, .n_tracks = t->n_tracks, .sink = late_frames_replay(t)};
        ok = profile_log_replay(s, &replay, diag) || conversion_replay_failed(&arena, diag);
    }
    ok = ok && convert_drawn(whole, s->config, &d, &options, out, diag);
    arena_free(&arena);
    return ok;
}

/* ---- methods ---- */

/* The profile table of a folded profile: what GET /p/<id>/methods and `aflamed methods` answer with. */

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

static bool draw_methods(const void *what, const struct render_input *in, struct buf *out, struct diag *diag)
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
    struct convert_drawing d = {draw_methods, &m, s->stop};

    return convert_drawn(s->profile, s->config, &d, view, out, diag);
}

static bool draw_digest(const void *what, const struct render_input *in, struct buf *out, struct diag *diag)
{
    return digest_write(in, what, out, diag);
}

bool convert_digest(const struct convert_source *s, const struct view_options *view, struct buf *out,
                    struct diag *diag)
{
    const struct profile *p = shared_profile_get(s->profile);
    const struct system_log *log = NULL;
    struct arena arena;

    arena_init(&arena, (size_t)s->config->job_memory_bytes);
    arena.stop = s->stop;
    bool is_system = is_system_trace(s, p), ok = true;
    if (is_system)
        ok = (log = read_system_log(s, &arena, diag)) != NULL;
    const struct convert_drawing d = {draw_digest, log, s->stop};
    ok = ok && convert_drawn(s->profile, s->config, &d, view, out, diag);
    arena_free(&arena);
    return ok;
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

/* ---- two profiles as one ---- */

/* Profiles as one. */

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

/* ---- comparisons ---- */

/* The table of a comparison: what `aflamed diff` and GET /d/<idA>..<idB>/methods answer with. */

struct diff {
    const struct table_request *rows;
    const struct diff_request *request;
    const struct table_format *format;
    struct diff_checks *checks;
    struct str method; /* of one method: its id or its name */
    const struct method_format *method_format;
    const struct card_words *words; /* of a card */
};

static bool check_rules(struct diff_checks *c, const struct table *t, struct diag *diag)
{
    for (uint32_t i = 0; c != NULL && i < c->n; i++)
        if (!diff_rule_check(&c->rules[i], t, c->says, &c->passed, diag))
            return false;
    return true;
}

/* NULL: diag. */
static const struct table *table_of(const struct diff *d, const struct render_input *in, struct diag *diag)
{
    const struct table *t = methods_new(in->profile, in->names, in->view, d->rows->group, in->scratch);

    if (t != NULL)
        t = diff_new(t, d->request, in->scratch, diag);
    if (t == NULL && diag->kind == DIAG_NONE)
        fail_arena(in->scratch, diag);
    return t;
}

static bool draw_diff(const void *what, const struct render_input *in, struct buf *out, struct diag *diag)
{
    const struct diff *d = what;
    const struct table *t = table_of(d, in, diag);

    return t != NULL && check_rules(d->checks, t, diag) && diff_write(t, in, d->rows, d->format, out, diag);
}

bool convert_diff(const struct shared_profile *f, const struct config *config,
                  const struct view_options *view, const struct table_request *rows,
                  const struct diff_request *request, const struct table_format *format,
                  struct diff_checks *checks, struct buf *out, struct diag *diag)
{
    struct diff diff = {.rows = rows, .request = request, .format = format, .checks = checks};
    struct convert_drawing d = {.draw = draw_diff, .what = &diff};

    return convert_drawn(f, config, &d, view, out, diag);
}

/* ---- one method ---- */

/* The report of the profile of both sides. Its callers and callees are sorted by what is larger. */
static bool draw_method(const void *what, const struct render_input *in, struct buf *out, struct diag *diag)
{
    const struct diff *d = what;
    const struct table *t = table_of(d, in, diag), *found;
    struct diff_sides sides;
    uint32_t row;

    if (t == NULL || !diff_sides_open(&sides, t, in, diag))
        return false;
    sides.in.view = &sides.view;
    if (!method_find(&sides.in, NULL, d->method, &found, &row, diag))
        return false;
    struct table of_sides = *found;
    of_sides.heaviest = COMPARE_LARGER;
    of_sides.first_calls = COMPARE_CALLS_A;
    return method_write(&sides.in, &of_sides, row, d->method_format, d->rows, out, diag);
}

bool convert_diff_method(const struct shared_profile *f, const struct config *config,
                         const struct view_options *view, struct str method, const struct table_request *rows,
                         const struct diff_request *request, const struct method_format *format,
                         struct buf *out, struct diag *diag)
{
    struct diff diff = {.rows = rows, .request = request, .method = method, .method_format = format};
    struct convert_drawing d = {.draw = draw_method, .what = &diff};

    return convert_drawn(f, config, &d, view, out, diag);
}

/* ---- the card of a comparison ---- */

static bool draw_diff_card(const void *what, const struct render_input *in, struct buf *out,
                           struct diag *diag)
{
    const struct diff *d = what;
    const struct table *t = table_of(d, in, diag);
    struct diff_sides sides;

    if (t == NULL || !diff_sides_open(&sides, t, in, diag))
        return false;
    sides.in.view = &sides.view;
    return card_render(d->words, &sides.in, out, diag);
}

bool convert_diff_card(const struct report_input *in, const struct card_words *words, struct buf *out,
                       struct diag *diag)
{
    struct table_request rows = in->request->table;

    rows.limit = 0;
    const struct diff diff = {.rows = &rows, .request = &in->request->diff, .words = words};
    const struct convert_drawing d = {draw_diff_card, &diff, in->source.stop};
    return convert_drawn(in->source.profile, in->source.config, &d, in->view, out, diag);
}
