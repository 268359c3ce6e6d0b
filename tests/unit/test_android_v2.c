/* ART's version 2 of method traces: every layout gives the same profile, whichever way it comes, and damage
 * costs no more than what is damaged. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "parser/android_v2_layout.h"
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
    buf_clear(&f->bytes);
    variant_put(&f->bytes, v, VARIANT_HEALTHY, VARIANT_HEALTHY_COUNT, options);
}

static void read_it(struct fixture *f)
{
    arena_free(&f->arena);
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

static void check_text(const struct fixture *f, const char *name, const char *expected)
{
    struct buf text = {0};

    hostile_describe(&text, f->profile);
    if (!str_eq(buf_view(&text), str_of(expected)))
        fail_msg("%s:\n%.*s\nexpected:\n%s", name, (int)text.n, text.p, expected);
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

/* The counter's ticks are rounded up, and down again to ns. */
static const char *const COUNTED = "1 main\n"
                                   "  . 100000 10000 0\n"
                                   "  a.B.m2 60500000 3910000 1\n"
                                   "  >a.B.m3 0 0 1\n"
                                   "  a.B.m0 8980000 22000 1\n"
                                   "  >a.B.m3 100000 50000 1\n"
                                   "  >a.B.m1 291041 6000 2\n"
                                   "  >>a.B.m1 18959 2000 1\n"
                                   "700 worker\n"
                                   "  . 0 0 0\n"
                                   "  a.B.m2 379010 2000 1\n"
                                   "  >a.B.m1 59600000 5000 1\n";

static const char *expected_of(enum variant v)
{
    return v == VARIANT_E5_COUNTER ? COUNTED : variant_is_dual(v) ? DUAL : WALL;
}

/* ---- good files ---- */

static void every_layout(void **state)
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
    struct fixture *f = *state;

    for (unsigned v = VARIANT_A4; v < VARIANTS; v++) {
        put(f, v, NULL);
        read_it(f);
        check_fact(f, "layout", LAYOUTS[v]);
        check_text(f, VARIANT_NAMES[v], expected_of(v));
        check_warning(f, WARN_OPEN_FRAMES, 2, WARNING_NO_OFFSET);
        assert_int_equal(f->profile->n_warnings, 1);
        check_fact(f, "time_unit", v >= VARIANT_D4 ? "ns" : "us");
    }
}

static void small_blocks_and_no_streaming(void **state)
{
    struct fixture *f = *state;

    for (unsigned v = VARIANT_A4; v < VARIANTS; v++)
        for (uint32_t step = 1; step < 6; step++) {
            const struct variant_options options = {.events_per_block = step, .not_streaming = step % 2};
            put(f, v, &options);
            read_it(f);
            check_text(f, VARIANT_NAMES[v], expected_of(v));
        }
}

static void one_clock_is_named_at_the_end(void **state)
{
    static const struct variant_options CPU = {.clock = "thread-cpu", .cpu_alone = true};
    static const enum variant SINGLE[] = {VARIANT_A4, VARIANT_B4, VARIANT_C4, VARIANT_D4, VARIANT_E4};
    struct fixture *f = *state;

    for (size_t i = 0; i < sizeof(SINGLE) / sizeof(*SINGLE); i++) {
        put(f, SINGLE[i], &CPU);
        read_it(f);
        assert_true(str_eq(f->profile->values[0].name, STR("cpu")));
        assert_int_equal(f->profile->values[0].role, ROLE_CPU);
        assert_int_equal(profile_total(f->profile, f->profile->tracks[0].first, 0), 4000000);
    }
}

/* 32-bit µs of A and B wrap from block to block; C counts on. */
static void times_behind_32_bits(void **state)
{
    static const struct variant_event LONG[] = {
        {1, 0, EVENT_ENTER, 0, 4294967000}, {1, 1, EVENT_ENTER, 1, 4294967290}, {1, 1, EVENT_EXIT, 2, 94}};
    static const struct variant_options ONE = {.events_per_block = 1};
    struct fixture *f = *state;

    for (unsigned v = VARIANT_A5; v <= VARIANT_B5; v += VARIANT_B5 - VARIANT_A5) {
        buf_clear(&f->bytes);
        variant_put(&f->bytes, v, LONG, 3, &ONE);
        read_it(f);
        check_text(f, VARIANT_NAMES[v],
                   "1 main\n  . 0 0 0\n  a.B.m0 290000 1000 1\n  >a.B.m1 100000 1000 1\n");
        assert_int_equal(warning(f, WARN_CLOCK_WRAP)->count, 1);
    }
    buf_clear(&f->bytes);
    variant_put(&f->bytes, VARIANT_C5, LONG, 3, &ONE);
    read_it(f);
    assert_null(warning(f, WARN_CLOCK_WRAP));
    assert_int_equal(warning(f, WARN_TIME_BACK)->count, 1);
}

/* ---- what is missing or too much ---- */

static void without_summary(void **state)
{
    static const struct variant_options NONE = {.no_summary = true};
    struct fixture *f = *state;

    for (unsigned v = VARIANT_A4; v < VARIANT_F6; v++) {
        put(f, v, &NONE);
        read_it(f);
        check_text(f, VARIANT_NAMES[v], expected_of(v));
        check_warning(f, WARN_NO_SUMMARY, 1, WARNING_NO_OFFSET);
        bool guessed = v >= VARIANT_C4 && v <= VARIANT_D5_SPLIT;
        assert_int_equal(warning(f, WARN_TIME_UNIT) != NULL, guessed);
        assert_int_equal(warning(f, WARN_CLOCK_UNKNOWN) != NULL, !variant_is_dual(v));
    }
}

static void bytes_behind_the_end(void **state)
{
    struct fixture *f = *state;

    put(f, VARIANT_C5, NULL);
    size_t end = f->bytes.n;
    buf_z(&f->bytes, "more");
    read_it(f);
    check_text(f, "c5", DUAL);
    check_warning(f, WARN_TRAILING_BYTES, 4, end);
}

static void exits_without_enter(void **state)
{
    static const struct variant_event EXITS[] = {{1, 0, EVENT_EXIT, 0, 5},
                                                 {1, 1, EVENT_ENTER, 0, 8},
                                                 {1, 1, EVENT_EXIT, 1, 9},
                                                 {1, 2, EVENT_UNROLL, 2, 11}};
    struct fixture *f = *state;

    for (unsigned v = VARIANT_A4; v < VARIANTS; v++) {
        bool bare = strchr("ef", VARIANT_NAMES[v][0]) != NULL;
        buf_clear(&f->bytes);
        variant_put(&f->bytes, v, EXITS, 4, NULL);
        read_it(f);
        struct buf text = {0};
        hostile_describe(&text, f->profile);
        assert_true(str_find_str(buf_view(&text), bare ? STR("  .unknown ") : STR("  a.B.m2 ")) < text.n);
        assert_true(str_find_str(buf_view(&text), bare ? STR("  >.unknown ") : STR("  >a.B.m0 ")) < text.n);
        assert_int_equal(warning(f, WARN_RE_ROOTED)->count, 2);
        buf_free(&text);
    }
}

static void unlisted_methods_and_threads(void **state)
{
    static const struct variant_event ODD[] = {
        {1, 0, EVENT_ENTER, 0, 1}, {1, 9, EVENT_ENTER, 0, 2}, {1, 9, EVENT_EXIT, 0, 4},
        {1, 0, EVENT_EXIT, 0, 5},  {9, 1, EVENT_ENTER, 0, 6}, {9, 1, EVENT_EXIT, 0, 7},
    };
    struct fixture *f = *state;
    struct buf *b = &f->bytes;

    for (unsigned v = VARIANT_A4; v < VARIANTS; v++) {
        bool bare = strchr("ef", VARIANT_NAMES[v][0]) != NULL;
        buf_clear(b);
        variant_put(b, v, ODD, 6, NULL);
        read_it(f);
        assert_int_equal(f->profile->n_tracks, 1);
        assert_int_equal(warning(f, WARN_UNKNOWN_METHOD)->count, bare ? 1 : 2);
        assert_true(warning(f, WARN_UNKNOWN_METHOD)->offset > 32);
        struct buf text = {0};
        hostile_describe(&text, f->profile);
        struct str unknown =
            VARIANT_NAMES[v][0] == 'a' ? STR(">.unknown[0x24] ") : STR(">.unknown[0x70001168] ");
        assert_true(str_find_str(buf_view(&text), unknown) < text.n);
        buf_free(&text);
    }
}

/* ---- damage ---- */

static void put_block_c(struct buf *b, uint32_t thread, const void *body, size_t n)
{
    trace_bytes_le(b, 2, 1);
    trace_bytes_le(b, thread, 4);
    trace_bytes_le(b, 1, 3);
    trace_bytes_le(b, n, 4);
    buf_bytes(b, body, n);
}

/* A block that ends within a record, one with a number that has no end, and a good one behind them. */
static void damaged_blocks(void **state)
{
    struct fixture *f = *state;
    struct buf *b = &f->bytes, body = {0}, endless = {0};

    put(f, VARIANT_C5, &(struct variant_options){.no_summary = true});
    variant_sleb(&body, 0x70001000);
    variant_uleb(&body, 200000);
    variant_uleb(&body, 9000);
    size_t cut = b->n + 12;
    put_block_c(b, 1, body.p, body.n - 1);
    for (unsigned i = 0; i < 200; i++)
        buf_char(&endless, (char)0xff);
    put_block_c(b, 1, endless.p, endless.n);
    put_block_c(b, 1, body.p, body.n);
    read_it(f);
    check_warning(f, WARN_BAD_BLOCK, 2, cut);
    check_warning(f, WARN_OPEN_FRAMES, 3, WARNING_NO_OFFSET);
    hostile_cuttings("damaged blocks", b);
    buf_free(&body);
    buf_free(&endless);
}

static void a_packet_that_cannot_be(void **state)
{
    struct fixture *f = *state;

    put(f, VARIANT_B5, &(struct variant_options){.no_summary = true});
    size_t end = f->bytes.n;
    buf_z(&f->bytes, "lost");
    read_it(f);
    check_text(f, "b5", DUAL);
    check_warning(f, WARN_DAMAGED, 4, end);
}

static void cut_in_a_block(void **state)
{
    struct fixture *f = *state;

    put(f, VARIANT_E5, &(struct variant_options){.no_summary = true});
    f->bytes.n -= 1;
    read_it(f);
    assert_int_equal(warning(f, WARN_CUT_RECORD)->count, 1);
    assert_null(warning(f, WARN_BAD_BLOCK));
}

static void check_unusable(struct fixture *f, const char *title, uint64_t offset)
{
    arena_free(&f->arena);
    assert_null(hostile_read(&f->arena, f->bytes.p, f->bytes.n, &f->diag));
    assert_int_equal(f->diag.kind, DIAG_UNUSABLE);
    assert_string_equal(f->diag.title, title);
    assert_int_equal(f->diag.offset, offset);
}

static void unusable_files(void **state)
{
    struct fixture *f = *state;

    put(f, VARIANT_C5, NULL);
    f->bytes.n = 32;
    check_unusable(f, "no records", 32);
    f->bytes.n = 31;
    check_unusable(f, "cut trace header", 0);
    f->bytes.n = 32;
    for (unsigned i = 0; i < 5; i++)
        buf_z(&f->bytes, "\xef\xbf\xbd");
    check_unusable(f, "damaged by a text conversion", 0);
    put(f, VARIANT_F6, NULL);
    f->bytes.n = 49;
    check_unusable(f, "no records", 32);
}

/* ---- files that are only recognised ---- */

static void recognised_and_refused(void **state)
{
    struct fixture *f = *state;

    trace_bytes_header(&f->bytes, 3, 32, 14);
    trace_bytes_record(&f->bytes, 14, (struct trace_record){1, 4, EVENT_ENTER, {1, 1}});
    check_unusable(f, "key section missing", 0);
    assert_non_null(strstr(f->diag.hint, "-F key=@x.key -F data=@x.data"));
    buf_clear(&f->bytes);
    trace_bytes_header(&f->bytes, 0xf7, 32, 14);
    check_unusable(f, "unknown trace version", 4);
    buf_clear(&f->bytes);
    buf_z(&f->bytes, "SLOW\xef\xbf\xbd");
    check_unusable(f, "damaged by a text conversion", 4);
}

/* A dump of long-running methods is a file of version 6 without its header; it may begin with any packet. */
static void headerless_dumps(void **state)
{
    struct fixture *f = *state;
    struct buf *b = &f->bytes;

    put(f, VARIANT_F6, NULL);
    memmove(b->p, b->p + 49, b->n - 49);
    b->n -= 49;
    check_unusable(f, "low-overhead profile", 0);
    hostile_cuttings("headerless", b);
    put(f, VARIANT_C5, &(struct variant_options){.no_summary = true});
    memmove(b->p, b->p + 32, b->n - 32);
    b->n -= 32;
    check_unusable(f, "low-overhead profile", 0);
    buf_clear(b);
    trace_bytes_le(b, 2, 1);
    for (unsigned i = 0; i < 200; i++)
        trace_bytes_le(b, i * 2654435761u, 4);
    arena_free(&f->arena);
    assert_null(hostile_read(&f->arena, b->p, b->n, &f->diag));
    assert_int_equal(f->diag.kind, DIAG_UNKNOWN);
}

/* ---- any file ---- */

static void any_cutting(void **state)
{
    struct fixture *f = *state;

    for (unsigned v = VARIANT_A4; v < VARIANTS; v++) {
        put(f, v, NULL);
        hostile_cuttings(VARIANT_NAMES[v], &f->bytes);
    }
}

/* Blocks that are longer than the window in which the layout is chosen. */
static void long_files(void **state)
{
    enum { N = 90000 };
    struct fixture *f = *state;
    struct buf *b = &f->bytes, body = {0};
    size_t cuts[] = {0, 32, V2_WINDOW_BYTES - 1, V2_WINDOW_BYTES, V2_WINDOW_BYTES + 300};

    put(f, VARIANT_C5, &(struct variant_options){.no_summary = true});
    uint64_t word = 0;
    for (uint64_t i = 0; i < N; i++) {
        uint64_t next = 0x70001000 + i / 2 % 4 * 0x28 + i % 2;
        variant_sleb(&body, next - word);
        variant_uleb(&body, i == 0 ? 80000 : 1000 + i % 3);
        variant_uleb(&body, i == 0 ? 5000 : 1);
        word = next;
    }
    trace_bytes_le(b, 2, 1);
    trace_bytes_le(b, 700, 4);
    trace_bytes_le(b, N, 3);
    trace_bytes_le(b, body.n, 4);
    buf_str(b, buf_view(&body));
    assert_true(b->n > V2_WINDOW_BYTES + 1000);
    read_it(f);
    struct buf expected = {0};
    hostile_describe(&expected, f->profile);
    for (size_t i = 0; i < sizeof(cuts) / sizeof(*cuts); i++) {
        struct arena arena;
        struct reader r;
        struct buf text = {0};
        arena_init(&arena, 64 << 20);
        assert_true(reader_init(&r, &arena, &READER_LIMITS_DEFAULT, (struct hash_seed){1, 1}));
        assert_true(reader_feed(&r, b->p, cuts[i]));
        for (size_t at = cuts[i]; at < b->n; at += 4099)
            assert_true(reader_feed(&r, b->p + at, b->n - at < 4099 ? b->n - at : 4099));
        const struct profile *p = reader_finish(&r);
        assert_non_null(p);
        assert_int_equal(p->tracks[1].records, N + 4);
        hostile_describe(&text, p);
        assert_true(str_eq(buf_view(&text), buf_view(&expected)));
        buf_free(&text);
        arena_free(&arena);
    }
    buf_free(&expected);
    buf_free(&body);
}

static void any_truncation(void **state)
{
    struct fixture *f = *state;

    for (unsigned v = VARIANT_A4; v < VARIANTS; v++) {
        put(f, v, NULL);
        hostile_truncations(VARIANT_NAMES[v], &f->bytes);
    }
}

static void any_bit_flip(void **state)
{
    struct fixture *f = *state;

    for (unsigned v = VARIANT_A4; v < VARIANTS; v++) {
        put(f, v, NULL);
        hostile_bit_flips(VARIANT_NAMES[v], &f->bytes);
    }
}

/* The limit is named, and nothing else goes wrong. */
static void any_memory_ceiling(void **state)
{
    struct fixture *f = *state;

    for (unsigned v = VARIANT_S1; v < VARIANTS; v++) {
        size_t ceiling = 0;
        put(f, v, NULL);
        for (bool done = false; !done; ceiling += 512) {
            struct arena arena;
            struct reader r;
            arena_init(&arena, ceiling);
            if (reader_init(&r, &arena, &READER_LIMITS_DEFAULT, (struct hash_seed){1, 1})) {
                reader_feed(&r, f->bytes.p, f->bytes.n / 2);
                reader_feed(&r, f->bytes.p + f->bytes.n / 2, f->bytes.n - f->bytes.n / 2);
                done = reader_finish(&r) != NULL;
                assert_int_equal(r.diag.kind, done ? DIAG_NONE : DIAG_LIMIT);
            }
            assert_true(arena.used_bytes <= ceiling);
            arena_free(&arena);
        }
        assert_true(ceiling < 4 << 20);
    }
}

/* ---- numbers ---- */

static void numbers_of_any_length(void **state)
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

    (void)state;
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

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(every_layout),
        TEST(small_blocks_and_no_streaming),
        TEST(one_clock_is_named_at_the_end),
        TEST(times_behind_32_bits),
        TEST(without_summary),
        TEST(bytes_behind_the_end),
        TEST(exits_without_enter),
        TEST(unlisted_methods_and_threads),
        TEST(damaged_blocks),
        TEST(a_packet_that_cannot_be),
        TEST(cut_in_a_block),
        TEST(unusable_files),
        TEST(recognised_and_refused),
        TEST(headerless_dumps),
        TEST(any_cutting),
        TEST(long_files),
        TEST(any_truncation),
        TEST(any_bit_flip),
        TEST(any_memory_ceiling),
        TEST(numbers_of_any_length),
    };
    return cmocka_run_group_tests_name("android_v2", tests, NULL, NULL);
}
