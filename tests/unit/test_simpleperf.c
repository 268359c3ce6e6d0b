/* simpleperf's report-sample files: stacks by event, times off the CPU, kinds of frames, names that stand
 * at the end, what is told of the recording, and damage. */
#include "tests/support/unit.h"

#include "render/view/view.h"
#include "tests/support/hostile.h"
#include "tests/support/profile_checks.h"
#include "tests/support/proto_bytes.h"
#include "tests/support/simpleperf_bytes.h"

static void dump(struct buf *b, const struct profile *p)
{
    for (uint32_t t = 0; t < p->n_tracks; t++) {
        buf_printf(b, "%u ", p->tracks[t].number);
        buf_str(b, profile_string(p, p->tracks[t].name));
        buf_z(b, " of ");
        buf_str(b, profile_string(p, p->tracks[t].group));
        buf_char(b, '\n');
        hostile_put_stacks(b, p, t);
    }
    buf_char(b, '\0');
}

static const struct profile *read_with(struct arena *arena, const struct simpleperf_options *options)
{
    struct buf b = {0};

    simpleperf_put(&b, options);
    return hostile_read_well(arena, &b);
}

static void reads_as(const struct simpleperf_options *options, const char *expected)
{
    struct arena arena;
    struct buf b = {0};

    dump(&b, read_with(&arena, options));
    assert_string_equal(b.p, expected);
    buf_free(&b);
    arena_free(&arena);
}

TEST(stacks_by_event)
{
    static const char EXPECTED[] = "71 com.example.app of com.example.app (71)\n"
                                   "main native 250000 0 0\n"
                                   "-com.example.App.run java 0 0 0\n"
                                   "--work(int; char) native 250000 0 0\n"
                                   "-schedule kernel 0 1 3000\n"
                                   "72 Thread-72 of \n"
                                   "libfoo.so[+1a01] native 0 0 0\n"
                                   "-unknown[+1a00]  125000 0 0\n";

    reads_as(&(struct simpleperf_options){0}, EXPECTED);
    reads_as(&(struct simpleperf_options){.meta_last = true}, EXPECTED);
    reads_as(&(struct simpleperf_options){.no_end = true}, EXPECTED);
    reads_as(&(struct simpleperf_options){.on_first = true}, EXPECTED);
}

TEST(without_times_off_the_cpu)
{
    struct arena arena;
    const struct profile *p = read_with(&arena, &(struct simpleperf_options){.no_off_cpu = true});

    assert_int_equal(p->n_values, 2);
    assert_int_equal(profile_value_by_name(p, STR("waiting")), 2);
    arena_free(&arena);
}

TEST(what_is_said_of_it)
{
    struct arena arena;
    const struct profile *p = read_with(&arena, &(struct simpleperf_options){0});

    assert_true(str_eq(p->values[0].name, STR("cpu-clock-u")));
    assert_int_equal(p->values[0].unit, UNIT_NS);
    assert_int_equal(p->values[0].role, ROLE_CPU);
    assert_true(str_eq(p->values[1].name, STR("sched-sched-switch")));
    assert_int_equal(p->values[1].unit, UNIT_COUNT);
    assert_true(str_eq(p->values[2].name, STR("waiting")));
    profile_check_fact(p, "package", "com.example.app");
    profile_check_fact(p, "android_sdk", "33");
    profile_check_fact(p, "elapsed_ns", "5000");
    profile_check_fact(p, "unwinding", "no unwind information: 1");
    profile_check_warning(p, WARN_LOST_SAMPLES, 2, WARNING_NO_OFFSET);
    profile_check_warning(p, WARN_UNWINDING, 1, WARNING_NO_OFFSET);
    profile_check_warning(p, WARN_UNKNOWN_THREAD, 1, WARNING_NO_OFFSET);
    assert_int_equal(p->n_warnings, 3);
    assert_int_equal(p->tracks[0].begin_ns, 0);
    assert_int_equal(p->tracks[0].end_ns, 5000);
    arena_free(&arena);
}

/* What is shown unless something else is asked for has samples. */
TEST(a_first_event_without_samples)
{
    struct arena arena;
    const struct profile *p = read_with(&arena, &(struct simpleperf_options){.silent_first = true});
    struct view_options view;
    struct diag diag = {0};

    assert_true(str_eq(p->values[0].name, STR("task-clock-k")));
    assert_int_equal(profile_total(p, p->tracks[0].first, 0), 0);
    assert_int_equal(profile_weight_value(p), 1);
    view_defaults(&view);
    assert_true(view_resolve(&view, p, &diag));
    assert_string_equal(view.value, "cpu-clock-u");
    arena_free(&arena);
}

TEST(what_is_refused)
{
    struct buf b = {0}, body = {0};

    simpleperf_put_header(&b);
    hostile_refused(&b, DIAG_UNUSABLE, "no samples");
    buf_bytes(&b, "SIMPLEPERF\2\0\0\0\0\0", 16);
    hostile_refused(&b, DIAG_UNUSABLE, "unknown version");
    buf_bytes(&b, "SIMPLEPERF\1", 11);
    hostile_refused(&b, DIAG_UNUSABLE, "unknown version");
    buf_free(&body);
}

/* A file that names no event, and one in which a sample's event is not named. */
TEST(events_that_are_not_named)
{
    struct buf b = {0}, body = {0};
    struct arena arena;

    simpleperf_put_header(&b);
    for (unsigned event = 0; event < 2; event++) {
        proto_put_number(&body, 2, 5);
        proto_put_number(&body, 4, 9);
        proto_put_number(&body, 5, event);
        simpleperf_put_record(&b, 1, &body);
    }
    const struct profile *p = hostile_read_well(&arena, &b);
    assert_true(str_eq(p->values[0].name, STR("events")));
    assert_int_equal(profile_total(p, 0, 0), 9);
    assert_int_equal(profile_warned_count(p, WARN_UNKNOWN_EVENT), 1);
    buf_free(&b);
    buf_free(&body);
    arena_free(&arena);
}

TEST(samples_without_a_count)
{
    struct buf b = {0}, body = {0};
    struct arena arena;

    simpleperf_put_header(&b);
    for (unsigned i = 0; i < 3; i++) {
        proto_put_number(&body, 1, 9 + i);
        proto_put_number(&body, 2, 5);
        simpleperf_put_record(&b, 1, &body);
    }
    const struct profile *p = hostile_read_well(&arena, &b);
    assert_int_equal(profile_total(p, 0, 0), 3);
    assert_int_equal(profile_warned_count(p, WARN_SAMPLES_UNCOUNTED), 3);
    buf_free(&b);
    buf_free(&body);
    arena_free(&arena);
}

TEST(any_damage)
{
    static const struct simpleperf_options OPTIONS[] = {{0}, {.meta_last = true}};
    struct buf b = {0};

    for (size_t i = 0; i < 2; i++) {
        buf_clear(&b);
        simpleperf_put(&b, &OPTIONS[i]);
        hostile_damage("simpleperf", &b);
    }
    buf_free(&b);
}
