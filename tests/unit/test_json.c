/* The JSON writer: commas, keys, escapes, levels; what it writes is read back by a library. */
#include "tests/support/unit.h"

#include <jansson.h>

#include "core/json.h"

static void check(struct buf *b, const char *expected)
{
    assert_false(b->failed);
    buf_char(b, '\0');
    assert_string_equal(b->p, expected);
    buf_free(b);
}

TEST(members)
{
    struct buf b = {0};
    struct json j = json_into(&b);

    json_open_object(&j, NULL);
    json_put_string(&j, "s", STR("a\"b\\<\n"));
    json_put_u64(&j, "u", UINT64_MAX);
    json_put_bool(&j, "yes", true);
    json_put_bool(&j, "no", false);
    json_put_null(&j, "none");
    json_put_fixed(&j, "f", 1250, 3);
    json_put_raw(&j, "raw", STR("[1]"));
    json_put_key(&j, STR("k\"y"));
    json_put_u64(&j, NULL, 1);
    json_put_key(&j, STR("o"));
    json_open_object(&j, NULL);
    json_close(&j);
    json_close(&j);
    check(&b, "{\"s\":\"a\\\"b\\\\\\u003c\xe2\x90\x8a\",\"u\":18446744073709551615,"
              "\"yes\":true,\"no\":false,\"none\":null,\"f\":1.25,\"raw\":[1],\"k\\\"y\":1,\"o\":{}}");
}

TEST(levels)
{
    struct buf b = {0};
    struct json j = json_into(&b);

    json_open_array(&j, NULL);
    json_open_array(&j, NULL);
    json_close(&j);
    json_open_array(&j, NULL);
    json_put_u64(&j, NULL, 1);
    json_put_element(&j, 2);
    json_close(&j);
    json_open_object(&j, NULL);
    json_line(&j);
    json_put_u64(&j, "a", 3);
    json_line(&j);
    json_open_array(&j, "b");
    json_close(&j);
    json_put_u64(&j, "c", 4);
    json_close(&j);
    json_put_u64(&j, NULL, 5);
    json_close(&j);
    check(&b, "[[],[1,2],{\n\"a\":3,\n\"b\":[],\"c\":4},5]");
}

/* As deep as it may be, and one deeper. */
TEST(depth)
{
    struct buf b = {0};
    struct json j = json_into(&b);

    for (unsigned i = 0; i < JSON_DEPTH_MAX; i++)
        json_open_array(&j, NULL);
    for (unsigned i = 0; i < JSON_DEPTH_MAX; i++)
        json_close(&j);
    assert_false(b.failed);
    buf_clear(&b);
    j = json_into(&b);
    for (unsigned i = 0; i <= JSON_DEPTH_MAX; i++)
        json_open_array(&j, NULL);
    assert_true(b.failed);
    buf_clear(&b);
    j = json_into(&b);
    json_close(&j);
    assert_true(b.failed);
    buf_free(&b);
}

/* Whatever bytes a string has, what is written is a string to others too. */
TEST(every_byte)
{
    struct buf b = {0};
    struct json j = json_into(&b);
    char text[256];

    for (int i = 0; i < 256; i++)
        text[i] = (char)i;
    json_open_object(&j, NULL);
    json_put_key(&j, (struct str){text, sizeof(text)});
    json_put_string(&j, NULL, (struct str){text, sizeof(text)});
    json_close(&j);
    json_t *read = json_loadb(b.p, b.n, 0, NULL);
    assert_non_null(read);
    assert_int_equal(json_object_size(read), 1);
    json_decref(read);
    buf_free(&b);
}

TEST(no_room)
{
    for (size_t limit = 1; limit < 20; limit++) {
        struct buf b;
        buf_init(&b, limit);
        struct json j = json_into(&b);
        json_open_array(&j, NULL);
        for (uint64_t i = 0; i < 10; i++)
            i % 2 == 0 ? json_put_u64(&j, NULL, i) : json_put_element(&j, i);
        json_close(&j);
        assert_true(b.failed && b.full);
        buf_free(&b);
    }
}
