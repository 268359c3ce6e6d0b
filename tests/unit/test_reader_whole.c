/* A format that reads the whole file, alone in the table: plain and packed, fed in any pieces. */
#include "tests/support/unit.h"

#include <stdlib.h>
#include <string.h>

#include "parser/format.h"
#include "tests/support/packed_answers.h"
#include "tests/support/packing.h"

/* The line "whole", then folded stacks. It is read backwards: first the last byte, which must be a line end. */
static const char MAGIC[] = "whole\n";
enum { MAGIC_BYTES = sizeof(MAGIC) - 1, STATE_BYTES = 256 };

extern const struct format FORMAT_FOLDED_STACKS;

static enum detection detect(const uint8_t *p, size_t n, bool final)
{
    if (memcmp(p, MAGIC, n < MAGIC_BYTES ? n : MAGIC_BYTES) != 0 || (final && n < MAGIC_BYTES))
        return DETECT_NO;
    return n < DETECT_BYTES_MAX && !final ? DETECT_MORE : DETECT_YES;
}

static bool begin(void *state, struct builder *b, const struct reader_limits *limits, struct diag *diag)
{
    assert_true(FORMAT_FOLDED_STACKS.state_bytes <= STATE_BYTES);
    return FORMAT_FOLDED_STACKS.begin(state, b, limits, diag);
}

static bool read_whole(void *state, const struct whole_file *file)
{
    size_t n = (size_t)file->bytes - MAGIC_BYTES, consumed;
    uint8_t *rest = malloc(n + 1);

    assert_int_equal(file->read_at(file->context, file->bytes - 1, rest, 10), 1);
    assert_int_equal(rest[0], '\n');
    assert_int_equal(file->read_at(file->context, file->bytes, rest, 10), 0);
    assert_int_equal(file->read_at(file->context, MAGIC_BYTES, rest, n + 1), n);
    bool ok = FORMAT_FOLDED_STACKS.feed(state, rest, n, MAGIC_BYTES, true, &consumed);
    free(rest);
    return ok;
}

static bool finish(void *state, uint64_t file_bytes)
{
    return FORMAT_FOLDED_STACKS.finish(state, file_bytes);
}

static const struct format FORMAT_WHOLE = {.name = "whole",
                                           .label = "Whole",
                                           .state_bytes = STATE_BYTES,
                                           .detect = detect,
                                           .begin = begin,
                                           .read_whole = read_whole,
                                           .finish = finish};

/* Instead of those in parser/formats.c. */
const struct format *const FORMATS[] = {&FORMAT_WHOLE};
const size_t FORMATS_COUNT = 1;
const struct format *const REFUSED_FORMATS[] = {&FORMAT_WHOLE};
const size_t REFUSED_FORMATS_COUNT = 0;

static struct buf file_of(size_t lines)
{
    struct buf b = {0};

    buf_z(&b, MAGIC);
    for (size_t i = 0; i < lines; i++)
        buf_printf(&b, "main;f%zu %zu\n", i, i + 1);
    return b;
}

static void test_packed_or_not(void **state)
{
    static void (*const PACK[])(struct buf * b, struct str bytes) = {packing_gzip, packing_zstd};

    (void)state;
    for (size_t lines = 1; lines < 10000;
         lines *= 9) { /* with fewer bytes than tell a format, and with many */
        struct buf plain = file_of(lines), expected = packed_answer_to(buf_view(&plain)), zip = {0};
        assert_true(packed_contains(&expected, "profile 5:whole 5:Whole"));
        packed_assert_answer(buf_view(&plain), "profile");
        for (size_t i = 0; i < 2; i++) {
            struct buf packed = {0};
            PACK[i](&packed, buf_view(&plain));
            struct buf answer = packed_answer_to(buf_view(&packed));
            assert_true(str_eq(packed_without_fact(&answer), buf_view(&expected)));
            packed_assert_answer(buf_view(&packed), "profile");
            buf_free(&answer);
            buf_free(&packed);
        }
        packing_zip(&zip, "x", buf_view(&plain));
        struct buf answer = packed_answer_to(buf_view(&zip));
        assert_true(str_eq(packed_without_fact(&answer), buf_view(&expected)));
        buf_free(&answer);
        buf_free(&zip);
        buf_free(&expected);
        buf_free(&plain);
    }
}

static void test_without_the_file(void **state)
{
    struct buf plain = file_of(1000);
    struct arena arena;
    struct reader r;

    (void)state;
    arena_init(&arena, 64 << 20);
    assert_true(reader_init(&r, &arena, &PACKED_LIMITS, (struct hash_seed){1, 2}));
    assert_true(reader_feed(&r, plain.p, 100));
    assert_false(reader_wants_whole(&r));
    assert_false(reader_feed(&r, plain.p + 100, plain.n - 100));
    assert_true(reader_wants_whole(&r));
    assert_false(reader_feed(&r, "more", 4));
    assert_null(reader_finish(&r, NULL));
    assert_string_equal(r.diag.title, "cannot be read as it arrives");
    assert_false(reader_wants_whole(&r));
    arena_free(&arena);
    buf_free(&plain);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_packed_or_not),
        cmocka_unit_test(test_without_the_file),
    };

    return cmocka_run_group_tests_name("reader_whole", tests, NULL, NULL);
}
