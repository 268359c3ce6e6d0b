/* Objects: they come back, are listed, deleted and as old as their last use; keys, and who may look. */
#include "tests/support/unit.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "tests/support/aged_store.h"

/* STORE_OK if the object is there. */
static enum store_result look(struct local *l, const char *key)
{
    struct store_object o;

    return local_look(l, key, &o);
}

TEST(objects_come_back)
{
    struct aged_store f = aged_store_begin();
    struct local *s = f.local;

    assert_int_equal(local_put(s, "uploads/x.json", STR("{}"), LOCAL_DURABLE), STORE_OK);
    assert_int_equal(local_put(s, "views/ab/abcd", STR("a\0b"), LOCAL_EVICTABLE), STORE_OK);
    assert_int_equal(local_put(s, "a/b/c/empty", STR(""), LOCAL_DURABLE), STORE_OK);
    aged_store_assert_object(&f, "uploads/x.json", STR("{}"));
    aged_store_assert_object(&f, "views/ab/abcd", STR("a\0b"));
    aged_store_assert_object(&f, "a/b/c/empty", STR(""));
    assert_int_equal(look(s, "views/ab/abcd"), STORE_OK);
    assert_int_equal(look(s, "views/ab/abce"), STORE_NOT_FOUND);
    assert_int_equal(look(s, "views/ab"), STORE_NOT_FOUND);
    assert_int_equal(local_delete(s, "views/ab"), STORE_NOT_FOUND);
    aged_store_end(&f);
}

TEST(second_put_changes_nothing)
{
    struct aged_store f = aged_store_begin();

    assert_int_equal(local_put(f.local, "blobs/aa/x", STR("first"), LOCAL_DURABLE), STORE_OK);
    assert_int_equal(local_put(f.local, "blobs/aa/x", STR("second"), LOCAL_DURABLE), STORE_EXISTS);
    assert_int_equal(local_put(f.local, "blobs/aa/x", STR("third"), LOCAL_EVICTABLE), STORE_EXISTS);
    aged_store_assert_object(&f, "blobs/aa/x", STR("first"));
    assert_int_equal(scratch_count(&f.scratch, "tmp"), 0);
    aged_store_end(&f);
}

TEST(get_gives_descriptor_and_size)
{
    struct aged_store f = aged_store_begin();
    int fd = -1;
    uint64_t bytes = 0;
    char text[8];

    assert_int_equal(local_get(f.local, "a/b", &fd, &bytes), STORE_NOT_FOUND);
    assert_int_equal(local_put(f.local, "a/b", STR("hello"), LOCAL_EVICTABLE), STORE_OK);
    assert_int_equal(local_get(f.local, "a/b", &fd, &bytes), STORE_OK);
    assert_int_equal(bytes, 5);
    assert_int_equal(local_delete(f.local, "a/b"), STORE_OK); /* who has it open keeps it */
    assert_int_equal(read(fd, text, sizeof(text)), 5);
    assert_memory_equal(text, "hello", 5);
    close(fd);
    aged_store_end(&f);
}

TEST(read_has_a_limit)
{
    struct aged_store f = aged_store_begin();
    struct buf b = {0};

    assert_int_equal(local_put(f.local, "a/b", STR("12345"), LOCAL_EVICTABLE), STORE_OK);
    buf_z(&b, "x");
    assert_int_equal(local_read(f.local, "a/b", 4, &b), STORE_FAILED);
    assert_true(str_eq(buf_view(&b), STR("x")));
    assert_int_equal(local_read(f.local, "a/b", 5, &b), STORE_OK);
    assert_true(str_eq(buf_view(&b), STR("x12345")));
    buf_free(&b);
    aged_store_end(&f);
}

TEST(invalid_keys_are_refused)
{
    static const char *const KEYS[] = {
        "",       "name",   "/a/b",      "a//b",    "a/",    "../outside-the-store", "a/..",  "a/../b",
        "a/./b",  "a/.b",   "a/B",       "a/b c",   "a/b\n", "a/\xc3\xa9",           "tmp/a", "a/b:c",
        "a/b%2e", "a\\b/c", "a/b/c/d/e", "a/b/c/d/"};
    struct aged_store f = aged_store_begin();
    char longest[STORE_KEY_BYTES + 1], outside[512];
    int fd;
    uint64_t bytes;
    struct buf b = {0};

    for (size_t i = 0; i < sizeof(KEYS) / sizeof(KEYS[0]); i++) {
        assert_false(store_key_valid(KEYS[i]));
        assert_int_equal(local_put(f.local, KEYS[i], STR("x"), LOCAL_DURABLE), STORE_FAILED);
        assert_int_equal(local_get(f.local, KEYS[i], &fd, &bytes), STORE_FAILED);
        assert_int_equal(local_read(f.local, KEYS[i], 10, &b), STORE_FAILED);
        assert_int_equal(look(f.local, KEYS[i]), STORE_FAILED);
        assert_int_equal(local_delete(f.local, KEYS[i]), STORE_FAILED);
    }
    memset(longest, 'a', sizeof(longest));
    longest[1] = '/';
    longest[STORE_KEY_BYTES] = '\0';
    assert_false(store_key_valid(longest));
    longest[STORE_KEY_BYTES - 1] = '\0';
    assert_true(store_key_valid(longest));
    assert_int_equal(local_put(f.local, longest, STR("x"), LOCAL_DURABLE), STORE_OK);
    scratch_path(&f.scratch, "../outside-the-store", outside, sizeof(outside));
    assert_int_not_equal(access(outside, F_OK), 0);
    assert_int_equal(scratch_count(&f.scratch, ""), 4); /* lock, tmp, a/, the longest */
    aged_store_end(&f);
}

static unsigned mode_of(const struct scratch *s, const char *name)
{
    char path[512];
    struct stat st;

    scratch_path(s, name, path, sizeof(path));
    assert_int_equal(stat(path, &st), 0);
    return st.st_mode & 0777;
}

TEST(others_may_not_look)
{
    struct scratch outer = scratch_make();
    struct diag diag = {0};
    char path[512];

    scratch_path(&outer, "new/store/", path, sizeof(path));
    struct local *s = local_open(path, &diag);
    assert_non_null(s);
    assert_int_equal(local_put(s, "blobs/aa/x", STR("x"), LOCAL_DURABLE), STORE_OK);
    assert_int_equal(mode_of(&outer, "new"), 0700);
    assert_int_equal(mode_of(&outer, "new/store"), 0700);
    assert_int_equal(mode_of(&outer, "new/store/blobs/aa"), 0700);
    assert_int_equal(mode_of(&outer, "new/store/blobs/aa/x"), 0600);
    local_close(s);
    scratch_remove(&outer);
}

TEST(only_one_has_the_store)
{
    struct aged_store f = aged_store_begin();
    struct diag diag = {0};
    size_t descriptors = scratch_descriptors();

    assert_null(local_open(f.scratch.path, &diag));
    assert_int_equal(diag.kind, DIAG_IO);
    assert_string_equal(diag.title, "the store is in use");
    assert_non_null(strstr(diag.detail, f.scratch.path));
    assert_int_equal(scratch_descriptors(), descriptors);
    store_close(f.store);
    diag = (struct diag){0};
    f.store = store_open(f.scratch.path, &diag);
    f.local = f.store == NULL ? NULL : store_local(f.store);
    assert_non_null(f.local);
    aged_store_end(&f);
    local_close(NULL);
}

TEST(opening_what_is_no_directory_fails)
{
    struct scratch scratch = scratch_make();
    char path[512];

    scratch_write(&scratch, "file", "x", 1);
    for (int below = 0; below < 2; below++) {
        struct diag diag = {0};
        scratch_path(&scratch, below ? "file/store" : "file", path, sizeof(path));
        assert_null(local_open(path, &diag));
        assert_int_equal(diag.kind, DIAG_IO);
        assert_non_null(strstr(diag.detail, "Not a directory"));
    }
    struct diag diag = {0};
    assert_null(local_open("", &diag));
    assert_int_equal(diag.kind, DIAG_IO);
    scratch_remove(&scratch);
}

TEST(opening_sweeps_what_was_left)
{
    struct aged_store f = aged_store_begin();
    struct diag diag = {0};

    assert_int_equal(local_put(f.local, "a/b", STR("kept"), LOCAL_DURABLE), STORE_OK);
    store_close(f.store);
    scratch_write(&f.scratch, "tmp/0123", "left", 4);
    scratch_write(&f.scratch, "tmp/4567", "left", 4);
    f.store = store_open(f.scratch.path, &diag);
    f.local = f.store == NULL ? NULL : store_local(f.store);
    assert_non_null(f.local);
    assert_int_equal(scratch_count(&f.scratch, "tmp"), 0);
    aged_store_assert_object(&f, "a/b", STR("kept"));
    aged_store_end(&f);
}

TEST(last_object_takes_its_folder_along)
{
    struct aged_store f = aged_store_begin();

    assert_int_equal(local_put(f.local, "refs/aa/one", STR(""), LOCAL_DURABLE), STORE_OK);
    assert_int_equal(local_put(f.local, "refs/aa/two", STR(""), LOCAL_DURABLE), STORE_OK);
    assert_int_equal(local_delete(f.local, "refs/aa/one"), STORE_OK);
    assert_int_equal(scratch_count(&f.scratch, "refs"), 2);
    assert_int_equal(local_delete(f.local, "refs/aa/two"), STORE_OK);
    assert_int_equal(scratch_count(&f.scratch, "refs"), 0);
    assert_int_equal(local_delete(f.local, "refs/aa/two"), STORE_NOT_FOUND);
    assert_int_equal(local_put(f.local, "refs/aa/two", STR(""), LOCAL_DURABLE), STORE_OK);
    aged_store_end(&f);
}

struct found {
    struct local *local; /* NULL: nothing is deleted */
    size_t n, most;
    size_t key_bytes;
};

static bool note(void *context, const struct store_object *object)
{
    struct found *f = context;
    const char *key = object->key;

    assert_int_equal(strncmp(key, "views/", 6), 0);
    f->n++;
    f->key_bytes += strlen(key);
    if (f->local != NULL)
        assert_int_equal(local_delete(f->local, key), STORE_OK);
    assert_int_equal(object->bytes, 1);
    return f->n < f->most;
}

TEST(list_sees_all_levels)
{
    struct aged_store f = aged_store_begin();
    struct found all = {NULL, 0, SIZE_MAX, 0}, some = {NULL, 0, 3, 0}, none = {NULL, 0, SIZE_MAX, 0};
    struct found sub = {NULL, 0, SIZE_MAX, 0}, deleted = {f.local, 0, SIZE_MAX, 0};
    char key[64];

    for (unsigned i = 0; i < 300; i++) {
        snprintf(key, sizeof(key), "views/%02x/%04x", i % 7, i);
        assert_int_equal(local_put(f.local, key, STR("x"), LOCAL_EVICTABLE), STORE_OK);
    }
    assert_int_equal(local_put(f.local, "views/flat", STR("x"), LOCAL_EVICTABLE), STORE_OK);
    assert_int_equal(local_put(f.local, "other/x", STR("x"), LOCAL_EVICTABLE), STORE_OK);
    scratch_write(&f.scratch, "views/.hidden", "", 0);
    scratch_write(&f.scratch, "views/NOT A KEY", "", 0);
    assert_int_equal(local_list(f.local, "views/", note, &all), STORE_OK);
    assert_int_equal(all.n, 301);
    assert_int_equal(all.key_bytes, 300 * strlen("views/00/0000") + strlen("views/flat"));
    assert_int_equal(local_list(f.local, "views/03/", note, &sub), STORE_OK);
    assert_int_equal(sub.n, 43);
    assert_int_equal(local_list(f.local, "views/", note, &some), STORE_OK);
    assert_int_equal(some.n, 3);
    assert_int_equal(local_list(f.local, "nothing/", note, &none), STORE_OK);
    assert_int_equal(none.n, 0);
    assert_int_equal(local_list(f.local, "views/", note, &deleted), STORE_OK);
    assert_int_equal(deleted.n, 301);
    assert_int_equal(scratch_count(&f.scratch, "views"), 1); /* what is no key; folders are gone */
    aged_store_end(&f);
}

static int64_t age_of(struct local *s, const char *key)
{
    struct store_object o;

    assert_int_equal(local_look(s, key, &o), STORE_OK);
    assert_string_equal(o.key, key);
    return time(NULL) - o.time_s;
}

/* The file system's clock and the process's need not tick together: one may be a moment ahead of the other. */
static void assert_near(int64_t age_s, int64_t wanted_s)
{
    assert_in_range(age_s - wanted_s + 60, 0, 120);
}

TEST(use_is_known_to_the_hour)
{
    static const struct {
        int64_t age_s, after_s;
    } AFTER_GET[] = {{0, 0}, {3000, 3000}, {3700, 0}, {900000, 0}, {-3000, -3000}, {-90000, 0}};
    struct aged_store f = aged_store_begin();
    struct store_object o;
    struct buf b = {0};
    uint64_t bytes;
    int fd;

    assert_int_equal(local_put(f.local, "views/ab/x", STR("12345"), LOCAL_EVICTABLE), STORE_OK);
    assert_int_equal(local_look(f.local, "views/ab/x", &o), STORE_OK);
    assert_int_equal(o.bytes, 5);
    for (size_t i = 0; i < sizeof(AFTER_GET) / sizeof(AFTER_GET[0]); i++) {
        aged_store_set_age(&f, "views/ab/x", AFTER_GET[i].age_s);
        assert_int_equal(local_read(f.local, "views/ab/x", 10, &b), STORE_OK);
        assert_int_equal(look(f.local, "views/ab/x"), STORE_OK);
        assert_near(age_of(f.local, "views/ab/x"), AFTER_GET[i].age_s);
        assert_int_equal(local_use(f.local, "views/ab/x", &fd, &bytes), STORE_OK);
        close(fd);
        assert_near(age_of(f.local, "views/ab/x"), AFTER_GET[i].after_s);
    }
    assert_int_equal(local_look(f.local, "views/ab", &o), STORE_NOT_FOUND);
    assert_int_equal(local_look(f.local, "views/ab/y", &o), STORE_NOT_FOUND);
    assert_int_equal(local_look(f.local, "views", &o), STORE_FAILED);
    buf_free(&b);
    aged_store_end(&f);
}

TEST(a_copy_shares_its_bytes)
{
    struct aged_store f = aged_store_begin();
    struct store_object o;

    assert_int_equal(local_link(f.local, "bytes/x", "bytes/y", LOCAL_DURABLE), STORE_NOT_FOUND);
    assert_int_equal(local_put(f.local, "bytes/x", STR("1"), LOCAL_DURABLE), STORE_OK);
    assert_int_equal(local_link(f.local, "bytes/x", "other/folder/y", LOCAL_DURABLE), STORE_OK);
    assert_int_equal(local_link(f.local, "bytes/x", "other/folder/y", LOCAL_EVICTABLE), STORE_EXISTS);
    assert_int_equal(local_link(f.local, "../x", "bytes/y", LOCAL_DURABLE), STORE_FAILED);
    assert_int_equal(local_look(f.local, "other/folder/y", &o), STORE_OK);
    assert_int_equal(o.shares, 2);
    assert_int_equal(local_delete(f.local, "bytes/x"), STORE_OK);
    aged_store_assert_object(&f, "other/folder/y", STR("1"));
    assert_int_equal(local_look(f.local, "other/folder/y", &o), STORE_OK);
    assert_int_equal(o.shares, 1);
    assert_int_equal(local_sync(f.local), STORE_OK);
    aged_store_end(&f);
}

TEST(list_takes_folders_only)
{
    static const char *const PREFIXES[] = {"",          "/",    "views",    "../",
                                           "views/../", "tmp/", "a/b/c/d/", "views//"};
    struct aged_store f = aged_store_begin();
    struct found found = {NULL, 0, SIZE_MAX, 0};

    for (size_t i = 0; i < sizeof(PREFIXES) / sizeof(PREFIXES[0]); i++)
        assert_int_equal(local_list(f.local, PREFIXES[i], note, &found), STORE_FAILED);
    aged_store_end(&f);
}

struct worker {
    struct local *store;
    unsigned seed;
    atomic_uint *failures;
};

/* Few keys and many threads: puts, reads and deletes of the same object and the same folder meet. */
static void *mill(void *argument)
{
    struct worker *w = argument;

    for (unsigned i = 0; i < 400; i++) {
        char key[32];
        struct buf b = {0};
        w->seed = w->seed * 1103515245 + 12345;
        unsigned which = w->seed >> 16 & 3;
        snprintf(key, sizeof(key), "refs/%u/x", which);
        enum store_result put = local_put(w->store, key, STR("content"), LOCAL_EVICTABLE);
        enum store_result got = local_read(w->store, key, 100, &b);
        bool fine = (put == STORE_OK || put == STORE_EXISTS) &&
                    (got == STORE_NOT_FOUND || (got == STORE_OK && str_eq(buf_view(&b), STR("content"))));
        if (local_delete(w->store, key) > STORE_NOT_FOUND || !fine)
            atomic_fetch_add(w->failures, 1);
        buf_free(&b);
    }
    return NULL;
}

TEST(threads_share_it)
{
    struct aged_store f = aged_store_begin();
    atomic_uint failures = 0;
    pthread_t threads[4];
    struct worker workers[4];

    for (unsigned i = 0; i < 4; i++) {
        workers[i] = (struct worker){f.local, i + 1, &failures};
        assert_int_equal(pthread_create(&threads[i], NULL, mill, &workers[i]), 0);
    }
    for (unsigned i = 0; i < 4; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    assert_int_equal(failures, 0);
    assert_int_equal(scratch_count(&f.scratch, "refs"), 0);
    aged_store_end(&f);
}
