/* Profiles: folded once for all who need one at a time, kept by use and size, with a bound on what is in the making. The
 * pool is not started but in one test: pool_stop then runs what is queued, on this thread. */
#include "server/config/config_load.h"
#include "server/store/record.h"
#include "server/views/profiles.h"

#include "tests/support/unit.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "core/system/file.h"
#include "tests/support/scratch.h"

enum { SOURCES = 4 };

struct world {
    struct scratch scratch;
    struct config config;
    struct service service;
    char sha256[SOURCES + 1][RECORD_SHA256_CHARS + 1]; /* the last one is not in the store */
    int log;
};

/* A task that needs a profile; how often it was submitted after the need was decided. */
struct user {
    struct task task; /* first */
    struct task_queue queue;
    struct profile_need need;
    struct diag diag;
    unsigned told;
};

static void told(struct task *task)
{
    ((struct user *)task)->told++;
}

static void put_blob(struct world *w, unsigned i)
{
    char text[64], key[RECORD_BLOB_KEY_CHARS + 1];

    snprintf(text, sizeof(text), "main;a%u 1\nmain;b 2\n", i);
    record_blob_key(w->sha256[i], key);
    assert_int_equal(store_put(w->service.store, key, str_of(text), STORE_EVICTABLE), STORE_OK);
}

static int build(void **state)
{
    struct world *w = calloc(1, sizeof(*w));
    struct diag diag = {0};
    char path[512], text[64];

    assert_non_null(w);
    *state = w;
    w->scratch = scratch_make();
    config_defaults(&w->config);
    w->service.config = &w->config;
    scratch_path(&w->scratch, "store", path, sizeof(path));
    w->service.store = store_open(path, &diag);
    assert_non_null(w->service.store);
    scratch_path(&w->scratch, "log", path, sizeof(path));
    w->log = open(path, O_RDWR | O_CREAT | O_APPEND, 0600);
    assert_true(w->log >= 0);
    w->service.log = log_new(LOG_INFO, w->log);
    assert_non_null(w->service.log);
    for (unsigned i = 0; i <= SOURCES; i++) {
        int n = snprintf(text, sizeof(text), "main;a%u 1\nmain;b 2\n", i);
        record_sha256_hex(text, (size_t)n, w->sha256[i]);
        if (i < SOURCES)
            put_blob(w, i);
    }
    return 0;
}

static void begin(struct world *w, unsigned workers, uint64_t cache_bytes)
{
    w->config.profile_cache_bytes = cache_bytes;
    w->service.pool = pool_new(workers, false);
    w->service.profiles = profiles_new(&w->service);
    assert_non_null(w->service.profiles);
}

static int wreck(void **state)
{
    struct world *w = *state;

    pool_free(w->service.pool);
    profiles_free(w->service.profiles);
    log_free(w->service.log);
    close(w->log);
    store_close(w->service.store);
    scratch_remove(&w->scratch);
    free(w);
    return 0;
}

/* How many folds the log tells of. */
static unsigned folds(const struct world *w)
{
    struct buf text = {0};
    unsigned n = 0;

    assert_int_equal(lseek(w->log, 0, SEEK_SET), 0);
    assert_true(file_read_all(w->log, 1 << 20, &text));
    buf_char(&text, '\0');
    assert_false(text.failed);
    for (const char *at = text.p; (at = strstr(at, " folded ")) != NULL; at++)
        n++;
    buf_free(&text);
    return n;
}

/* What queued tasks do, until none is left. */
static void run_queued(const struct world *w)
{
    pool_stop(w->service.pool);
}

static struct profile_id id_of(const struct world *w, unsigned source)
{
    struct profile_id id = {0};

    memcpy(id.sha256, w->sha256[source], sizeof(id.sha256));
    return id;
}

static bool ask_of(const struct world *w, unsigned source, const struct window *window, struct user *u)
{
    struct profile_id id = id_of(w, source);

    if (window != NULL)
        id.window = *window;
    *u = (struct user){.task = {.run = told}, .queue = {.task_class = TASK_ANSWER}};
    u->need.task = &u->task;
    u->need.queue = &u->queue;
    u->need.diag = &u->diag;
    return profiles_get(w->service.profiles, &id, -1, &u->need);
}

static bool ask(const struct world *w, unsigned source, struct user *u)
{
    return ask_of(w, source, NULL, u);
}

static bool ask_window(const struct world *w, unsigned source, uint64_t from_ns, struct user *u)
{
    return ask_of(w, source, &(struct window){from_ns, from_ns + 100000}, u);
}

static void release(const struct world *w, struct user *u)
{
    profiles_release(w->service.profiles, &u->need);
}

/* Uses it once. True: it was there. */
static bool was_there(const struct world *w, unsigned source)
{
    struct user u;
    bool there = ask(w, source, &u);

    run_queued(w);
    assert_non_null(u.need.profile);
    assert_int_equal(u.told, there ? 0 : 1);
    release(w, &u);
    return there;
}

/* Of one that was folded here. */
static size_t bytes_of_one(const struct world *w)
{
    struct user u;

    assert_false(ask(w, 0, &u));
    run_queued(w);
    size_t bytes = shared_profile_bytes(u.need.profile);
    release(w, &u);
    return bytes;
}

static void folded_once_for_all_who_wait(void **state)
{
    struct world *w = *state;
    struct user users[5], late;

    begin(w, 1, UINT64_MAX);
    for (unsigned i = 0; i < 5; i++)
        assert_false(ask(w, 0, &users[i]));
    run_queued(w);
    assert_true(ask(w, 0, &late));
    for (unsigned i = 0; i < 5; i++) {
        assert_int_equal(users[i].told, 1);
        assert_ptr_equal(users[i].need.profile, late.need.profile);
        release(w, &users[i]);
    }
    assert_int_equal(late.told, 0);
    assert_int_equal(shared_profile_get(late.need.profile)->n_tracks, 1);
    release(w, &late);
    assert_int_equal(folds(w), 1);
}

static void failure_is_told_to_all_and_not_kept(void **state)
{
    struct world *w = *state;
    struct user users[3];

    begin(w, 1, UINT64_MAX);
    for (unsigned i = 0; i < 3; i++)
        assert_false(ask(w, SOURCES, &users[i]));
    run_queued(w);
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(users[i].told, 1);
        assert_null(users[i].need.profile);
        assert_int_equal(users[i].diag.kind, DIAG_IO);
        release(w, &users[i]);
    }
    put_blob(w, SOURCES);
    assert_false(was_there(w, SOURCES));
    assert_true(was_there(w, SOURCES));
}

/* ---- windows of time ---- */

static size_t put_record(uint8_t *to, uint32_t word, uint32_t time)
{
    const uint32_t fields[] = {word, time, time};

    to[0] = 1, to[1] = 0;
    memcpy(to + 2, fields, sizeof(fields)); /* little endian, as tests run on */
    return 2 + sizeof(fields);
}

/* In place of one of the sources: a thread that calls the same method over and over. */
static void put_trace(struct world *w, unsigned source)
{
    static const char TEXT[] =
        "*version\n3\nclock=dual\n*threads\n1\tmain\n*methods\n0x4\ta.B\tc\t()V\tB.java\n*end\n";
    static uint8_t bytes[sizeof(TEXT) + 32 + 200 * 14];
    uint8_t header[32] = {'S', 'L', 'O', 'W', 3, 0, 32, [16] = 14};
    char key[RECORD_BLOB_KEY_CHARS + 1];
    size_t n = sizeof(TEXT) - 1;

    memcpy(bytes, TEXT, n);
    memcpy(bytes + n, header, sizeof(header));
    n += sizeof(header);
    for (uint32_t i = 0; i < 200; i++)
        n += put_record(bytes + n, 4 | (i & 1), 10 * i);
    record_sha256_hex((const char *)bytes, n, w->sha256[source]);
    record_blob_key(w->sha256[source], key);
    assert_int_equal(store_put(w->service.store, key, (struct str){(const char *)bytes, n}, STORE_EVICTABLE),
                     STORE_OK);
}

static bool window_was_there(const struct world *w, unsigned source, uint64_t from_ns)
{
    struct user u;
    bool there = ask_window(w, source, from_ns, &u);

    run_queued(w);
    assert_non_null(u.need.profile);
    assert_ptr_not_equal(shared_profile_whole(u.need.profile), u.need.profile);
    release(w, &u);
    return there;
}

static void windows_are_read_once_and_kept(void **state)
{
    struct world *w = *state;
    struct user users[3];

    put_trace(w, 0);
    begin(w, 1, UINT64_MAX);
    for (unsigned i = 0; i < 3; i++)
        assert_false(ask_window(w, 0, 0, &users[i]));
    run_queued(w);
    const struct shared_profile *made = users[0].need.profile;
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(users[i].told, 1);
        assert_ptr_equal(users[i].need.profile, made);
        assert_int_equal(shared_profile_get(made)->tracks[0].calls, 5);
        release(w, &users[i]);
    }
    assert_true(was_there(w, 0));
    assert_false(window_was_there(w, 0, 500000));
    assert_true(window_was_there(w, 0, 500000));
    assert_int_equal(folds(w), 1);
}

/* What is a window of something keeps it, and goes before it. */
static void windows_make_way_with_what_they_are_of(void **state)
{
    struct world *w = *state;
    struct user user;

    put_trace(w, 0);
    begin(w, 1, UINT64_MAX);
    assert_false(ask_window(w, 0, 0, &user));
    run_queued(w);
    w->config.profile_cache_bytes = shared_profile_bytes(user.need.profile) +
                                    shared_profile_bytes(shared_profile_whole(user.need.profile));
    assert_false(was_there(w, 1)); /* no room beside what is in use */
    release(w, &user);
    assert_true(window_was_there(w, 0, 0));
    assert_false(was_there(w, 1)); /* for which the window goes */
    assert_true(was_there(w, 0));
    assert_false(window_was_there(w, 0, 0));
    w->config.profile_cache_bytes = 0;
    assert_false(window_was_there(w, 0, 500000));
    assert_false(window_was_there(w, 0, 500000));
}

static void a_window_without_times_fails(void **state)
{
    struct world *w = *state;
    struct user user;

    begin(w, 1, UINT64_MAX);
    assert_false(ask_window(w, 0, 0, &user));
    run_queued(w);
    assert_null(user.need.profile);
    assert_int_equal(user.diag.kind, DIAG_USAGE);
    release(w, &user);
    assert_true(was_there(w, 0));
}

static void the_least_recently_used_goes_first(void **state)
{
    struct world *w = *state;

    begin(w, 1, UINT64_MAX);
    w->config.profile_cache_bytes = 2 * bytes_of_one(w);
    assert_true(was_there(w, 0));
    assert_false(was_there(w, 1));
    assert_true(was_there(w, 0));
    assert_false(was_there(w, 2)); /* for which 1 goes */
    assert_true(was_there(w, 0));
    assert_true(was_there(w, 2));
    assert_false(was_there(w, 1));
    assert_false(was_there(w, 0));
}

static void what_is_in_use_stays(void **state)
{
    struct world *w = *state;
    struct user user, again;

    begin(w, 2, UINT64_MAX);
    w->config.profile_cache_bytes = bytes_of_one(w);
    assert_true(ask(w, 0, &user));
    assert_false(was_there(w, 1));
    assert_false(was_there(w, 1)); /* no room beside what is in use */
    assert_true(ask(w, 0, &again));
    assert_ptr_equal(again.need.profile, user.need.profile);
    release(w, &user);
    release(w, &again);
    assert_false(was_there(w, 1));
    assert_false(was_there(w, 0));
}

static void one_that_is_larger_than_all_room_lingers(void **state)
{
    const struct timespec linger = {.tv_sec = PROFILES_LINGER_S, .tv_nsec = 50000000};
    struct world *w = *state;

    begin(w, 2, 1);
    assert_false(was_there(w, 0));
    for (unsigned i = 0; i < 64; i++)
        assert_true(was_there(w, 0));
    assert_false(was_there(w, 1)); /* there is one at a time */
    assert_true(was_there(w, 1));
    assert_false(was_there(w, 0));
    profiles_tick(w->service.profiles);
    assert_true(was_there(w, 0));
    nanosleep(&linger, NULL);
    profiles_tick(w->service.profiles);
    assert_false(was_there(w, 0));
}

static void none_lingers_where_none_is_kept(void **state)
{
    struct world *w = *state;
    struct user user;

    begin(w, 1, 0);
    assert_false(ask(w, 0, &user));
    run_queued(w);
    assert_true(was_there(w, 0)); /* in use */
    release(w, &user);
    assert_false(was_there(w, 0));
    assert_int_equal(folds(w), 2);
}

static void as_many_in_the_making_as_there_are_workers(void **state)
{
    struct world *w = *state;
    struct user users[SOURCES];

    begin(w, 2, 1);
    for (unsigned i = 0; i < SOURCES; i++)
        assert_false(ask(w, i, &users[i]));
    run_queued(w);
    for (unsigned i = 0; i < SOURCES; i++)
        assert_int_equal(users[i].told, i < 2);
    release(w, &users[1]); /* it does not linger: another one waits for its slot */
    run_queued(w);
    assert_int_equal(users[2].told, 1);
    assert_int_equal(users[3].told, 0);
    release(w, &users[0]);
    run_queued(w);
    assert_int_equal(users[3].told, 1);
    release(w, &users[2]);
    release(w, &users[3]);
    assert_int_equal(folds(w), SOURCES);
}

static void what_lingers_makes_way(void **state)
{
    struct world *w = *state;

    begin(w, 1, 1);
    assert_false(was_there(w, 0));
    assert_true(was_there(w, 0));
    assert_false(was_there(w, 1)); /* the only slot was 0's */
    assert_false(was_there(w, 0));
}

static struct shared_profile *fold_here(const struct world *w)
{
    static const char STACKS[] = "main;a0 1\nmain;b 2\n";
    struct conversion *c = conversion_new(&w->config);
    struct diag diag = {0};

    assert_non_null(c);
    assert_true(conversion_feed(c, STACKS, sizeof(STACKS) - 1, NULL));
    return conversion_finish(c, -1, NULL, &diag);
}

static void what_an_upload_folded_serves_all(void **state)
{
    struct world *w = *state;
    int fd = open("/dev/null", O_RDONLY);
    const struct profile_id id = id_of(w, 0), other = id_of(w, 1);
    struct profile_need first = {0}, second = {0}, third = {0};
    struct shared_profile *made = fold_here(w);
    struct user waiting;

    begin(w, 1, UINT64_MAX);
    size_t descriptors = scratch_descriptors();
    assert_false(ask(w, 0, &waiting));
    assert_true(profiles_put(w->service.profiles, &id, made, &first));
    assert_ptr_equal(first.profile, made);
    assert_true(profiles_put(w->service.profiles, &id, fold_here(w), &second));
    assert_ptr_equal(second.profile, made);
    assert_true(profiles_put(w->service.profiles, &other, fold_here(w), &third));
    run_queued(w);
    assert_int_equal(waiting.told, 1);
    assert_ptr_equal(waiting.need.profile, made);
    release(w, &waiting);
    profiles_release(w->service.profiles, &first);
    profiles_release(w->service.profiles, &second);
    profiles_release(w->service.profiles, &third);
    assert_int_equal(scratch_descriptors(), descriptors);
    close(fd);
    assert_true(was_there(w, 0));
    assert_int_equal(folds(w), 3); /* those that were put: nothing was read */
}

static void bytes_that_are_not_stored_yet(void **state)
{
    struct world *w = *state;
    struct user others[2];
    struct user user = {.task = {.run = told}, .queue = {.task_class = TASK_ANSWER}};
    char path[512];

    begin(w, 1, 1);
    scratch_path(&w->scratch, "spool", path, sizeof(path));
    int fd = open(path, O_RDWR | O_CREAT, 0600);
    assert_true(fd >= 0 && file_write_all(fd, "main;a4 1\n", 10));
    const struct profile_id id = id_of(w, SOURCES);
    user.need.task = &user.task;
    user.need.queue = &user.queue;
    user.need.diag = &user.diag;
    assert_false(ask(w, 0, &others[0])); /* the only slot */
    assert_false(profiles_get(w->service.profiles, &id, fd, &user.need));
    assert_false(ask(w, SOURCES, &others[1]));
    close(fd); /* as if another upload of the same bytes had brought the profile */
    run_queued(w);
    assert_non_null(user.need.profile);
    assert_ptr_equal(others[1].need.profile, user.need.profile);
    release(w, &others[0]);
    release(w, &others[1]);
    release(w, &user);
}

static void a_service_that_stops_folds_no_more(void **state)
{
    struct world *w = *state;
    struct user users[SOURCES];

    begin(w, 1, 1);
    for (unsigned i = 0; i < SOURCES; i++)
        assert_false(ask(w, i, &users[i]));
    stop_ask(&w->service.stop, STOP_SERVICE);
    run_queued(w);
    for (unsigned i = 0; i < SOURCES; i++) {
        assert_int_equal(users[i].told, 1);
        assert_int_equal(users[i].diag.kind, DIAG_BUSY);
    }
    assert_int_equal(folds(w), 0);
}

/* ---- threads ---- */

enum { ROUNDS = 200, AT_ONCE = 16 };

struct walker {
    struct task task; /* first */
    struct task_queue queue;
    struct profile_need need;
    struct diag diag;
    struct world *world;
    unsigned source, left;
    bool asked;
    atomic_uint *used;
};

/* Asks for one profile after the other. */
static void walk(struct task *task)
{
    struct walker *k = (struct walker *)task;
    struct profiles *p = k->world->service.profiles;

    for (;;) {
        const struct profile_id id = id_of(k->world, k->source % SOURCES);
        if (!k->asked) {
            k->asked = true;
            if (!profiles_get(p, &id, -1, &k->need))
                return;
        }
        if (k->need.profile != NULL && shared_profile_get(k->need.profile)->n_tracks == 1)
            atomic_fetch_add(k->used, 1);
        profiles_release(p, &k->need);
        k->asked = false;
        k->source += 1 + k->left % 3;
        if (--k->left == 0)
            return;
    }
}

static void by_threads(void **state)
{
    struct world *w = *state;
    struct walker walkers[AT_ONCE];
    atomic_uint used;

    atomic_init(&used, 0);
    begin(w, 3, UINT64_MAX);
    w->config.profile_cache_bytes = 2 * bytes_of_one(w);
    pool_free(w->service.pool);
    w->service.pool = pool_new(3, false);
    for (unsigned i = 0; i < AT_ONCE; i++) {
        walkers[i] = (struct walker){.task = {.run = walk},
                                     .queue = {.task_class = TASK_ANSWER},
                                     .world = w,
                                     .source = i,
                                     .left = ROUNDS,
                                     .used = &used};
        walkers[i].need.task = &walkers[i].task;
        walkers[i].need.queue = &walkers[i].queue;
        walkers[i].need.diag = &walkers[i].diag;
        pool_submit(w->service.pool, &walkers[i].queue, &walkers[i].task);
    }
    assert_true(pool_start(w->service.pool));
    pool_stop(w->service.pool);
    for (unsigned i = 0; i < AT_ONCE; i++)
        assert_int_equal(walkers[i].left, 0);
    assert_int_equal(atomic_load(&used), AT_ONCE * ROUNDS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(folded_once_for_all_who_wait, build, wreck),
        cmocka_unit_test_setup_teardown(failure_is_told_to_all_and_not_kept, build, wreck),
        cmocka_unit_test_setup_teardown(windows_are_read_once_and_kept, build, wreck),
        cmocka_unit_test_setup_teardown(windows_make_way_with_what_they_are_of, build, wreck),
        cmocka_unit_test_setup_teardown(a_window_without_times_fails, build, wreck),
        cmocka_unit_test_setup_teardown(the_least_recently_used_goes_first, build, wreck),
        cmocka_unit_test_setup_teardown(what_is_in_use_stays, build, wreck),
        cmocka_unit_test_setup_teardown(one_that_is_larger_than_all_room_lingers, build, wreck),
        cmocka_unit_test_setup_teardown(none_lingers_where_none_is_kept, build, wreck),
        cmocka_unit_test_setup_teardown(as_many_in_the_making_as_there_are_workers, build, wreck),
        cmocka_unit_test_setup_teardown(what_lingers_makes_way, build, wreck),
        cmocka_unit_test_setup_teardown(what_an_upload_folded_serves_all, build, wreck),
        cmocka_unit_test_setup_teardown(bytes_that_are_not_stored_yet, build, wreck),
        cmocka_unit_test_setup_teardown(a_service_that_stops_folds_no_more, build, wreck),
        cmocka_unit_test_setup_teardown(by_threads, build, wreck),
    };

    return cmocka_run_group_tests_name("profiles", tests, NULL, NULL);
}
