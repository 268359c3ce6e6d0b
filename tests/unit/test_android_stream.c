/* Streaming traces of ART: record sizes, clocks that are named at the end, what is missing or too much. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "tests/support/hostile.h"
#include "tests/support/trace_bytes.h"
#include "tests/support/trace_variants.h"

struct fixture {
    struct buf bytes;
    struct arena arena;
    struct diag diag;
    const struct profile *profile;
};

static int setup(void **state)
{
    static struct fixture fixture;

    fixture = (struct fixture){0};
    arena_init(&fixture.arena, 1);
    *state = &fixture;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;

    arena_free(&f->arena);
    buf_free(&f->bytes);
    return 0;
}

static void put(struct fixture *f, enum variant v, const struct variant_options *options)
{
    variant_put(&f->bytes, v, VARIANT_HEALTHY, VARIANT_HEALTHY_COUNT, options);
}

static void read_it(struct fixture *f)
{
    f->profile = hostile_read(&f->arena, f->bytes.p, f->bytes.n, &f->diag);
    if (f->profile == NULL)
        fail_msg("%s: %s", f->diag.title, f->diag.detail);
}

static const struct profile_warning *warning(const struct fixture *f, enum warning_code code)
{
    for (uint32_t i = 0; i < f->profile->n_warnings; i++)
        if (str_eq(f->profile->warnings[i].code, str_of(warning_name(code))))
            return &f->profile->warnings[i];
    return NULL;
}

static void check_warning(const struct fixture *f, enum warning_code code, uint64_t count, uint64_t offset)
{
    const struct profile_warning *w = warning(f, code);

    if (w == NULL)
        fail_msg("no warning %s", warning_name(code));
    assert_int_equal(w->count, count);
    assert_int_equal(w->has_offset, offset != WARNING_NO_OFFSET);
    if (w->has_offset)
        assert_int_equal(w->offset, offset);
}

static void check_fact(const struct fixture *f, const char *name, const char *value)
{
    struct str got = profile_fact(f->profile, str_of(name));

    if (!str_eq(got, str_of(value)))
        fail_msg("%s is %.*s, not %s", name, (int)got.n, got.p, value);
}

static void check_text(const struct fixture *f, const char *expected)
{
    struct buf text = {0};

    hostile_describe(&text, f->profile);
    buf_char(&text, '\0');
    assert_string_equal(text.p, expected);
    buf_free(&text);
}

static const char *const DUAL = "1 main\n"
                                "  . 100000 10000 0\n"
                                "  a.B.m2 60500000 3910000 1\n"
                                "  >a.B.m3 0 0 1\n"
                                "  a.B.m0 8980000 22000 1\n"
                                "  >a.B.m3 100000 50000 1\n"
                                "  >a.B.m1 291000 6000 2\n"
                                "  >>a.B.m1 19000 2000 1\n"
                                "700 worker\n"
                                "  . 0 0 0\n"
                                "  a.B.m2 379000 2000 1\n"
                                "  >a.B.m1 59600000 5000 1\n";

static const char *const WALL = "1 main\n"
                                "  . 100000 - 0\n"
                                "  a.B.m2 60500000 - 1\n"
                                "  >a.B.m3 0 - 1\n"
                                "  a.B.m0 8980000 - 1\n"
                                "  >a.B.m3 100000 - 1\n"
                                "  >a.B.m1 291000 - 2\n"
                                "  >>a.B.m1 19000 - 1\n"
                                "700 worker\n"
                                "  . 0 - 0\n"
                                "  a.B.m2 379000 - 1\n"
                                "  >a.B.m1 59600000 - 1\n";

/* ---- good files ---- */

static void both_clocks(void **state)
{
    struct fixture *f = *state;

    put(f, VARIANT_S3, NULL);
    read_it(f);
    check_text(f, DUAL);
    check_fact(f, "version", "3");
    check_fact(f, "streaming", "true");
    check_fact(f, "clock", "dual");
    check_fact(f, "record_bytes", "14");
    assert_int_equal(f->profile->n_warnings, 1);
    check_warning(f, WARN_OPEN_FRAMES, 2, WARNING_NO_OFFSET);
}

static void one_clock_is_named_at_the_end(void **state)
{
    static const struct variant_options CPU = {.clock = "thread-cpu", .cpu_alone = true};
    struct fixture *f = *state;

    put(f, VARIANT_S2, NULL);
    read_it(f);
    check_text(f, WALL);
    check_fact(f, "record_bytes", "10");
    arena_free(&f->arena);
    buf_clear(&f->bytes);
    put(f, VARIANT_S2, &CPU);
    read_it(f);
    assert_true(str_eq(f->profile->values[0].name, STR("cpu")));
    assert_int_equal(f->profile->values[0].role, ROLE_CPU);
    assert_int_equal(profile_total(f->profile, f->profile->tracks[0].first, 0), 4000000);
}

static void version_1(void **state)
{
    struct fixture *f = *state;

    put(f, VARIANT_S1, NULL);
    read_it(f);
    check_text(f, WALL);
    check_fact(f, "version", "1");
}

static void wider_records_than_the_header_says(void **state)
{
    struct fixture *f = *state;

    put(f, VARIANT_S2_WIDE, NULL);
    read_it(f);
    check_text(f, WALL);
    check_fact(f, "record_bytes", "14");
    check_fact(f, "declared_record_bytes", "10");
    assert_int_equal(f->profile->n_warnings, 1);
}

/* The junk behind a record may look like one of its own: zeros are a packet that cannot be. */
static void wide_records_with_any_junk(void **state)
{
    static const uint32_t JUNK[] = {0, 1, 0x10000, 0x00010001, 0x01000000, 0xffffffff, 700};
    struct fixture *f = *state;

    for (size_t k = 0; k < sizeof(JUNK) / sizeof(*JUNK); k++) {
        buf_clear(&f->bytes);
        put(f, VARIANT_S2_WIDE, NULL);
        for (size_t at = 0; at + 4 <= f->bytes.n; at++)
            if (memcmp(f->bytes.p + at, "\xaa\xbb\xcc\xdd", 4) == 0)
                for (unsigned i = 0; i < 4; i++)
                    f->bytes.p[at + i] = (char)(JUNK[k] >> 8 * i);
        read_it(f);
        check_text(f, WALL);
        arena_free(&f->arena);
    }
}

/* ---- what is missing or too much ---- */

static void without_summary(void **state)
{
    static const struct variant_options NONE = {.no_summary = true};
    struct fixture *f = *state;

    put(f, VARIANT_S3, &NONE);
    read_it(f);
    check_text(f, DUAL);
    check_warning(f, WARN_NO_SUMMARY, 1, WARNING_NO_OFFSET);
    assert_null(warning(f, WARN_CLOCK_UNKNOWN));
    arena_free(&f->arena);
    buf_clear(&f->bytes);
    put(f, VARIANT_S2, &NONE);
    read_it(f);
    check_warning(f, WARN_NO_SUMMARY, 1, WARNING_NO_OFFSET);
    check_warning(f, WARN_CLOCK_UNKNOWN, 1, WARNING_NO_OFFSET);
    assert_true(str_eq(f->profile->values[0].name, STR("cpu")));
}

static void clock_against_the_version(void **state)
{
    static const struct variant_options DUAL_CLOCK = {.clock = "dual"};
    struct fixture *f = *state;

    put(f, VARIANT_S2, &DUAL_CLOCK);
    read_it(f);
    check_warning(f, WARN_CLOCK_UNKNOWN, 1, WARNING_NO_OFFSET);
    assert_int_equal(f->profile->n_values, 2);
}

static void bytes_behind_the_end(void **state)
{
    struct fixture *f = *state;

    put(f, VARIANT_S3, NULL);
    size_t end = f->bytes.n;
    buf_z(&f->bytes, "and some more");
    read_it(f);
    check_text(f, DUAL);
    check_warning(f, WARN_TRAILING_BYTES, 13, end);
}

static void cut_in_a_record(void **state)
{
    static const struct variant_options NONE = {.no_summary = true};
    struct fixture *f = *state;

    put(f, VARIANT_S3, &NONE);
    f->bytes.n -= 3;
    read_it(f);
    check_warning(f, WARN_CUT_RECORD, 1, f->bytes.n - 11);
    check_warning(f, WARN_NO_SUMMARY, 1, WARNING_NO_OFFSET);
}

static void cut_in_the_summary(void **state)
{
    struct fixture *f = *state;

    put(f, VARIANT_S3, NULL);
    f->bytes.n -= 2;
    read_it(f);
    check_text(f, DUAL);
    check_fact(f, "clock", "dual");
    check_warning(f, WARN_CUT_RECORD, 1, f->bytes.n - 3);
    check_warning(f, WARN_NO_SUMMARY, 1, WARNING_NO_OFFSET);
}

static void a_packet_that_cannot_be(void **state)
{
    static const struct variant_options NONE = {.no_summary = true};
    struct fixture *f = *state;

    put(f, VARIANT_S3, &NONE);
    size_t end = f->bytes.n;
    trace_bytes_le(&f->bytes, 0, 2);
    trace_bytes_le(&f->bytes, 4, 1);
    buf_z(&f->bytes, "lost");
    read_it(f);
    check_text(f, DUAL);
    check_warning(f, WARN_DAMAGED, 7, end);
}

/* ---- definitions ---- */

static void put_definition(struct buf *b, unsigned op, unsigned thread, const char *text)
{
    trace_bytes_le(b, 0, 2);
    trace_bytes_le(b, op, 1);
    if (op == 2)
        trace_bytes_le(b, thread, 2);
    trace_bytes_le(b, strlen(text), 2);
    buf_z(b, text);
}

static void put_record(struct buf *b, uint16_t thread, uint32_t method, enum event_action action,
                       uint32_t time)
{
    trace_bytes_record(b, 14, (struct trace_record){thread, method, action, {time, time}});
}

static void names_are_given_again(void **state)
{
    struct fixture *f = *state;
    struct buf *b = &f->bytes;

    trace_bytes_header(b, 0xf3, 32, 14);
    put_definition(b, 1, 0, "0x4\ta.B\told\t()V\tB.java\n");
    put_definition(b, 2, 9, "before");
    put_record(b, 9, 4, EVENT_ENTER, 0);
    put_record(b, 9, 4, EVENT_EXIT, 2);
    size_t method = b->n;
    put_definition(b, 1, 0, "0x4\ta.B\tnew\t()V\tB.java\n");
    size_t thread = b->n;
    put_definition(b, 2, 9, "after");
    put_record(b, 9, 4, EVENT_ENTER, 3);
    put_record(b, 9, 4, EVENT_EXIT, 7);
    read_it(f);
    check_text(f, "9 after\n  . 1000 1000 0\n  a.B.new 4000 4000 1\n  a.B.old 2000 2000 1\n");
    check_warning(f, WARN_METHOD_REDEFINED, 1, method);
    check_warning(f, WARN_THREAD_REDEFINED, 1, thread);
}

static void undefined_names(void **state)
{
    struct fixture *f = *state;
    struct buf *b = &f->bytes;

    trace_bytes_header(b, 0xf3, 32, 14);
    put_record(b, 9, 0x20, EVENT_ENTER, 0);
    put_record(b, 9, 0x20, EVENT_EXIT, 2);
    put_record(b, 10, 0x20, EVENT_ENTER, 2);
    put_definition(b, 2, 10, "late");
    read_it(f);
    check_text(f, "9 Thread-9\n  . 0 0 0\n  .unknown[0x20] 2000 2000 1\n"
                  "10 late\n  . 0 0 0\n  .unknown[0x20] 0 0 1\n");
    check_warning(f, WARN_UNKNOWN_METHOD, 3, 32);
    check_warning(f, WARN_UNKNOWN_THREAD, 1, 32);
}

/* ---- unusable ---- */

static void check_unusable(struct fixture *f, const char *title, uint64_t offset)
{
    assert_null(hostile_read(&f->arena, f->bytes.p, f->bytes.n, &f->diag));
    assert_int_equal(f->diag.kind, DIAG_UNUSABLE);
    assert_string_equal(f->diag.title, title);
    assert_int_equal(f->diag.offset, offset);
    arena_free(&f->arena);
    buf_clear(&f->bytes);
}

static void unusable_files(void **state)
{
    struct fixture *f = *state;

    trace_bytes_header(&f->bytes, 0xf3, 32, 14);
    check_unusable(f, "no records", 32);
    trace_bytes_header(&f->bytes, 0xf3, 32, 9);
    check_unusable(f, "damaged trace header", 16);
    trace_bytes_header(&f->bytes, 0xf3, 17, 14);
    check_unusable(f, "damaged trace header", 6);
    trace_bytes_header(&f->bytes, 0xf3, 500, 14);
    f->bytes.n = 100;
    check_unusable(f, "damaged trace header", 6);
    trace_bytes_header(&f->bytes, 0xf3, 32, 14);
    f->bytes.n = 12;
    check_unusable(f, "cut trace header", 0);
    trace_bytes_header(&f->bytes, 0xf3, 32, 14);
    for (unsigned i = 0; i < 9; i++)
        buf_z(&f->bytes, "\xef\xbf\xbd\xef\xbf\xbd ");
    check_unusable(f, "damaged by a text conversion", 0);
}

/* ---- any file ---- */

static void any_cutting(void **state)
{
    struct fixture *f = *state;

    for (unsigned v = VARIANT_S1; v <= VARIANT_S3; v++) {
        buf_clear(&f->bytes);
        put(f, v, NULL);
        hostile_cuttings(VARIANT_NAMES[v], &f->bytes);
    }
}

/* The window in which the record size is chosen ends within the file. */
static void any_cutting_of_a_long_file(void **state)
{
    struct fixture *f = *state;
    size_t cuts[] = {0, 32, 4096, 65535, 65536, 65567, 65568, 65569, 70000};

    variant_put(&f->bytes, VARIANT_S2_WIDE, VARIANT_HEALTHY, VARIANT_HEALTHY_COUNT - 2,
                &(struct variant_options){.no_summary = true});
    while (f->bytes.n < 150000)
        for (size_t i = 0; i < VARIANT_HEALTHY_COUNT - 2; i++) {
            const struct variant_event *e = &VARIANT_HEALTHY[i];
            trace_bytes_record(
                &f->bytes, 14,
                (struct trace_record){e->thread, (uint32_t)e->method << 2, e->action, {e->wall, 0xa5a5a5a5}});
        }
    read_it(f);
    check_fact(f, "record_bytes", "14");
    struct buf expected = {0};
    hostile_describe(&expected, f->profile);
    for (size_t i = 0; i < sizeof(cuts) / sizeof(*cuts); i++) {
        struct arena arena;
        struct reader r;
        struct buf text = {0};
        arena_init(&arena, 64 << 20);
        assert_true(reader_init(&r, &arena, &READER_LIMITS_DEFAULT, (struct hash_seed){1, 1}));
        assert_true(reader_feed(&r, f->bytes.p, cuts[i]));
        assert_true(reader_feed(&r, f->bytes.p + cuts[i], f->bytes.n - cuts[i]));
        const struct profile *p = reader_finish(&r);
        assert_non_null(p);
        hostile_describe(&text, p);
        assert_true(str_eq(buf_view(&text), buf_view(&expected)));
        buf_free(&text);
        arena_free(&arena);
    }
    buf_free(&expected);
}

static void any_damage(void **state)
{
    struct fixture *f = *state;

    for (unsigned v = VARIANT_S1; v <= VARIANT_S3; v++) {
        buf_clear(&f->bytes);
        put(f, v, NULL);
        hostile_truncations(VARIANT_NAMES[v], &f->bytes);
        hostile_bit_flips(VARIANT_NAMES[v], &f->bytes);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(both_clocks),
        TEST(one_clock_is_named_at_the_end),
        TEST(version_1),
        TEST(wider_records_than_the_header_says),
        TEST(wide_records_with_any_junk),
        TEST(without_summary),
        TEST(clock_against_the_version),
        TEST(bytes_behind_the_end),
        TEST(cut_in_a_record),
        TEST(cut_in_the_summary),
        TEST(a_packet_that_cannot_be),
        TEST(names_are_given_again),
        TEST(undefined_names),
        TEST(unusable_files),
        TEST(any_cutting),
        TEST(any_cutting_of_a_long_file),
        TEST(any_damage),
    };
    return cmocka_run_group_tests_name("android_stream", tests, NULL, NULL);
}
