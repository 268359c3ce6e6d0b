/* Pages of reports: the tab of methods, one method, the verdict. */
#include "tests/support/unit.h"

#include "server/pages/pages.h"
#include "tests/support/markup.h"
#include "tests/support/page_fixture.h"

#include <string.h>

/* What /methods.json answers: the numbers are real, as the service reads them. */
#define TABLE_JSON_TEXT                                                                                      \
    "{\"values\":[{\"name\":\"wall\",\"label\":\"wall "                                                      \
    "time\",\"unit\":\"us\",\"total\":4000,\"toplevel\":0}],"                                                \
    "\"sort\":\"wall_excl\",\"reversed\":false,\"present\":1900,\"matching\":1800,\"offset\":0,\"columns\":" \
    "[\"id\",\"class\",\"method\",\"signature\",\"origin\",\"calls\",\"recursive\",\"wall_incl\",\"wall_"    \
    "excl\"],"                                                                                               \
    "\"rows\":[[\"0123456789ab\",\"com.a.Foo<T>\",\"run\",\"()V\",\"app\",1234,5,3000,1000],"                \
    "[\"ba9876543210\",\"\",\"main\",\"\",\"app\",null,null,18446744073709551615,null],[],7,null]}"

/* The page as this tab, of a report that answers `json`. */
static void put_tab(struct buf *b, enum workspace_tab tab, const char *json, const struct table_request *rows)
{
    const struct record r = pages_record("x");
    json_t *summary = pages_summary(2, "main");
    json_t *methods = json_loads(json, JSON_DECODE_INT_AS_REAL, NULL);
    struct view_options o;

    assert_non_null(methods);
    view_defaults(&o);
    o.tracks = TRACKS_ALL;
    page_workspace(b, &(struct page_workspace){.config = &(struct config){0},
                                               .record = &r,
                                               .summary = summary,
                                               .root = STR("../../"),
                                               .tab = tab,
                                               .options = &o,
                                               .track = STR("all"),
                                               .report = methods,
                                               .rows = rows});
    json_decref(methods);
    json_decref(summary);
}

/* The same, looked at as every page is. Good until the buffer is freed. */
static const char *tab_page(struct buf *b, enum workspace_tab tab, const char *json,
                            const struct table_request *rows)
{
    put_tab(b, tab, json, rows);
    const char *page = markup_text(b);
    pages_check(page);
    return page;
}

static void methods(void **state)
{
    static const char *const PARTS[] = {
        "<a class=\"follows\" href=\"../../p/" PAGES_ID
        "/methods?track=all&amp;sort=wall_excl&amp;grep=%3Ca%3E\" "
        "aria-current=\"page\">Methods</a>",
        "<a class=\"place\" href=\"../../p/" PAGES_ID
        "/m/0123456789ab?track=all\" title=\"com.a.Foo&lt;T&gt;.run ()V\">Foo&lt;T&gt;.run</a> <span "
        "class=\"quiet\">com.a</span>",
        "<td>3 ms</td><td>75 %</td><td>1 ms</td><td>25 %</td><td>1,234</td><td>5</td></tr>",
        "<td>100 %</td><td>0 ns</td><td>0 %</td><td></td><td></td></tr>", /* calls are not known */
        "<th scope=\"col\" aria-sort=\"descending\"><a href=\"../../p/" PAGES_ID
        "/methods?track=all&amp;sort=-wall_excl&amp;grep=%3Ca%3E\">Excl. wall</a>",
        "data-json=\"../../p/" PAGES_ID "/methods.json?track=all&amp;sort=wall_excl\"",
        "<option value=\"method\" selected>",
        "name=\"grep\" type=\"search\" placeholder=\"name contains\" autocomplete=\"off\" "
        "spellcheck=\"false\" "
        "value=\"&lt;a&gt;\"",
        "1 to 5 of 1,800 <a href=\"../../p/" PAGES_ID
        "/methods?track=all&amp;sort=wall_excl&amp;grep=%3Ca%3E&amp;offset=200\" rel=\"next\">More rows</a>",
        "action=\"../../p/" PAGES_ID "/methods\""};
    const struct table_request rows = {.sort = "wall_excl", .grep = "<a>"};
    struct buf b = {0};

    (void)state;
    const char *page = tab_page(&b, TAB_METHODS, TABLE_JSON_TEXT, &rows);
    PAGES_CHECK_ALL(page, PARTS);
    buf_free(&b);
}

/* Rows of a group lead to its methods. */
static void methods_in_groups(void **state)
{
    static const char TABLE[] =
        "{\"columns\":[\"package\",\"calls\",\"recursive\"],\"values\":[],\"sort\":\"calls\",\"matching\":2,"
        "\"rows\":[[\"com.a&b\",5,0],[\"\",1,0]]}";
    const struct table_request rows = {.group = GROUP_PACKAGE, .offset = 300};
    struct buf b = {0};

    (void)state;
    const char *page = tab_page(&b, TAB_METHODS, TABLE, &rows);
    assert_non_null(strstr(page, "<th scope=\"row\"><a href=\"../../p/" PAGES_ID
                                 "/methods?track=all&amp;grep=com.a%26b\">com.a&amp;b</a>"));
    assert_non_null(strstr(page, "<th scope=\"row\">(none)</th>"));
    assert_non_null(strstr(page, "/methods?track=all&amp;group=package&amp;offset=100\" rel=\"prev\""));
    buf_free(&b);
}

static void one_method(void **state)
{
    static const char METHOD[] =
        "{\"id\":\"0123456789ab\",\"class\":\"com.a.Foo\",\"method\":\"<init>\",\"signature\":\"()V\","
        "\"file\":\"F.java\","
        "\"module\":\"\",\"origin\":\"app\",\"calls\":20,\"recursive\":6,"
        "\"values\":[{\"name\":\"wall\",\"unit\":\"us\",\"incl\":3000,\"excl\":1000,\"total\":4000}],"
        "\"threads\":[{\"id\":1,\"name\":\"main\",\"calls\":20,\"wall_incl\":3000,\"wall_total\":6000}],"
        "\"overloads\":[{\"id\":\"aaaaaaaaaaaa\",\"class\":\"com.a.Foo\",\"method\":\"<init>\",\"signature\":"
        "\"(I)V\"}],"
        "\"parents\":[{\"calls\":14,\"of_calls\":20,\"wall\":3000}],"
        "\"children\":[{\"id\":\"bbbbbbbbbbbb\",\"class\":\"\",\"method\":\"g\",\"signature\":\"\",\"calls\":"
        "3,\"of_calls\":4,"
        "\"wall\":1500}],\"recursive_parents\":[],\"recursive_children\":[null,3]}";
    static const char *const PARTS[] = {
        "<h2 class=\"method\">com.a.Foo.&lt;init&gt;</h2>",
        "()V F.java  app</p>",
        "/t/all?view=sandwich&amp;method=com.a.Foo.%3Cinit%3E\"",
        "<th scope=\"row\">total</th><td>3 ms</td><td>75 %</td></tr>",
        "<th scope=\"row\">self</th><td>1 ms</td><td>25 %</td></tr>",
        "<p>20 calls, of which 6 recursive</p>",
        "/m/aaaaaaaaaaaa?track=all\">(I)V</a>",
        "(toplevel)</th><td>3 ms</td><td>100 %</td><td>14/20</td>",
        "/m/bbbbbbbbbbbb?track=all\" title=\"\">g</a></th><td>1.5 ms</td><td>50 %</td><td>3/4</td>",
        "<th scope=\"row\">main</th><td>3 ms</td><td>50 %</td><td>20</td>"};
    const struct table_request rows = {.sort = ""};
    struct buf b = {0};

    (void)state;
    const char *page = tab_page(&b, TAB_METHOD, METHOD, &rows);
    PAGES_CHECK_ALL(page, PARTS);
    assert_null(strstr(page, "Callers while recursive"));
    buf_free(&b);
    for (int tab = TAB_METHODS; tab <= TAB_VERDICT; tab++) {
        put_tab(&b, (enum workspace_tab)tab,
                "{\"values\":[1,{}],\"rows\":7,\"columns\":[3],\"parents\":[[]],"
                "\"sentences\":[3,{\"parts\":[4,{\"text\":5,\"track\":\"x\"},{\"method\":true}],\"track\":"
                "\"x\"}]}",
                &rows);
        pages_check(markup_text(&b));
        buf_free(&b);
    }
}

static void durations(void **state)
{
    static const char METHOD[] =
        "{\"id\":\"0123456789ab\",\"class\":\"a.B\",\"method\":\"run\",\"calls\":3,\"recursive\":1,"
        "\"durations\":{"
        "\"calls\":2,\"clocks\":[{\"name\":\"wall\",\"min_ns\":2000,\"median_ns\":2000,\"p95_ns\":3000000,"
        "\"p99_ns\":3000000,\"max_ns\":3000000,\"mean_ns\":1501000,\"bars\":[{\"from_ns\":2000,\"to_ns\":"
        "5000,"
        "\"calls\":1},{\"from_ns\":5000,\"to_ns\":10000,\"calls\":4}],\"longest\":[{\"track\":100,\"thread\":"
        "\"<main>\",\"begin_ns\":5000000,\"wall_ns\":3000000}]},{},7]}}";
    static const char *const PARTS[] = {
        "<p>2 calls, which took from 2 µs to 3 ms, half of them no more than 2 µs. ",
        "<th scope=\"row\">95 % within</th><td>3 ms</td>",
        "2 µs to 5 µs</th><td><meter min=\"0\" max=\"4\" value=\"1\"></meter></td><td>1</td>",
        "/t/100?view=chart&amp;from=4699&amp;to=8301\">5 ms</a></th><td>3 ms</td>", "<td>&lt;main&gt;</td>"};
    struct table_request rows = {.longest = true};
    struct buf b = {0};

    (void)state;
    const char *page = tab_page(&b, TAB_METHOD, METHOD, &rows);
    PAGES_CHECK_ALL(page, PARTS);
    buf_free(&b);
    rows.longest = false;
    put_tab(&b, TAB_METHOD, "{\"id\":\"0123456789ab\",\"calls\":3}", &rows);
    assert_non_null(strstr(markup_text(&b), "<p id=\"durations\"><a class=\"place\" href=\"../../p/" PAGES_ID
                                            "/m/0123456789ab?track=all&amp;longest=1\">"));
    buf_free(&b);
}

/* Parts that name a method or a thread are links. */
static void verdict(void **state)
{
    static const char VERDICT[] =
        "{\"sentences\":[{\"text\":\"-\",\"parts\":[{\"text\":\"main\",\"track\":100},{\"text\":\" ran "
        "\"},{\"text\":\"a.b<c>.run\",\"method\":true},{\"text\":\", not a.b<c>.run of \"},{\"text\":"
        "\"worker\",\"track\":7}],\"how\":\"Looked & "
        "saw.\",\"track\":100},{\"text\":\"-\",\"parts\":[{\"text\":"
        "\"Of all. \"},{\"text\":\"f.g\",\"method\":true},{\"text\":\".\"}],\"how\":\"So.\",\"table\":"
        "\"group=package\"}]}";
    static const char LINK[] = "<a class=\"place\" href=\"../../p/" PAGES_ID "/t/100";
    static const char *const PARTS[] = {
        "<li><a class=\"place\" href=\"../../p/" PAGES_ID "/t/100\">main</a> ran <a ",
        "/t/100?view=sandwich&amp;method=a.b%3Cc%3E.run\">a.b&lt;c&gt;.run</a>, not a.b&lt;c&gt;.run of <a ",
        "/t/7\">worker</a></li>", "<li>Looked &amp; saw.</li>",
        "/t/merged?view=sandwich&amp;method=f.g\">f.g</a>. <a class=\"place\" href=\"../../p/" PAGES_ID
        "/methods?track=all&amp;group=package\">By package</a></li>"};
    const struct table_request rows = {.sort = ""};
    struct buf b = {0};

    (void)state;
    const char *page = tab_page(&b, TAB_VERDICT, VERDICT, &rows);
    PAGES_CHECK_ALL(page, PARTS);
    assert_int_equal(markup_count(page, LINK), 2);
    assert_null(strstr(page, "id=\"verdict\""));
    buf_free(&b);
    put_tab(&b, TAB_VERDICT, "{\"sentences\":[]}", &rows);
    assert_non_null(strstr(markup_text(&b), "Nothing stands out."));
    buf_free(&b);
    put_tab(&b, TAB_METHODS, TABLE_JSON_TEXT, &rows);
    assert_non_null(strstr(markup_text(&b),
                           "<p id=\"verdict\"><a class=\"place\" href=\"../../p/" PAGES_ID "/verdict\">"));
    buf_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(methods),   cmocka_unit_test(methods_in_groups), cmocka_unit_test(one_method),
        cmocka_unit_test(durations), cmocka_unit_test(verdict),
    };
    return cmocka_run_group_tests_name("pages_reports", tests, NULL, NULL);
}
