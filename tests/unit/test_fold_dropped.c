/* A fold that ends because nobody waits for it any more: who asks for the same profile at that moment gets it nevertheless. The pool is
 * not started: pool_stop runs what is queued, on this thread. */
#include "server/config/config_load.h"
#include "server/views/profiles.h"
#include "server/views/view_job.h"

#include "tests/support/unit.h"

#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/support/scratch.h"

enum { PIECE_BYTES = 256 << 10 }; /* as they are read */

static struct service service;
static char sha256[RECORD_SHA256_CHARS + 1];

/* Who needs the profile; how often the task was submitted after that was decided. */
struct user {
    struct task task; /* first */
    struct task_queue queue;
    struct profile_need need;
    struct diag diag;
    unsigned told;
};
static struct user leaver, late;
/* What the library's functions below do when they are called: each is done once. */
static void (*at_full_piece)(void), (*at_close)(void);

static void told(struct task *task)
{
    ((struct user *)task)->told++;
}

static void ask(struct user *u, bool (*wanted)(const struct profile_need *need))
{
    struct profile_id id = {0};

    *u = (struct user){.task = {.run = told}, .queue = {.task_class = TASK_ANSWER}};
    u->need.task = &u->task;
    u->need.queue = &u->queue;
    u->need.diag = &u->diag;
    u->need.wanted = wanted;
    memcpy(id.sha256, sha256, sizeof(id.sha256));
    assert_false(profiles_get(service.profiles, &id, -1, &u->need));
}

static void once(void (**act)(void))
{
    void (*now)(void) = *act;

    *act = NULL;
    if (now != NULL)
        now();
}

/* These two are in place of the library's, for all of the program. */
int close(int fd)
{
    once(&at_close);
    return (int)syscall(SYS_close, fd);
}

ssize_t pread(int fd, void *to, size_t n, off_t offset)
{
    ssize_t got = syscall(SYS_pread64, fd, to, n, offset);

    if (got == PIECE_BYTES)
        once(&at_full_piece);
    return got;
}

static void ask_late(void)
{
    ask(&late, NULL);
}

/* Not any more before the second piece is read. */
static bool leaves(const struct profile_need *need)
{
    static unsigned looks;

    (void)need;
    at_close = looks++ > 0 ? ask_late : NULL;
    return at_close == NULL;
}

/* Stacks of more than so many bytes, as a source. */
static void put_blob(size_t bytes, char digest[RECORD_SHA256_CHARS + 1])
{
    struct buf text = {0};
    char key[RECORD_BLOB_KEY_CHARS + 1];

    while (text.n <= bytes)
        buf_printf(&text, "main;a%zu 1\n", text.n);
    assert_false(text.failed);
    record_sha256_hex(text.p, text.n, digest);
    record_blob_key(digest, key);
    assert_int_equal(store_put(service.store, key, buf_view(&text), STORE_EVICTABLE), STORE_OK);
    buf_free(&text);
}

static int build(void **state)
{
    static struct config config;
    static struct scratch scratch;
    struct diag diag = {0};
    char path[512];

    scratch = scratch_make();
    *state = &scratch;
    config_defaults(&config);
    config.profile_cache_bytes = 0;
    scratch_path(&scratch, "store", path, sizeof(path));
    service.config = &config;
    service.store = store_open(path, &diag);
    service.log = log_new(LOG_ERROR, STDERR_FILENO);
    service.pool = pool_new(1, false);
    service.profiles = profiles_new(&service);
    assert_true(service.store != NULL && service.log != NULL && service.profiles != NULL);
    put_blob(PIECE_BYTES, sha256);
    return 0;
}

static int wreck(void **state)
{
    pool_free(service.pool);
    profiles_free(service.profiles);
    log_free(service.log);
    store_close(service.store);
    scratch_remove(*state);
    return 0;
}

static void who_asks_while_a_fold_is_dropped_gets_the_profile(void **state)
{
    (void)state;
    ask(&leaver, leaves);
    pool_stop(service.pool);
    assert_int_equal(leaver.told, 1);
    assert_true(leaver.need.dropped && leaver.need.profile == NULL);
    assert_int_equal(late.told, 1);
    assert_non_null(late.need.profile);
    profiles_release(service.profiles, &leaver.need);
    profiles_release(service.profiles, &late.need);
}

/* ---- a comparison ---- */

static struct view_jobs *jobs;
static struct view_request compared;
static struct view_wait first, second;
static unsigned ready;

static void wake(struct view_wait *w)
{
    (void)w;
    ready++;
}

static void join(struct view_wait *w)
{
    char key[VIEW_KEY_CHARS + 1];

    *w = (struct view_wait){.ready = wake, .is_upload = true};
    assert_true(view_key(&service, &compared, ENCODING_IDENTITY, key));
    view_jobs_lock(jobs);
    assert_true(view_jobs_join(jobs, &compared, ENCODING_IDENTITY, key, NULL, w));
    view_jobs_unlock(jobs);
}

static void come_again_without_the_first_file(void)
{
    char key[RECORD_BLOB_KEY_CHARS + 1];

    record_blob_key(compared.upload.sha256, key);
    assert_int_equal(store_delete(service.store, key), STORE_OK);
    join(&second);
}

/* While the second file is read. */
static void leave(void)
{
    view_jobs_leave(jobs, &first, NULL);
    at_close = come_again_without_the_first_file;
}

/* Who comes back for a comparison whose second file was not read to its end, and whose first one is gone meanwhile, is told so; and the
 * program goes on. */
static void a_comparison_that_is_left_and_wanted_again_ends(void **state)
{
    struct view_result result;

    (void)state;
    jobs = view_jobs_new(&service);
    assert_non_null(jobs);
    compared.report = report_by_name(STR("diff"), STR("json"));
    report_defaults(service.config, &compared.options, &compared.asked);
    put_blob(0, compared.upload.sha256);
    memcpy(compared.other.sha256, sha256, sizeof(sha256));
    join(&first);
    at_full_piece = leave;
    alarm(60); /* it would go on for ever */
    pool_stop(service.pool);
    alarm(0);
    assert_int_equal(ready, 1);
    view_jobs_leave(jobs, &second, &result);
    assert_null(result.bytes);
    assert_int_equal(result.diag.kind, DIAG_IO);
    view_jobs_free(jobs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(who_asks_while_a_fold_is_dropped_gets_the_profile, build, wreck),
        cmocka_unit_test_setup_teardown(a_comparison_that_is_left_and_wanted_again_ends, build, wreck),
    };

    return cmocka_run_group_tests_name("fold_dropped", tests, NULL, NULL);
}
