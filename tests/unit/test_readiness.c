/* Whether uploads can be taken: asked often, found out once a second. */
#include "tests/support/unit.h"
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "core/system/clock.h"
#include "server/store/readiness.h"
#include "tests/support/scratch.h"

struct fixture {
    struct scratch scratch;
    struct store *store;
    struct readiness *readiness;
};

static int begin(void **state)
{
    static struct fixture f;
    struct diag diag = {0};

    f.scratch = scratch_make();
    f.store = store_open(f.scratch.path, &diag);
    assert_non_null(f.store);
    f.readiness = readiness_new(f.store, NULL);
    assert_non_null(f.readiness);
    *state = &f;
    return 0;
}

static int end(void **state)
{
    struct fixture *f = *state;

    readiness_free(f->readiness);
    store_close(f->store);
    scratch_remove(&f->scratch);
    return 0;
}

/* What a check finds, told from then on. */
static const char *found(struct fixture *f, int64_t *now_ms)
{
    *now_ms += READINESS_GOOD_MS + clock_ms();
    assert_true(readiness_is_due(f->readiness, *now_ms));
    readiness_check(f->readiness);
    return readiness_reason(f->readiness, *now_ms);
}

static void rename_tmp(const struct fixture *f, const char *from, const char *to)
{
    char old[300], new[300];

    scratch_path(&f->scratch, from, old, sizeof(old));
    scratch_path(&f->scratch, to, new, sizeof(new));
    assert_int_equal(rename(old, new), 0);
}

TEST_WITH(a_store_that_takes_bytes_is_ready, begin, end)
{
    struct fixture *f = *state;
    int64_t now_ms = 0;

    assert_null(found(f, &now_ms));
    assert_int_equal(scratch_count(&f->scratch, "tmp"), 0);
}

TEST_WITH(a_store_that_takes_none_is_not, begin, end)
{
    struct fixture *f = *state;
    int64_t now_ms = 0;

    rename_tmp(f, "tmp", "away");
    scratch_write(&f->scratch, "tmp", "", 0);
    assert_non_null(strstr(found(f, &now_ms), "cannot be written"));
    char path[300];
    scratch_path(&f->scratch, "tmp", path, sizeof(path));
    assert_int_equal(unlink(path), 0);
    rename_tmp(f, "away", "tmp");
    assert_null(found(f, &now_ms));
}

static void count_call(void *calls)
{
    ++*(unsigned *)calls;
}

/* A probe is no reason to make room. */
TEST_WITH(a_full_disk_is_named_and_nobody_is_told, begin, end)
{
    struct fixture *f = *state;
    const struct rlimit little = {100, RLIM_INFINITY}, all = {RLIM_INFINITY, RLIM_INFINITY};
    unsigned calls = 0;
    int64_t now_ms = 0;

    local_on_full(store_local(f->store), count_call, &calls);
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &little), 0);
    const char *reason = found(f, &now_ms);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &all), 0);
    assert_string_equal(reason, "The disk of the store is full.");
    assert_int_equal(calls, 0);
    assert_int_equal(scratch_count(&f->scratch, "tmp"), 0);
}

TEST_WITH(one_answer_is_good_for_a_while, begin, end)
{
    struct fixture *f = *state;
    int64_t begun_ms = clock_ms();

    assert_true(readiness_is_due(f->readiness, begun_ms));
    assert_true(readiness_is_due(f->readiness, begun_ms)); /* nothing is known yet */
    readiness_check(f->readiness);
    readiness_check(f->readiness);
    int64_t ended_ms = clock_ms();
    assert_false(readiness_is_due(f->readiness, begun_ms + READINESS_GOOD_MS - 1));
    assert_true(readiness_is_due(f->readiness, ended_ms + READINESS_GOOD_MS));
    assert_false(readiness_is_due(f->readiness, ended_ms + 2 * READINESS_GOOD_MS)); /* one checks already */
    assert_null(readiness_reason(f->readiness, ended_ms + 2 * READINESS_GOOD_MS));
    const char *slow = readiness_reason(f->readiness, ended_ms + READINESS_GOOD_MS + READINESS_SLOW_MS);
    assert_string_equal(slow, "The disk of the store does not answer.");
    readiness_check(f->readiness);
    assert_null(readiness_reason(f->readiness, ended_ms + READINESS_GOOD_MS + READINESS_SLOW_MS));
}
