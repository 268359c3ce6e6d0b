/* Facts in words: each that an input format says has a label, and each value reads as its kind. */
#include "tests/support/unit.h"

#include "parser/reader.h"
#include "server/convert/summary.h"
#include "tests/support/test_input.h"
#include "tests/support/trace_variants.h"

static void assert_text(enum fact_kind kind, const char *value, const char *expected)
{
    struct buf b = {0};

    fact_text(&b, kind, str_of(value));
    assert_buf(&b, expected);
}

TEST(values_in_words)
{
    assert_text(FACT_TEXT, "dual", "dual");
    assert_text(FACT_YES_NO, "true", "yes");
    assert_text(FACT_YES_NO, "false", "no");
    assert_text(FACT_YES_NO, "maybe", "maybe");
    assert_text(FACT_COUNT, "19200000", "19,200,000");
    assert_text(FACT_BYTES, "3145728", "3 MiB");
    assert_text(FACT_NS, "1500", "1.5 µs");
    assert_text(FACT_US, "15840994", "15.8 s");
    assert_text(FACT_UNIT, "us", "µs");
    assert_text(FACT_UNIT, "ns", "ns");
    for (int kind = FACT_TEXT; kind <= FACT_UNIT; kind++) {
        assert_text((enum fact_kind)kind, "zzz <&>", "zzz <&>");
        assert_text((enum fact_kind)kind, "", "");
    }
}

TEST(points_in_time)
{
    int64_t unix_s;

    assert_text(FACT_TIME_US, "1463217600000000", "2016-05-14T09:20:00Z");
    assert_text(FACT_TIME_NS, "1463217600000000000", "2016-05-14T09:20:00Z");
    assert_text(FACT_TIME_US, "1234567890", "20 min 35 s on the device's clock");
    assert_text(FACT_TIME_NS, "5000000000", "5 s on the device's clock");
    assert_true(fact_date(FACT_TIME_US, STR("1463217600000000"), &unix_s));
    assert_int_equal(unix_s, 1463217600);
    assert_false(fact_date(FACT_US, STR("1463217600000000"), &unix_s));
    assert_false(fact_date(FACT_TIME_US, STR("18446744073709551615"), &unix_s));
    assert_false(fact_date(FACT_TIME_US, STR("soon"), &unix_s));
    assert_true(fact_is_void(FACT_TIME_US, STR("0")));
    assert_true(fact_is_void(FACT_TIME_NS, STR("0")));
    assert_false(fact_is_void(FACT_COUNT, STR("0")));
    assert_false(fact_is_void(FACT_TIME_US, STR("1")));
}

TEST(table_is_sound)
{
    for (size_t i = 0; i < FACTS_COUNT; i++) {
        assert_ptr_equal(fact_by_name(str_of(FACTS[i].name)), &FACTS[i]);
        assert_true(FACTS[i].label[0] >= 'A' && FACTS[i].label[0] <= 'Z');
    }
    assert_null(fact_by_name(STR("nothing")));
    assert_null(fact_by_name(STR("")));
}

static void assert_labelled(struct str bytes)
{
    struct arena a;
    struct reader r;

    arena_init(&a, 64 << 20);
    assert_true(reader_init(&r, &a, &READER_LIMITS_DEFAULT, (struct hash_seed){1, 2}));
    const struct profile *p = test_input_read(&r, bytes);
    assert_non_null(p);
    assert_true(p->n_facts > 0);
    for (uint32_t i = 0; i < p->n_facts; i++)
        if (fact_by_name(p->facts[i].name) == NULL)
            fail_msg("no label for the fact %.*s", (int)p->facts[i].name.n, p->facts[i].name.p);
    arena_free(&a);
}

/* Sampled, with every key that is known: one step of 1 ms after the other. */
static void put_regular(struct buf *b)
{
    static const char TEXT[] =
        "*version\n3\ndata-file-overflow=true\nclock=dual\nelapsed-time-usec=1\nelapsed-time-nsec=1\n"
        "num-method-calls=1\nclock-call-overhead-nsec=1\nvm=art\npid=1\nalloc-count=1\nalloc-size=1\ngc-"
        "count=1\n"
        "*threads\n1\tmain\n*methods\n0x4\ta.B\tc\t()V\tB.java\n*end\n";
    static const uint8_t HEADER[32] = {'S', 'L', 'O', 'W', 3, 0, 32, 0, 1, 0, 0, 0, 0, 0, 0, 0, 14};

    buf_z(b, TEXT);
    buf_bytes(b, HEADER, sizeof(HEADER));
    for (uint32_t i = 0; i < 600; i++) {
        uint32_t us = 1000 * i;
        uint8_t record[14] = {1, 0, (uint8_t)(4 | (i & 1))};
        for (unsigned k = 0; k < 4; k++)
            record[6 + k] = record[10 + k] = (uint8_t)(us >> (8 * k));
        buf_bytes(b, record, sizeof(record));
    }
}

TEST(every_fact_has_a_label)
{
    struct buf b = {0};

    put_regular(&b);
    assert_labelled(buf_view(&b));
    for (unsigned v = 0; v < VARIANTS; v++) {
        buf_clear(&b);
        variant_put(&b, (enum variant)v, VARIANT_HEALTHY, VARIANT_HEALTHY_COUNT,
                    &(struct variant_options){0});
        assert_labelled(buf_view(&b));
    }
    buf_free(&b);
}
