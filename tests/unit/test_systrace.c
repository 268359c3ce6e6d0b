/* System traces: names of sections, sections and states of a small trace, whose trace it is, and damage. */
#include "tests/support/unit.h"

#include <string.h>

#include "parser/systrace/systrace_impl.h"
#include "tests/support/hostile.h"
#include "tests/support/packing.h"
#include "tests/support/profile_checks.h"
#include "tests/support/proto_bytes.h"
#include "tests/support/random.h"
#include "tests/support/systrace_bytes.h"

TEST(names_lose_what_is_of_one_call_only)
{
    static const struct {
        const char *name, *standard;
    } CASES[] = {
        {"Choreographer#doFrame 191185", "Choreographer#doFrame"},
        {"DrawFrames 12", "DrawFrame"},
        {"DrawFrame 9", "DrawFrame"},
        {"monitor contention with owner main (12) at void a.b()(F.java:3) waiters=0 blocking from c",
         "monitor contention with owner main at a.b"},
        {"monitor contention with owner Pool (7) at java.util.Map com.example.Store.load(int, long)(Store.java:30) "
         "waiters=1 blocking from int com.example.Store.size()(Store.java:9)",
         "monitor contention with owner Pool at com.example.Store.load"},
        {"monitor contention with owner Pool (7) at ", "monitor contention with owner Pool"},
        {"monitor contention with owner Pool (7) at b.c", "monitor contention with owner Pool"},
        {"monitor contention with owner Pool (7)", "monitor contention with owner Pool"},
        {"Lock contention on a monitor lock (owner tid: 21)", "Lock contention on a monitor lock"},
        {"Lock contention on thread list", "Lock contention on thread list"},
        {"monitor contention with owner Pool #1 (21)", "monitor contention with owner Pool #1"},
        {"monitor contention with owner Pool #1", "monitor contention with owner Pool #1"},
        {"JIT compiling void a.b() (kind=Baseline)", "JIT compiling"},
        {"VerifyClass com.example.A", "VerifyClass"},
        {"dlopen: libx.so", "dlopen"},
        {"Compiling", "Compiling"},
        {"Compilings 7", "Compilings 7"},
        {"launchingActivity#7:completed-cold:com.example", "launchingActivity"},
        {"Texture upload(12) 48x48", "Texture upload"},
        {"draw 0x7fabc 17 of 5", "draw # # of 5"},
        {"a1b22 v2 item#4 c33", "a1b22 v2 item# c33"},
        {"12", "#"},
        {"0x", "0x"},
        {"", ""},
    };

    for (size_t i = 0; i < sizeof(CASES) / sizeof(*CASES); i++) {
        char text[128] = {0};
        size_t n = systrace_standard_name(str_of(CASES[i].name), text);
        assert_true(n <= strlen(CASES[i].name));
        text[n] = '\0';
        assert_string_equal(text, CASES[i].standard);
    }
}

/* Every byte but digits and `#` stays, wherever it stands. */
TEST(names_keep_all_other_bytes)
{
    enum { PLAIN = 19 };

    for (unsigned c = 1; c < 256; c++)
        for (size_t n = 1; n <= PLAIN; n++) {
            char name[PLAIN + 2], text[PLAIN + 2];
            if (is_digit((int)c) || c == '#')
                continue;
            memset(name, (int)c, n);
            memcpy(name + n, "#7", 2);
            assert_int_equal(systrace_standard_name((struct str){name, n + 2}, text), n + 1);
            assert_memory_equal(text, name, n + 1);
        }
}

/* Sorts runs of up to `longest` records, each of which begins up to 1000 ns before or behind where the last one ended. */
static void check_sort(uint32_t longest, uint32_t n)
{
    struct arena arena;
    struct systrace s = {.arena = &arena};
    uint64_t time = 1 << 20, random = longest;

    arena_init(&arena, 64 << 20);
    for (uint32_t run = 0; s.n_records < n; run++) {
        time = time + random_below(&random, 2000) - 1000;
        for (uint32_t left = 1 + random_below(&random, longest); left > 0; left--, time += left % 3) {
            const struct sy_record r = {
                .time = time, .rank = (uint16_t)(run % 4), .a = (uint32_t)s.n_records};
            assert_true(sy_add(&s, &r));
        }
    }
    assert_true(sy_sort(&s));
    for (size_t i = 1; i < s.n_records; i++) {
        const struct sy_record *x = &s.records[i - 1], *y = &s.records[i];
        assert_true(x->time <= y->time);
        assert_true(x->time < y->time || x->rank < y->rank || (x->rank == y->rank && x->a < y->a));
    }
    arena_free(&arena);
}

TEST(records_are_sorted_and_equal_ones_keep_their_order)
{
    static const uint32_t LONGEST[] = {1, 2, 7, 100, 3000, 100000};

    for (size_t i = 0; i < sizeof(LONGEST) / sizeof(*LONGEST); i++)
        for (uint32_t n = 0; n <= 40000; n = n * 20 + 5)
            check_sort(LONGEST[i], n);
}

static const struct profile_track *track_named(const struct profile *p, const char *name)
{
    for (uint32_t i = 0; i < p->n_tracks; i++)
        if (str_eq(profile_string(p, p->tracks[i].name), str_of(name)))
            return &p->tracks[i];
    fail_msg("no track %s", name);
    return NULL;
}

/* A profile stays in memory for those who look at it; its records do not. */
TEST(records_do_not_stay)
{
    enum { TIMES = 4000, PART_NS = 10000 };
    struct arena arena;
    struct buf b = {0};

    for (uint64_t i = 0; i < TIMES; i++)
        systrace_put(&b, i * PART_NS);
    const struct profile *p = hostile_read_good(&arena, &b);
    assert_true(track_named(p, "main")->calls >= TIMES);
    assert_true(arena.used_bytes < b.n);
    arena_free(&arena);
    buf_free(&b);
}

static void assert_self(const struct profile *p, const struct profile_track *t, const char *name,
                        const uint64_t *expected)
{
    for (node_id i = t->first; i < t->first + t->count; i++) {
        frame_id f = p->node_frame[i];
        struct str text = f == FRAME_NONE ? STR("") : profile_string(p, p->frames[f].name);
        if (!str_eq(text, str_of(name)))
            continue;
        for (uint32_t v = 0; v < p->n_values; v++)
            assert_int_equal(profile_self(p, i, v), expected[v]);
        return;
    }
    fail_msg("no frame %s", name);
}

TEST(sections_have_the_time_of_each_state)
{
    struct arena arena;
    struct buf b = {0};

    systrace_put(&b, 0);
    const struct profile *p = hostile_read_good(&arena, &b);
    assert_int_equal(p->n_values, 8);
    const struct profile_track *main = track_named(p, "main");
    assert_true(str_eq(profile_string(p, main->group), STR("com.example.app")));
    /* wall, cpu, runnable, sleeping, blocked, io, unknown, calls */
    assert_self(p, main, "bindApplication", (const uint64_t[]){500, 500, 0, 0, 0, 0, 0, 1});
    assert_self(p, main, "read #", (const uint64_t[]){1400, 400, 100, 200, 0, 700, 0, 2});
    assert_self(p, main, "", (const uint64_t[]){1100, 100, 0, 1000, 0, 0, 0, 0});
    assert_int_equal(main->calls, 3);
    assert_int_equal(main->re_roots, 0);
    const struct profile_track *async = track_named(p, "async load");
    assert_int_equal(async->kind, TRACK_ASYNC);
    assert_self(p, async, "load", (const uint64_t[]){1500, 0, 0, 0, 0, 0, 0, 1});
    assert_int_equal(profile_warned_count(p, WARN_SECTION_ENDS), 1);
    arena_free(&arena);
    buf_free(&b);
}

enum level { LEVEL_FILE, LEVEL_PACKET, LEVEL_BUNDLE, LEVEL_EVENT, LEVEL_MESSAGE };

static void put_unusual(struct buf *b, struct str message, enum level level);

static void put_field(struct buf *b, const struct protobuf_field *f, enum level level)
{
    bool goes_on = f->number == 1 || level != LEVEL_PACKET; /* field 1 of a packet is a bundle */
    struct buf body = {0};

    if (f->wire == PROTOBUF_VARINT) {
        proto_put_number(b, f->number, f->value);
        return;
    }
    assert_int_equal(f->wire, PROTOBUF_BYTES);
    if (goes_on && level < LEVEL_MESSAGE && !(level == LEVEL_BUNDLE && f->number != 2))
        put_unusual(&body, f->bytes, level + 1);
    else
        buf_str(&body, f->bytes);
    if (level == LEVEL_BUNDLE && f->number == 2) { /* a tag of two bytes, of which one would do */
        buf_char(b, (char)(PROTOBUF_TAG(2, PROTOBUF_BYTES) | 0x80));
        buf_char(b, 0);
        proto_put_varint(b, body.n);
        buf_str(b, buf_view(&body));
        buf_free(&body);
    } else {
        proto_put_message(b, f->number, &body);
        buf_free(&body);
    }
}

/* The same message as nobody writes it: fields of events from behind. */
static void put_unusual(struct buf *b, struct str message, enum level level)
{
    enum { FIELDS_MAX = 64 };
    struct protobuf m = protobuf_of_bytes(message);
    struct protobuf_field f[FIELDS_MAX];
    size_t n = 0;

    while (protobuf_next(&m, &f[n]))
        assert_true(++n < FIELDS_MAX);
    assert_int_equal(m.state, PROTOBUF_GOOD);
    for (size_t i = 0; i < n; i++)
        put_field(b, &f[level >= LEVEL_EVENT ? n - 1 - i : i], level);
}

TEST(fields_in_any_order)
{
    struct arena arena, arena_2;
    struct buf b = {0}, unusual = {0};

    systrace_put(&b, 0);
    systrace_put_binder(&b);
    put_unusual(&unusual, buf_view(&b), LEVEL_FILE);
    const struct profile *p = hostile_read_good(&arena, &b), *q = hostile_read_good(&arena_2, &unusual);
    assert_true(unusual.n > b.n);
    assert_int_equal(p->n_nodes, q->n_nodes);
    assert_int_equal(p->n_tracks, q->n_tracks);
    for (node_id i = 0; i < p->n_nodes; i++)
        for (uint32_t v = 0; v < p->n_values; v++)
            assert_int_equal(profile_self(p, i, v), profile_self(q, i, v));
    for (uint32_t i = 0; i < p->n_tracks; i++)
        assert_true(str_eq(profile_string(p, p->tracks[i].name), profile_string(q, q->tracks[i].name)));
    arena_free(&arena);
    arena_free(&arena_2);
    buf_free(&b);
    buf_free(&unusual);
}

static void put_print(struct buf *bundle, uint64_t time, struct str written)
{
    struct buf text = {0}, body = {0}, event = {0};

    buf_str(&text, written);
    proto_put_message(&body, 2, &text);
    proto_put_number(&event, 1, time);
    proto_put_number(&event, 2, 7);
    proto_put_message(&event, 3, &body);
    proto_put_message(bundle, 2, &event);
    buf_free(&text);
    buf_free(&body);
    buf_free(&event);
}

/* A NUL ends it; an end needs no process, and what stands behind that is nothing. */
TEST(texts_are_cut_and_short)
{
    static const struct str TEXTS[] = {STR_INIT("B|42|one\0two"), STR_INIT("B|42|a|b\n\0\n"),
                                       STR_INIT("B|42|"),         STR_INIT("B|4x|bad"),
                                       STR_INIT("E|42|more"),     STR_INIT("E\n"),
                                       STR_INIT("B|42\0|odd"),    STR_INIT("E|x"),
                                       STR_INIT("E|42\0|")};
    struct arena arena;
    struct buf b = {0}, bundle = {0}, packet = {0};

    proto_put_number(&bundle, 1, 0);
    for (size_t i = 0; i < sizeof(TEXTS) / sizeof(*TEXTS); i++)
        put_print(&bundle, 1000 + 10 * i, TEXTS[i]);
    proto_put_message(&packet, 1, &bundle);
    proto_put_message(&b, 1, &packet);
    const struct profile *p = hostile_read_good(&arena, &b);
    const struct profile_track *t = track_named(p, "Thread-7");
    assert_self(p, t, "one", (const uint64_t[]){10 + 10 + 10, 1});
    assert_self(p, t, "a|b", (const uint64_t[]){10 + 10, 1});
    assert_int_equal(t->calls, 4); /* two of them are "[empty slice name]" */
    assert_int_equal(profile_warned_count(p, WARN_SECTION_TEXT), 1);
    arena_free(&arena);
    buf_free(&b);
    buf_free(&bundle);
    buf_free(&packet);
}

/* It begins with the first record that is the thread's, also with one that tells no section. */
TEST(a_thread_begins_with_its_first_record)
{
    struct arena arena;
    struct buf b = {0};

    systrace_put_received(&b, 500);
    systrace_put(&b, 0);
    const struct profile *p = hostile_read_good(&arena, &b);
    assert_self(p, track_named(p, "main"), "", (const uint64_t[]){1600, 100, 0, 1000, 0, 0, 500, 0});
    arena_free(&arena);
    buf_free(&b);
}

/* The first section of the thread that answers says what was asked for. */
TEST(a_call_of_another_process_says_what_it_asks_for)
{
    struct arena arena;
    struct buf b = {0};

    systrace_put_binder(&b);
    const struct profile *p = hostile_read_good(&arena, &b);
    const struct profile_track *main = track_named(p, "main");
    assert_self(p, main, "binder transaction to system_server: IActivityManager.attachApplication",
                (const uint64_t[]){50, 1});
    assert_self(p, main, "binder transaction to system_server (failed)", (const uint64_t[]){50, 1});
    assert_self(p, main, "binder transaction async to system_server: IGone.notice", (const uint64_t[]){0, 1});
    assert_self(p, track_named(p, "Thread-8"), "binder reply", (const uint64_t[]){18, 1});
    arena_free(&arena);
    buf_free(&b);
}

TEST(tracks_of_events_without_the_scheduler)
{
    struct arena arena;
    struct buf b = {0};

    systrace_put_track_events(&b, 0, false);
    const struct profile *p = hostile_read_good(&arena, &b);
    assert_int_equal(p->n_values, 2);
    const struct profile_track *t = track_named(p, "main");
    assert_self(p, t, "outer", (const uint64_t[]){60, 1});
    assert_self(p, t, "access$12", (const uint64_t[]){40, 1});
    const struct profile_frame *method = &p->frames[p->node_frame[t->first + 2]];
    assert_true(str_eq(profile_string(p, method->scope), STR("com.example.Foo")));
    assert_true(str_eq(profile_string(p, method->signature), STR("(I)V")));
    assert_int_equal(profile_warned_count(p, WARN_NO_SCHEDULER), 1);
    arena_free(&arena);
    buf_free(&b);
}

struct expected_counter {
    const char *name, *unit;
    enum counter_kind kind;
    unsigned decimals;
    uint32_t n;
    struct profile_reading readings[3];
};

/* In the order to show. Equal readings are one; those of all sources of one counter are in the order of time. */
TEST(counters_are_told_with_their_readings)
{
    static const struct expected_counter EXPECTED[] = {
        {"items", "", COUNTER_APP, 0, 3, {{300, 3}, {500, 5}, {700, 4}}},
        {"load", "jobs", COUNTER_APP, 3, 2, {{300, 500}, {400, -1250}}},
        {"Heap size", "bytes", COUNTER_MEMORY, 0, 2, {{400, 2 << 20}, {900, -1024}}},
        {"anonymous memory", "bytes", COUNTER_MEMORY, 0, 2, {{200, 4096}, {500, 3 << 20}}},
        {"CPU 0", "MHz", COUNTER_FREQUENCY, 3, 2, {{100, 900000}, {300, 1800000}}}};
    struct arena arena;
    struct buf b = {0};

    systrace_put(&b, 0);
    systrace_put_counters(&b);
    const struct profile *p = hostile_read_good(&arena, &b);
    assert_int_equal(p->n_counters, sizeof(EXPECTED) / sizeof(*EXPECTED));
    for (uint32_t i = 0; i < p->n_counters; i++) {
        const struct profile_counter *c = &p->counters[i];
        const struct expected_counter *e = &EXPECTED[i];
        assert_true(str_eq(profile_string(p, c->name), str_of(e->name)));
        assert_true(str_eq(profile_string(p, c->unit), str_of(e->unit)));
        assert_int_equal(c->kind, e->kind);
        assert_int_equal(c->decimals, e->decimals);
        assert_int_equal(c->n, e->n);
        for (uint32_t k = 0; k < c->n; k++) {
            assert_int_equal(p->readings[c->first + k].time_ns, e->readings[k].time_ns);
            assert_int_equal(p->readings[c->first + k].value, e->readings[k].value);
        }
    }
    assert_int_equal(p->counters[2].least, -1024);
    assert_int_equal(p->counters[2].most, 2 << 20);
    assert_int_equal(profile_warned_count(p, WARN_SECTION_TEXT), 1);
    arena_free(&arena);
    buf_free(&b);
}

static void check_screen(const struct buf *b, const struct profile_screen_frame *expected, uint32_t n)
{
    struct arena arena;
    const struct profile *p = hostile_read_good(&arena, b);

    assert_int_equal(p->n_phases, 1);
    assert_true(str_eq(profile_string(p, p->phases[0].name), STR("bindApplication")));
    assert_int_equal(p->phases[0].begin_ns, 100);
    assert_int_equal(p->phases[0].end_ns, 2000);
    assert_int_equal(p->n_screen_frames, n);
    for (uint32_t i = 0; i < n; i++) {
        const struct profile_screen_frame *f = &p->screen_frames[i];
        assert_int_equal(f->begin_ns, expected[i].begin_ns);
        assert_int_equal(f->end_ns, expected[i].end_ns);
        assert_int_equal(f->due_ns, expected[i].due_ns);
        assert_int_equal(f->number, expected[i].number);
        assert_int_equal(f->causes, expected[i].causes);
    }
    arena_free(&arena);
}

/* What the system tells of the app's frames; where it tells nothing, the sections of its main thread. */
TEST(frames_are_those_that_the_app_showed)
{
    static const struct profile_screen_frame TOLD[] = {{120, 290, 300, 7, 0}, {350, 600, 500, 8, 0x40}};
    static const struct profile_screen_frame SECTIONS[] = {{2100, 2300, 0, 0, 0},
                                                           {2400, 20002400, 0, 0, SCREEN_SLOW}};
    struct buf b = {0};

    systrace_put(&b, 0);
    check_screen(&b, NULL, 0);
    systrace_put_do_frames(&b);
    check_screen(&b, SECTIONS, 2);
    systrace_put_frames(&b);
    check_screen(&b, TOLD, 2);
    buf_free(&b);
}

/* Programs tell of sections that began before the service started the recording: the recording begins with the first of them. */
TEST(sections_of_before_the_start_have_their_time)
{
    struct arena arena;
    struct buf b = {0};
    uint64_t begin, end;

    systrace_put_started(&b, 130);
    systrace_put_track_events(&b, 0, false);
    const struct profile *p = hostile_read_good(&arena, &b);
    profile_times(p, &begin, &end);
    assert_int_equal(begin, 0);
    assert_int_equal(end, 100);
    arena_free(&arena);
    buf_free(&b);
}

/* A trace, track events without a word of clocks, and others with another relation of the clocks: all on the clock of the
 * first. The same numbers of tracks are different tracks: the last one is a second one of the thread. */
TEST(files_of_one_archive_are_one_recording)
{
    enum { FILES = 3, DEFLATED = 8, MONOTONIC = 3 };
    struct arena arena;
    struct buf zip = {0}, b[FILES] = {0};
    struct packing_member members[FILES] = {
        {.name = "Trace.pb"}, {.name = "InMemoryTrace.pb"}, {.name = "MethodTrace.pb"}};

    systrace_put_clocks(&b[0], 1010, 0);
    systrace_put(&b[0], 0);
    systrace_put_track_events(&b[1], 0, false);
    systrace_put_clocks(&b[2], 2850, 100);
    systrace_put_track_events(&b[2], MONOTONIC, true);
    for (size_t i = 0; i < FILES; i++) {
        members[i].bytes = buf_view(&b[i]);
        members[i].method = DEFLATED;
    }
    packing_zip_archive(&zip, members, FILES);
    const struct profile *p = hostile_read_good(&arena, &zip);
    const struct profile_track *main = track_named(p, "main");
    assert_int_equal(main->calls, 3 + 2);
    assert_self(p, main, "bindApplication", (const uint64_t[]){400, 400, 0, 0, 0, 0, 0, 1});
    assert_self(p, main, "outer", (const uint64_t[]){60, 60, 0, 0, 0, 0, 0, 1});
    assert_self(p, main, "access$12", (const uint64_t[]){40, 40, 0, 0, 0, 0, 0, 1});
    const struct profile_track *methods = track_named(p, "methods");
    assert_int_equal(methods->kind, TRACK_SECOND);
    assert_int_equal(methods->number, main->number);
    assert_self(p, methods, "outer", (const uint64_t[]){60, 60, 0, 0, 0, 0, 0, 1});
    assert_int_equal(profile_warned_count(p, WARN_CLOCK_FOREIGN), 0);
    assert_true(profile_fact(p, STR("packed")).n > 0);
    assert_true(str_eq(profile_fact(p, STR("clock_assumed")), STR("monotonic")));
    for (size_t i = 0; i < FILES; i++)
        buf_free(&b[i]);
    arena_free(&arena);
    buf_free(&zip);
}

/* Recordings that have nothing to do with each other. */
TEST(other_files_of_an_archive_are_a_choice)
{
    static const char *const NAMES[][2] = {{"a.perfetto-trace", "b.perfetto-trace"},
                                           {"1/Trace.pb", "2/Trace.pb"},
                                           {"Trace.pb", "a.trace"},
                                           {"a.pb", "b.pb"}};
    struct buf b = {0};

    systrace_put(&b, 0);
    for (size_t i = 0; i < sizeof(NAMES) / sizeof(*NAMES); i++) {
        const struct packing_member members[] = {{.name = NAMES[i][0], .bytes = buf_view(&b)},
                                                 {.name = NAMES[i][1], .bytes = buf_view(&b)}};
        struct buf zip = {0};
        struct arena arena;
        struct diag diag = {0};
        packing_zip_archive(&zip, members, 2);
        arena_init(&arena, 256 << 20);
        assert_null(hostile_read(&arena, zip.p, zip.n, &diag));
        assert_string_equal(diag.title, "several files in the archive");
        arena_free(&arena);
        buf_free(&zip);
    }
    buf_free(&b);
}

TEST(damage_is_no_crash)
{
    for (unsigned i = 0; i < 3; i++) {
        struct buf b = {0};
        if (i == 0) {
            systrace_put(&b, 0);
            systrace_put_counters(&b);
            systrace_put_frames(&b);
            systrace_put_do_frames(&b);
        } else if (i == 1)
            systrace_put_binder(&b);
        else
            systrace_put_track_events(&b, 0, false);
        hostile_cuttings("systrace", &b);
        hostile_truncations("systrace", &b);
        buf_free(&b);
    }
}
