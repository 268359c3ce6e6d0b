/* What the store promises, of each backend: of a directory, or, where AFLAMED_TEST_BUCKET names one, of a bucket, with
 * copies on this machine and without. tests/http/test_store_bucket.py runs it so. */
#include "tests/support/unit.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "core/system/digest.h"
#include "core/system/folder.h"
#include "server/s3/s3.h"
#include "server/store/store.h"
#include "tests/support/scratch.h"

/* A large file is sent to a bucket in five parts; object stores take none below 5 MiB but the last. */
enum { PART_BYTES = 5 << 20, LARGE_BYTES = 22 << 20 };

struct world {
    struct scratch scratch;
    struct store *store;
};

static bool take_room(void *context, uint64_t bytes)
{
    (void)context, (void)bytes;
    return true;
}

static void note_put(void *context, uint64_t bytes, bool kept)
{
    (void)context, (void)bytes, (void)kept;
}

static struct store *open_store(const char *directory, const char *bucket)
{
    struct diag diag = {0};
    const struct s3_settings settings = {getenv("AFLAMED_TEST_BUCKET_ENDPOINTS"),
                                         getenv("AFLAMED_TEST_BUCKET_REGION"),
                                         NULL,
                                         0,
                                         PART_BYTES,
                                         NULL};

    if (bucket == NULL)
        return store_open(directory, &diag);
    struct s3 *s3 = s3_open(bucket, &settings, &diag);
    assert_non_null(s3);
    struct store *s = store_open_bucket(s3, directory, NULL, &diag);
    assert_non_null(s);
    if (getenv("AFLAMED_TEST_BUCKET_COPIES") != NULL)
        store_keep_copies(s, &(const struct store_room){take_room, note_put, NULL});
    return s;
}

/* Each test has keys of its own, in a bucket that others may have filled. */
static struct world begin(void)
{
    struct world w = {.scratch = scratch_make()};
    const char *bucket = getenv("AFLAMED_TEST_BUCKET");
    static atomic_uint number;
    char name[128];

    if (bucket != NULL)
        snprintf(name, sizeof(name), "%s/%x-%x", bucket, (unsigned)getpid(), atomic_fetch_add(&number, 1));
    w.store = open_store(w.scratch.path, bucket != NULL ? name : NULL);
    assert_non_null(w.store);
    return w;
}

static void end(struct world *w)
{
    store_close(w->store);
    scratch_remove(&w->scratch);
}

static void assert_read(struct store *s, const char *key, struct str expected)
{
    struct buf text = {0};

    assert_int_equal(store_read(s, key, 1000, &text), STORE_OK);
    assert_int_equal(text.n, expected.n);
    assert_true(str_eq(buf_view(&text), expected));
    buf_free(&text);
}

TEST(what_is_put_is_there)
{
    struct world w = begin();
    struct store_object o;
    struct buf text = {0};

    assert_int_equal(store_exists(w.store, "a/b"), STORE_NOT_FOUND);
    assert_int_equal(store_read(w.store, "a/b", 10, &text), STORE_NOT_FOUND);
    assert_int_equal(store_put(w.store, "a/b", STR("hello")), STORE_OK);
    assert_int_equal(store_put(w.store, "a/empty", STR("")), STORE_OK);
    assert_read(w.store, "a/b", STR("hello"));
    assert_read(w.store, "a/empty", STR(""));
    assert_int_equal(store_look(w.store, "a/b", &o), STORE_OK);
    assert_int_equal(o.bytes, 5);
    assert_in_range(o.time_s - (int64_t)time(NULL) + 600, 0, 1200);
    end(&w);
}

TEST(what_is_there_stays)
{
    struct world w = begin();

    assert_int_equal(store_put(w.store, "a/b", STR("first")), STORE_OK);
    assert_int_equal(store_put(w.store, "a/b", STR("second")), STORE_EXISTS);
    assert_read(w.store, "a/b", STR("first"));
    end(&w);
}

TEST(more_than_the_limit_is_not_read)
{
    struct world w = begin();
    struct buf text = {0};

    buf_z(&text, "before");
    assert_int_equal(store_put(w.store, "a/b", STR("12345")), STORE_OK);
    assert_int_equal(store_read(w.store, "a/b", 4, &text), STORE_FAILED);
    assert_true(str_eq(buf_view(&text), STR("before")));
    assert_int_equal(store_read(w.store, "a/b", 5, &text), STORE_OK);
    assert_true(str_eq(buf_view(&text), STR("before12345")));
    buf_free(&text);
    end(&w);
}

TEST(what_is_deleted_is_gone)
{
    struct world w = begin();
    uint64_t before = store_changes(w.store);

    assert_int_equal(store_put(w.store, "a/b", STR("x")), STORE_OK);
    assert_int_not_equal(store_changes(w.store), before);
    before = store_changes(w.store);
    assert_int_equal(store_delete(w.store, "a/b"), STORE_OK);
    assert_int_not_equal(store_changes(w.store), before);
    assert_int_equal(store_exists(w.store, "a/b"), STORE_NOT_FOUND);
    enum store_result again =
        store_delete(w.store, "a/b"); /* an object store does not say whether it was there */
    assert_true(again == STORE_OK || again == STORE_NOT_FOUND);
    assert_int_equal(store_put(w.store, "a/b", STR("y")), STORE_OK);
    end(&w);
}

TEST(keys_are_vetted)
{
    struct world w = begin();
    static const char *const KEYS[] = {"",     "a",   "/a/b", "a//b",  "a/b/",       "../a/b",
                                       "a/.b", "A/b", "a/b?", "tmp/x", "a/b/c/d/e/f"};
    struct store_object o;
    struct buf text = {0};
    int fd;
    uint64_t bytes;

    for (size_t i = 0; i < sizeof(KEYS) / sizeof(KEYS[0]); i++) {
        assert_int_equal(store_put(w.store, KEYS[i], STR("x")), STORE_FAILED);
        assert_int_equal(store_get(w.store, KEYS[i], NULL, &fd, &bytes), STORE_FAILED);
        assert_int_equal(store_read(w.store, KEYS[i], 10, &text), STORE_FAILED);
        assert_int_equal(store_look(w.store, KEYS[i], &o), STORE_FAILED);
        assert_int_equal(store_delete(w.store, KEYS[i]), STORE_FAILED);
        assert_int_equal(store_copy(w.store, KEYS[i], "a/b"), STORE_FAILED);
        assert_int_equal(store_copy(w.store, "a/b", KEYS[i]), STORE_FAILED);
    }
    end(&w);
}

/* ---- files ---- */

/* With `ahead` its parts are put while it grows. */
static enum store_result try_file(struct store *s, const char *key, bool ahead, char hex[DIGEST_CHARS + 1])
{
    struct local_temp t;
    char *bytes = malloc(LARGE_BYTES);

    assert_non_null(bytes);
    for (size_t i = 0; i < LARGE_BYTES; i++)
        bytes[i] = (char)(i * 7 + i / 251);
    digest_hex_of(bytes, LARGE_BYTES, hex);
    assert_int_equal(local_temp_open(store_local(s), &t), STORE_OK);
    for (size_t at = 0; at < LARGE_BYTES; at += LARGE_BYTES / 4) {
        assert_int_equal(local_temp_write(&t, bytes + at, LARGE_BYTES / 4), STORE_OK);
        if (ahead)
            store_put_parts(s, &t, key, (uint64_t)t.written);
    }
    assert_true((t.sent != NULL) == (ahead && store_is_remote(s)));
    enum store_result result = store_put_file(s, &t, key, hex);
    assert_false(t.open);
    assert_null(t.sent);
    free(bytes);
    return result;
}

static enum store_result try_large(struct store *s, const char *key, char hex[DIGEST_CHARS + 1])
{
    return try_file(s, key, false, hex);
}

static void put_large(struct store *s, const char *key, char hex[DIGEST_CHARS + 1])
{
    assert_int_equal(try_large(s, key, hex), STORE_OK);
}

static void assert_large(struct store *s, const char *key, const char *sha256, const char *expected)
{
    struct buf text = {0};
    char hex[DIGEST_CHARS + 1];
    int fd;
    uint64_t bytes;

    assert_int_equal(store_get(s, key, sha256, &fd, &bytes), STORE_OK);
    assert_int_equal(bytes, LARGE_BYTES);
    assert_true(file_read_all(fd, 2 * (size_t)LARGE_BYTES, &text));
    digest_hex_of(text.p, text.n, hex);
    assert_string_equal(hex, expected);
    close(fd);
    buf_free(&text);
}

TEST(parts_are_put_while_a_file_grows)
{
    struct world w = begin();
    char hex[DIGEST_CHARS + 1];

    assert_int_equal(try_file(w.store, "bytes/grown", true, hex), STORE_OK);
    assert_large(w.store, "bytes/grown", NULL, hex);
    end(&w);
}

TEST(parts_that_are_dropped_are_no_object)
{
    struct world w = begin();
    char *bytes = calloc(1, 2 * PART_BYTES);
    struct local_temp t;

    assert_non_null(bytes);
    assert_int_equal(local_temp_open(store_local(w.store), &t), STORE_OK);
    assert_int_equal(local_temp_write(&t, bytes, 2 * PART_BYTES), STORE_OK);
    store_put_parts(w.store, &t, "bytes/dropped", 2 * PART_BYTES);
    store_drop_parts(w.store, &t);
    assert_null(t.sent);
    assert_int_equal(store_exists(w.store, "bytes/dropped"), STORE_NOT_FOUND);
    local_temp_discard(store_local(w.store), &t);
    free(bytes);
    end(&w);
}

TEST(a_file_comes_back)
{
    struct world w = begin();
    char hex[DIGEST_CHARS + 1];
    size_t descriptors = scratch_descriptors();

    put_large(w.store, "bytes/one", hex);
    assert_large(w.store, "bytes/one", hex, hex);
    assert_large(w.store, "bytes/one", hex, hex);
    assert_large(w.store, "bytes/one", NULL, hex);
    /* Connections that are kept are descriptors, too. */
    if (!store_is_remote(w.store))
        assert_int_equal(scratch_descriptors(), descriptors);
    assert_int_equal(scratch_count(&w.scratch, "tmp"), 0);
    end(&w);
}

TEST(a_file_that_is_there_stays)
{
    struct world w = begin();
    char hex[DIGEST_CHARS + 1];

    assert_int_equal(store_put(w.store, "bytes/one", STR("first")), STORE_OK);
    assert_int_equal(try_large(w.store, "bytes/one", hex), STORE_EXISTS);
    assert_read(w.store, "bytes/one", STR("first"));
    assert_int_equal(scratch_count(&w.scratch, "tmp"), 0);
    end(&w);
}

TEST(a_copy_stays_when_the_other_goes)
{
    struct world w = begin();
    char hex[DIGEST_CHARS + 1];

    assert_int_equal(store_copy(w.store, "bytes/none", "bytes/two"), STORE_NOT_FOUND);
    put_large(w.store, "bytes/one", hex);
    assert_int_equal(store_copy(w.store, "bytes/one", "bytes/two"), STORE_OK);
    assert_int_equal(store_delete(w.store, "bytes/one"), STORE_OK);
    assert_large(w.store, "bytes/two", hex, hex);
    end(&w);
}

/* ---- lists ---- */

struct seen {
    struct store *store; /* NULL: nothing is deleted */
    size_t n, most;
    uint64_t bytes;
};

static bool note(void *context, const struct store_object *object)
{
    struct seen *s = context;

    assert_int_equal(strncmp(object->key, "uploads/", 8), 0);
    assert_int_equal(object->shares, 1);
    assert_in_range(object->time_s - (int64_t)time(NULL) + 600, 0, 1200);
    s->n++;
    s->bytes += object->bytes;
    if (s->store != NULL)
        assert_int_equal(store_delete(s->store, object->key), STORE_OK);
    return s->n < s->most;
}

TEST(a_list_has_all_below_its_folder)
{
    struct world w = begin();
    struct seen none = {NULL, 0, SIZE_MAX, 0}, all = none, some = {NULL, 0, 3, 0}, sub = none,
                deleted = {w.store, 0, SIZE_MAX, 0}, after = none;
    char key[64];

    assert_int_equal(store_list(w.store, "uploads/", note, &none), STORE_OK);
    assert_int_equal(none.n, 0);
    for (unsigned i = 0; i < 20; i++) {
        snprintf(key, sizeof(key), "uploads/%u/%u", i % 3, i);
        assert_int_equal(store_put(w.store, key, STR("xy")), STORE_OK);
    }
    assert_int_equal(store_put(w.store, "uploads-not/x", STR("x")), STORE_OK);
    assert_int_equal(store_list(w.store, "uploads/", note, &all), STORE_OK);
    assert_int_equal(all.n, 20);
    assert_int_equal(all.bytes, 40);
    assert_int_equal(store_list(w.store, "uploads/", note, &some), STORE_OK);
    assert_int_equal(some.n, 3);
    assert_int_equal(store_list(w.store, "uploads/1/", note, &sub), STORE_OK);
    assert_int_equal(sub.n, 7);
    assert_int_equal(store_list(w.store, "uploads/", note, &deleted), STORE_OK);
    assert_int_equal(deleted.n, 20);
    assert_int_equal(store_list(w.store, "uploads/", note, &after), STORE_OK);
    assert_int_equal(after.n, 0);
    assert_int_equal(store_list(w.store, "uploads", note, &after), STORE_FAILED);
    assert_int_equal(store_list(w.store, "../", note, &after), STORE_FAILED);
    end(&w);
}

/* ---- several at a time ---- */

enum { PUTTERS = 8 };

struct putter {
    struct store *store;
    char text[16];
    enum store_result result;
};

static void *put_one(void *putter)
{
    struct putter *p = putter;

    p->result = store_put(p->store, "uploads/x/2", str_of(p->text));
    return NULL;
}

TEST(of_many_one_puts)
{
    struct world w = begin();
    struct putter all[PUTTERS];
    pthread_t threads[PUTTERS];
    size_t won = PUTTERS;

    for (size_t i = 0; i < PUTTERS; i++) {
        all[i] = (struct putter){.store = w.store};
        snprintf(all[i].text, sizeof(all[i].text), "putter %zu", i);
        assert_int_equal(pthread_create(&threads[i], NULL, put_one, &all[i]), 0);
    }
    for (size_t i = 0; i < PUTTERS; i++) {
        pthread_join(threads[i], NULL);
        if (all[i].result == STORE_OK) {
            assert_int_equal(won, PUTTERS);
            won = i;
        } else {
            assert_int_equal(all[i].result, STORE_EXISTS);
        }
    }
    assert_int_not_equal(won, PUTTERS);
    assert_read(w.store, "uploads/x/2", str_of(all[won].text));
    end(&w);
}

TEST(it_is_ready)
{
    struct world w = begin();

    assert_int_equal(store_probe(w.store), STORE_OK);
    assert_int_equal(scratch_count(&w.scratch, "tmp"), 0);
    end(&w);
}
