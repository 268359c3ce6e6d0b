#include "tests/support/page_fixture.h"

#include "tests/support/unit.h"

#include <stdio.h>
#include <string.h>

#include "render/svg/svg_header.h"
#include "render/svg/viewer.h"
#include "tests/support/markup.h"

void pages_check(const char *page)
{
    static const char *const ABSOLUTE[] = {"href=\"/", "src=\"/", "action=\"/", "http://", "https://"};

    markup_check(page);
    assert_int_equal(markup_count(page, " - aflamed</title>"), 1);
    assert_int_equal(markup_count(page, "<main>"), 1);
    assert_non_null(strstr(page, "name=\"viewport\""));
    assert_int_equal(markup_count(page, "<script"), markup_count(page, "<script type=\"module\" src=\"../") +
                                                        markup_count(page, "<script defer src=\"../"));
    assert_null(strstr(page, "<img src=x"));
    assert_null(strstr(page, "\x01"));
    assert_null(strstr(page, "\xff"));
    for (size_t i = 0; i < sizeof(ABSOLUTE) / sizeof(ABSOLUTE[0]); i++)
        assert_int_equal(markup_count(page, ABSOLUTE[i]), i == 3 ? markup_count(page, "xmlns=\"http://") : 0);
    assert_int_equal(markup_count(page, "<label for="),
                     markup_count(page, "<input") + markup_count(page, "<select") +
                         markup_count(page, "<textarea") - markup_count(page, "type=\"hidden\""));
}

struct record pages_record(const char *name)
{
    struct record r = {.id = PAGES_ID, .size = 57472596, .created_s = 1790000000, .expires_s = 1792592000};

    snprintf(r.name, sizeof(r.name), "%s", name);
    return r;
}

json_t *pages_track(int id, const char *name)
{
    json_t *track = json_pack("{s:i,s:I,s:I,s:I,s:{s:I,s:I}}", "id", id, "records", (json_int_t)1000, "calls",
                              (json_int_t)12345, "nodes", (json_int_t)67, "totals", "wall",
                              (json_int_t)1500000, "cpu", (json_int_t)250000);

    json_object_set_new(track, "name", json_string_nocheck(name));
    return track;
}

void pages_add_whole(json_t *summary)
{
    const json_t *tracks = json_object_get(summary, "tracks"), *track;
    json_int_t sums[3] = {0}, wall = 0, cpu = 0;
    size_t i;

    json_array_foreach (tracks, i, track) {
        sums[0] += json_integer_value(json_object_get(track, "records"));
        sums[1] += json_integer_value(json_object_get(track, "calls"));
        sums[2] += json_integer_value(json_object_get(track, "nodes"));
        wall += json_integer_value(json_object_get(json_object_get(track, "totals"), "wall"));
        cpu += json_integer_value(json_object_get(json_object_get(track, "totals"), "cpu"));
    }
    json_object_set_new(summary, "whole",
                        json_pack("{s:I,s:I,s:I,s:I,s:{s:I,s:I}}", "tracks",
                                  (json_int_t)json_array_size(tracks), "records", sums[0], "calls", sums[1],
                                  "nodes", sums[2], "totals", "wall", wall, "cpu", cpu));
}

json_t *pages_summary(int n_tracks, const char *name)
{
    json_t *s = json_pack(
        "{s:s,s:{s:s,s:I,s:I,s:s},s:[{s:s,s:s,s:s},{s:s,s:s,s:s},{s:s,s:s,s:s}],s:[{s:s,s:i,s:i,s:s}],s:s,"
        "s:[{s:s,s:s,s:s}]}",
        "format_label", "Android method trace", "facts", "clock", "dual", "elapsed_us", (json_int_t)15840994,
        "start_us", (json_int_t)1463217600000057, "later", "<new>", "values", "name", "wall", "label",
        "wall time", "unit", "us", "name", "cpu", "label", "thread CPU time", "unit", "us", "name", "calls",
        "label", "calls", "unit", "count", "warnings", "code", "open-frames", "count", 3, "offset", 4711,
        "text", "3 methods <were> still running.", "weight", "cpu", "derived", "name", "waiting", "label",
        "waiting time", "unit", "us");
    json_t *tracks = json_array();

    assert_non_null(s);
    for (int i = 0; i < n_tracks; i++)
        json_array_append_new(tracks, pages_track(100 + i, name));
    json_object_set_new(s, "tracks", tracks);
    pages_add_whole(s);
    return s;
}

const struct table_request PAGES_NO_ROWS = {.sort = ""};

void pages_put_workspace_after(struct buf *b, const struct record *r, const json_t *summary,
                               const char *track, const char *options, int days)
{
    struct view_options o;
    struct diag diag = {0};
    struct str rest = str_of(options), pair;
    struct buf svg = {0};

    view_defaults(&o);
    assert_true(view_set_tracks(&o, str_of(track), &diag));
    while (rest.n > 0 && str_split(&rest, '&', &pair)) {
        size_t n = str_find(pair, '=');
        assert_true(view_set(&o, KEYS_VIEW, (struct str){pair.p, n},
                             (struct str){pair.p + n + 1, pair.n - n - 1}, &diag));
    }
    buf_z(&svg, PAGES_SVG_START);
    svg_put_style(&svg, viewer_style());
    buf_z(&svg, PAGES_SVG_MIDDLE);
    svg_put_script(&svg, viewer_script());
    buf_z(&svg, PAGES_SVG_END);
    page_workspace(b, &(struct page_workspace){.config = &(struct config){0},
                                               .record = r,
                                               .summary = summary,
                                               .root = STR("../../../"),
                                               .options = &o,
                                               .rows = &PAGES_NO_ROWS,
                                               .track = str_of(track),
                                               .content = buf_view(&svg),
                                               .max_days = 90,
                                               .now_s = r->created_s + days * 86400});
    buf_free(&svg);
}

void pages_put_workspace(struct buf *b, const struct record *r, const json_t *summary, const char *track,
                         const char *options)
{
    pages_put_workspace_after(b, r, summary, track, options, 1);
}

void pages_check_all(const char *page, const char *const *all, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (strstr(page, all[i]) == NULL)
            fail_msg("missing: %s", all[i]);
}
