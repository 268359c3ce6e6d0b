/* ART's version 2 of method traces: every layout gives the same profile, whichever way it comes. */
#include "tests/support/unit.h"

#include <string.h>

#include "parser/android/v2.h"
#include "tests/support/art_file.h"

/* ---- good files ---- */

ART_FILE_TEST(every_layout)
{
    static const char *const LAYOUTS[VARIANTS] = {
        [VARIANT_A4] = "Android 14 QPR3",
        [VARIANT_A5] = "Android 14 QPR3",
        [VARIANT_B4] = "Android 15",
        [VARIANT_B5] = "Android 15",
        [VARIANT_C4] = "Android 15 QPR1 or later",
        [VARIANT_C5] = "Android 15 QPR1 or later",
        [VARIANT_D4] = "Android 15 QPR1 or later",
        [VARIANT_D5] = "Android 15 QPR1 or later",
        [VARIANT_D5_SPLIT] = "Android 15 QPR1 or later",
        [VARIANT_E4] = "2026",
        [VARIANT_E5] = "2026",
        [VARIANT_E5_COUNTER] = "2026",
        [VARIANT_F6] = "long-running methods",
    };
    struct art_file *f = *state;

    for (unsigned v = VARIANT_A4; v < VARIANTS; v++) {
        art_file_put(f, v, NULL);
        art_file_read(f);
        profile_check_fact(f->profile, "layout", LAYOUTS[v]);
        art_file_check(f, art_file_expected(v));
        profile_check_warning(f->profile, WARN_OPEN_FRAMES, 2, WARNING_NO_OFFSET);
        assert_int_equal(f->profile->n_warnings, 1);
        profile_check_fact(f->profile, "time_unit", v >= VARIANT_D4 ? "ns" : "us");
    }
}

ART_FILE_TEST(small_blocks_and_no_streaming)
{
    struct art_file *f = *state;

    for (unsigned v = VARIANT_A4; v < VARIANTS; v++)
        for (uint32_t step = 1; step < 6; step++) {
            const struct variant_options options = {.events_per_block = step, .not_streaming = step % 2};
            art_file_put(f, v, &options);
            art_file_read(f);
            art_file_check(f, art_file_expected(v));
        }
}

ART_FILE_TEST(one_clock_is_named_at_the_end)
{
    static const struct variant_options CPU = {.clock = "thread-cpu", .cpu_alone = true};
    static const enum variant SINGLE[] = {VARIANT_A4, VARIANT_B4, VARIANT_C4, VARIANT_D4, VARIANT_E4};
    struct art_file *f = *state;

    for (size_t i = 0; i < sizeof(SINGLE) / sizeof(*SINGLE); i++) {
        art_file_put(f, SINGLE[i], &CPU);
        art_file_read(f);
        assert_true(str_eq(f->profile->values[0].name, STR("cpu")));
        assert_int_equal(f->profile->values[0].role, ROLE_CPU);
        assert_int_equal(profile_total(f->profile, f->profile->tracks[0].first, 0), 4000000);
    }
}

/* 32-bit µs of A and B wrap from block to block; C counts on. */
ART_FILE_TEST(times_behind_32_bits)
{
    static const struct variant_event LONG[] = {
        {1, 0, EVENT_ENTER, 0, 4294967000}, {1, 1, EVENT_ENTER, 1, 4294967290}, {1, 1, EVENT_EXIT, 2, 94}};
    static const struct variant_options ONE = {.events_per_block = 1};
    struct art_file *f = *state;

    for (unsigned v = VARIANT_A5; v <= VARIANT_B5; v += VARIANT_B5 - VARIANT_A5) {
        buf_clear(&f->bytes);
        variant_put(&f->bytes, v, LONG, 3, &ONE);
        art_file_read(f);
        art_file_check(f, "1 main\n  . 0 0 0\n  a.B.m0 290000 1000 1\n  >a.B.m1 100000 1000 1\n");
        assert_int_equal(profile_warned(f->profile, WARN_CLOCK_WRAP)->count, 1);
    }
    buf_clear(&f->bytes);
    variant_put(&f->bytes, VARIANT_C5, LONG, 3, &ONE);
    art_file_read(f);
    assert_null(profile_warned(f->profile, WARN_CLOCK_WRAP));
    assert_int_equal(profile_warned(f->profile, WARN_TIME_BACK)->count, 1);
}

/* ---- what is missing or too much ---- */

ART_FILE_TEST(without_summary)
{
    static const struct variant_options NONE = {.no_summary = true};
    struct art_file *f = *state;

    for (unsigned v = VARIANT_A4; v < VARIANT_F6; v++) {
        art_file_put(f, v, &NONE);
        art_file_read(f);
        art_file_check(f, art_file_expected(v));
        profile_check_warning(f->profile, WARN_NO_SUMMARY, 1, WARNING_NO_OFFSET);
        bool guessed = v >= VARIANT_C4 && v <= VARIANT_D5_SPLIT;
        assert_int_equal(profile_warned(f->profile, WARN_TIME_UNIT) != NULL, guessed);
        assert_int_equal(profile_warned(f->profile, WARN_CLOCK_UNKNOWN) != NULL, !variant_is_dual(v));
    }
}

ART_FILE_TEST(bytes_behind_the_end)
{
    struct art_file *f = *state;

    art_file_put(f, VARIANT_C5, NULL);
    size_t end = f->bytes.n;
    buf_z(&f->bytes, "more");
    art_file_read(f);
    art_file_check(f, ART_FILE_DUAL);
    profile_check_warning(f->profile, WARN_TRAILING_BYTES, 4, end);
}

ART_FILE_TEST(exits_without_enter)
{
    static const struct variant_event EXITS[] = {{1, 0, EVENT_EXIT, 0, 5},
                                                 {1, 1, EVENT_ENTER, 0, 8},
                                                 {1, 1, EVENT_EXIT, 1, 9},
                                                 {1, 2, EVENT_UNROLL, 2, 11}};
    struct art_file *f = *state;

    for (unsigned v = VARIANT_A4; v < VARIANTS; v++) {
        bool bare = strchr("ef", VARIANT_NAMES[v][0]) != NULL;
        buf_clear(&f->bytes);
        variant_put(&f->bytes, v, EXITS, 4, NULL);
        art_file_read(f);
        struct buf text = {0};
        hostile_describe(&text, f->profile);
        assert_true(str_find_str(buf_view(&text), bare ? STR("  .unknown ") : STR("  a.B.m2 ")) < text.n);
        assert_true(str_find_str(buf_view(&text), bare ? STR("  >.unknown ") : STR("  >a.B.m0 ")) < text.n);
        assert_int_equal(profile_warned(f->profile, WARN_RE_ROOTED)->count, 2);
        buf_free(&text);
    }
}

ART_FILE_TEST(unlisted_methods_and_threads)
{
    static const struct variant_event ODD[] = {
        {1, 0, EVENT_ENTER, 0, 1}, {1, 9, EVENT_ENTER, 0, 2}, {1, 9, EVENT_EXIT, 0, 4},
        {1, 0, EVENT_EXIT, 0, 5},  {9, 1, EVENT_ENTER, 0, 6}, {9, 1, EVENT_EXIT, 0, 7},
    };
    struct art_file *f = *state;
    struct buf *b = &f->bytes;

    for (unsigned v = VARIANT_A4; v < VARIANTS; v++) {
        bool bare = strchr("ef", VARIANT_NAMES[v][0]) != NULL;
        buf_clear(b);
        variant_put(b, v, ODD, 6, NULL);
        art_file_read(f);
        assert_int_equal(f->profile->n_tracks, 1);
        assert_int_equal(profile_warned(f->profile, WARN_UNKNOWN_METHOD)->count, bare ? 1 : 2);
        assert_true(profile_warned(f->profile, WARN_UNKNOWN_METHOD)->offset > 32);
        struct buf text = {0};
        hostile_describe(&text, f->profile);
        struct str unknown =
            VARIANT_NAMES[v][0] == 'a' ? STR(">.unknown[0x24] ") : STR(">.unknown[0x70001168] ");
        assert_true(str_find_str(buf_view(&text), unknown) < text.n);
        buf_free(&text);
    }
}

/* ---- numbers ---- */

ART_FILE_TEST(numbers_of_any_length)
{
    static const uint64_t VALUES[] = {0,
                                      1,
                                      63,
                                      64,
                                      127,
                                      128,
                                      8191,
                                      8192,
                                      1u << 20,
                                      UINT64_C(1) << 55,
                                      UINT64_C(1) << 56,
                                      UINT64_C(1) << 62,
                                      UINT64_C(1) << 63,
                                      UINT64_MAX};

    for (size_t i = 0; i < sizeof(VALUES) / sizeof(*VALUES); i++)
        for (unsigned sign = 0; sign < 4; sign++) {
            bool is_signed = sign & 1;
            uint64_t value = (sign & 2) != 0 ? -VALUES[i] : VALUES[i], got;
            struct buf b = {0};
            is_signed ? variant_sleb(&b, value) : variant_uleb(&b, value);
            for (size_t room = 0; room < b.n + 12; room++) {
                const uint8_t *p = (const uint8_t *)b.p, *end;
                struct buf padded = {0};
                buf_str(&padded, buf_view(&b));
                for (unsigned k = 0; k < 12; k++)
                    buf_char(&padded, (char)0x81);
                p = (const uint8_t *)padded.p;
                end = p + room;
                assert_int_equal(v2_leb(&p, end, is_signed, &got), room >= b.n);
                if (room >= b.n) {
                    assert_true(got == value);
                    assert_true(p == (const uint8_t *)padded.p + b.n);
                }
                buf_free(&padded);
            }
            buf_free(&b);
        }
}
