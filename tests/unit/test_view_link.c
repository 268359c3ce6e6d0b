/* The options of a view in a link: what is written is understood, and leads to the same view. */
#include "tests/support/unit.h"

#include <string.h>

#include "render/view/key.h"
#include "server/http/message/form.h"

static void check(const struct view_options *o, const char *ampersand, const char *expected)
{
    struct buf b = {0};

    view_link(&b, o, ampersand);
    assert_buf(&b, expected);
}

TEST(only_what_differs)
{
    struct view_options o;

    view_defaults(&o);
    check(&o, "&", "");
    o.tracks = TRACKS_ALL; /* stands in the path */
    o.embed_nodes = 5;
    check(&o, "&", "");
    o.view = VIEW_ICICLE;
    check(&o, "&amp;", "?view=icicle");
    o.width_px = 1600, o.min_milli_px = 1250;
    check(&o, "&amp;", "?view=icicle&amp;width=1600&amp;min=1.25");
    o.from_ns = 1500, o.to_ns = 12345678;
    check(&o, "&", "?view=icicle&width=1600&min=1.25&from=1.5&to=12345.678");
    o.view = VIEW_CHART;
    check(&o, "&", "?view=chart&width=1600&min=1.25&from=1.5&to=12345.678");
    o.from_ns = 0, o.to_ns = VIEW_TIME_NONE;
    check(&o, "&", "?view=chart&width=1600&min=1.25&from=0");
}

/* Reads each option back from the query, as the service does. */
static void read_back(struct str query, struct view_options *o)
{
    struct form form = {0};
    struct diag bad = {0};

    view_defaults(o);
    assert_true(form_parse(&form, query, "", &bad));
    for (size_t i = 0; i < KEYS_COUNT; i++) {
        struct str key = str_of(KEYS[i].name);
        struct diag diag = {0};
        struct str value = form_value(&form, key);
        if (value.p != NULL)
            assert_true(view_set(o, KEYS_VIEW, key, value, &diag));
    }
    form_free(&form);
}

/* Every byte but NUL comes back as it was, and none that means something in a URL or in XML stands for itself. */
TEST(there_and_back)
{
    struct view_options o, again;
    struct buf b = {0}, canonical = {0}, canonical_again = {0};

    view_defaults(&o);
    o.view = VIEW_CHART, o.order = ORDER_WEIGHT, o.open = OPEN_END;
    o.palette = COLOURS_CLASSIC, o.names = NAMES_FULL;
    o.width_px = 10000, o.min_milli_px = 1;
    o.from_ns = 1, o.to_ns = INT64_MAX - 1000000;
    memcpy(o.value, "?&=%+ \"<'>#\n\x80", 13);
    for (int i = 1; i < 256; i++)
        o.method[i - 1] = (char)i;
    view_link(&b, &o, "&");
    for (size_t i = 0; i < b.n; i++)
        assert_true(b.p[i] > ' ' && b.p[i] <= '~' && b.p[i] != '"' && b.p[i] != '<');
    assert_int_equal(b.p[0], '?');
    read_back((struct str){b.p + 1, b.n - 1}, &again);
    view_canonical(&o, &canonical);
    view_canonical(&again, &canonical_again);
    assert_true(str_eq(buf_view(&canonical), buf_view(&canonical_again)));
    assert_string_equal(again.method, o.method);
    assert_int_equal(again.from_ns, o.from_ns);
    assert_int_equal(again.to_ns, o.to_ns);
    buf_free(&b);
    buf_free(&canonical);
    buf_free(&canonical_again);
}
