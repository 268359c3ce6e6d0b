/* What is packed gives the profile of what is in it, however it is cut, as far as it goes. */
#include "tests/support/unit.h"

#include <string.h>
#include <time.h>

#include "core/buf.h"
#include "parser/reader.h"
#include "tests/support/packed_answers.h"
#include "tests/support/packing.h"
#include "tests/support/sanitized.h"
#include "tests/support/test_input.h"

struct kind {
    const char *name;
    void (*pack)(struct buf *b, struct str bytes);
};

static void pack_zip(struct buf *b, struct str bytes)
{
    packing_zip(b, "folder/app.trace", bytes);
}

static void pack_zip_streamed(struct buf *b, struct str bytes)
{
    packing_zip_member(b, &(struct packing_member){
                              .name = "a.trace", .bytes = bytes, .method = 8, .flags = 8, .unmarked = true});
    packing_zip_end(b);
}

static void pack_zip_stored(struct buf *b, struct str bytes)
{
    packing_zip_archive(b, &(struct packing_member){.name = "a.trace", .bytes = bytes, .zip64 = true}, 1);
}

static const struct kind KINDS[] = {{"gzip", packing_gzip},
                                    {"zstd", packing_zstd},
                                    {"zip", pack_zip},
                                    {"zip-streamed", pack_zip_streamed},
                                    {"zip-stored", pack_zip_stored}};
enum { N_KINDS = sizeof(KINDS) / sizeof(*KINDS) };

/* ---- helpers ---- */

static struct buf packed_input(const struct kind *kind, const char *name)
{
    struct buf plain = packed_plain_input(name), packed = {0};

    kind->pack(&packed, buf_view(&plain));
    assert_false(packed.failed);
    buf_free(&plain);
    return packed;
}

/* ---- what comes out ---- */

TEST(test_profile_is_that_of_the_contents)
{
    static const char *const INPUTS[] = {"v3", "v1", "long", "folded", "v3-broken"};

    for (size_t i = 0; i < sizeof(INPUTS) / sizeof(*INPUTS); i++) {
        struct buf plain = packed_plain_input(INPUTS[i]), expected = packed_answer_to(buf_view(&plain));
        for (size_t k = 0; k < N_KINDS; k++) {
            struct buf packed = packed_input(&KINDS[k], INPUTS[i]),
                       answer = packed_answer_to(buf_view(&packed));
            if (!str_eq(packed_without_fact(&answer), buf_view(&expected)))
                fail_msg("%s in %s: %.*s", INPUTS[i], KINDS[k].name, (int)answer.n, answer.p);
            buf_free(&answer);
            buf_free(&packed);
        }
        buf_free(&expected);
        buf_free(&plain);
    }
}

TEST(test_fact)
{
    struct buf packed = packed_input(&KINDS[2], "v3"), answer = packed_answer_to(buf_view(&packed));

    assert_true(packed_contains(&answer, ":zip (folder/app.trace), "));
    assert_true(packed_contains(&answer, " B -> "));
    assert_true(packed_contains(&answer, "counted in unpacked bytes"));
    buf_free(&answer);
    buf_free(&packed);
}

TEST(test_every_cut)
{
    for (size_t k = 0; k < N_KINDS; k++) {
        struct buf packed = packed_input(&KINDS[k], "v3");
        packed_assert_every_cut(buf_view(&packed));
        buf_free(&packed);
    }
}

TEST(test_every_truncation)
{
    for (size_t k = 0; k < N_KINDS; k++) {
        struct buf packed = packed_input(&KINDS[k], "long");
        for (size_t n = 4; n < packed.n; n += PLACES_STEP) {
            struct str part = {packed.p, n};
            struct buf answer = packed_answer_to(part);
            bool marked =
                packed_contains(&answer, "packed-cut") || packed_contains(&answer, "packed file cut");
            bool all = n + 100 > packed.n && k > 1; /* within the directory of a zip */
            if (!marked && !all)
                fail_msg("%s of %zu bytes: %.*s", KINDS[k].name, n, (int)answer.n, answer.p);
            buf_free(&answer);
            if (n % 7 == 0)
                packed_assert_answer(part, "");
        }
        buf_free(&packed);
    }
}

/* Of a long file cut in the middle there is half a profile. */
TEST(test_salvage)
{
    for (size_t k = 0; k < N_KINDS; k++) {
        struct buf packed = packed_input(&KINDS[k], "folded-long");
        packed_assert_answer((struct str){packed.p, packed.n - packed.n / 3}, "warning 10:packed-cut");
        packed.p[packed.n - packed.n / 3] ^= 0x55;
        packed_assert_answer(buf_view(&packed),
                             strcmp(KINDS[k].name, "zip-stored") == 0 ? "packed-checksum" : "warning");
        buf_free(&packed);
    }
}

/* Any answer, and the same one however the bytes come. */
TEST(test_every_bit)
{
    for (size_t k = 0; k < N_KINDS; k++) {
        struct buf packed = packed_input(&KINDS[k], "v3");
        for (size_t bit = 0; bit < 8 * packed.n; bit += PLACES_STEP) {
            packed.p[bit / 8] ^= (char)(1 << bit % 8);
            packed_assert_answer(buf_view(&packed), "");
            packed.p[bit / 8] ^= (char)(1 << bit % 8);
        }
        buf_free(&packed);
    }
}

TEST(test_checksum)
{
    struct buf gzip = packed_input(&KINDS[0], "v3"), zstd = packed_input(&KINDS[1], "v3"), zip = {0};
    struct buf plain = packed_plain_input("v3");

    gzip.p[gzip.n - 8] ^= 1;
    packed_assert_answer(buf_view(&gzip), "warning 15:packed-checksum");
    zstd.p[zstd.n - 1] ^= 1;
    packed_assert_answer(buf_view(&zstd), "warning 15:packed-checksum");
    for (uint16_t flags = 0; flags <= 8; flags += 8) {
        struct packing_member m = {
            .name = "a", .bytes = buf_view(&plain), .method = 8, .flags = flags, .wrong_crc = true};
        buf_clear(&zip);
        packing_zip_member(&zip, &m);
        packing_zip_end(&zip);
        packed_assert_answer(buf_view(&zip), "warning 15:packed-checksum");
    }
    buf_free(&plain);
    buf_free(&gzip);
    buf_free(&zstd);
    buf_free(&zip);
}

/* ---- streams of several parts ---- */

TEST(test_several_streams)
{
    struct buf plain = packed_plain_input("long"), packed = {0};
    struct str front = {plain.p, plain.n / 3}, back = {plain.p + front.n, plain.n - front.n};

    packing_gzip(&packed, front);
    packing_gzip(&packed, STR(""));
    packing_gzip(&packed, back);
    packed_assert_same_as_plain(&packed, "long");
    for (size_t i = 0; i < 700; i++)
        buf_char(&packed, 0);
    packed_assert_same_as_plain(&packed, "long");
    buf_z(&packed, "behind");
    packed_assert_answer(buf_view(&packed), "warning 14:trailing-bytes 6");
    buf_clear(&packed);
    packing_zstd_skipped(&packed, 5);
    packing_zstd(&packed, front);
    packing_zstd_skipped(&packed, 0);
    packing_zstd(&packed, back);
    packing_zstd_skipped(&packed, 70000);
    packed_assert_same_as_plain(&packed, "long");
    buf_z(&packed, "behind");
    packed_assert_answer(buf_view(&packed), "warning 14:trailing-bytes 6");
    buf_free(&packed);
    buf_free(&plain);
}

/* Its header says that nothing is in it; behind it is a block as it is. */
TEST(test_more_than_announced)
{
    static const char FRAME[] = "\x28\xb5\x2f\xfd\x84\2\0\0\0\0\x49\0\0a;b 1\na;b";

    packed_assert_every_cut((struct str){FRAME, sizeof(FRAME) - 1});
}

TEST(test_nothing_in_it)
{
    struct buf packed = {0};

    for (size_t k = 0; k < 2; k++) {
        buf_clear(&packed);
        KINDS[k].pack(&packed, STR(""));
        packed_assert_answer(buf_view(&packed), " 10:empty file");
    }
    buf_clear(&packed);
    packing_zstd_skipped(&packed, 3);
    packed_assert_answer(buf_view(&packed), "empty file");
    packed_assert_answer(STR("PK\5\6\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"), "no file in the archive");
    packed_assert_answer(STR("\x1f"), "diag");
    packed_assert_answer(STR("P"), "diag");
    buf_free(&packed);
}

/* A stream or an archive may be in an archive; nothing may be in a stream. */
TEST(test_packed_twice)
{
    enum { STREAMS = 2 };

    for (size_t inner = 0; inner < N_KINDS; inner++)
        for (size_t outer = 0; outer < N_KINDS; outer++) {
            struct buf once = packed_input(&KINDS[inner], "v3"), twice = {0};
            KINDS[outer].pack(&twice, buf_view(&once));
            packed_assert_answer(buf_view(&twice), outer >= STREAMS ? "android-trace" : "packed twice");
            buf_free(&once);
            buf_free(&twice);
        }
}

/* A stream in an archive that is cut or damaged is used as far as it goes, like one that stands alone. */
TEST(test_stream_in_archive)
{
    struct buf once = packed_input(&KINDS[0], "v3"), cut = {0}, answer;

    pack_zip_stored(&cut, (struct str){once.p, once.n - 9});
    answer = packed_answer_to(buf_view(&cut));
    assert_true(packed_contains(&answer, "android-trace"));
    assert_true(packed_contains(&answer, "The packed file ends early"));
    buf_free(&answer);
    buf_clear(&cut);
    pack_zip_stored(&cut, (struct str){once.p, 12});
    packed_assert_answer(buf_view(&cut), "ends early");
    buf_free(&cut);
    buf_free(&once);
}

/* ---- limits ---- */

static struct buf zeros(size_t n)
{
    struct buf b = {0};

    buf_z(&b, "a;b 1\n");
    assert_true(buf_reserve(&b, n));
    memset(b.p + b.n, '\n', n);
    b.n += n;
    return b;
}

TEST(test_ratio)
{
    struct buf bytes = zeros(40 << 20), packed = {0};
    clock_t begin = clock();

    for (size_t k = 0; k < 4; k++) { /* what is stored is as large as it is */
        buf_clear(&packed);
        KINDS[k].pack(&packed, buf_view(&bytes));
        packed_assert_answer(buf_view(&packed), "limit of 200 bytes for each of its own");
    }
    buf_clear(&packed);
    packing_zstd_runs(&packed, 17, 100000); /* 12 GiB */
    packed_assert_answer(buf_view(&packed), "limit of 200 bytes for each of its own");
    assert_true(clock() - begin < 20 * CLOCKS_PER_SEC);
    buf_free(&packed);
    buf_free(&bytes);
}

/* The same in less than what the ratio looks at is a matter of taste, and read. */
TEST(test_ratio_below_its_beginning)
{
    struct buf bytes = zeros(15 << 20), packed = {0};

    for (size_t k = 0; k < N_KINDS; k++) {
        buf_clear(&packed);
        KINDS[k].pack(&packed, buf_view(&bytes));
        packed_assert_answer(buf_view(&packed), "fact 6:packed");
    }
    buf_free(&packed);
    buf_free(&bytes);
}

TEST(test_size)
{
    struct buf plain = packed_plain_input("long");

    for (size_t k = 0; k < N_KINDS; k++) {
        struct buf packed = {0};
        KINDS[k].pack(&packed, buf_view(&plain));
        struct buf fits =
            packed_answer_within(buf_view(&packed), (struct unpack_limits){plain.n, 200}, 64 << 20);
        struct buf more =
            packed_answer_within(buf_view(&packed), (struct unpack_limits){plain.n - 1, 200}, 64 << 20);
        assert_true(packed_contains(&fits, "fact 6:packed"));
        assert_true(packed_contains(&more, "limit of "));
        buf_free(&fits);
        buf_free(&more);
        buf_free(&packed);
    }
    buf_free(&plain);
}

TEST(test_memory)
{
    static const struct unpack_limits WIDE = {1 << 30, 1000000};
    struct buf packed = {0};

    packing_zstd_runs(&packed, 27, 1);
    struct buf fits = packed_answer_within(buf_view(&packed), WIDE, 160 << 20);
    struct buf more = packed_answer_within(buf_view(&packed), WIDE, 120 << 20);
    assert_false(packed_contains(&fits, "bytes of memory"));
    assert_true(packed_contains(&more, "bytes of memory"));
    buf_free(&fits);
    buf_free(&more);
    buf_clear(&packed);
    packing_zstd_runs(&packed, 28, 1);
    packed_assert_answer(buf_view(&packed), "16:window too large");
    buf_clear(&packed);
    buf_bytes(&packed, "\x28\xb5\x2f\xfd\x01\x50\x07\x01\0\0", 10);
    packed_assert_answer(buf_view(&packed), "needs a dictionary");
    buf_free(&packed);
    for (size_t memory_bytes = 16 << 10; memory_bytes < 400 << 10; memory_bytes += 5000)
        for (size_t k = 0; k < N_KINDS; k++) {
            packed = packed_input(&KINDS[k], "v3");
            more = packed_answer_within(buf_view(&packed), WIDE, memory_bytes);
            assert_true(packed_contains(&more, "more than the limit") ||
                        packed_contains(&more, "fact 6:packed"));
            buf_free(&more);
            buf_free(&packed);
        }
}

/* A look at the beginning, for naming what is in it. */
TEST(test_beginning)
{
    char out[8];

    for (size_t k = 0; k < N_KINDS; k++) {
        struct buf packed = {0};
        KINDS[k].pack(&packed, STR("0123456789"));
        assert_int_equal(unpack_beginning(packed.p, packed.n, out, sizeof(out)), k < 2 ? sizeof(out) : 0);
        if (k < 2)
            assert_memory_equal(out, "01234567", sizeof(out));
        buf_free(&packed);
    }
    assert_int_equal(unpack_beginning("plain", 5, out, sizeof(out)), 0);
    assert_int_equal(unpack_beginning("", 0, out, sizeof(out)), 0);
}

TEST(test_codings)
{
    assert_string_equal(unpack_name(unpack_by_coding(STR("GZip"))), "gzip");
    assert_string_equal(unpack_name(unpack_by_coding(STR("x-gzip"))), "gzip");
    assert_string_equal(unpack_name(unpack_by_coding(STR("zstd"))), "zstd");
    assert_null(unpack_by_coding(STR("zip")));
    assert_null(unpack_by_coding(STR("")));
    assert_null(unpack_by_coding(STR("br")));
}

static bool drop(void *context, const uint8_t *p, size_t n)
{
    (void)context;
    (void)p;
    (void)n;
    return true;
}

/* Where a coding is named, nobody has looked at the first bytes: there may be fewer of them than a magic has. */
TEST(test_codings_of_little)
{
    static const struct {
        struct str coding, bytes;
        enum unpack_state state;
    } CASES[] = {
        {STR_INIT("gzip"), STR_INIT("abc"), UNPACK_DAMAGED},
        {STR_INIT("zstd"), STR_INIT("abc"), UNPACK_DAMAGED},
        {STR_INIT("gzip"), STR_INIT("abcdefghijkl"), UNPACK_DAMAGED},
        {STR_INIT("zstd"), STR_INIT("abcdefghijkl"), UNPACK_DAMAGED},
        {STR_INIT("gzip"), STR_INIT("\x1f\x8b"), UNPACK_CUT},
        {STR_INIT("zstd"), STR_INIT("\x28\xb5"), UNPACK_CUT},
        {STR_INIT("gzip"), STR_INIT(""), UNPACK_CUT},
        {STR_INIT("zstd"), STR_INIT(""), UNPACK_CUT},
    };

    for (size_t i = 0; i < sizeof(CASES) / sizeof(*CASES); i++) {
        const struct unpack_options options = {.limits = PACKED_LIMITS.unpacked, .sink = drop};
        struct diag diag = {0};
        struct unpack_report report;
        struct arena arena;
        arena_init(&arena, 1 << 20);
        struct unpack *u = unpack_new(unpack_by_coding(CASES[i].coding), &arena, &options, &diag);
        assert_non_null(u);
        unpack_feed(u, CASES[i].bytes.p, CASES[i].bytes.n);
        assert_true(unpack_finish(u));
        unpack_report(u, &report);
        assert_int_equal(report.state, CASES[i].state);
        assert_int_equal(report.trailing_bytes, 0);
        unpack_free(u);
        arena_free(&arena);
    }
}

/* An upload that is given up half-way. */
TEST(test_abandoned)
{
    struct buf packed = packed_input(&KINDS[1], "long");
    struct test_input t = {.bytes = buf_view(&packed), .largest = 100, .fails_at = packed.n / 2};
    const struct source_input in = test_input_of(&t);
    struct arena arena;
    struct reader r;

    arena_init(&arena, 64 << 20);
    assert_true(reader_init(&r, &arena, &PACKED_LIMITS, (struct hash_seed){1, 2}));
    assert_null(reader_read(&r, &in));
    assert_int_equal(r.diag.kind, DIAG_IO);
    arena_free(&arena);
    buf_free(&packed);
}
