/* The pages: what they must hold, and that nothing from outside becomes markup. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "render/output.h"
#include "server/pages.h"

#include <stdio.h>
#include <string.h>

#define HOSTILE "\"><script>alert('x')</script><img src=x onerror=y>\x01\xff"
#define ID      "abcdefghijklmnopqrstuvwxy2"

static const char *finished(struct buf *b)
{
    buf_char(b, '\0');
    assert_false(b->failed);
    return b->p;
}

static size_t occurrences(const char *text, const char *what)
{
    size_t n = 0;

    for (const char *at = strstr(text, what); at != NULL; at = strstr(at + 1, what))
        n++;
    return n;
}

/* True of every page: a frame, no script, no inline style or handler, balanced elements, a label for every
 * field. */
static void check_page(const char *page)
{
    static const char *const ELEMENTS[] = {"section", "p",    "a",   "ul",    "li",  "h1",    "h2",    "h3",
                                           "dl",      "dt",   "dd",  "span",  "b",   "table", "tr",    "th",
                                           "td",      "form", "div", "label", "pre", "code",  "button"};

    assert_ptr_equal(strstr(page, "<!doctype html>\n<html lang=\"en\">"), page);
    assert_int_equal(occurrences(page, "<h1"), 1);
    assert_int_equal(occurrences(page, "<title>"), 1);
    assert_int_equal(occurrences(page, "<main>"), 1);
    assert_non_null(strstr(page, "name=\"viewport\""));
    assert_null(strstr(page, "<script"));
    assert_null(strstr(page, "<style"));
    assert_null(strstr(page, "style="));
    assert_null(strstr(page, "<img src=x"));
    assert_null(strstr(page, "\x01"));
    assert_null(strstr(page, "\xff"));
    for (size_t i = 0; i < sizeof(ELEMENTS) / sizeof(ELEMENTS[0]); i++) {
        char bare[32], attributed[32], end[32];
        snprintf(bare, sizeof(bare), "<%s>", ELEMENTS[i]);
        snprintf(attributed, sizeof(attributed), "<%s ", ELEMENTS[i]);
        snprintf(end, sizeof(end), "</%s>", ELEMENTS[i]);
        assert_int_equal(occurrences(page, bare) + occurrences(page, attributed), occurrences(page, end));
    }
    assert_int_equal(occurrences(page, "<label for="),
                     occurrences(page, "<input") - occurrences(page, "type=\"hidden\""));
}

static struct record record_of(const char *name)
{
    struct record r = {.id = ID, .size = 57472596, .created_s = 1790000000, .expires_s = 1792592000};

    snprintf(r.name, sizeof(r.name), "%s", name);
    return r;
}

static json_t *track_of(int id, const char *name)
{
    json_t *track = json_pack("{s:i,s:I,s:I,s:I,s:{s:I,s:I}}", "id", id, "records", (json_int_t)1000, "calls",
                              (json_int_t)12345, "nodes", (json_int_t)67, "totals", "wall",
                              (json_int_t)1500000, "cpu", (json_int_t)250000);

    json_object_set_new(track, "name", json_string_nocheck(name));
    return track;
}

static json_t *summary_of(int n_tracks, const char *name)
{
    json_t *s = json_pack(
        "{s:s,s:{s:s,s:s,s:s,s:s},s:[{s:s,s:s,s:s},{s:s,s:s,s:s},{s:s,s:s,s:s}],s:[{s:s,s:i,s:i,s:s}]}",
        "format_label", "Android method trace", "facts", "clock", "dual", "elapsed_us", "15840994",
        "start_us", "1463217600000057", "later", "<new>", "values", "name", "wall", "label", "wall time",
        "unit", "ns", "name", "cpu", "label", "thread CPU time", "unit", "ns", "name", "calls", "label",
        "calls", "unit", "count", "warnings", "code", "open-frames", "count", 3, "offset", 4711, "text",
        "3 methods <were> still running.");
    json_t *tracks = json_array();

    assert_non_null(s);
    for (int i = 0; i < n_tracks; i++)
        json_array_append_new(tracks, track_of(100 + i, name));
    json_object_set_new(s, "tracks", tracks);
    return s;
}

static void upload(void **state)
{
    struct config config;
    struct buf b = {0};

    (void)state;
    config_defaults(&config);
    config.expires_days = 17;
    config.max_expires_days = 99;
    page_upload(&b, STR("http://build.lan:8192"), &config);
    const char *page = finished(&b);
    check_page(page);
    assert_non_null(strstr(page, "enctype=\"multipart/form-data\""));
    assert_non_null(strstr(page, "type=\"file\" required"));
    assert_non_null(strstr(page, "max=\"99\" value=\"17\""));
    assert_non_null(strstr(page, "curl -F trace=@app.trace http://build.lan:8192/"));
    assert_non_null(strstr(page, "2 GiB"));
    buf_free(&b);
    page_manual(&b, STR("http://build.lan:8192"), &config);
    const char *manual = finished(&b);
    assert_non_null(strstr(manual, "curl -F trace=@app.trace http://build.lan:8192/\n"));
    assert_non_null(strstr(manual, "17 days"));
    for (size_t i = 0; i < OUTPUTS_COUNT; i++)
        assert_non_null(strstr(manual, OUTPUTS[i]->name));
    assert_null(strchr(manual, '<'));
    buf_free(&b);
}

static void result(void **state)
{
    const struct record r = record_of("app.trace");
    json_t *summary = summary_of(3, "main");
    struct buf b = {0};
    char link[200];

    (void)state;
    page_result(&b, &r, summary);
    const char *page = finished(&b);
    check_page(page);
    assert_non_null(strstr(page, "<h1 class=\"name\">app.trace</h1>"));
    assert_true(strstr(page, "3 methods &lt;were&gt; still running.") <
                strstr(page, "<dl")); /* warnings first */
    assert_non_null(strstr(page, "First at byte 4,711."));
    assert_non_null(strstr(page, "Elapsed</dt><dd>15.8 s"));
    assert_non_null(strstr(page, "2016-05-14 09:20 UTC"));
    assert_non_null(strstr(page, "<dt>later</dt><dd>&lt;new&gt;</dd>"));
    assert_non_null(strstr(page, "Records</dt><dd>3,000"));
    assert_non_null(strstr(page, "thread CPU time <b>250 ms</b>"));
    assert_non_null(strstr(page, "calls <b>12,345</b>"));
    assert_int_equal(occurrences(page, "<img loading=\"lazy\""), 3);
    assert_int_equal(occurrences(page, "alt=\"Flame graph of main\""), 3);
    for (size_t i = 0; i < OUTPUTS_COUNT; i++) {
        snprintf(link, sizeof(link), "href=\"/p/" ID "/t/102.%s\"", OUTPUTS[i]->suffix);
        assert_non_null(strstr(page, link));
        snprintf(link, sizeof(link), "href=\"/p/" ID "/t/all.%s\"", OUTPUTS[i]->suffix);
        assert_non_null(strstr(page, link));
        snprintf(link, sizeof(link), "href=\"/p/" ID "/t/merged.%s\"", OUTPUTS[i]->suffix);
        assert_non_null(strstr(page, link));
    }
    assert_non_null(strstr(page, "href=\"/p/" ID "/raw\""));
    assert_null(strstr(page, "<table"));
    buf_free(&b);
    json_decref(summary);
}

static void hostile_names(void **state)
{
    const struct record r = record_of(HOSTILE);
    json_t *summary = summary_of(14, HOSTILE);
    struct buf b = {0};

    (void)state;
    page_result(&b, &r, summary);
    const char *page = finished(&b);
    check_page(page);
    assert_non_null(strstr(page, "&lt;script&gt;"));
    assert_non_null(strstr(page, "<table"));
    buf_free(&b);
    json_decref(summary);
    page_delete(&b, &r, STR(HOSTILE));
    check_page(finished(&b));
    buf_free(&b);
    page_problem(&b, 415, STR(HOSTILE), STR(HOSTILE), STR(HOSTILE), UINT64_MAX);
    page = finished(&b);
    check_page(page);
    assert_non_null(strstr(page, "18446744073709551615"));
    buf_free(&b);
    page_deleted(&b);
    check_page(finished(&b));
    buf_free(&b);
}

/* A page stays a page: of very many tracks most are named in the JSON only. */
static void many_tracks(void **state)
{
    const struct record r = record_of("");
    json_t *summary = summary_of(5000, "");
    struct buf b = {0};

    (void)state;
    page_result(&b, &r, summary);
    const char *page = finished(&b);
    check_page(page);
    assert_int_equal(occurrences(page, "<img "), 12);
    assert_int_equal(occurrences(page, "<tr>"), 1001);
    assert_non_null(strstr(page, "And 3,988 more"));
    assert_non_null(strstr(page, "(no name)"));
    assert_non_null(strstr(page, "Profile without a name"));
    buf_free(&b);
    json_decref(summary);
}

static void summaries_of_another_shape(void **state)
{
    static const char *const ALL[] = {
        "{}", "[]", "{\"tracks\": 7, \"values\": {}, \"facts\": [], \"warnings\": \"x\"}",
        "{\"tracks\": [null, 5, {\"id\": -1, \"name\": 9, \"totals\": [1]}], \"values\": [1, {}], \"facts\": "
        "{\"vm\": 2},"
        " \"warnings\": [null]}",
        "{\"tracks\": [{\"id\": 1, \"totals\": {\"w\": -5}}], \"values\": [{\"name\": \"w\", \"unit\": "
        "\"ns\"}],"
        " \"facts\": {\"elapsed_us\": \"18446744073709551615\", \"start_us\": \"soon\", \"pid\": \"\"}}"};
    const struct record r = record_of("x");

    (void)state;
    for (size_t i = 0; i < sizeof(ALL) / sizeof(ALL[0]); i++) {
        json_t *summary = json_loads(ALL[i], 0, NULL);
        struct buf b = {0};
        assert_non_null(summary);
        page_result(&b, &r, summary);
        check_page(finished(&b));
        buf_free(&b);
        json_decref(summary);
    }
}

static void headers(void **state)
{
    struct reply r;

    (void)state;
    reply_init(&r);
    page_headers(&r);
    const char *policy = reply_header_value(&r, "Content-Security-Policy");
    assert_non_null(policy);
    assert_null(strstr(policy, "unsafe"));
    assert_non_null(strstr(policy, "default-src 'none'"));
    assert_non_null(strstr(policy, "frame-ancestors 'none'"));
    assert_non_null(strstr(policy, "base-uri 'none'"));
    assert_string_equal(reply_header_value(&r, "Referrer-Policy"), "no-referrer");
    assert_string_equal(reply_header_value(&r, "Cache-Control"), "private, no-cache");
    reply_free(&r);
}

static void static_files(void **state)
{
    struct buf b = {0};

    (void)state;
    static_path(&b, STR("app.css"));
    struct str rest = buf_view(&b), part, hash;
    assert_true(str_starts(rest, STR("/static/")));
    rest = (struct str){rest.p + 8, rest.n - 8};
    assert_true(str_split(&rest, '/', &hash));
    assert_true(str_split(&rest, '/', &part));
    assert_int_equal(hash.n, 16);
    assert_true(str_eq(part, STR("app.css")));
    const struct static_file *file = static_find(hash, part);
    assert_non_null(file);
    assert_true(str_starts(file->media_type, STR("text/css")));
    assert_true(str_find_str(file->bytes, STR("prefers-color-scheme: dark")) < file->bytes.n);
    assert_null(static_find(STR("0000000000000000"), part));
    assert_null(static_find((struct str){hash.p, 15}, part));
    assert_null(static_find(hash, STR("../app.css")));
    assert_null(static_find(hash, STR("")));
    buf_free(&b);
    static_path(&b, STR("nothing.css"));
    assert_int_equal(b.n, 0);
    buf_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(upload),
        cmocka_unit_test(result),
        cmocka_unit_test(hostile_names),
        cmocka_unit_test(many_tracks),
        cmocka_unit_test(summaries_of_another_shape),
        cmocka_unit_test(headers),
        cmocka_unit_test(static_files),
    };

    return cmocka_run_group_tests_name("pages", tests, NULL, NULL);
}
