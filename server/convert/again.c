/* What a profile does not hold, and what is made by reading its bytes a second time: calls in the order of time, how long they
 * were, and windows of time. */
#include <stdlib.h>

#include "profile/build/builder.h"
#include "profile/calls/span.h"
#include "profile/calls/window_rest.h"
#include "profile/rename/rename.h"
#include "profile/rename/rename_watch.h"
#include "render/view/fail.h"
#include "server/convert/convert_impl.h"

/* Frames are named by their ids in the first reading: the second one must have been of the same bytes. */
static bool same_profile(const struct profile *first, const struct profile *b, struct diag *diag)
{
    const struct profile *a = rename_original(first);

    if (a->n_frames == b->n_frames && a->n_nodes == b->n_nodes && a->n_tracks == b->n_tracks)
        return true;
    return diag_set(diag, DIAG_IO, "the file changed", "Try again when nothing writes to it any more.",
                    "The file was read twice, and was not the same.");
}

static bool attach_packets(struct conversion *again, const struct shared_profile *whole, struct diag *diag)
{
    bool ok = true;

    for (size_t i = 0; ok && i < whole->n_packets; i++)
        ok = conversion_packets(again, whole->packets[i], diag);
    return ok;
}

struct conversion *conversion_again(const struct shared_profile *f, const struct config *config,
                                    struct diag *diag)
{
    struct conversion *again = conversion_new(config);

    if (again == NULL)
        conversion_no_memory(diag);
    else
        conversion_choose(again, f->member);
    if (again != NULL && !attach_packets(again, shared_profile_whole(f), diag)) {
        conversion_abandon(again);
        return NULL;
    }
    if (again != NULL && again->reader.diag.kind == DIAG_NONE)
        reader_split(&again->reader, shared_profile_whole(f)->profile->split);
    if (again != NULL && shared_profile_whole(f)->addresses && again->reader.diag.kind == DIAG_NONE)
        reader_keep_addresses(&again->reader);
    return again;
}

bool conversion_watch(struct conversion *again, const struct shared_profile *first, struct watcher *w,
                      struct diag *diag)
{
    struct arena *arena = &again->made->arena;

    if (again->reader.diag.kind != DIAG_NONE) {
        *diag = again->reader.diag;
        return false;
    }
    w = rename_watcher(shared_profile_whole(first)->profile, w, arena);
    if (w == NULL)
        return conversion_arena_failed(arena, diag);
    builder_watch(again->reader.builder, w);
    return true;
}

struct hash_seed conversion_seed(const struct conversion *again)
{
    static const struct hash_seed NONE = {0, 0};

    return again->reader.diag.kind == DIAG_NONE ? builder_seed(again->reader.builder) : NONE;
}

bool conversion_end_again(struct conversion *again, const struct convert_source *s, struct diag *diag)
{
    const struct profile *p = conversion_finish_reading(again, s->fd, s->stop);

    if (p == NULL)
        *diag = again->reader.diag;
    if (p != NULL && again->made->arena.failure != ARENA_OK) /* of the watcher, for one of the tracks */
        return conversion_arena_failed(&again->made->arena, diag);
    return p != NULL && same_profile(shared_profile_whole(s->profile)->profile, p, diag);
}

/* False: diag. */
static bool read_again(struct conversion *again, const struct convert_source *s, struct watcher *w,
                       struct diag *diag)
{
    uint64_t offset = 0;
    enum convert_step step = conversion_watch(again, s->profile, w, diag) ? CONVERT_MORE : CONVERT_FAILED;
    struct checkpoints *c = part_record(shared_profile_whole(s->profile), again);

    while (step == CONVERT_MORE)
        step = conversion_feed_file(again, s->fd, &offset, s->stop, diag);
    bool ok = step == CONVERT_FED && conversion_end_again(again, s, diag);
    part_recorded(shared_profile_whole(s->profile), again, c, ok);
    return ok;
}

/* ---- calls ---- */

/* From the first checkpoints on, a part of the bytes is read for a window. */
static bool read_for(struct conversion *again, const struct convert_source *s, const struct window *window,
                     struct watcher *w, struct diag *diag)
{
    const struct shared_profile *whole = shared_profile_whole(s->profile);
    bool in_parts = window != NULL && whole->checkpoints != NULL && atomic_load(whole->checkpoints) != NULL;

    return in_parts ? part_read(whole, again, window, s->fd, s->stop, w, diag)
                    : read_again(again, s, w, diag);
}

/* The spans live in the memory of the second conversion, which is used up; so does the filter, NULL: none. */
static const struct spans *read_spans(struct conversion *again, const struct convert_source *s,
                                      const struct span_request *request, const struct span_filter *filter,
                                      struct diag *diag)
{
    struct arena *arena = &again->made->arena;
    struct span_sink *sink = span_sink_new(arena, request);
    struct watcher *w = sink != NULL ? span_sink_watcher(sink) : NULL;

    if (sink != NULL && filter != NULL) {
        struct span_rows *rows = span_rows_new(arena, filter, request->rest_ns > 0, &sink);
        w = rows != NULL ? span_rows_watcher(rows) : NULL;
    }
    if (w == NULL) {
        conversion_arena_failed(arena, diag);
        return NULL;
    }
    /* As in lanes.c: what only touches the end, and filters. */
    const struct window window = {request->from_ns, request->to_ns + 1};
    return read_for(again, s, filter == NULL ? &window : NULL, w, diag) ? span_sink_finish(sink) : NULL;
}

bool convert_watch(const struct convert_source *s, const struct window *window, struct watcher *w,
                   struct diag *diag)
{
    struct conversion *again = conversion_again(s->profile, s->config, diag);
    bool ok = again != NULL && read_for(again, s, window, w, diag);

    conversion_abandon(again);
    return ok;
}

bool convert_calls(const struct convert_source *s, const struct calls_request *request, struct arena *arena,
                   const struct calls **calls, struct diag *diag)
{
    struct calls_sink *sink = calls_sink_new(arena, request);
    bool ok = sink != NULL && convert_watch(s, request->window, calls_sink_watcher(sink), diag);

    *calls = ok ? calls_sink_finish(sink) : NULL;
    return *calls != NULL || fail_arena(arena, diag);
}

bool convert_with_spans(const struct convert_source *s, const struct span_request *request, bool filtered,
                        const struct convert_drawing *d, const struct view_options *view, struct buf *out,
                        struct diag *diag)
{
    const struct profile *p = s->profile->profile;
    const struct profile_track *track = profile_track_by_id(p, request->track);
    const uint32_t index = (uint32_t)(track - p->tracks);
    struct span_filter filter = {.tracks = &index, .n_tracks = 1};
    struct view_options resolved = *view;

    if (!view_resolve(&resolved, p, diag))
        return false;
    struct conversion *again = conversion_again(s->profile, s->config, diag);
    if (again == NULL)
        return false;
    bool ok = !filtered || conversion_span_filter(s, &resolved, &again->made->arena, &filter, diag);
    const struct spans *spans = ok ? read_spans(again, s, request, filtered ? &filter : NULL, diag) : NULL;
    ok = spans != NULL && convert_within(s->profile, s->config, d, &resolved, spans, out, diag);
    conversion_abandon(again);
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

/* Reads the window into its own arena. Adds to *cut how many calls that begin from cut_since_ns on an edge of it cuts. NULL: diag. */
static struct shared_profile *read_window(const struct convert_source *s, const struct window *window,
                                          uint64_t cut_since_ns, uint64_t *cut, struct diag *diag)
{
    struct conversion *again = conversion_again(s->profile, s->config, diag);
    struct shared_profile *made = again != NULL ? new_window(s->profile, s->config, window, diag) : NULL;

    if (made != NULL) {
        const struct window_request request = {s->profile->profile, *window, conversion_seed(again),
                                               cut_since_ns};
        struct window_sink *sink = window_sink_new(&made->arena, &again->made->arena, &request);
        struct watcher *w = sink != NULL ? window_sink_watcher(sink) : NULL;
        bool ok = w != NULL && read_for(again, s, window, w, diag);
        made->profile = ok ? window_sink_finish(sink) : NULL;
        *cut += ok ? window_sink_cut(sink) : 0;
        if (made->profile == NULL && (diag->kind == DIAG_NONE || made->arena.failure != ARENA_OK))
            conversion_arena_failed(&made->arena, diag);
    }
    conversion_abandon(again);
    if (made == NULL || made->profile != NULL)
        return made;
    shared_profile_free(made);
    return NULL;
}

/* What is left of the whole without what lies outside, which is read. NULL: diag. */
static struct shared_profile *rest_of_whole(const struct convert_source *s, const struct window *window,
                                            struct diag *diag)
{
    const struct window in_front = {0, window->from_ns}, after = {window->to_ns, WINDOW_NO_END};
    bool has_front = in_front.to_ns > 0, has_after = after.from_ns != WINDOW_NO_END;
    uint64_t cut = 0;
    struct shared_profile *before = has_front ? read_window(s, &in_front, 0, &cut, diag) : NULL;
    bool ok = before != NULL || !has_front;
    struct shared_profile *behind =
        ok && has_after ? read_window(s, &after, window->from_ns, &cut, diag) : NULL;

    ok = ok && (behind != NULL || !has_after);
    struct shared_profile *made = ok ? new_window(s->profile, s->config, window, diag) : NULL;
    if (made != NULL) {
        const struct window_request request = {.profile = s->profile->profile, .window = *window};
        const struct window_outside outside = {before != NULL ? before->profile : NULL,
                                               behind != NULL ? behind->profile : NULL, cut};
        struct arena scratch;
        arena_init(&scratch, (size_t)s->config->job_memory_bytes);
        made->profile = window_rest(&made->arena, &scratch, &request, &outside);
        if (made->profile == NULL) {
            conversion_arena_failed(made->arena.failure != ARENA_OK ? &made->arena : &scratch, diag);
            shared_profile_free(made);
            made = NULL;
        }
        arena_free(&scratch);
    }
    shared_profile_free(before);
    shared_profile_free(behind);
    return made;
}

struct shared_profile *convert_window(const struct convert_source *whole, const struct window *window,
                                      struct diag *diag)
{
    uint64_t cut = 0;

    if (!has_times(whole->profile->profile, diag))
        return NULL;
    return part_outside_is_less(whole->profile, window) ? rest_of_whole(whole, window, diag)
                                                        : read_window(whole, window, 0, &cut, diag);
}
