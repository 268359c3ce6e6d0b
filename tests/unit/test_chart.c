/* Charts: the window, the axis, and what is written of spans. That a whole picture is XML, and what its
 * links lead to, tests/http/test_chart.py sees. */
#include "tests/support/unit.h"

#include <stdlib.h>
#include <string.h>

#include "core/number.h"
#include "profile/build/builder.h"
#include "render/chart/chart.h"
#include "tests/support/random.h"
#include "tests/support/rendering.h"

enum { CELL_TENTHS_PX = 72 };

static const struct profile_value VALUES[] = {
    {STR_INIT("wall"), STR_INIT("wall time"), UNIT_NS, ROLE_WALL},
    {STR_INIT("calls"), STR_INIT("calls"), UNIT_COUNT, ROLE_CALLS},
};

/* One thread, 7: `a` from `begin` to `end`, in it `b` without end. */
struct fixture {
    struct arena arena;
    const struct profile *profile;
    struct rendering rendering;
    struct chart_plan plan;
};

static void open_fixture(struct fixture *f, uint64_t begin_ns, uint64_t end_ns)
{
    struct event events[] = {{.frame = 0, .clock = {begin_ns}},
                             {.frame = 1, .clock = {begin_ns}},
                             {.frame = FRAME_NONE, .action = EVENT_UNKNOWN, .clock = {end_ns}}};

    arena_init(&f->arena, 16 << 20);
    struct builder *b = builder_new(&f->arena, (struct hash_seed){1, 2});
    assert_non_null(b);
    assert_true(builder_values(b, VALUES, 1, &VALUES[1], 1));
    builder_clocks(b, 1, false);
    for (char name = 'a'; name <= 'b'; name++) {
        struct profile_frame frame = {.name = builder_string(b, (struct str){&name, 1})};
        assert_true(builder_frame(b, &frame) != FRAME_NONE);
    }
    assert_int_equal(builder_track(b, 7, builder_string(b, STR("main"))), 0);
    assert_true(builder_events(b, events, 3, 0, 0));
    f->profile = builder_finish(b, STR("format"), STR("Format"));
    assert_non_null(f->profile);
    rendering_init(&f->rendering, f->profile);
    f->rendering.view.view = VIEW_CHART;
    f->rendering.view.n_track_ids = 1;
    f->rendering.view.track_ids[0] = 7;
}

static void close_fixture(struct fixture *f)
{
    rendering_free(&f->rendering);
    arena_free(&f->arena);
}

static bool plan(struct fixture *f)
{
    f->rendering.diag = (struct diag){0};
    return chart_plan(&f->plan, &f->rendering.view, f->profile, &f->rendering.diag);
}

/* ---- the window ---- */

TEST(the_whole_thread_is_the_default)
{
    struct fixture f;

    open_fixture(&f, 5000, 90000);
    assert_true(plan(&f));
    assert_int_equal(f.plan.from_ns, 5000);
    assert_int_equal(f.plan.to_ns, 90000);
    assert_int_equal(f.plan.width_px, 1180);
    assert_int_equal(f.plan.request.track, 7);
    assert_int_equal(f.plan.request.least_ns, 37); /* 0.5 px of 1180 are 36.02 ns */
    f.rendering.view.min_milli_px = 0;
    f.rendering.view.from_ns = 80000;
    assert_true(plan(&f));
    assert_int_equal(f.plan.from_ns, 80000);
    assert_int_equal(f.plan.to_ns, 90000);
    assert_int_equal(f.plan.request.least_ns, 1);
    close_fixture(&f);
}

TEST(no_time_at_all_is_a_window_too)
{
    static const uint64_t TIMES[] = {0, 5000, INT64_MAX, UINT64_MAX};
    struct fixture f;

    for (size_t i = 0; i < 4; i++) {
        open_fixture(&f, TIMES[i], TIMES[i]);
        assert_true(plan(&f));
        assert_int_equal(f.plan.to_ns - f.plan.from_ns, 1000);
        assert_true(f.plan.to_ns <= INT64_MAX);
        close_fixture(&f);
    }
    open_fixture(&f, 0, UINT64_MAX);
    assert_true(plan(&f));
    assert_int_equal(f.plan.to_ns, INT64_MAX);
    close_fixture(&f);
}

static void refused(struct fixture *f, const char *said)
{
    assert_false(plan(f));
    assert_int_equal(f->rendering.diag.kind, DIAG_USAGE);
    assert_non_null(strstr(f->rendering.diag.detail, said));
    assert_true(f->rendering.diag.hint[0] != '\0');
}

TEST(windows_that_make_no_sense)
{
    struct fixture f;

    open_fixture(&f, 5000, 90000);
    f.rendering.view.from_ns = 90000;
    refused(&f, "from 5 to 90 µs");
    f.rendering.view.from_ns = 7, f.rendering.view.to_ns = 7;
    refused(&f, "from 5 to 90 µs");
    f.rendering.view.to_ns = (uint64_t)INT64_MAX + 1;
    refused(&f, "from 5 to 90 µs");
    f.rendering.view.to_ns = VIEW_TIME_NONE;
    f.rendering.view.n_track_ids = 2;
    refused(&f, "one thread");
    f.rendering.view.tracks = TRACKS_ALL; /* which is one here */
    assert_true(plan(&f));
    close_fixture(&f);
}

TEST(a_picture_needs_spans)
{
    struct fixture f;

    open_fixture(&f, 5000, 90000);
    assert_false(rendering_run(&f.rendering, output_by_name(STR("svg"))));
    assert_int_equal(f.rendering.diag.kind, DIAG_USAGE);
    close_fixture(&f);
}

/* ---- the axis ---- */

static void check_axis(uint64_t from_ns, uint64_t to_ns, uint32_t width_px, uint64_t step_ns, uint64_t at_ns,
                       const char *label)
{
    struct chart_plan p = {.from_ns = from_ns, .to_ns = to_ns, .width_px = width_px};
    struct chart_axis axis = chart_axis(&p, CELL_TENTHS_PX);
    char text[NUMBER_BYTES_MAX];

    assert_int_equal(axis.step_ns, step_ns);
    *chart_label(&axis, text, at_ns) = '\0';
    assert_string_equal(text, label);
}

TEST(ticks_are_round_and_do_not_touch)
{
    const uint64_t ms = 1000000, s = 1000000000;

    check_axis(0, 1000, 1180, 100, 300, "0.3 µs");
    check_axis(0, 100000, 1180, 10000, 20000, "20 µs");
    check_axis(0, 15 * ms, 1180, 2 * ms, 14 * ms, "14 ms");
    check_axis(100000, 3200000, 1180, 500000, 500000, "0.5 ms");
    check_axis(0, 16 * s, 1180, 2 * s, 4 * s, "4 s");
    check_axis(5200 * ms, 5300 * ms, 1180, 10 * ms, 5210 * ms, "5.21 s");
    check_axis(0, 16 * s, 180, 10 * s, 10 * s, "10 s");
    /* Deep within a long trace labels are long, and ticks therefore rarer. */
    check_axis(12345 * s, 12345 * s + 1000, 1180, 200, 12345 * s + 200, "12,345.0000002 s");
    check_axis(0, INT64_MAX, 180, INT64_MAX, 0, "0 s");
}

TEST(labels_never_touch)
{
    uint64_t random = 5;

    for (unsigned i = 0; i < 5000; i++) {
        uint64_t from_ns = random_next(&random) >> (8 + i % 50);
        uint64_t length_ns = (random_next(&random) >> (2 + i % 61)) + 10;
        struct chart_plan p = {.from_ns = from_ns, .width_px = 180 + random_below(&random, 9000)};
        if (length_ns > INT64_MAX - from_ns)
            continue;
        p.to_ns = from_ns + length_ns;
        struct chart_axis axis = chart_axis(&p, CELL_TENTHS_PX);
        uint64_t ns = from_ns / axis.step_ns * axis.step_ns;
        char text[NUMBER_BYTES_MAX];
        size_t n = (size_t)(chart_label(&axis, text, ns) - text);
        if (axis.step_ns == INT64_MAX)
            continue;
        assert_true(number_ratio(axis.step_ns, length_ns, p.width_px * UINT64_C(10)) >= n * CELL_TENTHS_PX);
    }
}

TEST(places)
{
    struct chart_plan p = {.from_ns = 100, .to_ns = 300, .width_px = 1000};

    assert_int_equal(chart_x_dpx(&p, 0), 0);
    assert_int_equal(chart_x_dpx(&p, 100), 0);
    assert_int_equal(chart_x_dpx(&p, 150), 2500);
    assert_int_equal(chart_x_dpx(&p, 300), 10000);
    assert_int_equal(chart_x_dpx(&p, UINT64_MAX), 10000);
    p.from_ns = 0, p.to_ns = INT64_MAX;
    assert_int_equal(chart_x_dpx(&p, INT64_MAX - 1), 10000);
}

/* ---- the picture ---- */

static const char *draw(struct fixture *f, const struct spans *spans)
{
    f->rendering.input.spans = spans;
    assert_true(rendering_run(&f->rendering, output_by_name(STR("svg"))));
    return rendering_text(&f->rendering);
}

static void has(const char *svg, const char *part)
{
    if (strstr(svg, part) == NULL)
        print_message("not there: %s\n", part);
    assert_non_null(strstr(svg, part));
}

TEST(what_is_written_of_spans)
{
    const struct span list[] = {
        {0, 1, SPAN_BEFORE, 1, 5000, 50000, 700},
        {FRAME_NONE, 2, 0, 12, 6000, 6100, 90},
        {1, 3, SPAN_OPEN, 1, 90000, 90000, 0},
    };
    const struct spans spans = {
        .list = list, .n = 3, .levels = 3, .calls = 1014, .deep = 1000, .least_ns = 8000, .idle_ns = 333};
    struct fixture f;

    open_fixture(&f, 5000, 90000);
    const char *svg = draw(&f, &spans);
    has(svg, ">main (7) · wall time · 85 µs</text>");
    has(svg, "5 µs to 90 µs: 1,014 calls · 12 of them under 111.06 px, in 1 grey run<");
    has(svg, "more than 8,000 boxes would be drawn; the least width was raised to 111.06 px");
    has(svg, "1,000 calls deeper than 2,000 levels not drawn");
    has(svg, "<title>main (7)\nrecords from 5 µs to 90 µs, in no call 333 ns</title>");
    has(svg, "?view=chart&amp;from=5&amp;to=50\"><title>a\nstarts at 5 µs, takes 45 µs, self 700 ns\n"
             "entered before the recording</title>");
    has(svg, "<title>12 calls, each under 111.06 px\nfrom 6 µs to 6.1 µs, together 90 ns</title><rect "
             "class=\"cr\"");
    /* A moment is seen, within the picture, and leads to a window of some length. */
    has(svg, "?view=chart&amp;from=90&amp;to=91\"><title>b\nstarts at 90 µs, takes 0 ns, self 0 ns\n"
             "still open at the end of the recording</title>");
    has(svg, "x=\"1189\"");
    has(svg, "width=\"1\" height=\"15\"");
    has(svg, " data-nodes=\"0\" data-embedded=\"0\" data-state=\"ready\">");
    assert_null(strstr(svg, "<script"));
    has(svg, "<a href=\"?\"><text class=\"s\" text-decoration=\"underline\"");
    close_fixture(&f);
}

TEST(a_window_without_calls)
{
    const struct spans none = {.least_ns = 1};
    struct fixture f;

    open_fixture(&f, 5000, 90000);
    f.rendering.view.from_ns = 200000, f.rendering.view.to_ns = 300000;
    const char *svg = draw(&f, &none);
    has(svg, "200 µs to 300 µs: 0 calls; the thread ends before it<");
    assert_null(strstr(svg, "<g><a"));
    has(svg, "<a href=\"?view=chart\"><text class=\"s\" text-decoration=\"underline\"");
    f.rendering.view.from_ns = 1000, f.rendering.view.to_ns = 5000;
    has(draw(&f, &none), "1 µs to 5 µs: 0 calls; the thread begins behind it<");
    close_fixture(&f);
}

/* The links stand in as many rows as they need, and the frames below them. */
TEST(a_narrow_picture)
{
    const struct spans none = {.least_ns = 1};
    struct fixture f;

    open_fixture(&f, 5000, 90000);
    const char *svg = draw(&f, &none);
    has(svg, "x=\"10\" y=\"111\">whole thread</text>");
    has(svg, "y=\"111\">later</text>");
    has(svg, "<rect class=\"cr\" x=\"10\" y=\"139\"");
    f.rendering.view.width_px = 200;
    svg = draw(&f, &none);
    has(svg, "x=\"10\" y=\"111\">whole thread</text>");
    has(svg, "x=\"112\" y=\"111\">zoom out</text>");
    has(svg, "x=\"10\" y=\"128\">zoom in</text>");
    has(svg, "x=\"76\" y=\"128\">earlier</text>");
    has(svg, "x=\"10\" y=\"145\">flame graph</text>");
    has(svg, "x=\"142\" y=\"128\">later</text>");
    has(svg, "<rect class=\"cr\" x=\"10\" y=\"173\"");
    close_fixture(&f);
}

TEST(ceilings_are_said)
{
    const struct spans none = {.least_ns = 1};
    struct fixture f;

    open_fixture(&f, 5000, 90000);
    f.rendering.input.spans = &none;
    for (size_t limit = 1; limit < 4096; limit = limit * 3) {
        f.rendering.out.limit = limit;
        assert_false(rendering_run(&f.rendering, output_by_name(STR("svg"))));
        assert_int_equal(f.rendering.diag.kind, DIAG_LIMIT);
    }
    close_fixture(&f);
}
