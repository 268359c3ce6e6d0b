/* Streaming traces of ART: record sizes, clocks that are named at the end, what is missing or too much. */
#include "tests/support/unit.h"

#include <string.h>

#include "tests/support/art_file.h"
#include "tests/support/test_input.h"
#include "tests/support/trace_bytes.h"

/* ---- good files ---- */

ART_FILE_TEST(both_clocks)
{
    struct art_file *f = *state;

    art_file_put(f, VARIANT_S3, NULL);
    art_file_read(f);
    art_file_check(f, ART_FILE_DUAL);
    profile_check_fact(f->profile, "version", "3");
    profile_check_fact(f->profile, "streaming", "true");
    profile_check_fact(f->profile, "clock", "dual");
    profile_check_fact(f->profile, "record_bytes", "14");
    assert_int_equal(f->profile->n_warnings, 1);
    profile_check_warning(f->profile, WARN_OPEN_FRAMES, 2, WARNING_NO_OFFSET);
}

ART_FILE_TEST(one_clock_is_named_at_the_end)
{
    static const struct variant_options CPU = {.clock = "thread-cpu", .cpu_alone = true};
    struct art_file *f = *state;

    art_file_put(f, VARIANT_S2, NULL);
    art_file_read(f);
    art_file_check(f, ART_FILE_WALL);
    profile_check_fact(f->profile, "record_bytes", "10");
    art_file_put(f, VARIANT_S2, &CPU);
    art_file_read(f);
    assert_true(str_eq(f->profile->values[0].name, STR("cpu")));
    assert_int_equal(f->profile->values[0].role, ROLE_CPU);
    assert_int_equal(profile_total(f->profile, f->profile->tracks[0].first, 0), 4000000);
}

ART_FILE_TEST(version_1)
{
    struct art_file *f = *state;

    art_file_put(f, VARIANT_S1, NULL);
    art_file_read(f);
    art_file_check(f, ART_FILE_WALL);
    profile_check_fact(f->profile, "version", "1");
}

ART_FILE_TEST(wider_records_than_the_header_says)
{
    struct art_file *f = *state;

    art_file_put(f, VARIANT_S2_WIDE, NULL);
    art_file_read(f);
    art_file_check(f, ART_FILE_WALL);
    profile_check_fact(f->profile, "record_bytes", "14");
    profile_check_fact(f->profile, "declared_record_bytes", "10");
    assert_int_equal(f->profile->n_warnings, 1);
}

/* The junk behind a record may look like one of its own: zeros are a packet that cannot be. */
ART_FILE_TEST(wide_records_with_any_junk)
{
    static const uint32_t JUNK[] = {0, 1, 0x10000, 0x00010001, 0x01000000, 0xffffffff, 700};
    struct art_file *f = *state;

    for (size_t k = 0; k < sizeof(JUNK) / sizeof(*JUNK); k++) {
        art_file_put(f, VARIANT_S2_WIDE, NULL);
        for (size_t at = 0; at + 4 <= f->bytes.n; at++)
            if (memcmp(f->bytes.p + at, "\xaa\xbb\xcc\xdd", 4) == 0)
                for (unsigned i = 0; i < 4; i++)
                    f->bytes.p[at + i] = (char)(JUNK[k] >> 8 * i);
        art_file_read(f);
        art_file_check(f, ART_FILE_WALL);
    }
}

/* ---- what is missing or too much ---- */

ART_FILE_TEST(without_summary)
{
    static const struct variant_options NONE = {.no_summary = true};
    struct art_file *f = *state;

    art_file_put(f, VARIANT_S3, &NONE);
    art_file_read(f);
    art_file_check(f, ART_FILE_DUAL);
    profile_check_warning(f->profile, WARN_NO_SUMMARY, 1, WARNING_NO_OFFSET);
    assert_null(profile_warned(f->profile, WARN_CLOCK_UNKNOWN));
    art_file_put(f, VARIANT_S2, &NONE);
    art_file_read(f);
    profile_check_warning(f->profile, WARN_NO_SUMMARY, 1, WARNING_NO_OFFSET);
    profile_check_warning(f->profile, WARN_CLOCK_UNKNOWN, 1, WARNING_NO_OFFSET);
    assert_true(str_eq(f->profile->values[0].name, STR("cpu")));
}

ART_FILE_TEST(clock_against_the_version)
{
    static const struct variant_options DUAL_CLOCK = {.clock = "dual"};
    struct art_file *f = *state;

    art_file_put(f, VARIANT_S2, &DUAL_CLOCK);
    art_file_read(f);
    profile_check_warning(f->profile, WARN_CLOCK_UNKNOWN, 1, WARNING_NO_OFFSET);
    assert_int_equal(f->profile->n_values, 2);
}

ART_FILE_TEST(bytes_behind_the_end)
{
    struct art_file *f = *state;

    art_file_put(f, VARIANT_S3, NULL);
    size_t end = f->bytes.n;
    buf_z(&f->bytes, "and some more");
    art_file_read(f);
    art_file_check(f, ART_FILE_DUAL);
    profile_check_warning(f->profile, WARN_TRAILING_BYTES, 13, end);
}

ART_FILE_TEST(cut_in_a_record)
{
    static const struct variant_options NONE = {.no_summary = true};
    struct art_file *f = *state;

    art_file_put(f, VARIANT_S3, &NONE);
    f->bytes.n -= 3;
    art_file_read(f);
    profile_check_warning(f->profile, WARN_CUT_RECORD, 1, f->bytes.n - 11);
    profile_check_warning(f->profile, WARN_NO_SUMMARY, 1, WARNING_NO_OFFSET);
}

ART_FILE_TEST(cut_in_the_summary)
{
    struct art_file *f = *state;

    art_file_put(f, VARIANT_S3, NULL);
    f->bytes.n -= 2;
    art_file_read(f);
    art_file_check(f, ART_FILE_DUAL);
    profile_check_fact(f->profile, "clock", "dual");
    profile_check_warning(f->profile, WARN_CUT_RECORD, 1, f->bytes.n - 3);
    profile_check_warning(f->profile, WARN_NO_SUMMARY, 1, WARNING_NO_OFFSET);
}

ART_FILE_TEST(a_packet_that_cannot_be)
{
    static const struct variant_options NONE = {.no_summary = true};
    struct art_file *f = *state;

    art_file_put(f, VARIANT_S3, &NONE);
    size_t end = f->bytes.n;
    trace_bytes_le(&f->bytes, 0, 2);
    trace_bytes_le(&f->bytes, 4, 1);
    buf_z(&f->bytes, "lost");
    art_file_read(f);
    art_file_check(f, ART_FILE_DUAL);
    profile_check_warning(f->profile, WARN_DAMAGED, 7, end);
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

ART_FILE_TEST(names_are_given_again)
{
    struct art_file *f = *state;
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
    art_file_read(f);
    art_file_check(f, "9 after\n  . 1000 1000 0\n  a.B.old 2000 2000 1\n  a.B.new 4000 4000 1\n");
    profile_check_warning(f->profile, WARN_METHOD_REDEFINED, 1, method);
    profile_check_warning(f->profile, WARN_THREAD_REDEFINED, 1, thread);
}

ART_FILE_TEST(undefined_names)
{
    struct art_file *f = *state;
    struct buf *b = &f->bytes;

    trace_bytes_header(b, 0xf3, 32, 14);
    put_record(b, 9, 0x20, EVENT_ENTER, 0);
    put_record(b, 9, 0x20, EVENT_EXIT, 2);
    put_record(b, 10, 0x20, EVENT_ENTER, 2);
    put_definition(b, 2, 10, "late");
    art_file_read(f);
    art_file_check(f, "9 Thread-9\n  . 0 0 0\n  .unknown[0x20] 2000 2000 1\n"
                      "10 late\n  . 0 0 0\n  .unknown[0x20] 0 0 1\n");
    profile_check_warning(f->profile, WARN_UNKNOWN_METHOD, 3, 32);
    profile_check_warning(f->profile, WARN_UNKNOWN_THREAD, 1, 32);
    profile_check_fact(f->profile, "listed_threads", "1");
    profile_check_fact(f->profile, "listed_methods", "0");
}

/* ---- unusable ---- */

static void put_header(struct art_file *f, unsigned header_bytes, unsigned record_bytes)
{
    buf_clear(&f->bytes);
    trace_bytes_header(&f->bytes, 0xf3, header_bytes, record_bytes);
}

ART_FILE_TEST(unusable_files)
{
    struct art_file *f = *state;

    put_header(f, 32, 14);
    art_file_check_unusable(f, "no records", 32);
    put_header(f, 32, 9);
    art_file_check_unusable(f, "damaged trace header", 16);
    put_header(f, 17, 14);
    art_file_check_unusable(f, "damaged trace header", 6);
    put_header(f, 500, 14);
    f->bytes.n = 100;
    art_file_check_unusable(f, "damaged trace header", 6);
    put_header(f, 32, 14);
    f->bytes.n = 12;
    art_file_check_unusable(f, "cut trace header", 0);
}

/* ---- any file ---- */

ART_FILE_TEST(any_cutting)
{
    struct art_file *f = *state;

    for (unsigned v = VARIANT_S1; v <= VARIANT_S3; v++) {
        art_file_put(f, v, NULL);
        hostile_cuttings(VARIANT_NAMES[v], &f->bytes);
    }
}

/* The window in which the record size is chosen ends within the file. */
ART_FILE_TEST(any_cutting_of_a_long_file)
{
    struct art_file *f = *state;
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
    art_file_read(f);
    profile_check_fact(f->profile, "record_bytes", "14");
    struct buf expected = {0};
    hostile_describe(&expected, f->profile);
    for (size_t i = 0; i < sizeof(cuts) / sizeof(*cuts); i++) {
        struct arena arena;
        struct reader r;
        struct buf text = {0};
        arena_init(&arena, 64 << 20);
        assert_true(reader_init(&r, &arena, &READER_LIMITS_DEFAULT, (struct hash_seed){1, 1}));
        struct test_input t = {.bytes = buf_view(&f->bytes), .cuts = &cuts[i], .n_cuts = 1};
        const struct source_input in = test_input_of(&t);
        const struct profile *p = reader_read(&r, &in);
        assert_non_null(p);
        hostile_describe(&text, p);
        assert_true(str_eq(buf_view(&text), buf_view(&expected)));
        buf_free(&text);
        arena_free(&arena);
    }
    buf_free(&expected);
}

ART_FILE_TEST(any_damage)
{
    struct art_file *f = *state;

    for (unsigned v = VARIANT_S1; v <= VARIANT_S3; v++) {
        art_file_put(f, v, NULL);
        hostile_truncations(VARIANT_NAMES[v], &f->bytes);
        hostile_bit_flips(VARIANT_NAMES[v], &f->bytes);
    }
}
