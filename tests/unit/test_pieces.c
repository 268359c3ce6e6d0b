/* Method traces that are read in pieces by several threads: as in one piece, whatever is in them and wherever they are
 * cut. */
#include "tests/support/unit.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "core/system/threads.h"
#include "parser/reader.h"
#include "tests/support/fold_fixture.h"
#include "tests/support/profile_dump.h"
#include "tests/support/random.h"
#include "tests/support/replayed.h"
#include "tests/support/sanitized.h"
#include "tests/support/trace_bytes.h"
#include "tests/support/wild_events.h"

/* ---- events ---- */

enum { FRAMES = 5, STRIDE = 10, OFFSET = 100 };

/* With its log. */
struct told {
    struct fold_fixture f;
    struct replayed log;
    struct buf dump;
};

static void begin_telling(struct told *t, uint32_t tracks)
{
    fold_fixture_open(&t->f, FOLD_VALUES, 2, FRAMES, tracks);
    replayed_begin(&t->log, t->f.builder);
}

static void end_telling(struct told *t)
{
    fold_fixture_finish(&t->f);
    profile_dump(&t->dump, t->f.profile);
    replayed_end(&t->log, t->f.profile);
    replayed_dump(&t->dump, &t->log, t->f.profile);
    assert_false(t->dump.failed);
    buf_char(&t->dump, '\0');
    replayed_close(&t->log);
    arena_free(&t->f.arena);
}

static void tell(struct builder *b, const struct event *events, size_t from, size_t to)
{
    if (to > from)
        assert_true(builder_events(b, events + from, to - from, OFFSET + from * STRIDE, STRIDE));
}

/* The events from `cut` on as a piece of their own. */
static enum builder_joined tell_piece(struct builder *b, const struct event *events, size_t cut, size_t n)
{
    static const uint32_t TRACKS[] = {0, 1, 2};
    const struct builder_joint joint = {TRACKS, NULL, FRAMES, 0};
    struct arena arena;

    arena_init(&arena, 1 << 24);
    struct builder *piece = builder_piece(b, &arena);
    assert_non_null(piece);
    for (uint32_t i = 0; i < WILD_TRACKS_MAX; i++)
        assert_int_equal(builder_track(piece, i, STRING_EMPTY), i);
    tell(piece, events, cut, n);
    enum builder_joined how = builder_join(b, piece, &joint);
    arena_free(&arena);
    return how;
}

/* Told as a whole, and in two pieces. Returns whether the second one joined the first. */
static bool tell_both(const struct event *events, size_t n, size_t cut, uint32_t tracks)
{
    struct told one = {.dump = {0}}, two = {.dump = {0}};

    begin_telling(&one, tracks);
    tell(one.f.builder, events, 0, n);
    end_telling(&one);
    begin_telling(&two, tracks);
    assert_true(builder_has_pieces(two.f.builder));
    tell(two.f.builder, events, 0, cut);
    enum builder_joined how = tell_piece(two.f.builder, events, cut, n);
    assert_int_not_equal(how, BUILDER_NO_MEMORY);
    if (how == BUILDER_APART)
        tell(two.f.builder, events, cut, n);
    end_telling(&two);
    assert_string_equal(two.dump.p, one.dump.p);
    buf_free(&one.dump);
    buf_free(&two.dump);
    return how == BUILDER_JOINED;
}

TEST(wild_events_at_every_cut)
{
    enum { ROUNDS = SANITIZED ? 20 : 60, LEAST = SANITIZED ? 150 : 500 };
    struct event events[WILD_EVENTS_MAX];
    uint64_t random = 1;
    unsigned joined = 0, apart = 0;

    for (unsigned round = 0; round < ROUNDS; round++) {
        size_t n = 10 + random_below(&random, 60);
        /* Only the first track's clocks do not begin near their end. */
        wild_events(&random, events, n, round % 10 == 0 ? WILD_TRACKS_MAX : 1, FRAMES);
        for (size_t i = 0; i < n; i++)
            if (events[i].frame == FRAME_NONE)
                events[i].frame = 0;
        for (size_t cut = 0; cut <= n; cut++)
            *(tell_both(events, n, cut, WILD_TRACKS_MAX) ? &joined : &apart) += 1;
    }
    assert_true(joined > LEAST && apart > LEAST);
}

/* One thread. In words: 'A' enters a, 'a' exits it. */
static size_t events_of(const char *words, struct event *events)
{
    size_t n = strlen(words);

    for (size_t i = 0; i < n; i++) {
        bool enters = words[i] < 'a';
        events[i] = (struct event){.action = enters ? EVENT_ENTER : EVENT_EXIT,
                                   .frame = (frame_id)(words[i] - (enters ? 'A' : 'a')),
                                   .clock = {10 * i, 3 * i}};
    }
    return n;
}

TEST(stacks_that_join)
{
    struct event events[64];
    static const struct {
        const char *words;
        size_t cut;
        bool joins;
    } CASES[] = {
        {"ABCcba", 3, true},       /* all that is open is left */
        {"ABCcbabB", 4, false},    /* and beyond: where the first re-root of the whole is cannot be told */
        {"ABCcCcbBCcba", 4, true}, /* what was left is entered again */
        {"aBbAa", 3, true},        {"ABCDca", 5, false}, /* c was popped by an exit below the top: it is not on top where the piece begins */
        {"ABCDDc", 5, false},                            /* the piece leaves what is not on top */
        {"ABCAac", 3, true},       {"ABCAcb", 3, false}, /* an exit of what is not in the piece */
        {"ABCAe", 3, false}, /* an exit of what is neither in the piece nor before it */
        {"ABba", 0, true},         {"ABba", 4, true},      {"aAab", 2, true}, /* re-roots in both */
        {"AaBbc", 4, true},                                /* the only one is in the piece */
        {"AacB", 1, false},        {"aABCcbabB", 5, true}, /* that does not matter where there was one before */
    };

    for (size_t i = 0; i < sizeof(CASES) / sizeof(*CASES); i++) {
        size_t n = events_of(CASES[i].words, events);
        bool joined = tell_both(events, n, CASES[i].cut, 1);
        if (joined != CASES[i].joins)
            fail_msg("%s, cut at %zu: %s", CASES[i].words, CASES[i].cut, joined ? "joined" : "apart");
    }
}

/* Much is open while the piece goes on, and each of its blocks would tell of all that: the log would be long. */
TEST(a_log_of_deep_stacks_is_told_as_a_whole)
{
    enum { DEEP = 4000, N = DEEP + 2000 };
    struct event *events = calloc(N, sizeof(*events));

    assert_non_null(events);
    for (uint64_t i = 0; i < N; i++)
        events[i] = (struct event){
            .action = i < DEEP || i % 2 == 0 ? EVENT_ENTER : EVENT_EXIT, .frame = i % 2, .clock = {i, i}};
    for (size_t i = DEEP; i < N; i++)
        events[i].frame = 2;
    unsigned apart = 0;
    for (unsigned round = 0; round < 3; round++) /* with blocks of other lengths */
        apart += !tell_both(events, N, DEEP, 1);
    assert_true(apart > 0);
    free(events);
}

/* ---- files ---- */

/* How many of 1000 records are of each kind of damage. */
struct damage {
    const char *name;
    unsigned records, version, record_bytes;
    unsigned wild, unlisted, back, jump, reserved;
    bool joins; /* so that its pieces join, wherever it is cut */
};

enum { THREADS = 4, DEPTH = 60 };

struct writer {
    const struct damage *damage;
    uint64_t random;
    uint32_t clocks[THREADS][2];
    uint32_t stacks[THREADS][DEPTH];
    unsigned depths[THREADS];
};

static bool due(struct writer *w, unsigned of_1000)
{
    return random_below(&w->random, 1000) < of_1000;
}

/* Stacks grow and shrink, and threads end below where they began. */
static struct trace_record next_record(struct writer *w, unsigned nth)
{
    static const uint16_t IDS[THREADS] = {1, 4464, 7, 9}; /* the last two are not listed */
    /* The last one comes late. */
    unsigned t = random_below(&w->random, nth < w->damage->records / 2 ? THREADS - 1 : THREADS);
    unsigned *depth = &w->depths[t];
    bool enters = *depth < DEPTH && random_below(&w->random, 10) < (nth / 100 % 2 == 0 ? 6 : 4);
    struct trace_record r = {.thread = IDS[t], .method = 4 * random_below(&w->random, 3)};

    if (due(w, w->damage->unlisted))
        r.method = 0x100 + 4 * random_below(&w->random, 3);
    if (enters)
        w->stacks[t][(*depth)++] = r.method;
    else if (*depth > 0)
        r.method = w->stacks[t][--*depth];
    r.action = enters ? EVENT_ENTER : random_below(&w->random, 20) == 0 ? EVENT_UNROLL : EVENT_EXIT;
    if (due(w, w->damage->wild)) {
        r.action = (enum event_action)random_below(&w->random, 4);
        r.method = 4 * random_below(&w->random, 3);
    }
    if (due(w, w->damage->reserved))
        r.thread = 0;
    for (unsigned c = 0; c < 2; c++) {
        w->clocks[t][c] +=
            due(w, w->damage->jump) ? random_below(&w->random, UINT32_MAX) : 1 + random_below(&w->random, 30);
        r.times[c] = w->clocks[t][c] - (due(w, w->damage->back) ? 50 : 0);
    }
    return r;
}

static void write_trace(struct buf *b, const struct damage *damage, uint64_t random)
{
    struct writer w = {
        .damage = damage, .random = random, .clocks = {{100, 100}, {100, 100}, {100, 100}, {100, 100}}};

    buf_clear(b);
    trace_bytes_keys(b, damage->version, damage->record_bytes >= 14 ? "dual" : "thread-cpu");
    trace_bytes_header(b, damage->version, 32, damage->record_bytes);
    for (unsigned i = 0; i < damage->records; i++)
        trace_bytes_record(b, damage->record_bytes, next_record(&w, i));
    assert_false(b->failed);
}

/* Bytes in memory that several threads read, a few at a time. */
struct shared_bytes {
    struct str bytes;
    size_t largest;
    atomic_ullong given; /* to all readers together */
    uint64_t length;     /* that is told; the file may be shorter */
};

static ptrdiff_t read_at(void *context, uint64_t at, void *to, size_t n)
{
    struct shared_bytes *s = context;
    size_t left = at < s->bytes.n ? s->bytes.n - (size_t)at : 0;

    n = n < left ? n : left;
    n = n < s->largest ? n : s->largest;
    if (n > 0)
        memcpy(to, s->bytes.p + at, n);
    atomic_fetch_add(&s->given, n);
    return (ptrdiff_t)n;
}

static bool size(void *context, uint64_t *bytes)
{
    *bytes = ((struct shared_bytes *)context)->length;
    return true;
}

/* A reading by one thread, or by several. */
struct way {
    const struct parallel *parallel; /* NULL: by one */
    uint32_t threads;                /* that the file may have */
    bool with_log;
};

/* Returns how many bytes were read. */
static uint64_t read_into(struct buf *dump, struct shared_bytes *bytes, const struct way *way)
{
    const struct source_input in = {.read_at = read_at, .size = size, .context = bytes};
    struct reader_limits limits = READER_LIMITS_DEFAULT;
    struct replayed log;
    struct reader r;
    struct arena arena;

    limits.threads = way->threads;
    arena_init(&arena, 1 << 26);
    assert_true(reader_init(&r, &arena, &limits, (struct hash_seed){3, 4}));
    reader_parallel(&r, way->parallel);
    if (way->with_log)
        replayed_begin(&log, r.builder);
    atomic_store(&bytes->given, 0);
    const struct profile *p = reader_read(&r, &in);
    if (p != NULL)
        profile_dump(dump, p);
    else
        profile_dump_diag(dump, &r.diag);
    if (p != NULL && way->with_log) {
        replayed_end(&log, p);
        replayed_dump(dump, &log, p);
    }
    if (way->with_log)
        replayed_close(&log);
    buf_char(dump, '\0');
    assert_false(dump->failed);
    arena_free(&arena);
    return atomic_load(&bytes->given);
}

static unsigned pieces_run;

static void run_pieces(const struct parallel *p, const struct parallel_job *jobs, unsigned n)
{
    (void)p;
    pieces_run = n;
    threads_parallel(jobs, n);
}

/* By one thread and by several. Returns whether all pieces joined: then no byte was read twice. */
static bool read_both(struct shared_bytes *bytes, unsigned jobs, uint32_t threads, bool with_log)
{
    const struct parallel parallel = {jobs, bytes->bytes.n / (2 * jobs), run_pieces};
    struct buf one = {0}, several = {0};

    pieces_run = 0;
    read_into(&one, bytes, &(struct way){NULL, threads, with_log});
    assert_int_equal(pieces_run, 0);
    uint64_t given = read_into(&several, bytes, &(struct way){&parallel, threads, with_log});
    assert_int_equal(pieces_run, jobs);
    assert_string_equal(several.p, one.p);
    buf_free(&one);
    buf_free(&several);
    return given < bytes->bytes.n + jobs * bytes->largest;
}

TEST(files_in_pieces)
{
    static const struct damage DAMAGES[] = {
        {"none", 5000, 3, 14, 0, 0, 0, 0, 0, true},
        {"none, version 1", 5000, 1, 9, 0, 0, 0, 0, 0, true},
        {"none, version 2", 5000, 2, 10, 0, 0, 0, 0, 0, true},
        {"none, large records", 5000, 3, 23, 0, 0, 0, 0, 0, true},
        {"unlisted methods", 5000, 3, 14, 0, 50, 0, 0, 0, true},
        {"reserved records", 5000, 3, 14, 0, 0, 0, 0, 20, false},
        {"a little of all", 4000, 3, 14, 1, 2, 1, 0, 1, false},
        {"time that goes back", 4000, 3, 14, 0, 1, 30, 0, 0, false},
        {"wraps", 4000, 3, 14, 0, 0, 0, 3, 0, false},
        {"wild", 4000, 3, 14, 100, 20, 20, 1, 5, false},
        {"short", 700, 3, 14, 5, 5, 0, 0, 1, false},
    };
    struct buf trace = {0};
    unsigned apart = 0;

    for (size_t i = 0; i < sizeof(DAMAGES) / sizeof(*DAMAGES); i++)
        for (unsigned round = 0; round < 8; round++) {
            write_trace(&trace, &DAMAGES[i], 1 + round);
            trace.n -= round; /* the last record may be cut */
            struct shared_bytes bytes = {
                .bytes = buf_view(&trace), .largest = 100 + 50 * round, .length = trace.n};
            bool joined = read_both(&bytes, 2 + round % 4, 100, false);
            apart += !joined;
            if (!joined && DAMAGES[i].joins)
                fail_msg("%s, %u: a piece did not join", DAMAGES[i].name, round);
            joined = read_both(&bytes, 2 + round % 4, 100, true);
            if (!joined && DAMAGES[i].joins && DAMAGES[i].unlisted == 0)
                fail_msg("%s, %u: a piece with a log did not join", DAMAGES[i].name, round);
        }
    assert_true(apart > 0); /* what cannot be joined exactly was read again */
    buf_free(&trace);
}

/* The file ends before it was said to end: within a piece, or before one. */
TEST(files_that_shrink)
{
    static const struct damage DAMAGE = {"", 3000, 3, 14, 2, 5, 1, 0, 1, false};
    struct buf trace = {0};

    write_trace(&trace, &DAMAGE, 5);
    size_t whole = trace.n;
    for (size_t cut = 0; cut < whole - 300; cut += 613) {
        trace.n = whole - cut;
        struct shared_bytes bytes = {.bytes = buf_view(&trace), .largest = 200, .length = whole};
        read_both(&bytes, 3, 100, cut % 2 == 0);
    }
    buf_free(&trace);
}

/* The last thread's first record stands in the second half. */
TEST(limits_are_passed_as_in_one_piece)
{
    static const struct damage DAMAGE = {"", 3000, 3, 14, 0, 5, 0, 0, 0, false};
    struct buf trace = {0};

    write_trace(&trace, &DAMAGE, 6);
    struct shared_bytes bytes = {.bytes = buf_view(&trace), .largest = 200, .length = trace.n};
    for (uint32_t threads = 2; threads < 6; threads++)
        read_both(&bytes, 2, threads, threads % 2 == 0);
    buf_free(&trace);
}
