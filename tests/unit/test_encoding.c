#include "server/http/message/accept.h"

#include "tests/support/unit.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

TEST(what_a_client_takes)
{
    static const struct {
        const char *field; /* NULL: no header */
        enum encoding best;
        bool plain;
    } CASES[] = {
        {NULL, ENCODING_IDENTITY, true},
        {"", ENCODING_IDENTITY, true},
        {"gzip", ENCODING_GZIP, true},
        {"x-gzip", ENCODING_GZIP, true},
        {"GZip", ENCODING_GZIP, true},
        {"zstd", ENCODING_ZSTD, true},
        {"gzip, deflate, br, zstd", ENCODING_ZSTD, true},
        {"gzip, deflate, br", ENCODING_GZIP, true},
        {"br", ENCODING_IDENTITY, true},
        {"gzip;q=1.0, zstd;q=0.5", ENCODING_GZIP, true},
        {"gzip;q=0.001", ENCODING_GZIP, true},
        {"gzip;q=0", ENCODING_IDENTITY, true},
        {"identity, gzip;q=0.5", ENCODING_IDENTITY, true},
        {"identity;q=0.5, gzip;q=0.5", ENCODING_GZIP, true},
        {"identity;q=0.5, gzip;q=0.4", ENCODING_IDENTITY, true},
        {"*", ENCODING_ZSTD, true},
        {"*;q=0", ENCODING_IDENTITY, false},
        {"*;q=0, gzip", ENCODING_GZIP, false},
        {"*;q=0, identity", ENCODING_IDENTITY, true},
        {"*;q=0.5, zstd;q=0", ENCODING_GZIP, true},
        {"identity;q=0", ENCODING_IDENTITY, false},
        {"identity;q=0, gzip", ENCODING_GZIP, false},
        {"gzip;q=2", ENCODING_IDENTITY, true},
        {"gzip;q=", ENCODING_IDENTITY, true},
        {" gzip ; q=0.8 ,zstd;q=0.7", ENCODING_GZIP, true},
        {",,;,gzip,", ENCODING_GZIP, true},
        {"gzipped", ENCODING_IDENTITY, true},
        {"\"gzip\"", ENCODING_IDENTITY, true},
    };

    for (size_t i = 0; i < sizeof(CASES) / sizeof(*CASES); i++) {
        const char *field = CASES[i].field;
        struct encoding_choice c = encoding_negotiate(field == NULL ? (struct str){NULL, 0} : str_of(field));
        if (c.best != CASES[i].best || c.plain != CASES[i].plain)
            fail_msg("%s: %s, plain %d", field == NULL ? "no header" : field, encoding_name(c.best), c.plain);
    }
}

TEST(small_bodies_stay_plain)
{
    assert_int_equal(encoding_for(encoding_negotiate(STR("gzip")), 1023), ENCODING_IDENTITY);
    assert_int_equal(encoding_for(encoding_negotiate(STR("gzip")), 1024), ENCODING_GZIP);
    assert_int_equal(encoding_for(encoding_negotiate(STR("gzip, identity;q=0")), 1), ENCODING_GZIP);
    assert_int_equal(encoding_for((struct encoding_choice){0}, 1 << 20), ENCODING_IDENTITY);
}

static size_t gunzip(struct str in, char *out, size_t out_bytes)
{
    z_stream z = {.next_in = (z_const Bytef *)(uintptr_t)in.p,
                  .avail_in = (uInt)in.n,
                  .next_out = (Bytef *)out,
                  .avail_out = (uInt)out_bytes};

    assert_int_equal(inflateInit2(&z, MAX_WBITS + 16), Z_OK);
    assert_int_equal(inflate(&z, Z_FINISH), Z_STREAM_END);
    assert_int_equal(z.avail_in, 0);
    size_t n = z.total_out;
    inflateEnd(&z);
    return n;
}

/* Text that shrinks, or bytes that do not. */
static char *make_bytes(size_t n, bool random)
{
    char *p = malloc(n + 1);
    uint32_t x = 1;

    assert_non_null(p);
    for (size_t i = 0; i < n; i++) {
        x = x * 1664525 + 1013904223;
        p[i] = random ? (char)(x >> 24) : "<rect x=\"12\"/>\n"[i % 15];
    }
    return p;
}

static void assert_returns(enum encoding e, enum encoding_effort effort, struct str in)
{
    struct buf out = {0}, twice = {0};
    char *back = malloc(in.n + 1);

    assert_non_null(back);
    buf_z(&out, "before");
    assert_true(encoding_apply(e, effort, in, &out));
    assert_memory_equal(out.p, "before", 6);
    assert_true(encoding_apply(e, effort, in, &twice));
    struct str made = {out.p + 6, out.n - 6};
    assert_true(str_eq(made, buf_view(&twice)));
    size_t n =
        e == ENCODING_GZIP ? gunzip(made, back, in.n + 1) : ZSTD_decompress(back, in.n + 1, made.p, made.n);
    assert_int_equal(n, in.n);
    assert_true(str_eq((struct str){back, n}, in));
    buf_free(&out);
    buf_free(&twice);
    free(back);
}

TEST(bytes_come_back)
{
    static const size_t SIZES[] = {0, 1, 1000, 65535, 65536, 65537, 131072, 131073, 3000000};

    for (size_t i = 0; i < 2 * sizeof(SIZES) / sizeof(*SIZES); i++) {
        size_t n = SIZES[i / 2];
        char *p = make_bytes(n, i % 2 == 1);
        for (enum encoding e = ENCODING_GZIP; e <= ENCODING_ZSTD; e++) {
            assert_returns(e, ENCODING_KEPT, (struct str){p, n});
            assert_returns(e, ENCODING_ONCE, (struct str){p, n});
        }
        free(p);
    }
}

TEST(identity_copies)
{
    struct buf out = {0};

    assert_true(encoding_apply(ENCODING_IDENTITY, ENCODING_KEPT, STR("abc"), &out));
    assert_true(str_eq(buf_view(&out), STR("abc")));
    buf_free(&out);
}

TEST(limits_and_failed_buffers_fail)
{
    char *p = make_bytes(300000, true);

    for (enum encoding e = ENCODING_IDENTITY; e <= ENCODING_ZSTD; e++) {
        struct buf out;
        buf_init(&out, 1000);
        assert_false(encoding_apply(e, ENCODING_ONCE, (struct str){p, 300000}, &out));
        assert_true(out.failed);
        assert_false(encoding_apply(e, ENCODING_ONCE, STR("x"), &out)); /* sticky */
        buf_free(&out);
    }
    free(p);
}

TEST(names)
{
    assert_string_equal(encoding_name(ENCODING_ZSTD), "zstd");
    assert_string_equal(encoding_name(ENCODING_GZIP), "gzip");
    assert_string_equal(encoding_suffix(ENCODING_IDENTITY), "");
    for (enum encoding e = ENCODING_IDENTITY; e <= ENCODING_ZSTD; e++)
        assert_true(strlen(encoding_suffix(e)) <= ENCODING_SUFFIX_CHARS);
}
