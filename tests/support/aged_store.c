#include "tests/support/aged_store.h"

#include "core/system/digest.h"
#include "tests/support/unit.h"
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>

struct aged_store aged_store_begin(void)
{
    struct aged_store a = {.scratch = scratch_make(), .now_s = (int64_t)time(NULL), .steps = UINT32_MAX};
    struct diag diag = {0};

    a.store = store_open(a.scratch.path, &diag);
    assert_non_null(a.store);
    a.local = store_local(a.store);
    return a;
}

void aged_store_end(struct aged_store *a)
{
    store_close(a->store);
    scratch_remove(&a->scratch);
}

void aged_store_set_age(const struct aged_store *a, const char *key, int64_t age_s)
{
    struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, {.tv_sec = a->now_s - age_s}};
    char path[512];

    scratch_path(&a->scratch, key, path, sizeof(path));
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

void aged_store_put(const struct aged_store *a, const char *key, size_t bytes, int64_t age_s)
{
    static const char ZEROS[MIB];

    assert_in_range(bytes, 0, sizeof(ZEROS));
    assert_int_equal(local_put(a->local, key, (struct str){ZEROS, bytes}, LOCAL_EVICTABLE), STORE_OK);
    aged_store_set_age(a, key, age_s);
}

bool aged_store_has(const struct aged_store *a, const char *key)
{
    return store_exists(a->store, key) == STORE_OK;
}

void aged_store_assert_object(const struct aged_store *a, const char *key, struct str expected)
{
    struct buf b = {0};

    assert_int_equal(store_read(a->store, key, MIB, &b), STORE_OK);
    assert_true(str_eq(buf_view(&b), expected));
    buf_free(&b);
}

struct aged_upload aged_store_describe(const struct aged_store *a, unsigned which, int64_t expires_in_s)
{
    struct aged_upload u = {.record = {.format = "folded", .size = 5, .created_s = a->now_s - DAY_S}};

    u.record.expires_s = a->now_s + expires_in_s;
    assert_true(record_new_secret(u.record.id));
    digest_hex_of(&which, sizeof(which), u.record.sha256);
    digest_hex_of("token", 5, u.record.token_sha256);
    record_bytes_key(u.record.id, u.bytes);
    snprintf(u.object, sizeof(u.object), "uploads/%s.json", u.record.id);
    snprintf(u.gone, sizeof(u.gone), "gone/%s", u.record.id);
    return u;
}

struct aged_upload aged_store_upload(const struct aged_store *a, unsigned which, int64_t expires_in_s)
{
    struct aged_upload u = aged_store_describe(a, which, expires_in_s);

    assert_int_equal(store_put(a->store, u.bytes, STR("bytes")), STORE_OK);
    assert_int_equal(record_write(a->store, &u.record, (int64_t)time(NULL)), STORE_OK);
    aged_store_set_age(a, u.bytes, 2 * DAY_S);
    return u;
}

void aged_store_view_key(unsigned i, char key[STORE_KEY_BYTES])
{
    snprintf(key, STORE_KEY_BYTES, "views/%02x/%u", i % 16, i);
}

void aged_store_put_views(const struct aged_store *a, unsigned n, size_t bytes, int64_t step_s)
{
    char key[STORE_KEY_BYTES];

    for (unsigned i = 0; i < n; i++) {
        aged_store_view_key(i, key);
        aged_store_put(a, key, bytes, (int64_t)i * step_s);
    }
}

void aged_store_assert_views(const struct aged_store *a, unsigned first_gone, unsigned n)
{
    char key[STORE_KEY_BYTES];

    for (unsigned i = 0; i < n; i++) {
        aged_store_view_key(i, key);
        assert_int_equal(aged_store_has(a, key), i < first_gone);
    }
}

static bool count_down(void *aged_store)
{
    struct aged_store *a = aged_store;

    return a->steps-- > 0;
}

struct sweep_done aged_store_sweep(struct aged_store *a, uint64_t view_bytes_most, bool full)
{
    struct sweep_plan plan = {.now_s = a->now_s,
                              .clock_s = a->now_s,
                              .unneeded_before_s = a->now_s - (full ? HOUR_S / 12 : DAY_S),
                              .view_bytes_most = view_bytes_most,
                              .full = full,
                              .go_on = count_down,
                              .context = a};

    struct sweep_index *index = sweep_index_new();
    assert_non_null(index);
    struct sweep_done done = sweep_pass(a->store, index, NULL, &plan);
    sweep_index_free(index);
    return done;
}

void aged_store_assert_nothing_done(struct sweep_done done)
{
    static const struct sweep_done NOTHING;

    done.kept_bytes = done.upload_bytes = 0; /* what stays is not done */
    done.counted = false;
    done.next_expires_s = 0;
    assert_memory_equal(&done, &NOTHING, sizeof(done));
}
