/* A format that goes through the file twice, alone in the table: plain and packed, in any pieces. */
#include "tests/support/unit.h"

#include <string.h>

#include "parser/format.h"
#include "tests/support/packed_answers.h"
#include "tests/support/packing.h"
#include "tests/support/profile_dump.h"
#include "tests/support/test_input.h"

/* The line "whole", then folded stacks. First its last byte is looked at, which must be a line end. */
static const char MAGIC[] = "whole\n";
enum { MAGIC_BYTES = sizeof(MAGIC) - 1 };

extern const struct format FORMAT_FOLDED_STACKS;

static enum detection detect(const uint8_t *p, size_t n, bool final)
{
    if (memcmp(p, MAGIC, n < MAGIC_BYTES ? n : MAGIC_BYTES) != 0 || (final && n < MAGIC_BYTES))
        return DETECT_NO;
    return n < DETECT_BYTES_MAX && !final ? DETECT_MORE : DETECT_YES;
}

static bool read_twice(struct reading *r)
{
    uint8_t last = 0;
    size_t n;

    assert_true(source_keep(r->source));
    for (;;) {
        const uint8_t *p = source_need(r->source, 1000, &n);
        if (n == 0)
            break;
        last = p[n - 1];
        source_consume(r->source, n);
    }
    assert_int_equal(last, '\n');
    source_rewind(r->source);
    assert_int_equal(source_offset(r->source), 0);
    assert_memory_equal(source_need(r->source, MAGIC_BYTES, &n), MAGIC, MAGIC_BYTES);
    source_consume(r->source, MAGIC_BYTES);
    return FORMAT_FOLDED_STACKS.read(r);
}

static const struct format FORMAT_WHOLE = {
    .name = "whole", .label = "Whole", .detect = detect, .read = read_twice};

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

TEST(test_packed_or_not)
{
    static void (*const PACK[])(struct buf * b, struct str bytes) = {packing_gzip, packing_zstd};

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

/* What cannot be read twice is kept. */
TEST(test_pipe)
{
    struct buf plain = file_of(20000), expected = packed_answer_to(buf_view(&plain)), answer = {0};
    struct test_input t = {.bytes = buf_view(&plain), .sequential = true, .largest = 1000};
    const struct source_input in = test_input_of(&t);
    struct arena arena;
    struct reader r;

    arena_init(&arena, 64 << 20);
    assert_true(reader_init(&r, &arena, &PACKED_LIMITS, (struct hash_seed){1, 2}));
    const struct profile *p = reader_read(&r, &in);
    assert_non_null(p);
    profile_dump(&answer, p);
    assert_true(str_eq(buf_view(&answer), buf_view(&expected)));
    arena_free(&arena);
    buf_free(&answer);
    buf_free(&expected);
    buf_free(&plain);
}
