/* Parts of a file, from checkpoints: whatever looks at a window of time sees the same in a part as in all of the file; on random streams
 * with every kind of repair. */
#include "tests/support/unit.h"

#include <string.h>

#include "profile/calls/calls.h"
#include "profile/calls/checkpoints_impl.h"
#include "profile/calls/lanes.h"
#include "profile/calls/window_rest.h"
#include "tests/support/random.h"
#include "tests/support/wild_events.h"

enum { TRACKS = 3, FRAMES = 6, EVENTS_MAX = 250, NS_PER_TICK = 1000, SPANS_MAX = 600, LEVELS_MAX = 20 };

static const struct profile_value VALUES[] = {
    {STR_INIT("wall"), STR_INIT("wall time"), UNIT_NS, ROLE_WALL},
    {STR_INIT("cpu"), STR_INIT("thread CPU time"), UNIT_NS, ROLE_CPU},
    {STR_INIT("calls"), STR_INIT("calls"), UNIT_COUNT, ROLE_CALLS},
};

/* ---- readings ---- */

/* What is read, and a window of it. */
struct file {
    struct event events[EVENTS_MAX];
    size_t n;
    const struct profile *whole;
    struct checkpoints *checkpoints;
    struct window window;
    size_t read; /* events, of parts */
};

/* Applies the events, which stand one behind the other in a file, in small pieces; tracks begin with their first one. */
static void apply(struct builder *b, uint32_t numbers[TRACKS], const struct event *events, size_t from,
                  size_t to)
{
    for (size_t i = from; i < to; i++) {
        struct event e = events[i];
        if (numbers[e.track] == NODE_NONE)
            numbers[e.track] = builder_track(b, e.track + 1, STRING_EMPTY);
        assert_int_not_equal(numbers[e.track], NODE_NONE);
        e.track = numbers[e.track];
        if (builder_wants_checkpoint(b))
            builder_checkpoint(b, i, NULL, 0);
        assert_true(builder_events(b, &e, 1, i, 0));
    }
}

static struct builder *open_bare(struct arena *arena, struct watcher *w)
{
    struct builder *b = builder_new(arena, (struct hash_seed){9, 10});

    assert_non_null(b);
    assert_true(builder_values(b, VALUES, 2, &VALUES[2], 1));
    builder_clocks(b, NS_PER_TICK, true);
    builder_watch(b, w);
    return b;
}

static void read_all(struct arena *arena, struct file *f, struct checkpoints *c, struct watcher *w)
{
    uint32_t numbers[TRACKS] = {NODE_NONE, NODE_NONE, NODE_NONE};
    struct builder *b = open_bare(arena, w);

    for (uint32_t i = 0; i <= FRAMES; i++) {
        char name[] = {(char)('a' + i)};
        struct profile_frame frame = {
            .name = builder_string(b, i < FRAMES ? (struct str){name, 1} : STR("unknown"))};
        assert_int_equal(builder_frame(b, &frame), i);
    }
    if (c != NULL)
        builder_checkpoints(b, c);
    apply(b, numbers, f->events, 0, f->n);
    const struct profile *p = builder_finish(b, STR("format"), STR("Format"));
    f->whole = f->whole == NULL ? p : f->whole;
}

/* Of the frames the builder knows some; the others it is given. */
static void read_part(struct arena *arena, struct file *f, struct watcher *w)
{
    uint32_t numbers[TRACKS] = {NODE_NONE, NODE_NONE, NODE_NONE};
    struct checkpoint_part part;
    struct builder *b = open_bare(arena, w);
    struct profile_frame first = {.name = builder_string(b, STR("a"))};

    assert_int_equal(builder_frame(b, &first), 0);
    checkpoints_part(f->checkpoints, f->whole, &f->window, &part);
    assert_true(checkpoints_begin(&part, b));
    size_t end = part.to < f->n ? (size_t)part.to : f->n;
    assert_true(part.from <= end);
    apply(b, numbers, f->events, (size_t)part.from, end);
    assert_true(checkpoints_end(&part, b));
    f->read += end - (size_t)part.from;
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
    const struct window_request request = {f->whole, f->window, {3, 4}, 0};
    struct window_sink *sink = window_sink_new(arena, arena, &request);

    assert_non_null(sink);
    if (in_part)
        read_part(arena, f, window_sink_watcher(sink));
    else
        read_all(arena, f, NULL, window_sink_watcher(sink));
    const struct profile *window = window_sink_finish(sink);
    assert_non_null(window);
    return window;
}

/* ---- what is left of the whole ---- */

static node_id child_of(const struct profile *p, node_id parent, frame_id frame)
{
    for (node_id i = parent + 1; i < p->n_nodes; i++)
        if (p->node_parent[i] == parent && p->node_frame[i] == frame)
            return i;
    return NODE_NONE;
}

/* But for the order of children. */
static void same_but_for_order(const struct profile *a, const struct profile *b)
{
    node_id of_b[EVENTS_MAX * 2];

    assert_int_equal(a->n_nodes, b->n_nodes);
    assert_int_equal(a->n_tracks, b->n_tracks);
    for (uint32_t i = 0; i < a->n_tracks; i++)
        of_b[a->tracks[i].first] = b->tracks[i].first;
    for (node_id i = 0; i < a->n_nodes; i++) {
        if (a->node_parent[i] != NODE_NONE)
            of_b[i] = child_of(b, of_b[a->node_parent[i]], a->node_frame[i]);
        assert_int_not_equal(of_b[i], NODE_NONE);
        assert_int_equal(a->node_flags[i], b->node_flags[of_b[i]]);
        for (uint32_t v = 0; v < 3; v++) {
            assert_int_equal(profile_self(a, i, v), profile_self(b, of_b[i], v));
            assert_int_equal(profile_total(a, i, v), profile_total(b, of_b[i], v));
        }
    }
    for (uint32_t i = 0; i < a->n_tracks; i++) {
        const struct profile_track *x = &a->tracks[i], *y = &b->tracks[i];
        assert_int_equal(x->count, y->count);
        assert_int_equal(x->calls, y->calls);
        assert_int_equal(of_b[x->open], y->open);
        assert_int_equal(x->begin_ns, y->begin_ns);
        assert_int_equal(x->end_ns, y->end_ns);
        assert_int_equal(x->rest_ns, y->rest_ns);
    }
    assert_int_equal(a->n_warnings, b->n_warnings);
    for (uint32_t i = 0; i < a->n_warnings; i++)
        assert_true(str_eq(a->warnings[i].text, b->warnings[i].text));
}

static const struct profile *outside(struct arena *arena, struct file *f, struct window window,
                                     uint64_t cut_since_ns, uint64_t *cut)
{
    const struct window_request request = {f->whole, window, {3, 4}, cut_since_ns};
    struct window_sink *sink = window_sink_new(arena, arena, &request);
    struct file of = *f;

    assert_non_null(sink);
    of.window = window;
    read_part(arena, &of, window_sink_watcher(sink));
    const struct profile *p = window_sink_finish(sink);
    assert_non_null(p);
    *cut += window_sink_cut(sink);
    return p;
}

static const struct profile *rest(struct arena *arena, struct file *f)
{
    const struct window_request request = {f->whole, f->window, {3, 4}, 0};
    struct window before = {0, f->window.from_ns}, behind = {f->window.to_ns, WINDOW_NO_END};
    struct window_outside o = {NULL, NULL, 0};

    if (before.to_ns > 0)
        o.before = outside(arena, f, before, 0, &o.cut);
    if (behind.from_ns != WINDOW_NO_END)
        o.behind = outside(arena, f, behind, f->window.from_ns, &o.cut);
    const struct profile *p = window_rest(arena, arena, &request, &o);
    assert_non_null(p);
    return p;
}

/* ---- lanes, with spans and marks ---- */

/* What belongs to the window's very end is within reach of it. */
static const struct lanes *lanes_of(struct arena *arena, struct file *f, struct lanes_request *request,
                                    bool in_part)
{
    struct lanes_sink *sink = lanes_sink_new(arena, request);

    assert_non_null(sink);
    f->window.to_ns++;
    if (in_part)
        read_part(arena, f, lanes_sink_watcher(sink));
    else
        read_all(arena, f, NULL, lanes_sink_watcher(sink));
    f->window.to_ns--;
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

static void same_lanes(struct arena *arena, struct file *f, uint64_t *random)
{
    static const uint8_t CLASSES[FRAMES + 1] = {
        LANE_OWN,     LANE_THIRD_PARTY | LANE_MESSAGE, LANE_PLATFORM,
        LANE_WAITING, LANE_OWN | LANE_MARKED,          LANE_PLATFORM | LANE_MARKED,
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
}

/* A chart says of its whole track how long it was in no call. */
static void same_chart(struct arena *arena, struct file *f)
{
    const struct profile_track *t = &f->whole->tracks[0];
    const struct span_request request = {.track = t->id,
                                         .re_roots = t->re_roots,
                                         .ns_per_tick = NS_PER_TICK,
                                         .from_ns = f->window.from_ns,
                                         .to_ns = f->window.to_ns,
                                         .least_ns = 1,
                                         .levels_max = LEVELS_MAX,
                                         .spans_max = SPANS_MAX};
    struct span_sink *all = span_sink_new(arena, &request), *part = span_sink_new(arena, &request);

    f->window.to_ns++;
    read_all(arena, f, NULL, span_sink_watcher(all));
    read_part(arena, f, span_sink_watcher(part));
    f->window.to_ns--;
    same_spans(span_sink_finish(all), span_sink_finish(part));
    assert_int_equal(span_sink_finish(all)->idle_ns, span_sink_finish(part)->idle_ns);
}

/* ---- how long calls were ---- */

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

    read_all(arena, f, NULL, calls_sink_watcher(of_all));
    read_part(arena, f, calls_sink_watcher(of_part));
    const struct calls *all = calls_sink_finish(of_all), *part = calls_sink_finish(of_part);
    assert_memory_equal(all->longest, part->longest, (size_t)request.n_rows * 2 * sizeof(*all->longest));
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

/* ---- all of it ---- */

static void look(struct file *f, uint64_t *random)
{
    struct arena arena;

    arena_init(&arena, 256 << 20);
    same_profiles(cut(&arena, f, false), cut(&arena, f, true));
    same_but_for_order(cut(&arena, f, false), rest(&arena, f));
    if (f->window.to_ns != WINDOW_NO_END) {
        same_lanes(&arena, f, random);
        same_chart(&arena, f);
    }
    same_calls(&arena, f, random);
    arena_free(&arena);
}

static void parts_show_what_all_of_it_does(void **state)
{
    static struct file f;
    uint64_t random = 6;
    size_t all = 0, thinned = 0;

    (void)state;
    for (unsigned round = 0; round < 400; round++) {
        struct arena arena;
        arena_init(&arena, 256 << 20);
        f.n = 1 + random_below(&random, EVENTS_MAX);
        f.whole = NULL;
        wild_events(&random, f.events, f.n, TRACKS, FRAMES);
        read_all(&arena, &f, NULL, NULL);
        /* The smallest ones have no memory for all that is to be remembered. */
        f.checkpoints =
            checkpoints_new(f.whole, round % 4 == 0 ? 2000 + random_below(&random, 60000) : 1 << 20);
        assert_non_null(f.checkpoints);
        uint64_t every = 1 + random_below(&random, 20);
        f.checkpoints->every = every;
        read_all(&arena, &f, f.checkpoints, NULL);
        thinned += f.checkpoints->every > every;
        for (unsigned i = 0; i < 4; i++) {
            const struct profile_track *t = &f.whole->tracks[random_below(&random, f.whole->n_tracks)];
            uint64_t length = t->end_ns - t->begin_ns + 5000;
            f.window.from_ns = t->begin_ns + random_next(&random) % length / 1000 * 1000;
            f.window.to_ns = i == 0 ? WINDOW_NO_END
                                    : f.window.from_ns + 1 + random_next(&random) % (length / 4) / 500 * 500;
            look(&f, &random);
            all += i == 0 ? 2 * f.n : 4 * f.n;
        }
        checkpoints_free(f.checkpoints);
        arena_free(&arena);
    }
    assert_true(f.read < all * 3 / 4);
    assert_true(thinned > 0);
}

/* ---- fewer of them ---- */

enum { DEEP = 1000, LONG = 3000, DEFINED = 3000, PLACE = 10 /* bytes of a record and its definition */ };

/* How the only track stands before each record: calls go down to DEEP, then the innermost one ends and another begins. */
struct standing {
    uint32_t depth;
    uint64_t innermost; /* since when it is open */
};

static void apply_deep(struct builder *b, struct standing *before)
{
    static uint64_t since[DEEP + 1];
    uint32_t track = builder_track(b, 1, STRING_EMPTY), depth = 0;

    for (uint64_t i = 0; i < DEFINED; i++)
        builder_defines(b, i * PLACE, 1);
    for (uint32_t i = 0; i < LONG; i++) {
        uint64_t at = (uint64_t)(DEFINED + i) * PLACE;
        struct event e = {.track = track, .clock = {i, 0}, .frame = depth % FRAMES, .action = EVENT_ENTER};
        before[i] = (struct standing){depth, depth > 0 ? since[depth] : 0};
        builder_defines(b, at, 1);
        if (builder_wants_checkpoint(b))
            builder_checkpoint(b, at + 1, NULL, 0);
        if (depth == DEEP) {
            e.action = EVENT_EXIT;
            e.frame = (DEEP - 1) % FRAMES;
            depth--;
        } else {
            since[++depth] = i;
        }
        assert_true(builder_events(b, &e, 1, at + 1, 0));
    }
}

static void same_standings(const struct checkpoints *c, const struct standing *before)
{
    for (size_t i = 0; i < c->n; i++) {
        const struct checkpoint_track *t = &c->list[i].tracks[0];
        const struct standing *s = &before[c->list[i].offset / PLACE - DEFINED];
        assert_int_equal(t->n_open, s->depth + 1);
        assert_int_equal(c->calls[t->open[s->depth].call].begin[0], s->innermost);
    }
}

/* So many open calls and definitions that the arena keeps their lists apart, and lets them grow in place. */
static void long_lists_go_on_growing_when_thinned(void **state)
{
    static struct standing before[LONG];
    const struct profile nothing = {.n_tracks = 0};
    struct arena arena;

    (void)state;
    arena_init(&arena, 256 << 20);
    struct checkpoints *c = checkpoints_new(&nothing, 1 << 20);
    struct builder *b = open_bare(&arena, NULL);
    assert_non_null(c);
    for (uint32_t i = 0; i < FRAMES; i++) {
        char name[] = {(char)('a' + i)};
        struct profile_frame frame = {.name = builder_string(b, (struct str){name, 1})};
        assert_int_equal(builder_frame(b, &frame), i);
    }
    c->every = 1;
    builder_checkpoints(b, c);
    apply_deep(b, before);
    assert_non_null(builder_finish(b, STR("format"), STR("Format")));
    assert_true(c->every >= 8 && !c->full);
    assert_true(checkpoints_count(c) > 8);
    same_standings(c, before);
    assert_int_equal(c->n_definitions, DEFINED + LONG);
    for (size_t i = 0; i < c->n_definitions; i++)
        assert_true(c->definitions[i].from == i * PLACE && c->definitions[i].to == i * PLACE + 1);
    checkpoints_free(c);
    arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_show_what_all_of_it_does),
        cmocka_unit_test(long_lists_go_on_growing_when_thinned),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
