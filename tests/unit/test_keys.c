/* The table of keys: each row keeps what its columns promise, and what is said of it comes back. */
#include "tests/support/unit.h"

#include <stdio.h>
#include <string.h>

#include "render/view/key.h"
#include "server/convert/report.h"
#include "server/routes/api_document.h"
#include "server/routes/routes.h"
#include "server/routes/routes_table.h"

/* Sums of groups that somebody takes together. */
static const unsigned SUMS[] = {
    KEYS_OF_VIEWS,
    KEYS_TRACK | KEYS_VIEW | KEYS_TABLE | KEYS_LONGEST,
    KEYS_TRACK | KEYS_VIEW | KEYS_METHOD | KEYS_LONGEST,
    KEYS_TRACK | KEYS_VIEW | KEYS_TABLE | KEYS_COMPARED | KEYS_PIECE,
    KEYS_TRACK | KEYS_VIEW | KEYS_LANES,
    KEYS_TRACK | KEYS_VIEW | KEYS_CALLS,
    KEYS_UPLOAD | KEYS_TRACK | KEYS_VIEW,
    KEYS_FORM,
};

static bool has_field(const struct key *r)
{
    return r->kind != KEY_SENT && r->kind != KEY_FILE;
}

static void set(struct asked *a, const struct key *r, struct str value)
{
    struct diag diag = {0};

    if (!asked_set(a, r->groups, str_of(r->name), value, &diag))
        fail_msg("%s=%.*s: %s", r->name, (int)value.n, value.p, diag.detail);
}

static void assert_alike(const struct asked *a, const struct asked *b)
{
    struct buf x = {0}, y = {0};

    asked_canonical(a, ~0u, &x);
    asked_canonical(b, ~0u, &y);
    assert_false(x.failed || y.failed);
    assert_true(str_eq(buf_view(&x), buf_view(&y)));
    buf_free(&x);
    buf_free(&y);
}

/* A text is set, written, and set again: that says the same, and something else than the defaults. */
static void comes_back(const struct key *r, struct str value)
{
    struct asked first, again, usual;
    struct buf text = {0};

    asked_defaults(&usual);
    asked_defaults(&first);
    asked_defaults(&again);
    set(&first, r, value);
    asked_text(r, &first, &text);
    set(&again, r, buf_view(&text));
    assert_alike(&first, &again);
    if (r->kind != KEY_TRACKS)
        assert_int_equal(asked_differs(r, &first), memcmp(&first, &usual, sizeof(first)) != 0);
    buf_free(&text);
}

TEST(values_come_back)
{
    for (size_t i = 0; i < KEYS_COUNT; i++) {
        const struct key *r = &KEYS[i];
        struct buf number = {0};
        if (!has_field(r))
            continue;
        comes_back(r, str_of(r->example));
        for (unsigned k = 0; k < r->n_words; k++)
            comes_back(r, str_of(r->words[k].word));
        if (r->kind != KEY_NUMBER && r->kind != KEY_TIME)
            continue;
        buf_fixed(&number, r->least, r->decimals);
        comes_back(r, buf_view(&number));
        buf_clear(&number);
        buf_fixed(&number, r->most, r->decimals);
        comes_back(r, buf_view(&number));
        buf_free(&number);
    }
}

static void put_again(void *context, const char *name, struct str value)
{
    struct diag diag = {0};

    assert_true(asked_set(context, ~(unsigned)(KEYS_MAPPING | KEYS_RENAME | KEYS_SERIES), str_of(name), value,
                          &diag));
}

/* What a link of everything at once says is all that was asked. */
TEST(all_come_back_by_each)
{
    unsigned groups = ~(unsigned)(KEYS_MAPPING | KEYS_RENAME | KEYS_SERIES);
    struct asked a, again;
    struct buf failed = {0};

    asked_defaults(&a);
    asked_defaults(&again);
    for (size_t i = 0; i < KEYS_COUNT; i++)
        if (has_field(&KEYS[i]) && KEYS[i].kind != KEY_TRACKS)
            set(&a, &KEYS[i], str_of(KEYS[i].example));
    /* Of two rows of one name the later one is meant here. */
    memset(a.view.value, 0, sizeof(a.view.value));
    put_again(&a, "from_b", STR("7.5"));
    asked_each(&a, groups, put_again, &again, &failed);
    assert_false(failed.failed);
    assert_alike(&a, &again);
}

TEST(rows_are_whole)
{
    struct asked usual;

    asked_defaults(&usual);
    for (size_t i = 0; i < KEYS_COUNT; i++) {
        const struct key *r = &KEYS[i];
        assert_true(r->name[0] != '\0' && r->groups != 0 && r->noun[0] != '\0' && r->help[0] != '\0');
        assert_true(r->label != NULL && r->fallback != NULL && r->fallback_means != NULL);
        assert_true((r->metavar == NULL) == (r->kind == KEY_FLAG));
        assert_true(strlen(r->name) < 22); /* a name and _b, in errors */
        assert_true(!r->has_b || (r->groups & KEYS_VIEW) != 0);
        assert_false(asked_differs(r, &usual));
        assert_true(!has_field(r) || r->example[0] != '\0');
        for (unsigned k = 0; k < r->n_words; k++)
            assert_true(r->words[k].label[0] != '\0' &&
                        (r->words[k].help == NULL) == (r->words[0].help == NULL));
    }
}

TEST(of_b)
{
    struct asked a;
    struct diag diag = {0};
    struct view_options b;
    size_t n = 0;

    asked_defaults(&a);
    for (size_t i = 0; i < KEYS_COUNT; i++)
        n += KEYS[i].has_b;
    assert_true(n > 0 && n <= KEYS_OF_B_MAX);
    assert_true(asked_set(&a, KEYS_COMPARED, STR("from_b"), STR("1500.250"), &diag));
    assert_true(asked_set(&a, KEYS_COMPARED, STR("moment_b"), STR("0"), &diag));
    assert_string_equal(diff_text_of_b(&a.diff, "from"), "1500.25");
    assert_string_equal(diff_text_of_b(&a.diff, "to"), "");
    a.view.to_ns = 9000;
    a.view.moment.number = 3;
    b = a.view;
    diff_view_of_b(&a.diff, &b);
    assert_int_equal(b.from_ns, 1500250);
    assert_int_equal(b.to_ns, 9000);
    assert_int_equal(b.moment.number, 0);
    assert_true(asked_set(&a, KEYS_COMPARED, STR("from_b"), STR(""), &diag));
    assert_string_equal(diff_text_of_b(&a.diff, "from"), "");
    assert_false(asked_set(&a, KEYS_COMPARED, STR("from_b"), STR("early"), &diag));
    assert_non_null(strstr(diag.detail, "from_b=early: the start of the range is a number of "));
    assert_false(asked_set(&a, KEYS_COMPARED, STR("width_b"), STR("300"), &diag));
    assert_false(asked_set(&a, KEYS_VIEW, STR("from_b"), STR("300"), &diag));
}

/* The longest texts of B have room. */
TEST(room_of_b)
{
    struct asked a;
    struct diag diag = {0};

    asked_defaults(&a);
    assert_true(asked_set(&a, KEYS_COMPARED, STR("to_b"), STR("9223372036854774.999"), &diag));
    assert_true(asked_set(&a, KEYS_COMPARED, STR("moment_b"), STR("4294967294..4294967295"), &diag));
    assert_string_equal(diff_text_of_b(&a.diff, "moment"), "4294967294..4294967295");
}

TEST(nearest_name)
{
    static const struct {
        unsigned groups;
        const char *wrong, *meant; /* "": none is near */
    } CASES[] = {
        {KEYS_VIEW, "widht", "width"},
        {KEYS_VIEW, "pallete", "palette"},
        {KEYS_VIEW | KEYS_TABLE, "sorted", "sort"},
        {KEYS_COMPARED | KEYS_VIEW, "from-b", "from_b"},
        {KEYS_LANES, "stack", "stacks"},
        {KEYS_STATUS, "wiat", "wait"},
        {KEYS_VIEW, "somethingelse", ""},
        {KEYS_PAIR, "x", ""},
        {KEYS_VIEW, "", ""},
        {0, "width", ""},
    };

    for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
        struct diag diag = {0};
        char hint[80];
        assert_false(keys_refuse(CASES[i].groups, "key", str_of(CASES[i].wrong), &diag));
        snprintf(hint, sizeof(hint), "Perhaps %s is meant.", CASES[i].meant);
        if (CASES[i].meant[0] != '\0')
            assert_non_null(strstr(diag.hint, hint));
        else
            assert_null(strstr(diag.hint, "Perhaps"));
    }
}

TEST(every_name_is_found)
{
    for (size_t s = 0; s < sizeof(SUMS) / sizeof(SUMS[0]); s++)
        for (size_t i = 0; i < KEYS_COUNT; i++) {
            bool is_of_b;
            const struct key *found = key_find(SUMS[s], str_of(KEYS[i].name), &is_of_b);
            assert_true((KEYS[i].groups & SUMS[s]) == 0 || (found != NULL && !is_of_b && found >= &KEYS[i]));
        }
}

/* ---- what the description of the interface says ---- */

struct listed {
    const struct api_path *path;
    size_t n;
};

/* Of a key that is said: it is one that the path takes. */
static void is_taken(void *context, const struct api_parameter *p)
{
    struct listed *l = context;
    bool is_of_b;

    if (p->place != API_QUERY)
        return;
    l->n++;
    assert_non_null(key_find(api_keys(l->path), p->name, &is_of_b));
}

static void count(void *context, const struct key *r, bool is_of_b)
{
    (void)r;
    (void)is_of_b;
    ++*(size_t *)context;
}

/* All that are taken are said, once; and they are those of what answers. */
static bool check_path(void *context, const struct api_path *p)
{
    struct listed l = {.path = p};
    size_t n = 0, *paths = context;

    ++*paths;
    if ((p->route->keys & KEYS_ANY) == 0)
        keys_each(api_keys(p), count, &n);
    assert_true(api_parameters(p, is_taken, &l));
    if (p->route->body == NULL || p->route->body == &UPLOAD_BODY)
        assert_int_equal(l.n, n);
    if (p->report != NULL)
        assert_int_equal(p->report->keys & ~p->route->keys & ~(unsigned)(KEYS_METHOD | KEYS_OUTLINE), 0);
    return true;
}

TEST(parameters_are_the_keys)
{
    size_t paths = 0;

    assert_true(api_paths(check_path, &paths));
    assert_true(paths > ROUTES_COUNT);
}

/* The row that key_find names: of two rows of one name the later one. */
static void is_found(void *context, const struct key *r, bool is_of_b)
{
    unsigned groups = *(const unsigned *)context;

    if (is_of_b)
        return;
    bool found_of_b;
    assert_ptr_equal(key_find(groups, str_of(r->name), &found_of_b), r);
    assert_false(found_of_b);
}

TEST(each_name_once)
{
    static const unsigned GROUPS[] = {KEYS_VIEW, KEYS_OF_VIEWS, KEYS_SERIES, KEYS_FORM | KEYS_UPLOAD, ~0u};

    for (size_t i = 0; i < sizeof(GROUPS) / sizeof(GROUPS[0]); i++)
        keys_each(GROUPS[i], is_found, &(unsigned){GROUPS[i]});
}
