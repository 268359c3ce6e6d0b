/* Options of a view: what is taken, what is refused and how, what the profile fills in. */
#include "tests/support/unit.h"

#include <stdio.h>
#include <string.h>

#include "render/view/key.h"
#include "tests/support/fake_profile.h"

static bool set(struct view_options *o, const char *key, const char *value)
{
    struct diag d = {0};
    bool ok = view_set(o, KEYS_VIEW, str_of(key), str_of(value), &d);

    assert_int_equal(d.kind, ok ? DIAG_NONE : DIAG_USAGE);
    if (!ok)
        assert_non_null(strstr(d.detail, key));
    return ok;
}

static bool set_tracks(struct view_options *o, const char *text)
{
    struct diag d = {0};
    bool ok = view_set_tracks(o, str_of(text), &d);

    assert_int_equal(d.kind, ok ? DIAG_NONE : DIAG_USAGE);
    return ok;
}

static const char *canonical(const struct view_options *o)
{
    static char text[1024];
    struct buf b = {0};

    view_canonical(o, &b);
    assert_true(b.n < sizeof(text));
    memcpy(text, b.p, b.n);
    text[b.n] = '\0';
    buf_free(&b);
    return text;
}

#define USUAL                                                                                             \
    "&palette=origin&names=short&open=last&moment=0&mode=cumulative&split=0:&method=0:&app=0:&from=&to=&" \
    "embed-nodes="                                                                                        \
    "200000&"                                                                                             \
    "embed-bytes=4000000&budget=&node=0&"                                                                 \
    "skip=0"

TEST(options_taken)
{
    struct view_options o;

    view_defaults(&o);
    assert_string_equal(canonical(&o), "track=&value=0:&view=flame&order=name&width=1200&min=0.5" USUAL);
    assert_true(set(&o, "view", "icicle"));
    assert_true(set(&o, "order", "weight"));
    assert_true(set(&o, "value", "cpu"));
    assert_true(set(&o, "width", "200"));
    assert_true(set(&o, "min", "0"));
    assert_true(set_tracks(&o, "7,3,7,4294967295"));
    assert_string_equal(canonical(&o),
                        "track=3,7,4294967295&value=3:cpu&view=icicle&order=weight&width=200&min=0" USUAL);
    assert_true(set(&o, "value", "wall"));
    assert_true(set(&o, "width", "10000"));
    assert_true(set(&o, "min", "100"));
    assert_true(set_tracks(&o, "merged"));
    assert_string_equal(canonical(&o),
                        "track=merged&value=4:wall&view=icicle&order=weight&width=10000&min=100" USUAL);
    assert_true(set(&o, "min", "0.125"));
    assert_int_equal(o.min_milli_px, 125);
    assert_true(set(&o, "min", "1.5"));
    assert_int_equal(o.min_milli_px, 1500);
    assert_true(set_tracks(&o, "all"));
    assert_int_equal(o.tracks, TRACKS_ALL);
}

/* One dump, or from one to another. */
TEST(moments)
{
    static const char *const WRONG[] = {
        "",    "x",     "1..", "..2",     "2..2",       "3..2",          "0..2", "1..0",
        "1.2", "1...2", "-1",  "1..2..3", "4294967296", "1..4294967296", " 1",   "1 .. 2"};
    struct view_options o;

    view_defaults(&o);
    assert_true(set(&o, "moment", "3"));
    assert_true(o.moment.number == 3 && o.moment.since == 0 && !view_moment(&o).interval);
    assert_true(set(&o, "moment", "2..4294967295"));
    assert_true(o.moment.number == UINT32_MAX && o.moment.since == 2 && view_moment(&o).interval);
    for (size_t i = 0; i < sizeof(WRONG) / sizeof(*WRONG); i++)
        assert_false(set(&o, "moment", WRONG[i]));
    assert_non_null(strstr(canonical(&o), "&moment=2..4294967295&mode=cumulative&"));
    assert_true(set(&o, "moment", "01..02"));
    assert_non_null(strstr(canonical(&o), "&moment=1..2&"));
    assert_true(set(&o, "moment", "0"));
    assert_non_null(strstr(canonical(&o), "&moment=0&"));
}

/* What the views of one tree differ by, and the budget, which has a way of its own. */
TEST(options_of_pictures)
{
    struct view_options o;
    struct diag d = {0};
    char method[VIEW_METHOD_BYTES_MAX + 2];

    memset(method, 'm', sizeof(method));
    method[sizeof(method) - 1] = '\0';
    view_defaults(&o);
    assert_true(set(&o, "view", "sandwich"));
    assert_true(set(&o, "palette", "self"));
    assert_true(set(&o, "names", "full"));
    assert_true(set(&o, "method", "a.B.c(I)V&value=cpu"));
    assert_true(view_set(&o, KEYS_BUDGET, STR("embed-nodes"), STR("0"), &d));
    assert_true(view_set(&o, KEYS_BUDGET, STR("embed-bytes"), STR("12345678901"), &d));
    assert_string_equal(
        canonical(&o),
        "track=&value=0:&view=sandwich&order=name&width=1200&min=0.5&palette=self&names=full"
        "&open=last&moment=0&mode=cumulative&split=0:&method=19:a.B.c(I)V&value=cpu&app=0:&from=&to=&"
        "embed-nodes=0&embed-bytes="
        "12345678901&budget=&node=0&skip=0");
    assert_true(set(&o, "method", ""));
    assert_true(set(&o, "view", "inverted"));
    assert_string_equal(o.method, "");
    assert_false(set(&o, "method", method));
    method[VIEW_METHOD_BYTES_MAX] = '\0';
    assert_true(set(&o, "method", method));
    assert_string_equal(o.method, method);
    assert_false(set(&o, "embed-nodes", "5"));
    assert_false(set(&o, "embed_bytes", "5"));
    assert_false(view_set(&o, KEYS_BUDGET, STR("embed-nodes"), STR("4294967295"), &d));
    assert_false(view_set(&o, KEYS_BUDGET, STR("embed-bytes"), STR("4M"), &d));
    assert_false(view_set(&o, KEYS_BUDGET, STR("width"), STR("1200"), &d));
    assert_int_equal(o.embed_nodes, 0);
}

/* What the table says of a row is what parsing takes, and every column that a reader of the table needs is there. */
static void check_row(const struct key *r)
{
    struct view_options o, usual;
    struct buf b = {0};
    struct diag d = {0};

    view_defaults(&usual);
    key_text(r, &usual, &b);
    assert_true(str_eq(buf_view(&b), str_of(r->fallback)));
    assert_true(r->fallback[0] != '\0' || r->fallback_means[0] != '\0');
    assert_true(r->noun[0] != '\0' && r->metavar[0] != '\0' && r->help[0] != '\0');
    assert_true(r->kind != KEY_WORD || r->label[0] != '\0');
    assert_true((r->kind != KEY_WORD && r->kind != KEY_NUMBER) || r->bytes == 4 || r->bytes == 8);
    assert_true(r->bytes != 4 || r->most <= UINT32_MAX);
    assert_ptr_equal(key_by_name(str_of(r->name)), r);
    o = usual;
    if (r->fallback[0] != '\0')
        assert_true(view_set(&o, r->groups, str_of(r->name), str_of(r->fallback), &d));
    assert_memory_equal(&o, &usual, sizeof(o));
    for (unsigned i = 0; i < r->n_words; i++) {
        assert_string_equal(key_word(r->name, i), r->words[i].word);
        assert_true(r->words[i].label[0] != '\0' && r->words[i].help[0] != '\0');
        assert_true(view_set(&o, r->groups, str_of(r->name), str_of(r->words[i].word), &d));
        buf_clear(&b);
        key_text(r, &o, &b);
        assert_true(str_eq(buf_view(&b), str_of(r->words[i].word)));
    }
    assert_null(key_word(r->name, r->n_words));
    assert_false(view_set(&o, ~r->groups, str_of(r->name), str_of(r->fallback), &d));
    assert_non_null(strstr(d.detail, "There is no key "));
    buf_free(&b);
}

TEST(every_row_is_whole)
{
    for (size_t i = 0; i < KEYS_COUNT; i++)
        if ((KEYS[i].groups & KEYS_OF_VIEWS) != 0)
            check_row(&KEYS[i]);
    assert_int_equal(key_by_name(STR("view"))->n_words, 5);
    assert_int_equal(key_by_name(STR("palette"))->n_words, 5);
    assert_null(key_by_name(STR("views")));
}

static void check_said(const char *key, const char *wrong, const char *expected, const char *described)
{
    const struct key *r = key_by_name(str_of(key));
    struct view_options o;
    struct diag d = {0};
    struct buf b = {0};

    view_defaults(&o);
    assert_false(view_set(&o, r->groups, str_of(key), str_of(wrong), &d));
    assert_string_equal(d.detail, expected);
    key_describe(r, false, &b);
    assert_buf(&b, described);
}

TEST(rows_for_people)
{
    check_said(
        "order", "size", "order=size: the order is one of name, weight.",
        "the order of frames that have the same caller: name (by what is written in the frame; default), "
        "weight (largest first)");
    check_said("width", "199", "width=199: the width is a whole number of pixels from 200 to 10000.",
               "width of the picture; pixels from 200 to 10000; default: 1200");
    check_said("min", "-1",
               "min=-1: the least width is a number of pixels from 0 to 100, with at most 3 decimals.",
               "frames narrower than this are not drawn, but counted; pixels from 0 to 100; default: 0.5");
    check_said("value", "",
               "value=: the value is the name of one that the profile has, such as wall, cpu, calls.",
               "what to measure: wall, cpu, waiting, calls, ...; default: the profile's first");
    check_said("embed-nodes", "x",
               "embed-nodes=x: the number of nodes to embed is a whole number of nodes from 0 to 4294967294.",
               "how many nodes of the tree a picture carries for its script, at most; default: 200000");
}

TEST(options_refused)
{
    static const char *const CASES[][2] = {
        {"view", ""},
        {"view", "Flame"},
        {"view", "flame "},
        {"palette", "rainbow"},
        {"palette", ""},
        {"names", "Short"},
        {"order", "size"},
        {"width", "199"},
        {"width", "10001"},
        {"width", "1e3"},
        {"width", ""},
        {"width", "-300"},
        {"min", "100.001"},
        {"min", "101"},
        {"min", ".5"},
        {"min", "1."},
        {"min", "0.0001"},
        {"min", "0.5.5"},
        {"min", "-1"},
        {"min", ""},
        {"min", "1.+5"},
        {"value", ""},
        {"depth", "3"},
        {"View", "flame"},
        {"min", "18446744073709551616"},
        {"value", "a-name-that-is-longer-than-thirty-one-bytes"},
    };
    struct view_options o, before;

    view_defaults(&o);
    before = o;
    for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
        assert_false(set(&o, CASES[i][0], CASES[i][1]));
        assert_memory_equal(&o, &before, sizeof(o));
    }
}

TEST(tracks_refused)
{
    static const char *const CASES[] = {"",    ",",          "1,",  ",1", "1,,2",    "x",
                                        "All", "4294967296", "1 2", "-1", "merged,1"};
    struct view_options o;
    char many[512] = "0";

    view_defaults(&o);
    assert_true(set_tracks(&o, "5"));
    for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++)
        assert_false(set_tracks(&o, CASES[i]));
    for (int i = 1; i < VIEW_TRACKS_MAX; i++)
        snprintf(many + strlen(many), sizeof(many) - strlen(many), ",%d", i);
    assert_true(set_tracks(&o, many));
    assert_int_equal(o.n_track_ids, VIEW_TRACKS_MAX);
    strcat(many, ",64");
    assert_false(set_tracks(&o, many));
}

/* What is wrong is quoted without anything that could harm whoever shows it. */
TEST(errors_are_clean)
{
    struct view_options o;
    struct diag d = {0};

    view_defaults(&o);
    assert_false(view_set(&o, KEYS_VIEW, STR("view"), STR("a\x1b[2J\nb\xff"), &d));
    assert_null(strchr(d.detail, '\x1b'));
    assert_null(strchr(d.detail, '\n'));
    assert_null(strchr(d.detail, '\xff'));
    assert_non_null(strstr(d.detail, "flame, icicle, inverted, sandwich"));
}

TEST(resolve)
{
    struct fake *f = fake_new();
    struct view_options o;
    struct diag d = {0};

    fake_usual_values(f);
    fake_track(f, 3, STR("waits"));
    fake_stack(f, "a", 1000, 1, 1);
    fake_track(f, 8, STR("works"));
    fake_stack(f, "a", 500, 400, 1);
    fake_track(f, 9, STR("works, too"));
    fake_stack(f, "a", 500, 400, 1);
    const struct profile *p = fake_finish(f);

    view_defaults(&o);
    assert_true(view_resolve(&o, p, &d));
    assert_string_equal(canonical(&o), "track=8&value=4:wall&view=flame&order=name&width=1200&min=0.5" USUAL);
    assert_true(set(&o, "value", "waiting"));
    assert_true(view_resolve(&o, p, &d));
    assert_true(set(&o, "value", "bytes"));
    assert_false(view_resolve(&o, p, &d));
    assert_int_equal(d.kind, DIAG_USAGE);
    assert_non_null(strstr(d.detail, "wall, cpu, calls, waiting"));
    d = (struct diag){0};
    assert_true(set(&o, "value", "cpu"));
    assert_true(set_tracks(&o, "8,4"));
    assert_false(view_resolve(&o, p, &d));
    assert_int_equal(d.kind, DIAG_NOT_FOUND);
    assert_non_null(strstr(d.detail, "3, 8, 9"));
    fake_free(f);
}

TEST(resolve_odd_profiles)
{
    struct fake *f = fake_new();
    struct view_options o;
    struct diag d = {0};

    view_defaults(&o);
    assert_false(view_resolve(&o, fake_finish(f), &d));
    assert_int_equal(d.kind, DIAG_NOT_FOUND);
    fake_free(f);

    f = fake_new();
    fake_value(f, "a-name-that-is-longer-than-thirty-one-bytes", UNIT_BYTES, ROLE_OTHER);
    fake_track(f, 0, STR(""));
    d = (struct diag){0};
    assert_true(view_resolve(&o, fake_finish(f), &d));
    assert_string_equal(o.value, "a-name-that-is-longer-than-thir");
    fake_free(f);
}

static void check_link(const struct view_options *o, const char *expected)
{
    struct buf b = {0};

    view_link(&b, o, "&");
    assert_buf(&b, expected);
}

/* One list in the order in which the steps came, whatever their keys are. */
TEST(filters_keep_their_order)
{
    struct view_options o, other;

    view_defaults(&o);
    assert_true(set(&o, "hide", "a&b"));
    assert_true(set(&o, "focus", "/x|y/"));
    assert_true(set(&o, "preset", "hide-idle"));
    assert_true(set(&o, "hide", "origin:AndroidX"));
    assert_true(set(&o, "recursion", "collapse-all"));
    assert_int_equal(o.filters.n, 5);
    assert_int_equal(view_filter(&o, 1).key, FILTER_FOCUS);
    assert_true(str_eq(view_filter(&o, 1).text, STR("/x|y/")));
    assert_non_null(strstr(canonical(&o),
                           "&hide=3:a&b&focus=5:/x|y/&preset=9:hide-idle&hide=15:origin:AndroidX"
                           "&recursion=12:collapse-all&from=&to=&embed-nodes="));
    check_link(
        &o, "?hide=a%26b&focus=%2Fx%7Cy%2F&preset=hide-idle&hide=origin%3AAndroidX&recursion=collapse-all");
    view_filter_remove(&o, 1);
    view_filter_remove(&o, 3);
    check_link(&o, "?hide=a%26b&preset=hide-idle&hide=origin%3AAndroidX");
    view_defaults(&other);
    assert_true(set(&other, "hide", "a&b"));
    assert_true(set(&other, "preset", "hide-idle"));
    assert_true(set(&other, "hide", "origin:AndroidX"));
    assert_memory_equal(&o, &other, sizeof(o));
}

/* A preset of the configuration may be another one tomorrow: its steps are in the key of what is kept. */
TEST(presets_of_the_configuration)
{
    struct view_options o;

    view_defaults(&o);
    assert_false(set(&o, "preset", "noise"));
    o.presets = "noise:hide=/Rx/;ignore=origin:idle;;own-code:hide=x";
    assert_true(set(&o, "preset", "noise"));
    assert_true(set(&o, "preset", "own-code"));
    assert_true(set(&o, "preset", "hide-idle"));
    assert_non_null(strstr(canonical(&o), "&preset=5:noise=28:hide=/Rx/;ignore=origin:idle"
                                          "&preset=8:own-code=6:hide=x&preset=9:hide-idle&from=&to=&embed"));
    assert_false(set(&o, "preset", "quiet"));
}

TEST(filters_refused)
{
    static const char *const CASES[][2] = {
        {"focus", ""},        {"focus", "//"},      {"hide", "class:"},     {"hide", "/(/"},
        {"hide", "/a**/"},    {"ignore", "a\nb"},   {"ignore", "\xff"},     {"show-from", "/(?=a)/"},
        {"recursion", ""},    {"recursion", "all"}, {"preset", "OWN-CODE"}, {"preset", ""},
        {"focus", "/a{51}/"}, {"hide", "/\\1/"},
    };
    char text[FILTER_TEXT_BYTES_MAX + 2];
    struct view_options o, before;

    memset(text, 'x', sizeof(text));
    text[FILTER_TEXT_BYTES_MAX + 1] = '\0';
    view_defaults(&o);
    before = o;
    for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++)
        assert_false(set(&o, CASES[i][0], CASES[i][1]));
    assert_false(set(&o, "focus", text));
    assert_memory_equal(&o, &before, sizeof(o));
    for (unsigned i = 0; i < FILTER_STEPS_MAX; i++)
        assert_true(set(&o, "hide", "x"));
    before = o;
    assert_false(set(&o, "hide", "x"));
    assert_memory_equal(&o, &before, sizeof(o));
    view_defaults(&o);
    text[FILTER_TEXT_BYTES_MAX] = '\0';
    for (unsigned i = 0; i < FILTER_BYTES_MAX / FILTER_TEXT_BYTES_MAX; i++)
        assert_true(set(&o, "hide", text));
    assert_false(set(&o, "hide", "x"));
}
