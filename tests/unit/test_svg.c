/* Output "svg": what is written where, well-formed for every name, the same bytes every time. */
#include "tests/support/unit.h"

#include <stdio.h>
#include <string.h>

#include "render/svg/svg_header.h"
#include "render/svg/viewer.h"
#include "tests/support/fake_profile.h"
#include "tests/support/markup.h"
#include "tests/support/rendering.h"
#include "tests/support/svg_xml.h"

static const char *draw(struct rendering *r)
{
    assert_true(rendering_run(r, &OUTPUT_SVG));
    svg_xml_check(buf_view(&r->out));
    return rendering_text(r);
}

static void has(const char *svg, const char *part)
{
    if (strstr(svg, part) == NULL)
        print_message("not there: %s\n", part);
    assert_non_null(strstr(svg, part));
}

/* --- what is written --- */

static struct fake *small(void)
{
    struct fake *f = fake_new();

    fake_usual_values(f);
    fake_track(f, 21491, STR("main"));
    fake_stack(f, "", 100000, 0, 0);
    fake_stack(f, "com.example.Foo.bar(ILjava/lang/String;)V", 1200000, 0, 1222);
    fake_stack(f, "com.example.Foo.bar(ILjava/lang/String;)V;a.B.<init>()V", 300000, 200000, 10);
    fake_stack(f, "com.example.Foo.bar(ILjava/lang/String;)V;a.B.<init>()V;a.B.<init>()V", 400000, 200000,
               1234);
    fake_stack(f, "com.example.Foo.tiny()V", 100, 0, 1);
    return f;
}

TEST(one_frame)
{
    struct rendering r;

    rendering_of(&r, small());
    const char *svg = draw(&r);
    has(svg, "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"af\" role=\"img\" "
             "aria-label=\"main (21491) · wall · 2.0001 ms\" width=\"1200\" height=\"");
    has(svg, ">main (21491) · wall · 2.0001 ms</text>");
    has(svg, " data-nodes=\"4\" data-embedded=\"4\">");
    has(svg, ">3 of 4 frames drawn; 99.9 % of the time</text>");
    has(svg, "<rect class=\"o0\" x=\"10\" y=\"50\" width=\"11\" height=\"11\"/>"
             "<text x=\"26\" y=\"60\">app: com.example</text>"); /* nothing of the app's calls it */
    has(svg, "<g><title>com.example.Foo.bar(ILjava/lang/String;)V\n"
             "total 1.9 ms (95 % of thread, 95 % of parent), self 1.2 ms\n"
             "calls 1,222</title><rect class=\"o0\" x=");
    has(svg, "<title>a.B.&lt;init&gt;()V\ntotal 400 µs (20 % of thread, 57.1 % of parent), self 400 µs\n"
             "calls 1,234 (1,234 recursive)</title>");
    has(svg, "<title>main (21491)\ntotal 2 ms, self 100 µs</title><rect class=\"cr\" x=\"10\"");
    has(svg, ">com.example.Foo.bar</text>");
    has(svg, ">a.B.&lt;init&gt;</text>");
    assert_null(strstr(svg, ".tiny")); /* which the data have behind a tab */
    assert_int_equal(markup_count(svg, "tiny"), 1);
    assert_int_equal(markup_count(svg, "<script"), 1);
    assert_int_equal(markup_count(svg, "<g><title>"), 4);
    assert_int_equal(markup_count(svg, "height=\"15\""), 4);
    rendering_free(&r);
}

/* The root is at the bottom of a flame graph and on top of an icicle. */
TEST(both_ways_up)
{
    struct rendering r;

    rendering_of(&r, small());
    const char *svg = draw(&r);
    has(svg, "viewBox=\"0 0 1200 144\"");
    has(svg, "<rect class=\"cr\" x=\"10\" y=\"118\" width=\"1180\" height=\"15\"/><text x=\"13\" y=\"129\">");
    r.view.view = VIEW_ICICLE;
    svg = draw(&r);
    has(svg, "<rect class=\"cr\" x=\"10\" y=\"70\" width=\"1180\" height=\"15\"/><text x=\"13\" y=\"81\">");
    rendering_free(&r);
}

/* Of wall time alone, since no other value changes. */
TEST(methods_that_last_to_the_end)
{
    struct rendering r;

    rendering_of(&r, small());
    r.view.open = OPEN_END;
    const char *svg = draw(&r);
    has(svg, "main (21491) · wall, unfinished calls until the end of the trace · ");
    has(svg, "\"label\":\"wall, unfinished calls until the end of the trace\"");
    strcpy(r.view.value, "cpu");
    svg = draw(&r);
    has(svg, "main (21491) · cpu · ");
    rendering_free(&r);
}

TEST(several_tracks)
{
    struct fake *f = small();
    struct rendering r;

    fake_track(f, 21500, STR("Render<Thread>"));
    fake_stack(f, "a.B.<init>()V", 2000100, 0, 5);
    rendering_of(&r, f);
    r.view.tracks = TRACKS_ALL;
    const char *svg = draw(&r);
    has(svg, ">all 2 threads · wall · 4.0002 ms</text>");
    has(svg,
        "<title>[Render&lt;Thread&gt; tid=21500]\ntotal 2 ms (50 % of all, 50 % of parent), self 0 ns</title>"
        "<rect class=\"cr\"");
    has(svg, "total 2 ms (50 % of all, 100 % of parent)");
    assert_int_equal(markup_count(svg, "of thread"), 0);
    has(svg, "of 7 frames drawn;");
    r.view.tracks = TRACKS_MERGED;
    svg = draw(&r);
    has(svg, ">all 2 threads, merged · wall · 4.0002 ms</text>");
    has(svg, "total 2 ms (50 % of all, 50 % of parent)");
    has(svg, "of 5 frames drawn;");
    rendering_free(&r);
}

TEST(other_values)
{
    struct fake *f = small();
    struct rendering r;

    fake_track(f, 21500, STR("idle"));
    fake_stack(f, "a", 5, 0, 1);
    rendering_of(&r, f);
    strcpy(r.view.value, "calls");
    has(draw(&r), "total 2,466 (99.9 % of thread, 99.9 % of parent), self 1,222\ncalls 1,222<");
    strcpy(r.view.value, "waiting");
    has(draw(&r), "main (21491) · waiting time · 1.5001 ms");
    strcpy(r.view.value, "cpu");
    r.view.track_ids[0] = 21500;
    const char *svg = draw(&r);
    has(svg, "idle (21500) · cpu · 0 ns");
    has(svg, ">nothing recorded for this value</text>");
    assert_int_equal(markup_count(svg, "<g><title>"), 0);
    assert_int_equal(markup_count(svg, "<g class=\"f\">"), 0);
    rendering_free(&r);
}

TEST(warnings)
{
    struct fake *f = small();
    struct rendering r;
    char lengthy[301];

    memset(lengthy, 'x', sizeof(lengthy) - 1);
    lengthy[sizeof(lengthy) - 1] = '\0';
    fake_warning(f, "a", STR("First <one>."));
    fake_warning(f, "b", str_of(lengthy));
    fake_warning(f, "c", STR("Third."));
    rendering_init(&r, fake_finish(f));
    const char *svg = draw(&r);
    has(svg, ">First &lt;one&gt;.</text>");
    has(svg, "xx..</text>");
    has(svg, "<title>xxx");
    has(svg, ">Third.</text>");
    assert_null(strstr(svg, "more warning"));
    rendering_free(&r);
    fake_free(f);

    f = small();
    for (int i = 0; i < 5; i++)
        fake_warning(f, "a", STR("Again."));
    rendering_init(&r, fake_finish(f));
    svg = draw(&r);
    has(svg, "<title>Again. Again.</title>and 2 more warnings</text>");
    assert_int_equal(markup_count(svg, ">Again.</text>"), 3);
    rendering_free(&r);
    fake_free(f);
}

TEST(long_names)
{
    struct fake *f = fake_new();
    struct rendering r;
    char name[401];

    memset(name, 'n', sizeof(name) - 1);
    name[sizeof(name) - 1] = '\0';
    fake_usual_values(f);
    fake_track(f, 7, str_of(name));
    fake_stack(f, name, 1000000, 0, 1);
    rendering_init(&r, fake_finish(f));
    const char *svg = draw(&r);
    has(svg, "nn.. (7) · wall · 1 ms</text>");
    has(svg, "nn (7) · wall · 1 ms</title>");
    /* 1180 px less two pads of 3 are 163 cells: 161 letters and the two dots. */
    char drawn[200] = ">";
    memset(drawn + 1, 'n', 161);
    strcpy(drawn + 162, "..</text>");
    has(svg, drawn);
    r.view.width_px = 200;
    draw(&r);
    r.view.width_px = 10000;
    has(draw(&r), "nn (7) · wall · 1 ms</text>");
    rendering_free(&r);
    fake_free(f);

    /* Longer than any method that can be asked for: the busiest one is shown nevertheless. */
    char method[700] = "callers and callees of ";
    size_t before = strlen(method);
    memset(method + before, 'm', sizeof(method) - before);
    method[sizeof(method) - 1] = '\0';
    f = fake_new();
    fake_usual_values(f);
    fake_track(f, 7, STR("main"));
    fake_stack(f, method + before, 1000000, 0, 1);
    rendering_init(&r, fake_finish(f));
    r.view.view = VIEW_SANDWICH;
    svg = draw(&r);
    has(svg, method);
    has(svg, "m: 1 ms (100 % of the time)</title>callers and callees of mmm");
    rendering_free(&r);
    fake_free(f);
}

/* Overloads are told apart where they stand side by side, and only there. */
TEST(overloads)
{
    struct fake *f = fake_thread(STR("t"));
    struct rendering r;

    fake_stack(f, "a.B.m(I)V;a.B.m(J)V", 100, 0, 1); /* one calls the other */
    fake_stack(f, "a.B.x(I)V;a.B.m(I)V", 100, 0, 1);
    fake_stack(f, "a.B.m(Ljava/lang/String;)V", 100, 0, 1);
    fake_stack(f, "a.B.x(I)V;a.B.one(D)V", 100, 0, 1);
    rendering_of(&r, f);
    for (unsigned order = ORDER_NAME; order <= ORDER_WEIGHT; order++) {
        r.view.order = (enum view_order)order;
        const char *svg = draw(&r);
        assert_int_equal(markup_count(svg, ">a.B.m(int)</text>"), 1);
        assert_int_equal(markup_count(svg, ">a.B.m(String)</text>"), 1);
        has(svg, ">a.B.one</text>");
        assert_int_equal(markup_count(svg, ">a.B.m</text>"), 2); /* below x, and below m */
    }
    r.view.names = NAMES_FULL;
    has(draw(&r), ">a.B.m(String)</text>");
    rendering_free(&r);
}

TEST(hostile_names)
{
    static const struct str NAMES[] = {
        STR_INIT("]]><script>alert(1)</script>"),
        STR_INIT("</title><style>*{}"),
        STR_INIT("\"'&<>"),
        STR_INIT("\0\x01\x08\x0b\x1f\x7f"),
        STR_INIT("\xc2\x80\xff\xfe\xc0\xaf\xed\xa0\x80\xf5"),
        STR_INIT("\xe2\x80\xae\xef\xbf\xbf\xef\xbb\xbf\r\n\t"),
        STR_INIT("&lt;&#0;&nbsp;"),
        STR_INIT(""),
        STR_INIT("<!--"),
        STR_INIT("<![CDATA["),
        STR_INIT("<?xml?>"),
        STR_INIT("\xf0\x9f"),
    };
    enum { N = sizeof(NAMES) / sizeof(NAMES[0]) };
    const uint64_t one[3] = {1000, 5, 1};

    for (size_t i = 0; i < N; i++) {
        struct fake *f = fake_new();
        struct rendering r;
        fake_usual_values(f);
        fake_track(f, 1, NAMES[i]);
        uint32_t root = fake_track(f, 2, NAMES[i]);
        for (size_t j = 0; j < N; j++)
            fake_child(f, root, fake_frame(f, NAMES[i], NAMES[j], NAMES[(i + j) % N]), one);
        fake_warning(f, "w", NAMES[i]);
        rendering_init(&r, fake_finish(f));
        for (uint32_t width = 200; width <= 10000; width *= 2) {
            r.view.width_px = width;
            for (int mode = 0; mode < 3; mode++) {
                r.view.tracks = (enum view_tracks)mode;
                draw(&r);
            }
        }
        rendering_free(&r);
        fake_free(f);
    }
}

TEST(same_bytes)
{
    struct fake *f = small(), *g = small();
    struct rendering r, s;

    rendering_init(&r, fake_finish(f));
    rendering_init(&s, fake_finish(g));
    draw(&r);
    draw(&s);
    assert_int_equal(r.out.n, s.out.n);
    assert_memory_equal(r.out.p, s.out.p, r.out.n);
    rendering_free(&r);
    rendering_free(&s);
    fake_free(f);
    fake_free(g);
}

/* What the script shows has all legends, values and warnings, escaped; a chart is offered of one thread. */
TEST(controls)
{
    struct fake *f = fake_new();
    struct rendering r;

    fake_usual_values(f);
    fake_track(f, 99, STR("<other>"));
    fake_stack(f, "android.os.Looper.loop()V", 9000, 0, 1);
    for (int i = 0; i < 5; i++)
        fake_warning(f, "code", STR("less < \"more\""));
    rendering_of(&r, f);
    const char *svg = draw(&r);
    has(svg, "<g class=\"live\" display=\"none\">");
    has(svg, "<p>less &lt; &#34;more&#34;</p><p>less &lt; &#34;more&#34;</p></div>");
    has(svg, "<option class=\"service\">chart</option></select>");
    has(svg, "<option value=\"wall\">wall</option>");
    has(svg, "<option value=\"waiting\">waiting time</option></select>");
    has(svg, "<p class=\"legend origin\"><span><svg ");
    has(svg, "<p class=\"legend package\"><span><svg ");
    has(svg, "<rect class=\"h7\" width=\"11\" height=\"11\"/></svg> most self</span></p>");
    has(svg, "<p class=\"legend classic\"><span>classic: the colours mean nothing</span></p>");
    assert_null(strstr(svg, "<?"));
    r.view.tracks = TRACKS_MERGED;
    assert_null(strstr(draw(&r), ">chart<"));
    r.view.tracks = TRACKS_ALL;
    assert_null(strstr(draw(&r), ">chart<"));
    rendering_free(&r);
}

/* Style and script stand in it as they are served as files; pages can leave them out. */
TEST(code_in_it)
{
    struct fake *f = small();
    struct rendering r;
    struct buf expected = {0};

    rendering_of(&r, f);
    draw(&r);
    struct str svg = buf_view(&r.out);
    if (svg.p[svg.n - 1] == '\0')
        svg.n--;
    buf_str(&expected, STR("<style><![CDATA["));
    buf_str(&expected, viewer_style());
    buf_str(&expected, STR("]]></style>\n"));
    assert_true(str_find_str(svg, buf_view(&expected)) < svg.n);
    buf_clear(&expected);
    buf_str(&expected, STR("</metadata>\n<script><![CDATA["));
    buf_str(&expected, viewer_script());
    buf_str(&expected, STR("]]></script>\n<g class=\"f\">\n"));
    assert_true(str_find_str(svg, buf_view(&expected)) < svg.n);
    buf_clear(&expected);
    struct svg_parts parts = svg_without_code(svg);
    for (int i = 0; i < SVG_PIECES; i++)
        buf_str(&expected, parts.pieces[i]);
    struct str left = buf_view(&expected);
    assert_int_equal(str_find_str(left, STR("<style")), left.n);
    assert_int_equal(str_find_str(left, STR("<script")), left.n);
    assert_int_equal(left.n, svg.n - viewer_style().n - viewer_script().n -
                                 strlen("<style><![CDATA[]]></style>\n") -
                                 strlen("<script><![CDATA[]]></script>\n"));
    svg_xml_check(left);
    assert_true(str_starts(parts.pieces[SVG_DRAWING], STR("<g class=\"f\">\n")));
    svg_xml_check(parts.pieces[SVG_DRAWING]);
    assert_true(str_starts(left, STR("<svg ")) && str_ends(left, STR("</g>\n</svg>\n")));
    buf_free(&expected);
    rendering_free(&r);
}

/* What is left out of the picture is said; the data have it. */
TEST(more_than_can_be_drawn)
{
    struct fake *f = fake_new();
    struct rendering r;
    const uint64_t none[3] = {0}, one[3] = {1000, 0, 1};

    fake_usual_values(f);
    frame_id frame = fake_frame(f, STR("a.B"), STR("c"), STR("()V"));
    uint32_t node = fake_track(f, 1, STR("deep"));
    for (int i = 0; i < 3000; i++)
        node = fake_child(f, node, frame, i == 2999 ? one : none);
    uint32_t root = fake_track(f, 2, STR("towers"));
    for (int i = 0; i < 1000; i++) {
        node = root;
        for (int j = 0; j < 150; j++)
            node = fake_child(f, node, frame, j == 149 ? one : none);
    }
    rendering_of(&r, f);
    r.view.track_ids[0] = 1;
    r.view.n_track_ids = 1;
    has(draw(&r), ">1,999 of 3,000 frames drawn; 0 % of the time</text>");
    r.view.track_ids[0] = 2;
    r.view.width_px = 10000;
    r.view.embed_nodes = 1500;
    const char *svg = draw(&r);
    has(svg, " data-nodes=\"150000\" data-embedded=\"1500\">");
    has(svg, ">1,999 of 150,000 frames drawn; 1.3 % of the time; no more than 2,000 are drawn "
             "without the script</text>");
    assert_int_equal(markup_count(svg, "<g><title>"), 2000);
    rendering_free(&r);
}

/* --- other views --- */

TEST(bottom_up)
{
    struct rendering r;

    rendering_of(&r, small());
    r.view.view = VIEW_INVERTED;
    const char *svg = draw(&r);
    has(svg, "frames drawn; ");
    /* All of a.B's own time, and who called it: the outermost frame on top. */
    has(svg, "<title>a.B.&lt;init&gt;()V\ntotal 700 µs (35 % of thread, 35 % of parent), the method's self "
             "700 µs\ncalls "
             "1,244</title>");
    has(svg, "<title>com.example.Foo.bar(ILjava/lang/String;)V\ntotal 300 µs (15 % of thread, 42.9 % of "
             "parent), the method's self 1.2 ms\ncalls 10</title>");
    has(svg, "\"view\":\"inverted\"");
    has(svg, " data-nodes=\"4\" data-embedded=\"4\">"); /* the data are the same */
    rendering_free(&r);
}

TEST(around_one_method)
{
    struct rendering r;

    rendering_of(&r, small());
    r.view.view = VIEW_SANDWICH;
    strcpy(r.view.method, "a.B.<init>");
    const char *svg = draw(&r);
    has(svg, ">callers and callees of a.B.&lt;init&gt;: 700 µs (35 % of the time)</text>");
    has(svg, ">3 of 3 frames drawn; 100 % of the time</text>");
    assert_int_equal(markup_count(svg, "<g><title>"), 3);
    /* The method once, its caller above, its callee below. */
    has(svg, "<title>com.example.Foo.bar(ILjava/lang/String;)V\ntotal 700 µs (35 % of thread, 100 % of "
             "parent), the method's self 1.2 ms\n"
             "calls 10</title><rect class=\"o0\" x=\"10\" y=\"87\"");
    has(svg, "<title>a.B.&lt;init&gt;()V\ntotal 700 µs (35 % of thread), the method's self 700 µs\ncalls "
             "10</title>"
             "<rect class=\"o1\" x=\"10\" y=\"103\" width=\"1180\"");
    has(svg,
        "<title>a.B.&lt;init&gt;()V\ntotal 400 µs (20 % of thread, 57.1 % of parent), the method's self 700 "
        "µs\ncalls 1,234 (1,234 recursive)</title>"
        "<rect class=\"o1\" x=\"515.7\" y=\"119\"");
    strcpy(r.view.method, "no.such");
    assert_false(rendering_run(&r, &OUTPUT_SVG));
    assert_int_equal(r.diag.kind, DIAG_NOT_FOUND);
    rendering_free(&r);
}

TEST(legends)
{
    struct fake *f = small();
    struct rendering r;

    fake_stack(f, "android.os.Looper.loop()V", 9000, 0, 1);
    rendering_init(&r, fake_finish(f));
    const char *svg = draw(&r);
    has(svg, ">app: com.example</text>");
    has(svg, ">library</text>");
    has(svg, ">Android</text>");
    assert_null(strstr(svg, ">AndroidX</text>"));
    r.view.palette = COLOURS_PACKAGE;
    svg = draw(&r);
    has(svg, ">com.example</text>\n<rect class=\"c"); /* the heaviest first */
    has(svg, ">a</text>\n<rect class=\"c");
    has(svg, ">android.os</text>\n</g>");
    r.view.palette = COLOURS_SELF;
    svg = draw(&r);
    has(svg, "<rect class=\"h0\"");
    has(svg, ">most self</text>\n</g>");
    r.view.palette = COLOURS_CLASSIC;
    svg = draw(&r);
    has(svg, "<text x=\"10\" y=\"60\">classic: the colours mean nothing</text>\n</g>");
    has(svg, "</title><rect class=\"y");
    rendering_free(&r);
    fake_free(f);

    /* Many packages: the twelve heaviest, in as many rows as they need. */
    f = fake_new();
    fake_usual_values(f);
    fake_track(f, 1, STR("t"));
    for (int i = 0; i < 15; i++) {
        char stack[64];
        snprintf(stack, sizeof(stack), "vendor%c.quitealongpackage.Class.run()V", 'a' + i);
        fake_stack(f, stack, (uint64_t)(1000 * (15 - i)), (uint64_t)(15 - i), 1);
    }
    rendering_init(&r, fake_finish(f));
    r.view.palette = COLOURS_PACKAGE;
    r.view.width_px = 400;
    svg = draw(&r);
    has(svg, ">vendorl.quitealongpackage</text>");
    assert_null(strstr(svg, ">vendorm.quitealongpackage</text>"));
    has(svg, ">all other packages</text>\n</g>");
    has(svg, "<rect class=\"cr\" x=\"10\" y=\"273\"");
    /* Nor does any of them leave a narrow picture. */
    r.view.width_px = 200;
    has(draw(&r), ">vendora.quitealongpa..</text>");
    r.view.palette = COLOURS_ORIGIN;
    svg = draw(&r);
    has(svg, ">app: vendora.quiteal..</text>");
    rendering_free(&r);
    fake_free(f);
}
