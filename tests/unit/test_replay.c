/* Replays of a part of a log: whatever looks at a window of time sees the same as in a replay of all; on
 * random streams with every kind of repair, in blocks of all sizes. And what is damaged is refused. */
#include "tests/support/unit.h"

#include <stdlib.h>

#include "profile/calls/call_rows.h"
#include "profile/calls/call_slices.h"
#include "profile/calls/calls.h"
#include "profile/calls/lanes.h"
#include "profile/calls/window.h"
#include "tests/support/random.h"
#include "tests/support/replayed.h"
#include "tests/support/wild_events.h"

enum { TRACKS = 3, FRAMES = 6, EVENTS_MAX = 250, NS_PER_TICK = 1000, SPANS_MAX = 600, LEVELS_MAX = 20 };

static const struct profile_value VALUES[] = {
    {STR_INIT("wall"), STR_INIT("wall time"), UNIT_NS, ROLE_WALL},
    {STR_INIT("cpu"), STR_INIT("thread CPU time"), UNIT_NS, ROLE_CPU},
    {STR_INIT("calls"), STR_INIT("calls"), UNIT_COUNT, ROLE_CALLS},
};

/* A profile with its log, and a window of it. */
struct file {
    struct arena arena;
    struct event events[EVENTS_MAX];
    size_t n;
    const struct profile *whole;
    struct replayed log;
    struct window window;
};

static void open_file(struct file *f, uint64_t *random)
{
    arena_init(&f->arena, 256 << 20);
    f->n = 1 + random_below(random, EVENTS_MAX);
    wild_events(random, f->events, f->n, TRACKS, FRAMES);
    struct builder *b = replayed_open(&f->log, &f->arena, VALUES, 2, NS_PER_TICK, true);
    replayed_letters(b, FRAMES);
    struct profile_frame unknown = {.name = builder_string(b, STR("unknown"))};
    assert_int_equal(builder_frame(b, &unknown), FRAMES);
    replayed_tracks(b, 1, TRACKS);
    assert_true(builder_events(b, f->events, f->n, 0, 0));
    f->whole = replayed_finish(&f->log, b);
}

static void close_file(struct file *f)
{
    replayed_close(&f->log);
    arena_free(&f->arena);
}

/* All of the log, or what the window needs. */
static void play(const struct file *f, struct replay_request request, struct window window, bool in_part)
{
    request.window = in_part ? &window : NULL;
    assert_int_equal(replayed_play(&f->log, f->whole, request), REPLAY_DONE);
}

/* ---- windows ---- */

static void same_profiles(const struct profile *a, const struct profile *b)
{
    assert_int_equal(a->n_nodes, b->n_nodes);
    assert_int_equal(a->n_tracks, b->n_tracks);
    assert_memory_equal(a->node_frame, b->node_frame, a->n_nodes * sizeof(*a->node_frame));
    assert_memory_equal(a->node_parent, b->node_parent, a->n_nodes * sizeof(*a->node_parent));
    assert_memory_equal(a->node_self, b->node_self, 3 * a->n_nodes * sizeof(*a->node_self));
    for (uint32_t i = 0; i < a->n_tracks; i++) {
        assert_int_equal(a->tracks[i].first, b->tracks[i].first);
        assert_int_equal(a->tracks[i].open, b->tracks[i].open);
        assert_true(a->tracks[i].rest_ns == b->tracks[i].rest_ns);
    }
    assert_int_equal(a->n_warnings, b->n_warnings);
    for (uint32_t i = 0; i < a->n_warnings; i++)
        assert_true(str_eq(a->warnings[i].text, b->warnings[i].text));
}

static const struct profile *cut(struct arena *arena, struct file *f, bool in_part)
{
    const struct window_request request = {f->whole, f->window, {3, 4}};
    struct window_sink *sink = window_sink_new(arena, arena, &request);

    assert_non_null(sink);
    play(f, (struct replay_request){.rests = true, .sink = window_sink_replay(sink)}, f->window, in_part);
    const struct profile *window = window_sink_finish(sink);
    assert_non_null(window);
    return window;
}

/* ---- lanes, with spans and marks ---- */

/* What belongs to the window's very end is within reach of it. */
static struct window with_end(const struct file *f)
{
    return (struct window){f->window.from_ns, f->window.to_ns + 1};
}

static const struct lanes *lanes_of(struct arena *arena, struct file *f, struct lanes_request *request,
                                    bool in_part)
{
    struct lanes_sink *sink = lanes_sink_new(arena, request);

    assert_non_null(sink);
    play(f,
         (struct replay_request){
             .rests = request->open_to_end, .looks_at_self = true, .sink = lanes_sink_replay(sink)},
         with_end(f), in_part);
    return lanes_sink_finish(sink);
}

static void same_spans(const struct spans *a, const struct spans *b)
{
    assert_int_equal(a->n, b->n);
    assert_int_equal(a->levels, b->levels);
    assert_int_equal(a->calls, b->calls);
    assert_int_equal(a->deep, b->deep);
    assert_int_equal(a->least_ns, b->least_ns);
    for (uint32_t i = 0; i < a->n; i++) {
        const struct span *x = &a->list[i], *y = &b->list[i];
        assert_int_equal(x->frame, y->frame);
        assert_int_equal(x->depth, y->depth);
        assert_int_equal(x->flags, y->flags);
        assert_int_equal(x->calls, y->calls);
        assert_int_equal(x->begin_ns, y->begin_ns);
        assert_int_equal(x->end_ns, y->end_ns);
        assert_int_equal(x->self_ns, y->self_ns);
    }
}

static void same_lists(const struct longest_calls *a, const struct longest_calls *b)
{
    assert_int_equal(a->n, b->n);
    for (uint32_t i = 0; i < a->n; i++) {
        assert_int_equal(a->list[i].track, b->list[i].track);
        assert_int_equal(a->list[i].begin_ns, b->list[i].begin_ns);
        assert_int_equal(a->list[i].end_ns, b->list[i].end_ns);
        assert_int_equal(a->list[i].frame, b->list[i].frame);
        assert_int_equal(a->list[i].depth, b->list[i].depth);
        assert_int_equal(a->list[i].flags, b->list[i].flags);
    }
}

/* A track that was not told of has nothing in the window. */
static void same_pixels(const struct lane *a, const struct lane *b, uint32_t width)
{
    static const struct lane_pixel NOTHING;
    static const struct lane_mark NO_MARK;

    for (uint32_t i = 0; i < width; i++) {
        const struct lane_pixel *x = a->pixels != NULL ? &a->pixels[i] : &NOTHING;
        const struct lane_pixel *y = b->pixels != NULL ? &b->pixels[i] : &NOTHING;
        assert_memory_equal(x, y, sizeof(*x));
        const struct lane_mark *m = a->marks != NULL ? &a->marks[i] : &NO_MARK;
        const struct lane_mark *o = b->marks != NULL ? &b->marks[i] : &NO_MARK;
        assert_memory_equal(m, o, sizeof(*m));
    }
}

/* Without marks and tracks that are open: slices that are made one by one are the whole. */
static void same_slices_of_lanes(struct arena *arena, struct file *f, uint64_t *random,
                                 struct lanes_request r)
{
    enum { SLICES_MAX = 4 };
    static const uint8_t CLASSES[FRAMES + 1] = {LANE_OWN,     LANE_LIBRARY | LANE_MESSAGE, LANE_PLATFORM,
                                                LANE_WAITING, LANE_OWN | LANE_MESSAGE,     LANE_UNKNOWN};
    struct lanes_track tracks[TRACKS];
    const struct lanes *slices[SLICES_MAX];
    uint32_t first_px[SLICES_MAX] = {0}, n = 1;

    for (uint32_t i = 0; i < r.n_tracks; i++)
        tracks[i] = (struct lanes_track){r.tracks[i].track, false, i == 0};
    r.tracks = tracks;
    r.class_of_frame = CLASSES;
    r.marks = false;
    r.methods = random_below(random, 2) == 0;
    assert_true(lanes_has_slices(&r));
    const struct lanes *whole = lanes_of(arena, f, &r, true);
    const uint64_t *edges = r.edges = lanes_edges(arena, &r);
    assert_non_null(edges);
    for (uint32_t px = 1; px < r.width_px && n < SLICES_MAX; px++)
        if (edges[px] > edges[first_px[n - 1]] && edges[px] < r.to_ns && random_below(random, 4) == 0)
            first_px[n++] = px;
    for (uint32_t i = 0; i < n; i++) {
        struct lanes_request slice =
            lanes_slice(&r, edges, first_px[i], i + 1 < n ? first_px[i + 1] : r.width_px);
        struct file of_slice = *f;
        of_slice.window = (struct window){slice.from_ns, slice.to_ns};
        slices[i] = lanes_of(arena, &of_slice, &slice, true);
    }
    const struct lanes *joined = lanes_join(arena, &r, slices, first_px, n);
    assert_non_null(joined);
    same_lists(&whole->messages, &joined->messages);
    for (uint32_t i = 0; i < r.n_tracks; i++) {
        same_pixels(&whole->list[i], &joined->list[i], r.width_px);
        assert_int_equal(whole->list[i].methods != NULL, joined->list[i].methods != NULL);
        for (uint32_t px = 0; whole->list[i].methods != NULL && px < r.width_px; px++)
            assert_int_equal(whole->list[i].methods[px].frame, joined->list[i].methods[px].frame);
    }
}

static void same_lanes(struct arena *arena, struct file *f, uint64_t *random)
{
    static const uint8_t CLASSES[FRAMES + 1] = {
        LANE_OWN,     LANE_LIBRARY | LANE_MESSAGE, LANE_PLATFORM,
        LANE_WAITING, LANE_OWN | LANE_MARKED,      LANE_PLATFORM | LANE_MARKED,
        LANE_MARKED};
    struct lanes_track tracks[TRACKS];
    struct lanes_request r = {.tracks = tracks,
                              .n_tracks = f->whole->n_tracks,
                              .class_of_frame = CLASSES,
                              .n_frames = FRAMES + 1,
                              .ns_per_tick = NS_PER_TICK,
                              .cpu_clock = 1,
                              .open_to_end = random_below(random, 2) == 0,
                              .marks = true,
                              .from_ns = f->window.from_ns,
                              .to_ns = f->window.to_ns,
                              .width_px = 1 + random_below(random, 30),
                              .message_ns = random_below(random, 50) * 1000,
                              .levels_max = LEVELS_MAX,
                              .spans_max = LEVELS_MAX + 1 + random_below(random, SPANS_MAX)};

    for (uint32_t i = 0; i < f->whole->n_tracks; i++)
        tracks[i] = (struct lanes_track){&f->whole->tracks[i], random_below(random, 2) == 0, i == 0};
    const struct lanes *all = lanes_of(arena, f, &r, false), *part = lanes_of(arena, f, &r, true);
    assert_int_equal(all->marked, part->marked);
    same_lists(&all->first, &part->first);
    same_lists(&all->last, &part->last);
    same_lists(&all->longest, &part->longest);
    same_lists(&all->messages, &part->messages);
    for (uint32_t i = 0; i < r.n_tracks; i++) {
        same_pixels(&all->list[i], &part->list[i], r.width_px);
        if (all->list[i].spans != NULL)
            same_spans(all->list[i].spans, part->list[i].spans);
    }
    same_slices_of_lanes(arena, f, random, r);
}

/* A chart says of its whole track how long it was in no call. */
static void same_chart(struct arena *arena, struct file *f)
{
    const struct profile_track *t = &f->whole->tracks[0];
    const struct span_request request = {.track = t->id,
                                         .ns_per_tick = NS_PER_TICK,
                                         .from_ns = f->window.from_ns,
                                         .to_ns = f->window.to_ns,
                                         .least_ns = 1,
                                         .levels_max = LEVELS_MAX,
                                         .spans_max = SPANS_MAX};
    struct span_sink *all = span_sink_new(arena, &request), *part = span_sink_new(arena, &request);
    const uint32_t track = 0;
    struct replay_request replay = {.tracks = &track, .n_tracks = 1, .looks_at_self = true};

    replay.sink = span_sink_replay(all);
    play(f, replay, with_end(f), false);
    replay.sink = span_sink_replay(part);
    play(f, replay, with_end(f), true);
    same_spans(span_sink_finish(all), span_sink_finish(part));
    if (f->window.from_ns <= t->end_ns && f->window.to_ns >= t->begin_ns)
        assert_int_equal(span_sink_finish(all)->idle_ns, span_sink_finish(part)->idle_ns);
}

/* ---- how long calls were ---- */

static void same_found(const struct calls *all, const struct calls *part, uint32_t n_rows)
{
    assert_memory_equal(all->longest, part->longest, (size_t)n_rows * 2 * sizeof(*all->longest));
    for (uint32_t c = 0; c < 2; c++) {
        const struct call_durations *a = &all->looked_at[c], *b = &part->looked_at[c];
        assert_int_equal(a->n, b->n);
        assert_int_equal(a->min_ns, b->min_ns);
        assert_int_equal(a->max_ns, b->max_ns);
        assert_int_equal(a->sum_ns, b->sum_ns);
        assert_memory_equal(a->bars, b->bars, sizeof(a->bars));
        assert_int_equal(a->n_longest, b->n_longest);
        for (uint32_t i = 0; i < a->n_longest; i++) {
            assert_int_equal(a->longest[i].track, b->longest[i].track);
            assert_int_equal(a->longest[i].begin_ns, b->longest[i].begin_ns);
            assert_int_equal(a->longest[i].duration_ns[c], b->longest[i].duration_ns[c]);
        }
        for (unsigned permille = 0; permille <= 1000; permille += 250)
            assert_int_equal(calls_percentile_ns(a, permille), calls_percentile_ns(b, permille));
    }
}

static void same_calls(struct arena *arena, struct file *f, uint64_t *random)
{
    static const uint32_t TRACK_LIST[TRACKS] = {0, 1, 2}, ROWS[FRAMES + 1] = {0, 1, 0, CALLS_NO_ROW, 2, 1, 2};
    const struct calls_request request = {.profile = f->whole,
                                          .row_of_frame = ROWS,
                                          .n_rows = 3,
                                          .tracks = TRACK_LIST,
                                          .n_tracks = f->whole->n_tracks,
                                          .open_to_end = random_below(random, 2) == 0,
                                          .looked_at = random_below(random, 3),
                                          .window = &f->window};
    struct calls_sink *of_all = calls_sink_new(arena, &request), *of_part = calls_sink_new(arena, &request);

    play(f, (struct replay_request){.sink = calls_sink_replay(of_all)}, f->window, false);
    play(f, (struct replay_request){.sink = calls_sink_replay(of_part)}, f->window, true);
    const struct calls *all = calls_sink_finish(of_all), *part = calls_sink_finish(of_part);
    same_found(all, part, request.n_rows);

    /* Slices of the window, put together. */
    struct calls_sink *joined = calls_sink_new(arena, &request);
    struct window slice = {f->window.from_ns, 0};
    for (uint64_t from = f->window.from_ns, n = 3; n > 0; n--, from = slice.to_ns) {
        uint64_t left = f->window.to_ns == WINDOW_NO_END ? 20000 : f->window.to_ns - from;
        slice = (struct window){from, n == 1 ? f->window.to_ns : from + 1 + random_next(random) % left};
        if (slice.to_ns >= f->window.to_ns) {
            slice.to_ns = f->window.to_ns;
            n = 1;
        }
        struct calls_request of_slice = request;
        of_slice.window = &slice;
        struct calls_sink *sink = calls_sink_new(arena, &of_slice);
        play(f, (struct replay_request){.sink = calls_sink_replay(sink)}, slice, true);
        calls_sink_join(joined, calls_sink_finish(sink));
    }
    same_found(all, calls_sink_finish(joined), request.n_rows);
}

/* ---- rows and slices, in the order of the file ---- */

struct text {
    struct call_row rows[2 * EVENTS_MAX];
    struct call_slice slices[4 * EVENTS_MAX];
    size_t n_rows, n_slices;
};

static bool put_row(void *context, const struct call_row *row)
{
    struct text *t = context;

    t->rows[t->n_rows++] = *row;
    return true;
}

static bool put_slice(void *context, const struct call_slice *slice)
{
    struct text *t = context;

    t->slices[t->n_slices++] = *slice;
    return true;
}

static void write_text(struct arena *arena, struct file *f, bool to_end, bool in_part, struct text *t)
{
    const struct call_rows_request of_rows = {f->whole, to_end, &f->window, NULL, false, put_row, t};
    const struct call_slices_request of_slices = {f->whole, f->whole->n_tracks, to_end, &f->window,
                                                  NULL,     put_slice,          t};
    struct call_rows *rows = call_rows_new(arena, &of_rows, (struct hash_seed){1, 2});
    struct call_slices *slices = call_slices_new(arena, &of_slices, (struct hash_seed){1, 2});
    struct replay_request replay = {.in_order = true, .rests = to_end, .looks_at_self = true};

    assert_true(rows != NULL && slices != NULL);
    t->n_rows = t->n_slices = 0;
    replay.sink = call_rows_replay(rows);
    play(f, replay, f->window, in_part);
    replay.sink = call_slices_replay(slices);
    play(f, replay, f->window, in_part);
}

static void same_slices(const struct text *a, const struct text *b)
{
    assert_int_equal(a->n_slices, b->n_slices);
    for (size_t i = 0; i < a->n_slices; i++) {
        const struct call_slice *x = &a->slices[i], *y = &b->slices[i];
        assert_true(x->track == y->track && x->frame == y->frame && x->ends == y->ends);
        assert_true(x->at_ns == y->at_ns && x->cpu_at_ns == y->cpu_at_ns);
    }
}

static struct replay_sink slices_to(struct arena *arena, const struct file *f, uint32_t n_tracks,
                                    struct text *t)
{
    const struct call_slices_request request = {f->whole, n_tracks, true, &f->window, NULL, put_slice, t};
    struct call_slices *slices = call_slices_new(arena, &request, (struct hash_seed){1, 2});

    assert_non_null(slices);
    return call_slices_replay(slices);
}

/* Some tracks told one by one, as a replay of each tells them, one behind the other. What that saves is a look at all
 * tracks at the beginning of each replay, which cannot be seen from here. */
static void same_one_by_one(struct arena *arena, struct file *f, uint64_t *random)
{
    static struct text each, one_by_one;
    uint32_t tracks[TRACKS], n = 0;

    for (uint32_t i = 0; i < f->whole->n_tracks; i++)
        if (random_below(random, 4) > 0)
            tracks[n++] = i;
    struct replay_request request = {.log = &f->log.log,
                                     .profile = f->whole,
                                     .window = random_below(random, 3) > 0 ? &f->window : NULL,
                                     .to_the_end = random_below(random, 2) == 0,
                                     .rests = true};
    each.n_slices = one_by_one.n_slices = 0;
    for (uint32_t i = 0; i < n; i++) {
        request.tracks = &tracks[i];
        request.n_tracks = 1;
        request.sink = slices_to(arena, f, 1, &each);
        assert_int_equal(replay_all(&request, arena), REPLAY_DONE);
    }
    request.tracks = tracks;
    request.n_tracks = n;
    request.one_by_one = true;
    request.sink = slices_to(arena, f, n, &one_by_one);
    struct replay *replay = replay_new(&request, arena);
    assert_non_null(replay);
    for (uint32_t i = 0; i < n; i++) {
        enum replay_end end = REPLAY_MORE;
        size_t before = one_by_one.n_slices;
        while (end == REPLAY_MORE)
            end = replay_step(replay);
        assert_int_equal(end, REPLAY_DONE);
        for (size_t k = before; k < one_by_one.n_slices; k++)
            assert_int_equal(one_by_one.slices[k].track, tracks[i]);
    }
    same_slices(&each, &one_by_one);
}

static void same_rows(const struct text *a, const struct text *b)
{
    assert_int_equal(a->n_rows, b->n_rows);
    for (size_t i = 0; i < a->n_rows; i++) {
        const struct call_row *x = &a->rows[i], *y = &b->rows[i];
        assert_true(x->track == y->track && x->frame == y->frame && x->depth == y->depth);
        assert_true(x->begin_ns == y->begin_ns && x->end_ns == y->end_ns && x->flags == y->flags);
        assert_true(x->self_ns == y->self_ns && x->cpu_ns == y->cpu_ns);
    }
}

/* A sink that puts rows, or slices, behind what is there. */
static struct replay_sink text_to(struct arena *arena, const struct file *f, uint32_t n_tracks, bool rows,
                                  struct text *t)
{
    const struct call_rows_request of_rows = {f->whole, true, NULL, NULL, false, put_row, t};
    const struct call_slices_request of_slices = {f->whole, n_tracks, true, NULL, NULL, put_slice, t};
    struct call_rows *r = call_rows_new(arena, &of_rows, (struct hash_seed){1, 2});
    struct call_slices *s = call_slices_new(arena, &of_slices, (struct hash_seed){1, 2});

    assert_true(r != NULL && s != NULL);
    return rows ? call_rows_replay(r) : call_slices_replay(s);
}

static void append(struct text *to, const struct text *from)
{
    memcpy(&to->rows[to->n_rows], from->rows, from->n_rows * sizeof(*from->rows));
    memcpy(&to->slices[to->n_slices], from->slices, from->n_slices * sizeof(*from->slices));
    to->n_rows += from->n_rows;
    to->n_slices += from->n_slices;
}

enum { PIECES = 4 };

/* What all tracks tell, or one: all of it, or what is never left. */
static void tell(struct arena *arena, const struct file *f, struct replay_request request, uint32_t nth,
                 bool rows, struct text *to)
{
    if (nth != REPLAY_ALL) {
        request.tracks += nth;
        request.n_tracks = 1;
    }
    request.sink = text_to(arena, f, request.n_tracks, rows, to);
    assert_int_equal(replay_all(&request, arena), REPLAY_DONE);
}

/* Some tracks, or the nth of them alone, told in pieces: these, put together in their order, are the whole. They are played
 * from the last one to the first one, by one replay or by one each. */
static void same_in_pieces(struct arena *arena, const struct file *f, uint64_t *random,
                           struct replay_request request, uint32_t nth, bool rows)
{
    static struct text all, together, told, pieces[PIECES];
    const uint64_t blocks = f->log.log.trailer.n_blocks;
    const bool alone = random_below(random, 2) == 0;
    uint64_t at[PIECES + 1] = {0};
    struct replay *replay = NULL;

    for (unsigned i = 0; i < PIECES; i++)
        at[i + 1] = i + 1 == PIECES ? blocks : at[i] + random_next(random) % (blocks - at[i] + 1);
    request.in_pieces = true;
    for (unsigned i = PIECES; i-- > 0;) {
        told.n_rows = told.n_slices = 0;
        if (alone || replay == NULL) {
            request.sink = text_to(arena, f, request.n_tracks, rows, &told);
            replay = replay_new(&request, arena);
            assert_non_null(replay);
        }
        assert_int_equal(replay_piece(replay, nth, at[i], at[i + 1]), REPLAY_DONE);
        pieces[i].n_rows = pieces[i].n_slices = 0;
        append(&pieces[i], &told);
    }
    all.n_rows = all.n_slices = together.n_rows = together.n_slices = 0;
    for (unsigned i = 0; i < PIECES; i++)
        append(&together, &pieces[i]);
    request.in_pieces = false;
    request.ends_only = nth == REPLAY_ALL; /* one track has told its end */
    if (request.ends_only)
        tell(arena, f, request, nth, rows, &together);
    request.ends_only = false;
    request.in_order = true;
    tell(arena, f, request, nth, rows, &all);
    same_rows(&all, &together);
    same_slices(&all, &together);
}

static void same_pieces(struct arena *arena, const struct file *f, uint64_t *random)
{
    uint32_t tracks[TRACKS], n = 0;

    for (uint32_t i = 0; i < f->whole->n_tracks; i++)
        if (random_below(random, 4) > 0)
            tracks[n++] = i;
    const struct replay_request request = {.log = &f->log.log,
                                           .profile = f->whole,
                                           .tracks = tracks,
                                           .n_tracks = n,
                                           .rests = true,
                                           .looks_at_self = true};
    same_in_pieces(arena, f, random, request, REPLAY_ALL, random_below(random, 2) == 0);
    if (n > 0)
        same_in_pieces(arena, f, random, request, random_below(random, n), random_below(random, 2) == 0);
}

static void same_text(struct arena *arena, struct file *f, uint64_t *random)
{
    static struct text all, part;
    bool to_end = random_below(random, 2) == 0;

    write_text(arena, f, to_end, false, &all);
    write_text(arena, f, to_end, true, &part);
    same_rows(&all, &part);
    same_slices(&all, &part);
}

/* ---- all of it ---- */

static void look(struct file *f, uint64_t *random)
{
    struct arena arena;

    arena_init(&arena, 256 << 20);
    same_profiles(cut(&arena, f, false), cut(&arena, f, true));
    if (f->window.to_ns != WINDOW_NO_END) {
        same_lanes(&arena, f, random);
        same_chart(&arena, f);
    }
    same_calls(&arena, f, random);
    same_text(&arena, f, random);
    same_one_by_one(&arena, f, random);
    arena_free(&arena);
}

/* A window anywhere in the recording, and a little in front of it and behind it. */
static void choose_window(struct file *f, uint64_t *random, bool ends)
{
    const struct profile_track *t = &f->whole->tracks[random_below(random, f->whole->n_tracks)];
    uint64_t length = t->end_ns - t->begin_ns + 5000, before = t->begin_ns > 3000 ? 3000 : 0;

    f->window.from_ns = t->begin_ns - before + random_next(random) % length / 1000 * 1000;
    f->window.to_ns =
        !ends ? WINDOW_NO_END : f->window.from_ns + 1 + random_next(random) % (length / 4 + 1) / 500 * 500;
}

TEST(parts_show_what_all_of_it_does)
{
    static struct file f;
    struct arena arena;
    uint64_t random = 6;

    for (unsigned round = 0; round < 400; round++) {
        open_file(&f, &random);
        for (unsigned i = 0; i < 4; i++) {
            choose_window(&f, &random, i > 0);
            look(&f, &random);
        }
        arena_init(&arena, 256 << 20);
        same_pieces(&arena, &f, &random);
        arena_free(&arena);
        close_file(&f);
    }
}

/* ---- only what is needed is read ---- */

struct counted {
    struct call_log_source source;
    uint64_t bytes;
};

static bool read_counted(void *context, uint64_t offset, void *to, size_t n)
{
    struct counted *c = context;

    c->bytes += n;
    return c->source.read_at(c->source.context, offset, to, n);
}

/* Two tracks take turns; one has called something at the beginning that it never leaves. */
TEST(a_window_of_a_hundredth_reads_few_blocks)
{
    enum { N = 400000 };
    struct event e = {.frame = 1};
    const struct profile_value *values = VALUES;
    struct arena arena;
    struct replayed r;

    arena_init(&arena, 64 << 20);
    struct builder *b = replayed_open(&r, &arena, values, 2, NS_PER_TICK, true);
    replayed_letters(b, 2);
    replayed_tracks(b, 1, 2);
    assert_true(builder_events(b, &(struct event){.frame = 0}, 1, 0, 0));
    for (unsigned i = 0; i < N; i++) {
        e.track = i / 8 % 2;
        e.action = i % 2 == 0 ? EVENT_ENTER : EVENT_EXIT;
        e.clock[0] = i;
        e.clock[1] = i / 2;
        assert_true(builder_events(b, &e, 1, 0, 0));
    }
    const struct profile *p = replayed_finish(&r, b);
    struct counted counted = {r.log.source, 0};
    r.log.source =
        (struct call_log_source){.read_at = read_counted, .context = &counted, .size = r.log.source.size};
    const struct window window = {UINT64_C(200000000), UINT64_C(204000000)};
    const struct window_request request = {p, window, {3, 4}};
    struct window_sink *sink = window_sink_new(&arena, &arena, &request);
    assert_non_null(sink);
    assert_int_equal(replayed_play(&r, p,
                                   (struct replay_request){
                                       .window = &window, .rests = true, .sink = window_sink_replay(sink)}),
                     REPLAY_DONE);
    assert_true(counted.bytes > 0 && counted.bytes < r.log.source.size / 10);
    const struct profile *cut_out = window_sink_finish(sink);
    assert_non_null(cut_out);
    assert_int_equal(profile_total(cut_out, cut_out->tracks[0].first, 2) +
                         profile_total(cut_out, cut_out->tracks[1].first, 2),
                     2000);
    replayed_close(&r);
    arena_free(&arena);
}

/* ---- samples ---- */

enum { SAMPLES = 120, DEPTH = 5 };

struct sample {
    uint32_t track, n;
    frame_id frames[DEPTH];
    uint64_t values[2], at;
};

static void fold_samples(struct arena *arena, struct replayed *log, uint64_t *random, struct sample *samples,
                         const struct profile **p)
{
    static const struct profile_value COUNTS[] = {
        {STR_INIT("samples"), STR_INIT("samples"), UNIT_COUNT, ROLE_SAMPLES},
        {STR_INIT("other"), STR_INIT("other"), UNIT_BYTES, ROLE_OTHER}};
    struct builder *b = builder_new(arena, (struct hash_seed){9, 10});
    uint64_t at = 1000;

    assert_true(b != NULL && builder_values(b, NULL, 0, COUNTS, 2));
    builder_clocks(b, 1, false);
    replayed_begin(log, b);
    replayed_letters(b, FRAMES);
    replayed_tracks(b, 1, 2);
    for (unsigned i = 0; i < SAMPLES; i++) {
        struct sample *s = &samples[i];
        *s =
            (struct sample){.track = random_below(random, 2), .n = random_below(random, DEPTH + 1), .at = at};
        for (uint32_t k = 0; k < s->n; k++)
            s->frames[k] = random_below(random, 2 + k % 3);
        s->values[0] = s->n > 0;
        s->values[1] = s->n > 0 ? random_next(random) % 100000 : 0;
        assert_true(builder_sample_at(b, s->track, builder_stack(b, s->track, NODE_NONE, s->frames, s->n),
                                      s->values, s->at));
        at += random_below(random, 30);
    }
    *p = replayed_finish(log, b);
}

/* All of a sample belongs to the window of its time. */
TEST(windows_of_samples)
{
    static struct sample samples[SAMPLES];
    uint64_t random = 12;

    for (unsigned round = 0; round < 200; round++) {
        const struct profile *p;
        struct replayed log;
        struct arena arena;
        arena_init(&arena, 64 << 20);
        fold_samples(&arena, &log, &random, samples, &p);
        struct window_request request = {.profile = p, .seed = {3, 4}};
        request.window.from_ns = 900 + random_below(&random, 2500);
        request.window.to_ns = request.window.from_ns + 1 + random_below(&random, 900);
        struct window_sink *sink = window_sink_new(&arena, &arena, &request);
        assert_non_null(sink);
        const struct replay_request replay = {
            .window = &request.window, .rests = true, .sink = window_sink_replay(sink)};
        assert_int_equal(replayed_play(&log, p, replay), REPLAY_DONE);
        const struct profile *window = window_sink_finish(sink);
        assert_non_null(window);
        for (uint32_t t = 0; t < window->n_tracks; t++) {
            uint64_t sums[2] = {0, 0}, largest = 0;
            for (unsigned i = 0; i < SAMPLES; i++)
                if (samples[i].track + 1 == window->tracks[t].id &&
                    window_has(&request.window, samples[i].at)) {
                    sums[0] += samples[i].values[0];
                    sums[1] += samples[i].values[1];
                    largest = samples[i].n > largest ? samples[i].n : largest;
                }
            assert_int_equal(profile_total(window, window->tracks[t].first, 0), sums[0]);
            assert_int_equal(profile_total(window, window->tracks[t].first, 1), sums[1]);
            assert_true(window->tracks[t].count > largest);
        }
        replayed_close(&log);
        arena_free(&arena);
    }
}

/* ---- damage ---- */

static enum replay_end play_bytes(const struct file *f, struct replayed_file *b)
{
    const struct call_log_source source = replayed_source(b);
    struct replayed r = {.block_bytes = 1};
    bool memory_failed;

    if (!call_log_open(&r.log, &source, &memory_failed))
        return REPLAY_DAMAGED;
    enum replay_end end = replayed_play(&r, f->whole, (struct replay_request){.in_order = true});
    call_log_close(&r.log);
    return end;
}

/* No flipped bit, and no end that is missing, goes unnoticed. */
TEST(damage_is_noticed)
{
    static struct file f;
    uint64_t random = 3;

    for (unsigned round = 0; round < 20; round++) {
        open_file(&f, &random);
        struct replayed_file b = {malloc((size_t)f.log.memory.bytes), (size_t)f.log.memory.bytes};
        assert_non_null(b.p);
        assert_true(f.log.log.source.read_at(f.log.log.source.context, 0, b.p, b.n));
        assert_int_equal(play_bytes(&f, &b), REPLAY_DONE);
        for (size_t i = 0; i < b.n; i++) {
            uint8_t bit = (uint8_t)(1u << random_below(&random, 8));
            b.p[i] ^= bit;
            assert_int_equal(play_bytes(&f, &b), REPLAY_DAMAGED);
            b.p[i] ^= bit;
        }
        for (size_t n = b.n; b.n-- > 0 && b.n + 60 > n;)
            assert_int_equal(play_bytes(&f, &b), REPLAY_DAMAGED);
        free(b.p);
        close_file(&f);
    }
}
