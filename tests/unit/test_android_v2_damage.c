/* ART's version 2 of method traces, damaged, cut or not whole: it costs no more than what is damaged. */
#include "tests/support/unit.h"

#include <string.h>

#include "parser/android/v2.h"
#include "tests/support/art_file.h"
#include "tests/support/test_input.h"
#include "tests/support/trace_bytes.h"

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
ART_FILE_TEST(damaged_blocks)
{
    struct art_file *f = *state;
    struct buf *b = &f->bytes, body = {0}, endless = {0};

    art_file_put(f, VARIANT_C5, &(struct variant_options){.no_summary = true});
    variant_sleb(&body, 0x70001000);
    variant_uleb(&body, 200000);
    variant_uleb(&body, 9000);
    size_t cut = b->n + 12;
    put_block_c(b, 1, body.p, body.n - 1);
    for (unsigned i = 0; i < 200; i++)
        buf_char(&endless, (char)0xff);
    put_block_c(b, 1, endless.p, endless.n);
    put_block_c(b, 1, body.p, body.n);
    art_file_read(f);
    profile_check_warning(f->profile, WARN_BAD_BLOCK, 2, cut);
    profile_check_warning(f->profile, WARN_OPEN_FRAMES, 3, WARNING_NO_OFFSET);
    hostile_cuttings("damaged blocks", b);
    buf_free(&body);
    buf_free(&endless);
}

ART_FILE_TEST(a_packet_that_cannot_be)
{
    struct art_file *f = *state;

    art_file_put(f, VARIANT_B5, &(struct variant_options){.no_summary = true});
    size_t end = f->bytes.n;
    buf_z(&f->bytes, "lost");
    art_file_read(f);
    art_file_check(f, ART_FILE_DUAL);
    profile_check_warning(f->profile, WARN_DAMAGED, 4, end);
}

ART_FILE_TEST(cut_in_a_block)
{
    struct art_file *f = *state;

    art_file_put(f, VARIANT_E5, &(struct variant_options){.no_summary = true});
    f->bytes.n -= 1;
    art_file_read(f);
    assert_int_equal(profile_warned(f->profile, WARN_CUT_RECORD)->count, 1);
    assert_null(profile_warned(f->profile, WARN_BAD_BLOCK));
}

ART_FILE_TEST(unusable_files)
{
    struct art_file *f = *state;

    art_file_put(f, VARIANT_C5, NULL);
    f->bytes.n = 32;
    art_file_check_unusable(f, "no records", 32);
    f->bytes.n = 31;
    art_file_check_unusable(f, "cut trace header", 0);
    art_file_put(f, VARIANT_F6, NULL);
    f->bytes.n = 49;
    art_file_check_unusable(f, "no records", 32);
}

/* ---- conversions of text ---- */

enum conversion { TO_REPLACEMENTS, TO_CRLF, CONVERSIONS };

/* The bytes as text of another encoding, or with other line ends. */
static void convert(struct buf *b, enum conversion how)
{
    struct buf out = {0};

    for (size_t i = 0; i < b->n; i++) {
        unsigned char c = (unsigned char)b->p[i];
        if (how == TO_CRLF && c == '\n')
            buf_z(&out, "\r\n");
        else if (how == TO_CRLF || c < 0x80)
            buf_char(&out, (char)c);
        else
            buf_z(&out, "\xef\xbf\xbd");
    }
    buf_free(b);
    *b = out;
}

static void put_thread(struct buf *b, bool v2, uint32_t thread, const char *name)
{
    trace_bytes_le(b, 0, v2 ? 1 : 2);
    if (!v2)
        trace_bytes_le(b, 2, 1);
    trace_bytes_le(b, thread, v2 ? 4 : 2);
    trace_bytes_le(b, strlen(name), 2);
    buf_z(b, name);
}

static void put_method(struct buf *b, enum variant v, uint32_t id, const char *name)
{
    struct buf line = {0};

    if (variant_is_v2(v)) {
        trace_bytes_le(b, 1, 1);
        trace_bytes_le(b, id, v <= VARIANT_A5 ? 4 : 8);
    } else {
        trace_bytes_le(b, 1 << 16, 3);
        buf_printf(&line, "0x%x\t", id << 2);
    }
    buf_printf(&line, "a.B\t%s\t()V\tB.java\n", name);
    trace_bytes_le(b, line.n, 2);
    buf_str(b, buf_view(&line));
    buf_free(&line);
}

/* The healthy recording, begun at a time without a byte above 7F, with `count` threads and then methods of this name
 * before all else. */
static void put_named(struct art_file *f, enum variant v, const char *name, uint32_t count)
{
    enum { HEADER_BYTES = 32 };
    struct buf rest = {0};

    art_file_put(f, v, &(struct variant_options){.not_streaming = true});
    memset(f->bytes.p + 6, variant_is_v2(v) ? 1 : 0, variant_is_v2(v) ? 8 : 0);
    buf_bytes(&rest, f->bytes.p + HEADER_BYTES, f->bytes.n - HEADER_BYTES);
    f->bytes.n = HEADER_BYTES;
    for (uint32_t i = 0; i < count; i++)
        put_thread(&f->bytes, variant_is_v2(v), 2 + i, name);
    for (uint32_t i = 0; i < count; i++)
        put_method(&f->bytes, v, 0x10 + i, name);
    buf_str(&f->bytes, buf_view(&rest));
    buf_free(&rest);
}

#define REPLACED "\xef\xbf\xbd"
#define WIDENED  "\xc3\xa9\xc3\xa8\xc2\xb5\xc3\xa0"

/* Names may have gone through a conversion before they were recorded, or look so. */
ART_FILE_TEST(names_as_a_conversion_leaves_them)
{
    static const char *const NAMES[] = {REPLACED REPLACED REPLACED REPLACED "-pool",
                                        "pool-" REPLACED REPLACED, REPLACED REPLACED REPLACED REPLACED,
                                        WIDENED WIDENED WIDENED WIDENED};
    static const uint32_t COUNTS[] = {0, 1, 2, 30, 100};
    struct art_file *f = *state;

    for (unsigned v = VARIANT_S1; v < VARIANTS; v++)
        for (size_t i = 0; i < sizeof(NAMES) / sizeof(*NAMES); i++)
            for (size_t k = 0; k < sizeof(COUNTS) / sizeof(*COUNTS); k++) {
                put_named(f, v, NAMES[i], COUNTS[k]);
                art_file_read(f);
                art_file_check(f, art_file_expected(v));
            }
}

/* No conversion leaves the version of a streaming file as it is. */
ART_FILE_TEST(any_names_of_a_stream)
{
    struct art_file *f = *state;

    for (unsigned v = VARIANT_S1; v <= VARIANT_S3; v++) {
        put_named(f, v, "\x01" REPLACED REPLACED REPLACED REPLACED "\n", 100);
        art_file_read(f);
        art_file_check(f, art_file_expected(v));
    }
}

static const char CONVERTED[] = "damaged by a text conversion";

static const char *title_of(struct art_file *f, size_t n)
{
    arena_free(&f->arena);
    const struct profile *p = hostile_read(&f->arena, f->bytes.p, n, &f->diag);
    return p == NULL ? f->diag.title : "";
}

/* The same once more behind itself, so that it is longer than what is looked at, with a few bytes between. */
static void check_every_window(struct art_file *f)
{
    enum { WINDOW_BYTES = 4096 };
    struct buf once = f->bytes;

    f->bytes = (struct buf){0};
    for (unsigned between = 0; between < 4; between++) {
        buf_clear(&f->bytes);
        while (f->bytes.n < WINDOW_BYTES) {
            buf_str(&f->bytes, buf_view(&once));
            for (unsigned i = 0; i < between; i++)
                buf_char(&f->bytes, ' ');
        }
        assert_string_equal(title_of(f, f->bytes.n), CONVERTED);
    }
    buf_free(&once);
}

/* Also where the upload, or the part of it that is looked at, ends within a character. Line ends tell only
 * where there are lines. */
ART_FILE_TEST(converted_files)
{
    struct art_file *f = *state;

    for (unsigned v = VARIANT_S1; v < VARIANTS; v++)
        for (unsigned how = 0; how < CONVERSIONS; how++) {
            size_t n;
            art_file_put(f, v, &(struct variant_options){.not_streaming = true});
            convert(&f->bytes, how);
            for (n = f->bytes.n; strcmp(title_of(f, n), CONVERTED) == 0; n--)
                continue;
            assert_true(n < f->bytes.n);
            while (--n > 0)
                assert_string_not_equal(title_of(f, n), CONVERTED);
            check_every_window(f);
        }
}

/* ---- files that are only recognised ---- */

ART_FILE_TEST(recognised_and_refused)
{
    struct art_file *f = *state;

    trace_bytes_header(&f->bytes, 3, 32, 14);
    trace_bytes_record(&f->bytes, 14, (struct trace_record){1, 4, EVENT_ENTER, {1, 1}});
    art_file_check_unusable(f, "key section missing", 0);
    assert_non_null(strstr(f->diag.hint, "together with its key file"));
    buf_clear(&f->bytes);
    for (size_t i = 0; i < 6; i++) {
        trace_bytes_header(&f->bytes, (const unsigned[]){0, 7, 0x14, 0xe5, 0xf7, 0x1f4}[i], 32, 14);
        art_file_check_unusable(f, "unknown trace version", 0);
        buf_clear(&f->bytes);
    }
    buf_z(&f->bytes, "SLOW\xef\xbf\xbd");
    art_file_check_unusable(f, "damaged by a text conversion", 0);
}

/* ---- any file ---- */

ART_FILE_TEST(any_cutting)
{
    struct art_file *f = *state;

    for (unsigned v = VARIANT_A4; v < VARIANTS; v++) {
        art_file_put(f, v, NULL);
        hostile_cuttings(VARIANT_NAMES[v], &f->bytes);
    }
}

/* Blocks that are longer than the window in which the layout is chosen. */
ART_FILE_TEST(long_files)
{
    enum { N = 90000 };
    struct art_file *f = *state;
    struct buf *b = &f->bytes, body = {0};
    size_t cuts[] = {0, 32, V2_WINDOW_BYTES - 1, V2_WINDOW_BYTES, V2_WINDOW_BYTES + 300};

    art_file_put(f, VARIANT_C5, &(struct variant_options){.no_summary = true});
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
    art_file_read(f);
    struct buf expected = {0};
    hostile_describe(&expected, f->profile);
    for (size_t i = 0; i < sizeof(cuts) / sizeof(*cuts); i++) {
        struct arena arena;
        struct reader r;
        struct buf text = {0};
        arena_init(&arena, 64 << 20);
        assert_true(reader_init(&r, &arena, &READER_LIMITS_DEFAULT, (struct hash_seed){1, 1}));
        struct test_input t = {.bytes = buf_view(b), .largest = 4099, .cuts = &cuts[i], .n_cuts = 1};
        const struct source_input in = test_input_of(&t);
        const struct profile *p = reader_read(&r, &in);
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

ART_FILE_TEST(any_truncation)
{
    struct art_file *f = *state;

    for (unsigned v = VARIANT_A4; v < VARIANTS; v++) {
        art_file_put(f, v, NULL);
        hostile_truncations(VARIANT_NAMES[v], &f->bytes);
    }
}

ART_FILE_TEST(any_bit_flip)
{
    struct art_file *f = *state;

    for (unsigned v = VARIANT_A4; v < VARIANTS; v++) {
        art_file_put(f, v, NULL);
        hostile_bit_flips(VARIANT_NAMES[v], &f->bytes);
    }
}

/* The limit is named, and nothing else goes wrong. */
ART_FILE_TEST(any_memory_ceiling)
{
    struct art_file *f = *state;

    for (unsigned v = VARIANT_S1; v < VARIANTS; v++) {
        size_t ceiling = 0;
        art_file_put(f, v, NULL);
        for (bool done = false; !done; ceiling += 512) {
            struct arena arena;
            struct reader r;
            arena_init(&arena, ceiling);
            if (reader_init(&r, &arena, &READER_LIMITS_DEFAULT, (struct hash_seed){1, 1})) {
                done = test_input_read(&r, buf_view(&f->bytes)) != NULL;
                assert_int_equal(r.diag.kind, done ? DIAG_NONE : DIAG_LIMIT);
            }
            assert_true(arena.used_bytes <= ceiling);
            arena_free(&arena);
        }
        assert_true(ceiling < 4 << 20);
    }
}
