/* The sweep beside other threads: no upload loses its bytes to it; when it comes, and that it goes. */
#include "tests/support/unit.h"
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "server/store/sweep.h"
#include "tests/support/aged_store.h"

#define OTHER_ID "aaaaaaaaaaaaaaaaaaaaaaaaaa"

/* ---- the system, held up: before this path is removed, something else happens ---- */

static struct {
    const char *path; /* NULL: nothing does */
    void (*meanwhile)(void *context);
    void *context;
} held_up;

int unlinkat(int dir, const char *path, int flags)
{
    if (held_up.path != NULL && strcmp(held_up.path, path) == 0) {
        held_up.path = NULL;
        held_up.meanwhile(held_up.context);
    }
    return (int)syscall(SYS_unlinkat, dir, path, flags);
}

/* ---- beside uploads ---- */

struct mill {
    struct aged_store *f;
    unsigned which;
    atomic_bool *stop;
    atomic_uint *lost, *kept;
};

/* Again and again, as uploads do it: bytes, record; then deleted. */
static void *upload_and_delete(void *argument)
{
    struct mill *m = argument;

    for (unsigned i = 0; !atomic_load(m->stop); i++) {
        struct aged_upload u = aged_store_describe(m->f, (m->which + i) % 3, 1000 * DAY_S);
        struct record r;
        if (local_put(store_local(m->f->store), u.bytes, STR("bytes"), LOCAL_EVICTABLE) != STORE_OK ||
            record_write(m->f->store, &u.record, (int64_t)time(NULL)) != STORE_OK)
            continue;
        atomic_fetch_add(m->kept, 1);
        bool found = record_read(m->f->store, str_of(u.record.id), m->f->now_s, &r) == RECORD_FOUND;
        if (!found || !aged_store_has(m->f, u.bytes) ||
            record_delete(m->f->store, &u.record, m->f->now_s) != STORE_OK)
            atomic_fetch_add(m->lost, 1);
    }
    return NULL;
}

TEST(no_acknowledged_upload_is_lost)
{
    struct aged_store f = aged_store_begin();
    atomic_bool stop = false;
    atomic_uint lost = 0, kept = 0;
    pthread_t threads[2];
    struct mill mills[2];
    struct sweep_done sum = {0};

    for (unsigned i = 0; i < 2; i++) {
        mills[i] = (struct mill){&f, i, &stop, &lost, &kept};
        assert_int_equal(pthread_create(&threads[i], NULL, upload_and_delete, &mills[i]), 0);
    }
    /* Longer where the disk is slow: nothing was tried as long as nothing was kept and nothing removed. */
    for (time_t begun = time(NULL), at = begun;
         at < begun + 3 || ((kept == 0 || sum.blobs == 0) && at < begun + 60); at = time(NULL)) {
        aged_store_put(&f, aged_store_describe(&f, 9, HOUR_S).bytes, 10, 2 * DAY_S);
        struct sweep_done done = aged_store_sweep(&f, MIB, false);
        sum.blobs += done.blobs;
        sum.broken += done.broken;
        sum.failed += done.failed;
        usleep(500);
    }
    atomic_store(&stop, true);
    for (unsigned i = 0; i < 2; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    assert_int_equal(lost, 0);
    assert_int_equal(sum.failed, 0);
    assert_in_range(kept, 1, UINT32_MAX);
    assert_in_range(sum.blobs, 1, UINT32_MAX);
    aged_store_end(&f);
}

/* ---- the thread ---- */

static bool wait_for(const struct aged_store *f, const char *key, bool there)
{
    for (int i = 0; i < 1000 && aged_store_has(f, key) != there; i++)
        usleep(10000);
    return aged_store_has(f, key) == there;
}

TEST(the_thread_sweeps_at_start_and_in_time)
{
    struct aged_store f = aged_store_begin();
    struct config config = {.views_on_disk_bytes = MIB, .sweep_interval_s = 1};
    size_t descriptors = scratch_descriptors();

    aged_store_put(&f, "views/ab/one", 10, 40 * DAY_S);
    struct sweep *w = sweep_start(&config, f.store, NULL);
    assert_non_null(w);
    assert_true(wait_for(&f, "views/ab/one", false));
    aged_store_put(&f, "views/ab/two", 10, 40 * DAY_S);
    assert_true(wait_for(&f, "views/ab/two", false));
    sweep_stop(w);
    assert_int_equal(scratch_descriptors(), descriptors);
    sweep_stop(NULL);
    aged_store_end(&f);
}

/* An hour before the next sweep of all. */
TEST(what_has_expired_goes_at_once)
{
    static const struct config CONFIG = {
        .views_on_disk_bytes = MIB, .sweep_interval_s = HOUR_S, .delete_within_s = 3};
    struct aged_store f = aged_store_begin();
    struct aged_upload kept = aged_store_upload(&f, 1, HOUR_S), expiring = aged_store_upload(&f, 3, 2),
                       changed = aged_store_upload(&f, 4, HOUR_S);

    struct sweep *w = sweep_start(&CONFIG, f.store, NULL);
    assert_non_null(w);
    changed.record.expires_s = f.now_s + 1;
    assert_int_equal(record_change(f.store, &changed.record, RECORD_EXPIRY, f.now_s), STORE_OK);
    sweep_upload_expires(w, changed.record.expires_s);
    assert_true(wait_for(&f, expiring.object, false));
    assert_true(wait_for(&f, changed.object, false));
    assert_false(aged_store_has(&f, expiring.bytes) || aged_store_has(&f, changed.bytes));
    assert_true(aged_store_has(&f, expiring.gone));
    assert_true(aged_store_has(&f, kept.bytes) && aged_store_has(&f, kept.object));
    sweep_stop(w);
    aged_store_end(&f);
}

/* The clock is years ahead of when the store was used last: what would have expired meanwhile stays. */
TEST(a_clock_that_jumped_removes_nothing)
{
    static const struct config CONFIG = {
        .views_on_disk_bytes = MIB, .sweep_interval_s = 1, .delete_within_s = 3};
    struct store_object seen;
    struct aged_store f = aged_store_begin();
    struct aged_upload u = aged_store_upload(&f, 1, -HOUR_S);

    aged_store_put(&f, "clock/seen", 0, 400 * DAY_S);
    aged_store_put(&f, "bytes/" OTHER_ID, 10, 2 * DAY_S);
    struct sweep *w = sweep_start(&CONFIG, f.store, NULL);
    assert_non_null(w);
    assert_true(wait_for(&f, "bytes/" OTHER_ID, false)); /* the sweep was there */
    sweep_stop(w);
    assert_true(aged_store_has(&f, u.object) && aged_store_has(&f, u.bytes));
    assert_int_equal(store_look(f.store, "clock/seen", &seen), STORE_OK);
    assert_in_range(seen.time_s, 0, f.now_s - 399 * DAY_S);
    aged_store_end(&f);
}

/* To the store, a file that may not grow is a full disk. */
static enum store_result put_on_full_disk(struct aged_store *f)
{
    struct rlimit all, small;

    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &all), 0);
    small = (struct rlimit){1, all.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    enum store_result result = local_put(store_local(f->store), "views/ab/new", STR("many"), LOCAL_EVICTABLE);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &all), 0);
    return result;
}

/* Two views, and a sweep that was there once; by itself it comes again in an hour. */
static struct sweep *start_swept(struct aged_store *f)
{
    static const struct config CONFIG = {.views_on_disk_bytes = MIB, .sweep_interval_s = HOUR_S};

    aged_store_put(f, "views/ab/marker", 10, 40 * DAY_S);
    aged_store_put_views(f, 2, 4 * KIB, HOUR_S);
    struct sweep *w = sweep_start(&CONFIG, f->store, NULL);
    assert_non_null(w);
    assert_true(wait_for(f, "views/ab/marker", false));
    return w;
}

TEST(a_write_that_finds_no_room_wakes_it)
{
    struct aged_store f = aged_store_begin();
    struct sweep *w = start_swept(&f);

    aged_store_assert_views(&f, 2, 2);
    assert_int_equal(put_on_full_disk(&f), STORE_FULL);
    assert_true(wait_for(&f, "views/01/1", false));
    assert_true(aged_store_has(&f, "views/00/0"));
    sweep_stop(w);
    aged_store_end(&f);
}

TEST(room_is_made_for_who_waits)
{
    struct aged_store f = aged_store_begin();
    struct sweep *w = start_swept(&f);

    assert_false(sweep_make_room(w)); /* the disk was not full */
    assert_int_equal(put_on_full_disk(&f), STORE_FULL);
    assert_true(sweep_make_room(w));
    assert_false(aged_store_has(&f, "views/01/1"));
    assert_int_equal(put_on_full_disk(&f), STORE_FULL);
    assert_true(sweep_make_room(w)); /* of one view half is none */
    assert_false(aged_store_has(&f, "views/00/0"));
    for (int i = 0; i < 3; i++) {
        assert_int_equal(put_on_full_disk(&f), STORE_FULL);
        assert_false(sweep_make_room(w));
    }
    sweep_stop(w);
    assert_false(sweep_make_room(NULL));
    aged_store_end(&f);
}

static void fill_disk(void *f)
{
    assert_int_equal(put_on_full_disk(f), STORE_FULL);
}

/* The first one that is told of. */
static void assert_swept(int log, const char *views, const char *disk_full)
{
    char line[512] = "";
    size_t n = 0;

    while (n < sizeof(line) - 1 && read(log, line + n, 1) == 1 && line[n] != '\n')
        n++;
    assert_non_null(strstr(line, views));
    assert_non_null(strstr(line, disk_full));
}

/* It has removed bytes, and would come to the views last. */
TEST(one_in_no_hurry_ends_for_a_full_disk)
{
    static const struct config CONFIG = {.views_on_disk_bytes = MIB, .sweep_interval_s = HOUR_S};
    struct aged_store f = aged_store_begin();
    struct aged_upload one = aged_store_describe(&f, 1, HOUR_S);
    int ends[2];

    assert_int_equal(pipe(ends), 0);
    struct log *log = log_new(LOG_INFO, LOG_TEXT, ends[1]);
    assert_non_null(log);
    aged_store_put(&f, one.bytes, 5, 3 * DAY_S);
    aged_store_put(&f, "views/ab/old", 10, 40 * DAY_S);
    held_up.path = one.bytes;
    held_up.meanwhile = fill_disk;
    held_up.context = &f;
    struct sweep *w = sweep_start(&CONFIG, f.store, log);
    assert_non_null(w);
    assert_swept(ends[0], " views=0 ", " disk_full=0 ");
    assert_swept(ends[0], " views=1 ", " disk_full=1 ");
    sweep_stop(w);
    log_free(log);
    close(ends[0]);
    close(ends[1]);
    aged_store_end(&f);
}

TEST(it_ends_at_once)
{
    struct aged_store f = aged_store_begin();
    struct config config = {.views_on_disk_bytes = MIB, .sweep_interval_s = HOUR_S};
    struct timespec begun, ended;

    aged_store_put_views(&f, 2000, 0, 1);
    clock_gettime(CLOCK_MONOTONIC, &begun);
    struct sweep *w = sweep_start(&config, f.store, NULL);
    assert_non_null(w);
    sweep_stop(w);
    clock_gettime(CLOCK_MONOTONIC, &ended);
    assert_in_range(ended.tv_sec - begun.tv_sec, 0, 20); /* not an hour */
    aged_store_end(&f);
}
