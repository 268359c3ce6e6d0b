/* JSON, pulled: what is taken of it, what is damage and where, and that it is the same however the bytes arrive. */
#include "tests/support/unit.h"

#include <string.h>

#include "core/buf.h"
#include "parser/json/json_in.h"
#include "tests/support/test_input.h"

enum { NAME_BYTES = 16, ARENA_BYTES = 1 << 20 };

static struct json_number number(int64_t mantissa, int exponent)
{
    return (struct json_number){mantissa, exponent};
}

/* Writes what is pulled of the document as text: {a:[1e0,"x",#n]} */
static void put_value(struct json_in *in, struct buf *b)
{
    struct str text;
    struct json_number n;
    enum json_kind kind = json_in_peek(in);
    bool first = true;

    if (kind == JSON_OBJECT && json_in_enter(in, kind)) {
        buf_char(b, '{');
        for (; json_in_key(in, &text); first = false) {
            buf_printf(b, "%s%.*s:", first ? "" : ",", (int)text.n, text.p);
            put_value(in, b);
        }
        buf_char(b, '}');
    } else if (kind == JSON_ARRAY && json_in_enter(in, kind)) {
        buf_char(b, '[');
        for (; json_in_item(in); first = false) {
            buf_z(b, first ? "" : ",");
            put_value(in, b);
        }
        buf_char(b, ']');
    } else if (kind == JSON_STRING && json_in_string(in, &text)) {
        buf_printf(b, "'%.*s'", (int)text.n, text.p);
    } else if (kind == JSON_NUMBER && json_in_number(in, &n)) {
        buf_printf(b, "%llde%d", (long long)n.mantissa, (int)n.exponent);
    } else if (kind != JSON_NONE) {
        json_in_skip(in);
        buf_z(b, "#");
    }
}

/* In pieces of at most so many bytes; 0: as large as the reader likes. */
static void pull(struct str bytes, size_t largest, struct buf *b, enum json_state *state, uint64_t *bad_at)
{
    struct test_input t = {.bytes = bytes, .largest = largest};
    const struct source_input input = test_input_of(&t);
    struct arena arena;
    struct source source;
    struct json_in in;

    arena_init(&arena, ARENA_BYTES);
    source_of_input(&source, &arena, &input);
    json_in_begin(&in, &source, &arena, NAME_BYTES);
    put_value(&in, b);
    *state = in.state;
    *bad_at = in.bad_at;
    arena_free(&arena);
}

static void expect(const char *json, const char *wanted, enum json_state wanted_state, uint64_t wanted_at)
{
    static const size_t LARGEST[] = {0, 1, 2, 3, 7};

    for (size_t i = 0; i < sizeof(LARGEST) / sizeof(*LARGEST); i++) {
        struct buf b = {0};
        enum json_state state;
        uint64_t at;
        pull(str_of(json), LARGEST[i], &b, &state, &at);
        buf_char(&b, '\0');
        assert_false(b.failed);
        if (wanted != NULL)
            assert_string_equal(b.p, wanted);
        assert_int_equal(state, wanted_state);
        if (wanted_state != JSON_GOOD)
            assert_int_equal(at, wanted_at);
        buf_free(&b);
    }
}

TEST(values)
{
    expect("\xef\xbb\xbf {\"a\" : [1, -2.50, 3e2 , 1E-3,true,null, NaN] ,\"\":\"x\"} ",
           "{a:[1e0,-250e-2,3e2,1e-3,#,#,#],:'x'}", JSON_GOOD, 0);
    expect(
        "[0,-0,7.,-12.05,123456789012345678,-12345678901234567.8,1234567890123456789,0.1234567890123456789]",
        "[0e0,0e0,7e0,-1205e-2,123456789012345678e0,-123456789012345678e-1,1234567890123456789e0,"
        "1234567890123456789e-19]",
        JSON_GOOD, 0);
    expect("[[],{},[{}],]", "[[],{},[{}]]", JSON_GOOD, 0);
    expect("{\"a\":1,}", "{a:1e0}", JSON_GOOD, 0);
}

TEST(strings)
{
    expect("[\"a\\n\\t\\\"\\\\\\/\\b\"]", "['a\n\t\"\\/\b']", JSON_GOOD, 0);
    expect("[\"\\u0041\\u20ac\\ud83d\\ude00\"]", "['A\xe2\x82\xac\xf0\x9f\x98\x80']", JSON_GOOD, 0);
    expect("[\"\\ud83d\",\"\\ude00x\",\"\\u12\"]", "['\xef\xbf\xbd','\xef\xbf\xbdx','u12']", JSON_GOOD, 0);
    expect("[\"\\u\\u\\u\\u\\u\\u\\u\\u\\u\\u\"]", "['uuuuuuuuuu']", JSON_GOOD,
           0); /* no longer than it was */
    expect("[\"\x01\xff\"]", "['\x01\xff']", JSON_GOOD, 0);
}

TEST(damage)
{
    expect("[1 2]", NULL, JSON_DAMAGED, 3);
    expect("[1,,2]", NULL, JSON_DAMAGED, 3);
    expect("{1:2}", NULL, JSON_DAMAGED, 1);
    expect("{\"a\" 1}", NULL, JSON_DAMAGED, 5);
    expect("[1}", NULL, JSON_DAMAGED, 2);
    expect("[tru]", NULL, JSON_DAMAGED, 1);
    expect("[1.2.3]", NULL, JSON_DAMAGED, 1);
    expect("[1,", NULL, JSON_CUT, 3);
    expect("[\"abc", NULL, JSON_CUT, 5);
    expect("{\"a\":[{", NULL, JSON_CUT, 7);
    expect("", NULL, JSON_CUT, 0);
}

/* A string that is longer than what is kept is cut, and what stands behind it is read. */
TEST(long_strings)
{
    static const size_t LARGEST[] = {0, 1, 100};
    struct buf json = {0};

    buf_z(&json, "[\"");
    for (int i = 0; i < 5000; i++)
        buf_z(&json, "\\u0041b");
    buf_z(&json, "\",7]");
    for (size_t i = 0; i < sizeof(LARGEST) / sizeof(*LARGEST); i++) {
        struct buf b = {0};
        enum json_state good;
        uint64_t at;
        pull(buf_view(&json), LARGEST[i], &b, &good, &at);
        assert_int_equal(good, JSON_GOOD);
        assert_true(b.n > NAME_BYTES && b.n < 20 * NAME_BYTES);
        assert_true(str_starts(buf_view(&b), STR("['AbAbAbAbAbAbAb")));
        assert_true(str_ends(buf_view(&b), STR("',7e0]")));
        buf_free(&b);
    }
    buf_free(&json);
}

static void skipped(struct str bytes, enum json_state wanted)
{
    struct arena arena;
    struct source source;
    struct json_in in;

    arena_init(&arena, ARENA_BYTES);
    source_of_memory(&source, &arena, bytes);
    json_in_begin(&in, &source, &arena, NAME_BYTES);
    json_in_skip(&in);
    assert_int_equal(in.state, wanted);
    arena_free(&arena);
}

TEST(nesting)
{
    static char deep[2 * JSON_DEPTH_MAX + 2];

    memset(deep, '[', JSON_DEPTH_MAX);
    memset(deep + JSON_DEPTH_MAX, ']', JSON_DEPTH_MAX);
    skipped((struct str){deep, 2 * JSON_DEPTH_MAX}, JSON_GOOD);
    skipped((struct str){deep, JSON_DEPTH_MAX}, JSON_CUT);
    memset(deep, '[', sizeof(deep));
    skipped((struct str){deep, sizeof(deep)}, JSON_TOO_DEEP);
    skipped(STR("[{]}"), JSON_DAMAGED);
    skipped(STR("[\"]\\\"\",{\"}\":1}]"), JSON_GOOD);
}

TEST(numbers)
{
    struct json_number n;
    int64_t whole;

    assert_int_equal(json_in_scaled(number(15, -1), 0), 2);
    assert_int_equal(json_in_scaled(number(-15, -1), 0), -2);
    assert_int_equal(json_in_scaled(number(14, -1), 0), 1);
    assert_int_equal(json_in_scaled(number(1600000000000000123, -3), 3), 1600000000000000123);
    assert_int_equal(json_in_scaled(number(1, 2000), 9), INT64_MAX);
    assert_int_equal(json_in_scaled(number(-1, 2000), 9), -INT64_MAX);
    assert_int_equal(json_in_scaled(number(1, -2000), 9), 0);
    assert_int_equal(json_in_scaled(number(0, 2000), 9), 0);
    assert_true(json_in_parse_number(STR("3.36396648E8"), &n) && json_in_scaled(n, 0) == 336396648);
    assert_true(json_in_parse_number(STR(" 12 "), &n) && json_in_whole(n, &whole) && whole == 12);
    assert_true(json_in_parse_number(STR("1e999999999999"), &n) && !json_in_whole(n, &whole));
    assert_true(json_in_parse_number(STR("99999999999999999999999"), &n) &&
                json_in_scaled(n, 0) == INT64_MAX);
    assert_true(json_in_parse_number(STR("0.00000000000000000000000000001"), &n) &&
                json_in_scaled(n, 0) == 0);
    assert_true(json_in_parse_number(STR("1.5"), &n) && !json_in_whole(n, &whole));
    assert_false(json_in_parse_number(STR(""), &n));
    assert_false(json_in_parse_number(STR("-"), &n));
    assert_false(json_in_parse_number(STR("1e"), &n));
    assert_false(json_in_parse_number(STR("0x10"), &n));
}
