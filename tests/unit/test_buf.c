/* The output buffer: numbers, the limit, and the error that sticks. */
#include "tests/support/unit.h"

#include "core/buf.h"

#include <stdio.h>
#include <string.h>

static void check(struct buf *b, const char *expected)
{
    assert_false(b->failed);
    assert_int_equal(b->n, strlen(expected));
    assert_memory_equal(b->p, expected, b->n);
    buf_clear(b);
}

TEST(pieces)
{
    struct buf b = {0};

    buf_bytes(&b, "ab", 2);
    buf_str(&b, STR("c"));
    buf_z(&b, "de");
    buf_char(&b, 'f');
    buf_str(&b, (struct str){NULL, 0});
    buf_bytes(&b, NULL, 0);
    buf_printf(&b, "%s-%03d", "g", 7);
    assert_true(str_eq(buf_view(&b), STR("abcdefg-007")));
    check(&b, "abcdefg-007");
    buf_free(&b);
    assert_null(b.p);
    buf_free(&b);
}

TEST(numbers)
{
    static const uint64_t VALUES[] = {0, 9, 10, 4294967295, 4294967296, UINT64_MAX - 1, UINT64_MAX};
    struct buf b = {0};
    char expected[32];

    for (size_t i = 0; i < sizeof(VALUES) / sizeof(VALUES[0]); i++) {
        buf_u64(&b, VALUES[i]);
        snprintf(expected, sizeof(expected), "%llu", (unsigned long long)VALUES[i]);
        check(&b, expected);
        buf_hex(&b, VALUES[i]);
        snprintf(expected, sizeof(expected), "%llx", (unsigned long long)VALUES[i]);
        check(&b, expected);
    }
    buf_free(&b);
}

TEST(grouped)
{
    static const struct {
        uint64_t value;
        const char *text;
    } ROWS[] = {
        {0, "0"},
        {999, "999"},
        {1000, "1,000"},
        {12345, "12,345"},
        {123456, "123,456"},
        {12345678, "12,345,678"},
        {UINT64_MAX, "18,446,744,073,709,551,615"},
    };
    struct buf b = {0};

    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
        buf_u64_grouped(&b, ROWS[i].value);
        check(&b, ROWS[i].text);
    }
    buf_free(&b);
}

TEST(fixed)
{
    static const struct {
        uint64_t value;
        unsigned decimals;
        const char *text;
    } ROWS[] = {
        {1250, 2, "12.5"},
        {1250, 0, "1250"},
        {0, 0, "0"},
        {0, 9, "0"},
        {1, 9, "0.000000001"},
        {5, 1, "0.5"},
        {10, 1, "1"},
        {100001, 5, "1.00001"},
        {999, 3, "0.999"},
        {1050, 3, "1.05"},
        {UINT64_MAX, 9, "18446744073.709551615"},
    };
    struct buf b = {0};

    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
        buf_fixed(&b, ROWS[i].value, ROWS[i].decimals);
        check(&b, ROWS[i].text);
    }
    buf_free(&b);
}

TEST(hex_bytes)
{
    struct buf b = {0};

    buf_hex_bytes(&b, (const uint8_t[]){0x00, 0x0f, 0xa5, 0xff}, 4);
    check(&b, "000fa5ff");
    buf_hex_bytes(&b, NULL, 0);
    check(&b, "");
    buf_free(&b);
}

TEST(exactly_to_the_limit)
{
    struct buf b;

    for (size_t limit = 1; limit < 600; limit += 13) {
        buf_init(&b, limit);
        for (size_t i = 0; i < limit; i++)
            buf_char(&b, 'x');
        assert_false(b.failed);
        assert_int_equal(b.n, limit);
        buf_char(&b, 'y');
        assert_true(b.failed);
        assert_int_equal(b.n, limit);
        assert_true(b.capacity <= limit);
        buf_free(&b);
        assert_int_equal(b.limit, limit);
    }
}

TEST(the_error_sticks)
{
    struct buf b;

    buf_init(&b, 10);
    buf_z(&b, "12345678");
    buf_z(&b, "too long");
    assert_true(b.failed);
    buf_z(&b, "ok"); /* would fit */
    buf_u64(&b, 1);
    buf_printf(&b, "x");
    assert_false(buf_reserve(&b, 0));
    assert_int_equal(b.n, 8);
    assert_memory_equal(b.p, "12345678", 8);
    buf_clear(&b);
    buf_z(&b, "again");
    check(&b, "again");
    buf_free(&b);
}

TEST(reserving)
{
    struct buf b = {0};

    assert_true(buf_reserve(&b, 100000));
    memset(b.p, 'x', 100000);
    b.n = 100000;
    assert_true(buf_reserve(&b, 0));
    assert_false(buf_reserve(&b, SIZE_MAX));
    assert_true(b.failed);
    buf_clear(&b);
    assert_false(buf_reserve(&b, SIZE_MAX / 2));
    buf_free(&b);
}

TEST(long_output)
{
    struct buf b = {0};

    for (unsigned i = 0; i < 100000; i++)
        buf_printf(&b, "%05u\n", i);
    assert_false(b.failed);
    assert_int_equal(b.n, 600000);
    assert_memory_equal(b.p + 6 * 54321, "54321\n", 6);
    buf_free(&b);
}

TEST(as_in_a_url)
{
    struct buf b = {0};

    buf_percent(&b, (struct str){"aZ09-._~ /?&=+%\0\xc3\xbc", 18});
    assert_true(str_eq(buf_view(&b), STR("aZ09-._~%20%2F%3F%26%3D%2B%25%00%C3%BC")));
    buf_free(&b);
}

struct drained {
    uint64_t bytes, most, sum;
    uint64_t fails_at; /* that many bytes */
};

static bool drain(void *context, struct str bytes)
{
    struct drained *d = context;

    d->bytes += bytes.n;
    d->most = bytes.n > d->most ? bytes.n : d->most;
    for (size_t i = 0; i < bytes.n; i++)
        d->sum = d->sum * 31 + (unsigned char)bytes.p[i];
    return d->fails_at == 0 || d->bytes < d->fails_at;
}

/* What is drained, and what is left at the end, is all that was appended, in its order. */
TEST(drained)
{
    struct drained d = {0}, whole = {0};
    struct buf b = {.drain = drain, .drain_context = &d, .limit = 4 * BUF_DRAIN_BYTES}, all = {0};

    for (unsigned i = 0; i < 300000; i++) {
        buf_u64(&b, i);
        buf_u64(&all, i);
    }
    assert_false(b.failed);
    assert_true(d.bytes > 0 && d.most <= b.limit && b.capacity <= b.limit);
    drain(&d, buf_view(&b));
    drain(&whole, buf_view(&all));
    assert_int_equal(d.bytes, whole.bytes);
    assert_true(d.sum == whole.sum);
    buf_free(&b);
    buf_free(&all);
}

/* Who cannot take more ends it. */
TEST(drained_in_vain)
{
    struct drained d = {.fails_at = 1};
    struct buf b = {.drain = drain, .drain_context = &d};

    for (unsigned i = 0; i < 300000; i++)
        buf_u64(&b, i);
    assert_true(b.failed);
    assert_false(b.full);
    uint64_t bytes = d.bytes;
    buf_z(&b, "more");
    assert_int_equal(d.bytes, bytes);
    buf_free(&b);
}

/* What is in a buffer stays when its room goes back, also where it is large, and it can grow again. */
TEST(fits)
{
    static const uint32_t NUMBERS[] = {0, 1, 100, 300000, 700000};

    for (size_t i = 0; i < sizeof(NUMBERS) / sizeof(NUMBERS[0]); i++) {
        struct buf b = {0}, same = {0};
        struct drained fitted = {0}, whole = {0};
        for (uint32_t k = 0; k < NUMBERS[i]; k++) {
            buf_u64(&b, k);
            buf_u64(&same, k);
        }
        buf_fit(&b);
        assert_int_equal(b.capacity, b.n);
        buf_z(&b, "end");
        buf_z(&same, "end");
        drain(&fitted, buf_view(&b));
        drain(&whole, buf_view(&same));
        assert_int_equal(fitted.bytes, whole.bytes);
        assert_true(fitted.sum == whole.sum);
        buf_free(&b);
        buf_free(&same);
    }
}
