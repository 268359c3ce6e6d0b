/* Changing a record: name and expiry, against deletes, and what the store does for it. */
#include "tests/support/unit.h"
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "server/store/store_impl.h"
#include "tests/support/record_fixture.h"

enum { ROUNDS = 200, ALL = RECORD_NAME | RECORD_EXPIRY | RECORD_APP };

TEST(name_and_expiry)
{
    struct record_fixture f = record_fixture_begin();
    struct record r;

    assert_int_equal(record_write(f.store, &f.record, BEGUN_S), STORE_OK);
    strcpy(f.record.name, "an\x01other");
    f.record.expires_s = NOW_S + DAY_S;
    uint64_t changes = store_changes(f.store);
    assert_int_equal(record_change(f.store, &f.record, ALL, NOW_S), STORE_OK);
    assert_int_not_equal(store_changes(f.store), changes);
    assert_int_equal(record_read(f.store, STR(ID), NOW_S, &r), RECORD_FOUND);
    assert_string_equal(r.name, "an\xe2\x90\x81other"); /* cleaned */
    assert_int_equal(r.expires_s, NOW_S + DAY_S);
    assert_string_equal(r.sha256, SHA);
    assert_true(record_token_matches(&r, STR("token")));
    assert_int_equal(record_read(f.store, STR(ID), NOW_S + DAY_S, &r), RECORD_GONE);
    assert_int_equal(record_delete(f.store, &r, NOW_S), STORE_OK);
    record_fixture_end(&f);
}

/* Two clients have read the record, and change one field each. */
TEST(fields_that_another_change_made_stay)
{
    struct record_fixture f = record_fixture_begin();
    struct record named = f.record, longer = f.record, r;

    assert_int_equal(record_write(f.store, &f.record, BEGUN_S), STORE_OK);
    strcpy(named.name, "another");
    strcpy(named.app, "com.example");
    longer.expires_s = NOW_S + DAY_S;
    assert_int_equal(record_change(f.store, &named, RECORD_NAME, NOW_S), STORE_OK);
    assert_int_equal(record_change(f.store, &longer, RECORD_EXPIRY, NOW_S), STORE_OK);
    assert_int_equal(record_read(f.store, STR(ID), NOW_S, &r), RECORD_FOUND);
    assert_string_equal(r.name, "another");
    assert_string_equal(r.app, "");
    assert_int_equal(r.expires_s, NOW_S + DAY_S);
    assert_int_equal(record_change(f.store, &named, RECORD_APP, NOW_S), STORE_OK);
    assert_int_equal(record_read(f.store, STR(ID), NOW_S, &r), RECORD_FOUND);
    assert_string_equal(r.app, "com.example");
    assert_int_equal(r.expires_s, NOW_S + DAY_S);
    record_fixture_end(&f);
}

TEST(what_is_not_there)
{
    struct record_fixture f = record_fixture_begin();
    struct record r;

    assert_int_equal(record_change(f.store, &f.record, ALL, NOW_S), STORE_NOT_FOUND);
    assert_int_equal(record_write(f.store, &f.record, BEGUN_S), STORE_OK);
    assert_int_equal(record_change(f.store, &f.record, ALL, f.record.expires_s), STORE_NOT_FOUND);
    f.record.expires_s = -1;
    assert_int_equal(record_change(f.store, &f.record, ALL, NOW_S), STORE_FAILED);
    assert_int_equal(errno, EINVAL);
    f.record.expires_s = NOW_S + 2 * DAY_S;
    assert_int_equal(record_delete(f.store, &f.record, NOW_S), STORE_OK);
    assert_int_equal(record_change(f.store, &f.record, ALL, NOW_S), STORE_NOT_FOUND);
    assert_int_equal(record_read(f.store, STR(ID), NOW_S, &r), RECORD_GONE);
    assert_int_equal(store_exists(f.store, "uploads/" ID ".json"), STORE_NOT_FOUND);
    record_fixture_end(&f);
}

static void *change_until_gone(void *context)
{
    struct record_fixture *f = context;
    struct record r = f->record;

    for (unsigned i = 0; i < 100000; i++) {
        snprintf(r.name, sizeof(r.name), "%u", i);
        if (record_change(f->store, &r, ALL, NOW_S) == STORE_NOT_FOUND)
            break;
    }
    return NULL;
}

/* However the two meet, the upload is gone, and no record is left behind. */
TEST(a_delete_meanwhile)
{
    struct record_fixture f = record_fixture_begin();

    for (unsigned i = 0; i < ROUNDS; i++) {
        char id[RECORD_ID_CHARS + 1], key[STORE_KEY_BYTES];
        struct record r;
        pthread_t thread;
        assert_true(record_new_secret(id));
        memcpy(f.record.id, id, sizeof(id));
        assert_int_equal(record_write(f.store, &f.record, BEGUN_S), STORE_OK);
        assert_int_equal(pthread_create(&thread, NULL, change_until_gone, &f), 0);
        for (unsigned spin = 0; spin < i * 37; spin++)
            __asm__ volatile("");
        assert_int_equal(record_delete(f.store, &f.record, NOW_S), STORE_OK);
        assert_int_equal(pthread_join(thread, NULL), 0);
        assert_int_equal(record_read(f.store, str_of(id), NOW_S, &r), RECORD_GONE);
        snprintf(key, sizeof(key), "uploads/%s.json", id);
        assert_int_equal(store_exists(f.store, key), STORE_NOT_FOUND);
    }
    record_fixture_end(&f);
}

static void *read_until_gone(void *context)
{
    static enum record_state last;
    struct record_fixture *f = context;
    struct record r;

    do
        last = record_read(f->store, str_of(f->record.id), NOW_S, &r);
    while (last == RECORD_FOUND);
    return &last;
}

/* Who reads meanwhile sees the upload, and then that it is gone: never that there was none. */
TEST(a_reader_of_what_is_deleted)
{
    struct record_fixture f = record_fixture_begin();

    for (unsigned i = 0; i < ROUNDS; i++) {
        void *last;
        pthread_t thread;
        assert_true(record_new_secret(f.record.id));
        assert_int_equal(record_write(f.store, &f.record, BEGUN_S), STORE_OK);
        assert_int_equal(pthread_create(&thread, NULL, read_until_gone, &f), 0);
        for (unsigned spin = 0; spin < i * 37; spin++)
            __asm__ volatile("");
        assert_int_equal(record_delete(f.store, &f.record, NOW_S), STORE_OK);
        assert_int_equal(pthread_join(thread, &last), 0);
        assert_int_equal(*(enum record_state *)last, RECORD_GONE);
    }
    record_fixture_end(&f);
}

/* ---- changes that meet ---- */

enum { CHANGERS = 4, CHANGES = 100 };

struct changer {
    struct record_fixture *f;
    unsigned field; /* of these, the one that only this changer changes */
    unsigned lost;
};

static void *change_one_field(void *context)
{
    struct changer *c = context;
    struct record r = c->f->record, now = {0};

    for (unsigned i = 0; i < CHANGES; i++) {
        snprintf(r.name, sizeof(r.name), "%u", i);
        snprintf(r.app, sizeof(r.app), "com.%u", i);
        r.expires_s = NOW_S + DAY_S + i;
        r.team = i % 2 == 1;
        bool kept = record_change(c->f->store, &r, c->field, NOW_S) == STORE_OK &&
                    record_read(c->f->store, STR(ID), NOW_S, &now) == RECORD_FOUND;
        bool same = c->field == RECORD_NAME     ? strcmp(now.name, r.name) == 0
                    : c->field == RECORD_APP    ? strcmp(now.app, r.app) == 0
                    : c->field == RECORD_EXPIRY ? now.expires_s == r.expires_s
                                                : now.team == r.team;
        c->lost += !kept || !same;
    }
    return NULL;
}

/* Each field has a changer of its own, which finds its own change again each time. */
TEST(no_change_is_lost)
{
    static const unsigned FIELDS[CHANGERS] = {RECORD_NAME, RECORD_EXPIRY, RECORD_APP, RECORD_READERS};
    struct record_fixture f = record_fixture_begin();
    struct changer changers[CHANGERS];
    pthread_t threads[CHANGERS];

    assert_int_equal(record_write(f.store, &f.record, BEGUN_S), STORE_OK);
    for (unsigned i = 0; i < CHANGERS; i++) {
        changers[i] = (struct changer){&f, FIELDS[i], 0};
        assert_int_equal(pthread_create(&threads[i], NULL, change_one_field, &changers[i]), 0);
    }
    for (unsigned i = 0; i < CHANGERS; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        assert_int_equal(changers[i].lost, 0);
    }
    /* the first revision, and the last nine in its folder */
    assert_in_range(scratch_count(&f.scratch, "uploads"), 3, 2 + 9);
    record_fixture_end(&f);
}

static struct store_backend missing;
static struct record_fixture *listed;
static enum store_result (*list_all)(struct store *s, const char *prefix,
                                     bool (*each)(void *context, const struct store_object *object),
                                     void *context);

/* A folder's list that sees nothing, since all that is in it comes and goes meanwhile. */
static enum store_result list_nothing(struct store *s, const char *prefix,
                                      bool (*each)(void *context, const struct store_object *object),
                                      void *context)
{
    struct record r = listed->record;

    missing.list = list_all;
    for (unsigned i = 0; i < 12; i++) {
        snprintf(r.name, sizeof(r.name), "%u", i);
        assert_int_equal(record_change(s, &r, RECORD_NAME, NOW_S), STORE_OK);
    }
    (void)prefix, (void)each, (void)context;
    return STORE_OK;
}

TEST(a_list_that_missed_all_is_made_again)
{
    struct record_fixture f = record_fixture_begin();
    const struct store_backend *backend = f.store->backend;
    struct record r;

    assert_int_equal(record_write(f.store, &f.record, BEGUN_S), STORE_OK);
    missing = *backend;
    list_all = backend->list;
    missing.list = list_nothing;
    listed = &f;
    f.store->backend = &missing;
    assert_int_equal(record_read(f.store, STR(ID), NOW_S, &r), RECORD_FOUND);
    assert_string_equal(r.name, "11");
    assert_ptr_equal(missing.list, list_all);
    f.store->backend = backend;
    record_fixture_end(&f);
}

static void *lengthen(void *context)
{
    struct changer *c = context;
    struct record r = c->f->record;

    r.expires_s = NOW_S + 3 * DAY_S;
    c->lost = record_change(c->f->store, &r, RECORD_EXPIRY, NOW_S) != STORE_OK;
    return NULL;
}

/* A sweep, whose clock is ahead, finds an upload expired that is just kept for longer: the one or the other. */
TEST(a_longer_life_comes_in_time_or_is_refused)
{
    struct record_fixture f = record_fixture_begin();

    f.record.expires_s = NOW_S + DAY_S;
    for (unsigned i = 0; i < ROUNDS; i++) {
        struct changer c = {.f = &f};
        struct record r;
        pthread_t thread;
        bool expired;
        assert_true(record_new_secret(f.record.id));
        assert_int_equal(record_write(f.store, &f.record, BEGUN_S), STORE_OK);
        assert_int_equal(pthread_create(&thread, NULL, lengthen, &c), 0);
        for (unsigned spin = 0; spin < i * 37; spin++)
            __asm__ volatile("");
        assert_int_equal(record_expire(f.store, str_of(f.record.id), NOW_S + DAY_S, NOW_S, &expired),
                         STORE_OK);
        assert_int_equal(pthread_join(thread, NULL), 0);
        assert_int_equal(c.lost, expired);
        assert_int_equal(record_read(f.store, str_of(f.record.id), NOW_S + DAY_S, &r),
                         expired ? RECORD_GONE : RECORD_FOUND);
    }
    record_fixture_end(&f);
}

TEST(replacing)
{
    struct record_fixture f = record_fixture_begin();
    struct buf b = {0};

    assert_int_equal(local_replace(store_local(f.store), "a/b", STR("one")), STORE_OK);
    assert_int_equal(local_replace(store_local(f.store), "a/b", STR("two, longer")), STORE_OK);
    assert_int_equal(local_replace(store_local(f.store), "a/b", STR("3")), STORE_OK);
    assert_int_equal(store_read(f.store, "a/b", 100, &b), STORE_OK);
    assert_true(str_eq(buf_view(&b), STR("3")));
    assert_int_equal(local_replace(store_local(f.store), "../b", STR("3")), STORE_FAILED);
    assert_int_equal(local_replace(store_local(f.store), "a/b/c", STR("3")),
                     STORE_FAILED); /* an object is no folder */
    buf_free(&b);
    record_fixture_end(&f);
}
