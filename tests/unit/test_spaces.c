/* Spaces: labels, queries, entries and when they count, the index. */
#include "tests/support/unit.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "server/spaces/spaces.h"
#include "tests/support/record_fixture.h"

/* ---- labels ---- */

static bool set(struct labels *l, const char *key, const char *value)
{
    struct diag diag = {0};
    bool ok = labels_set(l, str_of(key), str_of(value), &diag);

    assert_int_equal(diag.kind, ok ? DIAG_NONE : DIAG_USAGE);
    return ok;
}

TEST(labels_stand_in_the_order_of_their_keys)
{
    struct labels l = {""};

    assert_true(set(&l, "device", " Pixel 8 "));
    assert_true(set(&l, "branch", "main=1"));
    assert_true(set(&l, "commit", "4f2a"));
    assert_string_equal(l.lines, "branch=main=1\ncommit=4f2a\ndevice=Pixel 8\n");
    assert_true(set(&l, "commit", "5"));
    assert_true(set(&l, "branch", ""));
    assert_true(set(&l, "absent", ""));
    assert_string_equal(l.lines, "commit=5\ndevice=Pixel 8\n");
    assert_true(str_eq(labels_value(&l, STR("device")), STR("Pixel 8")));
    assert_null(labels_value(&l, STR("devic")).p);
}

TEST(labels_have_limits)
{
    struct labels l = {""};
    char key[LABEL_KEY_BYTES + 2], value[LABEL_VALUE_BYTES + 2];

    memset(value, 'v', sizeof(value));
    value[LABEL_VALUE_BYTES] = '\0';
    for (unsigned i = 0; i < LABELS_MAX; i++) {
        memset(key, 'k', sizeof(key));
        snprintf(key + LABEL_KEY_BYTES - 2, 3, "%02u", i);
        assert_true(set(&l, key, value));
    }
    assert_int_equal(strlen(l.lines), LABELS_BYTES);
    assert_false(set(&l, "one-more", "x"));
    assert_true(set(&l, key, "short"));
    assert_false(set(&l, "one-more", "x"));
    value[LABEL_VALUE_BYTES] = 'v';
    value[LABEL_VALUE_BYTES + 1] = '\0';
    assert_false(set(&l, key, value));
    assert_true(str_eq(labels_value(&l, str_of(key)), STR("short")));
}

TEST(what_is_no_label_is_refused)
{
    static const char *const KEYS_BAD[] = {"", "A", "a b", ".a", "a/b", "a=b", "\xc3\xa4"};
    static const char *const VALUES_BAD[] = {"a\nb", "a\tb", "\x01", "\xff", "\xe2\x80\xae"};
    struct labels l = {""};
    struct diag diag = {0};

    for (size_t i = 0; i < sizeof(KEYS_BAD) / sizeof(*KEYS_BAD); i++)
        assert_false(set(&l, KEYS_BAD[i], "x"));
    for (size_t i = 0; i < sizeof(VALUES_BAD) / sizeof(*VALUES_BAD); i++)
        assert_false(set(&l, "x", VALUES_BAD[i]));
    assert_string_equal(l.lines, "");
    assert_true(labels_set_lines(&l, STR("\r\n a = b \r\n\n c=d=e"), &diag));
    assert_string_equal(l.lines, "a=b\nc=d=e\n");
    assert_false(labels_set_lines(&l, STR("x=1\ny"), &diag));
}

TEST(spaces_have_names)
{
    static const char *const GOOD[] = {"a", "check-out_2.x", "0", "-", "json"};
    static const char *const BAD[] = {"", "A", ".a", "..", "a/b", "a b", "a.json", "a.txt", "a.html"};
    char longest[SPACE_NAME_BYTES + 2];

    for (size_t i = 0; i < sizeof(GOOD) / sizeof(*GOOD); i++)
        assert_true(space_name_valid(str_of(GOOD[i])));
    for (size_t i = 0; i < sizeof(BAD) / sizeof(*BAD); i++)
        assert_false(space_name_valid(str_of(BAD[i])));
    memset(longest, 'a', sizeof(longest));
    assert_true(space_name_valid((struct str){longest, SPACE_NAME_BYTES}));
    assert_false(space_name_valid((struct str){longest, SPACE_NAME_BYTES + 1}));
}

/* ---- queries ---- */

enum { NOV_1_S = 1793491200, NOV_2_S = NOV_1_S + DAY_S }; /* 2026-11-01 and the next day */

static bool fits(const char *query)
{
    const struct query_subject subject = {
        NOV_1_S,
        {[QUERY_WORDS] = STR("app.trace\nbinder took 539 ms"),
         [QUERY_LABELS] = STR("\nbranch=main\ndevice=Pixel 8\n"),
         [QUERY_RULES] = STR("headline\ngc-on-main\n"),
         [QUERY_METHODS] = STR("com.example.feedadapter.getview\njava.util.zip.deflater.deflate\n")}};
    struct diag diag = {0};
    struct query q;

    assert_true(query_parse(&q, str_of(query), &diag));
    return query_fits(&q, &subject);
}

TEST(queries_look_for_labels_times_and_words)
{
    static const char *const FIT[] = {"",
                                      "  \t ",
                                      "BINDER app",
                                      "branch:main",
                                      "branch:\"main\" device:\"Pixel 8\"",
                                      "branch:",
                                      "\"took 539\"",
                                      "after:2026-11-01 before:2026-11-02",
                                      "before:2026-11-01T00:00:01Z",
                                      "verdict:gc method:FeedAdapter.getView",
                                      "verdict:gc-on-main method:zip",
                                      "verdict: method:",
                                      "\"\"",
                                      "device:\"Pixel 8"};
    static const char *const NOT[] = {
        "branch:mai",       "branch:Main", "ranch:main",       "device:Pixel", "nobody",
        "binder nobody",    "other:",      "\"branch:main\"",  "Branch:main",  "before:2026-11-01",
        "after:2026-11-02", "pixel",       "ms\nbranch=x",     "verdict:jit",  "method:gc",
        "verdict:zip",      "getview",     "branch:gc-on-main"};

    for (size_t i = 0; i < sizeof(FIT) / sizeof(*FIT); i++)
        if (!fits(FIT[i]))
            fail_msg("%s", FIT[i]);
    for (size_t i = 0; i < sizeof(NOT) / sizeof(*NOT); i++)
        if (fits(NOT[i]))
            fail_msg("%s", NOT[i]);
}

TEST(queries_have_limits)
{
    static const char *const BAD[] = {"after:yesterday", "before:", "after:2026-13-01", "after:2026-11-01T"};
    char text[QUERY_BYTES_MAX + 2];
    struct query q;

    for (size_t i = 0; i < sizeof(BAD) / sizeof(*BAD); i++) {
        struct diag diag = {0};
        assert_false(query_parse(&q, str_of(BAD[i]), &diag));
        assert_int_equal(diag.kind, DIAG_USAGE);
    }
    for (size_t i = 0; i < sizeof(text); i++)
        text[i] = i % 2 == 0 ? 'a' : ' ';
    struct diag many = {0}, none = {0}, large = {0};
    assert_true(query_parse(&q, (struct str){text, 2 * QUERY_TERMS_MAX}, &none));
    assert_int_equal(q.n, QUERY_TERMS_MAX);
    assert_false(query_parse(&q, (struct str){text, 2 * QUERY_TERMS_MAX + 1}, &many));
    assert_false(query_parse(&q, (struct str){text, QUERY_BYTES_MAX + 1}, &large));
}

/* A label as a query finds the label, whatever stands in its value, and is one term. */
TEST(labels_come_back_as_queries)
{
    static const char *const VALUES[] = {"main",       "Pixel 8",    "5\"",         "\"",          "\"\"",
                                         "\"main\"",   "say \"hi\"", "\"a\" b",     "6.1\" phone", "a \"",
                                         "branch:x y", "a\"b",       "\" branch:x", "\xc3\xa4 \\"};

    for (size_t i = 0; i < sizeof(VALUES) / sizeof(*VALUES); i++) {
        char line[100];
        struct buf text = {0};
        struct diag diag = {0};
        struct query q;
        snprintf(line, sizeof(line), "\nbranch=%s\n", VALUES[i]);
        query_put_label(&text, STR("branch"), str_of(VALUES[i]));
        buf_z(&text, " device:\"x\"");
        assert_true(query_parse(&q, buf_view(&text), &diag));
        buf_free(&text);
        assert_int_equal(q.n, 2);
        if (q.terms[0].bytes != strlen(line) || memcmp(q.text + q.terms[0].at, line, strlen(line)) != 0)
            fail_msg("%s", VALUES[i]);
    }
}

/* Of keys that mean something else in a query, too; and where `label.` in front of them is a part of the key. */
TEST(labels_of_any_key_come_back_as_queries)
{
    static const char *const KEYS[] = {"branch",       "method", "verdict",      "after",
                                       "label.method", "before", "label.branch", "label.label.after"};

    for (size_t i = 0; i < sizeof(KEYS) / sizeof(*KEYS); i++) {
        char line[100];
        struct buf text = {0};
        struct diag diag = {0};
        struct query q;
        snprintf(line, sizeof(line), "\n%s=Feed\n", KEYS[i]);
        query_put_label(&text, str_of(KEYS[i]), STR("Feed"));
        if (!query_parse(&q, buf_view(&text), &diag) || q.n != 1 || q.terms[0].where != QUERY_LABELS ||
            q.terms[0].bytes != strlen(line) || memcmp(q.text, line, strlen(line)) != 0)
            fail_msg("%s: %.*s", KEYS[i], (int)text.n, text.p);
        buf_free(&text);
    }
}

/* ---- records and entries ---- */

TEST(a_record_keeps_space_and_labels)
{
    struct record_fixture f = record_fixture_begin();
    struct record r;

    snprintf(f.record.space, sizeof(f.record.space), "checkout");
    assert_true(set(&f.record.labels, "branch", "\"main\" \\ \xc3\xa4"));
    assert_int_equal(record_write(f.store, &f.record, BEGUN_S), STORE_OK);
    assert_int_equal(record_read(f.store, STR(ID), NOW_S, &r), RECORD_FOUND);
    assert_string_equal(r.space, "checkout");
    assert_string_equal(r.labels.lines, f.record.labels.lines);
    record_fixture_end(&f);
}

TEST(keys_of_entries_come_back)
{
    static const char *const BAD[] = {"spaces/x/1/1-" ID, "spaces/x/683/001771200000-abc", "spaces/x/1",
                                      "spaces/", "names/x/683/001771200000-" ID};
    struct record r = {.id = ID, .space = "checkout", .created_s = NOW_S};
    struct record_entry e;
    char key[STORE_KEY_BYTES];

    record_entry_key(&r, ENTRY_FIRST, key);
    assert_true(store_key_valid(key));
    assert_true(record_entry_read(key, &e));
    assert_string_equal(e.id, ID);
    assert_string_equal(e.mark, "");
    assert_int_equal(e.created_s, NOW_S);
    struct record_entry words, marked, marked_words;
    record_entry_key(&r, ENTRY_WORDS, key);
    assert_true(store_key_valid(key));
    assert_true(record_entry_read(key, &words));
    assert_int_equal(record_entry_put_s(&words), NOW_S);
    assert_true(record_entry_mark(&r, NOW_S + 5));
    record_entry_key(&r, ENTRY_FIRST, key);
    assert_true(store_key_valid(key));
    assert_true(record_entry_read(key, &marked));
    assert_string_equal(marked.mark, r.mark);
    assert_int_equal(record_entry_put_s(&marked), NOW_S + 5);
    record_entry_key(&r, ENTRY_WORDS, key);
    assert_true(record_entry_read(key, &marked_words));
    assert_true(record_entry_order(&e, &words) < 0 && record_entry_order(&words, &marked) < 0 &&
                record_entry_order(&marked, &marked_words) < 0);
    for (size_t i = 0; i < sizeof(BAD) / sizeof(*BAD); i++)
        assert_false(record_entry_read(BAD[i], &e));
}

static bool is_there(struct store *s, const struct record *r)
{
    char key[STORE_KEY_BYTES];

    record_entry_key(r, ENTRY_FIRST, key);
    return store_exists(s, key) == STORE_OK;
}

static bool put(struct record_fixture *f, const struct record *r)
{
    char key[STORE_KEY_BYTES];

    record_entry_key(r, ENTRY_FIRST, key);
    return store_put(f->store, key, STR("{}")) == STORE_OK;
}

static bool swept(struct record_fixture *f, const struct record *r, int64_t now_s)
{
    char key[STORE_KEY_BYTES];
    bool removed;

    record_entry_key(r, ENTRY_FIRST, key);
    assert_int_equal(record_remove_entry(f->store, key, now_s, &removed), STORE_OK);
    assert_int_equal(removed, !is_there(f->store, r));
    return removed;
}

TEST(what_does_not_count_is_swept)
{
    struct record_fixture f = record_fixture_begin();
    struct record moved;

    char words[STORE_KEY_BYTES];
    bool removed;
    snprintf(f.record.space, sizeof(f.record.space), "checkout");
    record_entry_key(&f.record, ENTRY_WORDS, words);
    assert_true(put(&f, &f.record));
    assert_int_equal(store_put(f.store, words, STR("{}")), STORE_OK);
    assert_false(swept(&f, &f.record, NOW_S + 60)); /* somebody is about to write the record */
    assert_int_equal(record_write(f.store, &f.record, BEGUN_S), STORE_OK);
    assert_false(swept(&f, &f.record, NOW_S + 2 * DAY_S));
    assert_int_equal(record_remove_entry(f.store, words, NOW_S + 2 * DAY_S, &removed), STORE_OK);
    assert_false(removed);
    /* A change that has not come to its revision. */
    moved = f.record;
    snprintf(moved.space, sizeof(moved.space), "other");
    assert_true(record_entry_mark(&moved, NOW_S + 3 * DAY_S));
    assert_true(put(&f, &moved));
    assert_false(swept(&f, &moved, NOW_S + 3 * DAY_S + 60));
    assert_int_equal(record_change(f.store, &moved, RECORD_SPACE, NOW_S + 3 * DAY_S), STORE_OK);
    assert_false(swept(&f, &moved, NOW_S + 5 * DAY_S));
    assert_true(swept(&f, &f.record, NOW_S + 3 * DAY_S));
    assert_int_equal(record_remove_entry(f.store, words, NOW_S + 3 * DAY_S, &removed), STORE_OK);
    assert_true(removed);
    assert_true(put(&f, &f.record));
    assert_int_equal(record_delete(f.store, &f.record, NOW_S + 3 * DAY_S), STORE_OK);
    assert_false(is_there(f.store, &moved)); /* by its last record, which the caller did not know */
    assert_true(swept(&f, &f.record, NOW_S + 60));
    record_fixture_end(&f);
}

/* ---- the index ---- */

struct seen {
    char names[400];
    struct record_entry last;
};

static void see(void *context, const struct entry *e)
{
    struct seen *s = context;
    struct query_subject subject = entry_subject(e);

    const struct str words = subject.of[QUERY_WORDS];
    strncat(s->names, words.p, str_find(words, '\n'));
    strcat(s->names, " ");
    s->last = e->name;
}

static struct seen look(struct spaces *s, const char *query, const struct record_entry *before, size_t most,
                        bool more)
{
    struct seen seen = {.names = ""};
    struct diag diag = {0};
    struct query q;
    bool are_more;

    assert_true(query_parse(&q, str_of(query), &diag));
    struct spaces_asked asked = {.space = STR("checkout"), .query = &q, .most = most};
    if (before != NULL)
        asked.before = *before;
    assert_true(spaces_list(s, &asked, see, &seen, &are_more, &diag));
    assert_int_equal(are_more, more);
    return seen;
}

static struct record upload(unsigned i, const char *branch)
{
    struct record r = {.space = "checkout", .format = "folded", .created_s = NOW_S + i};

    memset(r.id, 'a', RECORD_ID_CHARS);
    r.id[0] = (char)('a' + i);
    snprintf(r.name, sizeof(r.name), "n%u", i);
    assert_true(set(&r.labels, "branch", branch));
    return r;
}

static void put_upload(struct spaces *s, const struct record *r)
{
    struct buf text = {0};

    assert_true(entry_write(r, STR(""), STR("{\"sentences\":[{\"text\":\"Slow Start\"}]}"), &text));
    assert_int_equal(spaces_put(s, r, buf_view(&text)), STORE_OK);
    buf_free(&text);
}

TEST(the_index_follows_what_is_put_and_removed)
{
    struct record_fixture f = record_fixture_begin();
    struct spaces *s = spaces_new(f.store, NULL), *other = spaces_new(f.store, NULL);
    struct seen seen;

    assert_string_equal(look(s, "", NULL, 9, false).names, "");
    for (unsigned i = 0; i < 5; i++) {
        struct record r = upload(i, i % 2 == 0 ? "main" : "fix");
        put_upload(i < 3 ? s : other, &r);
    }
    assert_string_equal(look(s, "", NULL, 9, false).names, "n4 n3 n2 n1 n0 ");
    assert_string_equal(look(s, "branch:main slow", NULL, 9, false).names, "n4 n2 n0 ");
    assert_string_equal(look(s, "format:folded n3", NULL, 9, false).names, "n3 ");
    seen = look(s, "", NULL, 2, true);
    assert_string_equal(seen.names, "n4 n3 ");
    assert_string_equal(look(s, "", &seen.last, 9, false).names, "n2 n1 n0 ");
    struct record gone = upload(3, "fix"), changed = upload(1, "main"), twice = upload(7, "x");
    spaces_remove(s, &gone);
    assert_false(is_there(f.store, &gone));
    assert_string_equal(look(s, "", NULL, 9, false).names, "n4 n2 n1 n0 ");
    /* Of two entries of one upload the younger one is shown. */
    assert_true(record_entry_mark(&changed, NOW_S));
    put_upload(s, &changed);
    assert_string_equal(look(s, "branch:main", NULL, 9, false).names, "n4 n2 n1 n0 ");
    assert_string_equal(look(s, "branch:fix", NULL, 9, false).names, "");
    put_upload(s, &twice);
    assert_int_equal(
        spaces_put_words(s, &twice, STR("{\"id\":\"haaaaaaaaaaaaaaaaaaaaaaaaa\",\"name\":\"told\"}")),
        STORE_OK);
    seen = look(s, "", NULL, 1, true);
    assert_string_equal(seen.names, "told ");
    spaces_remove(s, &twice);
    assert_string_equal(look(s, "", NULL, 9, false).names, "n4 n2 n1 n0 ");
    spaces_free(s);
    spaces_free(other);
    record_fixture_end(&f);
}

struct crowd {
    struct spaces *spaces, *others;
    unsigned number;
};

/* Puts its own upload, looks, and takes it away again; the last one stays. */
static void *come_and_go(void *context)
{
    const struct crowd *c = context;

    for (unsigned i = 0; i < 20; i++) {
        struct record r = upload(c->number, "main");
        put_upload(i % 2 == 0 ? c->spaces : c->others, &r);
        struct seen seen = {.names = ""};
        struct diag diag = {0};
        struct query q;
        bool more;
        assert_true(query_parse(&q, STR("branch:main"), &diag));
        struct spaces_asked asked = {.space = STR("checkout"), .query = &q, .most = 20};
        assert_true(spaces_list(c->spaces, &asked, see, &seen, &more, &diag));
        if (i < 19)
            spaces_remove(c->spaces, &r);
    }
    return NULL;
}

TEST(several_may_use_it_at_a_time)
{
    enum { THREADS = 4 };
    struct record_fixture f = record_fixture_begin();
    struct spaces *s = spaces_new(f.store, NULL), *others = spaces_new(f.store, NULL), *fresh;
    struct crowd crowd[THREADS];
    pthread_t threads[THREADS];

    for (unsigned i = 0; i < THREADS; i++) {
        crowd[i] = (struct crowd){s, others, i};
        assert_int_equal(pthread_create(&threads[i], NULL, come_and_go, &crowd[i]), 0);
    }
    for (unsigned i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    fresh = spaces_new(f.store, NULL);
    assert_string_equal(look(fresh, "", NULL, 9, false).names, "n3 n2 n1 n0 ");
    spaces_free(fresh);
    spaces_free(s);
    spaces_free(others);
    record_fixture_end(&f);
}

TEST(what_is_no_entry_is_passed_over)
{
    static const char *const BAD[] = {
        "", "[]", "{}", "{\"id\":\"x\"}", "nonsense", "{\"id\":\"" ID "\",\n\"name\":\"two lines\"}"};
    struct record_fixture f = record_fixture_begin();
    struct spaces *s = spaces_new(f.store, NULL);
    char key[STORE_KEY_BYTES];

    for (unsigned i = 0; i < sizeof(BAD) / sizeof(*BAD); i++) {
        struct record r = upload(i, "main");
        record_entry_key(&r, ENTRY_FIRST, key);
        assert_int_equal(store_put(f.store, key, str_of(BAD[i])), STORE_OK);
    }
    struct record good = upload(9, "main");
    put_upload(s, &good);
    assert_string_equal(look(s, "", NULL, 9, false).names, "n9 ");
    spaces_free(s);
    record_fixture_end(&f);
}

/* What people say comes before what the file knows. */
TEST(the_file_says_labels_too)
{
    static const char SUMMARY[] =
        "{\"facts\": {\"package\": \"com.a\", \"android_sdk\": 34, \"build\": \"x\\u0001y\"}}\n"
        "[]\n{\"whole\": {\"tracks\": 2, \"totals\": {}}}\n1 {\"id\": 1}\n";
    struct record r = upload(0, "main");
    struct buf text = {0};

    assert_true(set(&r.labels, "package", "mine"));
    assert_true(entry_write(&r, STR(SUMMARY), STR("no json"), &text));
    assert_true(str_find_str(buf_view(&text),
                             STR("\"label\":{\"branch\":\"main\",\"package\":\"mine\"},"
                                 "\"known\":{\"android.build\":\"x\xe2\x90\x81y\",\"android.sdk\":\"34\","
                                 "\"format\":\"folded\"}")) < text.n);
    buf_free(&text);
}
