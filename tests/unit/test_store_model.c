/* The protocol of record.h under a scheduler: uploads, changes, a delete and the sweeps of three daemons, whose clocks
 * are minutes apart, take turns at each call of the system that changes the store or looks into it. Of two of them
 * orders with two switches are tried, and of all of them random ones; any of them may crash before a call; and time
 * may leap by days between two calls, as for a machine that slept. (Not tried: a machine that sleeps for a week between
 * two calls and then crashes, or that sleeps so while it attaches a file of names. Neither is acknowledged, and the record
 * may be left without bytes, or without that file.)
 *
 * What was acknowledged is there, what was deleted is gone, no record lacks its bytes or its file of names, and in the end
 * nothing is left that nobody needs. */
#undef _FORTIFY_SOURCE
#include "tests/support/unit.h"
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "server/store/record.h"
#include "server/store/sweep_pass.h"
#include "tests/support/random.h"
#include "tests/support/sanitized.h"
#include "tests/support/scratch.h"

enum { MINUTE_S = 60, HOUR_S = 3600, DAY_S = 86400, ACTORS_MAX = 10, STEPS_MAX = 20000 };
#define BEGIN_S  INT64_C(1795171759)
#define FAR_S    (BEGIN_S + INT64_C(3650) * DAY_S)
#define SHA      "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"
#define MAPPING  "aa112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"
#define KEPT     "aaaaaaaaaaaaaaaaaaaaaaaaaa" /* has a mapping */
#define EXPIRING "bbbbbbbbbbbbbbbbbbbbbbbbbb" /* in half an hour */
#define DELETED  "cccccccccccccccccccccccccc"
#define NEW      "dddddddddddddddddddddddddd" /* with a mapping */
#define OTHER    "eeeeeeeeeeeeeeeeeeeeeeeeee" /* with the same one */

/* ---- actors, of which one runs at a time ---- */

struct world;

struct actor {
    struct world *world;
    void (*run)(struct actor *a);
    const char *id; /* of the upload that it is about */
    int64_t skew_s; /* of its clock */
    pthread_t thread;
    bool acknowledged;

    /* Protected by the scheduler's lock. */
    bool waiting, granted, crashed, done;
};

struct world {
    struct scratch scratch;
    struct store *store;
    struct actor actors[ACTORS_MAX];
    unsigned n;
    int64_t now_s;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t moved = PTHREAD_COND_INITIALIZER;
static _Thread_local struct actor *self; /* NULL: the scheduler's own calls are no steps */
static struct world *running;

/* Before a call of the system. False: the actor has crashed, and the call must not happen. */
static bool step(void)
{
    if (self == NULL)
        return true;
    pthread_mutex_lock(&lock);
    self->waiting = true;
    pthread_cond_broadcast(&moved);
    while (!self->granted && !self->crashed)
        pthread_cond_wait(&moved, &lock);
    self->waiting = self->granted = false;
    bool goes_on = !self->crashed;
    pthread_mutex_unlock(&lock);
    if (!goes_on)
        errno = EIO;
    return goes_on;
}

int linkat(int from_dir, const char *from, int to_dir, const char *to, int flags)
{
    return step() ? (int)syscall(SYS_linkat, from_dir, from, to_dir, to, flags) : -1;
}

int unlinkat(int dir, const char *path, int flags)
{
    return step() ? (int)syscall(SYS_unlinkat, dir, path, flags) : -1;
}

int openat(int dir, const char *path, int flags, ...)
{
    va_list arguments;

    va_start(arguments, flags);
    unsigned mode = va_arg(arguments, unsigned);
    va_end(arguments);
    /* A file without a name changes nothing, and folders are only synced but where they are listed. */
    bool is_step = (flags & O_TMPFILE) != O_TMPFILE;
    return !is_step || step() ? (int)syscall(SYS_openat, dir, path, flags, mode) : -1;
}

int fsync(int fd)
{
    (void)fd;
    return 0;
}

time_t time(time_t *at)
{
    time_t now =
        running == NULL ? (time_t)BEGIN_S : (time_t)(running->now_s + (self != NULL ? self->skew_s : 0));

    if (at != NULL)
        *at = now;
    return now;
}

/* The store sets the time of an object to now. */
int futimens(int fd, const struct timespec times[2])
{
    const struct timespec now[2] = {{.tv_nsec = UTIME_OMIT}, {.tv_sec = time(NULL)}};

    (void)times;
    return (int)syscall(SYS_utimensat, fd, NULL, now, 0);
}

static void *run_actor(void *actor)
{
    struct actor *a = actor;

    self = a;
    a->run(a);
    pthread_mutex_lock(&lock);
    a->done = true;
    pthread_cond_broadcast(&moved);
    pthread_mutex_unlock(&lock);
    return NULL;
}

/* Under the lock: until the actor has stopped before its next step, or has ended. */
static void await(const struct actor *a)
{
    while (!a->done && (!a->waiting || a->granted))
        pthread_cond_wait(&moved, &lock);
}

static void start(struct actor *a)
{
    assert_int_equal(pthread_create(&a->thread, NULL, run_actor, a), 0);
    pthread_mutex_lock(&lock);
    await(a);
    pthread_mutex_unlock(&lock);
}

/* False: it has ended. */
static bool advance(struct actor *a, bool crash)
{
    pthread_mutex_lock(&lock);
    bool goes = !a->done;
    if (goes && crash) {
        a->crashed = true;
        pthread_cond_broadcast(&moved);
        while (!a->done)
            pthread_cond_wait(&moved, &lock);
    } else if (goes) {
        a->granted = true;
        pthread_cond_broadcast(&moved);
        await(a);
    }
    pthread_mutex_unlock(&lock);
    return goes;
}

/* ---- what they do, as the service does it ---- */

static struct record record_of(const char *id, int64_t expires_s, uint32_t mapping_period)
{
    struct record r = {.format = "folded", .size = 5, .created_s = BEGIN_S, .expires_s = expires_s};

    snprintf(r.id, sizeof(r.id), "%s", id);
    memcpy(r.sha256, SHA, sizeof(SHA));
    memcpy(r.token_sha256, SHA, sizeof(SHA));
    if (mapping_period > 0)
        memcpy(r.names.of[RECORD_MAPPING], MAPPING, sizeof(MAPPING));
    r.names.period[RECORD_MAPPING] = mapping_period;
    return r;
}

static bool put(struct store *s, const char *key, const char *text)
{
    return store_put(s, key, str_of(text)) <= STORE_EXISTS;
}

static bool put_mapping(struct store *s, uint32_t *period)
{
    char key[STORE_KEY_BYTES];

    *period = record_period((int64_t)time(NULL));
    record_names_key(MAPPING, *period, key);
    return put(s, key, "names");
}

static bool put_upload(struct store *s, const char *id, int64_t expires_s, bool with_mapping)
{
    char key[STORE_KEY_BYTES];
    int64_t begun_s = (int64_t)time(NULL);
    uint32_t period = 0;

    record_bytes_key(id, key);
    bool bytes_first = strcmp(id, OTHER) == 0, ok = !bytes_first || put(s, key, "bytes");
    ok = ok && (!with_mapping || put_mapping(s, &period)) && (bytes_first || put(s, key, "bytes"));
    const struct record r = record_of(id, expires_s, period);
    if (ok && record_write(s, &r, begun_s) == STORE_OK)
        return true;
    record_discard(s, id);
    return false;
}

/* An upload that cannot be read, as it turns out when its bytes are there. */
static void refuse(struct actor *a)
{
    char key[STORE_KEY_BYTES];

    record_bytes_key(a->id, key);
    if (put(a->world->store, key, "bytes"))
        (void)record_discard(a->world->store, a->id);
}

static void upload(struct actor *a)
{
    a->acknowledged = put_upload(a->world->store, a->id, FAR_S, true);
}

static void lengthen(struct actor *a)
{
    const struct record r = record_of(a->id, FAR_S, 0);

    a->acknowledged = record_change(a->world->store, &r, RECORD_EXPIRY, (int64_t)time(NULL)) == STORE_OK;
}

static void rename_upload(struct actor *a)
{
    struct record r = record_of(a->id, FAR_S, 0);

    strcpy(r.name, "renamed");
    a->acknowledged = record_change(a->world->store, &r, RECORD_NAME, (int64_t)time(NULL)) == STORE_OK;
}

static void attach(struct actor *a)
{
    struct store *s = a->world->store;
    int64_t begun_s = (int64_t)time(NULL);
    uint32_t period;

    if (!put_mapping(s, &period))
        return;
    struct record r = record_of(a->id, FAR_S, period);
    a->acknowledged = record_change_names(s, &r, RECORD_MAPPING, begun_s, (int64_t)time(NULL)) == STORE_OK;
}

static void delete_upload(struct actor *a)
{
    struct record r;

    if (record_read(a->world->store, str_of(a->id), (int64_t)time(NULL), &r) == RECORD_FOUND)
        a->acknowledged = record_delete(a->world->store, &r, (int64_t)time(NULL)) == STORE_OK;
}

static bool go_on(void *context)
{
    (void)context;
    return true;
}

static void sweep_at(struct store *s, int64_t now_s)
{
    const struct sweep_plan plan = {.now_s = now_s,
                                    .clock_s = now_s,
                                    .unneeded_before_s = now_s - DAY_S,
                                    .view_bytes_most = 1 << 20,
                                    .go_on = go_on};

    struct sweep_index *index = sweep_index_new();
    assert_non_null(index);
    sweep_pass(s, index, NULL, &plan);
    sweep_index_free(index);
}

static void sweep_store(struct actor *a)
{
    sweep_at(a->world->store, (int64_t)time(NULL));
}

/* ---- the world ---- */

static void begin(struct world *w)
{
    struct diag diag = {0};

    *w = (struct world){.scratch = scratch_make(), .now_s = BEGIN_S};
    running = w;
    w->store = store_open(w->scratch.path, &diag);
    assert_non_null(w->store);
    /* The mapping of the one that is kept is of three periods ago. */
    w->now_s -= 3 * RECORD_PERIOD_S;
    assert_true(put_upload(w->store, KEPT, FAR_S, true));
    w->now_s = BEGIN_S;
    assert_true(put_upload(w->store, EXPIRING, BEGIN_S + HOUR_S / 2, false));
    assert_true(put_upload(w->store, DELETED, FAR_S, true));
}

static struct actor *add(struct world *w, void (*run)(struct actor *a), const char *id, int64_t skew_s)
{
    struct actor *a = &w->actors[w->n++];

    *a = (struct actor){.world = w, .run = run, .id = id, .skew_s = skew_s};
    return a;
}

static bool has(struct store *s, const char *key)
{
    return store_exists(s, key) == STORE_OK;
}

/* Whether the record of this upload is there with all that it needs. */
static bool is_whole(struct world *w, const char *id)
{
    struct record r;
    char key[STORE_KEY_BYTES];

    if (record_read(w->store, str_of(id), w->now_s, &r) != RECORD_FOUND)
        return false;
    record_bytes_key(id, key);
    if (!has(w->store, key))
        return false;
    if (r.names.of[RECORD_MAPPING][0] == '\0')
        return true;
    record_names_key(MAPPING, r.names.period[RECORD_MAPPING], key);
    return has(w->store, key);
}

static bool was_asked(const struct world *w, void (*run)(struct actor *a), bool acknowledged)
{
    for (unsigned i = 0; i < w->n; i++)
        if (w->actors[i].run == run && (w->actors[i].acknowledged || !acknowledged))
            return true;
    return false;
}

/* What was changed may also have been deleted, or have expired. */
static bool may_be_gone(const struct world *w, const struct actor *a)
{
    return (strcmp(a->id, DELETED) == 0 && was_asked(w, delete_upload, false)) ||
           (strcmp(a->id, EXPIRING) == 0 && !was_asked(w, lengthen, true));
}

static bool check_acknowledged(struct world *w, const struct actor *a)
{
    struct record r;
    enum record_state state = record_read(w->store, str_of(a->id), w->now_s, &r);

    /* Weeks later there is no tombstone any more. */
    bool is_gone = state == RECORD_GONE || state == RECORD_NONE;
    if (a->run == delete_upload)
        return is_gone;
    if (is_gone && may_be_gone(w, a))
        return true;
    if (a->run == upload || a->run == lengthen || a->run == rename_upload || a->run == attach)
        return is_whole(w, a->id) && (a->run != lengthen || r.expires_s == FAR_S) &&
               (a->run != rename_upload || strcmp(r.name, "renamed") == 0) &&
               (a->run != attach || r.names.period[RECORD_MAPPING] >= record_period(BEGIN_S));
    return true;
}

static bool is_garbage(struct world *w, const char *key)
{
    struct str text = str_of(key), id = str_behind_last(text, '/'), part;
    struct record r;

    if (str_starts(text, STR("names/")) && !str_ends((struct str){text.p, text.n - id.n}, STR(".for/"))) {
        char needs[512];
        snprintf(needs, sizeof(needs), "%s/%s.for", w->scratch.path, key);
        return access(needs, F_OK) != 0;
    }
    if (str_starts(text, STR("uploads/"))) {
        (void)str_split(&text, '/', &part);
        id = (struct str){text.p, RECORD_ID_CHARS};
    }
    return record_read(w->store, id, w->now_s, &r) != RECORD_FOUND;
}

struct look {
    struct world *world;
    char found[STORE_KEY_BYTES]; /* something that nobody needs */
};

static bool look_at(void *look, const struct store_object *object)
{
    struct look *l = look;

    if (is_garbage(l->world, object->key))
        snprintf(l->found, sizeof(l->found), "%s", object->key);
    return l->found[0] == '\0';
}

/* What is wrong, or "". */
static const char *problem_of(struct world *w)
{
    static const char *const ALL[] = {KEPT, EXPIRING, DELETED, NEW, OTHER};
    static struct look look;
    struct record r;

    for (unsigned i = 0; i < w->n; i++)
        if (w->actors[i].acknowledged && !check_acknowledged(w, &w->actors[i]))
            return "what was acknowledged is not so";
    for (size_t i = 0; i < sizeof(ALL) / sizeof(ALL[0]); i++)
        if (record_read(w->store, str_of(ALL[i]), w->now_s, &r) == RECORD_FOUND && !is_whole(w, ALL[i]))
            return "a record lacks something";
    if (!is_whole(w, KEPT))
        return "what nobody touched is gone";
    /* The store is left alone for some weeks. */
    w->now_s += 4 * RECORD_PERIOD_S;
    sweep_at(w->store, w->now_s);
    for (unsigned i = 0; i < w->n; i++)
        if (w->actors[i].acknowledged && w->actors[i].run != delete_upload &&
            !check_acknowledged(w, &w->actors[i]))
            return "what was acknowledged was swept";
    look = (struct look){.world = w};
    static const char *const FOLDERS[] = {"bytes/", "uploads/", "names/"};
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(store_list(w->store, FOLDERS[i], look_at, &look), STORE_OK);
    return look.found;
}

/* Ends the actors, and checks. `words` says which case it is. */
static void end(struct world *w, const char *words, unsigned a, unsigned b)
{
    for (unsigned i = 0; i < w->n; i++) {
        while (advance(&w->actors[i], false))
            ;
        assert_int_equal(pthread_join(w->actors[i].thread, NULL), 0);
    }
    const char *problem = problem_of(w);
    if (problem[0] != '\0')
        fail_msg("%s %u %u: %s", words, a, b, problem);
    running = NULL;
    store_close(w->store);
    scratch_remove(&w->scratch);
}

/* ---- two of them, with two switches ---- */

struct pair {
    const char *words;
    void (*first)(struct actor *a), (*second)(struct actor *a);
    const char *first_id, *second_id;
    int64_t skew_s; /* of the second one */
};

static const struct pair PAIRS[] = {
    {"upload, sweep", upload, sweep_store, NEW, "", 5 * MINUTE_S},
    {"upload, upload", upload, upload, NEW, OTHER, -5 * MINUTE_S},
    {"upload with its bytes first, sweep", upload, sweep_store, OTHER, "", 5 * MINUTE_S},
    {"refuse, sweep", refuse, sweep_store, NEW, "", 5 * MINUTE_S},
    {"lengthen, sweep", lengthen, sweep_store, EXPIRING, "", HOUR_S},
    {"lengthen, rename", lengthen, rename_upload, EXPIRING, EXPIRING, 0},
    {"attach, sweep", attach, sweep_store, KEPT, "", 5 * MINUTE_S},
    {"attach, attach", attach, attach, KEPT, KEPT, -5 * MINUTE_S},
    {"delete, rename", delete_upload, rename_upload, DELETED, DELETED, 0},
    {"delete, attach", delete_upload, attach, DELETED, DELETED, 0},
    {"delete, sweep", delete_upload, sweep_store, DELETED, "", 5 * MINUTE_S},
    {"sweep, sweep", sweep_store, sweep_store, "", "", HOUR_S},
};

/* The first takes `k` steps, the second `m`, and then the first goes on, or has crashed. False: it has no k steps. */
static bool try_pair(const struct pair *p, unsigned k, unsigned m, bool crash, bool *second_ended)
{
    struct world w;
    bool goes = true, other = true;

    begin(&w);
    struct actor *a = add(&w, p->first, p->first_id, 0), *b = add(&w, p->second, p->second_id, p->skew_s);
    start(a);
    start(b);
    for (unsigned i = 0; goes && i < k; i++)
        goes = advance(a, false);
    for (unsigned i = 0; other && i < m; i++)
        other = advance(b, false);
    if (crash)
        (void)advance(a, true);
    end(&w, p->words, k, m);
    *second_ended = !other;
    return goes;
}

/* Each of the first steps, and then a part of them: a sweep has many that are alike. */
static unsigned next_step(unsigned k)
{
    return k + 1 + k / (SANITIZED ? 1 : 4);
}

/* A thousand small stores are made in memory. */
static int without_a_disk(void **state)
{
    (void)state;
    if (access("/dev/shm", W_OK) == 0)
        (void)setenv("TMPDIR", "/dev/shm", 0);
    return 0;
}

TEST_WITH(two_in_many_orders, without_a_disk, NULL)
{
    unsigned runs = 0;

    for (size_t i = 0; i < sizeof(PAIRS) / sizeof(PAIRS[0]); i++)
        for (unsigned k = 0, goes = 1; goes; k = next_step(k)) {
            bool ended = false;
            for (unsigned m = 1; goes && !ended; m = next_step(m), runs++)
                goes = try_pair(&PAIRS[i], k, m, false, &ended);
        }
    assert_in_range(runs, SANITIZED ? 100 : 500, UINT32_MAX);
}

TEST_WITH(one_crashes, without_a_disk, NULL)
{
    for (size_t i = 0; i < sizeof(PAIRS) / sizeof(PAIRS[0]); i++)
        for (unsigned k = 0, goes = 1; goes; k = next_step(k)) {
            bool ended;
            goes = try_pair(&PAIRS[i], k, 0, true, &ended);
            if (goes)
                goes = try_pair(&PAIRS[i], k, STEPS_MAX, true, &ended);
        }
}

/* ---- what needs more than two switches ---- */

/* The first takes k steps; then `leap_s` pass, and the others come one after the other, each to its end; then the first
 * goes on. False: it has no k steps. */
static bool try_between(const struct actor *actors, unsigned n, unsigned k, int64_t leap_s, const char *words)
{
    struct world w;
    bool goes = true;

    begin(&w);
    for (unsigned i = 0; i < n; i++)
        (void)add(&w, actors[i].run, actors[i].id, actors[i].skew_s);
    start(&w.actors[0]);
    for (unsigned i = 0; goes && i < k; i++)
        goes = advance(&w.actors[0], false);
    w.now_s += leap_s;
    for (unsigned i = 1; i < n; i++) {
        start(&w.actors[i]); /* which looks at the clock */
        while (advance(&w.actors[i], false))
            ;
    }
    end(&w, words, k, 0);
    return goes;
}

/* The first of two changes puts the revision that a third one is about to put, and the second removes it again. */
TEST_WITH(two_changes_come_before_a_third, without_a_disk, NULL)
{
    static const struct actor CHANGES[] = {{.run = rename_upload, .id = KEPT},
                                           {.run = attach, .id = KEPT, .skew_s = 3 * MINUTE_S},
                                           {.run = lengthen, .id = KEPT}};

    for (unsigned k = 0; try_between(CHANGES, 3, k, 0, "two changes before a third"); k++)
        ;
}

/* A machine sleeps within an upload, for so long that a sweep takes its bytes for left behind. */
TEST_WITH(an_upload_sleeps, without_a_disk, NULL)
{
    static const struct actor UPLOAD[] = {{.run = upload, .id = NEW}, {.run = sweep_store, .id = ""}};

    for (unsigned k = 0; try_between(UPLOAD, 2, k, 2 * DAY_S, "an upload sleeps"); k++)
        ;
}

/* ---- all of them, in random orders ---- */

static void try_all(unsigned seed, bool crashes, bool leaps)
{
    uint64_t random = seed;
    struct world w;
    unsigned alive;

    begin(&w);
    add(&w, upload, NEW, 0);
    add(&w, upload, OTHER, -5 * MINUTE_S);
    add(&w, lengthen, EXPIRING, 5 * MINUTE_S);
    add(&w, rename_upload, EXPIRING, 0);
    if (!leaps)
        add(&w, attach, KEPT, 3 * MINUTE_S);
    add(&w, delete_upload, DELETED, 0);
    for (int i = 0; i < 3; i++)
        add(&w, sweep_store, "", (i - 1) * 10 * MINUTE_S);
    for (unsigned i = 0; i < w.n; i++)
        start(&w.actors[i]);
    do {
        alive = 0;
        for (unsigned i = 0; i < w.n; i++)
            alive += !w.actors[i].done;
        struct actor *a = &w.actors[random_below(&random, w.n)];
        (void)advance(a, crashes && random_below(&random, 60) == 0);
        if (random_below(&random, 20) == 0)
            w.now_s += random_below(&random, 10 * MINUTE_S);
        if (leaps && random_below(&random, 150) == 0)
            w.now_s += HOUR_S + random_below(&random, 20 * DAY_S);
    } while (alive > 0);
    end(&w, "random", seed, crashes);
}

TEST_WITH(all_in_random_orders, without_a_disk, NULL)
{
    for (unsigned seed = 1; seed <= 40; seed++)
        try_all(seed, false, false);
    for (unsigned seed = 1; seed <= 40; seed++)
        try_all(seed, true, false);
    for (unsigned seed = 1; seed <= 60; seed++)
        try_all(seed, false, true);
}
