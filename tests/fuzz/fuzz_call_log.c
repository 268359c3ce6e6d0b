/* A log of calls that was damaged on purpose: its checks are made right, so that what stands behind them
 * is read. Whatever it says, all sinks live through it. The log is written here, as of today; the input says which
 * blocks it has, what its calls are made from, and which of its bytes become others: for each two bytes of its place, and one to XOR. */
#include <stdlib.h>
#include <string.h>

#include "profile/calls/call_rows.h"
#include "profile/calls/call_slices.h"
#include "profile/calls/calls.h"
#include "profile/calls/lanes.h"
#include "profile/calls/window.h"
#include "profile/log/call_log_record.h"
#include "tests/support/fuzzing.h"
#include "tests/support/replayed.h"
#include "tests/support/span_model.h"

enum { FRAMES = SPAN_MODEL_FRAMES, EVENTS = 60, HEAD_BYTES = 2, EDIT_BYTES = 3 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Of the blocks that lie in the file, and of the footer. */
static void mend_checks(struct replayed_file *b, const struct profile *p)
{
    struct call_log_trailer t;

    if (b->n < sizeof(t))
        return;
    memcpy(&t, b->p + b->n - sizeof(t), sizeof(t));
    t.magic = CALL_LOG_MAGIC;
    t.n_frames = p->n_frames;
    t.n_clocks = p->n_times;
    t.n_values = 0;
    size_t end = b->n - sizeof(t), blocks = end / sizeof(struct call_log_block);
    blocks = t.n_blocks < blocks ? (size_t)t.n_blocks : blocks;
    for (size_t i = 0; i < blocks; i++) {
        struct call_log_block block;
        uint8_t *at = b->p + end - (blocks - i) * sizeof(block);
        memcpy(&block, at, sizeof(block));
        if (block.offset <= b->n && block.bytes <= b->n - block.offset)
            block.check = log_check(b->p + block.offset, (size_t)block.bytes);
        memcpy(at, &block, sizeof(block));
    }
    size_t before_calls = t.n_tracks % 1000 * sizeof(struct call_log_track) +
                          t.n_parts % 10000 * sizeof(struct call_log_part) +
                          t.n_roots % 10000 * sizeof(struct call_log_call);
    size_t calls = t.n_calls % 10000 * sizeof(struct call_log_call);
    size_t of_blocks = t.n_blocks % 10000 * sizeof(struct call_log_block);
    size_t footer = before_calls + calls + of_blocks;
    if (footer <= end)
        t.footer_check = log_check_footer(b->p + end - footer, before_calls, calls, of_blocks);
    t.check = log_check(&t, offsetof(struct call_log_trailer, check));
    memcpy(b->p + end, &t, sizeof(t));
}

static bool put_row(void *context, const struct call_row *row)
{
    (void)context;
    fuzzing_check(row->frame < FRAMES + 1);
    return true;
}

static bool put_slice(void *context, const struct call_slice *slice)
{
    (void)context;
    fuzzing_check(slice->frame < FRAMES + 1);
    return true;
}

static void play_all(const struct replayed *r, const struct profile *p, const struct window *window,
                     struct arena *arena)
{
    static const uint8_t CLASSES[FRAMES + 1] = {LANE_OWN, LANE_OWN | LANE_MARKED,
                                                LANE_WAITING | LANE_MESSAGE};
    static const uint32_t ROWS[FRAMES + 1] = {0, 1, 0}, ALL[SPAN_MODEL_TRACKS] = {0, 1, 2};
    struct lanes_track tracks[SPAN_MODEL_TRACKS];
    for (uint32_t i = 0; i < p->n_tracks; i++)
        tracks[i] = (struct lanes_track){&p->tracks[i], i == 0, i == 1};
    const struct call_rows_request rows = {p, true, window, NULL, false, put_row, NULL};
    const struct call_slices_request slices = {p, p->n_tracks, true, window, NULL, put_slice, NULL};
    const struct calls_request calls = {.profile = p,
                                        .row_of_frame = ROWS,
                                        .n_rows = 2,
                                        .tracks = ALL,
                                        .n_tracks = p->n_tracks,
                                        .window = window};
    const struct lanes_request lanes = {.tracks = tracks,
                                        .n_tracks = p->n_tracks,
                                        .class_of_frame = CLASSES,
                                        .n_frames = FRAMES + 1,
                                        .ns_per_tick = 1,
                                        .cpu_clock = 1,
                                        .marks = true,
                                        .from_ns = window->from_ns,
                                        .to_ns = window->to_ns,
                                        .width_px = 7,
                                        .levels_max = 20,
                                        .spans_max = 30};
    const struct window_request cut = {p, *window, {1, 2}};
    struct window_sink *w = window_sink_new(arena, arena, &cut);
    const struct replay_sink sinks[] = {
        call_rows_replay(call_rows_new(arena, &rows, (struct hash_seed){1, 2})),
        call_slices_replay(call_slices_new(arena, &slices, (struct hash_seed){1, 2})),
        calls_sink_replay(calls_sink_new(arena, &calls)), lanes_sink_replay(lanes_sink_new(arena, &lanes)),
        window_sink_replay(w)};

    for (size_t i = 0; i < sizeof(sinks) / sizeof(sinks[0]); i++)
        (void)!replayed_play(r, p,
                             (struct replay_request){.window = i % 2 == 0 ? window : NULL,
                                                     .in_order = true,
                                                     .rests = true,
                                                     .looks_at_self = true,
                                                     .sink = sinks[i]});
    fuzzing_check(window_sink_finish(w) != NULL);
}

/* In pieces, from the last block to the first one, and then what is never left. */
static void play_pieces(const struct replayed *r, const struct profile *p, struct arena *arena)
{
    static const uint32_t ALL[SPAN_MODEL_TRACKS] = {0, 1, 2};
    const struct call_rows_request rows = {p, true, NULL, NULL, false, put_row, NULL};
    const struct call_slices_request slices = {p, p->n_tracks, true, NULL, NULL, put_slice, NULL};
    const struct replay_sink sinks[] = {
        call_rows_replay(call_rows_new(arena, &rows, (struct hash_seed){1, 2})),
        call_slices_replay(call_slices_new(arena, &slices, (struct hash_seed){1, 2}))};

    for (size_t i = 0; i < sizeof(sinks) / sizeof(sinks[0]); i++) {
        struct replay_request request = {.log = &r->log,
                                         .profile = p,
                                         .tracks = ALL,
                                         .n_tracks = p->n_tracks,
                                         .looks_at_self = true,
                                         .in_pieces = true,
                                         .sink = sinks[i]};
        struct replay *replay = replay_new(&request, arena);
        enum replay_end end = REPLAY_DONE;
        for (uint64_t block = r->log.trailer.n_blocks; end == REPLAY_DONE && block-- > 0;)
            end = replay_piece(replay, block % 2 == 0 ? REPLAY_ALL : (uint32_t)(block % p->n_tracks), block,
                               block + 1);
        request.in_pieces = false;
        request.ends_only = true;
        (void)!replay_all(&request, arena);
    }
}

static void damage(struct replayed_file *b, const uint8_t *edits, size_t n)
{
    for (; n >= EDIT_BYTES; edits += EDIT_BYTES, n -= EDIT_BYTES)
        b->p[((size_t)edits[0] | (size_t)edits[1] << 8) % b->n] ^= edits[2];
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct event events[EVENTS];
    struct replayed written, r = {.block_bytes = 1};
    struct arena arena;
    bool memory_failed;

    if (size < HEAD_BYTES)
        return 0;
    uint64_t random = 1 + data[1];
    replayed_blocks(data[0]);
    span_model_random_events(&random, events, EVENTS);
    arena_init(&arena, 64 << 20);
    const struct profile *p = span_model_fold_tracks(&arena, &written, events, EVENTS);
    fuzzing_check(p != NULL);
    struct replayed_file b = {malloc((size_t)written.memory.bytes), (size_t)written.memory.bytes};
    const struct call_log_source whole = written.log.source;
    fuzzing_check(b.p != NULL && whole.read_at(whole.context, 0, b.p, b.n));
    damage(&b, data + HEAD_BYTES, size - HEAD_BYTES);
    mend_checks(&b, p);
    const struct call_log_source source = replayed_source(&b);
    if (call_log_open(&r.log, &source, &memory_failed)) {
        play_all(&r, p, &(struct window){100, 300}, &arena);
        play_pieces(&r, p, &arena);
        call_log_close(&r.log);
    } else {
        fuzzing_check(size > HEAD_BYTES); /* what nobody changed can be read */
    }
    replayed_close(&written);
    arena_free(&arena);
    free(b.p);
    return 0;
}
