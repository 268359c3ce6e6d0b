#include "server/convert/call_list.h"

#include <stdlib.h>

#include "render/table/methods.h"
#include "render/view/fail.h"
#include "render/view/measure.h"
#include "server/convert/call_kept.h"
#include "server/convert/convert_impl.h"

struct call_list {
    struct convert_source source;
    struct view_options view; /* resolved */
    const struct call_format *format;
    struct arena arena;
    struct call_rows_request request;
    const struct call_roots *roots_of; /* of each of request.tracks */
    struct window window;
    struct filter_stacks stacks;

    /* The reading under way; with filters, what re-roots is read before. */
    struct conversion *again;
    uint64_t offset;
    struct call_roots_sink *roots;
    struct call_rows *rows;
    bool begun; /* the text is */

    /* Of slices, whose sink lives for one reading. */
    struct arena reading;
    struct call_slices *slices;

    /* Where the slices of each track stand together: the next track, of request.tracks, is written while the file is read. Those behind
     * it are kept meanwhile, as far as there is room, and are written behind the reading, up to one that is not. */
    struct call_kept *kept;
    uint32_t next;
    uint32_t *reads; /* the tracks that a reading tells of: the next one, and those that are not kept */
    struct call_roots *reads_roots;
    uint32_t n_reads;
    bool writes_kept, in_track;

    struct call_writer writer;
    struct buf *out; /* during a step */
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

    if (l->kept != NULL && slice->track != l->request.tracks[l->next]) {
        call_kept_add(l->kept, slice);
        return true;
    }
    l->format->slice(&l->writer, slice, l->out);
    return !l->out->failed;
}

/* ---- before the first byte ---- */

static bool set_filter(struct call_list *l, struct diag *diag)
{
    if (l->view.n_filters == 0)
        return true;
    l->request.filter = &l->stacks;
    return conversion_stacks(l->source.profile, &l->view, &l->arena, &l->stacks, diag);
}

static bool set_request(struct call_list *l, struct diag *diag)
{
    const struct profile *p = l->source.profile->profile;

    l->request = (struct call_rows_request){
        .profile = p, .open_to_end = l->view.open == OPEN_END, .row = put_row, .context = l};
    l->request.tracks = methods_tracks(p, &l->view, &l->request.n_tracks, &l->arena);
    if (l->request.tracks == NULL)
        return conversion_arena_failed(&l->arena, diag);
    if (view_window(&l->view, &l->window, diag))
        l->request.window = &l->window;
    return diag->kind == DIAG_NONE && set_filter(l, diag);
}

static bool wants_roots(const struct call_list *l)
{
    const struct profile *p = l->source.profile->profile;
    bool any = false;

    for (uint32_t i = 0; i < l->request.n_tracks; i++)
        any = any || p->tracks[l->request.tracks[i]].re_roots > 0;
    return any && (l->request.filter != NULL || l->format->slice != NULL);
}

/* The next reading tells the watcher; NULL: there was no memory for it. */
static bool watch(struct call_list *l, struct watcher *w, struct diag *diag)
{
    l->offset = 0;
    if (w == NULL)
        return conversion_arena_failed(l->reading.failure != ARENA_OK ? &l->reading : &l->arena, diag);
    return conversion_watch(l->again, l->source.profile, w, diag);
}

static bool begin_rows(struct call_list *l, struct diag *diag)
{
    l->request.roots = l->roots_of;
    l->rows = call_rows_new(&l->arena, &l->request, conversion_seed(l->again));
    return watch(l, l->rows != NULL ? call_rows_watcher(l->rows) : NULL, diag);
}

static bool begin_slices(struct call_list *l, struct diag *diag)
{
    struct call_slices_request request = {.profile = l->request.profile,
                                          .tracks = l->kept != NULL ? l->reads : l->request.tracks,
                                          .n_tracks = l->kept != NULL ? l->n_reads : l->request.n_tracks,
                                          .open_to_end = l->request.open_to_end,
                                          .window = l->request.window,
                                          .filter = l->request.filter,
                                          .roots = l->kept != NULL ? l->reads_roots : l->roots_of,
                                          .slice = put_slice,
                                          .context = l};

    arena_free(&l->reading);
    arena_init(&l->reading, (size_t)l->source.config->job_memory_bytes);
    l->slices = call_slices_new(&l->reading, &request, conversion_seed(l->again));
    return watch(l, l->slices != NULL ? call_slices_watcher(l->slices) : NULL, diag);
}

static void choose_reads(struct call_list *l)
{
    l->n_reads = 0;
    for (uint32_t i = l->next; i < l->request.n_tracks; i++)
        if (!call_kept_has(l->kept, l->request.tracks[i])) {
            l->reads[l->n_reads] = l->request.tracks[i];
            l->reads_roots[l->n_reads++] = l->roots_of[i];
        }
    call_kept_begin(l->kept);
}

static bool begin_reading(struct call_list *l, struct diag *diag)
{
    if (l->kept != NULL)
        choose_reads(l);
    l->again = conversion_again(l->source.profile, l->source.config, diag);
    if (l->again == NULL)
        return false;
    return l->format->slice != NULL ? begin_slices(l, diag) : begin_rows(l, diag);
}

/* What is known before the reading that is written: which frames enclose all of their thread. */
static bool begin_calls(struct call_list *l, const struct call_roots *roots, struct diag *diag)
{
    l->roots_of = roots;
    if (l->format->track != NULL) {
        l->reads = arena_array(&l->arena, l->request.n_tracks, sizeof(*l->reads));
        l->reads_roots = arena_array(&l->arena, l->request.n_tracks, sizeof(*l->reads_roots));
        if (l->reads == NULL || l->reads_roots == NULL)
            return conversion_arena_failed(&l->arena, diag);
        l->kept = call_kept_new(l->source.profile->profile->n_tracks,
                                (size_t)l->source.config->view_memory_bytes, l->writer.by_cpu);
        if (l->kept == NULL)
            return conversion_no_memory(diag);
    }
    return begin_reading(l, diag);
}

static bool prepare_writer(struct call_list *l, struct diag *diag)
{
    const struct profile *p = l->source.profile->profile;
    struct call_writer *w = &l->writer;
    struct measure measure;

    w->arena = &l->arena;
    w->names = conversion_names(l->source.profile, &l->view, &l->arena);
    w->number = arena_array(&l->arena, p->n_frames, sizeof(*w->number));
    w->used = arena_array(&l->arena, p->n_frames, sizeof(*w->used));
    w->texts = arena_array(&l->arena, p->n_frames, sizeof(*w->texts));
    w->tracks = l->request.tracks;
    w->n_tracks = l->request.n_tracks;
    w->by_cpu = measure_by_name(p, l->view.value, &measure) && !measure.waiting && w->has_cpu &&
                measure.value == profile_value_by_role(p, ROLE_CPU);
    return (w->names != NULL && w->number != NULL && w->used != NULL && w->texts != NULL) ||
           conversion_arena_failed(&l->arena, diag);
}

static bool begin(struct call_list *l, struct diag *diag)
{
    if (!view_resolve(&l->view, l->source.profile->profile, diag) || !set_request(l, diag) ||
        !prepare_writer(l, diag))
        return false;
    if (!wants_roots(l)) {
        struct call_roots *none = arena_array(&l->arena, l->request.n_tracks, sizeof(*none));
        return none != NULL ? begin_calls(l, none, diag) : conversion_arena_failed(&l->arena, diag);
    }
    l->again = conversion_again(l->source.profile, l->source.config, diag);
    if (l->again == NULL)
        return false;
    l->roots = call_roots_new(&l->arena, l->source.profile->profile, l->request.tracks, l->request.n_tracks);
    return watch(l, l->roots != NULL ? call_roots_watcher(l->roots) : NULL, diag);
}

bool call_list_possible(const struct profile *p, struct diag *diag)
{
    return p->n_times > 0 || diag_set(diag, DIAG_USAGE, "no calls in this file",
                                      "Look at its stacks: the output folded has them.",
                                      "Calls have times, and this file has none: %.*s.",
                                      (int)p->format_label.n, p->format_label.p);
}

struct call_list *call_list_new(const struct convert_source *source, const struct view_options *view,
                                const struct call_format *format, struct diag *diag)
{
    const struct profile *p = source->profile->profile;

    if (!call_list_possible(p, diag))
        return NULL;
    struct call_list *l = calloc(1, sizeof(*l));
    if (l == NULL) {
        conversion_no_memory(diag);
        return NULL;
    }
    l->source = *source;
    l->view = *view;
    l->view.view = VIEW_FLAME; /* it is no picture */
    l->format = format;
    l->writer.profile = p;
    l->writer.has_cpu = profile_value_by_role(p, ROLE_CPU) < p->n_times;
    arena_init(&l->arena, (size_t)source->config->job_memory_bytes);
    arena_init(&l->reading, (size_t)source->config->job_memory_bytes);
    if (begin(l, diag))
        return l;
    call_list_free(l);
    return NULL;
}

void call_list_free(struct call_list *l)
{
    if (l == NULL)
        return;
    conversion_abandon(l->again);
    call_kept_free(l->kept);
    arena_free(&l->reading);
    arena_free(&l->arena);
    buf_free(&l->writer.scratch);
    free(l);
}

/* ---- reading ---- */

static enum convert_step end_text(struct call_list *l)
{
    l->format->end(&l->writer, l->out);
    return CONVERT_FED;
}

/* Writes a piece of what was kept. A track that was not is read for, and the ones behind it wait: so the order is always the same. */
static enum convert_step write_kept(struct call_list *l, struct diag *diag)
{
    struct call_slice slice;

    for (; l->next < l->request.n_tracks; l->next++) {
        uint32_t track = l->request.tracks[l->next];
        if (!l->in_track)
            l->format->track(&l->writer, track, false, l->out);
        l->in_track = true;
        if (!call_kept_has(l->kept, track)) {
            l->writes_kept = false;
            return begin_reading(l, diag) ? CONVERT_MORE : CONVERT_FAILED;
        }
        while (call_kept_take(l->kept, track, &slice)) {
            l->format->slice(&l->writer, &slice, l->out);
            if (l->out->failed)
                return CONVERT_FAILED;
            if (l->out->n >= BUF_DRAIN_BYTES)
                return CONVERT_MORE;
        }
        l->format->track(&l->writer, track, true, l->out);
        l->in_track = false;
    }
    return end_text(l);
}

/* The reading of what re-roots has ended, that of calls begins; or all has ended. */
static enum convert_step end_reading(struct call_list *l, struct diag *diag)
{
    conversion_abandon(l->again);
    l->again = NULL;
    if (l->roots != NULL) {
        const struct call_roots *roots = call_roots_finish(l->roots);
        l->roots = NULL;
        if (roots == NULL)
            conversion_arena_failed(&l->arena, diag);
        return roots != NULL && begin_calls(l, roots, diag) ? CONVERT_MORE : CONVERT_FAILED;
    }
    if (l->kept == NULL || l->next == l->request.n_tracks)
        return end_text(l);
    l->format->track(&l->writer, l->request.tracks[l->next++], true, l->out);
    l->in_track = false;
    l->writes_kept = true;
    return CONVERT_MORE;
}

/* Why there is less than all; `diag` has what the reading itself says. */
static enum convert_step failed(struct call_list *l, struct diag *diag)
{
    if (l->out->failed)
        *diag = (struct diag){0};
    if (l->out->failed)
        fail_buf(l->out, diag);
    else if (l->arena.failure != ARENA_OK || l->reading.failure != ARENA_OK)
        conversion_arena_failed(l->arena.failure != ARENA_OK ? &l->arena : &l->reading, diag);
    return CONVERT_FAILED;
}

static bool told_all(const struct call_list *l)
{
    return (l->rows == NULL || call_rows_done(l->rows)) && (l->slices == NULL || call_slices_done(l->slices));
}

static void begin_text(struct call_list *l)
{
    l->begun = true;
    l->format->begin(&l->writer, l->out);
    l->in_track = l->kept != NULL && l->request.n_tracks > 0;
    if (l->in_track)
        l->format->track(&l->writer, l->request.tracks[0], false, l->out);
}

static enum convert_step step(struct call_list *l, struct diag *diag)
{
    if (!l->begun && l->roots == NULL)
        begin_text(l);
    if (l->writes_kept) {
        enum convert_step written = write_kept(l, diag);
        return written == CONVERT_FAILED || l->out->failed ? failed(l, diag) : written;
    }
    enum convert_step fed = conversion_feed_file(l->again, l->source.fd, &l->offset, l->source.stop, diag);
    if (fed == CONVERT_FED && !conversion_end_again(l->again, &l->source, diag))
        fed = CONVERT_FAILED;
    if (fed == CONVERT_FAILED || !told_all(l) || l->out->failed)
        return failed(l, diag);
    if (fed == CONVERT_FED)
        fed = end_reading(l, diag);
    return l->out->failed ? failed(l, diag) : fed;
}

enum convert_step call_list_step(struct call_list *l, struct buf *out, struct diag *diag)
{
    size_t limit = out->limit;

    *diag = (struct diag){0};
    l->out = out;
    out->limit = out->drain == NULL ? (size_t)l->source.config->view_memory_bytes : 0;
    enum convert_step done = step(l, diag);
    out->limit = limit;
    return done;
}
