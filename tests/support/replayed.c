#include "tests/support/replayed.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "profile/calls/call_rows.h"
#include "profile/calls/window.h"
#include "tests/support/profile_dump.h"

static void need(bool condition)
{
    if (!condition)
        abort();
}

static const size_t BLOCK_BYTES[] = {1, 30, 64 << 10, 80, 200, 600};
static atomic_uint next_blocks;

void replayed_blocks(unsigned nth)
{
    atomic_store(&next_blocks, nth);
}

void replayed_begin(struct replayed *r, struct builder *b)
{
    unsigned nth = atomic_fetch_add(&next_blocks, 1) % (sizeof(BLOCK_BYTES) / sizeof(BLOCK_BYTES[0]));

    *r = (struct replayed){.block_bytes = BLOCK_BYTES[nth]};
    arena_init(&r->arena, 256 << 20);
    const struct call_log_sink sink = log_memory_sink(&r->memory);
    r->writer = call_log_writer_new(&r->arena, &sink, r->block_bytes);
    need(r->writer != NULL);
    builder_log(b, r->writer);
}

void replayed_end(struct replayed *r, const struct profile *p)
{
    bool memory_failed;

    need(p != NULL && call_log_finish(r->writer, p->n_frames));
    const struct call_log_source source = log_memory_source(&r->memory);
    need(call_log_open(&r->log, &source, &memory_failed));
}

void replayed_close(struct replayed *r)
{
    call_log_close(&r->log);
    log_memory_free(&r->memory);
    arena_free(&r->arena);
}

struct builder *replayed_open(struct replayed *log, struct arena *arena, const struct profile_value *values,
                              uint32_t n_times, uint32_t ns_per_tick, bool wraps_at_32_bits)
{
    struct builder *b = builder_new(arena, (struct hash_seed){9, 10});

    need(b != NULL && builder_values(b, values, n_times, &values[n_times], 1));
    builder_clocks(b, ns_per_tick, wraps_at_32_bits);
    if (log != NULL)
        replayed_begin(log, b);
    return b;
}

void replayed_letters(struct builder *b, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        char name[] = {(char)('a' + i)};
        struct profile_frame frame = {.name = builder_string(b, (struct str){name, 1})};
        need(builder_frame(b, &frame) == i);
    }
}

void replayed_tracks(struct builder *b, uint32_t first_id, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        need(builder_track(b, first_id + i, STRING_EMPTY) == i);
}

const struct profile *replayed_finish(struct replayed *log, struct builder *b)
{
    const struct profile *p = builder_finish(b, STR("format"), STR("Format"));

    need(p != NULL);
    if (log != NULL)
        replayed_end(log, p);
    return p;
}

static bool read_file(void *context, uint64_t offset, void *to, size_t n)
{
    const struct replayed_file *f = context;

    if (offset > f->n || n > f->n - offset)
        return false;
    memcpy(to, f->p + offset, n);
    return true;
}

struct call_log_source replayed_source(struct replayed_file *file)
{
    return (struct call_log_source){.read_at = read_file, .context = file, .size = file->n};
}

enum replay_end replayed_play(const struct replayed *r, const struct profile *p,
                              struct replay_request request)
{
    struct arena arena;

    arena_init(&arena, 256 << 20);
    uint32_t *all = arena_array(&arena, p->n_tracks, sizeof(*all));
    need(all != NULL);
    for (uint32_t i = 0; i < p->n_tracks; i++)
        all[i] = i;
    request.log = &r->log;
    request.profile = p;
    if (request.tracks == NULL) {
        request.tracks = all;
        request.n_tracks = p->n_tracks;
    }
    enum replay_end end = replay_all(&request, &arena);
    arena_free(&arena);
    return end;
}

/* ---- as text ---- */

static void tell(struct buf *b, const struct replay_track *t, const char *what)
{
    const struct replay_call *top = &t->open[t->n_open - 1];

    buf_printf(b, "%u %s %u %zu at %" PRIu64 " %" PRIu64 " from %" PRIu64 " %" PRIu64, t->nth, what,
               top->frame, t->n_open, t->now[0], t->now[1], t->last[0], t->last[1]);
    buf_printf(b, " begun %" PRIu64 " %" PRIu64 " flags %u%s\n", top->begin[0], top->begin[1], top->flags,
               t->resumes ? " resumes" : "");
}

static bool tell_begin(void *context, struct replay_track *t)
{
    buf_printf(context, "%u uncalled %" PRIu64 "\n", t->nth, t->uncalled);
    return true;
}

static bool tell_enter(void *context, struct replay_track *t)
{
    tell(context, t, "enter");
    return true;
}

static bool tell_leave(void *context, struct replay_track *t, const struct replay_left *left)
{
    tell(context, t, "leave");
    buf_printf(context, "level %zu self %" PRIu64 " flags %u\n", left->level, left->self, left->flags);
    return true;
}

static bool tell_stay(void *context, struct replay_track *t)
{
    tell(context, t, "stay");
    return true;
}

static bool tell_end(void *context, struct replay_track *t)
{
    tell(context, t, "end");
    return true;
}

static bool tell_row(void *context, const struct call_row *row)
{
    buf_printf(context, "%u %u %u %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %u\n", row->track,
               row->frame, row->depth, row->begin_ns, row->end_ns, row->self_ns, row->cpu_ns, row->flags);
    return true;
}

static void dump_window(struct buf *b, const struct replayed *r, const struct profile *p,
                        const struct window *window)
{
    const struct call_rows_request of_rows = {p, false, window, NULL, false, tell_row, b};
    struct replay_request replay = {.window = window, .in_order = true, .looks_at_self = true};
    struct arena arena;

    arena_init(&arena, 256 << 20);
    struct call_rows *rows = call_rows_new(&arena, &of_rows, (struct hash_seed){1, 2});
    struct window_sink *sink = window_sink_new(&arena, &arena, &(struct window_request){p, *window, {3, 4}});
    need(rows != NULL && sink != NULL);
    replay.sink = call_rows_replay(rows);
    need(replayed_play(r, p, replay) == REPLAY_DONE);
    replay = (struct replay_request){.window = window, .rests = true, .sink = window_sink_replay(sink)};
    need(replayed_play(r, p, replay) == REPLAY_DONE);
    const struct profile *part = window_sink_finish(sink);
    need(part != NULL);
    profile_dump(b, part);
    arena_free(&arena);
}

void replayed_dump(struct buf *b, const struct replayed *r, const struct profile *p)
{
    enum { WINDOWS = 5 };
    const struct replay_request all = {.in_order = true,
                                       .sink = {.begin = tell_begin,
                                                .enter = tell_enter,
                                                .leave = tell_leave,
                                                .stay = tell_stay,
                                                .end = tell_end,
                                                .context = b}};
    uint64_t from = UINT64_MAX, to = 0;

    need(replayed_play(r, p, all) == REPLAY_DONE);
    for (uint32_t i = 0; i < p->n_tracks; i++) {
        from = p->tracks[i].begin_ns < from ? p->tracks[i].begin_ns : from;
        to = p->tracks[i].end_ns > to ? p->tracks[i].end_ns : to;
    }
    for (uint64_t i = 0, step = (to - from) / WINDOWS + 1; i < WINDOWS && p->n_tracks > 0; i++)
        dump_window(b, r, p, &(struct window){from + i * step, from + (i + 1) * step});
}
