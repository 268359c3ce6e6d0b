/* Stores of earlier versions: all that they held is there, and what they shared is each upload's own. */
#include "tests/support/unit.h"
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "server/store/migrate.h"
#include "tests/support/aged_store.h"

#define SHA   "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"
#define NAMES "99112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"
#define ALONE "ff112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"

static void put(const struct aged_store *f, const char *key, const char *text)
{
    assert_int_equal(store_put(f->store, key, str_of(text)), STORE_OK);
}

/* Digit by digit what version 0.1 and those after it have written. */
static void put_record(const struct aged_store *f, char letter, const char *sha256, const char *more)
{
    char id[RECORD_ID_CHARS + 1] = "", key[STORE_KEY_BYTES], text[1024];

    memset(id, letter, RECORD_ID_CHARS);
    snprintf(text, sizeof(text),
             "{\"id\": \"%s\", \"name\": \"x\", \"created\": \"2026-11-20T10:49:19Z\", \"expires\": "
             "\"2036-11-20T10:49:19Z\", \"sha256\": \"%s\", \"size\": 5, \"format\": \"folded\", "
             "\"warnings\": 0, \"token_sha256\": \"" SHA "\"%s}",
             id, sha256, more);
    snprintf(key, sizeof(key), "uploads/%s.json", id);
    put(f, key, text);
    snprintf(key, sizeof(key), "refs/%s/%s", sha256, id);
    put(f, key, "");
}

/* Two uploads of equal bytes, of which one has a mapping, and a blob that nobody needs. */
static struct aged_store old_store(void)
{
    struct aged_store f = aged_store_begin();

    put(&f, "blobs/00/" SHA, "bytes");
    put(&f, "blobs/99/" NAMES, "names");
    put(&f, "blobs/ff/" ALONE, "alone");
    put_record(&f, 'a', SHA, "");
    put_record(&f, 'b', SHA, ", \"mapping\": \"" NAMES "\"");
    put(&f, "refs/" NAMES "/bbbbbbbbbbbbbbbbbbbbbbbbbb", "");
    return f;
}

static void migrate(const struct aged_store *f)
{
    struct diag diag = {0};

    assert_true(migrate_store(f->store, NULL, &diag));
}

static void assert_upload(const struct aged_store *f, char letter)
{
    char id[RECORD_ID_CHARS + 1] = "", key[RECORD_BYTES_KEY_CHARS + 1];
    struct record r;

    memset(id, letter, RECORD_ID_CHARS);
    record_bytes_key(id, key);
    assert_int_equal(record_read(f->store, str_of(id), f->now_s, &r), RECORD_FOUND);
    aged_store_assert_object(f, key, STR("bytes"));
    if (r.names.of[RECORD_MAPPING][0] == '\0')
        return;
    char names[STORE_KEY_BYTES];
    record_names_key(r.names.of[RECORD_MAPPING], r.names.period[RECORD_MAPPING], names);
    aged_store_assert_object(f, names, STR("names"));
}

static void assert_migrated(struct aged_store *f)
{
    assert_upload(f, 'a');
    assert_upload(f, 'b');
    assert_int_equal(scratch_count(&f->scratch, "blobs") + scratch_count(&f->scratch, "refs"), 0);
    aged_store_assert_nothing_done(aged_store_sweep(f, MIB, false));
    assert_upload(f, 'b');
}

TEST(all_that_was_there_is_there)
{
    struct aged_store f = old_store();

    migrate(&f);
    assert_migrated(&f);
    migrate(&f);
    assert_migrated(&f);
    aged_store_end(&f);
}

TEST(a_mapping_goes_with_its_last_upload)
{
    struct aged_store f = old_store();
    struct record r;

    migrate(&f);
    assert_int_equal(record_read(f.store, STR("bbbbbbbbbbbbbbbbbbbbbbbbbb"), f.now_s, &r), RECORD_FOUND);
    assert_int_equal(record_delete(f.store, &r, f.now_s), STORE_OK);
    struct sweep_done done = aged_store_sweep(&f, MIB, false);
    assert_int_equal(done.refs, 1);
    assert_int_equal(done.blobs, 1);
    assert_int_equal(scratch_count(&f.scratch, "names"), 0);
    assert_upload(&f, 'a');
    aged_store_end(&f);
}

/* The record may be repaired by hand, and then the next start finds its bytes. */
TEST(what_cannot_be_read_loses_nothing)
{
    struct aged_store f = old_store();

    put(&f, "uploads/cccccccccccccccccccccccccc.json", "damaged");
    migrate(&f);
    assert_upload(&f, 'a');
    assert_upload(&f, 'b');
    assert_false(aged_store_has(&f, "blobs/00/" SHA));
    aged_store_assert_object(&f, "blobs/ff/" ALONE, STR("alone"));
    assert_int_equal(store_delete(f.store, "uploads/cccccccccccccccccccccccccc.json"), STORE_OK);
    put_record(&f, 'c', ALONE, "");
    migrate(&f);
    aged_store_assert_object(&f, "bytes/cccccccccccccccccccccccccc", STR("alone"));
    assert_migrated(&f);
    aged_store_end(&f);
}

/* The upload was changed by this version since a migration that has left something. */
TEST(later_names_stay)
{
    struct aged_store f = old_store();
    const uint32_t period = record_period(f.now_s);
    struct record r;
    char key[STORE_KEY_BYTES];

    put(&f, "uploads/cccccccccccccccccccccccccc.json", "damaged");
    migrate(&f);
    record_names_key(NAMES, period, key);
    put(&f, key, "names");
    assert_int_equal(record_read(f.store, STR("aaaaaaaaaaaaaaaaaaaaaaaaaa"), f.now_s, &r), RECORD_FOUND);
    memcpy(r.names.of[RECORD_MAPPING], NAMES, sizeof(NAMES));
    r.names.period[RECORD_MAPPING] = period;
    assert_int_equal(record_change_names(f.store, &r, RECORD_MAPPING, (int64_t)time(NULL), f.now_s),
                     STORE_OK);
    migrate(&f);
    assert_upload(&f, 'a');
    assert_upload(&f, 'b');
    aged_store_end(&f);
}

TEST(a_new_store_is_left_alone)
{
    struct aged_store f = aged_store_begin();

    migrate(&f);
    struct aged_upload u = aged_store_upload(&f, 1, HOUR_S);
    migrate(&f);
    assert_true(aged_store_has(&f, u.bytes) && aged_store_has(&f, u.object));
    aged_store_end(&f);
}
