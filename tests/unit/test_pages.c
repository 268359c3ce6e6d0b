/* The pages: what they must hold, and that nothing from outside becomes markup. */
#include "tests/support/unit.h"

#include "render/svg/viewer.h"
#include "server/pages/page_frame.h"
#include "server/pages/pages.h"
#include "server/pages/static_assets.h"
#include "tests/support/markup.h"
#include "tests/support/page_fixture.h"

#include <stdio.h>
#include <string.h>

#define HOSTILE "\"><script>alert('x')</script><img src=x onerror=y>\x01\xff"

TEST(workspace)
{
    static const char *const PARTS[] = {
        "<h1 class=\"name\">app &lt;1&gt;</h1>",
        "<span class=\"line\">Android method trace \u00b7 15.8 s \u00b7 3 threads \u00b7 54.8 MiB</span>",
        "<summary>1 warning</summary>",
        "<h2>About this file</h2>\n<ul>\n<li>3 methods &lt;were&gt; still running.",
        "First at byte 4,711.",
        "Duration</dt><dd>15.8 s",
        "2016-05-14 09:20 UTC",
        "<dt>later</dt><dd>&lt;new&gt;</dd>",
        "Records</dt><dd>3,000",
        "Calls</dt><dd>37,035",
        "max=\"89\" placeholder=\"29\"",
        "<a data-track=\"102\" href=\"../../../p/" PAGES_ID
        "/t/102?value=waiting&amp;view=icicle&amp;min=2.5\">main <span class=\"quiet\">102</span></a> <span "
        "class=\"quiet\">250 ms, 33.3 %</span>",
        "/t/101?value=waiting&amp;view=icicle&amp;min=2.5\" aria-current=\"true\">main",
        "href=\"../../../p/" PAGES_ID "/t/all?",
        "href=\"../../../p/" PAGES_ID "/t/merged?",
        "href=\"../../../p/" PAGES_ID ".json\"",
        "href=\"../../../p/" PAGES_ID "/raw\"",
        "action=\"../../../p/" PAGES_ID "/rename\"",
        "action=\"../../../p/" PAGES_ID "/delete\"",
        "href=\"../../../uploads\"",
        "href=\"../../../p/" PAGES_ID "/t/101.svg?value=waiting&amp;view=icicle&amp;min=2.5&amp;about=link\"",
        "/t/101.folded.txt?value=",
        PAGES_SVG_START PAGES_SVG_MIDDLE PAGES_SVG_END,
        "/flame.css\">",
        "/flame.js\"></script>",
        "<span class=\"shown\">main</span>",
        "<input type=\"hidden\" name=\"track\" value=\"101\">",
        "<option value=\"waiting\" selected>waiting time</option>",
        "<option value=\"icicle\" selected>",
        "<option value=\"name\" selected>",
        "<input type=\"hidden\" name=\"min\" value=\"2.5\">"};
    const struct record r = pages_record("app <1>");
    json_t *summary = pages_summary(3, "main");
    struct buf b = {0};

    pages_put_workspace(&b, &r, summary, "101", "value=waiting&view=icicle&min=2.5");
    const char *page = markup_text(&b);
    pages_check(page);
    PAGES_CHECK_ALL(page, PARTS);
    assert_null(strstr(page, "thumb"));
    assert_null(strstr(page, "id=\"progress\""));
    buf_free(&b);
    json_decref(summary);
}

/* Those that may be kept no longer are not asked how long. */
TEST(at_its_last_day)
{
    const struct record r = pages_record("app.trace");
    json_t *summary = pages_summary(1, "main");
    struct buf b = {0};

    pages_put_workspace_after(&b, &r, summary, "100", "", 90);
    const char *text = markup_text(&b);
    pages_check(text);
    assert_null(strstr(text, "name=\"expires\""));
    assert_null(strstr(text, "/t/all")); /* there is one thread */
    buf_free(&b);
    json_decref(summary);
}

/* Warnings about how to record better stand apart; without any of a kind there is no heading. */
TEST(warnings_in_two_parts)
{
    const struct record r = pages_record("x");

    for (unsigned n = 0; n < 4; n++) {
        json_t *summary = pages_summary(1, "main"), *warnings = json_array();
        struct buf b = {0};

        if (n & 1)
            json_array_append_new(warnings, json_pack("{s:s,s:s}", "about", "recording", "text", "Sampled."));
        if (n & 2)
            json_array_append_new(warnings, json_pack("{s:s,s:s}", "about", "file", "text", "Damaged."));
        json_object_set_new(summary, "warnings", warnings);
        pages_put_workspace(&b, &r, summary, "100", "");
        const char *page = markup_text(&b);
        pages_check(page);
        assert_int_equal(markup_count(page, "<h2>About this file</h2>\n<ul>\n<li>Damaged."), n >> 1);
        assert_int_equal(markup_count(page, "<h2>About how it was recorded</h2>\n<ul>\n<li>Sampled."), n & 1);
        assert_int_equal(markup_count(page, " warning</summary>"), n == 1 || n == 2);
        assert_int_equal(markup_count(page, ">2 warnings</summary>"), n == 3);
        buf_free(&b);
        json_decref(summary);
    }
}

/* The main thread is the first; pools of three or more are a group each; Binder threads have hexadecimal numbers. */
TEST(pools)
{
    static const char *const NAMES[] = {
        "Binder:12_1",      "main",  "Binder:12_2", "pool-3-thread-1", "12", "7_", "FACE_",
        "pool-3-thread-22", "solo1", "_",           "Binder:9_4A",     "",   "34", "main"};
    const struct record r = pages_record("x");
    json_t *summary = pages_summary(0, "");
    struct buf b = {0};

    for (size_t i = 0; i < sizeof(NAMES) / sizeof(NAMES[0]); i++)
        json_array_append_new(json_object_get(summary, "tracks"), pages_track((int)i, NAMES[i]));
    pages_add_whole(summary);
    pages_put_workspace(&b, &r, summary, "1", "");
    const char *page = markup_text(&b);
    pages_check(page);
    assert_int_equal(markup_count(page, "<li><details>"), 1);
    const char *binder = strstr(
        page, ">Binder:* <span class=\"quiet\">3 threads</span> <span class=\"quiet\">750 ms, 21.4 %<");
    assert_non_null(binder);
    const char *main = strstr(page, "<a data-track=\"1\"");
    assert_true(main < binder);
    assert_true(binder < strstr(page, ">Binder:9_4A ") &&
                strstr(page, ">Binder:9_4A ") < strstr(page, ">solo1 "));
    assert_int_equal(markup_count(page, "<li><a data-track=\""), sizeof(NAMES) / sizeof(NAMES[0]) + 2);
    buf_free(&b);
    json_decref(summary);
}

/* Threads that hardly did anything are behind a line, and not among those side by side. */
TEST(idle_threads)
{
    const struct record r = pages_record("x");
    json_t *summary = pages_summary(4, "worker"), *tracks = json_object_get(summary, "tracks");
    struct buf b = {0};

    for (size_t i = 2; i < 4; i++)
        json_object_set_new(json_object_get(json_array_get(tracks, i), "totals"), "cpu", json_integer(100));
    pages_add_whole(summary);
    pages_put_workspace(&b, &r, summary, "100", "value=cpu");
    const char *page = markup_text(&b);
    pages_check(page);
    const char *idle = strstr(page, "<details class=\"idle\"><summary>2 idle ");
    assert_non_null(idle);
    assert_true(idle > strstr(page, "data-track=\"101\"") && idle < strstr(page, "data-track=\"102\""));
    assert_non_null(strstr(page, "/t/100,101?value=cpu\">All but the idle ones"));
    buf_free(&b);
    json_decref(summary);
}

/* A track of a process, with its weight in us. */
static void add_of_process(json_t *summary, const char *name, const char *process, int weight_us)
{
    json_t *tracks = json_object_get(summary, "tracks");
    json_t *track = pages_track((int)json_array_size(tracks), name);

    json_object_set_new(json_object_get(track, "totals"), "cpu", json_integer(weight_us));
    json_object_set_new(track, "group", json_string(process));
    json_array_append_new(tracks, track);
}

/* Threads of the main thread's process stand first; behind a line each those of others, the heaviest first. */
TEST(processes)
{
    static const char *const ALL[] = {
        "<ul data-process=\"com.app\">\n<li><a data-track=\"3\"",
        "<li data-process=\"/bin/&lt;ui&gt;\"><details open><summary>/bin/&lt;ui&gt; <span class=\"quiet\">5 threads</span>",
        "<li><details><summary>Binder:* <span class=\"quiet\">3 threads</span>",
        "<li data-process=\"kswapd\"><a data-track=\"2\"",
        "<details class=\"idle\"><summary>2 idle processes <span",
        "<li data-process=\"quiet\"><details><summary>quiet <span class=\"quiet\">1 thread</span>",
        "<li><details><summary>(no process) <span"};
    const struct record r = pages_record("x");
    json_t *summary = pages_summary(0, "");
    struct buf b = {0};

    add_of_process(summary, "Binder:7_1", "/bin/<ui>", 300000);
    add_of_process(summary, "Binder:7_2", "/bin/<ui>", 300000);
    add_of_process(summary, "kswapd", "kswapd", 90000);
    add_of_process(summary, "main", "com.app", 90000);
    add_of_process(summary, "Binder:7_3", "/bin/<ui>", 80000);
    add_of_process(summary, "RenderThread", "/bin/<ui>", 70000);
    add_of_process(summary, "RenderThread", "com.app", 60000);
    add_of_process(summary, "Binder:9_1", "com.app", 50000);
    add_of_process(summary, "Binder:9_2", "com.app", 50000);
    add_of_process(summary, "asleep", "/bin/<ui>", 1);
    add_of_process(summary, "worker", "quiet", 2);
    add_of_process(summary, "worker", "", 1);
    pages_add_whole(summary);
    pages_put_workspace(&b, &r, summary, "5", "");
    const char *page = markup_text(&b), *at = page;
    pages_check(page);
    PAGES_CHECK_ALL(page, ALL);
    for (size_t i = 0; i < sizeof(ALL) / sizeof(ALL[0]); i++) {
        assert_true(strstr(page, ALL[i]) >= at);
        at = strstr(page, ALL[i]);
    }
    assert_true(strstr(page, "data-track=\"8\"") < strstr(page, "<li data-process"));
    assert_int_equal(markup_count(page, "Binder:*"), 1); /* two of another process are no pool */
    buf_free(&b);
    json_decref(summary);
}

/* Sections are of no use where each of a few threads is of another process, or all are of one. */
TEST(processes_that_need_no_sections)
{
    static const struct {
        int n;
        bool alike, sections;
    } CASES[] = {{12, false, false}, {13, false, true}, {20, true, false}};
    const struct record r = pages_record("x");

    for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
        json_t *summary = pages_summary(0, "");
        struct buf b = {0};
        for (int k = 0; k < CASES[i].n; k++) {
            char name[8] = {(char)('a' + k)};
            add_of_process(summary, name, CASES[i].alike ? "app" : name, 1000 - k);
        }
        pages_add_whole(summary);
        pages_put_workspace(&b, &r, summary, "0", "");
        const char *page = markup_text(&b);
        pages_check(page);
        assert_int_equal(markup_count(page, " data-process=\""), CASES[i].sections ? CASES[i].n : 0);
        buf_free(&b);
        json_decref(summary);
    }
}

/* Of one thread that has times; on the page of a chart only what has one can be chosen. */
TEST(chart_is_offered_where_there_is_one)
{
    static const struct {
        const char *unit, *track, *query;
        int charts, sets;
    } CASES[] = {{"us", "100", "", 1, 2},     {"us", "all", "", 0, 2},    {"us", "merged", "", 0, 2},
                 {"us", "100,101", "", 0, 2}, {"count", "100", "", 0, 2}, {"us", "100", "view=chart", 1, 0}};
    const struct record r = pages_record("x");

    for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
        json_t *summary = pages_summary(3, "main"), *value;
        struct buf b = {0};
        size_t at;

        json_array_foreach (json_object_get(summary, "values"), at, value)
            json_object_set_new(value, "unit", json_string(CASES[i].unit));
        json_object_set_new(summary, "timed", json_boolean(strcmp(CASES[i].unit, "us") == 0));
        pages_put_workspace(&b, &r, summary, CASES[i].track, CASES[i].query);
        const char *page = markup_text(&b);
        pages_check(page);
        assert_int_equal(markup_count(page, "<option value=\"chart\""), CASES[i].charts);
        assert_int_equal(markup_count(page, "data-track=\"all\"") +
                             markup_count(page, "data-track=\"merged\""),
                         CASES[i].sets);
        buf_free(&b);
        json_decref(summary);
    }
}

TEST(what_is_shown)
{
    static const struct {
        const char *track, *shown;
    } CASES[] = {{"100", "Thread 100"},
                 {"9", "Thread 9"},
                 {"all", "All threads side by side"},
                 {"merged", "All threads merged"},
                 {"100,102", "2 threads side by side"}};
    const struct record r = pages_record("");
    json_t *summary = pages_summary(3, "");

    for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
        char shown[80];
        struct buf b = {0};
        pages_put_workspace(&b, &r, summary, CASES[i].track, "value=a%20<b>");
        const char *page = markup_text(&b);
        pages_check(page);
        snprintf(shown, sizeof(shown), "<span class=\"shown\">%s</span>", CASES[i].shown);
        assert_non_null(strstr(page, shown));
        assert_non_null(strstr(page, ".svg?value=a%2520%3Cb%3E&amp;about=link\""));
        buf_free(&b);
    }
    json_decref(summary);
}

/* Each filter can be taken out, or change places with its neighbours; expressions of one text are shown as it. */
TEST(filters)
{
    static const char *const PARTS[] = {
        "<li class=\"chip\"><span title=\"hide=package:/^a\\.b$/\">hide package:a.b</span>",
        "<span title=\"focus=/^&lt;c&gt;.$/\">focus /^&lt;c&gt;.$/</span>",
        "<span title=\"preset=hide-idle\">hide idle</span>",
        "<a class=\"place\" href=\"../../../p/" PAGES_ID
        "/t/100?hide=package%3A%2F%5Ea%5C.b%24%2F&amp;preset=hide-idle\" aria-label=\"Remove the filter: "
        "focus "
        "/^&lt;c&gt;.$/\" title=\"Remove the filter\">",
        "/t/100?focus=%2F%5E%3Cc%3E.%24%2F&amp;hide=package%3A%2F%5Ea%5C.b%24%2F&amp;preset=hide-idle\" "
        "aria-label=\"Apply later: hide package:a.b\"",
        "/t/100?hide=package%3A%2F%5Ea%5C.b%24%2F&amp;preset=hide-idle&amp;focus=%2F%5E%3Cc%3E.%24%2F\" "
        "aria-label=\"Apply earlier: hide idle\"",
        "<form class=\"adds\" method=\"get\" action=\"../../../p/" PAGES_ID
        "/t\">\n<input type=\"hidden\" name=\"track\" value=\"100\">\n<input type=\"hidden\" name=\"hide\" "
        "value=\"package:/^a\\.b$/\">\n<input type=\"hidden\" name=\"focus\"",
        "<option value=\"collapse-all\">"};
    const struct record r = pages_record("x");
    json_t *summary = pages_summary(2, "main");
    struct buf b = {0};

    pages_put_workspace(&b, &r, summary, "100", "hide=package:/^a\\.b$/&focus=/^<c>.$/&preset=hide-idle");
    const char *page = markup_text(&b);
    pages_check(page);
    PAGES_CHECK_ALL(page, PARTS);
    assert_int_equal(markup_count(page, "title=\"Apply earlier\""), 2);
    assert_int_equal(markup_count(page, "title=\"Apply later\""), 2);
    buf_free(&b);
    pages_put_workspace(&b, &r, summary, "100", "view=chart&hide=a.b");
    assert_int_equal(markup_count(markup_text(&b), "class=\"adds\""), 1);
    assert_int_equal(markup_count(markup_text(&b), "aria-label=\"Remove the filter: hide a.b\""), 1);
    buf_free(&b);
    json_decref(summary);
}

/* A picture that cannot be made leaves the rest as it is. */
TEST(without_a_picture)
{
    const struct record r = pages_record("x");
    json_t *summary = pages_summary(1, "main");
    struct diag diag = {.kind = DIAG_LIMIT, .title = "<large>", .detail = "Much & more.", .hint = "Choose."};
    struct view_options o;
    struct buf b = {0};

    view_defaults(&o);
    page_workspace(&b, &(struct page_workspace){.config = &(struct config){0},
                                                .record = &r,
                                                .summary = summary,
                                                .root = STR("../"),
                                                .options = &o,
                                                .rows = &PAGES_NO_ROWS,
                                                .track = STR("all"),
                                                .trouble = &diag});
    const char *page = markup_text(&b);
    pages_check(page);
    assert_non_null(strstr(page, "<strong>&lt;large&gt;</strong>: Much &amp; more. Choose."));
    assert_non_null(strstr(page, "<summary>1 warning</summary>"));
    buf_free(&b);
    json_decref(summary);
}

TEST(hostile_names)
{
    const struct record r = pages_record(HOSTILE);
    json_t *summary = pages_summary(14, HOSTILE "1");
    struct buf b = {0};

    pages_put_workspace(&b, &r, summary, "101", "");
    const char *page = markup_text(&b);
    pages_check(page);
    assert_non_null(strstr(page, "&lt;script&gt;"));
    assert_non_null(strstr(page, "<li><details>"));
    buf_free(&b);
    json_decref(summary);
    page_delete(&b, &r, false);
    pages_check(markup_text(&b));
    buf_free(&b);
    page_deleted(&b, STR("../"), &r);
    pages_check(markup_text(&b));
    buf_free(&b);
}

TEST(problems_are_escaped)
{
    struct exchange x = {.id = "9f3c21ab-17", .path = STR("/p/x"), .profile = STR(HOSTILE)};

    reply_init(&x.reply);
    page_problem(&x, &(struct problem){415, STR(HOSTILE), STR(HOSTILE), STR(HOSTILE), NULL});
    const char *page = markup_text(&x.reply.body);
    pages_check(page);
    assert_non_null(strstr(page, "9f3c21ab-17"));
    assert_int_equal(x.reply.status, 415);
    reply_free(&x.reply);
}

TEST(delete_without_a_token_asks_for_it)
{
    const struct record r = pages_record("x");
    struct buf b = {0};

    page_delete(&b, &r, false);
    const char *page = markup_text(&b);
    pages_check(page);
    assert_non_null(strstr(page, "<label for=\"token\">"));
    assert_non_null(strstr(page, "action=\"delete\""));
    buf_free(&b);
}

TEST(roots)
{
    assert_true(str_eq(page_root(STR("/")), STR("./")));
    assert_true(str_eq(page_root(STR("")), STR("./")));
    assert_true(str_eq(page_root(STR("/uploads")), STR("./")));
    assert_true(str_eq(page_root(STR("/p/x")), STR("../")));
    assert_true(str_eq(page_root(STR("/p/x/t/1")), STR("../../../")));
    assert_int_equal(page_root(STR("////////////////////////////////")).n % 3, 0);
}

/* A page stays a page: of very many tracks some are named in the JSON only. */
TEST(many_tracks)
{
    const struct record r = pages_record("");
    json_t *summary = pages_summary(3, "");
    json_t *whole = json_object_get(summary, "whole");
    struct buf b = {0};

    json_object_set_new(whole, "tracks", json_integer(12000));
    pages_put_workspace(&b, &r, summary, "100", "");
    const char *page = markup_text(&b);
    pages_check(page);
    assert_non_null(strstr(page, "And 11,997 more"));
    assert_int_equal(markup_count(page, "(no name)"), 3);
    assert_non_null(strstr(page, "Profile without a name"));
    buf_free(&b);
    json_decref(summary);
}

TEST(summaries_of_another_shape)
{
    static const char *const ALL[] = {
        "{}", "[]", "{\"tracks\": 7, \"values\": {}, \"facts\": [], \"warnings\": \"x\", \"weight\": 3}",
        "{\"tracks\": [null, 5, {\"id\": -1, \"name\": 9, \"totals\": [1]}], \"values\": [1, {}], \"facts\": "
        "{\"vm\": 2}, \"weight\": \"\", \"derived\": [null, {\"name\": 1}],"
        " \"warnings\": [null]}",
        "{\"tracks\": [{\"id\": 1, \"totals\": {\"w\": -5}}], \"values\": [{\"name\": \"w\", \"unit\": "
        "\"ns\"}], \"weight\": \"w\","
        " \"facts\": {\"elapsed_us\": \"18446744073709551615\", \"start_us\": \"soon\", \"pid\": \"\"}}"};
    const struct record r = pages_record("x");

    for (size_t i = 0; i < sizeof(ALL) / sizeof(ALL[0]); i++) {
        json_t *summary = json_loads(ALL[i], 0, NULL);
        struct buf b = {0};
        assert_non_null(summary);
        pages_put_workspace(&b, &r, summary, "1", "");
        pages_check(markup_text(&b));
        buf_free(&b);
        json_decref(summary);
    }
}

TEST(headers)
{
    struct reply r;

    reply_init(&r);
    page_headers(&r);
    const char *policy = reply_header_value(&r, "Content-Security-Policy");
    assert_non_null(policy);
    assert_null(strstr(policy, "unsafe"));
    assert_non_null(strstr(policy, "default-src 'none'"));
    assert_non_null(strstr(policy, "frame-ancestors 'none'"));
    assert_non_null(strstr(policy, "base-uri 'none'"));
    assert_string_equal(reply_header_value(&r, "Referrer-Policy"), "same-origin");
    assert_string_equal(reply_header_value(&r, "Cache-Control"), "private, no-cache");
    reply_free(&r);
}

TEST(static_files)
{
    struct buf b = {0};
    struct static_file file;

    static_path(&b, STR("app.css"));
    struct str rest = buf_view(&b), part, hash;
    assert_true(str_starts(rest, STR("static/")));
    rest = (struct str){rest.p + 7, rest.n - 7};
    assert_true(str_split(&rest, '/', &hash));
    assert_true(str_split(&rest, '/', &part));
    assert_int_equal(hash.n, 16);
    assert_true(str_eq(part, STR("app.css")));
    assert_true(static_find(hash, part, &file));
    assert_true(str_starts(file.media_type, STR("text/css")));
    assert_true(str_find_str(file.bytes, STR("prefers-color-scheme: dark")) < file.bytes.n);
    assert_false(static_find(STR("0000000000000000"), part, &file));
    assert_false(static_find((struct str){hash.p, 15}, part, &file));
    assert_false(static_find(hash, STR("../app.css"), &file));
    assert_false(static_find(hash, STR(""), &file));
    assert_true(
        static_find(hash, STR("flame.css"), &file)); /* all have one hash, so that they find each other */
    assert_true(str_eq(file.bytes, viewer_style()));
    assert_true(static_find(hash, STR("flame.js"), &file));
    assert_true(str_eq(file.bytes, viewer_script()));
    assert_true(static_find(hash, STR("result.js"), &file));
    assert_true(str_starts(file.media_type, STR("text/javascript")));
    buf_free(&b);
    static_path(&b, STR("nothing.css"));
    assert_int_equal(b.n, 0);
    buf_free(&b);
}
