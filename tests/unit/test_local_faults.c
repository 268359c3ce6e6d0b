/* Nothing of an object shows before it is whole, whichever call fails. The functions of the system that
 * the store stands on are replaced here, so that each of them can fail at any call. */
#undef _FORTIFY_SOURCE
#include "tests/support/unit.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "tests/support/aged_store.h"

/* ---- the system, with faults ---- */

struct faults {
    bool on;
    bool no_tmpfile;  /* a file system without files without names */
    unsigned fail_at; /* that call fails, counted from 1; 0: none */
    int error;
    unsigned calls;
    char trace[4096]; /* a letter per call: o l f m w u */
};
/* STORE_OK if the object is there. */
static enum store_result look(struct local *l, const char *key)
{
    struct store_object o;

    return local_look(l, key, &o);
}

static struct faults faults;

static bool faulty(char letter)
{
    if (!faults.on)
        return false;
    if (faults.calls < sizeof(faults.trace) - 1)
        faults.trace[faults.calls] = letter;
    faults.calls++;
    errno = faults.error;
    return faults.calls == faults.fail_at;
}

int openat(int dir, const char *path, int flags, ...)
{
    va_list arguments;

    va_start(arguments, flags);
    unsigned mode = va_arg(arguments, unsigned);
    va_end(arguments);
    if (faults.no_tmpfile && (flags & O_TMPFILE) == O_TMPFILE) {
        errno = EOPNOTSUPP;
        return -1;
    }
    return faulty('o') ? -1 : (int)syscall(SYS_openat, dir, path, flags, mode);
}

int linkat(int from_dir, const char *from, int to_dir, const char *to, int flags)
{
    return faulty('l') ? -1 : (int)syscall(SYS_linkat, from_dir, from, to_dir, to, flags);
}

int fsync(int fd)
{
    return faulty('f') ? -1 : (int)syscall(SYS_fsync, fd);
}

int mkdirat(int dir, const char *path, mode_t mode)
{
    return faulty('m') ? -1 : (int)syscall(SYS_mkdirat, dir, path, mode);
}

ssize_t write(int fd, const void *p, size_t n)
{
    return faulty('w') ? -1 : syscall(SYS_write, fd, p, n);
}

static void end(struct aged_store *f)
{
    aged_store_end(f);
    faults = (struct faults){0};
}

/* ---- tests ---- */

TEST(nothing_shows_before_commit)
{
    for (int named = 0; named < 2; named++) {
        faults.no_tmpfile = named;
        struct aged_store f = aged_store_begin();
        struct local_temp t;
        assert_int_equal(local_temp_open(f.local, &t), STORE_OK);
        assert_int_equal(t.name[0] != '\0', named);
        assert_int_equal(local_temp_write(&t, "half", 4), STORE_OK);
        assert_int_equal(look(f.local, "blobs/aa/x"), STORE_NOT_FOUND);
        assert_int_equal(scratch_count(&f.scratch, "tmp"), named);
        assert_int_equal(local_temp_write(&t, "+half", 5), STORE_OK);
        assert_int_equal(local_temp_commit(f.local, &t, "blobs/aa/x", LOCAL_DURABLE), STORE_OK);
        aged_store_assert_object(&f, "blobs/aa/x", STR("half+half"));
        assert_int_equal(scratch_count(&f.scratch, "tmp"), 0);
        local_temp_discard(f.local, &t); /* a second time is nothing */
        assert_int_equal(local_temp_open(f.local, &t), STORE_OK);
        assert_int_equal(local_temp_write(&t, "x", 1), STORE_OK);
        local_temp_discard(f.local, &t);
        assert_int_equal(scratch_count(&f.scratch, "tmp"), 0);
        assert_int_equal(scratch_count(&f.scratch, "blobs"), 2);
        end(&f);
    }
}

TEST(a_tidied_folder_is_made_again)
{
    for (int named = 0; named < 2; named++) {
        faults.no_tmpfile = named;
        struct aged_store f = aged_store_begin();
        char path[300];
        scratch_path(&f.scratch, "tmp", path, sizeof(path));
        assert_int_equal(rmdir(path), 0);
        assert_int_equal(local_put(f.local, "blobs/aa/x", STR("there"), LOCAL_DURABLE), STORE_OK);
        aged_store_assert_object(&f, "blobs/aa/x", STR("there"));
        end(&f);
    }
}

/* An upload may wait for hours between its last byte and its name. */
TEST(what_waited_is_young)
{
    static const struct timespec LONG_AGO[2] = {{.tv_sec = 1000}, {.tv_sec = 1000}};

    for (int named = 0; named < 2; named++) {
        faults.no_tmpfile = named;
        struct aged_store f = aged_store_begin();
        struct store_object o;
        struct local_temp t;
        assert_int_equal(local_temp_open(f.local, &t), STORE_OK);
        assert_int_equal(futimens(t.fd, LONG_AGO), 0);
        assert_int_equal(local_temp_commit(f.local, &t, "blobs/aa/x", LOCAL_DURABLE), STORE_OK);
        assert_int_equal(local_look(f.local, "blobs/aa/x", &o), STORE_OK);
        assert_in_range(time(NULL) - o.time_s + 60, 0, 600);
        end(&f);
    }
}

/* The system tells of it once, and the last sync succeeds. */
TEST(what_an_early_sync_could_not_write_is_not_durable)
{
    struct aged_store f = aged_store_begin();

    for (unsigned at = 0; at < 2; at++) {
        struct local_temp t;
        assert_int_equal(local_temp_open(f.local, &t), STORE_OK);
        assert_int_equal(local_temp_write(&t, "half", 4), STORE_OK);
        faults = (struct faults){.on = true, .fail_at = at, .error = EIO};
        local_temp_sync(&t);
        assert_string_equal(faults.trace, "f");
        faults = (struct faults){.on = false};
        assert_int_equal(local_temp_write(&t, "+half", 5), STORE_OK);
        assert_int_equal(local_temp_commit(f.local, &t, "blobs/aa/x", LOCAL_DURABLE),
                         at == 0 ? STORE_OK : STORE_FAILED);
        if (at == 1)
            assert_int_equal(errno, EIO);
        assert_int_equal(look(f.local, "blobs/aa/x"), at == 0 ? STORE_OK : STORE_NOT_FOUND);
        local_delete(f.local, "blobs/aa/x");
        local_temp_discard(f.local, &t);
    }
    end(&f);
}

static void count_call(void *calls)
{
    ++*(unsigned *)calls;
    errno = 0; /* must not reach who asks why the write failed */
}

TEST(a_full_disk_is_told)
{
    struct aged_store f = aged_store_begin();
    unsigned calls = 0, told = 0;

    local_on_full(f.local, count_call, &calls);
    for (unsigned at = 1; at <= 12; at++) {
        faults = (struct faults){.on = true, .fail_at = at, .error = ENOSPC};
        enum store_result result = local_put(f.local, "a/b/c", STR("x"), LOCAL_DURABLE);
        if (result == STORE_FULL) {
            told++;
            assert_int_equal(errno, ENOSPC);
        }
        faults = (struct faults){.on = false};
        assert_int_equal(calls, told);
        local_delete(f.local, "a/b/c");
    }
    assert_in_range(told, 9, 12);
    faults = (struct faults){.on = true, .fail_at = 1, .error = EIO};
    assert_int_equal(local_put(f.local, "a/b/c", STR("x"), LOCAL_DURABLE), STORE_FAILED);
    local_on_full(f.local, NULL, NULL);
    faults = (struct faults){.on = true, .fail_at = 1, .error = ENOSPC};
    assert_int_equal(local_put(f.local, "a/b/c", STR("x"), LOCAL_DURABLE), STORE_FULL);
    assert_int_equal(calls, told);
    end(&f);
}

TEST(what_found_no_room_is_written_again)
{
    struct aged_store f = aged_store_begin();
    struct buf read = {0};
    struct local_temp t;
    struct rlimit all, small;

    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &all), 0);
    small = (struct rlimit){5, all.rlim_max};
    assert_int_equal(local_temp_open(f.local, &t), STORE_OK);
    assert_int_equal(local_temp_write(&t, "abc", 3), STORE_OK);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    enum store_result result = local_temp_write(&t, "defg", 4); /* two of them find room */
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &all), 0);
    assert_int_equal(result, STORE_FULL);
    assert_int_equal(local_temp_write(&t, "defg", 4), STORE_OK);
    unsigned tries = 0;
    for (; tries < 20; tries++) {
        faults = (struct faults){.on = true, .fail_at = 2 + tries, .error = ENOSPC};
        result = local_temp_commit(f.local, &t, "a/b/c", LOCAL_DURABLE);
        faults = (struct faults){.on = false};
        if (result != STORE_FULL || !t.open)
            break;
    }
    assert_true(tries > 0); /* its name had no room, and was tried again */
    assert_false(t.open);
    assert_int_equal(local_read(f.local, "a/b/c", 100, &read), STORE_OK);
    assert_true(str_eq(buf_view(&read), STR("abcdefg")));
    buf_free(&read);
    end(&f);
}

TEST(data_is_synced_before_its_name)
{
    struct aged_store f = aged_store_begin();

    faults.on = true;
    assert_int_equal(local_put(f.local, "a/b/c", STR("x"), LOCAL_DURABLE), STORE_OK);
    /* a file, its data, its name fails, two folders, its name; then a/b, a and the top are opened and synced
     */
    assert_string_equal(faults.trace, "owflmmlofoff");
    faults = (struct faults){.on = true};
    assert_int_equal(local_put(f.local, "a/b/d", STR("x"), LOCAL_EVICTABLE), STORE_OK);
    assert_string_equal(faults.trace, "owl");
    end(&f);
}

/* A folder of the first level stays: the directory is synced again only when one is made, or was not synced. */
TEST(known_folders_are_not_synced_again)
{
    struct aged_store f = aged_store_begin();

    assert_int_equal(local_put(f.local, "a/b/c", STR("x"), LOCAL_DURABLE), STORE_OK);
    faults = (struct faults){.on = true};
    assert_int_equal(local_put(f.local, "a/b/d", STR("x"), LOCAL_DURABLE), STORE_OK);
    assert_string_equal(faults.trace, "owflofof");
    faults = (struct faults){.on = true};
    assert_int_equal(local_put(f.local, "a/z/d", STR("x"), LOCAL_DURABLE), STORE_OK);
    assert_string_equal(faults.trace, "owflmmlofof");
    faults = (struct faults){.on = true, .fail_at = 9, .error = EIO};
    assert_int_equal(local_put(f.local, "z/d", STR("x"), LOCAL_DURABLE), STORE_FAILED);
    assert_string_equal(faults.trace, "owflmloff");
    faults = (struct faults){.on = true};
    assert_int_equal(local_put(f.local, "z/e", STR("x"), LOCAL_DURABLE), STORE_OK);
    assert_string_equal(faults.trace, "owfloff");
    end(&f);
}

/* Each call of the system fails once, with each error: the object is whole or not there, nothing leaks, and
 * the next put does it. Returns how many calls there were. */
static unsigned fail_each(const char *key, int error, enum store_result expected)
{
    struct aged_store f = aged_store_begin();
    size_t descriptors = scratch_descriptors();
    unsigned at = 1;

    for (;; at++) {
        faults.on = true;
        faults.calls = 0;
        faults.fail_at = at;
        faults.error = error;
        enum store_result result = local_put(f.local, key, STR("whole"), LOCAL_DURABLE);
        faults.on = false;
        if (faults.calls < at) {
            assert_int_equal(result, STORE_OK);
            break;
        }
        assert_int_equal(result, expected);
        if (look(f.local, key) == STORE_OK) {
            aged_store_assert_object(&f, key, STR("whole"));
            assert_int_equal(local_delete(f.local, key), STORE_OK);
        }
        assert_int_equal(scratch_count(&f.scratch, "tmp"), 0);
        assert_int_equal(scratch_descriptors(), descriptors);
    }
    aged_store_assert_object(&f, key, STR("whole"));
    end(&f);
    return at - 1;
}

TEST(every_call_may_fail)
{
    for (int named = 0; named < 2; named++) {
        faults.no_tmpfile = named;
        assert_in_range(fail_each("a/b/c", EIO, STORE_FAILED), 9, 12);
        faults.no_tmpfile = named;
        assert_in_range(fail_each("a/b/c", ENOSPC, STORE_FULL), 9, 12);
        faults.no_tmpfile = named;
        assert_in_range(fail_each("a/b/c", EDQUOT, STORE_FULL), 9, 12);
    }
}

TEST(interrupted_calls_go_on)
{
    static const char INTERRUPTIBLE[] = "owf";
    struct aged_store f = aged_store_begin();

    for (unsigned at = 1; at <= 6; at++) {
        char key[32];
        snprintf(key, sizeof(key), "a/%u", at);
        faults = (struct faults){.on = true, .fail_at = at, .error = EINTR};
        enum store_result result = local_put(f.local, key, STR("whole"), LOCAL_DURABLE);
        faults.on = false;
        if (strchr(INTERRUPTIBLE, faults.trace[at - 1]) != NULL) {
            assert_int_equal(result, STORE_OK);
            aged_store_assert_object(&f, key, STR("whole"));
        }
    }
    end(&f);
}
