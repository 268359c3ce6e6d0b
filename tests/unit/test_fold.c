/* The rules of folding, each one by itself. test_fold_random.c has all of them at once. */
#include "tests/support/unit.h"

#include <stdlib.h>
#include <string.h>

#include "tests/support/fold_fixture.h"

enum { OFFSET = 1000, STRIDE = 10 };

static void open_fixture(struct fold_fixture *f, uint32_t n_frames, uint32_t n_tracks)
{
    fold_fixture_open(f, FOLD_VALUES, 2, n_frames, n_tracks);
}

/* ---- rules, as text ---- */

/* Events of a track, separated by blanks: `+a10` enters a at 10, `-a10` leaves it, `!a10` unrolls it, `?a10`
 * is unknown; `_` instead of a letter is no frame. Both clocks read the same unless `/` and the other follow.
 */
static size_t parse_events(const char *script, uint32_t track, struct event *events, size_t max)
{
    static const char ACTIONS[] = "+-!?";
    size_t n = 0;

    for (const char *p = script; *p != '\0'; n++) {
        char *end;
        assert_true(n < max);
        struct event *e = &events[n];
        assert_non_null(strchr(ACTIONS, p[0]));
        *e = (struct event){.track = track, .action = (enum event_action)(strchr(ACTIONS, p[0]) - ACTIONS)};
        e->frame = p[1] == '_' ? FRAME_NONE : (frame_id)(p[1] - 'a');
        e->clock[0] = e->clock[1] = strtoull(p + 2, &end, 10);
        if (*end == '/')
            e->clock[1] = strtoull(end + 1, &end, 10);
        p = *end == ' ' ? end + 1 : end;
    }
    return n;
}

static void put_path(struct buf *b, const struct profile *p, node_id node, node_id root)
{
    struct str names[32];
    size_t n = 0;

    for (; node != root; node = p->node_parent[node]) {
        assert_true(n < 32);
        names[n++] = profile_string(p, p->frames[p->node_frame[node]].name);
    }
    buf_z(b, n == 0 ? "." : "");
    while (n > 0)
        buf_str(b, names[--n]);
}

static int by_text(const void *a, const void *b)
{
    return strcmp(a, b);
}

/* `path:wall,calls`, of the track's root `.`; `/cpu` where it differs; `*` where recursive; sorted. */
static void put_track(struct buf *b, const struct profile *p, const struct profile_track *t)
{
    char lines[64][64];

    assert_true(t->count <= 64);
    for (uint32_t i = 0; i < t->count; i++) {
        node_id node = t->first + i;
        struct buf line = {0};
        put_path(&line, p, node, t->first);
        buf_printf(&line, ":%llu", (unsigned long long)profile_self(p, node, 0));
        if (profile_self(p, node, 0) != profile_self(p, node, 1))
            buf_printf(&line, "/%llu", (unsigned long long)profile_self(p, node, 1));
        buf_printf(&line, ",%llu%s", (unsigned long long)profile_self(p, node, 2),
                   (p->node_flags[node] & NODE_RECURSIVE) != 0 ? "*" : "");
        assert_true(line.n < sizeof(lines[0]));
        memcpy(lines[i], line.p, line.n);
        lines[i][line.n] = '\0';
        buf_free(&line);
    }
    qsort(lines, t->count, sizeof(lines[0]), by_text);
    for (uint32_t i = 0; i < t->count; i++) {
        buf_char(b, i > 0 ? ' ' : '\n');
        buf_z(b, lines[i]);
    }
}

/* What the profile says, compared with `expected`: tracks and warnings, each on a line of its own. */
static void check_profile(const struct profile *p, const char *expected)
{
    struct buf b = {0};

    for (uint32_t i = 0; i < p->n_tracks; i++)
        put_track(&b, p, &p->tracks[i]);
    for (uint32_t i = 0; i < p->n_warnings; i++) {
        buf_printf(&b, "\n%s %llu", p->warnings[i].code.p, (unsigned long long)p->warnings[i].count);
        if (p->warnings[i].has_offset)
            buf_printf(&b, " %llu", (unsigned long long)p->warnings[i].offset);
    }
    buf_char(&b, '\0');
    assert_string_equal(b.p + 1, expected);
    buf_free(&b);
}

static void folds(const char *script, const char *expected)
{
    struct event events[64];
    struct fold_fixture f;
    size_t n = parse_events(script, 0, events, 64);

    open_fixture(&f, 26, 1);
    assert_true(builder_events(f.builder, events, n, OFFSET, STRIDE));
    assert_int_equal(builder_event_count(f.builder), n);
    fold_fixture_finish(&f);
    check_profile(f.profile, expected);
    arena_free(&f.arena);
}

TEST(time_goes_to_the_frame_on_top)
{
    folds("+a10 +b13 -b20 -a50", ".:0,0 a:33,1 ab:7,1");
    folds("+a0 +b1 +c3 -c6 -b10 -a15", ".:0,0 a:6,1 ab:6,1 abc:3,1");
    folds("+a10 -a20 +a25 -a26", ".:5,0 a:11,2");
    folds("+a7 -a7", ".:0,0 a:0,1");
}

TEST(clocks_are_credited_each)
{
    folds("+a10/100 +b20/101 -b25/103 -a26/109", ".:0,0 a:11/7,1 ab:5/2,1");
}

TEST(unroll_is_an_exit)
{
    folds("+a0 +b1 !b3 !a7", ".:0,0 a:5,1 ab:2,1");
}

TEST(unknown_actions_take_time_only)
{
    folds("+a0 ?b5 ?c6 -a9", ".:0,0 a:9,1\nunknown-action 2 1010");
    folds("?a3 ?a5 +a6 -a9", ".:3,0 a:3,1\nunknown-action 2 1000");
}

TEST(recursion_is_flagged)
{
    folds("+a0 +a1 +a2 -a3 -a4 -a5", ".:0,0 a:2,1 aa:2,1* aaa:1,1*");
    folds("+a0 +b1 +a2 -a3 -b4 -a5", ".:0,0 a:2,1 ab:2,1 aba:1,1*");
    folds("+a0 +b1 -b2 -a3 +b4 +a5 -a6 -b7", ".:1,0 a:2,1 ab:1,1 b:2,1 ba:1,1");
}

TEST(exit_of_a_frame_further_down)
{
    folds("+a0 +b1 +c2 -a5 +d7 -d9", ".:2,0 a:1,1 ab:1,1 abc:3,1 d:2,1\nmismatched-exit 1 1030");
    /* To the nearest one. */
    folds("+a0 +b1 +a2 +c3 -a5 -b6 -a8", ".:0,0 a:3,1 ab:2,1 aba:1,1* abac:2,1\nmismatched-exit 1 1040");
}

TEST(exit_of_a_frame_that_is_not_open)
{
    folds("+a0 -z4 -z6 -a9", ".:0,0 a:9,1\nalien-exit 2 1010");
    folds("+a0 +b1 -b2 -b3 -a4", ".:0,0 a:3,1 ab:1,1\nalien-exit 1 1030");
}

/* Each script is read with b as what a is called from the event `at` on. */
static void folds_with_b_for_a(const char *script, size_t at, const char *expected)
{
    struct event events[64];
    struct fold_fixture f;
    size_t n = parse_events(script, 0, events, 64);

    open_fixture(&f, 26, 1);
    assert_true(builder_events(f.builder, events, at, OFFSET, STRIDE));
    assert_true(builder_frame_redefined(f.builder, 1, 0));
    assert_true(builder_events(f.builder, events + at, n - at, OFFSET + at * STRIDE, STRIDE));
    fold_fixture_finish(&f);
    check_profile(f.profile, expected);
    arena_free(&f.arena);
}

TEST(exit_of_a_frame_that_has_another_name_by_now)
{
    folds_with_b_for_a("+a0 +c1 -c2 -b5 +d7 -d8", 2, ".:2,0 a:4,1 ac:1,1 d:1,1");
    /* The new name first: what was entered under it stands above. */
    folds_with_b_for_a("+a0 +b1 -b3 -b7", 1, ".:0,0 a:5,1 ab:2,1");
    folds_with_b_for_a("+a0 +c1 -b5 -c6", 1,
                       ".:0,0 c:1,1 ca:1,1 cac:4,1*\nexit-without-enter 1 1030\nmismatched-exit 1 1020");
    folds_with_b_for_a("+c0 -b3 -c5", 0, ".:0,0 c:5,1\nalien-exit 1 1010");
    /* The other way round it is another method. */
    folds_with_b_for_a("+b0 -a3 -b5", 0, ".:0,0 b:5,1\nalien-exit 1 1010");
}

/* More names than are looked for, in a circle: no end of work. */
TEST(names_without_end)
{
    struct event events[] = {
        {.frame = 0}, {.action = EVENT_EXIT, .frame = 9}, {.action = EVENT_EXIT, .frame = 8}};
    struct fold_fixture f;

    open_fixture(&f, 26, 1);
    for (frame_id frame = 0; frame < 20; frame++)
        assert_true(builder_frame_redefined(f.builder, frame + 1, frame));
    assert_true(builder_frame_redefined(f.builder, 0, 20));
    assert_true(builder_events(f.builder, events, 3, OFFSET, STRIDE));
    fold_fixture_finish(&f);
    check_profile(f.profile, ".:0,0 a:0,1\nalien-exit 1 1010");
    arena_free(&f.arena);
}

TEST(exit_without_a_frame_leaves_the_top)
{
    folds("+a0 +b1 -_3 -_7", ".:0,0 a:5,1 ab:2,1");
    folds("+a0 !_3", ".:0,0 a:3,1");
}

TEST(exit_on_an_empty_stack)
{
    /* The first one takes all that its thread did until then, and the next one takes that. */
    folds("-a10 -b15", ".:0,0 b:5,1 ba:0,1\nexit-without-enter 2 1000");
    folds("+b10 -b14 -a20 +c21 -c25", ".:1,0 a:6,1 ab:4,1 c:4,1\nexit-without-enter 1 1020");
    folds("+b0 -b1 -a2 +b3 -b4 -a5", ".:0,0 a:2,1 aa:1,1* aab:1,1 ab:1,1\nexit-without-enter 2 1020");
    folds("+b0 -b1 -b2", ".:0,0 b:1,1 bb:1,1*\nexit-without-enter 1 1020");
}

TEST(exit_without_a_frame_on_an_empty_stack)
{
    folds("+a0 -a2 -_5 !_6", ".:0,0 unknown:1,1 unknownunknown:3,1* unknownunknowna:2,1\n"
                             "exit-without-enter 2 1020");
}

TEST(frames_open_at_the_end)
{
    folds("+a0 +b2 +c3 ?c9", ".:0,0 a:2,1 ab:1,1 abc:6,1\nopen-frames 3\nunknown-action 1 1030");
}

TEST(time_that_goes_back)
{
    /* The step is 0, and the next one counts from the latest time that was seen. */
    folds("+a100 +b90 -b95 -a110", ".:0,0 a:10,1 ab:0,1\ntime-back 4 1010");
    folds("+a100/50 +b110/40 -b120/60 -a130/70", ".:0,0 a:20/10,1 ab:10,1\ntime-back 1 1010");
}

TEST(clocks_wrap_at_32_bits)
{
    folds("+a4294967290 +b4 -b10 -a4294967295", ".:0,0 a:4294967295,1 ab:6,1\nclock-wrap 2 1010");
    folds("+a4294967290/0 -a4/5", ".:0,0 a:10/5,1\nclock-wrap 1 1010");
    /* A step back of 2^31 is time that goes back, of one more a wrap. */
    folds("+a2147483648 -a0", ".:0,0 a:0,1\ntime-back 2 1010");
    folds("+a2147483649 -a0", ".:0,0 a:2147483647,1\nclock-wrap 2 1010");
    /* Once more around. */
    folds("+a4294967295 ?a1 ?a2147483649 ?a4294967295 -a1",
          ".:0,0 a:4294967298,1\nclock-wrap 4 1010\nunknown-action 3 1010");
}

/* Records of before the wrap that come behind it are late: they do not go once around. */
TEST(late_records_after_a_wrap)
{
    folds("+a4294967290 +b5 -b4294967292 -a9", ".:0,0 a:15,1 ab:0,1\ntime-back 2 1020\nclock-wrap 2 1010");
    /* Any number of them, and others that are late within the new round. */
    folds("+a4294967290 ?a5 ?a4294967292 ?a4 ?a4294967294 -a9",
          ".:0,0 a:15,1\ntime-back 6 1020\nclock-wrap 2 1010\nunknown-action 4 1010");
    /* A step of 2^31 forward is no late record, and neither is a larger one when the clock went on since. */
    folds("+a4294967290 ?a5 -a2147483653", ".:0,0 a:2147483659,1\nclock-wrap 2 1010\nunknown-action 1 1010");
    folds("+a4294967290 ?a5 -a2147483654", ".:0,0 a:11,1\ntime-back 2 1020\nclock-wrap 2 1010\n"
                                           "unknown-action 1 1010");
    folds("+a4294967290 ?a5 ?a5 -a2147483654",
          ".:0,0 a:2147483660,1\nclock-wrap 2 1010\nunknown-action 2 1010");
    /* Each clock has wraps of its own. */
    folds("+a4294967290/0 ?a5/1 -a4294967292/4294967290",
          ".:0,0 a:11/4294967290,1\ntime-back 1 1020\nclock-wrap 1 1010\nunknown-action 1 1010");
}

/* A thread's first reading of wall time counts the rounds that the trace has made; CPU time is the thread's own. */
TEST(wraps_belong_to_the_trace)
{
    static const struct {
        uint32_t track;
        const char *event;
    } EVENTS[] = {{0, "+a4294967290"}, {0, "?a500"},        {1, "+b600/7"},      {1, "-b700/9"},
                  {2, "+c4294967200"}, {2, "-c3/1"},        {0, "-a800"},        {3, "+d2147484448"},
                  {3, "-d2147484449"}, {0, "?a2147484000"}, {4, "+e4294967295"}, {5, "+a1"}};
    static const uint64_t ROUND = UINT64_C(1) << 32;
    const uint64_t begins[] = {4294967290, ROUND + 600,        4294967200,
                               2147484448, ROUND + 4294967295, 2 * ROUND + 1};
    struct event e;
    struct fold_fixture f;

    open_fixture(&f, 26, 6);
    for (size_t i = 0; i < sizeof(EVENTS) / sizeof(*EVENTS); i++) {
        parse_events(EVENTS[i].event, EVENTS[i].track, &e, 1);
        assert_true(builder_events(f.builder, &e, 1, OFFSET + i * STRIDE, STRIDE));
    }
    fold_fixture_finish(&f);
    assert_int_equal(f.profile->n_tracks, 6);
    for (uint32_t i = 0; i < 6; i++)
        assert_int_equal(f.profile->tracks[i].begin_ns, begins[i]);
    assert_int_equal(f.profile->tracks[1].end_ns, ROUND + 700);
    assert_int_equal(profile_total(f.profile, f.profile->tracks[1].first, 0), 100);
    assert_int_equal(profile_total(f.profile, f.profile->tracks[1].first, 1), 2);
    assert_int_equal(f.profile->tracks[1].rest_ns, ROUND + 1 - 700);
    arena_free(&f.arena);
}

TEST(clocks_of_64_bits)
{
    struct event events[2] = {{.action = EVENT_ENTER, .clock = {INT64_MAX, 5}},
                              {.action = EVENT_EXIT, .clock = {7, INT64_MAX}}};
    struct fold_fixture f;

    open_fixture(&f, 1, 1);
    builder_clocks(f.builder, 1, false);
    assert_true(builder_events(f.builder, events, 2, OFFSET, STRIDE));
    fold_fixture_finish(&f);
    check_profile(f.profile, ".:0,0 a:0/9223372036854775802,1\ntime-back 1 1010");
    arena_free(&f.arena);
}

TEST(one_clock)
{
    struct event events[16];
    struct fold_fixture f;

    fold_fixture_open(&f, &FOLD_VALUES[1], 1, 26, 1);
    size_t n = parse_events("+a10/99 +b12/3 -b15/1 -a25/0", 0, events, 16);
    assert_true(builder_events(f.builder, events, n, OFFSET, STRIDE));
    fold_fixture_finish(&f);
    const struct profile *p = f.profile;
    assert_int_equal(p->n_values, 2);
    assert_int_equal(p->n_nodes, 3);
    assert_int_equal(p->n_warnings, 0);
    assert_int_equal(profile_self(p, 1, 0), 12);
    assert_int_equal(profile_total(p, 1, 0), 15);
    assert_int_equal(profile_total(p, 1, 1), 2);
    assert_int_equal(p->tracks[0].calls, 2);
    arena_free(&f.arena);
}

TEST(tracks_are_apart)
{
    static const struct {
        uint32_t track;
        const char *event;
    } EVENTS[] = {{0, "+a10"}, {2, "+a500"}, {0, "+b12"}, {2, "-a400"},
                  {0, "-b13"}, {2, "-b600"}, {0, "-z20"}};
    struct event e;
    struct fold_fixture f;

    open_fixture(&f, 26, 3);
    for (size_t i = 0; i < sizeof(EVENTS) / sizeof(*EVENTS); i++) {
        parse_events(EVENTS[i].event, EVENTS[i].track, &e, 1);
        assert_true(builder_events(f.builder, &e, 1, OFFSET + i * STRIDE, STRIDE));
    }
    fold_fixture_finish(&f);
    assert_int_equal(f.profile->n_tracks, 2);
    assert_int_equal(f.profile->tracks[0].id, 1);
    assert_int_equal(f.profile->tracks[0].records, 4);
    assert_int_equal(f.profile->tracks[1].id, 3);
    assert_int_equal(f.profile->tracks[1].first, 3);
    check_profile(f.profile, ".:0,0 a:9,1 ab:1,1\n.:0,0 b:100,1 ba:0,1\nexit-without-enter 1 1050\n"
                             "alien-exit 1 1060\nopen-frames 1\ntime-back 2 1030");
    arena_free(&f.arena);
}
