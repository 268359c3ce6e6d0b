/* A list of calls is written in pieces of the profile's log, side by side: a piece tells its rows or slices without those
 * before it (profile/calls/replay.h), and its text is given away behind theirs. Under filters, in a window, and where a call
 * became several by its names, all is one piece. */
#include "server/convert/call_list.h"

#include <stdlib.h>

#include "core/system/ordered.h"
#include "profile/calls/call_rows.h"
#include "profile/calls/call_slices.h"
#include "render/view/view.h"
#include "server/convert/convert_impl.h"

/* Text is given away when it is so long: by several threads, which would wait for their turn, hardly ever before the end of a
 * piece, but a piece with long names may have any length. */
enum { TEXT_BYTES = 64 << 10, TEXT_BYTES_OF_PIECE = 4 << 20 };

/* Lines of a cache are fetched in pairs. */
enum { LINE_BYTES = 2 * 64 };

struct call_list;

/* Of an item: what of it is not given away. */
struct list_text {
    struct buf buf;
    uint64_t item;
    bool in_turn;               /* All before it was given away. */
    bool any;                   /* slices are in it, */
    uint64_t first_ns, last_ns; /* from when to when */
    char apart[LINE_BYTES];
};

/* One of the threads that write: changed by it alone. */
struct list_worker {
    struct call_list *list;
    struct call_writer writer;   /* as the list's, with texts of its own */
    struct arena arena, playing; /* of the writer and the sink; of the replay that is under way */
    struct replay_sink sink;
    struct replay *replay; /* in pieces */
    struct ordered *ordered;
    struct list_text *text; /* of the item that is made */

    char apart[LINE_BYTES]; /* Two threads that write to one line of a cache wait for each other each time. */
};

struct call_list {
    struct convert_source source;
    struct view_options view; /* resolved */
    const struct call_format *format;
    struct arena arena;
    const uint32_t *tracks; /* that are listed */
    uint32_t n_tracks;
    bool has_window, in_pieces;
    struct window window; /* with has_window */
    struct filter_stacks stacks;
    const struct filter_stacks *filter; /* these, or NULL */
    struct hash_seed seed;

    const struct call_log *log;
    /* In pieces, where slices stand by track: of each track its first item, of which each is one of its parts of the log. */
    const struct call_log_track **logs;            /* NULL: the log does not have the track */
    uint64_t *first_item;                          /* [n_tracks + 1] */
    size_t text_bytes;                             /* TEXT_BYTES or TEXT_BYTES_OF_PIECE */
    struct list_worker workers[PARALLEL_JOBS_MAX]; /* Nothing above changes while they work. */
    struct list_text texts[ORDERED_PLACES_MAX];
    unsigned n_workers;

    /* Of the worker whose turn it is. */
    bool begun;     /* The text has a row or a slice: of this track, where these stand by track. */
    bool ended;     /* by the taker */
    bool no_memory; /* for the text */
    struct call_writer writer;
    const struct call_list_taker *taker;
    struct diag *diag;
};

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

    w->profile = p;
    w->has_cpu = profile_value_by_role(p, ROLE_CPU) < p->n_times;
    w->arena = &l->arena;
    w->window = l->has_window ? &l->window : NULL;
    w->names = conversion_names(l->source.profile, &l->view, &l->arena);
    w->number = arena_array(&l->arena, p->n_frames, sizeof(*w->number));
    w->used = arena_array(&l->arena, p->n_frames, sizeof(*w->used));
    w->processes = arena_array(&l->arena, p->n_tracks, sizeof(*w->processes));
    w->tracks = l->tracks;
    w->n_tracks = l->n_tracks;
    w->by_cpu = measure_by_name(p, l->view.value, &measure) && !measure.waiting && w->has_cpu &&
                measure.value == profile_value_by_role(p, ROLE_CPU);
    if (w->names == NULL || w->number == NULL || w->used == NULL || w->processes == NULL)
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

/* ---- text ---- */

static bool give(void *context, struct str text)
{
    struct call_list *l = context;

    l->ended = l->ended || !l->taker->take(l->taker->context, text);
    return !l->ended;
}

/* What is left of a text that may be drained by `give`, or all of it. */
static bool give_rest(struct call_list *l, struct buf *text)
{
    l->no_memory = l->no_memory || (text->failed && !l->ended);
    bool ok = !text->failed && (text->n == 0 || give(l, buf_view(text)));
    buf_free(text);
    return ok;
}

/* What stands before or behind all calls. */
static bool write_around(struct call_list *l, void (*put)(struct call_writer *w, struct buf *out))
{
    struct buf text = {.drain = give, .drain_context = l};

    if (put != NULL)
        put(&l->writer, &text);
    return give_rest(l, &text);
}

/* Before or behind the slices of a track. */
static bool write_track(struct call_list *l, uint32_t nth, bool ends)
{
    struct buf text = {.drain = give, .drain_context = l};

    l->format->track(&l->writer, l->tracks[nth], ends, &text);
    if (!ends) {
        l->writer.at_ns = l->writer.from_ns = 0;
        l->begun = false;
    }
    return give_rest(l, &text);
}

static uint32_t track_of_item(const struct call_list *l, uint64_t item)
{
    uint32_t from = 0, to = l->n_tracks;

    while (to - from > 1) {
        uint32_t middle = from + (to - from) / 2;
        if (l->first_item[middle] <= item)
            from = middle;
        else
            to = middle;
    }
    return from;
}

/* All before the item was given away. */
static bool begin_turn(struct call_list *l, struct list_text *text)
{
    text->in_turn = true;
    if (!l->in_pieces || l->format->track == NULL)
        return true;
    uint32_t nth = track_of_item(l, text->item);
    return text->item != l->first_item[nth] || write_track(l, nth, false);
}

/* Waits until all before is given away. False: there is no more. */
static bool take_turn(struct list_worker *w)
{
    return w->text->in_turn || (ordered_wait(w->ordered, w->text->item) && begin_turn(w->list, w->text));
}

/* In its turn. */
static bool give_text(struct call_list *l, struct list_text *text)
{
    struct buf *b = &text->buf;

    if (text->any) {
        l->writer.from_ns = l->begun ? l->writer.from_ns : text->first_ns;
        l->writer.at_ns = text->last_ns;
    }
    l->no_memory = l->no_memory || b->failed;
    size_t comma = l->format->comma && !l->begun && b->n > 0;
    bool ok = !b->failed && give(l, str_from(buf_view(b), comma));
    l->begun = l->begun || b->n > 0;
    text->any = false;
    buf_clear(b);
    return ok;
}

/* What there is, while there may be more. */
static bool give_some(struct list_worker *w)
{
    return take_turn(w) && give_text(w->list, w->text);
}

static bool take_item(void *context, unsigned place)
{
    struct call_list *l = context;
    struct list_text *text = &l->texts[place];

    if ((!text->in_turn && !begin_turn(l, text)) || !give_text(l, text))
        return false;
    if (!l->in_pieces || l->format->track == NULL)
        return true;
    uint32_t nth = track_of_item(l, text->item);
    return text->item + 1 != l->first_item[nth + 1] || write_track(l, nth, true);
}

static bool put_row(void *context, const struct call_row *row)
{
    struct list_worker *w = context;
    struct buf *b = &w->text->buf;

    w->list->format->row(&w->writer, row, b);
    return !b->failed && (b->n < w->list->text_bytes || give_some(w));
}

static bool put_slice(void *context, const struct call_slice *slice)
{
    struct list_worker *w = context;
    struct list_text *text = w->text;

    if (w->list->in_pieces && w->writer.number[slice->frame] == 0)
        return false; /* the log has a frame that its tracks do not have */
    text->last_ns = call_writer_at(&w->writer, slice);
    if (!text->any)
        text->first_ns = text->last_ns;
    text->any = true;
    w->list->format->slice(&w->writer, slice, &text->buf);
    return !text->buf.failed && (text->buf.n < w->list->text_bytes || give_some(w));
}

/* ---- replaying ---- */

/* The replay has ended before its end: says why, in its turn. Always false. */
static bool replay_failed(struct list_worker *w)
{
    struct call_list *l = w->list;

    if (!take_turn(w) || l->ended)
        return false;
    if (l->diag->kind != DIAG_NONE)
        return false;
    if (w->playing.failure != ARENA_OK || w->arena.failure != ARENA_OK)
        return conversion_arena_failed(w->playing.failure != ARENA_OK ? &w->playing : &w->arena, l->diag);
    l->no_memory = l->no_memory || w->text->buf.failed;
    return !l->no_memory && profile_log_ended(REPLAY_DAMAGED, l->diag);
}

/* False: the arena gives no more. */
static bool make_sink(struct list_worker *w)
{
    const struct call_list *l = w->list;
    const struct profile *p = l->source.profile->profile;
    bool to_end = l->view.open == OPEN_END;
    const struct window *window = l->has_window ? &l->window : NULL;

    if (l->format->slice != NULL) {
        const struct call_slices_request request = {p, l->n_tracks, to_end, window, l->filter, put_slice, w};
        struct call_slices *slices = call_slices_new(&w->arena, &request, l->seed);
        if (slices != NULL)
            w->sink = call_slices_replay(slices);
        return slices != NULL;
    }
    const struct call_rows_request request = {p, to_end, window, l->filter, false, put_row, w};
    struct call_rows *rows = call_rows_new(&w->arena, &request, l->seed);
    if (rows != NULL)
        w->sink = call_rows_replay(rows);
    return rows != NULL;
}

static struct replay_request request_of(const struct list_worker *w)
{
    const struct call_list *l = w->list;
    struct replay_request request = {.tracks = l->tracks,
                                     .n_tracks = l->n_tracks,
                                     .rests = l->view.open == OPEN_END,
                                     .looks_at_self = l->format->row != NULL,
                                     .sink = w->sink};

    profile_log_request(l->source.profile, &request);
    return request;
}

/* All of it, or the next track, to its end. */
static bool play(struct list_worker *w, struct replay *replay)
{
    enum replay_end end = REPLAY_MORE;

    while (end == REPLAY_MORE) {
        end = replay_step(replay);
        if (end == REPLAY_MORE && !(take_turn(w) && give(w->list, STR(""))))
            return false;
    }
    return end == REPLAY_DONE ? give_some(w) : replay_failed(w);
}

/* With filters it depends on the calls within it what a call shows, so these are played to the end. */
static bool write_whole(struct list_worker *w)
{
    const struct call_list *l = w->list;
    struct replay_request request = request_of(w);
    bool by_track = l->format->track != NULL;

    request.window = l->has_window ? &l->window : NULL;
    request.to_the_end = l->filter != NULL;
    request.in_order = !by_track;
    request.one_by_one = by_track;
    struct replay *replay = replay_new(&request, &w->playing);
    bool ok = replay != NULL || replay_failed(w);
    if (!by_track)
        return ok && play(w, replay);
    for (uint32_t i = 0; ok && i < l->n_tracks; i++)
        ok = take_turn(w) && write_track(w->list, i, false) && play(w, replay) &&
             write_track(w->list, i, true);
    return ok;
}

/* What is never left. */
static bool write_ends(struct list_worker *w)
{
    struct replay_request request = request_of(w);

    request.ends_only = true;
    struct replay *replay = replay_new(&request, &w->playing);
    return replay != NULL ? play(w, replay) : replay_failed(w);
}

static bool write_blocks(struct list_worker *w, uint32_t nth, uint64_t from, uint64_t to)
{
    enum replay_end end = replay_piece(w->replay, nth, from, to);

    return end == REPLAY_DONE || replay_failed(w);
}

/* Of a track, its parts one by one; of all tracks, block by block, and behind them what is never left. */
static bool write_piece(struct list_worker *w)
{
    struct call_list *l = w->list;
    const uint64_t item = w->text->item;

    if (l->format->track == NULL)
        return item < l->log->trailer.n_blocks ? write_blocks(w, REPLAY_ALL, item, item + 1) : write_ends(w);
    uint32_t nth = track_of_item(l, item);
    const struct call_log_track *log = l->logs[nth];
    if (log == NULL)
        return true;
    uint64_t block = l->log->parts[log->first_part + item - l->first_item[nth]].block;
    return write_blocks(w, nth, block, block + 1);
}

/* ---- the whole ---- */

/* False: the arena gives no more. */
static bool find_items(struct call_list *l, uint64_t *n)
{
    const struct profile *p = l->source.profile->profile;

    *n = l->log->trailer.n_blocks + 1;
    if (l->format->track == NULL)
        return true;
    l->logs = arena_array(&l->arena, l->n_tracks, sizeof(*l->logs));
    l->first_item = arena_array(&l->arena, (size_t)l->n_tracks + 1, sizeof(*l->first_item));
    if (l->logs == NULL || l->first_item == NULL)
        return false;
    for (uint64_t i = 0; i < l->log->trailer.n_tracks; i++) {
        const struct call_log_track *log = &l->log->tracks[i];
        uint32_t nth = profile_place_of_id(p, l->tracks, l->n_tracks, log->id);
        if (nth < l->n_tracks && log->n_parts > 0)
            l->logs[nth] = log;
    }
    for (uint32_t i = 0; i < l->n_tracks; i++)
        l->first_item[i + 1] = l->first_item[i] + (l->logs[i] != NULL ? l->logs[i]->n_parts : 1);
    *n = l->first_item[l->n_tracks];
    return true;
}

/* Side by side nobody knows which frame is used first: all have numbers that the tracks have. */
static void number_frames(struct call_list *l)
{
    const struct profile *p = l->source.profile->profile;

    for (uint32_t i = 0; i < l->n_tracks; i++) {
        const struct profile_track *t = &p->tracks[l->tracks[i]];
        for (uint32_t k = 1; k < t->count; k++) /* behind its root, which has no frame */
            call_writer_number(&l->writer, p->node_frame[t->first + k]);
    }
}

/* False: its arenas give no more. */
static bool begin_worker(struct call_list *l, struct list_worker *w)
{
    const size_t frames = l->source.profile->profile->n_frames;

    w->list = l;
    arena_init(&w->arena, (size_t)l->source.config->job_memory_bytes);
    arena_init(&w->playing, (size_t)l->source.config->job_memory_bytes);
    w->arena.stop = w->playing.stop = l->source.stop;
    w->writer = l->writer;
    w->writer.scratch = (struct buf){0};
    w->writer.arena = &w->arena;
    w->writer.texts = arena_array(&w->arena, frames, sizeof(*w->writer.texts));
    if (w->writer.texts == NULL || !make_sink(w))
        return false;
    struct replay_request request = request_of(w);
    request.in_pieces = true;
    w->replay = l->in_pieces ? replay_new(&request, &w->playing) : NULL;
    return !l->in_pieces || w->replay != NULL;
}

static void end_worker(struct list_worker *w)
{
    arena_free(&w->playing);
    arena_free(&w->arena);
    buf_free(&w->writer.scratch);
}

static bool make_item(void *context, struct ordered *o, unsigned worker, unsigned place, uint64_t item)
{
    struct call_list *l = context;
    struct list_worker *w = &l->workers[worker];

    w->ordered = o;
    w->text = &l->texts[place];
    w->text->item = item;
    w->text->in_turn = w->text->any = false;
    return l->in_pieces ? write_piece(w) : write_whole(w);
}

/* As many as there are threads for, and memory. False: diag. */
static bool begin_workers(struct call_list *l, unsigned most)
{
    for (; l->n_workers < most; l->n_workers++) {
        struct list_worker *w = &l->workers[l->n_workers];
        if (begin_worker(l, w))
            continue;
        if (l->n_workers == 0)
            conversion_arena_failed(w->playing.failure != ARENA_OK ? &w->playing : &w->arena, l->diag);
        end_worker(w);
        break;
    }
    l->text_bytes = l->n_workers > 1 ? TEXT_BYTES_OF_PIECE : TEXT_BYTES;
    return l->n_workers > 0;
}

/* False: diag, unless the taker has ended it. */
static bool write_all(struct call_list *l)
{
    const struct parallel *parallel = l->source.parallel;
    const struct ordered_does does = {make_item, take_item, l};
    struct replay_request request = {.n_tracks = 0};
    uint64_t n = 1;

    profile_log_request(l->source.profile, &request);
    l->log = request.log;
    l->in_pieces = !l->has_window && l->filter == NULL && replay_has_pieces(request.profile);
    if (l->in_pieces && !find_items(l, &n))
        return conversion_arena_failed(&l->arena, l->diag);
    if (l->in_pieces)
        number_frames(l);
    bool ok = write_around(l, l->format->begin) &&
              begin_workers(l, l->in_pieces && parallel != NULL ? parallel->jobs : 1) &&
              ordered_run(parallel, l->n_workers, n, &does);
    if (ok && !l->in_pieces)
        l->writer.n_used = l->workers[0].writer.n_used; /* in pieces all were known before */
    ok = ok && write_around(l, l->format->end);
    if (ok || l->ended || l->diag->kind != DIAG_NONE)
        return ok;
    return l->arena.failure != ARENA_OK ? conversion_arena_failed(&l->arena, l->diag)
                                        : diag_no_memory(l->diag, "No memory is left for the list of calls.");
}

bool call_list_write(const struct convert_source *source, const struct view_options *view,
                     const struct call_format *format, const struct call_list_taker *taker, struct diag *diag)
{
    const struct profile *p = source->profile->profile;

    if (!call_list_possible(p, diag))
        return false;
    struct call_list *l = calloc(1, sizeof(*l));
    if (l == NULL)
        return diag_no_memory(diag, "No memory is left for the list of calls.");
    l->source = *source;
    l->view = *view;
    l->view.view = VIEW_FLAME; /* it is no picture */
    l->format = format;
    l->taker = taker;
    l->diag = diag;
    arena_init(&l->arena, (size_t)source->config->job_memory_bytes);
    l->arena.stop = source->stop;
    bool ok = view_resolve(&l->view, p, diag) && set_request(l, diag) && prepare_writer(l, diag) &&
              profile_log_make(&l->source, diag) && write_all(l);
    for (unsigned i = 0; i < l->n_workers; i++)
        end_worker(&l->workers[i]);
    for (unsigned i = 0; i < ORDERED_PLACES_MAX; i++)
        buf_free(&l->texts[i].buf);
    buf_free(&l->writer.scratch);
    arena_free(&l->arena);
    free(l);
    return ok;
}
