/* Pages of reports: the tab of methods, one method, the verdict. */
#include "tests/support/unit.h"

#include "server/pages/pages.h"
#include "tests/support/markup.h"
#include "tests/support/page_fixture.h"

#include <string.h>

static const char TABLE[] = "wall time, 4 ms in 2 tracks; 2 of 1,800 rows by wall_excl\n\n"
                            "  incl %  incl  excl %  excl  calls+recur  method\n"
                            "   100 %  4 ms     0 %  0 ns               (toplevel)\n"
                            "    75 %  3 ms    25 %  1 ms      1,234+5  com.a.Foo<T>.run\n"
                            "    25 %  1 ms     0 %  0 ns            1  com.a.over(I)V\n"
                            "     0 %  0 ns     0 %  0 ns            1  ns::f(int)\n";

/* The page as this tab, of which the content is this text. */
static void put_tab(struct buf *b, enum workspace_tab tab, const char *text, const struct table_request *rows)
{
    const struct record r = pages_record("x");
    json_t *summary = pages_summary(2, "main");
    json_t *verdict = tab == TAB_VERDICT ? json_loads(text, 0, NULL) : NULL;
    struct view_options o;

    view_defaults(&o);
    o.tracks = TRACKS_ALL;
    page_workspace(b, &(struct page_workspace){.config = &(struct config){0},
                                               .record = &r,
                                               .summary = summary,
                                               .root = STR("../../"),
                                               .tab = tab,
                                               .options = &o,
                                               .track = STR("all"),
                                               .told = verdict,
                                               .content = str_of(text),
                                               .method = STR("com.a.<init>"),
                                               .rows = rows});
    json_decref(verdict);
    json_decref(summary);
}

/* The same, looked at as every page is. Good until the buffer is freed. */
static const char *tab_page(struct buf *b, enum workspace_tab tab, const char *text,
                            const struct table_request *rows)
{
    put_tab(b, tab, text, rows);
    const char *page = markup_text(b);
    pages_check(page);
    return page;
}

TEST(methods)
{
    static const char *const PARTS[] = {
        "<a class=\"follows\" href=\"../../p/" PAGES_ID
        "/methods?track=all&amp;sort=wall_excl&amp;grep=%3Ca%3E\" "
        "aria-current=\"page\">Methods</a>",
        "<a class=\"place\" href=\"../../p/" PAGES_ID
        "/methods?track=all&amp;sort=wall_incl&amp;grep=%3Ca%3E\">Incl.</a>",
        "<a class=\"place\" aria-current=\"true\" href=\"../../p/" PAGES_ID
        "/methods?track=all&amp;sort=-wall_excl&amp;grep=%3Ca%3E\">Excl.</a>",
        "<pre>wall time, 4 ms in 2 tracks; 2 of 1,800 rows by wall_excl\n\n",
        "               (toplevel)\n",
        "      1,234+5  <a class=\"place\" href=\"../../p/" PAGES_ID
        "/m/com.a.Foo%3CT%3E.run?track=all\">com.a.Foo&lt;T&gt;.run</a>\n",
        "/m/com.a.over%28I%29V?track=all\">com.a.over(I)V</a>\n", /* the row's own, of several with its name */
        "/m/ns%3A%3Af%28int%29?track=all\">ns::f(int)</a></pre>",
        "data-json=\"../../p/" PAGES_ID "/methods.json?track=all&amp;sort=wall_excl\"",
        "<option value=\"method\" selected>",
        "name=\"grep\" type=\"search\" placeholder=\"name contains\" autocomplete=\"off\" "
        "spellcheck=\"false\" "
        "value=\"&lt;a&gt;\"",
        "action=\"../../p/" PAGES_ID "/methods\""};
    const struct table_request rows = {.sort = "wall_excl", .grep = "<a>"};
    struct buf b = {0};

    const char *page = tab_page(&b, TAB_METHODS, TABLE, &rows);
    PAGES_CHECK_ALL(page, PARTS);
    assert_null(strstr(page, "rel=\"next\""));
    buf_free(&b);
}

/* As many rows as a page has: there may be more. */
TEST(more_rows)
{
    const struct table_request rows = {.sort = ""};
    struct buf text = {0}, b = {0};

    buf_z(&text, "head\n\n  incl %  method\n   100 %  (toplevel)\n");
    for (int i = 0; i < METHODS_PAGE_ROWS; i++)
        buf_printf(&text, "     1 %%  a.m%d\n", i);
    const char *page = tab_page(&b, TAB_METHODS, markup_text(&text), &rows);
    assert_non_null(strstr(page, "/methods?track=all&amp;offset=200\" rel=\"next\">More rows</a>"));
    buf_free(&b);
    buf_free(&text);
}

/* Rows of a group lead to its methods. */
TEST(methods_in_groups)
{
    static const char GROUPS[] = "head\n\n  calls  package\n      5  com.a&b\n      1  (no package)\n";
    const struct table_request rows = {.group = GROUP_PACKAGE, .offset = 300};
    struct buf b = {0};

    const char *page = tab_page(&b, TAB_METHODS, GROUPS, &rows);
    assert_non_null(strstr(page, "      5  <a class=\"place\" href=\"../../p/" PAGES_ID
                                 "/methods?track=all&amp;grep=com.a%26b\">com.a&amp;b</a>\n"));
    assert_non_null(strstr(page, "      1  (no package)</pre>"));
    assert_non_null(strstr(page, "/methods?track=all&amp;group=package&amp;offset=100\" rel=\"prev\""));
    buf_free(&b);
}

TEST(one_method)
{
    static const char METHOD[] =
        "com.a.Foo.<init>()V\n\n                  wall\ninclusive         3 ms\n"
        "calls     20, and 6 recursive\n\n"
        "called by\n       100 %         3 ms  (the thread)\n\n"
        "calls\n        50 %       1.5 ms  com.b.g(Ljava/lang/String;)V\n  and 3 more\n";
    static const char *const PARTS[] = {
        "data-json=\"../../p/" PAGES_ID "/m/com.a.%3Cinit%3E.json?track=all&amp;limit=200\"",
        "/t/all?view=sandwich&amp;method=com.a.Foo.%3Cinit%3E\"",
        "hide=package%3A%2F%5Ecom%5C.a%24%2F\">Hide package</a>",
        "/m/com.a.%3Cinit%3E?track=all&amp;longest=1\">Call durations</a>",
        "<pre>com.a.Foo.&lt;init&gt;()V\n\n                  wall\n",
        "         3 ms  (the thread)\n",
        "/m/com.b.g%28Ljava.lang.String%3B%29V?track=all\">com.b.g(Ljava/lang/String;)V</a>\n",
        "/m/com.a.%3Cinit%3E?track=all&amp;limit=1000000\">All</a>"};
    static const char *const VERDICTS[] = {
        "{\"sentences\":[3,{\"parts\":[4,{\"text\":5,\"track\":\"x\"},{\"method\":true}],\"track\":\"x\"}]}",
        "{\"sentences\":7}", "[]"};
    struct table_request rows = {.sort = "", .limit = 200};
    struct buf b = {0};

    const char *page = tab_page(&b, TAB_METHOD, METHOD, &rows);
    PAGES_CHECK_ALL(page, PARTS);
    buf_free(&b);
    rows.longest = true;
    assert_null(strstr(tab_page(&b, TAB_METHOD, METHOD, &rows), "longest=1"));
    buf_free(&b);
    for (size_t i = 0; i < sizeof(VERDICTS) / sizeof(VERDICTS[0]); i++) {
        (void)tab_page(&b, TAB_VERDICT, VERDICTS[i], &rows);
        buf_free(&b);
    }
}

/* Whatever the text is. */
TEST(odd_texts)
{
    static const char *const TEXTS[] = {
        "", "\n", " ", "  ", " \n  ", "a\n  \n\n  <\n", "calls\n  (\n  )V\n  ()V\n)(V"};
    const struct table_request rows = {.sort = "-"};
    struct buf b = {0};

    for (size_t i = 0; i < sizeof(TEXTS) / sizeof(TEXTS[0]); i++)
        for (int tab = TAB_METHODS; tab <= TAB_METHOD; tab++) {
            (void)tab_page(&b, (enum workspace_tab)tab, TEXTS[i], &rows);
            buf_free(&b);
        }
}

/* Parts that name a method or a thread are links. */
TEST(verdict)
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

    const char *page = tab_page(&b, TAB_VERDICT, VERDICT, &rows);
    PAGES_CHECK_ALL(page, PARTS);
    assert_int_equal(markup_count(page, LINK), 2);
    assert_null(strstr(page, "id=\"verdict\""));
    buf_free(&b);
    put_tab(&b, TAB_VERDICT, "{\"sentences\":[]}", &rows);
    assert_non_null(strstr(markup_text(&b), "Nothing stands out."));
    buf_free(&b);
    put_tab(&b, TAB_METHODS, TABLE, &rows);
    assert_non_null(strstr(markup_text(&b),
                           "<p id=\"verdict\"><a class=\"place\" href=\"../../p/" PAGES_ID "/verdict\">"));
    buf_free(&b);
}
