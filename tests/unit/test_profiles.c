/* Profiles: read once for all who need one at a time, kept by use and size, with a bound on what is in the making. */
#include "core/system/digest.h"
#include "server/config/config_load.h"
#include "server/store/record.h"
#include "server/views/profiles.h"

#include "tests/support/unit.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "core/system/folder.h"
#include "tests/support/scratch.h"
#include "tests/support/test_input.h"

enum { SOURCES = 4 };

struct world {
    struct scratch scratch;
    struct config config;
    struct service service;
    char sha256[SOURCES + 1][RECORD_SHA256_CHARS + 1]; /* the last one is not in the store */
    int log;
};

/* Who needs a profile, on a thread of its own. */
struct user {
    struct world *world;
    struct profile_id id;
    int fd;
    bool with_calls;
    struct stop stop;
    struct profile_use use;
    struct diag diag;
    pthread_t thread;
    atomic_bool done;
};

/* The upload that has the bytes of this source. */
static void bytes_key(unsigned source, char key[RECORD_BYTES_KEY_CHARS + 1])
{
    char id[RECORD_ID_CHARS + 1];

    memset(id, (int)('a' + source), RECORD_ID_CHARS);
    record_bytes_key(id, key);
}

static void put_bytes(struct world *w, unsigned i)
{
    char text[64], key[RECORD_BYTES_KEY_CHARS + 1];

    snprintf(text, sizeof(text), "main;a%u 1\nmain;b 2\n", i);
    bytes_key(i, key);
    assert_int_equal(local_put(store_local(w->service.store), key, str_of(text), LOCAL_EVICTABLE), STORE_OK);
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
    w->service.log = log_new(LOG_INFO, LOG_TEXT, w->log);
    assert_non_null(w->service.log);
    for (unsigned i = 0; i <= SOURCES; i++) {
        int n = snprintf(text, sizeof(text), "main;a%u 1\nmain;b 2\n", i);
        digest_hex_of(text, (size_t)n, w->sha256[i]);
        if (i < SOURCES)
            put_bytes(w, i);
    }
    return 0;
}

static void begin(struct world *w, unsigned workers, uint64_t cache_bytes)
{
    w->config.profile_cache_bytes = cache_bytes;
    w->service.turns = turns_new(workers, false);
    w->service.profiles = profiles_new(&w->service);
    assert_non_null(w->service.profiles);
}

static int wreck(void **state)
{
    struct world *w = *state;

    profiles_free(w->service.profiles);
    turns_free(w->service.turns);
    log_free(w->service.log);
    close(w->log);
    store_close(w->service.store);
    scratch_remove(&w->scratch);
    free(w);
    return 0;
}

/* How many lines of the log have this event. */
static unsigned events(const struct world *w, const char *event)
{
    struct buf text = {0};
    unsigned n = 0;

    assert_int_equal(lseek(w->log, 0, SEEK_SET), 0);
    assert_true(file_read_all(w->log, 1 << 20, &text));
    buf_char(&text, '\0');
    assert_false(text.failed);
    for (const char *at = text.p; (at = strstr(at, event)) != NULL; at++)
        n++;
    buf_free(&text);
    return n;
}

static unsigned folds(const struct world *w)
{
    return events(w, " folded ");
}

static struct profile_id id_of(const struct world *w, unsigned source)
{
    struct profile_id id = {0};

    memcpy(id.sha256, w->sha256[source], sizeof(id.sha256));
    memset(id.upload, (int)('a' + source), RECORD_ID_CHARS);
    return id;
}

static void prepare(struct world *w, struct user *u, const struct profile_id *id)
{
    *u = (struct user){.world = w, .id = *id, .fd = -1, .stop = {.above = &w->service.stop}};
}

static void *get(void *user)
{
    struct user *u = user;
    struct turn turn;

    turn_init(&turn, u->world->service.turns, TURN_ANSWER, u, &u->stop);
    turn_take(&turn);
    const struct shared_profile *profile =
        profiles_get(u->world->service.profiles, &u->id, u->fd, u->with_calls, &turn, &u->use, &u->diag);
    assert_ptr_equal(profile, u->use.profile);
    turn_end(&turn);
    atomic_store(&u->done, true);
    return NULL;
}

/* Asks on a thread of its own. */
static void start(struct user *u)
{
    assert_int_equal(pthread_create(&u->thread, NULL, get, u), 0);
}

static void start_for(struct world *w, unsigned source, struct user *u)
{
    const struct profile_id id = id_of(w, source);

    prepare(w, u, &id);
    start(u);
}

static void join(struct user *u)
{
    assert_int_equal(pthread_join(u->thread, NULL), 0);
}

static void pause_ms(long ms)
{
    const struct timespec pause = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};

    nanosleep(&pause, NULL);
}

/* How many of them have their profile, when no more get theirs. */
static unsigned served(struct user *users, unsigned n, unsigned expected)
{
    unsigned done = 0;

    for (unsigned i = 0; i < 1000 && done < expected; i++) {
        done = 0;
        for (unsigned k = 0; k < n; k++)
            done += atomic_load(&users[k].done);
        pause_ms(5);
    }
    pause_ms(50);
    done = 0;
    for (unsigned k = 0; k < n; k++)
        done += atomic_load(&users[k].done);
    return done;
}

/* Asks here. True: it was there. */
static bool ask_of(struct world *w, const struct profile_id *id, struct user *u)
{
    prepare(w, u, id);
    get(u);
    return !u->use.waited;
}

static bool ask(struct world *w, unsigned source, struct user *u)
{
    const struct profile_id id = id_of(w, source);

    return ask_of(w, &id, u);
}

static struct profile_id window_of(const struct world *w, unsigned source, uint64_t from_ns)
{
    struct profile_id id = id_of(w, source);

    id.window = (struct window){from_ns, from_ns + 100000};
    return id;
}

static bool ask_window(struct world *w, unsigned source, uint64_t from_ns, struct user *u)
{
    const struct profile_id id = window_of(w, source, from_ns);

    return ask_of(w, &id, u);
}

static void release(struct world *w, struct user *u)
{
    profiles_release(w->service.profiles, &u->use);
}

/* Uses it once. True: it was there. */
static bool was_there(struct world *w, unsigned source)
{
    struct user u;
    bool there = ask(w, source, &u);

    assert_non_null(u.use.profile);
    release(w, &u);
    return there;
}

/* Of one that was folded here. */
static size_t bytes_of_one(struct world *w)
{
    struct user u;

    assert_false(ask(w, 0, &u));
    size_t bytes = shared_profile_bytes(u.use.profile);
    release(w, &u);
    return bytes;
}

/* Nobody computes while they ask. */
static void take_all_turns(struct world *w, struct turn *turn)
{
    turn_init(turn, w->service.turns, TURN_SMALL, NULL, NULL);
    turn_take(turn);
}

TEST_WITH(folded_once_for_all_who_wait, build, wreck)
{
    struct world *w = *state;
    struct user users[5], late;
    struct turn turn;

    begin(w, 1, UINT64_MAX);
    take_all_turns(w, &turn);
    for (unsigned i = 0; i < 5; i++)
        start_for(w, 0, &users[i]);
    while (turns_waiting(w->service.turns) < 5)
        pause_ms(1);
    turn_end(&turn);
    for (unsigned i = 0; i < 5; i++)
        join(&users[i]);
    assert_true(ask(w, 0, &late));
    for (unsigned i = 0; i < 5; i++) {
        assert_ptr_equal(users[i].use.profile, late.use.profile);
        release(w, &users[i]);
    }
    assert_int_equal(shared_profile_get(late.use.profile)->n_tracks, 1);
    release(w, &late);
    assert_int_equal(folds(w), 1);
}

/* The same bytes were uploaded twice, and the upload of which they are read is deleted before it is read. */
TEST_WITH(another_upload_that_is_gone_is_no_failure, build, wreck)
{
    struct world *w = *state;
    struct record deleted = {.id = "zzzzzzzzzzzzzzzzzzzzzzzzzz"};
    struct profile_id of_deleted = id_of(w, 1);
    struct user first, gone, there;

    memcpy(of_deleted.upload, deleted.id, sizeof(of_deleted.upload));
    memcpy(deleted.sha256, of_deleted.sha256, sizeof(deleted.sha256));
    assert_int_equal(record_delete(w->service.store, &deleted, 1), STORE_OK);
    begin(w, 1, 0);
    ask(w, 0, &first); /* holds the only place for what is read */
    prepare(w, &gone, &of_deleted);
    start(&gone);
    pause_ms(50);
    start_for(w, 1, &there);
    pause_ms(50); /* the second one waits for what the first one reads */
    assert_false(atomic_load(&gone.done) || atomic_load(&there.done));
    release(w, &first);
    join(&gone);
    join(&there);
    assert_null(gone.use.profile);
    assert_int_equal(gone.diag.kind, DIAG_GONE);
    assert_non_null(there.use.profile);
    assert_int_equal(there.diag.kind, DIAG_NONE);
    release(w, &there);
}

TEST_WITH(failure_is_told_and_not_kept, build, wreck)
{
    struct world *w = *state;
    struct user users[3];

    begin(w, 1, UINT64_MAX);
    for (unsigned i = 0; i < 3; i++)
        start_for(w, SOURCES, &users[i]);
    for (unsigned i = 0; i < 3; i++) {
        join(&users[i]);
        assert_null(users[i].use.profile);
        assert_int_equal(users[i].diag.kind, DIAG_IO);
        release(w, &users[i]);
    }
    put_bytes(w, SOURCES);
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
    char key[RECORD_BYTES_KEY_CHARS + 1];
    size_t n = sizeof(TEXT) - 1;

    memcpy(bytes, TEXT, n);
    memcpy(bytes + n, header, sizeof(header));
    n += sizeof(header);
    for (uint32_t i = 0; i < 200; i++)
        n += put_record(bytes + n, 4 | (i & 1), 10 * i);
    digest_hex_of((const char *)bytes, n, w->sha256[source]);
    bytes_key(source, key);
    store_delete(w->service.store, key);
    assert_int_equal(
        local_put(store_local(w->service.store), key, (struct str){(const char *)bytes, n}, LOCAL_EVICTABLE),
        STORE_OK);
}

static bool window_was_there(struct world *w, unsigned source, uint64_t from_ns)
{
    struct user u;
    bool there = ask_window(w, source, from_ns, &u);

    assert_non_null(u.use.profile);
    assert_ptr_not_equal(shared_profile_whole(u.use.profile), u.use.profile);
    release(w, &u);
    return there;
}

TEST_WITH(windows_are_read_once_and_kept, build, wreck)
{
    struct world *w = *state;
    struct user users[3];

    put_trace(w, 0);
    begin(w, 1, UINT64_MAX);
    for (unsigned i = 0; i < 3; i++) {
        const struct profile_id id = window_of(w, 0, 0);
        prepare(w, &users[i], &id);
        start(&users[i]);
    }
    for (unsigned i = 0; i < 3; i++)
        join(&users[i]);
    const struct shared_profile *made = users[0].use.profile;
    for (unsigned i = 0; i < 3; i++) {
        assert_ptr_equal(users[i].use.profile, made);
        assert_int_equal(shared_profile_get(made)->tracks[0].calls, 5);
    }
    for (unsigned i = 0; i < 3; i++)
        release(w, &users[i]);
    assert_true(was_there(w, 0));
    assert_false(window_was_there(w, 0, 500000));
    assert_true(window_was_there(w, 0, 500000));
    assert_int_equal(folds(w), 1);
}

/* Four windows of one profile at a time. */
static void ask_for_windows(struct world *w)
{
    struct user users[4];
    struct turn turn;

    take_all_turns(w, &turn);
    for (unsigned i = 0; i < 4; i++) {
        const struct profile_id id = window_of(w, 0, 100000 * i);
        prepare(w, &users[i], &id);
        start(&users[i]);
    }
    while (turns_waiting(w->service.turns) < 4)
        pause_ms(1);
    turn_end(&turn);
    for (unsigned i = 0; i < 4; i++) {
        join(&users[i]);
        assert_non_null(users[i].use.profile);
    }
    for (unsigned i = 0; i < 4; i++)
        release(w, &users[i]);
}

/* Of a profile that was read for something else. */
TEST_WITH(a_log_is_made_once, build, wreck)
{
    struct world *w = *state;
    struct user holder;

    put_trace(w, 0);
    begin(w, 1, UINT64_MAX);
    assert_false(ask(w, 0, &holder));
    release(w, &holder);
    ask_for_windows(w);
    assert_int_equal(folds(w), 1);
    assert_int_equal(events(w, " calls-read "), 1);
}

TEST_WITH(a_log_is_written_with_the_reading_that_needs_it, build, wreck)
{
    struct world *w = *state;

    put_trace(w, 0);
    begin(w, 1, UINT64_MAX);
    ask_for_windows(w);
    assert_int_equal(folds(w), 1);
    assert_int_equal(events(w, " calls-read "), 0);
}

/* What it is a window of waits for a slot when its client leaves. Somebody else waits for the same window. */
TEST_WITH(a_window_is_made_though_its_maker_leaves, build, wreck)
{
    struct world *w = *state;
    struct user holder, maker, other;

    put_trace(w, 1);
    begin(w, 1, 1);
    assert_false(ask(w, 0, &holder));
    const struct profile_id id = window_of(w, 1, 0);
    prepare(w, &maker, &id);
    start(&maker);
    pause_ms(20);
    prepare(w, &other, &id);
    start(&other);
    pause_ms(20);
    stop_ask(&maker.stop, STOP_LEFT);
    pause_ms(20);
    release(w, &holder);
    join(&maker);
    join(&other);
    assert_non_null(other.use.profile);
    release(w, &maker);
    release(w, &other);
}

/* What is a window of something keeps it, and goes before it. */
TEST_WITH(windows_make_way_with_what_they_are_of, build, wreck)
{
    struct world *w = *state;
    struct user user;

    put_trace(w, 0);
    begin(w, 1, UINT64_MAX);
    assert_false(ask_window(w, 0, 0, &user));
    w->config.profile_cache_bytes =
        shared_profile_bytes(user.use.profile) + shared_profile_bytes(shared_profile_whole(user.use.profile));
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

TEST_WITH(a_window_without_times_fails, build, wreck)
{
    struct world *w = *state;
    struct user user;

    begin(w, 1, UINT64_MAX);
    (void)ask_window(w, 0, 0, &user);
    assert_null(user.use.profile);
    assert_int_equal(user.diag.kind, DIAG_USAGE);
    release(w, &user);
    assert_true(was_there(w, 0));
}

TEST_WITH(the_least_recently_used_goes_first, build, wreck)
{
    struct world *w = *state;

    begin(w, 1, UINT64_MAX);
    w->config.profile_cache_bytes = 2 * bytes_of_one(w);
    assert_true(was_there(w, 0));
    assert_false(was_there(w, 1));
    assert_true(was_there(w, 0));
    assert_false(was_there(w, 2)); /* for which 1 goes */
    for (unsigned source = 0; source < 3; source++) {
        const struct profile_id id = id_of(w, source);
        assert_int_equal(profiles_has(w->service.profiles, &id), source != 1);
    }
    assert_true(was_there(w, 0));
    assert_true(was_there(w, 2));
    assert_false(was_there(w, 1));
    assert_false(was_there(w, 0));
}

TEST_WITH(what_is_in_use_stays, build, wreck)
{
    struct world *w = *state;
    struct user user, again;

    begin(w, 2, UINT64_MAX);
    w->config.profile_cache_bytes = bytes_of_one(w);
    assert_true(ask(w, 0, &user));
    assert_false(was_there(w, 1));
    assert_false(was_there(w, 1)); /* no room beside what is in use */
    assert_true(ask(w, 0, &again));
    assert_ptr_equal(again.use.profile, user.use.profile);
    release(w, &user);
    release(w, &again);
    assert_false(was_there(w, 1));
    assert_false(was_there(w, 0));
}

TEST_WITH(one_that_is_larger_than_all_room_lingers, build, wreck)
{
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
    pause_ms(PROFILES_LINGER_S * 1000 + 50);
    profiles_tick(w->service.profiles);
    assert_false(was_there(w, 0));
}

TEST_WITH(none_lingers_where_none_is_kept, build, wreck)
{
    struct world *w = *state;
    struct user user;

    begin(w, 1, 0);
    assert_false(ask(w, 0, &user));
    assert_true(was_there(w, 0)); /* in use */
    release(w, &user);
    assert_false(was_there(w, 0));
    assert_int_equal(folds(w), 2);
}

TEST_WITH(as_many_in_the_making_as_there_are_workers, build, wreck)
{
    struct world *w = *state;
    struct user users[SOURCES];

    begin(w, 2, 1);
    for (unsigned i = 0; i < SOURCES; i++) {
        start_for(w, i, &users[i]);
        if (i < 2)
            join(&users[i]);
        else
            pause_ms(50); /* in the order in which they came */
    }
    assert_int_equal(served(users, SOURCES, 2), 2);
    release(w, &users[1]); /* it does not linger: another one waits for its slot */
    assert_int_equal(served(users, SOURCES, 3), 3);
    assert_true(atomic_load(&users[2].done));
    profiles_give_slot(w->service.profiles, &users[0].use);
    assert_int_equal(served(users, SOURCES, 4), 4);
    for (unsigned i = 2; i < SOURCES; i++)
        join(&users[i]);
    release(w, &users[0]);
    release(w, &users[2]);
    release(w, &users[3]);
    assert_int_equal(folds(w), SOURCES);
}

TEST_WITH(what_lingers_makes_way, build, wreck)
{
    struct world *w = *state;

    begin(w, 1, 1);
    assert_false(was_there(w, 0));
    assert_true(was_there(w, 0));
    assert_false(was_there(w, 1)); /* the only slot was 0's */
    assert_false(was_there(w, 0));
}

static struct shared_profile *read_here(const struct world *w)
{
    static const char STACKS[] = "main;a0 1\nmain;b 2\n";
    struct conversion *c = conversion_new(&w->config);
    struct test_input bytes = {.bytes = {STACKS, sizeof(STACKS) - 1}};
    const struct source_input in = test_input_of(&bytes);
    struct diag diag = {0};

    assert_non_null(c);
    return conversion_read(c, &in, &diag);
}

TEST_WITH(what_an_upload_read_serves_all, build, wreck)
{
    struct world *w = *state;
    const struct profile_id id = id_of(w, 0), other = id_of(w, 1);
    struct profile_use first, second, third;
    struct shared_profile *made = read_here(w);
    struct user waiting;
    struct turn turn;
    struct diag diag = {0};

    begin(w, 1, UINT64_MAX);
    size_t descriptors = scratch_descriptors();
    take_all_turns(w, &turn);
    start_for(w, 0, &waiting);
    while (turns_waiting(w->service.turns) < 1)
        pause_ms(1);
    assert_ptr_equal(profiles_put(w->service.profiles, &id, made, &first, &diag), made);
    assert_ptr_equal(profiles_put(w->service.profiles, &id, read_here(w), &second, &diag), made);
    assert_non_null(profiles_put(w->service.profiles, &other, read_here(w), &third, &diag));
    turn_end(&turn);
    join(&waiting);
    assert_ptr_equal(waiting.use.profile, made);
    release(w, &waiting);
    profiles_release(w->service.profiles, &first);
    profiles_release(w->service.profiles, &second);
    profiles_release(w->service.profiles, &third);
    assert_int_equal(scratch_descriptors(), descriptors);
    assert_true(was_there(w, 0));
    assert_int_equal(folds(w), 3); /* those that were put: nothing was read */
}

/* It is read although all slots are taken. */
TEST_WITH(bytes_that_are_not_stored_yet, build, wreck)
{
    struct world *w = *state;
    struct user other, user, another;
    char path[512];

    begin(w, 1, 1);
    scratch_path(&w->scratch, "spool", path, sizeof(path));
    int fd = open(path, O_RDWR | O_CREAT, 0600);
    assert_true(fd >= 0 && file_write_all(fd, "main;a4 1\n", 10));
    const struct profile_id id = id_of(w, SOURCES);
    assert_false(ask(w, 0, &other)); /* the only slot */
    prepare(w, &user, &id);
    user.fd = fd;
    get(&user);
    assert_non_null(user.use.profile);
    assert_true(ask(w, SOURCES, &another));
    assert_ptr_equal(another.use.profile, user.use.profile);
    release(w, &other);
    release(w, &another);
    release(w, &user);
    close(fd);
}

TEST_WITH(a_service_that_stops_reads_no_more, build, wreck)
{
    struct world *w = *state;
    struct user users[SOURCES], holder;

    begin(w, 1, 1);
    assert_false(ask(w, 0, &holder));
    for (unsigned i = 1; i < SOURCES; i++)
        start_for(w, i, &users[i]);
    stop_ask(&w->service.stop, STOP_SERVICE);
    for (unsigned i = 1; i < SOURCES; i++) {
        join(&users[i]);
        assert_null(users[i].use.profile);
        assert_int_equal(users[i].diag.kind, DIAG_BUSY);
    }
    release(w, &holder);
    assert_int_equal(folds(w), 1);
}

/* Who has left does not wait in the queue. */
TEST_WITH(who_leaves_waits_no_more, build, wreck)
{
    struct world *w = *state;
    struct user holder, leaver, other;

    begin(w, 1, 1);
    assert_false(ask(w, 0, &holder));
    start_for(w, 1, &leaver);
    pause_ms(20);
    start_for(w, 2, &other);
    stop_ask(&leaver.stop, STOP_LEFT);
    join(&leaver);
    assert_null(leaver.use.profile);
    release(w, &holder);
    join(&other);
    assert_non_null(other.use.profile);
    release(w, &other);
}

/* ---- threads ---- */

enum { ROUNDS = 200, AT_ONCE = 16 };

struct walker {
    struct world *world;
    unsigned source, used;
    pthread_t thread;
};

/* Asks for one profile after the other; now and then it leaves in between. */
static void *walk(void *argument)
{
    struct walker *k = argument;

    for (unsigned i = 0; i < ROUNDS; i++) {
        struct user u;
        const struct profile_id id = id_of(k->world, k->source % SOURCES);
        prepare(k->world, &u, &id);
        if (i % 7 == 6)
            stop_ask(&u.stop, STOP_LEFT);
        get(&u);
        k->used += i % 7 == 6 || (u.use.profile != NULL && shared_profile_get(u.use.profile)->n_tracks == 1);
        release(k->world, &u);
        k->source += 1 + i % 3;
    }
    return NULL;
}

TEST_WITH(by_threads, build, wreck)
{
    struct world *w = *state;
    struct walker walkers[AT_ONCE];

    begin(w, 3, UINT64_MAX);
    w->config.profile_cache_bytes = 2 * bytes_of_one(w);
    for (unsigned i = 0; i < AT_ONCE; i++) {
        walkers[i] = (struct walker){.world = w, .source = i};
        assert_int_equal(pthread_create(&walkers[i].thread, NULL, walk, &walkers[i]), 0);
    }
    for (unsigned i = 0; i < AT_ONCE; i++)
        assert_int_equal(pthread_join(walkers[i].thread, NULL), 0);
    for (unsigned i = 0; i < AT_ONCE; i++)
        assert_int_equal(walkers[i].used, ROUNDS);
}
