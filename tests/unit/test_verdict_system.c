/* What a verdict says of system traces: the start, states, late frames, locks and waiting for a CPU; and what the log of calls
 * tells of these. */
#include "tests/support/unit.h"

#include <string.h>

#include "profile/warning.h"
#include "render/names/names.h"
#include "render/verdict/chain.h"
#include "render/verdict/rules.h"
#include "render/verdict/system_log.h"
#include "render/verdict/system_rules.h"
#include "render/verdict/verdict.h"
#include "render/verdict/wake_chain.h"
#include "tests/support/fake_profile.h"

enum { MS = 1000000 };
#define OWNED "monitor contention with owner Pool at com.example.Store.load"

/* A section; depth 0 begins a track. Times in ms: wall is their sum. */
struct section {
    unsigned depth;
    const char *name;
    uint64_t cpu, runnable, sleeping, blocked, io, unknown, calls;
};

struct system_subject {
    struct fake *fake;
    struct arena arena;
    struct render_input in;
    struct profile profile;
    struct system_log log;
    struct system_times times;
};

static frame_id frame_of(struct fake *f, const char *name, const char **known, uint32_t *n)
{
    for (uint32_t i = 0; i < *n; i++)
        if (strcmp(known[i], name) == 0)
            return i;
    known[(*n)++] = name;
    return fake_frame(f, STR(""), str_of(name), STR(""));
}

/* The profile is the window of the start and of the longest frame, too. */
static void begin(struct system_subject *s, const struct section *list)
{
    static const struct {
        const char *name;
        enum profile_role role;
    } TIMES[] = {{"wall", ROLE_WALL},         {"cpu", ROLE_CPU},         {"runnable", ROLE_RUNNABLE},
                 {"sleeping", ROLE_SLEEPING}, {"blocked", ROLE_BLOCKED}, {"io", ROLE_IO},
                 {"unknown", ROLE_UNKNOWN}};
    const char *known[32];
    uint32_t parents[8] = {0}, n = 0, id = 0;

    memset(s, 0, sizeof(*s));
    s->fake = fake_new();
    arena_init(&s->arena, 1 << 24);
    for (size_t i = 0; i < sizeof(TIMES) / sizeof(TIMES[0]); i++)
        fake_value(s->fake, TIMES[i].name, UNIT_NS, TIMES[i].role);
    fake_value(s->fake, "calls", UNIT_COUNT, ROLE_CALLS);
    for (; list->name != NULL; list++) {
        uint64_t self[] = {0,
                           list->cpu * MS,
                           list->runnable * MS,
                           list->sleeping * MS,
                           list->blocked * MS,
                           list->io * MS,
                           list->unknown * MS,
                           list->calls};
        for (unsigned i = 1; i < 7; i++)
            self[0] += self[i];
        if (list->depth == 0)
            parents[0] = fake_track(s->fake, ++id, str_of(list->name));
        else
            parents[list->depth] =
                fake_child(s->fake, parents[list->depth - 1], frame_of(s->fake, list->name, known, &n), self);
    }
    s->profile = *fake_finish(s->fake);
    s->log =
        (struct system_log){.start = {10 * MS, 110 * MS}, .begins = SECTION_BIND, .longest_lock = FRAME_NONE};
    s->times = (struct system_times){.log = &s->log, .start = &s->profile, .frame = &s->profile};
    s->in = (struct render_input){.profile = &s->profile,
                                  .names = names_new(&s->profile, &s->arena),
                                  .system = &s->times,
                                  .scratch = &s->arena};
    assert_non_null(s->in.names);
}

static void end(struct system_subject *s)
{
    arena_free(&s->arena);
    fake_free(s->fake);
}

/* NULL: the rule is silent. */
static void check(struct system_subject *s, const char *rule, const char *says)
{
    struct buf text = {0};
    struct verdict_sentence sentence = {.track = UINT32_MAX};
    struct finding f = {&text, &sentence};
    struct analysis *a = analysis_new(&s->in);
    bool found = false;

    assert_non_null(a);
    a->chain = chain_new(a, &s->arena);
    for (size_t i = 0; i < RULES_COUNT; i++)
        if (strcmp(RULES[i].name, rule) == 0)
            found = RULES[i].find(&RULES[i], a, &f) && sentence.weight > 0;
    buf_char(&text, '\0');
    if (found != (says != NULL) || (found && strcmp(text.p, says) != 0))
        fail_msg("%s: %s, not: %s", rule, found ? text.p : "silent", says != NULL ? says : "silent");
    buf_free(&text);
}

TEST(the_start)
{
    static const struct section START[] = {{0, "main", 0, 0, 0, 0, 0, 0, 0},
                                           {1, "bindApplication", 5, 1, 0, 0, 0, 0, 1},
                                           {2, "App.onCreate", 10, 0, 0, 0, 0, 0, 1},
                                           {3, OWNED, 0, 0, 0, 0, 0, 0, 1},
                                           {4, "Lock contention on a monitor lock", 1, 0, 39, 0, 1, 0, 1},
                                           {3, "binder transaction to system_server", 1, 0, 8, 0, 0, 0, 2},
                                           {3, "GC: Wait For Completion Alloc", 0, 0, 0, 3, 0, 0, 1},
                                           {2, "LoadApkAssets", 2, 0, 0, 0, 17, 0, 1},
                                           {1, "Choreographer#doFrame", 5, 0, 6, 1, 0, 0, 1},
                                           {0, NULL, 0, 0, 0, 0, 0, 0, 0}};
    struct system_subject s;

    begin(&s, START);
    check(
        &s, "start",
        "The start took 100 ms, from bindApplication to the end of the first frame; main spent 39 ms waiting for a lock (39 % of the start), all of it for one that Pool held in com.example.Store.load, within App.onCreate; 24 ms running (24 %), 19 ms of it in bindApplication, there 12 ms in App.onCreate; 18 ms waiting for input or output (18 %), 17 ms of it in LoadApkAssets; 8 ms waiting for other processes to answer (8 %); 6 ms asleep (6 %); 3 ms waiting for the garbage collector (3 %); 1 ms waiting for a CPU (1 %); 1 ms blocked in the kernel (1 %).");
    check(&s, "headline", NULL);
    check(&s, "states", NULL);                    /* nothing else was recorded */
    const struct verdict *v = verdict_new(&s.in); /* the chain is that of the start */
    assert_non_null(v);
    assert_int_equal(v->chain->n, 2);
    assert_true(str_eq(names_frame(s.in.names, v->chain->links[1].frame), STR("App.onCreate")));
    assert_int_equal(v->chain->links[1].took, 12 * MS);
    s.log.launch = (struct system_range){5 * MS, 125 * MS};
    s.log.drawn_ns = 310 * MS;
    s.log.start.to_ns = 10 * MS + 200 * MS;
    check(
        &s, "start",
        "The start took 200 ms, from bindApplication to the end of the first frame, of which main was there for 100 ms; main spent 39 ms waiting for a lock (39 % of that), all of it for one that Pool held in com.example.Store.load, within App.onCreate; 24 ms running (24 %), 19 ms of it in bindApplication, there 12 ms in App.onCreate; 18 ms waiting for input or output (18 %), 17 ms of it in LoadApkAssets; 8 ms waiting for other processes to answer (8 %); 6 ms asleep (6 %); 3 ms waiting for the garbage collector (3 %); 1 ms waiting for a CPU (1 %); 1 ms blocked in the kernel (1 %).");
    check(
        &s, "start-times",
        "By the system's own count (launching) the start took 120 ms; the app was fully drawn 300 ms after the start began.");
    s.log.launch.to_ns = 0;
    check(&s, "start-times", "The app was fully drawn 300 ms after the start began.");
    s.log.drawn_ns = 0;
    check(&s, "start-times", NULL);
    s.times.start = NULL;
    check(&s, "start", NULL);
    s.in.system = NULL;
    check(&s, "start", NULL);
    end(&s);
}

/* Smaller parts are said together, and all add up. */
TEST(states)
{
    static const struct section LIST[] = {{0, "main", 0, 0, 0, 0, 0, 0, 0},
                                          {1, "onVsync", 120, 3, 0, 0, 0, 0, 9},
                                          {1, "load", 0, 0, 870, 2, 0, 5, 9},
                                          {0, NULL, 0, 0, 0, 0, 0, 0, 0}};
    struct system_subject s;

    begin(&s, LIST);
    s.times.start = NULL;
    check(
        &s, "states",
        "main was recorded for 1 s: 870 ms asleep (87 % of that), all of it in load; 120 ms running (12 %), all of it in "
        "onVsync; 10 ms in other states.");
    check(&s, "busy", NULL);
    check(&s, "split", NULL);
    check(&s, "waits-unknown", NULL);
    check(&s, "own-methods", NULL);
    s.profile.n_values = 1;
    check(&s, "states", NULL);
    end(&s);
}

/* What the system tells of frames on the screen; sections of the main thread alone are no reason to say so. */
TEST(frames_that_were_shown_late)
{
    static const struct section LIST[] = {{0, "main", 0, 0, 0, 0, 0, 0, 0},
                                          {1, "Choreographer#doFrame", 5, 1, 0, 0, 0, 0, 1},
                                          {0, NULL, 0, 0, 0, 0, 0, 0, 0}};
    static const struct profile_screen_frame FRAMES[] = {{0, 9 * MS, 10 * MS, 1, 0},
                                                         {10 * MS, 34 * MS, 20 * MS, 2, 0x40},
                                                         {20 * MS, 35 * MS, 30 * MS, 3, 0x42},
                                                         {30 * MS, 90 * MS, 0, 4, 0x80}};
    static const struct profile_screen_frame SLOW = {0, 20 * MS, 0, 0, SCREEN_SLOW};
    struct system_subject s;

    begin(&s, LIST);
    check(&s, "shown-late", NULL);
    s.profile.screen_frames = &SLOW;
    s.profile.n_screen_frames = 1;
    check(&s, "shown-late", NULL);
    s.profile.screen_frames = FRAMES;
    s.profile.n_screen_frames = 3;
    check(
        &s, "shown-late",
        "2 of 3 frames that the app showed were late, because the app missed its deadline; the worst came 14 ms "
        "too late: main spent 5 ms running (83.3 % of its time in the frame); 1 ms waiting for a CPU (16.7 %).");
    s.profile.n_screen_frames = 4;
    check(
        &s, "shown-late",
        "3 of 4 frames that the app showed were late, 2 of them because the app missed its deadline; the worst came 14 ms "
        "too late: main spent 5 ms running (83.3 % of its time in the frame); 1 ms waiting for a CPU (16.7 %).");
    end(&s);
}

/* Why the worst frame was late: what the main thread did in it; that it was not its work; or nothing, where the app is not to blame. */
TEST(why_the_worst_frame_was_late)
{
    static const struct section LIST[] = {{0, "main", 0, 0, 0, 0, 0, 0, 0},
                                          {1, "Choreographer#doFrame", 1, 0, 0, 0, 0, 0, 1},
                                          {2, "traversal", 2, 0, 0, 0, 0, 0, 1},
                                          {3, "RV OnBindView", 20, 2, 0, 0, 0, 0, 1},
                                          {0, NULL, 0, 0, 0, 0, 0, 0, 0}};
    static const struct section IDLE[] = {{0, "main", 1, 0, 3, 0, 0, 0, 0},
                                          {1, "Choreographer#doFrame", 2, 0, 19, 0, 0, 0, 1},
                                          {0, NULL, 0, 0, 0, 0, 0, 0, 0}};
    const struct profile_warning stateless = {.code = str_of(warning_name(WARN_NO_SCHEDULER)), .count = 1};
    struct profile_screen_frame frame = {10 * MS, 35 * MS, 20 * MS, 2, 0x40};
    struct system_subject s;

    begin(&s, LIST);
    s.profile.screen_frames = &frame;
    s.profile.n_screen_frames = 1;
    s.log.frames = s.log.late = 1;
    s.log.longest_frame = (struct system_range){10 * MS, 35 * MS};
    check(
        &s, "shown-late",
        "1 of 1 frame that the app showed was late, because the app missed its deadline; the worst came 15 ms too late: main "
        "spent 23 ms running (92 % of its time in the frame), 22 ms of it in traversal, there 20 ms in RV OnBindView; 2 ms waiting for a CPU (8 %).");
    check(&s, "late-frames", NULL);
    /* No time that a thread waited for a CPU: its states are not known. */
    s.profile.values[2].role = ROLE_OTHER;
    s.profile.warnings = &stateless;
    s.profile.n_warnings = 1;
    check(
        &s, "shown-late",
        "1 of 1 frame that the app showed was late, because the app missed its deadline; the worst came 15 ms too late: main "
        "spent 24 ms in traversal, there 22 ms in RV OnBindView.");
    s.profile.values[2].role = ROLE_RUNNABLE;
    s.profile.n_warnings = 0;
    frame.causes = 0x80;
    check(
        &s, "shown-late",
        "1 of 1 frame that the app showed was late, none because the app missed its deadline; the worst came 15 ms too late.");
    end(&s);
    begin(&s, IDLE);
    frame.causes = 0x40;
    s.profile.screen_frames = &frame;
    s.profile.n_screen_frames = 1;
    check(
        &s, "shown-late",
        "1 of 1 frame that the app showed was late, because the app missed its deadline; the worst came 15 ms too late: main was "
        "asleep for most of it.");
    end(&s);
}

TEST(late_frames)
{
    static const struct section LIST[] = {{0, "main", 0, 0, 0, 0, 0, 0, 0},
                                          {1, "Choreographer#doFrame", 1, 0, 0, 0, 0, 0, 1},
                                          {2, "traversal", 2, 0, 0, 0, 0, 0, 1},
                                          {3, "RV OnBindView", 20, 2, 0, 0, 0, 0, 1},
                                          {0, NULL, 0, 0, 0, 0, 0, 0, 0}};
    struct system_subject s;

    begin(&s, LIST);
    check(&s, "late-frames", NULL);
    s.log.frames = 1240;
    s.log.late = 31;
    s.log.longest_frame = (struct system_range){MS, 26 * MS};
    check(
        &s, "late-frames",
        "31 of 1,240 frames on main took over 16.7 ms, the time of one at 60 Hz; the longest took 25 ms: 23 ms "
        "running (92 % of the frame), 22 ms of it in traversal, there 20 ms in RV OnBindView; 2 ms waiting for a CPU (8 %).");
    end(&s);
}

/* Both counts of late frames are large: that of the system is told, and the other one is not. */
TEST(frames_as_the_system_tells_come_first)
{
    static const struct section LIST[] = {{0, "main", 0, 0, 0, 0, 0, 0, 0},
                                          {1, "Choreographer#doFrame", 20, 2, 0, 0, 0, 0, 1},
                                          {0, NULL, 0, 0, 0, 0, 0, 0, 0}};
    struct profile_screen_frame frames[12];
    struct system_subject s;

    for (unsigned i = 0; i < 12; i++)
        frames[i] = (struct profile_screen_frame){i * MS, (i + 9) * MS, (i + 5) * MS, i, 0x40};
    begin(&s, LIST);
    s.log.frames = 12;
    s.log.late = 6;
    s.log.longest_frame = (struct system_range){0, 22 * MS};
    s.profile.screen_frames = frames;
    s.profile.n_screen_frames = 12;
    s.times.start = NULL;
    const struct verdict *v = verdict_new(&s.in);
    assert_non_null(v);
    assert_string_equal(v->list[0].rule, "shown-late");
    for (size_t i = 1; i < v->n; i++)
        assert_string_not_equal(v->list[i].rule, "late-frames");
    end(&s);
}

TEST(waiting_for_a_cpu)
{
    static const struct section LIST[] = {
        {0, "main", 0, 0, 0, 0, 0, 0, 0},   {1, "work", 80, 20, 300, 0, 0, 0, 1},
        {0, "Worker", 0, 0, 0, 0, 0, 0, 0}, {1, "run", 3, 0, 0, 0, 0, 0, 1},
        {0, "Pool", 0, 0, 0, 0, 0, 0, 0},   {1, "run", 9, 0, 0, 0, 0, 0, 1},
        {0, NULL, 0, 0, 0, 0, 0, 0, 0}};
    static const struct section LESS[] = {{0, "main", 0, 0, 0, 0, 0, 0, 0},
                                          {1, "work", 90, 10, 300, 0, 0, 0, 1},
                                          {0, NULL, 0, 0, 0, 0, 0, 0, 0}};
    struct system_subject s;

    begin(&s, LIST);
    s.log.longest_runnable_ns = 7 * MS;
    check(
        &s, "waited-for-cpu",
        "main waited for a CPU for 20 ms, 20 % of the 100 ms in which it ran or could have run; the longest time was 7 ms.");
    s.times.ran_ns = (const uint64_t[]){0, 3 * MS, 9 * MS};
    check(
        &s, "waited-for-cpu",
        "main waited for a CPU for 20 ms, 20 % of the 100 ms in which it ran or could have run; the longest "
        "time was 7 ms. Meanwhile Pool ran for 9 ms, Worker for 3 ms.");
    /* One of another process, which has the name of the other thread. */
    struct profile_track tracks[3];
    memcpy(tracks, s.profile.tracks, sizeof(tracks));
    tracks[1].group = tracks[2].name;
    s.profile.tracks = tracks;
    check(
        &s, "waited-for-cpu",
        "main waited for a CPU for 20 ms, 20 % of the 100 ms in which it ran or could have run; the longest "
        "time was 7 ms. Meanwhile Pool ran for 9 ms, Worker of Pool for 3 ms.");
    end(&s);
    begin(&s, LESS);
    check(&s, "waited-for-cpu", NULL);
    end(&s);
}

TEST(the_longest_wait)
{
    static const struct section LIST[] = {{0, "main", 0, 0, 0, 0, 0, 0, 0},
                                          {1, "load", 60, 0, 40, 0, 0, 0, 1},
                                          {0, "Pool", 0, 0, 0, 0, 0, 0, 0},
                                          {1, "fetch", 5, 0, 0, 0, 0, 0, 1},
                                          {0, NULL, 0, 0, 0, 0, 0, 0, 0}};
    struct system_subject s;

    begin(&s, LIST);
    check(&s, "longest-wait", NULL); /* nobody has looked */
    struct wake_chain c = {.wait = {10 * MS, 14 * MS, WAKE_SLEEPING, 0}};
    s.times.wakes = &c;
    check(&s, "longest-wait", NULL);
    c.wait.to_ns = 50 * MS;
    check(&s, "longest-wait", "The longest wait of main in a section: it was asleep for 40 ms, in load.");
    c.n_steps = 1;
    c.steps[0] = (struct wake_step){.by = WAKE_BY_INTERRUPT};
    check(&s, "longest-wait",
          "The longest wait of main in a section: it was asleep for 40 ms, in load. An interrupt ended it.");
    c.n_steps = 2;
    c.steps[0] =
        (struct wake_step){WAKE_BY_THREAD, 1, 1, 3 * MS, 2 * MS, {20 * MS, 45 * MS, WAKE_IO, FRAME_NONE}};
    c.steps[1] = (struct wake_step){WAKE_BY_THREAD, 0, FRAME_NONE, 0, 0, {0}};
    check(
        &s, "longest-wait",
        "The longest wait of main in a section: it was asleep for 40 ms, in load. Pool ended it, in fetch, having run for 3 "
        "ms and waited for a CPU for 2 ms; before that it was waiting for input or output for 25 ms, until main woke it.");
    c.steps[1].by = WAKE_BY_UNKNOWN;
    check(
        &s, "longest-wait",
        "The longest wait of main in a section: it was asleep for 40 ms, in load. Pool ended it, in fetch, having run for 3 "
        "ms and waited for a CPU for 2 ms; before that it was waiting for input or output for 25 ms.");
    end(&s);
}

/* More sections of a thread that has a track are no thread: its time is counted once. */
TEST(second_tracks)
{
    static const struct section LIST[] = {{0, "main", 0, 0, 0, 0, 0, 0, 0},
                                          {1, "work", 80, 0, 0, 0, 0, 0, 1},
                                          {0, "Second", 0, 0, 0, 0, 0, 0, 0},
                                          {1, "run", 80, 0, 0, 0, 0, 0, 1},
                                          {0, NULL, 0, 0, 0, 0, 0, 0, 0}};
    struct system_subject s;
    struct profile_track tracks[2];

    begin(&s, LIST);
    check(&s, "threads",
          "Most CPU time besides main: Second 80 ms (50 % of the 160 ms of CPU time of all threads).");
    memcpy(tracks, s.profile.tracks, sizeof(tracks));
    tracks[1].kind = TRACK_SECOND;
    s.profile.tracks = tracks;
    check(&s, "threads", NULL);
    end(&s);
}

TEST(locks)
{
    static const struct section LIST[] = {{0, "main", 0, 0, 0, 0, 0, 0, 0},
                                          {1, "work", 57, 0, 0, 0, 0, 0, 1},
                                          {2, OWNED, 1, 0, 0, 0, 0, 0, 2},
                                          {3, "Lock contention on a monitor lock", 0, 0, 29, 0, 0, 0, 2},
                                          {1, "Lock contention on thread list lock", 0, 0, 10, 3, 0, 0, 1},
                                          {0, "Pool", 0, 0, 0, 0, 0, 0, 0},
                                          {1, "monitor contention with owner main", 0, 0, 4, 0, 0, 0, 1},
                                          {0, NULL, 0, 0, 0, 0, 0, 0, 0}};
    static const struct section CUT[] = {
        {0, "main", 0, 0, 0, 0, 0, 0, 0}, {1, OWNED, 0, 0, 43, 0, 0, 0, 0}, {0, NULL, 0, 0, 0, 0, 0, 0, 0}};
    static const struct section FEW[] = {
        {0, "main", 0, 0, 0, 0, 0, 0, 0}, {1, OWNED, 0, 0, 4, 0, 0, 0, 2}, {0, NULL, 0, 0, 0, 0, 0, 0, 0}};
    struct system_subject s;

    begin(&s, LIST);
    s.log.longest_lock_ns = 25 * MS;
    s.log.longest_lock = 1;
    check(
        &s, "lock-contention",
        "main waited for locks for 43 ms (43 % of main's 100 ms), in 3 calls: 30 ms for a lock that Pool held in com.example.Store.load, 13 ms in Lock contention on thread list lock; the longest took 25 ms, for a lock that Pool held in com.example.Store.load. Other threads of its process waited for locks for 4 ms, in 1 call: all of it for a lock that main held.");
    end(&s);
    /* A range within a wait, in which no call began. Who held the lock is the headline. */
    begin(&s, CUT);
    const struct verdict *v = verdict_new(&s.in);
    assert_non_null(v);
    assert_string_equal(v->list[0].rule, "start");
    s.times.start = NULL;
    v = verdict_new(&s.in);
    assert_non_null(v);
    assert_string_equal(v->list[0].rule, "states");
    assert_string_equal(v->list[1].rule, "headline");
    check(&s, "lock-contention",
          "main waited for locks for 43 ms (100 % of main's 43 ms): all of it for a lock that Pool held in "
          "com.example.Store.load.");
    end(&s);
    begin(&s, FEW);
    check(&s, "lock-contention", NULL);
    end(&s);
}

/* Whatever memory there is: a verdict, or none; never half of one. */
TEST(little_memory)
{
    static const struct section LIST[] = {{0, "main", 0, 0, 0, 0, 0, 0, 0},
                                          {1, "bindApplication", 80, 20, 300, 0, 0, 0, 1},
                                          {2, OWNED, 0, 0, 30, 0, 9, 0, 2},
                                          {0, NULL, 0, 0, 0, 0, 0, 0, 0}};
    struct system_subject s;
    bool made = false;

    begin(&s, LIST);
    for (size_t limit = 0; !made && limit < 1 << 20; limit += 512) {
        struct arena a;
        arena_init(&a, limit);
        s.in.scratch = &a;
        const struct verdict *v = verdict_new(&s.in);
        made = v != NULL;
        assert_true(made ? strcmp(v->list[0].rule, "start") == 0 : a.failure == ARENA_LIMIT);
        arena_free(&a);
    }
    assert_true(made);
    end(&s);
}

/* ---- the log ---- */

struct told {
    struct replay_sink sink;
    struct replay_track track;
    struct replay_call open[8];
};

static void tell_to(struct told *t, uint64_t wall, uint64_t runnable)
{
    memcpy(t->track.last, t->track.now, sizeof(t->track.last));
    t->track.now[0] = wall;
    t->track.now[2] += runnable;
}

static void tell_enter(struct told *t, frame_id frame, uint64_t wall)
{
    tell_to(t, wall, 0);
    t->open[t->track.n_open] = (struct replay_call){.frame = frame, .begin = {wall}};
    t->track.n_open++;
    assert_true(t->sink.enter(t->sink.context, &t->track));
}

static void tell_leave(struct told *t, uint64_t wall, uint8_t flags)
{
    tell_to(t, wall, 0);
    struct replay_left left = {
        .call = &t->open[t->track.n_open - 1], .level = t->track.n_open - 1, .flags = flags};
    assert_true(t->sink.leave(t->sink.context, &t->track, &left));
    t->track.n_open--;
}

static void tell_stay(struct told *t, uint64_t wall, uint64_t runnable)
{
    tell_to(t, wall, runnable);
    assert_true(t->sink.stay(t->sink.context, &t->track));
}

static void tell_run(struct told *t, uint64_t wall, bool runs)
{
    tell_to(t, wall, 0);
    t->track.now[1] += runs ? t->track.now[0] - t->track.last[0] : 0;
    assert_true(t->sink.stay(t->sink.context, &t->track));
}

static const struct section LOGGED[] = {{0, "main", 0, 0, 0, 0, 0, 0, 0},
                                        {1, "bindApplication", 1, 0, 0, 0, 0, 0, 1},
                                        {1, "Choreographer#doFrame", 1, 0, 0, 0, 0, 0, 1},
                                        {1, OWNED, 1, 0, 0, 0, 0, 0, 1},
                                        {1, "Lock contention on a monitor lock", 1, 0, 0, 0, 0, 0, 1},
                                        {1, "reportFullyDrawn() for x", 1, 0, 0, 0, 0, 0, 1},
                                        {1, "activityStart", 1, 0, 0, 0, 0, 0, 1},
                                        {0, NULL, 0, 0, 0, 0, 0, 0, 0}};
enum { BIND, FRAME, OUTER, INNER, DRAWN, ACTIVITY };

/* A profile and one open track, the main thread. */
static void begin_log(struct system_subject *s, struct told *t)
{
    begin(s, LOGGED);
    s->profile.n_times = 7;
    s->profile.ns_per_tick = 1;
    *t = (struct told){0};
    t->track = (struct replay_track){.of = &s->profile.tracks[0], .open = t->open, .n_open = 1};
    t->open[0].frame = FRAME_NONE;
}

TEST(what_the_log_tells)
{
    struct system_subject s;
    struct told t;

    begin_log(&s, &t);
    struct system_log_sink *sink = system_log_new(&s.arena, &s.profile, NULL);
    assert_non_null(sink);
    assert_int_equal(sink->n_tracks, 1);
    t.sink = system_log_replay(sink);
    tell_enter(&t, FRAME, 0); /* of before the start */
    tell_leave(&t, 5 * MS, 0);
    tell_enter(&t, BIND, 10 * MS);
    tell_enter(&t, OUTER, 11 * MS);
    tell_enter(&t, INNER, 12 * MS);
    tell_leave(&t, 18 * MS, 0);
    tell_leave(&t, 19 * MS, 0);
    tell_stay(&t, 22 * MS, 3 * MS); /* 3 ms and 2 ms without a break */
    tell_stay(&t, 24 * MS, 2 * MS);
    tell_stay(&t, 26 * MS, 0);
    tell_stay(&t, 30 * MS, 4 * MS);
    tell_leave(&t, 31 * MS, 0);
    tell_enter(&t, ACTIVITY, 31 * MS);
    tell_leave(&t, 32 * MS, 0);
    tell_enter(&t, FRAME, 40 * MS);
    tell_enter(&t, FRAME, 41 * MS); /* within another one */
    tell_leave(&t, 58 * MS, 0);
    tell_leave(&t, 60 * MS, 0);
    tell_enter(&t, DRAWN, 61 * MS);
    tell_leave(&t, 62 * MS, 0);
    tell_enter(&t, FRAME, 70 * MS); /* never left */
    tell_leave(&t, 95 * MS, SPAN_OPEN);
    const struct system_log *log = system_log_finish(sink);
    assert_int_equal(log->start.from_ns, 10 * MS);
    assert_int_equal(log->start.to_ns, 60 * MS);
    assert_int_equal(log->begins, SECTION_BIND);
    assert_int_equal(log->drawn_ns, 62 * MS);
    assert_int_equal(log->frames, 2);
    assert_int_equal(log->late, 1);
    assert_int_equal(log->longest_frame.from_ns, 40 * MS);
    assert_int_equal(log->longest_lock_ns, 8 * MS);
    assert_int_equal(log->longest_lock, OUTER);
    assert_int_equal(log->longest_runnable_ns, 5 * MS);
    assert_int_equal(log->n_runnable, 2);
    end(&s);
}

TEST(who_ran_meanwhile)
{
    struct system_range waited[] = {{19 * MS, 24 * MS}, {26 * MS, 30 * MS}};
    const struct system_log log = {.runnable = waited, .n_runnable = 2};
    struct system_subject s;
    struct told t;

    begin_log(&s, &t);
    struct system_rivals *rivals = system_rivals_new(&s.arena, &s.profile, &log);
    assert_int_equal(rivals->n_tracks, 0); /* the main thread was not starved */
    rivals->running = 1;
    t.sink = system_rivals_replay(rivals);
    tell_run(&t, 20 * MS, true);
    tell_run(&t, 22 * MS, false);
    tell_run(&t, 29 * MS, true);
    tell_run(&t, 40 * MS, false);
    assert_int_equal(rivals->ran_ns[0], (20 - 19 + 24 - 22 + 29 - 26) * MS);
    end(&s);
}

/* The process began before it. */
TEST(what_the_log_tells_of_a_window)
{
    const struct window window = {31 * MS, 65 * MS};
    struct system_subject s;
    struct told t;

    begin_log(&s, &t);
    struct system_log_sink *sink = system_log_new(&s.arena, &s.profile, &window);
    t.sink = system_log_replay(sink);
    tell_enter(&t, BIND, 10 * MS);
    tell_leave(&t, 31 * MS, 0);
    tell_enter(&t, ACTIVITY, 31 * MS);
    tell_leave(&t, 32 * MS, 0);
    tell_enter(&t, FRAME, 40 * MS);
    tell_leave(&t, 60 * MS, 0);
    const struct system_log *log = system_log_finish(sink);
    assert_int_equal(log->begins, SECTION_ACTIVITY);
    assert_int_equal(log->start.from_ns, 31 * MS);
    assert_int_equal(log->start.to_ns, 60 * MS);
    end(&s);
}

/* ---- names ---- */

TEST(names_of_sections)
{
    assert_int_equal(section_kind_of(STR("binder transaction to system_server")), SECTION_BINDER);
    assert_int_equal(section_kind_of(STR("binder transaction async to x")), SECTION_PLATFORM);
    assert_int_equal(section_kind_of(STR("Background young concurrent mark compact GC")), SECTION_GC);
    assert_int_equal(section_kind_of(STR("inflate")), SECTION_WORK);
    assert_int_equal(section_kind_of(STR("inflateMore")), SECTION_OTHER);
    assert_int_equal(section_kind_of(STR("")), SECTION_OTHER);
    assert_true(str_eq(section_class(STR("performCreate:com.example.Main")), STR("com.example.Main")));
    assert_true(str_eq(section_class(STR("std::a.b.C")), STR("")));
    assert_true(str_eq(section_class(STR("at 10:20")), STR("")));
    assert_true(str_eq(section_class(STR("")), STR("")));
    assert_true(str_eq(section_owner(STR(OWNED)), STR("Pool")));
    assert_true(str_eq(section_owner_method(STR(OWNED)), STR("com.example.Store.load")));
    assert_true(str_eq(section_owner(STR("monitor contention with owner A B")), STR("A B")));
    assert_true(str_eq(section_owner_method(STR("monitor contention with owner A B")), STR("")));
    assert_true(str_eq(section_owner(STR("monitor contention with owner ")), STR("")));
    assert_true(str_eq(section_owner(STR("Lock contention on x")), STR("")));
}

/* Track events of one who writes a method trace as such. */
TEST(methods_have_signatures)
{
    struct profile_warning warning = {.code = str_of(warning_name(WARN_NO_SCHEDULER)), .count = 1};
    struct fake *f = fake_thread(STR("main"));

    fake_stack(f, "inflate", 9, 9, 1);
    struct profile p = *fake_finish(f);
    assert_false(sections_in(&p));
    p.warnings = &warning;
    p.n_warnings = 1;
    assert_true(sections_in(&p));
    fake_free(f);
    f = fake_thread(STR("main"));
    fake_stack(f, "com.example.Main.run()V", 9, 9, 1);
    p = *fake_finish(f);
    p.warnings = &warning;
    p.n_warnings = 1;
    assert_false(sections_in(&p));

    /* A process whose name nobody knows does not keep its methods from being known as the app's. */
    const struct profile_fact process = {STR("app_process"), STR("Process-9001")};
    struct arena arena;
    arena_init(&arena, 1 << 20);
    p.facts = &process;
    p.n_facts = 1;
    const struct names *names = names_new(&p, &arena);
    assert_non_null(names);
    assert_int_equal(names_of(names, 0)->origin, ORIGIN_APP);
    arena_free(&arena);
    fake_free(f);
}

TEST(sections_have_the_origin_of_who_marks_them)
{
    static const struct section LIST[] = {{0, "main", 0, 0, 0, 0, 0, 0, 0},
                                          {1, "bindApplication", 1, 0, 0, 0, 0, 0, 1},
                                          {1, "performCreate:com.example.shop.Main", 5, 0, 0, 0, 0, 0, 1},
                                          {1, "com.example.shop.ui.PriceTag", 5, 0, 0, 0, 0, 0, 1},
                                          {1, "App.onCreate", 1, 0, 0, 0, 0, 0, 1},
                                          {0, NULL, 0, 0, 0, 0, 0, 0, 0}};
    static const enum origin ORIGINS_OF[] = {ORIGIN_ANDROID, ORIGIN_APP, ORIGIN_APP, ORIGIN_UNKNOWN};
    struct system_subject s;

    begin(&s, LIST);
    for (frame_id i = 0; i < 4; i++)
        assert_int_equal(names_of(s.in.names, i)->origin, ORIGINS_OF[i]);
    end(&s);
}
