/* The summary in JSON, read back by a JSON library. */
#include "tests/support/test_input.h"
#include "tests/support/unit.h"

#include "server/config/config_load.h"
#include "server/convert/summary.h"

#include <jansson.h>
#include <string.h>

/* Threads 1 (5 µs of CPU time), 2 (50 µs, left open) and 3 (5 µs); thread 2's name and a value are hostile.
 */
static const char KEYS[] = "*version\n3\nclock=dual\nvm=art\nvm=other\npid=a\"b\\\x01\xff\n"
                           "data-file-overflow=false\nclock-call-overhead-nsec=99999999999999999999\n"
                           "elapsed-time-usec=250\nalloc-size=9223372036854775808\n*"
                           "threads\n1\tmain\n2\t</script>\x7f\n3\tlast\n"
                           "*methods\n0x10\ta.B\trun\t()V\tB.java\n*end\n";

static void put_le(struct buf *b, uint64_t value, int bytes)
{
    for (int i = 0; i < bytes; i++, value >>= 8)
        buf_char(b, (char)(value & 0xff));
}

static void put_record(struct buf *b, unsigned thread, unsigned action, uint32_t cpu_us, uint32_t wall_us)
{
    put_le(b, thread, 2);
    put_le(b, 0x10 | action, 4);
    put_le(b, cpu_us, 4);
    put_le(b, wall_us, 4);
}

static struct shared_profile *fold_bytes(struct str bytes)
{
    struct test_input input = {.bytes = bytes};
    const struct source_input in = test_input_of(&input);
    struct config c;
    struct diag diag = {0};

    config_defaults(&c);
    struct conversion *f = conversion_new(&c);
    assert_non_null(f);
    struct shared_profile *folded = conversion_read(f, &in, &diag);
    if (folded == NULL)
        fail_msg("%s: %s", diag.title, diag.detail);
    return folded;
}

static struct shared_profile *fold_trace(void)
{
    struct buf b = {0};

    buf_z(&b, KEYS);
    buf_z(&b, "SLOW");
    put_le(&b, 3, 2);
    put_le(&b, 32, 2);
    put_le(&b, 0, 8);
    put_le(&b, 14, 2);
    put_le(&b, 0, 14);
    put_record(&b, 1, 0, 10, 100);
    put_record(&b, 1, 1, 15, 200);
    put_record(&b, 2, 0, 0, 0);
    put_record(&b, 2, 0, 50, 60);
    put_record(&b, 3, 0, 0, 0);
    put_record(&b, 3, 1, 5, 6);
    struct shared_profile *f = fold_bytes(buf_view(&b));
    buf_free(&b);
    return f;
}

static json_t *part_of(struct str summary, const struct summary_part *part)
{
    struct buf b = {0};
    json_error_t error;

    summary_put(&b, summary, part);
    json_t *json = json_loadb(b.p, b.n, JSON_REJECT_DUPLICATES, &error);
    if (json == NULL)
        fail_msg("%s at %d: %.*s", error.text, error.position, (int)b.n, b.p);
    buf_free(&b);
    return json;
}

static json_t *summary_of(const struct shared_profile *f)
{
    struct buf b = {0};
    struct diag diag = {0};

    assert_true(summary_write(f, &b, &diag));
    json_t *json = part_of(buf_view(&b), &(struct summary_part){.tracks = SIZE_MAX});
    buf_free(&b);
    return json;
}

static const char *text(const json_t *object, const char *key)
{
    const char *s = json_string_value(json_object_get(object, key));

    assert_non_null(s);
    return s;
}

TEST(shape)
{
    struct shared_profile *f = fold_trace();
    json_t *json = summary_of(f);

    assert_string_equal(text(json, "format"), "android-trace");
    assert_string_equal(text(json, "format_label"), "Android method trace");
    const json_t *facts = json_object_get(json, "facts");
    assert_string_equal(text(facts, "clock"), "dual");
    assert_string_equal(text(facts, "vm"), "other"); /* the last of two */
    assert_string_equal(text(facts, "pid"), "a\"b\\\xe2\x90\x81\xef\xbf\xbd");
    assert_int_equal(json_integer_value(json_object_get(facts, "version")), 3);
    assert_int_equal(json_integer_value(json_object_get(facts, "elapsed_us")), 250);
    assert_true(json_is_false(json_object_get(facts, "overflow")));
    assert_string_equal(text(facts, "clock_overhead_ns"), "99999999999999999999"); /* no number of 64 bits */
    assert_true(json_integer_value(json_object_get(facts, "alloc_bytes")) == INT64_MAX);
    const json_t *values = json_object_get(json, "values");
    assert_int_equal(json_array_size(values), 3);
    assert_string_equal(text(json_array_get(values, 0), "name"), "wall");
    assert_string_equal(text(json_array_get(values, 0), "unit"), "us");
    assert_string_equal(text(json_array_get(values, 2), "name"), "calls");
    assert_string_equal(text(json_array_get(values, 2), "unit"), "count");
    const json_t *derived = json_object_get(json, "derived");
    assert_int_equal(json_array_size(derived), 1);
    assert_string_equal(text(json_array_get(derived, 0), "name"), "waiting");
    assert_string_equal(text(json_array_get(derived, 0), "unit"), "us");
    assert_string_equal(text(json, "weight"), "cpu");
    json_decref(json);
    shared_profile_free(f);
}

TEST(warnings)
{
    struct shared_profile *f = fold_trace();
    json_t *json = summary_of(f);
    const json_t *all = json_object_get(json, "warnings");
    const struct profile *p = shared_profile_get(f);

    assert_int_equal(json_array_size(all), p->n_warnings);
    assert_true(p->n_warnings > 0);
    for (uint32_t i = 0; i < p->n_warnings; i++) {
        const json_t *w = json_array_get(all, i);
        const json_t *offset = json_object_get(w, "offset");
        assert_true(str_eq(str_of(text(w, "code")), p->warnings[i].code));
        assert_int_equal(json_integer_value(json_object_get(w, "count")), p->warnings[i].count);
        assert_int_equal(offset != NULL, p->warnings[i].has_offset);
        if (offset != NULL)
            assert_int_equal(json_integer_value(offset), p->warnings[i].offset);
        assert_true(strlen(text(w, "text")) > 10);
    }
    json_decref(json);
    shared_profile_free(f);
}

static void check_track(const json_t *track, int id, const char *name, int wall_us, int cpu_us, int records,
                        int calls)
{
    const json_t *totals = json_object_get(track, "totals");

    assert_int_equal(json_integer_value(json_object_get(track, "id")), id);
    assert_string_equal(text(track, "name"), name);
    assert_int_equal(json_integer_value(json_object_get(totals, "wall")), wall_us);
    assert_int_equal(json_integer_value(json_object_get(totals, "cpu")), cpu_us);
    assert_null(json_object_get(totals, "calls"));
    assert_int_equal(json_integer_value(json_object_get(track, "records")), records);
    assert_int_equal(json_integer_value(json_object_get(track, "calls")), calls);
    assert_true(json_integer_value(json_object_get(track, "nodes")) >= 2);
}

TEST(tracks_by_weight)
{
    struct shared_profile *f = fold_trace();
    json_t *json = summary_of(f);
    const json_t *tracks = json_object_get(json, "tracks");

    assert_int_equal(json_array_size(tracks), 3);
    check_track(json_array_get(tracks, 0), 2, "</script>\xe2\x90\xa1", 60, 50, 2, 2);
    check_track(json_array_get(tracks, 1), 1, "main", 100, 5, 2, 1);
    check_track(json_array_get(tracks, 2), 3, "last", 6, 5, 2, 1);
    const json_t *whole = json_object_get(json, "whole"), *totals = json_object_get(whole, "totals");
    assert_int_equal(json_integer_value(json_object_get(whole, "tracks")), 3);
    assert_int_equal(json_integer_value(json_object_get(whole, "records")), 6);
    assert_int_equal(json_integer_value(json_object_get(whole, "calls")), 4);
    assert_int_equal(json_integer_value(json_object_get(totals, "wall")), 166);
    assert_int_equal(json_integer_value(json_object_get(totals, "cpu")), 60);
    json_decref(json);
    shared_profile_free(f);
}

/* Of ten tracks, 0 to 9, whose ids are 100 more. */
TEST(parts)
{
    static const struct {
        size_t tracks;
        uint32_t track; /* 0: none */
        const char *expected;
    } CASES[] = {
        {0, 0, ""},         {3, 0, "012"},      {10, 0, "0123456789"}, {SIZE_MAX, 0, "0123456789"},
        {3, 100, "012"},    {3, 101, "012"},    {3, 102, "0123"},      {3, 103, "01234"},
        {3, 104, "012345"}, {3, 105, "012456"}, {3, 109, "01289"},     {0, 100, "01"},
        {0, 109, "89"},     {3, 110, "012"},    {3, 10, "012"},        {SIZE_MAX, 105, "0123456789"}};
    struct buf b = {0};

    buf_z(&b, "{\"format\":\"x\"}\n[]\n{\"warnings\":[]}\n");
    for (int i = 0; i < 10; i++)
        buf_printf(&b, "%d {\"id\":%d,\"name\":\"%d\"}\n", 100 + i, 100 + i, i);
    for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
        struct summary_part part = {.tracks = CASES[i].tracks,
                                    .track = CASES[i].track > 0 ? &CASES[i].track : NULL};
        json_t *json = part_of(buf_view(&b), &part), *tracks = json_object_get(json, "tracks"), *track;
        char names[11] = "";
        size_t at;

        assert_string_equal(text(json, "format"), "x");
        json_array_foreach (tracks, at, track)
            strcat(names, text(track, "name"));
        assert_string_equal(names, CASES[i].expected);
        json_decref(json);
    }
    buf_free(&b);
}

TEST(links)
{
    struct str summary = STR("{\"format\":\"x\"}\n[]\n{\"warnings\":[]}\n7 {\"id\":7,\"name\":\"a,}\"}\n");
    json_t *json = part_of(summary, &(struct summary_part){.tracks = 1, .links = STR_INIT("/a\"b/")});
    const json_t *track = json_array_get(json_object_get(json, "tracks"), 0);

    assert_string_equal(text(track, "name"), "a,}");
    assert_string_equal(text(track, "svg"), "/a\"b/7.svg");
    json_decref(json);
}

/* What is said takes the place of the guess, whatever stands in either of them. */
TEST(own_code_that_was_said)
{
    static const char *const HEADS[] = {
        "{\"a\":\"x,\\\"app\\\":[\",\"format\":\"x\"}\n[\"b]\\\"]\",\"c\"]\n{\"warnings\":[]}\n",
        "{\"format\":\"x\"}\n[]\n{\"warnings\":[]}\n"};

    for (size_t i = 0; i < sizeof(HEADS) / sizeof(HEADS[0]); i++) {
        json_t *json = part_of(str_of(HEADS[i]), &(struct summary_part){.app = STR_INIT("com.a,com.b")});
        const json_t *app = json_object_get(json, "app");
        assert_int_equal(json_array_size(app), 2);
        assert_string_equal(json_string_value(json_array_get(app, 0)), "com.a");
        assert_string_equal(json_string_value(json_array_get(app, 1)), "com.b");
        assert_string_equal(text(json, "format"), "x");
        json_decref(json);
    }
}

/* It comes out of a store. */
TEST(damaged_summaries_are_not_read_beyond)
{
    static const char *const TEXTS[] = {"",
                                        "\n",
                                        "{",
                                        "}",
                                        "{}",
                                        "{}\n[]",
                                        "{}\n[\n{}\n",
                                        "{\n[]\n}\n",
                                        "{}\n[]\n{}",
                                        "{}\n[]\n{}\n",
                                        "{}\n[]\n{}\n1",
                                        "{}\n[]\n{}\n1 ",
                                        "{}\n[]\n{}\n1 {\n",
                                        "{}\n[]\n{}\n1 {}\n",
                                        "{}\n[]\n{}\n99999999999999999999 {}\nx\n1 {\"id\":1"};
    uint32_t track = 1;

    for (size_t i = 0; i < sizeof(TEXTS) / sizeof(TEXTS[0]); i++) {
        struct buf out = {0}, exact = {0};
        struct summary_part part = {.tracks = 1, .track = &track, .links = STR("/")};
        assert_true(buf_reserve(&exact, strlen(TEXTS[i]) + 1));
        buf_z(&exact, TEXTS[i]);
        summary_put(&out, buf_view(&exact), &part);
        assert_true(str_starts(buf_view(&out), STR("{")) && str_ends(buf_view(&out), STR("}")));
        buf_free(&out);
        buf_free(&exact);
    }
}

TEST(equal_profiles_give_equal_bytes)
{
    struct shared_profile *a = fold_trace(), *b = fold_trace(); /* with different seeds */
    struct buf ta = {0}, tb = {0};
    struct diag diag = {0};

    assert_true(summary_write(a, &ta, &diag));
    assert_true(summary_write(b, &tb, &diag));
    assert_true(str_eq(buf_view(&ta), buf_view(&tb)));
    assert_int_equal(str_find_str(buf_view(&ta), STR("</script")), ta.n); /* safe within a page */
    buf_free(&ta);
    buf_free(&tb);
    shared_profile_free(a);
    shared_profile_free(b);
}

/* Readers of JSON end at 2^63 - 1: a sum above is written as that. */
TEST(huge_counts)
{
    struct shared_profile *f = fold_bytes(STR("a;b 18446744073709551615\n"));
    json_t *json = summary_of(f);
    const json_t *track = json_array_get(json_object_get(json, "tracks"), 0);

    assert_true(json_integer_value(json_object_get(json_object_get(track, "totals"), "samples")) ==
                INT64_MAX);
    json_decref(json);
    shared_profile_free(f);
}

TEST(too_small_a_buffer)
{
    struct shared_profile *f = fold_trace();
    bool done = false;

    for (size_t limit = 1; limit < 8192 && !done; limit += 61) {
        struct diag diag = {0};
        struct buf b;
        buf_init(&b, limit);
        done = summary_write(f, &b, &diag);
        assert_int_equal(diag.kind, done ? DIAG_NONE : DIAG_LIMIT);
        buf_free(&b);
    }
    assert_true(done);
    shared_profile_free(f);
}
