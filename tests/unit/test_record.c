/* Records: what is written comes back, what is broken is called so, tombstones. */
#include "tests/support/unit.h"
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "core/system/digest.h"
#include "tests/support/record_fixture.h"

static enum record_state state_at(struct record_fixture *f, int64_t now_s, struct record *r)
{
    return record_read(f->store, STR(ID), now_s, r);
}

TEST(records_come_back)
{
    struct record_fixture f = record_fixture_begin();
    struct record r;

    assert_int_equal(state_at(&f, NOW_S, &r), RECORD_NONE);
    assert_int_equal(record_write(f.store, &f.record, BEGUN_S), STORE_OK);
    assert_int_equal(state_at(&f, NOW_S, &r), RECORD_FOUND);
    assert_string_equal(r.id, f.record.id);
    assert_string_equal(r.name, f.record.name);
    assert_string_equal(r.sha256, f.record.sha256);
    assert_string_equal(r.token_sha256, f.record.token_sha256);
    assert_string_equal(r.format, f.record.format);
    assert_int_equal(r.size, f.record.size);
    assert_int_equal(r.created_s, f.record.created_s);
    assert_int_equal(r.expires_s, f.record.expires_s);
    assert_int_equal(r.warnings, f.record.warnings);
    assert_int_equal(record_write(f.store, &f.record, BEGUN_S), STORE_OK); /* a second try finds its own */
    record_fixture_end(&f);
}

TEST(the_object_is_plain_json)
{
    struct record_fixture f = record_fixture_begin();
    struct buf text = {0};

    assert_int_equal(record_write(f.store, &f.record, BEGUN_S), STORE_OK);
    assert_int_equal(store_read(f.store, "uploads/" ID ".json", 4096, &text), STORE_OK);
    json_t *object = json_loadb(text.p, text.n, JSON_REJECT_DUPLICATES, NULL);
    assert_non_null(object);
    assert_int_equal(json_object_size(object), 9);
    assert_string_equal(json_string_value(json_object_get(object, "created")), "2026-11-20T10:49:19Z");
    assert_string_equal(json_string_value(json_object_get(object, "expires")), "2026-12-20T10:49:19Z");
    assert_int_equal(json_integer_value(json_object_get(object, "size")), 57472596);
    json_decref(object);
    buf_free(&text);
    record_fixture_end(&f);
}

TEST(hostile_names_are_cleaned)
{
    static const struct {
        const char *name, *read;
    } CASES[] = {
        {"", ""},
        {"a\n\"\\</script>\x1b[0m", "a\xe2\x90\x8a\"\\</script>\xe2\x90\x9b[0m"},
        {"\xff\xfe\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},
        {"\xe2\x80\xae.trace", "\xef\xbf\xbd.trace"},
    };

    for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
        struct record_fixture f = record_fixture_begin();
        struct record r;
        snprintf(f.record.name, sizeof(f.record.name), "%s", CASES[i].name);
        assert_int_equal(record_write(f.store, &f.record, BEGUN_S), STORE_OK);
        assert_int_equal(state_at(&f, NOW_S, &r), RECORD_FOUND);
        assert_string_equal(r.name, CASES[i].read);
        record_fixture_end(&f);
    }
    struct record_fixture f = record_fixture_begin();
    struct record r;
    memset(f.record.name, '\x01', RECORD_NAME_BYTES); /* three times as long when it is cleaned */
    assert_int_equal(record_write(f.store, &f.record, BEGUN_S), STORE_OK);
    assert_int_equal(state_at(&f, NOW_S, &r), RECORD_FOUND);
    assert_int_equal(strlen(r.name), RECORD_NAME_BYTES / 3 * 3);
    record_fixture_end(&f);
}

TEST(what_would_be_broken_is_not_written)
{
    struct record_fixture f = record_fixture_begin();
    struct record bad[11];

    for (size_t i = 0; i < 11; i++)
        bad[i] = f.record;
    bad[0].id[3] = '1';
    bad[1].id[25] = '\0';
    bad[2].sha256[0] = 'A';
    bad[3].token_sha256[0] = '\0';
    bad[4].format[0] = '\0';
    bad[5].format[1] = '\n';
    bad[6].size = (uint64_t)INT64_MAX + 1;
    bad[7].expires_s = INT64_MAX;
    bad[8].created_s = -1;
    strcpy(bad[9].app, "com.foo\xe2\x80\x8e");
    strcpy(bad[10].member, "a\n");
    for (size_t i = 0; i < 11; i++)
        assert_int_equal(record_write(f.store, &bad[i], BEGUN_S), STORE_FAILED);
    assert_int_equal(scratch_count(&f.scratch, ""), 4); /* lock, tmp, the bytes in their folder */
    record_fixture_end(&f);
}

TEST(broken_objects_are_called_so)
{
#define REST                                                                                             \
    "\"name\":\"n\",\"created\":\"2026-11-20T10:49:19Z\",\"sha256\":\"" SHA "\",\"token_sha256\":\"" SHA \
    "\",\"format\":\"f\",\"warnings\":0"
#define LATER "\"expires\":\"2036-11-20T10:49:19Z\""
    static const char *const OBJECTS[] = {
        "",
        "{",
        "[]",
        "{}",
        "null",
        "{\"id\":\"" ID "\"," REST "," LATER "}", /* no size */
        "{\"id\":\"" ID "\"," REST "," LATER ",\"size\":-1}",
        "{\"id\":\"" ID "\"," REST "," LATER ",\"size\":1.5}",
        "{\"id\":\"" ID "\"," REST "," LATER ",\"size\":\"1\"}",
        "{\"id\":\"" ID "\"," REST "," LATER ",\"size\":99999999999999999999}",
        "{\"id\":\"" ID "\"," REST ",\"expires\":\"never\",\"size\":1}",
        "{\"id\":\"" ID "\"," REST ",\"expires\":5,\"size\":1}",
        "{\"id\":\"bbcdefghijklmnopqrstuvwxyz\"," REST "," LATER ",\"size\":1}", /* another's */
        "{\"id\":\"" ID "\"," REST "," LATER ",\"size\":1,\"size\":1}",
        "{\"id\":\"" ID "\"," REST "," LATER ",\"size\":1} x",
        "{\"id\":\"" ID "\"," REST "," LATER ",\"size\":1",
    };
    struct record r;

    for (size_t i = 0; i < sizeof(OBJECTS) / sizeof(OBJECTS[0]); i++) {
        struct record_fixture f = record_fixture_begin();
        assert_int_equal(store_put(f.store, "uploads/" ID ".json", str_of(OBJECTS[i])), STORE_OK);
        assert_int_equal(state_at(&f, NOW_S, &r), RECORD_BROKEN);
        assert_string_equal(r.id, "");
        record_fixture_end(&f);
    }
    struct record_fixture f = record_fixture_begin();
    static const char GOOD[] = "{\"id\":\"" ID "\"," REST "," LATER ",\"size\":1}";
    assert_int_equal(store_put(f.store, "uploads/" ID ".json", str_of(GOOD)), STORE_OK);
    assert_int_equal(state_at(&f, NOW_S, &r), RECORD_FOUND);
    record_fixture_end(&f);
}

TEST(a_huge_object_is_broken)
{
    static char huge[1 << 20];
    struct record_fixture f = record_fixture_begin();
    struct record r;

    memset(huge, '[', sizeof(huge));
    assert_int_equal(store_put(f.store, "uploads/" ID ".json", (struct str){huge, sizeof(huge)}), STORE_OK);
    assert_int_equal(state_at(&f, NOW_S, &r), RECORD_BROKEN);
    record_fixture_end(&f);
}

TEST(expired_ones_are_gone_and_can_be_deleted)
{
    struct record_fixture f = record_fixture_begin();
    struct record r;

    assert_int_equal(record_write(f.store, &f.record, BEGUN_S), STORE_OK);
    assert_int_equal(state_at(&f, f.record.expires_s - 1, &r), RECORD_FOUND);
    assert_int_equal(state_at(&f, f.record.expires_s, &r), RECORD_GONE);
    assert_string_equal(r.id, ID);
    assert_int_equal(record_delete(f.store, &r, f.record.expires_s), STORE_OK);
    assert_int_equal(state_at(&f, f.record.expires_s, &r), RECORD_GONE);
    assert_string_equal(r.id, "");
    record_fixture_end(&f);
}

TEST(deleted_ones_are_gone_for_a_while)
{
    struct record_fixture f = record_fixture_begin();
    struct record r;
    int64_t last = NOW_S + (int64_t)RECORD_GONE_DAYS * DAY_S;
    bool forgotten;

    assert_int_equal(record_write(f.store, &f.record, BEGUN_S), STORE_OK);
    assert_int_equal(record_delete(f.store, &f.record, NOW_S), STORE_OK);
    assert_int_equal(record_delete(f.store, &f.record, NOW_S + 5), STORE_OK);
    assert_int_equal(store_exists(f.store, "uploads/" ID ".json"), STORE_NOT_FOUND);
    assert_int_equal(scratch_count(&f.scratch, "bytes"), 0);
    assert_int_equal(state_at(&f, NOW_S - 100, &r), RECORD_GONE); /* a clock that was set back */
    assert_int_equal(state_at(&f, last, &r), RECORD_GONE);
    assert_int_equal(record_forget(f.store, STR(ID), last, &forgotten), STORE_OK);
    assert_false(forgotten);
    assert_int_equal(state_at(&f, last, &r), RECORD_GONE);
    assert_int_equal(state_at(&f, last + 1, &r), RECORD_NONE);
    assert_int_equal(record_forget(f.store, STR(ID), last + 1, &forgotten), STORE_OK);
    assert_true(forgotten);
    assert_int_equal(scratch_count(&f.scratch, "gone"), 0);
    assert_int_equal(record_forget(f.store, STR(ID), last + 1, &forgotten), STORE_OK);
    assert_false(forgotten);
    record_fixture_end(&f);
}

/* Only the tombstone of a delete is synced: the rest may come back with the power. */
TEST(a_record_under_a_tombstone_stays_gone)
{
    struct record_fixture f = record_fixture_begin();
    struct record r;
    int64_t late = NOW_S + 10 * (int64_t)RECORD_GONE_DAYS * DAY_S;
    bool forgotten;

    f.record.expires_s = late + DAY_S;
    assert_int_equal(record_write(f.store, &f.record, BEGUN_S), STORE_OK);
    assert_int_equal(record_delete(f.store, &f.record, NOW_S), STORE_OK);
    assert_int_equal(record_write(f.store, &f.record, BEGUN_S), STORE_OK);
    assert_int_equal(state_at(&f, late, &r), RECORD_GONE);
    assert_int_equal(record_forget(f.store, STR(ID), late, &forgotten), STORE_OK);
    assert_false(forgotten);
    assert_int_equal(state_at(&f, late, &r), RECORD_GONE);
    assert_string_equal(r.id, ID);
    assert_int_equal(record_delete(f.store, &r, late), STORE_OK);
    assert_int_equal(state_at(&f, late, &r), RECORD_NONE);
    record_fixture_end(&f);
}

/* It slept for so long that a sweep may have taken its bytes for left behind. */
TEST(an_upload_that_slept_is_refused)
{
    struct record_fixture f = record_fixture_begin();
    struct record r;

    for (int64_t hours = -13; hours <= 13; hours += 26) {
        assert_int_equal(record_write(f.store, &f.record, BEGUN_S + hours * 3600), STORE_FAILED);
        assert_int_equal(state_at(&f, NOW_S, &r), RECORD_NONE);
    }
    assert_int_equal(record_discard(f.store, ID), STORE_OK);
    assert_int_equal(scratch_count(&f.scratch, "bytes") + scratch_count(&f.scratch, "uploads"), 0);
    assert_int_equal(record_discard(f.store, ID), STORE_OK);
    record_fixture_end(&f);
}

TEST(expiring_goes_on_where_it_was_cut_off)
{
    struct record_fixture f = record_fixture_begin();
    struct record r;
    int64_t late = f.record.expires_s;
    bool expired;

    assert_int_equal(record_write(f.store, &f.record, BEGUN_S), STORE_OK);
    assert_int_equal(store_delete(f.store, BYTES), STORE_OK);
    assert_int_equal(state_at(&f, late, &r), RECORD_GONE);
    assert_int_equal(record_expire(f.store, STR(ID), late - 1, late, &expired), STORE_OK);
    assert_false(expired);
    assert_int_equal(record_expire(f.store, STR(ID), late, late, &expired), STORE_OK);
    assert_true(expired);
    assert_int_equal(state_at(&f, late, &r), RECORD_GONE);
    assert_int_equal(scratch_count(&f.scratch, "uploads"), 0);
    assert_int_equal(record_expire(f.store, STR(ID), late, late, &expired), STORE_OK);
    assert_false(expired);
    record_fixture_end(&f);
}

/* It has expired by the clock of a sweep, and by nobody else's: then it has for all. */
TEST(a_change_that_comes_too_late_is_refused)
{
    struct record_fixture f = record_fixture_begin();
    struct record r;
    bool expired;

    f.record.expires_s = NOW_S + 60;
    assert_int_equal(record_write(f.store, &f.record, BEGUN_S), STORE_OK);
    assert_int_equal(store_put(f.store, "uploads/" ID "/2", STR("")), STORE_OK);
    f.record.expires_s += DAY_S;
    assert_int_equal(record_change(f.store, &f.record, RECORD_EXPIRY, NOW_S), STORE_NOT_FOUND);
    assert_int_equal(record_expire(f.store, STR(ID), f.record.expires_s, NOW_S, &expired), STORE_OK);
    assert_true(expired);
    assert_int_equal(record_change(f.store, &f.record, RECORD_EXPIRY, NOW_S), STORE_NOT_FOUND);
    assert_int_equal(state_at(&f, NOW_S, &r), RECORD_GONE);
    assert_int_equal(scratch_count(&f.scratch, "uploads"), 0);
    record_fixture_end(&f);
}

/* A record that is to live for long was not ended by any clock. */
TEST(an_empty_revision_too_early_is_damage)
{
    struct record_fixture f = record_fixture_begin();
    struct record r;
    bool expired;

    assert_int_equal(record_write(f.store, &f.record, BEGUN_S), STORE_OK);
    assert_int_equal(store_put(f.store, "uploads/" ID "/2", STR("")), STORE_OK);
    assert_int_equal(state_at(&f, NOW_S, &r), RECORD_BROKEN);
    assert_int_equal(record_expire(f.store, STR(ID), NOW_S, NOW_S, &expired), STORE_OK);
    assert_false(expired);
    assert_int_equal(store_exists(f.store, "uploads/" ID ".json"), STORE_OK);
    record_fixture_end(&f);
}

/* ---- what nobody needs ---- */

static bool removes_bytes(struct record_fixture *f, const char *key, int64_t before_s)
{
    struct store_object o = {.key = key};
    bool removed;

    assert_true(store_look(f->store, key, &o) <= STORE_NOT_FOUND);
    assert_int_equal(record_remove_bytes(f->store, &o, before_s, &removed), STORE_OK);
    return removed;
}

static bool removes_names(struct record_fixture *f, const char *key, int64_t now_s)
{
    bool removed;

    assert_int_equal(record_remove_names(f->store, key, now_s, &removed), STORE_OK);
    return removed;
}

TEST(bytes_without_a_record_go)
{
    struct record_fixture f = record_fixture_begin();

    assert_false(removes_bytes(&f, BYTES, BEGUN_S - 60));
    assert_int_equal(record_write(f.store, &f.record, BEGUN_S), STORE_OK);
    assert_false(removes_bytes(&f, BYTES, BEGUN_S + DAY_S));
    f.record.expires_s += DAY_S;
    assert_int_equal(record_change(f.store, &f.record, RECORD_EXPIRY, NOW_S), STORE_OK);
    assert_int_equal(store_delete(f.store, "uploads/" ID ".json"), STORE_OK);
    assert_false(removes_bytes(&f, BYTES, BEGUN_S + DAY_S)); /* it has another revision */
    assert_int_equal(store_delete(f.store, "uploads/" ID "/2"), STORE_OK);
    assert_true(removes_bytes(&f, BYTES, BEGUN_S + DAY_S));
    assert_int_equal(store_put(f.store, BYTES, STR("x")), STORE_OK);
    assert_int_equal(store_put(f.store, "gone/" ID, STR("")), STORE_OK);
    assert_true(removes_bytes(&f, BYTES, BEGUN_S - DAY_S)); /* a power cut has brought them back */
    record_fixture_end(&f);
}

#define OTHER "bbbbbbbbbbbbbbbbbbbbbbbbbb"

TEST(files_of_names_go_when_nobody_can_need_them)
{
    struct record_fixture f = record_fixture_begin();
    struct record r;
    char file[STORE_KEY_BYTES], mine[STORE_KEY_BYTES], others[STORE_KEY_BYTES];
    const uint32_t period = record_period(NOW_S);
    const int64_t later_s = NOW_S + 2 * RECORD_PERIOD_S;

    record_names_key(SHA, period, file);
    record_need_key(SHA, period, ID, mine);
    record_need_key(SHA, period, OTHER, others);
    assert_int_equal(store_put(f.store, file, STR("names")), STORE_OK);
    assert_int_equal(store_put(f.store, others, STR("")), STORE_OK); /* of an upload that failed */
    memcpy(f.record.names.of[RECORD_SYMBOLS], SHA, sizeof(SHA));
    f.record.names.period[RECORD_SYMBOLS] = period;
    assert_int_equal(record_write(f.store, &f.record, BEGUN_S), STORE_OK);
    assert_int_equal(state_at(&f, NOW_S, &r), RECORD_FOUND);
    assert_int_equal(r.names.period[RECORD_SYMBOLS], period);
    assert_int_equal(store_exists(f.store, mine), STORE_OK);
    assert_false(removes_names(&f, others, NOW_S + RECORD_PERIOD_S)); /* the last period */
    assert_true(removes_names(&f, others, later_s));
    assert_false(removes_names(&f, mine, later_s));
    assert_false(removes_names(&f, file, later_s));
    f.record.names.of[RECORD_SYMBOLS][0] = '\0';
    assert_int_equal(record_change_names(f.store, &f.record, RECORD_SYMBOLS, BEGUN_S, NOW_S), STORE_OK);
    assert_int_equal(store_exists(f.store, mine), STORE_OK); /* the sweep's */
    assert_true(removes_names(&f, mine, later_s));
    assert_false(removes_names(&f, file, NOW_S + RECORD_PERIOD_S));
    assert_true(removes_names(&f, file, later_s));
    assert_int_equal(scratch_count(&f.scratch, "names"), 0);
    record_fixture_end(&f);
}

TEST(names_that_come_later)
{
    struct record_fixture f = record_fixture_begin();
    struct record r = f.record;
    char mine[STORE_KEY_BYTES];

    memcpy(r.names.of[RECORD_MAPPING], SHA, sizeof(SHA));
    r.names.period[RECORD_MAPPING] = 7;
    record_need_key(SHA, 7, ID, mine);
    assert_int_equal(record_change_names(f.store, &r, RECORD_MAPPING, BEGUN_S, NOW_S), STORE_NOT_FOUND);
    assert_int_equal(store_exists(f.store, mine), STORE_NOT_FOUND);
    assert_int_equal(record_write(f.store, &f.record, BEGUN_S), STORE_OK);
    assert_int_equal(record_change_names(f.store, &r, RECORD_MAPPING, BEGUN_S - DAY_S, NOW_S), STORE_FAILED);
    assert_int_equal(state_at(&f, NOW_S, &r), RECORD_FOUND);
    assert_string_equal(r.names.of[RECORD_MAPPING], ""); /* the file may have been removed meanwhile */
    memcpy(r.names.of[RECORD_MAPPING], SHA, sizeof(SHA));
    r.names.period[RECORD_MAPPING] = 7;
    strcpy(r.name, "not asked for");
    assert_int_equal(record_change_names(f.store, &r, RECORD_MAPPING, BEGUN_S, NOW_S), STORE_OK);
    assert_string_equal(r.name, f.record.name);
    assert_int_equal(state_at(&f, NOW_S, &r), RECORD_FOUND);
    assert_string_equal(r.names.of[RECORD_MAPPING], SHA);
    assert_int_equal(r.names.period[RECORD_MAPPING], 7);
    assert_int_equal(store_exists(f.store, mine), STORE_OK);
    record_fixture_end(&f);
}

TEST(other_objects_are_left_alone)
{
    static const char *const KEYS[] = {"bytes/x",
                                       "bytes/a/" ID,
                                       "views/00/" SHA,
                                       "names/x/" SHA,
                                       "names/1/" SHA ".for/x",
                                       "names/1/" ID,
                                       "views/" ID,
                                       "names/01/" SHA,
                                       "uploads/" ID ".json",
                                       "views/" SHA "/" ID,
                                       "names/" SHA,
                                       "names/1/x",
                                       "names/1/" SHA ".or/" ID,
                                       "names/4294967296/" SHA};
    struct record_fixture f = record_fixture_begin();

    for (size_t i = 0; i < sizeof(KEYS) / sizeof(KEYS[0]); i++) {
        assert_int_equal(store_put(f.store, KEYS[i], STR("x")), STORE_OK);
        assert_false(removes_bytes(&f, KEYS[i], BEGUN_S + DAY_S));
        assert_false(removes_names(&f, KEYS[i], NOW_S));
        assert_int_equal(store_delete(f.store, KEYS[i]), STORE_OK);
    }
    assert_false(removes_names(&f, "", NOW_S));
    record_fixture_end(&f);
}

TEST(a_damaged_tombstone_still_counts)
{
    static const char *const WORDS[] = {"", "x", "2026-11-20T10:49:19Z and more"};
    struct record r;

    for (size_t i = 0; i < 3; i++) {
        struct record_fixture f = record_fixture_begin();
        assert_int_equal(record_write(f.store, &f.record, BEGUN_S), STORE_OK);
        assert_int_equal(store_put(f.store, "gone/" ID, str_of(WORDS[i])), STORE_OK);
        assert_int_equal(state_at(&f, NOW_S, &r), RECORD_GONE);
        record_fixture_end(&f);
    }
}

TEST(only_ids_are_looked_up)
{
    static const struct str WRONG[] = {
        STR_INIT(""),
        STR_INIT("abcdefghijklmnopqrstuvwxy"),
        STR_INIT("abcdefghijklmnopqrstuvwxyza"),
        STR_INIT("Abcdefghijklmnopqrstuvwxyz"),
        STR_INIT("abcdefghijklmnopqrstuvwxy1"),
        STR_INIT("../../../../../etc/passwd."),
        STR_INIT("abcdefghijklmnopqrstuvwxy\0"),
    };
    struct record_fixture f = record_fixture_begin();
    struct record r;

    for (size_t i = 0; i < sizeof(WRONG) / sizeof(WRONG[0]); i++) {
        assert_false(record_id_valid(WRONG[i]));
        assert_int_equal(record_read(f.store, WRONG[i], NOW_S, &r), RECORD_NONE);
    }
    assert_true(record_id_valid(STR("abcdefghijklmnopqrstuv2347")));
    record_fixture_end(&f);
}

TEST(secrets_differ_and_use_all_bits)
{
    enum { N = 400 };
    static char secrets[N][RECORD_ID_CHARS + 1];
    size_t kinds[RECORD_ID_CHARS] = {0};

    for (size_t i = 0; i < N; i++) {
        assert_true(record_new_secret(secrets[i]));
        assert_true(record_id_valid(str_of(secrets[i])));
        for (size_t k = 0; k < i; k++)
            assert_string_not_equal(secrets[i], secrets[k]);
    }
    for (size_t at = 0; at < RECORD_ID_CHARS; at++)
        for (char c = '2'; c <= 'z'; c++) {
            size_t i = 0;
            while (i < N && secrets[i][at] != c)
                i++;
            kinds[at] += i < N;
        }
    /* 400 draws of 32 letters miss one in three of a million places; the last letter holds three bits */
    for (size_t at = 0; at + 1 < RECORD_ID_CHARS; at++)
        assert_in_range(kinds[at], 28, 32);
    assert_int_equal(kinds[RECORD_ID_CHARS - 1], 8);
}

TEST(digests_and_tokens)
{
    struct record_fixture f = record_fixture_begin();
    char hex[RECORD_SHA256_CHARS + 1];

    digest_hex_of("", 0, hex);
    assert_string_equal(hex, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    digest_hex_of("abc", 3, hex);
    assert_string_equal(hex, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    assert_true(record_token_matches(&f.record, STR("token")));
    assert_false(record_token_matches(&f.record, STR("Token")));
    assert_false(record_token_matches(&f.record, STR("")));
    assert_false(record_token_matches(&f.record, str_of(f.record.token_sha256)));
    f.record.token_sha256[0] = '\0';
    assert_false(record_token_matches(&f.record, STR("token")));
    assert_false(record_token_matches(&f.record, STR("")));
    record_fixture_end(&f);
}
